"""Writes what an experiment of `train choice` brought into docs/train_choice.md, with its picture.

    python benchmarks/train_choice.py OUT [--wall SECONDS] [--processor SECONDS] [--load TEXT]

OUT is the folder of the experiment; the times are those of the whole command.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import orjson
import vl_convert

from horsesense.progress import clock
from horsesense_extras.build.statements import alone_text
from horsesense_extras.training.comparison import Effect, Score, Training
from horsesense_extras.training.report import (
    effect_text,
    figure,
    items_text,
    main_views,
    score_text,
    seeds_text,
    sentences,
    view_text,
)

DOCS = Path(__file__).parents[1] / "docs"
START, END = "<!-- measured -->", "<!-- end -->"


def loaded(found: dict[str, Any]) -> Training:
    """The experiment as it was written."""
    scores = [{k: v for k, v in row.items() if k != "value"} for row in found["scores"]]
    effects = [{k: v for k, v in row.items() if k != "shown"} for row in found["effects"]]
    return Training(
        tuple(found["arms"]),
        found["seeds"],
        found["level"],
        tuple(Score(**{**row, "values": tuple(row["values"])}) for row in scores),
        tuple(Effect(**{**row, "values": tuple(row["values"])}) for row in effects),
        (),
    )


def told(found: dict[str, Any], t: Training, given: argparse.Namespace) -> list[str]:
    """The section in Markdown."""
    trained = found["trainings"]
    wall, busy = (sum(row[n] for row in trained) for n in ("seconds", "processor_seconds"))
    peak = max(row["peak_memory"] or 0 for row in trained) / 2**30
    items = found["items"]
    clusters = items["clusters"]
    counts = [row["statements"] for row in trained]
    lines = [
        f"{items['train']} items to train on ({clusters['train']} clusters), {items['test']} of"
        f" other clusters to ask about ({clusters['test']}); {len(trained)} trainings of up to"
        f" {found['tokens']:,} tokens ({min(counts)} to {max(counts)} statements). The trainings"
        f" took {clock(wall)} by the clock and {clock(busy)} of processor time, {peak:.1f} GiB at"
        " most.",
    ]
    if given.wall:
        lines[0] += (
            f" The whole command took {clock(given.wall)} by the clock and"
            f" {clock(given.processor)} of processor time{given.load and f', {given.load}'}."
        )
    said = [
        *sentences(t),
        *found["unequal"],
        *alone_text(items["alone"], items["train"] + items["test"]),
    ]
    lines += ["", *(f"- {sentence}".replace("\u202f", " ") for sentence in said), ""]
    for number, view in enumerate(main_views(t)):
        scores = [s for s in t.scores if (s.measure, s.view, s.reader) == _key(view[0])]
        chance = f"; guessing gives {100 * (scores[0].chance or 0):.1f} %"
        lines += [f"{view_text(view[0])}, {scores[0].n} items{chance}:", ""]
        lines += ["| arm | score, each seed |", "|---|---|"]
        lines += [f"| {s.arm} | {score_text(s)} |".replace("\u202f", " ") for s in scores]
        lines += ["", "| difference, points | items and seeds | items, these trainings | by seed |"]
        lines += ["|---|---|---|---|"]
        lines += [
            f"| {e.first} − {e.second} | {effect_text(e) + (e.note and ' ' + e.note)}"
            f" | {items_text(e) or e.items_note} | {seeds_text(e)} |"
            for e in view
        ]
        name = f"train_choice_{number + 1}.png"
        svg = str(figure(view)).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        inner = svg.index(">") + 1
        svg = svg[:inner] + '<rect width="100%" height="100%" fill="white"/>' + svg[inner:]
        (DOCS / "images" / name).write_bytes(vl_convert.svg_to_png(svg, scale=2))
        lines += ["", f"![Differences of accuracy, {view_text(view[0])}](images/{name})", ""]
    return lines


def _key(effect: Effect) -> tuple[str, str, str]:
    return effect.measure, effect.view, effect.reader


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--wall", type=float, default=0)
    parser.add_argument("--processor", type=float, default=0)
    parser.add_argument("--load", default="")
    given = parser.parse_args()
    found = orjson.loads((given.out / "training.json").read_bytes())
    page = DOCS / "train_choice.md"
    text = page.read_text(encoding="utf-8")
    before, after = text.split(START)[0], text.split(END)[1]
    section = "\n".join(told(found, loaded(found), given))
    page.write_text(f"{before}{START}\n{section}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
