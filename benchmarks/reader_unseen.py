"""How the text reader does on what its weights did not see; the tables and the diagram of
docs/reader.md.

    python benchmarks/reader_unseen.py [--write] [--peer PACKAGE=PYTHON ...]

Reliability: every decision on a reply of the corpus is of weights, trust and caution that saw
neither its kind (nor one like it) nor its writer. Files
left out: all that is learnt is learnt again without the file, and from the corpus alone; patterns
cannot be unlearnt. Peers read the same replies with their own code, in environments that `--peer`
names or that are made beside the project. Takes about a quarter of an hour.

`--write` puts the tables between their markers in docs/reader.md, and the diagram into docs/images.
The part `unread` is never opened.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import string
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "benchmarks")]

import learn_reader as lr  # noqa: E402

from annotated_answers import Answer, mmlu, opinions, rows, shared  # noqa: E402
from horsesense.readers.corpus.load import SEEN, Part, examples  # noqa: E402
from horsesense.readers.text import TextReader  # noqa: E402
from reader_side_by_side import PACKAGES, answer_of, peer  # noqa: E402

PAGE = ROOT / "docs/reader.md"
DIAGRAM = ROOT / "docs/images/reader_reliability.svg"
BANDS: Final = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


class Decided(NamedTuple):
    """The likeliest candidate of a row (as `lr.Row.truth` counts), and the confidence in it."""

    best: int
    confidence: float


class Learnt(NamedTuple):
    """All that a reader's decision rests on."""

    weights: dict[str, float]
    trust: dict[str, float]
    scale: lr.Scale

    def decide(self, row: lr.Row) -> Decided:
        one = lr.decision(row, self.weights)
        found = one.best, row.said if one.grounds is None else lr.trust(one.grounds, self.trust)
        return Decided(*lr.cautious([row], [found], self.scale)[0])

    def clear(self, row: lr.Row, found: Decided) -> bool:
        return lr.clear(row, found.best, found.confidence, self.scale)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("--write", action="store_true")
    asked.add_argument("--peer", action="append", default=[], metavar="PACKAGE=PYTHON")
    given = asked.parse_args()
    corpus = {part: list(lr.corpus_rows(part, lr.LEARNT_FROM[part])) for part in SEEN}
    learnt_from = [row for part in SEEN for row in corpus[part]]
    labelled = [row for some in annotated().values() for _, row in some]
    unseen, whole = unseen_decisions([*learnt_from, *labelled])
    alone = unseen_decisions(learnt_from)[1]
    decided = list(zip(learnt_from, unseen, strict=False))
    if given.write:
        draw(decided)
    tables = {
        "bands": lambda: bands(decided),
        "parsed": parsed_files,
        "peers": lambda: peers(decided, whole, dict(one.split("=", 1) for one in given.peer)),
        "files": lambda: files_left_out(learnt_from, alone),
    }
    for name, made in tables.items():
        lines = made()
        print(f"\n{name}\n" + "\n".join(lines), flush=True)
        if given.write:
            put(name, lines)


def unseen_decisions(known: Sequence[lr.Row]) -> tuple[list[Decided], Learnt]:
    """What is read of rows left out by kind and writer, and how surely; what all rows teach."""
    fold = lr.folds(known, joint=True)
    decisions, found = lr.left_out(known, fold)
    told = [Decided(*one) for one in found]
    for out in sorted(set(fold)):
        stay = [i for i, other in enumerate(fold) if out.leaves(other)]
        scale = lr.scale_of([known[i] for i in stay], [found[i] for i in stay])
        for i, other in enumerate(fold):
            if other == out:
                told[i] = Decided(*lr.cautious([known[i]], [found[i]], scale)[0])
    names = lr.feature_names(known)
    weights = dict(zip(names, lr.learn(known, names), strict=True))
    trust = lr.learn_trust(known, decisions)
    highest = lr.lost_below(known, weights, trust)
    return told, Learnt(weights, trust, lr.scale_of(known, found, highest))


def bands(decided: Sequence[tuple[lr.Row, Decided]]) -> list[str]:
    """The table of bands of confidence."""
    lines = ["| confidence | n | mean | right | 95 % |", "|---|---|---|---|---|"]
    for low, high, n, mean, right, (a, b) in banded(decided):
        lines.append(
            f"| {low:g} to {high:g} | {n:,} | {mean:.3f} | {right:.3f} | {a:.3f}-{b:.3f} |"
        )
    return lines


def banded(
    decided: Sequence[tuple[lr.Row, Decided]],
) -> Iterator[tuple[float, float, int, float, float, tuple[float, float]]]:
    """Lower and upper end, n, mean confidence, share right and its interval over kinds."""
    for low, high in pairwise(BANDS):
        at = [
            (row, one)
            for row, one in decided
            if low <= one.confidence < high or (high == 1 and one.confidence == 1)
        ]
        if at:
            good = np.array([one.best == row.truth for row, one in at], float)
            kinds = np.unique([row.kind for row, _ in at], return_inverse=True)[1]
            mean = float(np.mean([one.confidence for _, one in at]))
            yield low, high, len(at), mean, float(good.mean()), over_kinds(good, kinds)


