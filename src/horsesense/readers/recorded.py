"""Readings of recorded responses, for use without the rest of the toolkit."""

from __future__ import annotations

import string
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from shutil import copyfileobj
from typing import Any, Final, NamedTuple, Self

from horsesense.items.faults import Faults
from horsesense.items.files import PACKINGS, PIPED, UNPACKING, Row, load_rows, read_rows
from horsesense.models.messages import Response, ended_by
from horsesense.readers.formats.letters import read_several
from horsesense.readers.reading import Reading
from horsesense.readers.recorded_fields import Fields
from horsesense.readers.recorded_gold import RecordedGold, gold_of
from horsesense.readers.text import TextReader
from horsesense.stats.words import plural

_TELLS = 64
"""Bytes at the beginning that tell the format of standard input."""
_PACKED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
"""First bytes -> the ending of what is packed so."""
FAILED: Final = "failed to read"
"""The status of a row that has no reading: its rule says what kept it from one."""
_EXAMPLE = '{"id": "q1", "question": "...", "options": ["red", "blue"], "response": "B"}'
_HINT: Final = (
    f"A row looks like {_EXAMPLE}. For other names: --map OURS=THEIRS;"
    " where rows name items by `id` alone: --items FILE"
)


class Recorded(NamedTuple):
    """One row of a file with its reading.

    Attributes:
        id: `id` or `item_id` of the row, else its line number.
        response: the text that was read; "" where the file has null.
        letters: the labels of the chosen options as they were shown; their texts where the
            options have no labels.
        reading: what the reader made of it.
        k: how many options the row has.
        gold: what the file says is right; None where it does not.
        came: whether there is a response, if an empty one; not where the file has null.
        failed: whether the row could not be read; the rule of the reading says why.
    """

    id: str
    response: str
    letters: tuple[str, ...]
    reading: Reading
    k: int = 0
    gold: RecordedGold | None = None
    came: bool = True
    failed: bool = False

    @classmethod
    def faulty(cls, name: str, why: str) -> Self:
        """A row that could not be read."""
        return cls(name, "", (), Reading("unclear", rule=why, confidence=0.0), failed=True)

    @property
    def status(self) -> str:
        """That of the reading, or `FAILED`."""
        return FAILED if self.failed else self.reading.status

    def as_json(self) -> dict[str, Any]:
        """One object of the output: id, status, positions, letters, rule, span, confidence."""
        reading = self.reading
        return {
            "id": self.id,
            "status": self.status,
            "positions": list(reading.positions),
            "slots": list(reading.positions),
            "letters": list(self.letters),
            "rule": reading.rule,
            "span": None if reading.span is None else list(reading.span),
            "confidence": round(reading.confidence, 4),
        }


class RecordedRow(NamedTuple):
    """One sound row of a file.

    Attributes:
        id: `id` or `item_id` of the row, else its line number.
        labels: what stood before each option; empty where options are named by their text.
        question: what was asked, where the file says so.
        gold: what is right, where the file says so.
        came: as in `Recorded`.
        given: the row under our names.
    """

    id: str
    response: str
    options: tuple[str, ...]
    labels: tuple[str, ...]
    finish_reason: str | None
    question: str | None = None
    gold: RecordedGold | None = None
    came: bool = True
    given: Mapping[str, Any] = {}

    def read_as(self, reading: Reading) -> Recorded:
        """The row with its reading."""
        names = self.labels or self.options
        letters = tuple(names[position] for position in reading.positions)
        return Recorded(
            self.id, self.response, letters, reading, len(self.options), self.gold, self.came
        )


def read_file(
    path: str | Path,
    *,
    reader: TextReader | None = None,
    multiple: bool = False,
    fields: Fields | None = None,
    items: Mapping[str, Row] | None = None,
) -> Iterator[Recorded]:
    """Read every response of a JSONL, CSV, TSV or Parquet file in the order of its rows.

    All but Parquet also as .gz or .zst. A row holds `options` (a list of texts) and `response` (a
    text, or null where nothing came back); where present, `id` or `item_id`, `labels` or
    `option_letters` (a list as long as the options, or empty where options are named by their
    text; default A, B, C, ...), `finish_reason` and `question`. Other common names of
    these are guessed, and `fields` keeps what was. `multiple` lets a response choose several
    options. What a row lacks is taken from that of `items` (see `rows_by_id`) with its id.

    No row ends a file: one that cannot be read has the status `FAILED`.

    Raises:
        UsageError: the file is missing or of an unknown format.
        ItemsError: no row is sound; it names every faulty line.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.jsonl"
    >>> _ = path.write_text('{"options": ["red", "blue"], "response": "I choose B."}')
    >>> [row.as_json()["letters"] for row in read_file(path)]
    [['B']]
    """
    reader, faults = reader or TextReader(), _RowFaults(_source(path))
    for row in _rows(path, faults, fields or Fields(), items or {}):
        yield from faults.rows()
        yield _read(reader, row, multiple)
    if not faults.sound:
        faults.check(_HINT)
    yield from faults.rows()


def _read(reader: TextReader, row: RecordedRow, multiple: bool) -> Recorded:
    ended, asked = row.finish_reason, row.question
    try:
        if multiple:
            reply = Response(row.response, finish_reason=ended)
            return row.read_as(read_several(reader, reply, row.options, row.labels, asked))
        return row.read_as(
            reader.read(row.response, row.options, row.labels, finish_reason=ended, question=asked)
        )
    except Exception as error:  # noqa: BLE001 - whatever it is, the other replies are read
        return Recorded.faulty(row.id, _why(error))


