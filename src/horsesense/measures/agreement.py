"""How far an item's answers agree with each other."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from math import comb, factorial, log

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats, Measure, Rows, grouped, item_means, of_items, ratio
from horsesense.measures.cells import NO_OPTION, Bools, Cell
from horsesense.measures.counting import complete, goldless, no_gold, no_replicates, unread
from horsesense.measures.families import SHARE
from horsesense.measures.graded import to_the_letter
from horsesense.measures.parts import of_whole, part_by_part
from horsesense.measures.votes import elected
from horsesense.trials.condition import Condition


def option_counts(cell: Cell) -> npt.NDArray[np.int64]:
    """For each place of a cell, how often its content was chosen by its item; 0 off the trials.

    A reading without content agrees with nothing but itself (specification, section 3.2).
    """
    same = cell.option[:, :, None] == cell.option[:, None, :]
    both = cell.read[:, :, None] & cell.read[:, None, :]
    counts = (same & both).sum(axis=2)
    counts[(cell.option == NO_OPTION) & cell.read] = 1
    return np.where(cell.read, counts, 0)


@part_by_part
def most_frequent(cell: Cell) -> npt.NDArray[np.int64]:
    """How often each item's most frequent content was chosen, (items,)."""
    return np.asarray(option_counts(cell).max(axis=1))


@cache
def chance_agreement(n: int, k: int) -> float:
    """Expected plurality agreement of `n` uniform guesses among `k` options.

    >>> round(chance_agreement(4, 4), 5)
    0.53125
    """
    at_most = [_ways(n, k, most) / k**n for most in range(n + 1)]
    mean: float = sum(m * (at_most[m] - at_most[m - 1]) for m in range(1, n + 1)) / n
    return mean


def _ways(n: int, k: int, most: int) -> float:
    """Sequences of length `n` over `k` symbols in which none occurs more than `most` times."""
    series = np.zeros(n + 1)
    series[0] = 1.0
    one = np.array([1 / factorial(j) if j <= most else 0.0 for j in range(n + 1)])
    for _ in range(k):
        series = np.convolve(series, one)[: n + 1]
    return float(series[n] * factorial(n))


def mixes_distractors(probe: str, condition: Condition) -> bool:
    """Whether the design asks for more orders than the options have (4 of 2).

    The rest then shows other distractors: what an item's answers have in common is not that they
    answer one question, and guessing agrees less than `chance_agreement`.
    """
    asked = re.fullmatch(r"random\((\d+)\)", condition.get("design", ""))
    n = condition.integer("n", 99)
    few = probe == "option_count" and n < 10
    return bool(few and asked and int(asked[1]) > factorial(n))


class PluralityAgreement(Measure):
    """Share of an item's answers that name its most frequent content, mean over items (CS of REVAS,
    section 3.2; Robinson et al. 2023 over all orders). Depends on the number of orders and options:
    compare with its chance level only.
    """

    title = "Agreement with itself"
    counted = "items"
    of_repeats = True

    def rows(self, cell: Cell) -> Rows:
        share = most_frequent(cell) / np.maximum(cell.asked.sum(axis=1), 1)
        return of_items(share, complete(cell), unread(cell))

    def chances(self, cell: Cell) -> Floats | None:
        if mixes_distractors(cell.probe, cell.condition):
            return None
        return _guessed(chance_agreement, cell.asked.sum(axis=1), cell.k)

    def entered(self, cell: Cell) -> Floats:
        return complete(cell).astype(np.float64)


class PluralityAgreementAsGraded(PluralityAgreement):
    """plurality_agreement where replies without a choice agree with nothing (CS of REVAS, section
    3.2).
    """

    title = "Agreement with itself, as graded"
    as_if = staticmethod(to_the_letter)

    def where(self, cell: Cell) -> bool:
        return not no_replicates(cell)


def _guessed(
    chance: Callable[[int, int], float], n: npt.NDArray[np.int64], k: npt.NDArray[np.int64]
) -> Floats:
    """What guessing gives to items with so many trials and options; 0 to one that was not asked."""
    pairs, place = np.unique(np.stack([n, k]), axis=1, return_inverse=True)
    values = np.array([chance(int(m), int(of)) if m else 0.0 for m, of in pairs.T])
    return np.asarray(values[place], dtype=np.float64)


class Entropy(Measure):
    """A mean over items of what the contents of an item's trials add up to.

    Of perturbed questions, the trials are the versions' votes (see `votes`). Its kinds differ in
    what a content adds that was chosen c of n times, c > 0. The most that the value can be, and
    what guessing gives, follow from that.
    """

    counted = "items"
    of_repeats = True
    family = SHARE
    given = "adds"

    @abstractmethod
    def adds(self, c: Floats, n: Floats) -> Floats:
        """What a content adds that c of n trials chose, c > 0."""

    def rows(self, cell: Cell) -> Rows:
        ballot = elected(cell)
        return of_items(self.each(ballot), complete(ballot), unread(ballot))

    def each(self, ballot: Cell) -> Floats:
        """The measure of each item: each of the c trials of a content adds its part."""
        counts = option_counts(ballot).astype(np.float64)
        c, n = np.maximum(counts, 1), np.maximum(ballot.read.sum(axis=1, keepdims=True), 1)
        return np.asarray(np.where(counts > 0, self.adds(c, n) / c, 0).sum(axis=1) + 0.0)

    def limits(self, cell: Cell) -> tuple[float, float]:
        """The most is where all contents differ."""
        n = np.array(max(elected(cell).asked.sum(axis=1).max(initial=2), 2.0))
        return 0.0, float(n * self.adds(np.array(1.0), n))

    def guessed(self, n: int, k: int) -> float:
        """Expected value for `n` uniform guesses among `k` options."""
        c = np.arange(1, n + 1)
        ways = np.array([comb(n, int(times)) for times in c], dtype=np.float64)
        chances = ways * (1 / k) ** c * (1 - 1 / k) ** (n - c)
        return float(k * chances @ self.adds(c.astype(np.float64), np.array(float(n))))

    def chances(self, cell: Cell) -> Floats:
        return _guessed(self.guessed, elected(cell).asked.sum(axis=1), cell.k)

    def entered(self, cell: Cell) -> Floats:
        return complete(elected(cell)).astype(np.float64)


