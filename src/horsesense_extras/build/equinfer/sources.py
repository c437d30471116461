"""Papers as authors leave them: folders, archives and single files of LaTeX, read into memory.

Nothing is ever unpacked to a disk, and a path that a source names is only looked up among the files
that were read. Links are not followed.
"""

from __future__ import annotations

import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

from horsesense.errors import UsageError
from horsesense.files import opened

MOST_FILE: Final = 2**22
"""Bytes of the largest LaTeX file that is read."""
MOST_PAPER: Final = 2**24
"""Bytes of LaTeX that are read of one paper."""
MOST_ARCHIVE: Final = 2**29
"""Bytes of an archive that are unpacked at most, with the pictures in it."""
MOST_FILES: Final = 5_000
"""Files of one paper that are looked at."""

LINK: Final = "it is a link"
TOO_LARGE: Final = f"it is larger than {MOST_FILE // 2**20} MiB"
PAPER_TOO_LARGE: Final = f"the paper has more than {MOST_PAPER // 2**20} MiB of LaTeX"
TOO_MANY: Final = f"the paper has more than {MOST_FILES:,} files"
UNREADABLE: Final = "it cannot be read"

_BROKEN = (
    *(OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile),
    *(RuntimeError, NotImplementedError, ValueError),
)
"""What a broken archive raises; an encrypted one, a RuntimeError."""
_LATEX = (".tex", ".ltx", ".latex")
_ENDINGS = (".gz", ".tar", ".tgz", ".zip")

Opened = Callable[[], IO[bytes] | None]
"""The content of a file; None of a link."""


@dataclass
class Paper:
    """The LaTeX files of one paper.

    Attributes:
        name: of the folder, archive or file, unique among those that were given.
        files: path within the paper -> text; `/` for the `__` of collections without folders.
        refused: path -> why the file was not read.
    """

    name: str
    files: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def fill(self, found: Iterator[tuple[str, Opened]]) -> None:
        """Take the LaTeX files of a paper, within the limits."""
        size = 0
        for seen, (path, open_it) in enumerate(found, 1):
            if seen > MOST_FILES:
                self.refused["(the rest)"] = TOO_MANY
                return
            if not _is_latex(path):
                continue
            try:
                file = open_it()
                if file is None:
                    self.refused[path] = LINK
                    continue
                with file:
                    packed = path.endswith(".gz")
                    content = (gzip.GzipFile(fileobj=file) if packed else file).read(MOST_FILE + 1)
            except _BROKEN:
                self.refused[path] = UNREADABLE
                continue
            size += len(content)
            if len(content) > MOST_FILE or size > MOST_PAPER:
                large = len(content) > MOST_FILE
                self.refused[path] = TOO_LARGE if large else PAPER_TOO_LARGE
            else:
                self.files[path.removesuffix(".gz").replace("__", "/")] = _decoded(content)


def read_papers(sources: Sequence[str | Path]) -> Iterator[Paper]:
    """The papers of `sources`, one after the other, in the order of their names.

    A file or an archive is a paper. A folder is one if LaTeX files lie in it; else each folder,
    archive and file in it is.

    Raises:
        UsageError: a source is not there.
    """
    taken: set[str] = set()
    for source in map(Path, sources):
        if not source.exists():
            raise UsageError(
                f"{source} is not there.", hint="Name folders, archives or .tex files."
            )
        within = sorted(source.iterdir()) if source.is_dir() else []
        if within and not any(_is_latex(path.name) for path in within):
            papers = [p for p in within if p.is_dir() or p.name.lower().endswith(_ENDINGS)]
        else:
            papers = [source]
        for path in papers:
            name = path.resolve().name
            for ending in (*_ENDINGS, *_LATEX):
                name = name.removesuffix(ending)
            while name in taken:
                name += "~"
            taken.add(name)
            paper = Paper(name)
            try:
                paper.fill(_files_of(path))
            except _BROKEN:
                paper.refused[path.name] = UNREADABLE
            yield paper


def _is_latex(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(_LATEX)


def _files_of(path: Path) -> Iterator[tuple[str, Opened]]:
    """Each file of a paper by its path in it, and how to open it."""
    if path.is_symlink():
        yield f"{path.name}.tex", _link
    elif path.is_dir():
        for folder, folders, names in os.walk(path):
            folders.sort()
            for file in (Path(folder, name) for name in sorted(names)):
                inside = partial(opened, file, inside=True)
                yield file.relative_to(path).as_posix(), _link if file.is_symlink() else inside
    elif _is_latex(path.name):
        yield path.name, partial(opened, path)
    elif path.name.lower().endswith(".zip"):
        with opened(path) as whole, zipfile.ZipFile(whole) as archive:
            for info in archive.infolist():
                yield _plain(info.filename), partial(archive.open, info)
    else:
        yield from _in_tar(path)


def _link() -> None:
    """Nothing is read of a link."""


def _in_tar(path: Path) -> Iterator[tuple[str, Opened]]:
    """The files of a tar archive; arXiv gives papers of one file as `.gz` of it."""
    with opened(path) as whole:
        packed = whole.read(2) == b"\x1f\x8b"
        whole.seek(0)
        within = _Bounded(cast(IO[bytes], gzip.GzipFile(fileobj=whole)) if packed else whole)
        try:
            archive = tarfile.open(fileobj=within, mode="r|")  # noqa: SIM115 (closed below)
        except tarfile.ReadError:
            name = path.name.removesuffix(".gz")
            yield f"{name}.tex.gz", partial(opened, path)
            return
        with archive:
            for member in archive:
                if not member.isdir():
                    regular = member.isreg()
                    yield (
                        _plain(member.name),
                        partial(archive.extractfile, member) if regular else _link,
                    )


class _Bounded(io.RawIOBase):
    """A file of which at most `MOST_ARCHIVE` bytes are read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = MOST_ARCHIVE

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > self._left:
            raise OSError("the archive is too large")
        content = self._file.read(size)
        self._left -= len(content)
        return content


def _plain(path: str) -> str:
    """A path of an archive without what leads out of it; it only serves as a name."""
    return "/".join(part for part in PurePosixPath(path).parts if part not in ("/", "..", "."))


def _decoded(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
