"""The share of items that a model knows, with its interval, or why it cannot be told.

The classes are those of `known_classes`; the interval is that of the profile likelihood (at the
ends of the range 1 degree of freedom is conservative: Self and Liang 1987), and no end is nearer
than that of Clopper and Pearson (1934) of as many items, each known or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Self

import numpy as np
import numpy.typing as npt

from horsesense.stats import functions
from horsesense.stats import known_classes as classes
from horsesense.stats.binomial import limits
from horsesense.stats.known_classes import Fit, Floats, Ints, Parameters, ReplyPatterns
from horsesense.stats.share import Share
from horsesense.stats.words import plural, some_of

FEWEST = 30
"""Items of one number of options below which nothing is fitted to them."""
FEWEST_OF_THREE = 1000
"""The same of three options: five cells of items, four of them free, check three parameters, and
with 400 items no test of the fit could refuse models that are half sure in more than .67."""
CHECKABLE = 20
"""Items not right throughout below which the fit cannot be checked."""
WELL_CHECKED = 400
"""Items of one number of options below which models outside of the classes are often answered."""
REFUSED_AT = 0.05
"""p of the goodness of fit at or below which no share is given."""
MOST_UNCLEAR = 0.05
"""Share of items without a choice in every form above which no share is given."""
WITHOUT_CHOICE = "have a form without a clear choice"
"""What is true of them, unless it is known better."""
GRADED = "knowledge by degrees fits the answers as well as knowing or guessing"
"""Why no share is given where the classes are no clearly better description."""
DRAWS = 199
PROFILE_ITERATIONS = 60


NEEDS = (
    f"that takes {FEWEST} items with the same number of options, or {FEWEST_OF_THREE:,} if that"
    " number is three"
)
"""Why nothing is fitted."""
OF_TWO = (
    "with two options, the orders show too little to check the fit, however many items there are"
)
"""The same where no item has three."""


def fewest(k: int) -> float:
    """Items of k options below which nothing is fitted to them."""
    if k < 3:
        return inf
    return FEWEST_OF_THREE if k == 3 else FEWEST


@dataclass(frozen=True, eq=False)
class CountTable:
    """Items of one number of options: choices, (items, k), and clusters from 0, (items,)."""

    choices: Ints
    cluster: Ints
    data: ReplyPatterns

    @classmethod
    def of(cls, choices: npt.ArrayLike, cluster: npt.ArrayLike | None) -> Self:
        """ValueError unless each item has a cluster; None: each item is one of its own."""
        table = np.asarray(choices, dtype=np.int64)
        names = np.arange(len(table)) if cluster is None else np.asarray(cluster, dtype=np.int64)
        if names.shape != table.shape[:1]:
            raise ValueError("clusters are one number for each item")
        return cls(table, names, classes.patterns(table))

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """Whether each item is right in every order."""
        return np.asarray((self.choices == np.arange(self.data.k)).all(axis=1))


def right_throughout(tables: Sequence[CountTable]) -> Share:
    """The share of items that are right in every order.

    Its design effect, at least 1, and its degrees of Student's t are those of the deviance's limit.
    """
    cluster = np.concatenate([t.cluster for t in tables])
    right = np.concatenate([t.right for t in tables])
    n = np.bincount(cluster).astype(np.float64)
    return Share.of(np.bincount(cluster, weights=right).astype(np.float64), n)


@dataclass(frozen=True, kw_only=True)
class Known:
    """The estimated share known, or why there is none.

    Attributes:
        value, low, high: the share with its interval; None where it is refused.
        level: of the interval.
        n: items that the estimate is about: those with a number of options that enough share.
        unclear: items left out, for want of a choice in every form.
        rare: the other items, as pairs of a number of options and of how many have it; the
            estimate says nothing of them.
        lucky: `value` less the beliefs that are right by luck if beliefs are blind, b / (k - 1).
        p_value: of the goodness of fit, corrected for the numbers of options; None: unchecked.
        design_effect: by which clusters of items widen the interval, squared; None: refused.
        reason: why there is no value, or why the fit is unchecked, or hardly so; "" otherwise.
        fits: one for each number of options.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float
    n: int = 0
    unclear: int = 0
    rare: tuple[tuple[int, int], ...] = ()
    lucky: float | None = None
    p_value: float | None = None
    design_effect: float | None = None
    reason: str = ""
    fits: tuple[Fit, ...] = ()


