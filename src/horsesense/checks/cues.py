"""Cues of the set: how often what marks an option marks the right one, against chance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from horsesense.checks.base import Hit, RuleHit
from horsesense.checks.options import all_of_the_above, none_of_the_above, number
from horsesense.checks.remarks import remark
from horsesense.checks.shares import quoted, share_test
from horsesense.expressions import expression
from horsesense.items.item import Item, ItemSet

Marks = Callable[[Item], Sequence[int]]
"""Positions of the options of an item that a cue marks."""

FEWEST: Final = 10
"""Items with a cue below which nothing is said about it."""
_LONG_ENOUGH: Final = 15
_CLEARLY: Final = 1.15
"""The shortest option must be shorter than the next by this factor to be seen at a glance."""
_ABSOLUTE: Final = expression(
    r"\b(?:always|never|all|every|everyone|everything|nobody|nothing|only|entirely|completely"
    r"|totally|absolutely|must|impossible|solely|exclusively|invariably|certainly|definitely"
    r"|no one|none|whatsoever|forever|under no circumstances)\b",
    re.IGNORECASE,
)
_VAGUE: Final = expression(
    r"\b(?:usually|often|frequently|sometimes|generally|typically|occasionally|rarely|seldom"
    r"|tends? to|mostly|may|might|probably|likely|normally)\b",
    re.IGNORECASE,
)
_WORD: Final = expression(r"\w+")
_PLAIN_CLASSES: Final = frozenset(["yes", "no", "true", "false"])


def cue(marks: Marks) -> Callable[[ItemSet], RuleHit]:
    """A rule's `find`: is the right answer among the marked options more often than by chance?

    Items in which no option or every option is marked tell nothing and are left out. The items
    named are those that are answered right by following the cue.
    """

    def find(items: ItemSet) -> RuleHit:
        marked = [(item, marks(item)) for item in items if item.gold is not None]
        told = [(item, m) for item, m in marked if 0 < len(m) < len(item.options)]
        if len(told) < FEWEST:
            return RuleHit(len(told))
        right = [item.gold in m for item, m in told]
        chance = _chance([item for item, _ in marked])
        test = share_test(
            map(float, right),
            [chance(item, m) for item, m in told],
            [item.cluster or item.id for item, _ in told],
        )
        # A cue that marks wrong answers helps as much: those options can be struck out.
        against = test.share < test.expected
        hits = tuple(
            Hit(item.id, quoted(item, m))
            for (item, m), hit in zip(told, right, strict=True)
            if hit != against
        )
        return RuleHit(len(told), hits, test)

    return find


def _chance(known: Sequence[Item]) -> Callable[[Item, Sequence[int]], float]:
    """How often a guess among marked options is right: 1 / k each; of classes, as they occur."""
    if len({item.options for item in known}) > 1:
        return lambda item, marked: len(marked) / len(item.options)
    counts = Counter(item.gold for item in known)
    return lambda _, marked: sum(counts[at] for at in marked) / len(known)


def _longest(item: Item) -> Sequence[int]:
    """The one longest option."""
    lengths = [len(option) for option in item.options]
    second, first = sorted(lengths)[-2:]
    return [lengths.index(first)] if first > second and first >= _LONG_ENOUGH else []


def _shortest(item: Item) -> Sequence[int]:
    """The option that is clearly shorter than all others, where those have some length."""
    lengths = [len(option) for option in item.options]
    first, second = sorted(lengths)[:2]
    clear = second >= _LONG_ENOUGH and second >= _CLEARLY * first
    return [lengths.index(first)] if clear else []


def _with_words(pattern: re.Pattern[str]) -> Marks:
    """The options that hold one of the words; whole-option classes such as "All" are not meant."""

    def marks(item: Item) -> Sequence[int]:
        return [
            at
            for at, option in enumerate(item.options)
            if " " in option.strip() and pattern.search(option) and not remark(option)
        ]

    return marks


def _middle_number(item: Item) -> Sequence[int]:
    """Of options that are all single numbers, those that are neither smallest nor largest."""
    values = [number(option) for option in item.options]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or len(set(known)) < 3:
        return []
    return [at for at, value in enumerate(known) if min(known) < value < max(known)]


def _odd_form(item: Item) -> Sequence[int]:
    """The one option whose first letter's case or final full stop differs from all others'."""
    options = [option.strip() for option in item.options]
    for forms in (list(map(_stops, options)), list(map(_capital, options))):
        odd = [value for value in (True, False) if forms.count(value) == 1]
        if len(forms) > 2 and len(odd) == 1 and None not in forms:
            return [forms.index(odd[0])]
    return []


def _stops(option: str) -> bool | None:
    return option.endswith(".")


def _capital(option: str) -> bool | None:
    """None where the first character has no case, or the word is a name, acronym or symbol."""
    word = re.match(r"[^\W\d_]{2,}", option)
    return word[0].istitle() if word and (word[0].istitle() or word[0].islower()) else None


def _class_in_text(item: Item) -> Sequence[int]:
    """The classes whose name stands in the text."""
    words = _WORD.findall(f"{item.question} {item.text_b or ''}".lower())
    text = f" {' '.join(words)} "
    names = (" ".join(_WORD.findall(o.lower().replace("_", " "))) for o in item.options)
    return [
        at
        for at, name in enumerate(names)
        if len(name) >= 4 and name not in _PLAIN_CLASSES and f" {name} " in text
    ]


def _option_in_question(item: Item) -> Sequence[int]:
    """The one option that the question names."""
    named = _class_in_text(item)
    return named if len(named) == 1 else []


CUES: Final[dict[str, Marks]] = {
    "longest_option": _longest,
    "shortest_option": _shortest,
    "absolute_words": _with_words(_ABSOLUTE),
    "vague_words": _with_words(_VAGUE),
    "odd_form": _odd_form,
    "middle_number": _middle_number,
    "all_of_the_above_right": all_of_the_above,
    "none_of_the_above_right": none_of_the_above,
    "class_in_text": _class_in_text,
    "option_in_question": _option_in_question,
}
"""Rule -> the options that the cue marks."""
