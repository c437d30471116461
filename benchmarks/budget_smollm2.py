"""SmolLM2 under four limits on the tokens of a reply: what each costs of its score.

    python benchmarks/budget_smollm2.py [--limit 60] [--caps 4/16/64/128] [--out DIR]

Asks the packaged sample with the probe `budget` and prints what its report shows for each limit.
Interrupted, the same command goes on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import horsesense
from horsesense.findings.kinds import sizes_of
from horsesense.measures.base import Estimate
from horsesense.report.sections.budget import enough, limits_of


def share(found: Estimate | None) -> str:
    """An estimate in per cent, with its interval."""
    if found is None or found.value is None:
        return "-"
    low, high = found.low, found.high
    band = "" if low is None or high is None else f" ({100 * low:.0f} to {100 * high:.0f})"
    return f"{100 * found.value:.0f}{band}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="hf:smollm2")
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--caps", default="4/16/64/128")
    parser.add_argument("--out", type=Path, default=Path("audits/budget_smollm2"))
    given = parser.parse_args()
    run = horsesense.audit(
        "sample",
        given.model,
        out=given.out,
        limit=given.limit,
        probes=f"budget(caps={given.caps})",
    )
    limits = limits_of(run.results)
    print("| limit, tokens | cut off, % | right as graded, % | change from the largest, points |")
    print("|---|---|---|---|")
    for one in limits:
        print(f"| {one.cap:,} | {100 * one.cut:.0f} | {share(one.graded)} | {share(one.change)} |")
    told = enough(limits, sizes_of({})["accuracy_change"])
    least = "no limit that was tried is shown to be large enough" if told is None else f"{told:,}"
    print(f"\n{given.model}, {len(run.items)} items. Nothing is lost from: {least}.")


if __name__ == "__main__":
    main()
