"""Where a table of answers has its fields: by the program that wrote it, or guessed.

`layouts.toml` says where programs that are known by name write each field; the fields of any other
table are guessed as those of items are, or named by the user.
"""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

from horsesense.items.faults import Faults
from horsesense.items.fields import FIELDS, FieldMap
from horsesense.items.files import read_rows
from horsesense.items.layouts import LOOKED_AT, guess, plain_name
from horsesense.items.nested import flat
from horsesense_extras.logs.streams import UNREADABLE, document
from horsesense_extras.logs.values import at, items_of

Row = dict[str, Any]
Unread = Literal["wrong", "random"]
"""What a program makes of a reply in which it finds no answer: wrong, or an option at random."""
ANSWERED: Final = ("response", "model", "read", "score", "error", "finish_reason", "prompt")
"""Our names of what a table of answers holds beside an item."""
WHOLE: Final = "/"
"""The name under which each row of a document holds the whole of it."""
WIDE: Final = re.compile(
    r"(?:response|reply|output|prediction|completion)[\s_.:/-]+(\S.*)"
    r"|(\S.*?)[\s_.:/-]+(?:response|reply|output|prediction|completion)",
    re.IGNORECASE,
)
"""Names of columns that hold the replies of one model each."""
ENDINGS: Final = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")


@dataclass(frozen=True)
class TableLayout:
    """Where the fields of a table stand; of several paths the first that leads anywhere counts.

    Attributes:
        name: of the program; "table" where the fields were guessed.
        fields: our name -> paths.
        has: paths, all of which lead somewhere in a row ("a|b": either).
        rows: where the rows of a JSON document lie.
        path: how a file's path names model and task.
        unread: what the program makes of a reply in which it finds no answer.
        orders: whether rows that show an item in several orders have names of their own.
        items: of a table that was guessed, where it holds what an item is.
        wide: model -> the column of its replies, where there is one for each.
        told: what was guessed, in a sentence.
    """

    name: str
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    has: Sequence[str] = ()
    rows: Sequence[str] = ()
    path: str = ""
    unread: Unread = "wrong"
    orders: bool = False
    items: FieldMap | None = None
    wide: Mapping[str, str] = field(default_factory=dict)
    told: str = ""

    def fits(self, row: Row) -> bool:
        return all(any(found(row, p) is not None for p in each.split("|")) for each in self.has)

    def flat(self, row: Row, column: str | None = None) -> dict[str, Any]:
        """A row with our names; of a wide table with the replies in one column."""
        made = {ours: first(row, paths) for ours, paths in self.fields.items()}
        if not any(re.search(r"[.~]", p) or p in row for p in self.fields.get("read", ())):
            made.pop("read", None)  # a column that is not there is no answer that was not found
        if self.items is not None:
            own = {ours: self.items.get(row, ours) for ours in FIELDS if self.items.has(row, ours)}
            made = {**own, **made}
        if column is not None:
            made["response"] = first(row, [column])
        return made


@cache
def known() -> tuple[tuple[TableLayout, ...], Mapping[str, Sequence[str]]]:
    """The layouts of `layouts.toml`, and the names of columns in other tables."""
    table = tomllib.loads((files(__package__) / "layouts.toml").read_text(encoding="utf-8"))
    return tuple(TableLayout(**row) for row in table["layout"]), table["names"]


def found(row: Row, path: str) -> Any:
    """What stands at a path of a row; None where nothing does, or what pandas writes for it."""
    place, _, pattern = path.partition(" ~ ")
    value = row if not place else row[place] if place in row else at(row, place)
    if pattern:
        match = re.search(pattern, html.unescape(value)) if isinstance(value, str) else None
        value = match[1].strip() or None if match else None
    return None if isinstance(value, float) and value != value else value


def first(row: Row, paths: Sequence[str]) -> Any:
    return next((v for path in paths if (v := found(row, path)) is not None), None)


# -- rows ------------------------------------------------------------------------------------------


