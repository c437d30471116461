"""What a sentence rests on: one share or paired difference, at any level of confidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, sqrt
from statistics import NormalDist
from typing import Final, Literal, Self

from horsesense.measures.estimate import Found, Unknown
from horsesense.stats.equivalence import Interval, ruled_out, within
from horsesense.stats.guessed import Guessed
from horsesense.stats.hidden import Sizes, beside_others, hidden
from horsesense.stats.paired import Moments, Paired
from horsesense.stats.shares import Shares
from horsesense.trials.condition import Condition

Way = Literal["above", "below", "both", "lacks"]
"""Which truth is a fault: one above the null, below it, on either side of it; or, for "lacks",
one that does not reach the null plus the size that matters."""


NORMAL: Final = NormalDist()
ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Evidence:
    """One statistic of a run, with the inference that belongs to it.

    Attributes:
        about: the share or the paired difference.
        measure, probe, condition, reader, group: what was measured, and where.
        n, counted: trials or items behind it.
        baseline: what guessing gives, where the measure knows it.
        missing: trials or items that lack a reply.
        unknown: what missing replies leave open; None where that is nothing, or not known.
        finds: what finds it (see `open_ended`).
    """

    about: Shares | Paired
    measure: str
    probe: str
    condition: Condition
    reader: str
    group: str
    n: int
    counted: str
    baseline: float | None
    missing: int = 0
    unknown: Unknown | None = None
    finds: Callable[[], Unknown | None] | None = None

    @classmethod
    def of(cls, found: Found) -> Self | None:
        """The evidence of an estimate; None where it is no share and no paired difference."""
        e, about, finds = found
        if about is None or about.n <= 0:
            return None
        where = e.measure, e.probe, e.condition, e.reader, e.group
        return cls(about, *where, e.n, e.counted, e.baseline, e.n_missing, finds=finds)

    def open_ended(self) -> Self:
        """The same, held to whatever the missing replies may have been.

        Its interval reaches from the lower end of the lowest that the value can be to the upper end
        of the highest, so that a fault is found where it is there whatever is missing, and ruled
        out where none is.
        """
        unknown = self.finds() if self.finds is not None else None
        if unknown is None:
            return self
        baseline = self.baseline if unknown.baseline is None else unknown.baseline
        return replace(self, unknown=unknown, baseline=baseline)

    def as_answered(self) -> Self:
        """The same, as if what is missing were like what is there."""
        return replace(self, unknown=None)

    def each(self, of: Callable[[Shares | Paired], Shares | Paired]) -> Self:
        """The same with what is behind the value, and both of its ends, as `of` makes them."""
        ends = self.unknown and self.unknown._replace(
            low=of(self.unknown.low), high=of(self.unknown.high)
        )
        return replace(self, about=of(self.about), unknown=ends)

    @property
    def clusters(self) -> int:
        """How many it is of, those that lack their replies too."""
        return (self.about if self.unknown is None else self.unknown.low).clusters

    @property
    def value(self) -> float:
        return self.about.estimate

    def interval(self, level: float, way: Way = "both", *, found: bool = True) -> Interval:
        """The truths that are not rejected at `level`, on which every p here rests.

        It reaches as far as either of two intervals does. Those of the score test were simulated
        for nulls of .2 and more; near 0 and 1 shares are held to the binomial tail of the
        effective sample (Korn and Graubard 1998), in which a cluster that agrees is one event.
        Differences that all go one way are held to it likewise. Of items that guessing hits with
        chances of their own, the lower end is that of guesses up to the mean of these (`guessed`).
        On the side on which a truth is a fault it reaches as far as what clusters that show nothing
        could hide (`_hiding`). Where replies are missing, each end is that of what they can make of
        the value at most (`open_ended`).
        """
        if self.unknown is not None:
            least, most = (
                replace(self, about=about, unknown=None).interval(level, way, found=found)
                for about in self.unknown[:2]
            )
            if least is None or most is None:
                return None
            return min(least[0], self.value), max(most[1], self.value)
        ends = self.about.interval(level)
        if ends is None:
            return None
        alpha = (1 - level) / 2
        if isinstance(self.about, Shares):
            low, high = self.about.tail_ends(alpha)
        else:
            low, high = self.about.one_way_ends(alpha)
        low, high = min(ends[0], low), max(ends[1], high)
        if isinstance(self.about, Guessed):
            low = self.about.lower(low, alpha)
        return self._hiding((low, high), alpha, way, found)

    def _hiding(
        self, ends: tuple[float, float], alpha: float, way: Way, found: bool
    ) -> tuple[float, float]:
        """The same, held out to what clusters that show nothing could hide, on the fault's side.

        That is what the value would be if as much of it as clusters could hide were a fault (see
        `stats.hidden`). Where a fault in either direction is `found`, the end that leaves out none
        still does: it is there among clusters of the kinds that were seen. What should lie above
        the null, and lacks, is held out at both ends: what would show it could be hidden as well.
        """
        about, value, (low, high) = self.about, self.value, ends
        paired = isinstance(about, Paired)
        share = (beside_others if paired and not constant(about) else hidden)(about.sizes, alpha)
        kept = (low > 0, high < 0) if found and way == "both" and paired else (False, False)
        if way != "above" and not kept[0]:
            low = min(low, value - share * (value - about.lowest))
        if way != "below" and not kept[1]:
            high = max(high, value + share * (1 - value))
        return low, high

    def p_found(self, way: Way, null: float, size: float) -> float:
        """p of "there is no such fault"; 1 where nothing can be said."""
        if way != "both":
            return self._side(way, *faulty(way, null, size))
        if isinstance(self.about, Paired):
            nearest = self._nearest
            p = None if nearest is None else nearest.p()
            return 1.0 if p is None else p
        return min(1.0, 2 * self._side(way, null, inf), 2 * self._side(way, -inf, null))

    @property
    def _nearest(self) -> Paired | None:
        """The difference behind the value, as near to none as missing replies can make it; None
        where they can make it none."""
        low, high = (self.about, self.about) if self.unknown is None else self.unknown[:2]
        assert isinstance(low, Paired)
        assert isinstance(high, Paired)
        if self.unknown is None or min(low.estimate, self.value) > 0:
            return low
        return high if max(high.estimate, self.value) < 0 else None

    def p_ruled_out(self, way: Way, null: float, size: float) -> float:
        """p of "there is such a fault, of at least the size that matters"; 1 likewise."""
        return self._side(way, *harmless(way, null, size))

    def _side(self, way: Way, low: float, high: float) -> float:
        """p of a truth outside of (low, high): the least level at which the interval lies within,
        so that no sentence disagrees with the interval beside it."""
        if self.interval(0.5) is None:
            return 1.0
        p = ruled_out(lambda level: self.interval(level, way, found=False), low, high)
        return 1.0 if p >= 0.5 else p


def faulty(way: Way, null: float, size: float) -> tuple[float, float]:
    """Between which values there is a fault, of a way with one side."""
    return {
        "above": (null, inf),
        "below": (-inf, null),
        "lacks": (-inf, null + size),
    }[way]


def harmless(way: Way, null: float, size: float) -> tuple[float, float]:
    """Between which values there is no fault of at least the size that matters."""
    return {
        "above": (-inf, null + size),
        "below": (null - size, inf),
        "lacks": (null, inf),
        "both": (null - size, null + size),
    }[way]


MOST = 10_000_000
"""Clusters beyond which no number is named."""


def clusters_needed(
    evidence: Evidence,
    way: Way,
    null: float,
    size: float,
    alpha: float,
    *,
    none: bool = False,
    members: int = 1,
    varies: float = 0.0,
) -> int | None:
    """Clusters like these at which the test itself would settle the matter, with a power of .8.

    Where the value is a fault of the size that matters, to find it if it is as large as it looks;
    else, or where `none` is supposed, to rule the fault out if there is none, in all of so many
    `members` that one sentence speaks for. None where no number up to `MOST` would. Where the null
    is a share of such items too, it `varies`: that is the variance of one item's part of it, which
    is added to the value's own.
    """
    truth, finds = (null, False) if none else _supposed(evidence, way, null, size)
    evidence = evidence.each(lambda about: _noisier(about, finds))
    power = 0.8 if finds else 1 - 0.2 / members

    def more(times: float) -> float:
        error = _error(scaled(evidence.about, times, truth))
        both = sqrt(error**2 + varies / (evidence.about.n * times))
        return NORMAL.inv_cdf(power) * (both - error)

    def settles(clusters: int) -> bool:
        times = clusters / evidence.about.clusters
        e = _expected(evidence, truth, finds, way, null, times, power)
        if finds and way == "both":
            return e.p_found(way, null, size) <= alpha
        bounds = faulty(way, null, size) if finds else harmless(way, null + more(times), size)
        return within(e.interval(1 - 2 * alpha, way, found=finds), *bounds)

    most = evidence.about.clusters
    while not settles(most):
        most *= 2
        if most > MOST:
            return None
    least = most // 2
    while most - least > max(1, most // 200):
        middle = (least + most) // 2
        least, most = (least, middle) if settles(middle) else (middle, most)
    return most


def _noisier(about: Shares | Paired, finds: bool) -> Shares | Paired:
    """A difference as if one more cluster differed, and large clusters as often as small ones.

    The noise of a few clusters is uncertain, and too little of it costs more power than too much
    gives: as it was seen, numbers from 20 items settled .57 of what was to be settled with .8. The
    noise of a difference that is to be found is what goes the other way: two more clusters, at most
    as many as are seen to, so that none is added where all go one way. Large clusters that happen
    to agree show no noise of theirs: as large a share of them is supposed to differ as of all, each
    by as large a part as the least of those that do. Of a share in clusters, the variance is half
    of its standard error larger.
    """
    if isinstance(about, Shares):
        few = 0.0 if about.single else sqrt(0.5 / about.even)
        return replace(about, spread=about.spread * (1 + few))

    about = about.normal()

    def more(m: Moments) -> Moments:
        if not m.size:
            return m
        each = sqrt(m.fourth / m.dd) if m.fourth else m.dd / m.size
        added = min(2.0, (m.size - abs(about.total)) / each) if finds else 1.0
        part = about.smallest / about.mean_size
        unlike = added * max(1 - part, 0.0)
        size, dd = m.size + unlike * each, m.dd + unlike * each**2
        like = (about.differing + added) / about.clusters * part
        if like * part * m.mm > dd:
            size, dd = like * about.n, like * part * m.mm
        return m._replace(dd=dd, size=max(size, abs(about.total)))

    return replace(about, moments=tuple(map(more, about.moments)))


def _supposed(evidence: Evidence, way: Way, null: float, size: float) -> tuple[float, bool]:
    """The truth that is supposed, and whether it is a fault to be found.

    A value on the harmless side, from which no cluster departed, is believed half of the way from
    the null: what a few clusters did not show may be there.
    """
    value = evidence.value
    if way == "lacks":
        return (value, value <= null) if not null < value < null + size else (null + size, False)
    if looks_faulty(value, way, null, size):
        return value, True
    harmless_side = value < null if way == "above" else value > null
    return ((value + null) / 2 if harmless_side and constant(evidence.about) else null), False


def looks_faulty(value: float, way: Way, null: float, size: float) -> bool:
    """Whether a value lies at least the size that matters on the side that is a fault."""
    if way == "lacks":
        return value <= null
    return {"above": value - null, "below": null - value, "both": abs(value - null)}[way] >= size


def _expected(
    evidence: Evidence,
    truth: float,
    finds: bool,
    way: Way,
    null: float,
    times: float,
    power: float,
) -> Evidence:
    """As many times the clusters, with the value that a share `power` of studies would surpass.

    For .8 it lies .84 standard errors (1.28 where both ends count) on the unfavourable side. As
    large a share of the replies is missing, so that its ends are as far from it.
    """
    power = (1 + power) / 2 if way == "both" and not finds else power
    up = {"above": not finds, "below": finds, "lacks": finds, "both": truth <= null}[way]
    error = _error(scaled(evidence.about, times, truth))
    worse = (1 if up else -1) * error * NORMAL.inv_cdf(power)

    def expected(about: Shares | Paired) -> Shares | Paired:
        there = truth + about.estimate - evidence.value
        return moved(scaled(about, times, there), there + worse)

    return evidence.each(expected)


def _error(about: Shares | Paired) -> float:
    """Standard error of a value that is true, of as many clusters."""
    if isinstance(about, Shares):
        return sqrt(about.spread) / about.n
    value = about.total / about.n
    noise = about.noise if value == 0 else 1.0
    squares = max(noise * m.dd - 2 * value * m.dm + value**2 * m.mm for m in about.moments)
    return sqrt(max(squares, 0.0)) / about.n


def scaled(about: Shares | Paired, times: float, value: float) -> Shares | Paired:
    """The same kind of data with another number of clusters, about another true value."""
    n, clusters = about.n * times, max(1, round(about.clusters * times))
    if isinstance(about, Shares):
        grown = replace(
            about,
            hits=about.hits * times,
            n=n,
            squares=about.squares * times,
            spread=about.spread * times,
            clusters=clusters,
            even=about.even * times,
            sizes=_repeated(about.sizes, times),
        )
        return moved(grown, value)
    about = about.normal()
    shift = value - about.centre
    moments = tuple(
        Moments(m.dd * times, shift * m.mm * times, m.mm * times, m.size * times, m.fourth * times)
        for m in about.moments
    )
    differing = round(about.differing * times)
    return replace(
        about,
        total=shift * n,
        n=n,
        clusters=clusters,
        differing=differing,
        moments=moments,
        sizes=_repeated(about.sizes, times),
        lost=tuple(each.repeated(times) for each in about.lost),
    )


def _repeated(sizes: Sizes, times: float) -> Sizes:
    return tuple((size, count * times) for size, count in sizes)


def moved(about: Shares | Paired, value: float) -> Shares | Paired:
    """As many clusters that happen to show another value, with the noise that goes with it.

    A difference that is smaller than the true one has fewer changes in its direction, and so fewer
    changes: sizes that sum to L where the differences sum to S are regressed on S, with a slope of
    S / L; and as the sizes, so their squares.
    """
    if isinstance(about, Shares):
        value = min(max(value, 0.0), 1.0)
        now, then = about.estimate * (1 - about.estimate), value * (1 - value)
        whole = about.n * about.mean_size * then
        return replace(
            about,
            hits=value * about.n,
            squares=about.squares * then / now if now > 0 else whole,
            spread=about.spread * then / now if now > 0 else whole,
        )
    about = about.normal()
    more, shift = (value - about.estimate) * about.n, value - about.centre

    def seen(m: Moments) -> Moments:
        least = abs(shift) * about.n / m.size if m.size else 0.0
        ratio = max(1 + about.total * more / m.size**2, min(least, 1.0)) if m.size else 1.0
        return Moments(m.dd * ratio, shift * m.mm, m.mm, m.size * ratio, m.fourth * ratio)

    return replace(about, total=shift * about.n, moments=tuple(map(seen, about.moments)))


def constant(about: Shares | Paired) -> bool:
    """Whether every cluster said the same."""
    return about.smallest == 0 if isinstance(about, Paired) else about.estimate in (0, 1)
