"""Readers that are models of their own, by name: `trained:DIRECTORY` and `judge:MODEL`."""

from __future__ import annotations

from typing import Final

from horsesense.plugins import Registry, Scheme, parse_scheme
from horsesense.readers.model_based.cases import BulkReader

MODEL_READERS: Final[Registry[Scheme]] = Registry("reader of recorded responses")
for _scheme in (
    Scheme(
        "trained",
        "horsesense.readers.model_based.trained",
        "DIRECTORY",
        "A model fine-tuned on labelled replies by `horsesense train reader`.",
    ),
    Scheme(
        "judge",
        "horsesense.readers.model_based.judge",
        "MODEL",
        "Another model, named as for --model, that says what a reply chooses.",
    ),
):
    MODEL_READERS.add(_scheme.name, _scheme)


def is_model_reader(spec: str) -> bool:
    """Whether a reader's name is that of a model."""
    return ":" in spec.partition("(")[0]


def make_bulk_reader(spec: str) -> BulkReader:
    """The reader that `trained:DIRECTORY` or `judge:MODEL` names; UsageError for any other."""
    found, rest = parse_scheme(spec, MODEL_READERS, besides="text, ")
    reader: BulkReader = found.make(rest)
    return reader
