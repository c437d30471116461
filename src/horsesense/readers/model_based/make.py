"""Readers with a model of their own, by name: `trained:DIRECTORY`, `judge:MODEL`, `cascade:...`."""

from __future__ import annotations

from typing import Final

from horsesense.plugins import Registry, Scheme, parse_scheme, scheme
from horsesense.readers.model_based.cases import BulkReader

MODEL_READERS: Final[Registry[Scheme]] = Registry(
    "reader of recorded responses", group="horsesense.model_readers", accept=scheme
)
for _scheme in (
    Scheme(
        "judge",
        "horsesense.readers.model_based.judge",
        "MODEL",
        "Another model, named as for --model, that says what a reply chooses.",
    ),
    Scheme(
        "cascade",
        "horsesense.readers.model_based.cascade",
        "judge=MODEL",
        "The text reader, and a judge for what it reads with a confidence below 0.9, or below"
        " that of at=0.8:judge=MODEL.",
    ),
):
    MODEL_READERS.add(_scheme.name, _scheme)


def is_model_reader(spec: str) -> bool:
    """Whether a reader's name is that of a model."""
    return ":" in spec.partition("(")[0]


def make_bulk_reader(spec: str) -> BulkReader:
    """The reader that `trained:DIRECTORY` and the like names; UsageError for any other."""
    found, rest = parse_scheme(spec, MODEL_READERS, besides="text, ")
    reader: BulkReader = found.make(rest)
    return reader
