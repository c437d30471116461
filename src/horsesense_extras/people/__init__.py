"""Readings by people: files out to reviewers and back, and what they decided."""
