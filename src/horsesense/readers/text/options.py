"""What is known of an item's options before any reply to it is read: prepared once an item."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal

from horsesense.readers.text import words
from horsesense.readers.text.page import MARKS, NOISE, folded, forms_of, plain, stem

_ASKED: Final = 500
"""Characters at the end of a question that are taken for what it asks."""
_ASKS: Final = 300
_LONG_MEANING: Final = 60
"""Characters of an option that may stand for a status."""
_SET_OFF: Final = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True)
class Shown:
    """The options of one item as they are looked for; what few replies need is made when asked for.

    Attributes:
        options: their texts.
        question: the end of the question, as far as it is known.
        labels: each label without brackets -> position.
        small: the same in small letters, where they differ.
        style: of the labels: "upper", "lower", "digit", "word", or empty without labels.
    """

    options: tuple[str, ...]
    question: str
    labels: Mapping[str, int]
    small: Mapping[str, int]
    style: str

    @property
    def k(self) -> int:
        """How many there are."""
        return len(self.options)

    @cached_property
    def second(self) -> tuple[str, ...]:
        """How the second label heads a line."""
        return tuple(name + sign for name in [*self.labels][1:2] for sign in ".):")

    @cached_property
    def keys(self) -> tuple[tuple[str, ...], ...]:
        """The tokens of each option's text."""
        return tuple(map(key_of_option, self.options))

    def strange(self, reply: str) -> bool:
        """Whether no word of a reply is one of the options or of the question."""
        return _stems(reply).isdisjoint(self.every_word)

    @cached_property
    def every_word(self) -> frozenset[str]:
        return self.asked.union(*(map(stem, key) for key in self.keys))

    @cached_property
    def sizes(self) -> tuple[tuple[int, bool, bool], ...]:
        """How many words each option has, and whether another has all of them, or no others."""
        sets = [*map(set, self.keys)]
        return tuple(
            (len(one), any(one < o for o in sets if one), any(o < one for o in sets))
            for one in sets
        )

    @cached_property
    def index(self) -> Mapping[str, tuple[tuple[tuple[str, ...], int], ...]]:
        """First token of a text -> texts that begin so with their positions, longest first."""
        often = Counter(self.keys)
        found: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        for i, key in enumerate(self.keys):
            if key and often[key] == 1:
                found.setdefault(key[0], []).append((key, i))
        return {k: tuple(sorted(v, key=lambda one: -len(one[0]))) for k, v in found.items()}

    @cached_property
    def _sets(self) -> tuple[list[set[str]], Counter[str]]:
        """The words of each option, and how many options have a word."""
        sets = [
            {stem(t) for t in key if t not in words.STOP and t[0].isalnum()} for key in self.keys
        ]
        return sets, Counter(word for one in sets for word in one)

    def takes_up(self, line: str, position: int) -> bool:
        """Whether a line has at least half of what tells an option from others."""
        own, said = self.stems[position], set(map(stem, key_of(line)))
        return 0 < sum(own.values()) <= 2 * sum(w for s, w in own.items() if s in said)

    @cached_property
    def stems(self) -> tuple[Mapping[str, float], ...]:
        """Of each option, the words by which it differs from others and what each tells."""
        (sets, count), k = self._sets, self.k
        half = {word: 0.5 if word in self.asked else 1.0 for word in count}
        tells = {word for word, often in count.items() if often < max(k, 2)}
        return tuple({w: half[w] / count[w] for w in sorted(one & tells)} for one in sets)

    @cached_property
    def own(self) -> Mapping[str, int]:
        """Words that one option alone has -> its position."""
        sets, count = self._sets
        each = ((w, i) for i, one in enumerate(sets) for w in one if count[w] == 1)
        return {w: i for w, i in each if len(w) > 2 or w.isdigit()}

    @cached_property
    def asked(self) -> frozenset[str]:
        """Words of the question."""
        return _words(self.question)

    @cached_property
    def negated(self) -> bool:
        """Whether the question asks for what is not so."""
        return bool(words.ASKS_FOR_NOT.search(self.question[-_ASKS:]))

    @cached_property
    def says(self) -> tuple[str, ...]:
        """The status that each option stands for; empty for most."""
        short = [one.lower() for one in self.options if len(one) <= _LONG_MEANING]
        said = any(sign.search("\n".join(short)) for _, sign in words.SAYS)
        return tuple(map(says, self.options)) if said else ("",) * self.k


def bare(label: str) -> str:
    """A label without what sets it off: "(a)", "B."."""
    return _SET_OFF.sub("", plain(label)) or label


def key_of(text: str) -> tuple[str, ...]:
    """The tokens by which a text is found."""
    said = folded(plain(text))
    return tuple([t for t in said if t not in NOISE] or [t for t in said if t not in MARKS])


key_of_option = lru_cache(maxsize=1 << 14)(key_of)
"""The same of texts that are looked for again, also in another order."""


