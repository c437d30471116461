"""Names: which option a stretch of a response is about, by its label, text, place or likeness."""
