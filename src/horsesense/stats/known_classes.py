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

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_SLIPS: Final = 0.05
"""Upper limit of e: with more, slips and guesses cannot be told apart (simulated)."""
ITERATIONS: Final = 150
TINY: Final = 1e-300


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


@dataclass(frozen=True, eq=False)
class ReplyPatterns:
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


def patterns(choices: npt.ArrayLike) -> ReplyPatterns:
    """Patterns of `choices`, (items, k): the position chosen where the right one stands at h.

    Raises ValueError for a choice outside 0..k-1, or a table without items.
    """
    c = np.asarray(choices, dtype=np.int64)
    if c.ndim != 2 or not c.size or c.min() < 0 or c.max() >= c.shape[1]:
        raise ValueError("choices are a table of items by k positions, each from 0 to k - 1")
    same, chosen = counted(c)
    # Which wrong content it was does not matter, only how often each was chosen.
    rows = np.concatenate([same[:, :1], np.sort(same[:, 1:], axis=1), chosen], axis=1)
    unique, count = np.unique(rows, axis=0, return_counts=True)
    k = c.shape[1]
    return ReplyPatterns(unique[:, :k], unique[:, k:], count.astype(np.float64))


def counted(c: Ints) -> tuple[Ints, Ints]:
    """(items, k) forms that chose each content, counted from the right one; and each position."""
    k = c.shape[1]
    shift = (c - np.arange(k)) % k
    row = np.arange(len(c))[:, None] * k
    same = np.bincount((row + shift).ravel(), minlength=c.size).reshape(c.shape)
    chosen = np.bincount((row + c).ravel(), minlength=c.size).reshape(c.shape)
    return same, chosen


@dataclass(frozen=True, eq=False)
class Parameters:
    """Several sets of parameters at once: p, b, e of (sets,), q of (sets, k)."""

    p: Floats
    b: Floats
    e: Floats
    q: Floats

    def repeated(self, n: int) -> Parameters:
        """The first set `n` times."""
        one = (np.repeat(x[:1], n, axis=0) for x in (self.p, self.b, self.e, self.q))
        return Parameters(*one)


def joint(data: ReplyPatterns, at: Parameters) -> tuple[Floats, Floats, Floats]:
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


def log_likelihood(data: ReplyPatterns, at: Parameters) -> Floats:
    knows, misbelieves, guesses = joint(data, at)
    whole = knows + misbelieves.sum(axis=-1) + guesses
    found: Floats = np.log(np.maximum(whole, TINY)) @ data.count
    return found


def em_step(data: ReplyPatterns, at: Parameters, fixed: bool) -> Parameters:
    """One step of EM; with `fixed`, p stays where it is."""
    knows, misbelieves, guesses = joint(data, at)
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
        return Parameters(at.p, (1 - at.p) * m / np.maximum(m + g, TINY), e, q)
    return Parameters(a / n, m / n, e, q)


def closed_form(data: ReplyPatterns) -> tuple[float, Floats]:
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


def fitted(data: ReplyPatterns) -> Parameters:
    p, q = closed_form(data)
    q = 0.99 * q + 0.01 / data.k  # a position at exactly 0 would stay there
    p = min(max(p, 0.01), 0.98)
    at = Parameters(np.array([p]), np.array([0.1 * (1 - p)]), np.array([0.02]), q[None])
    for _ in range(ITERATIONS):
        at = em_step(data, at, fixed=False)
    return at


def described(data: ReplyPatterns, at: Parameters, p_value: float | None = None) -> Fit:
    p, b, e = (float(x[0]) for x in (at.p, at.b, at.e))
    return Fit(data.k, data.n, p, b, e, tuple(map(float, at.q[0])), p_value)
