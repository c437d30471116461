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
    PRIOR,
    Row,
    Scale,
    annotated_rows,
    cautious,
    clear,
    corpus_rows,
    feature_names,
    folds,
    learn,
    learn_trust,
    left_out,
    lost_below,
    scale_of,
    tally,
    trust,
    write,
)  # fmt: skip

from horsesense.readers.reading import Reading
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.reader import TextReader
from horsesense.readers.text.weighing.evidence import Evidence
from horsesense_extras.readers.meaning.encoder import SentenceEncoder
from horsesense_extras.readers.meaning.evidence import Texts, texts, with_meaning
from horsesense_extras.readers.meaning.reader import SURE
from horsesense_extras.readers.meaning.vectors import Vectors

WEIGHTS = rules.ROOT / "src/horsesense_extras/readers/meaning/weights.json"
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
    names = feature_names(rows)
    weights = dict(zip(names, learn(rows, names), strict=True))
    scale = scale_of(rows, found, lost_below(rows, weights, learn_trust(rows, decisions)))
    plain = cautious(rows, found, scale)
    stands = [row.features is None or (c >= SURE and clear(row, best, c, scale))
              for row, (best, c) in zip(rows, plain, strict=True)]  # fmt: skip
    told(rows, plain, scale, "rules")
    meant = with_vectors(rows, asked.vectors)
    think_ahead(meant)
    more, _ = left_out(meant, fold)
    open_at = [i for i, stood in enumerate(stands) if not stood]
    seen = list(plain)
    for out in sorted(set(fold)):
        used = [i for i in open_at if out.leaves(fold[i])]
        known = learn_trust([meant[i] for i in used], [more[i] for i in used])
        for i in open_at:
            if fold[i] == out:
                seen[i] = more[i].best, trust(more[i].grounds or {}, known)
    # What the rules read surely stands: it is as if it were said outright.
    settled = [row._replace(features=None, exact=best) if stood else row
               for row, (best, _), stood in zip(meant, seen, stands, strict=True)]  # fmt: skip
    scale = scale_of(settled, seen)
    told(settled, cautious(settled, seen, scale), scale, "rules and meaning")
    if asked.write:
        names = feature_names(meant)
        weights = dict(zip(names, learn(meant, names), strict=True))
        known = learn_trust([meant[i] for i in open_at], [more[i] for i in open_at])
        write(weights, known, scale, sum(row.weight > 0 for row in meant), WEIGHTS)


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


def told(rows: Sequence[Row], said: Sequence[tuple[int, float]], scale: Scale, reader: str) -> None:
    """Print how a reader reads each part."""
    print(f"{reader}: {scale}")
    for part in LEARNT_FROM:
        own = [i for i, row in enumerate(rows) if row.part == part]
        print(f"  {part}", tally([rows[i] for i in own], [said[i] for i in own], scale))


if __name__ == "__main__":
    main()
