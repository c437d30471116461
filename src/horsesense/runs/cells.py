"""The cells of a run, filled from its tables span by span.

What is held is the arrays of the cells, some bytes a trial, and one span of the tables at a time.
Only answers to prompts with several problems wait until all are there, because several prompts may
decide one of them (see `runs.decisions`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan
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
    ChosenSets,
    Columns,
    InOtherWords,
    People,
    Replies,
    Scores,
    Unchanged,
    Verdicts,
)
from horsesense.measures.joined import ORIGINAL
from horsesense.models.messages import Key
from horsesense.readers.apply_reviews import VERDICTS, with_reviews
from horsesense.readers.causes import CAUSES, Cause, of_status
from horsesense.readers.logprobs.pride import FITTED_ON
from horsesense.readers.reading import IN_OTHER_WORDS, STATUSES
from horsesense.runs.decisions import decisions
from horsesense.runs.parts import SPAN, spans
from horsesense.trials.condition import Condition
from horsesense.trials.trial import BUNDLED

_WIDTH = 62
"""Positions that the bits of a 64-bit number hold."""

Values = npt.NDArray[Any]

_CAUSE_OF: Final = {status: of_status(status) for status in STATUSES}
"""What is known of readings of earlier versions, which have no cause."""
_BY_STATUS: Final = np.array([CAUSES.index(cause) for cause in _CAUSE_OF.values()])


class _Kind(NamedTuple):
    """A column of cells: what holds its values, and the value where there is none."""

    dtype: type
    empty: float


_SHOWN: Final = {
    "gold_at": _Kind(np.int16, -1),
    "person": _Kind(np.int32, -1),
    "same": _Kind(np.bool_, False),
    "gone": _Kind(np.int8, -1),
    "marked": _Kind(np.int16, -1),
    "repetition": _Kind(np.int32, -1),
    "variant": _Kind(np.int16, -1),
}
"""What is known of a trial, whoever reads it."""
_READ: Final = {
    "status": _Kind(np.int8, MISSING),
    "position": _Kind(np.int16, -1),
    "option": _Kind(np.int16, NO_OPTION),
    "correct": _Kind(np.int8, -1),
    "graded": _Kind(np.int8, -1),
    "cause": _Kind(np.int8, -1),
    "confidence": _Kind(np.float32, nan),
    "score": _Kind(np.float32, nan),
    "in_other_words": _Kind(np.bool_, False),
    "fitted": _Kind(np.bool_, False),
    "verdict": _Kind(np.int8, -1),
    "chosen": _Kind(np.int64, 0),  # from the positions
    "excess": _Kind(np.int32, 0),
}
"""What is known of a reading."""
_OF_KIND: Final = {
    "in_other_words": ("letter", "label"),
    "verdict": ("free",),
    "marked": ("letters", *BUNDLED),
    "chosen": ("letters", *BUNDLED),
    "repetition": BUNDLED,
    "variant": BUNDLED,
    "excess": BUNDLED,
}
"""Columns that only cells with some kinds of answer have."""


def cells(
    trials: pl.LazyFrame,
    readings: pl.LazyFrame,
    readers: Sequence[str],
    reviewed: Mapping[Key, str] = MappingProxyType({}),
    by_scores: Collection[str] = (),
    span: int = SPAN,
    gone: Mapping[Key, Cause] = MappingProxyType({}),
) -> list[Cell]:
    """Every cell of a run, in the order in which its trials were made.

    `trials` are in the order of their numbers, as all that writes them leaves them. `reviewed`
    gives the class (see `readers.no_hint`) that people found for replies to free questions, by the
    key of the request; it replaces what the reader of texts made of them. `gone` tells what became
    of prompts without a reply; others without one were not asked. `by_scores` names the readers
    that read scores and not words. `span` changes nothing but the memory used on the way.
    """
    filled = {
        key: _Filled(*key, counted["item"].to_numpy(), counted["len"].to_numpy())
        for key, counted in _items(trials).items()
    }
    for shown, read in _spans(trials, readings, reviewed, span, gone):
        for (probe, condition), part in shown.group_by("probe", "condition", maintain_order=True):
            filled[str(probe), str(condition)].add(part, read)
    return [cell for each in filled.values() for cell in each.cells(readers, by_scores)]


def _items(trials: pl.LazyFrame) -> dict[tuple[str, str], pl.DataFrame]:
    """By probe and condition, in the order of their first trials: items, and trials of each."""
    each = trials.group_by("probe", "condition", "item").agg(pl.len(), pl.min("trial"))
    counted = each.collect(engine="streaming")
    first = counted.group_by("probe", "condition").agg(pl.min("trial")).sort("trial")
    parts = counted.partition_by("probe", "condition", as_dict=True)
    return {key: parts[key].sort("item") for key in first.select("probe", "condition").rows()}


def _spans(
    trials: pl.LazyFrame,
    readings: pl.LazyFrame,
    reviewed: Mapping[Key, str],
    span: int,
    gone: Mapping[Key, Cause],
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Rows of the two tables that are about the same trials."""
    published = (pl.col("probe") == ORIGINAL) & (pl.col("condition") == "")
    once = trials.filter(published & (pl.col("repetition") == 0)).unique("item", keep="first")
    first = once.select("item", own="key").collect().lazy()
    codes = [CAUSES.index(cause) for cause in gone.values()]
    silent = pl.LazyFrame([[*gone], codes], schema={"key": pl.Binary, "gone": pl.Int8})
    for part in spans(trials, span):
        joined = part.join(first, on="item", how="left", maintain_order="left")
        shown = joined.join(silent, on="key", how="left", maintain_order="left").select(
            "trial",
            "variant",
            "item",
            "repetition",
            "gold_at",
            "answer_format",
            "gone",
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
        frame = shown.collect()
        about = pl.col("trial").is_between(frame["trial"].min(), frame["trial"].max())
        found = _read(readings.filter(about)).collect()
        yield frame, with_reviews(found, part, reviewed) if reviewed else found


def _read(readings: pl.LazyFrame) -> pl.LazyFrame:
    """The columns that cells have of readings."""
    cause = pl.coalesce("cause", pl.col("status").replace_strict(_CAUSE_OF))
    # A reading that is unclear is none: measures leave it out, and say what it could change. Nor is
    # that of an error which a server wrote in the place of a reply.
    clear = (pl.col("status") != "unclear") & (cause != "failed")
    status = pl.col("status").replace_strict(STATUS_CODE, return_dtype=pl.Int8)
    return readings.select(
        "trial",
        "variant",
        "reader",
        "confidence",
        "score",
        "positions",
        "excess",
        verdict=pl.col("rule").replace_strict(VERDICTS, default=-1, return_dtype=pl.Int8),
        fitted=pl.col("rule") == FITTED_ON,
        in_other_words=pl.col("rule") == IN_OTHER_WORDS,
        graded=pl.col("correct"),
        cause=cause.replace_strict(
            {cause: code for code, cause in enumerate(CAUSES)}, return_dtype=pl.Int8
        ),
        correct=pl.when(clear).then(pl.col("correct")),
        option=pl.when(clear).then(pl.col("option")),
        status=pl.when(clear).then(status).otherwise(MISSING),
        position=pl.when(clear & (pl.col("positions").list.len() == 1)).then(
            pl.col("positions").list.first()
        ),
    )


@dataclass
class _Filled:
    """The cells of one probe and condition, as they are filled.

    Attributes:
        item, trials: items, ascending, and how many trials each has.
        shown: columns of the trials, (items, repetitions); those without a value are not there.
        read: reader -> columns of its readings, likewise.
        held: of prompts with several problems, which are not filled yet: trials and readings.
    """

    probe: str
    condition: str
    item: Values
    trials: Values
    answer_format: str = ""
    classes: tuple[str, ...] = ()
    k: Values = field(init=False)
    shown: dict[str, Values] = field(default_factory=dict)
    read: dict[str, dict[str, Values]] = field(default_factory=dict)
    held: list[tuple[pl.DataFrame, pl.DataFrame]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.item = self.item.astype(np.int64)
        self.k = np.zeros(len(self.item), dtype=np.int64)
        self._next = np.zeros(len(self.item), dtype=np.int32)
        self._shape = len(self.item), int(self.trials.max(initial=0))

    def add(self, part: pl.DataFrame, read: pl.DataFrame) -> None:
        """Fill in some of the trials, and of the readings those that are of them."""
        self.answer_format = self.answer_format or str(part["answer_format"][0])
        if self.answer_format in BUNDLED:
            self.held.append((part, read.join(part, on=["trial", "variant"], how="semi")))
            return
        joined = self._placed(part).join(read, on=["trial", "variant"])
        for (reader,), own in joined.group_by("reader"):
            self._fill(self.read.setdefault(str(reader), {}), _READ, own)

    def _placed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Trials with their places in the cell, once these hold what was shown."""
        row = np.searchsorted(self.item, frame["item"].to_numpy())
        # Several trials of an item may share a repetition (labels asked one by one).
        rank = frame.select(pl.int_range(pl.len()).over("item", order_by="trial")).to_series()
        place = self._next[row] + rank.to_numpy()
        np.maximum.at(self._next, row, place + 1)
        self.k[row] = frame["k"].to_numpy()
        placed = frame.with_columns(row=row, place=place)
        self._fill(self.shown, _SHOWN, placed)
        return placed.select("trial", "variant", "row", "place")

    def _fill(
        self, columns: dict[str, Values], kinds: Mapping[str, _Kind], frame: pl.DataFrame
    ) -> None:
        """Put the rows of a table into their places; a column without a value is not made."""
        row, place = frame["row"].to_numpy(), frame["place"].to_numpy()
        for name, kind in kinds.items():
            series = frame.get_column(_source(name), default=None) if self._has(name) else None
            if series is None or (name not in columns and series.null_count() == len(series)):
                continue
            values = _values(series, name, kind)
            if name not in columns:
                if (np.isnan(values) if isnan(kind.empty) else values == kind.empty).all():
                    continue
                columns[name] = np.full(self._shape, kind.empty, dtype=values.dtype)
            elif values.dtype == object:
                columns[name] = columns[name].astype(object)
            columns[name][row, place] = values

    def _has(self, column: str) -> bool:
        """Whether answers of this kind have a column."""
        return self.answer_format in _OF_KIND.get(column, (self.answer_format,))

    def cells(self, readers: Sequence[str], by_scores: Collection[str]) -> Iterator[Cell]:
        """The cells of the readers that read something; else that of the last one."""
        if self.held:
            frame = pl.concat([part for part, _ in self.held])
            read = pl.concat([found for _, found in self.held])
            there = set(read["reader"])
        else:
            there = set(self.read)
        for reader in [name for name in readers if name in there] or readers[-1:]:
            filled = self._decided(frame, read, reader) if self.held else self
            whole = filled._cell(reader, by_scores=reader in by_scores)
            yield whole
            yield from filled._held_out(whole)

    def _decided(self, frame: pl.DataFrame, read: pl.DataFrame, reader: str) -> _Filled:
        """What prompts with several problems decide, as one reader read them."""
        own = read.filter(pl.col("reader") == reader)
        merged = decisions(frame.join(own, on=["trial", "variant"], how="left"))
        counted = merged.group_by("item").len().sort("item")
        made = _Filled(
            self.probe, self.condition, counted["item"].to_numpy(), counted["len"].to_numpy()
        )
        made.answer_format = self.answer_format
        made.classes = tuple(merged["classes"].head(1).to_list()[0] or ())
        placed = made._placed(merged)
        made._fill(
            made.read.setdefault(reader, {}),
            _READ,
            merged.with_columns(placed["row"], placed["place"]),
        )
        return made

    def _cell(self, reader: str, *, by_scores: bool) -> Cell:
        read = self.read.get(reader, {})
        status = self._of(read, "status").copy()
        status[np.arange(self._shape[1]) >= self.trials[:, None]] = NOT_ASKED
        return Cell(
            probe=self.probe,
            condition=Condition.parse(self.condition),
            reader=reader,
            item=self.item,
            k=self.k,
            status=status,
            position=self._of(read, "position"),
            option=self._of(read, "option"),
            gold_at=self._of(self.shown, "gold_at"),
            correct=self._of(read, "correct"),
            answer_format=self.answer_format,
            by_scores=by_scores,
            groups=tuple(self._groups(read)),
        )

    def _groups(self, read: Mapping[str, Values]) -> Iterator[Columns]:
        """The groups of columns that cells of this kind of answer have."""
        yield Scores(self._of(read, "confidence"), self._of(read, "score"))
        yield Replies(self._became(read), self._of(read, "graded"))
        if "in_other_words" in read:
            yield InOtherWords(read["in_other_words"])
        if "person" in self.shown:
            yield People(self.shown["person"])
        if "same" in self.shown:
            yield Unchanged(self.shown["same"])
        if self._has("verdict"):
            yield Verdicts(self._of(read, "verdict"))
        if self._has("chosen"):
            yield ChosenSets(self._of(read, "chosen"), self._of(self.shown, "marked"))
        if self.answer_format in BUNDLED:
            bundle, problem = (self._of(self.shown, name) for name in ("repetition", "variant"))
            yield Bundles(bundle, problem, self._of(read, "excess"), self.classes)

    def _became(self, read: Mapping[str, Values]) -> Values:
        """What became of each prompt (see `Replies`)."""
        asked = np.arange(self._shape[1]) < self.trials[:, None]
        cause, gone = self._of(read, "cause"), self._of(self.shown, "gone")
        came = np.any([self._of(own, "cause") >= 0 for own in self.read.values()], axis=0)
        known = np.where(gone < 0, CAUSES.index("not_asked"), gone)
        silent = np.where(asked, np.where(came, CAUSES.index("unreadable"), known), -1)
        status = self._of(read, "status")
        told = np.where(status < 0, silent, _BY_STATUS[status])
        return np.asarray(np.where(cause < 0, told, cause), np.int8)

    def _of(self, columns: Mapping[str, Values], name: str) -> Values:
        """A column; one without any value takes no room."""
        kind = (_SHOWN | _READ)[name]
        empty: Values = np.broadcast_to(np.array(kind.empty, dtype=kind.dtype), self._shape)
        return columns.get(name, empty)

    def _held_out(self, whole: Cell) -> Iterator[Cell]:
        """The cell without the items that its reader was fitted on; none of other readers."""
        fitted = self.read.get(whole.reader, {}).get("fitted")
        kept: Values | None = None if fitted is None else ~np.any(fitted, axis=1)
        if kept is not None and kept.any():
            rest = whole.of_items(kept).trimmed(int(self.trials[kept].max()))
            yield replace(rest, reader=whole.reader + HELD_OUT)


def _source(name: str) -> str:
    """The column of a table that one of a cell is made of."""
    return "positions" if name == "chosen" else name


def _values(series: pl.Series, name: str, kind: _Kind) -> Values:
    """A column of a table as a cell has it."""
    if name == "chosen":
        return _bits(series)
    if kind.dtype is np.int8:
        series = series.cast(pl.Int8)
    filled = series.fill_null(kind.empty) if series.null_count() else series
    return cast(Values, filled.to_numpy().astype(kind.dtype, copy=False))


def _bits(positions: pl.Series) -> Values:
    """The chosen positions of each row as the bits of a number (see `ChosenSets`)."""
    highest = cast(int | None, positions.list.max().max())
    kind = np.int64 if (highest or 0) < _WIDTH else object
    row = np.repeat(np.arange(len(positions)), positions.list.len().fill_null(0).to_numpy())
    bit = np.left_shift(np.array(1, kind), positions.explode().drop_nulls().to_numpy().astype(kind))
    bits = np.zeros(len(positions), kind)
    np.bitwise_or.at(bits, row, bit)
    return bits
