"""Readers with a trained model: `trained:PATH`, where `horsesense train reader` wrote PATH."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Self

from horsesense.errors import UsageError
from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.store import Store
from horsesense.progress import progress
from horsesense.readers.model_based.cases import Case, PreparedCase, Rows, cases_in, empty_cases
from horsesense.readers.reading import Reading
from horsesense.readers.version import Rules
from horsesense_extras.readers.trained.saved import (
    Manifest,
    TrainedModel,
    fingerprint_of,
    load_scorer,
)

__all__ = ["TrainedReader", "from_spec", "understand"]

RULES: Final = Rules(version="10", source="b459d4a85804")

_TOGETHER = 128
"""Replies that are scored between two marks of progress."""


class TrainedReader(PreparedCase):
    """A fine-tuned model that says which option a reply chooses, or that it chooses none.

    Args:
        path: a directory that `horsesense train reader` wrote.

    Raises:
        UsageError: the directory does not contain a trained reader.
    """

    asks_model = False

    def __init__(self, path: str) -> None:
        super().__init__()
        self.folder = Path(path).expanduser()
        self.manifest = Manifest.load(self.folder)
        self.name = f"trained:{path}"
        self.version = fingerprint_of(self.folder, self.manifest, RULES.version)
        self._scorer: TrainedModel | None = None

    async def __aenter__(self) -> Self:
        """Load the model.

        Raises:
            UsageError: a file is missing.
        """
        self._scorer = load_scorer(self.folder, self.manifest)
        return self

    async def __aexit__(self, *error: object) -> None:
        self._scorer = None

    async def prepare(
        self, rows: Rows, store: Store | None, limits: Limits, max_connections: int | None = None
    ) -> RunSummary:
        """Read all of `rows` together; equal replies to equal options once."""
        if self._scorer is None:
            raise UsageError(f"{self.name} is not loaded.", hint="Use it in `async with`.")
        cases, found = cases_in(rows), empty_cases(rows)
        with progress("scoring replies", len(cases)) as tick:
            for start in range(0, len(cases), _TOGETHER):
                some = cases[start : start + _TOGETHER]
                found |= understand(self._scorer, some, f"trained_{self.manifest.kind}")
                tick(len(some))
        self.keep(found)
        return RunSummary()


def from_spec(rest: str) -> TrainedReader:
    """The reader that `trained:REST` names; UsageError if there is none."""
    return TrainedReader(rest)


def understand(scorer: TrainedModel, cases: list[Case], rule: str) -> dict[Case, Reading]:
    """The most probable class of each case; its probability is the confidence."""
    found: dict[Case, Reading] = {}
    for case, row in zip(cases, scorer.probabilities(cases), strict=True):
        if row:
            place = max(range(len(row)), key=row.__getitem__)
            found[case] = case.reading(place, rule, row[place])
    return found
