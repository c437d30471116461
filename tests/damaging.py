"""Every command of the command line, over a run of which one file is damaged.

`python -m chaos --damage` walks all of it; a test takes a sample.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import sqlite3
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import typer

from command_line import Done, call
from horsesense.cli import app
from horsesense.errors import ExitCode

IN_RUN: Final = ("run", "runs", "study", "what", "logs")
"""Arguments that are given the run; the others are given the damaged file itself."""
ALLOWED: Final = set(ExitCode) - {ExitCode.INTERRUPTED}


class Damage(NamedTuple):
    """What one call is put to; `bare` where the run has lost its manifest."""

    command: str
    file: str
    kind: str
    bare: bool


@cache
def commands() -> dict[str, list[Any]]:
    """Every command that reads something, `build pairs` too, with its parameters."""
    found: dict[str, list[Any]] = {}

    def walk(node: Any, name: tuple[str, ...] = ()) -> None:
        for own, below in getattr(node, "commands", {}).items():
            walk(below, (*name, own))
        if any(one.param_type_name == "argument" and one.name != "kind" for one in node.params):
            found[" ".join(name)] = node.params

    walk(typer.main.get_command(app()))
    return found


def words_of(command: str, run: Path, file: Path, place: Path) -> list[str]:
    """A call of a command that needs no network and writes below `place`."""
    words = command.split()
    for one in commands()[command]:
        value = str(run if one.name in IN_RUN or not file.is_relative_to(run) else file)
        if one.name == "out":
            words += [one.opts[-1]] * (one.param_type_name == "option")
            words.append(str(place / "out"))
        elif one.param_type_name == "argument" and one.name != "kind":
            names = ("one=", "two=") if command == "compare" else ("", "")
            values = [value, str(place / "sound")] if one.nargs == -1 else [value]
            words += [name + given for name, given in zip(names, values, strict=False)]
        elif one.required:
            words += [one.opts[-1], "sim:oracle" if one.name == "model" else value]
    more = {"gate": ["--require", "accuracy > 0"], "audit": ["--limit", "2"]}
    return words + more.get(command, [])


def _bit(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    if changed:
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


CONTENT: Final[dict[str, Callable[[bytes, random.Random], bytes]]] = {
    "truncated": lambda data, dice: data[: dice.randrange(1, max(2, len(data)))],
    "one bit": _bit,
    "empty": lambda data, dice: b"",
    "not UTF-8": lambda data, dice: data[: len(data) // 2] + b"\xff\xfe" + data[len(data) // 2 :],
}
KINDS: Final = (*CONTENT, "a folder", "absent", "forbidden", "earlier")


def files_of(run: Path) -> list[str]:
    """Files and folders of a run, all of which may be damaged."""
    return [".", *sorted(str(path.relative_to(run)) for path in run.rglob("*"))]


def made_in(place: Path) -> Path:
    """A sound run, small; beside it, in `earlier`, what it was when half was asked."""
    words = ("sample", "-m", "sim:prior", "--limit", "3", "--probes", "order")
    for budget in (("--budget", "requests=6"), ()):
        code = ExitCode.BUDGET if budget else 0
        call("audit", *words, "--out", place / "made", "--report-items", "1", *budget, code=code)
        if budget:
            shutil.copytree(place / "made", place / "earlier")
    return place / "made"


def journal_naming(store: Path, victim: Path) -> Path:
    """A rollback journal beside a store, which has SQLite delete the file that it names."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), os.fsencode(victim)
    page = int.from_bytes(store.read_bytes()[16:18])
    head = (0, 0, store.stat().st_size // page, 512, page)
    tail = struct.pack(">II", len(name), sum(name) & 0xFFFFFFFF) + magic
    content = (magic + struct.pack(">5I", *head)).ljust(512, b"\0")
    content += struct.pack(">I", 2**30 // page + 1) + name + tail
    (journal := Path(f"{store}-journal")).write_bytes(content)
    return journal


def spoilt(run: Path, sql: str, *given: object) -> None:
    """Change the store of a run behind its back."""
    with closing(sqlite3.connect(run / "store.sqlite")) as database, database:
        database.execute(f"DROP TRIGGER IF EXISTS responses_{sql.split()[0]}_refused")
        database.execute(sql, given)


def rewritten(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a JSON file of a run, and leave no digests of what was there."""
    change(content := json.loads(path.read_bytes()))
    path.write_text(json.dumps(content))
    path.with_name("manifest").unlink(missing_ok=True)


def check(made: Path, place: Path, tried: Damage, seed: int = 0) -> Done:
    """How a command ends with that damage; AssertionError where it shows a traceback."""
    with attempt(made, place, tried, seed) as go:
        done = go()
    assert "Traceback" not in done.stdout + done.stderr, (tried, done)
    assert done.returncode in ALLOWED, (tried, done)
    return done


def every(run: Path) -> Iterator[Damage]:
    """All there is to try."""
    for command, file, kind, bare in product(commands(), files_of(run), KINDS, (False, True)):
        if kind not in CONTENT or (run / file).is_file():
            yield Damage(command, file, kind, bare)


@contextmanager
def attempt(made: Path, place: Path, tried: Damage, seed: int = 0) -> Iterator[Callable[[], Done]]:
    """A damaged copy of the run `made`, and what calls the command on it."""
    run, dice = place / "run", random.Random(f"{seed} {tried}")
    shutil.copytree(made, run)
    if not (place / "sound").exists():
        shutil.copytree(made, place / "sound")
    if tried.bare:
        (run / "manifest").unlink(missing_ok=True)
    file = run / tried.file
    if tried.kind in CONTENT and file.is_file():
        file.write_bytes(CONTENT[tried.kind](file.read_bytes(), dice))
    elif tried.kind == "earlier" and (before := made.with_name("earlier") / tried.file).is_file():
        shutil.copy(before, file)
    elif tried.kind in ("a folder", "absent"):
        shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
        if tried.kind == "a folder":
            (file / "in it").mkdir(parents=True)
    words = words_of(tried.command, run, file, place)
    try:
        with forbidden(file if tried.kind == "forbidden" else None):
            yield lambda: call(*words, cwd=place, debug=False)
    finally:
        for left in place.iterdir():
            if left.name != "sound" and left != made:
                shutil.rmtree(left) if left.is_dir() else left.unlink()


_FORBIDDEN: list[str] = []
"""What may not be opened or entered, now."""
_ASKED: Final = ("open", "os.scandir", "os.listdir", "os.chdir", "sqlite3.connect")


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if _FORBIDDEN and event in _ASKED and isinstance(arguments[0], str | os.PathLike):
        for path in _FORBIDDEN:
            if f"{os.fspath(arguments[0])}/".startswith(f"{path}/"):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


@contextmanager
def forbidden(path: Path | None) -> Iterator[None]:
    """A file or folder that may not be opened, also where the user is root."""
    if path is not None and not _FORBIDDEN:
        sys.addaudithook(_refuse)
    _FORBIDDEN[:] = [] if path is None else [str(path)]
    try:
        yield
    finally:
        _FORBIDDEN.clear()
