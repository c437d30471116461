"""Whether the classes of `known_classes` fit: Pearson's statistic over k + 2 cells of items.

It is compared with draws from the fit (a parametric bootstrap), every one refitted as the data
are: q by one guess-weighted step, p, b and e by EM on the cells.
"""

from __future__ import annotations

import numpy as np

from horsesense.stats import functions
from horsesense.stats.known_classes import (
    ITERATIONS,
    MOST_SLIPS,
    TINY,
    Fit,
    Floats,
    Ints,
    Parameters,
    ReplyPatterns,
    counted,
    described,
    em_step,
    log_likelihood,
)


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


def _guess_weighted(same: Ints, chosen: Ints, count: Floats, at: Parameters) -> Floats:
    """q after one step from `at`."""
    q = em_step(ReplyPatterns(same, chosen, count), at, fixed=False).q[0]
    return np.asarray(q)


def clustering(choices: Ints, cluster: Ints) -> float:
    """By how much clusters inflate Pearson's statistic, at least 1.

    The mean design effect of the cells (Rao and Scott 1981), among the items that are not right
    throughout: that some clusters are known and others not is in the fit already.

    Args:
        choices: (items, k), position chosen where the right option stands at h.
        cluster: (items,), numbers from 0.
    """
    cell = _cells(counted(choices)[0])
    rest, names = cell[cell > 0], cluster[cell > 0]
    table = np.zeros((int(names.max(initial=0)) + 1, choices.shape[1] + 2))
    np.add.at(table, (names, rest), 1.0)
    share = table.sum(axis=0) / max(len(rest), 1)
    used = share > 0
    spread = ((table - share * table.sum(axis=1, keepdims=True)) ** 2).sum(axis=0)[used]
    found = (spread / share[used]).sum() / max(len(rest), 1) / max(int(used.sum()) - 1, 1)
    return max(1.0, float(found))


def goodness_of_fit(
    data: ReplyPatterns, at: Parameters, seed: int, draws: int, inflation: float = 1.0
) -> float:
    """p of the fit by parametric bootstrap; every draw is refitted as the data are.

    The data's statistic is divided by what `clustering` says of them first.
    """
    rng = np.random.default_rng(seed)
    k, n, start = data.k, data.n, described(data, at)
    tables = [(data.same, data.chosen, data.count)]
    for _ in range(draws):
        same, chosen = counted(_drawn(start, n, rng))
        tables.append((same, chosen, np.ones(n)))
    cells = np.stack(
        [np.bincount(_cells(same), weights=count, minlength=k + 2) for same, _, count in tables]
    )
    q = np.stack([_guess_weighted(*table, at) for table in tables])
    found = _misfit(cells.astype(np.float64), q, start)
    return float((1 + (found[1:] >= found[0] / inflation - 1e-9).sum()) / (1 + draws))


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


NOTHING = 0.05
"""Share known up to which it does not matter which description fits."""
CLEARLY = 3.0
"""By how much the log-likelihood of the classes must be above that of graded knowledge."""
SHAPES = np.exp(np.linspace(-4, 4, 41))
"""Parameters of the beta distributions that are tried."""


def graded_as_likely(data: ReplyPatterns, at: Parameters) -> bool:
    """Whether knowledge by degrees fits about as well: each item is right in any form with a chance
    of its own, from a beta distribution, and wrong replies are spread evenly."""
    a, b = (x.ravel()[:, None] for x in np.meshgrid(SHAPES, SHAPES))
    right, wrong = data.same[:, 0], data.k - data.same[:, 0]
    chance = _log_beta(a + right, b + wrong) - _log_beta(a, b) - wrong * np.log(data.k - 1)
    graded = float((chance @ data.count).max())
    # Who guesses everything knows nothing by any description.
    return bool(at.p[0] > NOTHING and graded > log_likelihood(data, at)[0] - CLEARLY)


def _log_beta(a: Floats, b: Floats) -> Floats:
    found: Floats = functions.gammaln(a) + functions.gammaln(b) - functions.gammaln(a + b)
    return found
