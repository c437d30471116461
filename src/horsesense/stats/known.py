"""The share of items that a model knows, from the positions that it chose over cyclic orders.

Each of k forms of an item shows the right option in another position; c_h is the position chosen
where it stands at h. An item is of one of three classes:

- *knows*, share p: c_h = h, but for a slip to a uniform other position, of chance e per form;
- *misbelieves*, share b: c_h = h + r mod k for one r in 1..k-1, all equally likely, same slips;
- *guesses*, the rest: every form drawn independently from q, the position bias.

Latent classes after Macready and Dayton 1977, fitted by EM; the interval is that of the profile
likelihood (Self and Liang 1987 on its ends at the edges of the range: 1 degree of freedom is
conservative there). k = 2 does not tell slips from misbeliefs, and one form tells nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_SLIPS = 0.05
"""Upper limit of e: with more, slips and guesses cannot be told apart (simulated)."""
FEWEST = 30
"""Items of one number of options below which nothing is fitted to them."""
CHECKABLE = 20
"""Items not right throughout below which the fit cannot be checked."""
REFUSED_AT = 0.05
"""p of the goodness of fit at or below which no share is given."""
MOST_UNCLEAR = 0.05
"""Share of items without a choice in every form above which no share is given."""
DRAWS = 199
ITERATIONS = 150
PROFILE_ITERATIONS = 60
TINY = 1e-300


@dataclass(frozen=True)
class Fit:
    """The classes as fitted to items of one number of options.

    Attributes:
        k, n: number of options; items fitted.
        known, misbelieved, slip: p, b and e, in [0, 1].
        bias: q, the position bias of guesses, (k,).
        p_value: of the goodness of fit; None where it could not be checked or was not asked for.
    """

    k: int
    n: int
    known: float
    misbelieved: float
    slip: float
    bias: tuple[float, ...]
    p_value: float | None = None


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
class Patterns:
    """Items in the form that the likelihood needs, equal ones together.

    Attributes:
        same: how many forms chose the content r places on from the right one, (patterns, k).
        chosen: how many forms chose each position, (patterns, k).
        count: items with the pattern, (patterns,).
    """

    same: Ints
    chosen: Ints
    count: Floats

    @property
    def k(self) -> int:
        return int(self.same.shape[1])

    @property
    def n(self) -> int:
        return int(self.count.sum())


def patterns(choices: npt.ArrayLike) -> Patterns:
    """Patterns of `choices`, (items, k): the position chosen where the right one stands at h.

    Raises ValueError for a choice outside 0..k-1, or a table without items.
    """
    c = np.asarray(choices, dtype=np.int64)
    if c.ndim != 2 or not c.size or c.min() < 0 or c.max() >= c.shape[1]:
        raise ValueError("choices are a table of items by k positions, each from 0 to k - 1")
    same, chosen = _counted(c)
    # Which wrong content it was does not matter, only how often each was chosen.
    rows = np.concatenate([same[:, :1], np.sort(same[:, 1:], axis=1), chosen], axis=1)
    unique, count = np.unique(rows, axis=0, return_counts=True)
    k = c.shape[1]
    return Patterns(unique[:, :k], unique[:, k:], count.astype(np.float64))


def _counted(c: Ints) -> tuple[Ints, Ints]:
    """(items, k) forms that chose each content, counted from the right one; and each position."""
    k = c.shape[1]
    shift = (c - np.arange(k)) % k
    row = np.arange(len(c))[:, None] * k
    same = np.bincount((row + shift).ravel(), minlength=c.size).reshape(c.shape)
    chosen = np.bincount((row + c).ravel(), minlength=c.size).reshape(c.shape)
    return same, chosen


@dataclass(frozen=True, eq=False)
class _Parameters:
    """Several sets of parameters at once: p, b, e of (sets,), q of (sets, k)."""

    p: Floats
    b: Floats
    e: Floats
    q: Floats

    def repeated(self, n: int) -> _Parameters:
        """The first set `n` times."""
        one = (np.repeat(x[:1], n, axis=0) for x in (self.p, self.b, self.e, self.q))
        return _Parameters(*one)


def _joint(data: Patterns, at: _Parameters) -> tuple[Floats, Floats, Floats]:
    """Chance of each pattern with each class: (sets, patterns), (sets, patterns, k-1), (...)."""
    k = data.k
    hits = np.arange(k + 1)
    e = at.e[:, None]
    held = (1 - e) ** hits * (e / (k - 1)) ** (k - hits)
    by_content = held[:, data.same]
    knows = at.p[:, None] * by_content[..., 0]
    misbelieves = (at.b / (k - 1))[:, None, None] * by_content[..., 1:]
    guessed = np.exp(np.log(np.maximum(at.q, TINY)) @ data.chosen.T)
    return knows, misbelieves, (1 - at.p - at.b)[:, None] * guessed


def _log_likelihood(data: Patterns, at: _Parameters) -> Floats:
    knows, misbelieves, guesses = _joint(data, at)
    whole = knows + misbelieves.sum(axis=-1) + guesses
    found: Floats = np.log(np.maximum(whole, TINY)) @ data.count
    return found


def _step(data: Patterns, at: _Parameters, fixed: bool) -> _Parameters:
    """One step of EM; with `fixed`, p stays where it is."""
    knows, misbelieves, guesses = _joint(data, at)
    weight = data.count / np.maximum(knows + misbelieves.sum(axis=-1) + guesses, TINY)
    knows, guesses = knows * weight, guesses * weight
    misbelieves = misbelieves * weight[..., None]
    a, m, g = knows.sum(axis=-1), misbelieves.sum(axis=(-1, -2)), guesses.sum(axis=-1)
    k, n = data.k, data.count.sum()
    slips = knows @ (k - data.same[:, 0]).astype(np.float64)
    slips = slips + (misbelieves * (k - data.same[:, 1:])).sum(axis=(-1, -2))
    e = np.clip(slips / np.maximum(k * (a + m), TINY), 0, MOST_SLIPS)
    chosen = guesses @ data.chosen
    total = chosen.sum(axis=-1, keepdims=True)
    q = np.where(total > 1e-9, chosen / np.maximum(total, 1e-9), at.q)
    if fixed:
        return _Parameters(at.p, (1 - at.p) * m / np.maximum(m + g, TINY), e, q)
    return _Parameters(a / n, m / n, e, q)


def closed_form(data: Patterns) -> tuple[float, Floats]:
    """(p, q) where nobody slips and nobody misbelieves; also for k = 2.

    Items right throughout are known ones and lucky guesses; the others show q.
    """
    right = data.same[:, 0] == data.k
    a, n = data.count[right].sum(), data.count.sum()
    chosen = data.count[~right] @ data.chosen[~right]
    q = np.full(data.k, 1 / data.k)
    for _ in range(ITERATIONS):
        luck = float(q.prod())
        found = chosen + (n - a) * luck / (1 - luck) if luck < 1 else chosen
        q = found / found.sum() if found.sum() else q
    luck = float(q.prod())
    p = (a / n - luck) / (1 - luck)
    if p < 0:
        q = (chosen + a) / (chosen + a).sum()
    return max(0.0, float(p)), q


def _fitted(data: Patterns) -> _Parameters:
    p, q = closed_form(data)
    q = 0.99 * q + 0.01 / data.k  # a position at exactly 0 would stay there
    p = min(max(p, 0.01), 0.98)
    at = _Parameters(np.array([p]), np.array([0.1 * (1 - p)]), np.array([0.02]), q[None])
    for _ in range(ITERATIONS):
        at = _step(data, at, fixed=False)
    return at


def fit(choices: npt.ArrayLike) -> Fit:
    """The classes that fit items of one number of options, k >= 3, best.

    Args:
        choices: (items, k), position chosen where the right option stands at h.

    Raises ValueError for other shapes or fewer than three options.
    """
    data = patterns(choices)
    return _described(data, _fitted(_identifiable(data)))


def _identifiable(data: Patterns) -> Patterns:
    if data.k < 3:
        raise ValueError("slips and misbeliefs cannot be told apart with fewer than 3 options")
    return data


def _described(data: Patterns, at: _Parameters, p_value: float | None = None) -> Fit:
    p, b, e = (float(x[0]) for x in (at.p, at.b, at.e))
    return Fit(data.k, data.n, p, b, e, tuple(map(float, at.q[0])), p_value)


@dataclass(frozen=True, eq=False)
class Profile:
    """Twice the drop of the log-likelihood from its peak, on a grid of shares known."""

    share: Floats
    deviance: Floats


def profile(data: Patterns, at: _Parameters, reach: float) -> Profile:
    """The profile around a fit, as far as a deviance of about `reach` squared."""
    top = float(_log_likelihood(data, at)[0])
    peak = float(at.p[0])
    spread = np.sqrt(max(peak * (1 - peak), 1 / data.n) / data.n)
    # Root deviances are nearly straight lines in p, so that few points carry the whole curve;
    # at the edges of the range they are not, hence the points that grow towards there.
    steps = np.array([0.3, 0.7, 1.1, 1.6, 2.2, 3, 4, 5.5, 8]) * (reach / 2)
    nodes = np.concatenate([-steps[::-1], steps]) * spread + peak
    nodes = np.unique(np.clip(nodes, 0, 1))
    fixed = at.repeated(len(nodes))
    rest = (1 - nodes) / max(1 - peak, 1e-9)
    fixed = _Parameters(nodes, np.minimum(fixed.b * rest + 1e-6, 1 - nodes), fixed.e, fixed.q)
    for _ in range(PROFILE_ITERATIONS):
        fixed = _step(data, fixed, fixed=True)
    drop = 2 * (top - _log_likelihood(data, fixed))
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


# Goodness of fit: Pearson's statistic over k + 2 cells, against draws from the fit, all refitted.


def _cells(same: Ints) -> Ints:
    """Cell of each item: 0 all right, .., k-1 one right; k none, one content; k+1 none, several."""
    k = same.shape[1]
    none = same[:, 0] == 0
    throughout = same[:, 1:].max(axis=1) == k
    cell: Ints = np.where(none, np.where(throughout, k, k + 1), k - same[:, 0])
    return cell


def _cell_chances(k: int, e: Floats, q: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Chance of each cell for each class (sets, k + 2), and slips expected with it (joint)."""
    right = np.arange(k, 0, -1)
    e = e[:, None]
    choose = _binomials(k)[right]
    wrong = e / (k - 1)

    def whole(parts: Floats, one: Floats) -> Floats:
        rest = np.maximum(1 - parts.sum(axis=1, keepdims=True) - one, 0)
        return np.concatenate([parts, one, rest], axis=1)

    knows = whole(choose * (1 - e) ** right * e ** (k - right), (k - 1) * wrong**k)
    # Of the forms that are not right, a misbelieving item slips in some: to k - 2 contents.
    other = 1 - wrong
    misbelieves = whole(
        choose * wrong**right * other ** (k - right), (1 - e) ** k + (k - 2) * wrong**k
    )
    among = wrong * (k - 2) / other
    parts = misbelieves[:, :k] * (right + (k - right) * among)
    one = k * (k - 2) * wrong**k
    rest = np.maximum(k * e - parts.sum(axis=1, keepdims=True) - one, 0)
    slips = np.concatenate([parts, one, rest], axis=1)
    counts = np.ones((len(q), 1))
    for h in range(k):
        hit, miss = counts * q[:, h : h + 1], counts * (1 - q[:, h : h + 1])
        counts = np.pad(miss, ((0, 0), (0, 1))) + np.pad(hit, ((0, 0), (1, 0)))
    guesses = whole(counts[:, :0:-1], (k - 1) * q.prod(axis=1, keepdims=True))
    missed = np.append(k - right, [k, k]).astype(np.float64)
    return knows, misbelieves, guesses, knows * missed, slips


