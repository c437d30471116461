"""Memory and processor time of measuring, of runs that grow from one to any size.

    python benchmarks/measure_memory.py [--items 50000] [--times 1,10]

A simulated model is asked with 20 trials an item. The tables and items of that
run are then laid one after the other several times, each time with ids and numbers of their own,
so that ten million trials are measured without being asked. Each size is measured in a process of
its own, which says at each step what it holds and the most that it has held.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from audit_speed import write_items

PROBES = "repeat(n=3),order(random(16))"
"""With the original, 20 prompts an item."""


def grow(run: Path, out: Path, times: int) -> None:
    """A run with the trials, readings and items of another so many times over, and its answers."""
    from horsesense.kept import keep
    from horsesense.runs.asked import AskedRecord
    from horsesense.runs.directory import RunDirectory
    from horsesense.runs.parts import write_table
    from horsesense.runs.stored_items import save_items

    one = RunDirectory.open(run)
    asked = AskedRecord.load(one.layout.asked)
    for path in [*run.glob("trials/*/*.parquet"), *run.glob("readings/*/*/*.parquet")]:
        place = out / path.relative_to(run).parent
        place.mkdir(parents=True, exist_ok=True)
        for time_ in range(times):
            part = renumbered(pl.read_parquet(path), time_, asked.trials, len(one.items))
            write_table(place / f"{time_ * 1000 + int(path.stem):06d}.parquet", part)
    for path in run.glob("readings/*/reader.json"):
        keep(out / path.relative_to(run), path.read_bytes())
    shutil.copy(run / "store.sqlite", out)
    copies = (replace(i, id=f"{i.id}-{n}") for n in range(times) for i in one.items)
    items = replace(one.items, items=tuple(copies))
    save_items(out / "items.json", items, None)
    told = one.known.items.model_copy(
        update={"fingerprint": items.fingerprint, "count": len(items)}
    )
    one.known.model_copy(update={"items": told}).save(out / "run.toml")
    asked.trials *= times
    asked.question = RunDirectory.open(out).question()
    asked.save(out / "asked.json")


def renumbered(part: pl.DataFrame, time_: int, trials: int, items: int) -> pl.DataFrame:
    """A part of a table with numbers that no other copy of it has."""
    part = part.with_columns(trial=(pl.col("trial") + time_ * trials).cast(pl.UInt32))
    if "item" not in part.columns:
        return part
    number = (pl.col("item") + time_ * items).cast(pl.UInt32)
    return part.with_columns(item=number, item_id=pl.col("item_id") + f"-{time_}")


def held() -> str:
    """What this process holds, the most that it has held, and its processor time."""
    lines = Path("/proc/self/status").read_text().splitlines()
    kilobytes = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith("Vm")}
    now, most = (int(kilobytes[name]) // 1024 for name in ("VmRSS", "VmHWM"))
    return f"{now:>6} MB, at most {most:>6} MB, {time.process_time():>7.1f} s"


def steps(run: Path) -> None:
    """Measure a run, and tell after each step what that took."""
    from horsesense.runs import measure
    from horsesense.runs.directory import RunDirectory

    def told(name: str) -> None:
        def wrapped(*given: Any) -> Any:
            found = step(*given)
            print(f"  {name:<16} {held()}", flush=True)
            return found

        step: Callable[..., Any] = getattr(measure, name)
        setattr(measure, name, wrapped)

    for name in ("check_trials", "cells_of", "found_all"):
        told(name)
    print(f"  {'imported':<16} {held()}", flush=True)
    directory = RunDirectory.open(run)
    print(f"  {'items':<16} {held()}", flush=True)
    measure.measure(directory)
    print(f"  {'all':<16} {held()}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--times", default="1,10")
    parser.add_argument("--run", type=Path, help="Measure this run, and nothing else.")
    options = parser.parse_args()
    if options.run is not None:
        steps(options.run)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_items(folder / "items.jsonl", options.items)
        command = [sys.executable, "-m", "horsesense", "audit", "items.jsonl", "--json"]
        command += ["--model", "sim:prior", "--probes", PROBES, "--out", "run"]
        subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
        for times in map(int, options.times.split(",")):
            grow(folder / "run", folder / f"{times}", times)
            print(f"{20 * options.items * times:,} trials, {options.items * times:,} items")
            subprocess.run([sys.executable, __file__, "--run", folder / f"{times}"], check=True)
            shutil.rmtree(folder / f"{times}")


if __name__ == "__main__":
    main()
