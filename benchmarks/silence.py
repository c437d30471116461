"""How often replies that choose nothing are taken for a fault, at the boundary of none.

    python benchmarks/silence.py [--studies 2000]

A model accepts exactly a tenth of the wrong options (or overlooks exactly half of the missing right
answers), which is no fault; the rest of its replies is right, or silent. Each study goes through
the accusation of the verdict with nothing else in it. Printed: the share of studies accused at .05
and at .0036, which a `know-no` audit leaves to `without_gold`; then the same of models whose fault
is there.

Reference: the level.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from horsesense.findings.accusation import Accusation
from horsesense.stats.shares import Shares

from horsesense.findings.evidence import Evidence
from horsesense.findings.kinds import KINDS, SIZES
from horsesense.trials.condition import Condition

LEVELS = (0.05, 0.0036)
REPLIES = {"wrong_accepted": 3, "without_gold": 2}
"""Of an item: its wrong options, and the prompts without a right answer."""
INNOCENT = {"wrong_accepted": 0.1, "without_gold": 0.5}
GUILTY = {"wrong_accepted": 0.14, "without_gold": 0.58}
RIGHT = (0.02, 0.4, 1.0)
"""Of what is no fault, the share that is right; the rest is silent."""


def evidence(hits: np.ndarray, measure: str) -> Evidence:
    """A share of (items, replies) that hit, items as clusters."""
    n = np.full(len(hits), float(hits.shape[1]))
    about = Shares.of(hits.sum(axis=1).astype(float), n)
    return Evidence(about, measure, "p", Condition(), "text", "", hits.size, "trials", None, 0)


def p_values(
    name: str, fault: float, right: float, items: int, studies: int, rng: np.random.Generator
) -> Iterator[float]:
    """p of the accusation in each study."""
    kind = next(kind for kind in KINDS if kind.name == name)
    assert kind.null is not None
    for _ in range(studies):
        u = rng.random((items, REPLIES[name]))
        hit, faulty = u < (1 - fault) * right, u >= 1 - fault
        beside = evidence(~faulty, kind.measure)
        told = Accusation(kind, evidence(hit, kind.measure), kind.null, SIZES[name], spared=beside)
        yield told.tested().p


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2000)
    given = parser.parse_args()
    rng = np.random.default_rng(20261)
    for title, faults in (("no fault", INNOCENT), ("a fault", GUILTY)):
        print(f"\n| {title} | right | silent | items | at .05 | at .0036 |")
        print("|---|---|---|---|---|---|")
        for name, fault in faults.items():
            for right in RIGHT:
                for items in (60, 300, 1000):
                    ps = np.array([*p_values(name, fault, right, items, given.studies, rng)])
                    shown = " | ".join(f"{np.mean(ps <= level):.4f}" for level in LEVELS)
                    good, silent = (1 - fault) * right, (1 - fault) * (1 - right)
                    print(f"| `{name}` | {good:.2f} | {silent:.2f} | {items:,} | {shown} |")


if __name__ == "__main__":
    main()
