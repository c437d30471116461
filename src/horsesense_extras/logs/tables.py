"""Tables of answers as logs: rows with a question, its options, the right answer, a reply, a model.

One mechanism for all of them: every row is made flat, with our names (`table_layouts`), and is read
as an item is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

import orjson

from horsesense.errors import ItemsError, UsageError
from horsesense.items.faults import Faults
from horsesense.items.fields import (
    FIELDS,
    GOLDS,
    LETTERS,
    FieldMap,
    ItemBuilder,
    Numbered,
    options_named,
)
from horsesense.items.files import stem
from horsesense.items.item import Item
from horsesense.items.layouts import LOOKED_AT, option_columns
from horsesense.items.load import load_items
from horsesense.items.own_order import own_order, plain
from horsesense.items.select import EVERY_SPLIT
from horsesense.models.messages import Failure, Response, no_reply
from horsesense.progress import say
from horsesense.rng import fingerprint
from horsesense.stats.words import plural
from horsesense_extras.logs.known_items import Content, content
from horsesense_extras.logs.options import in_own_order, lettered, shown_order
from horsesense_extras.logs.sample import Log, NotTakenError, Reads, Sample, Score
from horsesense_extras.logs.streams import may_read
from horsesense_extras.logs.study import ITEMS
from horsesense_extras.logs.table_layouts import (
    ANSWERED,
    ENDINGS,
    Row,
    TableLayout,
    Unread,
    found,
    layout_of,
    rows_in,
)
from horsesense_extras.logs.values import Prompt, items_of, mapping, number, stopped, text_of

_NO_ERROR: Final = frozenset(("", "none", "null", "nan", "n/a", "false", "no", "ok", "0", "0.0"))
READ: Final = "program's grade"
"""The name of the program's own score, where it does not say what it is called."""


def tables(
    paths: Sequence[Path],
    items: Iterable[Item] | None = None,
    given: Mapping[str, str] | None = None,
    unread: Unread | None = None,
) -> list[Log]:
    """Logs of the tables in files and folders, one for each model of each; none without replies.

    Args:
        items: what was asked, where rows hold the name of an item alone; a table without replies
            beside the others is taken for it.
        given: our field name -> the table's.
        unread: what was made of replies without an answer; by default what the program does.

    Raises:
        ItemsError: a table is damaged.
        UsageError: the fields of a table cannot be told, or a field is not known.
    """
    for ours in given or {}:
        if ours not in (*FIELDS, *ANSWERED):
            raise UsageError.unknown("field", ours, (*FIELDS, *ANSWERED))
    every = list(dict.fromkeys(each for top in paths for each in _files(top)))
    _check_named(every, given or {})
    layouts = {path: layout_of(path, given or {}) for path in every}
    answers = {path: layout for path, layout in layouts.items() if layout is not None}
    asked = {item.id: item for item in items or ()}
    if items is None:
        beside = (path.with_name(ITEMS) for path in answers)
        for path in {*every, *filter(Path.is_file, beside)} - answers.keys() if answers else ():
            asked |= _items_in(path)
    times = Counter(map(stem, answers))
    logs = [
        log
        for path, layout in answers.items()
        # Files of one name in several folders: then those are named after the models.
        for by_file in [stem(path) if times[stem(path)] == 1 else path.absolute().parent.name]
        for log in _logs(path, replace(layout, unread=unread or layout.unread), asked, by_file)
    ]
    # A program's results hold what its predictions do, and how they were graded.
    graded = {(log.model, log.task) for log in logs if log.task and GRADED in log.notes}
    return [log for log in logs if GRADED in log.notes or (log.model, log.task) not in graded]


