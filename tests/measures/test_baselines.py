"""What guessing gives, to the items that a value is of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cells import cell_of
from each import each
from horsesense.measures.base import Measure
from horsesense.measures.cells import MISSING, Cell
from horsesense.measures.registry import MEASURES
from horsesense.runs.bands import BOUNDED, added
from horsesense.trials.condition import Condition

OF_ITEMS = (
    "accuracy",
    "accuracy_valid",
    "accuracy_hard",
    "plurality_agreement",
    "answer_entropy",
    "answer_entropy_bits",
    "answer_entropy_normalised",
    "answer_entropy_corrected",
    "answer_disagreement",
)


def mixed() -> Cell:
    """24 items of 2 options, all read; 24 of 8 without a reply or a right answer.

    Of these, six each lack one reply, every reply, and the right answer.
    """
    rng = np.random.default_rng(3)
    made = cell_of(rng.integers(0, 2, (48, 2)).tolist(), [0] * 48)
    status, correct, gold_at = made.status.copy(), made.correct.copy(), made.gold_at.copy()
    status[24:36, 1] = status[30:36, 0] = MISSING
    gold_at[36:], correct[36:] = -1, -1
    correct[status == MISSING] = -1
    return replace(made, k=np.repeat([2, 8], 24), status=status, correct=correct, gold_at=gold_at)


@each("name", OF_ITEMS)
def test_items_that_do_not_enter_do_not_enter_the_chance(name: str) -> None:
    """A model that knows .9 of items with a right answer, half of a set, was right without the
    question in 32 %, "where chance is 12 %": the items that no answer is right of had a chance of
    0. Of guesses at items of 2 and 10 options, with replies to the latter lost, 7 of 12 were
    "better than guessing"."""
    measure, cell = MEASURES.get(name), mixed()
    entered = measure.split(measure.rows(cell).rows)[1][:, 0] > 0
    assert 0 < entered.sum() < 48
    alone = measure.baseline(cell.of_items(entered))
    assert measure.baseline(cell) == pytest.approx(alone)
    chances = measure.chances(cell)
    assert measure.baseline(cell) != pytest.approx(float(chances.mean()))


def test_no_measure_takes_its_chance_from_items_that_do_not_enter() -> None:
    """Whatever is added later: an item that nothing was read of changes no chance."""
    cell, probes = mixed(), ("order", "true_false", "none_of_the_above")
    lost = np.r_[np.arange(24), np.arange(30, 36)]
    for name in MEASURES.names():
        measure = MEASURES.get(name)
        for probe in probes:
            one = replace(cell, probe=probe, condition=Condition(place="distractor"))
            if type(measure).cells is not Measure.cells or not measure.fits(one):
                continue
            kept = [one.of_items(np.isin(one.item, some)) for some in (lost, lost[:24])]
            if any(measure.undefined_reason(c) is not None for c in kept):
                continue
            with_lost, without = (measure.baselines(c) for c in kept)
            assert [*with_lost][:2] == pytest.approx([*without][:2]), name


def test_nothing_entered_is_no_chance() -> None:
    cell = cell_of([[-99, -99]] * 3, [0] * 3)
    assert all(MEASURES.get(name).baseline(cell) is None for name in OF_ITEMS)


@pytest.mark.parametrize("name", ["accuracy", "plurality_agreement"])
def test_bets_are_held_to_the_chance_of_the_items_that_they_are_on(name: str) -> None:
    """A lost answer is bet on, as right or wrong: its item has a chance as well. One without a
    right answer is neither."""
    cell = mixed()
    (found,) = added([cell], BOUNDED[name]).values()
    ratio, null = found.groups[""]
    asked = cell.of_items(ratio.weight > 0)
    read = replace(asked, status=np.abs(asked.status), correct=np.abs(asked.correct))
    assert null == pytest.approx(MEASURES.get(name).baseline(read))
    goldless = slice(36, 48)
    if name == "accuracy":
        assert ratio.weight.tolist() == [1.0] * 36 + [0.0] * 12
    else:
        assert ratio.weight[goldless].all()
