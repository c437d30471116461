"""Tables that people fill, and booklets read from them."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Final
from unicodedata import normalize

from horsesense.errors import ItemsError, UsageError
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


NEEDED: Final = ("booklet", "number", "answer")
WRITTEN: Final = (
    *("booklet", "person", "number", "instruction", "context", "question", "options", "allowed"),
    "answer",
)
"""Columns of a booklet as it is handed out."""
LONGEST: Final = 2_000
"""Characters of an answer."""
HINT: Final = (
    "Take the file that the booklet saved, or the CSV booklet with its column `answer` filled."
)
_NUMBER: Final = re.compile(r"([0-9]{1,6})(?:[.,]0*)?")
"""The number of a question, also as spreadsheets write whole numbers."""
MEND: Final = (
    "Mend these lines: write what the person meant; an answer that is a letter and no label, in a"
    " word more (`the letter F`). Leave `answer` empty only where there was no answer."
)
_MARKED: Final = re.compile(r"\(?(\w+)\s*[.):]?")
"""A word as a label is written: `b`, `b)`, `(b)`, `b.`"""


@dataclass(frozen=True)
class Asked:
    """What a booklet asked under one number.

    Attributes:
        labels, options: the labels that it offered, and the options' texts.
        known: texts of the item's options, those included that it did not show.
    """

    labels: Sequence[str]
    options: Sequence[str]
    known: Sequence[str] = ()

    @property
    def allowed(self) -> str:
        """What may be answered, in words."""
        offered = ", ".join(self.labels or self.options)
        return f"{offered}, or an answer in words"


@dataclass(frozen=True)
class Returned:
    """What came back of one booklet.

    Attributes:
        file: the file.
        booklet: its number, from 1.
        person: how the person named themselves; "" where they did not.
        answers: number of a question -> answer.
        missing: numbers without an answer.
        notes: what was left out, or may be read wrongly, one sentence each.
    """

    file: Path
    booklet: int
    person: str
    answers: Mapping[int, str]
    missing: tuple[int, ...]
    notes: tuple[str, ...] = ()


def code_of(test: str, booklet: int) -> str:
    """What stands on a booklet.

    >>> code_of("a1b2c3", 7)
    'a1b2c3-07'
    """
    return f"{test}-{booklet:02d}"


def read_booklet(path: Path, test: str, booklets: Mapping[int, Mapping[int, Asked]]) -> Returned:
    """What a file holds.

    Args:
        path: a CSV file, whatever spreadsheet saved it.
        test: id of the test.
        booklets: number of a booklet -> number of a question -> what it asked.

    Raises:
        ItemsError: rows that cannot be used; it names all of them, and what is allowed there.
        UsageError: it is not a booklet, or it cannot be read.
    """
    table = read_table(path, NEEDED, HINT)
    rows = []
    for line, cells in table:
        row = {name: (cells.get(name) or "").strip() for name in (*NEEDED, "person")}
        if any(row.values()):
            rows.append((line, {**row, "booklet": row["booklet"].lower()}))
    codes = {code_of(test, number): number for number in booklets}
    filled = next((codes[row["booklet"]] for _, row in rows if row["booklet"] in codes), None)
    if filled is None:
        told = next((repr(row["booklet"][:40]) for _, row in rows), "nothing")
        raise UsageError(
            f"{path} is not a booklet of this test: its column booklet says {told}.",
            hint=f"The booklets of this test are {min(codes)} to {max(codes)}.",
        )
    code, asked = code_of(test, filled), booklets[filled]
    seen: dict[int, int] = {}
    answers: dict[int, str] = {}
    faults = []
    for line, row in rows:
        written = _NUMBER.fullmatch(normalize("NFKC", row["number"]))
        number = int(written[1]) if written else 0
        fault = _fault(row, number, code, asked, seen)
        if fault is None:
            seen[number] = line
            shown = (c for c in as_written(row["answer"]) if c.isprintable() or c.isspace())
            answer = "".join(shown).strip()
            found = offered(answer, asked[number])
            if answer and found is None:
                allowed = asked[number].allowed
                fault = f"question {number}: {answer!r} was not offered; allowed: {allowed}"
            elif found:
                answers[number] = found
        faults += [f"line {line}: {fault}"] if fault else []
    if not answers and not faults:
        faults.append("no question has an answer")
    if faults:
        raise ItemsError(str(path), faults, hint=MEND)
    person = next((row["person"] for _, row in rows if row["person"]), "")
    notes = [*_letters(path, [cell for _, row in rows for cell in row.values()])]
    headings = {name for name in table[0][1] if name}
    if others := sorted(headings - {*WRITTEN, *NEEDED}):
        notes.append(f"{path.name}: not used: the columns {', '.join(others)}")
    return Returned(
        path,
        filled,
        " ".join(as_written(person).split())[:80],
        answers,
        tuple(n for n in asked if n not in answers),
        tuple(notes),
    )


def _letters(path: Path, cells: Sequence[str]) -> Iterator[str]:
    """That the letters of a file may be others: many encodings look like Windows-1252."""
    foreign = dict.fromkeys(cell[:40] for cell in cells if not cell.isascii())
    if foreign and not is_unicode(path):
        shown = ", ".join(map(repr, list(foreign)[:3]))
        yield (
            f"{path.name} is not saved as UTF-8 and was read as Windows-1252: {shown}. If that is"
            " not what was written, save it as CSV UTF-8 and take it again"
        )


def _fault(
    row: Mapping[str, str], number: int, code: str, asked: Mapping[int, Asked], seen: dict[int, int]
) -> str | None:
    """Why a row cannot be taken; None where it can, as far as its answer is one that was offered.

    Args:
        number: of its question, 0 for none; `seen` has the lines of those before.
    """
    if row["booklet"] != code:
        return f"booklet {row['booklet'][:40]!r} in a file of booklet {code}"
    if number not in asked:
        given = row["number"][:40]
        return f"booklet {code} has no question {given!r}; allowed: 1 to {len(asked)}"
    if number in seen:
        return f"question {number} stands on line {seen[number]} too"
    if len(row["answer"]) > LONGEST:
        return f"question {number}: an answer of more than {LONGEST:,} characters"
    return None


def offered(answer: str, asked: Asked) -> str | None:
    """An answer as it is kept: the label as offered, or words; None for a label that was not.

    Only a lone letter that is no option of the item counts as a label that was not offered: a
    number or a short word can be the right answer.

    >>> offered("b)", Asked("ABC", ("x", "y", "z"))), offered("F", Asked("ABC", ("x", "y", "z")))
    ('B', None)
    >>> offered("（Ａ）", Asked("ABC", ("x", "y", "z")))
    'A'
    >>> offered("12", Asked("ABC", ("x", "y", "z"))), offered("no", Asked("ABC", ("x", "y", "z")))
    ('12', 'no')
    """
    texts = {" ".join(text.split()).casefold() for text in (*asked.options, *asked.known)}
    if answer in asked.labels or " ".join(answer.split()).casefold() in texts:
        return answer
    marked = _MARKED.fullmatch(normalize("NFKC", answer))  # of letters in full width too
    if not marked or not asked.labels:
        return answer
    named = [label for label in asked.labels if label.casefold() == marked[1].casefold()]
    if named:
        return named[0]
    return None if len(marked[1]) == 1 and marked[1].isalpha() else answer
