"""Items that lack replies may be unlike the others: what rests on complete ones is held to that."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cells import cell_of
from horsesense.findings.accusation import Accusation
from horsesense.findings.evidence import Evidence
from horsesense.findings.finding import Outcome
from horsesense.findings.incomplete import lost_replies, may_differ
from horsesense.findings.kinds import KINDS
from horsesense.findings.verdict import verdict
from horsesense.measures.cells import MISSING
from horsesense.measures.estimate import Context, Found, found_all
from horsesense.measures.registry import MEASURES
from horsesense.trials.condition import PLAIN

AGREEMENT, LOCKED = (
    next(kind for kind in KINDS if kind.name == name)
    for name in ("no_agreement", "position_locked")
)


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


def orders(known: np.ndarray, lost: np.ndarray, seed: int) -> list[Found]:
    """Four orders of items of four options: known ones always right, others guessed."""
    rng = np.random.default_rng(seed)
    chosen = np.where(known[:, None], 0, rng.integers(0, 4, (len(known), 4)))
    cell = cell_of(chosen.tolist(), [0] * len(known))
    cell = replace(cell, status=np.where(lost, MISSING, cell.status).astype(np.int8))
    context = Context("d", "m", np.arange(len(known)), signature=lambda *_: None)  # type: ignore[arg-type, return-value]
    names = ("plurality_agreement", "valid_rate")
    return [*found_all([cell], [MEASURES.get(name) for name in names], context)]


def accusation(found: list[Found]) -> Accusation:
    e = next(e for one in found if (e := Evidence.of(one)) and e.measure == "plurality_agreement")
    assert e.baseline is not None
    return Accusation(AGREEMENT, e, e.baseline, 0.05)


def outcome(a: Accusation) -> tuple[Outcome, tuple[float, float] | None]:
    """What is said at .001, and the interval that it rests on."""
    e, ends = a.evidence, a.evidence.interval(0.998, "lacks", found=False)
    if e.p_found("lacks", a.null, a.size) <= 0.001:
        return "found", ends
    small = e.p_ruled_out("lacks", a.clears, a.size) <= 0.001
    return ("ruled_out" if small else "cannot_tell"), ends


def test_known_items_whose_replies_are_lost_are_not_taken_for_guesses() -> None:
    """.35 are known and lose .7 of their replies: of complete items less than .01 are."""
    rng = np.random.default_rng(1)
    known = rng.random(1000) < 0.35
    found = orders(known, rng.random((1000, 4)) < np.where(known, 0.7, 0.03)[:, None], 2)
    a = accusation(found)
    told, ends = outcome(a)
    assert told == "found"
    why = may_differ(a, told, ends, lost_replies(found), [4] * 1000)
    missing = a.evidence.missing
    assert (
        why == f"{missing} of 1,000 items lack a reply in some order, and may be unlike the others"
    )
    (finding,) = (f for f in verdict(RUN, found, options=[4] * 1000) if f.name == "no_agreement")
    assert (finding.kind, finding.items) == ("cannot_tell", None)
    assert finding.reason == why


@pytest.mark.parametrize("share", [0.0, 0.02, 0.045])
def test_up_to_a_twentieth_of_replies_costs_nothing(share: float) -> None:
    """Of four orders 17 % of the items lack one then."""
    lost = np.random.default_rng(3).random((1000, 4)) < share
    found = orders(np.zeros(1000, bool), lost, 4)
    told, ends = outcome(accusation(found))
    assert told == "found"
    assert may_differ(accusation(found), told, ends, lost_replies(found), [4]) == ""


def test_what_holds_whatever_is_missing_is_said() -> None:
    rng = np.random.default_rng(5)
    found = orders(rng.random(400) < 0.6, rng.random((400, 4)) < 0.1, 6)
    a, lost = accusation(found), lost_replies(found)
    told, ends = outcome(a)
    assert told == "ruled_out"
    assert lost["order", "", "text"] == pytest.approx(0.1, abs=0.02)
    assert may_differ(a, told, ends, lost, [4] * 400) == ""
    assert may_differ(a, told, ends, lost) != ""  # With many options items could agree less.


def test_what_is_locked_is_found_among_complete_items() -> None:
    """.10 of them where guesses lock 1 in 256; .02 are no proof that fewer than 5 points are."""
    found = orders(np.zeros(400, bool), np.random.default_rng(7).random((400, 4)) < 0.1, 8)
    e = replace(accusation(found).evidence, n=260, missing=140)
    locked = Accusation(LOCKED, e, 1 / 256, 0.05)
    lost = {(e.probe, PLAIN.format(), e.reader): 0.1}
    assert may_differ(locked, "found", (0.06, 0.16), lost) == ""
    assert may_differ(locked, "ruled_out", (0.0, 0.03), lost) != ""
    assert may_differ(replace(locked, stopped=True), "ruled_out", (0.0, 0.03), lost) == ""
    assert may_differ(locked, "cannot_tell", (0.0, 0.3), lost) == ""


def test_a_few_lost_replies_of_many_orders_are_many_items() -> None:
    """Of 24 orders, .13 lost by the known .35 are 4.5 % of the replies and a third of the items."""
    rng = np.random.default_rng(9)
    known = rng.random(400) < 0.35
    e = replace(accusation(orders(known, np.zeros((400, 4), bool), 2)).evidence, n=265, missing=135)
    place = e.probe, PLAIN.format(), e.reader
    a = replace(accusation(orders(known, np.zeros((400, 4), bool), 2)), evidence=e)
    assert may_differ(a, "found", (0.33, 0.40), {place: 0.045}, [4] * 400) != ""
