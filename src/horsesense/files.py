"""Files that are written whole or not at all, and paths that everything below can open.

A crash, a full disk or a kill leaves the file that stood there before, never half of a new one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

import orjson

from horsesense.errors import StoreError, UsageError

_FORMULA = ("=", "+", "-", "@", "\N{MINUS SIGN}")
"""Signs that begin a formula, also as what they are compatible with, such as full-width ones."""
_UNSEEN = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs without a shape; other invisible characters are known by their category."""
PRIVATE = 0o600
"""Permissions of a new file: prompts and answers are their owner's, also on a shared machine."""
_DEVICES: Final = Path("/dev")
MOST_READ: Final = 2**28
"""Bytes of the largest file that is read whole, where nothing else is said."""
MOST_SETTINGS: Final = 2**22
"""Bytes of the largest file of settings."""


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, that its owner alone can enter; OSError if refused."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)


def created(path: Path) -> BinaryIO:
    """A new file for writing bytes, which its owner alone can read; OSError where one is there."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | _flag("O_BINARY") | _flag("O_CLOEXEC")
    return os.fdopen(os.open(path, flags, PRIVATE), "wb")


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A new name beside `path` to write to; on leaving, the file there takes the place of `path`.

    A file that was there keeps its permissions; a new one can be read by its owner alone.

    Raises StoreError where the file system refuses (full disk, missing permission); `path` is then
    as it was before.
    """
    # The process is part of the name: two that write the same file leave one of both, whole.
    part = path.parent / f".{path.name[-100:]}.{os.getpid()}.part"
    try:
        make_folder(path.parent)
        mode = path.stat().st_mode & 0o777 if path.exists() else PRIVATE
        if path.exists() and (path.parent == _DEVICES or not (path.is_file() or path.is_dir())):
            raise OSError("it is a device or a pipe; name a file")
        # Made here, so that nobody can open it before its permissions are right.
        part.unlink(missing_ok=True)
        created(part).close()
        yield part
        os.chmod(part, mode)
        flush(part)
        os.replace(part, path)
    except OSError as error:
        raise _refused(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Lines]:
    """A folder that appears at `path` once it is complete; what is written goes through `Lines`.

    Raises:
        UsageError: something lies at `path` already.
        StoreError: the file system refuses.
    """
    path = empty_place(path)
    part = path.parent / f".{path.name[-100:]}.{os.getpid()}.part"
    try:
        make_folder(part.parent)
        part.mkdir(mode=0o700)
        with Lines(part) as lines:
            yield lines
        replace_folder(part, path)
    except OSError as error:
        raise _refused(path, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


class Lines:
    """Files of a new folder, written line by line, many of them side by side.

    Attributes:
        folder: where they are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[str, BinaryIO] = {}
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def add(self, name: str, line: bytes) -> None:
        """Add a line to the file of that name."""
        if name not in self._open:
            self._open[name] = self._stack.enter_context(created(self.folder / name))
        self._open[name].write(line + b"\n")

    def put(self, name: str, content: bytes | str) -> None:
        """Write a file of that name whole."""
        write_whole(self.folder / name, content)


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file in one step; StoreError as for `whole`."""
    data = content.encode("utf-8", errors="replace") if isinstance(content, str) else content
    with whole(path) as part:
        part.write_bytes(data)


def write_page(path: Path, html: str) -> None:
    """Write an HTML page; UsageError where a file of another ending is there, such as the items."""
    write_whole(path if path.suffix in (".html", ".htm") else empty_place(path), html)


def write_again(path: Path, content: str | bytes) -> None:
    """Write what a command makes anew; UsageError where another file is, such as the items."""
    data = content.encode("utf-8", errors="replace") if isinstance(content, str) else content
    start = data.partition(b"\n")[0][:20]  # what a gate found comes later in its line
    with opened(path) if path.is_file() else BytesIO() as file:
        if file.read(len(start)) not in (b"", start):
            empty_place(path)
    write_whole(path, data)


def append(path: Path, line: bytes) -> None:
    """Add to the end of a file, which is made where there is none; StoreError where refused."""
    flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY | _flag("O_NOFOLLOW") | _flag("O_CLOEXEC")
    try:
        make_folder(path.parent)
        with os.fdopen(os.open(path, flags | _flag("O_BINARY"), PRIVATE), "ab") as file:
            file.write(line)
        flush(path)
    except OSError as error:
        raise _refused(path, error) from error


def json_lines(rows: Iterable[Any], other: Callable[[Any], Any] | None = None) -> bytes:
    """Rows as JSONL; `other` says what to write for what JSON has not."""
    return b"".join(orjson.dumps(row, other, orjson.OPT_APPEND_NEWLINE) for row in rows)


def replace_folder(new: Path, old: Path) -> None:
    """Put the folder `new` in the place of `old`, which is removed.

    A kill between the two renames leaves no folder at `old`: whoever reads it must be able to
    make it again.
    """
    aside = old.parent / f".{old.name}.{os.getpid()}.old"
    try:
        if old.exists():
            os.replace(old, aside)
        os.replace(new, old)
        shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise _refused(old, error) from error


def remove_leftovers(root: Path, ours: Iterable[Path]) -> None:
    """Remove what processes that were killed had begun to write.

    Args:
        root: of its entries, files alone are removed, since others may keep theirs there too.
        ours: folders below which everything was written by us.
    """
    for path in root.glob(".*.part"):
        if path.is_file() and _left_over(path):
            _remove(path)
    for folder in ours:
        for path in folder.rglob(".*"):
            if _left_over(path):
                _remove(path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):  # what stays is in nobody's way
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _left_over(path: Path) -> bool:
    """Whether a name is one of `whole` or `replace_folder`, of a process that is gone."""
    name, _, kind = path.name.rpartition(".")
    pid = name.rpartition(".")[2]
    return kind in ("part", "old") and pid.isdigit() and not _alive(int(pid))


def _alive(pid: int) -> bool:
    """Whether a process of this number runs; where that cannot be told, it counts as running."""
    if os.name == "nt":
        return pid == os.getpid()  # signal 0 would end a process there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def usable(path: str | Path) -> Path:
    """A path that can be written down and looked for; UsageError for one that cannot."""
    text = os.fspath(path)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        shown = text.encode("utf-8", errors="surrogateescape" if _escaped(text) else "replace")
        raise UsageError(
            f"The path {shown!r} is not valid UTF-8.",
            hint="Rename the file or directory, or choose another one.",
        ) from None
    if "\0" in text:
        raise UsageError(f"The path {text!r} contains a null character.")
    try:
        os.stat(text)
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            raise UsageError(f"{text}: {error.strerror}.", hint="Choose another name.") from None
    # SQLite and polars take "file:" at the beginning of a name for an address.
    return Path(path).absolute() if ":" in text else Path(path)


def empty_place(out: str | Path) -> Path:
    """A path as one to be written to; UsageError if something lies there, which may be the only
    copy of somebody's data."""
    place = usable(out)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{place} is there already.", hint="Name a new file or folder.")
    return place


def _escaped(text: str) -> bool:
    """Whether the halves of characters in a path stand for bytes that are no UTF-8."""
    return all(not "\ud800" <= c <= "\udfff" or "\udc80" <= c <= "\udcff" for c in text)


def may_write(path: Path) -> bool:
    """Whether this process may write to a file or folder that is there."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def opened(path: Path, *, inside: bool = False) -> BinaryIO:
    """A file for reading, as bytes.

    Args:
        path: where it is.
        inside: whether it is a part of a folder that others may have made: a link, which could
            lead anywhere, is then refused.

    Raises OSError where it cannot be opened, and for a link, a folder, a pipe or a device: reading
    from those might never end.
    """
    flags = os.O_RDONLY | _flag("O_BINARY") | _flag("O_NONBLOCK") | _flag("O_CLOEXEC")
    if inside and path.is_symlink():
        raise OSError("it is a link")
    file = os.open(path, flags | (_flag("O_NOFOLLOW") if inside else 0))
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError("it is not a regular file")
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise


def _flag(name: str) -> int:
    """A flag of `os.open`; none where the system does not know it."""
    return int(getattr(os, name, 0))


def read_whole(path: Path, most: int = MOST_READ, *, inside: bool = False) -> bytes:
    """The content of a file of at most `most` bytes; OSError as for `opened`, and for a longer one.

    Everything in a run or a study is read by this, tables and the store apart.
    """
    with opened(path, inside=inside) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise OSError(f"it is larger than {most:,} bytes")
        return file.read(most)


def read_settings(path: Path, *, inside: bool = False) -> dict[str, Any]:
    """The content of a TOML file; OSError as for `read_whole`, ValueError where it is no TOML."""
    text = read_whole(path, MOST_SETTINGS, inside=inside).decode("utf-8")
    if sum(line.count(".") ** 2 for line in text.splitlines()) > 10**7:  # what reading takes
        raise ValueError("its keys have too many parts")
    import tomllib  # slow, and a help text needs none

    try:
        orjson.dumps(table := tomllib.loads(text))  # TOML has whole numbers of 64 bits
    except (RecursionError, orjson.JSONEncodeError) as error:
        raise ValueError(f"its values are nested too deeply or too large: {error}") from None
    return table


def refuse_links(paths: Iterable[Path]) -> None:
    """Check that parts of a folder lie in it, and that reading from them ends.

    Raises StoreError for a link, a pipe or a device among the paths, and in the folders that they
    name. What is not there is passed over.
    """
    for path in paths:
        try:
            kind = stat.S_IFMT(path.lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror or error}.") from None
        if kind == stat.S_IFDIR:
            refuse_links(_listed(path))
        elif kind != stat.S_IFREG:
            what = "a link" if kind == stat.S_IFLNK else "neither a file nor a folder"
            raise StoreError(
                f"{path} is {what}, and is not followed or opened.",
                hint="Put the file or folder itself in its place. Of a run that others made, find"
                " out first why it is so.",
            )


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise StoreError(f"{folder} cannot be read: {error.strerror or error}.") from None


def regular(path: Path) -> Path:
    """A path that is not a pipe or a device, of which reading might never end.

    Raises UsageError for one that is; what is not there is left to whoever opens it.
    """
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except (OSError, ValueError):
        return path
    if kind not in (stat.S_IFREG, stat.S_IFDIR):
        raise UsageError(f"{path} is not a file.", hint="Name a file; pipes are not read.")
    return path


def flush(path: Path) -> None:
    """Wait until the file has reached the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{path} could not be written: {error.strerror or error}.",
        hint="What stood there before is unchanged. Free some space, or check the permissions of"
        f" {path.parent}, and run the same command again.",
    )


def inert(text: str) -> str:
    """A cell of a CSV file that no spreadsheet computes: like a formula, it gets an apostrophe.

    >>> inert("=1+1"), inert("plain")
    ("'=1+1", 'plain')
    """
    return f"'{text}" if _like_a_formula(text) else text


def _like_a_formula(text: str) -> bool:
    """Whether the first character that is seen may begin a formula, or is a line of its own."""
    if text.startswith(("\t", "\r", "\n")):
        return True
    seen = next(
        (c for c in text if unicodedata.category(c)[0] not in "CZM" and c not in _UNSEEN), ""
    )
    return unicodedata.normalize("NFKC", seen).startswith(_FORMULA)
