"""PriDe: the prior for option labels, estimated and taken out (Zheng et al. 2024; specification,
section 6).

The model of the paper: what is observed for a label is proportional to a prior for the label
times what the option shown there deserves. Over a set of orders in which every option
visits every position equally often (cyclic shifts, or all orders), the mean logarithm leaves the
prior. All functions take bare arrays; `k` is the number of options.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from horsesense.stats import functions

Floats = npt.NDArray[np.float64]
Mean = Literal["geometric", "arithmetic"]
"""How the priors of items become one: `arithmetic` is the published form."""

TINY = 1e-10
"""Added before every logarithm, as in the released code."""
FEWEST = 5
"""Estimation items below which a prior is mostly noise (specification, section 6)."""


def normalised(observed: npt.ArrayLike) -> Floats:
    """Probabilities over the labels alone: (..., k), each row summing to 1.

    Raises:
        ValueError: a row has a weight that is negative or not finite, or only zeros.
    """
    values = np.asarray(observed, dtype=np.float64)
    totals = values.sum(axis=-1, keepdims=True)
    if not np.isfinite(values).all() or (values < 0).any() or (totals <= 0).any():
        raise ValueError("label probabilities must be finite, not negative, and not all 0")
    return np.asarray(values / totals)


def item_prior(observed: npt.ArrayLike) -> Floats:
    """The prior as one item shows it, (..., k), from its observations (..., orders, k).

    It is the softmax of the mean logarithm over the orders.
    """
    logs = np.log(normalised(observed) + TINY).mean(axis=-2)
    return _softmax(logs)


def by_content(observed: npt.ArrayLike, orders: npt.ArrayLike) -> Floats:
    """Mean probability of each option over the orders, (..., k), by its original number.

    `orders` is (orders, k): shown position -> original option; the same for all items.
    """
    shown = normalised(observed)
    positions = np.argsort(np.asarray(orders), axis=-1)
    found: Floats = np.take_along_axis(
        shown, np.broadcast_to(positions, shown.shape), axis=-1
    ).mean(axis=-2)
    return found


def debiased(observed: npt.ArrayLike, prior: npt.ArrayLike) -> Floats:
    """Probabilities of the shown positions with the prior taken out, (..., k).

    >>> debiased([0.4, 0.3, 0.3], [0.5, 0.25, 0.25]).round(3).tolist()
    [0.25, 0.375, 0.375]
    """
    logs = np.log(normalised(observed) + TINY) - np.log(np.asarray(prior) + TINY)
    return _softmax(logs)


def _softmax(logs: Floats) -> Floats:
    return np.asarray(functions.softmax(logs, axis=-1))


@dataclass(frozen=True, slots=True)
class PriorEstimate:
    """A prior and how surely it is known.

    Attributes:
        prior: mean of the items' priors, (k,); sums to 1.
        se: standard error of each entry over the items, (k,), of the geometric mean on the scale
            of log odds; NaN for a single item.
        items: how many items it rests on.
        mean: which mean it is.
    """

    prior: Floats
    se: Floats
    items: int
    mean: Mean = "arithmetic"

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Student's interval of each entry over the items, within 0 and 1; NaN for one item."""
        reach = functions.stdtrit(max(self.items - 1, 1), (1 + level) / 2) * self.se
        if self.mean == "geometric":
            odds = functions.logit(self.prior)
            return functions.expit(odds - reach), functions.expit(odds + reach)
        return np.clip(self.prior - reach, 0, 1), np.clip(self.prior + reach, 0, 1)


def pooled(item_priors: npt.ArrayLike, mean: Mean) -> Floats:
    """One prior, (k,), from those of items, (items, k)."""
    priors = np.asarray(item_priors, dtype=np.float64)
    return priors.mean(axis=0) if mean == "arithmetic" else _softmax(np.log(priors).mean(axis=0))


def estimate_prior(item_priors: npt.ArrayLike, mean: Mean = "arithmetic") -> PriorEstimate:
    """The global prior from the priors of the estimation items, (items, k).

    An item's prior is the true one times noise that is even on the scale of logarithms. The
    published arithmetic mean is drawn towards 1/k by it; the geometric mean is not. The standard
    error of the latter is that of the items' log odds, linear in their logarithms.

    Raises:
        ValueError: there are no items.
    """
    priors = np.asarray(item_priors, dtype=np.float64)
    n, k = priors.shape if priors.ndim == 2 else (0, 0)
    if not n:
        raise ValueError("no item to estimate a prior from")
    found = pooled(priors, mean)
    seen = priors
    if mean == "geometric":
        # d logit(p_j) = (d log p_j - sum_l p_l d log p_l) / (1 - p_j), over centred logarithms.
        logs = np.log(priors)
        seen = (logs - (logs @ found)[:, None]) / (1 - found)
    se = seen.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(k, np.nan)
    return PriorEstimate(found, se, n, mean)


