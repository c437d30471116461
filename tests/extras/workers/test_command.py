"""Options of `audit` that name an engine."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from command_line import call
from horsesense.api import Run
from horsesense.errors import ExitCode, UsageError
from horsesense.inference.control import BEHIND
from horsesense.runs.settings import Settings
from horsesense.testing.faults import FaultServer
from horsesense_extras.integrations.ray_engine import RayEngine


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--workers", "2"), "--workers: only with --engine."),
        (("--keep", "s3://x", "--worker-gpus", "1"), "--keep, --worker-gpus: only with --engine."),
        (("--engine", "rya"), "There is no engine 'rya'. Did you mean 'ray'?"),
        (("--engine", "ray", "--address", "auto"), "How many workers there are on a cluster"),
        (("--engine", "ray", "--workers", "0"), "workers is 0."),
        (("--rate", "0"), "The rate is 0 requests a second."),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    done = call("audit", "sample", "-m", "sim:prior", "--out", "run", *words, cwd=tmp_path)
    assert done.returncode == ExitCode.USAGE
    assert says in done.stderr
    assert not (tmp_path / "run").exists()


def test_the_rate_holds_without_an_engine(tmp_path: Path) -> None:
    with FaultServer() as server:
        model = f"http:m@{server.url}"
        asks = {"items": "sample", "model": model, "limit": 8, "probes": ("order",)}
        run, started = Run.start(tmp_path / "run", Settings.of(**asks)), time.monotonic()
        answered = run.ask(rate=100.0, max_connections=8, tell=None).answered
    assert answered > 30
    assert time.monotonic() - started >= (answered - 1) / 100.0 - BEHIND


@pytest.mark.parametrize("address", ["memory://x", "memory:x", "simplecache::memory://x"])
def test_what_nobody_else_sees_keeps_nothing(address: str) -> None:
    with pytest.raises(UsageError, match="Nobody else sees what a worker keeps"):
        RayEngine(workers=2, keep=address)


def test_parts_of_a_worker_may_be_shared() -> None:
    assert RayEngine(workers=8, cpus=0.25).cpus == 0.25
    with pytest.raises(UsageError, match="gpus is -1"):
        RayEngine(workers=8, gpus=-1)
