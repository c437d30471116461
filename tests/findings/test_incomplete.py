"""Items that lack replies may be unlike the others: what is said holds whatever they are."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cells import cell_of
from horsesense.findings.finding import Finding
from horsesense.findings.incomplete import UNLIKE
from horsesense.findings.verdict import verdict
from horsesense.measures.cells import MISSING, NO_OPTION, Cell
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.registry import MEASURES

RUN: Any = SimpleNamespace(
    reader="text",
    readers=["text"],
    probes={"order": {"title": "order", "invariant": "same_accuracy"}},
    unasked={},
    by_people=False,
    lacking="lack a reply",
    ended="",
    never_asked=lambda _: 0,
    lost_shares=lambda _: (0.0, 0.0),
    not_covered=lambda _: "",
    some_gold=True,
    label=lambda probe, condition: probe,
)


def orders(known: np.ndarray, lost: np.ndarray, seed: int, k: int = 4) -> Cell:
    """Cyclic orders of items of `k` options: known ones always right, others guessed."""
    rng = np.random.default_rng(seed)
    chosen = np.where(known[:, None], 0, rng.integers(0, k, lost.shape))
    at = (chosen + np.arange(lost.shape[1])) % k
    cell = cell_of(chosen.tolist(), [0] * len(known), k=k, positions=at.tolist())
    gone = {"status": MISSING, "position": -1, "option": NO_OPTION, "correct": -1}
    kept = {
        name: np.where(lost, value, getattr(cell, name)).astype(getattr(cell, name).dtype)
        for name, value in gone.items()
    }
    return replace(cell, **kept)


def told(cell: Cell, *names: str) -> dict[str, Finding]:
    """What is said of them, by kind."""
    context = Context("d", "m", np.arange(len(cell.item)), signature=lambda *_: None)  # type: ignore[arg-type, return-value]
    found = found_all([cell], [MEASURES.get(name) for name in names], context)
    return {f.name: f for f in verdict(RUN, found) if f.measured}


def test_known_items_whose_replies_are_lost_are_not_taken_for_guesses() -> None:
    """.35 are known and lose .7 of their replies: of complete items less than .01 are."""
    known = np.random.default_rng(1).random(1000) < 0.35
    gone = np.random.default_rng(2).random((1000, 4)) < np.where(known, 0.7, 0)[:, None]
    f = told(orders(known, gone, 3), "plurality_agreement")["no_agreement"]
    assert f.value is not None
    assert f.value < f.null + f.size
    assert f.kind == "cannot_tell"
    assert f.items is None
    assert f.reason == UNLIKE
    assert f.n_missing == gone.any(axis=1).sum()


def test_the_replies_that_items_have_count() -> None:
    """.15 are known and lose .32 of ten replies, 4.8 % of all: what is left of them agrees."""
    known = np.random.default_rng(1).random(1000) < 0.15
    gone = np.random.default_rng(2).random((1000, 10)) < np.where(known, 0.32, 0)[:, None]
    f = told(orders(known, gone, 3, 10), "plurality_agreement")["no_agreement"]
    assert f.n < 870
    assert f.value is not None
    assert f.value < f.null + f.size
    assert f.kind == "ruled_out"


@pytest.mark.parametrize(("share", "kind"), [(0.0, "found"), (0.02, "found"), (0.1, "cannot_tell")])
def test_guessing_is_found_where_few_replies_are_lost(share: float, kind: str) -> None:
    """Of 1,000 items that agree in .53, a tenth of the replies could make it .61."""
    cell = orders(np.zeros(1000, bool), np.random.default_rng(3).random((1000, 4)) < share, 4)
    assert told(cell, "plurality_agreement")["no_agreement"].kind == kind


def test_what_holds_whatever_is_missing_is_said() -> None:
    """A tenth of the replies, and a third of the items that lack one: most agree all the same."""
    rng = np.random.default_rng(5)
    cell = orders(rng.random(400) < 0.6, rng.random((400, 4)) < 0.1, 6)
    found = told(cell, "plurality_agreement", "position_locked")
    assert {f.kind for f in found.values()} == {"ruled_out"}
    agreement = found["no_agreement"]
    assert agreement.n < 300
    assert agreement.low is not None
    assert agreement.value is not None
    assert agreement.null < agreement.low < agreement.value - 0.06


def test_items_that_lack_replies_may_be_locked_where_the_others_are_at_one_position() -> None:
    """.10 are locked at A and lose a reply each; no guess is, and none of those that are there."""
    cell = orders(np.ones(400, bool), np.zeros((400, 4), bool), 7)
    status, position = cell.status.copy(), cell.position.copy()
    position[:40], status[:40, 0] = 0, MISSING
    open_to = replace(cell, status=status, position=position)
    f = told(open_to, "position_locked")["position_locked"]
    assert (f.kind, f.value) == ("cannot_tell", 0.0)
    assert (f.reason, f.n_missing) == (UNLIKE, 40)
    position[:40] = cell.position[:40]
    apart = replace(cell, status=status, position=position)
    assert told(apart, "position_locked")["position_locked"].kind == "ruled_out"


def test_a_preference_that_lost_replies_make_is_not_found() -> None:
    """.3 of the replies that choose A are gone: the others are chosen more often than evenly."""
    cell = orders(np.ones(3000, bool), np.zeros((3000, 4), bool), 8)
    lost = (cell.position == 0) & (np.random.default_rng(9).random(cell.position.shape) < 0.3)
    f = told(orders(np.ones(3000, bool), lost, 8), "position_preference")["position_preference"]
    assert f.value == pytest.approx(0.27, abs=0.003)
    assert f.kind == "cannot_tell"
    assert f.reason == UNLIKE


def test_where_nothing_is_missing_nothing_is_open() -> None:
    context = Context("d", "m", np.arange(60), signature=lambda *_: None)  # type: ignore[arg-type, return-value]
    cell = orders(np.arange(60) < 30, np.zeros((60, 4), bool), 10)
    assert all(one.unknown is None for one in found_all([cell], MEASURES, context))
