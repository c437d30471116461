"""Answers of people: what the intervals over items and people are made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cells import cell_of, measured
from horsesense.measures.accuracy import Accuracy, AccuracyHard
from horsesense.measures.base import Estimate, Measure
from horsesense.measures.by_subject import RstdBySubject
from horsesense.measures.cells import Cell, People, Subjects
from horsesense.measures.contrast import AccuracyChange
from horsesense.measures.know_no import OmniAccuracy
from horsesense.probes.gold_absent import PROMPTS
from horsesense.stats.share import Share
from horsesense.stats.two_way import mean_se
from horsesense.trials.condition import PLAIN, Condition

ITEMS, PEOPLE = 40, 8


def forms(seed: int = 0) -> tuple[list[Cell], np.ndarray, np.ndarray]:
    """Four forms in a Latin square; also (form, item, turn) -> right, and who."""
    dice = np.random.default_rng(seed)
    able = dice.normal(0, 1, PEOPLE)
    turn = (np.arange(ITEMS)[:, None] + np.arange(PEOPLE)) % 4
    who = np.array([[np.flatnonzero(row == f) for row in turn] for f in range(4)])
    right = dice.random(who.shape) < 1 / (1 + np.exp(-(0.5 + able[who])))
    found = []
    for n, form in enumerate(PROMPTS):
        cell = cell_of(np.where(right[n], 0, 1).tolist(), [0] * ITEMS, probe="gold_absent")
        condition = Condition(prompt=form, asking="know_no", design="random(3)")
        people = People(who[n].astype(np.int32))
        found.append(replace(cell, condition=condition, groups=(people,)))
    return found, right, who


def only(found: list[Estimate], **where: object) -> Estimate:
    (one,) = [e for e in found if e.fits(**where)]
    return one


def test_a_share_is_one_over_items_and_people() -> None:
    cells, right, who = forms()
    found = measured(cells, Accuracy())
    e = only(found, condition=cells[0].condition)
    item = np.repeat(np.arange(ITEMS), 2)
    hits = right[0].ravel().astype(float)
    share = Share.two_way(hits, np.ones(80), item, who[0].ravel().astype(np.intp))
    assert (e.value, e.n) == (pytest.approx(hits.mean()), 80)
    assert (e.low, e.high) == pytest.approx(share.interval())
    assert e.interval == "Clopper-Pearson (40 items x 8 people)"
    alone = Share.of(right[0].sum(axis=1).astype(float), np.full(ITEMS, 2.0)).interval()
    assert e.high - e.low > alone[1] - alone[0]


def test_a_mean_of_forms_weighs_each_answer_as_it_counts() -> None:
    cells, right, _ = forms()
    e = only(measured(cells, OmniAccuracy()))
    by_form = right.mean(axis=(1, 2))
    assert e.value == pytest.approx((by_form[0] + by_form[1:].mean()) / 2)
    assert e.interval == "Clopper-Pearson (40 items x 8 people)"
    # All right: as wide as one share of the same people who know everything.
    known = [replace(c, correct=np.ones_like(c.correct)) for c in cells]
    every = only(measured(known, OmniAccuracy()))
    assert (every.value, every.high) == (1.0, 1.0)
    assert 0.4 < every.low < 1


def test_a_difference_of_forms_is_one_of_different_people() -> None:
    (first, second, *_), right, who = forms()
    original = replace(first, probe="original", condition=PLAIN)
    e = only(measured([original, second], AccuracyChange()), probe="gold_absent")
    assert abs(e.value) == pytest.approx(abs(right[1].mean() - right[0].mean()))
    x = np.concatenate([-(right[0] - right[0].mean()), right[1] - right[1].mean()]).ravel() / 80
    item = np.tile(np.repeat(np.arange(ITEMS), 2), 2)
    se, *_ = mean_se(x, np.ones(160), item, who[:2].ravel().astype(np.intp))
    assert e.high - e.low == pytest.approx(2 * 2.364624 * se * 160, rel=1e-4)
    assert e.interval == "Student's t (40 items x 8 people)"
    assert (e.p_value < 0.05) == (e.low > 0 or e.high < 0)


@pytest.mark.parametrize("measure", [AccuracyHard()])
def test_where_no_method_is_known_no_interval_is_given(measure: Measure) -> None:
    e = measured(forms()[0], measure)[0]
    assert e.value is not None
    assert (e.low, e.note) == (None, "no interval: none is known over items and people")


def test_values_of_subjects_take_answers_of_people() -> None:
    cell = replace(forms()[0][0], probe="original", condition=PLAIN)
    cell = cell.having(Subjects(np.arange(ITEMS) % 2, ("law", "logic")))
    found = measured([cell], RstdBySubject())
    assert [(e.group, e.n) for e in found] == [("law", 40), ("logic", 40)]
