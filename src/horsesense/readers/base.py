"""What a reader must offer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from horsesense.models.messages import Response
from horsesense.probes.base import Setting
from horsesense.readers.reading import Reading
from horsesense.trials.trial import Trial


class Reader(Protocol):
    """One way to understand responses.

    Attributes:
        name: as in tables and signatures.
        version: changes whenever a reading could.
        reads_scores: true for a reader of scores, which is compared with what the words say; a
            reader of words need not have it.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        """One reading per variant; empty where the reader has nothing to go on."""
        ...


@runtime_checkable
class OptionScorer(Reader, Protocol):
    """A reader of scored option texts: where a study has one, its requests ask for the scores.

    Attributes:
        unconditional: whether the texts must also be scored without the question.
    """

    @property
    def unconditional(self) -> bool: ...


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
        """What was found, as a JSON value; `undefined_reason` says why nothing could be."""
        ...
