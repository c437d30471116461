"""examples/plugin: installed, listed, checked and used by one audit; and shown in CONTRIBUTING."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling import build

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "plugin"

CHECKS = """
from horsesense.measures.registry import MEASURES
from horsesense.models.registry import make_model
from horsesense.probes.registry import parse_probe
from horsesense.readers.registry import make_reader
from horsesense.testing.conformance import check_measure, check_probe, check_reader
from horsesense.testing.models import check_model

assert len(check_probe(parse_probe("backwards"))) == 12
check_measure(MEASURES.get("chose_last"))
assert check_reader(make_reader("last_label")) > 20
assert check_model(lambda: make_model("always:B")).text

from horsesense.cli import main
for words in (["list", "--json"], {audit!r}):
    try:
        main(words)
    except SystemExit as end:
        assert not end.code
"""


def with_example(target: Path) -> dict[str, str]:
    """The environment variables of an interpreter that has the example installed."""
    with chdir(EXAMPLE):
        wheel = build.build_wheel(str(target.parent))
    ZipFile(target.parent / wheel).extractall(target)
    before = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(target), before]))}


def test_the_example_conforms_is_listed_and_used_by_an_audit(tmp_path: Path) -> None:
    words = ["audit", "sample", "--model", "always:It is D, not B.", "--probes", "backwards"]
    words += ["--readers", "text,last_label", "--limit", "12", "--out", "run"]
    command = [sys.executable, "-c", CHECKS.format(audit=words)]
    done = subprocess.run(
        command, env=with_example(tmp_path / "site"), cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found, _ = json.JSONDecoder().raw_decode(done.stdout)
    assert found["probes"]["backwards"] == (
        "The options from last to first. The answer follows the option."
    )
    assert found["measures"]["chose_last"].startswith("Share of the answers")
    assert found["readers"]["last_label"].startswith("The last option label")
    assert found["models"]["always:TEXT"].startswith("A model that gives the same reply")
    found = json.loads((tmp_path / "run" / "estimates.json").read_bytes())
    assert [probe["name"] for probe in found["probes"]] == ["original", "backwards"]
    assert found["model"]["name"] == "always:It is D, not B."
    values = {
        (e["probe"], e["reader"]): (e["value"], e["n"])
        for e in found["estimates"]
        if e["measure"] == "chose_last"
    }
    # One of the twelve items has three options, so that D is none, and one has five.
    assert values["backwards", "text"] == (pytest.approx(10 / 11), 11)
    assert values["backwards", "last_label"] == (0.0, 12)
    told = {row["kind"] for row in found["verdict"] if row["probe"] == "backwards"}
    assert told == {"accuracy_change", "fewer_choices"}  # no repeat, no answers beyond it
    assert "Chose the last option" in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_contributing_shows_the_files_of_the_example() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    shown = re.findall(r"\n```python\n(.*?)```", text, flags=re.DOTALL)
    files = [path.read_text(encoding="utf-8") for path in EXAMPLE.rglob("*.py")]
    for name in ("Backwards", "ChoseLast", "LastLabel", "Always"):
        assert any(f"class {name}" in block for block in shown), f"{name} is not shown"
    for block in shown:
        assert any(block in file for file in files), f"no file of the example holds\n{block}"
