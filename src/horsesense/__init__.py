"""horsesense: find out what a multiple-choice score is made of before you believe it."""

__version__ = "0.1.0"
