"""Studies of made-up benchmarks, for tests of whole runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import orjson

from horsesense.runs.settings import Settings
from horsesense.runs.study import Result, run_study
from horsesense.trials.condition import Condition

PROBES = ("repeat", "order", "labels", "none_of_the_above", "options_only")


def items_file(path: Path, n: int = 200, k: int = 4) -> Path:
    """Items of a made-up benchmark, gold spread evenly."""
    rows = [
        {
            "id": f"q{i}",
            "question": f"Which of these is number {i}?",
            "options": [f"answer {i}.{j}" for j in range(k)],
            "answer_index": i % k,
        }
        for i in range(n)
    ]
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def study(items: Path | str, model: str, out: Path, **settings: Any) -> Result:
    limits = settings.pop("limits", None)
    chosen = Settings.of(items=str(items), model=model, **{"probes": PROBES, **settings})
    return asyncio.run(run_study(chosen, out, limits=limits))


def value(
    result: Result, measure: str, group: str = "", *, has: str = "", reader: str = "text"
) -> float:
    """The one estimate of a measure whose condition has the settings `has`."""
    found = [
        e.value
        for e in result.estimates
        if (e.measure, e.group, e.reader) == (measure, group, reader)
        and e.condition.matches(**Condition.parse(has))
    ]
    assert len(found) == 1, f"{len(found)} of {measure} {group} with {has}"
    assert found[0] is not None
    return found[0]
