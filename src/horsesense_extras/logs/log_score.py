"""The score that a log gives itself, beside the same answers read by what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import polars as pl

from horsesense.measures.base import Estimate
from horsesense.runs.directory import RunDirectory
from horsesense.runs.parts import readable, scan_parts
from horsesense.runs.results import Results
from horsesense_extras.logs.imported import RECORDED, load_imported

EXAMPLES = 8
"""Differing answers that are shown."""


class Differing(NamedTuple):
    """One answer that the log counts otherwise than what it says.

    Attributes:
        item_id, repetition: which answer, repetitions from 0.
        reply: what came back.
        said: what it says as read: the label shown, an option's text, or the kind of reply.
        log_answer: what the log took it for; None where it does not say.
        log_value: what the log gave for it, 0 to 1.
        right: whether what it says is right.
    """

    item_id: str
    repetition: int
    reply: str
    said: str
    log_answer: str | None
    log_value: float
    right: bool


@dataclass(frozen=True)
class LogScore:
    """A log's own score beside that of a reader.

    Attributes:
        name: of the log's score, as its samples have it.
        reported: the numbers that the log reports, untouched, by their names there; several where
            it has one for each split.
        from_samples: the mean of its samples' scores, of several logs over all answers; None where
            none is a number.
        reader: by which the answers were read.
        said: the accuracy as read; None where no right answer is known.
        both: answers with a score of the log and a known right answer.
        differ: of these, how many the two count differently.
        examples: some of them, those first in which what was said is right.
    """

    name: str
    reported: Mapping[str, float]
    from_samples: float | None
    reader: str
    said: Estimate | None
    both: int
    differ: int
    examples: tuple[Differing, ...]

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        said = None if self.said is None else self.said.as_json()
        examples = [example._asdict() for example in self.examples]
        return {f.name: getattr(self, f.name) for f in fields(self)} | {
            "said": said,
            "examples": examples,
        }

    @property
    def own(self) -> float | None:
        """The log's score as one number: as reported where there is one, else from its samples."""
        return next(iter(self.reported.values())) if len(self.reported) == 1 else self.from_samples


def log_scores(results: Results) -> list[LogScore]:
    """Each score of the logs of an imported run, in their order; empty for other runs.

    Raises StoreError where the run's files are damaged.
    """
    directory = results.directory
    told = load_imported(directory)
    if told is None:
        return []
    reader = "text" if "text" in results.readers else results.reader
    with readable(directory.layout.root):
        frame = _joined(directory, reader)
    said = results.one("accuracy", reader=reader)
    return [
        _score(directory, told, frame.filter(pl.col("name") == name), name, reader, said)
        for name in main_scores(told)
    ]


def main_scores(told: Mapping[str, Any]) -> list[str]:
    """Names of the scores that a log reports means of; where it reports none, all that it has."""
    logs = told["logs"]
    named = [r["score"] for log in logs for r in log["reported"] if r["score"] in log["scores"]]
    return list(dict.fromkeys(named or [name for log in logs for name in log["scores"]]))


def _joined(directory: RunDirectory, reader: str) -> pl.DataFrame:
    """One row per answer and score of a log, with what the reader made of the answer."""
    recorded = scan_parts([directory.layout.recorded], RECORDED).filter(
        pl.col("value").is_not_null()
    )
    read = directory.readings().filter(pl.col("reader") == reader)
    shown = directory.trials().filter(pl.col("probe") == "original")
    columns = ("trial", "item_id", "repetition", "labels", "options", "key")
    return (
        recorded.join(shown.select(columns), on="trial")
        .join(read.select("trial", "status", "positions", "correct"), on="trial")
        .filter(pl.col("correct").is_not_null())
        .sort("trial")
        .collect()
    )


def _score(
    directory: RunDirectory,
    told: Mapping[str, Any],
    frame: pl.DataFrame,
    name: str,
    reader: str,
    said: Estimate | None,
) -> LogScore:
    several = len(told["logs"]) > 1
    reported = {
        f"{log['task']}: {row['name']}" if several else row["name"]: row["value"]
        for log in told["logs"]
        for row in log["reported"]
        if row["score"] == name
    }
    means = [log["scores"][name] for log in told["logs"] if name in log["scores"]]
    differing = frame.filter((pl.col("value") >= 0.5) != pl.col("correct"))
    every: Any = frame["value"].mean()  # over the answers of several logs, each counted once
    return LogScore(
        name=name,
        reported=reported,
        from_samples=means[0] if len(means) == 1 else every,
        reader=reader,
        said=said,
        both=frame.height,
        differ=differing.height,
        examples=_examples(directory, differing),
    )


def _examples(directory: RunDirectory, differing: pl.DataFrame) -> tuple[Differing, ...]:
    rows = differing.sort("correct", descending=True, maintain_order=True).head(EXAMPLES).to_dicts()
    with directory.store() as store:
        replies = store.get([row["key"] for row in rows])
    return tuple(
        Differing(
            row["item_id"],
            row["repetition"],
            replies[row["key"]].text,
            _said(row),
            row["answer"],
            row["value"],
            row["correct"],
        )
        for row in rows
    )


def _said(row: Mapping[str, Any]) -> str:
    """What a reply says, in a few words."""
    if row["status"] != "answer":
        return str(row["status"])
    names = row["labels"] or row["options"]
    return ", ".join(str(names[place]) for place in row["positions"])
