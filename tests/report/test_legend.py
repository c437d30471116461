"""What the legend of the checks says of rows, and lists of nearly equal ones."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from horsesense.findings.finding import UNTOLD, Finding
from horsesense.report.checks import BY_BETS, Check, Group, _beside_others, _rule, named
from horsesense.report.score_bar import _no_parts

FINDING = Finding(
    kind="cannot_tell", name="accuracy_change", title="The form changes the score", probe="labels",
    condition="", reader="text", group="", value=0.01, low=-0.1, high=0.1, level=0.99, null=0.0,
    size=0.05, p_adjusted=1.0, p_ruled_out=1.0, weight=0.01, n=60, counted="items", items=2600,
    section="score", sentence="It cannot be told.",
)  # fmt: skip


def check(f: Finding, where: str = "") -> Check:
    return Check(
        f,
        f.title,
        where,
        f.reason,
        40.0,
        50.0,
        60.0,
        (45.0, 55.0),
        "+1.0",
        "[−10, 10]",
        "",
        "",
        "",
        None,
    )


def test_a_rule_speaks_of_the_rows_that_are_there() -> None:
    """ "The line leaves out 0" stood over a row without one, whose interval held 0."""
    lacking = check(replace(FINDING, name="no_better_than_guessing"))
    change = check(FINDING)
    assert _rule("found", [change]) == "the line leaves out 0, on the side of the fault"
    assert _rule("found", [lacking]).endswith("its interval ends below the size")
    assert "far edge of the grey" not in _rule("ruled_out", [lacking])
    assert _rule("found", [replace(change, of="of these items")]).endswith(BY_BETS["found"])
    assert BY_BETS["cannot_tell"] not in _rule("cannot_tell", [change])
    assert _rule("ruled_out", [lacking, change]).count("; ") == 1


def test_many_forms_of_a_kind_are_one_line() -> None:
    """27 nearly equal lines."""
    rows = [
        check(replace(FINDING, sentence=f"Form {n} cannot be told."), f"Form {n}") for n in range(9)
    ]
    group = Group("cannot_tell", "Cannot tell", "", tuple(rows))
    (line,) = group.in_words
    assert line.startswith("Form 1 cannot be told. The same goes for 7 others: Form 2 (+1.0; about")
    found = Group("found", "Found", "", tuple(rows))
    assert len(found.in_words) == 9 - len(found.first)


def test_a_headline_says_why_it_holds_no_parts() -> None:
    """ "72 % as published." was all, though the orders of the classes were asked."""

    def said(*asked: str, **more: object) -> str:
        probes = [{"name": name} for name in ("original", *asked)]
        blank = {"findings": {}, "reader": "text", "imported": False, "by_people": False}
        return _no_parts(SimpleNamespace(asked=probes, **{**blank, **more}))  # type: ignore[arg-type]

    assert "answers are class names" in said("order", "labels")
    assert said("batch").endswith("one order alone, and never without the question.")
    assert said("options_only").endswith("one order alone.")
    assert said("order", findings={"composition": {"text": {"parts": []}}}) == ""
    assert said("labels", imported=True) == ""
    # Texts with labels have no options to be in another order.
    assert said("batch", findings={"dataset": {"kind": "label"}}) == ""
    assert "answers are class names" in said("order", findings={"dataset": {"kind": "label"}})


def test_a_reason_of_many_rows_stands_once() -> None:
    """ "... come first in the file", in 16 rows, glued to the form by a comma."""
    hidden = replace(FINDING, sentence=f"Whether it changes{UNTOLD}it is hidden.", items=None)
    rows = [check(replace(hidden, condition=f"n={n}"), f"Form {n}") for n in range(5)]
    rows += [check(replace(hidden, sentence=f"Whether it helps{UNTOLD}nothing came."), "Form 6")]
    group = Group("cannot_tell", "Cannot tell", "", tuple(rows))
    assert group.notes == {"it is hidden": "¹"}
    assert Group("cannot_tell", "Cannot tell", "", tuple(rows[3:])).notes == {}
    assert named(rows[0]) == "the form changes the score (Form 0: it is hidden)"
    assert _beside_others(rows[1]) == "Form 1 (+1.0)", "the reason stands before the list"