def _check_named(paths: Sequence[Path], given: Mapping[str, str]) -> None:
    """UsageError for a field of the user's that no table has; failures alone may come late."""
    named = {t for o, all_ in given.items() if o not in FAILURES for t in (all_, *all_.split(","))}
    there = {
        name
        for path in paths
        for _, row in islice(rows_in(path), LOOKED_AT if named else 0)
        for name in named
        if name in row or found(row, name.partition(" ~ ")[0]) is not None
    }
    for ours, theirs in given.items():
        lacking = [n for n in theirs.split(",") if theirs not in there and n not in there]
        if lacking and ours not in FAILURES and paths:
            hint = "--map OURS=THEIRS names a field as the table does."
            raise UsageError(f"No table has the field {lacking[0]!r} for {ours}.", hint=hint)


FAILURES: Final = ("error", "finish_reason")


def _items_in(path: Path) -> dict[str, Item]:
    """The items in a file that lies beside tables of answers; none where it holds others."""
    try:
        return dict(load_items(path, split=EVERY_SPLIT, skip_faults=True).by_id)
    except (UsageError, ItemsError):
        say(f"{path} holds neither replies nor items.")
        return {}


GRADED: Final = "The file holds the program's grades, or the answers that it took."


def _files(path: Path) -> Iterator[Path]:
    with may_read(path):
        if path.is_dir() and not path.is_symlink():
            for entry in sorted(path.iterdir()):
                if not entry.name.startswith("."):
                    yield from _files(entry)
        elif {suffix.lower() for suffix in path.suffixes[-2:]} & {*ENDINGS} and path.is_file():
            yield path


def _logs(
    path: Path, layout: TableLayout, asked: Mapping[str, Item], by_file: str
) -> Iterator[Log]:
    named = re.search(layout.path, path.absolute().as_posix()) if layout.path else None
    told = named.groupdict() if named else {}
    by_file = (told.get("model") or by_file).replace("__", "/")
    models: dict[str, str | None] = dict(layout.wide)
    if not models and "model" in layout.fields:
        models = {_name(layout, row, by_file): None for _, row in rows_in(path)}
    task = told.get("task") or (layout.name if layout.name != "table" else "")
    for model, column in (models or {by_file: None}).items():
        table = _Table(layout, asked, model, by_file, column)
        log = Log(path, layout.name, table.read, task=task, model=model)
        log.notes += [layout.told] * bool(layout.told)
        log.notes += [GRADED] * bool({"read", "score"} & layout.fields.keys())
        yield log


def _name(layout: TableLayout, row: Row, otherwise: str) -> str:
    named = (found(row, path) for path in layout.fields.get("model", ()))
    told = (str(name).strip() for name in named if isinstance(name, str | int | float))
    return next(filter(None, told), otherwise)