def over_kinds(good: np.ndarray, kinds: np.ndarray) -> tuple[float, float]:
    """A 95 % interval of a share: 2,000 draws of whole kinds."""
    rng = np.random.default_rng(1)
    right = np.bincount(kinds, good)
    sizes = np.bincount(kinds)
    drawn = rng.integers(len(sizes), size=(2_000, len(sizes)))
    shares = right[drawn].sum(1) / sizes[drawn].sum(1)
    low, high = np.quantile(shares, [0.025, 0.975])
    return float(low), float(high)


def annotated() -> dict[str, list[tuple[Answer, lr.Row]]]:
    """The files of human-labelled answers with their scored rows."""
    found: dict[str, list[tuple[Answer, lr.Row]]] = {}
    for answer in (*mmlu(), *opinions("train"), *opinions("test")):
        row = annotated_row(answer)
        if row is not None:
            found.setdefault(answer.file, []).append((answer, row))
    return found


def annotated_row(answer: Answer) -> lr.Row | None:
    """An answer as it is learnt from, as `lr.annotated_rows` makes it."""
    if not answer.scored or answer.label is None:
        return None
    k = len(answer.options)
    if answer.label in ("X", "Y") and answer.label not in answer.letters:
        truth = k + lr.STATUSES.index("none" if answer.label == "X" else "refusal")
    else:
        truth = answer.letters.index(answer.label)
    return lr.make_row(
        answer.id, *(lr.annotated_group(answer),) * 2, "annotated", lr.ANNOTATED, truth,
        answer.options, answer.letters, answer.response, None, answer.question, answer._asdict(),
    )  # fmt: skip


def files_left_out(corpus: Sequence[lr.Row], alone: Learnt) -> list[str]:
    """Each file as shipped, learnt without it, and learnt without any labelled answer."""
    files = annotated()
    shipped = shipped_weights()
    lines = [
        "| file | scored | wrong as shipped | wrong, file left out | of these unclear | wrong, no"
        " labelled answer learnt | of these unclear | .9 and more, file left out | of those"
        " right |",
        "|---" * 9 + "|",
    ]
    totals, right = np.zeros(7, int), 0
    for file, pairs in files.items():
        rest = [row for name, some in files.items() if name != file for _, row in some]
        without = unseen_decisions([*corpus, *rest])[1]
        own = [row for _, row in pairs]
        told = [without.decide(row) for row in own]
        high = [
            one.best == row.truth
            for row, one in zip(own, told, strict=True)
            if one.confidence >= 0.9
        ]
        numbers = [len(own), wrong(own, shipped)[0], *wrong(own, without)]
        numbers += [*wrong(own, alone), len(high)]
        totals += np.array(numbers)
        right += sum(high)
        lines.append(line_of(file, numbers, sum(high)))
        print(lines[-1], file=sys.stderr, flush=True)
    lines.append(line_of("all", [int(n) for n in totals], right))
    return lines


def line_of(name: str, numbers: Sequence[int], right: int) -> str:
    cells = " | ".join(f"{n:,}" for n in numbers)
    share = right / numbers[-1] if numbers[-1] else 0.0
    return f"| {name} | {cells} | {share:.4f} |"


def wrong(some: Sequence[lr.Row], by: Learnt) -> tuple[int, int]:
    """Rows not read as people did, unclear ones among them; and how many of these are unclear."""
    bad = unclear = 0
    for row in some:
        one = by.decide(row)
        clear = by.clear(row, one)
        bad += one.best != row.truth or not clear
        unclear += not clear
    return bad, unclear


def shipped_weights() -> Learnt:
    """What is in the package."""
    found = json.loads(lr.WEIGHTS.read_text())
    # Caution is part of the weights of trust.
    plain = lr.Scale({"answer": 1.0, "other": 1.0}, found["thresholds"])
    return Learnt(found["weights"], found["trust"], plain)


def parsed_files() -> list[str]:
    """Recorded files that a study's own code parsed: how often the reader agrees with it."""
    lines = [
        "| file | parsed | read as parsed | another choice | no choice or unclear |",
        "|---|---|---|---|---|",
    ]
    folder = shared()
    items = {row["id"]: row for row in rows(folder / "data/mmlu/mmlu_test.jsonl.gz")}
    sets: dict[str, Iterable[dict[str, Any]]] = {
        "MIRAGE": rows(folder / "responses/mirage/mirage_mmlu.jsonl.gz"),
        "HELM MMLU": rows(folder / "responses/helm_mmlu/helm_mmlu_completions.jsonl.gz"),
    }
    reader = TextReader()
    letters = tuple(string.ascii_uppercase)
    for name, answers in sets.items():
        counts = [0, 0, 0, 0]
        for row in answers:
            item = items.get(row["item_id"])
            if item is None or not row["parsed"] or not row["response"]:
                continue
            labels = letters[: len(item["options"])]
            if row["parsed"] not in labels:
                continue
            found = reader.read(row["response"], item["options"], labels, question=item["question"])
            agrees = found.positions == (labels.index(row["parsed"]),)
            counts[0] += 1
            counts[1 if agrees else 2 if found.positions else 3] += 1
        lines.append(f"| {name} | " + " | ".join(f"{n:,}" for n in counts) + " |")
    return lines


