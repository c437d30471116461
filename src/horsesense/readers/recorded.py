"""Readings of recorded responses, for use without the rest of the toolkit."""

from __future__ import annotations

import string
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from typing import Any, NamedTuple

from horsesense.items.faults import Faults
from horsesense.items.files import PACKINGS, PIPED, UNPACKING, read_rows
from horsesense.models.messages import Response, ended_by
from horsesense.readers.formats.letters import read_several
from horsesense.readers.reading import Reading
from horsesense.readers.recorded_fields import Fields
from horsesense.readers.recorded_gold import RecordedGold, gold_of
from horsesense.readers.text import TextReader

_TELLS = 64
"""Bytes at the beginning that tell the format of standard input."""
_PACKED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
"""First bytes -> the ending of what is packed so."""
_EXAMPLE = '{"id": "q1", "question": "...", "options": ["red", "blue"], "response": "B"}'


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
    """

    id: str
    response: str
    letters: tuple[str, ...]
    reading: Reading
    k: int = 0
    gold: RecordedGold | None = None
    came: bool = True

    def as_json(self) -> dict[str, Any]:
        """One object of the output: id, status, positions, letters, rule, span, confidence."""
        reading = self.reading
        return {
            "id": self.id,
            "status": reading.status,
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
    """

    id: str
    response: str
    options: tuple[str, ...]
    labels: tuple[str, ...]
    finish_reason: str | None
    question: str | None = None
    gold: RecordedGold | None = None
    came: bool = True

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
) -> Iterator[Recorded]:
    """Read every response of a JSONL, CSV, TSV or Parquet file in the order of its rows.

    All but Parquet also as .gz or .zst. A row holds `options` (a list of texts) and `response` (a
    text, or null where nothing came back); where present, `id` or `item_id`, `labels` or
    `option_letters` (a list as long as the options, or empty where options are named by their
    text; default A, B, C, ...), `finish_reason` and `question`. Other common names of
    these are guessed, and `fields` keeps what was. `multiple` lets a response choose several
    options.

    Raises:
        UsageError: the file is missing or of an unknown format.
        ItemsError: after the last sound row, naming every faulty line.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.jsonl"
    >>> _ = path.write_text('{"options": ["red", "blue"], "response": "I choose B."}')
    >>> [row.as_json()["letters"] for row in read_file(path)]
    [['B']]
    """
    reader = reader or TextReader()
    for row in recorded_rows(path, fields):
        if multiple:
            reply = Response(row.response, finish_reason=row.finish_reason)
            reading = read_several(reader, reply, row.options, row.labels, row.question)
        else:
            reading = reader.read(
                row.response,
                row.options,
                row.labels,
                finish_reason=row.finish_reason,
                question=row.question,
            )
        yield row.read_as(reading)


def recorded_rows(path: str | Path, fields: Fields | None = None) -> Iterator[RecordedRow]:
    """The rows of a file as `read_file` takes them; the same errors."""
    piped = Path(path).name.startswith(PIPED)
    faults = Faults(PIPED if piped else str(path))
    fields = fields or Fields()
    for number, given in read_rows(Path(path), faults):
        row = fields.plain(given)
        wrong = list(_faults_of(row, given))
        for fault in wrong:
            faults.add(number, fault)
        if not wrong:
            yield _row(number, row)
    faults.check(f"A row looks like {_EXAMPLE}. For other names: --map OURS=THEIRS")


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
    return RecordedRow(name, reply or "", options, labels, how, question, gold, came)


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
        yield f"`labels` has {len(labels)} entries for {len(options)} options"
    elif len(set(map(str, labels))) < len(labels):
        yield "`labels` names two options alike"


def _texts(value: Any) -> bool:
    """Whether a value is a list of texts or numbers."""
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and all(isinstance(entry, str | int | float) for entry in value)
    )
