"""CSV files that people fill: no cell runs in a spreadsheet, whatever country's one saved it."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Final

from horsesense.errors import UsageError
from horsesense.files import inert, read_whole, whole

_LONGEST: Final = 30_000
"""Characters of a cell; spreadsheets cut at 32,767."""

Table = list[tuple[int, dict[str, str | None]]]
"""The rows of a file by column, each with the line that it ends on."""


def read_table(path: Path, columns: Sequence[str], hint: str) -> Table:
    """The rows of a file that has these columns, in any order and among others.

    Headings are read in lower case. Spreadsheets save with the separator and the encoding that
    their country uses: commas, semicolons or tabs; UTF-8, UTF-16 with its mark, or else
    Windows-1252.

    Raises UsageError where it cannot be read, or lacks a column, or has one of them twice; `hint`
    says what to do then.
    """
    try:
        text = _decoded(read_whole(path))
        for separator in ",;\t":
            reader = csv.DictReader(StringIO(text, newline=""), delimiter=separator)
            headings = [name.strip().lower() for name in reader.fieldnames or ()]
            twice = next((name for name in columns if headings.count(name) > 1), None)
            if twice is not None:
                raise UsageError(f"{path} has the column {twice} twice.", hint=hint)
            if set(columns) <= set(headings):
                reader.fieldnames = headings
                return [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError.unreadable(path, error) from None
    names = f"{', '.join(columns[:-1])} and {columns[-1]}"
    raise UsageError(f"{path} does not have the columns {names}.", hint=hint)


def is_unicode(path: Path) -> bool:
    """Whether a file says what letters it holds; else its encoding was taken for Windows-1252."""
    content = read_whole(path)
    try:
        _unicode(content)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(content: bytes) -> str:
    """The text of a file that a spreadsheet saved; UnicodeDecodeError for one that is none."""
    try:
        return _unicode(content)
    except UnicodeDecodeError:
        return content.decode("cp1252")


def _unicode(content: bytes) -> str:
    utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if utf_16 else "utf-8-sig")


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a file whose cells are inert; StoreError where the disk refuses."""
    with whole(path) as part, part.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(columns)
        writer.writerows([inert_cell(cell) for cell in row] for row in rows)


def inert_cell(text: str) -> str:
    """Text that no spreadsheet runs, and none rejects; what is so already stays as it is."""
    text = text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
    text = inert(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} [...]"


def as_written(cell: str) -> str:
    """What a person wrote, without the apostrophe that made it inert."""
    rest = cell[1:]
    return rest if cell.startswith("'") and rest and not rest[0].isalnum() else cell
