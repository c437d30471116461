"""The published heat map again: paper mode on the rows, order and split of the paper.

    HORSESENSE_SHARED=DIR python benchmarks/cues_published.py

Prints, per data set, how many of the twelve n-gram cells lie within 0.02 of the published ones,
each cell that does not, and the readability cell beside the published one.
"""

from __future__ import annotations

import os
from pathlib import Path

from horsesense.items.load import load_items
from horsesense_extras.cue_tests.api import find_cues
from horsesense_extras.cue_tests.features import NGRAMS, READABILITY

PUBLISHED = {  # kappa_uniform of the n-gram vectors in the order of NGRAMS, then readability
    "anli": ".01 -.01 .01 -.01 .03 .04 .03 -.03 .03 -.03 .06 -.05 .08",
    "babi_task_16": ".21 .21 .21 .21 .25 .25 .26 .23 .26 .23 .25 .25 .06",
    "commonsense_qa_2": ".08 .09 .08 .09 .08 .18 .13 .09 .13 .09 .07 .10 .03",
    "fantasy_reasoning": ".49 .49 .49 .49 .49 .49 .49 .49 .49 .49 .49 .49 .28",
    "metaphor_boolean": ".11 .11 .11 .11 .11 .11 .11 .11 .11 .11 .11 .11 .11",
    "wanli": ".16 .15 .16 .15 .23 .20 .14 .20 .14 .20 .20 .20 .20",
}
NEAR = 0.02 + 0.0001  # the published cells have two decimals


def main() -> None:
    root = Path(os.environ.get("HORSESENSE_SHARED", "../shared"))
    near = 0
    for name, cells in PUBLISHED.items():
        path = root / f"data/clever_hans_rows/{name}.jsonl.gz"
        items = load_items(path, split="train,validation,test")
        result = find_cues(items, faithful=True, presence_bug=True)
        published = [float(cell) for cell in cells.split()]
        rows = [result.row(vector.name) for vector in NGRAMS]
        far = [
            (row.features, round(row.kappa_uniform, 3), cell)
            for row, cell in zip(rows, published[:12], strict=True)
            if abs(row.kappa_uniform - cell) > NEAR
        ]
        near += 12 - len(far)
        readability = result.row(READABILITY).kappa_uniform
        print(f"{name}: {12 - len(far)} of 12 near, far: {far}; "
              f"readability {readability:.2f}, published {published[12]:.2f}")  # fmt: skip
    print(f"{near} of 72 cells within 0.02")


if __name__ == "__main__":
    main()
