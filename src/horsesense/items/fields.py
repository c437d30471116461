"""From rows to items: which field holds what, and what is wrong with a row."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from horsesense.errors import UsageError
from horsesense.items.faults import Faults
from horsesense.items.files import Row
from horsesense.items.item import Item
from horsesense.items.nested import as_python_writes

FIELDS: Final = (
    "id", "question", "options", "answer_index", "answer_number", "answer", "label", "text",
    "text_a", "text_b", "target", "context", "subject", "cluster", "split", "paraphrases",
)  # fmt: skip
"""Names that horsesense knows; others are mapped to them by OURS=THEIRS."""

JOINED: Final = ("question", "text", "text_a", "text_b", "context")
"""Fields that may be texts of several of the file's, joined by "+" in a map."""

GOLDS: Final = ("answer_index", "answer_number", "answer", "label")
"""Names of the right answer; of several, the first is read."""
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 26
LETTERS: Final = tuple(string.ascii_uppercase)
_LETTER: Final = re.compile(
    r"(?:(?:option|choice|answer)[\s:]*)?\(?(?P<letter>[A-Za-z])(?:[).:]+(?P<text>\s*.+)?)?",
    re.IGNORECASE | re.DOTALL,
)


class Numbered(NamedTuple):
    """A row and its place: `number` for messages, `ordinal` (from 1) for its name."""

    ordinal: int
    number: int
    row: Row


class FieldMap:
    """Looks up our fields under the names that a file uses for them."""

    def __init__(self, renamed: Mapping[str, str] | None = None) -> None:
        self.renamed = dict(renamed or {})
        for ours in self.renamed:
            if ours not in FIELDS:
                raise UsageError.unknown("field", ours, FIELDS)
        self.theirs = {ours: self.renamed.get(ours, ours) for ours in FIELDS}

    def has(self, names: Container[str], ours: str) -> bool:
        """True if a row (or another collection of field names) holds the field."""
        theirs = self.theirs[ours]
        if theirs in names or (ours == "options" and bool(self._columns(names))):
            return True
        return ours in JOINED and "+" in theirs and all(p in names for p in theirs.split("+"))

    def get(self, row: Row, ours: str) -> Any:
        """The value, or None where the field is absent; texts of several fields, one a line."""
        value = row.get(self.theirs[ours])
        if value is None and ours in JOINED and "+" in self.theirs[ours]:
            return self._joined(row, self.theirs[ours].split("+"))
        if value is None and ours == "options" and (columns := self._columns(row)):
            return _drop_tail([row[column] for column in columns])
        return value

    def _joined(self, row: Row, parts: Sequence[str]) -> Any:
        values = [row.get(part) for part in parts]
        texts = [str(value) if type(value) is int else value for value in values]
        odd = next((v for v in texts if v is not None and not isinstance(v, str)), None)
        return odd or "\n".join(text for text in texts if text and text.strip()) or None

    def call(self, ours: str) -> str:
        """The field's name for messages: theirs, and ours where it differs."""
        theirs = self.theirs[ours]
        return theirs if theirs == ours else f"{theirs} ({ours})"

    def _columns(self, names: Container[str]) -> list[str]:
        """The columns that hold one option each, where the map names several and all exist."""
        columns = self.theirs["options"].split(",")
        return columns if len(columns) > 1 and all(c in names for c in columns) else []


def _drop_tail(values: list[Any]) -> list[Any]:
    """Without the empty cells at the end, as of items with fewer options than columns."""
    while values and values[-1] is None:
        values.pop()
    return values


