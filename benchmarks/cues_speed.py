"""How long `find_cues` takes and what it needs, beside the released method's shape of work.

    python benchmarks/cues_speed.py small            # 3,196 prompts, 3 labels, one split
    python benchmarks/cues_speed.py 9000             # 9,000 prompts of 125 words, one split
    python benchmarks/cues_speed.py folds            # the same, 5 folds, 2 repeats
    python benchmarks/cues_speed.py 200000           # 200,000 prompts, one split
    python benchmarks/cues_speed.py reference        # dense fits of one vector, for the ratio

`small` uses the ANLI rows of the shared benchmark data ($HORSESENSE_SHARED) where they are, and
generated prompts otherwise. Wall time runs from the call; imports are printed apart. Memory is
the largest sum of proportional set sizes (PSS) of the process and its workers, sampled every
0.1 s. Other work on the machine lengthens wall time, so CPU seconds are printed too.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import threading
import time
from pathlib import Path
from typing import Any

STARTED = time.monotonic()

import numpy as np  # noqa: E402
import sklearn.linear_model  # noqa: E402, F401
import syllapy  # noqa: E402

from horsesense.items.item import Item, ItemSet  # noqa: E402
from horsesense.items.load import load_items  # noqa: E402
from horsesense_extras.cue_tests.api import find_cues  # noqa: E402

IMPORTED = time.monotonic() - STARTED


def prompts(n: int, labels: int, words: int = 125, seed: int = 0) -> ItemSet:
    """Prompts of English words with Zipf frequencies; a fifth of them name their label."""
    rng = np.random.default_rng(seed)
    vocabulary = np.array(sorted(syllapy.WORD_DICT))
    rng.shuffle(vocabulary)
    weights = 1 / np.arange(1, len(vocabulary) + 1)
    cumulative = np.cumsum(weights / weights.sum())
    names = tuple(f"label{k}" for k in range(labels))
    items = []
    for i in range(n):
        row = vocabulary[np.searchsorted(cumulative, rng.random(words))].tolist()
        label = int(rng.integers(labels))
        if rng.random() < 0.2:
            row[3] = f"because{label}"
        text = ". ".join(" ".join(row[k : k + 13]) for k in range(0, words, 13))
        items.append(Item(str(i), text, names, label))
    return ItemSet(f"{n} prompts", "label", tuple(items), names)


def small() -> ItemSet:
    root = Path(os.environ.get("HORSESENSE_SHARED", "../shared"))
    path = root / "data/clever_hans_rows/anli.jsonl.gz"
    if path.exists():
        return load_items(path, split="train,validation,test")
    return prompts(3196, 3, words=70)


class Memory:
    """Watches the proportional set size of this process and its children."""

    def __init__(self) -> None:
        self.peak = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.1):
            self.peak = max(self.peak, sum(map(_pss, [os.getpid(), *_children(os.getpid())])))


def _children(pid: int) -> list[int]:
    try:
        tasks = Path(f"/proc/{pid}/task").iterdir()
        return [int(c) for task in tasks for c in (task / "children").read_text().split()]
    except OSError:
        return []


def _pss(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1e3


def cpu() -> float:
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, both))


def measured(items: ItemSet, jobs: int, **settings: Any) -> dict[str, Any]:
    began, used = time.monotonic(), cpu()
    with Memory() as memory:
        result = find_cues(items, jobs=jobs, **settings)
    return {
        "items": len(items),
        "settings": settings,
        "import s": round(IMPORTED, 2),
        "wall s": round(time.monotonic() - began, 2),
        "cpu s": round(cpu() - used, 2),
        "peak MB": round(memory.peak),
        "kappa": round(result.verdict.row.kappa or 0, 3),
        "load": [round(x, 1) for x in os.getloadavg()],
    }


def reference(items: ItemSet) -> dict[str, Any]:
    """The released shape of work for one vector of thirteen: dense float64, three classifiers."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    used = cpu()
    texts = [item.question for item in items]
    y = np.array([item.gold for item in items])
    vectoriser = CountVectorizer(ngram_range=(1, 1), strip_accents="unicode", min_df=2)
    x = vectoriser.fit_transform(texts).toarray().astype(np.float64)
    train = np.arange(len(y)) < 0.6 * len(y)
    for model in (
        LogisticRegression(max_iter=100),
        OneVsRestClassifier(LogisticRegression(solver="liblinear", l1_ratio=1.0)),
        OneVsRestClassifier(LogisticRegression(solver="liblinear", l1_ratio=1.0, C=0.1)),
    ):
        model.fit(x[train], y[train])
    return {"items": len(items), "vectors": 1, "dense MB": round(x.nbytes / 1e6),
            "cpu s": round(cpu() - used, 2)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", choices=["small", "9000", "folds", "200000", "reference"])
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    if args.size == "reference":
        found = reference(small())
    elif args.size == "small":
        found = measured(small(), args.jobs, faithful=True)
    elif args.size == "folds":
        found = measured(prompts(9000, 2), args.jobs, folds=5, repeats=2)
    else:
        found = measured(prompts(int(args.size), 2), args.jobs, folds=1)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
