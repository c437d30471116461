"""Readers that are models of their own, by name: `trained:DIRECTORY` and `judge:MODEL`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from horsesense.errors import UsageError
from horsesense.readers.model_based.cases import BulkReader


def _trained(path: str) -> BulkReader:
    from horsesense.readers.model_based.trained import TrainedReader

    return TrainedReader(path)


def _judge(spec: str) -> BulkReader:
    from horsesense.readers.model_based.judge import JudgeReader

    return JudgeReader(spec)


MODEL_READERS: Final[Mapping[str, Callable[[str], BulkReader]]] = MappingProxyType(
    {"trained": _trained, "judge": _judge}
)


def is_model_reader(spec: str) -> bool:
    """Whether a reader's name is that of a model."""
    scheme, colon, _ = spec.partition(":")
    return bool(colon) and scheme in MODEL_READERS


def make_bulk_reader(spec: str) -> BulkReader:
    """The reader that `trained:DIRECTORY` or `judge:MODEL` names.

    Raises:
        UsageError: the name has neither form.
    """
    scheme, _, rest = spec.partition(":")
    if scheme not in MODEL_READERS or not rest:
        raise UsageError(
            f"{spec!r} is not a reader of recorded responses.",
            hint="Write text, trained:DIRECTORY, or judge:MODEL such as judge:http:NAME@URL.",
        )
    return MODEL_READERS[scheme](rest)
