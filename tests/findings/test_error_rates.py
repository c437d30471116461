"""A small version of benchmarks/verdict_errors.py: the innocent are spared, the guilty found."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from horsesense.findings.kinds import SIZES
from horsesense.findings.verdict import accusations, verdict

PATH = Path(__file__).parents[2] / "benchmarks" / "verdict_errors.py"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verdict_errors", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


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


def test_answers_drawn_anew_are_those_of_a_whole_study(bench: ModuleType) -> None:
    """The benchmark's shortcut gives the verdict that asking and reading everything gives."""
    case = bench.Case("innocent", "know-no", "sim:talker?disagree=0.2")
    study, model = bench.prepared(case, 20, 0)
    whole = verdict(*bench.settled(study, case, 20, bench.asked(study, model)))
    assert verdict(*bench.measured(case, 20, 0)) == whole


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
