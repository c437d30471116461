"""What a tree says today, frozen, so that a later tree can be held against it.

    python scripts/net.py freeze OUT [--horsesense PROGRAM] [--shared FOLDER] [--quick]
    python scripts/net.py compare OLD NEW

`freeze` runs the command line of one installation over every suite, every log and every set of
replies and items, and writes what it says as JSON lines: estimates, findings, readings and flaws.
`compare` lists what differs, counted by measure, kind and file, with three examples of each.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

SUITES = ("basic", "revas", "know-no", "multi-problem", "look-at-text")
MODELS = ("sim:prior", "sim:position?k=1", "sim:talker", "sim:stubborn", "sim:refuse")
SETS = ("sample", "data/mmlu/mmlu_test.jsonl.gz", "data/agnews/agnews_test_sample.jsonl.gz")
WHERE = ("measure", "probe", "condition", "reader", "group")
NUMBERS = ("value", "low", "high", "n", "n_missing")
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    freeze = verbs.add_parser("freeze")
    freeze.add_argument("out", type=Path)
    freeze.add_argument("--horsesense", default="horsesense")
    freeze.add_argument("--shared", type=Path, default=Path("../shared"))
    freeze.add_argument("--quick", action="store_true", help="fewer replies and items")
    parts = ("audits", "logs", "replies", "checks")
    freeze.add_argument("--only", nargs="*", choices=parts, default=parts)
    compare = verbs.add_parser("compare")
    compare.add_argument("old", type=Path)
    compare.add_argument("new", type=Path)
    given = parser.parse_args()
    if given.verb == "compare":
        compare_folders(given.old, given.new)
        return
    net = Net(given.horsesense, given.shared.resolve(), given.out, 40 if given.quick else 200)
    for part in given.only:
        getattr(net, part)()


class Net:
    """One installation, asked for everything it says."""

    def __init__(self, program: str, shared: Path, out: Path, rows: int) -> None:
        self.program, self.shared, self.out, self.rows = program, shared, out, rows
        out.mkdir(parents=True, exist_ok=True)

    def run(self, *words: str, told: bool = False) -> str | None:
        """What the command prints; None where it fails, which is told."""
        done = subprocess.run([self.program, *words], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1) and not told:
            print(" ".join(words), "->", done.returncode, done.stderr[-300:], file=sys.stderr)
        return done.stdout if done.returncode in (0, 1) else None

    def write(self, name: str, rows: Iterator[Row]) -> None:
        with (self.out / f"{name}.jsonl").open("a") as file:
            for row in rows:
                file.write(json.dumps(row, sort_keys=True) + "\n")

    def audits(self) -> None:
        """Estimates and findings of every suite, as it is and faithful."""
        for items, suite, faithful, model in product(SETS, SUITES, (False, True), MODELS):
            path = items if items == "sample" else str(self.shared / items)
            if items != "sample" and (model not in MODELS[:2] or faithful):
                continue
            words = ["audit", path, "-m", model, "--suite", suite, "--limit", str(self.rows // 2)]
            case = f"{Path(items).name} {suite} {'faithful ' if faithful else ''}{model}"
            self.measured(case, *words, *(["--faithful"] if faithful else []))

    def logs(self) -> None:
        """Estimates and findings of every log."""
        for path in sorted((self.shared / "logs").rglob("*")):
            if path.suffix in (".eval", ".jsonl") or path.name in ("arc_qwen.json",):
                self.measured(path.name, "import", str(path))
        self.measured("helm", "import", str(self.shared / "logs/helm/mmlu_philosophy_gpt2"))

    def measured(self, case: str, *words: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            if self.run(*words, "--out", f"{folder}/run") is None:
                self.write("failed", iter([{"case": case}]))
                return
            found = next(Path(folder).rglob("estimates.json"), None)
            told = json.loads(found.read_text()) if found else {"estimates": [], "verdict": []}
            for kind, numbers in (("estimates", NUMBERS), ("verdict", ("value", "conclusion"))):
                rows = ({"case": case, **row} for row in told[kind])
                self.write(kind, (_kept(row, numbers) for row in rows))

    def replies(self) -> None:
        """Readings of the first replies of every file that `read` takes."""
        items = _by_id(self.shared)
        for path in sorted((self.shared / "responses").rglob("*.jsonl.gz")):
            rows = [
                {"options": items.get(row.get("item_id") or row.get("id")), **row}
                for row in _rows(path, self.rows)
            ]
            rows = [row for row in rows if row["options"] and row.get("response")]
            if not rows:
                continue
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "replies.jsonl"
                file.write_text("".join(json.dumps(row) + "\n" for row in rows))
                told = self.run("read", str(file), "--json")
            case = f"{path.parent.name}/{path.name}"
            if told is None:
                self.write("failed", iter([{"case": case}]))
                continue
            readings = [json.loads(line) for line in told.splitlines()]
            kept = ("id", "status", "positions")
            self.write(
                "readings",
                (
                    {"case": case, "row": n, **{k: row.get(k) for k in kept}}
                    for n, row in enumerate(readings)
                ),
            )

    def checks(self) -> None:
        """How often each rule speaks, for every set of items."""
        for path in sorted((self.shared / "data").rglob("*.jsonl.gz")):
            told = self.run("check", str(path), "--limit", "1000", "--json", told=True)
            if told is None:
                self.write("failed", iter([{"case": f"check {path.name}"}]))
                continue
            case = f"{path.parent.name}/{path.name}"
            found = [f for part in json.loads(told)["sets"] for f in part["findings"]]
            self.write(
                "checks", ({"case": case, "rule": f["rule"], "count": f["count"]} for f in found)
            )


def _kept(row: Row, numbers: tuple[str, ...]) -> Row:
    """A row without its words; the conclusion under its new name."""
    row = {"measure": row.get("name"), "conclusion": row.get("kind"), **row}
    if row["conclusion"] == "cannot_tell":
        row["conclusion"] = "undecided"
    return {key: row.get(key) for key in ("case", *WHERE, *numbers)}


def _rows(path: Path, most: int) -> Iterator[Row]:
    with gzip.open(path, "rt") as file:
        yield from (json.loads(line) for line in islice(file, most))


def _by_id(shared: Path) -> dict[str, list[str]]:
    """The options of every item, by its id."""
    paths = [shared / "responses/mmlu_pro/items.jsonl.gz", *(shared / "data").rglob("*.jsonl.gz")]
    return {
        row["id"]: row["options"]
        for path in paths
        for row in _rows(path, 10**9)
        if "id" in row and "options" in row
    }


def compare_folders(old: Path, new: Path) -> None:
    """Print what differs, by file and by what it is of."""
    for path in sorted({*old.glob("*.jsonl"), *new.glob("*.jsonl")}, key=lambda p: p.name):
        before, after = (_keyed(folder / path.name) for folder in (old, new))
        differing: dict[str, list[str]] = defaultdict(list)
        for key in before.keys() | after.keys():
            was, now = before.get(key), after.get(key)
            if was != now:
                what = [k for k in (was or now or {}) if (was or {}).get(k) != (now or {}).get(k)]
                title = json.loads(key).get("measure") or json.loads(key).get("case")
                kind = "gone" if now is None else "new" if was is None else "/".join(what)
                differing[f"{title}: {kind}"].append(f"{key}\n      {was}\n      {now}")
        print(f"{path.stem}: {len(before)} before, {len(after)} after")
        for title, rows in sorted(differing.items(), key=lambda row: -len(row[1])):
            print(f"  {len(rows):6} {title}")
            for row in rows[:3]:
                print(f"    {row}")


def _keyed(path: Path) -> dict[str, Row]:
    """Rows by what they are of; numbers to nine digits."""
    if not path.exists():
        return {}
    keyed: dict[str, Row] = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        name = {k: row.pop(k, None) for k in ("case", "row", "id", "rule", *WHERE) if k in row}
        keyed[json.dumps(name)] = {
            k: round(v, 9) if isinstance(v, float) else v for k, v in row.items()
        }
    return keyed


if __name__ == "__main__":
    main()
