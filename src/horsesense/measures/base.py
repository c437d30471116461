"""What a measure declares: rows per item that add up, and a value of their totals.

A measure knows no model and no prompt. It turns a cell of readings into one row of numbers per
item; rows of a cluster are added; `value` maps totals to the statistic. The same `value` is
applied to the totals of bootstrap resamples, so that every measure has an interval by the same
mechanism and the cluster is decided in one place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.measures.cells import Cell
from horsesense.trials.trial import AnswerFormat

Floats = npt.NDArray[np.float64]
Unit = Literal["fraction", "points", "nats", "bits", "kappa", "count", "d_prime"]


class Crossed(NamedTuple):
    """Rows of single outcomes that belong to an item and to a prompt shared with other items.

    Attributes:
        rows: (outcomes, d).
        item: which item of the cell each is about.
        bundle: which prompt it comes from.
    """

    rows: Floats
    item: npt.NDArray[np.intp]
    bundle: npt.NDArray[np.intp]


class Rows(NamedTuple):
    """Per-item rows of a measure.

    Attributes:
        rows: (items, d); rows of zeros for items that do not enter.
        n: how many trials (or items, see `Measure.counted`) entered.
        n_missing: how many should have entered and have no reading.
        crossed: the single outcomes, where items share prompts; the interval then allows for
            both, items and prompts.
    """

    rows: Floats
    n: int
    n_missing: int
    crossed: Crossed | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number with all that is needed to judge it and to make it again.

    `value`, `low` and `high` are None where the measure is undefined; `note` then says why.
    Proportions are fractions; `rstd` is in percentage points.
    """

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
    interval: str = ""
    baseline: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    detectable: float | None = None
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Measure(ABC):
    """A statistic of one cell, or of two cells of the same items.

    Attributes:
        name: the field's standard term.
        title: for tables.
        summary: one sentence, with the source of the formula.
        unit: of value and interval.
        counted: what `n` counts, "trials" or "items".
        compares: "" for one cell; "reader" for the same trials by their scores and by their text;
            "first_token" for the same trials by another reader and by the first token;
            "original" for a probe against the items as published; "family" for one cell that
            `families` joins from several.
        answer_format: kinds of answers the measure is about; it says nothing of other cells.
        proportion: whether each row is one 0/1 outcome over 1, so that Wilson's interval applies
            where no cluster has two.
        difference: whether values are differences (-1 to 1), which get a smallest detectable
            difference and a correction for the number of probes.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    unit: ClassVar[Unit] = "fraction"
    counted: ClassVar[Literal["trials", "items"]] = "trials"
    compares: ClassVar[Literal["", "reader", "first_token", "original", "family"]] = ""
    answer_format: ClassVar[frozenset[AnswerFormat]] = frozenset(("letter", "label", "free"))
    proportion: ClassVar[bool] = False
    difference: ClassVar[bool] = False

    def families(self, cells: Sequence[Cell]) -> Iterator[Cell]:
        """Joined cells to compute a "family" measure on, from all cells of one reader."""
        return iter(())

    def is_about(self, reader: str) -> bool:
        """Whether the measure says something of a reader's cells; it is silent of others."""
        return True

    def undefined_reason(self, cell: Cell, other: Cell | None = None) -> str | None:
        """Why the measure is undefined for a cell; None where it is defined."""
        return None

    def groups(self, cell: Cell) -> Sequence[str]:
        """Names of the values; one unnamed value by default."""
        return ("",)

    @abstractmethod
    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        """Per-item rows; `other` is the second cell of a comparing measure."""

    def value(self, totals: Floats) -> Floats:
        """Values (..., groups) from totals (..., d); a ratio of two columns by default."""
        return ratio(totals[..., :1], totals[..., 1:2])

    def baseline(self, cell: Cell) -> float | None:
        """What guessing would give; None where that means nothing."""
        return None

    def p_value(self, cell: Cell, other: Cell | None, sums: Floats, seed: int) -> float | None:
        """A test of "no effect", given the per-cluster rows; None where there is none."""
        return None

    def null(self, cell: Cell, seed: int) -> Floats | None:
        """Values of the measure when there is no effect, (draws,); None where not needed."""
        return None


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Element-wise ratio, NaN where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator == 0, np.nan, numerator / denominator)


def item_means(values: npt.NDArray[Any], where: npt.NDArray[np.bool_]) -> Floats:
    """Rows (mean over an item's trials, 1); zeros for items without any."""
    counts = where.sum(axis=1)
    sums = np.where(where, values, 0).sum(axis=1)
    used = counts > 0
    means = np.divide(sums, counts, out=np.zeros(len(counts)), where=used)
    return np.column_stack([means, used]).astype(np.float64)


def no_gold(cell: Cell) -> str | None:
    """The reason of measures that need gold."""
    known = cell.read & (cell.correct >= 0)
    return None if known.any() or not cell.read.any() else "no item has a gold answer"


def no_replicates(cell: Cell) -> str | None:
    """The reason of measures that compare an item's trials with each other."""
    return None if cell.status.shape[1] > 1 else "each item was asked once"


def complete(cell: Cell) -> npt.NDArray[np.bool_]:
    """Items with at least two trials, all of them read."""
    asked = cell.asked.sum(axis=1)
    every: npt.NDArray[np.bool_] = (asked > 1) & (cell.read.sum(axis=1) == asked)
    return every
