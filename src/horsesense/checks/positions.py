"""Where the right answers stand."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np
import numpy.typing as npt

from horsesense.checks.base import RuleHit, Test
from horsesense.checks.shares import letter
from horsesense.items.item import Item, ItemSet
from horsesense.stats import functions
from horsesense.stats.binomial import wilson
from horsesense.stats.words import percent, plural

Counts = npt.NDArray[np.int64]

DRAWS: Final = 9_999
SHUFFLED: Final = 50
LEAST_GAIN: Final = 0.02
"""Share of items more than with shuffled answers from which a pattern is worth a word."""
FEWEST_IN_ORDER: Final = 20
"""Items below which nothing is said of their order or subjects."""
FEWEST_PER_SUBJECT: Final = 5
FEWEST_EXPECTED: Final = 5.0
"""Cochran's rule: below this the chi-square distribution is not relied on."""


def gold_positions(items: ItemSet) -> RuleHit:
    """Test the right answers' positions (or classes) against even use.

    Items with different numbers of options are one table each, and their statistics add up.
    """
    known = [item for item in items if item.gold is not None]
    if len(known) < 2:
        return RuleHit(len(known))
    tables = _tables(known)
    p, method = _p(sum(map(_statistic, tables.values())), list(tables.values()))
    options = known[0].options if len({item.options for item in known}) == 1 else None
    most, hits = Counter(item.gold or 0 for item in known).most_common(1)[0]
    low, high = wilson(hits, len(known))
    expected = float(np.mean([most < len(i.options) and 1 / len(i.options) for i in known]))
    answer = repr(options[most]) if options else letter(most)
    says = (
        f"Always answering {answer} is right on {percent(hits / len(known), 1)} of"
        f" {plural(len(known), 'item')} ({percent(low, 1)} to {percent(high, 1)}); even use gives"
        f" {percent(expected, 1)}. {_spelled(tables, options)}"
    )
    test = Test(hits / len(known), low, high, len(known), expected, p, method)
    return RuleHit(len(known), test=test, says=says)


def gold_sequence(items: ItemSet) -> RuleHit:
    """Test whether an answer's place tells the next one's: runs, cycles, alternation.

    Pearson's test of independence of the successive places in the published order, where all
    items have the same number of options of their own.
    """
    golds = _golds([item for item in items if item.gold is not None])
    if golds is None:
        return RuleHit(0)
    return _told("Answering what most often follows the answer before", golds[:-1], golds[1:])


def gold_by_subject(items: ItemSet) -> RuleHit:
    """Test whether the subject tells where the right answer stands."""
    known = [item for item in items if item.gold is not None]
    golds, names = _golds(known), {item.subject for item in known}
    many = len(names) > len(known) / FEWEST_PER_SUBJECT
    if golds is None or len(names) < 2 or None in names or many:
        return RuleHit(0)
    subjects = np.unique([str(item.subject) for item in known], return_inverse=True)[1]
    return _told("Answering the commonest place of each subject", subjects, golds)


def _golds(known: list[Item]) -> Counts | None:
    """The right places of enough items with one number of options."""
    if len(known) < FEWEST_IN_ORDER or len({len(item.options) for item in known}) != 1:
        return None
    return np.array([item.gold for item in known])


def _told(what: str, rows: Counts, golds: Counts) -> RuleHit:
    """What guessing the commonest gold of each row gains over golds shuffled among the items."""
    right, n = _guessed(rows, golds), len(golds)
    rng = np.random.default_rng(0)
    shuffled = float(np.mean([_guessed(rows, rng.permutation(golds)) for _ in range(SHUFFLED)])) / n
    if right / n - shuffled < LEAST_GAIN:
        return RuleHit(n)
    low, high = wilson(right, n)
    says = (
        f"{what} is right on {percent(right / n, 1)} of {plural(n, 'item')};"
        f" with the answers shuffled, on {percent(shuffled, 1)}."
    )
    p, method = _independence(rows, golds)
    return RuleHit(n, test=Test(right / n, low, high, n, shuffled, p, method), says=says)


