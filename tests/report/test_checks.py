"""Every check on one axis: what is drawn where, and which stand on the first screen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.findings.finding import Finding
from horsesense.report.checks import MOST_FOUND, Axis, CheckRow, Group
from horsesense.report.text import LACKING

FINDING = Finding(
    kind="answer_change", conclusion="undecided", reason="noise", probe="labels", condition="",
    reader="text", group="", label="Other labels", value=0.01, low=-0.1, high=0.1, level=0.95,
    null=0.0, size=0.05, p=1.0, n=60, counted="items",
)  # fmt: skip


def check(**changes: Any) -> CheckRow:
    f = replace(FINDING, **changes)
    return CheckRow(f, Axis.of([f]), None)


ends = st.floats(-1, 1, allow_nan=False)


@given(ends, ends, ends, st.sampled_from([0.01, 0.05, 0.2]))
def test_all_that_is_drawn_lies_on_the_axis(a: float, b: float, c: float, size: float) -> None:
    low, value, high = sorted((a, b, c))
    row = check(low=low, value=value, high=high, size=size)
    for points in (*row.ends, row.effect, 100 * size):
        assert 0 <= row.axis.at(points) <= 100
    assert row.axis.at(0) == 50
    past = {"left": 100 * low < -row.axis.reach, "right": 100 * high > row.axis.reach}
    assert row.beyond == [end for end, reaches in past.items() if reaches]
    assert row.outside == (abs(row.effect) > row.axis.reach)
    first, *_, last = row.axis.ticks
    assert (first[0], last[0]) == (0, 100)
    assert len(row.axis.ticks) <= 11


def test_a_row_has_the_level_and_the_count_of_its_interval() -> None:
    assert (check().number, check().interval) == ("+1.0", "[−10.0, 10.0]")
    preferred = check(kind="position_preference", value=0.41, low=0.34, high=0.5, null=0.25)
    assert preferred.own == ("41\u202f%", "[34, 50]")  # as the terminal has it
    assert check().own == ("+1.0", "[−10.0, 10.0] pts")
    assert check().about == "at 95\u202f%; 60 items"
    assert check(about="these_items").about.startswith("of these items; ")
    bare = check(low=None, high=None)
    assert (bare.interval, bare.about) == ("no interval", "60 items")
    none = check(value=None, low=None, high=None, n=0)
    assert (none.number, none.interval, none.about) == ("–", "not measured", "")
    assert not none.drawn


def test_a_row_says_where_and_why() -> None:
    assert (check().where, check().why) == ("Other labels", "")
    share = check(null=0.25, value=0.31, kind="position_preference", group="B")
    assert share.where == "Other labels, position B, 31\u202f% against 25\u202f%"
    assert check(kind="other_reader").where == "read by Other labels"
    sound = check(kind="no_choice", conclusion="ruled_out", null=0.95, value=1.0)
    assert (sound.title[-15:], sound.where) == ("(expected 95\u202f%)", "Other labels")
    assert check(reason="at_chance").why == "not testable unless the score is better than guessing"


@pytest.mark.parametrize("kind", sorted(LACKING))
def test_what_should_lie_far_from_chance_is_not_drawn(kind: str) -> None:
    row = check(kind=kind, null=0.25)
    assert row.lacking
    assert not row.drawn
    assert row.beyond == []


def test_one_kind_in_many_forms_hides_no_other() -> None:
    kinds = ("answer_change", "answer_change", "answer_change", "no_choice", "wrong_accepted")
    rows = tuple(check(kind=kind, label=f"Form {n}") for n, kind in enumerate(kinds))
    group = Group("found", rows)
    assert len(group.first) == MOST_FOUND
    assert [row.finding.kind for row in group.first] == list(dict.fromkeys(kinds))
    assert group.rest == (rows[1], rows[2])
    untold = check(kind="no_agreement", reason="at_chance")
    assert Group("undecided", (untold, *rows)).first == (rows[0],), "what can be tested speaks"