@dataclass(frozen=True, eq=False)
class ProfileInterval:
    """Twice the drop of the log-likelihood from its peak, on a grid of shares known."""

    share: Floats
    deviance: Floats


def profile(data: ReplyPatterns, at: Parameters, reach: float) -> ProfileInterval:
    """The profile around a fit, as far as a deviance of about `reach` squared."""
    top = float(classes.log_likelihood(data, at)[0])
    peak = float(at.p[0])
    spread = np.sqrt(max(peak * (1 - peak), 1 / data.n) / data.n)
    # Root deviances are nearly straight lines in p, so that few points carry the whole curve;
    # at the edges of the range they are not, hence the points that grow towards there.
    steps = np.array([0.3, 0.7, 1.1, 1.6, 2.2, 3, 4, 5.5, 8]) * (reach / 2)
    nodes = np.concatenate([-steps[::-1], steps]) * spread + peak
    nodes = np.unique(np.clip(nodes, 0, 1))
    fixed = at.repeated(len(nodes))
    rest = (1 - nodes) / max(1 - peak, 1e-9)
    fixed = Parameters(nodes, np.minimum(fixed.b * rest + 1e-6, 1 - nodes), fixed.e, fixed.q)
    for _ in range(PROFILE_ITERATIONS):
        fixed = classes.em_step(data, fixed, fixed=True)
    drop = 2 * (top - classes.log_likelihood(data, fixed))
    root = np.sign(nodes - peak) * np.sqrt(np.maximum(drop, 0))
    nodes, root = np.append(nodes, peak), np.append(root, 0.0)
    order = np.argsort(nodes)
    share = np.linspace(nodes.min(), nodes.max(), 4001)
    return ProfileInterval(share, np.interp(share, nodes[order], root[order]) ** 2)


def profile_interval(
    profiles: Sequence[ProfileInterval], weights: Sequence[float], most: float
) -> tuple[float, float]:
    """Ends of the weighted sums of shares whose joint deviance is at most `most`.

    The sum is pushed outwards with growing force, each profile giving way as it may: combining
    the ends of separate intervals instead covers .79 where a share is 0 (simulated).
    """
    if len(profiles) == 1:
        inside = profiles[0].share[profiles[0].deviance <= most] * weights[0]
        return float(inside[0]), float(inside[-1])

    def sums(force: float) -> tuple[float, float]:
        """(joint deviance, weighted sum of shares) where each profile is pushed by `force`."""
        places = [
            int(np.argmin(p.deviance - force * w * p.share))
            for p, w in zip(profiles, weights, strict=True)
        ]
        found = [*zip(profiles, weights, places, strict=True)]
        return (
            float(sum(p.deviance[i] for p, _, i in found)),
            float(sum(w * p.share[i] for p, w, i in found)),
        )

    def end(sign: float) -> float:
        weak, strong = 1e-3, 1e7
        for _ in range(60):
            force = float(np.sqrt(weak * strong))
            inside = sums(sign * force)[0] <= most
            weak, strong = (force, strong) if inside else (weak, force)
        return sums(sign * weak)[1]

    return end(-1.0), end(1.0)