class ItemBuilder:
    """Builds items of one kind from rows; faults are kept, and faulty rows give no item."""

    def __init__(
        self, fields: FieldMap, faults: Faults, present: Iterable[str], rivals: Sequence[str] = ()
    ) -> None:
        """What rows are read by.

        Args:
            fields: our names -> the file's.
            faults: added to.
            present: the fields of ours that at least one row has.
            rivals: fields of the file that name a right answer too; `disagreeing` counts the
                rows where one of them names another option than the gold, `but_for_case` those
                where the gold is written otherwise than its option.

        `first` takes the row of each id.
        """
        self.fields = fields
        self.faults = faults
        self.present = frozenset(present)
        self.rivals = rivals
        self.disagreeing: Counter[str] = Counter()
        self.but_for_case = 0
        self.first: dict[str, Numbered] = {}
        self._wrong: list[str] = []

    def choice(self, at: Numbered) -> Item | None:
        """A multiple-choice item, or None if the row has faults."""
        self._wrong = []
        row = at.row
        question = self._text(row, "question")
        texts, names = self._options(row)
        gold = self._gold(row, texts, names)
        for rival in self.rivals:
            named = options_named(row.get(rival), texts, names)
            self.disagreeing[rival] += gold is not None and bool(named) and gold not in named
        return self._finish(at, question, texts, gold, paraphrases=self._paraphrases(row))

    def labelled(self, at: Numbered, labels: Mapping[str, int]) -> Item | None:
        """A text with a label from `labels` (name -> index), or None if the row has faults."""
        self._wrong = []
        row = at.row
        pair = not self.fields.has(row, "text") and "text_a" in self.present
        question = self._text(row, "text_a" if pair else "text")
        text_b = self._text(row, "text_b") if pair else None
        target = self._text(row, "target", required=False)
        gold = self._label(row, labels)
        return self._finish(at, question, tuple(labels), gold, text_b=text_b, target=target)

    def _finish(
        self,
        at: Numbered,
        question: str | None,
        options: tuple[str, ...],
        gold: int | None,
        **own: Any,
    ) -> Item | None:
        """The item, with what items of its kind alone have; None if the row has faults."""
        row = at.row
        item_id = f"row-{at.ordinal:04}"
        if "id" in self.present:
            item_id = self._text(row, "id", name=True) or ""
        own["context"] = self._text(row, "context", required=False)
        for ours in ("subject", "cluster", "split"):
            own[ours] = self._text(row, ours, required=False, name=True)
        for fault in self._wrong:
            self.faults.add(at.number, fault)
        if self._wrong or question is None:
            return None
        return Item(item_id, question, options, gold, **own)

    def _text(
        self, row: Row, ours: str, *, required: bool = True, name: bool = False
    ) -> str | None:
        """A text, or for a `name` a whole number too; None where it is absent or empty."""
        if not required and ours not in self.present:
            return None
        value = self.fields.get(row, ours)
        if type(value) is int and name:
            return str(value)
        if type(value) is str and value and not value.isspace():
            return value
        if value is not None and type(value) is not str:
            fault = f"{self.fields.call(ours)} is {kind_of(value)} where text is expected"
            self._wrong.append(fault)
        elif required:
            state = "empty" if self.fields.has(row, ours) else "missing"
            self._wrong.append(f"{self.fields.call(ours)} is {state}")
        return None

    def _options(self, row: Row) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Option texts, and the names that the file gives them (else letters)."""
        name = self.fields.call("options")
        texts, names = option_lists(in_one_cell(self.fields.get(row, "options")))
        if not isinstance(texts, list | tuple):
            state = f"{kind_of(texts)} where a list is expected" if texts is not None else "missing"
            self._wrong.append(f"{name} is {state}")
            return (), ()
        if not MIN_OPTIONS <= len(texts) <= MAX_OPTIONS:
            allowed = f"{MIN_OPTIONS} to {MAX_OPTIONS} options"
            self._wrong.append(f"the length of {name} is {len(texts)}; an item has {allowed}")
            return (), ()
        clean = tuple(str(text) if type(text) is int else text for text in texts)
        self._wrong.extend(_text_faults("option", clean))
        return clean, tuple(map(str, names)) or LETTERS[: len(clean)]

    def _paraphrases(self, row: Row) -> tuple[str, ...]:
        """The question in other words; none where the field is absent or empty."""
        if "paraphrases" not in self.present:
            return ()
        name = self.fields.call("paraphrases")
        texts, _ = option_lists(self.fields.get(row, "paraphrases") or [])
        if not isinstance(texts, list):
            self._wrong.append(f"{name} is {kind_of(texts)} where a list is expected")
            return ()
        self._wrong.extend(_text_faults("paraphrase", texts))
        return tuple(texts)

    def _gold(self, row: Row, texts: tuple[str, ...], names: tuple[str, ...]) -> int | None:
        ours = next((o for o in GOLDS if o in self.present), None)
        value = None if ours is None else self._known(row, ours)
        if ours is None or value is None:
            return None
        if ours in ("answer_index", "answer_number"):
            return self._index(value, ours, int(ours == "answer_number"), len(texts))
        return self._named_gold(value, ours, texts, names) if texts else None

    def _known(self, row: Row, ours: str) -> Any:
        """A right answer; None where it is not known, which null says and not an absent field."""
        value = self.fields.get(row, ours)
        if value is None and not self.fields.has(row, ours):
            self._wrong.append(f"{self.fields.call(ours)} is missing (null means: not known)")
        return value

    def _index(self, value: Any, ours: str, first: int, count: int) -> int | None:
        """The option that a number names; the first option has the number `first`."""
        name = self.fields.call(ours)
        index = whole_number(value)
        if index is None:
            shown = repr(value)[:40] if isinstance(value, str | float) else kind_of(value)
            advice = f"a letter or an option's text: --map answer={self.fields.theirs[ours]}"
            self._wrong.append(f"{name} is {shown}, not a whole number ({advice})")
            return None
        if count and not first <= index < count + first:
            allowed = f"with {count} options it is {first} to {count - 1 + first}"
            self._wrong.append(f"{name} is {index}; {allowed}")
        return index - first

    def _named_gold(
        self, value: Any, ours: str, texts: tuple[str, ...], names: tuple[str, ...]
    ) -> int | None:
        """The option that a letter or an option's text names."""
        name = self.fields.call(ours)
        if not isinstance(value, str):
            advice = f"a number from 0: --map answer_index={self.fields.theirs[ours]}"
            self._wrong.append(f"{name} is {kind_of(value)}, not a letter or an option ({advice})")
            return None
        found = options_named(value, texts, names)
        if len(found) != 1:
            state = "names more than one option" if found else "is neither an option nor its letter"
            self._wrong.append(f"{name} {value!r:.60} {state}")
            return None
        place = found.pop()
        own, written = str(texts[place]).strip(), value.strip()
        same = written.casefold() == own.casefold()
        self.but_for_case += same and own != written and names[place] != written
        return place

    def _label(self, row: Row, labels: Mapping[str, int]) -> int | None:
        value = self._known(row, "label") if "label" in self.present else None
        if value is None:
            return None
        name, label = self.fields.call("label"), label_of(value)
        if label is None:
            self._wrong.append(f"{name} is {kind_of(value)} where a label is expected")
        elif label not in labels:
            some = ", ".join(list(labels)[:30])
            self._wrong.append(f"{name} {label!r:.60} is not in the label set ({some})")
        return labels.get(label or "")


