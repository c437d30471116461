"""What a sentence rests on: one share or paired difference, at any level of confidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from statistics import NormalDist
from typing import Final, Literal, Self

from horsesense.measures.estimate import Found
from horsesense.stats import functions
from horsesense.stats.equivalence import Interval, ruled_out
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

    @classmethod
    def of(cls, found: Found) -> Self | None:
        """The evidence of an estimate; None where it is no share and no paired difference."""
        e, about = found
        if about is None or about.n <= 0:
            return None
        where = e.measure, e.probe, e.condition, e.reader, e.group
        return cls(about, *where, e.n, e.counted, e.baseline, e.n_missing)

    @property
    def value(self) -> float:
        return self.about.estimate

    def interval(self, level: float) -> Interval:
        return self.about.interval(level)

    def p_found(self, way: Way, null: float, size: float) -> float:
        """p of "there is no such fault"; 1 where nothing can be said."""
        if way == "both":
            p = self.about.p(null) if isinstance(self.about, Shares) else self.about.p()
            return 1.0 if p is None else p
        return self._side(*faulty(way, null, size))

    def p_ruled_out(self, way: Way, null: float, size: float) -> float:
        """p of "there is such a fault, of at least the size that matters"; 1 likewise."""
        return self._side(*harmless(way, null, size))

    def _side(self, low: float, high: float) -> float:
        """p of a truth outside of (low, high), from intervals; for shares also exact.

        The intervals of shares were simulated for nulls of .2 and more; near 0 and 1 they are
        held to the binomial tail of the effective sample (Korn and Graubard 1998), in which a
        cluster that agrees is one event. Differences that all go one way are held to it likewise.
        """
        if self.interval(0.5) is None:
            return 1.0
        p = ruled_out(self.interval, low, high)
        p = 1.0 if p >= 0.5 else p
        if isinstance(self.about, Shares):
            return max(p, binomial_tail(self.about, low, high))
        return max(p, self.about.tail(low, high))


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


def binomial_tail(share: Shares, low: float, high: float) -> float:
    """The larger chance of what was seen, or more, at either bound; effective hits and trials.

    One cluster that is hit as a whole is one event, however many trials it has, whatever the
    variance of many small clusters beside it says: trials are worth no more than their number
    over the size of the lumps in which the rare outcome came.
    """
    above = below = 0.0
    if low > 0:
        n, hits = _worth(share, share.lumps[0])
        above = float(functions.betainc(hits, n - hits + 1, low)) if hits > 0 else 1.0
    if high < 1:
        n, hits = _worth(share, share.lumps[1])
        below = float(functions.betainc(n - hits, hits + 1, 1 - high)) if hits < n else 1.0
    return max(above, below)


def _worth(share: Shares, lump: float) -> tuple[float, float]:
    """Independent trials that the share's trials are worth at most, and hits among them."""
    n = min(share.effective, share.n / max(lump, ROUNDING))
    return n, n * share.estimate


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
) -> int | None:
    """Clusters like these at which the test itself would settle the matter, with a power of .8.

    Where the value is a fault of the size that matters, to find it if it is as large as it looks;
    else, or where `none` is supposed, to rule the fault out if there is none, in all of so many
    `members` that one sentence speaks for. None where no number up to `MOST` would.
    """
    truth, finds = (null, False) if none else _supposed(evidence, way, null, size)
    evidence = replace(evidence, about=_noisier(evidence.about))
    power = 0.8 if finds else 1 - 0.2 / members

    def settles(clusters: int) -> bool:
        times = clusters / evidence.about.clusters
        e = _expected(evidence, truth, finds, way, null, times, power)
        p = e.p_found if finds else e.p_ruled_out
        return p(way, null, size) <= alpha

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


def _noisier(about: Shares | Paired) -> Shares | Paired:
    """A difference as if one more cluster differed, by as much as those that do on average.

    The noise of a few clusters is uncertain, and too little of it costs more power than too much
    gives: as it was seen, numbers from 20 items settled .57 of what was to be settled with .8.
    """
    if isinstance(about, Shares):
        return about
    about = about.normal()
    moments = (
        m._replace(dd=m.dd + (m.dd / m.size) ** 2, size=m.size + m.dd / m.size) if m.size else m
        for m in about.moments
    )
    return replace(about, moments=tuple(moments))


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

    For .8 it lies .84 standard errors (1.28 where both ends count) on the unfavourable side.
    """
    about = scaled(evidence.about, times, truth)
    ends = about.interval(0.95)
    if ends is None or constant(about):
        return replace(evidence, about=about)
    error = (ends[1] - ends[0]) / (2 * NORMAL.inv_cdf(0.975))
    power = (1 + power) / 2 if way == "both" and not finds else power
    up = {"above": not finds, "below": finds, "lacks": finds, "both": truth <= null}[way]
    worse = truth + (1 if up else -1) * error * NORMAL.inv_cdf(power)
    return replace(evidence, about=scaled(evidence.about, times, worse))


def scaled(about: Shares | Paired, times: float, value: float) -> Shares | Paired:
    """The same kind of data with another number of clusters, about another value."""
    n, clusters = about.n * times, max(1, round(about.clusters * times))
    if isinstance(about, Shares):
        value = min(max(value, 0.0), 1.0)
        now, then = about.estimate * (1 - about.estimate), value * (1 - value)
        ratio = times * (then / now if now > 0 else 1.0)
        return replace(
            about,
            hits=value * n,
            n=n,
            squares=about.squares * ratio if now > 0 else n * about.mean_size * then,
            spread=about.spread * ratio if now > 0 else n * about.mean_size * then,
            clusters=clusters,
            even=about.even * times,
        )
    about = about.normal()
    moments = tuple(Moments(*(part * times for part in m)) for m in about.moments)
    differing, total = round(about.differing * times), (value - about.centre) * n
    return replace(about, total=total, n=n, clusters=clusters, differing=differing, moments=moments)


def constant(about: Shares | Paired) -> bool:
    """Whether every cluster said the same."""
    return about.smallest == 0 if isinstance(about, Paired) else about.estimate in (0, 1)
