"""How long it takes until something happens: import, --help.

    python benchmarks/startup.py

The reference is the bare interpreter in the same run; Python keeps what it compiled. The claims:
`import horsesense` under 0.3 s and without torch, `horsesense --help` under 0.5 s. Of an audit of
the packaged sample, the processor time up to its first request and up to its end.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from http_common import steal

ROUNDS = 7


def seconds(*words: str) -> float:
    """Median wall time of a command."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


AUDIT = """
import tempfile, time
from horsesense.cli import main
from horsesense.models.simulated.backend import Simulated

respond, first = Simulated.respond, []

async def timed(self, batch):
    first.append(time.process_time())
    return await respond(self, batch)

Simulated.respond = timed
with tempfile.TemporaryDirectory() as out:
    try:
        main(["audit", "sample", "--model", "sim:prior", "--json", "--out", out + "/run"])
    finally:
        print(first[0], time.process_time())
"""


def audit() -> tuple[float, float]:
    """Processor time of an audit up to its first request, and up to its end: the least of three."""
    told = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", AUDIT], capture_output=True, check=True)
        told.append([float(number) for number in done.stdout.split()[-2:]])
    first, end = map(min, zip(*told, strict=True))
    return first, end


def main() -> None:
    bare = seconds("-c", "pass")
    for name, words in (
        ("import horsesense", ("-c", "import horsesense")),
        ("horsesense --help", ("-m", "horsesense", "--help")),
        ("import the pipeline", ("-c", "import horsesense.api")),
    ):
        took = seconds(*words)
        print(f"{name:<20} {took:.3f} s, bare interpreter {bare:.3f} s, ratio {took / bare:.1f}")
    with steal() as taken:
        first, end = audit()
    print(f"audit sample, CPU    {first:.3f} s to the first request, {end:.3f} s to the end")
    print(f"{taken.percent:.0f} % of all cores were stolen")
    code = "import sys, horsesense.api; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    print("torch is not loaded")


if __name__ == "__main__":
    main()