@dataclass
class _Table:
    """The rows of one model in a table."""

    layout: TableLayout
    asked: Mapping[str, Item]
    model: str
    by_file: str
    column: str | None

    def read(self, log: Log) -> Reads:
        self.names: dict[tuple[Content, str], str] = {}
        self.times: Counter[str] = Counter()
        self.nothing = 0
        self.rivals: Counter[str] = Counter()
        for line, row in rows_in(log.path, log.left_out.add):
            if self.column is None and _name(self.layout, row, self.by_file) != self.model:
                continue
            yield f"row {line}", partial(self._samples, line, row, log)
        if self.nothing:
            drew = (
                " and drew an option at random for each: it counts as right as often as a guess is."
            )
            wrong = "; they count as wrong. --unread random counts each as a guess."
            log.notes.append(
                f"The program found nothing in {plural(self.nothing, 'answer')} of {self.model}"
                f"{drew if self.layout.unread == 'random' else wrong}"
            )
        log.notes += [
            f"In {plural(rows, 'row')}, {rival} names another option than the field that counts"
            f" as the right answer. --map changes which counts."
            for rival, rows in self.rivals.items()
        ]

    def _samples(self, line: int, row: Row, log: Log) -> Iterator[Sample]:
        flat_ = self.layout.flat(row, self.column)
        prompt = _prompt(flat_.get("prompt"))
        replies = _replies(flat_.get("response"))
        if replies is None and isinstance(prompt, tuple) and prompt[-1][0] == "assistant":
            replies, prompt = [prompt[-1][1]], prompt[:-1]
        item, order, labels = self._item(line, flat_, prompt)
        name = self._name(item, flat_.get("id") is not None)
        error, ended = _error(flat_.get("error")), stopped(flat_.get("finish_reason"))
        for reply in replies or [None]:
            self.times[name] += 1
            came = no_reply(ended) if reply is None else Response(reply, ended)
            if error is not None and (reply is None or self.layout.name == "table"):
                came = Failure("rejected", error)
            yield Sample(
                id=name,
                question=item.question,
                options=item.options,
                order=order,
                labels=labels,
                gold=item.gold,
                context=item.context,
                subject=item.subject,
                epoch=self.times[name],
                prompt=prompt,
                came=came,
                scores={} if reply is None else self._score(flat_, item, order, labels),
                model=self.model,
                task=log.task,
            )

    def _name(self, item: Item, named: bool) -> str:
        """What the item is called: as in its row, else by what it asks.

        Rows without a name that ask the same are one item; so are the orders of an item, where
        the program names each order by itself.
        """
        gold = "" if item.gold is None else item.options[item.gold]
        if named and not self.layout.orders:
            return item.id
        key = content(item.question, item.options, item.context), gold
        return self.names.setdefault(key, item.id if named else f"q-{fingerprint(key)}")

    def _item(
        self, line: int, row: dict[str, Any], prompt: Prompt
    ) -> tuple[Item, tuple[int, ...], tuple[str, ...]]:
        """What was asked, in which order, under which labels; NotTakenError where it is unknown."""
        own = self.asked.get(str(row.get("id")))
        if own is not None and row.get("question") is None and prompt is None:
            return own, tuple(range(len(own.options))), LETTERS[: len(own.options)]
        if not {"question", "prompt"} & {n for n, v in row.items() if v is not None}:
            known = "about none of the items, or one that cannot be read"
            alone = "the row names its item alone; --items FILE says what that is"
            raise NotTakenError(known if self.asked else alone)
        text = prompt if isinstance(prompt, str) else prompt[-1][1] if prompt else ""
        options, block = _options(row.get("options")), lettered(text)
        listed = lettered(options) if isinstance(options, str) else None
        if listed is not None:
            options = list(listed.options)
        elif block is not None and (not options or _are_labels(options)):
            options = list(block.options)
        made = {ours: value for ours, value in row.items() if ours in FIELDS and value is not None}
        made |= {"options": options} if options else {}
        right = items_of(made.get("answer"))
        if len(right) > 1:
            raise NotTakenError.several_right()
        made |= {"answer": right[0]} if right else {}
        if block is not None and "question" not in made:
            made["question"] = block.question
        item, rivals = _built(line, made)
        self.rivals += rivals
        order, labels = shown_order(text, item.options) if text else ((), ())
        texts, whole = [*map(_folded, item.options)], _folded(text)
        if not order and block is not None:
            order = tuple(own_order([*map(_folded, block.options)], texts) or ())
        unknown = not order and all(option in whole for option in texts)
        if unknown and in_own_order(whole, texts) is None:
            raise NotTakenError("its prompt shows the options in an order that is not known")
        own_labels = block.labels if block and len(block.labels) == len(item.options) else ()
        return (
            item,
            order or tuple(range(len(item.options))),
            labels or own_labels or LETTERS[: len(item.options)],
        )

    def _score(
        self, row: Row, item: Item, order: Sequence[int], labels: Sequence[str]
    ) -> dict[str, Score]:
        """How the program graded the reply, and which option it took it for."""
        read = row.get("read")
        answer = None if read is None or read == "" else str(read)
        given = _grade(row.get("score"))
        if given is None and "read" in row:
            shown = [item.options[place] for place in order]
            took = options_named(answer, shown, labels) if answer is not None else set()
            # A letter of no option is wrong; an answer in another notation ("2" for C) is no grade.
            known = took or answer is None or re.fullmatch("[A-Z]", answer)
            compared = item.gold is not None and (known or self.layout.name != "table")
            given = float(item.gold in {order[at_] for at_ in took}) if compared else None
            if answer is None and given is not None:
                self.nothing += 1
                given = 1 / len(item.options) if self.layout.unread == "random" else given
        return {READ: Score(given, answer)} if given is not None or answer is not None else {}


