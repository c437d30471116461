"""Rows of a data file: JSONL, a JSON array, CSV, TSV or Parquet; plain, gzip or Zstandard.

Files are untrusted. Lines have a greatest length, text must be UTF-8, nothing is executed or
unpickled, and every fault is kept with its line so that all of them are reported together.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import difflib
import gzip
import json
import shlex
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

from horsesense.errors import UsageError
from horsesense.files import regular, usable
from horsesense.items.faults import Faults
from horsesense.items.parquet import UnreadableError, parquet_rows
from horsesense.stats.words import plural

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Row = dict[str, Any]
Rows = Iterator[tuple[int, Row]]
Lines = Iterator[tuple[int, bytes]]

UTF_16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

UNPACKING: Final = (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError)
"""What is raised where a compressed file is damaged."""
PIPED: Final = "standard input"
"""What standard input is called as a source."""
MAX_LINE: Final = 16 * 2**20
"""Greatest length of a line in bytes."""
MAX_ARRAY: Final = 2**28
"""Greatest length of a JSON array in bytes: it is held as a whole."""
MAX_GROWTH: Final = 200
"""A compressed file may grow so many times (text grows 3 to 20 times), or to `FREE_GROWTH`."""
FREE_GROWTH: Final = 64 * 2**20
LINE: Final = 64
"""Bytes that a line of a compressed file counts besides its own."""
WORKBOOKS: Final = (".xlsx", ".xls", ".ods", ".numbers")


def load_rows(path: str | Path) -> Rows:
    """Rows of a JSONL, CSV, TSV or Parquet file, plain or `.gz`/`.zst`, with their line numbers.

    Lone halves of surrogate pairs, which have no UTF-8 form, become U+FFFD; NaN and infinities
    are kept as floats; cells of a CSV file are strings, and None where they are empty.

    Yields:
        (number, row): the line the row begins on (Parquet: the row's number), from 1.

    Raises:
        UsageError: the file is missing, a directory, or of an unknown format.
        ItemsError: after the last sound row, if any line had a fault; it names them all.
    """
    faults = Faults(str(path))
    yield from read_rows(Path(path), faults)
    faults.check()


def read_rows(path: Path, faults: Faults) -> Rows:
    """`load_rows`, leaving the faults to the caller to add to and to raise."""
    _check_path(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packing = suffixes.pop() if suffixes and suffixes[-1] in PACKINGS else ""
    form = suffixes[-1] if suffixes else ""
    if form == ".parquet" and not packing:
        faults.unit = "row"
        yield from _parquet_rows(path, faults)
    elif form in FORMATS:
        try:
            with PACKINGS[packing](path) as stream:
                lines = _lines(stream, _most_content(path), bool(packing), faults)
                yield from FORMATS[form](lines, faults)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    elif form in WORKBOOKS:
        raise UsageError(
            f"{path} is a workbook of a spreadsheet program.",
            hint='Save it as "CSV UTF-8" and give that file.',
        )
    else:
        known = ", ".join([*FORMATS, ".parquet"])
        raise UsageError(
            f"{path}: the name does not say what format the file has.",
            hint=f"Known endings: {known}; all but .parquet also with .gz or .zst added.",
        )


def stem(path: Path) -> str:
    """The file's name without the endings that tell its format."""
    name = path.name
    for suffix in reversed(path.suffixes):
        if suffix.lower() in (*PACKINGS, *FORMATS, ".parquet"):
            name = name.removesuffix(suffix)
    return name


def _check_path(path: Path) -> None:
    """Refuse a path that is not a file.

    Raises:
        UsageError: `path` is missing or a directory; it names the files near it.
    """
    if path.suffix == ".toml" or (path / "study.toml").is_file():
        hint = "`horsesense run STUDY` audits it; `horsesense plan ITEMS -m MODEL` plans a set."
        raise UsageError(f"{path} holds a study or a run, not items.", hint=hint)
    if usable(regular(path)).is_dir():
        inside = [entry.name for entry in sorted(path.iterdir()) if entry.is_file()][:10]
        raise UsageError(
            f"{path} is a directory.",
            hint=f"Name a file in it: {', '.join(inside)}." if inside else "It contains no files.",
        )
    try:
        path.stat()
        return
    except FileNotFoundError:
        pass
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    beside = []
    with contextlib.suppress(OSError):
        beside = [entry.name for entry in path.parent.iterdir()]
    near = difflib.get_close_matches(path.name, beside, n=3, cutoff=0.5)
    hint = f"Near it: {', '.join(near)}." if near else "Check the path."
    if not path.is_absolute() and str(path).count("/") <= 1 and not path.suffix:
        hint += f" For a set on the Hugging Face hub write hf:{path}."
    raise UsageError(f"There is no file {path}.", hint=hint)


PACKINGS: Final[dict[str, Callable[[Path], Any]]] = {
    "": lambda path: path.open("rb"),
    ".gz": gzip.open,
    ".zst": zstd.open,
}
"""File ending -> how to open it as a stream of bytes."""


def _lines(stream: BinaryIO, limit: int, packed: bool, faults: Faults) -> Lines:
    """Numbered lines; overlong ones are passed over and counted as faults.

    Reading stops after `limit` bytes: memory and time are bounded for a decompression bomb. A line
    costs time however short it is, so that each of a packed file counts some bytes more.
    """
    number = total = 0
    more = LINE if packed else 0
    try:
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            total += len(line) + more
            if len(line) > MAX_LINE:
                total += _skip_line(stream, number, limit - total, faults)
            elif number > 1:
                yield number, line
            elif line.startswith(UTF_16_MARKS):
                faults.add(number, "the file is UTF-16; it must be UTF-8")
                faults.advise(converted(faults.source, "UTF-16"))
                return
            else:
                yield number, line.removeprefix(codecs.BOM_UTF8)
            if total > limit:
                faults.add(number, f"longer than {limit:,} bytes up to here; not read any further")
                return
    except UNPACKING as error:
        faults.add(number + 1, f"the compressed data are damaged or cut off ({error})")


def _skip_line(stream: BinaryIO, number: int, limit: int, faults: Faults) -> int:
    """Pass over the rest of an overlong line, up to `limit` bytes; their number."""
    skipped = 0
    while skipped <= limit and (part := stream.readline(MAX_LINE)):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    length = f"{MAX_LINE + 1 + skipped:,} bytes"
    faults.add(number, f"the line has {length}; at most {MAX_LINE:,} are allowed")
    return skipped


def converted(source: str, encoding: str) -> str:
    """The command that writes a text file anew in UTF-8, as a hint."""
    if source == PIPED:
        return f"Convert it on the way: iconv -f {encoding} -t UTF-8 FILE | horsesense read -"
    path = Path(source)
    if path.suffix.lower() in PACKINGS:
        return f"Unpack {source} and convert it to UTF-8."
    new = path.with_name(f"{path.stem}.utf8{path.suffix}")
    command = f"iconv -f {encoding} -t UTF-8 {shlex.quote(source)} > {shlex.quote(str(new))}"
    likely = "" if encoding == "UTF-16" else " if it is Latin-1, as older spreadsheets write it"
    return f"Convert it{likely}: {command}"


def _decode(line: bytes, number: int, faults: Faults) -> str | None:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        byte = line[error.start]
        faults.advise(converted(faults.source, "WINDOWS-1252"))
        faults.add(number, f"not UTF-8 text (byte 0x{byte:02x} at position {error.start + 1})")
        return None


def _json_rows(lines: Lines, faults: Faults) -> Rows:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            if line.strip() in (b"[", b"{"):
                faults.add(number, "a value over several lines; each line must contain one object")
                return
            row = _parse_leniently(line, number, faults)
            if row is None:
                continue
        yield from _object(number, row, faults)


def _object(number: int, row: Any, faults: Faults) -> Rows:
    """A row, if it is one; all rows of a task of BIG-bench, which is one object with `examples`."""
    inside = row.get("examples") if isinstance(row, dict) else None
    if isinstance(inside, list) and any("target_scores" in one for one in inside[:1]):
        faults.unit = "row"
        for place, one in enumerate(inside, 1):
            yield from _object(place, one, faults)
        return
    if isinstance(row, dict) and row:
        yield number, row
    else:
        what = "a list" if isinstance(row, list) else f"{row!r:.20}"
        faults.add(number, f"{what} where an object with fields is expected")


def _json_or_array(lines: Lines, faults: Faults) -> Rows:
    """Rows of one JSON array of objects, or of JSON lines, whichever the file begins with."""
    first = next(((number, line) for number, line in lines if line.strip()), None)
    if first is None:
        return
    if not first[1].lstrip().startswith(b"[") and first[1].strip() != b"{":
        yield from _json_rows(chain([first], lines), faults)
        return
    parts, length = [first[1]], len(first[1])
    for number, line in lines:
        parts.append(line)
        length += len(line)
        if length > MAX_ARRAY:
            faults.add(number, f"an array of more than {MAX_ARRAY:,} bytes; write it as JSONL")
            return
    text = b"".join(parts)
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = _parse_leniently(text, first[0], faults)
    if isinstance(found, dict):
        yield from _object(first[0], found, faults)
    if not isinstance(found, list):
        return
    faults.unit = "row"
    for number, row in enumerate(found, 1):
        yield from _object(number, row, faults)


def _parse_leniently(line: bytes, number: int, faults: Faults) -> Any:
    """Parse what orjson refuses but Python writes: NaN, infinities, lone surrogates."""
    text = _decode(line, number, faults)
    if text is None:
        return None
    try:
        return mended(json.loads(text, parse_int=whole_number))
    except json.JSONDecodeError as error:
        faults.add(number, f"broken JSON at column {error.pos + 1}: {error.msg}")
    except (RecursionError, ValueError):
        faults.add(number, "unusable JSON: nested too deeply, or a number of too many digits")
    return None


def whole_number(digits: str) -> int | float:
    """A whole number; a float beyond 64 bits, as orjson has it."""
    found = int(digits)
    return found if -(2**63) <= found < 2**64 else float(digits)


def mended(value: Any) -> Any:
    """`value` with paired surrogates joined and lone ones replaced by U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [mended(part) for part in value]
    if isinstance(value, dict):
        return {mended(key): mended(part) for key, part in value.items()}
    return value


def _csv_rows(lines: Lines, faults: Faults, delimiter: str = ",") -> Rows:
    first = next(lines, None)
    if first is None:
        return
    lines = chain([first], lines)
    if delimiter == "," and b";" in first[1] and b"," not in first[1]:
        delimiter = ";"  # as spreadsheets write it where the comma is the decimal mark
    elif delimiter == "," and b"\t" in first[1] and b"," not in first[1]:
        delimiter = "\t"
    started = 0

    def texts() -> Iterator[str]:
        nonlocal started
        for number, line in lines:
            text = _decode(line, number, faults)
            if text is not None:
                started = started or number
                yield text

    csv.field_size_limit(MAX_LINE)  # the module's own limit, 128 KiB, is less than many contexts
    reader = csv.reader(texts(), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        started = 0
        try:
            cells = next(reader, None)
        except csv.Error as error:
            faults.add(started, f"broken CSV: {error}")
            continue
        if cells is None:
            return
        if not any(cells):
            continue
        if header is None:
            header = _header(cells, started, faults)
        elif len(cells) != len(header):
            faults.add(started, f"has {plural(len(cells), 'cell')}; the header has {len(header)}")
        else:
            yield started, dict(zip(header, (cell or None for cell in cells), strict=True))


def _header(cells: list[str], number: int, faults: Faults) -> list[str]:
    twice = sorted(cell for cell, times in Counter(cells).items() if times > 1)
    if twice:
        faults.add(number, f"the header names a column twice: {', '.join(map(repr, twice))}")
    return [cell.strip() for cell in cells]


FORMATS: Final[dict[str, Callable[[Lines, Faults], Rows]]] = {
    ".jsonl": _json_rows,
    ".ndjson": _json_rows,
    ".json": _json_or_array,
    ".csv": _csv_rows,
    ".tsv": partial(_csv_rows, delimiter="\t"),
}
"""File ending -> how to make rows of numbered lines. A new text format is one line here."""


def _parquet_rows(path: Path, faults: Faults) -> Rows:
    number = 0
    try:
        for number, row in enumerate(parquet_rows(path, _most_content(path)), 1):
            yield number, row
    except UnreadableError as error:
        faults.add(number + 1, f"not a readable Parquet file ({error})")


def _most_content(path: Path) -> int:
    """Bytes that a file may stand for."""
    return max(FREE_GROWTH, MAX_GROWTH * path.stat().st_size)
