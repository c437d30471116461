"""horsesense inside Inspect, with the real package against a server of our own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from horsesense.api import Run
from horsesense.models.registry import make_model
from horsesense.testing.faults import FaultServer, letter
from horsesense_extras.api import load_log
from horsesense_extras.integrations.inspect_log import write_inspect_log
from studies import study

inspect_ai = pytest.importorskip(
    "inspect_ai", reason="needs inspect-ai: scripts/test_harnesses installs and runs it"
)
pytestmark = pytest.mark.harness

MODEL = "openai-api/local/mock"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    monkeypatch.setenv("LOCAL_BASE_URL", "http://localhost:9/v1")
    monkeypatch.setenv("INSPECT_DISPLAY", "none")


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer(answer=lambda prompt: f"The answer is {letter(prompt)}.") as running:
        yield running


def evaluated(place: Path, server: FaultServer, *words: str) -> Path:
    """The log of `inspect eval WORDS`."""
    command = [str(Path(sys.executable).with_name("inspect")), "eval", *words]
    done = subprocess.run(
        [*command, "--model", MODEL, "--model-base-url", server.url, "--log-dir", str(place)],
        capture_output=True, text=True, check=False, cwd=place.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    [log] = place.glob("*.eval")
    return log


def numbers(run: Run) -> pl.DataFrame:
    return run.estimates.drop("signature", "model")


def asked(server: FaultServer, out: Path, spec: str, **settings: Any) -> Run:
    """A run of our own runner; over HTTP with chat prompts alone, as Inspect's are."""
    model = make_model(spec, **({"form": "chat"} if spec.startswith("http") else {}))
    return study("sample", spec, out, style="chat", asked=model, **settings).done


def test_the_task_and_the_provider_give_the_report_of_our_runner(
    server: FaultServer, tmp_path: Path
) -> None:
    study = {"probes": ("order", "options_only", "batch(3)"), "limit": 9}
    server.sent.clear()
    ours = asked(server, tmp_path / "ours", f"http:mock@{server.url}", **study)
    before = sum(server.sent.values())
    server.sent.clear()
    log = evaluated(
        tmp_path / "logs", server, "horsesense/audit", "-T", "items=sample",
        "-T", "probes=order,options_only,batch(3)", "-T", "limit=9",
    )  # fmt: skip
    # Our runner also asks what the server offers, and two prompts whose answer is known.
    assert before - sum(server.sent.values()) in (3, 4)
    theirs = load_log(log, out=tmp_path / "theirs")
    assert numbers(theirs).equals(numbers(ours))
    assert theirs.verdict() == ours.verdict()
    through = asked(
        server, tmp_path / "through", f"inspect:{MODEL}@{server.url}?max_connections=20", **study
    )
    assert numbers(through).equals(numbers(ours))


def test_a_second_stage_follows_the_log_of_the_first(server: FaultServer, tmp_path: Path) -> None:
    study = {"probes": ("misleading_replaced",), "limit": 8}
    ours = asked(server, tmp_path / "ours", f"http:mock@{server.url}", **study)
    assert set(ours.trials["stage"]) == {1, 2}
    first = evaluated(
        tmp_path / "one", server, "horsesense/audit", "-T", "items=sample",
        "-T", "probes=misleading_replaced", "-T", "limit=8",
    )  # fmt: skip
    second = evaluated(tmp_path / "two", server, "horsesense/audit", "-T", f"after={first}")
    theirs = load_log(first, second, out=tmp_path / "theirs")
    assert numbers(theirs).equals(numbers(ours))


TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

@task
def numbers(shuffle: bool = False):
    samples = [
        Sample(id=f"q{n}", input=f"Which is number {n}?", target="ABCD"[n % 4],
               choices=[f"answer {n}.{j}" for j in range(4)])
        for n in range(12)
    ]
    solver = multiple_choice(shuffle=True) if shuffle else multiple_choice()
    return Task(dataset=MemoryDataset(samples), solver=solver, scorer=choice())
"""


def test_the_scorer_reads_what_was_said_also_where_options_were_shuffled(
    server: FaultServer, tmp_path: Path
) -> None:
    """Inspect's own scorer cannot read "The answer is B."; ours reads it in the shown order."""
    (tmp_path / "task.py").write_text(TASK)
    log = evaluated(tmp_path / "logs", server, "task.py@numbers", "-T", "shuffle=true")
    scored = tmp_path / "scored.eval"
    command = [str(Path(sys.executable).with_name("inspect")), "score", str(log)]
    done = subprocess.run(
        [*command, "--scorer", "horsesense/reader", "--action", "append",
         "--output-file", str(scored), "--overwrite"],
        capture_output=True, text=True, check=False, env={**os.environ},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    ours = load_log(log, out=tmp_path / "run").estimate("accuracy", reader="text")
    found = inspect_ai.log.read_eval_log(str(scored))
    own, reader = found.results.scores
    assert own.metrics["accuracy"].value == 0.0
    assert reader.metrics["accuracy"].value == pytest.approx(ours.value)


def test_an_exported_log_opens_in_inspect(server: FaultServer, tmp_path: Path) -> None:
    run = asked(
        server, tmp_path / "run", f"http:mock@{server.url}", probes=("order", "batch(3)"), limit=9
    )
    path = write_inspect_log(run.results, tmp_path / "run.eval")
    log = inspect_ai.log.read_eval_log(str(path))
    assert log.status == "success"
    assert len(log.samples) == run.findings["trials"]
    summaries = inspect_ai.log.read_eval_log_sample_summaries(str(path))
    assert [s.id for s in summaries] == [s.id for s in log.samples]
    one = inspect_ai.log.read_eval_log_sample(str(path), id=log.samples[0].id)
    assert one.output.completion == log.samples[0].output.completion
    assert log.eval.metadata["horsesense"]["verdict"] == run.verdict()
    accuracy = run.estimate("accuracy", reader="text").value
    assert log.results.scores[0].metrics["accuracy"].value == accuracy


def test_a_provider_that_fails_is_asked_again_and_then_a_failure(tmp_path: Path) -> None:
    with FaultServer({"500": 0.2}, seed=1) as shaky:
        run = asked(
            shaky, tmp_path / "run", f"inspect:{MODEL}@{shaky.url}", probes=("order",), limit=4
        )
        assert shaky.faulted["500"] > 0
    assert run.findings["failures"] == 0


def test_reasoning_settings_reach_the_provider_and_the_identity() -> None:
    model = make_model(f"inspect:{MODEL}?reasoning_effort=high&reasoning_tokens=2048&timeout=9")
    assert model.identity == f"inspect:{MODEL}?reasoning_effort=high&reasoning_tokens=2048"
    config = model._config
    assert model._model.api.client.max_retries == 0
    assert config == {"reasoning_effort": "high", "reasoning_tokens": 2048, "timeout": 9}
