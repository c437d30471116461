"""Studies of made-up benchmarks, for tests of whole runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from scipy.stats import binom

from cells import SIGNATURE
from horsesense.api import Run
from horsesense.inference.limits import UNLIMITED, Limits, RunSummary
from horsesense.items.item import ItemSet
from horsesense.measures.base import Estimate
from horsesense.models.registry import make_model
from horsesense.runs.results import Results
from horsesense.runs.settings import Settings
from horsesense.trials.condition import PLAIN, Condition

ROWS: list[dict[str, Any]] = [
    {
        "id": f"q{i}",
        "question": f"Which is number {i}?",
        "options": [f"thing {i}-{k}" for k in range(4)],
        "answer_index": i % 4,
    }
    for i in range(12)
]
PROBES = ("repeat", "order", "labels", "none_of_the_above", "options_only")


def estimates(run: Run) -> bytes:
    """All that was found, but for what asking took."""
    run.read()
    run.measure()
    found = orjson.loads(run.directory.layout.estimates.read_bytes())
    del found["run"]
    return orjson.dumps(found)


def jsonl(path: Path, rows: Iterable[Any]) -> Path:
    """A file with a line of JSON for each row."""
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def items_file(path: Path, n: int = 200, k: int = 4, gold: int | None = None) -> Path:
    """Items of a made-up benchmark, gold spread evenly, or always at one position."""
    rows = [
        {
            "id": f"q{i}",
            "question": f"Which of these is number {i}?",
            "options": [f"answer {i}.{j}" for j in range(k)],
            "answer_index": i % k if gold is None else gold,
        }
        for i in range(n)
    ]
    return jsonl(path, rows)


@dataclass(frozen=True)
class Result:
    """A finished run as tests look at it: the run, and what asking took."""

    done: Run
    run: RunSummary

    @property
    def out(self) -> Path:
        return self.done.path

    @property
    def items(self) -> ItemSet:
        return self.done.items

    @property
    def results(self) -> Results:
        return self.done.results

    @property
    def findings(self) -> dict[str, Any]:
        return self.done.findings

    @property
    def estimates(self) -> list[Estimate]:
        return list(self.done.results.estimates)

    def estimate(self, measure: str, probe: str = "original", **where: str) -> Estimate:
        return self.done.estimate(measure, probe, **where)


def run_study(
    settings: Settings, out: Path, limits: Limits = UNLIMITED, asked: Any = None, **options: Any
) -> Result:
    """Ask (`asked`, or the model of the settings), read and measure; the report is left out."""
    run = Run.start(out, settings)
    spent = run.ask(asked or make_model(settings.model, **options), limits=limits)
    run.read(limits=limits)
    run.measure()
    return Result(run, spent)


def study(items: Path | str | int, model: str, out: Path, **settings: Any) -> Result:
    """A run over a file of items, or over so many made up beside it."""
    if isinstance(items, int):
        items = items_file(out.parent / "items.jsonl", items)
    how = {name: settings.pop(name) for name in ("limits", "asked") if name in settings}
    chosen = Settings.of(items=str(items), model=model, **{"probes": PROBES, **settings})
    return run_study(chosen, out, **how)


def results_of(out: Path) -> Results:
    """What was measured of a run on disk."""
    return Run.open(out).results


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
    [value] = found
    return value


def text(result: Result, measure: str, probe: str = "original", **where: str) -> float:
    """The value of the one estimate of a measure as the reader of texts has it."""
    return result.estimate(measure, probe, reader="text", **where).value


def too_many(wrong: int, studies: int, budget: float) -> bool:
    """Whether so many wrong decisions show a rate above the budget (one test in 10,000)."""
    return bool(binom.sf(wrong - 1, studies, budget) < 1e-4)


def estimate(value: float, low: float, high: float, **changes: Any) -> Estimate:
    names = ("dataset", "model", "probe", "reader", "group")
    blank = dict.fromkeys(names, "")
    whole: dict[str, Any] = {
        **blank,
        "condition": PLAIN,
        "signature": SIGNATURE,
        "measure": "accuracy",
        "value": value,
        "low": low,
        "high": high,
        "level": 0.95,
        "n": 100,
        "n_missing": 0,
        "counted": "items",
        "unit": "fraction",
        **changes,
    }
    return Estimate(**whole)
