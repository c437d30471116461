"""The limit on tokens: what it takes from a score, and where it takes nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest

import horsesense as hs
from each import each
from horsesense.errors import UsageError
from horsesense.probes.registry import parse_probe
from horsesense.report.sections.budget import enough, limits_of
from horsesense.runs.directory import RunDirectory
from horsesense.runs.results import Results
from studies import items_file

N = 300


def results(root: Path, model: str, n: int = N) -> tuple[Results, str]:
    items = str(items_file(root / "items.jsonl", n))
    probes = ("budget(caps=64/256/1024/65536)",)
    run = hs.audit(items=items, model=model, probes=probes, out=root / "run", stop_if="never")
    page = (run.path / "report.html").read_text(encoding="utf-8")
    return Results.load(RunDirectory.open(run.path)), page


def test_a_limit_costs_what_it_cuts_off_and_the_first_that_costs_nothing_is_named(
    tmp_path: Path,
) -> None:
    found, page = results(tmp_path, "sim:thinker?spread=0.5")
    limits = limits_of(found)
    for limit in limits:  # the model knows every answer: a reply is right, or cut off
        assert limit.graded.value == pytest.approx(1 - limit.cut)
    assert [limit.cap for limit in limits] == [64, 256, 1024, 65536]
    # ln(64 / 200) / 0.5 and ln(256 / 200) / 0.5: 99 % and 31 % of a normal lie above.
    assert [limit.cut for limit in limits] == pytest.approx([0.99, 0.31, 0, 0], abs=0.08)
    assert enough(limits, 0.05) == 1024
    assert enough([limits[0], limits[-1]], 0.05) is None  # the largest is compared with itself
    assert "From 1,024 tokens on, nothing is lost" in page
    assert "Accuracy by the limit on tokens" in page


def test_no_limit_is_enough_where_even_the_largest_cuts_replies(tmp_path: Path) -> None:
    found, page = results(tmp_path, "sim:garbled?how=cut&share=0.3", 60)
    assert enough(limits_of(found), 0.05) is None
    assert "No limit that was tried is shown to be large enough" in page


@each("caps", ["", "256/64", "64/64", "0/9", "many"])
def test_limits_go_from_small_to_large(caps: str) -> None:
    with pytest.raises(UsageError, match="caps cannot be"):
        parse_probe(f"budget(caps={caps})")
