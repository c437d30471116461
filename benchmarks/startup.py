"""How long it takes until something happens: import, --help.

    python benchmarks/startup.py

The reference is the bare interpreter in the same run. The claims: `import horsesense` under 0.3 s
and without torch, `horsesense --help` under 0.5 s.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

ROUNDS = 7


def seconds(*words: str) -> float:
    """Median wall time of a command."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    bare = seconds("-c", "pass")
    for name, words in (
        ("import horsesense", ("-c", "import horsesense")),
        ("horsesense --help", ("-m", "horsesense", "--help")),
        ("import the pipeline", ("-c", "import horsesense.api")),
    ):
        took = seconds(*words)
        print(f"{name:<20} {took:.3f} s, bare interpreter {bare:.3f} s, ratio {took / bare:.1f}")
    code = "import sys, horsesense.api; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    print("torch is not loaded")


if __name__ == "__main__":
    main()
