"""What the http_* benchmarks share: the mock server, and a workload with its CPU and memory."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# Where Python may not keep what it compiled, each start compiles all again: not what users have.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("HORSESENSE_SHARED", HERE.parent.parent / "shared"))
CONNECTIONS = 100


class Measured(NamedTuple):
    """One finished workload: its own seconds, and CPU seconds and peak bytes of its process."""

    seconds: float
    cpu: float
    peak: int


class Stolen:
    """Share of the processor time, in per cent, that other guests of the machine had."""

    percent = float("nan")


@contextlib.contextmanager
def steal() -> Iterator[Stolen]:
    """What was stolen while the block ran, by /proc/stat; nan on other systems than Linux."""
    found, before = Stolen(), _ticks()
    try:
        yield found
    finally:
        stolen, every = (b - a for a, b in zip(before, _ticks(), strict=True))
        if every:
            found.percent = 100 * stolen / every


def _ticks() -> tuple[int, int]:
    """Stolen and all ticks of all cores so far, guests within guests counted once."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return 0, 0
    ticks = [int(word) for word in stat.read_text().split(maxsplit=9)[1:9]]
    return ticks[7], sum(ticks)


@contextlib.contextmanager
def mock_server(latency_ms: int = 0) -> Iterator[str]:
    """Base URL of a fast mock server in a process of its own."""
    script = SHARED / "tools" / "mock_openai_server.py"
    if not script.exists():
        raise SystemExit(f"needs the mock server {script} (set HORSESENSE_SHARED)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {**os.environ, "PORT": str(port), "LATENCY_MS": str(latency_ms)}
    server = subprocess.Popen([sys.executable, script], env=settings, stdout=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait()


def workload(kind: str, url: str, n: int) -> Measured:
    """Run `http_workload.py` to its end."""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, HERE / "http_workload.py", kind, url, str(n), str(CONNECTIONS)]
        return measured([*map(str, command), directory])


def measured(command: list[str], *, wall: bool = False) -> Measured:
    """Run a command. Seconds are what it prints of its own, else and with `wall` the clock's."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    seconds = time.perf_counter() - started
    if not wall:
        with contextlib.suppress(ValueError):
            seconds = float(output)
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
