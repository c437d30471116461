"""Positions of items with different numbers of options: who lacks one says nothing of it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from cells import cell_of
from horsesense.findings.bases import RightOnes
from horsesense.findings.evidence import Evidence
from horsesense.findings.finding import UNTOLD, Finding
from horsesense.findings.forms import speaking
from horsesense.findings.kinds import KINDS, SIZES
from horsesense.findings.needed import needed_of
from horsesense.findings.rare import had, rare_among, rare_positions, speaking_of
from horsesense.findings.uncounted import LACK
from horsesense.findings.verdict import accusations, verdict
from horsesense.findings.wording import rounded_up
from horsesense.measures.cells import MISSING, NO_OPTION, NOT_ASKED, STATUS_CODE, Cell
from horsesense.measures.estimate import Context, Found, found_all
from horsesense.measures.joined import balanced, drawn_orders
from horsesense.measures.registry import MEASURES
from horsesense.probes.base import LETTERS
from horsesense.stats.shares import Shares
from horsesense.trials.condition import Condition
from horsesense.trials.orders import DESIGNS

NAMES = ("position_preference", "position_locked")


class Run:
    reader = "text"
    readers = ("text",)
    by_people = False
    lacking = LACK
    ended = ""
    some_gold = False
    probes: ClassVar = {"order": {"title": "Options reordered", "invariant": "same_answer"}}
    unasked: ClassVar[dict[str, str]] = {}

    def label(self, probe: str, condition: Condition) -> str:
        return "Options reordered"

    def not_covered(self, e: object) -> str:
        return ""

    def never_asked(self, probe: str) -> int:
        return 0

    def lost_shares(self, e: object) -> tuple[float, float]:
        return 0.0, 0.0


def over_shifts(position: np.ndarray, k: np.ndarray, design: str = "cyclic") -> Cell:
    """Positions chosen, (items, orders), in k orders of each item; -1: refused."""
    cell = cell_of(np.zeros(position.shape, int).tolist(), [0] * len(k), positions=position)
    asked = np.arange(position.shape[1]) < k[:, None]
    chosen = asked & (position >= 0)
    status = np.where(chosen, STATUS_CODE["answer"], STATUS_CODE["refusal"])
    return replace(
        cell,
        condition=Condition(design=design),
        k=k,
        status=np.where(asked, status, NOT_ASKED).astype(np.int8),
        position=np.where(chosen, position, -1).astype(np.int16),
        option=np.where(chosen, position, NO_OPTION).astype(np.int16),
    )


def evidence(cell: Cell, name: str) -> dict[str, Evidence]:
    context = Context("d", "m", np.arange(len(cell.k)), signature=lambda *_: None)  # type: ignore[arg-type, return-value]
    found = map(Evidence.of, found_all([cell], [MEASURES.get(name)], context))
    return {e.group: e for e in found if e is not None}


def estimated(cell: Cell) -> list[Found]:
    context = Context("d", "m", np.arange(len(cell.k)), signature=lambda *_: None)  # type: ignore[arg-type, return-value]
    return found_all([cell], [MEASURES.get(name) for name in NAMES], context)


def told(cell: Cell) -> dict[str, Finding]:
    return {f.name: f for f in verdict(Run(), estimated(cell))}  # type: ignore[arg-type]


def guessed(rng: np.random.Generator, k: np.ndarray, c: float = 0.0) -> np.ndarray:
    """Even guesses, (items, 4); C takes the place of others in a share `c` where it is there."""
    position = rng.integers(0, np.repeat(k[:, None], 4, axis=1))
    return np.where((k[:, None] > 2) & (rng.random(position.shape) < c), 2, position)


def test_a_preference_is_not_hidden_by_items_that_lack_the_position() -> None:
    """C in .46 of the answers to four options: with as many items of two it was ruled out."""
    four = guessed(np.random.default_rng(0), np.full(200, 4), 0.28)
    alone = told(over_shifts(four, np.full(200, 4)))["position_preference"]
    k = np.repeat([2, 4], [200, 200])
    both = np.concatenate([guessed(np.random.default_rng(1), k[:200]), four])
    mixed = told(over_shifts(both, k))["position_preference"]
    assert (mixed.kind, mixed.group, mixed.null) == ("found", "C", 0.25)
    assert (mixed.value, mixed.n) == (alone.value, alone.n)
    assert "of its answers to items that have it go there" in mixed.sentence
    assert "of its answers go there" in alone.sentence


def test_refusals_of_long_items_fake_no_preference() -> None:
    """Right about two options, silent about four: A and B have one half each, as they should."""
    k = np.repeat([2, 4], [220, 180])
    shown = (np.arange(400)[:, None] + np.arange(4)) % k[:, None]
    cell = over_shifts(np.where(k[:, None] == 2, shown, -1), k)
    found = evidence(cell, "position_preference")
    assert {g: (e.value, e.baseline, e.n) for g, e in found.items()} == {
        "A": (0.5, 0.5, 440),
        "B": (0.5, 0.5, 440),
    }
    assert told(cell)["position_preference"].kind == "ruled_out"


def test_what_an_even_spread_gives_is_that_of_the_answers_given() -> None:
    """By hand: of two options 2 answers, of four 2 of 4; refusals have no part in either."""
    cell = over_shifts(np.array([[0, 1, 0, 0], [0, 2, -1, -1]]), np.array([2, 4]))
    found = evidence(cell, "position_preference")
    want = {"A": (2 / 4, 3 / 8, 4), "B": (1 / 4, 3 / 8, 4), "C": (1 / 2, 1 / 4, 2)}
    assert {g: (found[g].value, found[g].baseline, found[g].n) for g in want} == want
    assert found["D"].value == 0
    locked = evidence(
        over_shifts(np.array([[1, 1, 0, 0], [2, 2, 2, 2]]), np.array([2, 4])), NAMES[1]
    )
    assert (locked["B"].value, locked["C"].value) == (0.5, 1.0)
    assert locked["B"].baseline == pytest.approx((1 / 4 + 1 / 256) / 2)
    assert locked["C"].baseline == 1 / 256


@pytest.mark.parametrize("name", NAMES)
def test_clusters_of_one_length_are_no_evidence_of_their_own(name: str) -> None:
    """What an item's number of options does to its rows is taken off before its variance."""
    k = np.repeat([2, 4], [100, 100])
    shown = (np.arange(200)[:, None] + np.arange(4)) % k[:, None]
    for e in evidence(over_shifts(shown, k), name).values():
        ends = e.interval(0.95)
        assert ends is not None
        low, high = ends
        # Every item has each position once, or none locked: nothing varies.
        assert high - low < 0.08
        assert low <= e.value <= high


