"""Statements to learn from: what the arms have in common, and how items are divided."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from each import each
from horsesense.items.item import Item, ItemSet, flag_items
from horsesense.items.load import load_items
from horsesense.prompts import Prompter
from horsesense_extras.build.statements import ARMS, asked, parted, statements

ITEMS = load_items("sample")


def told(arm: str, number: int = 0, seed: int = 0) -> list:
    return statements(arm, ITEMS.items, number, seed)


def test_arms_show_the_same_items_in_the_same_orders() -> None:
    shown = [[(s.item.id, s.order) for s in told(arm)] for arm in ARMS]
    assert all(each == shown[0] for each in shown)
    assert len(shown[0]) == len(ITEMS)


def test_marks_of_each_arm() -> None:
    n = len(ITEMS)
    counts = {arm: Counter((s.right, s.true) for s in told(arm)) for arm in ARMS}
    assert counts["positive"] == {(True, True): n}
    assert counts["negative"] == {(False, True): n}
    assert counts["mixed"] == {(True, True): n // 2, (False, True): n // 2}
    assert all(s.option == s.item.gold for s in told("positive"))
    assert all(s.option != s.item.gold for s in told("negative"))


@each("seed", range(10))
def test_the_control_has_half_of_its_marks_swapped_in_every_part(seed: int) -> None:
    mixed, control = told("mixed", seed=seed), told("shuffled", seed=seed)
    assert [s.option for s in mixed] == [s.option for s in control]
    for n in range(1, len(mixed) + 1):
        for gold in (True, False):
            of = [s.true for s in control[:n] if (s.option == s.item.gold) == gold]
            assert abs(sum(of) - len(of) / 2) <= 0.5
    assert control != told("shuffled", seed=seed + 1)


def test_what_is_learned_is_a_line_of_the_prompt() -> None:
    for statement in told("mixed")[:10]:
        request, reply = asked(statement, Prompter("chat"))
        mark, _, option = reply.partition(": ")
        assert mark == ("Right" if statement.right else "Wrong")
        assert option in (request.messages or ())[0][1].splitlines()
        assert option.endswith(statement.item.options[statement.option])
        text, spaced = asked(statement, Prompter("completion"))
        assert (text.text or "").endswith("Statement:")
        assert spaced == f" {reply}"


def items(*found: Item) -> ItemSet:
    return ItemSet("made", "choice", found, flags=flag_items(found, "choice"))


def numbered(n: int, **more: str) -> Item:
    text = " ".join(f"word{n}x{place}" for place in range(60))
    return Item(str(n), f"{text}?", ("a", "b", "c"), n % 3, **more)


@each("seed", range(5))
def test_no_cluster_is_on_both_sides(seed: int) -> None:
    found = items(*(numbered(n, cluster=f"c{n // 4}") for n in range(40)))
    parts = parted(found, 20, 10, seed)
    sides = [{item.cluster for item in side} for side in (parts.train, parts.test)]
    assert (len(parts.train), len(parts.test)) == (20, 10)
    assert not sides[0] & sides[1]
    assert parts.left_out == {"not drawn": 10}


@each("seed", range(5))
def test_one_question_is_on_one_side_whatever_its_options(seed: int) -> None:
    others = [
        Item(f"{n}/{k}", f"Who made number {n}?", (f"gold {n}", f"a{k} b{k} c{k}", f"d{k} e{k}"), 0)
        for n in range(12)
        for k in range(3)
    ]
    respelt = [replace(i, question=i.question.upper()) for i in others[::3]]
    parts = parted(items(*respelt, *others[1::3], *others[2::3]), None, 9, seed)
    asked = [{i.id.partition("/")[0] for i in side} for side in (parts.train, parts.test)]
    assert not asked[0] & asked[1]
    assert parts.clusters == {"train": len(asked[0]), "test": len(asked[1])}
    assert parts.alone == len(parts.train) + len(parts.test)


def test_what_cannot_be_stated_of_is_left_out_and_counted() -> None:
    wrong = [
        replace(numbered(50), gold=None),
        replace(numbered(51), options=("a", "a", "b")),
        replace(numbered(52), options=("a", "b", "All of the above")),
        replace(numbered(0), id="again"),
    ]
    parts = parted(items(*(numbered(n) for n in range(10)), *wrong), None, None, 0)
    assert (len(parts.train), len(parts.test)) == (7, 3)
    assert sum(parts.left_out.values()) == 4
    assert len(parts.left_out) == 4
