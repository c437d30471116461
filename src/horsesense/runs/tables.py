"""The two tables of a run: what was shown (`trials.parquet`) and what was understood
(`readings.parquet`); and the cells of readings that measures are computed from.

Both are written in chunks and joined by the trial's number, so that millions of trials fit.
A trial with several variants (many problems in one prompt) has one row per variant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import nan
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from horsesense.measures.cells import (
    HELD_OUT,
    MISSING,
    NO_OPTION,
    NOT_ASKED,
    STATUS_CODE,
    Bundles,
    Cell,
    Columns,
    InOtherWords,
    People,
    Scores,
    Selection,
    Unchanged,
    Verdicts,
)
from horsesense.measures.joined import ORIGINAL
from horsesense.models.messages import Key
from horsesense.readers.human.apply_reviews import VERDICTS, with_reviews
from horsesense.readers.logprobs.pride import FITTED_ON
from horsesense.readers.reading import IN_OTHER_WORDS, Reading
from horsesense.runs.decisions import decisions
from horsesense.trials.condition import Condition
from horsesense.trials.extras import extras_of
from horsesense.trials.trial import (
    BUNDLED,
    NONE_OPTION,
    REFUSED_OPTION,
    UNKNOWN_OPTION,
    AnswerFormat,
    Expects,
    Trial,
    Variant,
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
}

MOST_EXCESS = 30_000
"""A reply may hold more numbers than a column has room for."""


_WIDTH = 62
"""Positions that the bits of a 64-bit number hold."""
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
    """Whether a content is right; None where no gold is known."""
    if trial.expects == "none":
        return content == NONE_OPTION
    if variant.gold_at is None:
        return None
    return content is not None and content == variant.origin[variant.gold_at]


class Row(NamedTuple):
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
            variant.options,
            variant.labels,
            variant.origin,
            variant.gold_at,
            extras,
            key,
        )


def read_trials(
    frame: pl.LazyFrame, probes: Collection[str] | None = None, chunk: int = 20_000
) -> Iterator[list[Row]]:
    """Trials of a table, in chunks of about `chunk` rows; none is ever split.

    `probes` restricts them to some probes. Questions and contexts are not in the table: a trial
    read back shows options alone.
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


_SHOWN: Final = ("item_id", "options", "labels", "origin", "gold_at")
_ASKED: Final = (
    "probe",
    "condition",
    "repetition",
    "answer_format",
    "expects",
    "form",
    "extras",
)
"""Columns that say what a variant shows, and what all variants of a trial share."""


def _rows(frame: pl.DataFrame) -> Iterator[Row]:
    """The trials of a table, whose rows stand together; column by column, as that is cheap."""
    numbers = frame["trial"].to_list()
    variants = list(map(_variant, *(frame[name].to_list() for name in _SHOWN)))
    first = [at for at, number in enumerate(numbers) if at == 0 or number != numbers[at - 1]]
    ends = [*first, len(numbers)][1:]
    told = frame[first].select("trial", "key", *_ASKED).rows()
    for (number, key, *asked), start, end in zip(told, first, ends, strict=True):
        yield Row(number, _trial(tuple(variants[start:end]), *asked), key)


def trial_of(rows: Sequence[Mapping[str, Any]]) -> Trial:
    """The trial behind its rows, one per variant; the questions are not in them."""
    variants = tuple(_variant(*(row[name] for name in _SHOWN)) for row in rows)
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
    options: Sequence[str],
    labels: Sequence[str],
    origin: Sequence[int],
    gold_at: int | None,
) -> Variant:
    return Variant(item_id, None, tuple(options), tuple(labels), tuple(origin), gold_at)


def reading_row(
    number: int, place: int, reader: str, reading: Reading, trial: Trial
) -> tuple[Any, ...]:
    """One reading as a row, in the order of `READINGS`."""
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
        max(-MOST_EXCESS, min(MOST_EXCESS, reading.excess)),
    )


def cells(
    trials: pl.LazyFrame,
    readings: pl.LazyFrame,
    readers: Sequence[str],
    reviewed: Mapping[Key, str] = MappingProxyType({}),
    by_scores: Collection[str] = (),
) -> list[Cell]:
    """Every cell of a run, in the order in which its trials were made.

    `reviewed` gives the class (see `readers.no_hint`) that people found for replies to free
    questions, by the key of the request; it replaces what the reader of texts made of them.
    `by_scores` names the readers that read scores and not words.
    """
    published = (pl.col("probe") == ORIGINAL) & (pl.col("condition") == "")
    once = trials.filter(published & (pl.col("repetition") == 0)).unique("item", keep="first")
    first = once.select("item", own="key")
    shown = trials.join(first, on="item", how="left", maintain_order="left").select(
        "trial",
        "variant",
        "item",
        "repetition",
        "gold_at",
        "answer_format",
        marked=pl.col("extras").str.json_path_match("$.marked").cast(pl.Int16),
        person=pl.col("extras").str.json_path_match("$.person").cast(pl.Int32),
        same=(pl.col("key") == pl.col("own")) & (pl.col("probe") != ORIGINAL),
        probe=pl.col("probe").cast(pl.Categorical),
        condition=pl.col("condition").cast(pl.Categorical),
        k=pl.col("options").list.len(),
        classes=pl.when(
            pl.col("answer_format").is_in(BUNDLED) & (pl.col("labels").list.len() == 0)
        ).then(pl.col("options")),
    )
    read = readings.select(
        "trial",
        "variant",
        "option",
        "confidence",
        "score",
        "positions",
        "excess",
        verdict=pl.col("rule").replace_strict(VERDICTS, default=-1, return_dtype=pl.Int8),
        reader=pl.col("reader").cast(pl.Categorical),
        fitted=pl.col("rule") == FITTED_ON,
        in_other_words=pl.col("rule") == IN_OTHER_WORDS,
        # A reading that is unclear is none: measures leave it out, and say what it could change.
        correct=pl.when(pl.col("status") != "unclear").then(pl.col("correct")),
        status=pl.col("status").replace_strict(
            STATUS_CODE | {"unclear": MISSING}, return_dtype=pl.Int8
        ),
        position=pl.when(pl.col("positions").list.len() == 1).then(
            pl.col("positions").list.first()
        ),
    )
    frame, found = shown.collect(), read.collect()
    if reviewed:
        found = with_reviews(found, trials, reviewed)
    made: list[Cell] = []
    for (probe, text), part in frame.group_by("probe", "condition", maintain_order=True):
        condition, before = Condition.parse(str(text)), len(made)
        for reader in readers:
            own = found.filter(pl.col("reader") == reader)
            joined = part.join(own, on=["trial", "variant"], how="left")
            if joined["status"].null_count() < joined.height or (
                reader == readers[-1] and len(made) == before
            ):
                whole = _cell(joined, str(probe), condition, reader, reader in by_scores)
                made += [whole, *_held_out(whole, joined)]
    return made