def test_innocent_models_are_not_accused_where_items_differ() -> None:
    rng, accused = np.random.default_rng(3), 0
    k = np.repeat([2, 4], [60, 30])
    for _ in range(60):
        position = guessed(rng, k)
        silent = (k == 4)[:, None] & (rng.random(position.shape) < 0.6)
        found = told(over_shifts(np.where(silent, -1, position), k))
        accused += any(f.kind == "found" for f in found.values())
    assert accused <= 5


def test_equal_numbers_of_options_have_the_plain_numbers() -> None:
    """Shares of all answers against exactly 1/k, whatever is refused."""
    position = guessed(np.random.default_rng(4), np.full(50, 4))
    position[:9, 1:3] = -1
    cell = over_shifts(position, np.full(50, 4))
    for place, e in enumerate(evidence(cell, "position_preference").values()):
        assert (e.value, e.about.total) == pytest.approx(
            ((hits := (position == place).sum()) / 182, hits - 182 / 4)
        )
        assert (e.baseline, e.n, e.about.n) == (0.25, 182, 182)


def test_no_share_of_items_that_differ_is_worth_more_items_than_there_are() -> None:
    k = np.resize([2, 3, 4], 42)
    known = over_shifts(np.broadcast_to(np.arange(4), (42, 4)), k)
    free = over_shifts(np.zeros((42, 1), int), k, "published")
    for cell, name in ((known, "position_locked"), (free, "position_preference")):
        for e in evidence(cell, name).values():
            assert e.about.effective <= e.about.n
            assert e.about.unlike == (e.group != "D")
    locked = evidence(known, "position_locked")["A"]
    assert (locked.value, locked.interval(0.95)[1]) == (
        0,
        pytest.approx(1 - 0.05 ** (1 / 42), abs=0.02),
    )
    alike = over_shifts(np.broadcast_to(np.arange(4), (42, 4)), np.full(42, 4))
    assert not any(e.about.unlike for e in evidence(alike, "position_locked").values())


@pytest.mark.parametrize("design", ["published", "move_gold", "recorded"])
def test_orders_that_leave_options_in_place_accuse_of_no_position(design: str) -> None:
    """An oracle where every right answer is published at A was found to prefer A."""
    assert not told(over_shifts(np.zeros((100, 4), int), np.full(100, 4), design))
    assert len(told(over_shifts(np.zeros((100, 4), int), np.full(100, 4)))) == 2


def test_which_designs_are_balanced_and_which_are_drawn() -> None:
    conditions = {form: Condition(design=form.replace("N", "4")) for form in DESIGNS}
    assert {form for form, c in conditions.items() if not balanced(c)} == {
        "published",
        "move_gold",
    }
    assert {form for form, c in conditions.items() if drawn_orders(c)} == {
        "random(N)",
        "gold_balanced(N)",
    }


