"""The two tables of a run: what was shown (`trials.parquet`) and what was understood
(`readings.parquet`); and the cells of readings that measures are computed from.

Both are written in chunks and joined by the trial's number, so that millions of trials fit.
A trial with several variants (many problems in one prompt) has one row per variant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson
import polars as pl

from horsesense.models.messages import Key
from horsesense.readers.human.apply_reviews import VERDICTS, overlaid
from horsesense.readers.logprobs.pride import FITTED_ON
from horsesense.readers.reading import STATUSES, Reading
from horsesense.runs.decisions import decisions
from horsesense.trials.trial import (
    BUNDLED,
    NONE_OPTION,
    REFUSED_OPTION,
    UNKNOWN_OPTION,
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
    "repetition": pl.UInt16,
    "stage": pl.UInt8,
    "asks": pl.String,
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
    "slots": pl.List(pl.Int16),
    "content": pl.Int16,
    "correct": pl.Boolean,
    "rule": pl.String,
    "span_start": pl.Int32,
    "span_end": pl.Int32,
    "confidence": pl.Float32,
    "score": pl.Float32,
    "excess": pl.Int16,
}

STATUS_CODE = {status: code for code, status in enumerate(STATUSES)}
MISSING = -1
"""Status code of a trial that was asked and has no reading."""
NOT_ASKED = -2
"""Status code of a place in a cell where there is no trial."""
MOST_EXCESS = 30_000
"""A reply may hold more numbers than a column has room for."""
NO_CONTENT = -999
"""Content of a reading that chose nothing in particular; never equal to another such."""

HELD_OUT: Final = "_held_out"
"""Ends the name of a reader's cells without the items that it was fitted on."""

_SPEECH = {"none": NONE_OPTION, "refusal": REFUSED_OPTION, "unknown": UNKNOWN_OPTION}


def content_of(reading: Reading, variant: Variant) -> int | None:
    """What was chosen, comparable across orders: an original option, or a code of `trials`.

    A reply that says "none", refuses or does not know counts as choosing that; anything else
    that is not one slot has no content.
    """
    if reading.status == "answer":
        return variant.origin[reading.slots[0]] if len(reading.slots) == 1 else None
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
    extras = "" if not trial.extras else orjson.dumps(dict(trial.extras)).decode()
    for place, variant in enumerate(trial.variants):
        yield (
            number,
            place,
            item_index[variant.item_id],
            variant.item_id,
            trial.probe,
            trial.condition,
            trial.repetition,
            stage,
            trial.asks,
            trial.expects,
            trial.form,
            variant.options,
            variant.labels,
            variant.origin,
            variant.gold_at,
            extras,
            key,
        )


def read_trials(
    path: Path | str, first: int = 0, probes: Collection[str] | None = None, chunk: int = 20_000
) -> Iterator[list[Row]]:
    """The trials numbered `first` and up, in chunks of about `chunk` rows; none is ever split.

    `probes` restricts them to some probes. Questions and contexts are not in the table: a trial
    read back shows options alone.
    """
    frame = pl.scan_parquet(path)
    rows: list[dict[str, Any]] = []
    height, begin = frame.select(pl.len(), begin=(pl.col("trial") < first).sum()).collect().row(0)
    for start in range(begin, height, chunk):
        part = frame.slice(start, chunk)
        if probes is not None:
            part = part.filter(pl.col("probe").is_in(list(probes)))
        rows += part.collect().to_dicts()
        last = rows[-1]["trial"] if rows and start + chunk < height else None
        ready = [row for row in rows if row["trial"] != last]
        rows = [row for row in rows if row["trial"] == last]
        yield list(_grouped(ready))


def _grouped(rows: Sequence[dict[str, Any]]) -> Iterator[Row]:
    start = 0
    while start < len(rows):
        first = rows[start]
        end = start + 1
        while end < len(rows) and rows[end]["trial"] == first["trial"]:
            end += 1
        variants = tuple(_variant(row) for row in rows[start:end])
        trial = Trial(
            first["probe"],
            first["condition"],
            first["repetition"],
            variants,
            first["asks"],
            first["expects"],
            first["form"],
            orjson.loads(first["extras"]) if first["extras"] else {},
        )
        yield Row(first["trial"], trial, first["key"])
        start = end


def _variant(row: Mapping[str, Any]) -> Variant:
    return Variant(
        row["item_id"],
        None,
        tuple(row["options"]),
        tuple(row["labels"]),
        tuple(row["origin"]),
        row["gold_at"],
    )


def reading_row(
    number: int, place: int, reader: str, reading: Reading, trial: Trial
) -> tuple[Any, ...]:
    """One reading as a row, in the order of `READINGS`."""
    variant = trial.variants[place]
    content = content_of(reading, variant)
    start, end = reading.span or (None, None)
    return (
        number,
        place,
        reader,
        reading.status,
        reading.slots,
        content,
        is_correct(content, trial, variant),
        reading.rule,
        start,
        end,
        reading.confidence,
        reading.score,
        max(-MOST_EXCESS, min(MOST_EXCESS, reading.excess)),
    )


