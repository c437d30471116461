"""The published order is in many designs; it is not compared with itself."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import horsesense as hs
from studies import items_file

FIRST = "sim:position?k=0"
"""Chooses what stands first: right as published where the gold does, and nowhere else."""


def first(folder: Path, n: int, k: int) -> Path:
    """Items whose right option stands first."""
    return items_file(folder / "items.jsonl", n, k, gold=0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("k", "design"), [(2, "cyclic"), (3, "cyclic(base=published)"), (3, "full")]
)
def test_effects_of_order_are_whole(k: int, design: str, tmp_path: Path) -> None:
    """In closed form: the gold's share of first places among the orders that are not published."""
    run = hs.audit(
        first(tmp_path, 30, k), FIRST, probes=f"repeat,order(design={design})", out=tmp_path / "r"
    )
    shifts = [tuple(np.roll(range(k), -s)) for s in range(k)]
    others = [*permutations(range(k))][1:] if design == "full" else shifts[1:]
    truth = np.mean([order[0] == 0 for order in others]) - 1
    change = run.estimate("accuracy_change", "order", reader="text")
    assert (change.value, change.n, change.n_missing) == (pytest.approx(truth), 30, 0)
    again = run.estimate("answer_switch_beyond_repeat", "order", reader="text")
    assert again.value == pytest.approx(-truth)


def test_a_guesser_with_a_preference_loses_what_the_closed_form_says(tmp_path: Path) -> None:
    """Two options: .4 known, guesses 7 to 3 for the first position, where all gold stands."""
    model = "sim:prior?know=0.4&prior=7,3"
    run = hs.audit(first(tmp_path, 400, 2), model, probes="order", out=tmp_path / "run")
    change = run.estimate("accuracy_change", "order", reader="text")
    assert change.low < 0.6 * (0.3 - 0.7) < change.high
    assert change.high < 0.6 * (0.3 - 0.7) / 2


def test_items_shown_in_the_published_order_alone_are_not_compared(tmp_path: Path) -> None:
    """One random order of two options is the published one for half of the items."""
    run = hs.audit(
        first(tmp_path, 60, 2), FIRST, probes="order(design=random(1))", out=tmp_path / "fixed"
    )
    change = run.estimate("accuracy_change", "order", reader="text")
    assert (change.value, change.n_missing) == (-1, 0)
    assert 15 < change.n < 45
    early = hs.audit(
        first(tmp_path, 60, 2), FIRST, probes="order(design=random(1))", out=tmp_path / "early",
        until="decided=0.02",
    )  # fmt: skip
    [row] = early.findings["until"]["findings"]
    assert row["high"] < 0
    assert (row["units"], row["missing"]) == (change.n, 0)
    assert row["value"] == -1


def test_the_published_order_is_asked_once(tmp_path: Path) -> None:
    """Both shifts of two options and the item as published are two prompts."""
    plan = hs.plan(first(tmp_path, 20, 2), FIRST, probes="order")
    assert (plan.trials, plan.requests) == (60, 40)
