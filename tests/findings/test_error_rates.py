"""A small version of benchmarks/verdict_errors.py: the innocent are spared, the guilty found."""

from __future__ import annotations

import importlib
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from horsesense.findings.kinds import SIZES
from horsesense.findings.verdict import accusations, verdict
from horsesense.measures.cells import MISSING, Cell, Selection

PATH = Path(__file__).parents[2] / "benchmarks" / "verdict_errors.py"


@pytest.fixture(scope="module")
def bench() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(PATH.parent))
        yield importlib.import_module(PATH.stem)


def test_innocent_models_are_spared(bench: ModuleType) -> None:
    """At 5 % each, more than 7 of 40 have a chance of .001."""
    case = bench.Case("innocent", "basic", bench.flat(0.6))
    accused = [bench.judged(case, 12, number)["accused"] for number in range(40)]
    assert sum(map(bool, accused)) <= 7


def test_few_items_accuse_nobody_of_guessing(bench: ModuleType) -> None:
    """A non-rejection was used as an accusation: of 10 of 25 innocent models with 6 items."""
    case = bench.Case("innocent", "basic", bench.flat(0.6))
    told = [verdict(*bench.measured(case, 6, number)) for number in range(15)]
    names = {f.name for findings in told for f in findings if f.kind == "found"}
    assert not names & {"no_agreement", "no_better_than_guessing"}


@pytest.mark.parametrize(
    ("model", "must"), [("sim:ranker", "none_option"), ("sim:cheat", "without_question")]
)
def test_guilty_models_are_found(bench: ModuleType, model: str, must: str) -> None:
    case = bench.Case("guilty", "basic", model, frozenset((must,)), must=must)
    told = bench.judged(case, 60, 1)
    assert told["found"]
    assert told["alone"]


