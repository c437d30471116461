"""Each setting is declared once: the command line and Python take the same ones."""

from __future__ import annotations

import math
from pathlib import Path
from typing import get_type_hints

import pytest

import horsesense as hs
from command_line import call
from horsesense.cli.audit import StudyOptions
from horsesense.errors import UsageError
from horsesense.runs.record import RunRecord
from horsesense.runs.settings import FORMER, GivenSettings, Settings


def test_every_setting_has_words_and_is_an_option_and_a_keyword() -> None:
    fields = Settings.model_fields
    assert set(get_type_hints(GivenSettings)) == set(fields) - {"items", "model"}
    assert all(fields[name].description for name in get_type_hints(GivenSettings))
    assert {option.name for option in StudyOptions.parameters()} == {*fields, *FORMER}


def test_no_default_stands_anywhere_else() -> None:
    """What is not given on the command line is not given to the settings either."""
    options = {option.name: option.default for option in StudyOptions.parameters()}
    given = {name: default for name, default in options.items() if name not in ("items", "model")}
    assert set(given.values()) == {None}
    assert StudyOptions(["m"], items="i", **given).settings() == Settings.of(items="i", model="m")


def test_loose_values_are_taken_apart() -> None:
    one = Settings.of(
        items="i", model="m", probes="order(random(2, seed=1)), labels", where=["a=b=c"],
        shots_from=Path("x.jsonl"), labels=None,
    )  # fmt: skip
    assert one.probes == ("order(random(2, seed=1))", "labels")
    assert one.where == {"a": "b=c"}
    assert one.shots_from == "x.jsonl"
    for wrong, says in (
        ({"where": ["a"]}, "NAME=VALUE"),
        ({"seeds": 1}, "did you mean 'seed'"),
        *(({name: 2**63}, name) for name in ("seed", "limit", "max_tokens", "thinking_tokens")),
        ({"temperature": math.inf}, "temperature"),
    ):
        with pytest.raises(UsageError, match=says):
            Settings.of(items="i", model="m", **wrong)


def test_a_setting_without_effect_is_taken_for_one_version(tmp_path: Path) -> None:
    with pytest.warns(FutureWarning, match="draws has no effect"):
        assert Settings.of(items="i", model="m", draws=7) == Settings.of(items="i", model="m")
    words = ("audit", "sample", "-m", "sim:prior", "--limit", "3", "--probes", "order")
    done = call(*words, "--draws", "5", "--out", tmp_path / "run", code=0)
    assert "draws has no effect" in done.stderr
    assert "draws" not in call("audit", "--help").stdout
    record = tmp_path / "run" / "run.toml"
    (tmp_path / "run" / "manifest").unlink()
    text = record.read_text()
    record.write_text(text.replace("[settings]\n", "[settings]\ndraws = 1000\n"))
    assert RunRecord.load(record).settings == hs.open(tmp_path / "run").settings
