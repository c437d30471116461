"""Write docs/measured/reliability.md: what was tried to break horsesense, and with what result.

    python scripts/reliability.py --minutes 60    # tries for an hour each, then writes
    python scripts/reliability.py                 # writes what was tried before

Results are kept in docs/measured/reliability/*.json, one file a kind; KIND-NAME.json is another
try, such as one that `scripts/fuzz --save` wrote.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from horsesense.version import __version__

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "docs" / "measured" / "reliability"
HEAD = """# Reliability

What was tried to break horsesense, how often, and with what result. `python scripts/reliability.py`
wrote this page; `--minutes 60` tries everything again, an hour for each of the two that never end.
Earlier series, with what they found, are in the history.

- **Disorder** (`scripts/chaos`): up to six faults, kills, full disks, budgets and resumes happen to
  a run in random order. Afterwards an audit must give the estimates of an undisturbed run, its
  account must hold all that the server counted, and nothing may have been asked again but what was
  in flight when a process died.
- **Foreign bytes** (`scripts/fuzz`): everything that is read from outside is changed value by value
  and byte by byte. Allowed are a result or one of our errors, within 20 s of processor time.

| tried | how often | result | command | when |
|---|---|---|---|---|
"""
TAIL = """
Chaos 512603 found what stands as a limit in [attacks](attacks.md): a run that was moved between
two rounds was written at its old name. Its seed showed it in one of three further series. The rest
found nothing. Known weaknesses of dependencies were not looked up: `scripts/supply.py` reached no
advisory service.
"""
TRIES = {
    "chaos": [sys.executable, "-m", "chaos", "--runs", "5000"],
    "fuzz": [sys.executable, "-m", "fuzzing", "--growth"],
}
TESTS = {
    "pages": ("tests/report/test_hostile_texts.py", "attacking texts in Chromium"),
    "spreadsheets": ("tests/extras/people/test_spreadsheet.py", "formulas in files for reviewers"),
    "kills": ("tests/testing/test_faults.py", "each kind of fault, and 20 kills of one run"),
    "budgets": ("tests/testing/test_budgets.py", "each kind of fault under each kind of budget"),
    "damage": ("tests/inference/test_damage.py", "single bits of stored answers"),
    "ray": (
        "-m harness tests/extras/integrations/test_ray_engine.py",
        "worker, node and driver of Ray killed",
    ),
}


def attempt(minutes: float, names: Collection[str]) -> None:
    """Try what is named and keep what came of it."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    environment = {**os.environ, "PYTHONPATH": path}
    for name in [name for name in TRIES if name in names]:
        save = ["--minutes", str(minutes), "--save", str(KEPT / f"{name}.json")]
        subprocess.run([*TRIES[name], *save], cwd=ROOT, env=environment, check=False)
        keep(name, json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8")))
    for name in [name for name in TESTS if name in names]:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:xdist",
            "-ra",
            *TESTS[name][0].split(),
        ]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True
        )
        lines = done.stdout.strip().splitlines()
        skipped = [line for line in lines if line.startswith("SKIPPED")]
        keep(name, {"summary": lines[-1] if lines else "", "skipped": skipped})


def keep(name: str, found: dict[str, Any]) -> None:
    """Store a result with when and where it was."""
    found["on"] = date.today().isoformat()
    system = f"Python {platform.python_version()}, {platform.system()}"
    found["with"] = f"horsesense {__version__}, {system}"
    (KEPT / f"{name}.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def rows() -> Iterator[tuple[str, ...]]:
    """What was tried: what, how often, the result, the command, and when."""
    for path in sorted(KEPT.glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        when = ", ".join(found[name] for name in ("on", "with") if name in found)
        yield *row(path.stem.partition("-")[0], found), when or "before its date was kept"


def row(kind: str, found: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """The same of one result, but for when."""
    command = f"`{found.get('command', f'scripts/{kind}')}`"
    if kind == "chaos" and found["what"] == "damage":
        often = f"{found['tried']:,} of {found['of']:,} commands over a damaged run"
        result = f"{found['codes'].get('70', 0)} said 'unexpected' (exit code 70), no traceback"
        return "every command, each damage", often, result, command
    if kind == "chaos":
        often = f"{found['runs']:,} runs, {found['calls']:,} calls of the server"
        return "audits in disorder", often, f"{found['findings']} found", command
    if kind == "fuzz":
        often = f"{sum(found['rounds'].values()):,} inputs of {len(found['rounds'])} kinds"
        return "changed bytes", often, f"{len(found['findings'])} found", command
    tests, what = TESTS[kind]
    result = ", ".join([found["summary"], *found["skipped"]]).replace("|", "/")
    return what, "", result, f"`pytest {tests}`"


def main() -> None:
    words = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    words.add_argument("--minutes", type=float, help="Try everything again, so long each.")
    words.add_argument("--only", nargs="*", default=(*TRIES, *TESTS), help="Of all that is tried.")
    given = words.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    if given.minutes is not None:
        attempt(given.minutes, given.only)
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows())
    (KEPT.parent / "reliability.md").write_text(HEAD + table + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main()
