"""Conditions: one value, one text form, read in one place."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import horsesense
from each import each
from horsesense.errors import UsageError
from horsesense.trials.condition import PLAIN, Condition

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)
VALUES = st.recursive(
    st.text("abz09=.-_", min_size=1, max_size=6),
    lambda inner: st.builds("{}({}, {})".format, st.text("ab", max_size=3), inner, inner),
    max_leaves=4,
)


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.randoms())
def test_a_condition_is_read_back_from_its_settings_in_any_order(
    settings: dict[str, str], random: object
) -> None:
    condition = Condition(**settings)
    assert Condition.parse(condition.format()) == condition
    parts = [f"{name} = {value}" for name, value in settings.items()]
    random.shuffle(parts)  # type: ignore[attr-defined]
    again = Condition.parse(",".join(parts))
    assert (again, hash(again), str(again)) == (condition, hash(condition), str(condition))
    assert dict(again) == settings


def test_the_text_form_sorts_names_and_keeps_commas_in_brackets() -> None:
    condition = Condition.parse("wording=above, design=random(4, base=x), place=kept")
    assert str(condition) == "design=random(4, base=x), place=kept, wording=above"
    assert condition == Condition(place="kept", wording="above", design="random(4, base=x)")
    assert str(PLAIN) == ""
    assert Condition.parse(" ") == PLAIN
    assert not PLAIN


@each(
    "text",
    ["kept", "place=", "=kept", "a=1, a=2", "a=1, a=1", "a=(1, b=2", "a=1), b=2", "a b=1", "a=)("],
)
def test_what_is_not_a_condition_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a condition"):
        Condition.parse(text)


@each("value", ["", " x", "1, 2", "(1", ")("])
def test_no_condition_is_made_that_could_not_be_read_back(value: str) -> None:
    with pytest.raises(ValueError, match="cannot stand in a condition"):
        Condition(a=value)


def test_what_measures_ask_of_a_condition() -> None:
    condition = Condition(n=6, kind="nonsense", design="random(4)")
    assert condition["n"] == "6"
    assert (condition.integer("n"), condition.integer("versions"), condition.integer("x", 9)) == (
        *(6, 0, 9),
    )
    assert condition.matches(n=6, kind="nonsense")
    assert condition.matches()
    assert not condition.matches(n=6, form="letters")
    assert condition.without("n", "form") == Condition(kind="nonsense", design="random(4)")
    assert condition.with_(n=7, form="letters").without("form") == condition.with_(n=7)
    assert condition.get("form") is None
    with pytest.raises(KeyError):
        condition["form"]
    assert condition != str(condition)


def test_a_condition_never_changes_and_survives_a_copy() -> None:
    condition = Condition(n=6)
    with pytest.raises(AttributeError):
        condition.settings = ()
    assert copy.deepcopy(condition) == condition
    assert pickle.loads(pickle.dumps(condition)) == condition  # noqa: S301


SPLITS = re.compile(
    r"(condition|\.condition|\[.condition.\])\)?"
    r"\.(split\w*|r?partition|startswith|endswith|removeprefix|removesuffix|replace|strip|find)\("
)


def parses(node: ast.AST) -> bool:
    """Whether an expression looks into the text of a condition."""
    if isinstance(node, ast.Call):
        return bool(SPLITS.search(ast.unparse(node)))
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        where, what = ast.unparse(node.comparators[0]), node.left
        text = isinstance(what, ast.Constant) and "=" in str(what.value)
        return text and bool(re.search(r"(^|\.|\()condition\)?$", where))
    return False


@each(
    "line",
    [
        "'place=kept' in e.condition",
        "e.condition.partition(', ')[0]",
        "str(e.condition).split(',')",
        "condition.replace('a', 'b')",
        "row['condition'].startswith('prompt=')",
    ],
)
def test_the_check_below_can_fail(line: str) -> None:
    assert any(map(parses, ast.walk(ast.parse(line))))


def test_no_other_module_parses_a_condition() -> None:
    source = Path(horsesense.__file__).parent
    for path in source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "condition" in text and path != source / "trials" / "condition.py":
            found = [ast.unparse(node) for node in ast.walk(ast.parse(text)) if parses(node)]
            assert not found, f"{path.relative_to(source)}: {found[0]}"


def test_a_condition_has_few_settings() -> None:
    with pytest.raises(UsageError, match="33 settings, and at most 32"):
        Condition.parse(",".join(f"n{i}=1" for i in range(33)))
