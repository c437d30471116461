"""Findings become words in one place, short and whatever their numbers are."""

from __future__ import annotations

import re
from dataclasses import replace
from string import Formatter

from hypothesis import given
from hypothesis import strategies as st

from each import each
from horsesense.findings.finding import ORDER, Finding, Reason
from horsesense.findings.kinds import BY_NAME, KINDS, RANK, Kind
from horsesense.findings.sentences import WHY, looks_faulty, sentence, statement, together, words
from horsesense.report.told import _open

MOST, MOST_SHORT = 25, 15
"""Words of a statement, and of its short form."""


def finding(kind: str = "accuracy_change", **fields: object) -> Finding:
    blank = Finding(
        kind=kind, conclusion="undecided", reason="noise", probe="labels", condition="",
        reader="text", group="A", label="Other labels: digits", value=0.07, low=-0.09, high=0.23,
        level=0.95, null=0.0,
        size=0.05, p=0.3, n=60, counted="items", units=60, needed=600,
    )  # fmt: skip
    return replace(blank, **fields)  # type: ignore[arg-type]


@each("kind", KINDS)
def test_templates_are_short_and_name_what_there_is(kind: Kind) -> None:
    known = words(finding(kind.name))
    for template in (kind.found, kind.ruled_out, kind.undecided, kind.short):
        names = {name for _, name, _, _ in Formatter().parse(template) if name}
        assert names <= known.keys()
        assert len(template.split()) <= (MOST_SHORT if template == kind.short else MOST)


def test_what_its_own_test_finds_is_a_sign_of_a_fault() -> None:
    told = [looks_faulty(finding(value=0.01, reason=why)) for why in ("noise", "many_questions")]
    assert told == [False, True]


@given(
    st.sampled_from([kind.name for kind in KINDS]),
    st.sampled_from(ORDER),
    st.sampled_from([*WHY]),
    st.none() | st.floats(-1, 1),
    st.none() | st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.25]),
)
def test_every_finding_has_a_sentence(
    kind: str,
    conclusion: str,
    reason: Reason,
    value: float | None,
    ends: tuple[float, float] | None,
    n: int,
    null: float,
) -> None:
    low, high = (None, None) if ends is None else ends
    f = finding(kind, conclusion=conclusion, reason=reason, value=value, low=low, high=high,
                n=n, null=null)  # fmt: skip
    for said in (sentence(f), statement(f, short=True), together([f, f])):
        assert "None" not in said
        assert "nan" not in said
        assert not re.search(r"\s\s|\{|\}|; ;|\.\.", said)
    assert Finding.from_json(f.as_json()) == f


def test_a_sentence_says_what_is_missing_and_what_would_settle_it() -> None:
    said = sentence(finding(n_missing=20))
    assert said.startswith("Other labels: digits: change of accuracy undecided")
    assert "between −9 and +23" in said
    assert "20 of 80 items have no usable reply" in said
    assert "some 600 items" in said
    assert "missing" not in sentence(finding(n_missing=1))
    assert "600" not in sentence(finding(reason="missing"))


def test_a_row_of_an_earlier_version_is_understood() -> None:
    old = {
        "kind": "cannot_tell", "name": "no_choice", "title": "x", "probe": "original",
        "condition": "", "reader": "text", "group": "", "value": 0.9, "low": 0.8, "high": 0.95,
        "level": 0.99, "null": 0.95, "size": 0.05, "p_adjusted": 0.5, "p_ruled_out": 1.0,
        "weight": 0.1, "n": 50, "counted": "items", "items": 400, "section": "readers",
        "sentence": "x",
    }  # fmt: skip
    found = Finding.from_json(old)
    assert (found.kind, found.conclusion, found.reason) == ("no_choice", "undecided", "noise")
    assert (found.needed, found.p) == (400, 0.5)
    assert "90" in sentence(found)


def test_kinds_have_a_room_for_their_size() -> None:
    for kind in BY_NAME.values():
        assert 0 < kind.size < kind.room(0.25 if kind.null is None else kind.null)


def test_a_fall_is_not_called_a_rise_that_was_ruled_out() -> None:
    f = finding("answer_change", conclusion="ruled_out", reason="", value=-1.0)
    assert "change at most 5 points more often than by asking again (seen:" in sentence(f)
    assert "more often than between two orders" in sentence(replace(f, beside="other_orders"))


def test_what_could_not_be_measured_needs_no_items() -> None:
    out = finding(reason="unmeasured", value=None, needed=None, n=0)
    told = _open([finding(), out, out])
    assert told.endswith("some 600 items would settle 1 of them; 2 could not be measured.")
    none = sentence(finding("none_option", conclusion="ruled_out", reason="", value=-0.01))
    assert none.startswith("Accuracy falls by less than 5 points where “none of these” is")


def test_what_is_found_has_two_numbers_and_no_interval_on_the_page() -> None:
    assert statement(finding(), short=True).endswith("change of accuracy undecided (+7 points)")
    found = statement(finding("without_gold", conclusion="found", value=0.1, null=0.5), short=True)
    assert found.endswith("in only 10\u202f% of replies (expected 50\u202f%)")


def test_kinds_are_ranked_by_what_matters_to_a_decision() -> None:
    order = ["position_preference", "no_agreement", "none_option", "without_question",
             "other_reader", "accuracy_change", "server_change"]  # fmt: skip
    assert sorted(order, key=RANK.__getitem__) == order
