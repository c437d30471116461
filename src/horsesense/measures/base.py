"""What a measure declares: rows per item that add up, and a value of their totals.

A measure knows no model and no prompt. It turns a cell of readings into one row of numbers per
item; rows of a cluster are added; `value` maps totals to the statistic. It declares the family
of that statistic (`measures.families`), which decides interval and p in one place.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from inspect import isfunction
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self, get_type_hints

import numpy as np
import numpy.typing as npt

from horsesense.measures.cells import Bools, Cell, Columns, People
from horsesense.measures.counting import no_gold_beside, no_replicates, with_gold
from horsesense.measures.families import REFIT, SHARE, Answers, Crossed, Family
from horsesense.measures.signature import Signature
from horsesense.trials.condition import Condition
from horsesense.trials.trial import AnswerFormat

Floats = npt.NDArray[np.float64]
Unit = Literal[
    "fraction", "points", "nats", "bits", "kappa", "count", "d_prime", "variance", "ratio"
]
Layout = Literal["shared", "halves", "pairs"]
"""Where the columns of ratios stand: all over the last; the first half over the second; or each
over the next."""


class Rows(NamedTuple):
    """Per-item rows of a measure.

    Attributes:
        rows: (items, d); rows of zeros for items that do not enter.
        n: how many trials (or items, see `Measure.counted`) entered.
        n_missing: how many should have entered and have no reading.
        crossed: the single outcomes, where items share prompts; the interval then allows for
            both, items and prompts.
        missing: `n_missing` of each group, where groups have trials of their own and it is known
            to which of them a missing one belongs.
        answers: of several forms that different people saw, where known (`measures.people`).
    """

    rows: Floats
    n: int
    n_missing: int
    crossed: Crossed | None = None
    missing: Sequence[int] | None = None
    answers: Answers | None = None

    @classmethod
    def united(cls, parts: Iterable[tuple[slice, Self]]) -> Self:
        """The rows of a cell from those of its parts, in any order: which items, and their rows."""
        ordered = sorted(parts, key=lambda part: part[0].start)
        found = [own for _, own in ordered]
        if len(found) == 1:
            return found[0]
        crossed = [(of.start, own.crossed) for of, own in ordered if own.crossed is not None]
        missing = [own.missing for own in found if own.missing is not None]
        return cls(
            np.concatenate([own.rows for own in found]),
            sum(own.n for own in found),
            sum(own.n_missing for own in found),
            Crossed.united(crossed) if crossed else None,
            [sum(lost) for lost in zip(*missing, strict=True)] if missing else None,
        )


FINITE: Final = "betting"
"""The interval of a number whose probe stopped early: a band about the items of the set alone."""
SAMPLED: Final = "betting, items like these"
"""The same about items like those asked, of the set or not."""

_KINDS: Final = {str: str, int: int, float: int | float, float | None: int | float | None}
"""What a field of an estimate may hold in a JSON value."""


class Estimate(NamedTuple):
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
    condition: Condition
    reader: str
    group: str
    signature: Signature
    interval: str = ""
    baseline: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    detectable: float | None = None
    note: str = ""

    @property
    def finite(self) -> bool:
        """Whether its interval says nothing of other items like these."""
        return self.interval == FINITE

    def as_json(self) -> dict[str, Any]:
        """Every field by name; condition and signature as texts."""
        texts = {"condition": self.condition.format(), "signature": self.signature.format()}
        return self._asdict() | texts

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The estimate that `as_json` made a row of; UsageError or TypeError for what is none."""
        for name, kind in _kinds():
            if name in row and not isinstance(row[name], kind):
                raise TypeError(f"{name} is {row[name]!r:.80}")
        return cls(
            **{
                **row,
                "condition": Condition.parse(row["condition"]),
                "signature": Signature.parse(row["signature"]),
            }
        )

    def fits(self, **where: object) -> bool:
        """Whether fields have the given values; a condition may be given as a text.

        UsageError if that text is not a condition.
        """
        text = where.get("condition")
        if isinstance(text, str):
            where["condition"] = Condition.parse(text)
        return all(getattr(self, name) == value for name, value in where.items())


@cache
def _kinds() -> list[tuple[str, Any]]:
    hints = get_type_hints(Estimate).items()
    return [(name, _KINDS[hint]) for name, hint in hints if hint in _KINDS]


