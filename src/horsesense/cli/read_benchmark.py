"""`horsesense read --benchmark`: how well a reader does on the packaged replies."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import orjson

from horsesense.cli.output import print_json
from horsesense.cli.readings import Judging, printable, read_any
from horsesense.errors import UsageError
from horsesense.readers.corpus import PARTS, Example, Part, available, examples, path_of
from horsesense.readers.corpus_score import (
    SURE,
    Bin,
    Read,
    ScoreRow,
    ScoreShare,
    errors,
    reliability,
    table,
)
from horsesense.readers.reading import STATUSES, Reading
from horsesense.readers.recorded import Recorded
from horsesense.stats.words import plural

_SEVERAL = ("seen", "all")
"""Names of several parts: all that may be looked at, and with the unread one."""
_SHOWN = 40
"""Misread replies that `--errors` shows."""


def read_benchmark(
    reader: str, command: str | None, part: str, show_errors: bool, as_json: bool, judging: Judging
) -> None:
    """Score a reader, or a program, on the packaged replies and print the table."""
    if part not in (*PARTS, *_SEVERAL):
        raise UsageError.unknown("part", part, (*PARTS, *_SEVERAL))
    parts: tuple[Part, ...] = (cast(Part, part),)
    if part in _SEVERAL:
        parts = tuple(name for name in available() if part == "all" or name != "unread")
    read = {name: _read(name, reader, command, judging) for name in parts}
    rows = table(read)
    bins = {name: reliability(pairs) for name, pairs in read.items()}
    name = command or reader
    missing = sum(reading is None for pairs in read.values() for _, reading in pairs)
    wrong = list(errors(read["development"])) if show_errors and "development" in read else []
    if as_json:
        value = {
            "reader": name,
            "sure": SURE,
            "without_reading": missing,
            "rows": [row.as_json() for row in rows],
            "reliability": {part: [asdict(b) for b in found] for part, found in bins.items()},
            "errors": [_error(*pair) for pair in wrong],
        }
        print_json("read-benchmark", value)
        return
    for line in _lines(name, rows, bins):
        print(line)
    if missing:
        print(f"{plural(missing, 'reply', 'have')} no reading, which counts as not right.")
    for example, reading in wrong[:_SHOWN]:
        print(printable(_said(example, reading)))
    if len(wrong) > _SHOWN:
        print(f"... and {len(wrong) - _SHOWN} more; --json has all.")


def _read(part: Part, reader: str, command: str | None, judging: Judging) -> list[Read]:
    """Every reply of a part with its reading."""
    known = examples(part)
    if command is not None:
        found = _through_program(command, known)
    else:
        found = {}

        def show(row: Recorded) -> None:
            found[row.id] = row.reading

        out = judging.out or Path("benchmark.judge")
        read_any(path_of(part), reader, show, judging._replace(out=out))
    return [(example, found.get(example.id)) for example in known]


def _through_program(command: str, known: Sequence[Example]) -> dict[str, Reading]:
    """What a program reads; it gets every reply on a line, and answers in any order.

    Raises:
        UsageError: it cannot be started, fails, or prints what is no reading.
    """
    lines = b"".join(orjson.dumps(example.asked()) + b"\n" for example in known)
    try:
        done = subprocess.run(
            shlex.split(command), input=lines, stdout=subprocess.PIPE, check=False
        )
    except (OSError, ValueError) as error:
        raise UsageError(f"--command {command!r} cannot be started: {error}.") from None
    if done.returncode:
        raise UsageError(f"--command {command!r} failed (exit status {done.returncode}).")
    by_id = {example.id: example for example in known}
    found = {}
    for number, line in enumerate(done.stdout.splitlines(), 1):
        if line.strip():
            name, reading = _reading(line, number, by_id)
            found[name] = reading
    return found


def _reading(line: bytes, number: int, known: dict[str, Example]) -> tuple[str, Reading]:
    """One line that a program printed."""
    try:
        value: dict[str, Any] = orjson.loads(line)
        example = known[str(value["id"])]
        status = value.get("status", "answer")
        if status not in (*STATUSES, "unclear"):
            raise ValueError(f"{status!r} is no status")
        positions: tuple[int, ...] = ()
        if status == "answer":
            positions = (_position(value, example),)
        confidence = float(value.get("confidence", 1.0))
        if not 0 <= confidence <= 1:
            raise ValueError(f"confidence {confidence} is not within 0 and 1")
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UsageError(
            f"Line {number} of the program is no reading: {error}.",
            hint='One looks like {"id": "d1-7", "status": "answer", "position": 1}; `position` is'
            " from 0, or `letter` names the label.",
        ) from None
    return example.id, Reading(status, positions, "program", None, confidence)


def _position(value: dict[str, Any], example: Example) -> int:
    if "letter" in value:
        return example.labels.index(str(value["letter"]))
    given = value["positions"][0] if "positions" in value else value["position"]
    if type(given) is not int or not 0 <= given < len(example.options):
        raise ValueError(f"position {given!r} is not among the options")
    return given


def _lines(name: str, rows: Sequence[ScoreRow], bins: dict[Part, list[Bin]]) -> list[str]:
    """The table for people, in percent."""
    wide = 64
    head = ("n", "right", "wrong choice", f"sure (≥ {SURE})", "right of sure")
    lines = [f"Reader {printable(name)}: percent, with 95 % intervals for kinds not seen"]
    by = ""
    for row in rows:
        if row.by != by:
            by = row.by
            lines += [
                "",
                f"{'by ' + by:{wide}}{head[0]:>6}" + "".join(f"{h:>20}" for h in head[1:]),
            ]
        shares = (row.right, row.wrong_choice, row.sure, row.sure_right)
        lines.append(
            f"{row.group[: wide - 1]:{wide}}{row.right.n:6}"
            + "".join(f"{_percent(s):>20}" for s in shares)
        )
    for part, found in bins.items():
        lines += ["", f"{part}: confidence, readings, right"]
        lines += [
            f"  {b.low:.2f}-{b.high:.2f} {b.n:6} {_percent(b.right):>20}" for b in found if b.n
        ]
    return lines


def _percent(share: ScoreShare) -> str:
    if share.value is None:
        return "-"
    if share.low is None or share.high is None:
        return f"{100 * share.value:.1f}"
    return f"{100 * share.value:.1f} ({100 * share.low:.1f}-{100 * share.high:.1f})"


def _error(example: Example, reading: Reading | None) -> dict[str, Any]:
    read = reading or Reading("illegal", rule="no_reading", confidence=0.0)
    return {
        **example.asked(),
        "kind": example.kind,
        "truth": {"status": example.status, "position": example.position},
        "read": {
            "status": read.status,
            "positions": list(read.positions),
            "rule": read.rule,
            "confidence": read.confidence,
        },
    }


def _said(example: Example, reading: Reading | None) -> str:
    read = reading or Reading("illegal", rule="no_reading", confidence=0.0)
    chosen = ",".join(map(str, read.positions)) or "-"
    truth = "-" if example.position is None else example.position
    return (
        f"{example.id} [{example.kind}] is {example.status} {truth}, read as {read.status} {chosen}"
        f" ({read.rule}, {read.confidence:.2f}): {example.response[:200]}"
    )