def _table(rows: Counts, golds: Counts) -> Counts:
    shape = (int(rows.max()) + 1, int(golds.max()) + 1)
    return np.bincount(rows * shape[1] + golds, minlength=shape[0] * shape[1]).reshape(shape)


def _guessed(rows: Counts, golds: Counts) -> int:
    """Items that the commonest gold of their row answers."""
    return int(_table(rows, golds).max(axis=1).sum())


def _independence(rows: Counts, golds: Counts) -> tuple[float, str]:
    """The p of Pearson's chi-square of independence; by permutations where cells are few."""
    seen = _table(rows, golds)
    expected = seen.sum(axis=1)[:, None] * seen.sum(axis=0) / len(golds)
    used = expected > 0

    def statistic(table: Counts) -> float:
        return float(((table - expected)[used] ** 2 / expected[used]).sum())

    if expected[used].min() >= FEWEST_EXPECTED:
        freedom = (int(used.any(axis=1).sum()) - 1) * (int(used.any(axis=0).sum()) - 1)
        p = float(functions.chdtrc(max(freedom, 1), statistic(seen)))
        return p, "chi-square test of independence"
    rng = np.random.default_rng(0)
    drawn = np.array([statistic(_table(rows, rng.permutation(golds))) for _ in range(DRAWS // 5)])
    return _drawn_p(drawn, statistic(seen)), "permutation test of independence"


def _tables(known: list[Item]) -> dict[int, Counts]:
    """Number of options -> how often each position is right."""
    golds: dict[int, list[int]] = {}
    for item in known:
        golds.setdefault(len(item.options), []).append(item.gold or 0)
    return {k: np.bincount(at, minlength=k) for k, at in sorted(golds.items())}


def _statistic(counts: Counts) -> float:
    """Pearson's chi-square of counts against even use."""
    even = counts.sum() / len(counts)
    return float(((counts - even) ** 2 / even).sum())


def _p(statistic: float, tables: list[Counts]) -> tuple[float, str]:
    """The p of even use: by the chi-square distribution where every expected count is at least
    5, else by drawing multinomial tables."""
    if all(counts.sum() / len(counts) >= FEWEST_EXPECTED for counts in tables):
        freedom = sum(len(counts) - 1 for counts in tables)
        return float(functions.chdtrc(freedom, statistic)), "chi-square test"
    rng = np.random.default_rng(0)
    drawn = np.zeros(DRAWS)
    for counts in tables:
        n, k = int(counts.sum()), len(counts)
        table = rng.multinomial(n, [1 / k] * k, size=DRAWS)
        drawn += ((table - n / k) ** 2 / (n / k)).sum(axis=1)
    return _drawn_p(drawn, statistic), "multinomial test by simulation"


def _drawn_p(drawn: npt.NDArray[np.float64], seen: float) -> float:
    """The observed statistic counts as one of the drawn ones, so that the level is exact."""
    return (1 + int((drawn >= seen - 1e-9).sum())) / (1 + len(drawn))


def _spelled(tables: dict[int, Counts], options: tuple[str, ...] | None) -> str:
    """The counts in words; of class names where all items share them, the commonest first."""
    k, counts = max(tables.items(), key=lambda table: table[1].sum())
    names = [repr(option) for option in options] if options else [letter(at) for at in range(k)]
    order = np.argsort(-counts, kind="stable")[:6] if options else range(k)
    told = ", ".join(f"{names[at]} {counts[at]:,}" for at in order)
    more = f" and {k - 6} more" if options and k > 6 else ""
    of = f" of the {plural(counts.sum(), 'item')} with {k} options" if len(tables) > 1 else ""
    return f"Right answers by {'class' if options else 'position'}{of}: {told}{more}."