def test_a_position_that_few_items_have_keeps_no_other_open() -> None:
    """Three of 300 items have E, which 81,000 items would have been needed to clear."""
    k = np.repeat([4, 5], [297, 3])
    shown = (np.arange(300)[:, None] + np.arange(5)) % k[:, None]
    found = told(over_shifts(shown, k))
    for name in NAMES:
        assert found[name].kind == "ruled_out"
        assert found[name].group in "ABCD"
        assert found[name].sentence.endswith(
            "; position E, which fewer than 5\u202f% of items have, is not judged."
        )
    preferred = told(over_shifts(np.where(k[:, None] == 4, 1, shown), k))["position_preference"]
    assert preferred.kind == "found"
    assert "not judged" not in preferred.sentence


def test_a_position_that_is_always_chosen_is_found_where_that_matters() -> None:
    """E, which a twelfth has: "fewer than 5 % of items are answered by one position"."""
    k = np.repeat([4, 5], [275, 25])
    shown = np.where(k[:, None] == 5, 4, (np.arange(300)[:, None] + np.arange(5)) % k[:, None])
    found = told(over_shifts(shown, k))
    assert all((found[name].kind, found[name].group) == ("found", "E") for name in NAMES)


def test_lost_replies_do_not_make_a_rare_position_common() -> None:
    k = np.repeat([4, 5], [297, 3])
    shown = (np.arange(300)[:, None] + np.arange(5)) % k[:, None]
    cell = over_shifts(shown, k)
    status = cell.status.copy()
    status[297:, 0] = MISSING
    found = told(replace(cell, status=status))
    assert all(found[name].kind == "ruled_out" for name in NAMES)


def test_a_position_that_more_items_have_is_judged_whatever_is_refused() -> None:
    """Of 40 items with C all but one are refused: it is judged by that one."""
    k = np.repeat([2, 3], [260, 40])
    shown = (np.arange(300)[:, None] + np.arange(3)) % k[:, None]
    shown[261:] = -1
    found = told(over_shifts(shown, k))["position_preference"]
    assert "not judged" not in found.sentence
    assert found.kind == "cannot_tell"


def test_a_position_that_cannot_be_told_does_not_hide_what_others_show() -> None:
    """5.3 % of 600 items have E: nothing was said of A to D, and E, which was never locked, was
    "the furthest above guessing"."""
    k = np.repeat([4, 5], [568, 32])
    shown = (np.arange(600)[:, None] + np.arange(5)) % k[:, None]
    for f in told(over_shifts(shown, k)).values():
        assert f.kind == "ruled_out"
        assert f.group in "ABCD"
        assert "; not to be told of position E (5\u202f% of items), which would take" in f.sentence
    few = told(over_shifts(shown[-44:], k[-44:]))["position_locked"]
    assert few.kind == "cannot_tell"
    assert "furthest above" not in few.sentence


def test_a_position_of_few_items_does_not_speak_for_those_that_are_open_too() -> None:
    """Five of 60 items have E: "about 2,600 items", where 300 settle what is said of A to D."""
    k = np.repeat([4, 5], [55, 5])
    shown = (np.arange(60)[:, None] + np.arange(5)) % k[:, None]
    for f in told(over_shifts(shown, k)).values():
        assert f.kind == "cannot_tell"
        assert f.group in "ABCD"
        assert f"about {rounded_up(f.items or 0)} items in all if there is nothing" in f.sentence
        aside = (
            r"; position E \(8\u202f% of items\) is open too and would take about (\S+) items in"
        )
        (rare,) = re.findall(aside, f.sentence)
        assert 300 > (f.items or 0) < int(rare.replace(",", "")) / 5
    k = np.repeat([4, 5], [275, 25])
    shown = (np.arange(300)[:, None] + np.arange(5)) % k[:, None]
    for f in told(over_shifts(shown, k)).values():
        assert f.kind == "ruled_out", "as many as were named, and fewer"


def test_what_is_found_speaks_whatever_few_items_leave_open() -> None:
    """Of any position; and where one reason keeps all open, it stands alone."""
    blank = told(over_shifts(np.tile(np.arange(4), (60, 1)), np.full(60, 4)))["position_locked"]
    of = {group: replace(blank, kind="cannot_tell", group=group) for group in "ADE"}
    where = Condition.parse(blank.condition)
    have = {(blank.probe, where, group): 0.08 if group == "E" else 1.0 for group in "ADE"}
    for group in "ADE":
        seen = [replace(f, kind="found") if g == group else f for g, f in of.items()]
        assert speaking_of(seen, have).group == group
        assert speaking_of(seen, have).kind == "found"
    untold = [replace(f, sentence=f"That{UNTOLD}it is hidden.") for f in of.values()]
    assert speaking_of(untold, have).reason == "it is hidden"
    assert speaking_of([of["E"]], have).group == "E", "alone it speaks for itself"


