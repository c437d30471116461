"""A corpus of replies with known readings, and how any reader does on it (data/README.md)."""
