"""Readers: what does a response say? Each gives one reading per variant, with rule and span."""

from __future__ import annotations

from typing import Protocol

from horsesense.exchange import Response
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


class TextAnswers:
    """The text of a reply, read by `TextReader`, for trials of a single variant."""

    name = "text"

    def __init__(self) -> None:
        self._reader = TextReader()
        self.version = self._reader.version

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        variant = trial.variant
        reading = self._reader.read(
            response.text,
            variant.options,
            variant.labels,
            finish_reason=response.finish_reason,
            multiple=trial.asks == "letters",
        )
        return (reading,)


READERS: Registry[type[Reader]] = Registry("reader")
READERS.add("first_token", FirstTokenReader)
READERS.add("text", TextAnswers)
