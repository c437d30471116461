"""Flaws of the items themselves, found without a model: `horsesense check`."""
