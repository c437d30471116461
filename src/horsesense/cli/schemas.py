"""What fields each `--json` output has, as pydantic models; `horsesense list schemas --json`.

The tests hold real outputs to these models. Nothing else imports them: an output need not be
checked again while it is printed. A field that is renamed or removed raises SCHEMA_VERSION.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, create_model

from horsesense.cli.schema_rows import (
    CheckedSet,
    EstimateRow,
    ItemForm,
    Output,
    Rows,
    RunRow,
    VerdictFields,
    fields_of,
)  # fmt: skip
from horsesense.runs.plan import Plan
from horsesense.side import offered, side


class AuditOutput(Output, VerdictFields):
    """`audit` and `demo`: what estimates.json holds (where `schema` is a number), what the
    terminal says, and where the run lies."""

    out: str
    report: str
    expected: dict[str, Any] = Field(description="what asking was expected to take")
    horsesense: str
    study: dict[str, Any]
    stages: dict[str, Any]
    dataset: dict[str, Any]
    model: dict[str, Any]
    probes: Rows
    readers: list[str]
    fits: dict[str, Any]
    judges: dict[str, Any]
    judges_before: dict[str, Any]
    cascades: dict[str, Any] = Field(
        description="by reader: replies that the rules read, left_open, then judged and changed"
    )
    trials: int
    failures: int
    unread: int = Field(description="prompts that no reader has read, `unclear` among them")
    unclear: int = Field(
        default=0, description="prompts with a reply of which no reader can tell what it chooses"
    )
    unanswered: Rows = Field(
        default_factory=list,
        description="by probe and condition: prompts not_asked and failed, of how many prompts;"
        " and how many of each are of items without a right answer (goldless)",
    )
    silent: dict[str, str]
    run: dict[str, Any]
    exclusions: Rows
    too_long: Rows
    suites: Rows
    reviews: dict[str, Any]
    bounds: dict[str, Any]
    replies: Rows = Field(
        default_factory=list,
        description="by probe, condition and reader: causes, and the range of the score",
    )
    designs: Rows
    until: dict[str, Any] | None = Field(
        default=None,
        description="with --until: goal, reader, batch, extents, populations, fixed_trials (prompts"
        " of the whole study), findings; see docs/sequential.md",
    )
    composition: dict[str, dict[str, Any]] = Field(description="by reader")
    known: dict[str, dict[str, Any]] = Field(description="by reader")
    sizes: dict[str, float] = Field(description="smallest size that matters, by kind of finding")
    estimates: list[EstimateRow]


class RunOutput(Output):
    """`run`, and `audit` with several models: each run with its verdict."""

    study: str
    runs: list[RunRow]


class MergeOutput(Output):
    """`merge`: what was united, and what is not there."""

    out: str
    report: str
    answers: int = Field(description="taken over")
    same: int = Field(description="there already")
    different: list[str] = Field(description="keys of requests with different answers")
    missing: list[str] = Field(
        description="shards that were not given, and whose answers are not there"
    )
    unfinished: list[str] = Field(description="runs whose own items lack answers")
    damaged: dict[str, int] = Field(description="damaged answers that were left out, by store")
    lost: dict[str, int] = Field(
        description="trials that were asked and have no answer any more, by run"
    )
    unanswered: int = Field(description="trials without an answer")
    versions: list[str] = Field(description="of horsesense, that the runs were asked with")
    estimates: list[EstimateRow]


class _BesidePlan(Output):
    until: Rows
    until_notes: list[str] = Field(description="what --until leaves untold, and its worth")
    pace: str = Field("", description="with --rate: how long it takes at least")
    saved: int
    saved_over_probes_alone: float
    completion_tokens_at_most: int
    cost_at_most: float | None
    clusters: int = Field(description="independent clusters in which the items come")
    clusters_worth: float = Field(description="how many clusters of one size they are worth")
    smallest_detectable_change: float | None = Field(
        description="that the verdict finds with a power of .8 under a form with one prompt an "
        "item; None where there is no such form, more than a few items come in clusters, none "
        "would be seen, or with --until"
    )
    smallest_detectable_level: float | None = Field(
        description="what the verdict's correction leaves one change of accuracy, two-sided; None "
        "where none is judged, or with --until"
    )
    smallest_detectable_items: int | None = Field(
        description="how many items on their own those with a right answer stand for; None where "
        "more than a few come in clusters"
    )
    accuracy_changes: int = Field(description="how many changes of accuracy the verdict judges")
    accuracy_changes_asked_once: int = Field(
        description="how many of them are of forms with one prompt an item"
    )
    samples: dict[str, Any] | None = Field(
        description="with the probe repeat: shares of items and samples in the variance of a right "
        "answer, whether an earlier run measured them, and what more of each buys"
    )
    model: str | None = Field(description="null where none is named")
    capabilities: dict[str, Any]
    dataset: dict[str, Any]
    check: list[str]
    shards: Rows = Field(description="with --shards: items and requests of each that has items")


PlanOutput = create_model(
    "PlanOutput",
    __base__=_BesidePlan,
    __doc__="`plan`: what an audit would ask and cost.",
    **fields_of(Plan, "dataset"),
)


class ReportOutput(Output, VerdictFields):
    """`report`: the page that was written, its verdict, and what is missing from the run."""

    report: str
    missing: list[str]


class ItemOutput(Output):
    """`report --item`: an item with every prompt and answer."""

    run: str
    page: str | None
    item: dict[str, Any]
    forms: list[ItemForm]


class ReadOutput(Output):
    """`read RUN`: how many readings of each status each reader has."""

    report: str
    readings: dict[str, dict[str, int]]


class ReadingLine(Output):
    """`read FILE`: one line for each response."""

    file: str | None = Field(None, description="its name, where several are read")
    id: str
    status: str = Field(description="`failed to read` of a row without a reading; `rule` says why")
    positions: list[int] = Field(description="chosen options, from 0")
    slots: list[int] = Field(description="the former name of positions; will be removed")
    letters: list[str]
    rule: str
    span: list[int] | None
    confidence: float
    context: str | None = Field(None, description="with --explain alone")


class ReadScoreLine(Output):
    """`read FILE`, last line where the file says what is right: how often it is read so."""

    reader: str
    n: int = Field(description="rows with gold that is an option")
    read_as_gold: int
    another_choice: int
    no_choice: int = Field(description="another status than answer and unclear")
    unclear: int
    share: float | None = Field(description="read_as_gold / n")
    low: float | None = Field(description="of Wilson's 95 % interval, as if rows were independent")
    high: float | None
    without_gold: int = Field(description="rows that say nothing of what is right; not in n")
    no_option: int = Field(description="rows whose gold is no option; not in n")
    numbers_from: int | None = Field(description="0 or 1, where gold counts options")


class DifferenceLine(Output):
    """`read FILE --compare READER`: one line for each response that is read differently."""

    id: str
    first: dict[str, Any] = Field(description="a reading as of `read FILE`")
    second: dict[str, Any] = Field(description="the other reader's")
    context: str = Field(description="what decided the first, between » and «")


class ReadBenchmarkOutput(Output):
    """`read --benchmark`: how a reader does on the packaged replies."""

    reader: str
    sure: float = Field(description="confidence from which on a reading counts as sure")
    without_reading: int
    rows: list[dict[str, Any]] = Field(
        description="by, group, n, and four shares with value, low, high, n: right, wrong_choice"
        " (an option that was not chosen), sure, sure_right"
    )
    reliability: dict[str, list[dict[str, Any]]] = Field(
        description="part -> bins: low, high, n, mean confidence, right"
    )
    errors: list[dict[str, Any]] = Field(
        description="with --errors: misread replies of the development part, the surest first"
    )


class VerifyOutput(Output):
    """`verify`: stored answers that were checked, and what does not match."""

    checked: int
    faults: list[str]
    manifest: bool = Field(description="whether the run has digests of its other files")


class ListOutput(Output):
    """`list`: name and summary of each thing, by kind; one kind alone where it is named."""

    probes: dict[str, str] | None = None
    measures: dict[str, str] | None = None
    readers: dict[str, str] | None = None
    models: dict[str, str] | None = None
    designs: dict[str, str] | None = None
    suites: dict[str, str] | None = None
    rules: dict[str, str] | None = None


class SchemasOutput(Output):
    """`list schemas`: the JSON Schema of each output."""

    schemas: dict[str, dict[str, Any]]


class CheckOutput(Output):
    """`check`: each set with its findings, heaviest first; several files also united."""

    sets: list[CheckedSet]
    label_errors: dict[str, Any] | None = Field(
        description="doubted golds, most likely first; null without --responses"
    )
    contamination: Rows = Field(
        description="rank of the published order, and `completion`; one for each set, with --model"
    )


class CompareOutput(Output):
    """`compare`: models on the items that their runs share; fields as in docs/compare.md."""

    report: str
    measure: str
    models: list[str] = Field(description="best first")
    runs: dict[str, list[str]]
    reader: str
    level: float
    items: dict[str, Any]
    views: Rows = Field(description="name and probe, the main one first")
    standings: Rows
    differences: Rows
    orders: Rows
    settings: Rows
    left_out: Rows
    missing: dict[str, int]
    stopped: list[str] = Field([], description="runs in which asking stopped early (--until)")
    lost: dict[str, str] = Field({}, description="model: its lost replies, where too many are")
    tasks: Rows = Field(
        [], description="tasks of many problems compared over models, sets and sizes of all runs"
    )
    differing: Rows = Field([], description="items that some models answer right and some wrong")


class GateOutput(Output):
    """`gate`: what it came to, and every check with the numbers that it rests on."""

    result: Literal["passed", "failed", "undecided"]
    passed: bool
    strict: bool
    on_doubt: Literal["", "pass", "fail", "ask-more"]
    sees: str
    checks: Rows
    notes: list[str]


class ErrorOutput(Output):
    """Any command that fails with `--json`; on stderr."""

    error: str
    hint: str | None


OUTPUTS: Mapping[str, type[Output]] = {
    "audit": AuditOutput,
    "run": RunOutput,
    "merge": MergeOutput,
    "plan": PlanOutput,
    "report": ReportOutput,
    "item": ItemOutput,
    "read": ReadOutput,
    "reading": ReadingLine,
    "read-score": ReadScoreLine,
    "difference": DifferenceLine,
    "read-benchmark": ReadBenchmarkOutput,
    "verify": VerifyOutput,
    "list": ListOutput,
    "schemas": SchemasOutput,
    "check": CheckOutput,
    "compare": CompareOutput,
    "gate": GateOutput,
    "error": ErrorOutput,
    **{name: kind for each in offered("schemas") for name, kind in side("schemas", each).items()},
}
"""Name in the field `schema` -> the fields."""


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each output by name."""
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema"}  # as pydantic makes them
    return {name: made | kind.model_json_schema() for name, kind in OUTPUTS.items()}
