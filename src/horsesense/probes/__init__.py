"""Probes: each makes one controlled change, and says what should hold after it."""

BASIC = ("repeat", "order", "labels", "none_of_the_above", "options_only")
"""What an audit asks beside the items as published, unless other probes are named."""