def options_named(value: Any, texts: Sequence[str], names: Sequence[str]) -> set[int]:
    """The options that a letter or a text names, by position; none for what is no text.

    >>> options_named("(b)", ("Rome", "Paris"), ("A", "B"))
    {1}
    """
    if not isinstance(value, str):
        return set()
    wanted = value.strip()
    shown = [str(text).strip() for text in texts]
    found = {at for at, name in enumerate(names) if name == wanted}
    found |= {at for at, text in enumerate(shown) if text == wanted}
    found = found or {at for at, text in enumerate(shown) if text.casefold() == wanted.casefold()}
    if not found and (letter := _LETTER.fullmatch(wanted)):
        # "(b)", "b." and "Option B" are letters, where no option says so itself; so is
        # "B. Paris", where Paris is that option.
        label, text = letter["letter"].upper(), (letter["text"] or "").strip().casefold()
        found = {
            at
            for at, (name, own) in enumerate(zip(names, shown, strict=False))
            if name == label and text in ("", own.casefold())
        }
    return found


def _text_faults(noun: str, texts: Iterable[Any]) -> Iterator[str]:
    for position, text in enumerate(texts):
        if type(text) is not str:
            what = "empty" if text is None else f"{kind_of(text)} where text is expected"
            yield f"{noun} {LETTERS[position]} is {what}"
        elif not text or text.isspace():
            yield f"{noun} {LETTERS[position]} is empty"


def label_of(value: Any) -> str | None:
    """A label as text: itself, a whole number, or true/false; None for anything else."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value if value.strip() else None
    return str(value) if isinstance(value, int) else None


def kind_of(value: Any) -> str:
    """What a value is, for messages."""
    if isinstance(value, float) and value != value:
        return "NaN"
    kinds = {dict: "an object", list: "a list", bool: "true/false", str: "text"}
    kinds |= {int: "a number", float: "a number", type(None): "null"}
    return kinds.get(type(value), f"of type {type(value).__name__}")


def whole_number(value: Any) -> int | None:
    """A whole number given as int, integral float or digits; None for anything else."""
    if isinstance(value, str):
        value = value.strip()
        return int(value) if value.removeprefix("-").isdecimal() and len(value) < 10 else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0:
        return None
    return int(value)


def in_one_cell(value: Any) -> Any:
    """Options that stand in one text with bars between them, as a list; others as they are.

    >>> in_one_cell("red | blue")
    ['red', 'blue']
    """
    barred = isinstance(value, str) and "|" in value and value.lstrip()[:1] not in ("[", "{")
    return [part.strip() for part in value.split("|")] if barred else value


def option_lists(value: Any) -> tuple[Any, Sequence[Any]]:
    """Texts and names of options from the shapes in common use; names are () where not given.

    Shapes: a list of texts; lists under `text` and `label`; a list of objects with `text` and
    `label`; an object from letter to text; any of them in a text (a CSV cell), as JSON or Python.
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            value = as_python_writes(value)
    if isinstance(value, dict) and isinstance(value.get("text"), list):
        names = value.get("label")
        fits = isinstance(names, list) and len(names) == len(value["text"])
        return value["text"], list(names or ()) if fits else ()
    if isinstance(value, dict):
        return list(value.values()), list(value)
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        names = [part.get("label") for part in value]
        return [part.get("text") for part in value], () if None in names else names
    return value, ()
