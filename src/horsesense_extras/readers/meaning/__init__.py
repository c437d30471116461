"""`text+meaning`: the text reader, and a sentence encoder for what it does not read surely."""

from __future__ import annotations

from typing import Final, Self

from horsesense.errors import UsageError
from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.store import Store
from horsesense.models.messages import Response
from horsesense.progress import progress
from horsesense.readers.model_based.cases import MEANING, Rows
from horsesense.readers.reading import Reading
from horsesense.readers.text_answers import TextAnswers
from horsesense.readers.version import Rules
from horsesense.rng import fingerprint
from horsesense.trials.trial import Trial
from horsesense_extras.readers.meaning.encoder import SentenceEncoder
from horsesense_extras.readers.meaning.reader import MeaningText

RULES: Final = Rules(version="11", source="c3a581d811cd")

_TOGETHER = 512
"""Texts that are encoded between two marks of progress."""


class MeaningReader:
    """The text reader, which weighs what sentences mean where words alone do not settle it.

    It reads what the text reader reads. A reply that was not prepared is read by the rules alone.
    """

    name = MEANING
    asks_model = False

    def __init__(self) -> None:
        self._reader = MeaningText()
        self._text = TextAnswers(self._reader)
        self._encoder: SentenceEncoder | None = None

    @property
    def version(self) -> str:
        """Says by which rules, and with which weights, it reads."""
        return fingerprint([RULES.version, self._text.version])

    async def __aenter__(self) -> Self:
        """Load the encoder.

        Raises:
            UsageError: a package is missing.
        """
        self._encoder = SentenceEncoder()
        return self

    async def __aexit__(self, *error: object) -> None:
        self._encoder = None

    async def prepare(
        self,
        rows: Rows,
        store: Store | None,
        limits: Limits,
        max_connections: int | None = None,
    ) -> RunSummary:
        """Encode the sentences of what the rules leave open; each text once."""
        if self._encoder is None:
            raise UsageError(f"{self.name} is not loaded.", hint="Use it in `async with`.")
        self._reader.vectors.clear()
        self._reader.missing.clear()
        for trial, response in rows:
            self._text.read(trial, response)
        missing = sorted(self._reader.missing, key=len)
        with progress("encoding sentences", len(missing)) as tick:
            for start in range(0, len(missing), _TOGETHER):
                some = missing[start : start + _TOGETHER]
                self._reader.vectors.update(zip(some, self._encoder.vectors(some), strict=True))
                tick(len(some))
        return RunSummary()

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        """The readings of the rules, or of rules and meaning where the rules leave it open."""
        return self._text.read(trial, response)
