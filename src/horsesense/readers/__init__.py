"""Readers: from a response to what it chose."""
