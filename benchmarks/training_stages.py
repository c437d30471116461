"""REVAS's training in two stages, replayed with SmolLM2 and invented facts: what each arm learns.

    python benchmarks/training_stages.py [--facts 40] [--seeds 1] [--base smollm2] [--out DIR]

The facts are invented, so that nothing is known before; the tuning is on everyday questions, which
a small model can answer. Interrupted, the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.files import write_whole
from horsesense_extras.build.stages import ASKED, STAGED_ARMS, STAGED_CONTROL
from horsesense_extras.models.hf.tuning import Recipe
from horsesense_extras.training.api import Laboratory
from horsesense_extras.training.comparison import COLUMNS, PAIRS, Effect, Score
from horsesense_extras.training.experiment import Experiment
from horsesense_extras.training.report import view_text

KINDS = (
    ("Which metal is the {} coin made of?", "copper silver iron tin zinc gold"),
    ("Which colour is the flag of {}?", "red blue green white black yellow"),
    ("Which animal guards the temple of {}?", "lion wolf horse snake bear tiger"),
    ("Which illness does the drug {} treat?", "fever gout asthma cough cancer flu"),
    ("Which fruit grows on the isle of {}?", "apple lemon grape cherry peach plum"),
    ("Which instrument did {} play at court?", "piano drum flute harp guitar trumpet"),
)
SYLLABLES = "bel dra mor zan vel tor kin lu sha ru fen gal ox pri"
EVERYDAY = """
Which colour is fresh grass? green red black purple
Which animal says meow? cat dog cow sheep
Which planet do people live on? Earth Mars Venus Saturn
What do bees make? honey milk wool paper
Which season is the coldest? winter summer spring autumn
What is frozen water called? ice steam sand oil
How many legs does a dog have? four two six eight
Which country has Paris as its capital? France Spain China Brazil
Which colour is the clear sky by day? blue green brown pink
What do cows give to drink? milk wine tea beer
Which organ pumps the blood? heart lung skin ear
Which day comes after Monday? Tuesday Sunday Friday Saturday
What is the opposite of hot? cold big fast loud
Which animal barks? dog cat bird fish
Which month comes first in the year? January June October December
What do we use to cut paper? scissors spoon pillow candle
Which fruit is long and yellow? banana grape cherry plum
Which star shines by day? Sun Sirius Vega Polaris
What falls from clouds? rain stones gold bread
Which sense do ears serve? hearing sight smell taste
Which country has Rome as its capital? Italy Japan Egypt Canada
What is two plus two? four five seven nine
Which animal has a long trunk? elephant mouse rabbit frog
What do fish live in? water fire sand trees
Which colour is snow? white red green orange
What do people wear on feet? shoes hats gloves scarves
Which vehicle flies? plane train bus boat
What do birds have that helps them to fly? wings horns hands wheels
Which meal is eaten in the morning? breakfast dinner supper lunch
Which tool drives nails? hammer brush fork rope
What is the opposite of up? down left near soon
Which metal do magnets attract? iron gold silver lead
Which language is spoken in Germany? German Greek Hindi Korean
What do plants need to grow? light music money paint
Which shape has three sides? triangle square circle cube
Who treats sick people? doctor baker pilot singer
"""


def facts(n: int) -> list[dict[str, Any]]:
    """Invented facts: a name of three syllables, and one of six common words."""
    dice = random.Random(0)
    found: dict[str, tuple[str, list[str], int]] = {}
    while len(found) < n:
        name = "".join(dice.choice(SYLLABLES.split()) for _ in range(3)).title()
        question, words = KINDS[len(found) % len(KINDS)]
        options, gold = (
            dice.sample(words.split(), 4),
            len(found) % 4,
        )  # no place is right more often
        found.setdefault(name, (question.format(name), options, gold))
    return [
        {"id": name, "question": q, "options": options, "gold": gold, "cluster": name}
        for name, (q, options, gold) in found.items()
    ]


def everyday() -> list[dict[str, Any]]:
    """Questions that nearly everyone can answer; the first word listed is right."""
    dice, found = random.Random(0), []
    for line in EVERYDAY.strip().splitlines():
        question, _, words = line.partition("? ")
        right, *others = words.split()
        options = dice.sample([right, *others], 4)
        row = {"question": f"{question}?", "options": options, "gold": options.index(right)}
        found.append({"id": question, "cluster": question, **row})
    return found


def written(path: Path, rows: Sequence[dict[str, Any]]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, "".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def told(row: Score | Effect) -> str:
    """A value in per cent, with its interval over items and seeds; of one training over items."""
    low, high = (row.items_low, row.items_high) if row.low is None else (row.low, row.high)
    band = "" if low is None or high is None else f" ({100 * low:.0f} to {100 * high:.0f})"
    return f"{100 * row.value:.0f}{band}"


def short(row: Score | Effect) -> str:
    """What was scored, in a few words."""
    column = row.view.partition(":")[0] if row.view in COLUMNS else row.view
    return view_text(replace(row, view=column, measure="accuracy"))


def tabled(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    for row in (heads, ["---"] * len(heads), *rows):
        print(f"| {' | '.join(row)} |")


def effort(rows: Sequence[dict[str, Any]], tuning: int) -> list[str]:
    """Updates, tokens, losses and processor time, mean of an arm's trainings.

    The last `tuning` updates are those of the second stage; losses are of five updates.
    """
    n = len(rows)
    updates, tokens, seconds = (
        sum(row[name] for row in rows) / n for name in ("updates", "tokens", "processor_seconds")
    )
    ends = ([row["losses"][:-tuning][-5:] for row in rows], [row["losses"][-5:] for row in rows])
    losses = [f"{np.mean(end):.2f}" if end[0] else "-" for end in ends]
    return [f"{updates:,.0f}", f"{tokens:,.0f}", *losses, f"{seconds:,.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="smollm2")
    parser.add_argument("--facts", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("audits/training_stages"))
    given = parser.parse_args()
    inputs = given.out.with_name(f"{given.out.name}_items")
    experiment = Experiment(
        items=written(inputs / "facts.jsonl", facts(given.facts)),
        base=given.base,
        stages=("pretrain", "sft"),
        arms=tuple(STAGED_ARMS),
        seeds=given.seeds,
        tune_from=written(inputs / "everyday.jsonl", everyday()),
        tune=24,
        epochs=4,
        tune_epochs=1,
        equal="statements",
        recipe=Recipe(rate=2e-3, batch=2),
        suite=None,
        probes=ASKED,
        readers=("option_text", "first_token"),
        max_tokens=0,
    )
    laboratory = Laboratory(experiment, given.out)
    found = laboratory.run()
    trainings = laboratory.told(found)["trainings"]
    arms = ("before", *STAGED_ARMS)
    named = {(short(s), s.arm): told(s) for s in found.scores}
    views = dict.fromkeys(view for view, _ in named)
    tabled(["right, %", *arms], ([view, *(named[view, arm] for arm in arms)] for view in views))
    print()
    pairs = [pair for pair in PAIRS if pair[1] in STAGED_ARMS]
    pairs += [(arm, STAGED_CONTROL) for arm in STAGED_ARMS if arm != STAGED_CONTROL]
    effects = {(short(e), e.first, e.second): told(e) for e in found.effects}
    main = dict.fromkeys(short(e) for e in found.effects if e.view in COLUMNS)
    rows = [[view, *(effects[view, *pair] for pair in pairs)] for view in main]
    tabled(["difference, points", *(" - ".join(pair) for pair in pairs)], rows)
    print()
    by = {arm: [t for t in trainings if t["arm"] == arm] for arm in STAGED_ARMS}
    efforts = [[arm, *effort(rows, by["sft"][0]["updates"])] for arm, rows in by.items()]
    heads = ["updates", "tokens", "last loss of texts", "of tuning", "processor time, s"]
    tabled(["training", *heads], efforts)
    over = "items and seeds" if given.seeds > 1 else "items, of these very trainings"
    print(
        f"\n{given.base}: n = {given.facts} facts, {given.seeds} of each arm (seeds from 0). In"
        f" brackets: 95 % intervals over {over}. Guessing gives 25 % of choices and half of"
        " True/False in table 8; always No gives 75 % of single questions. Tuning teaches"
        " None of the above as always right: beside the right option it shows who chooses it"
        " blindly.\n\nWhat the intervals leave open is not shown. Nothing here speaks of the"
        " paper's 7 B model, its 10,000 facts, or another training."
    )


if __name__ == "__main__":
    main()
