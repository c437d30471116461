"""Probes: each makes one controlled change, and says what should hold after it."""