def _binomials(k: int) -> Floats:
    row = np.ones(1)
    for _ in range(k):
        row = np.convolve(row, [1.0, 1.0])
    return row


def _misfit(cells: Floats, q: Floats, start: Fit) -> Floats:
    """Pearson's statistic of each row of cell counts after p, b and e are refitted, (sets,)."""
    n, k = cells.sum(axis=1, keepdims=True), start.k
    p, b, e = (np.full((len(cells), 1), x) for x in (start.known, start.misbelieved, start.slip))
    for _ in range(ITERATIONS):
        knows, misbelieves, guesses, missed, slips = _cell_chances(k, e[:, 0], q)
        whole = np.maximum(p * knows + b * misbelieves + (1 - p - b) * guesses, TINY)
        weight = cells / whole
        a = (weight * p * knows).sum(axis=1, keepdims=True)
        m = (weight * b * misbelieves).sum(axis=1, keepdims=True)
        slipped = (weight * (p * missed + b * slips)).sum(axis=1, keepdims=True)
        e = np.clip(slipped / np.maximum(k * (a + m), TINY), 0, MOST_SLIPS)
        p, b = a / n, m / n
    knows, misbelieves, guesses, _, _ = _cell_chances(k, e[:, 0], q)
    expected = n * (p * knows + b * misbelieves + (1 - p - b) * guesses)
    squares: Floats = ((cells - expected) ** 2 / np.maximum(expected, 0.5)).sum(axis=1)
    return squares


