"""What every `--json` output has, and rows that stand in several; see `horsesense.cli.schemas`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from horsesense.cli.grouped import described
from horsesense.measures.base import Estimate

Rows = list[dict[str, Any]]


class Strict(BaseModel):
    """Fields, of which there are no others."""

    model_config = ConfigDict(extra="forbid")


class Output(Strict):
    """Fields of every output."""

    schema_: str = Field(alias="schema", description="horsesense.NAME/VERSION")


def fields_of(kind: type, *without: str, **texts: Any) -> dict[str, Any]:
    """The fields of a dataclass or a named tuple, as `create_model` takes them.

    `texts` replaces types; what its docstring says of a field is the description.
    """
    _, said = described(kind)
    hints = {name: hint for name, hint in get_type_hints(kind).items() if name not in without}
    told = {name: words.removesuffix(".") for name, words in said.items()}
    return {n: (h, Field(description=told.get(n))) for n, h in {**hints, **texts}.items()}


if TYPE_CHECKING:
    EstimateRow = dict[str, Any]
else:
    EstimateRow = create_model(
        "EstimateRow",
        __base__=Strict,
        __doc__="One number; the fields are described in docs/runs.md.",
        **fields_of(Estimate, condition=str, signature=str),
    )


class VerdictFields(Strict):
    """What a run says of its model; several outputs have these fields."""

    headline: str = Field(description="the score in a sentence; empty without one")
    verdict: list[dict[str, Any]] = Field(description="findings: see docs/verdict.md")
    notices: list[str] = Field(description="what must be known beside the verdict")
    nothing_to_judge: str | None = Field(description="why the verdict is empty")


class RunRow(VerdictFields):
    """One run of several."""

    run: str
    items: str
    model: str
    suite: str | None
    report: str
    missing: list[str]
    expected: dict[str, Any] = Field(description="what asking was expected to take")


class CheckFinding(Strict):
    """What one rule of `check` found, or looked for in vain."""

    rule: str
    title: str
    weight: str = Field(description="fault, cue or style")
    source: str
    advice: str
    says: str = Field(description="the finding in a sentence")
    n: int = Field(description="items that the rule could be applied to")
    count: int = Field(description="items with the flaw")
    share: float | None
    low: float | None
    high: float | None
    test: dict[str, Any] | None = Field(description="of a cue of the whole set")
    items: Rows = Field(description="`id` and `evidence` of each item with the flaw")


class CheckedSet(Strict):
    """One set of items, and what was found in it."""

    dataset: dict[str, Any]
    findings: list[CheckFinding]
    quiet: list[CheckFinding] = Field(description="rules that found nothing")
    skipped: dict[str, str] = Field(description="rule -> why it was not applied")


class ItemForm(Strict):
    """One form of an item: as it was asked, answered and read."""

    probe: str
    form: str = Field(description="what was changed, in words")
    repetition: int
    right: str | None = Field(description="the right option, as the prompt labels it")
    prompt: list[dict[str, str]]
    reply: str | None
    reasoning: str | None
    finish_reason: str | None
    came_back: str | None = Field(description="how the reply ended, tokens, time, server, in words")
    failure: str | None
    readings: Rows
