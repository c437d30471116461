"""What each rule of `horsesense check` finds in published sets, as `docs/measured/checks.md`.

    python benchmarks/check_rules.py ../shared/data > docs/measured/checks.md

How many of these are true nobody has counted. A rule of the whole set is true
where its test rejects chance after Holm's correction; the sets where it does are listed.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from pathlib import Path

from horsesense.checks.check import check_items
from horsesense.checks.registry import RULES
from horsesense.items.load import load_items

SETS = (
    "mmlu/mmlu_test",
    "mmlu/mmlu_val_prerelease",
    "medmcqa/medmcqa_dev",
    "agnews/agnews_test_sample",
    "arc_challenge/arc_challenge_test",
    "commonsense_qa/commonsense_qa_dev",
    "mctest/mctest_1000",
    "opinionqa/opinionqa",
    "anli/anli",
    "sst2/sst2_test_dev",
    "metaphor_boolean/metaphor_boolean",
    "cola/cola_dev",
)


def main() -> None:
    """Print the page."""
    words = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    words.add_argument("folder", type=Path)
    folder = words.parse_args().folder
    warnings.simplefilter("ignore")
    counts: dict[str, int] = defaultdict(int)
    told: dict[str, list[str]] = defaultdict(list)
    total = 0
    for name in SETS:
        items = load_items(folder / f"{name}.jsonl.gz", split="*")
        total += len(items)
        for finding in check_items(items).findings:
            rule, test = finding.rule.name, finding.found.test
            counts[rule] += finding.count if test is None else 0
            if test is not None:
                told[rule].append(f"{name.split('/')[0]} {test.share:.3f} ({test.expected:.3f})")
    print("# What the rules of check find\n")
    print("`python benchmarks/check_rules.py FOLDER > docs/measured/checks.md` wrote this page:")
    print(f"{total:,} items of {len(SETS)} published files in FOLDER.\n")
    print("| rule | items found | sets where its test speaks: share (chance) |")
    print("|---|---|---|")
    for rule in RULES:
        found = "-" if rule.tested else f"{counts[rule.name]:,}"
        print(f"| {rule.name} | {found} | {'; '.join(told[rule.name]) or '-'} |")
    print("\nRules without a finding stay that are about right answers, copies, broken texts or a")
    print("stated answer. Written by `python benchmarks/check_rules.py DATA`.")


if __name__ == "__main__":
    main()
