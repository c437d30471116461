"""`asked.json`: what asking settled, so that all later stages need neither model nor prompts."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from horsesense.errors import StoreError
from horsesense.inference.limits import RunSummary
from horsesense.kept import keep, read_kept
from horsesense.probes.base import Probe
from horsesense.runs.goal import Extents
from horsesense.runs.prepare import Study

DECLARED = ("name", "title", "signature", "summary", "expectation", "invariant")
"""What is kept of each probe."""
_ROWS: Final[dict[str, dict[str, type]]] = {
    "probes": dict.fromkeys(DECLARED, str),
    "excluded": {"probe": str, "reason": str, "items": int, "examples": list},
    "too_long": {"probe": str, "condition": str, "prompts": int},
}
"""What the rows of each list hold."""


class Made(NamedTuple):
    """What made the trials of one condition.

    Attributes:
        probe, condition: as in the table of trials.
        signature: of the probe, with all its parameters.
        prompt: of the prompt template, with all that enters a prompt.
    """

    probe: str
    condition: str
    signature: str
    prompt: str


class AskedRecord(BaseModel):
    """What was asked.

    Attributes:
        question: fingerprint of all that decides what is asked (`RunDirectory.question`).
        plan: stage -> fingerprint of its trials; readings belong to a fingerprint.
        trials: their number, over all stages.
        made: where each condition came from.
        probes: what each probe declares.
        excluded: items that a probe left out, by reason.
        too_long: prompts that exceed the model's context, and were not sent.
        spent: what the last call took (fields of `inference.limits.RunSummary`).
        until: where asking could stop early, how far it went (`runs.goal.Extents`).
    """

    model_config = ConfigDict(extra="forbid")

    question: str = ""
    plan: dict[int, str] = Field(default_factory=dict)
    trials: int = 0
    made: list[Made] = Field(default_factory=list)
    probes: list[dict[str, Any]] = Field(default_factory=list)
    excluded: list[dict[str, Any]] = Field(default_factory=list)
    too_long: list[dict[str, Any]] = Field(default_factory=list)
    spent: dict[str, Any] = Field(default_factory=dict)
    until: Extents | None = None

    @classmethod
    def of(
        cls,
        study: Study,
        question: str,
        plan: dict[int, str],
        spent: RunSummary,
        until: Extents | None = None,
    ) -> AskedRecord:
        planner = study.planner
        return cls(
            question=question,
            plan=plan,
            trials=planner.count,
            made=[
                Made(probe, str(condition), signature, planner.prompter.signature(form))
                for (probe, condition), (signature, form) in planner.made.items()
            ],
            probes=[declared(probe) for probe in study.probes],
            excluded=planner.excluded.as_json(),
            too_long=planner.too_long_json(),
            spent=asdict(spent),
            until=until,
        )

    @field_validator(*_ROWS)
    @classmethod
    def _whole(cls, rows: list[dict[str, Any]], of: ValidationInfo) -> list[dict[str, Any]]:
        held = _ROWS[str(of.field_name)]
        if not all(isinstance(row.get(name), held[name]) for row in rows for name in held):
            raise ValueError(f"not every row says {', '.join(held)}")
        return rows

    @field_validator("spent")
    @classmethod
    def _counted(cls, spent: dict[str, Any]) -> dict[str, Any]:
        for count in fields(RunSummary):
            found = spent.get(count.name, count.default)
            if isinstance(count.default, int | float) and not isinstance(found, int | float):
                raise ValueError(f"spent.{count.name} is not a number")
        return spent

    def save(self, path: Path) -> None:
        keep(path, orjson.dumps(self.model_dump(mode="json"), option=orjson.OPT_INDENT_2))

    @classmethod
    def load(cls, path: Path, hint: str | None = None) -> AskedRecord:
        """Read asked.json; StoreError with a hint where it is missing or damaged."""
        try:
            found = cls.model_validate(orjson.loads(read_kept(path)))
            if {one.probe for one in found.made} - {probe["name"] for probe in found.probes}:
                raise ValueError("it does not declare every probe that was asked")
            return found
        except (OSError, ValueError) as error:
            raise StoreError.unreadable(path, error, hint) from None


def declared(probe: Probe) -> dict[str, Any]:
    """What a probe says of itself, for later stages."""
    return {name: getattr(probe, name) for name in DECLARED}
