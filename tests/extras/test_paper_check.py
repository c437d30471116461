"""Reported numbers: what cannot be is found, and what can be is left alone."""

from __future__ import annotations

import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import call
from each import each
from horsesense.errors import ItemsError, UsageError
from horsesense_extras.paper_check import check_claim, check_file

ROOT = Path(__file__).parents[2]


@each(
    ("claim", "verdict"),
    [
        ({"kind": "proportion", "value": "43.10", "n": 1000}, "fits"),
        ({"kind": "proportion", "value": "65.75", "n": 3000}, "impossible"),
        ({"kind": "proportion", "value": "65.75", "n": [3000, 2000]}, "fits"),
        ({"kind": "proportion", "value": "66", "n": 3}, "impossible"),
        ({"kind": "proportion", "value": "67", "n": 3}, "fits"),
        ({"kind": "sum", "parts": ["33.3", "33.3", "33.3"], "equals": "100.0"}, "rounding"),
        ({"kind": "sum", "parts": ["33.3", "33.3", "33.2"], "equals": "100.0"}, "rounding"),
        ({"kind": "sum", "parts": ["33.3", "33.3", "33.1"], "equals": "100.0"}, "impossible"),
        ({"kind": "difference", "a": "11.73", "b": "70.21", "reported": "-58.48"}, "fits"),
        ({"kind": "difference", "a": "11.73", "b": "70.21", "reported": "-58.49"}, "rounding"),
        ({"kind": "difference", "a": "11.73", "b": "70.21", "reported": "-59.48"}, "impossible"),
        ({"kind": "mean", "parts": ["1.83", "6.17", "1.60"], "reported": "3"}, "fits"),
        ({"kind": "mean", "parts": ["1.83", "6.17", "1.60"], "reported": "3.00"}, "impossible"),
        ({"kind": "mean", "parts": ["1.0", "2.0"], "weights": ["3", "1"], "reported": "1.2"},
         "rounding"),
        ({"kind": "bounds", "acc": "56.88", "acch": "34.44", "cs": "79.71", "orders": 4}, "fits"),
        ({"kind": "bounds", "acc": "87.95", "acch": "43.58", "cs": "95.58", "orders": 4},
         "impossible"),
        ({"kind": "bounds", "acc": "30.00", "acch": "34.44", "cs": "79.71", "orders": 4},
         "impossible"),
    ],
)  # fmt: skip
def test_claims(claim: dict[str, Any], verdict: str) -> None:
    assert check_claim({"id": "x", **claim}).verdict == verdict


@given(st.integers(1, 2000), st.data(), st.integers(0, 3))
def test_a_true_share_is_never_flagged(n: int, data: st.DataObject, decimals: int) -> None:
    k = data.draw(st.integers(0, n))
    value = f"{100 * k / n:.{decimals}f}"
    assert check_claim({"id": "x", "kind": "proportion", "value": value, "n": n}).verdict == "fits"


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_true_sums_and_means_are_never_flagged(values: list[float]) -> None:
    parts = [f"{value:.2f}" for value in values]
    total = {"kind": "sum", "parts": parts, "equals": f"{sum(values):.2f}"}
    mean = {"kind": "mean", "parts": parts, "reported": f"{sum(values) / len(values):.2f}"}
    for claim in (total, mean):
        assert check_claim({"id": "x", **claim}).verdict != "impossible"


def test_all_faults_of_a_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(
        "claims:\n"
        "- {id: bare, kind: proportion, value: 43.1, n: 10}\n"
        "- {id: nan, kind: proportion, value: 'nan', n: 10}\n"
        "- {id: none, kind: proportion, value: '1', n: 0}\n"
        "- {id: what, kind: guess}\n"
        "- {id: lacks, kind: sum, parts: ['1']}\n"
        "- just text\n"
        "- {id: fine, kind: proportion, value: '40', n: 10}\n"
    )
    with pytest.raises(ItemsError) as error:
        check_file(path)
    assert len(error.value.faults) == 6
    assert "in quotes" in error.value.faults[0]


@pytest.mark.parametrize("text", ["claims: 3", "- 1", "{", "claims: !!python/object:os.system x"])
def test_what_is_no_list_of_claims_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(text)
    with pytest.raises(UsageError):
        check_file(path)


def explained() -> list[str]:
    """Patterns of claim ids in the table of docs/published_numbers.md."""
    table = (ROOT / "docs/published_numbers.md").read_text().split("| claims | why |")[1]
    return [
        p
        for row in re.findall(r"^\| (`.*?`) \|", table, re.M)
        for p in row.strip("`").split("`, `")
    ]


@pytest.mark.shared
def test_the_papers_flags_are_found_and_each_is_explained(shared: Path, tmp_path: Path) -> None:
    source = shared / "spec/published.yaml"
    if not source.is_file():
        pytest.skip("needs the published tables beside the benchmark data")
    script = [sys.executable, str(ROOT / "benchmarks/published_claims.py"), str(source)]
    path = tmp_path / "claims.yaml"
    path.write_bytes(subprocess.run(script, check=True, capture_output=True).stdout)
    found = check_file(path)
    flagged = {f.id for f in found if f.verdict == "impossible"}
    patterns = explained()
    assert [f for f in sorted(flagged) if not any(fnmatch(f, p) for p in patterns)] == []
    assert [p for p in patterns if not any(fnmatch(f, p) for f in flagged)] == []
    assert (len(found), len(flagged)) == (599, 66)
    rounding = {f.id for f in found if f.verdict == "rounding"}
    assert "know_no/table3/MC-Test/omni/Gemma" in rounding


def test_command_exits_1_on_impossible_numbers(tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text("claims: [{id: a, kind: proportion, value: '65.75', n: 3000}]\n")
    done = call("check-paper", path, "--json", code=1)
    assert done.json["counts"] == {"impossible": 1}
