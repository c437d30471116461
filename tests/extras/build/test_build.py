"""Benchmarks made from benchmarks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from command_line import call
from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.items.load import load_items
from horsesense.items.tasks import task_for
from horsesense_extras.build.sets import build_mix, build_pairs
from studies import jsonl


def texts(n: int = 40, name: str = "films", labels: tuple[str, ...] = ("Good", "Bad")) -> ItemSet:
    items = tuple(Item(f"t{i}", f"text {i}", labels, i % len(labels)) for i in range(n))
    return ItemSet(name, "label", items, labels)


@pytest.mark.parametrize("count", [30, 150])  # drawn one by one, and from the list of all
def test_pairs_are_distinct_balanced_and_labelled_by_their_texts(count: int) -> None:
    items = texts()
    rows = build_pairs(items, count, count)
    assert Counter(row["label"] for row in rows) == {"Yes": count, "No": count}
    assert len({frozenset((row["id_a"], row["id_b"])) for row in rows}) == 2 * count
    for row in rows:
        one, other = items.by_id[row["id_a"]], items.by_id[row["id_b"]]
        assert (row["text_a"], row["text_b"]) == (one.question, other.question)
        assert (row["label"] == "Yes") == (one.gold == other.gold)
    assert build_pairs(items, count, count) == rows
    assert build_pairs(items, count, count, seed=1) != rows
    assert {row["label"] for row in rows[:20]} == {"Yes", "No"}  # the kinds are mixed


def test_a_mix_words_each_problem_and_names_its_set() -> None:
    rows = build_mix([texts(name="sst2", labels=("Positive", "Negative")), texts(name="b")], 10)
    assert Counter(row["subject"] for row in rows) == {"sst2": 10, "b": 10}
    assert len({row["id"] for row in rows}) == 20
    assert rows[0]["question"].startswith("Decide which sentiment the text expresses.\nText: text")
    assert rows[0]["options"] == ["Positive", "Negative"]
    with pytest.raises(UsageError, match="different names"):
        build_mix([texts(), texts()])
    with pytest.raises(UsageError, match="has 40 items, not 41"):
        build_mix([texts(), texts(name="b")], 41)


def test_both_are_on_the_command_line(tmp_path: Path) -> None:
    rows = [{"text": f"text {i}", "label": ("Positive", "Negative")[i % 2]} for i in range(60)]
    source = jsonl(tmp_path / "sst2.jsonl", rows)
    out = tmp_path / "sst2_pairs.jsonl"
    words = ["build", "pairs", str(source), "--out", str(out), "--same", "9", "--different", "9"]
    assert "18 items" in call(*words).stdout
    items = load_items(out)
    assert (len(items), items.labels) == (18, ("No", "Yes"))
    assert task_for(items).name == "sst2_pairs"
    mixed = tmp_path / "mixed.jsonl"
    words = ["build", "mix", str(source), "sample", "--out", str(mixed), "--each", "20", "--json"]
    assert call(*words).json["items"] == 40
    items = load_items(mixed)
    assert (items.kind, len({item.subject for item in items})) == ("choice", 2)
