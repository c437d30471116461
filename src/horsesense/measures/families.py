"""Which inference belongs to which kind of statistic: the one place that decides intervals and p.

A measure declares the family of its statistic; the data choose nothing. Every family gives an
interval and, where a null value means something, a p-value by the same test: p < alpha exactly
where the interval at 1 - alpha leaves out the null. Where nothing valid can be said there is no
interval, and the reason stands in its place. Methods, assumptions and what was measured of each:
`docs/statistics.md`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from horsesense.stats.change import TOO_FEW, Change
from horsesense.stats.quotient import Quotient
from horsesense.stats.relabelled import preference
from horsesense.stats.share import Share
from horsesense.stats.smooth import Located, Pseudo, jackknife, smooth
from horsesense.stats.spread import Spread, correlation
from horsesense.stats.two_way import Floats, Ints, mean_se

Value = Callable[[Floats], Floats]
Interval = tuple[float, float] | None

FEW_CLUSTERS = f"no interval: {TOO_FEW}"
NOTHING_VARIES = "no interval: nothing varies, and the value has no bounds"
NO_NOISE = "no interval: nothing varies"
NO_QUOTIENT = "no interval: nothing varies, or the mean below may be 0"
ONE_POSITION = "no interval: fewer than two positions have a right answer"


class Inference(NamedTuple):
    """What can be said of one value.

    Attributes:
        low, high: the interval; both None where nothing can be said, and `note` says why.
        how: name of the method, with the number of clusters.
        p_value: of the null value of the family, where it has one.
        about: the share or the paired difference behind it, which can be asked at other levels
            and against other values; None of other statistics.
    """

    low: float | None = None
    high: float | None = None
    how: str = ""
    p_value: float | None = None
    note: str = ""
    about: Share | Change | None = None


class Crossed(NamedTuple):
    """Rows of single outcomes that belong to an item and to a prompt shared with other items.

    Attributes:
        rows: (outcomes, d).
        item: which item of the cell each is about; for a family, the cluster of that item.
        bundle: which prompt it comes from, or which person: `name` says what it is called.
    """

    rows: Floats
    item: Ints
    bundle: Ints
    name: str = "prompts"

    @classmethod
    def united(cls, parts: Iterable[tuple[int, Self]]) -> Self:
        """The outcomes of a cell from those of its parts: the first item of each, and they."""
        found = [(each.rows, each.item + first, each.bundle) for first, each in parts]
        rows, item, bundle = map(np.concatenate, zip(*found, strict=True))
        return cls(rows, item, bundle)


class Answers(NamedTuple):
    """Single answers of people, and the weight of each in a value that is linear in them.

    Attributes:
        weight: what the value grows by where the answer is right and not wrong, (answers, groups);
            for a family, (answers,) of one group.
        right: 1 or 0, (answers,).
        centre: share of right answers in the same form, (answers,).
        item: which item of the cell each is about; for a family, the cluster of that item.
        person: who gave it.
    """

    weight: Floats
    right: Floats
    centre: Floats
    item: Ints
    person: Ints


class Items(NamedTuple):
    """Rows of single items, (items, d), and the number of each item's cluster."""

    rows: Floats
    cluster: Ints


class PairEvidence(NamedTuple):
    """One value of a measure and what it was made of.

    Attributes:
        rows: sums of each cluster, (clusters, d).
        value: totals (..., d) -> (...,).
        ratio: totals (..., d) -> numerator and denominator (...,), of statistics that are one.
        low, high: range of the statistic.
        shared: the single outcomes, where items share prompts.
        weighted: single answers, where people saw one form of several each.
        items: rows of single items, where known.
    """

    rows: Floats
    value: Value
    ratio: Callable[[Floats], tuple[Floats, Floats]]
    low: float
    high: float
    shared: Crossed | None = None
    weighted: Answers | None = None
    items: Items | None = None


class Family(ABC):
    """A kind of statistic."""

    @abstractmethod
    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        """Interval and p of one value."""


Ends = Callable[[Located, PairEvidence, float], Interval]


def inference(interval: Interval, how: str, reason: str, p_value: float | None = None) -> Inference:
    if interval is None:
        return Inference(note=reason)
    return Inference(float(interval[0]), float(interval[1]), how, p_value)


UNIT_RANGE = (0.0, 1.0)


