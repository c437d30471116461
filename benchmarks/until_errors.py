"""How often `--until` accuses innocent models, and finds what is there

    python benchmarks/measured.py until_errors --studies 20

Greedy models give the same reply whenever a prompt comes again, and guess by a hash of it, as most
do at temperature 0. The studies are those of `verdict_errors.py`, asked batch by batch as an audit
is. "Anything" is what is found of innocents and is not so; that a model which only guesses is no
better than guessing, and agrees with itself no more, is so. Reference: the truth, which the model
is made of.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from horsesense.findings.early import Early
from horsesense.findings.guesses import Guesses
from horsesense.findings.verdict import verdict
from horsesense.measures.cells import Cell
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.registry import MEASURES
from horsesense.runs.goal import Goal
from horsesense.runs.planner import item_index
from horsesense.runs.replay import Sequences
from horsesense.runs.results import Results
from horsesense.runs.until import Deciding, Further, batch_size
from verdict_errors import JUDGED, Model, Plan, as_read, filled, planned, replies

GOAL = "decided"
GUESSER = Model(n=1200, know=0.0, greedy=True)
KNOWS = replace(GUESSER, know=0.6)
SO_OF_GUESSERS = {"no_better_than_guessing", "no_agreement"}
MODELS = {
    "greedy, guesses": GUESSER,
    "greedy, guesses, right answer first in .6": replace(GUESSER, skewed=0.6),
    "greedy, knows .6": KNOWS,
    "greedy, knows .95": replace(GUESSER, know=0.95),
    "greedy, knows .6, 4 % lost": replace(KNOWS, lost=0.04),
    "not greedy, knows .6": replace(KNOWS, greedy=False),
    "greedy, prefers A (.35)": replace(
        KNOWS, fault="prefers A", strength=0.35, must="position_preference"
    ),
    "greedy, locked to A (.1)": replace(
        KNOWS, fault="locked to A", strength=0.1, must="position_locked"
    ),
    "greedy, wrong under symbols (.3)": replace(
        KNOWS, fault="wrong under symbols", strength=0.3, must="accuracy_change"
    ),
    "greedy, other answers under symbols (.3)": replace(
        KNOWS, fault="wrong under symbols", strength=0.3, must="answer_change"
    ),
}


@lru_cache(maxsize=2)
def planned_early(n: int, k: tuple[int, ...], skewed: float) -> tuple[Plan, Deciding]:
    """A plan, and the state of asking before the first answer."""
    plan = planned(n, k, skewed, 1)
    study = replace(plan.study, settings=plan.study.settings.model_copy(update={"until": GOAL}))
    return plan, Deciding(study, item_index(study.items))


def asked(before: Deciding, every: Sequence[Cell]) -> tuple[list[Cell], Sequences]:
    """The answers that an audit would have asked for, and what it decides from."""
    deciding, study, number = copy(before), before.study, before.number
    deciding.extents, settings = {**before.extents}, study.settings
    size, goal = batch_size(len(number)), Goal.parse(GOAL)
    deciding.further = Further(study, deciding.reader.name, size, goal, deciding.places)
    while probes := deciding.active():
        items = deciding.next_items(probes)
        numbers, names = np.array([number[i.id] for i in items]), {p.name for p in probes}
        deciding.look(items, [c.among(numbers) for c in every if c.probe in names])
    only = {name.partition("(")[0]: some for name, some in deciding.only().items()}
    kept = [c.among(np.array([number[i] for i in only[c.probe]])) for c in every]
    return kept, Sequences(deciding.told(), study.items, kept, settings.seed, settings.level)


def found(model: Model, plan: Plan, before: Deciding, every: list[Cell]) -> tuple[set[str], int]:
    """The kinds that are found, and the prompts asked."""
    cluster = np.arange(model.n)
    every, told = asked(before, every)
    early = Early(told.stopped, told.extents.reader, told.questions, told.band)
    context = Context("benchmark", "model", cluster, signature=cast(Any, lambda *_: None))
    seen = found_all(every, [MEASURES.get(name) for name in JUDGED], context)
    findings = {
        "readers": ["text"],
        "probes": [{x: getattr(p, x) for x in ("name", "title", "invariant")} for p in plan.probes],
        "stages": {"ask": {"state": "complete", "reason": ""}},
        "dataset": {"items": model.n, "with_gold": model.n},
    }
    results = Results(cast(Any, None), findings, tuple(one.estimate for one in seen))
    told_so = verdict(results, seen, None, early, guesses=Guesses(every, cluster))
    return {f.kind for f in told_so if f.conclusion == "found"}, sum(
        int(c.asked.sum()) for c in every
    )


def row(name: str, model: Model, seeds: range) -> str:
    plan, before = planned_early(model.n, model.k, model.skewed)
    so = SO_OF_GUESSERS if not model.know else set()
    hits = prompts = 0
    for seed in seeds:
        said = zip(replies(model, plan, seed), plan.trials, strict=True)
        table: npt.NDArray[Any] = np.array([as_read(reply, trial) for reply, trial in said])
        every = [filled(cell, place, table) for cell, place in plan.cells]
        kinds, number = found(model, plan, before, every)
        hits += model.must in kinds if model.must else bool(kinds - so)
        prompts += number
    share = prompts / len(seeds) / len(plan.trials)
    return f"| {name} | {model.must or 'anything'} | {hits} / {len(seeds)} | {100 * share:.0f} % |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--studies", type=int, default=20, help="of each model")
    parser.add_argument("--first", type=int, default=1, help="number of the first seed")
    parser.add_argument("--only", default="", help="part of the names to run")
    args = parser.parse_args()
    seeds = range(args.first, args.first + args.studies)
    print("`--until decided`: each cell is studies found / studies, of 1,200 items.\n")
    print("| model | looked for | found | prompts asked |\n|---|---|---|---|")
    for name, model in MODELS.items():
        if args.only in name:
            print(row(name, model, seeds), flush=True)


if __name__ == "__main__":
    main()
