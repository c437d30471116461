"""Readers with a model of their own."""

from __future__ import annotations

from horsesense.plugins import Scheme

TRAINED = Scheme(
    "trained",
    "horsesense_extras.readers.trained",
    "DIRECTORY",
    "A model fine-tuned on labelled replies by `horsesense train reader`.",
)
