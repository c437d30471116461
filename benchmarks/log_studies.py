"""Is what was lost still told, and the range right, once a study came by another program's log?

    python benchmarks/measured.py log_studies

The studies of `score_range`, written as logs of four programs (`harness_logs`) and imported as
`horsesense import` does. The truth is the simulator's. A cause counts as right where the log holds
what tells it: "fields" are reasons of ends, counts of tokens, errors and empty replies; without
them the text alone tells. "Words" are choices, refusals and replies that state none. A log of
lm-eval holds texts alone, and does not say what a provider held back: such replies count for the
range and not for the cause.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections import Counter
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

import horsesense as hs
from harness_logs import WRITERS, Asked
from horsesense.models.messages import Failure
from horsesense.readers.causes import of_failure
from horsesense.runs.exchanges import exchanges
from score_range import FIELDS, item, made, row

CAP = 64
UNTOLD = {("lm-eval", "filtered")}
BY_TEXT = ("cut_off", "thought_open")
SAID = ("refused", "no_choice")


class Seen(NamedTuple):
    """Of one study: whether the range holds the score, whether that of its cause holds the score
    without it, how wide the range is, and (cause, cause told) -> replies."""

    whole: bool
    single: bool
    width: float
    told: Counter[tuple[str, str]]


def study(rng: Random, place: Path, form: str, cause: str, fields: bool) -> Seen:
    """One study in one format; a cause takes replies, the wrong ones more often."""
    n, know, lost = rng.choice((20, 50)), rng.random(), rng.uniform(0.05, 0.9)
    right = np.array([rng.random() < know for _ in range(n)])
    took = np.array([rng.random() < lost * (0.6 if hit else 1.0) for hit in right])
    more = ~took & np.array([rng.random() < 0.05 for _ in right])
    every, truth = [], []
    for at in range(n):
        shown = item(rng, at)
        gold = int(shown.gold_at or 0)
        position = gold if right[at] else (gold + 1) % len(shown.options)
        which = cause if took[at] else rng.choice(("empty", "failed")) if more[at] else "choice"
        came, _ = made(rng, shown, which, position, fields=fields and form != "lm-eval")
        question = f"Which of these is the colour of lamp {at}?"
        every.append(Asked(question, shown.options, gold, came))
        truth.append(which)
    run = imported(rng, place, form, every)
    told = run.results.replies(reader="text")
    slack = 1e-9
    low, high = told["least"] - slack, told["most"] + slack
    own = told["without"].get(cause, low) + slack
    if (form, cause) in UNTOLD or cause in SAID:
        own = high
    # What a model says of itself is no loss: it is wrong as graded.
    kept = right & ~took if cause in SAID else right
    whole, single = kept.mean(), (kept & ~more).mean()
    pairs = Counter(zip(truth, causes(run), strict=True))
    return Seen(low <= whole <= high, low <= single <= own, high - low, pairs)


def imported(rng: Random, place: Path, form: str, every: list[Asked]) -> hs.Run:
    folder = place / "log"
    folder.mkdir(parents=True)
    more: dict[str, Any] = {"packed": rng.random() < 0.5} if form == "inspect" else {}
    path = WRITERS[form](folder, every, cap=CAP, **more)  # type: ignore[operator]
    items = [{"id": f"i{n}", "question": a.question, "options": a.options, "answer": a.letter}
             for n, a in enumerate(every)]  # fmt: skip
    return hs.load_log(path, out=place / "run", **({"items": items} if form == "batch" else {}))


def causes(run: hs.Run) -> list[str]:
    """What became of each prompt, in the order of the log."""
    return [
        of_failure(one.failure) if isinstance(one.failure, Failure) else reading(one.readings)
        for one in exchanges(run.directory)
        if one.trial.probe == "original"
    ]


def reading(rows: Any) -> str:
    return next((str(one["cause"]) for one in rows if one["reader"] == "text"), "")


def kinds(form: str) -> list[tuple[str, bool]]:
    """Causes, and whether fields tell them."""
    fields = [(c, form != "lm-eval" or c not in BY_TEXT) for c in FIELDS[1:]]
    return [*fields, *((c, False) for c in BY_TEXT if form != "lm-eval")]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print("| log, lost is told by | [least, most] holds the score | range of the cause holds it"
          " | mean width | studies |\n|---|---|---|---|---|")  # fmt: skip
    cells = [(form, *kind) for form in WRITERS for kind in kinds(form)]
    each = -(-asked.studies // len(cells))
    named: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    studied: dict[str, list[Seen]] = {}
    for form, cause, fields in cells:
        by = "words" if cause in SAID else "fields" if fields else "text alone"
        seen = studied.setdefault(f"| {form}, {by}", [])
        first = len(seen)
        for number in range(each):
            rng = Random(f"{asked.seed} {form} {cause} {fields} {number}")
            place = Path(tempfile.mkdtemp())
            try:
                seen.append(study(rng, place, form, cause, fields))
            finally:
                shutil.rmtree(place)
        for one in seen[first:]:
            for (truth, told), times in one.told.items():
                if (form, truth) not in UNTOLD:
                    part = "fields" if fields or truth not in BY_TEXT else "text alone"
                    part = "words" if truth in (*SAID, "choice") else part
                    named.setdefault((form, part), Counter())[truth, told] += times
    for name, seen in studied.items():
        print(line(name, seen))
    print(line("| **all**", [*chain.from_iterable(studied.values())]))
    print("\n| replies in logs | right | n | else called |\n|---|---|---|---|")
    for (form, part), counts in named.items():
        wrong = Counter({f"{a} as {b}": n for (a, b), n in counts.items() if a != b})
        wrong["right"] = sum(n for (a, b), n in counts.items() if a == b)
        print(row(f"{form}, {part}", wrong))


def line(name: str, seen: list[Seen]) -> str:
    whole, single, width = np.array([one[:3] for one in seen], float).mean(axis=0)
    return f"{name} | {whole:.3f} | {single:.3f} | {width:.2f} | {len(seen):,} |"


if __name__ == "__main__":
    main()
