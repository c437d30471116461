"""Training on items, and what it changes."""