def _folded(text: str) -> str:
    return plain(text).casefold()


def _built(line: int, made: dict[str, Any]) -> tuple[Item, Counter[str]]:
    """The item of a row with our names, and which fields name another right answer;
    NotTakenError says what is wrong with it."""
    faults = Faults("row")
    mapped = FieldMap()
    present = [ours for ours in FIELDS if mapped.has(made, ours)]
    builder = ItemBuilder(mapped, faults, present, GOLDS[1:])
    item = builder.choice(Numbered(line, line, made))
    if item is None:
        fault = faults.found[0][1] if faults.found else "it holds no item"
        raise NotTakenError(re.sub(r"(['\"]).*\1|\d+", "…", fault)[:200])
    return item, builder.disagreeing


def _options(value: Any) -> Any:
    """Options as a list, also of an object whose fields hold one each; others as they are."""
    columns = option_columns(value) if isinstance(value, dict) else []
    if not columns:
        return value
    listed = [value[name] for name in columns]
    while listed and listed[-1] in (None, ""):
        listed.pop()
    return listed


def _are_labels(options: Any) -> bool:
    return [str(text).strip(" ().") for text in items_of(options)] == list(
        LETTERS[: len(items_of(options))]
    )


def _prompt(value: Any) -> Prompt:
    """What was sent; messages of OpenCompass hold their text in `prompt`, by roles of its own."""
    roles = {"bot": "assistant", "human": "user"}
    if not isinstance(value, list):
        return value if isinstance(value, str) and value else None
    messages = []
    for message in map(mapping, value):
        role = str(message.get("role") or "user").lower()
        text = text_of(message.get("content", message.get("prompt")))
        messages.append((roles.get(role, role), text))
    while messages and not messages[-1][1]:
        messages.pop()
    return tuple(messages) or None


def _replies(value: Any) -> list[str | None] | None:
    """The replies in a field; None where it holds none, which is not an empty reply."""
    if value is None or value == []:
        return None
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        texts = [each for each in value if each is None or isinstance(each, str)]
        return texts if len(texts) == len(value) else None
    try:
        return [str(value) if isinstance(value, int | float) else orjson.dumps(value).decode()]
    except TypeError:
        raise NotTakenError(f"the reply is {type(value).__name__}, not text") from None


def _error(value: Any) -> str | None:
    """What went wrong; None where a field says in some word that nothing did."""
    said = "" if value is None else str(value).strip()
    return None if said.casefold() in _NO_ERROR else said


_GRADES: Final[Mapping[str, float | None]] = {
    **dict.fromkeys(("true", "correct", "yes", "right", "pass", "passed", "c", "✓", "✔"), 1.0),
    **dict.fromkeys(("false", "incorrect", "no", "wrong", "fail", "failed", "i", "✗", "✘"), 0.0),
    **dict.fromkeys(("", "-", "na", "n/a", "nan", "none", "null"), None),
}
"""Grades in words; None says that there is none."""


def _grade(value: Any) -> float | None:
    """A grade from 0 to 1, of an object of metrics the first; None where there is none.

    UsageError for what is no grade: a score without it would be that of other replies.
    """
    if isinstance(value, dict):
        told = [
            v for v in value.values() if not isinstance(v, str) or v.strip().casefold() in _GRADES
        ]
        return next((grade for each in told if (grade := _grade(each)) is not None), None)
    word = str(value).strip().casefold()
    if word in _GRADES or not isinstance(value, str | float | int):
        return _GRADES.get(word)
    share = number(word.removesuffix("%"))
    grade = share / 100 if share is not None and word.endswith("%") else share
    if grade is None or not 0 <= grade <= 1:
        raise UsageError(
            f"A grade is {word[:40]!r}; grades run from 0 to 1, or are such as right and wrong.",
            hint="Write them so in the file, or take their column out of it.",
        )
    return grade
