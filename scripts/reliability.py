"""Write docs/reliability.md: what was tried, how often, with what result.

    python scripts/reliability.py --minutes 60    # tries for an hour each, then writes
    python scripts/reliability.py                 # writes what was tried before

What was tried is kept in docs/reliability/*.json, one file a kind, so that the page says what was
run and nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Collection, Iterator
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "docs" / "reliability"
HEAD = """# Reliability

What was tried to break horsesense, how often, and with what result. Written by
`python scripts/reliability.py`; with `--minutes 60` it tries everything again, an hour for each of
the two that never end. What was found on the way, and was mended, stands below.

"""
TRIES = {
    "chaos": [sys.executable, "-m", "chaos", "--runs", "5000"],
    "fuzz": [sys.executable, "-m", "fuzzing", "--growth"],
}
TESTS = {
    "pages": ("tests/report/test_hostile_texts.py", "more than 300 attacking texts in Chromium"),
    "spreadsheets": ("tests/readers/human/test_spreadsheet.py", "formulas in files for reviewers"),
    "kills": ("tests/testing/test_faults.py", "each kind of fault, and 20 kills of one run"),
    "budgets": ("tests/testing/test_budgets.py", "each kind of fault under each kind of budget"),
    "damage": ("tests/inference/test_damage.py", "single bits of stored answers"),
}


def attempt(minutes: float, names: Collection[str]) -> None:
    """Try what is named and keep what came of it."""
    KEPT.mkdir(exist_ok=True)
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    environment = {**os.environ, "PYTHONPATH": path}
    for name in [name for name in TRIES if name in names]:
        save = ["--minutes", str(minutes), "--save", str(KEPT / f"{name}.json")]
        subprocess.run([*TRIES[name], *save], cwd=ROOT, env=environment, check=False)
        stamp(name)
    for name in [name for name in TESTS if name in names]:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-ra", TESTS[name][0]],
            cwd=ROOT, env=environment, check=False, capture_output=True, text=True,
        )  # fmt: skip
        lines = done.stdout.strip().splitlines()
        skipped = [line for line in lines if line.startswith("SKIPPED")]
        found = {"summary": lines[-1] if lines else "", "skipped": skipped}
        (KEPT / f"{name}.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        stamp(name)


def stamp(name: str) -> None:
    """Say when and where it was."""
    path = KEPT / f"{name}.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    found["on"] = date.today().isoformat()
    found["with"] = (
        f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} cores"
    )
    path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def page() -> str:
    """The whole page."""
    return "".join([HEAD, *_table(), *_chaos(), *_fuzz(), _mended()])


def _kept(name: str) -> dict[str, Any]:
    path = KEPT / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _table() -> Iterator[str]:
    yield _row("tried", "how often", "result", "when") + _row(*["---"] * 4)
    if chaos := _kept("chaos"):
        often = (
            f"{chaos['runs']:,} runs of {chaos['processes']:,} processes,"
            f" {chaos['calls']:,} calls of the server, {_time(chaos['seconds'])}"
        )
        yield _row("audits in disorder", often, _found(chaos["findings"]), _when(chaos))
    if fuzz := _kept("fuzz"):
        often = (
            f"{sum(fuzz['rounds'].values()):,} inputs of {len(fuzz['rounds'])} kinds,"
            f" {_time(fuzz['seconds'])}"
        )
        yield _row("changed bytes", often, _found(len(fuzz["findings"])), _when(fuzz))
    for name, (tests, what) in TESTS.items():
        if found := _kept(name):
            result = ", ".join([found["summary"], *found["skipped"]]).replace("|", "/")
            yield _row(what, f"`{tests}`", result, _when(found))


DISORDER = """
## Disorder

`scripts/chaos`. A run is a directory to which up to six things happen in any order. Then an
undisturbed audit must give, to the last digit, the estimates of a run that nothing disturbed; its
account must hold all that the server counted; nothing may have been asked again but what was in
flight when a process died.

"""
BYTES = """
## Foreign bytes

`scripts/fuzz`. Seeds are changed value by value and byte by byte. Allowed are a result and an error
of ours, within 20 s of CPU time.

"""


def _chaos() -> Iterator[str]:
    if chaos := _kept("chaos"):
        yield DISORDER + _row("what happened", "times") + _row("---", "---")
        yield from (_row(name, f"{times:,}") for name, times in chaos["tried"].items())


def _fuzz() -> Iterator[str]:
    if fuzz := _kept("fuzz"):
        yield BYTES + _row("read", "inputs", "of them accepted") + _row(*["---"] * 3)
        for name, rounds in fuzz["rounds"].items():
            yield _row(name, f"{rounds:,}", f"{fuzz['accepted'].get(name, 0):,}")
        for kind, where in fuzz["findings"].items():
            yield f"\nFound: {kind} ({where}).\n"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _mended() -> str:
    path = KEPT / "mended.md"
    return "\n" + path.read_text(encoding="utf-8") if path.exists() else ""


def _found(number: int) -> str:
    return f"{number} found (see below)" if number else "nothing found"


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes"


def _when(found: dict[str, Any]) -> str:
    return f"{found.get('on', '?')}, {found.get('with', '?')}"


def main() -> None:
    words = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    words.add_argument("--minutes", type=float, help="Try everything again, so long each.")
    words.add_argument("--stamp", nargs="*", default=(), help="Results that were made today, here.")
    words.add_argument("--only", nargs="*", default=(*TRIES, *TESTS), help="Of all that is tried.")
    given = words.parse_args()
    if given.minutes is not None:
        attempt(given.minutes, given.only)
    for name in given.stamp:
        stamp(name)
    (ROOT / "docs" / "reliability.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
