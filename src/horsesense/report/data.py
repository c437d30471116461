"""What a report is made from."""

from horsesense.runs.results import Results as Run

__all__ = ["Run"]
