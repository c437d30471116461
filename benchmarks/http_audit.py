"""The whole `horsesense audit` over HTTP: CPU per request, and growth of peak memory.

    python benchmarks/http_audit.py [--memory]

30,000 different requests (imports, report and all); the reference is a bare aiohttp loop over as
many requests in the same run. With --memory, 300,000 requests too, for the growth per request.
The claims: at most 0.4 ms of CPU per request, and 1 kB per request.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from http_common import CONNECTIONS, Measured, measured, mock_server, steal, workload

PER_ITEM = 10
PROBES = "order(random(5)),labels,none_of_the_above(kept)"
"""With the original, 10 different requests per item but for orders that equal the published."""


def write_items(path: Path, n: int) -> None:
    with path.open("w") as file:
        for i in range(n):
            rivers = [
                f"the {word} river of land {i}" for word in ("first", "second", "third", "last")
            ]
            question = f"Which of these four rivers of land {i}, all of which rise in the same "
            question += "mountains, is the longest from its source to the sea?"
            row = {"id": str(i), "question": question, "options": rivers, "answer_index": i % 4}
            file.write(json.dumps(row) + "\n")


def audit(url: str, requests: int) -> tuple[Measured, int]:
    """A whole audit in a process of its own, and how many requests it made."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_items(folder / "rivers.jsonl", requests // PER_ITEM)
        command = [sys.executable, "-m", "horsesense", "audit", str(folder / "rivers.jsonl")]
        command += ["--model", f"http:mock@{url}", "--probes", PROBES, "--out", str(folder / "run")]
        command += ["--max-connections", str(CONNECTIONS)]
        spent = measured(command)
        answered = json.loads((folder / "run" / "estimates.json").read_bytes())["run"]["answered"]
    return spent, answered


def main() -> None:
    with mock_server() as url:
        with steal() as taken:
            bare = workload("bare", url, 30_000)
            small, n_small = audit(url, 30_000)
        ours, reference = 1e3 * small.cpu / n_small, 1e3 * bare.cpu / 30_000
        print(f"{n_small:,} requests: {ours:.3f} ms of CPU each, whole process (claim: 0.4)")
        print(f"bare aiohttp loop: {reference:.3f} ms; ratio {ours / reference:.2f} (claim: 1.8)")
        print(f"{small.seconds:.0f} s by the clock, {taken.percent:.0f} % of all cores stolen")
        print(f"peak memory {small.peak / 1e6:.0f} MB")
        if "--memory" in sys.argv:
            large, n_large = audit(url, 300_000)
            growth = (large.peak - small.peak) / (n_large - n_small)
            print(f"{n_large:,} requests: peak {large.peak / 1e6:.0f} MB, {growth:.0f} bytes more ")
            print(f"per request (claim: 1,000); {1e3 * large.cpu / n_large:.3f} ms of CPU each")


if __name__ == "__main__":
    main()
