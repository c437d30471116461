"""Readers: what does a response say? Each gives one reading per variant, with rule and span."""

from __future__ import annotations

from typing import Protocol

from horsesense.exchange import Response
from horsesense.readers.answers import TextAnswers
from horsesense.readers.first_token import FirstTokenReader
from horsesense.readers.text import TextReader
from horsesense.readings import Reading
from horsesense.registry import Registry
from horsesense.trials import Trial

__all__ = ["READERS", "FirstTokenReader", "Reader", "TextAnswers", "TextReader"]


class Reader(Protocol):
    """One way to understand responses.

    Attributes:
        name: as in tables and signatures.
        version: changes whenever a reading could.
    """

    name: str
    version: str

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        """One reading per variant; empty where the reader has nothing to go on."""
        ...


READERS: Registry[type[Reader]] = Registry("reader")
READERS.add("first_token", FirstTokenReader)
READERS.add("text", TextAnswers)
