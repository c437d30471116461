"""Wrong golds are ranked first where models agree against them, and not where items are hard."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from horsesense.errors import ItemsError, UsageError
from horsesense.items.item import Item, ItemSet
from horsesense_extras.checks.label_errors import label_errors, same_models
from horsesense_extras.cue_tests.answers import load_choices
from studies import jsonl

OPTIONS = ("red", "green", "blue", "black")
N = 600


def planted() -> tuple[ItemSet, dict[str, dict[str, list[int]]], set[str]]:
    """Two subjects, the second hard; one gold in twenty of the first is wrong."""
    rng = np.random.default_rng(3)
    truth = rng.integers(4, size=N)
    wrong = (np.arange(N) % 20 == 0) & (np.arange(N) < N // 2)
    gold = np.where(wrong, (truth + 1) % 4, truth)
    subject = ["easy" if n < N // 2 else "hard" for n in range(N)]
    items = tuple(
        Item(f"q{n}", f"{n}?", OPTIONS, int(gold[n]), subject=subject[n]) for n in range(N)
    )
    able = np.where(np.arange(N) < N // 2, 0.92, 0.5)
    choices = {}
    for model in "abcdef":
        right = rng.random(N) < able
        said = np.where(right, truth, (truth + rng.integers(1, 4, N)) % 4)
        choices[model] = {f"q{n}": [int(said[n])] for n in range(N)}
    return ItemSet("made", "choice", items), choices, {f"q{n}" for n in np.flatnonzero(wrong)}


def test_planted_errors_come_first() -> None:
    items, choices, wrong = planted()
    found = label_errors(items, choices)
    first = {error.item for error in found.found[: len(wrong)]}
    assert len(first & wrong) >= 0.9 * len(wrong)
    assert found.found[0].probability > 0.9
    assert found.n == N
    top = found.found[0]
    assert top.suggested == (top.gold + 3) % 4


def test_an_answer_that_changes_with_the_order_counts_less() -> None:
    items, choices, _ = planted()
    steady = label_errors(items, choices).found[0]
    unsteady = choices | {
        model: choices[model] | {steady.item: [steady.suggested, steady.gold]} for model in "abcdef"
    }
    again = next(e for e in label_errors(items, unsteady).found if e.item == steady.item)
    assert again.agreement == 0.5
    assert again.probability < steady.probability


def test_two_names_of_one_model_vote_once() -> None:
    items, choices, _ = planted()
    twice = choices | {"copy of a": choices["a"] | {"q1": [3 - choices["a"]["q1"][0]]}}
    assert ("a", "copy of a") in same_models(twice)
    found = label_errors(items, twice)
    assert found.same == (("a", "copy of a"),)
    assert found.models == tuple("abcdef")
    with pytest.raises(UsageError, match=r"2 different models.* a and copy of a count as one"):
        label_errors(items, {name: twice[name] for name in ("a", "copy of a", "b")})


def test_recorded_answers_in_other_orders(tmp_path: Path) -> None:
    items = ItemSet("made", "choice", (Item("q", "?", OPTIONS, 0),))
    rows = [
        {"item_id": "q", "model": "m", "response": "B"},
        {"item_id": "q", "model": "m", "response": "The answer is (A).", "options": OPTIONS[::-1]},
        {"item_id": "q", "model": "m", "response": "C", "probe": "order"},
        {"item_id": "q", "model": "m", "response": "no idea"},
    ]
    path = jsonl(tmp_path / "answers.jsonl", rows)
    assert load_choices([path], items) == {"m": {"q": [1, 3]}}
    path.write_text(json.dumps({"item_id": "other", "response": "A"}))
    with pytest.raises(ItemsError, match="not among the items"):
        load_choices([path], items)


@pytest.mark.shared
@pytest.mark.slow
def test_mmlu_redux(shared: Path) -> None:
    """Far above the share of models on one other option: .27 (see benchmarks/label_errors.py)."""
    from sklearn.metrics import average_precision_score

    from horsesense.items.files import load_rows
    from horsesense.items.load import load_items

    source = shared / "data/mmlu_redux/mmlu_redux.jsonl.gz"
    items = load_items(source)
    answers = shared / "responses/helm_mmlu_redux/multi_expert_letters.jsonl.gz"
    found = label_errors(items, load_choices([answers], items))
    wrong = {r["id"] for _, r in load_rows(source) if r["error_type_norm"] == "wrong_groundtruth"}
    truth = [error.item in wrong for error in found.found]
    assert average_precision_score(truth, [e.probability for e in found.found]) > 0.38
    assert sum(truth[:100]) >= 45
    assert sum(truth[:200]) >= 62
