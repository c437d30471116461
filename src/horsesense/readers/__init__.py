"""Readers: what does a response say? Each gives one reading per variant, with rule and span."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from horsesense.exchange import Response
from horsesense.probes.base import Setting
from horsesense.readers.answers import TextAnswers
from horsesense.readers.first_token import FirstTokenReader
from horsesense.readers.models import is_model_reader, make_bulk_reader
from horsesense.readers.pride import PrideReader
from horsesense.readers.text import TextReader
from horsesense.readings import Reading
from horsesense.registry import Registry
from horsesense.specs import parse_spec
from horsesense.trials import Trial

__all__ = [
    "READERS",
    "FirstTokenReader",
    "FittedReader",
    "PrideReader",
    "Reader",
    "TextAnswers",
    "TextReader",
    "make_reader",
]


class Reader(Protocol):
    """One way to understand responses.

    Attributes:
        name: as in tables and signatures.
        version: changes whenever a reading could.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        """One reading per variant; empty where the reader has nothing to go on."""
        ...


@runtime_checkable
class FittedReader(Reader, Protocol):
    """A reader that looks at many responses before it reads one.

    Attributes:
        fits_on: names of the probes of the first stage whose responses it looks at.
    """

    @property
    def fits_on(self) -> frozenset[str]: ...

    def fit(self, answered: Iterable[tuple[Trial, Response]], setting: Setting) -> None:
        """Learn from responses; `version` then says from which. Never raises for too few."""
        ...

    def report(self) -> dict[str, Any]:
        """What was found, as a JSON value; `why_not` says why nothing could be."""
        ...


READERS: Registry[type[Reader]] = Registry("reader")
READERS.add("first_token", FirstTokenReader)
READERS.add("text", TextAnswers)
READERS.add("pride", PrideReader)


def make_reader(spec: str) -> Reader:
    """The reader that `name(key=value, ...)`, `trained:DIRECTORY` or `judge:MODEL` asks for.

    UsageError says what there is.

    >>> make_reader("first_token(position=found)").name
    'first_token(position=found)'
    """
    return make_bulk_reader(spec) if is_model_reader(spec) else parse_spec(spec, READERS)
