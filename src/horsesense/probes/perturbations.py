"""How a question's words are perturbed (specification, section 5.2).

Only plain words are touched. Numbers, single letters, names ("DNA", a triangle "ABC", a product
"xy"), functions ("log"), what stands beside an operator ("mass * velocity"), LaTeX, and anything in
which letters and other signs mix ("f(x)", "H2O", "mRNA") stay as they are, and so does every sign
around a word. All functions are pure: text and dice in, text out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from horsesense.expressions import expression
from horsesense.rng import Dice

RATE: Final = 0.2
"""Chance of each word to get a typo."""
MOST_SYMBOLS: Final = 2
"""Words in capitals that may be symbols, however short the text is."""

LATEX: Final = expression(
    r"\$\$.+?\$\$|\$[^$\n]+\$|\\\(.+?\\\)|\\\[.+?\\\]"
    r"|\\begin\{(?P<name>\w+\*?)\}.+?\\end\{(?P=name)\}"
    r"|\\[A-Za-z]+(?:\s*(?:\[[^\]]*\]|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}))*",
    re.DOTALL,
)
_TOKEN = expression(r"\S+")
_CORE = expression(r"[\"'“”‘’(\[¿¡*_-]*(?P<core>[^\W\d_]{2,})(?:['’]s)?[\"'“”‘’)\].,:;!?*_-]*")
_OPERATOR: Final = expression(r"[=+*/^<>≤≥≈≠±×·÷→⇌∈∪∩∧∨|&]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FUNCTIONS: Final = _words(
    """
    sin cos tan cot sec csc cosec arcsin arccos arctan arcsec sinh cosh tanh log ln lg exp lim sup
    inf max min det dim ker gcd lcm mod sqrt arg
    """
)
_GREEK: Final = _words(
    """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma
    tau upsilon phi chi psi omega
    """
)
_CODE: Final = expression(r"\w\([\w\s,.=*'\"]*\)|[;{}]\s*(?=\n|$)|\b\w+\[\w+\]|\w_\w|[=!]=|->")
"""Marks of a program: calls, indices, joined names, statements' ends."""
_CODE_WORDS: Final = _words(
    """
    int def foo bar baz float char bool str void null elif endif printf argv const struct
    """
)
_STRESSED: Final = _words(
    """
    ALL ALWAYS AND ANY BEST BUT CANNOT CORRECT DOES EACH EVERY EXACTLY EXCEPT FALSE FIRST INCORRECT
    IS LAST LEAST MOST MUST NEITHER NEVER NO NONE NOT ONE ONLY OR SHOULD THE TRUE TWO WITHOUT WRONG
    """
)
"""Words that questions write in capitals for stress, and that name nothing."""
_TITLES: Final = frozenset(("mr", "mrs", "ms", "dr", "st", "hmm", "shh", "psst", "nth", "rhythm"))
_SPOKEN: Final = expression(r"[aeiou]|[^a-z]|^[bm]y$|^(?=.*[b-df-hj-np-tvw])(?=.{3}).*y")
"""A vowel, a letter of another alphabet, or a y that is one; "dx", "xy" and "km" have none."""
_LOWER: Final = "abcdefghijklmnopqrstuvwxyz"


class Word(NamedTuple):
    """A plain word of a text: where its letters stand."""

    start: int
    end: int
    text: str


def words_of(text: str, kept: str | None = None) -> list[Word]:
    """The plain words of a text, in order, but for the word `kept`.

    >>> [word.text for word in words_of("Let $x$ be 3 or f(x), not mRNA.")]
    ['Let', 'be', 'or', 'not']
    >>> [word.text for word in words_of("Is log AB in DNA less than mass * velocity?")]
    ['Is', 'in', 'less', 'than']
    >>> [word.text for word in words_of("Which does NOT hold of theta in int foo = f(3); here?")]
    ['Which', 'does', 'NOT', 'hold', 'of', 'in', 'here']
    """
    latex = [match.span() for match in LATEX.finditer(text)]
    tokens = list(_TOKEN.finditer(text))
    operators = {n for n, token in enumerate(tokens) if _OPERATOR.fullmatch(token.group())}
    shouted, code = _is_shouted(text), bool(_CODE.search(text))
    found, passed = [], 0
    for n, token in enumerate(tokens):
        if {n - 1, n + 1} & operators:
            continue
        while passed < len(latex) and latex[passed][1] <= token.start():
            passed += 1
        if passed < len(latex) and latex[passed][0] < token.end():
            continue
        match = _CORE.fullmatch(token.group())
        if match is None or match["core"] == kept:
            continue
        if _is_plain(match["core"], shouted, code):
            start = token.start() + match.start("core")
            found.append(Word(start, start + len(match["core"]), match["core"]))
    return found


