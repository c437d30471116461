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

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("HORSESENSE_SHARED", HERE.parent.parent / "shared"))
CONNECTIONS = 100


class Measured(NamedTuple):
    """One finished workload: its own seconds, and CPU seconds and peak bytes of its process."""

    seconds: float
    cpu: float
    peak: int


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


def measured(command: list[str]) -> Measured:
    """Run a command; its output starts with its own seconds, else the wall clock counts."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    try:
        seconds = float(output)
    except ValueError:
        seconds = time.perf_counter() - started
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
