"""The built-in reader of answers: ordered rules, no download, no model."""

from horsesense.readers.text.reader import TextReader

__all__ = ["TextReader"]
