"""The grammar of requirements: what it reads, what it refuses, and that nothing is executed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from horsesense.comparison.gates.expression import MissingError, Reference, parse
from horsesense.errors import UsageError

NUMBERS = {"a": 0.5, "b.low": 0.25, "c": 0.0}


def look(reference: Reference) -> float:
    return NUMBERS[reference.text]


@each(
    ("text", "holds"),
    [
        ("a > 0.4", True),
        ("a >= 50%", True),
        ("a<.5", False),
        ("a == 5e-1", True),
        ("a != 0.5", False),
        ("a + b.low * 2 == 1", True),
        ("(a + b.low) * 2 == 1.5", True),
        ("a - 0.1 - 0.1 > 0.29", True),
        ("-a < b.low", True),
        ("abs(b.low - a) <= 0.25", True),
        ("a / b.low == 2", True),
        ("a > 0.4 and b.low > 0.3", False),
        ("a > 0.4 or b.low > 0.3 and c > 1", True),
        ("(a > 0.4 or b.low > 0.3) and c > 1", False),
        ("not (a > 0.6) and ((a)) > 0", True),
        ("not a > 0.6", True),
    ],
)
def test_what_is_written_is_computed(text: str, holds: bool) -> None:
    assert parse(text).holds(look) is holds


def test_references_have_all_their_parts() -> None:
    text = (
        "baseline.accuracy[probe=order, condition='design=random(4), n=6', group=\"a b\"].low > 0"
    )
    [reference] = parse(text).references
    assert reference.baseline
    assert (reference.measure, reference.field) == ("accuracy", "low")
    assert reference.where == {
        "probe": "order",
        "condition": "design=random(4), n=6",
        "group": "a b",
    }
    assert text.startswith(reference.text)


@each(
    ("text", "says"),
    [
        ("", "character 1"),
        ("accuracy", "where one comparison"),
        ("accuracy > ", "character 11"),
        ("accuracy > 0.5 and", "character 19"),
        ("(accuracy > 0.5 and )", "character"),
        ("accuracy > 0.5 accuracy", "character"),
        ("0.1 < accuracy < 0.5", "where one comparison"),
        ("accuracy.size > 1", "'size' is no field of an estimate"),
        ("accuracy[who=me] > 1", "'who' is no selector"),
        ("accuracy[probe] > 1", "NAME=VALUE"),
        ("accuracy; import os", "cannot be read at its character"),
        ("__import__('os').system('true') > 0", "cannot be read at its character"),
        ("accuracy > 0.5 # why", "cannot be read at its character"),
        ("baseline > 0.5", "where . and a measure"),
        ("(" * 400 + "1" + ")" * 400 + " > 0", "character"),
        ("-" * 900 + "1 > 0", "nests at most"),
        ("a ** 2 > 1", "where a number"),
        ("a(2) > 1", "where a number"),
        ("a) > (b", "character 2"),
        ("1 > 0 and " * 400 + "1 > 0", "at most"),
    ],
)
def test_what_is_none_is_refused_where_it_goes_wrong(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        parse(text)


@given(st.text(alphabet="a01.%<>=!()[]+-*/ notdrbselin,'\"", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse(text)
    except UsageError:
        return
    try:
        assert found.holds(lambda _: 0.5) in (True, False)
    except (MissingError, OverflowError):
        return


def test_every_clause_is_looked_up() -> None:
    seen = []

    def noted(reference: Reference) -> float:
        seen.append(reference.text)
        return 1.0

    assert parse("a > 0 or b > 0").holds(noted)
    assert seen == ["a", "b"]


def test_nothing_is_divided_by_zero() -> None:
    with pytest.raises(MissingError):
        parse("a / c > 1").holds(look)


def test_sentences_of_the_verdict_are_counted() -> None:
    text = "found[position_preference, probe=order] == 0 and cannot_tell[kind=no_choice] <= 1"
    first, second = parse(f"{text} and baseline.found == 0").references[:2]
    assert (first.measure, first.where) == (
        "found",
        {"kind": "position_preference", "probe": "order"},
    )
    assert (second.measure, second.where) == ("cannot_tell", {"kind": "no_choice"})
    with pytest.raises(UsageError, match="has no field 'low'"):
        parse("found.low == 0")
    with pytest.raises(UsageError, match="'reader' is no selector"):
        parse("found[reader=text] == 0")
