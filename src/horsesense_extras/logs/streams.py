"""Reading large and hostile files piece by piece: JSON documents, and members of zip archives.

Nothing is unpacked to disk and no name from inside a file is ever used as a path.
"""

from __future__ import annotations

import codecs
import gzip
import json
import re
import sys
import zlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

import orjson

from horsesense.errors import ItemsError
from horsesense.items.files import (
    FREE_GROWTH,
    MAX_GROWTH,
    PACKINGS,
    Faults,
    mended,
    read_rows,
    whole_number,
)
from horsesense_extras.logs.sample import LeftOut

if sys.version_info >= (3, 14):
    import zipfile

    from compression import zstd
else:
    from backports import zstd
    from backports.zstd import zipfile

MAX_VALUE: Final = 64 * 2**20
"""Greatest length of one sample, or of what is said about a whole log, in characters."""
_PIECE: Final = 2**20
HEAD: Final = 64 * 2**10
"""Bytes from the start of a file by which its format is told."""

_decoder = json.JSONDecoder(strict=False, parse_int=whole_number)
_HALF: Final = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
"""An escaped half of a surrogate pair, which may stand alone: no UTF-8 can hold it then."""


def parsed(text: bytes, source: str) -> Any:
    """A JSON value; what Python writes and the standard forbids (NaN) is taken as well.

    Lone halves of surrogate pairs become U+FFFD, whole numbers beyond 64 bits floats, as in rows.
    Raises ItemsError where it is none.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return mended(_decoder.decode(text.decode("utf-8-sig", "replace")))
    except (ValueError, RecursionError) as error:
        raise damaged(source, f"broken JSON ({error})") from None


def damaged(
    source: str, fault: str, hint: str = "Copy the file again from where it was written."
) -> ItemsError:
    """The error for a file that is not what it should be."""
    return ItemsError(source, [fault], hint=hint)


UNREADABLE: Final = "a line that cannot be read"


def rows(path: Path, left_out: LeftOut) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a JSONL file, plain or compressed, with their lines.

    A line that cannot be read is left out and counted: the last one of a run that was killed is
    often torn. ItemsError for more than `items.files.MAX_FAULTS` such lines.
    """
    faults = Faults(str(path))
    yield from read_rows(path, faults)
    for line, fault in faults.found:
        left_out.add(UNREADABLE, f"line {line}: {fault}")


def first_row(head: bytes) -> Mapping[str, Any]:
    """The first sound row at the start of a file; an empty one where there is none.

    A line that is longer than what is there shows its outermost keys all the same, without values.
    """
    lines = head.removeprefix(codecs.BOM_UTF8).lstrip().splitlines()
    for line in lines:
        try:
            found = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(found, dict) and found:
            return found
    longest = max(lines, key=len, default=b"")
    known = longest.startswith(b"{")
    keys = re.findall(rb'"((?:\\.|[^"\\])*)"\s*:', longest) if known else []
    return {key.decode("utf-8", "replace"): None for key in keys}


def head_of(path: Path) -> bytes:
    """What a file begins with, unpacked where its name says that it is packed."""
    packing = path.suffix if path.suffix in (".gz", ".zst") else ""
    try:
        with PACKINGS[packing](path) as stream:
            found: bytes = stream.read(HEAD)
            return found
    except (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError):
        return b""


