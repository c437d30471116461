"""A large study from the first prompt to the first page: time, memory and files of each step.

    python benchmarks/scale.py [--items 5000] [--shards 10] [--cut 100] [--times 10]
    python benchmarks/scale.py --grown RUN      (report and view of a large run that is there)

A simulated model is asked in 20 forms of each item, once as a whole and once in shards, which are
merged. The answers of the whole are cut into many more shards, which are merged too. Then the
tables of the whole are laid one after the other so many times, each with ids of its own; that is
measured, reported and shown. Each step runs in a process of its own. Nothing is extrapolated.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
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


def cut(whole: Path, parts: list[Path]) -> None:
    """Runs that hold the answers of a whole one as its shards would."""
    from horsesense.inference.store import Store
    from horsesense.models.base import Asked
    from horsesense.runs.directory import RunDirectory
    from horsesense.runs.shard import Shard

    run, of = RunDirectory.open(whole), len(parts)
    identity = run.known.model.identity
    with run.store() as store:
        shown = run.trials().select("item_id", "key").collect()
        for number, part in enumerate(parts, 1):
            ids = Shard(number, of).ids(run.items)
            keys = set(shown.filter(shown["item_id"].is_in(list(ids)))["key"])
            pairs = store.exchanges(list(keys))
            with Store.open(part / "store.sqlite") as piece:
                rows = [(Asked(key, asked), said) for key, (asked, said) in pairs.items()]
                piece.put(rows, identity=identity)
            shutil.copy(whole / "items.json", part)
            settings = run.settings.model_copy(update={"shard": f"{number}/{of}"})
            record = run.known.model_copy(update={"settings": settings, "readers": {}})
            record.with_stage("ask", "complete").save(part / "run.toml")


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


def shown(run_: Path) -> None:
    """Rows of the report and the view of a run that was measured."""
    record = json.loads((run_ / "asked.json").read_text(encoding="utf-8"))
    many = f"{record['trials']:,} trials"
    line(f"report of {many} that were measured", run(*HORSESENSE, "report", str(run_)), files(run_))
    look(many, run_)


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
    parser.add_argument("--cut", type=int, default=100)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--grown", type=Path, help="A large run that was measured.")
    given = parser.parse_args()
    print("| step | seconds | processor seconds | peak MB | |\n|---|---|---|---|---|")
    if given.grown is not None:
        shown(given.grown)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        items, whole, grown = (folder / one for one in ("items.jsonl", "whole", "grown"))
        write_items(items, given.items)
        ask = (*HORSESENSE, "audit", str(items), "--model", "sim:prior", "--probes", PROBES)
        trials = 20 * given.items
        took = run(*ask, "--out", str(whole))
        line(f"audit of {trials:,} trials", took, files(whole))
        line("report", run(*HORSESENSE, "report", str(whole)))
        line("verify", run(*HORSESENSE, "verify", str(whole)))
        look("it", whole)
        if shards := [folder / f"part.{number}" for number in range(1, given.shards + 1)]:
            each = [f"{number}/{len(shards)}" for number in range(1, given.shards + 1)]
            made = [
                run(*ask, "--shard", one, "--out", str(part))
                for one, part in zip(each, shards, strict=True)
            ]
            seconds, processor, peaks = zip(*made, strict=True)
            line(f"{len(shards)} shards, one by one", (sum(seconds), sum(processor), max(peaks)))
        pieces = [folder / f"piece.{number}" for number in range(1, given.cut + 1)]
        if pieces:
            cut(whole, pieces)
        differ = []
        for parts in filter(None, (shards, pieces)):
            merged = folder / f"merged.{len(parts)}"
            took = run(*HORSESENSE, "merge", *map(str, parts), "--out", str(merged))
            each_has = f"{len(parts)} shards of {trials // len(parts):,} trials"
            line(f"merge of {each_has}", took, files(merged))
            pair = [json.loads((one / "estimates.json").read_text()) for one in (whole, merged)]
            differ += [each_has for n in ("estimates", "verdict") if pair[0][n] != pair[1][n]]
        grow(whole, grown, given.times)
        many = f"{trials * given.times:,} trials"
        took = run(sys.executable, str(HERE / "measure_memory.py"), "--run", str(grown))
        line(f"measuring {many}", took, files(grown))
        shown(grown)
        told = f"others came of {', '.join(differ)}" if differ else "those of the whole one"
        print(f"\nEstimates and verdict of merged runs: {told}.")
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"A step's peak is counted as no less than that of this script, {own:,.0f} MB.")


if __name__ == "__main__":
    main()
