"""Measures against worked examples, other programs, and what must hold for any data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import recall_score

from cells import cell_of, letters
from each import each
from horsesense.measures.agreement import chance_agreement
from horsesense.measures.base import Measure
from horsesense.measures.bounds import bounds
from horsesense.measures.cells import Cell, Scores
from horsesense.measures.positions import Recall, permuted_rstd
from horsesense.measures.registry import MEASURES
from horsesense.testing.conformance import check_measure, random_cell

EXACT = 1e-8


def value(name: str, cell: Cell, other: Cell | None = None) -> Any:
    measure = MEASURES.get(name)
    cell = cell if other is None else cell.against(other)
    assert measure.undefined_reason(cell) is None
    values = measure.value(measure.rows(cell).rows.sum(axis=0))
    return float(values[0]) if len(values) == 1 else values


def single(gold: str, answers: str) -> Cell:
    positions = [ord(c) - 65 for c in gold]
    return cell_of(letters(answers.replace("Y", "X")), positions, probe="original")


@each("measure", list(MEASURES))
def test_every_measure_conforms(measure: Measure) -> None:
    check_measure(measure)


@pytest.mark.parametrize(
    "key", ["rstd", "rstd_with_out_of_option_pred", "rstd_constant_A", "rstd_all_refused"]
)
def test_rstd(vectors: dict[str, Any], key: str) -> None:
    vector = vectors[key]
    found = value("rstd", single(vector["gold"], vector["pred"]))
    assert found == pytest.approx(100 * vector["rstd"], abs=100 * 1e-10)


@given(st.integers(0, 1000))
def test_recalls_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gold, pred = rng.integers(0, 4, 60), rng.integers(0, 4, 60)
    cell = cell_of([[int(p)] for p in pred], list(gold), probe="original")
    recalls = Recall().value(Recall().rows(cell).rows.sum(axis=0))
    expected = recall_score(gold, pred, labels=range(4), average=None, zero_division=np.nan)
    assert np.allclose(recalls, expected, equal_nan=True)


def test_noise_alone_spreads_recalls(vectors: dict[str, Any]) -> None:
    """The permutation null agrees with the closed form of the specification."""
    vector = vectors["rstd_null_n100_per_class"]
    rng = np.random.default_rng(5)
    gold = np.repeat(np.arange(4), 25)
    right = rng.permutation(np.repeat([True, False], 50))
    pred = np.where(right, gold, (gold + 1) % 4)
    null = permuted_rstd(cell_of([[int(p)] for p in pred], list(gold), probe="original"), 1, 2000)
    # Shuffling fixes the number right, which scales the variance by n / (n - 1).
    expected = 100 * vector["sqrt_E_var"] * np.sqrt(100 / 99)
    assert np.sqrt((null**2).mean()) == pytest.approx(expected, rel=0.03)
    assert null.mean() == pytest.approx(7.9, abs=0.3)


def test_rstd_is_undefined_where_gold_never_moves() -> None:
    assert "same position" in MEASURES.get("rstd").undefined_reason(single("AAAA", "ABCD"))


def consistency(vectors: dict[str, Any]) -> Cell:
    vector = vectors["consistency"]
    contents = [
        [None if p is None else ord(p) - 97 for p in row] for row in vector["preds_content"]
    ]
    return cell_of(contents, [ord(g) - 97 for g in vector["gold"]])


def test_consistency(vectors: dict[str, Any]) -> None:
    vector, cell = vectors["consistency"], consistency(vectors)
    rows = MEASURES.get("plurality_agreement").rows(cell).rows
    assert rows[:, 0].tolist() == vector["per_item_CS"]
    found = {name: 100 * value(name, cell) for name in ("plurality_agreement", "accuracy_hard")}
    assert found["plurality_agreement"] == pytest.approx(vector["CS_percent"], abs=EXACT)
    assert found["accuracy_hard"] == pytest.approx(vector["AccH_percent"], abs=EXACT)
    mean = 100 * value("accuracy", cell)
    assert mean == pytest.approx(vector["mean_order_accuracy_percent"], abs=EXACT)
    got = {b.says: (b.low, b.high) for b in bounds(cell)}
    hard, mean = found["accuracy_hard"] / 100, mean / 100
    assert got["AccH <= mean Acc"] == pytest.approx((hard, mean))
    upper = hard + (rows[:, 0] < 1).mean()
    assert got["mean Acc <= AccH + share(CS < 1)"] == pytest.approx((mean, upper))


def test_chance_agreement(vectors: dict[str, Any]) -> None:
    for name, expected in vectors["expected_CS_random_guess"].items():
        n, k = (int(part[1:]) for part in name.split("_"))
        assert chance_agreement(n, k) == pytest.approx(expected, abs=1e-8)


def test_a_locked_position_agrees_once_per_content(vectors: dict[str, Any]) -> None:
    expected = vectors["position_locked"]["CS_cyclic10"]
    orders = [[(position + shift) % 10 for position in range(10)] for shift in range(10)]
    cell = cell_of([[order[0] for order in orders]], [0], k=10, positions=[[0] * 10])
    assert value("plurality_agreement", cell) == pytest.approx(expected)
    assert value("position_locked", cell).tolist() == [1.0] + [0.0] * 9


def test_mismatch(vectors: dict[str, Any]) -> None:
    vector = vectors["mismatch"]
    first = cell_of(letters("".join(vector["first_token"])), [0] * 5, reader="first_token")
    text = cell_of(letters("ABDXX"), [0] * 5)
    assert value("mismatch_rate", first, text) == pytest.approx(vector["mismatch_all"])
    assert value("mismatch_valid", first, text) == pytest.approx(vector["mismatch_valid_only"])


def test_what_is_missing_is_counted_and_never_wrong() -> None:
    cell = cell_of([[0], [-99], [None], [1]], [0, 0, 0, 0], probe="original")
    rows = MEASURES.get("accuracy").rows(cell)
    assert (rows.n, rows.n_missing) == (3, 1)
    assert value("accuracy", cell) == pytest.approx(1 / 3)
    assert value("accuracy_valid", cell) == pytest.approx(1 / 2)
    assert value("valid_rate", cell) == pytest.approx(2 / 3)


def test_an_item_with_a_missing_trial_has_no_agreement() -> None:
    cell = cell_of([[0, 0, 0, 0], [0, 0, 0, -99]], [0, 0])
    rows = MEASURES.get("plurality_agreement").rows(cell)
    assert (rows.n, rows.n_missing) == (1, 1)


def test_without_gold_accuracy_is_undefined_with_a_reason() -> None:
    cell = random_cell(3)
    unknown = Cell(**{**cell.__dict__, "correct": np.full_like(cell.correct, -1)})
    for name in ("accuracy", "accuracy_hard", "rstd"):
        assert "no item has a gold" in (MEASURES.get(name).undefined_reason(unknown) or "")


@pytest.mark.parametrize("name", ["brier", "ece", "confidence_auroc"])
def test_a_scored_answer_without_gold_is_not_missing(name: str) -> None:
    """Half of the items without gold had made half of the replies missing."""
    cell = cell_of([[0], [1], [0], [1], [None], [-99]], [0] * 6, reader="first_token")
    correct = np.array([[1], [0], [-1], [-1], [0], [-1]], dtype=np.int8)
    sure = np.array([[0.9], [0.5], [0.7], [0.6], [0.4], [np.nan]], dtype=np.float32)
    cell = replace(cell, correct=correct).having(Scores(sure, np.where(np.isnan(sure), sure, 0)))
    measure = MEASURES.get(name)
    rows = measure.rows(measure.about(cell))
    assert (rows.n, rows.n_missing) == (2, 2)  # the reply without a choice, and the lost one


@pytest.mark.parametrize("name", ["stratum_accuracy", "stratum_plurality_accuracy"])
def test_an_agreeing_item_without_gold_is_not_missing(name: str) -> None:
    cell = cell_of([[0, 0], [0, 1], [1, 1], [0, -99]], [0, 0, 0, 0])
    correct = np.where(np.arange(4)[:, None] == 2, -1, cell.correct).astype(np.int8)
    rows = MEASURES.get(name).rows(replace(cell, correct=correct))
    assert (rows.n, rows.n_missing) == (2, 1)


@given(st.integers(0, 10_000))
def test_agreement_and_entropy_do_not_depend_on_names(seed: int) -> None:
    cell = random_cell(seed)
    renamed = Cell(
        **{**cell.__dict__, "option": np.where(cell.option >= 0, 7 - cell.option, cell.option)}
    )
    for name in ("plurality_agreement", "answer_entropy"):
        assert value(name, cell) == pytest.approx(value(name, renamed))


@given(st.integers(0, 10_000))
def test_statuses_sum_to_one(seed: int) -> None:
    assert value("status_share", random_cell(seed)).sum() == pytest.approx(1)


def test_a_reply_without_an_answer_does_not_change_by_being_repeated() -> None:
    """None to none is no change; an answer that comes or goes is one."""
    original = cell_of([[0], [None], [None], [1], [-99]], [0] * 5, probe="original")
    again = cell_of([[0], [None], [2], [None], [1]], [0] * 5, probe="repeat")
    rows = MEASURES.get("answer_change_rate").rows(again.against(original))
    assert rows.rows.tolist() == [[0, 1], [0, 0], [1, 1], [1, 1], [0, 0]]
    assert (rows.n, rows.n_missing) == (3, 1)
