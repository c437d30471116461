"""False accusations of innocent models, and how often guilty ones are found, in whole studies.

    python benchmarks/verdict_errors.py --studies 20 --items 40,100
    python benchmarks/verdict_errors.py --studies 200 --items 12,40,100,400
    python benchmarks/verdict_errors.py --guilty --studies 20 --items 400

Every study has new items (simulated answers are hashes of item and prompt) and goes through the
production code, without a report. A false accusation is a finding whose null holds for the model,
a false clearance one that is ruled out although it is as large as the size that matters.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

import orjson

from horsesense.api import Run
from horsesense.findings.finding import Finding
from horsesense.models.registry import make_model
from horsesense.runs.settings import Settings

EVERYTHING = frozenset(("*",))
INNOCENT = {
    # model: names of findings that are true of it. Guesses are drawn anew when the same prompt is
    # asked again, so that orders and labels change no more answers than a repeat does.
    "sim:oracle": frozenset(),
    "sim:prior?know=0.9&prior=1,1,1,1": frozenset(),
    "sim:prior?know=0.6&prior=1,1,1,1": frozenset(),
    "sim:prior?know=0.3&prior=1,1,1,1": frozenset(),
    "sim:uniform": frozenset(("no_better_than_guessing", "no_agreement")),
}
GUILTY = {
    # model: the finding that must be there.
    "sim:position?k=1": "position_preference",
    "sim:prior?know=0&prior=30,23,23,24": "position_preference",
    "sim:prior?know=0.6&prior=70,10,10,10": "position_preference",
    "sim:ranker": "none_option",
    "sim:talker?disagree=0.1": "first_token",
    "sim:refuse": "no_choice",
}


def items_file(path: Path, n: int, study: int) -> Path:
    rows = [
        {
            "id": f"s{study}-{i}",
            "question": f"Study {study}: which of these is number {i}?",
            "options": [f"answer {study}.{i}.{j}" for j in range(4)],
            "answer_index": i % 4,
        }
        for i in range(n)
    ]
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def study(model: str, suite: str, n: int, number: int) -> tuple[Finding, ...]:
    """The verdict on one model over `n` new items."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        settings = Settings.of(
            items=str(items_file(root / "items.jsonl", n, number)),
            model=model,
            suite=suite,
            draws=100,
            seed=number,
        )
        run = Run.start(root / "run", settings)
        run.ask(make_model(model))
        run.read()
        run.measure()
        return run.results.verdict


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=20)
    parser.add_argument("--items", default="40,100")
    parser.add_argument("--suites", default="basic")
    parser.add_argument("--models", default="")
    parser.add_argument("--guilty", action="store_true")
    options = parser.parse_args()
    models = dict.fromkeys(options.models.split()) or (GUILTY if options.guilty else INNOCENT)
    print("model | suite | items | accused of (studies)", flush=True)
    for suite in options.suites.split(","):
        for n in map(int, options.items.split(",")):
            for model in models:
                start = time.perf_counter()
                counts: Counter[str] = Counter()
                accused = 0
                for number in range(options.studies):
                    found = {f.name for f in study(model, suite, n, number) if f.kind == "found"}
                    counts.update(found)
                    accused += bool(found - INNOCENT.get(model, EVERYTHING))
                took = time.perf_counter() - start
                if options.guilty:
                    said = f"{GUILTY[model]}: {counts[GUILTY[model]]} of {options.studies}"
                else:
                    said = f"falsely accused: {accused} of {options.studies}"
                row = (model, suite, n, said, dict(counts), f"{took:.0f} s")
                print(*row, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
