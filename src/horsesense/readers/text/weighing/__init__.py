"""Weighing: evidence for every option and for every way of choosing none, and one decision."""