def rows_in(
    path: Path, tell: Callable[[str, str], None] | None = None
) -> Iterator[tuple[int, Row]]:
    """The rows of a table with their numbers; `tell` gets each line that cannot be read.

    Raises:
        ItemsError: the file is damaged, or its header names a column twice.
        UsageError: the file cannot be read.
    """
    if path.suffix.lower() == ".json":  # one line may be longer than any of a file of rows
        text = document(path)
        yield from enumerate(_unfolded(text), 1)
        return
    faults = Faults(str(path))
    by_columns = {".csv", ".tsv"} & {suffix.lower() for suffix in path.suffixes}
    number_ = 0
    for number_, row in read_rows(path, faults):
        if by_columns:
            faults.check("Give each column a name of its own.")
            by_columns = set()
        yield number_, flat(row)
    if not number_:
        faults.check("No row of it can be read.")
    for line, fault in faults.found:
        if tell is not None:
            tell(UNREADABLE, f"{faults.unit} {line}: {fault}")


def _unfolded(text: Any) -> Iterator[Row]:
    """The rows of a document: itself, or a list or an object of rows inside it."""
    places = dict.fromkeys(place for layout in known()[0] for place in layout.rows)
    for place in ("", *places, *("samples", "data", "rows")):
        inside = _listed(text, place)
        if inside:
            for row in inside:
                yield flat({**row, WHOLE: text} if isinstance(text, dict) else row)
            return


def _listed(text: Any, place: str) -> list[dict[str, Any]]:
    """What lies at a place of a document, where it is rows; two lists side by side are."""
    if "+" in place:
        names = place.split("+")
        columns = [items_of(at(text, name)) for name in names]
        if len({*map(len, columns)}) > 1:
            return []
        return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
    inside = text if not place else at(text, place)
    if isinstance(inside, dict):  # rows by their numbers, as OpenCompass has them
        inside = [row for key, row in inside.items() if key.isdecimal()]
    listed = items_of(inside)
    return listed if all(isinstance(row, dict) for row in listed) else []


# -- which layout ----------------------------------------------------------------------------------


def layout_of(path: Path, given: Mapping[str, str]) -> TableLayout | None:
    """The layout of a table of answers; None for what holds no replies.

    `given` are fields that the user names: our name -> theirs, or several columns of replies.

    Raises UsageError where a right answer can be read in two ways.
    """
    rows = [row for _, row in islice(rows_in(path), LOOKED_AT)]
    named = next((one for one in known()[0] if any(map(one.fits, rows[:50]))), None)
    answered = {o: t for o, t in given.items() if o in ANSWERED}
    if named is not None:
        return replace(named, fields={**named.fields, **{o: [t] for o, t in given.items()}})
    return _guessed(path, rows, {o: t for o, t in given.items() if o not in ANSWERED}, answered)


def _guessed(
    path: Path, rows: list[Row], items: Mapping[str, str], given: Mapping[str, str]
) -> TableLayout | None:
    """The fields by their names: first those of answers, and of the others those of an item."""
    names = list(dict.fromkeys(name for row in rows for name in row if name != WHOLE))
    plain = {plain_name(name): name for name in reversed(names)}
    taken: dict[str, str] = {o: t for o, t in given.items() if "," not in t}
    wide = {n: n for o, t in given.items() if "," in t and o == "response" for n in t.split(",")}
    for ours, theirs in known()[1].items():
        free = (plain[n] for n in theirs if n in plain)
        name = next((n for n in free if n not in (*taken.values(), *items.values())), None)
        if name is not None and ours not in (*taken, *(("response",) if wide else ())):
            taken[ours] = name
    if "response" not in taken and not wide:
        matched = {name: WIDE.fullmatch(name) for name in names if name not in items.values()}
        wide = {m[1] or m[2]: name for name, m in matched.items() if m}
        if len(wide) < 2:
            return None
    used = {*taken.values(), *wide.values(), WHOLE}
    rest = [{name: v for name, v in row.items() if name not in used} for row in rows]
    guessed = guess(
        str(path), _each_once(rest, [r.get(taken.get("model", "")) for r in rows]), items
    )
    said = " (--map says otherwise)."
    told = ", ".join(f"{o}={t}" for o, t in taken.items()) + (
        f", one column a model: {', '.join(wide)}" if wide else ""
    )
    first = f"{guessed.note.removesuffix(said)}; " if guessed.note else "Fields taken as "
    return TableLayout(
        "table",
        {ours: [theirs] for ours, theirs in taken.items()},
        items=FieldMap({**guessed.renamed, **items}),
        wide=wide,
        told=f"{first}{told.removeprefix(', ')}{said}",
    )


def _each_once(rows: list[Row], models: list[Any]) -> list[Row]:
    """The rows of the first model, each once, as in a file of items."""
    of_one = (row for row, model in zip(rows, models, strict=True) if model == models[0])
    return list({repr(row): row for row in of_one}.values())
