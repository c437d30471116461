"""Measures of Know-No and REVAS against the specification's worked examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from cells import cell_of, measured, values
from each import each
from horsesense.measures.bounds import bounds
from horsesense.measures.cells import STATUS_CODE, Cell, ChosenSets, Scores
from horsesense.measures.joined import joined
from horsesense.measures.registry import MEASURES
from horsesense.runs.cells import _bits
from horsesense.stats.quotient import Quotient
from horsesense.testing.conformance import random_cell
from horsesense.trials.condition import PLAIN, Condition

YES_NO = Condition(items="all", polarity="positive")


def omni_accuracy(with_gold: float, without_gold: Sequence[float]) -> float:
    """The mean of accuracy with gold and the mean accuracy without (Know-No)."""
    return (with_gold + sum(without_gold) / len(without_gold)) / 2


TWO = Condition(n=2, design="random(4)")


def test_omni_of_cells_is_omni_of_their_accuracies() -> None:
    """Runs are averaged within a prompt first, then over prompts."""
    prompts = ("with_gold", "hint_option", "hint_instruction", "no_hint")
    cells = {p: random_cell(n, r=3, missing=0) for n, p in enumerate(prompts)}
    for name, cell in cells.items():
        status = np.full_like(cell.status, STATUS_CODE["answer"])
        correct = np.maximum(cell.correct, 0)
        cells[name] = replace(cell, status=status, correct=correct.astype(np.int8))
    whole = joined(cells, "gold_absent", PLAIN)
    accuracy = {p: float((c.correct == 1).mean()) for p, c in cells.items()}
    expected = omni_accuracy(accuracy["with_gold"], [accuracy[p] for p in prompts[1:]])
    assert values("omni_accuracy", whole)[""] == pytest.approx(expected, abs=1e-12)


@each("seed", range(20))
def test_bounds_hold_whatever_is_answered(seed: int) -> None:
    found = list(bounds(random_cell(seed, missing=0)))
    assert len(found) >= 3
    assert all(bound.holds for bound in found)


def multi_cell(vector: dict[str, Any]) -> Cell:
    """One reply with several letters per item."""
    position = {letter: number for number, letter in enumerate("abcd")}
    items = vector["items"]
    column = np.array([[position[item["gold"]]] for item in items], dtype=np.int16)
    cell = cell_of([[0]] * len(items), [0] * len(items), probe="multi_select")
    selection = ChosenSets(
        marked=np.array([[position[item["mis"]]] for item in items], dtype=np.int16),
        chosen=np.array([[sum(1 << position[s] for s in item["sel"])] for item in items]),
    )
    return replace(cell, answer_format="letters", gold_at=column).having(selection)


def test_multi_selection(vectors: dict[str, Any]) -> None:
    vector = vectors["multi_selection"]
    cell = multi_cell(vector)
    assert values("multi_rate", cell)[""] * 100 == pytest.approx(vector["pct_multi"], abs=1e-8)
    gold, misleading = values("recall_gold", cell), values("recall_misleading", cell)
    assert gold["multi"] * 100 == pytest.approx(vector["recall_correct_multi_only"], abs=1e-8)
    assert gold["all"] * 100 == pytest.approx(vector["recall_correct_all"], abs=1e-8)
    expected = vector["recall_misleading_multi_only"]
    assert misleading["multi"] * 100 == pytest.approx(expected, abs=1e-8)
    assert values("multi_exact", cell)[""] == 0
    assert values("multi_precision", cell)[""] == pytest.approx((1 / 2 + 1 / 3) / 5)


def confidence_cell(gold: list[float], distractors: list[list[float]]) -> Cell:
    """Probabilities of yes over the vocabulary, to the right option and to each other one."""
    yes = np.column_stack([gold, distractors])
    n, k = yes.shape
    accepts = np.tile([0] + [1] * (k - 1), (n, 1)).astype(np.int16)
    cell = cell_of([[0] * k] * n, [0] * n, k=2, probe="option_confidence", reader="first_token")
    cell = replace(
        cell,
        condition=YES_NO,
        answer_format="yes_no",
        gold_at=accepts,
        position=np.where(yes >= 0.5, 0, 1).astype(np.int16),
    )
    return cell.having(Scores(confidence=np.maximum(yes, 1 - yes), score=np.zeros((n, k))))


def test_option_confidence(vectors: dict[str, Any]) -> None:
    vector = vectors["option_confidence"]
    items = vector["items"]
    cell = confidence_cell([i["correct"] for i in items], [i["distr"] for i in items])
    expected = [vector[key] for key in ("mean_correct", "mean_most_distracting", "ratio_of_means")]
    assert [*values("option_confidence", cell).values()] == pytest.approx(expected, abs=1e-8)


def test_a_ratio_of_confidences_may_exceed_one() -> None:
    """It was declared a share, so that its interval ended at 1 below a value of 1.6."""
    rng = np.random.default_rng(3)
    gold, distractors = rng.uniform(0.2, 0.6, 80), rng.uniform(0.3, 0.9, (80, 3))
    cell = confidence_cell(gold.tolist(), distractors.tolist())
    for name in ("option_confidence", "option_confidence_relative"):
        found = measured([cell], name)
        ratio = next(e for e in found if e.group == "ratio")
        assert {e.group: e.unit for e in found} == {
            "gold": "fraction", "strongest_distractor": "fraction", "ratio": "ratio",
        }  # fmt: skip
        assert ratio.value == pytest.approx(distractors.max(axis=1).mean() / gold.mean(), rel=1e-5)
        assert 1.5 < ratio.low < ratio.value < ratio.high < 2.5


def test_a_quotient_without_an_end_has_no_interval() -> None:
    below = np.array([0.5, -0.5, 0.4, -0.3])
    assert Quotient.of(np.ones(4), below, np.ones(4)).interval(0.95) is None
    assert Quotient.of(np.ones(4), np.ones(4), np.ones(4)).interval(0.95) is None
    assert Quotient.of(np.ones(1), np.ones(1), np.ones(1)).interval(0.95) is None


def test_true_false_baselines(vectors: dict[str, Any]) -> None:
    vector = vectors["true_false_baselines"]
    for answer, accuracy in ((0, vector["always_yes_acc"]), (1, vector["always_no_acc"])):
        cell = confidence_cell([0.5] * 3, [[0.5] * 3] * 3)
        position = np.full_like(cell.position, answer)
        right = (position == cell.gold_at).astype(np.int8)
        cell = replace(cell, probe="true_false", position=position, correct=right)
        assert values("true_false_accuracy", cell)[""] * 100 == pytest.approx(accuracy, abs=1e-8)
        balanced = values("true_false_balanced_accuracy", cell)[""]
        assert balanced * 100 == pytest.approx(vector["balanced_acc_of_each"], abs=1e-8)
        assert MEASURES.get("true_false_accuracy").baseline(cell) == 0.75


def test_auroc_is_scikit_learns() -> None:
    dice = np.random.default_rng(0)
    yes = np.round(dice.random((40, 4)), 1)  # with ties
    cell = confidence_cell(yes[:, 0].tolist(), yes[:, 1:].tolist())
    truth = np.tile([1, 0, 0, 0], 40)
    expected = roc_auc_score(truth, yes.ravel())
    assert values("option_auroc", cell)[""] == pytest.approx(expected, abs=1e-12)


def test_unread_options_are_missing_not_zero() -> None:
    cell = confidence_cell([0.4, 0.4], [[0.1, 0.2, 0.3]] * 2)
    status = cell.status.copy()
    status[0, 2] = -1
    rows = MEASURES.get("option_confidence").rows(replace(cell, status=status))
    assert (rows.n, rows.n_missing) == (1, 1)


def test_orders_that_show_other_distractors_have_no_simple_chance_level() -> None:
    cell = replace(random_cell(1, k=2), probe="option_count", condition=TWO)
    measure = MEASURES.get("plurality_agreement")
    assert measure.baseline(cell) is None
    assert measure.baseline(replace(cell, condition=TWO.with_(n=3))) is not None


def test_more_labels_than_bits_of_a_number() -> None:
    """A label set of 70: the last positions are chosen like the first."""
    rows = pl.Series("positions", [[69], [0, 66], [], None], dtype=pl.List(pl.Int64))
    bits = _bits(rows)[:, None]
    selection = ChosenSets(bits, np.full(bits.shape, -1, np.int16))
    assert selection.count[:, 0].tolist() == [1, 2, 0, 0]
    places = np.array([[69], [66], [1], [69]], np.int16)
    assert selection.holds(places)[:, 0].tolist() == [True, True, False, False]
    few = _bits(pl.Series("positions", [[61], [0, 3], [], None], dtype=pl.List(pl.Int64)))
    assert few.dtype == np.int64
    assert few.tolist() == [1 << 61, 9, 0, 0]


def test_a_form_in_its_own_wording_is_compared_with_the_items_in_that_wording() -> None:
    def cell(right: int, probe: str = "gold_absent", **condition: str) -> Cell:
        made = cell_of([[0]] * right + [[1]] * (20 - right), [0] * 20, probe=probe)
        return replace(made, condition=Condition(**condition))

    asked = {"asking": "know_no", "design": "random(3)"}
    original = cell(16, "original")
    shown, beside = cell(12, prompt="with_gold", **asked), cell(10, "gold_plus_none", **asked)
    hinted = cell(9, prompt="hint_option", **asked)
    other_orders = cell(9, prompt="hint_option", asking="know_no", design="cyclic")
    own = cell(9, prompt="hint_option", asking="own", design="random(3)")
    for name in ("accuracy_change", "valid_change"):
        cells = MEASURES.get(name).cells([original, shown, hinted, beside, other_orders, own])
        against = {(c.probe, str(c.condition)): c.other for c in cells}
        for compared in (hinted, beside, other_orders):
            assert against[compared.probe, str(compared.condition)] is shown
        for compared in (shown, own):
            assert against[compared.probe, str(compared.condition)] is original
        [alone] = MEASURES.get(name).cells([original, hinted])
        assert alone.other is original


def test_confidence_of_items_right_in_every_derived_form() -> None:
    """Item 1 fails one order, item 2 one number of options; item 0 stays."""
    sure = confidence_cell([0.8, 0.6, 0.4], [[0.2, 0.1, 0.1]] * 3)

    def answered(probe: str, right: list[list[int]]) -> Cell:
        cell = cell_of([[0] * len(row) for row in right], [0] * 3, k=4, probe=probe)
        return replace(cell, correct=np.array(right, np.int8), reader="text")

    order = answered("order", [[1, 1], [1, 0], [1, 1]])
    counted = answered("option_count", [[1, 1], [1, 1], [0, 1]])
    measure = MEASURES.get("option_confidence_derived")
    assert [list(c.item) for c in measure.cells([sure, order, counted])] == [[0]]
    assert list(measure.cells([sure, order])) == [], "no other form was asked"


def test_each_kind_of_option_misses_its_own_judgements() -> None:
    """16 of 252 wrong options were said to lack a reply, of which 4 were right ones."""
    cell = cell_of([[0, 1], [0, -99], [-99, 1]], [0, 0, 0], probe="true_false")
    rows = MEASURES.get("true_false_consistency").rows(cell)
    assert sum(rows.missing) == rows.n_missing == 2
    assert (rows.rows.sum(axis=0)[2:] + rows.missing <= cell.asked.sum()).all()
