"""Papers as authors leave them: folders, archives and single files of LaTeX, read into memory."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import posixpath
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
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

Opened = Callable[[], IO[bytes] | None] | None
"""Gives the content of a file; None for a link."""


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
                file = open_it and open_it()
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
        yield f"{path.name}.tex", None
    elif path.is_dir():
        for folder, folders, names in os.walk(path):
            folders.sort()
            for file in (Path(folder, name) for name in sorted(names)):
                inside = partial(opened, file, inside=True)
                yield file.relative_to(path).as_posix(), None if file.is_symlink() else inside
    elif _is_latex(path.name):
        yield path.name, partial(opened, path)
    elif path.name.lower().endswith(".zip"):
        with opened(path) as whole, zipfile.ZipFile(whole) as archive:
            for info in archive.infolist():
                yield _plain(info.filename), partial(archive.open, info)
    else:
        yield from _in_tar(path)


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
                    content = partial(archive.extractfile, member) if member.isreg() else None
                    yield _plain(member.name), content


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


MOST_TEXT: Final = 2**22
"""Characters of a document with everything that it inputs."""
DEEPEST: Final = 16
"""Inputs within inputs."""
MOST_INPUTS: Final = 2_000
"""Inputs of a document."""

OUTSIDE: Final = "a path outside the paper"
MISSING: Final = "a file that is not in the paper"
CIRCLE: Final = "a file that inputs itself"

UNUSED: Final = "a file that no main file inputs"
BEHIND: Final = "what stands behind \\end{document}"

NO_LATEX: Final = "no LaTeX file could be read"
TOO_LONG: Final = f"more than {MOST_TEXT:,} characters or {MOST_INPUTS:,} inputs in a document"

_VERBATIM: Final = (
    r"[BL]?[Vv]erbatim\*?|spverbatim|SaveVerbatim|VerbatimOut|alltt|lstlisting|tcblisting|minted"
    r"|comment|filecontents\*?"
)
_INPUT = re.compile(
    r"\\(?P<how>input|include|subfile|subfileinclude)\s*(?:\{(?P<braced>[^{}\n]{1,300})\}"
    r"|(?<=input)[ \t]+(?P<bare>[^\s{}\\%]{1,300}))"
    r"|\\(?:sub)?(?:import|inputfrom|includefrom)\*?\s*\{(?P<folder>[^{}\n]{0,300})\}"
    r"\s*\{(?P<file>[^{}\n]{1,300})\}"
)
_FALSE = re.compile(r"\\iffalse(?![A-Za-z@])(?:(?!\\iffalse).)*?\\fi(?![A-Za-z@])", re.DOTALL)
_COMMENT = re.compile(
    rf"(?P<kept>\\begin\{{(?P<env>{_VERBATIM})\}}.*?(?:\\end\{{(?P=env)\}}|\Z))"
    r"|\\(?:verb\*?|lstinline)(?P<mark>[^\sA-Za-z*{\[])[^\n]*?(?P=mark)"
    r"|(?P<escaped>\\[\\%])|(?P<line>(?:(?<=\n)|\A)[ \t]*%[^\n]*\n?)|(?P<comment>%[^\n]*)",
    re.DOTALL,
)
"""Comments, and what is shown as it is written."""
_CLASS = re.compile(r"\\document(?:class|style)\b")
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_END = re.compile(r"\\end\s*\{document\}")
_REFERENCES = re.compile(
    r"\\begin\s*\{thebibliography\}.*?(?:\\end\s*\{thebibliography\}|\Z)", re.DOTALL
)


class FlattenError(Exception):
    """A document cannot be put together; the message is the reason."""


@dataclass
class Document:
    """A document with its inputs.

    Attributes:
        name: path of its main file.
        text: preamble and body without comments.
        not_found: reason -> inputs that were left out for it.
        used: the files that it is made of.
    """

    name: str
    text: str
    not_found: dict[str, list[str]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)


def without_comments(text: str) -> str:
    r"""LaTeX without comments; what is shown verbatim goes too, since nothing in it is LaTeX.

    >>> without_comments("50\\% of it % really\nwas % \\begin{equation}\n")
    '50\\% of it \nwas \n'
    """
    return _FALSE.sub("", _COMMENT.sub(lambda found: found["escaped"] or "", text))


def stripped(paper: Paper) -> dict[str, str]:
    """The files of a paper without comments, each read once."""
    return {name: without_comments(text) for name, text in paper.files.items()}


def roots(files: Mapping[str, str]) -> list[str]:
    """Main files: those with a document class; where there is none, all that no other inputs.

    A file with a class that another inputs (`subfiles`) is no main file.

    Args:
        files: as `stripped` gives them.
    """
    used = {
        target
        for name, text in files.items()
        for found in _INPUT.finditer(text)
        if (target := _target(found, name, files)) is not None and target != name
    }
    mains = [n for n, text in files.items() if _CLASS.search(text) and _BEGIN.search(text)]
    return [n for n in mains if n not in used] or mains or [n for n in files if n not in used]


def flatten(files: Mapping[str, str], root: str) -> Document:
    """A main file with all inputs in place.

    Args:
        files: as `stripped` gives them.

    Raises:
        FlattenError: it is too long, what is read of its files and then left out included.
    """
    document = Document(root, "")
    left = [MOST_TEXT, MOST_INPUTS]

    def merged(name: str, within: tuple[str, ...]) -> str:
        # A subfile has a preamble of its own.
        text = body(files[name]) if within else files[name]
        document.used.add(name)
        left[0] -= len(files[name])
        left[1] -= bool(within)
        if min(left) < 0:
            raise FlattenError(TOO_LONG)
        return _INPUT.sub(lambda found: put(found, (*within, name)), text)

    def put(found: re.Match[str], within: tuple[str, ...]) -> str:
        target = _target(found, within[-1], files, root)
        if target is not None and target not in within and len(within) <= DEEPEST:
            return merged(target, within)
        asked = _asked(found)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(root), asked))
        outside = path.startswith(("../", "/", "~")) or "|" in asked
        why = CIRCLE if target else OUTSIDE if outside else MISSING
        document.not_found.setdefault(why, []).append(asked)
        return ""

    document.text = merged(root, ())
    return document


def body(text: str) -> str:
    """What stands between the begin and the end of the document, without its references."""
    begin = _BEGIN.search(text)
    start = begin.end() if begin else 0
    end = _END.search(text, start)
    return _REFERENCES.sub("", text[start : end.start() if end else len(text)])


def behind(text: str) -> bool:
    """Whether anything stands behind the end of the document."""
    end = _END.search(text)
    return end is not None and bool(text[end.end() :].strip())


def _asked(found: re.Match[str]) -> str:
    name = found["braced"] or found["bare"]
    return (name if name else posixpath.join(found["folder"], found["file"])).strip().strip('"')


def _target(
    found: re.Match[str], name: str, files: Mapping[str, str], root: str | None = None
) -> str | None:
    """The file that an input means: as LaTeX looks from the main file, or beside where it stands.

    `Paper.files` writes `/` for `__`.
    """
    asked = _asked(found).replace("__", "/")
    for beside in (root or name, name):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(beside), asked))
        for candidate in (path, f"{path}.tex", f"{path}.ltx", f"{path}.latex"):
            if candidate in files:
                return candidate
    return None
