"""Options made up for an item: without meaning, or plausible ones taken from other items."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from horsesense.items.item import Item, order_dependent, same_text
from horsesense.items.none_options import says_none
from horsesense.probes.base import NotApplicableError, Setting
from horsesense.rng import Dice

TRIES = 200
"""Draws before giving up on finding another option."""

# No English word holds one of these, so that a string with one of them cannot be a word.
_NEVER_IN_WORDS = (
    "jx", "qx", "vq", "zq", "jq", "xj", "kq", "qk", "wq", "qz", "vj", "jz", "zx", "fq", "qj", "xk",
)  # fmt: skip
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SYMBOLS = "#%&@*~^+=<>|"
_PLACEHOLDERS = (
    "N/A", "(blank)", "---", "[no text]", "(empty)", "...", "[reserved]", "(void)", "[not used]",
    "(left open)", "[unset]", "***",
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")


def nonsense(form: str, item: Item, setting: Setting, n: int) -> list[str]:
    """`n` different texts without meaning, about as long as the item's own options.

    None equals a word of the item, nor one of its options. NotApplicableError if no more are
    found.
    """
    dice = setting.dice(item, "tokens")
    taken = {text.casefold() for text in (*words_of(item), *item.options)}
    return _different(lambda: FORMS[form](dice, item, setting), taken, n, str.casefold)


def plausible(item: Item, setting: Setting, n: int) -> list[str]:
    """`n` options of other items of the same subject, none of which repeats an option here.

    They come from the whole source, also where a sample of it is asked.

    Whether one of them happens to be right as well cannot be known. NotApplicableError if the
    subject has too few.
    """
    dice = setting.dice(item, "borrowed")
    peers = setting.items.by_subject[item.subject]
    taken = {same_text(option) for option in item.options}

    def draw() -> str | None:
        other = dice.choice(peers)
        if other.question == item.question or not other.options:
            return None
        text = dice.choice(other.options)
        return None if says_none(text) or order_dependent([text]) else text

    return _different(draw, taken, n, same_text)


def _different(
    draw: Callable[[], str | None], taken: set[str], n: int, key: Callable[[str], str]
) -> list[str]:
    found: list[str] = []
    for _ in range(TRIES + n):
        if len(found) == n:
            break
        text = draw()
        if text is not None and key(text) not in taken:
            taken.add(key(text))
            found.append(text)
    if len(found) < n:
        raise NotApplicableError(f"fewer than {n} other options were found for it")
    return found


def words_of(item: Item) -> Iterator[str]:
    """Every word of an item: question, context, options."""
    for text in (item.question, item.context, item.text_b, *item.options):
        if text:
            yield from _WORD.findall(text)


def _letters(dice: Dice, item: Item, setting: Setting) -> str:
    """Strings of 4 to 7 letters that are no words, until the length of one of the options."""
    length = len(dice.choice(item.options))
    words = [_no_word(dice)]
    while sum(map(len, words)) + len(words) + 3 < length:
        words.append(_no_word(dice))
    return " ".join(words)


def _no_word(dice: Dice) -> str:
    size = 4 + dice.below(4)
    letters = "".join(dice.choice(_LETTERS) for _ in range(size - 2))
    at = dice.below(size - 1)
    return letters[:at] + dice.choice(_NEVER_IN_WORDS) + letters[at:]


def _symbols(dice: Dice, item: Item, setting: Setting) -> str:
    length = min(12, max(3, len(dice.choice(item.options))))
    return "".join(dice.choice(_SYMBOLS) for _ in range(length))


def _placeholder(dice: Dice, item: Item, setting: Setting) -> str:
    return dice.choice(_PLACEHOLDERS)


def _shuffled_words(dice: Dice, item: Item, setting: Setting) -> str | None:
    """As many words as one of the options has, each from another item; none of its own."""
    own = {word.casefold() for word in words_of(item)}
    wanted = len(_WORD.findall(dice.choice(item.options))) or 1
    words: list[str] = []
    for _ in range(20 * wanted):
        if len(words) == wanted:
            return " ".join(words)
        there = _WORD.findall(dice.choice(dice.choice(setting.items.everything).options))
        word = dice.choice(there) if there else ""
        if word and word.casefold() not in own:
            words.append(word)
    return None


FORMS: Mapping[str, Callable[[Dice, Item, Setting], str | None]] = MappingProxyType(
    {
        "letters": _letters,
        "symbols": _symbols,
        "placeholders": _placeholder,
        "words": _shuffled_words,
    }
)
"""Forms of options without meaning; how easily one is seen through differs, so it is named."""


def without(options: Sequence[int], removed: int) -> list[int]:
    """The indices but one, in order."""
    return [i for i in options if i != removed]
