"""Where the noise of a score comes from: items, orders of their options, and draws of an answer.

A right or wrong answer is y = mean + item + order of the item + draw of the answer. Orders are
nested in items and draws in orders, so that the analysis of variance of a nested design estimates
the three variances without bias (Searle, Casella and McCulloch 1992, "Variance components",
chapter 3), and what another design would cost in error follows from them (Brennan 2001,
"Generalizability theory", chapter 4; of language models, Miller 2024, arXiv 2411.00640).

Estimates can be negative where a variance is about 0: that is the price of having no bias.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from horsesense.stats.two_way import Floats

COLUMNS = 6
"""Numbers of an item that the variances are made of."""


class Components(NamedTuple):
    """Variances of right answers: between items, orders of an item, and draws of an answer."""

    items: float
    orders: float
    draws: float

    def shares(self, items: float, orders: float = 1, draws: float = 1) -> Components:
        """What each source adds to the squared standard error of such a score.

        The last two alone are what asking the same items again would move.

        >>> shares = Components(0.16, 0.06, 0.02).shares(100, orders=4)
        >>> [round(part, 6) for part in shares]
        [0.0016, 0.00015, 5e-05]
        """
        sizes = (items, items * orders, items * orders * draws)
        return Components(*(max(p, 0.0) / n for p, n in zip(self, sizes, strict=True)))


def item_rows(over_orders: Floats, again: Floats) -> Floats:
    """What each item adds, (items, 6), from right answers under its orders and to one prompt.

    Args:
        over_orders: (items, orders), 1 right, 0 wrong, NaN where there is no such order.
        again: (items, draws) of one order of each, likewise.

    Returns:
        1, mean, mean squared, variance over the orders, that over their number, and variance over
        the draws; 0 for items without two of each.
    """
    mean, spread, orders = _moments(over_orders)
    _, noise, draws = _moments(again)
    used = (orders > 1) & (draws > 1)
    rows = np.column_stack(
        [np.ones(len(mean)), mean, mean**2, spread, spread / np.maximum(orders, 1), noise]
    )
    return np.where(used[:, None], rows, 0.0)


def _moments(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, variance without bias, and number, over the values of each row that are there."""
    there = ~np.isnan(values)
    n = there.sum(axis=1).astype(np.float64)
    filled = np.where(there, values, 0.0)
    mean = filled.sum(axis=1) / np.maximum(n, 1)
    squares = (np.where(there, values - mean[:, None], 0.0) ** 2).sum(axis=1)
    return mean, squares / np.maximum(n - 1, 1), n


def variances(totals: Floats) -> Floats:
    """Variances of items, orders and draws, (..., 3), from sums of `item_rows`, (..., 6).

    NaN with fewer than two items. The draws of other orders are taken to vary as those of the one
    that was asked again.
    """
    n, mean, squares, over, over_each, noise = np.moveaxis(totals, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (squares - mean**2 / n) / (n - 1) - over_each / n
        found = np.stack([between, (over - noise) / n, noise / n], axis=-1)
    return np.where((n > 1)[..., None], found, np.nan)