def _held_out(whole: Cell, frame: pl.DataFrame) -> list[Cell]:
    """The cell without the items that the reader was fitted on; none for other readers."""
    fitted = pl.col("fitted").fill_null(False).any().over("item")
    rest = frame.filter(~fitted)
    if rest.height in (0, frame.height):
        return []
    reader = whole.reader + HELD_OUT
    return [_cell(rest, whole.probe, whole.condition, reader, whole.by_scores)]


def _cell(
    frame: pl.DataFrame, probe: str, condition: Condition, reader: str, by_scores: bool
) -> Cell:
    if frame["answer_format"][0] in BUNDLED:
        frame = decisions(frame)
    item, row = np.unique(frame["item"].to_numpy(), return_inverse=True)
    # Several trials of an item may share a repetition (labels asked one by one); each gets a place.
    place = frame.select(pl.int_range(pl.len()).over("item", order_by="trial")).to_series()
    spread = _Spread(frame, row, place.to_numpy(), len(item))
    k = np.zeros(len(item), dtype=np.int64)
    k[row] = frame["k"].to_numpy()
    return Cell(
        probe=probe,
        condition=condition,
        reader=reader,
        item=item.astype(np.int64),
        k=k,
        status=spread("status", MISSING, np.int8, NOT_ASKED),
        position=spread("position", -1, np.int16),
        option=spread("option", NO_OPTION, np.int16),
        gold_at=spread("gold_at", -1, np.int16),
        correct=spread(frame["correct"].cast(pl.Int8), -1, np.int8),
        answer_format=str(frame["answer_format"][0]),
        by_scores=by_scores,
        groups=tuple(_groups(frame, spread)),
    )


class _Spread(NamedTuple):
    """Puts the rows of a table into the places of a cell."""

    frame: pl.DataFrame
    row: npt.NDArray[np.intp]
    column: npt.NDArray[np.int64]
    n: int

    def __call__(
        self,
        values: str | pl.Series | npt.NDArray[Any],
        empty: float,
        kind: type,
        absent: float | None = None,
    ) -> npt.NDArray[Any]:
        """(items, repetitions); `empty` for no value, `absent` (the same) for no trial."""
        series = self.frame[values] if isinstance(values, str) else values
        if isinstance(series, pl.Series):
            series = series.fill_null(empty).to_numpy()
        shape = (self.n, int(self.column.max()) + 1)
        out: npt.NDArray[Any] = np.full(shape, empty if absent is None else absent, dtype=kind)
        out[self.row, self.column] = series
        return out


def _bits(positions: pl.Series) -> npt.NDArray[Any]:
    """The chosen positions of each row as the bits of a number (see `Selection`)."""
    highest = cast(int | None, positions.list.max().max())
    kind = np.int64 if (highest or 0) < _WIDTH else object
    row = np.repeat(np.arange(len(positions)), positions.list.len().fill_null(0).to_numpy())
    bit = np.left_shift(np.array(1, kind), positions.explode().drop_nulls().to_numpy().astype(kind))
    bits = np.zeros(len(positions), kind)
    np.bitwise_or.at(bits, row, bit)
    return bits


def _groups(frame: pl.DataFrame, spread: _Spread) -> Iterator[Columns]:
    """The groups of columns that cells of this kind of answer have."""
    answer_format = frame["answer_format"][0]
    yield Scores(spread("confidence", nan, np.float32), spread("score", nan, np.float32))
    if answer_format in ("letter", "label") and frame["in_other_words"].any():
        yield InOtherWords(spread("in_other_words", False, np.bool_))
    if frame["person"].null_count() < frame.height:
        yield People(spread("person", -1, np.int32))
    if "same" in frame.columns and frame["same"].any():
        yield Unchanged(spread("same", False, np.bool_))
    if answer_format == "free":
        yield Verdicts(spread("verdict", -1, np.int8))
    if answer_format == "letters" or answer_format in BUNDLED:
        bits = _bits(frame["positions"])
        yield Selection(spread(bits, 0, bits.dtype.type), spread("marked", -1, np.int16))
    if answer_format in BUNDLED:
        yield Bundles(
            spread("repetition", -1, np.int32),
            spread("variant", -1, np.int16),
            spread("excess", 0, np.int32),
            tuple(frame["classes"].to_list()[0] or ()),
        )