@lru_cache(maxsize=1 << 10)
def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, folded(plain(text))))


@lru_cache(maxsize=1 << 12)
def shown(options: tuple[str, ...], labels: tuple[str, ...], question: str) -> Shown:
    """What these options are looked for by."""
    return Shown(options, question[-_ASKED:], *_named(labels))


@lru_cache(maxsize=512)
def _named(labels: tuple[str, ...]) -> tuple[Mapping[str, int], Mapping[str, int], str]:
    """The names of labels, the same written small, and their style."""
    bares, style = names_of(labels), style_of(labels)
    small = {} if style == "digit" else {name.lower(): i for name, i in bares.items()}
    return bares, small, style


@lru_cache(maxsize=1 << 12)
def _words(text: str) -> frozenset[str]:
    said = [form for form in forms_of(text) if len(form[0]) > 2]
    return frozenset([form[3] for form in said if form[2] not in words.STOP])


@lru_cache(maxsize=512)
def names_of(labels: tuple[str, ...]) -> Mapping[str, int]:
    """Each label without brackets -> position."""
    return {bare(label): i for i, label in enumerate(labels)}


@lru_cache(maxsize=512)
def style_of(labels: tuple[str, ...]) -> str:
    """The `style` of `Shown`."""
    label = next(iter(names_of(labels)), "")
    if not label or label.isdigit():
        return "digit" if label else ""
    if len(label) > 2 and not set(label) <= set("ivxIVX"):
        return "word"
    return "lower" if label.islower() else "upper"


@lru_cache(maxsize=1 << 14)
def tokens_of(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, as they are compared."""
    apart = plain(text).replace("-", " ").replace("_", " ")
    return tuple(token for token in folded(apart) if token[0].isalnum())


# ---- options that choose nothing ----

Meaning = Literal["none", "undetermined", "refusal", "unknown"]

_NEAREST: Final[Mapping[Meaning, tuple[Meaning, ...]]] = {
    "none": ("none",),
    "undetermined": ("undetermined", "none"),
    "refusal": ("refusal",),
    "unknown": ("unknown", "undetermined"),
}
"""What comes nearest where no option says exactly what a reply means."""
_SHORT_FORMS: Final[Mapping[str, Meaning]] = {"ref": "refusal", "rf": "refusal", "na": "refusal"}
"""What says a status only beside another one ("DK/REF")."""


@lru_cache(maxsize=1 << 13)
def says(option: str) -> str:
    """The status that an option stands for, by a word of it; empty for most."""
    low = option.lower() if len(option) <= _LONG_MEANING else ""
    return next((status for status, sign in words.SAYS if sign.search(low)), "")


@lru_cache(maxsize=1 << 13)
def meanings_of(option: str) -> tuple[Meaning, ...]:
    """All that an option says if it is no ordinary answer, what it says first in front.

    It may have parts that each say something ("Don't know / Refused"), or stand for several
    ("No answer").
    """
    if len(option) > _LONG_MEANING + 20:
        return ()
    low = words.NOTE.sub(" ", plain(option).lower()).strip()
    parts = [part.strip(" .") for part in words.PARTS.split(low) if part.strip(" .")]
    each = [_meanings(part) for part in parts]
    if len(parts) > 1 and any(each):
        short = [_SHORT_FORMS.get(part) for part in parts]
        each = [said or ((form,) if form else ()) for said, form in zip(each, short, strict=True)]
        if all(each):
            return tuple(dict.fromkeys([*(said[0] for said in each), *sum(each, ())]))
    return _meanings(low)


def _meanings(low: str) -> tuple[Meaning, ...]:
    """What a text, or a part of one, says as a whole."""
    if words.SAYS_NONE.match(low):
        return ("none",)
    if said := words.REFUSED.fullmatch(low):
        return ("refusal", "unknown") if said["both"] else ("refusal",)
    if said := words.KNOWS_NOT.fullmatch(low):
        return ("unknown", "refusal") if said["both"] else ("unknown",)
    return ("undetermined",) if words.UNDETERMINED.fullmatch(low) else ()


def option_meaning(meaning: Meaning, options: Sequence[str]) -> int | None:
    """The position of the one option that says `meaning`, None where none or several do.

    An option that says it above all comes before one that says it too.
    """
    every = [meanings_of(option) for option in options]
    for reach in (1, None):
        for wanted in _NEAREST[meaning]:
            found = [at for at, said in enumerate(every) if wanted in said[:reach]]
            if len(found) == 1:
                return found[0]
    return None


def said_by(reply: str, options: Sequence[str]) -> int | None:
    """The one option that says what the whole of a reply says ("I don't know.", "Refused")."""
    said = meanings_of(reply.strip(" .!")) if len(reply) < _LONG_MEANING else ()
    if not said or said[0] not in ("refusal", "unknown"):
        return None
    position = option_meaning(said[0], options)
    found = position is not None and said[0] in meanings_of(options[position])
    return position if found else None
