"""The same decisions as the whole study, for a part of its requests, on a real model.

    python benchmarks/sequential_real.py ITEMS [--model hf:PATH] [--limit 600]

Runs the study twice, `--until decided` and in full, each in a directory of its own under --out,
and prints for each finding both decisions, and the requests of each run. The decision of the full
run is the truth over its items: the change of accuracy itself against the smallest size.

Reference: the full run. Interrupted, the same command goes on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import horsesense
from horsesense.runs.goal import SIZE


def truth(value: float) -> str:
    """What a change of accuracy over all items is."""
    return "ruled_out" if abs(value) < SIZE else "found"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", help="an items file, such as MMLU")
    parser.add_argument("--model", default="hf:HuggingFaceTB/SmolLM2-135M-Instruct")
    parser.add_argument("--limit", type=int, default=600)
    parser.add_argument("--probes", default="repeat,order,labels,none_of_the_above")
    parser.add_argument("--out", type=Path, default=Path("audits/sequential"))
    given = parser.parse_args()
    runs = {
        name: horsesense.audit(
            given.items,
            given.model,
            out=given.out / name,
            limit=given.limit,
            probes=given.probes,
            until=until,
        )
        for name, until in (("early", "decided"), ("full", None))
    }
    told = runs["early"].findings["until"]
    print("| finding | early | whole | items | of |")
    print("|---|---|---|---|---|")
    for row in told["findings"]:
        where = {"condition": row["condition"], "reader": told["reader"]}
        whole = runs["full"].estimate("accuracy_change", row["probe"], **where).value
        print(
            f"| {row['probe']} {row['condition']} | {row['kind']}"
            f" | {'-' if whole is None else truth(whole)} | {row['n']:,} | {row['units']:,} |"
        )
    asked = {name: run.trials["key"].n_unique() for name, run in runs.items()}
    share = asked["early"] / asked["full"]
    print(f"\nrequests: {asked['early']:,} of {asked['full']:,} ({share:.0%})")


if __name__ == "__main__":
    main()
