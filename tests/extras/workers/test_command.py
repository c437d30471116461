"""Options of `audit` that name an engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import call
from horsesense.errors import ExitCode, UsageError
from horsesense_extras.integrations.ray_engine import RayEngine


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--workers", "2"), "--workers: only with --engine."),
        (("--keep", "s3://x", "--worker-gpus", "1"), "--keep, --worker-gpus: only with --engine."),
        (("--engine", "rya"), "'rya' is no engine. Did you mean 'ray'?"),
        (("--engine", "ray", "--address", "auto"), "How many workers there are on a cluster"),
        (("--engine", "ray", "--workers", "0"), "workers is 0."),
        (("--rate", "0"), "The rate is 0 requests a second."),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    audit = ("audit", "sample", "-m", "sim:prior", "--out", "run")
    done = call(*audit, *words, cwd=tmp_path, code=ExitCode.USAGE)
    assert says in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("address", ["memory://x", "memory:x", "simplecache::memory://x"])
def test_what_nobody_else_sees_keeps_nothing(address: str) -> None:
    with pytest.raises(UsageError, match="Nobody else sees what a worker keeps"):
        RayEngine(workers=2, keep=address)
