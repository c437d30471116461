"""How often an audit that stops early is wrong: whole `--until decided` audits, simulated.

    python benchmarks/sequential_audits.py --out RESULTS.jsonl [--studies 200] [--items 1000]
    python benchmarks/sequential_audits.py --out RESULTS.jsonl --table

Every study is a production audit in memory: its plan, its random order, the choice of the next
batch, the looks, the decisions replayed from the finished tables, and the verdict. New answers are
drawn in every study (see `Template` of verdict_errors.py). The truth is that of these items: the
mean difference over all of them, from the answers that the whole study would have had. Counted are
studies in which any decision contradicts it (bar 4 %: four fifths of 1 - level), in which any band
leaves it out (bar 8 %, both ends of a decided band together), and in which the verdict accuses
falsely of anything else; and the share of all prompts that was put.

A case is appended to --out when its studies are done; the same command goes on.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import orjson

from horsesense.findings.early import Early
from horsesense.findings.kinds import SIZES
from horsesense.findings.verdict import verdict
from horsesense.items.load import load_items
from horsesense.measures.cells import Cell
from horsesense.models.registry import make_model
from horsesense.runs.deciding import CHANGE, differences
from horsesense.runs.goal import SIZE
from horsesense.runs.prepare import Study, prepare, reader_names
from horsesense.runs.record import ModelRecord
from horsesense.runs.run import complete
from horsesense.runs.settings import Settings
from horsesense.runs.until import Deciding, Sequences
from verdict_errors import Case, Template, settled, told

PROBES = ("repeat", "order", "labels", "none_of_the_above", "options_only")
SLACK = 2e-4
"""Bands are rounded to four digits."""


@dataclass(frozen=True)
class Audit:
    """A model whose gold stands first, its change of accuracy under other orders, and the goal.

    Attributes:
        change: in points, in closed form over new items.
        innocent: whether the model has no fault at all.
    """

    model: str
    change: float
    until: str = "decided"
    innocent: bool = False


def leaning(know: float, change: float) -> Audit:
    """Guesses lean to the first position, so that other orders cost `change`.

    One random order in six has the published one among its four shifts. The gold is then in each
    other position once; else in each of the four.
    """
    first = (change / (1 - know) + 0.25 * 5 / 6 + 1 / 18) / (1 + 1 / 18)
    rest = (1 - first) / 3
    prior = ",".join(f"{100 * q:.4f}" for q in (first, rest, rest, rest))
    return Audit(f"sim:prior?know={know}&prior={prior}", -100 * change)


AUDITS = (
    Audit("sim:prior?know=0.6&prior=1,1,1,1", 0.0, innocent=True),
    Audit("sim:prior?know=0.9&prior=1,1,1,1", 0.0, innocent=True),
    leaning(0.6, 0.05),
    leaning(0.3, 0.05),
    leaning(0.6, 0.08),
    leaning(0.6, 0.2),
    replace(leaning(0.6, 0.05), until="precision=0.04"),
)


def template(audit: Audit, n: int) -> Template:
    rows = [
        {
            "id": f"s{i}",
            "question": f"Which of these is number {i}?",
            "options": [f"answer {i}.{j}" for j in range(4)],
            "answer_index": i % 4 if audit.innocent else 0,
        }
        for i in range(n)
    ]
    settings = Settings.of(items="benchmark", model=audit.model, probes=PROBES, until=audit.until)
    items, model = load_items(rows), cast(Any, make_model(audit.model))
    record = ModelRecord.of(model, complete(model.capabilities()))
    names = reader_names(settings, items, record)
    return Template.made(prepare(settings, items, None, record, names), model)


def about(cell: Cell, items: Sequence[int]) -> Cell:
    """The rows of a cell that are about some of the items."""
    kept = np.isin(cell.item, items)

    def rows(columns: Any) -> dict[str, Any]:
        values = ((f.name, getattr(columns, f.name)) for f in fields(columns))
        return {name: v[kept] for name, v in values if isinstance(v, np.ndarray)}

    groups = tuple(replace(group, **rows(group)) for group in cell.groups)
    return replace(cell, **rows(cell), groups=groups)


def audited(made: Template, study: Study, number: int, trials: dict[str, Any]) -> dict[str, Any]:
    """One audit: what it decided, against what asking everything shows."""
    index = {item.id: place for place, item in enumerate(study.items)}
    every = [cell for cell in made.redrawn(number + 1) if cell.reader == "text"]
    deciding = Deciding(study, index)
    deciding.__dict__.update(trials)
    trials |= {name: deciding.__dict__[name] for name in ("_trials", "fixed_trials")}
    while probes := deciding.active():
        items = deciding.next_items(probes)
        numbers = [index[item.id] for item in items]
        names = {probe.name for probe in probes}
        deciding.look(probes, items, [about(c, numbers) for c in every if c.probe in names])
    asked = {name: [index[i] for i in ids] for name, ids in deciding.only().items()}
    seen = [
        about(cell, asked[probe.signature])
        for probe in study.probes
        for cell in every
        if cell.probe == probe.name
    ]
    settings = study.settings
    replayed = Sequences(deciding.told(), study.items, seen, settings.seed, settings.level)
    rows, whole = replayed.findings(), differences(every, CHANGE)
    truths = [
        np.mean([*by_item.values()])
        for row in rows
        for (probe, condition), by_item in whole.items()
        if (probe, condition.format()) == (row["probe"], row["condition"])
    ]
    early = Early(rows, replayed.stopped, "text", replayed.band)
    results, found = settled(study, Case("", "basic", settings.model), len(index), seen)
    judged = verdict(results, found, SIZES, early)
    return {
        "wrong": any(wrong(row, truth) for row, truth in zip(rows, truths, strict=True)),
        "missed": any(
            not row["low"] - SLACK <= truth <= row["high"] + SLACK
            for row, truth in zip(rows, truths, strict=True)
        ),
        "accused": any(f.kind == "found" and f.section != "until" for f in judged),
        "names": [f.name for f in judged if f.kind == "found" and f.section != "until"],
        "decided": sum(row["kind"] in ("found", "ruled_out") for row in rows),
        "findings": len(rows),
        "asked": sum(int(cell.asked.sum()) for cell in seen) / deciding.fixed_trials,
    }


def wrong(row: dict[str, Any], truth: float) -> bool:
    """Whether a decision contradicts the mean over all items."""
    if row["kind"] == "found":
        return bool(row["direction"] * truth < SIZE - 1e-9)
    return row["kind"] == "ruled_out" and abs(truth) >= SIZE - 1e-9


def case(audit: Audit, n: int, studies: int) -> dict[str, Any]:
    start, made, trials = time.perf_counter(), template(audit, n), dict[str, Any]()
    found = []
    for number in range(studies):
        settings = made.study.settings.model_copy(update={"seed": number})
        found.append(audited(made, replace(made.study, settings=settings), number, trials))
    means = {
        name: float(np.mean([f[name] for f in found])) for name in ("decided", "findings", "asked")
    }
    counts = {name: sum(f[name] for f in found) for name in ("wrong", "missed", "accused")}
    return {
        "model": audit.model,
        "until": audit.until,
        "change": audit.change,
        "innocent": audit.innocent,
        "items": n,
        "studies": studies,
        **means,
        **counts,
        "of": Counter(name for f in found for name in f["names"]),
        "seconds": round(time.perf_counter() - start),
    }


def line(row: dict[str, Any]) -> str:
    accused = f"{row['accused']} {told(row['of'])}".strip() if row["innocent"] else "-"
    cells = (
        f"`{row['model'].removeprefix('sim:')}`",
        f"{row['change']:+.0f}",
        row["until"],
        row["studies"],
        f"{row['decided']:.1f} of {row['findings']:.0f}",
        f"{100 * row['asked']:.0f} %",
        row["wrong"],
        row["missed"],
        accused,
    )
    return "| " + " | ".join(map(str, cells)) + " |"


HEAD = "model | reordered | until | studies | decided | prompts | wrong | band misses | accused"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("sequential_audits.jsonl"))
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    lines = given.out.read_bytes().splitlines() if given.out.exists() else []
    rows = [orjson.loads(text) for text in lines]
    print(f"| {HEAD} |\n|{'---|' * (HEAD.count('|') + 1)}")
    for row in rows:
        print(line(row))
    done = {(row["model"], row["until"], row["items"]) for row in rows}
    for audit in () if given.table else AUDITS:
        if (audit.model, audit.until, given.items) not in done:
            row = case(audit, given.items, given.studies)
            with given.out.open("ab") as file:
                file.write(orjson.dumps(row) + b"\n")
            print(line(row), flush=True)


if __name__ == "__main__":
    main()
