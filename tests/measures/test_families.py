"""One place decides interval and p: n of a group, agreement, shared prompts, and no interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cells import cell_of, measured
from horsesense.measures.base import Estimate, Measure, Rows
from horsesense.measures.calibration import CalibrationError
from horsesense.measures.cells import MISSING, Bundles, Cell, Scores, Subjects
from horsesense.measures.joined import joined
from horsesense.measures.registry import MEASURES
from horsesense.testing.conformance import random_cells
from horsesense.trials.condition import Condition
from horsesense.trials.trial import NONE_OPTION


def of(found: list[Estimate], measure: str, group: str = "") -> Estimate:
    (one,) = (e for e in found if (e.measure, e.group) == (measure, group))
    return one


def test_a_subject_with_one_item_has_its_own_n_and_no_interval() -> None:
    """Issue: it printed n = 800 and an interval of half a percent."""
    cell = cell_of([[0]] * 801, [0] * 801, probe="original")
    subjects = Subjects(np.array([0] + [1] * 800), ("alone", "many"))
    found = measured([cell.having(subjects)], "refusal_by_subject")
    alone, many = (of(found, "refusal_by_subject", group) for group in ("alone", "many"))
    assert (alone.value, alone.n, alone.low, alone.high) == (0, 1, None, None)
    assert "too few independent items or texts" in alone.note
    assert (many.n, many.low) == (800, 0)
    assert many.high < 0.006


def test_a_position_counts_its_own_trials_and_its_own_missing_ones() -> None:
    gold = [0] * 33 + [1] * 7
    cell = cell_of([[g] for g in gold], gold, probe="original")
    status = cell.status.copy()
    status[39] = MISSING
    found = measured([replace(cell, status=status)], "recall")
    first, second = (of(found, "recall", group) for group in "AB")
    assert (first.n, first.n_missing) == (33, 0)
    assert (second.n, second.n_missing) == (6, 1)
    assert second.low < 0.75  # not what 40 right answers would show


@pytest.mark.parametrize("level", [0.3, 0.5, 0.7])
def test_an_interval_of_counts_holds_its_value_at_every_level(level: float) -> None:
    """A kappa of 1 in 12 items: [.834, .967] at .5, as if it could not be what it is."""
    gold = [i % 4 for i in range(12)]
    text = cell_of([[g] for g in gold], gold, probe="original")
    first = replace(text, reader="first_token", by_scores=True)
    kappa = of(measured([text, first], "mismatch_kappa", level=level), "mismatch_kappa")
    assert kappa.low < kappa.value == kappa.high == 1.0


@pytest.mark.thorough
def test_p_and_interval_of_every_measure_agree() -> None:
    seen = [0, 0]
    for level in (0.5, 0.95):
        cells = [replace(cell, reader=f"{cell.reader}") for cell in random_cells()]
        for e in measured(cells, level=level):
            if e.p_value is None or e.measure.endswith("_null") or e.low is None:
                continue
            out = e.low > 0 or e.high < 0
            assert (e.p_value < 1 - level) == out, (e.measure, e.p_value, e.low, e.high)
            seen[out] += 1
    assert min(seen) > 3


def test_every_value_has_an_interval_or_a_reason() -> None:
    found = [e for e in measured(random_cells()) if not e.measure.endswith("_null")]
    assert len({e.measure for e in found}) > 60
    for e in found:
        assert (e.low is None) == (e.high is None)
        also = e.low is not None and MEASURES.get(e.measure).tells_range  # beside its interval
        assert also or (e.low is None) == bool(e.note), (e.measure, e.note)
        assert (e.low is None) or (e.interval and e.low <= e.high)


def test_change_beyond_asking_again_is_one_paired_difference() -> None:
    """75 % changed answers, and the same answers when asked again."""
    rng = np.random.default_rng(2)
    original = cell_of([[0]] * 40, [0] * 40, probe="original")
    again = replace(original, probe="repeat")
    moved = (rng.random(40) < 0.75).astype(int)
    order = cell_of([[m] for m in moved], [0] * 40, probe="order")
    found = measured(
        [original, again, order], "answer_change_beyond_repeat", tested=frozenset({"order"})
    )
    e = of(found, "answer_change_beyond_repeat")
    assert e.value == pytest.approx(moved.mean())
    assert e.probe == "order"
    assert e.p_adjusted < 0.001
    assert e.low > 0.5
    noisy = replace(order, probe="repeat")
    found = measured([original, noisy, order], "answer_change_beyond_repeat")
    assert of(found, "answer_change_beyond_repeat").value == 0


def test_the_minimum_detectable_effect_is_that_of_the_corrected_level() -> None:
    rng = np.random.default_rng(3)
    original = cell_of([[0]] * 200, [0] * 200, probe="original")
    probes = [
        cell_of([[int(rng.random() < 0.05)] for _ in range(200)], [0] * 200, probe=name)
        for name in ("order", "labels", "format")
    ]
    names = ("accuracy_change",)
    alone = [e.detectable for e in measured([original, *probes], *names)]
    tested = frozenset(p.probe for p in probes)
    family = [e.detectable for e in measured([original, *probes], *names, tested=tested)]
    assert all(a < b for a, b in zip(alone, family, strict=True))


class Numbers(Measure):
    """A mean without bounds."""

    name = title = "numbers"
    summary = "Numbers."
    unit = "count"

    def rows(self, cell: Cell) -> Rows:
        return Rows(np.column_stack([np.full(len(cell.item), 2.0), np.ones(len(cell.item))]), 9, 0)


def test_a_value_without_bounds_that_does_not_vary_has_no_interval() -> None:
    (e,) = measured([cell_of([[0]] * 9, [0] * 9)], Numbers())
    assert (e.value, e.low, e.note) == (2.0, None, "no interval: nothing varies, and the value "
                                        "has no bounds")  # fmt: skip


def test_detection_of_the_right_answer_has_the_published_value() -> None:
    """d' of 3 hits of 4 and 1 false alarm of 4, each with 1/2 and 1 added."""
    from scipy.stats import norm

    absent = cell_of([[NONE_OPTION]] * 3 + [[0]], [0] * 4)
    present = cell_of([[NONE_OPTION]] + [[0]] * 3, [0] * 4)
    cell = joined({"absent": absent, "present": present}, "gold_plus_none", Condition(a="b"))
    measure = MEASURES.get("gold_detection")
    rows = measure.rows(cell)
    want = norm.ppf(3.5 / 5) - norm.ppf(1.5 / 5)
    assert measure.value(rows.rows.sum(axis=0))[0] == pytest.approx(want)
    balanced = MEASURES.get("gold_detection_balanced")
    assert balanced.value(rows.rows.sum(axis=0))[0] == pytest.approx((0.75 + 0.75) / 2)


