#!/usr/bin/env python
"""Learn the weights of `text+meaning`: the rules' evidence and that of sentences, together.

    python scripts/learn_meaning.py [--write] [--vectors FILE.npz]

After `learn_reader.py`, on the same replies. Which replies the rules read surely is taken from
weights that did not see the kinds that are read; the others are read by rules and meaning, and
confidence and threshold are learnt on those. Prints both readers side by side, with kinds that are
alike and writers left out; `--write` puts the weights into the package. `--vectors` keeps the
vectors of all texts in a file, so that they are worked out once.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import learn_reader as rules
import numpy as np
from learn_reader import (
    ANNOTATED,
    LEARNT_FROM,
    OTHER,
    PRIOR,
    Row,
    annotated_rows,
    calibration,
    corpus_rows,
    feature_names,
    folds,
    learn,
    learn_trust,
    left_out,
    sure,
    thresholds,
    trust,
    write,
)  # fmt: skip

from horsesense.readers.model_based.meaning.encoder import SentenceEncoder
from horsesense.readers.model_based.meaning.evidence import Texts, texts, with_meaning
from horsesense.readers.model_based.meaning.reader import SURE
from horsesense.readers.model_based.meaning.vectors import Vectors
from horsesense.readers.reading import Reading
from horsesense.readers.text.evidence import Evidence
from horsesense.readers.text.reader import TextReader
from horsesense.readers.text.targets import Scene

WEIGHTS = rules.ROOT / "src/horsesense/readers/model_based/meaning/weights.json"
NEAREST = 1.0
"""What it is thought to weigh that a text is the nearest, where the reply names no option."""
SAYS = 0.8
"""What likeness to the sayings of a status is thought to weigh."""


class Listener(TextReader):
    """The text reader, which keeps what it weighed."""

    found: Evidence
    given: Texts

    def weigh(self, scene: Scene, found: Evidence) -> Reading:
        self.found, self.given = found, texts(scene)
        return super().weigh(scene, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    parser.add_argument("--vectors", type=Path, help="keep the vectors of all texts here")
    asked = parser.parse_args()
    parts = {part: list(corpus_rows(part, weight)) for part, weight in LEARNT_FROM.items()}
    rows = [row for some in parts.values() for row in some] + list(annotated_rows())
    fold = folds(rows, joint=True)
    decisions, found = left_out(rows, fold)
    knots = calibration(rows, found)
    plain = [sure(t, knots) for _, t in found]
    limits = thresholds(rows, found, knots)
    told(parts, rows, [best for best, _ in found], plain, limits, "rules")
    meant = with_vectors(rows, asked.vectors)
    think_ahead(meant)
    more, seen = left_out(meant, fold)
    open_at = [i for i, d in enumerate(more) if d.grounds is not None and plain[i] < SURE]
    seen = [(d.best, 2.0) for d in decisions]
    for out in sorted(set(fold)):
        used = [i for i in open_at if out.leaves(fold[i])]
        known = learn_trust([meant[i] for i in used], [more[i] for i in used])
        for i in open_at:
            if fold[i] == out:
                seen[i] = more[i].best, trust(more[i].grounds or {}, known)
    knots = calibration([meant[i] for i in open_at], [seen[i] for i in open_at])
    limits = thresholds(meant, seen, knots)
    settled = {i: sure(seen[i][1], knots) for i in open_at}
    surely = [settled.get(i, max(c, SURE)) for i, c in enumerate(plain)]
    told(parts, rows, [best for best, _ in seen], surely, limits, "rules and meaning")
    if asked.write:
        names = feature_names(meant)
        weights = dict(zip(names, learn(meant, names), strict=True))
        known = learn_trust([meant[i] for i in open_at], [more[i] for i in open_at])
        write(weights, knots, limits, known, len(meant), WEIGHTS)


def with_vectors(rows: Sequence[Row], kept: Path | None) -> list[Row]:
    """The rows with evidence of meaning; annotated ones, and what is read outright, as they are."""
    reader = Listener()
    heard: dict[int, tuple[Evidence, Texts]] = {}
    for i, row in enumerate(rows):
        if row.features is None or row.weight == ANNOTATED:
            continue
        of = row.source
        reader.read(
            of["response"], of["options"], of["labels"],
            finish_reason=of["finish_reason"], question=of["question"],
        )  # fmt: skip
        heard[i] = reader.found, reader.given
    vectors = load(kept)
    missing = sorted({t for _, given in heard.values() for t in given.each()} - vectors.keys())
    if missing:
        vectors.update(zip(missing, SentenceEncoder().vectors(missing), strict=True))
        if kept is not None:
            np.savez(kept, texts=json.dumps([*vectors]), vectors=np.stack([*vectors.values()]))
    found = list(rows)
    for i, (evidence, given) in heard.items():
        found[i] = rows[i]._replace(features=with_meaning(evidence, given, vectors).features)
    return found


def load(kept: Path | None) -> dict[str, Vectors]:
    if kept is None or not kept.is_file():
        return {}
    with np.load(kept, allow_pickle=False) as file:
        return dict(zip(json.loads(str(file["texts"])), file["vectors"], strict=True))


def think_ahead(rows: Sequence[Row]) -> None:
    """Give the evidence of meaning the weights that it is thought to have."""
    for name in {name for row in rows for one in row.features or () for name in one}:
        if name.startswith("unnamed ") and name.endswith(("_margin", "_top")):
            PRIOR[name] = NEAREST
        elif "|" in name and "meaning:" in name:
            PRIOR[name] = SAYS


def told(
    parts: dict[str, list[Row]], rows: Sequence[Row], best: Sequence[int],
    confidence: Sequence[float], limits: dict[str, float], reader: str,
) -> None:  # fmt: skip
    """Print how a reader reads each part."""
    start = 0
    for part, some in parts.items():
        n, places = len(some), range(start, start + len(some))
        right = [best[i] == rows[i].truth for i in places]
        choice = [0 <= best[i] < rows[i].k for i in places]
        clear = [
            confidence[i] >= limits["answer" if chosen else "other"]
            for i, chosen in zip(places, choice, strict=True)
        ]
        high = [ok for ok, i in zip(right, places, strict=True) if confidence[i] >= SURE]
        print(
            f"{reader:18} {part:12} n {n} threshold {limits['answer']:.3f} (other {OTHER}): "
            f"likeliest right {np.mean(right):.3f}, right {np.mean(np.array(right) & clear):.3f}, "
            f"wrong choice {np.mean(~np.array(right) & choice & clear):.4f}, "
            f"unclear {1 - np.mean(clear):.3f}, from {SURE} {len(high) / n:.3f}, "
            f"of those right {np.mean(high):.3f}"
        )
        start += n


if __name__ == "__main__":
    main()
