"""What the published aggregates of Wang et al. (2025) allow to be computed again.

Run it as `python benchmarks/multi_problem_published.py`; HORSESENSE_SHARED names the shared
benchmark data. Accuracies of single cells (model x data set x size) are not recorded, only means
over models and over data sets. Means of Table 3 follow from the means per model, each weighted by
its number of cells; standard deviations and tests over 209 cells do not follow, and what is
printed for the means themselves does not replace them.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from horsesense.stats.contrasts import contrasts

SHARED = Path(os.environ.get("HORSESENSE_SHARED", "../shared"))
FILE = SHARED / "responses/multi_problem_eval/published_aggregate_accuracy.jsonl.gz"
TASKS = ("BatchClf", "SelectOne", "SelectAll")
CELLS = {"Vicuna": 29}
"""Cells per model; 30 for all others (Vicuna has no AGNews at 100)."""
WITHOUT_SLIP = {("SelectOne", "GPT-3.5"): 41.4, ("SelectOne", "GPT-4"): 65.4}
"""Means per model that change when "All" is read to its last index (Table 6); the recorded ones
come from code in which it loses that index."""
PRINTED = {
    ("BatchClf", "SelectOne"): 32.0,
    ("BatchClf", "SelectAll"): 12.1,
    ("SelectOne", "SelectAll"): -19.9,
}
"""Means of differences in Table 3."""


def read(path: Path = FILE) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def by_task(rows: Iterable[Mapping[str, Any]], table: str) -> dict[str, dict[object, float]]:
    """Accuracy in percent by task and cell."""
    tasks: dict[str, dict[object, float]] = {task: {} for task in TASKS}
    for row in rows:
        if row["table"] == table and row["task"] in tasks and row["model"] != "Overall":
            cell = (row["benchmark"], row["task_size"], row["model"])
            tasks[row["task"]][cell] = row["accuracy_percent"]
    return tasks


def weighted(tasks: Mapping[str, Mapping[object, float]], first: str, second: str) -> float:
    """Mean difference of two tasks over all cells, from means per model."""
    total = cells = 0.0
    for cell, accuracy in tasks[first].items():
        weight = CELLS.get(cell[2], 30)  # type: ignore[index]
        total += weight * (accuracy - tasks[second][cell])
        cells += weight
    return total / cells


def without_slip(tasks: Mapping[str, Mapping[object, float]]) -> dict[str, dict[object, float]]:
    return {
        task: {cell: WITHOUT_SLIP.get((task, cell[2]), value) for cell, value in cells.items()}  # type: ignore[index]
        for task, cells in tasks.items()
    }


def main() -> None:
    rows = read()
    tasks = by_task(rows, "mean_accuracy_over_6_benchmarks")
    right = without_slip(tasks)
    print("Table 3, mean differences over 209 cells (printed; as recorded; without the slip)")
    for (first, second), printed in PRINTED.items():
        slip, mended = weighted(tasks, first, second), weighted(right, first, second)
        print(f"  {first} - {second}: {printed:6.1f} {slip:8.2f} {mended:8.2f}")
    for table in dict.fromkeys(row["table"] for row in rows):
        print(f"{table}: contrasts between these means (not the 209 cells)")
        for (first, second), found in contrasts(by_task(rows, table)).items():
            print(
                f"  {first} - {second}: {found.cells} means, {found.mean:.2f} (sd {found.sd:.2f}), "
                f"d {found.d:.2f}, U p {found.u_p:.1e}; paired d_z {found.d_z:.2f}, "
                f"W p {found.w_p:.1e}"
            )


if __name__ == "__main__":
    main()
