"""The two tables of a run: what was shown (`trials.parquet`) and what was understood
(`readings.parquet`); and the cells of readings that measures are computed from.

Both are written in chunks and joined by the trial's number, so that millions of trials fit.
A trial with several variants (many problems in one prompt) has one row per variant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import polars as pl

from horsesense.items.item import Item
from horsesense.models.messages import Key, Response
from horsesense.readers.causes import cause_of
from horsesense.readers.reading import Reading
from horsesense.trials.condition import Condition
from horsesense.trials.extras import extras_of
from horsesense.trials.trial import (
    NONE_OPTION,
    REFUSED_OPTION,
    UNKNOWN_OPTION,
    AnswerFormat,
    Expects,
    Trial,
    Variant,
    bundled,
)

TRIALS: Mapping[str, Any] = {
    "trial": pl.UInt32,
    "variant": pl.UInt16,
    "item": pl.UInt32,
    "item_id": pl.String,
    "probe": pl.String,
    "condition": pl.String,
    "settings": pl.List(pl.Struct({"name": pl.String, "value": pl.String})),
    "repetition": pl.UInt16,
    "stage": pl.UInt8,
    "answer_format": pl.String,
    "expects": pl.String,
    "form": pl.String,
    "question": pl.String,
    "options": pl.List(pl.String),
    "labels": pl.List(pl.String),
    "origin": pl.List(pl.Int16),
    "gold_at": pl.Int16,
    "extras": pl.String,
    "key": pl.Binary,
}

READINGS: Mapping[str, Any] = {
    "trial": pl.UInt32,
    "variant": pl.UInt16,
    "reader": pl.String,
    "status": pl.String,
    "positions": pl.List(pl.Int16),
    "option": pl.Int16,
    "correct": pl.Boolean,
    "rule": pl.String,
    "span_start": pl.Int32,
    "span_end": pl.Int32,
    "confidence": pl.Float32,
    "score": pl.Float32,
    "excess": pl.Int16,
    "cause": pl.String,
}
"""`cause` is null in runs of earlier versions (see `readers.causes.of_status`)."""

CHUNK: Final = 20_000
"""Rows of a table that are held at once as trials, with the answers to them."""

MOST_EXCESS = 30_000
"""A reply may hold more numbers than a column has room for."""


_SPEECH = {"none": NONE_OPTION, "refusal": REFUSED_OPTION, "unknown": UNKNOWN_OPTION}


def option_of(reading: Reading, variant: Variant) -> int | None:
    """What was chosen, comparable across orders: an original option, or a code of `trials`.

    A reply that says "none", refuses or does not know counts as choosing that; anything else
    that is not one position has no content.
    """
    if reading.status == "answer":
        return variant.origin[reading.positions[0]] if len(reading.positions) == 1 else None
    return _SPEECH.get(reading.status)


def is_correct(content: int | None, trial: Trial, variant: Variant) -> bool | None:
    """Whether a content is right; None where no gold is known.

    Where a prompt asks which items have one label, it is right to leave those of another out.
    """
    if trial.expects == "none":
        return content == NONE_OPTION
    if variant.gold_at is None:
        return None
    if content == NONE_OPTION and (asked := bundled(trial).asked):
        return variant.options[variant.gold_at] != asked
    return content is not None and content == variant.origin[variant.gold_at]


class TrialRow(NamedTuple):
    """A trial as it stands in the table, with its key."""

    number: int
    trial: Trial
    key: Key


def trial_rows(
    number: int, stage: int, trial: Trial, key: Key, item_index: Mapping[str, int]
) -> Iterator[tuple[Any, ...]]:
    """The rows of one trial, one per variant, in the order of `TRIALS`."""
    extras, condition = trial.extras.as_json(), trial.condition
    named = trial.probe, condition.format(), condition.settings, trial.repetition
    asked = stage, trial.answer_format, trial.expects, trial.form
    for place, variant in enumerate(trial.variants):
        yield (
            number,
            place,
            item_index[variant.item_id],
            variant.item_id,
            *named,
            *asked,
            variant.question or "",
            variant.options,
            variant.labels,
            variant.origin,
            variant.gold_at,
            extras,
            key,
        )


def decides(key: Key, trial: Trial) -> bytes:
    """All of a trial that a reading of its answer depends on; the prompt is in the key."""
    shown = [(v.item_id, v.origin, v.gold_at, v.options, v.labels) for v in trial.variants]
    return key + repr((trial.probe, trial.expects, trial.extras.as_json(), shown)).encode(
        errors="replace"
    )


def read_trials(
    frame: pl.LazyFrame, probes: Collection[str] | None = None, chunk: int = CHUNK
) -> Iterator[list[TrialRow]]:
    """Trials of a table, in chunks of about `chunk` rows; none is ever split.

    `probes` restricts them to some probes. Contexts are not in the table: a trial read back shows
    question and options alone.
    """
    height = frame.select(pl.len()).collect().item()
    kept = frame.select("trial", "key", *_SHOWN, *_ASKED)
    rest: pl.DataFrame | None = None
    for start in range(0, height, chunk):
        part = kept.slice(start, chunk)
        if probes is not None:
            part = part.filter(pl.col("probe").is_in(list(probes)))
        found = part.collect() if rest is None else pl.concat([rest, part.collect()])
        if start + chunk < height and found.height:
            whole = pl.col("trial") != found["trial"][-1]
            rest, found = found.filter(~whole), found.filter(whole)
        yield list(_rows(found))


def with_questions(trials: pl.LazyFrame, items: Iterable[Item]) -> pl.LazyFrame:
    """Trials with the questions of their items where the run is of a version that kept none."""
    if not trials.select(pl.col("question").null_count()).collect().item():
        return trials
    asked = pl.LazyFrame({"item_id": [i.id for i in items], "own": [i.question for i in items]})
    shown = pl.when(pl.col("probe") != "options_only").then("own")
    joined = trials.join(asked, on="item_id", how="left", maintain_order="left")
    return joined.with_columns(question=pl.coalesce("question", shown)).drop("own")


_SHOWN: Final = ("item_id", "question", "options", "labels", "origin", "gold_at")
_ASKED: Final = ("probe", "condition", "repetition", "answer_format", "expects", "form", "extras")
"""Columns that say what a variant shows, and what all variants of a trial share."""


def _rows(frame: pl.DataFrame) -> Iterator[TrialRow]:
    """The trials of a table, whose rows stand together; column by column, as that is cheap."""
    numbers = frame["trial"].to_list()
    variants = list(map(_variant, *(frame[name].to_list() for name in _SHOWN)))
    first = [at for at, number in enumerate(numbers) if at == 0 or number != numbers[at - 1]]
    ends = [*first, len(numbers)][1:]
    told = frame[first].select("trial", "key", *_ASKED).rows()
    for (number, key, *asked), start, end in zip(told, first, ends, strict=True):
        yield TrialRow(number, _trial(tuple(variants[start:end]), *asked), key)


def trial_of(rows: Sequence[Mapping[str, Any]]) -> Trial:
    """The trial behind its rows, one per variant."""
    # What earlier versions wrote into logs and booklets has no question.
    told = ({"question": None, **row} for row in rows)
    variants = tuple(_variant(*(row[name] for name in _SHOWN)) for row in told)
    return _trial(variants, *(rows[0][name] for name in _ASKED))


def _trial(
    variants: tuple[Variant, ...],
    probe: str,
    condition: str,
    repetition: int,
    answer_format: AnswerFormat,
    expects: Expects,
    form: str,
    extras: str,
) -> Trial:
    parsed = Condition.parse(condition)
    return Trial(
        probe, parsed, repetition, variants, answer_format, expects, form, extras_of(extras)
    )


def _variant(
    item_id: str,
    question: str | None,
    options: Sequence[str],
    labels: Sequence[str],
    origin: Sequence[int],
    gold_at: int | None,
) -> Variant:
    return Variant(item_id, question or None, tuple(options), tuple(labels), tuple(origin), gold_at)


def reading_row(
    number: int, place: int, reader: str, reading: Reading, trial: Trial, response: Response
) -> tuple[Any, ...]:
    """One reading of a response as a row, in the order of `READINGS`."""
    variant = trial.variants[place]
    content = option_of(reading, variant)
    start, end = reading.span or (None, None)
    return (
        number,
        place,
        reader,
        reading.status,
        reading.positions,
        content,
        is_correct(content, trial, variant),
        reading.rule,
        start,
        end,
        reading.confidence,
        reading.score,
        reading.excess and max(-MOST_EXCESS, min(MOST_EXCESS, reading.excess)),
        cause_of(reading, response, variant),
    )
