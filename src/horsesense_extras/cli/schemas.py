"""Fields of the `--json` outputs of the side programs; see `horsesense.cli.schemas`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, create_model

from horsesense.cli.schema_rows import Output, Rows, fields_of
from horsesense_extras.training.experiment import Plan


class ImportOutput(Output):
    """`import`: where the run lies, what it was made from, and the logs' scores beside ours."""

    out: str
    report: str
    items: int
    answers: int
    failed: int = Field(description="samples without an answer")
    left_out: int
    model: str
    logs: Rows
    scores: Rows
    findings: list[str] = Field(description="what is behind the scores, in sentences")
    holds: list[str]


class RecordOutput(Output):
    """`record`: every model as graded and as said, and what the page shows beside it."""

    page: str
    models: Rows
    compare: dict[str, Any] | None = Field(description="as `compare --json`; null for one model")
    why_unranked: str = Field(description="why `compare` is null, where that is no single model")
    places: dict[str, int] = Field(description="model -> its place as published, shared items")
    doubted: Rows = Field(description="items whose right answer most models contradict")
    alike: Rows = Field(description="pairs of models, those with the most alike errors first")


class ExportOutput(Output):
    """`export`: what was written, by format."""

    out: str
    format: str
    files: list[str] | None = Field(None, description="of batch: files of requests to be sent")
    requests: int | None = Field(None, description="of batch: requests to be sent")
    answered: int | None = Field(None, description="of batch: requests that have an answer")
    group: str | None = Field(None, description="of lm-eval-task: the group of all tasks")
    tasks: dict[str, int] | None = Field(None, description="of lm-eval-task: task -> prompts")
    left_out: dict[str, int] | None = Field(
        None, description="of lm-eval-task: why -> prompts; of items: form -> prompts"
    )


class AnnotateOutput(Output):
    """`annotate`: the file that was written, or what was taken from the filled ones."""

    says: str
    file: str | None = None
    carried: int | None = None
    undecided: int | None = None
    others: int | None = None
    items: int | None = Field(None, description="with `options`: of a set, not a run")
    options: int | None = None
    replies: int | None = None
    reviewers: list[str] | None = None
    alike: list[float] | None = Field(None, description="share of equal labels, its interval")
    agreement: float | None = Field(None, description="Cohen's kappa of the first two")
    alpha: float | None = Field(None, description="Krippendorff's, of all reviewers")
    compared: int | None = None
    disagreements: int | None = None
    open: list[str] | None = None
    skipped: int | None = None
    sample: Rows | None = Field(
        None,
        description="by reader: agreement with the labels, replies read otherwise, labels needed to"
        " know it to 5 points, and the score corrected by them; of three numbers, the value and its"
        " interval",
    )


class CuesOutput(Output):
    """`cues`: verdicts, cues and models by data set."""

    rows: Rows
    ungrouped_rows: Rows
    alike_rows: Rows
    verdict: dict[str, dict[str, Any]]
    cues: Rows
    models: Rows
    families: Rows
    published_families: Rows
    published_left_out: list[str]
    items: dict[str, list[Any]]
    notes: dict[str, list[str]]
    settings: dict[str, dict[str, Any]]


class CiteOutput(Output):
    """`cite`: what to name beside the numbers of a run, as texts."""

    tool: str
    papers: list[str]
    data: str
    model: str
    asked: str
    bibtex: str


class CheckPaperOutput(Output):
    """`check-paper`: every claim with its verdict."""

    counts: dict[str, int]
    claims: Rows


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


class SpentOutput(Output):
    """What a command asked of models."""

    answered: int
    cached: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    stopped: str | None


class ParaphrasesOutput(SpentOutput):
    """`build paraphrases`: what was written, refused and spent."""

    out: str
    items: int
    paraphrases: int
    items_with_all: int
    items_with_none: int
    versions: int
    refused: dict[str, int]


class EquinferOutput(SpentOutput):
    """`build equinfer`: what became of every paper and equation, and what was spent."""

    out: str
    funnel: dict[str, Any] = Field(description="as in docs/equinfer.md")


class BuildTestOutput(Output):
    """`build test`: what was written, and how evenly items and forms are spread."""

    out: str
    id: str
    booklets: int
    questions: list[int] = Field(description="of each booklet")
    items: int
    forms: Rows
    people_by_item_and_form: dict[str, int]
    balanced: int = Field(description="people with whom all items and forms are seen equally often")
    excluded: Rows


class AnnotateTestOutput(Output):
    """`annotate TEST --take`: the run that was made of the booklets that are back."""

    says: str
    run: str
    booklets: list[int]
    answers: int
    missing: dict[str, list[int]] = Field(description="booklet to its questions without an answer")
    notes: list[str]
    agreement: Rows


class TrainReaderOutput(Output):
    """`train reader`: what the reader's manifest holds."""

    model_config = ConfigDict(extra="allow")


TrainChoicePlanOutput = create_model(
    "TrainChoicePlanOutput",
    __base__=Output,
    __doc__="`train choice --plan`: what would be done, and what that takes.",
    **fields_of(Plan, trainings=list[str], efforts=dict[str, dict[str, int]]),
)


class TrainChoiceOutput(Output):
    """`train choice`: every training, score and difference."""

    out: str
    report: str
    experiment: dict[str, Any] = Field(description="every setting")
    base: dict[str, str]
    items: dict[str, Any]
    tokens: int | None = Field(description="that each training might take; null by statements")
    trainings: Rows = Field(description="what each took and how its loss fell")
    unequal: list[str] = Field(description="sentences on what the arms have not alike")
    arms: list[str]
    seeds: int
    level: float
    scores: Rows = Field(description="of each arm in each view, by seed")
    effects: Rows = Field(description="differences, with both intervals")
    left_out: Rows = Field(description="views that are not compared")


OUTPUTS: Mapping[str, type[Output]] = {
    "import": ImportOutput,
    "record": RecordOutput,
    "export": ExportOutput,
    "annotate": AnnotateOutput,
    "cues": CuesOutput,
    "build": BuildOutput,
    "build-balanced": BalancedOutput,
    "build-paraphrases": ParaphrasesOutput,
    "build-equinfer": EquinferOutput,
    "build-test": BuildTestOutput,
    "annotate-test": AnnotateTestOutput,
    "check-paper": CheckPaperOutput,
    "cite": CiteOutput,
    "train-reader": TrainReaderOutput,
    "train-choice": TrainChoiceOutput,
    "train-choice-plan": TrainChoicePlanOutput,
}
"""Name in the field `schema` -> the fields."""
