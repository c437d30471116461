"""Commands of the side programs; each module registers its own."""
