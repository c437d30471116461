"""A constant answer is no better than guessing, whatever the items let it score."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from cells import cell_of
from horsesense.findings.constant import Constants
from horsesense.findings.finding import Finding
from horsesense.findings.uncounted import LACK
from horsesense.findings.verdict import verdict
from horsesense.items.item import Item
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.registry import MEASURES


def items_of(golds: list[int], k: int, fixed: bool = False) -> list[Item]:
    return [
        Item(
            id=str(n),
            question=f"q {n}",
            options=tuple(f"{'class' if fixed else n} {j}" for j in range(k)),
            gold=gold,
        )
        for n, gold in enumerate(golds)
    ]


def told(
    golds: list[int], chosen: list[int], fixed: bool = False, k: int = 4
) -> dict[str, Finding]:
    """The verdict on answers as published, which were the same without the question."""
    probes = "original", "options_only"
    cells = [cell_of([[c] for c in chosen], golds, probe=probe, k=k) for probe in probes]
    context = Context("d", "m", np.arange(len(golds)), signature=lambda *_: None)  # type: ignore[arg-type, return-value]
    run = SimpleNamespace(
        reader="text",
        readers=["text"],
        probes={c.probe: {"title": c.probe, "invariant": "none"} for c in cells},
        unasked={},
        ended="",
        by_people=False,
        lacking=LACK,
        not_covered=lambda e: "",
        never_asked=lambda _: 0,
        lost_shares=lambda _: (0.0, 0.0),
        some_gold=False,
        label=lambda probe, condition: probe,
    )
    found = found_all(cells, [MEASURES.get("accuracy")], context)
    constants = Constants(cells, items_of(golds, k, fixed))
    return {f.name: f for f in verdict(run, found, constants=constants)}


SKEWED = [0] * 120 + [1, 2, 3, 1] * 20


def test_a_constant_answer_is_not_better_than_guessing() -> None:
    """ "The model scores 60 %, better than guessing" of one that always says A."""
    f = told(SKEWED, [0] * 200)["no_better_than_guessing"]
    assert (f.kind, f.items, f.constant) == ("cannot_tell", None, 0.6)
    assert f.low is not None
    assert f.low > f.null
    assert f.sentence.endswith(
        "; always answering A would be right on 60\u202f% of these items."
    ), f.sentence


def test_a_class_is_named() -> None:
    golds = [0] * 140 + [1] * 60
    f = told(golds, [0] * 200, fixed=True, k=2)["no_better_than_guessing"]
    assert "always answering “class 0” would be right on 70\u202f%" in f.sentence


def test_what_surpasses_it_is_cleared() -> None:
    f = told(SKEWED, SKEWED)["no_better_than_guessing"]
    assert f.kind == "ruled_out"
    assert f.low is not None
    assert f.constant is not None
    assert f.low > f.constant


def test_what_lies_above_it_has_a_number_that_tells() -> None:
    """ "No number of items, since more like these would not tell either": two more did."""
    golds = [0, 0, 0, 1, 2]
    f = told(golds, golds)["no_better_than_guessing"]
    assert (f.kind, f.constant, f.items) == ("cannot_tell", 0.6, 13)
    assert f.sentence.endswith(
        "; always answering A would be right on 60\u202f% of these items; it would take about 13"
        " items in all if it is as high as it looks."
    ), f.sentence
    more = told(golds * 3, golds * 3)["no_better_than_guessing"]
    assert (more.kind, more.constant) == ("ruled_out", 0.6)


def test_the_number_settles_as_often_as_it_says() -> None:
    """Of other items like these the constant answer is right on another share."""
    rng, settled = np.random.default_rng(5), []
    first = told(SKEWED, [g if n % 3 else (g + 1) % 4 for n, g in enumerate(SKEWED)])
    f = first["no_better_than_guessing"]
    assert f.items is not None
    assert f.constant is not None
    assert f.value is not None
    for _ in range(60):
        others = rng.integers(1, 4, f.items)
        golds = np.where(rng.random(f.items) < f.constant, 0, others)
        right = rng.random(f.items) < max(f.value, f.constant + f.size)
        chosen = np.where(right, golds, (golds + 1) % 4)
        again = told(golds.tolist(), chosen.tolist())["no_better_than_guessing"]
        settled.append(again.kind == "ruled_out")
    assert 0.7 < np.mean(settled) < 0.95


@pytest.mark.parametrize("right", [200, 150])
def test_where_all_golds_stand_first_nobody_is_cleared(right: int) -> None:
    f = told([0] * 200, [0] * right + [1] * (200 - right))["no_better_than_guessing"]
    assert f.kind == "cannot_tell"
    assert "always answering A would be right on 100\u202f% of these items" in f.sentence


def test_who_is_worse_is_found_all_the_same() -> None:
    even = [0, 1, 2, 3] * 100
    for chosen in ([0] * 400, [1, 2, 3, 0] * 100):
        assert told(even, chosen)["no_better_than_guessing"].kind == "found"


def test_what_a_constant_answer_finds_is_not_laid_to_the_options() -> None:
    f = told(SKEWED, [0] * 200)["without_question"]
    assert f.kind == "found"
    assert "Options" not in f.title
    assert "; always answering A would be right on 60\u202f% of these items." in f.sentence
    sure = told(SKEWED, SKEWED)["without_question"]
    assert sure.kind == "found"
    assert "always answering" not in sure.sentence