class Measure(ABC):
    """A statistic of a cell: of one as it is, or of one that was made of several.

    Attributes:
        name: the field's standard term; by default that of the class, in small letters.
        title: for tables; every measure has one of its own.
        summary: what it is, with the source of the formula; by default the first paragraph of the
            docstring.
        unit: of value and interval; `units` has that of each group, where they differ.
        counted: what `n` counts, "trials" or "items".
        answer_format: kinds of answers the measure is about; it says nothing of other cells.
        needs: groups of columns that a cell must have; it says nothing of other cells.
        probe_names: probes that it is about alone; without any, every probe.
        layout: where the columns of ratios stand; see `split`.
        family: the kind of statistic, which decides interval and p. None: a share, or a mean of
            values from 0 to 1, where the value is a ratio of columns and a fraction; else any
            function of totals.
        tells_range: whether its note says between what values it lies, for missing replies.
        of_gold: whether items without a right answer say nothing of it: they are left out, and are
            not missing; without any it is undefined.
        of_repeats: whether it compares the trials of an item; undefined where each has one.
        names, chance, span: what `groups`, `baseline` and `limits` give, where these are constants.
        given: the method that a function gives, of a measure that is one (`of`).
        whole: whether `rows` needs all items at once, because the row of one depends on others.
            Cells of many trials are otherwise given to it in parts, whose rows are put together.
            What rows need to know of other items may also be found before: `parts.of_whole`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    unit: ClassVar[Unit] = "fraction"
    units: ClassVar[Sequence[Unit]] = ()
    counted: ClassVar[Literal["trials", "items"]] = "trials"
    answer_format: ClassVar[frozenset[AnswerFormat]] = frozenset(("letter", "label", "free"))
    needs: ClassVar[tuple[type[Columns], ...]] = ()
    probe_names: ClassVar[Sequence[str]] = ()
    layout: ClassVar[Layout] = "shared"
    family: ClassVar[Family | None] = None
    of_gold: ClassVar[bool] = False
    tells_range: ClassVar[bool] = False
    of_repeats: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    names: ClassVar[Sequence[str]] = ("",)
    chance: ClassVar[float | None] = None
    span: ClassVar[tuple[float, float] | None] = None
    given: ClassVar[str] = "rows"

    def __init_subclass__(cls) -> None:
        if "title" in vars(cls) and "name" not in vars(cls):
            cls.name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        if "summary" not in vars(cls) and cls.__doc__:
            cls.summary = " ".join(cls.__doc__.split("\n\n")[0].split())

    @classmethod
    def of(cls, title: str, **declared: Any) -> Callable[[Callable[..., Any]], type[Self]]:
        """A measure of this kind that is one function: its rows, or what `given` names.

        Name and summary are the function's; `declared` are attributes, and functions of a cell.
        """

        def made(function: Callable[..., Any]) -> type[Self]:
            own = {cls.given: function, **declared}
            own = {k: staticmethod(v) if isfunction(v) else v for k, v in own.items()}
            name, doc, module = function.__name__, function.__doc__, function.__module__
            about = {"name": name, "title": title, "__doc__": doc, "__module__": module}
            kind: type[Self] = type(name, (cls,), about | own)
            return kind

        return made

    def cells(self, every: Sequence[Cell]) -> Iterable[Cell]:
        """What the measure is computed on, from all cells of a run: each that fits, alone.

        `measures.joined` has what else is usual: a cell against another, or several side by side.
        """
        return filter(self.fits, every)

    def fits(self, cell: Cell) -> bool:
        """Whether the measure says something of cells like this one."""
        known = cell.answer_format in self.answer_format and all(
            kind in cell for kind in self.needs
        )
        return known and cell.probe in (self.probe_names or (cell.probe,)) and self.where(cell)

    def where(self, cell: Cell) -> bool:
        """Whether it says something of a cell that has all that it needs."""
        return True

    def undefined_reason(self, cell: Cell) -> str | None:
        """Why the measure is undefined for a cell; None where it is defined."""
        repeated = no_replicates(cell) if self.of_repeats else None
        return repeated or (no_gold_beside(cell) if self.of_gold else None)

    def about(self, cell: Cell) -> Cell:
        """One of the `cells` without the items of which the measure says nothing."""
        seen = self.as_if(cell)
        return with_gold(seen) if self.of_gold else seen

    def as_if(self, cell: Cell) -> Cell:
        """The cell as a twin of another measure takes it: with some replies as wrong, say."""
        return cell

    def groups(self, cell: Cell) -> Sequence[str]:
        return self.names

    @abstractmethod
    def rows(self, cell: Cell) -> Rows:
        """Per-item rows of one of the `cells`, or of a part of one."""

    def mapped(self, cell: Cell, trials: int | None = None) -> Rows:
        """Per-item rows of one of the `cells`: those of its parts (of so many trials), united.

        They are the same however it is cut. Answers of people and a measure that is `whole` are
        not.
        """
        if self.whole or People in cell:
            return self.rows(cell)
        return Rows.united((of, self.rows(part)) for of, part in cell.parts(trials))

    def split(self, totals: Floats) -> tuple[Floats, Floats]:
        """Numerators and denominators, (..., groups) each, of a statistic that is a ratio."""
        half = totals.shape[-1] // 2
        if self.layout == "halves":
            return totals[..., :half], totals[..., half:]
        if self.layout == "pairs":
            return totals[..., 0::2], totals[..., 1::2]
        return np.broadcast_arrays(totals[..., :-1], totals[..., -1:])  # type: ignore[return-value]

    def value(self, totals: Floats) -> Floats:
        """Values (..., groups) from totals (..., d); ratios of columns by default."""
        return ratio(*self.split(totals))

    @property
    def plain(self) -> bool:
        """Whether every value is the ratio of two columns, and nothing is made of the ratios."""
        return type(self).value is Measure.value

    @property
    def apart(self) -> bool:
        """Whether every group has trials of its own: those in its denominator."""
        return self.plain and self.layout != "shared"

    def families(self, cell: Cell) -> Sequence[Family]:
        """The family of each group's statistic."""
        share = self.plain and self.unit == "fraction"
        return [self.family or (SHARE if share else REFIT)] * len(self.groups(cell))

    def limits(self, cell: Cell) -> tuple[float, float]:
        """The range of the values in the measure's unit; of differences it is known."""
        if self.span is not None:
            return self.span
        return (0.0, 1.0) if self.unit == "fraction" else (-np.inf, np.inf)

    def chances(self, cell: Cell) -> Floats | None:
        """What guessing would give to each item, of those trials that its value is of, (items,).

        None where that means nothing, or does not depend on items.
        """
        return None

    def entered(self, cell: Cell) -> Floats:
        """How much each item weighs in the value, (items,)."""
        return np.asarray(self.split(self.mapped(cell).rows)[1][:, 0])

    def baseline(self, cell: Cell) -> float | None:
        """What guessing would give to the items that enter, weighted as they are.

        None where that means nothing, or no item enters.
        """
        chances = self.chances(cell)
        return self.chance if chances is None else weighted_mean(chances, self.entered(cell))

    def baselines(self, cell: Cell) -> Sequence[float | None]:
        """What guessing would give to each group."""
        return [self.baseline(cell)] * len(self.groups(cell))

    def null(self, cell: Cell, seed: int) -> Floats | None:
        """Values of the measure when there is no effect, (draws,); None where not needed."""
        return None

    def drawn(self, cell: Cell, rows: Rows) -> Floats:
        """How many trials of each item `null` takes for independent of each other, (items,).

        Its range and p stand only where no cluster has more than one.
        """
        return np.asarray(cell.asked.sum(axis=1), dtype=np.float64)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Element-wise ratio, NaN where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator == 0, np.nan, numerator / denominator)