class OfShare(Family):
    """A share, or a mean of values with known bounds; outcomes may share prompts."""

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        width = evidence.high - evidence.low
        rows = evidence.rows if evidence.shared is None else evidence.shared.rows
        total, trials = evidence.ratio(rows)
        hits = (total - evidence.low * trials) / width
        if evidence.shared is None:
            share = Share.of(hits, trials)
        else:
            share = Share.two_way(hits, trials, evidence.shared.item, evidence.shared.bundle)
        ends = share.interval(level)
        scaled = ends and (evidence.low + width * ends[0], evidence.low + width * ends[1])
        how = method_of("Clopper-Pearson", share.clusters, evidence)
        found = inference(scaled, how, FEW_CLUSTERS)
        plain = (evidence.low, evidence.high) == UNIT_RANGE
        return found._replace(about=share if plain else None)


class OfDifference(Family):
    """A mean of paired differences between -1 and 1; p of no difference."""

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        if evidence.shared is None:
            pairs = Change.of(*evidence.ratio(evidence.rows))
        else:
            total, _ = evidence.ratio(evidence.shared.rows)
            pairs = Change.two_way(total, evidence.shared.item, evidence.shared.bundle)
        how = method_of("signs of differences", pairs.clusters, evidence)
        p = None if pairs.reason else pairs.p()
        found = inference(pairs.interval(level), how, FEW_CLUSTERS, p)
        return found._replace(about=pairs)


@dataclass(frozen=True)
class OfCounts(Family):
    """A smooth function of counts, which pseudo-counts draw in.

    Attributes:
        value: totals (..., d) -> (..., 1), where it is not the measure's own value.
        pseudo: d -> where pseudo-counts are added; by default to each column.
    """

    value: Value | None = None
    pseudo: Callable[[int], Pseudo] = Pseudo.plain

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        value, own = evidence.value, self.value
        if own is not None:
            value = lambda totals: own(totals)[..., 0]  # noqa: E731
        pseudo = self.pseudo(evidence.rows.shape[1])
        low, high = evidence.low, evidence.high
        found = smooth(evidence.rows, value, pseudo, low, high, evidence.items)
        how = method_of("delta method", found.clusters, evidence)
        # Pseudo-counts draw it in, at low levels by more than the interval is wide.
        ends, shown = found.interval(level), float(evidence.value(evidence.rows.sum(axis=0)))
        held = ends and (min(ends[0], shown), max(ends[1], shown))
        return inference(held, how, _reason(found))


@dataclass(frozen=True)
class OfRefit(Family):
    """Any other function of totals: the jackknife over clusters.

    Attributes:
        ends: the interval at a level, where it is not Student's about the value.
        how: the name of the method.
        constant: why there is none where nothing varies.
    """

    ends: Ends = lambda found, _, level: found.interval(level)
    how: str = "jackknife"
    constant: str = NOTHING_VARIES

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        rows, cluster = (evidence.rows, None) if evidence.items is None else evidence.items
        found = jackknife(rows, evidence.value, evidence.low, evidence.high, cluster)
        how = method_of(self.how, found.clusters, evidence)
        return inference(self.ends(found, evidence, level), how, _reason(found, self.constant))


def _of_variance(found: Located, _: PairEvidence, level: float) -> Interval:
    """Of an estimate without bias, which is below 0 where the variance is about 0: the interval is
    that of 0 there, so that it keeps to values that a variance can have."""
    return found._replace(estimate=max(found.estimate, 0.0), low=0.0).interval(level)


def _without_noise(found: Located, evidence: PairEvidence, level: float) -> Interval:
    """Of a mean of absolute gaps, which noise makes positive: the last column is their number.

    The noise that gaps of 0 would have is taken off below, and not above: the mean of a half-normal
    variable (Leone, Nelson and Nottingham 1961), its variance from the squares of the clusters.
    """
    ends = found.interval(level)
    gaps, n = evidence.rows[:, :-1], evidence.rows[:, -1].sum()
    noise = float(np.sqrt(2 / np.pi * (gaps**2).sum(axis=0)).sum() / n)
    return ends and (max(evidence.low, ends[0] - noise), ends[1])


@dataclass(frozen=True)
class OfQuotient(Family):
    """The quotient of two means over the same items, from 0 without an upper end.

    Attributes:
        above, below, count: columns of the rows: what is summed, and the number of items.
    """

    above: int
    below: int
    count: int

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        columns = (evidence.rows[:, at] for at in (self.above, self.below, self.count))
        found = Quotient.of(*columns)
        ends = found.interval(level)
        kept = ends and (max(0.0, ends[0]), ends[1])
        reason = NO_QUOTIENT if found.clusters > 1 and found.even >= 1.5 else FEW_CLUSTERS
        return inference(kept, method_of("Fieller", found.clusters, evidence), reason)


