"""Whether what a model wrote can be used as a question in other words.

Form alone is looked at: what must not change is there, and nothing was added. Whether the same is
asked only a reader can say. In doubt a rewording is refused, since another can be asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from horsesense.items.item import Item, normalised
from horsesense.probes.perturbations import LATEX
from horsesense.readers.text import REFUSAL

SLACK: Final = 20
"""Characters by which a rewording may pass three times the length of a short question."""

_ANNOUNCED = re.compile(
    r"(?:(?:sure|certainly|of course|okay|ok)\b[,.!:]*\s*)?\*{0,2}"
    r"(?:here(?:['’]s| is)\b[^\n:?]{0,80}"
    r"|(?:(?:a|the|your) )?(?:re(?:worded|phrased|written|formulated)|paraphrased?|new)"
    r"(?: (?:question|version|sentence|text))?"
    r"|question)\*{0,2}:\*{0,2}\s*",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "«": "»", "`": "`"}


def unwrapped(reply: str, question: str) -> str:
    """A reply without what announces or encloses the rewording, as long as it is clearly that.

    >>> unwrapped('Here is a paraphrase: "What do 2 and 2 make?"', "What is 2 + 2?")
    'What do 2 and 2 make?'
    """
    text = reply.strip()
    if not _ANNOUNCED.match(question):
        text = text[match.end() :] if (match := _ANNOUNCED.match(text)) else text
    for opening, closing in _QUOTES.items():
        inner = text[1:-1]
        whole = text[:1] == opening and text[-1:] == closing and not {opening, closing} & {*inner}
        if len(text) > 2 and whole and question[:1] != opening:
            return inner.strip()
    return text


class Draft(NamedTuple):
    """A rewording that is to be judged."""

    question: str
    options: Sequence[str]
    text: str


def why_refused(item: Item, text: str, others: Iterable[str] = ()) -> str | None:
    """Why `text` cannot replace the item's question; None if its form allows it.

    >>> item = Item("q", "How much is 2 + 3?", ("5", "6"), 0)
    >>> why_refused(item, "What is the sum of 2 and 3?"), why_refused(item, "What is 2 + 4?")
    (None, 'its numbers differ')

    Args:
        others: rewordings that were accepted before.
    """
    draft = Draft(item.question, item.options, text)
    for reason, fails in CHECKS.items():
        if fails(draft):
            return reason
    said = normalised(text)
    return "it equals another version" if said in map(normalised, others) else None


def _unlike(found: Callable[[str], object]) -> Callable[[Draft], bool]:
    """True if question and text differ in what `found` finds in them."""
    return lambda draft: found(draft.question) != found(draft.text)


_NUMBER = re.compile(r"(?:(?<!\w)[-−])?\d+(?:[.,]\d+)*%?")
_LETTER = re.compile(r"(?<![\w'’])[^\W\d_](?![\w'’])")
_WORD = re.compile(r"\w+")
_BLANK = re.compile(r"_{2,}")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”")
_LISTED = re.compile(r"(?<!\w)\(?[A-J][).:](?=\s)")
_NEGATION = re.compile(
    r"\b(?:not|cannot|no|none|never|neither|nor|without|except|excluding|exception|least|lacks?"
    r"|false|untrue|incorrect|wrong|unlikely|fails?)\b|n['’]t\b",
    re.IGNORECASE,
)


def _numbers(text: str) -> set[str]:
    return {match.replace(",", "") for match in _NUMBER.findall(text)}


def _formulas(text: str) -> set[str]:
    return {"".join(match.group().split()) for match in LATEX.finditer(text)}


def _quotations(text: str) -> set[str]:
    return {normalised(plain or curly) for plain, curly in _QUOTED.findall(text)}


def _symbols(text: str) -> Iterator[str]:
    """Single letters that are not words: variables, and names as in "vitamin A"."""
    for match in _LETTER.finditer(text):
        letter, before = match.group(), text[: match.start()].rstrip()
        begins = not before or before[-1] in ".?!:|"
        is_word = letter in ("a", "I") or (letter == "A" and begins)
        if letter.lower() != letter.upper() and not is_word:
            yield letter


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _names_an_option(draft: Draft) -> bool:
    """True if it holds an option that the question does not hold; single signs are too common."""
    asked, said = _words(draft.question), _words(draft.text)
    options = (words for words in map(_words, draft.options) if len(words) > 3)
    return any(words in said and words not in asked for words in options)


def _lists(draft: Draft) -> bool:
    return len(_LISTED.findall(draft.text)) > max(1, len(_LISTED.findall(draft.question)))


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


CHECKS: Final[dict[str, Callable[[Draft], bool]]] = {
    "it is empty": lambda d: not any(map(str.isalnum, d.text)),
    "it declines": lambda d: bool(REFUSAL.search(d.text.lower())),
    "it is the question itself": lambda d: normalised(d.text) == normalised(d.question),
    "it has more lines": lambda d: _lines(d.text) > max(1, _lines(d.question)),
    "it is less than a third as long": lambda d: 3 * len(d.text) + SLACK < len(d.question),
    "it is over three times as long": lambda d: len(d.text) > 3 * len(d.question) + SLACK,
    "its formulas differ": _unlike(_formulas),
    "its numbers differ": _unlike(_numbers),
    "a single letter is gone": lambda d: not {*_symbols(d.question)} <= {*_symbols(d.text)},
    "its quotations differ": _unlike(_quotations),
    "its blanks differ": _unlike(lambda text: len(_BLANK.findall(text))),
    "it lists options": _lists,
    "it names an option": _names_an_option,
    "a negation came or went": _unlike(lambda text: bool(_NEGATION.search(text))),
    "it asks nothing": lambda d: "?" in d.question and "?" not in d.text,
}
"""Reason -> whether a draft is refused for it; the first that holds is reported."""
