"""Reading large and hostile files piece by piece: JSON documents, and members of zip archives.

Nothing is unpacked to disk and no name from inside a file is ever used as a path.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import json
import re
import struct
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from horsesense.errors import ItemsError, UsageError
from horsesense.files import read_whole
from horsesense.items.faults import Faults
from horsesense.items.files import (
    FREE_GROWTH,
    MAX_GROWTH,
    PACKINGS,
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
LARGEST: Final = 2**31
"""Bytes of the largest document, which is read whole; archives are read sample by sample."""
HEAD: Final = 64 * 2**10
"""Bytes from the start of a file by which its format is told."""

_decoder = json.JSONDecoder(strict=False, parse_int=whole_number)


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
        raise damaged(source, f"broken JSON, or cut off ({error})") from None


def damaged(
    source: str, fault: str, hint: str = "Copy the file again from where it was written."
) -> ItemsError:
    """The error for a file that is not what it should be."""
    return ItemsError(source, [fault], hint=hint)


UNREADABLE: Final = "a line that cannot be read"


def rows(path: Path, left_out: LeftOut) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a JSONL file, plain or compressed, with their lines.

    A line that cannot be read is left out and counted: the last one of a run that was killed is
    often torn. ItemsError for more than `items.faults.MAX_FAULTS` such lines.
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


@contextlib.contextmanager
def may_read(path: Path) -> Iterator[None]:
    """UsageError where a file or folder that a user named, or one in it, cannot be read."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror or error}.",
            hint="Name a log, or a folder of logs of which everything can be read.",
        ) from None


def head_of(path: Path) -> bytes:
    """What a file begins with, unpacked where its name says that it is packed."""
    packing = path.suffix if path.suffix in (".gz", ".zst") else ""
    try:
        with PACKINGS[packing](path) as stream:
            found: bytes = stream.read(HEAD)
            return found
    except (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError):
        return b""


def document(path: Path) -> Any:
    """A JSON document, an object or an array.

    Raises ItemsError where the document is damaged, or larger than `LARGEST`.
    """
    try:
        found = parsed(read_whole(path, LARGEST), str(path))
    except OSError as error:
        raise damaged(str(path), f"cannot be read ({error})") from None
    if not isinstance(found, dict | list):
        raise damaged(str(path), "is no JSON object")
    return found


class Archive:
    """The members of a zip archive, read in memory alone.

    Deflate and Zstandard (method 93) are known. What a member and the whole archive may grow
    to is bounded as for items (`MAX_GROWTH`), and no member grows beyond what the archive says.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with zipfile.ZipFile(path) as found:
                self.entries = {entry.filename: entry for entry in found.infolist()}
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
            raise damaged(str(path), f"the zip archive is damaged or cut off ({error})") from None
        total = sum(entry.file_size for entry in self.entries.values())
        if total > (most := max(FREE_GROWTH, MAX_GROWTH * path.stat().st_size)):
            fault = f"its {len(self.entries):,} entries would grow to {total:,} bytes; at most"
            raise damaged(str(path), f"{fault} {most:,} are allowed", "Is this really a log?")

    def __enter__(self) -> Archive:
        self._stream = self.path.open("rb", buffering=2**20)
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()

    def json(self, name: str) -> Any:
        """A member as a JSON value; ItemsError where it is damaged, or grows too much."""
        source = f"{self.path}, entry {name[:200]!r}"
        entry = self.entries[name]
        size = entry.file_size
        if size > 4 * MAX_VALUE:
            raise damaged(source, f"would grow to {size:,} bytes", "Is this really a log?")
        try:
            # The library takes as long to open a member as to unpack it.
            self._stream.seek(entry.header_offset + _LENGTHS)
            self._stream.seek(sum(struct.unpack("<HH", self._stream.read(4))), 1)
            packed = self._stream.read(min(entry.compress_size, LARGEST))
            content = _UNPACK[entry.compress_type](packed, size + 1)
        except (zlib.error, zstd.ZstdError, struct.error, OSError, KeyError, ValueError) as error:
            raise damaged(source, f"cannot be unpacked ({error!r})") from None
        if len(content) != size or zlib.crc32(content) != entry.CRC:
            raise damaged(source, "is not what was packed")
        return parsed(content, source)


_LENGTHS: Final = 26
"""Where a member's header tells how long the rest of it is: its name and what comes behind."""
_UNPACK: Final[Mapping[int, Callable[[bytes, int], bytes]]] = {
    zipfile.ZIP_STORED: lambda packed, most: packed,
    zipfile.ZIP_DEFLATED: lambda packed, most: zlib.decompressobj(-15).decompress(packed, most),
    zipfile.ZIP_ZSTANDARD: lambda packed, most: zstd.ZstdDecompressor().decompress(packed, most),
}
"""How the members of each method are unpacked, to at most so many bytes."""
