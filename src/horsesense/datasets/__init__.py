"""Reading items and rows from files, the packaged sample and the Hugging Face hub."""

from horsesense.datasets.files import load_rows
from horsesense.datasets.load import load_items

__all__ = ["load_items", "load_rows"]
