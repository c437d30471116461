"""What missing replies could make of a number, against every way to complete the replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from cells import cell_of, study_of
from horsesense.findings.evidence import Evidence
from horsesense.measures import lost
from horsesense.measures.base import Measure
from horsesense.measures.cells import Cell
from horsesense.measures.estimate import found_all
from horsesense.measures.registry import MEASURES
from horsesense.trials.condition import Condition

LOST = -99
Replies = Sequence[Sequence[int | None]]
EXACT = (
    "accuracy",
    "accuracy_change",
    "pass_at_k",
    "pass_hat_k",
    "plurality_agreement",
    "position_locked",
    "position_preference",
    "valid_change",
    "valid_rate",
)
"""Of these the ends are reached; of others they may lie further out."""


def made(published: Replies, orders: Replies, again: Replies, k: int = 3) -> list[Cell]:
    """Cyclic orders: option c stands at position c + order."""
    gold = [0] * len(orders)
    shown = [[(c or 0) + place for place, c in enumerate(row)] for row in orders]
    at = (np.array(shown) % k).tolist()
    return [
        cell_of(published, gold, k=k, probe="original"),
        cell_of(orders, gold, k=k, positions=at),
        cell_of(again, gold, k=k, probe="repeat"),
    ]


def completed(forms: Sequence[Replies], k: int = 3) -> Iterator[list[Cell]]:
    """Every study that these replies may be a part of."""
    places = [
        (f, i, j)
        for f, form in enumerate(forms)
        for i, row in enumerate(form)
        for j, c in enumerate(row)
        if c == LOST
    ]
    for said in product([*range(k), None], repeat=len(places)):
        full = [[list(row) for row in form] for form in forms]
        for (f, i, j), c in zip(places, said, strict=True):
            full[f][i][j] = c
        yield made(*full, k=k)


def several(measure: Measure, cells: Sequence[Cell]) -> list[Cell]:
    """The cells of a measure; of one that compares orders, the orders alone."""
    compares = measure.name in ("plurality_agreement", "position_locked")
    return [c for c in measure.cells(cells) if c.probe == "order" or not compares]


def values(measure: Measure, cells: Sequence[Cell]) -> Iterator[Any]:
    """Of each cell: its probe, and the values of the groups."""
    for cell in several(measure, cells):
        yield cell.probe, measure.value(measure.rows(cell).rows.sum(axis=0))


def bounds(measure: Measure, cell: Cell) -> np.ndarray[Any, Any]:
    """Low and high value of each group, (2, groups)."""
    found = []
    for place in range(len(measure.groups(cell))):
        ends = lost.ends(measure, cell, place)
        found.append([measure.value(end.rows.sum(axis=0))[place] for end in ends])
    return np.array(found).T


STUDIES: tuple[tuple[Replies, Replies, Replies], ...] = (
    ([[0], [1], [2]], [[0, 0, LOST], [1, LOST, LOST], [2, 0, 1]], [[0], [LOST], [2]]),
    ([[LOST], [1], [2]], [[0, 0, 0], [1, 2, LOST], [2, 1, 0]], [[0], [1], [LOST]]),
    ([[None], [1]], [[LOST, None, LOST], [2, 1, 1]], [[0], [LOST]]),
    ([[0], [LOST]], [[LOST, LOST, LOST], [None, None, 2]], [[0], [0]]),
    ([[0], [1]], [[LOST, 2, 1], [0, 2, 1]], [[0], [1]]),
)


@pytest.mark.thorough
@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("name", [*EXACT, "answer_switch_beyond_repeat", "majority_at_n"])
def test_no_reply_that_is_missing_could_lead_beyond(name: str, study: Sequence[Replies]) -> None:
    measure = MEASURES.get(name)
    every: dict[str, list[Any]] = {}
    for cells in completed(study):
        for probe, value in values(measure, cells):
            every.setdefault(probe, []).append(value)
    checked = 0
    for cell in several(measure, made(*study)):
        low, high = bounds(measure, cell)
        # A study in which nothing counts has no value.
        may = np.array(every[cell.probe])
        with np.errstate(all="ignore"):
            least, most = np.nanmin(may, axis=0), np.nanmax(may, axis=0)
        assert (low <= least + 1e-9).all()
        assert (high >= most - 1e-9).all()
        if name in EXACT:
            assert low == pytest.approx(least)
            assert high == pytest.approx(most)
        checked += 1
    assert checked


def test_agreement_is_bounded_by_the_replies_that_are_there() -> None:
    """Three of four are alike: one more, or none; where all are lost, anything."""
    cell = cell_of([[0, 0, 0, LOST], [0, 1, LOST, LOST], [LOST] * 4, [0, 0, 1, 1]], [0] * 4)
    ends = lost.ends(MEASURES.get("plurality_agreement"), cell, 0)
    assert ends.low.rows[:, 0].tolist() == [0.75, 0.25, 0.25, 0.5]
    assert ends.high.rows[:, 0].tolist() == [1.0, 0.75, 1.0, 0.5]


def test_locked_are_only_items_whose_replies_are_all_there_or_may_be() -> None:
    at = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    said: Replies = [[0, 1, 2, 3], [0, 1, LOST, 3], [0, 1, LOST, 3], [LOST] * 4]
    measure, cell = MEASURES.get("position_locked"), cell_of(said, [0] * 4, positions=at)
    assert bounds(measure, cell) == pytest.approx(np.array([[0.25] + [0] * 3, [0.75] + [0.25] * 3]))


def test_nothing_is_open_where_no_reply_is_missing() -> None:
    cells = made([[0], [1]], [[0, 0, 1], [1, None, 2]], [[0], [1]])
    for name in (*EXACT, "answer_switch_beyond_repeat"):
        measure = MEASURES.get(name)
        for cell in several(measure, cells):
            assert not lost.lacks(cell)
            low, high = bounds(measure, cell)
            value = measure.value(measure.rows(cell).rows.sum(axis=0))
            np.testing.assert_allclose(low, value)
            np.testing.assert_allclose(high, value)


def test_a_reply_that_never_came_is_no_difference_between_readers() -> None:
    """Of a request that failed neither reader has an answer; one that one of them read is open."""
    said: Replies = [[0], [0], [LOST], [LOST]]
    text = cell_of(said, [0] * 4, probe="original")
    first = cell_of([[0], [1], [LOST], [1]], [0] * 4, probe="original", reader="first_token")
    gain = MEASURES.get("score_gain")
    (cell,) = (c for c in gain.cells([text, first]) if c.reader == "text")
    # One item of three gains by the text, and the last may.
    assert bounds(gain, cell).ravel().tolist() == pytest.approx([1 / 3, 2 / 3])
    token = replace(first, by_scores=True)
    mismatch = MEASURES.get("mismatch_valid")
    (cell,) = mismatch.cells([token, text])
    assert bounds(mismatch, cell).ravel().tolist() == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.thorough
def test_a_position_is_found_whichever_others_the_missing_replies_chose() -> None:
    """They went to the positions that were chosen least, which is the least noisy: p was half of
    that of studies with all replies."""
    rng, k, open_ends = np.random.default_rng(4), 3, 0
    for _ in range(12):
        chosen = np.where(rng.random((10, k)) < 0.55, 0, rng.integers(k, size=(10, k)))
        orders = ((chosen - np.arange(k)) % k).tolist()
        for item, order in ((0, 0), (1, 1)):
            orders[item][order] = LOST
        once = [[0]] * 10
        known = _preferred(made(once, orders, once, k))
        every = [_preferred(cells) for cells in completed((once, orders, once), k)]
        assert max(every) < 1.2 * known  # refusals are a little noisier now and then

        open_ends += known < 0.05
    assert open_ends


def _preferred(cells: Sequence[Cell]) -> float:
    """p of the first position, of items on their own."""
    orders = [replace(c, condition=Condition(design="cyclic")) for c in cells if c.probe == "order"]
    found = found_all(orders, [MEASURES.get("position_preference")], study_of(orders))
    evidence = Evidence.of(found[0])
    e = evidence.open_ended()
    return e.p_found("above", e.baseline, 0.05)
