"""How each answer format is read from a reply."""