def peers(
    decided: Sequence[tuple[lr.Row, Decided]], learnt: Learnt, where: dict[str, str]
) -> list[str]:
    """Chosen options read rightly, and choices that were not made, part by part."""
    by_part = {part: examples(part) for part in SEEN}
    head = "".join(
        f" | {part}: right of {sum(e.position is not None for e in known):,} | wrong of"
        f" {len(known):,}"
        for part, known in by_part.items()
    )
    lines = [f"| reader{head} |", "|---" * (1 + 2 * len(by_part)) + "|"]
    reader = TextReader()
    shipped = {
        e.id: reader.read(
            e.response, e.options, e.labels, finish_reason=e.finish_reason, question=e.question
        )
        for known in by_part.values()
        for e in known
    }
    first = {i: r.positions[0] if r.status == "answer" else None for i, r in shipped.items()}
    lines.append(peer_line("horsesense `text`, as shipped", by_part, first))
    unseen = {row.id: option_of(row, one, learnt) for row, one in decided}
    lines.append(peer_line("the same, kinds and writers left out", by_part, unseen))
    for package, before in PACKAGES.items():
        python = Path(where[package]) if package in where else None
        answers = [answer_of(e) for known in by_part.values() for e in known]
        for name, letters in peer(package, before, answers, python).items():
            chosen = {
                a.id: a.letters.index(letter) if letter in a.letters else None
                for a, letter in zip(answers, letters, strict=True)
            }
            lines.append(peer_line(name, by_part, chosen))
    return lines


def option_of(row: lr.Row, one: Decided, learnt: Learnt) -> int | None:
    """The option that is read; None for a status, for what is no candidate and for `unclear`."""
    return one.best if 0 <= one.best < row.k and learnt.clear(row, one) else None


def peer_line(name: str, by_part: dict[Part, Any], chosen: dict[str, int | None]) -> str:
    cells = []
    for known in by_part.values():
        picks = [e for e in known if e.position is not None]
        right = sum(chosen[e.id] == e.position for e in picks) / len(picks)
        bad = sum(chosen[e.id] is not None and chosen[e.id] != e.position for e in known)
        cells += [f"{100 * right:.1f}", f"{100 * bad / len(known):.1f}"]
    return f"| {name} | " + " | ".join(cells) + " |"


def put(name: str, lines: Sequence[str]) -> None:
    """Put a table between its markers."""
    text = PAGE.read_text(encoding="utf-8")
    start, end = f"<!-- reader_unseen {name} -->\n", "<!-- end -->"
    found = re.search(re.escape(start) + r".*?" + re.escape(end), text, re.DOTALL)
    if found is None:
        raise SystemExit(f"{PAGE.name} has no place for the table {name!r}: {start.strip()}")
    new = start + "\n".join(lines) + "\n" + end
    PAGE.write_text(text[: found.start()] + new + text[found.end() :], encoding="utf-8")


def draw(decided: Sequence[tuple[lr.Row, Decided]]) -> None:
    """The reliability diagram (extra `figures`)."""
    import vl_convert

    points = [
        {"confidence": mean, "right": right, "low": a, "high": b, "n": n}
        for _, _, n, mean, right, (a, b) in banded(decided)
    ]
    line = {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]}
    scale = {"domain": [0, 1]}
    x = {"field": "confidence", "type": "quantitative", "scale": scale}
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 320,
        "height": 320,
        "layer": [
            {
                "data": line,
                "mark": {"type": "line", "color": "#bbb", "strokeDash": [4, 4]},
                "encoding": {
                    "x": {"field": "x", "type": "quantitative", "title": "confidence"},
                    "y": {"field": "y", "type": "quantitative", "title": "share right"},
                },
            },
            {
                "data": {"values": points},
                "mark": {"type": "rule", "color": "#4c78a8"},
                "encoding": {
                    "x": x,
                    "y": {"field": "low", "type": "quantitative"},
                    "y2": {"field": "high"},
                },
            },
            {
                "data": {"values": points},
                "mark": {"type": "point", "filled": True, "opacity": 1, "color": "#4c78a8"},
                "encoding": {
                    "x": x,
                    "y": {"field": "right", "type": "quantitative"},
                    "size": {"field": "n", "type": "quantitative", "title": "replies"},
                },
            },
        ],
    }
    DIAGRAM.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