@dataclass(frozen=True, eq=False)
class Cell:
    """All readings of one probe, condition and reader, as arrays (items x repetitions).

    Attributes:
        probe, condition, reader: what the cell holds.
        item: number of each item in its set, (items,), ascending.
        k: number of options shown, (items,).
        status: index into STATUSES, MISSING or NOT_ASKED, (items, repetitions).
        slot: chosen slot where exactly one was chosen, else -1.
        content: chosen content, or NO_CONTENT.
        gold_at: slot of the right answer, or -1.
        correct: 1 right, 0 wrong, -1 where no gold is known or there is no reading.
        asks: the kind of answer asked for (see `trials.Asks`).
        chosen: bit s is set if slot s was chosen; 0 where there is no reading. Of cells that ask
            for several letters, and of bundles; None elsewhere.
        bundle: number of the bundle that an item stands in, or -1; position: its place there,
            from 0; excess: see `Reading`. Of cells whose prompts hold several problems.
        classes: the labels that all items share; likewise, empty where each has options of its own.
        marked: the slot that the probe is about, or -1 (`Trial.extras["marked"]`); likewise.
        verdict: index into `readers.no_hint.CLASSES`, or -1; of cells that ask freely.
        confidence, score: of the readings (see `Reading`), NaN where there is none.
        parts: names of the cells that a joined cell was put together from (see `joined`).
        part: which of them each column belongs to, (repetitions,).
        subject: number of each item's subject in `subjects`, (items,); None where there are none.
        pseudo: weight of what is expected of a subject (see `by_subject`), (1,).
    """

    probe: str
    condition: str
    reader: str
    item: npt.NDArray[np.int64]
    k: npt.NDArray[np.int64]
    status: npt.NDArray[np.int8]
    slot: npt.NDArray[np.int16]
    content: npt.NDArray[np.int16]
    gold_at: npt.NDArray[np.int16]
    correct: npt.NDArray[np.int8]
    asks: str = "letter"
    chosen: npt.NDArray[np.int64] | None = None
    marked: npt.NDArray[np.int16] | None = None
    verdict: npt.NDArray[np.int8] | None = None
    confidence: npt.NDArray[np.float32] | None = None
    score: npt.NDArray[np.float32] | None = None
    bundle: npt.NDArray[np.int32] | None = None
    position: npt.NDArray[np.int16] | None = None
    excess: npt.NDArray[np.int32] | None = None
    classes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    part: npt.NDArray[np.intp] | None = None
    subject: npt.NDArray[np.intp] | None = None
    subjects: tuple[str, ...] = ()
    pseudo: npt.NDArray[np.float64] | None = None

    @property
    def read(self) -> npt.NDArray[np.bool_]:
        """Where there is a reading."""
        return np.greater_equal(self.status, 0)

    @property
    def asked(self) -> npt.NDArray[np.bool_]:
        """Where there is a trial."""
        return np.not_equal(self.status, NOT_ASKED)

    @property
    def valid(self) -> npt.NDArray[np.bool_]:
        """Where a slot was chosen."""
        return np.equal(self.status, STATUS_CODE["answer"])

    @property
    def n_missing(self) -> int:
        """Trials that were asked and have no reading."""
        return int((self.status == MISSING).sum())


def joined(named: Mapping[str, Cell], probe: str, condition: str) -> Cell:
    """Several cells of one reader side by side, for measures that compare them item by item.

    Items are those of any of the cells; an item that a cell lacks was not asked there. The kind
    of answer and, where they differ, the number of options are those of the first cell.
    """
    item = np.unique(np.concatenate([cell.item for cell in named.values()]))
    rows = [np.searchsorted(item, cell.item) for cell in named.values()]
    made = list(named.values())
    part = np.repeat(np.arange(len(made)), [cell.status.shape[1] for cell in made])

    def beside(name: str, absent: int | float) -> Any:
        arrays = [getattr(cell, name) for cell in made]
        kind = next((a.dtype for a in arrays if a is not None), None)
        if kind is None:
            return None
        out = np.full((len(item), len(part)), absent, dtype=kind)
        for number, array in enumerate(arrays):
            if array is not None:
                out[np.ix_(rows[number], np.flatnonzero(part == number))] = array
        return out

    k = np.zeros(len(item), dtype=np.int64)
    for cell, row in zip(reversed(made), reversed(rows), strict=True):
        k[row] = cell.k
    return Cell(
        probe, condition, made[0].reader, item, k,
        beside("status", NOT_ASKED), beside("slot", -1), beside("content", NO_CONTENT),
        beside("gold_at", -1), beside("correct", -1), made[0].asks,
        beside("chosen", 0), beside("marked", -1), beside("verdict", -1),
        beside("confidence", np.nan), beside("score", np.nan),
        beside("bundle", -1), beside("position", -1), beside("excess", 0), made[0].classes,
        tuple(named), part,
    )  # fmt: skip


