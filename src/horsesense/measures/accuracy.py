"""Shares of right answers."""

from __future__ import annotations

import numpy as np

from horsesense.measures.base import Floats, Measure, Rows, of_items, of_trials
from horsesense.measures.cells import Bools, Cell
from horsesense.measures.counting import complete, no_replicates, unread
from horsesense.measures.graded import graded


class Accuracy(Measure):
    """Share of right answers, mean over items; a reply that states no choice is wrong."""

    of_gold = True
    title = "Accuracy"

    def rows(self, cell: Cell) -> Rows:
        return of_trials(cell, cell.correct == 1, cell.known)

    def chances(self, cell: Cell) -> Floats:
        return guessed(cell)


class AccuracyAsGraded(Accuracy):
    """Share of right answers, mean over items, as a harness gives it: a reply that cannot be read
    counts as wrong (the twin of accuracy, which leaves it out).
    """

    title = "Accuracy as graded"
    as_if = staticmethod(graded)


def guessed(cell: Cell) -> Floats:
    """Chance that a guess among the shown options is right: 0 where none of them is."""
    return np.where((cell.gold_at >= 0).any(axis=1), 1 / cell.k, 0.0)


@Accuracy.of("Accuracy of valid answers")
def accuracy_valid(cell: Cell) -> Rows:
    """Accuracy over the replies that chose an option (the twin of accuracy)."""
    return of_trials(cell, cell.correct == 1, cell.valid & (cell.correct >= 0))


class AccuracyHard(Measure):
    """Share of items answered right in all their trials (AccH of REVAS; with cyclic orders,
    circular accuracy of MMBench).
    """

    of_gold = of_repeats = True
    title = "Right in every order"
    counted = "items"

    def rows(self, cell: Cell) -> Rows:
        hits = np.where(cell.asked, cell.correct == 1, True).all(axis=1)
        return of_items(hits, judged(cell), unread(cell))

    def chances(self, cell: Cell) -> Floats:
        return np.asarray(guessed(cell) ** cell.asked.sum(axis=1))


class AccuracyHardAsGraded(AccuracyHard):
    """accuracy_hard with a reply that cannot be read as a wrong one."""

    title = "Right in every order, as graded"
    as_if = staticmethod(graded)

    def where(self, cell: Cell) -> bool:
        return not no_replicates(cell)


def judged(cell: Cell) -> Bools:
    """Items that were read in all of their several trials, each of which is right or wrong."""
    return complete(cell) & ~(cell.read & (cell.correct < 0)).any(axis=1)
