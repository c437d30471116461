"""Fields of the `--json` outputs of `train`; see `cli.schemas`."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from horsesense.cli.schema_rows import Output, Rows


class TrainReaderOutput(Output):
    """`train reader`: what the reader's manifest holds."""

    model_config = ConfigDict(extra="allow")


class TrainChoicePlanOutput(Output):
    """`train choice --plan`: what would be done, and what that takes."""

    train: int = Field(description="items to train on")
    test: int = Field(description="items of other clusters, to ask about")
    left_out: dict[str, int] = Field(description="reason, and number of items on neither side")
    clusters: dict[str, int] = Field(description="of train and test")
    alone: int = Field(description="items that name neither a cluster nor a context")
    trainings: list[str] = Field(description="ARM-SEED of each")
    done: int = Field(description="trainings that are finished")
    tokens: int | None = Field(description="that each training may take; null by statements")
    efforts: dict[str, dict[str, int]] = Field(
        description="arm, and statements, items, updates, tokens, reply_tokens of its first seed"
    )
    requests: int = Field(description="of each evaluation, at most")
    size: dict[str, int]
    memory: int = Field(description="bytes, estimated")
    device: str
    available: int | None = Field(description="bytes that the device has in all")
    peak: int | None = Field(description="bytes that timed updates took at most")
    training_seconds: float | None
    asking_seconds: float | None


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