def nats(c: Floats, n: Floats) -> Floats:
    return np.asarray(-c / n * np.log(c / n))


@Entropy.of("Entropy of answers", unit="nats")
def answer_entropy(c: Floats, n: Floats) -> Floats:
    """Entropy in nats of the contents that an item's trials chose, mean over items (Look at the
    Text, section 5.4); of perturbed questions, of the votes of their versions. At most ln of the
    number of trials, on which it depends.
    """
    return nats(c, n)


@Entropy.of("Entropy of answers, in bits", unit="bits")
def answer_entropy_bits(c: Floats, n: Floats) -> Floats:
    """answer_entropy with logarithms to base 2."""
    return np.asarray(nats(c, n) / log(2))


@Entropy.of("Entropy of answers, of the most there can be")
def answer_entropy_normalised(c: Floats, n: Floats) -> Floats:
    """answer_entropy over ln of the number of trials or votes; 1 if no two agree."""
    return np.asarray(nats(c, n) / np.log(np.maximum(n, 2)))


@Entropy.of("Entropy of answers, for any number of them", unit="nats")
def answer_entropy_corrected(c: Floats, n: Floats) -> Floats:
    """answer_entropy plus (m - 1) / 2n for m different contents in n trials (Miller and Madow
    1955), which takes off most of its dependence on n.
    """
    return np.asarray(nats(c, n) + (1 - c / n) / (2 * n))


@Entropy.of("Pairs of answers that differ")
def answer_disagreement(c: Floats, n: Floats) -> Floats:
    """Share of pairs of an item's trials, or votes, with different contents, mean over items
    (unbiased for 1 minus the sum of squared shares; does not depend on their number).
    """
    return np.asarray(c * (n - c) / np.maximum(n * (n - 1), 1))


def agreement(cell: Cell) -> Floats:
    """Plurality agreement of each item, (items,); NaN for items that were not fully answered."""
    shares = ratio(most_frequent(cell) * 1.0, cell.asked.sum(axis=1) * 1.0)
    return np.where(complete(cell), shares, np.nan)


@of_whole
def levels(cell: Cell) -> Floats:
    """The different agreements of items, in hundredths, ascending."""
    found = np.round(agreement(cell), 2)
    return np.unique(found[~np.isnan(found)])


def strata(cell: Cell) -> Bools:
    """Which level an item belongs to, (items, levels)."""
    return np.equal(np.round(agreement(cell), 2)[:, None], levels(cell))


class OfStrata(Measure):
    """One value for each degree to which the answers of items agree."""

    of_repeats = True
    counted = "items"

    def undefined_reason(self, cell: Cell) -> str | None:
        none = None if complete(cell).any() else "no item was answered in all its trials"
        return super().undefined_reason(cell) or none

    def groups(self, cell: Cell) -> Sequence[str]:
        return [f"{level:.2f}" for level in levels(cell)]


@OfStrata.of("Items by agreement")
def agreement_share(cell: Cell) -> Rows:
    """Share of items whose answers agree to the given degree (see plurality_agreement)."""
    within = strata(cell)
    return of_items(within, within.any(axis=1), unread(cell))


class StratumAccuracy(OfStrata):
    """A function gives how right each item is, and whether that is known, (items, 2)."""

    layout = "halves"
    given = "right"

    @abstractmethod
    def right(self, cell: Cell) -> Floats:
        """How right an item is, and whether that is known, (items, 2)."""

    def undefined_reason(self, cell: Cell) -> str | None:
        return super().undefined_reason(cell) or no_gold(cell)

    def rows(self, cell: Cell) -> Rows:
        right, known = self.right(cell).T
        within = strata(cell)
        used = within.any(axis=1) & (known > 0)
        found = grouped(right[:, None], used[:, None], within[:, None])
        return found._replace(n_missing=int((unread(cell) & ~goldless(cell)).sum()))


@StratumAccuracy.of("Accuracy by agreement")
def stratum_accuracy(cell: Cell) -> Floats:
    """Accuracy, mean over trials, of the items whose answers agree to the given degree."""
    return item_means(cell.correct == 1, cell.known)


@StratumAccuracy.of("Accuracy of the most frequent answer, by agreement")
def stratum_plurality_accuracy(cell: Cell) -> Floats:
    """Share of items whose most frequent answer is right, by agreement; where m options are equally
    frequent and one of them is right, the item counts 1/m.
    """
    return np.column_stack([plurality_right(cell), cell.known.any(axis=1)]).astype(np.float64)


def plurality_right(cell: Cell) -> Floats:
    """How right the most frequent answer of each item is, (items,): 1/m where m options are as
    frequent and one of them is right; 0 where that is not known."""
    counts = option_counts(cell)
    top = (counts == counts.max(axis=1, keepdims=True)) & cell.read
    # Each of the m tied options stands in `most` trials, so the share of top trials that
    # are right is 1/m if one of the tied contents is, and 0 otherwise.
    hits = (top & (cell.correct == 1)).sum(axis=1)
    shares = hits / np.maximum(top.sum(axis=1), 1)
    return np.where(cell.known.any(axis=1), shares, 0.0)
