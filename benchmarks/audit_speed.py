"""What a whole `horsesense audit` takes, against a bare loop of HTTP requests.

    python benchmarks/audit_speed.py [--small]

Each audit runs in a process of its own, imports, report and all, against a mock server on this
machine; the reference is a loop of aiohttp that sends as many requests, parses the replies and
keeps nothing. It runs before and after each audit, and the mean of the two counts; both are tried
once before. Both have asyncio's event loop, as after `pip install horsesense`, and then uvloop's
(extra `fast`), whose bare loop is cheaper by more. Processor time is compared, since the clock
depends on what else a machine does. With --small, a tenth of the items.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

# Where Python may not keep what it compiled, each start compiles all again: not what users have.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("HORSESENSE_SHARED", HERE.parent.parent / "shared"))
CONNECTIONS = 100
LOOPS = ("asyncio", "uvloop") if find_spec("uvloop") else ("asyncio",)
HORSESENSE = (sys.executable, "-m", "horsesense")
ON_ASYNCIO = "import sys; sys.modules['uvloop'] = None; import horsesense.__main__ as m; m.main()"
PROBES = "order(random(5)),labels,none_of_the_above(kept)"
"""With the original, ten forms of an item."""
QUESTION = (
    "Answer with the letter of the right option.\n\nQuestion {}: Which of these four rivers, all "
    "of which rise in the same mountains, is the longest from its source to the sea?\n"
    "A. the first river\nB. the second river\nC. the third river\nD. the fourth river\nAnswer:"
)


class Measured(NamedTuple):
    """A finished process: seconds by the clock, processor seconds, peak bytes."""

    seconds: float
    cpu: float
    peak: int


def write_items(path: Path, n: int) -> None:
    """Items of made-up rivers, gold spread evenly."""
    with path.open("w") as file:
        for i in range(n):
            rivers = [f"the {w} river of land {i}" for w in ("first", "second", "third", "last")]
            question = f"Which of these four rivers of land {i}, all of which rise in the same "
            question += "mountains, is the longest from its source to the sea?"
            row = {"id": str(i), "question": question, "options": rivers, "answer_index": i % 4}
            file.write(json.dumps(row) + "\n")


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


def measured(*command: str | Path) -> Measured:
    """Run a command to its end."""
    started = time.perf_counter()
    process = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    cpu = usage.ru_utime + usage.ru_stime
    return Measured(time.perf_counter() - started, cpu, usage.ru_maxrss * 1024)


async def bare(url: str, n: int) -> None:
    """The work that no client can avoid."""
    import aiohttp
    import orjson

    waiting = iter(range(n))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def loop() -> None:
            for i in waiting:
                message = {"role": "user", "content": QUESTION.format(i)}
                asks = {"max_tokens": 16, "temperature": 0.0, "logprobs": True, "top_logprobs": 5}
                body = orjson.dumps({"model": "mock", "messages": [message], **asks})
                headers = {"Content-Type": "application/json"}
                address = f"{url}/chat/completions"
                async with session.post(address, data=body, headers=headers) as reply:
                    orjson.loads(await reply.read())["choices"][0]["message"]["content"]

        await asyncio.gather(*(loop() for _ in range(CONNECTIONS)))


def audit(url: str, folder: Path, items: int, probes: str, loop: str) -> tuple[Measured, int]:
    """A whole audit, and how many requests it made."""
    write_items(folder / "rivers.jsonl", items)
    start = HORSESENSE if loop == "uvloop" else (sys.executable, "-c", ON_ASYNCIO)
    command = [*start, "audit", folder / "rivers.jsonl", "--model", f"http:mock@{url}"]
    command += ["--probes", probes, "--out", folder / "run"]
    spent = measured(*command, "--max-connections", str(CONNECTIONS))
    answered = json.loads((folder / "run" / "estimates.json").read_bytes())["run"]["answered"]
    return spent, answered


def stages(run: Path) -> dict[str, float]:
    """Processor seconds of the stages that follow asking, and of the look at the items."""
    import horsesense as hs
    from horsesense.checks.check import QUICK, check_items

    shutil.rmtree(run / "readings", ignore_errors=True)
    opened, spent = hs.open(run), {}
    work = {
        "read": opened.read,
        "measure": opened.measure,
        "report": opened.report,
        "checks of items": lambda: check_items(opened.items, QUICK),
    }
    for name, stage in work.items():
        before = time.process_time()
        stage()
        spent[name] = time.process_time() - before
    return spent


def loop_of(url: str, n: int, loop: str) -> float:
    """Processor seconds of the bare loop."""
    return measured(sys.executable, __file__, "--bare", url, str(n), loop).cpu


def compared(url: str, loop: str, title: str, items: int, forms: int, most: float) -> Iterator[str]:
    """The rows of one audit beside the bare loop."""
    with tempfile.TemporaryDirectory() as name:
        each = loop_of(url, items * forms, loop) / (items * forms)
        ours, n = audit(url, Path(name), items, PROBES if forms > 1 else "", loop)
        bare = (each * n + loop_of(url, n, loop)) / 2
        after = stages(Path(name) / "run")
    rest = sum(after[stage] for stage in ("read", "measure", "report"))
    ratio = f"{ours.cpu / bare:.2f} x the loop"
    yield f"| {loop}: {items:,} items {title}: processor time | {ratio} | {most} |"
    yield f"| of it readings, measures and report | {rest / bare:.2f} | 0.6 |"
    yield f"| of it checks of items | {after.pop('checks of items') / bare:.2f} | 0.17 |"
    parts = ", ".join(f"{stage} {spent / bare:.2f}" for stage, spent in after.items())
    yield f"| stage by stage | {parts} | |"
    yield (
        f"| the same in figures | {1e3 * ours.cpu / n:.3f} ms a request, loop"
        f" {1e3 * bare / n:.3f} ms; {n:,} requests, peak {ours.peak / 1e6:.0f} MB | |"
    )


def lines(small: bool) -> Iterator[str]:
    """The rows of the page."""
    many = 10 if small else 1
    with mock_server() as url:
        for loop in LOOPS:
            with tempfile.TemporaryDirectory() as name:
                audit(url, Path(name), 50, PROBES, loop)  # compiles what Python compiles once
                loop_of(url, 500, loop)
            for title, items, forms, most in (
                ("asked once", 20_000 // many, 1, 2.5),
                ("in ten forms", 3_000 // many, 10, 2.2),
            ):
                yield from compared(url, loop, title, items, forms, most)
    with tempfile.TemporaryDirectory() as name:
        sample = [*HORSESENSE, "audit", "sample", "-m", "sim:prior", "--out"]
        least = min(measured(*sample, f"{name}/{n}").cpu for n in range(3))
        start = min(measured(*HORSESENSE, "--version").cpu for _ in range(3))
    yield f"| `audit sample -m sim:prior`, least of three | {least:.2f} s | |"
    yield f"| `horsesense --version`, least of three | {start:.2f} s | |"


def main() -> None:
    if sys.argv[1:2] == ["--bare"]:
        made = import_module(sys.argv[4]).new_event_loop
        with asyncio.Runner(loop_factory=made) as runner:
            runner.run(bare(sys.argv[2], int(sys.argv[3])))
        return
    print("| what | measured | at most at full size |\n|---|---|---|")
    for row in lines("--small" in sys.argv):
        print(row, flush=True)


if __name__ == "__main__":
    main()
