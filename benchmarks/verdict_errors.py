"""How often a verdict is wrong, and how often it finds what is there: studies with a known truth.

    python benchmarks/verdict_errors.py --studies 20 --out RESULTS.jsonl
    python benchmarks/verdict_errors.py --studies 20 --out RESULTS.jsonl --plain plain_inference.py
    python benchmarks/verdict_errors.py --table RESULTS.jsonl ... > docs/measured/verdict.md

Every study is planned, put into cells and measured as an audit is; the replies are drawn here, from
what the model is said to know, guess and do wrong. *Innocent* shapes differ in the number of items
and options, in texts and copies, in lost and refused replies, in where the right answers stand and
in how guesses are drawn; whatever is found of them is a false accusation. *Guilty* families have
one fault each, at several strengths, with 60 items, with 300, and in 12 texts of 5.

The same seeds give the same replies whatever version is installed: run it with the interpreter of
each. `--plain` names a module with `simple` and `decide_simple`, which is run on the same replies.
Reference: the truth, which the model is made of.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import orjson
import polars as pl

from horsesense.findings import verdict as judge
from horsesense.items.load import load_items
from horsesense.measures import estimate
from horsesense.measures.cells import MISSING, NO_OPTION, NOT_ASKED, STATUS_CODE, Cell, Scores
from horsesense.measures.estimate import Context
from horsesense.measures.registry import MEASURES
from horsesense.models.messages import Response
from horsesense.models.registry import make_model
from horsesense.readers.reading import Reading
from horsesense.runs.cells import cells
from horsesense.runs.parts import frame_of
from horsesense.runs.prepare import prepare, reader_names
from horsesense.runs.record import ModelRecord
from horsesense.runs.results import Results
from horsesense.runs.settings import Settings
from horsesense.runs.tables import READINGS, TRIALS, is_correct, option_of, reading_row, trial_rows
from horsesense.trials.trial import Trial

JUDGED = (
    "accuracy", "accuracy_change", "answer_switch_beyond_repeat", "plurality_agreement",
    "position_locked", "position_preference", "status_share", "valid_change", "valid_rate",
)  # fmt: skip
"""What the verdict of the basic suite rests on, of one reader."""


@dataclass(frozen=True)
class Model:
    """What a model does, and the items that it is asked.

    Attributes:
        n, k: items, and their numbers of options in turn.
        size: items of a text, which are known together.
        copies: whether the items of a text are copies of one, answered alike.
        know: share of items known.
        greedy: whether a prompt that comes again has the reply that it had.
        own: whether a guess keeps to one option of an item, in every form.
        lost, refused: shares of replies that never come, and that choose nothing.
        lost_of: whether it is the guessed ones alone that are lost.
        skewed: share of right answers that stand first.
        fault, strength: what it does wrong, and how often.
        must: the kind that is to be found.
        mustnt: the kind that is false to find, of a model that has another fault.
    """

    n: int = 60
    k: tuple[int, ...] = (4,)
    size: int = 1
    copies: bool = False
    know: float = 0.6
    greedy: bool = False
    own: bool = False
    lost: float = 0.0
    lost_of: bool = False
    refused: float = 0.0
    skewed: float = 0.0
    fault: str = ""
    strength: float = 0.0
    must: str = ""
    mustnt: str = ""


def innocents() -> dict[str, Model]:
    """The 30 shapes by name, and those whose choices alone are innocent of a leak."""
    one = Model()
    plain = {f"{n} items": replace(one, n=n) for n in (8, 20, 60, 150, 300)}
    options = {f"{k} options": replace(one, k=(k,)) for k in (2, 3, 5, 10)}
    greedy = {
        f"greedy, knows {know:g}": replace(one, greedy=True, know=know) for know in (0.4, 0.6, 0.95)
    }
    others = {
        "2, 4 and 10 options": replace(one, k=(2, 4, 10)),
        "knows .4": replace(one, know=0.4),
        "knows .9": replace(one, know=0.9),
        "knows .95, 300 items": replace(one, know=0.95, n=300),
        "greedy, 300 items": replace(one, greedy=True, n=300, know=0.8),
        "greedy, 10 options": replace(one, greedy=True, k=(10,)),
        "greedy, 2 options": replace(one, greedy=True, k=(2,)),
        "12 texts of 5": replace(one, size=5),
        "30 texts of 5": replace(one, size=5, n=150),
        "10 texts of 20": replace(one, size=20, n=200),
        "copies of 3": replace(one, size=3, copies=True),
        "copies of 5, greedy": replace(one, size=5, n=150, copies=True, greedy=True),
        "4 % lost": replace(one, lost=0.04),
        "10 % lost": replace(one, lost=0.1),
        "10 % lost, of guesses": replace(one, lost=0.1, lost_of=True),
        "3 % refused": replace(one, refused=0.03),
        "right answer first in .6": replace(one, skewed=0.6),
        "greedy, right answer first in .6": replace(one, skewed=0.6, greedy=True),
    }
    leaks = {
        f"{often:g} A, first in {skewed:g}, {n} items: no leak": replace(
            one, n=n, skewed=skewed, fault="prefers A", strength=often, mustnt="without_question"
        )
        for n in (60, 300)
        for skewed in (0.0, 0.2, 0.6)
        for often in (0.0, 0.7, 1.0)
    }
    return {**plain, **options, **greedy, **others, **leaks}


FAULTS: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "locked to A": ("position_locked", (0.05, 0.1, 0.2, 0.35, 0.5)),
    "prefers A": ("position_preference", (0.2, 0.35, 0.5, 0.7)),
    "none avoided": ("none_option", (0.05, 0.1, 0.2, 0.4)),
    "wrong under symbols": ("accuracy_change", (0.1, 0.2, 0.3, 0.5)),
    "refuses under symbols": ("fewer_choices", (0.05, 0.1, 0.2, 0.4)),
    "orders change answers": ("answer_change", (0.1, 0.2, 0.3, 0.5)),
    "right without question": ("without_question", (0.1, 0.2, 0.3, 0.5)),
}


def guilty() -> dict[str, tuple[str, Model]]:
    """Families by name and strength."""
    sizes = {"60 items": Model(), "300 items": Model(n=300), "12 texts of 5": Model(size=5)}
    leaks = {
        f"a leak, first in {skewed:g}, {n} items ({strength:g})": (
            f"a leak, first in {skewed:g}, {n} items",
            Model(n=n, skewed=skewed, fault=fault, strength=strength, must="without_question"),
        )
        for fault in ("right without question",)
        for n in (60, 300)
        for skewed in (0.2, 0.6)
        for strength in (0.2, 0.3)
    }
    return leaks | {
        f"{fault}, {size} ({strength:g})": (
            f"{fault}, {size}",
            replace(model, fault=fault, strength=strength, must=must),
        )
        for size, model in sizes.items()
        for fault, (must, strengths) in FAULTS.items()
        for strength in strengths
    }


@dataclass(frozen=True)
class Plan:
    """The trials of a study, and where each stands in its cells, which every study has anew."""

    study: Any
    probes: Sequence[Any]
    trials: Sequence[Trial]
    item: npt.NDArray[np.intp]
    prompt: Sequence[bytes]
    cells: Sequence[tuple[Cell, npt.NDArray[np.intp]]]


@lru_cache(maxsize=2)
def planned(n: int, k: tuple[int, ...], skewed: float, copies: int) -> Plan:
    """A plan of the basic suite, by the version that is installed."""
    rng = np.random.default_rng(n)
    rows = []
    for i in range(n):
        options = k[i % len(k)]
        gold = 0 if rng.random() < skewed else i // copies // len(k) % options
        texts = [f"answer {i}.{j}" for j in range(options)]
        rows.append({"id": f"q{i}", "question": f"Which is number {i}?", "options": texts,
                     "answer_index": gold})  # fmt: skip
    settings, items = Settings.of(items="benchmark", model="sim:oracle"), load_items(rows)
    model = cast(Any, make_model("sim:oracle"))
    record = ModelRecord.of(model, asyncio.run(model.capabilities()))
    study = prepare(settings, items, None, record, reader_names(settings, items, record))
    every = tuple(study.planner.plan(study.probes))
    index = {item.id: place for place, item in enumerate(study.items)}
    trials = [r for p in every for r in trial_rows(p.number, 1, p.trial, p.key, index)]
    marks = [
        reading_row(
            p.number, 0, "text", Reading("empty", score=float(p.number)), p.trial, Response("")
        )
        for p in every
    ]
    made = cells(frame_of(trials, TRIALS).lazy(), frame_of(marks, READINGS).lazy(), ["text"])
    places = [np.nan_to_num(c[Scores].score, nan=-1).astype(np.intp) for c in made]
    item = np.array([index[p.trial.variant.item_id] for p in every])
    return Plan(
        study,
        study.probes,
        [p.trial for p in every],
        item,
        [p.key for p in every],
        [*zip(made, places, strict=True)],
    )


def replies(model: Model, plan: Plan, seed: int) -> list[tuple[str, int | None] | None]:
    """Status and position of each reply; None where it is lost."""
    rng = np.random.default_rng([seed, 7])
    text = np.arange(model.n) // model.size
    known = (rng.random(model.n) < model.know)[text if model.size > 1 else np.arange(model.n)]
    locked = rng.random(model.n) < (model.strength if model.fault == "locked to A" else 0.0)
    own = rng.random(model.n)
    had: dict[object, tuple[str, int | None] | None] = {}
    found = []
    for trial, i, prompt in zip(plan.trials, plan.item.tolist(), plan.prompt, strict=True):
        same = (trial.probe, trial.condition, trial.repetition, int(text[i]))
        key: object = same if model.copies else prompt if model.greedy else None
        if (model.copies and model.greedy and trial.probe == "repeat") or (
            model.copies and trial.probe == "original"
        ):
            key = ("original", int(text[i]))
        if key is not None and key in had:
            found.append(_copied(had[key], trial) if model.copies else had[key])
            continue
        reply = _reply(model, trial, bool(known[i]), bool(locked[i]), float(own[i]), rng)
        if key is not None:
            had[key] = _content(reply, trial) if model.copies else reply
        found.append(reply)
    return found


Said = tuple[str, int | None] | None


def _content(reply: Said, trial: Trial) -> Said:
    """The same with the number of an answer, as its text ends, in place of its position."""
    if reply is None or reply[1] is None:
        return reply
    _, dot, number = trial.variant.options[reply[1]].partition(".")
    return reply[0], int(number) if dot else -1 - reply[1]


def _copied(said: Said, trial: Trial) -> Said:
    """What is said of a copy, whose options stand elsewhere."""
    if said is None or said[1] is None:
        return said
    if said[1] < 0:
        return said[0], -1 - said[1]
    numbers = [text.partition(".")[2] for text in trial.variant.options]
    number = f"{said[1]}"  # of an option that is not shown, what stands in its place
    return said[0], numbers.index(number if number in numbers else "")


def _reply(
    model: Model, trial: Trial, known: bool, locked: bool, own: float, rng: np.random.Generator
) -> tuple[str, int | None] | None:
    variant, fault, often = trial.variant, model.fault, model.strength
    k, gold, hit = len(variant.options), variant.gold_at, rng.random() < model.strength
    lost = model.lost / ((1 - model.know) if model.lost_of else 1)
    if rng.random() < lost and not (known and model.lost_of):
        return None
    if rng.random() < model.refused or (fault == "refuses under symbols" and hit
                                        and trial.probe == "labels"):  # fmt: skip
        return "refusal", None
    if locked and trial.probe != "options_only":
        return "answer", 0
    weights = np.full(k, 1 / k)
    if fault == "prefers A":
        weights = np.full(k, (1 - often) / k) + np.eye(k)[0] * often
    guess = int(rng.choice(k, p=weights))
    if model.own:
        options = sorted(range(k), key=lambda place: variant.options[place])
        guess = options[int(own * k)]
    if trial.probe == "options_only":
        return "answer", gold if fault == "right without question" and hit else guess
    right = gold
    if right is None or not known:
        return "answer", guess
    if fault == "wrong under symbols" and trial.probe == "labels" and hit:
        return "answer", int(rng.choice([p for p in range(k) if p != right]))
    if fault == "orders change answers" and trial.probe == "order" and hit:
        return "answer", int(rng.integers(k))
    replaced = trial.probe == "none_of_the_above" and not trial.condition.matches(
        place="distractor"
    )
    if fault == "none avoided" and replaced and hit:
        return "answer", int(rng.choice([p for p in range(k) if p != right]))
    return "answer", right


LOST = (MISSING, -1, NO_OPTION, -1)
OLD = importlib.util.find_spec("horsesense.findings.guesses") is None
"""Whether version 0.2 or before is installed, whose findings have other fields."""
VERSION = "0.2.0" if OLD else "this version"


def as_read(reply: tuple[str, int | None] | None, trial: Trial) -> tuple[int, int, int, int]:
    """Status, position, option and correctness of a reply, as codes of a cell."""
    if reply is None:
        return LOST
    status, place = reply
    option = option_of(Reading(cast(Any, status), () if place is None else (place,)), trial.variant)
    right = is_correct(option, trial, trial.variant)
    return (
        STATUS_CODE[status],
        -1 if place is None else place,
        NO_OPTION if option is None else option,
        -1 if right is None else int(right),
    )


def filled(cell: Cell, place: npt.NDArray[np.intp], table: npt.NDArray[Any]) -> Cell:
    """A planned cell with the answers of a table of trials."""
    kinds = {"status": np.int8, "position": np.int16, "option": np.int16, "correct": np.int8}
    empty = (NOT_ASKED, -1, NO_OPTION, -1)
    columns: dict[str, Any] = {
        name: np.where(place >= 0, table[place, column], empty[column]).astype(kind)
        for column, (name, kind) in enumerate(kinds.items())
    }
    return replace(cell, reader="text", by_scores=False, **columns)


def concluded(model: Model, plan: Plan, table: npt.NDArray[Any]) -> list[tuple[str, str]]:
    """Kind and conclusion of every answer of the verdict."""
    cluster = np.arange(model.n) // model.size
    every = [filled(cell, place, table) for cell, place in plan.cells]
    sign = cast(Any, lambda *_: None)
    context = Context("benchmark", "model", cluster, signature=sign)
    with patch.object(estimate, "minimum_detectable", lambda *_: None):  # changes no verdict
        found = estimate.found_all(every, [MEASURES.get(name) for name in JUDGED], context)
    findings = {
        "readers": ["text"],
        "probes": [{x: getattr(p, x) for x in ("name", "title", "invariant")} for p in plan.probes],
        "stages": {"ask": {"state": "complete", "reason": ""}},
        "dataset": {"items": model.n, "with_gold": model.n},
    }
    results = Results(cast(Any, None), findings, tuple(one.estimate for one in found))
    if OLD:
        return [(f.name, f.kind) for f in cast(Any, judge.verdict(results, found))]
    from horsesense.findings.guesses import Copies, Guesses

    copies = Copies(cluster, {}) if model.copies else None
    options = every[0].k.tolist()
    told = judge.verdict(results, found, None, None, options, Guesses(every, cluster, copies))
    return [(f.kind, f.conclusion) for f in told]


def plainly(
    module: Any, model: Model, plan: Plan, table: npt.NDArray[Any]
) -> list[tuple[str, str]]:
    """The same of a plain inference."""
    code = {number: name for name, number in STATUS_CODE.items()}
    rows = [
        {
            "reader": "text",
            "item": int(i),
            "probe": trial.probe,
            "condition": trial.condition.format(),
            "repetition": trial.repetition,
            "status": code.get(int(row[0])),
            "positions": [int(row[1])] if row[1] >= 0 else [],
            "option": int(row[2]) if row[2] >= 0 else None,
            "correct": None if row[3] < 0 else bool(row[3]),
            "options": list(trial.variant.options),
        }
        for trial, i, row in zip(plan.trials, plan.item, table, strict=True)
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    made = module.simple(frame, np.arange(model.n) // model.size)
    return [(h[0], "found") for h in module.decide_simple(made, weighted=False)]


def study(model: Model, seed: int, plain: Any) -> list[tuple[str, str]]:
    plan = planned(model.n, model.k, model.skewed, model.size if model.copies else 1)
    said = replies(model, plan, seed)
    table = np.array([as_read(r, t) for r, t in zip(said, plan.trials, strict=True)])
    if plain is not None:
        return plainly(plain, model, plan, table)
    return concluded(model, plan, table)


def run(name: str, family: str, model: Model, seeds: Iterable[int], plain: Any) -> dict[str, Any]:
    """Counts of one shape, or of one fault at one strength."""
    start, counts, n = time.perf_counter(), defaultdict[str, int](int), 0
    for seed in seeds:
        told, n = study(model, seed, plain), n + 1
        found = {kind for kind, conclusion in told if conclusion == "found"}
        told_of = model.must or model.mustnt
        counts["found"] += told_of in found if told_of else bool(found)
        counts["changes"] += sum(kind == "accuracy_change" for kind, _ in told)
        ruled = [c for kind, c in told if kind == "accuracy_change"]
        counts["ruled_out"] += sum(c == "ruled_out" for c in ruled)
        for kind in found - {model.must}:
            counts[f"of {kind}"] += 1
    version = "plain" if plain is not None else VERSION
    seconds = round(time.perf_counter() - start, 1)
    return {"version": version, "name": name, "family": family, "studies": n, **counts,
            "seconds": seconds}  # fmt: skip


def table(paths: Sequence[str]) -> str:
    """The results of several versions side by side, in Markdown."""
    rows = [orjson.loads(line) for path in paths for line in Path(path).read_bytes().splitlines()]
    versions = list(dict.fromkeys(row["version"] for row in rows))
    sums: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        groups = [row["family"] or row["name"], "all guilty" if row["family"] else "all innocent"]
        for group in groups:
            counted = sums["guilty" if row["family"] else "innocent", group, row["version"]]
            counted[0] += row["found"]
            counted[1] += row["studies"]
    lines = ["# Verdicts of studies with a known truth", ""]
    lines += ["`python benchmarks/verdict_errors.py --studies 200 --first 1001 --out FILE` counts,"]
    lines += ["and `--table FILE` writes these tables. Each cell: studies found / studies."]
    for title, kind in (("Innocent models accused", "innocent"), ("Faults found", "guilty")):
        lines += ["", f"## {title}", "", f"| | {' | '.join(versions)} |"]
        lines += [f"|---|{'---|' * len(versions)}"]
        groups = list(dict.fromkeys(g for k, g, _ in sums if k == kind))
        for group in sorted(groups, key=lambda g: (g.startswith("all "), groups.index(g))):
            each = (sums[kind, group, version] for version in versions)
            shown = (f"{found} / {n}" if n else "–" for found, n in each)
            lines.append(f"| {group} | {' | '.join(shown)} |")
    return "\n".join(lines)


def loaded(path: str | None) -> Any:
    if path is None:
        return None
    spec = importlib.util.spec_from_file_location("plain", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--studies", type=int, default=20, help="of each shape and strength")
    parser.add_argument("--first", type=int, default=1, help="number of the first seed")
    parser.add_argument("--only", default="", help="part of the names to run")
    parser.add_argument("--out", help="file that counts are appended to")
    parser.add_argument("--plain", help="module of a plain inference")
    parser.add_argument("--table", nargs="+", help="files to print side by side")
    args = parser.parse_args()
    if args.table:
        print(table(args.table))
        return
    cases = [(name, "", model) for name, model in innocents().items()]
    cases += [(name, family, model) for name, (family, model) in guilty().items()]
    seeds = range(args.first, args.first + args.studies)
    for name, family, model in sorted(cases, key=lambda case: case[2].n):
        if args.only in name:
            row = run(name, family, model, seeds, loaded(args.plain))
            line = orjson.dumps(row).decode()
            print(line, flush=True)
            if args.out:
                with Path(args.out).open("a") as file:
                    file.write(line + "\n")


if __name__ == "__main__":
    main()
