"""Ray's workers: killed by the system, on nodes that are lost, and seen by nobody else's code.

`scripts/test_harnesses` runs these in an environment with Ray.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from horsesense.api import Run
from horsesense.errors import UsageError
from horsesense.runs.settings import Settings
from horsesense.testing.faults import FaultServer
from horsesense_extras.integrations.ray_engine import RayEngine
from studies import estimates, items_file

pytestmark = pytest.mark.harness

CONNECTIONS = 2
MEMORY = 80_000_000
PROBING = "Reply with the letter A."


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="needs Ray (scripts/test_harnesses installs it)")
    yield ray
    ray.shutdown()


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(latency=0.1) as server:
        yield server


def run_of(path: Path, server: FaultServer) -> Run:
    """A run over 40 items, of which no two ask the same."""
    items = items_file(path.parent / "items.jsonl", 40)
    model = f"http:m@{server.url}"
    return Run.start(path, Settings.of(items=str(items), model=model, probes=("order",)))


def workers(shards: Path) -> set[int]:
    """Processes that have a shard in hands, by the locks of their stores."""
    found = set()
    for lock in shards.glob("*-of-*/store.lock"):
        pid = lock.read_text().strip()
        if pid and Path(f"/proc/{pid}/cmdline").exists():
            found.add(int(pid))
    return found - {os.getpid()}


def when(asked: int, server: FaultServer, act: Any) -> threading.Thread:
    """Do something once the server was asked so often."""

    def work() -> None:
        while len(server.sent) < asked:
            time.sleep(0.05)
        act()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def ask(run: Run, engine: RayEngine | None = None) -> Any:
    return run.ask(engine=engine, max_connections=CONNECTIONS, tell=None)


def started(run: Run, server: FaultServer, **environment: str) -> subprocess.Popen[bytes]:
    """The command line's audit with two workers, in a process of its own."""
    words = ["audit", str(run.path.parent / "items.jsonl"), "--model", f"http:m@{server.url}"]
    words += ["--probes", "order", "--out", str(run.path), "--max-connections", str(CONNECTIONS)]
    words += ["--engine", "ray", "--workers", "2", "--no-preflight"]
    with (run.path.parent / "told").open("wb") as out:
        command = [sys.executable, "-m", "horsesense", *words]
        return subprocess.Popen(command, stdout=out, stderr=out, env=os.environ | environment)


def check(run: Run, server: FaultServer, most_again: int) -> None:
    """The run is that of one process, which asks nothing that is stored."""
    again = [prompt for prompt, n in server.sent.items() if n > 1 and prompt != PROBING]
    assert len(again) <= most_again
    server.sent.clear()
    assert ask(run).answered == 0
    assert set(server.sent) == {PROBING}
    ask(whole := run_of(run.path.parent / "whole", server))
    assert estimates(run) == estimates(whole)
    assert run.verify().sound


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds workers in /proc")
def test_workers_that_the_system_kills_are_replaced(
    tmp_path: Path, ray: Any, server: FaultServer
) -> None:
    run, killed = run_of(tmp_path / "run", server), list[int]()

    def kill() -> None:
        killed.append(min(workers(tmp_path / "run" / "shards")))
        os.kill(killed[0], signal.SIGKILL)

    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=MEMORY, log_to_driver=False)
    thread = when(40, server, kill)
    spent = ask(run, RayEngine(workers=2, shards=10))
    thread.join()
    assert killed
    assert spent.complete
    assert ray.is_initialized()  # it was there before
    ray.shutdown()
    check(run, server, CONNECTIONS)


def test_a_node_may_be_lost(tmp_path: Path, ray: Any, server: FaultServer) -> None:
    from ray.cluster_utils import Cluster

    room = {"num_cpus": 1, "object_store_memory": MEMORY, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=room)
    try:
        node = cluster.add_node(num_cpus=1, object_store_memory=MEMORY)
        run = run_of(tmp_path / "run", server)
        thread = when(40, server, lambda: cluster.remove_node(node, allow_graceful=False))
        assert ask(run, RayEngine(2, cluster.address, shards=10)).complete
        thread.join()
    finally:
        cluster.shutdown()
    check(run, server, CONNECTIONS)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds workers in /proc")
def test_a_driver_that_the_system_kills_leaves_a_run_that_continues(
    tmp_path: Path, ray: Any, server: FaultServer
) -> None:
    """Its workers end with it; what they had stored is gathered by the next driver."""
    run = run_of(tmp_path / "run", server)
    driver = started(run, server)
    when(60, server, driver.kill).join(120)
    assert driver.wait(120) == -signal.SIGKILL, (tmp_path / "told").read_text()
    for _ in range(120):
        before = server.sent.total()
        time.sleep(0.5)
        if server.sent.total() == before and not workers(run.path / "shards"):
            break
    assert 60 <= before < 160
    run = run_of(tmp_path / "run", server)
    assert ask(run, RayEngine(workers=2)).complete
    check(run, server, 2 * CONNECTIONS)


@pytest.mark.skipif(not (sys.platform == "linux" and which("cc")), reason="needs Linux and cc")
def test_a_folder_may_show_the_names_of_other_machines_late(
    tmp_path: Path, ray: Any, server: FaultServer
) -> None:
    """As network folders do: late_names.c hides what another process made, until it is 5 s old."""
    library, source = str(tmp_path / "late.so"), Path(__file__).with_name("late_names.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", library, source, "-ldl"], check=True)
    late = {"LD_PRELOAD": library, "LATE_UNDER": str(tmp_path / "run"), "LATE_SECONDS": "5"}
    driver = started(run_of(tmp_path / "run", server), server, **late)
    assert driver.wait(400) == 0, (tmp_path / "told").read_text()
    check(run_of(tmp_path / "run", server), server, 0)


def test_a_missing_cluster_is_named(tmp_path: Path, ray: Any, server: FaultServer) -> None:
    with pytest.raises(UsageError, match=r"no Ray cluster at 127\.0\.0\.1:1"):
        ask(run_of(tmp_path / "run", server), RayEngine(1, "127.0.0.1:1"))