def _guess_weighted(same: Ints, chosen: Ints, count: Floats, at: _Parameters) -> Floats:
    """q after one step from `at`."""
    q = _step(Patterns(same, chosen, count), at, fixed=False).q[0]
    return np.asarray(q)


def goodness_of_fit(data: Patterns, at: _Parameters, seed: int, draws: int) -> float:
    """p of the fit by parametric bootstrap; every draw is refitted as the data are."""
    rng = np.random.default_rng(seed)
    k, n, start = data.k, data.n, _described(data, at)
    tables = [(data.same, data.chosen, data.count)]
    for _ in range(draws):
        same, chosen = _counted(_drawn(start, n, rng))
        tables.append((same, chosen, np.ones(n)))
    cells = np.stack(
        [np.bincount(_cells(same), weights=count, minlength=k + 2) for same, _, count in tables]
    )
    q = np.stack([_guess_weighted(*table, at) for table in tables])
    found = _misfit(cells.astype(np.float64), q, start)
    return float((1 + (found[1:] >= found[0] - 1e-9).sum()) / (1 + draws))


def _drawn(at: Fit, n: int, rng: np.random.Generator) -> Ints:
    """Choices of `n` items of a fitted model, (n, k)."""
    k, places = at.k, np.arange(at.k)
    kind = rng.random(n)
    content = np.where(kind < at.known, 0, rng.integers(1, k, n))[:, None]
    slip = np.where(rng.random((n, k)) < at.slip, rng.integers(1, k, (n, k)), 0)
    held = (places + content + slip) % k
    guess = np.searchsorted(np.cumsum(at.bias)[:-1], rng.random((n, k)))
    drawn: Ints = np.where((kind < at.known + at.misbelieved)[:, None], held, guess)
    return drawn


