"""What a run can be accused of, as far as it is known before the first answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from horsesense.findings.kinds import KINDS, Kind
from horsesense.findings.places import Anywhere, Number
from horsesense.measures.contrast import REPEAT, Again, by_answers
from horsesense.measures.joined import AgainstReader
from horsesense.measures.registry import MEASURES
from horsesense.readers.logprobs.option_text import NAME as OPTION_TEXT
from horsesense.readers.registry import reads_scores
from horsesense.runs.prepare import Study, reader_names
from horsesense.trials.condition import Condition

OF_READERS = ("first_token", "other_reader")
"""Kinds that may accuse by each reader."""


@dataclass(frozen=True)
class Expected:
    """What the kinds of findings ask of a run, of one that is not asked yet, or not to its end."""

    reader: str
    readers: Sequence[str]
    probes: Mapping[str, Mapping[str, Any]]
    by_people: bool = False
    ended: str = ""
    unasked: Mapping[str, str] = field(default_factory=dict)
    some_gold: bool = True

    @classmethod
    def of(cls, study: Study, reader: str, readers: Sequence[str]) -> Self:
        probes = {p.name: {"invariant": p.invariant, "title": p.title} for p in study.probes}
        return cls(reader, readers, probes)

    def lost_shares(self, e: Number) -> tuple[float, float]:
        """Nothing is lost before anything is asked."""
        return 0.0, 0.0

    def not_covered(self, e: Number) -> str:
        """No reader is fitted before anything is asked."""
        return ""

    def never_asked(self, probe: str) -> int:
        """Nothing is lost before anything is asked."""
        return 0

    def setting(self, probe: str, condition: Condition) -> str:
        return ""

    @property
    def kinds(self) -> list[Kind]:
        """The kinds that may accuse, whichever reader is the main one."""
        return [kind for kind in KINDS if self._measured(kind.measure) and self._asks(kind)]

    def questions(self, places: Iterable[tuple[str, Condition]], options: int) -> int:
        """How many questions the verdict has at most, whatever the readers find to read."""
        asked, each = [*places], {True: max(options, 1), False: 1}
        return sum(
            len(replace(self, reader=name).members(kind, asked)) * each[kind.by_position]
            for kind in self.kinds
            for name in (self.readers if kind.name in OF_READERS else [self.reader])
        )

    def members(
        self, kind: Kind, places: Iterable[tuple[str, Condition]]
    ) -> list[tuple[str, Condition]]:
        """The probes and conditions by which a kind accuses, of those that are asked.

        Those of items that were chosen by their answers are not compared.
        """
        return [
            (probe, condition)
            for probe, condition in places
            if not by_answers(condition)
            and kind.takes(self, Anywhere(probe, condition, self.reader, ""))
        ]

    def _asks(self, kind: Kind) -> bool:
        everyone = [replace(self, reader=name) for name in self.readers]
        return any(kind.asks(run, probe) for run in everyone for probe in self.probes)

    def _measured(self, name: str) -> bool:
        """Whether a measure has what it compares with."""
        measure = MEASURES.get(name)
        if isinstance(measure, AgainstReader) and not {measure.other_reader} < {*self.readers}:
            return False
        return Again not in measure.needs or REPEAT in self.probes


def readable(study: Study) -> list[str]:
    """The readers that will find something to read in what the model offers."""
    offers, replies = study.capabilities, study.settings.max_tokens > 0

    def reads(name: str) -> bool:
        if name.partition("(")[0] == OPTION_TEXT:
            return offers.continuations
        if reads_scores(name):
            return bool(offers.top_logprobs or offers.label_tokens)
        return offers.text and replies

    return [n for n in reader_names(study.settings, study.items, study.model) if reads(n)]
