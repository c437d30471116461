"""`manifest`: a digest of each file of a run that is written whole, by which damage is seen.

A line is added before the file that it speaks of takes its place: a process that is killed leaves
no file without one. Of a file beside the manifest another line follows, with `=`, once it is there:
nothing that it held earlier counts from then on, such as what was put back from a copy.
Digests show damage, not forgery: whoever changes a file on purpose can add its line. Files without
a line, such as those of earlier versions, are read as they are.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Final

from horsesense.files import MOST_READ, append, opened, read_whole, write_whole

NAME: Final = "manifest"
LONG: Final = 2**16
"""Bytes from which a manifest is made shorter, where half of it or less will do."""
_LINE: Final = re.compile(r"^(=?)([0-9a-f]{32}) ([^\s\0]+)$", re.MULTILINE)
_NEW: Final = re.compile(r"\.([^/]+)\.new(?=/|$)")
"""A folder that takes its place when it is whole: its files are known by where they will be."""
_TABLES: Final = ("trials", "readings", "recorded")


class ChangedError(OSError):
    """A file of a run is not as it was written."""


@lru_cache(4096)
def root_of(path: Path) -> Path | None:
    """The run that a file belongs to; None for a table that lies in none."""
    if path.suffix != ".parquet" and path.name != "reader.json":
        return path.parent
    above = (p.parent for p in path.parents if _NEW.sub(r"\1", p.name) in _TABLES)
    return next(above, None)


def keep(path: Path, content: bytes | str) -> None:
    """Write a file of a run whole, and its digest before it; StoreError where the disk refuses."""
    data = content.encode("utf-8", errors="replace") if isinstance(content, str) else content
    root = root_of(path)
    line = "" if root is None else f"{_digest(data)} {_name(root, path)}\n"
    if root is not None:
        append(root / NAME, f"\n{line}".encode())  # behind what a kill left of another
    write_whole(path, data)
    if root == path.parent:
        append(root / NAME, f"={line}".encode())


def read_kept(path: Path, most: int = MOST_READ) -> bytes:
    """The content of a file of a run; OSError as for `read_whole`, ChangedError where it is not
    what was written there."""
    for _ in range(2):  # another process may write it just now
        before, content = _known(path), read_whole(path, most, inside=True)
        with contextlib.suppress(ChangedError):
            _check(path, before, partial(_digest, content))
            return content
    raise ChangedError("it is not as it was written")


def digest_of(path: Path) -> str | None:
    """The digest of a file of any size; None where the manifest does not name it; OSError as for
    `read_kept`."""
    path.stat()
    return _check(path, _known(path), lambda: _digest_now(path))


def stranger(path: Path) -> bool:
    """Whether the manifest names other files of a folder, but not this one."""
    if (root := root_of(path)) is None or _known(path):
        return False
    beside = _name(root, path).rpartition("/")[0] + "/"
    return any(name.startswith(beside) for name in known_files(root))


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
        there = "=" if (root / name).exists() else ""
        first, *others = dict.fromkeys(digests)
        lines += [f"\n{there}{first} {name}\n", *(f"{digest} {name}\n" for digest in others)]
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


def in_place(root: Path) -> frozenset[str]:
    """The files of a run that were whole in their place once; OSError as for `known_files`."""
    text = read_whole(root / NAME, inside=True).decode(errors="replace")
    return frozenset(line[3] for line in _LINE.finditer(text) if line[1])


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
        if ".." not in line[3] and not line[3].startswith("/"):
            digests = found.setdefault(line[3], {})
            if line[1]:
                digests.clear()
            digests.pop(line[2], None)
            digests[line[2]] = None
    if text and not found:
        raise ChangedError("the manifest beside it is damaged; without it, files are not checked")
    return {name: tuple(digests) for name, digests in found.items()}


def _known(path: Path) -> tuple[str, ...]:
    """The digests of what a file may hold; none where no manifest names it."""
    root = root_of(path)
    return () if root is None else known_files(root).get(_name(root, path), ())


def _check(path: Path, before: tuple[str, ...], digest: Callable[[], str]) -> str | None:
    """The digest of a file that was known `before` it was read: another may have come since."""
    known = (*before, *_known(path))
    if known and (now := digest()) not in known:
        raise ChangedError("it is not as it was written")
    return now if known else None


@lru_cache(4096)
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