def cells(
    trials: Path,
    readings: Path,
    readers: Sequence[str],
    reviewed: Mapping[Key, str] = MappingProxyType({}),
) -> list[Cell]:
    """Every cell of a run, in the order in which its trials were made.

    `reviewed` gives the class (see `readers.no_hint`) that people found for replies to free
    questions, by the key of the request; it replaces what the reader of texts made of them.
    """
    shown = pl.scan_parquet(trials).select(
        "trial",
        "variant",
        "item",
        "repetition",
        "gold_at",
        "asks",
        marked=pl.col("extras").str.json_path_match("$.marked").cast(pl.Int16),
        cell=pl.concat_str("probe", "condition", separator="\x1f").cast(pl.Categorical),
        k=pl.col("options").list.len(),
        classes=pl.when(pl.col("asks").is_in(BUNDLED) & (pl.col("labels").list.len() == 0)).then(
            pl.col("options")
        ),
    )
    read = pl.scan_parquet(readings).select(
        "trial",
        "variant",
        "content",
        "correct",
        "confidence",
        "score",
        "slots",
        "excess",
        verdict=pl.col("rule").replace_strict(VERDICTS, default=-1, return_dtype=pl.Int8),
        reader=pl.col("reader").cast(pl.Categorical),
        fitted=pl.col("rule") == FITTED_ON,
        status=pl.col("status").replace_strict(STATUS_CODE, return_dtype=pl.Int8),
        slot=pl.when(pl.col("slots").list.len() == 1).then(pl.col("slots").list.first()),
    )
    frame, found = shown.collect(), read.collect()
    if reviewed:
        found = overlaid(found, trials, reviewed)
    made: list[Cell] = []
    for (name,), part in frame.group_by("cell", maintain_order=True):
        probe, condition = str(name).split("\x1f")
        before = len(made)
        for reader in readers:
            own = found.filter(pl.col("reader") == reader)
            joined = part.join(own, on=["trial", "variant"], how="left")
            if joined["status"].null_count() < joined.height or (
                reader == readers[-1] and len(made) == before
            ):
                made.append(_cell(probe, condition, reader, joined))
                made += _held_out(probe, condition, reader, joined)
    return made


def _held_out(probe: str, condition: str, reader: str, frame: pl.DataFrame) -> list[Cell]:
    """The cell without the items that the reader was fitted on; none for other readers."""
    fitted = pl.col("fitted").fill_null(False).any().over("item")
    rest = frame.filter(~fitted)
    if rest.height in (0, frame.height):
        return []
    return [_cell(probe, condition, reader + HELD_OUT, rest)]


def _cell(probe: str, condition: str, reader: str, frame: pl.DataFrame) -> Cell:
    bundled = frame["asks"][0] in BUNDLED
    if bundled:
        frame = decisions(frame)
    item, row = np.unique(frame["item"].to_numpy(), return_inverse=True)
    # Several trials of an item may share a repetition (labels asked one by one); each gets a place.
    place = frame.select(pl.int_range(pl.len()).over("item", order_by="trial")).to_series()
    column = place.to_numpy()
    shape = (len(item), int(column.max()) + 1)

    def spread(values: pl.Series, empty: float, absent: float, kind: type) -> npt.NDArray[Any]:
        out: npt.NDArray[Any] = np.full(shape, absent, dtype=kind)
        out[row, column] = values.fill_null(empty).to_numpy()
        return out

    asks = str(frame["asks"][0])
    several, free = asks == "letters" or bundled, asks == "free"
    bits = pl.col("slots").list.eval(pl.lit(2).cast(pl.Int64) ** pl.element()).list.sum()

    k = np.zeros(len(item), dtype=np.int64)
    k[row] = frame["k"].to_numpy()
    return Cell(
        probe,
        condition,
        reader,
        item.astype(np.int64),
        k,
        spread(frame["status"], MISSING, NOT_ASKED, np.int8),
        spread(frame["slot"], -1, -1, np.int16),
        spread(frame["content"], NO_CONTENT, NO_CONTENT, np.int16),
        spread(frame["gold_at"], -1, -1, np.int16),
        spread(frame["correct"].cast(pl.Int8), -1, -1, np.int8),
        asks,
        spread(frame.select(bits.cast(pl.Int64)).to_series(), 0, 0, np.int64) if several else None,
        spread(frame["marked"], -1, -1, np.int16) if several else None,
        spread(frame["verdict"], -1, -1, np.int8) if free else None,
        spread(frame["confidence"], nan, nan, np.float32),
        spread(frame["score"], nan, nan, np.float32),
        spread(frame["repetition"], -1, -1, np.int32) if bundled else None,
        spread(frame["variant"], -1, -1, np.int16) if bundled else None,
        spread(frame["excess"], 0, 0, np.int32) if bundled else None,
        tuple(frame["classes"].to_list()[0] or ()) if bundled else (),
    )
