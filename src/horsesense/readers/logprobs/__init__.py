"""Readers of the first token's log-probabilities, and of those of whole option texts."""