def share_known(
    choices: Mapping[int, npt.ArrayLike] | npt.ArrayLike,
    *,
    unclear: int = 0,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    design_effect: float = 1.0,
) -> Known:
    """The share of items that is known, with its interval, or why it cannot be told.

    Args:
        choices: (items, k), position chosen where the right option stands at h; or such a table
            for each number of options.
        unclear: items without a choice in every form, left out before.
        level: of the interval.
        draws: of the check of the fit; 0 leaves the check out.
        seed: of those draws.
        design_effect: at least 1; by how much clusters of items widen a variance. The limit of
            the deviance is multiplied by it.
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
    fits = [_fitted(data) for data in used]
    checked = [_checked(*pair, seed, draws) for pair in zip(used, fits, strict=True)]
    p_values = [f.p_value for f in checked if f.p_value is not None]
    p_value = min(1.0, min(p_values) * len(p_values)) if p_values else None
    none = _refused(none, "", fits=tuple(checked), p_value=p_value)
    if p_value is not None and p_value <= REFUSED_AT:
        reason = "answers over the orders do not look like knowing, misbelieving and guessing"
        return _refused(none, reason)
    weights = [data.n / n for data in used]
    reach = NormalDist().inv_cdf((1 + level) / 2) * design_effect**0.5
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


def _checked(data: Patterns, at: _Parameters, seed: int, draws: int) -> Fit:
    """A fit with its p, where enough items are not right throughout to check it."""
    wrong = data.count[data.same[:, 0] < data.k].sum()
    checked = draws > 0 and wrong >= CHECKABLE
    return _described(data, at, goodness_of_fit(data, at, seed, draws) if checked else None)
