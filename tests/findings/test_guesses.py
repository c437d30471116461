"""What missing replies may have been, where guesses are judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cells import cell_of, study_of
from horsesense.findings.early import Banded, Early
from horsesense.findings.evidence import Evidence, Way
from horsesense.findings.guesses import Copies, Guesses
from horsesense.findings.verdict import verdict
from horsesense.items.load import load_items
from horsesense.measures.accuracy import Accuracy
from horsesense.measures.cells import NO_OPTION, Cell
from horsesense.measures.contrast import AnswerSwitchBeyondRepeat
from horsesense.measures.estimate import found_all
from horsesense.runs.bands import Bands
from horsesense.runs.expected import Expected
from horsesense.stats.change import Change
from horsesense.stats.two_way import Ints
from horsesense.trials.condition import PLAIN, Condition

LOST = -99
CYCLIC = Condition(design="cyclic")


def evidence(measure: str, probe: str) -> Evidence:
    about = Change.of(np.zeros(40), np.ones(40))
    return Evidence(about, measure, probe, PLAIN, "text", "", 40, "items", None)


def orders(contents: list[list[int | None]], gold: list[int]) -> Cell:
    return replace(cell_of(contents, gold), condition=CYCLIC)


def better(contents: list[list[int | None]], gold: list[int]) -> float:
    guesses = Guesses([orders(contents, gold)], np.arange(len(gold)))
    return guesses.p(evidence("accuracy", "original"))


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
        return Guesses(cells, np.arange(items)).beyond_orders(asked)

    assert beyond(steady).p_above(0) < 1e-4
    lost = beyond([[0, LOST, LOST, LOST]] * 30 + steady[:10])
    assert lost.about.n == 10
    assert lost.p_above(0) > 0.05


@pytest.mark.parametrize(("other", "conclusion"), [(False, "undecided"), (True, "found")])
def test_who_never_differs_is_held_to_two_orders_where_asking_stopped(
    other: bool, conclusion: str
) -> None:
    """A model that guesses by a hash of the prompt; or one that knows, but not under symbols."""
    n = 150
    gold, number = [0] * n, np.arange(n)
    said = np.random.default_rng(3).integers(0, 4, (n, 6)) * (not other)
    said[:, 1] += other
    parts = {"original": said[:, :1], "repeat": said[:, :1], "labels": said[:, 1:2]}
    cells = [cell_of(of.tolist(), gold, probe=probe) for probe, of in parts.items()]
    cells.append(orders(said[:, 2:].tolist(), gold))
    row = {"question": "Which?", "options": [*"wxyz"], "answer_index": 0}
    bands = Bands(load_items([row | {"id": f"{i}"} for i in range(n)]), cells, 0, 25)

    def band(e: Evidence, alpha: float) -> Banded | None:
        seen = bands.seen(e.measure, (e.probe, e.condition, e.reader))
        return seen and Banded(*bands.band(seen, alpha), n, n)

    found = found_all(cells, [AnswerSwitchBeyondRepeat()], study_of(cells))
    told = {p: {"invariant": "same_answer", "title": p} for p in ("labels", "order")}
    early = Early(frozenset({"labels"}), "text", 5, band)
    judged = verdict(
        Expected("text", ("text",), told), found, early=early, guesses=Guesses(cells, number)
    )
    f = next(f for f in judged if (f.kind, f.probe) == ("answer_change", "labels"))
    assert (f.beside, f.conclusion, f.p) == ("other_orders", conclusion, None)


def test_copies_are_the_items_that_ask_the_same_and_have_the_same_answer() -> None:
    rows = [
        {"id": "a", "question": "One?", "options": ["x", "y", "z"], "answer_index": 0},
        {"id": "b", "question": "One?", "options": ["z", "y", "x"], "answer_index": 2},
        {"id": "c", "question": "One?", "options": ["x", "y", "z"], "answer_index": 1},
        {"id": "d", "question": "Two?", "options": ["x", "y", "z"], "answer_index": 0},
    ]
    found = Copies.of(load_items(rows))
    assert found.number.tolist() == [0, 0, 2, 3]
    cell = cell_of([[0, 1], [2, LOST], [0, 1], [0, 1]], [0, 2, 1, 0])
    contents = found.contents(cell)
    assert contents[1, 0] == contents[0, 0]
    assert contents[1, 1] == NO_OPTION


@pytest.mark.thorough
@pytest.mark.parametrize("known", [0.0, 0.5])
def test_an_item_with_four_copies_is_one_guess(known: float) -> None:
    """Items that are there five times, each time with the options in another order."""
    rng, items, size = np.random.default_rng(4), 12, 5
    number = np.repeat(np.arange(items), size)
    places = {i: rng.permutation(4) for i in range(items * size)}
    found = []
    for _ in range(200):
        gold = rng.integers(0, 4, items)
        said = np.where(rng.random(items) < known, gold, rng.integers(0, 4, items))
        at = [int(np.flatnonzero(places[i] == gold[number[i]])[0]) for i in range(len(number))]
        own = [int(np.flatnonzero(places[i] == said[number[i]])[0]) for i in range(len(number))]
        cell = orders([[o] * 4 for o in own], at)
        guesses = Guesses([cell], np.arange(len(number)), Copies(number, places))
        found.append((guesses.p(evidence("accuracy", "original")) or 0.0) <= 0.05)
    assert np.mean(found) < 0.09 if not known else np.mean(found) > 0.5


@pytest.mark.thorough
def test_the_original_is_one_of_all_orders_unless_it_is_right_more_often() -> None:
    """60 items of which 36 are known; the others are guessed, one in ten of them right."""
    rng, items, forms = np.random.default_rng(5), 60, 10
    asked = evidence("accuracy_change", "order")._replace(condition=CYCLIC)

    def p(first: float, others: float, way: Way) -> float:
        known, chance = np.arange(items) < 36, rng.random((items, forms + 1))
        correct = chance < np.where(known[:, None], [first] + [others] * forms, 0.1)
        said: list[list[int | None]] = np.where(correct, 0, 1).tolist()
        cells = [cell_of([row[:1] for row in said], [0] * items, probe="original")]
        cells.append(orders([row[1:] for row in said], [0] * items))
        return Guesses(cells, np.arange(items)).drawn(asked, way)

    assert sum(p(1.0, 1.0, "both") <= 0.05 for _ in range(200)) <= 18
    assert max(p(1.0, 0.6, "below") for _ in range(20)) < 0.001
    assert min(p(1.0, 0.6, "above") for _ in range(20)) > 0.99


def test_a_form_in_its_own_wording_is_held_to_that_wording() -> None:
    """The original's one reply is as wrong as the form's: beside the control the form is worse."""
    own = Condition(asking="know_no", design="random(3)")
    control, form = own.with_(prompt="with_gold"), own.with_(prompt="hint_option")
    forms = [(PLAIN, [1]), (control, [0] * 3), (form, [1] * 3)]
    cells = [
        replace(
            cell_of([said] * 40, [0] * 40, probe="gold_absent" if c else "original"), condition=c
        )
        for c, said in forms
    ]
    asked = evidence("accuracy_change", "gold_absent")._replace(condition=form)
    assert Guesses(cells, np.arange(40)).drawn(asked, "below") == 0, "three replies beside three"
    assert Guesses([cells[0], cells[2]], np.arange(40)).drawn(asked, "below") > 0.9


@pytest.mark.thorough
def test_a_form_of_a_few_texts_is_one_of_all_forms_unless_it_changes_more_answers() -> None:
    """30 texts of 5 copies, 12 of them guessed anew in every form, and alike for all copies."""
    rng, cluster = np.random.default_rng(6), np.repeat(np.arange(30), 5)
    asked = evidence("answer_switch_beyond_repeat", "labels")

    def p(moved: int, steady: int) -> float:
        said = rng.integers(0, 4, (30, 5)) * (np.arange(30) < 12)[:, None]
        said[:steady] = 0
        said[:moved, 1] = 1
        first, labels, *others = said[cluster].T[:, :, None].tolist()
        gold = [0] * len(cluster)
        cells = [cell_of(first, gold, probe=probe) for probe in ("original", "repeat")]
        cells += [cell_of(labels, gold, probe="labels"), orders(np.hstack(others).tolist(), gold)]
        return Guesses(cells, cluster).drawn(asked, "above")

    assert sum(p(0, 0) <= 0.05 for _ in range(200)) <= 18
    assert p(12, 12) < 1e-4, "answers that change under the form alone"


def test_what_positions_alone_give_is_no_leak_and_no_knowledge() -> None:
    """300 items in one order, of which 6 in 10 have the right answer first."""
    rng, items = np.random.default_rng(7), 300
    gold = np.where(rng.random(items) < 0.5, 0, rng.integers(0, 4, items))
    prior = np.where(rng.random(items) < 0.7, 0, rng.integers(0, 4, items))
    first, number = np.zeros(items, np.intp), np.arange(items)
    told = {p: {"invariant": "chance", "title": p} for p in ("original", "options_only")}

    def judged(said: Ints, early: Early | None = None) -> dict[str, str]:
        cells = [cell_of(said[:, None].tolist(), gold.tolist(), probe=probe) for probe in told]
        found = found_all(cells, [Accuracy()], study_of(cells))
        run = Expected("text", ("text",), told)
        cells += [orders(np.tile(said[:, None], 4).tolist(), gold.tolist())] * (early is not None)
        every = verdict(run, found, early=early, guesses=Guesses(cells, number))
        return {f.kind: f.conclusion for f in every if f.measured}

    def seen(known: float, guess: Ints) -> dict[str, str]:
        said = np.where(rng.random(items) < known, gold, guess)
        lost = np.where((said != gold) & (rng.random(items) < 0.15), LOST, said)
        assert judged(lost)["without_question"] in (judged(said)["without_question"], "undecided")
        return judged(said)

    always, drawn = seen(0, first), seen(0, prior)
    assert always["without_question"] == "ruled_out"
    assert "ruled_out" not in (always["no_better_than_guessing"], drawn["no_better_than_guessing"])
    assert drawn["without_question"] != "found"
    stopped = judged(first, Early(frozenset({"order"}), "text", 5))
    assert stopped["no_better_than_guessing"] != "ruled_out", "orders that stopped tell nothing"
    for guess in (prior, rng.integers(0, 4, items)):
        knows = seen(0.4, guess)
        assert knows["without_question"] == "found"
        assert knows["no_better_than_guessing"] == "ruled_out"