class Document:
    """A JSON document that is read element by element, so that memory does not grow with it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "log.json"
    >>> _ = path.write_text('{"eval": {"task": "x"}, "samples": [{"id": 1}, {"id": 2}]}')
    >>> list(Document(path, {"samples"}).entries())
    [('eval', {'task': 'x'}), ('samples', {'id': 1}), ('samples', {'id': 2})]

    Args:
        path: the file.
        arrays: keys of the outermost object whose arrays are given element by element; "" for a
            document that is an array itself.

    Raises ItemsError where the document is damaged or one value is longer than `MAX_VALUE`.
    """

    def __init__(self, path: Path, arrays: Collection[str]) -> None:
        self.path = path
        self._arrays = arrays
        self._text = ""
        self._at = 0
        self._passed = 0
        self._ended = False

    def entries(self) -> Iterator[tuple[str, Any]]:
        """(key, value) in the order of the file; the elements of an array share its key."""
        with self.path.open("rb") as stream:
            self._stream: IO[bytes] = stream
            self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
            self._text, self._at, self._passed, self._ended = "", 0, 0, False
            if self._next() == "[":
                for value in self._elements():
                    yield "", value
                return
            yield from self._members()

    def _members(self) -> Iterator[tuple[str, Any]]:
        self._expect("{")
        while self._next() != "}":
            key = self._value()
            self._expect(":")
            if key in self._arrays and self._next() == "[":
                for value in self._elements():
                    yield str(key), value
            else:
                yield str(key), self._value()
            if self._next() != "}":
                self._expect(",")

    def _elements(self) -> Iterator[Any]:
        self._expect("[")
        while self._next() != "]":
            yield self._value()
            if self._next() != "]":
                self._expect(",")
        self._expect("]")

    def _value(self) -> Any:
        """The value that begins here; more is read until it is whole."""
        self._next()
        wanted = _PIECE
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._at)
                # A number at the end of what is there may go on.
                if end < len(self._text) or self._ended:
                    start, self._at = self._at, end
                    halves = _HALF.search(self._text, start, end)
                    return value if halves is None else mended(value)
            except RecursionError:
                raise self._fault("is nested too deeply") from None
            except ValueError as error:
                if self._ended:
                    raise self._fault(f"is broken JSON or cut off ({error})") from None
            if len(self._text) - self._at > MAX_VALUE:
                raise self._fault(f"holds one value of more than {MAX_VALUE:,} characters")
            self._more(wanted)
            wanted *= 2

    def _next(self) -> str:
        """The next sign that is not white space; ItemsError at the end of the file."""
        while True:
            while self._at < len(self._text):
                if not self._text[self._at].isspace():
                    return self._text[self._at]
                self._at += 1
            if self._ended:
                raise self._fault("is cut off")
            self._more(_PIECE)

    def _expect(self, sign: str) -> None:
        found = self._next()
        if found != sign:
            raise self._fault(f"is broken JSON: {found!r} where {sign!r} belongs")
        self._at += 1

    def _more(self, size: int) -> None:
        piece = self._stream.read(size)
        self._ended = not piece
        self._passed += self._at
        self._text = self._text[self._at :] + self._decode(piece, self._ended)
        self._at = 0

    def _fault(self, what: str) -> ItemsError:
        place = self._passed + self._at
        return damaged(str(self.path), f"the document {what}, at character {place:,}")


class Archive:
    """The members of a zip archive, read in memory alone.

    Deflate, bzip2, LZMA and Zstandard (method 93) are known. What a member and the whole archive
    may grow to is bounded as for items (`MAX_GROWTH`).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise damaged(str(path), f"the zip archive is damaged or cut off ({error})") from None
        self.sizes = {info.filename: info.file_size for info in self._zip.infolist()}
        total, most = sum(self.sizes.values()), self._bound(path.stat().st_size)
        if total > most:
            fault = f"its {len(self.sizes):,} entries would grow to {total:,} bytes; at most"
            raise damaged(str(path), f"{fault} {most:,} are allowed", "Is this really a log?")

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self.sizes

    def json(self, name: str) -> Any:
        """A member as a JSON value; ItemsError where it is damaged, or grows too much."""
        source = f"{self.path}, entry {name[:200]!r}"
        try:
            info = self._zip.getinfo(name)
            most = min(self._bound(info.compress_size), 4 * MAX_VALUE)
            with self._zip.open(info) as stream:
                content = stream.read(most + 1)
        except (
            zipfile.BadZipFile, zlib.error, zstd.ZstdError, EOFError, OSError,
            NotImplementedError, RuntimeError, ValueError,
        ) as error:  # fmt: skip
            raise damaged(source, f"cannot be unpacked ({error})") from None
        if len(content) > most:
            raise damaged(source, f"grows to more than {most:,} bytes", "Is this really a log?")
        return parsed(content, source)

    @staticmethod
    def _bound(packed: int) -> int:
        return max(FREE_GROWTH, MAX_GROWTH * packed)