def test_draws_that_do_not_vary_have_no_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CalibrationError, "null", lambda self, cell, seed: np.full(200, 0.1))
    cell = cell_of([[0]] * 40, [0] * 40, reader="first_token")
    cell = cell.having(Scores(np.full((40, 1), 0.9, np.float32), np.zeros((40, 1), np.float32)))
    found = [e for e in measured([cell]) if e.measure == "ece_null"]
    assert found
    for e in found:
        assert (e.low, e.high, e.interval) == (None, None, "")
        assert "do not vary" in e.note
        assert e.p_value is not None


def null_of(cell: Cell, measure: str, copies: int = 1) -> Estimate:
    """The null value where so many items in a row are one cluster."""
    found = measured([cell], measure, cluster=np.arange(len(cell.item)) // copies)
    return of(found, f"{measure}_null")


def in_positions(at: np.ndarray, probe: str = "order") -> Cell:
    """Answers to items whose right answer stands there, half of them right, (items, orders)."""
    right = np.random.default_rng(1).random(at.shape) < 0.5
    chosen = np.where(right, 0, 1)
    shown = np.where(right, at, (at + 1) % 4)
    return cell_of(chosen, [0] * len(at), positions=shown, gold_at=at, probe=probe)


def test_a_null_drawn_trial_by_trial_has_no_p_where_trials_share_a_cluster() -> None:
    """30 clusters of 4 copies had p < .05 in .63 of studies without an effect."""
    one = np.arange(120)[:, None] % 4
    for cell, copies, stands in (
        (in_positions(one, "original"), 1, True),
        (in_positions(one, "original"), 4, False),
        (in_positions((one + np.arange(4)) % 4), 1, True),  # permuted within each item
        (in_positions((one + np.arange(4)) % 4), 4, False),
        (in_positions(np.repeat((one + np.arange(2)) % 4, 2, axis=1)), 1, False),  # two draws
    ):
        found = null_of(cell, "rstd", copies)
        assert (found.p_value is not None, found.low is not None) == (stands, stands)
        assert ("independent" in found.note) == (not stands)
        assert found.value is not None


@pytest.mark.parametrize(("orders", "stands"), [(1, True), (4, False)])
def test_orders_of_an_item_are_no_trials_of_their_own_to_calibration(
    orders: int, stands: bool
) -> None:
    """100 items whose 4 trials agree had p < .05 in .895 of calibrated studies."""
    rng = np.random.default_rng(2)
    sure = np.repeat(rng.uniform(0.25, 1, (100, 1)), orders, axis=1).astype(np.float32)
    wrong = np.repeat(rng.random((100, 1)), orders, axis=1) > sure
    cell = cell_of(wrong.astype(int), [0] * 100, reader="first_token")
    found = null_of(cell.having(Scores(sure, np.zeros_like(sure))), "ece")
    assert (found.p_value is not None, found.low is not None) == (stands, stands)
    assert ("independent" in found.note) == (not stands)


def test_problems_of_one_prompt_are_not_drawn_one_by_one() -> None:
    cell = in_positions(np.arange(40)[:, None] % 4, "batch")
    assert null_of(cell, "rstd").p_value is not None
    prompts = (np.arange(40, dtype=np.int32) // 4)[:, None]
    shared = Bundles(prompts, np.zeros((40, 1), np.int16), np.zeros((40, 1), np.int32))
    assert null_of(cell.having(shared), "rstd").p_value is None
