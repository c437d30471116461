"""CPU per request over 30,000 requests at no latency, imports and start included.

    python benchmarks/http_cpu.py [ROUNDS]

The reference is a bare aiohttp loop in the same minute.
"""

from __future__ import annotations

import statistics
import sys

from http_common import mock_server, workload

N = 30_000


def main(rounds: int) -> None:
    bares, ours = [], []
    with mock_server() as url:
        for _ in range(rounds):
            bares.append(workload("bare", url, N).cpu / N * 1000)
            ours.append(workload("runner", url, N).cpu / N * 1000)
            print(f"bare {bares[-1]:.3f} ms, runner {ours[-1]:.3f} ms per request")
    ratio = statistics.median(ours) / statistics.median(bares)
    print(f"median {statistics.median(ours):.3f} ms, x{ratio:.2f} of bare (target: 0.22 ms)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
