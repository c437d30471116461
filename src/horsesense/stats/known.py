"""The share of items that a model knows, with its interval, or why it cannot be told.

The classes are those of `known_classes`; the interval is that of the profile likelihood (at the
ends of the range 1 degree of freedom is conservative: Self and Liang 1987).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from horsesense.stats.known_check import goodness_of_fit
from horsesense.stats.known_classes import (
    Fit,
    Floats,
    Parameters,
    Patterns,
    described,
    em_step,
    fitted,
    log_likelihood,
    patterns,
)
from horsesense.stats.shares import Shares

FEWEST = 30
"""Items of one number of options below which nothing is fitted to them."""
CHECKABLE = 20
"""Items not right throughout below which the fit cannot be checked."""
REFUSED_AT = 0.05
"""p of the goodness of fit at or below which no share is given."""
MOST_UNCLEAR = 0.05
"""Share of items without a choice in every form above which no share is given."""
DRAWS = 199
PROFILE_ITERATIONS = 60


class Clusters(NamedTuple):
    """What clusters of items make of the deviance's limit.

    Attributes:
        effect: at least 1; by how much they widen the variance of "right in every order".
        degrees: of Student's t: as many as there were clusters, if all had the same size.
    """

    effect: float = 1.0
    degrees: float = 1e9

    @classmethod
    def of(cls, right: npt.NDArray[np.bool_], cluster: npt.NDArray[np.intp]) -> Self:
        """From whether each item is right in every order, and its cluster, (items,) each."""
        if not len(cluster):
            return cls()
        n = np.bincount(cluster).astype(np.float64)
        shares = Shares.of(np.bincount(cluster, weights=right).astype(np.float64), n)
        return cls(max(1.0, shares.n / shares.effective), shares.n / shares.mean_size)


@dataclass(frozen=True)
class Known:
    """The estimated share known, or why there is none.

    Attributes:
        value, low, high: the share with its interval; None where it is refused.
        level: of the interval.
        n: items that the estimate covers.
        unclear: items left out, for want of a choice in every form or of enough items like them.
        lucky: `value` less the beliefs that are right by luck if beliefs are blind, b / (k - 1).
        p_value: of the goodness of fit, corrected for the numbers of options; None: unchecked.
        reason: why there is no value, or why the fit is unchecked; "" otherwise.
        fits: one for each number of options.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    unclear: int
    lucky: float | None
    p_value: float | None
    reason: str
    fits: tuple[Fit, ...]


@dataclass(frozen=True, eq=False)
class Profile:
    """Twice the drop of the log-likelihood from its peak, on a grid of shares known."""

    share: Floats
    deviance: Floats


def profile(data: Patterns, at: Parameters, reach: float) -> Profile:
    """The profile around a fit, as far as a deviance of about `reach` squared."""
    top = float(log_likelihood(data, at)[0])
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
        fixed = em_step(data, fixed, fixed=True)
    drop = 2 * (top - log_likelihood(data, fixed))
    root = np.sign(nodes - peak) * np.sqrt(np.maximum(drop, 0))
    nodes, root = np.append(nodes, peak), np.append(root, 0.0)
    order = np.argsort(nodes)
    share = np.linspace(nodes.min(), nodes.max(), 4001)
    return Profile(share, np.interp(share, nodes[order], root[order]) ** 2)


def profile_interval(
    profiles: Sequence[Profile], weights: Sequence[float], most: float
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
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    clusters: Clusters = Clusters(),  # noqa: B008
) -> Known:
    """The share of items that is known, with its interval, or why it cannot be told.

    Args:
        choices: (items, k), position chosen where the right option stands at h; or such a table
            for each number of options.
        unclear: items without a choice in every form, left out before.
        level: of the interval.
        draws: of the check of the fit; 0 leaves the check out.
        seed: of those draws.
        clusters: of the items. The limit of the deviance is multiplied by their effect.
    """
    tables = choices if isinstance(choices, Mapping) else {0: choices}
    found = [patterns(table) for table in tables.values() if np.asarray(table).size]
    used = [data for data in found if data.k >= 3 and data.n >= FEWEST]
    n = sum(data.n for data in used)
    left = sum(data.n for data in found) - n + unclear
    none = Known(None, None, None, level, n, left, None, None, "", ())
    if not used:
        return _refused(none, f"needs {FEWEST} items with the same number of options, at least 3")
    if left > MOST_UNCLEAR * (n + left):
        return _refused(none, f"{left} of {n + left} items have no clear choice in every form")
    fits = [fitted(data) for data in used]
    checked = [_checked(*pair, seed, draws) for pair in zip(used, fits, strict=True)]
    p_values = [f.p_value for f in checked if f.p_value is not None]
    p_value = min(1.0, min(p_values) * len(p_values)) if p_values else None
    none = _refused(none, "", fits=tuple(checked), p_value=p_value)
    if p_value is not None and p_value <= REFUSED_AT:
        reason = "answers over the orders do not look like knowing, misbelieving and guessing"
        return _refused(none, reason)
    weights = [data.n / n for data in used]
    reach = float(stdtrit(clusters.degrees, (1 + level) / 2)) * clusters.effect**0.5
    profiles = [profile(data, at, reach) for data, at in zip(used, fits, strict=True)]
    low, high = profile_interval(profiles, weights, reach**2)
    value = sum(w * f.known for w, f in zip(weights, checked, strict=True))
    luck = sum(w * f.misbelieved / (f.k - 1) for w, f in zip(weights, checked, strict=True))
    return replace(
        none,
        value=value,
        low=min(low, value),
        high=max(high, value),
        lucky=max(0.0, value - luck),
        reason="" if p_value is not None or not draws else "the fit could not be checked",
    )


def _refused(blank: Known, reason: str, **changes: Any) -> Known:
    return replace(blank, reason=reason, **changes)


def _checked(data: Patterns, at: Parameters, seed: int, draws: int) -> Fit:
    """A fit with its p, where enough items are not right throughout to check it."""
    wrong = data.count[data.same[:, 0] < data.k].sum()
    checked = draws > 0 and wrong >= CHECKABLE
    return described(data, at, goodness_of_fit(data, at, seed, draws) if checked else None)
