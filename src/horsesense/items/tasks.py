"""What a classification task asks, in the few words that a prompt needs.

A set whose name says what it is (SST-2, CoLA, AGNews, MRPC, SNLI, WiC) is asked about in its own
words; any other file of texts and labels in general ones.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from horsesense.errors import UsageError
from horsesense.files import read_settings
from horsesense.items.item import ItemSet, normalised
from horsesense.rng import fingerprint


@dataclass(frozen=True, slots=True)
class Task:
    """The words of a task.

    Attributes:
        name: as in `--task`.
        names: words in a data set's name by which the task is recognised.
        labels: the labels it must have; empty for any.
        also: how files write the labels otherwise, each "1|0" in the order of `labels`.
        needs: fields of an item that the words speak of.
        decide: one sentence: what is to be decided about one text.
        noun: what a label is ("Sentiment").
        one, many: what one problem is, and several.
        text, text_a, text_b, target: what is written before a text, the texts of a pair, a word.
        begins: the label that published worked examples of one label begin with; "" for the first.
    """

    name: str = "any"
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    decide: str = "Decide which one of these classes the text belongs to."
    noun: str = "Class"
    one: str = "text"
    many: str = "texts"
    text: str = "Text"
    text_a: str = "Text A"
    text_b: str = "Text B"
    target: str = "Target word"
    begins: str = ""

    @property
    def version(self) -> str:
        """Changes with every word."""
        shown = [f.name for f in fields(self) if f.name not in ("also", "needs", "begins")]
        return fingerprint([getattr(self, name) for name in shown])[:6]

    def suits(self, items: ItemSet) -> bool:
        """Whether the items have the labels of the task, in any order and case, and its fields."""
        if any(getattr(item, name) is None for name in self.needs for item in items):
            return False
        return not self.labels or _folded(self.labels) == _folded(items.labels)

    def named(self, name: str) -> bool:
        """Whether the name of a set says that this is its task."""
        words = rf"(?:^|[^a-z0-9])(?:{'|'.join(map(re.escape, self.names))})(?:[^a-z0-9]|$)"
        return bool(self.names) and bool(re.search(words, name.lower()))

    def spelling(self, labels: Sequence[str]) -> dict[str, str]:
        """Labels as a file writes them -> the task's; empty where the file has other ones."""
        for way in self.also:
            written = way.split("|")
            if _folded(tuple(written)) == _folded(tuple(labels)) and len(labels) == len(written):
                ours = dict(zip(map(normalised, written), self.labels, strict=True))
                return {label: ours[normalised(label)] for label in labels}
        return {}


GENERAL: Final = "any"
"""The name by which general words are asked for."""
_UNSAID: Final = re.compile(r"yes|no|true|false|(?:label|class)?[ _-]*-?\d+|[a-z]", re.IGNORECASE)
"""Labels that answer a question without saying which."""
_DENIES: Final = re.compile(r"(?:not?|non|un|in|dis|neg)(?![aeiou]*$)|false|0", re.IGNORECASE)
_NEAREST: Final = 3
"""Known tasks that are named where none fits."""

ANY = Task()
PAIR = Task(one="pair of texts", many="pairs of texts")


def _folded(labels: tuple[str, ...]) -> set[str]:
    return {normalised(label) for label in labels}