def share_known(
    choices: Mapping[int, npt.ArrayLike] | npt.ArrayLike,
    *,
    unclear: int = 0,
    why: str = WITHOUT_CHOICE,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    clusters: Mapping[int, npt.ArrayLike] | npt.ArrayLike | None = None,
) -> Known:
    """The share of items that is known, with its interval, or why it cannot be told.

    The classes are fitted to each number of options alone, as what is known and how guesses lean
    may differ between them; so items of a number that too few share are not in the estimate.

    Args:
        choices: (items, k), position chosen where the right option stands at h; or such a table
            for each number of options.
        unclear: items without a choice in every form, left out before.
        why: what is true of these, for the reason.
        level: of the interval.
        draws: of the check of the fit; 0 leaves the check out.
        seed: of those draws.
        clusters: (items,), the cluster of each item, as numbers from 0; or such for each number of
            options. They multiply the limit of the deviance and divide the misfit.
    """
    tables = choices if isinstance(choices, Mapping) else {0: choices}
    names = clusters if isinstance(clusters, Mapping) else dict.fromkeys(tables, clusters)
    found = [CountTable.of(t, names[key]) for key, t in tables.items() if np.asarray(t).size]
    used = [t for t in found if t.data.n >= fewest(t.data.k)]
    n = sum(t.data.n for t in used)
    rare = tuple(sorted((t.data.k, t.data.n) for t in found if t not in used))
    none = Known(level=level, n=n, unclear=unclear, rare=rare)
    every = unclear + sum(t.data.n for t in found)
    if unclear > MOST_UNCLEAR * every:
        return replace(none, reason=some_of(unclear, every, "item", why))
    if not used:
        return replace(none, reason=OF_TWO if all(t.data.k < 3 for t in found) else NEEDS)
    whole = right_throughout(used)
    if whole.reason:
        return replace(none, reason=whole.reason)
    fits = [classes.fitted(t.data) for t in used]
    checked = [_checked(*pair, seed, draws) for pair in zip(used, fits, strict=True)]
    p_values = [f.p_value for f in checked if f.p_value is not None]
    p_value = min(1.0, min(p_values) * len(p_values)) if p_values else None
    none = replace(none, fits=tuple(checked), p_value=p_value)
    if p_value is not None and p_value <= REFUSED_AT:
        reason = "answers over the orders do not look like knowing, misbelieving and guessing"
        return replace(none, reason=reason)
    doubted = zip(used, fits, strict=True)
    if any(_enough(t) and classes.graded_as_likely(t.data, at) for t, at in doubted):
        return replace(none, reason=GRADED)
    weights = [t.data.n / n for t in used]
    effect = max(1.0, whole.n / whole.effective)
    reach = float(functions.stdtrit(whole.worth, (1 + level) / 2)) * effect**0.5
    profiles = [profile(t.data, at, reach) for t, at in zip(used, fits, strict=True)]
    low, high = profile_interval(profiles, weights, reach**2)
    value = sum(w * f.known for w, f in zip(weights, checked, strict=True))
    # Near 1, where few items are not known, a deviance is no chi squared: no end is nearer than
    # that of a share of as many items, each known or not, as these are worth.
    exact = limits(value * n / effect, n / effect, (1 - level) / 2)
    low, high = min(low, exact[0]), max(high, exact[1])
    luck = sum(w * f.misbelieved / (f.k - 1) for w, f in zip(weights, checked, strict=True))
    return replace(
        none,
        value=value,
        low=min(low, value),
        high=max(high, value),
        lucky=max(0.0, value - luck),
        design_effect=effect,
        reason=_unchecked(used, p_value) if draws else "",
    )


def _enough(table: CountTable) -> bool:
    """Whether enough items are not right throughout to tell one description from another."""
    return int((~table.right).sum()) >= CHECKABLE


def _unchecked(used: Sequence[CountTable], p_value: float | None) -> str:
    """Why a fit that was not refused says little for the classes; "" where it does."""
    if p_value is None:
        return (
            f"the fit could not be checked, which takes {CHECKABLE} {_of_these(used)} that are"
            " wrong in some order"
        )
    if (few := min(t.data.n for t in used)) >= WELL_CHECKED:
        return ""
    return f"{few} items are too few to check its assumptions ({WELL_CHECKED} are needed)"


def _of_these(used: Sequence[CountTable]) -> str:
    """Of which items a fit was to be checked, each number of options by itself."""
    if len(used) > 1:
        return "items of each number of options"
    return f"of these {plural(used[0].data.n, 'item')}"


def _checked(table: CountTable, at: Parameters, seed: int, draws: int) -> Fit:
    """A fit with its p, where enough items are not right throughout to check it."""
    data = table.data
    if draws <= 0 or not _enough(table):
        return classes.described(data, at)
    inflation = classes.clustering(table.choices, table.cluster)
    return classes.described(data, at, classes.goodness_of_fit(data, at, seed, draws, inflation))
