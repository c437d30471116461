"""Ray workers that are killed: what is asked twice, whether numbers stay, and how fast they are.

    python benchmarks/ray_workers.py [--requests 20000] [--workers 8] [--nodes 1] [--shards N]
        [--no-kill] [--no-compare]

Workers audit a mock server (200 ms a request, 10 requests in flight a worker), and each of them is
killed once (SIGKILL), at a random moment. The server counts what it was asked; what is more than
the different requests was asked twice. One process asks the same, undisturbed, for the numbers that
must come out byte for byte. Linear is 10 requests in 200 ms from each worker, from the first
request that the server saw to the last. With `--nodes 2` the workers are on two nodes of a
simulated cluster (`ray.cluster_utils.Cluster`), of which the second is lost.

Needs the extra `ray`, and uvloop for the server.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from http_audit import PER_ITEM, PROBES, write_items
from http_common import mock_server

LATENCY_MS = 200
IN_FLIGHT = 10
PROBING = 2
"""Requests that find out what the server offers, in each session."""


def stats(url: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/stats", timeout=30) as reply:
        found: dict[str, int] = json.load(reply)
    return found


def audit(folder: Path, out: str, url: str, *more: str) -> subprocess.Popen[str]:
    """A whole audit in a process of its own."""
    command = [sys.executable, "-m", "horsesense", "audit", "items.jsonl", "--out", out]
    command += ["--model", f"http:mock@{url}", "--probes", PROBES, "--report-items", "5", *more]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, text=True)


def finish(process: subprocess.Popen[str]) -> None:
    if process.wait():
        raise SystemExit(f"{process.args} ended with {process.returncode}")


@dataclass
class Watch:
    """Looks at the server while a run is asked: when it was first asked, and last."""

    url: str
    before: int = 0
    first: float | None = None
    last: float = 0.0
    count: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Watch:
        self.before = self.count = stats(self.url)["requests"]
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        self.thread.join()
        self.look()

    def work(self) -> None:
        while not self.ended.wait(0.2):
            self.look()

    def look(self) -> None:
        now, count = time.monotonic(), stats(self.url)["requests"]
        if count > self.count:
            self.last = now
        if self.first is None and count > self.before + PROBING:
            self.first = now
        self.count = count

    @property
    def asked(self) -> int:
        return self.count - self.before - PROBING

    @property
    def seconds(self) -> float:
        return self.last - (self.first or self.last)


class Killer(threading.Thread):
    """Kills each of the first workers once, at moments drawn from the time that a run should take.

    A worker is found by the lock of the shard that it has in hands, which names its process.
    """

    def __init__(self, shards: Path, workers: int, seconds: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.draw = random.Random(seed)
        self.due = sorted(self.draw.uniform(0.1, 0.9) * seconds for _ in range(workers))
        self.shards = shards
        self.first: set[int] = set()
        self.killed: list[int] = []

    def run(self) -> None:
        while not self.living():
            time.sleep(0.2)
        started = time.monotonic()
        for due in self.due:
            while time.monotonic() < started + due or not (self.first & self.living()):
                time.sleep(0.1)
            victim = self.draw.choice(sorted(self.first & self.living()))
            os.kill(victim, signal.SIGKILL)
            self.killed.append(victim)

    def living(self) -> set[int]:
        """Processes of workers that have a shard; the first of them are remembered."""
        found = set()
        for lock in self.shards.glob("*-of-*/store.lock"):
            pid = lock.read_text().strip()
            if pid.isdigit() and int(pid) not in self.killed and is_worker(int(pid)):
                found.add(int(pid))
        new = sorted(found - self.first)
        self.first.update(new[: len(self.due) - len(self.first)])
        return found


def is_worker(pid: int) -> bool:
    """Whether a process is an actor of Ray, and not another one that has its number by now."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::_Actor")
    except OSError:
        return False


def room_of(nodes: int, workers: int) -> dict[str, int]:
    """What each node offers: a core for each of its workers."""
    return {"num_cpus": -(-workers // nodes), "object_store_memory": 2**28}


@contextmanager
def cluster(nodes: int, workers: int) -> Iterator[Any]:
    """A simulated cluster; None where all workers are on one node that the audit starts."""
    if nodes == 1:
        yield None
        return
    from ray.cluster_utils import Cluster

    room = room_of(nodes, workers)
    made = Cluster(initialize_head=True, head_node_args={**room, "include_dashboard": False})
    for _ in range(nodes - 1):
        made.add_node(**room)
    try:
        yield made
    finally:
        made.shutdown()


def lose_a_node(made: Any, room: dict[str, int], seconds: float, told: list[str]) -> None:
    """Lose the last node when two fifths of the time are over, and add one after three fifths."""
    time.sleep(0.4 * seconds)
    node = made.worker_nodes.copy().pop()
    made.remove_node(node, allow_graceful=False)
    told.append(f"a node was lost after {0.4 * seconds:.0f} s")
    time.sleep(0.2 * seconds)
    made.add_node(**room)
    told.append("another was added later")


def numbers(run: Path) -> bytes:
    """All that was found, but for what asking took."""
    found = json.loads((run / "estimates.json").read_bytes())
    del found["run"]
    return json.dumps(found).encode()


def answers(run: Path) -> int:
    """Different requests that have an answer."""
    import sqlite3

    with sqlite3.connect(f"file:{run / 'store.sqlite'}?mode=ro", uri=True) as database:
        [(count,)] = database.execute("SELECT count(*) FROM responses")
    return int(count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--shards", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compare", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--kill", action=argparse.BooleanOptionalAction, default=True)
    given = parser.parse_args()
    workers, linear = given.workers, given.workers * IN_FLIGHT * 1000 / LATENCY_MS
    engine = ["--engine", "ray", "--max-connections", str(IN_FLIGHT)]
    engine += ["--shards", str(given.shards)] if given.shards else []
    with tempfile.TemporaryDirectory() as name, mock_server(LATENCY_MS) as url:
        folder, told = Path(name), list[str]()
        write_items(folder / "items.jsonl", given.requests // PER_ITEM)
        seconds = given.requests / linear
        with cluster(given.nodes, workers) as made:
            where = [] if made is None else ["--address", made.address]
            killer = Killer(folder / "apart" / "shards", workers, seconds, given.seed)
            with Watch(url) as watch:
                run = audit(folder, "apart", url, *engine, *where, "--workers", str(workers))
                if given.kill:
                    killer.start()
                if made is not None:
                    while watch.first is None:
                        time.sleep(0.2)
                    lose_a_node(made, room_of(given.nodes, workers), seconds, told)
                started = time.monotonic()
                finish(run)
        tail = time.monotonic() - max(started, watch.last)
        different = answers(folder / "apart")
        rate = different / watch.seconds
        again = watch.asked - different
        print(f"different requests     {different:>10,}")
        print(f"workers, killed        {workers:>10} {len(killer.killed):>10}  {'; '.join(told)}")
        print(f"asked twice            {again:>10,}  in flight at most {IN_FLIGHT} a worker")
        print(
            f"requests a second      {rate:>10.1f}  of {linear:.0f}: {rate / linear:.3f} of linear"
        )
        print(f"to the report          {tail:>10.0f} s after the last answer", flush=True)
        if not given.compare:
            return
        finish(audit(folder, "whole", url, "--max-connections", "400"))
        same = numbers(folder / "apart") == numbers(folder / "whole")
        print(f"numbers as one process {'the same' if same else 'DIFFERENT':>10}, byte for byte")
    if not same:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
