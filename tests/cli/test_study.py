"""Several models and sets: a run each in one folder, which can be given back."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from command_line import call
from horsesense.cli.schemas import OUTPUTS
from horsesense.errors import UsageError
from horsesense.runs.studies import Study

SMALL = ("sample", "--probes", "repeat", "--limit", "6")


def test_two_models_are_two_runs_and_the_study_can_be_given_back(tmp_path: Path) -> None:
    both = ("-m", "sim:oracle", "-m", "sim:position?k=1")
    done = call("audit", *SMALL, *both, "--out", "study", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folders = {path.name for path in (tmp_path / "study").iterdir() if path.is_dir()}
    assert folders == {"sim-oracle-sample", "sim-position-k-1-sample"}
    saved = tomllib.loads((tmp_path / "study" / "study.toml").read_text())
    assert saved["models"] == ["sim:oracle", "sim:position?k=1"]
    assert saved["settings"]["limit"] == 6
    again = call("run", "study", "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    OUTPUTS["run"].model_validate_json(again.stdout, strict=True)
    assert len(json.loads(again.stdout)["runs"]) == 2
    reported = call("report", "study", cwd=tmp_path)
    assert reported.stdout.count("report.html") == 2


def test_a_study_by_hand(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        'models = ["sim:oracle"]\nitems = ["sample"]\nsuites = ["revas", "know-no"]\n'
        "[settings]\nlimit = 3\n"
    )
    runs = list(Study.load(tmp_path).runs(tmp_path))
    assert [path.name for path, _ in runs] == [
        "sim-oracle-sample-revas",
        "sim-oracle-sample-know-no",
    ]
    assert runs[0][1].suite == "revas"
    assert runs[0][1].limit == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('models = []\nitems = ["x"]', "models"),
        ('models = ["sim:oracle"]\nitems = ["x"]\nmodel = "y"', "model"),
        ("models = [", "cannot be read"),
        ('models = ["a"]\nitems = ["x/sample.csv", "y/sample.csv"]', "are both a-sample"),
        ('models = ["a"]\nitems = ["x"]\n[settings]\nlimits = 3', "limits"),
    ],
)
def test_what_does_not_fit(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(UsageError, match=says):
        list(Study.load(tmp_path).runs(tmp_path))


def test_where_there_is_none(tmp_path: Path) -> None:
    assert "There is no study" in call("run", "study.toml", cwd=tmp_path).stderr


def test_version_and_exit_codes_are_told(tmp_path: Path) -> None:
    assert call("--version", cwd=tmp_path).stdout.startswith("horsesense 0.")
    assert "130 stopped by the user" in " ".join(call("--help", cwd=tmp_path).stdout.split())


def test_of_many_names_at_most_five_are_listed() -> None:
    error = UsageError.unknown("item", "q7", [f"q{n}" for n in range(500)])
    assert error.hint is not None
    assert error.hint.count("q") == 5
