"""Of how many items a run that stopped early says that it asked some: those that it could ask."""

from __future__ import annotations

import re
from typing import Any

import orjson
import pytest

from horsesense.runs.goal import Extents, Population
from horsesense.runs.replay import Sequences
from horsesense.stats.sequential import in_random_order
from studies import Result, study

OF = re.compile(r"betting\((\d+) of (\d+) items")
ITEMS = 120
PROBES = ("repeat", "order", "labels", "options_only")


def row(i: int) -> dict[str, Any]:
    """A third has no right answer, a fifth three options, an eighth options that keep places."""
    options = [f"answer {i}.{j}" for j in range(4 if i % 5 else 3)]
    if i % 8 == 5:
        options[-1] = "Both A and B"
    gold = i % len(options) if i % 3 else None
    question = f"Which of these is number {i}?"
    return {"id": f"q{i}", "question": question, "options": options, "answer_index": gold}


ROWS = [row(i) for i in range(ITEMS)]
GOLD = {r["id"] for r in ROWS if r["answer_index"] is not None}
MOVED = {r["id"] for r in ROWS if r["options"][-1] != "Both A and B"}
FOUR = {r["id"] for r in ROWS if len(r["options"]) == 4}
ALL = {r["id"] for r in ROWS}


@pytest.fixture(scope="module")
def early(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("totals")
    items = folder / "items.jsonl"
    items.write_bytes(b"\n".join(map(orjson.dumps, ROWS)))
    return study(items, "sim:oracle", folder / "run", probes=PROBES, until="decided=0.25")


def asked(early: Result, probe: str) -> list[str]:
    """The items of the random order that a probe was asked of, fitting or not."""
    extents = early.findings["until"]["extents"]
    (n,) = (n for name, n in extents.items() if name.partition("(")[0] == probe)
    return in_random_order([r["id"] for r in ROWS], 0)[:n]


@pytest.mark.parametrize(
    ("measure", "probe", "group", "could"),
    [
        ("accuracy", "original", "", GOLD),
        ("accuracy_change", "order", "", GOLD & MOVED),
        ("accuracy", "labels", "", GOLD & MOVED),
        ("valid_rate", "original", "", ALL),
        ("valid_rate", "order", "", MOVED),
        ("valid_change", "labels", "", MOVED),
        ("answer_switch_beyond_repeat", "order", "", MOVED),
        ("plurality_agreement", "order", "", MOVED),
        ("position_preference", "original", "A", ALL),
        ("position_preference", "order", "A", MOVED),
        ("position_preference", "order", "D", MOVED & FOUR),
        ("position_locked", "order", "D", MOVED & FOUR),
        ("mismatch_valid", "original", "", ALL),
        ("mismatch_valid", "order", "", MOVED),
        ("accuracy", "options_only", "", GOLD),
        ("score_composition", "order", "never", GOLD & MOVED),
    ],
)
def test_totals_are_of_items_that_could_be_asked(
    early: Result, measure: str, probe: str, group: str, could: set[str]
) -> None:
    """All but those of right answers were "of 120", and left out what chose no option."""
    assert len(asked(early, probe)) < ITEMS, "asking stopped early"
    found = [e for e in early.estimates if (e.measure, e.probe, e.group) == (measure, probe, group)]
    told = [OF.search(e.signature.format()) for e in found]
    counts = {(int(m[1]), int(m[2])) for m in told if m is not None}
    assert counts == {(len(could.intersection(asked(early, probe))), len(could))}


def test_the_parts_without_their_question_are_of_items_that_have_both(early: Result) -> None:
    told = [OF.search(e.signature.format()) for e in early.estimates if e.group == "all"]
    assert {int(m[2]) for m in told if m is not None} == {len(GOLD & MOVED)}


def test_no_sentence_has_another_total(early: Result) -> None:
    """ "after 34 of 120 items" stood where 90 can be put in other orders."""
    totals = {
        "original": {len(ALL), len(GOLD)},
        "options_only": {len(ALL), len(GOLD)},
        "labels": {len(MOVED), len(GOLD & MOVED)},
        "order": {len(MOVED), len(GOLD & MOVED), len(MOVED & FOUR)},
    }
    said = [
        (f["probe"], int(total))
        for f in early.findings["verdict"]
        for total in re.findall(r"after \d+ of (\d+) items", f["sentence"])
    ]
    assert len(said) > 8
    assert not [(probe, total) for probe, total in said if total not in totals[probe]]
    (known,) = {known["reason"] for known in early.findings["known"].values()}
    assert f"of {len(MOVED)} items in the orders" in known


def test_a_run_of_an_earlier_version_says_what_it_said(early: Result) -> None:
    """It did not note how many items a probe fits."""
    bare = Population(probe="order", condition="design=cyclic", units=9, tested=True)
    extents = Extents(goal="decided", reader="text", batch=25, populations=(bare,))
    old = Sequences(extents, early.items, [], 0, 0.95)
    assert old._of(bare, "valid_rate", "") == ITEMS
    assert old._of(bare, "accuracy_change", "") == 9
    assert old.put_to("order") == ITEMS