def test_which_positions_are_rare_is_of_all_items_whenever_asking_stopped() -> None:
    """Of 100 items of a set two have E; asked were 20, with both of these."""
    k = np.repeat([4, 5], [18, 2])
    shown = (np.arange(20)[:, None] + np.arange(5)) % k[:, None]
    found = estimated(over_shifts(shown, k))
    least, options = 0.05, [4] * 98 + [5] * 2
    assert not rare_positions(had(found), least)
    rare = {place for _, _, place in rare_positions(had(found, options), least)}
    assert rare == {LETTERS[place] for place in rare_among(options, least)} == {"E"}
    groups = {a.evidence.group for a in accusations(Run(), found, SIZES, None, options)}  # type: ignore[arg-type]
    assert groups >= {"A", "D"}
    assert "E" not in groups


def test_the_position_that_shows_most_is_named() -> None:
    """E in 7 of 25 answers to five items was named, and A, in 32 % of 242, was not."""
    k = np.repeat([2, 4], [30, 20])
    one = told(over_shifts(guessed(np.random.default_rng(3), k), k))["position_preference"]
    assert one.kind == "cannot_tell"
    assert f": of the {one.n} answers to items that have it, {one.group} receives" in one.sentence
    few = replace(one, group="E", value=0.28, null=0.2, low=None, high=None)
    wide = replace(few, group="D", low=0.05, high=0.6)
    many = replace(one, group="A", value=0.32, null=0.25, low=0.24, high=0.41)
    assert speaking([few, many, wide]).group == "A"
    none = replace(few, value=0.0, null=0.0003, low=0.0, high=0.5)
    assert speaking([none, replace(many, value=0.26, low=0.1)]).group == "A", "no sign comes last"
    alike = [replace(f, null=0.25, value=f.value) for f in (wide, many)]
    assert speaking(alike).group == "A", "of as many options each, the most chosen"
    assert speaking([replace(f, kind="ruled_out") for f in (few, many)]).group == "E"


def test_the_number_named_settles_every_position_that_a_sentence_speaks_for() -> None:
    """12 of 100 items have E: where A was named, 82 of 93 studies of its number left E open."""
    rng, k = np.random.default_rng(3), np.repeat([4, 5], [88, 12])
    known = (rng.integers(0, k)[:, None] + np.arange(5)) % k[:, None]
    guesses = rng.integers(0, np.repeat(k[:, None], 5, axis=1))
    cell = over_shifts(np.where(rng.random(100)[:, None] < 0.5, known, guesses), k)
    found = estimated(cell)
    made = [
        replace(a, weight=0.05, own_null=True)
        for a in accusations(Run(), found, SIZES)  # type: ignore[arg-type]
        if a.kind.name == "position_preference"
    ]
    rare = next(a.evidence for a in made if a.evidence.group == "E")

    def named(aside: Collection[tuple[str, Condition, str]] = ()) -> dict[str, int | None]:
        needed = needed_of(made, made, 0.05, {"order": 100.0}, aside)
        return {a.evidence.group: needed[a.place].most for a in made}

    whole, alone = named(), named({(rare.probe, rare.condition, "E")})
    assert set(whole.values()) == {alone["E"]}
    assert all((alone["E"] or 0) > 2 * (alone[group] or 0) > 0 for group in "ABCD")
    (told,) = (f for f in verdict(Run(), found) if f.name == "position_preference")  # type: ignore[arg-type]
    assert told.items
    assert f"about {rounded_up(told.items):,} items in all" in told.sentence


def test_who_always_says_no_rejects_right_options_too() -> None:
    """ "100 % of wrong options are rejected" was all that was said."""
    share = Shares.of(np.zeros(40), np.ones(40))
    where = "true_false_consistency", "true_false", Condition(polarity="positive"), "text"
    gold = Evidence(share, *where, "gold", 40, "trials", None)
    wrong = Evidence(share, *where, "distractors", 40, "trials", None)
    said = "; of right ones, 0\u202f% are accepted"
    assert RightOnes([gold, wrong]).of(wrong) == said
    assert RightOnes([wrong]).of(wrong) == ""
    found = next(kind for kind in KINDS if kind.name == "wrong_accepted")
    assert all("{right_ones}" in text for text in (found.found, found.ruled_out, found.seen))
