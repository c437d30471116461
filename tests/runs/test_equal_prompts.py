"""Equal prompts under one condition have one reply, and are one trial of an item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from each import each
from horsesense.extend import Probe, Setting, Trial, show
from horsesense.items.item import Item
from horsesense.probes.registry import parse_probe
from horsesense.prompts import Prompter
from horsesense.runs.planner import TWICE, Planner
from horsesense.testing.conformance import item_set
from horsesense.trials.condition import PLAIN
from horsesense.trials.orders import Design
from studies import items_file, study


def planner(*probes: Probe, k: int = 4) -> Planner:
    items = item_set(n=6, k=k)
    return Planner(items, probes, Setting(items, seed=3), Prompter(), "test")


def put(made: Planner) -> Counter[tuple[str, str, object]]:
    """How often each request is put, by probe and condition."""
    planned = made.plan(made.probes)
    return Counter((p.trial.probe, str(p.trial.condition), p.key) for p in planned)


@dataclass(frozen=True)
class Careless(Probe):
    """A probe of another package that draws its orders without looking at what it drew."""

    name = "careless"
    title = "Careless orders"
    summary = "The options as published, and turned round twice."
    expectation = "The same answer."
    invariant = "same_answer"

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        there = tuple(range(len(item.options)))
        for repetition, order in enumerate((there, there[::-1], there[::-1])):
            yield self.trial(show(item, "choice", order), PLAIN, repetition)


def test_one_probe_under_two_names_asks_once() -> None:
    """Each of four orders counted as two guesses, which always agreed."""
    made = planner(parse_probe("order"), parse_probe("order(design=cyclic)"))
    assert {*put(made).values()} == {1}
    assert made.count == 24
    assert made.excluded.as_json() == [
        {
            "probe": "order(design=cyclic)",
            "reason": TWICE,
            "items": 6,
            "examples": [f"item-{i}" for i in range(5)],
        }
    ]
    assert len(list(made.trials(made.probes))) == 24


def test_an_order_that_a_probe_of_another_package_draws_twice_is_one_trial() -> None:
    made = planner(Careless())
    assert {*put(made).values()} == {1}
    assert made.count == 12
    assert made.excluded.as_json() == [], "it was put to all items"


def test_more_prompts_of_two_options_than_there_are() -> None:
    """Two of three options have four prompts: two distractors, each in two orders."""
    made = planner(parse_probe("option_count(n=2, design=random(10))"), k=3)
    assert {*put(made).values()} == {1}
    assert made.count == 6 * 4


@each("design", ["cyclic", "random(4)", "gold_balanced(8)", "full", "move_gold"])
def test_designs_plan_what_they_planned(design: str) -> None:
    made = planner(parse_probe(f"order(design={design})"))
    expected = len(Design.parse(design).orders(4, 0, made.setting.items.items and _dice(made)))
    assert made.count == 0
    assert {*put(made).values()} == {1}
    assert made.count == 6 * expected
    assert not made.excluded.ids


def _dice(made: Planner):  # type: ignore[no-untyped-def]
    return lambda purpose, n: made.setting.dice(made.items.items[0], purpose, n)


def test_versions_that_happen_to_be_equal_keep_their_votes() -> None:
    items = item_set(n=2, k=2)
    short = replace(items, items=tuple(replace(i, question="Is it so?") for i in items))
    made = Planner(short, (), Setting(short, seed=3), Prompter(), "test")
    trials = list(made.trials([parse_probe("key_typo(versions=4, shuffles=2)")]))
    assert len(trials) == 16


def test_a_recorded_order_that_came_twice_is_one_trial() -> None:
    made = planner(parse_probe("order(design=random(4))"))

    def published(trial: Trial) -> Trial:
        item = made.items.by_id[trial.variant.item_id]
        return replace(trial, variants=(show(item, "choice"),))

    made.as_shown = published
    assert len(list(made.trials(made.probes))) == 6
    assert {*put(made).values()} == {1}


def test_a_probe_under_two_names_stops_under_both(tmp_path: Path) -> None:
    """The second one has no prompt of its own, and was asked of all items once the first stopped:
    4,794 requests for 3,347."""
    items, model = (
        items_file(tmp_path / "items.jsonl", 300),
        "sim:prior?know=0.5&prior=0.7,0.1,0.1,0.1",
    )
    asked = []
    for name, twice in (("once", ()), ("twice", ("order(design=cyclic)",))):
        probes = ("order", *twice, "labels(set=digits)")
        found = study(items, model, tmp_path / name, probes=probes, until="decided=0.2")
        asked.append(found.run.asked)
    assert asked[0] < 300 * (1 + 3 + 1), "it stopped"
    assert asked[1] == asked[0]
