"""Rules first, a judge for the rest: `cascade:judge=MODEL`, or `cascade:at=0.8:judge=MODEL`.

The text reader reads every reply. What it leaves `unclear`, and what it reads with a confidence
below `at`, is shown to the judge; what the judge understands replaces the reading. A judge knows
five statuses alone (answer, none, refusal, unknown, ambiguous): replies that the rules find
illegal, cut off or empty are not shown to it, since it could only deny that.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any, Final

from horsesense.errors import UsageError
from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.store import Store
from horsesense.models.messages import Response
from horsesense.progress import say
from horsesense.readers.model_based.cases import Rows, case_of, cases_in
from horsesense.readers.model_based.judge import JudgeReader, judge_prompt
from horsesense.readers.reading import Reading
from horsesense.readers.text_answers import TextAnswers
from horsesense.readers.version import Rules
from horsesense.rng import fingerprint
from horsesense.stats.words import plural, some_of
from horsesense.trials.trial import Trial

RULES: Final = Rules(version="25", source="2f50681b8953")

SURE: Final = 0.9
"""Confidence of the rules from which on no judge is asked, unless the name says another."""
CHARACTERS: Final = 4
"""Of a token, about, where its cost is told before it is asked."""
_NOT_FOR_A_JUDGE: Final = frozenset(("illegal", "truncated", "empty"))
_SPEC = re.compile(r"(?:at=(?P<at>[01]|0?\.\d+):)?judge=(?P<judge>.+)", re.DOTALL)


@dataclass
class Steps:
    """What each step of a cascade did, in replies.

    Attributes:
        read: all that the rules read.
        left_open: what they were not sure enough of.
        judged: of those, what the judge understood.
        changed: of those, what it reads otherwise than the rules.
    """

    read: int = 0
    left_open: int = 0
    judged: int = 0
    changed: int = 0


class CascadeReader(JudgeReader):
    """The text reader, and a judge for what it does not read surely.

    Attributes:
        steps: what happened to the replies so far.
        spent: what the judge took.

    Args:
        spec: `judge=MODEL`, with `at=CONFIDENCE:` before it where it is not 0.9.

    Raises:
        UsageError: it is not of that form, or the model cannot judge.
    """

    def __init__(self, spec: str) -> None:
        match = _SPEC.fullmatch(spec)
        if match is None:
            raise UsageError(
                f"cascade:{spec} does not name a cascade.",
                hint="Write cascade:judge=http:NAME or cascade:at=0.8:judge=http:NAME.",
            )
        super().__init__(match["judge"])
        self._judge_name, self.name = self.name, f"cascade:{spec}"
        self.at = float(match["at"]) if match["at"] else SURE
        self.steps = Steps()
        self._rules = TextAnswers()

    @property
    def version(self) -> str:
        """Says by which rules, which judge and from which confidence on."""
        parts = [RULES.version, self._rules.version, super().version, f"{self.at:g}"]
        return fingerprint(parts)

    async def prepare(
        self,
        rows: Rows,
        store: Store | None,
        limits: Limits,
        max_connections: int | None = None,
    ) -> RunSummary:
        """Show the judge what the rules leave open; errors as of the judge."""
        opened = [(t, r) for t, r in rows if self._open(t, r, self._rules.read(t, r))]
        self.steps.read += sum(len(trial.variants) for trial, _ in rows)
        self.steps.left_open += len(opened)
        spent = RunSummary()
        if opened:
            cases = cases_in(opened)
            tokens = sum(len(judge_prompt(case)) for case in cases) // CHARACTERS
            say(
                f"{some_of(len(opened), len(rows), 'reply', 'go')} to"
                f" {self._judge_name}, about {plural(tokens, 'token')} of prompts less what it"
                " was asked"
                " before."
            )
            spent = await super().prepare(opened, store, limits, max_connections)
        for trial, response in opened:
            (before,) = self._rules.read(trial, response)
            for after in super().read(trial, response):
                self.steps.judged += 1
                same = (before.status, before.positions) == (after.status, after.positions)
                self.steps.changed += not same
        return spent

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        """The judge's reading where the rules leave it open and the judge has one."""
        found = self._rules.read(trial, response)
        if self._open(trial, response, found):
            return super().read(trial, response) or found
        return found

    def _open(self, trial: Trial, response: Response, found: tuple[Reading, ...]) -> bool:
        if case_of(trial, response) is None or len(found) != 1 or not response.text.strip():
            return False
        status, sure = found[0].status, found[0].confidence >= self.at
        return status == "unclear" or (not sure and status not in _NOT_FOR_A_JUDGE)

    def told(self) -> dict[str, Any]:
        """The steps, as a JSON value."""
        return {"at": self.at, "judge": self._judge_name, **asdict(self.steps)}


def from_spec(rest: str) -> CascadeReader:
    """The reader that `cascade:REST` names; UsageError if there is none."""
    return CascadeReader(rest)
