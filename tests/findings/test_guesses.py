"""What missing replies may have been, where guesses are judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.cells import cell_of

from horsesense.findings.evidence import Evidence
from horsesense.findings.guesses import Guesses
from horsesense.measures.cells import Cell
from horsesense.stats.change import Change
from horsesense.trials.condition import PLAIN, Condition

LOST = -99
CYCLIC = Condition(design="cyclic")


def evidence(measure: str, probe: str) -> Evidence:
    about = Change.of(np.zeros(40), np.ones(40))
    return Evidence(about, measure, probe, PLAIN, "text", "", 40, "items", None)


def orders(contents: list[list[int | None]], gold: list[int]) -> Cell:
    return replace(cell_of(contents, gold), condition=CYCLIC)


def better(contents: list[list[int | None]], gold: list[int]) -> float:
    p = Guesses([orders(contents, gold)], np.arange(len(gold))).p(evidence("accuracy", "original"))
    assert p is not None
    return p


def test_a_guess_that_is_lost_where_it_is_wrong_is_no_knowledge() -> None:
    rng = np.random.default_rng(5)
    guesses = rng.integers(0, 4, (40, 4))
    gold = rng.integers(0, 4, 40).tolist()
    lost = np.where(
        (guesses != np.array(gold)[:, None]) & (rng.random((40, 4)) < 0.6), LOST, guesses
    )
    assert better(lost.tolist(), gold) > 0.05
    known = [[g, g, g, LOST] for g in gold]
    assert better(known, gold) < 1e-6


def test_lost_replies_leave_open_by_how_much_a_form_changes_answers() -> None:
    items = 40
    same: list[list[int | None]] = [[0]] * items
    again = cell_of(same, [0] * items, probe="repeat")
    first = cell_of(same, [0] * items, probe="original")
    steady: list[list[int | None]] = [[0, 0, 0, 0]] * items
    labels = cell_of([[1]] * 20 + [[0]] * 20, [0] * items, probe="labels")
    asked = evidence("answer_switch_beyond_repeat", "labels")

    def beyond(of: list[list[int | None]]) -> Evidence:
        cells = [first, again, labels, orders(of, [0] * items)]
        found = Guesses(cells, np.arange(items)).beyond_orders(asked)
        assert found is not None
        return found

    assert beyond(steady).p_above(0) < 1e-4
    lost = beyond([[0, LOST, LOST, LOST]] * 30 + steady[:10])
    assert lost.about.n == 10
    assert lost.p_above(0) > 0.05