def _why(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def recorded_rows(
    path: str | Path, fields: Fields | None = None, items: Mapping[str, Row] | None = None
) -> Iterator[RecordedRow]:
    """The sound rows of a file as `read_file` takes them.

    Raises the same errors, and ItemsError after the last sound row for any faulty one.
    """
    faults = _RowFaults(_source(path))
    yield from _rows(path, faults, fields or Fields(), items or {})
    faults.check(_HINT)


def rows_by_id(path: str | Path, fields: Fields | None = None) -> dict[str, Row]:
    """The rows of a file of items, under our names, by their ids; the errors of `load_rows`."""
    rows = ((fields or Fields()).plain(row) for _, row in load_rows(path))
    return {str(row.get("id")): row for row in rows}


class _RowFaults(Faults):
    """Faults that are told as rows once one row was sound: the file is then what it should be.

    Attributes:
        sound: whether one was.
        ids: number of a faulty row -> its id, where it has one.
    """

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.sound = False
        self.ids: dict[int, str] = {}

    def add(self, number: int, fault: str) -> None:
        if self.sound:
            self._found.append((number, fault))
        else:
            super().add(number, fault)

    def rows(self) -> Iterator[Recorded]:
        """What was met since the last call, as rows."""
        self.sound = True
        found = groupby(sorted(self._found), itemgetter(0))
        told = [(number, "; ".join(fault for _, fault in group)) for number, group in found]
        self._found.clear()
        for number, why in told:
            yield Recorded.faulty(self.ids.pop(number, str(number)), why)


def _source(path: str | Path) -> str:
    return PIPED if Path(path).name.startswith(PIPED) else str(path)


def _rows(
    path: str | Path, faults: _RowFaults, fields: Fields, items: Mapping[str, Row]
) -> Iterator[RecordedRow]:
    for number, given in read_rows(Path(path), faults):
        try:
            row = fields.plain(given)
            if items:
                row = items.get(str(row.get("id")), {}) | row
            wrong = list(_faults_of(row, given))
            made = None if wrong else _row(number, row)
        except Exception as error:  # noqa: BLE001 - as above
            row, wrong, made = {}, [_why(error)], None
        if made is not None:
            yield made
            continue
        if row.get("id") is not None:
            faults.ids[number] = str(row["id"])
        for fault in wrong:
            faults.add(number, fault)


@contextmanager
def standard_input() -> Iterator[Path]:
    """Standard input as a file, of the format that its first bytes tell.

    Gzip and Zstandard are unpacked. Parquet begins with PAR1; JSONL with a brace; anything else is
    taken as CSV.
    """
    with tempfile.TemporaryDirectory(prefix="horsesense-") as folder:
        given = Path(folder) / "given"
        with given.open("xb") as part:
            copyfileobj(sys.stdin.buffer, part)
        packing = _packing(given)
        path = given.with_name(f"{PIPED}{_ending(given, packing)}{packing}")
        yield given.rename(path)


def _packing(path: Path) -> str:
    with path.open("rb") as stream:
        first = stream.read(4)
    return next((ending for magic, ending in _PACKED.items() if first.startswith(magic)), "")


def _ending(path: Path, packing: str) -> str:
    """The ending of what its first bytes show a file to be."""
    try:
        with PACKINGS[packing](path) as stream:
            first = stream.read(_TELLS)
    except UNPACKING:
        first = b""  # who reads the rows says what is wrong with it
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    if first.startswith(b"PAR1"):
        return ".parquet"
    return ".jsonl" if not start or start.startswith((b"{", b"[")) else ".csv"


def _row(number: int, row: dict[str, Any]) -> RecordedRow:
    options = tuple(map(str, row["options"]))
    labels = _labels(row.get("labels"), len(options))
    name = str(number if row.get("id") is None else row["id"])
    asked = row.get("question")
    question = asked if isinstance(asked, str) else None
    reply = row["response"]
    gold = gold_of(row.get("gold"), options, labels)
    how, came = ended_by(row.get("finish_reason")), reply is not None
    return RecordedRow(name, reply or "", options, labels, how, question, gold, came, row)


def _labels(given: Any, k: int) -> tuple[str, ...]:
    if given is not None:
        return tuple(map(str, given))
    return tuple(string.ascii_uppercase[:k]) if k <= len(string.ascii_uppercase) else ()


def _faults_of(row: dict[str, Any], given: dict[str, Any]) -> Iterator[str]:
    """What keeps a row from being read; `given` is the row under the file's own names."""
    options, labels = row.get("options"), row.get("labels")
    there = f"(there are: {', '.join(map(str, given))})"
    if "options" not in row:
        yield f"the field `options` is missing {there}"
    elif not _texts(options) or not options:
        yield "`options` must be a list of texts, and is not empty"
    if "response" not in row:
        yield f"the field `response` is missing {there}"
    elif not isinstance(row["response"], str | None):
        yield f"`response` must be a text or null, not {type(row['response']).__name__}"
    if labels is None:
        return
    if not _texts(labels):
        yield "`labels` must be a list of texts"
    elif _texts(options) and labels and options and len(labels) != len(options):
        yield f"`labels` has {plural(len(labels), 'entry')} for {plural(len(options), 'option')}"
    elif len(set(map(str, labels))) < len(labels):
        yield "`labels` names two options alike"


def _texts(value: Any) -> bool:
    """Whether a value is a list of texts or numbers."""
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and all(isinstance(entry, str | int | float) for entry in value)
    )
