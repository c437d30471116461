"""What training changed: scores, differences and their two intervals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from horsesense.comparison.align import Side
from horsesense.measures.families import Inference
from horsesense_extras.training.comparison import (
    BEFORE,
    CHOICE,
    JUDGED,
    Training,
    compare_arms,
    contrasts,
    intervals,
)
from horsesense_extras.training.report import figure, main_views, sentences, table
from studies import study

N = 24
SIMULATED = {
    BEFORE: "sim:prior?know=0.2",
    "positive-0": "sim:prior?know=0.7",
    "positive-1": "sim:prior?know=0.6",
    "mixed-0": "sim:prior?know=0.25",
    "mixed-1": "sim:prior?know=0.3",
    "shuffled-0": "sim:prior?know=0.2",
    "shuffled-1": "sim:position?k=1",
}


PROBES = ("order", "misleading_replaced", "none_of_the_above(place=kept)", "true_false(items=all)")


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Side]:
    root: Path = tmp_path_factory.mktemp("arms")
    sides = {}
    for name, model in SIMULATED.items():
        made = study("sample", model, root / name, limit=N, probes=PROBES, readers=("text",))
        sides[name] = Side(name, str(made.out), made.results)
    return sides


@pytest.fixture(scope="module")
def found(sides: dict[str, Side]) -> Training:
    after = {
        arm: [sides[f"{arm}-{seed}"] for seed in (0, 1)]
        for arm in ("positive", "mixed", "shuffled")
    }
    return compare_arms(sides[BEFORE], after, control="shuffled")


@pytest.mark.thorough
def test_a_difference_is_that_of_the_scores(found: Training) -> None:
    by = {(s.measure, s.view, s.arm): s for s in found.scores}
    for effect in found.effects:
        first, second = (
            by[effect.measure, effect.view, arm] for arm in (effect.first, effect.second)
        )
        assert effect.value == pytest.approx(first.value - second.value)
        assert effect.value == pytest.approx(np.mean(effect.values))
        assert (effect.n, effect.seeds, effect.missing) == (N, 2, 0)
    assert by["accuracy", "Options reordered", BEFORE].chance == pytest.approx(0.25, abs=0.01)
    assert len(by["accuracy", "Options reordered", BEFORE].values) == 1


@pytest.mark.thorough
def test_both_intervals_hold_the_value_and_that_over_seeds_is_wider(found: Training) -> None:
    assert found.effects
    for e in found.effects:
        assert e.items_low <= e.value <= e.items_high
        assert e.low <= e.value <= e.high
        assert e.high - e.low >= e.items_high - e.items_low

    for row in (*found.effects, *found.scores):
        assert row.items_low <= row.value <= row.items_high


@pytest.mark.thorough
def test_the_columns_of_table_8(sides: dict[str, Side]) -> None:
    after = {arm: [sides[f"{arm}-{seed}"] for seed in (0, 1)] for arm in ("positive", "shuffled")}
    found = compare_arms(sides[BEFORE], after, control="shuffled", columns=True)
    by = {(s.view, s.arm): s for s in found.scores if s.measure != "accuracy_hard"}
    parts = [by[view, "positive"].value for view in ("In the original order", "None of the above")]
    assert by[CHOICE, "positive"].value == pytest.approx(np.mean(parts))
    # The second of the two answers by position: always Yes, or always No.
    assert by[JUDGED, "shuffled"].values[1] == pytest.approx(0.5)
    assert by["One option at a time", "shuffled"].values[1] == pytest.approx(0.75, abs=0.01)
    assert [v[0].view for v in main_views(found)] == [CHOICE, JUDGED]
    assert "One option at a time" not in {row.label for row in found.left_out}


@pytest.mark.thorough
def test_items_chosen_by_answers_are_not_compared(found: Training) -> None:
    assert not [e for e in found.effects if e.probe == "misleading_replaced"]
    assert "its items depend on the model's answers" in {row.reason for row in found.left_out}


def test_what_is_compared_with_what() -> None:
    assert list(contrasts(["positive", "negative", "mixed", "shuffled"], "shuffled")) == [
        ("positive", "before"),
        ("negative", "before"),
        ("mixed", "before"),
        ("shuffled", "before"),
        ("positive", "shuffled"),
        ("negative", "shuffled"),
        ("mixed", "shuffled"),
        ("negative", "positive"),
        ("mixed", "positive"),
    ]


def over_seeds(differences: np.ndarray) -> Inference:
    return intervals(differences, np.arange(len(differences)), 0.95)[1]


def test_seeds_that_differ_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    alike = rng.normal(0.1, 0.2, (50, 4))
    apart = alike + np.array([0.3, -0.3, 0.2, -0.2])
    widths = [
        (found.high or 0) - (found.low or 0)
        for found in (over_seeds(np.clip(d, -1, 1)) for d in (alike, apart))
    ]
    assert widths[1] > 2 * widths[0]


@pytest.mark.parametrize("value", [1.0, 0.5, -1.0])
def test_an_effect_of_all_items_in_all_trainings_is_shown(value: float) -> None:
    items, both = intervals(np.full((20, 5), value), np.arange(20), 0.95)
    assert both.low <= value <= both.high
    assert both.low > 0 or both.high < 0
    assert both.high - both.low > (items.high or 0) - (items.low or 0)


@pytest.mark.thorough
def test_the_page_says_it_in_words_and_draws_it(found: Training) -> None:
    said = " ".join(sentences(found))
    assert "wrong answers marked wrong, in place of half of the right ones" in said
    assert "With 2 seeds" in said
    heads, rows = table(found)
    assert len(rows) == sum(1 + len(view) for view in main_views(found))
    assert all(len(row) == len(heads) for row in rows)
    drawn = figure(main_views(found)[0])
    assert "positive − before" in drawn
    assert "<script" not in drawn
