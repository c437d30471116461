"""A run: its settings, its directory, and the stages that fill it."""