@cache
def shipped() -> Mapping[str, Task]:
    """The tasks that come with horsesense, by name."""
    text = (files("horsesense.items") / "tasks.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return {name: _task("tasks.toml", name, table) for name, table in tables.items()}


def task_for(items: ItemSet, name: str | None = None) -> Task:
    """The task of a set: the one named, the one its name tells, or the general one.

    >>> from horsesense.items.load import load_items
    >>> task_for(load_items("sample")).name
    'any'

    Args:
        name: a shipped task, "any" for general words, or a TOML file with the fields of `Task`.

    Raises:
        UsageError: the name is unknown, the file cannot be read, or the items have other labels
            than the task.
    """
    general = PAIR if _pairs(items) else ANY
    if name is None:
        found = (t for t in shipped().values() if t.named(items.name) and t.suits(items))
        return max(found, key=_longest_name, default=general)
    if name == GENERAL:
        return general
    task = _load(Path(name)) if name.endswith(".toml") else shipped().get(name)
    if task is None:
        raise UsageError.unknown("task", name, (*shipped(), GENERAL))
    if not task.suits(items):
        lacking = f", and needs the field {', '.join(task.needs)}" if task.needs else ""
        raise UsageError(
            f"Task {name} has the labels {', '.join(task.labels)}{lacking}; "
            f"{items.name} has {', '.join(items.labels) or 'none'}.",
            hint=f"Type {_to_type(task, items)}, or --task any for general words, or describe the"
            " task in a TOML file.",
        )
    return task


def check_task(items: ItemSet, name: str | None = None) -> None:
    """UsageError where general words would ask a question that nobody can answer.

    So it is where labels such as Yes and No do not say what they answer, or where the name of the
    set tells a task of which it has no label. The error names the options to type.

    Args:
        name: the task that the user has named; None where its name is to tell.
    """
    if items.kind != "label" or name is not None or task_for(items).name != GENERAL:
        return
    labels = _folded(items.labels)
    unsaid = all(map(_UNSAID.fullmatch, items.labels))
    meant = [task for task in shipped().values() if task.named(items.name)]
    if not unsaid and (not meant or any(labels & _folded(task.labels) for task in meant)):
        return
    known = sorted(shipped().values(), key=lambda task: _likeness(task, items), reverse=True)
    lines = [f"  {_to_type(task, items)}   ({task.decide})" for task in known[:_NEAREST]]
    told = f"the labels {', '.join(items.labels)}"
    why = f"{told} do not say what they answer" if unsaid else f"{told} are not {meant[0].name}'s"
    raise UsageError(
        f"What is asked about {items.name}? No known task fits: {why}.",
        hint="\n".join(
            [
                "Type the options of a task:",
                *lines,
                "--task FILE.toml describes another one; --task any asks in general words.",
            ]
        ),
    )


def _likeness(task: Task, items: ItemSet) -> tuple[bool, ...]:
    """How near a task is to a set; what counts most comes first."""
    return (
        task.named(items.name),
        ("pair" in task.one) == _pairs(items),
        _folded(task.labels) == _folded(items.labels) or bool(task.spelling(items.labels)),
        len(task.labels) == len(items.labels),
        all(getattr(item, field) is not None for field in task.needs for item in items),
        bool(task.needs),
    )


def _to_type(task: Task, items: ItemSet) -> str:
    """The options by which a set becomes one of the task, as far as that can be told."""
    typed = [f"--task {task.name}"]
    typed += [
        f"--map {field}=FIELD"
        for field in task.needs
        if any(getattr(item, field) is None for item in items)
    ]
    if _folded(task.labels) != _folded(items.labels):
        yes_first = (sorted(labels, key=_denies) for labels in (items.labels, task.labels))
        same = len(task.labels) == len(items.labels)
        told = task.spelling(items.labels) or dict(zip(*yes_first, strict=False))
        named = [f"{one}={told[one] if same else 'LABEL'}" for one in items.labels]
        typed.append(f"--labels {shlex.quote(','.join(named))}")
    return " ".join(typed)


def _denies(label: str) -> bool:
    return bool(_DENIES.match(label))


def _pairs(items: ItemSet) -> bool:
    return any(item.text_b is not None for item in items)


def named_labels(
    given: Sequence[str] | None, written: Iterable[str]
) -> tuple[Sequence[str] | None, dict[str, str]]:
    """The label set that "THEIRS=OURS" or plain names give, and theirs -> ours.

    >>> named_labels(["same=Yes", "other=No"], ["same", "other"])
    (('Yes', 'No'), {'same': 'Yes', 'other': 'No'})
    >>> named_labels(["a=1", "b=2"], ["a=1", "b=2"])[1]
    {}
    """
    found = set(written)
    if not given or found & set(given) or not all("=" in one for one in given):
        return given, {}
    named = dict(one.rsplit("=", 1) for one in given)
    return tuple(dict.fromkeys(named.values())), named if found & named.keys() else {}


def spelled_out(name: str, labels: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The labels of a set in words, where its name says what "0" and "1" are, and a note.

    >>> spelled_out("glue-mrpc", ("0", "1"))[0]
    ('No', 'Yes')
    """
    for task in sorted(shipped().values(), key=_longest_name, reverse=True):
        if task.named(name) and (ours := task.spelling(labels)):
            told = ", ".join(f"{theirs} as {shown}" for theirs, shown in ours.items())
            return tuple(ours.values()), f"Labels of {task.name} are shown in words: {told}."
    return labels, ""


def aliases(labels: Sequence[str], written: Iterable[str]) -> dict[str, str]:
    """What a file writes -> the label meant, where labels of a known task are written otherwise.

    So are those of worked examples, whose file seldom says in its name what it is. Nothing where
    the file has the labels themselves, or where what it writes could be meant in two ways.

    >>> aliases(("No", "Yes"), ["0", "1"])
    {'1': 'Yes', '0': 'No'}
    """
    others = set(written)
    ours = {normalised(label): label for label in labels}
    if others <= set(labels):
        return {}
    found = [
        dict(zip(way.split("|"), (ours[normalised(name)] for name in task.labels), strict=True))
        for task in shipped().values()
        if _folded(task.labels) == set(ours)
        for way in task.also
        if others <= set(way.split("|"))
    ]
    return found[0] if found and all(way == found[0] for way in found) else {}


def _longest_name(task: Task) -> int:
    """The more specific name wins: "sst2_pairs" over "sst2"."""
    return max(map(len, task.names))


def _load(path: Path) -> Task:
    try:
        table = read_settings(path)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {error}") from None
    return _task(str(path), path.stem, table)


def _task(where: str, name: str, table: Mapping[str, Any]) -> Task:
    known = {f.name: f.type for f in fields(Task) if f.name != "name"}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise UsageError.unknown(f"field in {where}", key, known)
        listed = known[key] != "str"
        texts = value if isinstance(value, list) else [value]
        if isinstance(value, list) != listed or not all(isinstance(t, str) for t in texts):
            raise UsageError(f"{where}: {key} must be {'a list of texts' if listed else 'a text'}.")
        values[key] = tuple(value) if listed else value
    return Task(name=name, **values)
