"""A million simulated trials end to end: trials, store, readings, measures, report.

    python benchmarks/sim_million.py [--items 50000]

The claim: 50,000 items x 20 requests in under 4 minutes and 1.5 GB on
two cores. The reference, measured in the same run, is the bare minimum that any such tool must do
in Python: write the same number of request and response texts to SQLite.
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from http_common import steal

PROBES = "repeat(n=3),order(random(16))"
"""With the original, 20 requests per item."""


def write_items(path: Path, n: int) -> None:
    """Made-up items of the length of MMLU's (median question about 100 characters)."""
    with path.open("w") as file:
        for i in range(n):
            item = {
                "id": f"q{i}",
                "question": f"Which of the following holds for case {i} of the list? "
                + "word " * 9,
                "options": [f"the {j}th possible reading of case {i} is right" for j in range(4)],
                "answer_index": i % 4,
            }
            file.write(json.dumps(item) + "\n")


def reference(folder: Path, rows: int) -> float:
    """Seconds to write as many texts of the same length to SQLite, and nothing else."""
    started = time.perf_counter()
    with sqlite3.connect(folder / "reference.sqlite") as db:
        db.execute("CREATE TABLE t (key BLOB UNIQUE, request TEXT, response TEXT)")
        body, reply = "x" * 700, "y" * 120
        db.executemany(
            "INSERT INTO t VALUES (?, ?, ?)",
            ((i.to_bytes(16), body, reply) for i in range(rows)),
        )
    db.close()
    return time.perf_counter() - started


def measuring(run: Path) -> float:
    """Processor seconds of the measures alone, from the tables of a run: the quicker of two."""
    from horsesense.runs.directory import RunDirectory
    from horsesense.runs.measure import measure

    def once() -> float:
        started = time.process_time()
        measure(RunDirectory.open(run))
        return time.process_time() - started

    return min(once(), once())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=50_000)
    n = parser.parse_args().items
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_items(folder / "items.jsonl", n)
        bare = reference(folder, 20 * n)
        command = [sys.executable, "-m", "horsesense", "audit", "items.jsonl", "--json"]
        command += ["--model", "sim:prior", "--probes", PROBES, "--out", "run"]
        started = time.perf_counter()
        with steal() as taken:
            done = subprocess.run(
                command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True
            )
        wall = time.perf_counter() - started
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = json.loads(done.stdout)
        size = (folder / "run" / "report.html").stat().st_size
        measures = measuring(folder / "run")
    cpu = used.ru_utime + used.ru_stime
    print(f"trials                 {found['trials']:>12,}")
    print(f"answers stored         {found['run']['answered']:>12,}")
    print(f"wall                   {wall:>12.1f} s   {taken.percent:.0f} % of all cores stolen")
    print(f"CPU                    {cpu:>12.1f} s   {1e6 * cpu / found['trials']:.0f} us per trial")
    print(f"measures alone, CPU    {measures:>12.1f} s")
    print(f"peak memory            {used.ru_maxrss / 1e3:>12.0f} MB")
    print(f"report                 {size / 1e6:>12.1f} MB")
    print(f"bare SQLite writes     {bare:>12.1f} s   whole audit / bare = {wall / bare:.1f}")


if __name__ == "__main__":
    main()
