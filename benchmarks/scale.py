"""A large study from the first prompt to the first page: time, memory and files of each step.

    python benchmarks/scale.py [--items 5000] [--shards 10] [--times 10]

A simulated model is asked in 20 forms of each item, once as a whole and once in shards, which are
merged. Then the tables of the whole are laid one after the other so many times, each with ids of
its own, and measured. Each step runs in a process of its own. Nothing is extrapolated.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

from audit_speed import write_items
from measure_memory import PROBES, grow

HERE = Path(__file__).parent
HORSESENSE = (sys.executable, "-m", "horsesense")


def run(*command: str) -> tuple[float, float, float]:
    """Seconds by the clock, processor seconds and peak MB of a command."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) not in (0, 3):
            said.seek(0)
            raise SystemExit(said.read().decode())
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def files(folder: Path) -> str:
    """How many files a run has, and how large they are together."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return f"{len(sizes):,} files, {sum(sizes) / 1e6:,.0f} MB"


@contextmanager
def viewed(folder: Path) -> Iterator[tuple[str, int]]:
    """The address of a view of a run, and its process."""
    words = [*HORSESENSE, "view", str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[0], process.pid
        finally:
            process.terminate()


def look(what: str, folder: Path) -> None:
    """Rows of a view: until its address is told, and from then until the first page is there."""
    started = time.monotonic()
    with viewed(folder) as (address, process):
        told = time.monotonic()
        before = cpu_of(process)
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        browser.open(address, timeout=600).close()
        browser.open(address.partition("?")[0], timeout=600).read()
        page, after = time.monotonic(), cpu_of(process)
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
        peak = int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024
    line(f"view of {what}: its address", (told - started, before, peak))
    line(f"view of {what}: the first page", (page - told, after - before, peak))


def cpu_of(process: int) -> float:
    """Processor seconds that a process has taken."""
    counts = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(counts[11]) + int(counts[12])) / os.sysconf("SC_CLK_TCK")


def line(what: str, took: tuple[float, float, float], more: str = "") -> None:
    """A row of the table."""
    print(f"| {what} | {took[0]:,.1f} | {took[1]:,.1f} | {took[2]:,.0f} | {more} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=5_000)
    parser.add_argument("--shards", type=int, default=10)
    parser.add_argument("--times", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        items, whole, merged, grown = (
            folder / one for one in ("items.jsonl", "whole", "merged", "grown")
        )
        write_items(items, given.items)
        ask = (*HORSESENSE, "audit", str(items), "--model", "sim:prior", "--probes", PROBES)
        trials, shards = 20 * given.items, given.shards
        print("| step | seconds | processor seconds | peak MB | |\n|---|---|---|---|---|")
        took = run(*ask, "--out", str(whole))
        line(f"audit of {trials:,} trials", took, files(whole))
        line("report", run(*HORSESENSE, "report", str(whole)))
        line("verify", run(*HORSESENSE, "verify", str(whole)))
        look("it", whole)
        parts = [folder / f"part.{number}" for number in range(1, shards + 1)]
        all_took = [
            run(*ask, "--shard", f"{number}/{shards}", "--out", str(part))
            for number, part in enumerate(parts, 1)
        ]
        seconds, processor, peaks = zip(*all_took, strict=True)
        line(f"{shards} shards, one by one", (sum(seconds), sum(processor), max(peaks)))
        took = run(*HORSESENSE, "merge", *map(str, parts), "--out", str(merged))
        line(f"merge of {shards} shards of {trials // shards:,} trials", took, files(merged))
        pair = [json.loads((one / "estimates.json").read_text()) for one in (whole, merged)]
        grow(whole, grown, given.times)
        many = f"{trials * given.times:,} trials"
        took = run(sys.executable, str(HERE / "measure_memory.py"), "--run", str(grown))
        line(f"measuring {many}", took, files(grown))
        look(many, grown)
        same = all(pair[0][name] == pair[1][name] for name in ("estimates", "verdict"))
        told = "those" if same else "not those"
        print(f"\nEstimates and verdict of the merged run are {told} of the whole one.")


if __name__ == "__main__":
    main()
