"""Rows of changes that bets decide: interval, legend and `found_beyond` say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from horsesense.findings.early import BETS
from horsesense.findings.finding import Finding
from horsesense.findings.kinds import KINDS
from horsesense.inference.limits import UNLIMITED, Limits
from horsesense.report.checks import BY_BETS, RULES, Check, Checks, checks_of
from studies import items_file, study

DROP = "sim:prior?know=0.6&prior=0.72,0.09,0.09,0.09"
"""Where the right answer stands first, wrong far more often in other orders."""
FALLS = {kind.name for kind in KINDS if kind.way == "below"}
ROUNDING = 1e-9


def gold_first(path: Path, n: int, clusters: int) -> Path:
    rows = [orjson.loads(line) for line in items_file(path, n).read_bytes().splitlines()]
    rows = [
        {**row, "answer_index": 0, **({"cluster": f"c{i % clusters}"} if clusters else {})}
        for i, row in enumerate(rows)
    ]
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


CASES = {
    "found": (300, DROP, "decided", 0, UNLIMITED),
    "at a precision": (300, DROP, "precision=0.1", 0, UNLIMITED),
    "few clusters": (300, DROP, "decided", 4, UNLIMITED),
    "all asked": (60, DROP, "decided", 0, UNLIMITED),
    "ended": (300, DROP, "decided=0.02", 0, Limits(requests=500)),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Checks]:
    found = {}
    for name, (n, model, until, clusters, limits) in CASES.items():
        root = tmp_path_factory.mktemp("run")
        items = gold_first(root / "items.jsonl", n, clusters)
        probes = ("order", "none_of_the_above")
        done = study(items, model, root / "run", probes=probes, until=until, limits=limits)
        found[name] = checks_of(done.results, (), {})
    return found


def rows_of(runs: dict[str, Checks]) -> Iterator[tuple[Check, Finding]]:
    for checks in runs.values():
        for check in (check for group in checks.groups for check in group.checks):
            f = check.finding
            if f.section == BETS and f.low is not None and f.high is not None and not f.reason:
                yield check, f


def test_a_row_is_found_or_ruled_out_where_its_interval_says_so(runs: dict[str, Checks]) -> None:
    """ "Cannot tell: neither" beside −6.9 [−10.0, −4.6], and `found_beyond` was 0 of all."""
    seen = Counter[object]()
    for check, f in rows_of(runs):
        assert f.low is not None
        assert f.high is not None
        assert f.found_beyond is not None
        beyond, size = f.found_beyond, f.size
        if f.about == "these_items":
            assert abs(beyond) == size
            assert beyond < 0 or f.name not in FALLS
            past = f.high <= beyond + ROUNDING if beyond < 0 else f.low >= beyond - ROUNDING
            up = f.name in FALLS or f.high <= size + ROUNDING
            inside = up and f.low >= -size - ROUNDING
        else:
            assert beyond == 0
            assert f.kind != "ruled_out"
            past, inside = not f.low <= 0 <= f.high, False
        seen[f.kind, f.about] += 1
        seen["leaves out 0 alone"] += f.kind == "cannot_tell" and not f.low <= 0 <= f.high
        if check.why:
            seen[check.why] += 1
            assert f.kind == "cannot_tell"
        else:
            assert past == (f.kind == "found"), f
            assert f.kind == "found" or inside == (f.kind == "ruled_out"), f
        # Whatever is open among these items has its reason beside it.
        assert bool(check.why) == (f.kind == "cannot_tell" and f.about == "these_items")
    assert seen["found", "these_items"]
    assert seen["found", "items_like_these"]
    assert seen["ruled_out", "these_items"]
    assert seen["leaves out 0 alone"]
    assert seen["not decided yet"]
    assert seen["open at the precision asked for"]
    assert seen["not shown on others like these"]


def test_the_legend_says_what_bands_are_held_to(runs: dict[str, Checks]) -> None:
    for checks in runs.values():
        for group in checks.groups:
            bands = any(check.of for check in group.checks)
            assert (BY_BETS[group.outcome] in group.rule) == bands
            assert group.rule.startswith(RULES[group.outcome]) or not bands
