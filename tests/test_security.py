"""SECURITY.md says what is tested: the tests that it names are there."""

from __future__ import annotations

import re
from itertools import chain

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
