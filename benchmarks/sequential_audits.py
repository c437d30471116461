"""How often an audit that stops early is wrong: whole `--until decided` audits, simulated.

    python benchmarks/sequential_audits.py --out RESULTS.jsonl [--studies 200] [--items 1000]
    python benchmarks/sequential_audits.py --out RESULTS.jsonl --models know=0.3 --first 1000
    python benchmarks/sequential_audits.py --out RESULTS.jsonl --table

Every study is a production audit in memory: its plan, its random order, the choice of the next
batch, the looks, the decisions replayed from the finished tables, and the verdict. New answers are
drawn in every study (see `Template` of verdict_errors.py). The truth is that of these items: the
mean difference over all of them, from the answers that the whole study would have had. Counted are
studies in which any decision contradicts it (bar 4 %: four fifths of 1 - level), in which any band
leaves it out (bar 8 %, both ends of a decided band together), and in which the verdict accuses
of anything that is false of the model, whatever decided it (bar 5 %); the share of all prompts
that was put; studies in which a preferred position is found; and, of the four parts of the score
where their probes stopped, the bands that leave out the share of all items (each is at the level of
any interval: bar 5 %).

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
from horsesense.stats.sequential import Design, band

from horsesense.findings.early import Early
from horsesense.findings.kinds import SIZES
from horsesense.findings.verdict import verdict
from horsesense.items.load import load_items
from horsesense.measures.cells import Cell
from horsesense.measures.composition import PARTS, ScoreComposition
from horsesense.models.registry import make_model
from horsesense.runs.deciding import CHANGE, differences
from horsesense.runs.goal import SIZE
from horsesense.runs.prepare import Study, prepare, reader_names
from horsesense.runs.record import ModelRecord
from horsesense.runs.replay import Sequences
from horsesense.runs.run import complete
from horsesense.runs.settings import Settings
from horsesense.runs.until import Deciding
from verdict_errors import Case, Template, flat, settled, told

PROBES = ("repeat", "order", "labels", "none_of_the_above", "options_only")
COUNTED = ("wrong", "missed", "accused", "preferred", "bands", "parts")
SLACK = 2e-4
"""Bands are rounded to four digits."""


@dataclass(frozen=True)
class Audit:
    """A model whose gold stands first, its change of accuracy under other orders, and the goal.

    Attributes:
        change: in points, in closed form over new items.
        true: findings (a name, or name/probe) that are no false accusation.
    """

    model: str
    change: float
    until: str = "decided"
    true: frozenset[str] = frozenset()

    @property
    def case(self) -> Case:
        return Case("", "basic", self.model, self.true)


LEANING = frozenset(
    (
        "position_preference",
        "position_locked",
        "without_question",
        "none_option",
        "accuracy_change/order",
        "answer_change/order",
    )
)
"""True of guesses that lean to where the gold stands; `none_option` where "none" stands last."""


def leaning(know: float, change: float) -> Audit:
    """Guesses lean to the first position, so that other orders cost `change`.

    One random order in six has the published one among its four shifts. The gold is then in each
    other position once; else in each of the four.
    """
    first = (change / (1 - know) + 0.25 * 5 / 6 + 1 / 18) / (1 + 1 / 18)
    rest = (1 - first) / 3
    prior = ",".join(f"{100 * q:.4f}" for q in (first, rest, rest, rest))
    return Audit(f"sim:prior?know={know}&prior={prior}", -100 * change, true=LEANING)


AUDITS = (
    Audit("sim:prior?know=0.3&prior=1,1,1,1", 0.0),
    Audit("sim:prior?know=0.6&prior=1,1,1,1", 0.0),
    Audit("sim:prior?know=0.9&prior=1,1,1,1", 0.0),
    leaning(0.6, 0.05),
    leaning(0.3, 0.05),
    leaning(0.6, 0.08),
    leaning(0.6, 0.2),
    replace(leaning(0.6, 0.05), until="precision=0.04"),
    Audit(flat(0.6), 0.0, "decided=all"),
    Audit(flat(0.3), 0.0, "decided=all"),
    Audit("sim:prior?know=0.3&prior=30,23.3333,23.3333,23.3333", 0.0, "decided", LEANING),
    Audit("sim:prior?know=0.3&prior=30,23.3333,23.3333,23.3333", 0.0, "decided=all", LEANING),
    replace(leaning(0.6, 0.2), until="decided=all"),
)


def template(audit: Audit, n: int) -> Template:
    rows = [
        {
            "id": f"s{i}",
            "question": f"Which of these is number {i}?",
            "options": [f"answer {i}.{j}" for j in range(4)],
            "answer_index": 0 if audit.change else i % 4,
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


def audited(
    audit: Audit, made: Template, study: Study, number: int, trials: dict[str, Any]
) -> dict[str, Any]:
    """One audit: what it decided, against what asking everything shows."""
    index = {item.id: place for place, item in enumerate(study.items)}
    redrawn = made.redrawn(number + 1)
    every = [cell for cell in redrawn if cell.reader == "text"]
    deciding = Deciding(study, index)
    deciding.__dict__.update(trials)
    trials |= {name: deciding.__dict__[name] for name in ("_trials", "fixed_trials")}
    while probes := deciding.active():
        items = deciding.next_items(probes)
        numbers = [index[item.id] for item in items]
        names = {probe.name for probe in probes}
        deciding.look(probes, items, [about(c, numbers) for c in every if c.probe in names])
    put_to = {name: [index[i] for i in ids] for name, ids in deciding.only().items()}
    seen = [
        about(cell, put_to[probe.signature])
        for probe in study.probes
        for cell in redrawn
        if cell.probe == probe.name
    ]
    settings = study.settings
    replayed = Sequences(deciding.told(), study.items, seen, settings.seed, settings.level)
    rows, whole = replayed.findings(), differences(every, CHANGE)
    truths = [
        np.mean([low for low, _ in by_item.values()])
        for row in rows
        for (probe, condition), by_item in whole.items()
        if (probe, condition.format()) == (row["probe"], row["condition"])
    ]
    early = Early(rows, replayed.stopped, "text", replayed.band)
    results, found = settled(study, audit.case, len(index), seen)
    judged = verdict(results, found, SIZES, early)
    parts = composed(replayed, every)
    asked = sum(int(cell.asked.sum()) for cell in seen if cell.reader == "text")
    false = [f.name for f in judged if f.kind == "found" and not audit.case.holds(f, audit.true)]
    return {
        "wrong": any(wrong(row, truth) for row, truth in zip(rows, truths, strict=True)),
        "missed": any(
            not row["low"] - SLACK <= truth <= row["high"] + SLACK
            for row, truth in zip(rows, truths, strict=True)
        ),
        "accused": bool(false),
        "names": sorted(set(false)),
        "preferred": any(f.kind == "found" and f.name == "position_preference" for f in judged),
        "bands": len(parts),
        "parts": sum(not low - SLACK <= truth <= high + SLACK for low, high, truth in parts),
        "decided": sum(row["kind"] in ("found", "ruled_out") for row in rows),
        "findings": len(rows),
        "asked": asked / deciding.fixed_trials,
    }


def composed(replayed: Sequences, every: Sequence[Cell]) -> list[tuple[float, float, float]]:
    """Band and truth of each part of the score; none where all items were asked."""
    if not replayed.stopped & {"original", "order"}:
        return []
    (whole,) = ScoreComposition().cells(every)
    *hits, n = ScoreComposition().rows(whole).rows.sum(axis=0)
    bands = []
    for name, count in zip(PARTS, hits, strict=True):
        place = whole.probe, whole.condition, whole.reader
        seen = replayed.bands.seen(ScoreComposition.name, place, name)
        if seen is not None:
            d = np.stack([seen.ratio.low, seen.ratio.high])
            bands.append((*band(d, Design(int(n), SIZE, 1 - replayed.level)), count / n))
    return bands


def wrong(row: dict[str, Any], truth: float) -> bool:
    """Whether a decision contradicts the mean over all items."""
    if row["kind"] == "found":
        return bool(row["direction"] * truth < SIZE - 1e-9)
    return row["kind"] == "ruled_out" and abs(truth) >= SIZE - 1e-9


def case(audit: Audit, n: int, first: int, studies: int) -> dict[str, Any]:
    """The studies of a row from number `first` on, as counts."""
    start, made, trials = time.perf_counter(), template(audit, n), dict[str, Any]()
    found = []
    for number in range(first, first + studies):
        settings = made.study.settings.model_copy(update={"seed": number})
        study = replace(made.study, settings=settings)
        found.append(audited(audit, made, study, number, trials))
    means = {
        name: float(np.mean([f[name] for f in found])) for name in ("decided", "findings", "asked")
    }
    counts = {name: sum(f[name] for f in found) for name in COUNTED}
    return {
        "model": audit.model,
        "until": audit.until,
        "change": audit.change,
        "items": n,
        "first": first,
        "studies": studies,
        **means,
        **counts,
        "of": Counter(name for f in found for name in f["names"]),
        "seconds": round(time.perf_counter() - start),
    }


def merged(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows that differ in their studies alone, as one."""
    alike: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for row in rows:
        alike.setdefault((row["model"], row["until"], row["items"]), []).append(row)
    return [_as_one(same) for same in alike.values()]


