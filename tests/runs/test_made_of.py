"""Estimates are made again where anything that they were made of has changed, and only there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from horsesense.api import Run
from horsesense.inference.store import Store
from horsesense.kept import keep
from horsesense.models.base import Asked
from horsesense.models.messages import Request, Response
from horsesense.runs import made_of
from studies import study


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made")
    study(6, "sim:prior", root / "run", probes=("order",))
    return root / "run"


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The runs that were measured."""
    found: list[Path] = []
    monkeypatch.setattr("horsesense.runs.run.StagedRun.measure", lambda run: found.append(run.path))
    return found


def test_what_has_not_changed_is_not_measured_again(
    made: Path, tmp_path: Path, measured: list[Path]
) -> None:
    (run := Run.open(shutil.copytree(made, tmp_path / "run"))).report()
    run.report()
    assert run.measured().estimates == Run.open(made).results.estimates
    assert not measured


def another_answer(run: Path) -> None:
    asked = Request(None, "Which?")
    with Store.open(run / "store.sqlite") as store:
        store.put([(Asked(asked.key("m"), asked), Response("B"))], identity="m")


def another_level(run: Path) -> None:
    record = Run.open(run).directory.known
    settings = record.settings.model_copy(update={"level": 0.9})
    record.model_copy(update={"settings": settings}).save(run / "run.toml")


def one_more_part(run: Path) -> None:
    [path] = run.glob("trials/stage-1/*.parquet")
    shutil.copy(path, path.with_name("000001.parquet"))


def other_estimates(run: Path) -> None:
    found = json.loads((run / "estimates.json").read_bytes())
    found["estimates"][0]["value"] = 1.0
    keep(run / "estimates.json", json.dumps(found))


CHANGES: dict[str, Callable[[Path], object]] = {
    "reviews": lambda run: keep(run / "reviews.json", "{}"),
    "an answer": another_answer,
    "a setting": another_level,
    "a part more": one_more_part,
    "a part less": lambda run: next(run.glob("readings/*/stage-1/*.parquet")).unlink(),
    "damage": lambda run: next(run.glob("readings/*/reader.json")).write_text("{}"),
    "other estimates": other_estimates,
    "no digests": lambda run: (run / "manifest").unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_changed_is_measured_again(
    made: Path, tmp_path: Path, measured: list[Path], change: str
) -> None:
    CHANGES[change](run := Path(shutil.copytree(made, tmp_path / "run")))
    Run.open(run).measured()
    assert measured == [run]


def test_another_program_measures_again(
    made: Path, measured: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made_of, "_program", lambda: [("0.0.1", 0, 0)])
    Run.open(made).measured()
    assert measured == [made]
