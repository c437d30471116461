"""How a question's words are perturbed (specification, section 5.2).

Only plain words are touched. Numbers, single letters and names of variables, LaTeX, and anything
in which letters and other signs mix ("f(x)", "H2O", "mRNA") stay as they are, and so does every
sign around a word. All functions are pure: text and dice in, text out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from horsesense.rng import Dice

RATE: Final = 0.2
"""Share of words that get a typo."""

LATEX: Final = re.compile(
    r"\$\$.+?\$\$|\$[^$\n]+\$|\\\(.+?\\\)|\\\[.+?\\\]"
    r"|\\begin\{(?P<name>\w+\*?)\}.+?\\end\{(?P=name)\}"
    r"|\\[A-Za-z]+(?:\s*(?:\[[^\]]*\]|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}))*",
    re.DOTALL,
)
_TOKEN = re.compile(r"\S+")
_CORE = re.compile(r"[\"'“”‘’(\[¿¡*_-]*(?P<core>[^\W\d_]{2,})(?:['’]s)?[\"'“”‘’)\].,:;!?*_-]*")
_LOWER: Final = "abcdefghijklmnopqrstuvwxyz"


class Word(NamedTuple):
    """A plain word of a text: where its letters stand."""

    start: int
    end: int
    text: str


def words_of(text: str) -> list[Word]:
    """The plain words of a text, in order.

    >>> [word.text for word in words_of("Let $x$ be 3 or f(x), not mRNA.")]
    ['Let', 'be', 'or', 'not']
    """
    latex = [match.span() for match in LATEX.finditer(text)]
    found, passed = [], 0
    for token in _TOKEN.finditer(text):
        while passed < len(latex) and latex[passed][1] <= token.start():
            passed += 1
        if passed < len(latex) and latex[passed][0] < token.end():
            continue
        match = _CORE.fullmatch(token.group())
        if match is not None and _is_plain(match["core"]):
            start = token.start() + match.start("core")
            found.append(Word(start, start + len(match["core"]), match["core"]))
    return found


def _is_plain(core: str) -> bool:
    """Whether letters make a word; "mRNA" and "pH" are names, whose case carries meaning."""
    return core.isupper() or core[1:].islower()


def replaced(text: str, changes: Sequence[tuple[Word, str]]) -> str:
    """The text with some words replaced."""
    parts, end = [], 0
    for word, new in sorted(changes):
        parts += [text[end : word.start], new]
        end = word.end
    return "".join([*parts, text[end:]])


def key_typo(text: str, dice: Dice) -> str | None:
    """One letter replaced by another in every fifth word, by chance, and in one at least.

    None where no word can have a typo.
    """
    words = [word for word in words_of(text) if any(c.lower() in _LOWER for c in word.text)]
    if not words:
        return None
    chosen = [word for word in words if dice.uniform() < RATE] or [dice.choice(words)]
    return replaced(text, [(word, _mistyped(word.text, dice)) for word in chosen])


def _mistyped(word: str, dice: Dice) -> str:
    place = dice.choice([i for i, c in enumerate(word) if c.lower() in _LOWER])
    old = word[place]
    new = dice.choice([c for c in _LOWER if c != old.lower()])
    return word[:place] + (new.upper() if old.isupper() else new) + word[place + 1 :]


def letter_scramble(text: str, dice: Dice) -> str | None:
    """The letters between first and last in another order, in every word of more than three."""
    return _in_every_word(text, dice, _scrambled)


def _scrambled(word: str, dice: Dice) -> str | None:
    inner = word[1:-1]
    if len(set(inner)) < 2:
        return None
    mixed = inner
    while mixed == inner:
        mixed = "".join(inner[i] for i in dice.permutation(len(inner)))
    return word[0] + mixed + word[-1]


def letter_swap(text: str, dice: Dice) -> str | None:
    """Two neighbouring letters exchanged inside every word of more than four."""
    return _in_every_word(text, dice, _swapped)


def _swapped(word: str, dice: Dice) -> str | None:
    places = [i for i in range(1, len(word) - 2) if word[i] != word[i + 1]]
    if len(word) <= 4 or not places:
        return None
    i = dice.choice(places)
    return word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def _in_every_word(text: str, dice: Dice, change: Callable[[str, Dice], str | None]) -> str | None:
    changes = [(word, change(word.text, dice)) for word in words_of(text)]
    made = [(word, new) for word, new in changes if new is not None]
    return replaced(text, made) if made else None


MOST_MOVED: Final = 4


def word_swap(text: str, dice: Dice) -> str | None:
    """Four words change places, none of them the first or the last; fewer where there are fewer."""
    tokens = list(_TOKEN.finditer(text))
    if len(tokens) < 4:
        return None
    first, last = tokens[0].end(), tokens[-1].start()
    inner = [word for word in words_of(text) if word.start >= first and word.end <= last]
    if len({word.text for word in inner}) < 2:
        return None
    chosen = _different(inner, dice)
    moved = [word.text for word in chosen]
    while moved == [word.text for word in chosen]:
        moved = [chosen[i].text for i in dice.permutation(len(chosen))]
    return replaced(text, list(zip(chosen, moved, strict=True)))


def _different(words: Sequence[Word], dice: Dice) -> list[Word]:
    """Up to four of the words, not all alike."""
    while True:
        chosen = dice.sample(words, min(MOST_MOVED, len(words)))
        if len({word.text for word in chosen}) > 1:
            return chosen
