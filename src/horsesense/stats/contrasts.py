"""Tasks compared over cells (model x data set x size): as published, and as the cells are, paired.

Wang, Kodner and Rambow (2025) test 209 cells as two independent samples. The cells are pairs of
the same model, data and size, so paired statistics are given as well; neither knows that cells
share items, for which `task_difference` (by item and prompt) is the sounder answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from horsesense.stats import functions


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two tasks over the same cells; fields are None where they are undefined.

    Attributes:
        cells: number of cells that both have.
        mean, sd: of the differences, first minus second (sd with ddof 1).
        u, u_p: Mann-Whitney U of the first, and its two-sided p (as published).
        d: Cohen's d with the pooled standard deviation (as published).
        w, w_p: Wilcoxon's signed-rank statistic and its two-sided p.
        d_z: mean over standard deviation of the differences.
    """

    cells: int
    mean: float | None = None
    sd: float | None = None
    u: float | None = None
    u_p: float | None = None
    d: float | None = None
    w: float | None = None
    w_p: float | None = None
    d_z: float | None = None


def contrast(first: Sequence[float], second: Sequence[float]) -> Contrast:
    """Compare two tasks over cells in the same order.

    Raises:
        ValueError: the lengths differ.

    >>> round(contrast([91.0, 79.5, 77.2], [59.7, 58.0, 44.2]).mean, 4)
    28.6
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if x.shape != y.shape:
        raise ValueError(f"{len(x)} cells against {len(y)}")
    if len(x) < 2:
        return Contrast(len(x), float((x - y).mean()) if len(x) else None)
    differences = x - y
    sd = float(differences.std(ddof=1))
    pooled = float(np.sqrt((x.var(ddof=1) + y.var(ddof=1)) / 2))
    ranks = functions.mannwhitneyu(x, y, alternative="two-sided")
    signed = functions.wilcoxon(x, y) if np.any(differences) else None
    mean = float(differences.mean())
    return Contrast(
        cells=len(x),
        mean=mean,
        sd=sd,
        u=float(ranks.statistic),
        u_p=float(ranks.pvalue),
        d=mean / pooled if pooled > 0 else None,
        w=None if signed is None else float(signed.statistic),
        w_p=None if signed is None else float(signed.pvalue),
        d_z=mean / sd if sd > 0 else None,
    )


def contrasts(tasks: Mapping[str, Mapping[object, float]]) -> dict[tuple[str, str], Contrast]:
    """Every pair of tasks over the cells that both have.

    `tasks` maps a task to its accuracy by cell; any hashable names a cell.
    """
    found = {}
    for first, second in combinations(tasks, 2):
        shared = [cell for cell in tasks[first] if cell in tasks[second]]
        found[first, second] = contrast(
            [tasks[first][cell] for cell in shared], [tasks[second][cell] for cell in shared]
        )
    return found
