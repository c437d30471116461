"""Of what estimates were made: while nothing of it has changed, they need not be made again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from horsesense.kept import digest_of
from horsesense.measures.registry import MEASURES
from horsesense.rng import fingerprint
from horsesense.runs.directory import RunDirectory
from horsesense.version import __version__


def made_of(directory: RunDirectory) -> str:
    """Fingerprint of the estimates of a run and of all that they were made of.

    It holds for this installation, whose files it names with their times: a run of somebody else
    is measured anew. "" where a part has no digest or is not as it was written, and where another
    package measures.
    """
    root, record = directory.layout.root, directory.known
    try:
        digests = [(str(path.relative_to(root)), digest_of(path)) for path in _parts(directory)]
    except OSError:
        return ""
    if not all(digest for _, digest in digests) or {*MEASURES.names()} != {*MEASURES.own}:
        return ""
    stages = [record.stages[name].model_dump() for name in ("ask", "read") if name in record.stages]
    told = record.model_dump(mode="json", exclude={"stages", "answers", "last_answer"})
    settings = directory.settings.model_dump(mode="json")
    return fingerprint([_program(), settings, told, stages, digests, _answers(directory)])


def _parts(directory: RunDirectory) -> Iterator[Path]:
    """The files that measures are taken from, and the estimates."""
    layout = directory.layout
    names = ("asked.json", "items.json", "people.json", "reviews.json", "estimates.json")
    tables = (path for folder in layout.tables for path in folder.rglob("*"))
    found = (*(layout.root / name for name in names), *tables)
    yield from sorted(path for path in found if path.is_file())


def _answers(directory: RunDirectory) -> list[int]:
    """How many answers and failures are stored, each of which stays."""
    if not directory.layout.store.exists():
        return []
    with directory.store() as store:
        [(failures,)] = store.rows("SELECT max(id) FROM failures")
        return [store.answered(), failures or 0]


@cache
def _program() -> list[tuple[str, int, int]]:
    """Size and time of each file of the program: other code may measure otherwise."""
    root = str(Path(__file__).parents[1])
    every = (os.path.join(at, name) for at, _, names in os.walk(root) for name in names)
    seen = ((path, os.stat(path)) for path in sorted(every) if path.endswith(".py"))
    files = [(path.removeprefix(root), it.st_size, it.st_mtime_ns) for path, it in seen]
    return [(__version__, 0, 0), *files]
