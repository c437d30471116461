"""What is known of an item's options before any reply to it is read: prepared once an item."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from horsesense.items.none_options import says_none
from horsesense.readers.text import words
from horsesense.readers.text.page import MARKS, NOISE, TOKEN, fold, plain, stem

_ASKED: Final = 500
"""Characters at the end of a question that are taken for what it asks."""
_ASKS: Final = 300
_LONG_MEANING: Final = 60
"""Characters of an option that may stand for a status."""
_SET_OFF: Final = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Shown:
    """The options of one item as they are looked for.

    Attributes:
        labels: each label without brackets -> position.
        small: the same in small letters, where they differ.
        style: of the labels: "upper", "lower", "digit", "word", or empty without labels.
        keys: the tokens of each option's text.
        index: first token of a text -> the texts that begin so with their positions, longest first.
        stems: of each option, the words by which it differs from others and what each tells.
        own: words that one option alone has -> its position.
        asked: words of the question.
        negated: whether the question asks for what is not so.
        says: the status that each option stands for; empty for most.
        k: how many there are.
    """

    labels: Mapping[str, int]
    small: Mapping[str, int]
    style: str
    keys: tuple[tuple[str, ...], ...]
    index: Mapping[str, tuple[tuple[tuple[str, ...], int], ...]]
    stems: tuple[Mapping[str, float], ...]
    own: Mapping[str, int]
    asked: frozenset[str]
    negated: bool
    says: tuple[str, ...]
    k: int


def bare(label: str) -> str:
    """A label without what sets it off: "(a)", "B."."""
    return _SET_OFF.sub("", plain(label)) or label


def key_of(text: str) -> tuple[str, ...]:
    """The tokens by which a text is found."""
    folded = [fold(token) for token in TOKEN.findall(plain(text)) if token not in MARKS]
    return tuple(token for token in folded if token not in NOISE) or tuple(folded)


@lru_cache(maxsize=1 << 12)
def shown(options: tuple[str, ...], labels: tuple[str, ...], question: str) -> Shown:
    """What these options are looked for by."""
    bares, style = names_of(labels), style_of(labels)
    keys = tuple(map(key_of, options))
    often = Counter(keys)
    index: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for i, key in enumerate(keys):
        if key and often[key] == 1:
            index.setdefault(key[0], []).append((key, i))
    asked = _words(question[-_ASKED:])
    sets = [{stem(t) for t in key if t not in words.STOP and t[0].isalnum()} for key in keys]
    count = Counter(word for one in sets for word in one)
    half = {word: 0.5 if word in asked else 1.0 for word in count}
    return Shown(
        labels=bares,
        small={} if style == "digit" else {name.lower(): i for name, i in bares.items()},
        style=style,
        keys=keys,
        index={k: tuple(sorted(v, key=lambda one: -len(one[0]))) for k, v in index.items()},
        stems=tuple(
            {w: half[w] / count[w] for w in sorted(one) if count[w] < len(keys)} for one in sets
        ),
        own={
            w: i
            for i, one in enumerate(sets)
            for w in one
            if count[w] == 1 and (len(w) > 2 or w.isdigit())
        },
        asked=asked,
        negated=bool(words.ASKS_FOR_NOT.search(question[-_ASKS:])),
        says=tuple(map(says, options)),
        k=len(options),
    )


def _words(text: str) -> frozenset[str]:
    tokens = (fold(token) for token in TOKEN.findall(text) if len(token) > 2)
    return frozenset(stem(token) for token in tokens if token not in words.STOP)


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
    found = (fold(token) for token in TOKEN.findall(apart))
    return tuple(token for token in found if token[0].isalnum())


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


def says(option: str) -> str:
    """The status that an option stands for, by a word of it; empty for most."""
    if len(option) > _LONG_MEANING:
        return ""
    return next((status for status, pattern in words.SAYS if pattern.search(option)), "")


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
    if says_none(low):
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
