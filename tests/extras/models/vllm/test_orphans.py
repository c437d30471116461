"""Processes of an engine do not outlive the program that is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from horsesense_extras.models.vllm.engine import guard

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="vLLM runs on Linux")


@pytest.fixture
def engine() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "300"]) as process:
        yield process
        process.kill()


def test_who_is_killed_takes_them_along(engine: subprocess.Popen[bytes]) -> None:
    code = (
        "import os, signal\n"
        "from horsesense_extras.models.vllm.engine import guard\n"
        f"guard([{engine.pid}])\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert engine.wait(timeout=60) == -signal.SIGKILL


def test_who_has_stopped_them_calls_it_off(engine: subprocess.Popen[bytes]) -> None:
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    guard([engine.pid, ended.pid])()
    with pytest.raises(subprocess.TimeoutExpired):
        engine.wait(timeout=0.5)