def _as_one(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    weights = [row["studies"] for row in rows]
    means = {
        name: float(np.average([row[name] for row in rows], weights=weights))
        for name in ("decided", "findings", "asked")
    }
    counts = {name: sum(row[name] for row in rows) for name in ("studies", *COUNTED)}
    of = sum((Counter(row["of"]) for row in rows), Counter[str]())
    return {**rows[0], **means, **counts, "of": of}


def line(row: dict[str, Any]) -> str:
    cells = (
        f"`{row['model'].removeprefix('sim:')}`",
        f"{row['change']:+.0f}",
        row["until"],
        row["items"],
        row["studies"],
        f"{row['decided']:.1f} of {row['findings']:.0f}",
        f"{100 * row['asked']:.0f} %",
        row["wrong"],
        row["missed"],
        f"{row['accused']} {told(row['of'])}".strip(),
        row["preferred"],
        f"{row['parts']} of {row['bands']}" if row["bands"] else "-",
    )
    return "| " + " | ".join(map(str, cells)) + " |"


HEAD = (
    "model | reordered | until | items | studies | decided | prompts"
    " | wrong | band misses | accused | a position found | parts: band misses"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("sequential_audits.jsonl"))
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--models", default="", help="those whose name contains it")
    parser.add_argument("--until", default="", help="those with this goal")
    parser.add_argument("--first", type=int, default=0, help="number of the first study")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    lines = given.out.read_bytes().splitlines() if given.out.exists() else []
    rows = [orjson.loads(text) for text in lines]
    print(f"| {HEAD} |\n|{'---|' * (HEAD.count('|') + 1)}")
    for row in merged(rows):
        print(line(row))
    done = {(row["model"], row["until"], row["items"], row["first"]) for row in rows}
    for audit in () if given.table else AUDITS:
        key = audit.model, audit.until, given.items, given.first
        wanted = given.models in audit.model and given.until in ("", audit.until)
        if wanted and key not in done:
            row = case(audit, given.items, given.first, given.studies)
            with given.out.open("ab") as file:
                file.write(orjson.dumps(row) + b"\n")
            print(line(row), flush=True)


if __name__ == "__main__":
    main()
