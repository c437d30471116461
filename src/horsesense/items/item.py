"""Items: questions with options and gold, or texts with a label from a task-level set."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal

from horsesense.rng import fingerprint, seed_of
from horsesense.stats.words import plural
from horsesense.values import quick

Kind = Literal["choice", "label"]
"""choice: options of its own per item; label: one label set for the whole task."""

Flag = Literal[
    "repeated_exact",
    "repeated_normalised",
    "conflicting_gold",
    "repeated_options",
    "order_dependent",
    "in_shots",
]

FLAGS: dict[Flag, str] = {
    "repeated_exact": "same question and same set of options as an earlier item",
    "repeated_normalised": "the same but for case, spaces and punctuation",
    "conflicting_gold": "asks the same as another item (see `same_text`) and has another gold",
    "repeated_options": "two options say the same (see `same_text`); of class names, but for case",
    "order_dependent": "an option refers to other options by position or letter",
    "in_shots": "also occurs in the few-shot file",
}


@quick(frozen=True, slots=True)
class Item:
    """One question or text.

    Attributes:
        id: unique within its set.
        question: the question, or the text to classify.
        options: option texts as published; for task-level labels, the shared label set.
        gold: index of the right option, None where it is not known.
        context: passage before the question.
        text_b, target: second text and target word of pair classification.
        subject: group for few-shot examples and per-subject tables.
        cluster: story, template or paper; items of one cluster are not independent.
        split: the split that the source names.
        paraphrases: the question in other words, for the probe `paraphrase`.
    """

    id: str
    question: str
    options: tuple[str, ...]
    gold: int | None
    context: str | None = None
    text_b: str | None = None
    target: str | None = None
    subject: str | None = None
    cluster: str | None = None
    split: str | None = None
    paraphrases: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class ItemSet:
    """Items of one kind, with what was found wrong with them.

    Attributes:
        name: short name for tables.
        kind: "choice" or "label".
        items: in the order of the source.
        labels: the task's label set; empty for "choice".
        flags: flag -> ids of the items that carry it (see `FLAGS`).
        source: where it came from, as the user wrote it.
        notes: sentences on how it was read (rows left out, fields mapped).
        whole: all items of the source, where `items` are a sample of them; empty otherwise.
            What a probe takes from other items it takes from these, so that a larger sample
            changes nothing that was asked about a smaller one.
        faults: rows that could not be read and are left out, with what is wrong.
        rows: id -> its row as it was read, where faulty ones are left out.
        faulty: id of an item that is left out -> what is wrong with it, without its numbers.
    """

    name: str
    kind: Kind
    items: tuple[Item, ...]
    labels: tuple[str, ...] = ()
    flags: dict[Flag, frozenset[str]] = field(default_factory=dict)
    source: str = ""
    notes: tuple[str, ...] = ()
    whole: tuple[Item, ...] = ()
    faults: tuple[str, ...] = ()
    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False)
    faulty: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        return f"ItemSet({self.name!r}, {self.kind}, {plural(len(self.items), 'item')})"

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @cached_property
    def by_id(self) -> dict[str, Item]:
        return {item.id: item for item in self.items}

    @cached_property
    def copies(self) -> list[list[Item]]:
        """Groups of two or more items that ask the same (see `same_text`), in the set's order."""
        return [
            group
            for alike in _by_identity(self.items, self.kind, normalised).values()
            if len(alike) > 1
            for group in _by_identity(alike, self.kind, same_text).values()
            if len(group) > 1
        ]

    @property
    def everything(self) -> tuple[Item, ...]:
        """All items of the source, sampled or not."""
        return self.whole or self.items

    @cached_property
    def by_subject(self) -> dict[str | None, tuple[Item, ...]]:
        """Subject -> all items of the source; those without a subject are one group."""
        groups: dict[str | None, list[Item]] = {}
        for item in self.everything:
            groups.setdefault(item.subject, []).append(item)
        return {subject: tuple(group) for subject, group in groups.items()}

    def drawn(self, n: int, seed: int) -> frozenset[str]:
        """Ids of the items that a `limit` of `n` would keep."""
        if (n, seed) not in self._draws:
            self._draws[n, seed] = frozenset(item.id for item in draw(self.items, n, seed))
        return self._draws[n, seed]

    @cached_property
    def _draws(self) -> dict[tuple[int, int], frozenset[str]]:
        return {}

    @cached_property
    def has_gold(self) -> bool:
        """True if at least one item has a gold answer."""
        return any(item.gold is not None for item in self.items)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of everything that can change a number: ids, texts, options, gold, clusters.

        Paraphrases enter where there are any, so that sets without them keep their hash.
        """
        return fingerprint(
            [self.kind, self.labels]
            + [
                [i.id, i.question, i.options, i.gold, i.context, i.text_b, i.target, i.cluster]
                + ([i.paraphrases] if i.paraphrases else [])
                for i in self.items
            ]
        )

    def flagged(self, flag: Flag) -> frozenset[str]:
        return self.flags.get(flag, frozenset())


def draw(items: Sequence[Item], n: int, seed: int) -> list[Item]:
    """`n` items by a hash of the seed and their ids: a larger sample holds the smaller ones."""
    return sorted(items, key=lambda item: seed_of(seed, item.id, "limit"))[:n]


# Options that point at other options lose their meaning when the order changes. The published
# filter is kept to the letter, so that published counts can be made again; the rest extends it.
_PUBLISHED_CASED = (
    "A and B", "A and C", "A and D", "A nor B", "A or B", "B and C", "B and D", "C and D",
)  # fmt: skip
_PUBLISHED_PLAIN = ("all of the above", "all of above", "none of the above", "none of above")
_LETTER = r"\(?[a-j]\)?"
_POINTS_AT_OPTIONS = re.compile(
    r"\b(?:"
    r"(?:all|none|any|both|either|neither|some|most|one|two|three|\d) (?:"
    r"(?:of (?:the )?|the )(?:above|below|following|preceding)\b"
    r"|of (?:the |these |those )?(?:\w+ )?(?:others?|options?|answers?|choices?)\b)"
    rf"|(?:options?|answers?|choices?|both|either|neither) {_LETTER} ?(?:,|and|or|nor|&) ?"
    rf"{_LETTER}(?!\w)"
    r"|(?:options?|answers?|choices?) \d ?(?:,|and|or|nor|&) ?\d\b)"
    r"|^(?:all|none|any|both|either|neither) of (?:these|them|those)\b"
)
_WHOLE_OPTION = re.compile(
    r"both \d (?:and|&) \d ?\.?"
    rf"|{_LETTER}(?: ?[,&] ?| and | or ){_LETTER} ?\.?"
    r"|(?:both|either|neither) (?-i:[A-E]{2,4}) ?\.?"
    r"|(?:all|both|either|neither) ?\.?",
    re.IGNORECASE,
)
_LONGEST_WHOLE = 16


def published_order_filter(options: Iterable[str]) -> bool:
    """The option filter of Zheng et al. (2024), exactly: True if an option depends on order."""
    joined = "\n".join(options)
    return _any_in(_PUBLISHED_CASED, joined) or _any_in(_PUBLISHED_PLAIN, joined.lower())


def order_dependent(options: Sequence[str]) -> bool:
    """True if an option refers to others by position, letter or number (specification, 1.4).

    >>> order_dependent(["4", "Both of the above"]), order_dependent(["4", "None"])
    (True, False)
    """
    if published_order_filter(options):
        return True
    if any(_POINTS_AT_OPTIONS.search(" ".join(option.lower().split())) for option in options):
        return True
    short = (option.strip() for option in options if len(option) <= _LONGEST_WHOLE)
    return any(map(_WHOLE_OPTION.fullmatch, short))


def _any_in(phrases: Iterable[str], text: str) -> bool:
    return any(map(text.__contains__, phrases))


_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_WORD = re.compile(r"[^\W\d_]{3,}")
_PLAIN_MARKS = str.maketrans("“”„‘’´`–—−", '"""' + "'" * 4 + "-" * 3)


