"""The built-in reader of answers: evidence and weights, no download, no model."""

from horsesense.readers.text.reader import LIKELY, TextReader

__all__ = ["LIKELY", "TextReader"]
