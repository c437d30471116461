"""Growth of peak memory per request from 30,000 to 300,000 requests.

python benchmarks/http_memory.py
"""

from __future__ import annotations

from http_common import mock_server, workload

FEW, MANY = 30_000, 300_000


def main() -> None:
    with mock_server() as url:
        few, many = workload("runner", url, FEW).peak, workload("runner", url, MANY).peak
    growth = (many - few) / (MANY - FEW)
    print(f"{FEW:,}: {few / 2**20:.0f} MiB; {MANY:,}: {many / 2**20:.0f} MiB")
    print(f"{growth:.0f} bytes per request (target: at most 1000)")


if __name__ == "__main__":
    main()