def weighted_mean(values: Floats, weight: Floats) -> float | None:
    """The mean of values; None without weight."""
    whole = float(weight.sum())
    return float((values * weight).sum()) / whole if whole else None


def item_means(values: npt.NDArray[Any], where: npt.NDArray[np.bool_]) -> Floats:
    """Rows (mean over an item's trials, 1); zeros for items without any."""
    counts = where.sum(axis=1)
    sums = np.where(where, values, 0).sum(axis=1)
    used = counts > 0
    means = np.divide(sums, counts, out=np.zeros(len(counts)), where=used)
    return np.column_stack([means, used]).astype(np.float64)


def of_trials(
    cell: Cell, values: npt.NDArray[Any], among: Bools, missing: int | None = None
) -> Rows:
    """Each item's mean over the trials `among` some; missing are those without a reading, where no
    other number is given."""
    lost = cell.n_missing if missing is None else missing
    return Rows(item_means(values, among), int(among.sum()), lost)


def of_items(
    values: npt.NDArray[Any] | np.bool_, used: Bools | np.bool_, wanted: Bools | np.bool_
) -> Rows:
    """Values of the items that are `used`, (items,) or (items, groups), over their number; missing
    are other items that are `wanted`."""
    used, wanted = np.asarray(used), np.asarray(wanted)
    rows = np.column_stack([values, np.ones(len(used))])
    return Rows(np.where(used[:, None], rows, 0.0), int(used.sum()), int((wanted & ~used).sum()))


def grouped(hits: npt.NDArray[Any], among: Bools, within: Bools, lost: Bools | None = None) -> Rows:
    """The same value by group: rows for the layout "halves".

    Args:
        hits: the value of each trial, (items, trials).
        among: the trials that enter.
        within: which groups a trial belongs to, (items, trials or 1, groups).
        lost: the trials that should have entered and did not; without them nothing is missing.
    """
    entered = among[:, :, None] & within
    rows = np.concatenate([hits[:, :, None] * entered, entered], axis=2).sum(axis=1, dtype=float)
    missing = None if lost is None else (lost[:, :, None] & within).sum(axis=(0, 1)).tolist()
    return Rows(rows, int(among.sum()), 0 if lost is None else int(lost.sum()), missing=missing)
