"""3,000 requests at 50 ms latency, 100 in flight: wall clock against a bare aiohttp loop.

python benchmarks/http_latency.py [ROUNDS]
"""

from __future__ import annotations

import statistics
import sys

from http_common import mock_server, workload

N = 3000


def main(rounds: int) -> None:
    ratios = []
    with mock_server(latency_ms=50) as url:
        for _ in range(rounds):
            bare, ours = workload("bare", url, N), workload("runner", url, N)
            ratios.append(ours.seconds / bare.seconds)
            print(f"bare {bare.seconds:.2f} s, runner {ours.seconds:.2f} s, x{ratios[-1]:.2f}")
    print(f"median ratio {statistics.median(ratios):.2f} (target: at most 1.3)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