def normalised(text: str) -> str:
    """The letters and digits of `text`, without case: what is left when layout is ignored.

    Operators go as well, so that "J << a" and "J >> a" become equal: good for finding what may be
    repeated, too coarse for saying that two options or golds agree (see `same_text`). A text
    without letters and digits keeps its signs.
    """
    if text.isascii():  # the same in a tenth of the time
        kept = text.casefold().encode().translate(None, _ASCII_SIGNS).decode()
    else:
        # Combining marks are parts of letters: without them, words of many scripts would merge.
        folded = unicodedata.normalize("NFC", text).casefold()
        kept = "".join(c for c in folded if c.isalnum() or unicodedata.category(c)[0] == "M")
    return kept or "".join(same_text(text).split())


def to_the_letter(text: str) -> str:
    """A text as it is written, but for the number of spaces and the way letters are encoded."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@lru_cache(maxsize=1 << 16)
def same_text(text: str) -> str:
    """A key that two texts share only if a reader would call them the same.

    Ignored are surplus spaces, the shape of quotes and dashes, punctuation at the end, and the
    capital that begins a word. Kept is whatever can carry meaning: "-1" and "1", "x+y" and "x-y",
    "1.5" and "15", "5%" and "$5", the genotypes "Aa" and "AA".

    >>> same_text("Beck’s  Therapy.") == same_text("Beck's therapy")
    True
    >>> same_text("-1") == same_text("1")
    False
    """
    plain = to_the_letter(text).translate(_PLAIN_MARKS)
    plain = plain.rstrip(" .,;:!?") or plain
    return _WORD.sub(lambda word: word[0].lower() if word[0].istitle() else word[0], plain)


def flag_items(
    items: Sequence[Item], kind: Kind, shots: Sequence[Item] = ()
) -> dict[Flag, frozenset[str]]:
    """Find repeated items, conflicting golds, repeated options, order dependence, leaked shots.

    Two items are the same if their question (with context and second text) and their *set* of
    options agree. The first of a group is not flagged as a repeat; every member of a group whose
    golds differ is flagged as conflicting.
    """
    shot_keys = {identity(shot, kind, normalised) for shot in shots}
    found: dict[Flag, set[str]] = {flag: set() for flag in FLAGS}
    for key, group in _by_identity(items, kind, normalised).items():
        if len(group) > 1:
            found["repeated_normalised"].update(item.id for item in group[1:])
            found["repeated_exact"].update(_repeated(group, kind))
            found["conflicting_gold"].update(_conflicting(group, kind))
        if key in shot_keys:
            found["in_shots"].update(item.id for item in group)
    if kind == "choice":
        found["repeated_options"].update(i.id for i in items if repeats_options(i.options))
        found["order_dependent"].update(i.id for i in items if order_dependent(i.options))
    elif items and _alike_but_for_case(items[0].options):
        found["repeated_options"].update(i.id for i in items)
    return {flag: frozenset(ids) for flag, ids in found.items() if ids}


def repeats_options(options: Sequence[str]) -> bool:
    """True if two options say the same, so that an answer by content would be ambiguous."""
    if len(set(map(normalised, options))) == len(options):
        return False
    return len(set(map(same_text, options))) < len(options)


def _by_identity(
    items: Iterable[Item], kind: Kind, key: Callable[[str], str]
) -> dict[object, list[Item]]:
    same: dict[object, list[Item]] = {}
    for item in items:
        same.setdefault(identity(item, kind, key), []).append(item)
    return same


def _alike_but_for_case(labels: Sequence[str]) -> bool:
    """True if two class names are one name in different cases, which no reply can tell apart."""
    return len({label.casefold() for label in labels}) < len(labels)


def _repeated(group: Iterable[Item], kind: Kind) -> Iterator[str]:
    """Ids of the items that equal an earlier one of the group to the letter."""
    seen: set[object] = set()
    for item in group:
        key = identity(item, kind, str)
        if key in seen:
            yield item.id
        seen.add(key)


def _conflicting(group: Iterable[Item], kind: Kind) -> Iterator[str]:
    """Ids of the items that ask the same as others and have another gold."""
    for members in _by_identity(group, kind, same_text).values():
        golds = {same_text(i.options[i.gold]) for i in members if i.gold is not None}
        if len(golds) > 1:
            yield from (item.id for item in members)


def _texts(item: Item, key: Callable[[str], str]) -> tuple[str, ...]:
    parts = (item.context, item.question, item.text_b, item.target)
    return tuple(key(part) if part else "" for part in parts)


def identity(item: Item, kind: Kind, key: Callable[[str], str]) -> object:
    """What makes two items the same question, with texts compared by `key`."""
    texts = _texts(item, key)
    return texts if kind == "label" else (texts, tuple(sorted(map(key, item.options))))
