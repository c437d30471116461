"""Where the right answers stand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from horsesense.checks.base import Found, Test
from horsesense.checks.shares import letter
from horsesense.items.item import Item, ItemSet
from horsesense.stats import functions
from horsesense.stats.tests import wilson
from horsesense.stats.words import percent

DRAWS = 99_999
SHUFFLES, SHUFFLED = 1_999, 50
LEAST_GAIN = 0.02
"""Share of items more than with shuffled answers from which a pattern is worth a word."""
LEAST_MISSING = 0.08
"""Share of items by which repeats must be fewer than shuffled ones to be worth a word."""
FEWEST_IN_ORDER = 20
"""Items below which nothing is said of their order or subjects."""
FEWEST_PER_SUBJECT = 5
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
        f"Always answering {answer} is right on {percent(hits / len(known), 1)} of"
        f" {len(known):,} items ({percent(low, 1)} to {percent(high, 1)}); even use gives"
        f" {percent(expected, 1)}."
        f" {_spelled(tables, known[0].options if fixed else None)}"
    )
    return Found(
        len(known),
        test=Test(hits / len(known), low, high, len(known), expected, p, method),
        says=says,
    )


def gold_sequence(items: ItemSet) -> Found:
    """Test whether an answer's place tells the next one's: runs, cycles, alternation.

    Pearson's test of independence of the successive places in the published order, where all
    items have the same number of options of their own.
    """
    known = [item for item in items if item.gold is not None]
    width = {len(item.options) for item in known}
    if len(width) != 1 or len(known) < FEWEST_IN_ORDER:
        return Found(0)
    golds = np.array([item.gold for item in known])
    told = _told("Answering what most often follows the answer before", golds[:-1], golds[1:])
    few = _few_repeats(golds)
    tests = [found.test for found in (told, few) if found.test is not None]
    best = few if few.test and min(tests, key=lambda test: test.p or 0) is few.test else told
    if best.test is None or best.test.p is None:
        return best
    return replace(best, test=replace(best.test, p=min(1.0, 2 * best.test.p)))  # of two tests


def _few_repeats(golds: npt.NDArray[np.int64]) -> Found:
    """Whether the same place comes twice in a row too seldom, as where people place answers."""
    n = len(golds) - 1
    seen = int((golds[1:] == golds[:-1]).sum())
    counts = np.bincount(golds)
    expected = float((counts * (counts - 1)).sum()) / (len(golds) * n)  # over all orders
    if expected - seen / n < LEAST_MISSING:
        return Found(n)
    rng = np.random.default_rng(0)
    orders = (rng.permutation(golds) for _ in range(SHUFFLES))
    drawn = np.array([int((order[1:] == order[:-1]).sum()) for order in orders])
    p = float(1 + (drawn <= seen).sum()) / (1 + SHUFFLES)
    low, high = wilson(seen, n)
    says = (
        f"The right answer stands where the one before it stood in {percent(seen / n, 1)} of"
        f" {n:,} items; with the answers shuffled, in {percent(expected, 1)}."
    )
    test = Test(seen / n, low, high, n, expected, p, "permutation test of repeats")
    return Found(n, test=test, says=says)


def gold_by_subject(items: ItemSet) -> Found:
    """Test whether the subject tells where the right answer stands."""
    known = [item for item in items if item.gold is not None]
    names = {item.subject for item in known}
    if len({len(item.options) for item in known}) != 1 or len(names) < 2 or None in names:
        return Found(0)
    if len(known) < FEWEST_IN_ORDER or len(names) > len(known) / FEWEST_PER_SUBJECT:
        return Found(0)
    golds = np.array([item.gold for item in known])
    subjects = np.unique([item.subject for item in known], return_inverse=True)[1]
    return _told("Answering the commonest place of each subject", subjects, golds)


def _told(what: str, rows: npt.NDArray[np.int64], golds: npt.NDArray[np.int64]) -> Found:
    """What guessing the commonest gold of each row gains over golds shuffled among the items."""
    right, n = _guessed(rows, golds), len(golds)
    rng = np.random.default_rng(0)
    shuffled = float(np.mean([_guessed(rows, rng.permutation(golds)) for _ in range(SHUFFLED)])) / n
    if right / n - shuffled < LEAST_GAIN:
        return Found(n)
    p, method = _independence(rows, golds)
    low, high = wilson(right, n)
    says = (
        f"{what} is right on {percent(right / n, 1)} of {n:,} items;"
        f" with the answers shuffled, on {percent(shuffled, 1)}."
    )
    return Found(n, test=Test(right / n, low, high, n, shuffled, p, method), says=says)


def _guessed(rows: npt.NDArray[np.int64], golds: npt.NDArray[np.int64]) -> int:
    """Items that the commonest gold of their row answers."""
    width = int(golds.max()) + 1
    counts = np.bincount(rows * width + golds, minlength=(int(rows.max()) + 1) * width)
    return int(counts.reshape(-1, width).max(axis=1).sum())


def _independence(rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> tuple[float, str]:
    """The p of Pearson's chi-square of independence; by permutations where cells are few."""
    shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    across = np.bincount(rows, minlength=shape[0])[:, None] * np.bincount(
        columns, minlength=shape[1]
    )
    expected = across / len(rows)
    used = expected > 0

    def statistic(shuffled: npt.NDArray[np.int64]) -> float:
        counts = np.bincount(rows * shape[1] + shuffled, minlength=shape[0] * shape[1])
        gap = (counts.reshape(shape) - expected)[used]
        return float((gap**2 / expected[used]).sum())

    seen = statistic(columns)
    if expected[used].min() >= FEWEST_EXPECTED:
        freedom = (int(used.any(axis=1).sum()) - 1) * (int(used.any(axis=0).sum()) - 1)
        return float(functions.chdtrc(max(freedom, 1), seen)), "chi-square test of independence"
    rng = np.random.default_rng(0)
    extreme = sum(statistic(rng.permutation(columns)) >= seen - 1e-9 for _ in range(SHUFFLES))
    return (1 + extreme) / (1 + SHUFFLES), "permutation test of independence"


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
        return float(functions.chdtrc(freedom, statistic)), "chi-square test"
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
    of = f" of the {counts.sum():,} items with {k} options" if len(tables) > 1 else ""
    return f"Right answers by {'class' if options else 'position'}{of}: {told}{more}."
