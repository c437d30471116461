"""A run as plain tables: Parquet or CSV, with the columns that docs/logs.md describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import orjson
import polars as pl

from horsesense.files import empty_place, inert, new_folder, whole
from horsesense.runs.directory import RunDirectory
from horsesense.runs.exchanges import Exchange, exchanges
from horsesense.runs.frames import (
    ESTIMATE_COLUMNS,
    READING_COLUMNS,
    TRIAL_COLUMNS,
    estimates_frame,
    readings_frame,
    trials_frame,
)
from horsesense.runs.parts import frame_of
from horsesense.runs.results import Results
from horsesense.runs.rounds import stages

_REPLIES: Final[Mapping[str, tuple[Any, str]]] = {
    "trial": (pl.UInt32, "number of the trial in the run"),
    "prompt": (
        pl.String,
        "what was sent: a text, or the messages as JSON; null where that is not known",
    ),
    "reply": (pl.String, "what came back; null where nothing did"),
    "finish_reason": (pl.String, "why it ended, in the server's word"),
    "prompt_tokens": (pl.Int64, "as the model counted them"),
    "completion_tokens": (pl.Int64, "as the model counted them"),
    "error": (pl.String, "what was seen last of a call that brought nothing"),
}
COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "trials": TRIAL_COLUMNS,
    "replies": {name: says for name, (_, says) in _REPLIES.items()},
    "readings": READING_COLUMNS,
    "estimates": ESTIMATE_COLUMNS,
}
"""Table -> column -> what it holds."""


def write_parquet(results: Results, folder: Path) -> Path:
    """The four tables as trials.parquet, replies.parquet, readings.parquet, estimates.parquet.

    Raises UsageError if the folder exists, StoreError where it cannot be written.
    """
    return _write(results, folder, "parquet", lambda frame, path: frame.write_parquet(path))


def write_csv(results: Results, folder: Path) -> Path:
    """The same as CSV: lists as JSON, keys as hexadecimal digits.

    A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    return _write(results, folder, "csv", _as_csv)


def write_items(directory: RunDirectory, path: Path) -> dict[str, int]:
    """Every form that is a question of its own with a right answer, as a row of a file of items.

    Returns how many prompts of each form are left out: withheld questions, forms without a right
    option, answers other than an option, several questions in one prompt, and what depends on
    earlier answers.
    """
    study = directory.study()
    left: Counter[str] = Counter()
    first = next(probes for _, probes in stages(study.probes))
    with whole(empty_place(path)) as part, part.open("wb") as file:
        for number, planned in enumerate(study.planner.plan(first)):
            trial, shown = planned.trial, planned.trial.variants[0]
            alone = len(trial.variants) == 1 and trial.answer_format in ("letter", "label")
            form = f"{trial.probe} {trial.condition}".strip()
            item = alone and shown.question and shown.gold_at is not None
            left[form] += not item
            if item:
                row = asdict(shown) | {"id": f"{shown.item_id}-{number}", "cluster": shown.item_id}
                row |= {"answer_index": shown.gold_at, "form": form}
                file.write(orjson.dumps(row) + b"\n")
    return dict(+left)


def _write(
    results: Results, folder: Path, ending: str, write: Callable[[pl.DataFrame, Path], Any]
) -> Path:
    with new_folder(folder) as lines:
        for name, frame in _frames(results):
            with whole(lines.folder / f"{name}.{ending}") as part:
                write(frame, part)
    return folder


def _frames(results: Results) -> Iterator[tuple[str, pl.DataFrame]]:
    directory = results.directory
    yield "trials", trials_frame(directory)
    kinds = {name: kind for name, (kind, _) in _REPLIES.items()}
    yield "replies", frame_of([_reply(each) for each in exchanges(directory)], kinds)
    yield "readings", readings_frame(directory)
    yield "estimates", estimates_frame(results)


def _reply(exchange: Exchange) -> tuple[Any, ...]:
    request, response, failure = exchange.request, exchange.response, exchange.failure
    prompt = None
    if request is not None:
        prompt = request.text if request.messages is None else orjson.dumps(request.messages)
    return (
        exchange.number,
        prompt.decode() if isinstance(prompt, bytes) else prompt,
        None if response is None else response.text,
        None if response is None else response.finish_reason,
        None if response is None else response.usage.prompt_tokens,
        None if response is None else response.usage.completion_tokens,
        None if failure is None else f"{failure.kind}: {failure.message}",
    )


def _as_csv(frame: pl.DataFrame, path: Path) -> None:
    frame.with_columns(map(_flat_column, frame)).write_csv(path)


def _flat_column(column: pl.Series) -> pl.Series:
    """A column that a CSV file can hold."""
    if column.dtype == pl.Binary:
        return column.bin.encode("hex")
    if isinstance(column.dtype, pl.List):
        texts = [None if v is None else orjson.dumps(list(v)).decode() for v in column.to_list()]
        return pl.Series(column.name, texts, dtype=pl.String)
    if column.dtype == pl.String:
        texts = [None if text is None else inert(text) for text in column]
        return pl.Series(column.name, texts, dtype=pl.String)
    return column
