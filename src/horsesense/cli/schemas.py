"""What fields each `--json` output has, as pydantic models; `horsesense list schemas --json`.

The tests hold real outputs to these models. Nothing else imports them: an output need not be
checked again while it is printed. A field that is renamed or removed raises SCHEMA_VERSION.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

Rows = list[dict[str, Any]]


class Output(BaseModel):
    """Fields of every output."""

    model_config = ConfigDict(extra="forbid")

    schema_: str = Field(alias="schema", description="horsesense.NAME/VERSION")


class EstimateRow(BaseModel):
    """One number; the fields are described in docs/runs.md."""

    model_config = ConfigDict(extra="forbid")

    measure: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    n_missing: int
    counted: str
    unit: str
    dataset: str
    model: str
    probe: str
    condition: str
    reader: str
    group: str
    signature: str
    interval: str
    baseline: float | None
    p_value: float | None
    p_adjusted: float | None
    detectable: float | None
    note: str


class AuditOutput(Output):
    """`audit` and `demo`: what estimates.json holds, and where the run lies."""

    out: str
    report: str
    horsesense: str
    study: dict[str, Any]
    stages: dict[str, Any]
    dataset: dict[str, Any]
    model: dict[str, Any]
    probes: Rows
    readers: list[str]
    fits: dict[str, Any]
    judges: dict[str, Any]
    trials: int
    failures: int
    unread: int
    silent: dict[str, str]
    run: dict[str, Any]
    exclusions: Rows
    too_long: Rows
    suites: Rows
    reviews: dict[str, Any]
    bounds: dict[str, Any]
    designs: Rows
    estimates: list[EstimateRow]


class PlanOutput(Output):
    """`plan`: what an audit would ask and cost."""

    items: int
    trials: int
    requests: int
    probes: Rows
    prompt_tokens: int
    tokens_exact: bool
    completion_tokens: int
    until: Rows
    too_long: int
    too_long_by: Rows
    excluded: Rows
    saved: int
    saved_over_probes_alone: float
    completion_tokens_at_most: int
    cost_at_most: float | None
    smallest_detectable_change: float | None
    model: str
    capabilities: dict[str, Any]
    dataset: dict[str, Any]


class ReportOutput(Output):
    """`report`: the page that was written, and what is missing from the run."""

    report: str
    missing: list[str]


class ReadOutput(Output):
    """`read RUN`: how many readings of each status each reader has."""

    report: str
    readings: dict[str, dict[str, int]]


class ReadingLine(Output):
    """`read FILE`: one line for each response."""

    id: str
    status: str
    positions: list[int] = Field(description="chosen options, from 0")
    slots: list[int] = Field(description="the former name of positions; will be removed")
    letters: list[str]
    rule: str
    span: list[int] | None
    confidence: float
    context: str | None = Field(None, description="with --explain alone")


class VerifyOutput(Output):
    """`verify`: stored answers that were checked, and what does not match."""

    checked: int
    faults: list[str]


class ListOutput(Output):
    """`list`: name and summary of each thing, by kind; one kind alone where it is named."""

    probes: dict[str, str] | None = None
    measures: dict[str, str] | None = None
    readers: dict[str, str] | None = None
    models: dict[str, str] | None = None
    designs: dict[str, str] | None = None
    suites: dict[str, str] | None = None


class SchemasOutput(Output):
    """`list schemas`: the JSON Schema of each output."""

    schemas: dict[str, dict[str, Any]]


class AnnotateOutput(Output):
    """`annotate`: the file that was written, or what was taken from the filled ones."""

    says: str
    file: str | None = None
    undecided: int | None = None
    others: int | None = None
    replies: int | None = None
    reviewers: list[str] | None = None
    agreement: float | None = None
    compared: int | None = None
    disagreements: int | None = None
    open: list[str] | None = None


class CuesOutput(Output):
    """`cues`: verdicts, cues and models by data set."""

    rows: Rows
    ungrouped_rows: Rows
    verdict: dict[str, dict[str, Any]]
    cues: Rows
    models: Rows
    families: Rows
    published_families: Rows
    items: dict[str, list[Any]]
    notes: dict[str, list[str]]
    settings: dict[str, dict[str, Any]]


class BuildOutput(Output):
    """`build pairs` and `build mix`: the file, and its items."""

    out: str
    items: int


class BalancedOutput(Output):
    """`build balanced`: what was kept, and Cohen's kappa before and after."""

    n: int
    kept: int
    effective: float
    rounds: int
    before: dict[str, float | None]
    after: dict[str, float | None]
    ids: list[str]
    notes: list[str]


class ParaphrasesOutput(Output):
    """`build paraphrases`: what was written, refused and spent."""

    out: str
    items: int
    paraphrases: int
    items_with_all: int
    items_with_none: int
    versions: int
    refused: dict[str, int]
    answered: int
    cached: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    stopped: str | None


class CheckPaperOutput(Output):
    """`check-paper`: every claim with its verdict."""

    counts: dict[str, int]
    claims: Rows


class TrainReaderOutput(Output):
    """`train reader`: what the reader's manifest holds."""

    model_config = ConfigDict(extra="allow")


class ErrorOutput(Output):
    """Any command that fails with `--json`; on stderr."""

    error: str
    hint: str | None


OUTPUTS: Mapping[str, type[Output]] = {
    "audit": AuditOutput,
    "plan": PlanOutput,
    "report": ReportOutput,
    "read": ReadOutput,
    "reading": ReadingLine,
    "verify": VerifyOutput,
    "list": ListOutput,
    "schemas": SchemasOutput,
    "annotate": AnnotateOutput,
    "cues": CuesOutput,
    "build": BuildOutput,
    "build-balanced": BalancedOutput,
    "build-paraphrases": ParaphrasesOutput,
    "check-paper": CheckPaperOutput,
    "train-reader": TrainReaderOutput,
    "error": ErrorOutput,
}
"""Name in the field `schema` -> the fields."""


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each output by name."""
    return {name: kind.model_json_schema() for name, kind in OUTPUTS.items()}
