"""Options of `audit` that name an engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import call
from horsesense.errors import ExitCode, UsageError
from horsesense.inference.store import Store
from horsesense.integrations.ray_engine import RayEngine


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
    words = ("audit", "sample", "-m", "sim:prior", "--limit", "8", "--probes", "order")
    assert call(*words, "--rate", "500", "--out", "run", cwd=tmp_path).returncode == ExitCode.FINE
    with Store.open(tmp_path / "run" / "store.sqlite", read_only=True) as store:
        assert store.answered() > 8


def test_parts_of_a_worker_may_be_shared() -> None:
    assert RayEngine(workers=8, cpus=0.25).cpus == 0.25
    with pytest.raises(UsageError, match="gpus is -1"):
        RayEngine(workers=8, gpus=-1)
