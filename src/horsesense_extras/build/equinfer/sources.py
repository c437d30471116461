"""Papers as authors leave them: folders, archives and single files of LaTeX, read into memory.

Nothing is ever unpacked to a disk, and a path that a source names is only looked up among the files
that were read. Links are not followed.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Final, cast

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
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".zip")


@dataclass
class Paper:
    """The LaTeX files of one paper.

    Attributes:
        name: of the folder, archive or file, unique among those that were given.
        files: path within the paper, with `/` -> text.
        refused: path -> why the file was not read.
    """

    name: str
    files: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    size: int = 0
    seen: int = 0

    def may_look(self, path: str) -> bool:
        """Count a file; False where there are too many."""
        self.seen += 1
        if self.seen > MOST_FILES:
            self.refused.setdefault("(the rest)", TOO_MANY)
        return self.seen <= MOST_FILES

    def add(self, path: str, file: IO[bytes]) -> None:
        """Read a LaTeX file, within the limits."""
        try:
            packed = path.endswith(".gz")
            content = (gzip.GzipFile(fileobj=file) if packed else file).read(MOST_FILE + 1)
        except _BROKEN:
            self.refused[path] = UNREADABLE
            return
        self.size += len(content)
        if len(content) > MOST_FILE:
            self.refused[path] = TOO_LARGE
        elif self.size > MOST_PAPER:
            self.refused[path] = PAPER_TOO_LARGE
        else:
            self.files[path.removesuffix(".gz")] = _decoded(content)


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
        for path in _papers_in(source):
            name = _name(path)
            while name in taken:
                name += "~"
            taken.add(name)
            yield _read(path, name)


def _papers_in(source: Path) -> list[Path]:
    if not source.is_dir() or any(map(_is_latex, (p.name for p in source.iterdir()))):
        return [source]
    return sorted(p for p in source.iterdir() if p.is_dir() or _is_archive(p.name))


def _name(path: Path) -> str:
    name = path.resolve().name
    for ending in (".gz", *_ARCHIVES, *_LATEX):
        name = name.removesuffix(ending)
    return name


def _is_latex(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(_LATEX)


def _is_archive(name: str) -> bool:
    return name.lower().endswith(_ARCHIVES) or name.lower().endswith(".gz")


def _read(path: Path, name: str) -> Paper:
    paper = Paper(name)
    if path.is_symlink():
        paper.refused[path.name] = LINK
    elif path.is_dir():
        _read_folder(paper, path)
    else:
        try:
            with opened(path) as file:
                _read_file(paper, path.name, file)
        except _BROKEN:
            paper.refused[path.name] = UNREADABLE
    return paper


def _read_folder(paper: Paper, root: Path) -> None:
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            inside = path.relative_to(root).as_posix()
            if not paper.may_look(inside):
                return
            if not _is_latex(name):
                continue
            if path.is_symlink():
                paper.refused[inside] = LINK
                continue
            try:
                with opened(path, inside=True) as file:
                    paper.add(inside, file)
            except OSError:
                paper.refused[inside] = UNREADABLE


def _read_file(paper: Paper, name: str, file: BinaryIO) -> None:
    """A file of LaTeX, or an archive; arXiv gives papers of one file as `.gz` of it."""
    if _is_latex(name):
        paper.add(name, file)
    elif name.lower().endswith(".zip"):
        _read_zip(paper, file)
    elif not _read_tar(paper, file):
        file.seek(0)
        paper.add(f"{name.removesuffix('.gz')}.tex.gz", file)


def _read_tar(paper: Paper, file: BinaryIO) -> bool:
    """False where it is no tar archive."""
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    with contextlib.ExitStack() as stack:
        plain = cast(IO[bytes], gzip.GzipFile(fileobj=file)) if packed else file
        within = cast(IO[bytes], _Bounded(plain))
        try:
            archive = stack.enter_context(tarfile.open(fileobj=within, mode="r|"))
        except tarfile.ReadError:
            return False
        for member in archive:
            if not paper.may_look(member.name):
                break
            if _is_latex(member.name) and not member.isdir():
                content = archive.extractfile(member) if member.isreg() else None
                if content is None:
                    paper.refused[_plain(member.name)] = LINK
                else:
                    paper.add(_plain(member.name), content)
    return True


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


def _read_zip(paper: Paper, file: BinaryIO) -> None:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if not paper.may_look(member.filename):
                break
            if _is_latex(member.filename):
                with archive.open(member) as content:
                    paper.add(_plain(member.filename), content)


def _plain(path: str) -> str:
    """A path of an archive without what leads out of it; it only serves as a name."""
    return "/".join(part for part in PurePosixPath(path).parts if part not in ("/", "..", "."))


def _decoded(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
