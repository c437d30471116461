"""Deciding early: tests and bands for the mean of a finite population, valid at every look.

A finding has a fixed difference d in [-1, 1] for each of N items, and its effect is their mean
over *these* N items. Items are drawn in a random order without replacement. Against each of three
null hypotheses somebody bets on the next difference at odds that are fair if the null holds: the
stake then grows beyond 1/alpha at any time with probability alpha at most (Ville 1939), however
often one looks, and whatever depends on what. The bets are those of Waudby-Smith and Ramdas
("Estimating means of bounded random variables by betting", 2024, section 5, arXiv 2010.09686;
without replacement: 2020, arXiv 2006.04347), for several sizes of an effect at once.

Assumed: the order is random and was fixed before the first answer, and the bets of a finding use
its own past alone. Not covered: new items, and other draws at a temperature above 0 (the mean is
that of the answers which these items would have got).

State is never stored: it is a function of the differences in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int8]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Spread:
    """How a stake is spread over bets; any spread is valid.

    Attributes:
        sizes: effects beyond the bound for which the bets are best, in multiples of the smallest
            size that matters.
        shares: of the stake, one for each size.
        sure: where the mean so far lies beyond the bound by more than a size even when so many
            standard errors are taken off, the bet is on that effect instead; 0 for never.
        timid: bets are in proportion to the sum so far until it is so many standard deviations
            from 0: its sign, which says which way to bet, may be chance; 0 for never.
    """

    sizes: tuple[float, ...]
    shares: tuple[float, ...]
    sure: float = 0.0
    timid: float = 0.0


BANDS = Spread((0.4, 0.8, 4.0), (0.3, 0.6, 0.1))
"""Of bands, of which any mean may be the end."""
LARGE = Spread((0.25, 0.6, 0.8), (0.03, 0.54, 0.43), sure=1.75)
"""Against an effect of at least the smallest size in one direction."""
SMALL = Spread((0.25, 0.6, 1.0, 3.0), (0.03, 0.6, 0.3, 0.07), sure=1.75, timid=1.5)
"""Against an effect below the smallest size, in the direction in which the mean lies so far."""
LARGEST_LOSS = 0.75
"""No bet can lose more than this share of the stake."""
RICH = 1e100
"""Stakes are cut here: far beyond any threshold, and products of them stay finite."""
CHUNK = 64
"""Items whose factors are multiplied at once; 64 factors cannot exceed what a float holds."""
ROUNDING = 1e-9

OPEN, RULED_OUT, UP, DOWN, CANNOT_TELL = range(5)
"""Codes of decisions; OPEN while items are left to be asked."""
KINDS = ("open", "ruled_out", "found", "found", "cannot_tell")
"""What a code means in a verdict."""


@dataclass(frozen=True, slots=True)
class Design:
    """What is fixed before the first look at a finding.

    Attributes:
        units: N, the items that could be asked.
        delta: smallest effect that matters, in (0, 1).
        alpha: share of the error budget of this finding, in (0, 1): no wrong decision at any look
            is likelier than that.
        spread: prior sum of squared differences; only how bold the first bets are.
    """

    units: int
    delta: float
    alpha: float
    spread: float = 1.5


def in_random_order(ids: Sequence[str], seed: int) -> list[str]:
    """Ids sorted by SHA-256 of "seed|id": a random order that needs nothing but the seed."""
    return sorted(ids, key=lambda name: sha256(f"{seed}|{name}".encode()).digest())


def ends_of(d: Floats, least: float = -1.0) -> Floats:
    """The lowest and the highest that each unit can be, (2, ...): of NaN, `least` and 1."""
    return np.stack([np.nan_to_num(d, nan=end) for end in (least, 1.0)])


def _check(d: Floats) -> None:
    """ValueError for a difference that is none: bets on it would have no error rate."""
    if np.any(np.abs(d) > 1 + ROUNDING):
        least, most = np.nanmin(d), np.nanmax(d)
        raise ValueError(f"differences lie between -1 and 1, and these between {least} and {most}")


@dataclass
class _Past:
    """Sums over the units that were seen, with missing ones as low (0) and as high (1) as can be.

    `total` and `squares` have the shape (2, studies).
    """

    design: Design
    seen: int
    total: Floats
    squares: Floats

    @classmethod
    def none(cls, design: Design, studies: int) -> _Past:
        return cls(design, 0, np.zeros((2, studies)), np.zeros((2, studies)))

    def look(self, d: Floats) -> _Ahead:
        """What is known before each of some further units, and add them; see `Decision.extend`."""
        filled = d if d.ndim == 3 else ends_of(d)
        totals = self.total[..., None] + np.cumsum(filled, axis=-1)
        squares = self.squares[..., None] + np.cumsum(filled**2, axis=-1)
        step = self.seen + 1 + np.arange(d.shape[-1])
        before = totals - filled
        spread = (self.design.spread + squares - filled**2) / (step + 9) - (
            before / (step + 9)
        ) ** 2
        ahead = _Ahead(
            self.design, filled, before, np.maximum(1e-4, spread), self.design.units - step + 1
        )
        self.seen += d.shape[-1]
        self.total, self.squares = totals[..., -1], squares[..., -1]
        return ahead


@dataclass(frozen=True)
class _Ahead:
    """Some further units, with what was known before each: all (2, studies, units) but `left`.

    Attributes:
        d: the units; missing ones as low (0) or as high (1) as can be.
        before: sum of the units before.
        spread: their estimated variance.
        left: units that were not yet seen, the one itself included, (units,).
    """

    design: Design
    d: Floats
    before: Floats
    spread: Floats
    left: npt.NDArray[np.intp]

    def of(self, side: int | Codes) -> tuple[Floats, Floats, Floats]:
        """Units, sums and variances that are worst for a bet on this side."""
        if isinstance(side, int):
            place = 0 if side > 0 else 1
            return self.d[place], self.before[place], self.spread[place]
        up = side >= 0
        d, before, spread = (np.where(up, a[0], a[1]) for a in (self.d, self.before, self.spread))
        return d, before, spread

    def lowest(self) -> Floats:
        """Smallest possible mean of all units after each, (studies, units)."""
        known = self.before[0] + self.d[0]
        return np.asarray((known - (self.left - 1)) / self.design.units, dtype=np.float64)

    def highest(self) -> Floats:
        """Largest possible mean of all units after each, (studies, units)."""
        known = self.before[1] + self.d[1]
        return np.asarray((known + (self.left - 1)) / self.design.units, dtype=np.float64)

    def factors(
        self, bound: Floats | float, side: int | Codes, bets: Spread, *, leave: bool = False
    ) -> list[Floats]:
        """What each unit makes of a stake of 1, for each size of `bets`: that the mean of all
        units lies above `bound` (side 1) or below it (side -1); side 0 bets nothing.

        Where the bound can no longer be passed the stake is lost, unless it is left as it is.
        Where it is certainly passed nothing is bet: `lowest` and `highest` say so.
        """
        design = self.design
        d, before, spread = self.of(side)
        mean = (design.units * bound - before) / self.left
        against = side * mean
        room = LARGEST_LOSS / np.maximum(1 + against, 1e-12)
        gain = side * (d - mean)
        step = design.units + 1 - self.left
        if bets.timid:
            plain = np.sqrt(spread * np.maximum(1, step - 1)) * bets.timid
            gain = gain * np.clip(side * before / plain, 0, 1)
        scale = design.units / self.left
        surely: Floats | float = 0.0
        if bets.sure:
            error = np.sqrt(spread / (step * scale))
            surely = side * (before / step - bound) - bets.sure * error
        out = []
        for size in bets.sizes:
            goal = np.maximum(size * design.delta, surely) * scale
            bet = np.minimum(goal / (spread + goal**2), room)
            factor = 1 + bet * gain
            factor = np.where(against > 1 + ROUNDING, 1.0 if leave else 0.0, factor)
            out.append(np.where(against < -1 - ROUNDING, 1.0, factor))
        return out


@dataclass
class _Stake:
    """What became of a stake of 1, by size of effect: (sizes, studies)."""

    held: Floats

    @classmethod
    def of(cls, bets: Spread, studies: int) -> _Stake:
        return cls(np.repeat(np.array(bets.shares)[:, None], studies, axis=1))

    def multiplied(self, factors: Sequence[Floats]) -> Floats:
        """The stake after each unit, (studies, units); the last one is kept."""
        total = np.zeros_like(factors[0])
        for place, factor in enumerate(factors):
            grown = self.held[place][:, None] * np.cumprod(factor, axis=-1)
            self.held[place] = np.minimum(grown[:, -1], RICH)
            total += grown
        return total


class Decision:
    """The decisions of one finding in one or many studies, unit by unit.

    A difference of at least delta either way is "found", a smaller one is "ruled out". Each is
    claimed when the null hypotheses against it are given up: the effect is at least delta (C), at
    most -delta (D), or within (F). One of the three is true, and each wrong claim would have to
    give up the true one: all wrong claims together have probability alpha at most, over all looks.

    Attributes:
        code: decision of each study, (studies,); see `OPEN` and its neighbours.
        at: number of units at which it fell, (studies,); 0 while open.
        certain, certain_at: the same of what follows from the units seen without any bet.
        seen: number of units so far.

    >>> decision = Decision(Design(units=1000, delta=0.05, alpha=0.05))
    >>> decision.extend(np.full((1, 100), 1.0)).kind, int(decision.at[0])
    ('found', 13)
    """

    def __init__(self, design: Design, studies: int = 1) -> None:
        self.design = design
        self.code = np.zeros(studies, dtype=np.int8)
        self.at = np.zeros(studies, dtype=np.int64)
        self.certain, self.certain_at = self.code.copy(), self.at.copy()
        self._past = _Past.none(design, studies)
        self._stakes = [_Stake.of(bets, studies) for bets in (LARGE, LARGE, SMALL)]
        self._crossed: Bools = np.zeros((3, studies), dtype=np.bool_)

    @property
    def seen(self) -> int:
        return self._past.seen

    @property
    def kind(self) -> str:
        """The decision of the first study, in words."""
        return KINDS[int(self.code[0])]

    @property
    def told(self) -> tuple[int, int]:
        """The decision of the first study and where it fell: what is certain is not inferred.

        Units that were asked for another finding's sake can show that a decision was wrong, which
        only lowers the error. It stays in `code`, since asking stopped by it.
        """
        if self.certain[0] != OPEN and self.certain[0] != self.code[0]:
            return int(self.certain[0]), int(self.certain_at[0])
        return int(self.code[0]), int(self.at[0])

    def extend(self, d: Floats) -> Decision:
        """Look at further units, (studies, units), values in [-1, 1] or NaN where missing; or at
        the lowest and the highest that each can be, (2, studies, units).

        What is missing counts as the worst that it can be for each bet: those against a high mean
        are on the highest values, whose mean is no lower than the true one, and the others on the
        lowest. So this is valid whatever made it missing. (At temperature 0 an answer is asked for
        again first.) A decision, once taken, stays. ValueError for values outside of [-1, 1], and
        for more units than there are.
        """
        if self.seen + d.shape[-1] > self.design.units:
            raise ValueError(f"more than {self.design.units} units")
        _check(d)
        for start in range(0, d.shape[-1], CHUNK):
            self._chunk(d[..., start : start + CHUNK])
        if self.seen == self.design.units:
            undecided = self.code == OPEN
            self.code[undecided], self.at[undecided] = CANNOT_TELL, self.seen
        return self

    def keep(self, chosen: Bools) -> None:
        """Go on with some of the studies alone."""
        self.code, self.at = self.code[chosen], self.at[chosen]
        self.certain, self.certain_at = self.certain[chosen], self.certain_at[chosen]
        self._crossed = self._crossed[:, chosen]
        self._past.total = self._past.total[:, chosen]
        self._past.squares = self._past.squares[:, chosen]
        for stake in self._stakes:
            stake.held = stake.held[:, chosen]

    def _chunk(self, d: Floats) -> None:
        start, delta = self.seen, self.design.delta
        ahead = self._past.look(d)
        direction = np.sign(ahead.before.sum(axis=0)).astype(np.int8)
        given_up = (
            ahead.factors(delta, -1, LARGE),
            ahead.factors(-delta, 1, LARGE),
            ahead.factors(direction * delta, direction, SMALL, leave=True),
        )
        low, high = ahead.lowest(), ahead.highest()
        up, down = low >= delta - ROUNDING, high <= -delta + ROUNDING
        below, above = high < delta - ROUNDING, low > -delta + ROUNDING
        crossed = [
            self._after(place, factors, certain)
            for place, (factors, certain) in enumerate(
                zip(given_up, (below, above, up | down), strict=True)
            )
        ]
        # Nothing that was crossed before speaks against what is certain.
        certain = np.select([up, down, below & above], [UP, DOWN, RULED_OUT], OPEN)
        code = np.where(certain == OPEN, _decided(*crossed), certain)
        _settle(self.code, self.at, code, start)
        _settle(self.certain, self.certain_at, certain, start)

    def _after(self, place: int, factors: Sequence[Floats], certain: Bools) -> Bools:
        """Whether a null was given up at or before each unit, (studies, units)."""
        stake = self._stakes[place].multiplied(factors)
        crossed = (stake >= 1 / self.design.alpha) | certain
        crossed[:, 0] |= self._crossed[place]
        crossed = np.logical_or.accumulate(crossed, axis=1)
        self._crossed[place] = crossed[:, -1]
        return crossed


def _settle(code: Codes, at: Counts, found: npt.NDArray[np.integer], start: int) -> None:
    """Keep the first decision after each of some units, (studies, units), where there is none."""
    new = (found != OPEN).any(axis=1) & (code == OPEN)
    first = (found != OPEN).argmax(axis=1)[new]
    code[new], at[new] = found[new, first], start + 1 + first


def _decided(below: Bools, above: Bools, beyond: Bools) -> Codes:
    """Codes from the nulls that were given up: effect >= delta, <= -delta, and in between."""
    return np.select(
        [below & above & beyond, below & above, beyond & above, beyond & below],
        [CANNOT_TELL, RULED_OUT, UP, DOWN],
        OPEN,
    ).astype(np.int8)


class Band:
    """The means that a finding's differences leave possible, valid at every look.

    Every mean that neither one-sided bet has given up at 2/alpha so far; what was given up once
    stays so (a running intersection). The bands of all looks together contain the mean of all
    units with probability 1 - alpha. What a bet gives up is monotone in the mean, so that the ends
    are found on a grid, and rounded outwards.

    Args:
        means: the grid, ascending; by default 401 points from -1 to 1.
    """

    def __init__(self, design: Design, means: Floats | None = None) -> None:
        self.design = design
        self.means = np.linspace(-1, 1, 401) if means is None else means
        self._past = _Past.none(design, 1)
        self._stakes = {side: _Stake.of(BANDS, len(self.means)) for side in (1, -1)}
        self._given_up = {side: np.zeros(len(self.means), dtype=np.bool_) for side in (1, -1)}
        self._possible = (-1.0, 1.0)

    def extend(self, d: Floats) -> Band:
        """Look at further units, (units,), NaN where missing; or at their ends, (2, units)."""
        _check(d)
        for start in range(0, d.shape[-1], CHUNK):
            ahead = self._past.look(d[..., None, start : start + CHUNK])
            for side, given_up in self._given_up.items():
                factors = ahead.factors(self.means[:, None], side, BANDS)
                stake = self._stakes[side].multiplied(factors)
                given_up |= (stake >= 2 / self.design.alpha).any(axis=1)
            self._possible = float(ahead.lowest()[0, -1]), float(ahead.highest()[0, -1])
        return self

    @property
    def _left(self) -> tuple[float, float]:
        """What the bets and what was seen leave; the first is the larger where that is nothing."""
        too_low, too_high = (self.means[self._given_up[side]] for side in (1, -1))
        low, high = self._possible
        return max(low, float(too_low.max(initial=-1.0))), min(high, float(too_high.min(initial=1)))

    @property
    def empty(self) -> bool:
        """Whether every mean was given up, though more than one is possible: bets were wrong."""
        low, high = self._left
        return low >= high and self._possible[0] < self._possible[1]

    def ends(self) -> tuple[float, float]:
        """The band now: lowest and highest mean; what is possible at all where it is empty."""
        low, high = self._left
        return (low, high) if low < high else self._possible


def _finely(d: Floats, design: Design) -> Band:
    """The band after the units `d`, to a ten-thousandth or better."""
    grid = np.linspace(-1, 1, 201)
    for _ in range(2):
        found = Band(design, grid).extend(d)
        if found.empty:
            break
        low, high = found.ends()
        step = float(grid[1] - grid[0])
        fine = np.linspace(0, step, 101)
        grid = np.unique(np.clip(np.concatenate([low + fine, high - step + fine]), -1, 1))
    return found


def band(d: Floats, design: Design) -> tuple[float, float]:
    """The band after the units `d`, as `Band.extend` takes them; see `Band.ends`."""
    return _finely(d, design).ends() if d.shape[-1] else (-1.0, 1.0)


def with_band(code: int, d: Floats, design: Design) -> tuple[int, float, float]:
    """A decision after the units `d` and the band, cut to it: together they hold at 1 - 2 alpha.

    Where they contradict each other one of them is wrong, and nothing can be told.
    """
    delta = design.delta
    bounds = {RULED_OUT: (-delta, delta), UP: (delta, 1.0), DOWN: (-1.0, -delta)}
    if code not in bounds or not d.shape[-1]:
        return code, *band(d, design)
    found, (least, most) = _finely(d, design), bounds[code]
    low, high = found.ends()
    if least - ROUNDING <= low and high <= most + ROUNDING:
        return code, low, high
    cut_low, cut_high = max(low, least), min(high, most)
    if found.empty or cut_high - cut_low <= ROUNDING:
        return CANNOT_TELL, low, high
    return code, cut_low, cut_high
