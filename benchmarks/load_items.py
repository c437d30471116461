"""Reading and checking items, against parsing the same lines and doing nothing with them.

Run: python benchmarks/load_items.py [--repeats 5]
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from horsesense.items.load import load_items

WORDS = ("river", "stone", "quiet", "lamp", "seven", "green", "never", "the", "a", "of", "3.5")


def text(rng: random.Random, low: int, high: int) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(low, high)))


def choice_row(rng: random.Random, n: int) -> dict[str, object]:
    options = [f"{text(rng, 2, 9)} {position}" for position in range(4)]
    question = f"{n} {text(rng, 15, 50)}?"
    return {"id": f"q{n}", "question": question, "options": options, "answer_index": n % 4}


def label_row(rng: random.Random, n: int) -> dict[str, object]:
    return {"id": f"t{n}", "text": f"{n} {text(rng, 8, 30)}", "label": f"intent_{n % 77}"}


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """Least processor time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def parse(path: Path) -> None:
    with path.open("rb") as lines:
        for line in lines:
            orjson.loads(line)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeats", type=int, default=5)
    repeats = arguments.parse_args().repeats
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        for name, make, count in [("choice", choice_row, 50_000), ("label", label_row, 200_000)]:
            path = Path(folder, f"{name}.jsonl")
            path.write_text("".join(json.dumps(make(rng, n)) + "\n" for n in range(count)))
            bare = best_of(repeats, lambda path=path: parse(path))  # type: ignore[misc]
            loaded = best_of(repeats, lambda path=path: load_items(path))  # type: ignore[misc]
            print(
                f"{name}: {count:,} items, {path.stat().st_size / 1e6:.0f} MB: "
                f"parsed {bare:.2f} s, loaded and checked {loaded:.2f} s ({loaded / bare:.1f} x)"
            )


if __name__ == "__main__":
    main()
