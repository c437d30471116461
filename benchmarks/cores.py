"""What one core does of a large audit, and what copies of the process take off it.

    python benchmarks/cores.py [--items 5000]

The simulated audit of `sim_million.py`, once kept to a single core and once with all there are. By
stage, microseconds a trial: processor time of the process, of its copies, and wall clock. Both
runs have the same tables and estimates, which is checked.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sim_million import PROBES, write_items

AUDIT = """
import json, resource, sys, time
import horsesense.report as report
from horsesense.runs.run import Run

def now():
    own, copies = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = (used.ru_utime + used.ru_stime for used in (own, copies))
    return [*cpu, time.perf_counter()]

def timed(owner, name):
    work = getattr(owner, name)
    def measured(*args, **more):
        before = now()
        try:
            return work(*args, **more)
        finally:
            took[name] = [b - a for a, b in zip(before, now(), strict=True)]
    setattr(owner, name, measured)

took = {}
for owner, name in ((Run, "ask"), (Run, "read"), (Run, "measure"), (report, "write_report")):
    timed(owner, name)
from horsesense.cli import main
try:
    main(sys.argv[1:])
finally:
    took["peak"] = [resource.getrusage(who).ru_maxrss / 1e3 for who in (0, -1)]
    print(json.dumps(took), file=open("took.json", "w"))
"""


def audit(folder: Path, out: str, cores: set[int]) -> dict[str, list[float]]:
    """Seconds of each stage: own processor time, that of copies, wall clock; and peak MB."""
    words = ["audit", "items.jsonl", "--model", "sim:prior", "--probes", PROBES, "--out", out]
    subprocess.run(
        [sys.executable, "-c", AUDIT, *words],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    found: dict[str, list[float]] = json.loads((folder / "took.json").read_bytes())
    return found


def tables(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in run.rglob("*.parquet")}


def estimates(run: Path) -> object:
    return json.loads((run / "estimates.json").read_bytes())["estimates"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=5_000)
    n = parser.parse_args().items
    every = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_items(folder / "items.jsonl", n)
        for out, cores in (("one", {min(every)}), ("all", every)):
            took = audit(folder, out, cores)
            own, copies = took.pop("peak")
            print(
                f"{len(cores)} core(s), peak memory {own:.0f} MB, of the largest copy {copies:.0f}"
            )
            took["together"] = [sum(column) for column in zip(*took.values(), strict=True)]
            for stage, seconds in took.items():
                a, b, wall = (1e6 * second / 20 / n for second in seconds)
                print(f"  {stage:<13} own {a:6.1f}   copies {b:6.1f}   wall {wall:7.1f} us a trial")
        one, several = folder / "one", folder / "all"
        assert tables(one) == tables(several)
        assert estimates(one) == estimates(several)
    print("tables and estimates are the same")


if __name__ == "__main__":
    main()