def test_what_is_said_of_one_model_is_counted(
    bench: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    options = Namespace(model="sim:cheat", suites="", items=60, shape="", first=1, studies=1)
    bench.one_model(options)
    row = [cell.strip() for cell in capsys.readouterr().out.splitlines()[-1].split("|")[1:-1]]
    assert row[:4] == ["plain", "60", "1", "17"]
    assert "without_question/options_only 1" in row[5]
    assert float(row[4]) == row[6].count("/") > 0


@pytest.mark.parametrize(
    ("suite", "items", "model"),
    [
        ("know-no", 20, "sim:talker?disagree=0.2"),
        ("multi-problem", 10, "sim:prior?know=0.5&prior=1,1,1,1"),
        ("multi-problem", 10, "sim:slips?under=batch&wrong=0.3"),
        ("multi-problem", 10, "sim:slips?under=select_one&wrong=0.3"),
    ],
)
def test_answers_drawn_anew_are_those_of_a_whole_study(
    bench: ModuleType, suite: str, items: int, model: str
) -> None:
    """The benchmark's shortcut gives the verdict that asking and reading everything gives."""
    case = bench.Case("innocent", suite, model)
    study, asking = bench.prepared(case, items, 0)
    every = bench.asked(study, asking)
    _, redrawn = bench.answered(case, items, 0)
    # Not drawn anew is what no accusation rests on; sentences may name one size of several.
    asked, anew = by_name(every), by_name(redrawn)
    assert anew == {name: asked[name] for name in anew}
    whole, short = (
        [replace(f, sentence="") for f in verdict(*bench.settled(study, case, items, cells))]
        for cells in (every, redrawn)
    )
    assert short == whole


def by_name(cells: list[Cell]) -> dict[tuple[str, ...], tuple[object, ...]]:
    """What each cell says of each trial."""
    return {
        (cell.probe, cell.condition.format(), cell.reader): (
            cell.item.tolist(),
            cell.status.tolist(),
            cell.option.tolist(),
            cell.correct.tolist(),
            *(group.chosen.tolist() for group in cell.groups if isinstance(group, Selection)),
        )
        for cell in cells
    }


def published(bench: ModuleType, shape: str, model: str, number: int) -> Cell:
    case = bench.Case("innocent", "basic", model, shape=shape)
    _, every = bench.answered(case, 80, number)
    return next(cell for cell in every if (cell.probe, cell.reader) == ("original", "text"))


def test_items_have_the_shape_that_is_asked_for(bench: ModuleType) -> None:
    case = bench.Case("innocent", "basic", "sim:oracle", shape="mixed")
    items = [(len(row["options"]), row["answer_index"]) for row in bench.rows(case, 80, 0)]
    assert {k for k, _ in items} == {2, 3, 4, 5, 10}
    assert {(k, place) for k in (2, 3, 5) for place in range(k)} <= set(items)
    sizes = np.bincount(bench.SHAPES["texts"].clusters(80))
    assert sorted(sizes) == [1] * 40 + [10] * 4


def test_clusters_are_known_or_not_and_copies_guess_alike(bench: ModuleType) -> None:
    cluster = bench.SHAPES["fours"].clusters(80)
    known = published(bench, "fours", "sim:prior?know=0.5&prior=0,0,0,1", 1)
    copied = published(bench, "copies", "sim:uniform", 1)
    for own in (cluster == c for c in range(20)):
        guessed_right = known.gold_at[own, 0] == 3
        assert len(set(known.correct[own, 0][~guessed_right])) == 1
        assert len(set(copied.position[own, 0])) == 1
    assert set(known.correct[:, 0]) == {0, 1}
    assert len(set(copied.position[:, 0])) == 4


def test_replies_are_lost_one_by_one_or_with_their_item(bench: ModuleType) -> None:
    some = np.mean([published(bench, "lost-10", "sim:uniform", n).n_missing for n in range(10)])
    assert 4 < some < 13
    case = bench.Case("innocent", "basic", "sim:uniform", shape="lost-long")
    _, every = bench.answered(case, 80, 1)
    lost = [set(cell.item[(cell.status == MISSING).any(axis=1)]) for cell in every]
    (first, *rest) = [items for items, cell in zip(lost, every, strict=True) if len(cell.item) > 70]
    assert first
    assert all(items == first for items in rest)
    k = {i: len(row["options"]) for i, row in enumerate(bench.rows(case, 80, 1))}
    assert {k[i] for i in first} <= {5, 10}


def test_innocent_models_are_spared_whatever_the_shape(bench: ModuleType) -> None:
    """Mixed numbers of options, texts of 10 items and lost replies in one study."""
    case = bench.Case("innocent", "basic", bench.flat(0.3), shape="all")
    accused = [bench.judged(case, 40, number)["accused"] for number in range(20)]
    assert sum(map(bool, accused)) <= 4


@pytest.mark.parametrize(
    ("model", "probe", "condition", "change"),
    [
        ("sim:slips?under=labels&wrong=0.2", "labels", "set=digits", -0.2),
        ("sim:slips?under=labels&silent=0.2", "labels", "set=digits", -0.2),
        ("sim:slips?under=options_only&gold=0.4", "options_only", "", -0.45),
        ("sim:habit?share=0.2", "labels", "set=digits", 0.15),
        ("sim:slips?under=labels&wrong=0.2", "order", "design=cyclic", 0.0),
    ],
)
def test_what_a_fault_under_one_probe_costs_is_as_declared(
    bench: ModuleType, model: str, probe: str, condition: str, change: float
) -> None:
    """In closed form: a share of .4 that is right, and the rest of guesses, is .55 of 1."""
    _, found = bench.measured(bench.Case("guilty", "basic", model), 1000, 1)
    (e,) = (
        one.estimate
        for one in found
        if one.estimate.fits(measure="accuracy_change", probe=probe, condition=condition)
    )
    assert e.value == pytest.approx(change, abs=0.05)


FEW = {"know-no": 400, "basic": 100}


def test_what_is_written_down_as_large_is_as_large_as_that(bench: ModuleType) -> None:
    """Forms of Know-No are compared with a form of the probe in which the model slipped as well:
    of 5.5 points declared, none were there, and to rule them out was counted as an error."""
    for case in bench.EDGE:
        results, found = bench.measured(case, FEW.get(case.suite, 30), 1)
        made = [*accusations(results, found, SIZES)]
        for name in case.large:
            as_declared = [
                a
                for a in made
                if name in {a.kind.name, f"{a.kind.name}/{a.evidence.probe}"}
                or name == f"{a.kind.name}@{a.evidence.reader}"
            ]
            assert any(a.p_small > 0.001 for a in as_declared), (case.model, name)