def shrunken(
    item_priors: npt.ArrayLike, group: Sequence[int], mean: Mean = "arithmetic"
) -> tuple[Floats, float]:
    """Priors of groups (subjects) drawn towards the global one, (groups, k), and the weight.

    A group of n items has the prior (n mean + w global) / (n + w), where w is the variance of
    items within groups over the variance of the groups' true means (moment estimate, labels
    pooled; infinite where the groups do not differ more than their items explain, and then every
    group has the global prior); of logarithms where the mean is geometric. Groups are numbered
    from 0; one without items has the global prior.
    """
    priors = np.asarray(item_priors, dtype=np.float64)
    if mean == "geometric":
        logs = np.log(priors)
        found, weight = _drawn(logs - logs.mean(axis=1, keepdims=True), group)
        return _softmax(found), weight
    return _drawn(priors, group)


def _drawn(values: Floats, group: Sequence[int]) -> tuple[Floats, float]:
    """Means of groups drawn towards the mean of all, (groups, k), and the weight of the latter."""
    places = np.asarray(group, dtype=np.intp)
    counts = np.bincount(places).astype(np.float64)
    overall = values.mean(axis=0)
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, places, values)
    means = np.divide(sums, counts[:, None], out=np.tile(overall, (len(counts), 1)),
                      where=counts[:, None] > 0)  # fmt: skip
    weight = _weight(values, places, means, counts, overall)
    if not np.isfinite(weight):
        return np.tile(overall, (len(counts), 1)), weight
    mixed: Floats = (counts[:, None] * means + weight * overall) / np.maximum(
        counts[:, None] + weight, TINY
    )
    mixed[counts == 0] = overall
    return mixed, weight


def _weight(
    priors: Floats, places: npt.NDArray[np.intp], means: Floats, counts: Floats, overall: Floats
) -> float:
    """Variance within groups over variance between them (one-way analysis of variance)."""
    used = int((counts > 0).sum())
    n = len(priors)
    if used < 2 or n <= used:
        return float("inf")
    within = float(((priors - means[places]) ** 2).sum() / (n - used))
    squares = (counts[:, None] * (means - overall) ** 2).sum()
    effective = (n - (counts**2).sum() / n) / (used - 1)
    between = float((squares / (used - 1) - within) / effective)
    return within / between if between > 0 else float("inf")


def rstd(gold: npt.ArrayLike, chosen: npt.ArrayLike, k: int) -> float:
    """Standard deviation (population form) of the recalls per position with gold, in points."""
    right, said = np.asarray(gold), np.asarray(chosen)
    recalls = [float((said[right == s] == s).mean()) for s in range(k) if (right == s).any()]
    return 100 * float(np.std(recalls)) if recalls else float("nan")


@dataclass(frozen=True, slots=True)
class Draw:
    """What one draw of the estimation items gave.

    Attributes:
        prior: the estimated prior, (k,).
        accuracy, rstd: over all items, estimation items by their mean over orders (as published).
        held_out_accuracy, held_out_rstd: over the other items alone.
    """

    prior: Floats
    accuracy: float
    rstd: float
    held_out_accuracy: float
    held_out_rstd: float


def repeated(
    observed: npt.ArrayLike,
    orders: npt.ArrayLike,
    default: npt.ArrayLike,
    gold: npt.ArrayLike,
    sets: Iterable[npt.NDArray[np.intp]],
    mean: Mean = "arithmetic",
    groups: npt.NDArray[np.intp] | None = None,
) -> list[Draw]:
    """Fit and score with several draws of the estimation items (section 6: always repeat).

    Args:
        observed: (items, orders, k), label probabilities under every order.
        orders: (items, orders, k) or (orders, k), shown position -> original option.
        default: (items, k), label probabilities as published.
        gold: (items,), number of the right option as published.
        sets: for each draw, the numbers of its estimation items.
        mean: how the priors of items become one.
        groups: (items,), where each group of items (a subject) has a prior of its own, from the
            estimation items in it; one without any has the prior of all.
    """
    shown, golds = np.asarray(observed, dtype=np.float64), np.asarray(gold)
    own = by_content(shown, orders).argmax(axis=1)
    priors, found = item_prior(shown), []
    every = np.arange(len(shown))

    def scored(said: npt.NDArray[np.intp], of: npt.NDArray[np.intp]) -> tuple[float, float]:
        right = said[of] == golds[of]
        accuracy = float(right.mean()) if len(of) else float("nan")
        return accuracy, rstd(golds[of], said[of], shown.shape[-1])

    for chosen in sets:
        prior = pooled(priors[chosen], mean)
        each = _of_groups(priors, chosen, groups, prior, mean)
        said = debiased(default, each).argmax(axis=1)
        said[chosen] = own[chosen]
        found.append(Draw(prior, *scored(said, every), *scored(said, np.delete(every, chosen))))
    return found


def _of_groups(
    priors: Floats,
    chosen: npt.NDArray[np.intp],
    groups: npt.NDArray[np.intp] | None,
    overall: Floats,
    mean: Mean,
) -> Floats:
    """The prior that is taken out of each item, (items, k), or of all, (k,)."""
    if groups is None:
        return overall
    each = np.tile(overall, (len(priors), 1))
    for group in np.unique(groups[chosen]):
        each[groups == group] = pooled(priors[chosen[groups[chosen] == group]], mean)
    return each


def cost(alpha: float, orders: int) -> float:
    """Prompts per item: alpha x orders + (1 - alpha).

    >>> round(cost(0.05, 4), 2)
    1.15
    """
    return alpha * orders + (1 - alpha)
