"""The version of horsesense, which every number states."""

__version__ = "0.2.0"
