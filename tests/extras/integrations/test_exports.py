"""What a run becomes for other programs, and what comes back of it."""

from __future__ import annotations

import csv
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from horsesense.api import Run, audit
from horsesense.errors import UsageError
from horsesense.models.registry import make_model
from horsesense.runs.exchanges import exchanges
from horsesense.runs.results import Results
from horsesense.testing.faults import FaultServer
from horsesense_extras.api import load_log, load_logs
from horsesense_extras.cue_tests.answers import load_answers
from horsesense_extras.integrations.batch import write_batch
from horsesense_extras.integrations.exports import write_every_eval_ever, write_lm_eval
from horsesense_extras.integrations.inspect_log import write_inspect_log
from horsesense_extras.integrations.plain import COLUMNS, write_csv, write_items, write_parquet
from horsesense_extras.logs.carried import carried_by_log
from horsesense_extras.logs.registry import open_logs
from studies import study

WRITERS: dict[str, Callable[..., Path]] = {"r.eval": write_inspect_log, "samples": write_lm_eval}


def evil(prompt: str) -> str:
    """Replies that a spreadsheet, a path or a zip might take for something else."""
    return ["A", "=1+1", '"B"\n,', "../C", "\N{SNOWMAN} D"][len(prompt) % 5]


def filtered(reply: dict[str, Any]) -> dict[str, Any]:
    """Some replies are withheld for good."""
    if reply["usage"]["prompt_tokens"] % 7 == 0 and "message" in reply["choices"][0]:
        reply["choices"][0]["message"]["content"] = None
        reply["choices"][0]["finish_reason"] = "content_filter"
    return reply


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with several items in a prompt, odd replies and failures."""
    place = tmp_path_factory.mktemp("run")
    with FaultServer(answer=evil, describe=filtered) as server:
        model, probes = f"http:m@{server.url}", ("order", "batch(3)")
        chat = make_model(model, form="chat")
        asks = {"limit": 10, "probes": probes, "stop_if": "never", "asked": chat}
        done = study("sample", model, place / "r", **asks).done
    assert done.findings["failures"] > 0
    return done


def numbers(run: Run) -> pl.DataFrame:
    """Estimates without what names the model."""
    return run.estimates.drop("signature", "model")


def said(run: Run) -> list[Any]:
    """Requests, replies and failures of a run, trial by trial."""
    return [
        (e.trial, e.request, e.response, e.failure and e.failure.message)
        for e in exchanges(run.directory)
    ]


@pytest.mark.parametrize("name", list(WRITERS))
def test_a_log_that_was_exported_is_the_run_again(run: Run, tmp_path: Path, name: str) -> None:
    path = WRITERS[name](run.results, tmp_path / name)
    again = load_log(path, out=tmp_path / "again")
    assert numbers(again).equals(numbers(run))
    for one, other in zip(said(run), said(again), strict=True):
        assert one[:3] == other[:3]
        assert (one[3] is None) == (other[3] is None)
        assert one[3] is None or one[3] in other[3]
    [before], [after] = (load_answers(place, run.items) for place in (run.path, path))
    assert dict(after.right) == dict(before.right)
    assert set(after.right) == set(run.items.by_id)


def test_an_exported_log_holds_scores_and_verdict(run: Run, tmp_path: Path) -> None:
    [log] = open_logs([write_inspect_log(run.results, tmp_path / "r.eval")])
    assert log.own["verdict"] == run.verdict()
    accuracy = run.estimate("accuracy", reader="text").value
    assert accuracy in [each.value for each in log.reported if each.name.startswith("original")]


def test_a_log_names_no_model_that_is_asked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def named(name: str, value: list[str]) -> Path:
        def carried(*study: Any) -> dict[str, Any]:
            return {
                **(told := carried_by_log(*study)),
                "settings": told["settings"] | {name: value},
            }

        monkeypatch.setattr("horsesense_extras.integrations.inspect_log.carried_by_log", carried)
        return write_inspect_log(run.results, tmp_path / f"{name}.eval")

    with FaultServer() as server:
        judge = f"judge:http:m@{server.url}"
        read = load_log(named("readers", ["text", judge]), out=tmp_path / "read")
        assert numbers(read).equals(numbers(run))
        log = named("probes", [f"server(against=http:m@{server.url})"])
        with pytest.raises(UsageError, match="alone names http:m@"):
            load_log(log, out=tmp_path / "asked")
        assert not server.sent
        read.read("text", judge)
        assert server.sent


@pytest.mark.thorough
def test_exported_runs_of_two_models_come_back_as_a_study(tmp_path: Path) -> None:
    logs = []
    for model in ("oracle", "uniform"):
        made = audit("sample", f"sim:{model}", out=tmp_path / model, limit=3, probes="order")
        logs.append(write_inspect_log(made.results, tmp_path / f"{model}.eval"))
    back = load_logs(logs, tmp_path / "study")
    assert [run.directory.known.model.name for run in back] == ["sim:oracle", "sim:uniform"]
    assert all(run.verify().sound for run in back)
    assert back[0].estimate("accuracy", reader="text").value == 1.0


def test_parquet_has_the_documented_columns(run: Run, tmp_path: Path) -> None:
    folder = write_parquet(run.results, tmp_path / "tables")
    for name, columns in COLUMNS.items():
        assert pl.read_parquet(folder / f"{name}.parquet").columns == list(columns)
    replies = pl.read_parquet(folder / "replies.parquet")
    assert replies["reply"].to_list() == [e and e.text for _, _, e, _ in said(run)]


def test_csv_has_the_same_rows_and_no_formula(run: Run, tmp_path: Path) -> None:
    folder = write_csv(run.results, tmp_path / "tables")
    assert write_items(run.directory, tmp_path / "f.jsonl") == {"batch size=3": 100}
    assert '"form":"original"}' in (tmp_path / "f.jsonl").read_text()
    with pytest.raises(UsageError, match="is there already"):
        write_items(run.directory, tmp_path / "f.jsonl")
    with (folder / "replies.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(said(run))
    assert {row["reply"] for row in rows} >= {"'=1+1", "../C"}
    cells = [cell for path in folder.glob("*.csv") for cell in _cells(path)]
    assert not [c for c in cells if c.startswith(("=", "+", "@"))]


def _cells(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [cell for row in list(csv.reader(file))[1:] for cell in row]


def test_every_eval_ever_records_agree_with_the_run(run: Run, tmp_path: Path) -> None:
    folder = write_every_eval_ever(run.results, tmp_path / "record")
    record = json.loads((folder / "record.json").read_bytes())
    lines = (folder / "instances.jsonl").read_bytes().splitlines()
    assert record["detailed_evaluation_results"]["total_rows"] == len(lines)
    assert len(lines) == run.readings.height
    instances = [orjson.loads(line) for line in lines]
    names = {result["evaluation_name"]: result for result in record["evaluation_results"]}
    for name, result in names.items():
        own = [row["evaluation"] for row in instances if row["evaluation_name"] == name]
        assert own, name
        told = result["score_details"]["details"]
        n, missing = int(told["n"]), int(told["n_missing"])  # the latter without a reply too
        assert n <= len(own) <= n + missing
    assert {row["evaluation_id"] for row in instances} == {record["evaluation_id"]}


@pytest.mark.parametrize(
    "write", [write_parquet, write_csv, write_lm_eval, write_every_eval_ever, write_inspect_log]
)
def test_an_export_is_for_its_owner_alone(
    run: Run, tmp_path: Path, write: Callable[[Results, Path], Path]
) -> None:
    before = os.umask(0o022)
    try:
        write(run.results, tmp_path / "new" / "export.eval")
        write_batch(run.directory, tmp_path / "new" / "batch")
        with pytest.raises(UsageError, match="is there already"):
            write(run.results, tmp_path / "new" / "export.eval")
    finally:
        os.umask(before)
    made = list((tmp_path / "new").rglob("*"))
    assert len(made) > 3
    for path in (tmp_path / "new", *made):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_no_export_holds_the_key(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    write_lm_eval(run.results, tmp_path / "l")
    write_every_eval_ever(run.results, tmp_path / "e")
    for path in tmp_path.rglob("*.json*"):
        assert b"sk-secret" not in path.read_bytes()