def _is_plain(core: str, shouted: bool, code: bool) -> bool:
    """Whether letters make a word: not a name, whose case carries meaning, nor a formula's."""
    if core.isupper() and not shouted and core not in _STRESSED:
        return False
    lower = core.lower()
    ordinary = core.isupper() or core[1:].islower()
    symbol = lower in _FUNCTIONS or core in _GREEK or (code and core in _CODE_WORDS)
    return ordinary and not symbol and (bool(_SPOKEN.search(lower)) or lower in _TITLES)


def _is_shouted(text: str) -> bool:
    """Whether most words of a text are capitals, which then say nothing."""
    words = [match["core"] for token in text.split() if (match := _CORE.fullmatch(token))]
    return 2 * sum(map(str.isupper, words)) > len(words) and len(words) > MOST_SYMBOLS


def replaced(text: str, changes: Sequence[tuple[Word, str]]) -> str:
    """The text with some words replaced."""
    parts, end = [], 0
    for word, new in sorted(changes):
        parts += [text[end : word.start], new]
        end = word.end
    return "".join([*parts, text[end:]])


def key_typo(text: str, dice: Dice, kept: str | None = None) -> str | None:
    """One letter replaced by another in every fifth word, by chance: of few words, often in none.

    None where no word can have a typo.
    """
    words = [word for word in words_of(text, kept) if any(c.lower() in _LOWER for c in word.text)]
    if not words:
        return None
    chosen = [word for word in words if dice.uniform() < RATE]
    return replaced(text, [(word, _mistyped(word.text, dice)) for word in chosen])


def _mistyped(word: str, dice: Dice) -> str:
    place = dice.choice([i for i, c in enumerate(word) if c.lower() in _LOWER])
    old = word[place]
    new = dice.choice([c for c in _LOWER if c != old.lower()])
    return word[:place] + (new.upper() if old.isupper() else new) + word[place + 1 :]


def letter_scramble(text: str, dice: Dice, kept: str | None = None) -> str | None:
    """The letters between first and last in another order, in every word of more than three."""
    return _in_every_word(words_of(text, kept), text, dice, _scrambled)


def _scrambled(word: str, dice: Dice) -> str | None:
    inner = word[1:-1]
    if len(set(inner)) < 2:
        return None
    mixed = inner
    while mixed == inner:
        mixed = "".join(inner[i] for i in dice.permutation(len(inner)))
    return word[0] + mixed + word[-1]


def letter_swap(text: str, dice: Dice, kept: str | None = None) -> str | None:
    """Two neighbouring letters exchanged inside every word of more than four."""
    return _in_every_word(words_of(text, kept), text, dice, _swapped)


def _swapped(word: str, dice: Dice) -> str | None:
    places = [i for i in range(1, len(word) - 2) if word[i] != word[i + 1]]
    if len(word) <= 4 or not places:
        return None
    i = dice.choice(places)
    return word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def _in_every_word(
    words: Sequence[Word], text: str, dice: Dice, change: Callable[[str, Dice], str | None]
) -> str | None:
    changes = [(word, change(word.text, dice)) for word in words]
    made = [(word, new) for word, new in changes if new is not None]
    return replaced(text, made) if made else None


MOST_MOVED: Final = 4


def word_swap(text: str, dice: Dice, kept: str | None = None) -> str | None:
    """Four words change places, none of them the first or the last; fewer where there are fewer."""
    tokens = list(_TOKEN.finditer(text))
    if len(tokens) < 4:
        return None
    first, last = tokens[0].end(), tokens[-1].start()
    inner = [word for word in words_of(text, kept) if word.start >= first and word.end <= last]
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
