"""The version of horsesense, which every number states."""

__version__ = "0.3.0"
