"""Where the right answers stand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from horsesense.checks.base import Found, Test
from horsesense.checks.shares import letter
from horsesense.items.item import Item, ItemSet
from horsesense.stats.tests import wilson

DRAWS = 99_999
FEWEST_EXPECTED = 5.0
"""Cochran's rule: below this the chi-square distribution is not relied on."""


def gold_positions(items: ItemSet) -> Found:
    """Test the right answers' positions (or classes) against even use.

    Items with different numbers of options are one table each, and their statistics add up.
    """
    known = [item for item in items if item.gold is not None]
    if len(known) < 2:
        return Found(len(known))
    tables = _tables(known)
    statistic = sum(map(_statistic, tables.values()))
    p, method = _p(statistic, list(tables.values()))
    fixed = len({item.options for item in known}) == 1
    most, hits = Counter(item.gold or 0 for item in known).most_common(1)[0]
    low, high = wilson(hits, len(known))
    expected = float(np.mean([most < len(i.options) and 1 / len(i.options) for i in known]))
    answer = repr(known[0].options[most]) if fixed else letter(most)
    says = (
        f"Always answering {answer} is right on {hits / len(known):.1%} of {len(known):,} items"
        f" ({low:.1%} to {high:.1%}); even use gives {expected:.1%}."
        f" {_spelled(tables, known[0].options if fixed else None)}"
    )
    return Found(
        len(known),
        test=Test(hits / len(known), low, high, len(known), expected, p, method),
        says=says,
    )


def _tables(known: list[Item]) -> dict[int, npt.NDArray[np.int64]]:
    """Number of options -> how often each position is right."""
    golds: dict[int, list[int]] = {}
    for item in known:
        golds.setdefault(len(item.options), []).append(item.gold or 0)
    return {k: np.bincount(at, minlength=k) for k, at in sorted(golds.items())}


def _statistic(counts: npt.NDArray[np.int64]) -> float:
    """Pearson's chi-square of counts against even use."""
    even = counts.sum() / len(counts)
    return float(((counts - even) ** 2 / even).sum())


def _p(statistic: float, tables: list[npt.NDArray[np.int64]]) -> tuple[float, str]:
    """The p of even use: by the chi-square distribution where every expected count is at least
    5, else by drawing multinomial tables (the observed one counts as one of them, so that the
    test keeps its level exactly)."""
    if all(counts.sum() / len(counts) >= FEWEST_EXPECTED for counts in tables):
        freedom = sum(len(counts) - 1 for counts in tables)
        return float(chi2.sf(statistic, freedom)), "chi-square test"
    rng = np.random.default_rng(0)
    drawn = np.zeros(DRAWS)
    for counts in tables:
        n, k = int(counts.sum()), len(counts)
        table = rng.multinomial(n, [1 / k] * k, size=DRAWS)
        drawn += ((table - n / k) ** 2 / (n / k)).sum(axis=1)
    extreme = int((drawn >= statistic - 1e-9).sum())
    return (1 + extreme) / (1 + DRAWS), "multinomial test by simulation"


def _spelled(tables: dict[int, npt.NDArray[np.int64]], options: tuple[str, ...] | None) -> str:
    """The counts in words; of class names where all items share them, the commonest first."""
    k, counts = max(tables.items(), key=lambda table: table[1].sum())
    names = [repr(option) for option in options] if options else [letter(at) for at in range(k)]
    order = np.argsort(-counts, kind="stable")[:6] if options else range(k)
    told = ", ".join(f"{names[at]} {counts[at]:,}" for at in order)
    more = f" and {k - 6} more" if options and k > 6 else ""
    return f"Right answers by {'class' if options else 'position'}: {told}{more}."
