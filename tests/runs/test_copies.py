"""What is worked out in copies of the process is what one process finds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from horsesense.api import Run
from horsesense.inference.limits import Limits
from horsesense.processes import Spread
from horsesense.runs import ahead, read
from horsesense.runs.merge import merge
from horsesense.runs.settings import Settings
from studies import PROBES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux")

STUDIES: Sequence[dict[str, Any]] = (
    {"probes": (*PROBES, "order(random(5))"), "shots": 1, "shots_from": "sample"},
    {"suite": "multi-problem", "sizes": "2,5", "bundles": 6},
    {"suite": "revas", "shard": "1/2"},
    {"probes": ("order", "labels"), "readers": ("text", "pride")},
)
NAMES = ["many probes", "bundles", "two stages of a shard", "fitted reader"]


def asked(path: Path, model: str = "sim:talker", limits: Limits | None = None, **more: Any) -> Run:
    run = Run.start(path, Settings.of(items="sample", model=model, limit=24, **more))
    run.ask(model, tell=None, limits=limits or Limits())
    return run


def files_of(run: Run) -> dict[str, bytes]:
    """Every file but for the store, the name of the run, and what is said of a session."""
    run.read()
    run.measure()
    found = {
        str(path.relative_to(run.path)): path.read_bytes()
        for path in sorted(run.path.rglob("*"))
        if path.is_file() and not path.name.startswith(("store.", "run.")) and path.name != "name"
    }
    for name in ("estimates.json", "asked.json"):
        told = orjson.loads(found[name])
        told.pop("run", None)
        told.pop("spent", None)
        found[name] = orjson.dumps(told)
    return found


def answers(run: Run) -> list[tuple[Any, ...]]:
    with run.directory.store() as store:
        sql = "SELECT key, model, request, response, digest FROM responses ORDER BY rowid"
        return list(store.rows(sql))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Copies pay from the first trial on, and two are made; for which work, and its pieces."""
    pieces: dict[str, int] = {}

    class Counted(Spread[Any, Any]):
        def __init__(self, work: Any, given: Sequence[Any], copies: int) -> None:
            super().__init__(work, given, copies)
            if self._copies:
                pieces[work.__module__.rpartition(".")[2]] = len(given)

    for module, piece in ((ahead, 3), (read, 20)):
        monkeypatch.setattr(module, "MANY", 1)
        monkeypatch.setattr(module, "PIECE", piece)
        monkeypatch.setattr(module, "copies", lambda: 2)
        monkeypatch.setattr(module, "Spread", Counted)
    return pieces


@pytest.mark.parametrize("study", STUDIES, ids=NAMES)
def test_copies_change_no_byte(
    tmp_path: Path, made: dict[str, int], monkeypatch: pytest.MonkeyPatch, study: dict[str, Any]
) -> None:
    spread = asked(tmp_path / "spread", **study)
    found = files_of(spread)
    assert made.keys() == {"ahead"} if "pride" in study.get("readers", ()) else {"ahead", "read"}
    assert max(made.values()) > 1
    monkeypatch.undo()
    alone = asked(tmp_path / "alone", **study)
    assert files_of(alone) == found
    assert answers(alone) == answers(spread)


def test_a_budget_and_the_session_after_it(
    tmp_path: Path, made: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = Limits(requests=300)
    study = STUDIES[0]
    spread = asked(tmp_path / "spread", "sim:prior", few, **study)
    assert len(answers(spread)) == 300
    assert made.keys() == {"ahead"}
    spread = asked(tmp_path / "spread", "sim:prior", **study)
    found = files_of(spread)
    monkeypatch.undo()
    alone = asked(tmp_path / "alone", "sim:prior", few, **study)
    alone = asked(tmp_path / "alone", "sim:prior", **study)
    assert files_of(alone) == found
    assert answers(alone) == answers(spread)


def test_what_is_merged_is_planned_again_in_copies(
    tmp_path: Path, made: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = [asked(tmp_path / f"{n}", probes=("order",), shard=f"{n}/2").path for n in (1, 2)]
    made.clear()
    merge(shards, tmp_path / "spread")
    assert made.keys() == {"ahead"}
    spread = files_of(Run.open(tmp_path / "spread"))
    monkeypatch.undo()
    merge(shards, tmp_path / "alone")
    assert files_of(Run.open(tmp_path / "alone")) == spread


@pytest.mark.parametrize("model", ["sim:prior", "sim:torn", "sim:ranker"])
def test_answers_that_came_from_a_copy_are_those_of_the_model(
    tmp_path: Path, made: dict[str, int], monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    study = {"probes": ("order", "true_false"), "readers": ("text", "option_text")}
    spread = asked(tmp_path / "spread", model, **study)
    monkeypatch.undo()
    assert answers(asked(tmp_path / "alone", model, **study)) == answers(spread)