class OfMean(Family):
    """A mean without bounds (numbers per prompt); outcomes may share prompts.

    A ratio of totals, linearised (Cochran 1977, chapters 6 and 9A), with Student's t.
    """

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        if evidence.shared is None:
            return REFIT.infer(evidence, level)
        total, trials = evidence.ratio(evidence.shared.rows)
        error = mean_se(total, trials, evidence.shared.item, evidence.shared.bundle)
        mean = float(total.sum() / trials.sum())
        low, high = evidence.low, evidence.high
        found = Located(mean, error.se, error.clusters, low, high, error.even)
        how = method_of("Student's t", error.clusters, evidence)
        return inference(found.interval(level), how, _reason(found))


@dataclass(frozen=True)
class OfSpread(Family):
    """The standard deviation of recalls, in points; p of equal recalls.

    Attributes:
        columns: d -> which columns hold the hits and the trials of each position.
    """

    columns: Callable[[int], tuple[slice, slice]]

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        hits, trials = (evidence.rows[:, part] for part in self.columns(evidence.rows.shape[1]))
        shares = [Share.of(h, m) for h, m in zip(hits.T, trials.T, strict=True)]
        n = np.array([s.effective if s.clusters else 0.0 for s in shares])
        recalls = np.array([s.estimate if s.clusters else 0.0 for s in shares])
        found = Spread.of(recalls * n, n, correlation(hits, trials))
        clusters = int(trials.any(axis=1).sum())
        if clusters < 2:
            return Inference(note=FEW_CLUSTERS)
        if found is None:
            return Inference(note=ONE_POSITION)
        low, high = found.interval(level)
        how = method_of("spread without noise", clusters, evidence)
        return Inference(100 * low, 100 * high, how, found.p())


@dataclass(frozen=True)
class OfPosition(Family):
    """How often a position is chosen, of items in orders that bring each option to each position
    as often; against the mean of 1 / options.

    Attributes:
        place: the position; rows of single items have choices, and then answers, of each.
    """

    place: int

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        assert evidence.items is not None
        rows, cluster = evidence.items
        choices, trials = np.split(rows, 2, axis=1)
        found = preference(choices, trials, cluster, self.place)
        how = method_of("relabelled positions", found.clusters, evidence)
        return inference(found.interval(level), how, FEW_CLUSTERS)._replace(about=found)


class OfAnswers(Family):
    """A sum of people's answers with weights, over items and people.

    A mean of forms (all weights positive, 1 in all) is a share with exact limits, the answers
    taken about the mean of their form; a difference of forms has Student's t.
    """

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        given = evidence.weighted
        if given is None or not len(given.weight):
            return UNKNOWN_OF_PEOPLE.infer(evidence, level)
        weight, n = given.weight, len(given.weight)
        value = float((weight * given.right).sum())
        residual = given.right - given.centre
        if (weight >= 0).all() and np.isclose(weight.sum(), 1):
            trials = weight * n
            share = Share.two_way(trials * (residual + value), trials, given.item, given.person)
            how = _of_both("Clopper-Pearson", given.item, given.person, "people")
            found = inference(share.interval(level), how, FEW_CLUSTERS)
            plain = (evidence.low, evidence.high) == UNIT_RANGE
            return found._replace(about=share if plain else None)
        error = mean_se(weight * residual, np.ones(n), given.item, given.person)
        width = evidence.high - evidence.low
        located = Located(value, n * error.se, error.clusters, -width, width, error.even)
        how = _of_both("Student's t", given.item, given.person, "people")
        return inference(located.interval(level), how, _reason(located), located.p(0.0))


@dataclass(frozen=True)
class Unknown(Family):
    """A statistic about which no method is known to be valid."""

    reason: str

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        return Inference(note=f"no interval: {self.reason}")


def _reason(found: Located, constant: str = NOTHING_VARIES) -> str:
    return constant if found.clusters > 1 and found.large_enough else FEW_CLUSTERS


def method_of(method: str, clusters: int, evidence: PairEvidence) -> str:
    if evidence.shared is None:
        return f"{method} ({clusters} clusters)"
    return _of_both(method, evidence.shared.item, evidence.shared.bundle, evidence.shared.name)


def _of_both(method: str, first: Ints, second: Ints, name: str) -> str:
    return f"{method} ({len(np.unique(first))} items x {len(np.unique(second))} {name})"


SHARE = OfShare()
DIFFERENCE = OfDifference()
REFIT = OfRefit()
VARIANCE = OfRefit(_of_variance)
AREA = OfRefit(lambda found, _, level: found.as_share(level), "Wilson score, jackknife", NO_NOISE)
"""An area under a ROC curve: Wilson's interval with the jackknife's standard error."""
MEAN = OfMean()
GAPS = OfRefit(_without_noise)
ANSWERS = OfAnswers()
UNKNOWN_OF_PEOPLE = Unknown("none is known over items and people")
SHARING: tuple[type[Family], ...] = (OfShare, OfDifference, OfMean)
"""Families that allow for outcomes that share prompts or people."""
