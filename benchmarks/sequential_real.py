"""The same decisions as the whole study, for a part of its requests, on a real model.

    python benchmarks/sequential_real.py ITEMS [--model hf:PATH] [--limit 600]

Runs the study twice, `--until decided` and in full, each in a directory of its own under --out,
and prints for each finding both decisions, and the requests of each run. The decision of the full
run is the truth over its items: the change of accuracy itself against the smallest size. Answers
that the first run has are not asked a second time (at temperature 0 they are the same); the
requests of each run are counted from its trials, as if each had been alone.

Reference: the full run. Interrupted, the same command goes on.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import horsesense
from horsesense.runs.goal import SIZE
from horsesense.runs.run import StagedRun

STORE = "store.sqlite"


def truth(value: float) -> str:
    """What a change of accuracy over all items is."""
    return "ruled_out" if abs(value) < SIZE else "found"


def audited(given: argparse.Namespace) -> tuple[StagedRun, StagedRun]:
    """The run that stops early, and the whole one."""

    def run(name: str, until: str | None) -> StagedRun:
        return horsesense.audit(
            given.items,
            given.model,
            out=given.out / name,
            limit=given.limit,
            probes=given.probes,
            max_tokens=given.max_tokens,
            until=until,
        )

    early, full = run("early", "decided"), given.out / "full"
    if not (full / STORE).exists():
        full.mkdir(parents=True, exist_ok=True)
        shutil.copy(given.out / "early" / STORE, full / STORE)
    return early, run("full", None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", help="an items file, such as MMLU")
    parser.add_argument("--model", default="hf:smollm2")
    parser.add_argument("--limit", type=int, default=600)
    parser.add_argument("--probes", default="repeat,order,labels,none_of_the_above")
    parser.add_argument("--max-tokens", type=int, default=0, help="0: the first token's scores")
    parser.add_argument("--out", type=Path, default=Path("audits/sequential"))
    early, full = audited(parser.parse_args())
    told = early.findings["until"]
    print("| finding | early | band | items | of | whole | change over all items |")
    print("|---|---|---|---|---|---|---|")
    for row in told["findings"]:
        where = {"condition": row["condition"], "reader": told["reader"]}
        whole = full.estimate("accuracy_change", row["probe"], **where).value
        print(
            f"| {row['probe']} {row['condition']} | {row['kind']}"
            f" | {100 * row['low']:+.1f} to {100 * row['high']:+.1f} | {row['n']:,} "
            f"| {row['units']:,} | "
            + ("- | - |" if whole is None else f"{truth(whole)} | {100 * whole:+.1f} |")
        )
    asked = {name: run.trials["key"].n_unique() for name, run in (("e", early), ("f", full))}
    print(f"\nrequests: {asked['e']:,} of {asked['f']:,} ({asked['e'] / asked['f']:.0%})")


if __name__ == "__main__":
    main()
