"""`manifest`: a digest of each file of a run that is written whole, by which damage is seen.

A line is added before the file that it speaks of takes its place: a process that is killed leaves
no file without one. Digests show damage, not forgery: whoever changes a file on purpose can add its
line. Files without a line, such as those of earlier versions, are read as they are.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from horsesense.files import MOST_READ, append, opened, read_whole, write_whole

NAME: Final = "manifest"
LONG: Final = 2**16
"""Bytes from which a manifest is made shorter, where half of it or less will do."""
_LINE: Final = re.compile(r"^([0-9a-f]{32}) ([^\s\0]+)$", re.MULTILINE)
_NEW: Final = re.compile(r"\.([^/]+)\.new(?=/|$)")
"""A folder that takes its place when it is whole: its files are known by where they will be."""
_TABLES: Final = ("trials", "readings", "recorded")


class ChangedError(OSError):
    """A file of a run is not as it was written."""


def root_of(path: Path) -> Path | None:
    """The run that a file belongs to; None for a table that lies in none."""
    if path.suffix != ".parquet" and path.name != "reader.json":
        return path.parent
    above = (p.parent for p in path.parents if _NEW.sub(r"\1", p.name) in _TABLES)
    return next(above, None)


def keep(path: Path, content: bytes | str) -> None:
    """Write a file of a run whole, and its digest before it; StoreError where the disk refuses."""
    data = content.encode("utf-8", errors="replace") if isinstance(content, str) else content
    if (root := root_of(path)) is not None:
        line = f"\n{_digest(data)} {_name(root, path)}\n"  # behind what a kill left of another
        append(root / NAME, line.encode())
    write_whole(path, data)


def read_kept(path: Path, most: int = MOST_READ) -> bytes:
    """The content of a file of a run; OSError as for `read_whole`, ChangedError where it is not
    what was written there."""
    content = read_whole(path, most, inside=True)
    _check(path, lambda: _digest(content))
    return content


def digest_of(path: Path) -> str | None:
    """The digest of a file of any size; None where the manifest does not name it; OSError as for
    `read_kept`."""
    path.stat()
    return _check(path, lambda: _digest_now(path))


def shorten(root: Path) -> None:
    """Leave out of a long manifest what files held before; whoever calls holds the run."""
    path = root / NAME
    try:
        size = path.lstat().st_size
    except FileNotFoundError:
        return
    if size < LONG:
        return
    lines = []
    for name, digests in known_files(root).items():
        with contextlib.suppress(OSError):  # a process may be about to put the last in its place
            now = _digest_now(root / name) if len(digests) > 2 else ""
            digests = (now, digests[-1]) if now in digests else digests
        lines += [f"\n{digest} {name}\n" for digest in dict.fromkeys(digests)]
    if 2 * len(content := "".join(lines).encode()) < size:
        write_whole(path, content)


def known_files(root: Path) -> Mapping[str, tuple[str, ...]]:
    """Name of a file in a run -> the digests of what was written there, the last one last; empty
    without a manifest.

    OSError where it is there and cannot be read.
    """
    try:
        seen = (root / NAME).lstat()
    except FileNotFoundError:
        return {}
    return _listed(root / NAME, seen.st_mtime_ns, seen.st_size)


def changed(root: Path) -> Iterator[tuple[Path, str]]:
    """Files of a run that are not as they were written, each with what is wrong with it."""
    for name in known_files(root):
        try:
            digest_of(root / name)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield root / name, error.strerror or str(error)


@lru_cache(64)
def _listed(path: Path, *_: int) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    text = read_whole(path, inside=True).decode(errors="replace")
    for line in _LINE.finditer(text):
        if ".." not in line[2] and not line[2].startswith("/"):
            digests = found.setdefault(line[2], {})
            digests.pop(line[1], None)
            digests[line[1]] = None
    return {name: tuple(digests) for name, digests in found.items()}


def _check(path: Path, digest: Callable[[], str]) -> str | None:
    root = root_of(path)
    known = None if root is None else known_files(root).get(_name(root, path))
    if known is None:
        return None
    if (now := digest()) not in known:
        raise ChangedError("it is not as it was written")
    return now


def _name(root: Path, path: Path) -> str:
    return _NEW.sub(r"\1", path.relative_to(root).as_posix())


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _digest_now(path: Path) -> str:
    seen = path.stat()
    return _digest_of(path, seen.st_mtime_ns, seen.st_size)


@lru_cache(4096)
def _digest_of(path: Path, *_: int) -> str:
    found = blake2b(digest_size=16)
    with opened(path, inside=True) as file:
        for piece in iter(lambda: file.read(2**20), b""):
            found.update(piece)
    return found.hexdigest()
