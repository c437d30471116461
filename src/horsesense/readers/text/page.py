"""A reply without what says nothing, as tokens.

Nothing is ever removed from the middle of a text: what says nothing becomes blanks of the same
length, and what is rewritten keeps its length. So a place in a page is the place in the reply, and
there is no second kind of position that one could be taken for.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

from horsesense.expressions import expression
from horsesense.readers.text import words

LONG: Final = 5_000
"""Characters of a reply that are read; of a longer one the beginning and the end."""
_HEAD: Final = 2_000
_OPENING: Final = 800
_CLOSING: Final = 2_000
"""Characters at both ends that are weighed where a reply states nothing."""
LOOPS: Final = 0.22
"""The share to which the end of a text is packed that says the same over and over."""
SHORTEST_LOOP: Final = 300
ROUND: Final = 24
"""Characters by which one round of a loop finds the one before."""
_KEPT_OF_THE_REST: Final = 12
"""Characters that must be left before an offer of further help, for it to be cut."""

_EAST: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKENS: Final = [
    expression(
        rf"(?:(?<!\s)[^\S\n]++)?+(?:{letter}++(?:['-]{letter}++)*+|\n\s*+"
        rf"|(?<![\w)])[-+]?\d++(?:[.,:]\d++)*+(?:st|nd|rd|th)?|\d++(?:[.,]\d++)*+|[{_EAST}]"
        r"|\*++|_++|`++|->|\S)"
    )
    for letter in (rf"[^\W\d_{_EAST}]", "[A-Za-z]")
]
MARKS: Final = frozenset(words.listed("* ** *** **** _ __ ` `` ``` \" « » ' ~ # ## ###"))
NOISE: Final = (
    frozenset(words.listed(". , ; : ! ? ( ) [ ] { } | \\ … – — - > < ⟦"))
    | frozenset(words.listed("a an the der die das el la le les los il"))
    | MARKS
    | {"\n"}
)
ENDS: Final = frozenset(".!?;。！？")
_SHORTENED: Final = frozenset(["e.g", "i.e", "g", "e", "vs", "dr", "mr", "st", "no"])
_THOUSANDS: Final = expression(r"-?\d{1,3}(,\d{3})+(\.\d+)?")


def pieces(text: str) -> list[str]:
    """All of a text but blanks at its end, cut behind each token."""
    return _TOKENS[text.isascii()].findall(text)


class _Signs(dict[int, str]):
    """One sign for each that means the same, found when it is first met."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        plain = sign if sign.isascii() or code in _KEPT else unicodedata.normalize("NFKC", sign)
        plain = plain[1] if len(plain) == 3 and plain[0] == "(" else plain  # one sign for "(b)"
        if unicodedata.category(sign) in ("Cf", "Me") or sign == "\ufe0f" or plain.isspace():
            plain = "\n" if sign == "\n" else " "
        self[code] = plain if len(plain) == 1 else sign
        return self[code]


_KEPT: Final = frozenset(map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ₀₁₂₃₄₅₆₇₈₉…"))
"""Signs that would become others if they were made plain."""
_SIGNS: Final = _Signs(
    {ord(a): b for a, b in zip("’‘‛´−‑‐⇒“”„\r\t", "''''---→\"\"\"  ", strict=True)}
)
_ODD: Final = expression(r"[^\n -~]+")
"""All signs of which there is a plainer one."""


def small(text: str) -> str:
    """A text in small letters, of the same length."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower()[0] for c in text)


def _blanks(last: str) -> Callable[[re.Match[str]], str]:
    return lambda match: last.rjust(len(match[0]))


_blank, _line, _box = map(_blanks, ("", "\n", "⟦"))


def _checked(match: re.Match[str]) -> str:
    return match[1] + ("☐" if match[2] == " " else "⟦") + "  "


class Prepared(NamedTuple):
    """A reply as it is read.

    Attributes:
        text: a beginning of the reply, with blanks for what says nothing; places are the reply's.
        whole: whether the reply runs on into something else, so that what is read had ended.
        thinks: whether a thought was begun and not ended.
    """

    text: str
    whole: bool
    thinks: bool


def plain(text: str) -> str:
    """A text of the same length with one sign for each that means the same."""
    if not text.isascii() or "\r" in text or "\t" in text:
        text = _ODD.sub(lambda match: match[0].translate(_SIGNS), text)
    if "\\" in text or "$" in text or "{" in text:
        if "\\" in text:
            text = words.FRACTION.sub(lambda m: f"{m[1]}/{m[2]}".rjust(len(m[0])), text)
            for name, sign in words.SIGN_OF.items():
                text = text.replace(name, sign.ljust(len(name)))
            text = words.TEX.sub(_blank, words.BOX.sub(_box, text))
        for sign in "${}":
            text = text.replace(sign, " ")
    return text


def prepare(response: str) -> Prepared:
    """What is left to read of a reply."""
    text, thinks = response, False
    record = words.RECORDS.match(response)
    if record is not None:  # the first of several
        text = response[: record.end("first")]
    text = _without_middle(text, _HEAD, LONG - _HEAD)
    if "[ ]" in text:
        text = words.CHECKED.sub(_checked, text)
    if "<" in text or "[" in text or "◁" in text:
        text, thinks = _without_thoughts(text)
        text = words.MARKUP.sub(_blank, words.BOX.sub(_box, without_struck(text)))
    elif "boxed" in text or "##" in text or "~~" in text:
        text = words.BOX.sub(_box, without_struck(text))
    text = plain(text)
    whole = record is not None
    low = small(text)
    following = words.NEXT_QUESTION.search(low, 1)
    if following and text[: following.start()].strip(" \n*#-.:"):
        text, whole = text[: following.start()], True
    offer = _offer(low[: len(text)])
    if offer and len(text[:offer].strip()) > _KEPT_OF_THE_REST:
        text = text[:offer]
    return Prepared(text.rstrip(), whole, thinks)


def loops(text: str) -> bool:
    """Whether the end of a text says the same over and over."""
    end = text[-1_500:].encode("utf-8", "replace")
    return len(text) > SHORTEST_LOOP and len(zlib.compress(end)) / len(end) < LOOPS


def repeats(text: str) -> bool:
    """Whether a text ends on the same words three times and more."""
    before = text.rfind(text[-ROUND:], 0, len(text) - 1)
    size = len(text) - ROUND - before
    long = max(3 * size, SHORTEST_LOOP)
    return before >= 0 and len(text) >= long and text[-long:-size] == text[size - long :]


def edges(text: str) -> str:
    """A text with blanks for the middle, where it is long."""
    return _without_middle(text, _OPENING, _CLOSING)


def _without_middle(text: str, head: int, tail: int) -> str:
    gap = len(text) - head - tail
    return text if gap <= 0 else text[:head] + "\n".rjust(gap) + text[-tail:]


def _offer(low: str) -> int:
    """Where an offer of further help begins that ends a text in small letters; 0 for none."""
    line = low.rfind("\n", 0, len(low.rstrip()))
    # An offer is all of the last line's end.
    found = words.OFFER.search(low, max(0, len(low) - 300, line - 10))
    return found.start("offer") if found else 0


def without_struck(text: str) -> str:
    """A text with spaces in place of what is struck out, unless nothing else is said.

    >>> without_struck("~~B~~ A C"), without_struck("~~B~~")
    ('      A C', '~~B~~')
    """
    rest = words.STRUCK.sub(_blank, text) if "~~" in text or "</" in text else text
    return rest if re.search(r"\w", rest) else text


def _without_thoughts(text: str) -> tuple[str, bool]:
    text = words.THOUGHT.sub(_line, text)
    ends = [match.end() for match in words.THOUGHT_ENDS.finditer(text)]
    if ends:  # its beginning was in the prompt
        kept = next((end for end in reversed(ends) if text[end:].strip()), len(text))
        text = " " * kept + text[kept:]
    begun = words.THINKS_ON.search(text)
    return (text[: begun.start()], True) if begun else (text, False)


_WORD, _MARK, _LINE, _CLOSE, _END = range(5)
"""What a token is for the sentence that it stands in."""
Forms = tuple[str, str, str, str, str, int, int]
"""A token as written, in small letters, as it is compared, the beginning of that, its class, its
kind, and its size with all blanks that belong to it."""
_REMEMBERED: Final = 60_000


class _Known(dict[str, Forms]):
    """The forms of each token with the blanks before it, found when it is first met."""

    def __missing__(self, piece: str) -> Forms:
        token = piece.lstrip()
        if token and token != piece:
            self[piece] = forms = self[token]
            return forms
        token, size = token or "\n", len(token) or len(piece) - piece.index("\n")
        low = token.lower()
        word = _folded(low)
        kind = _MARK if token in MARKS else _LINE if token == "\n" else _WORD
        kind = _END if token in ENDS else _CLOSE if token == ")" else kind
        if len(self) > _REMEMBERED:
            self.clear()
        name = "not" if low.endswith("n't") else words.CLASS.get(low, "")
        self[piece] = forms = (token, low, word, stem(word), name, kind, size)
        return forms


_FORMS: Final = _Known()


def forms_of(text: str) -> list[Forms]:
    """The tokens of a text in all their forms."""
    return [*map(_FORMS.__getitem__, pieces(text))]


def folded(text: str) -> list[str]:
    """The tokens of a text as they are compared: small, a number plain, a noun singular."""
    return [form[2] for form in forms_of(text)]


def _folded(word: str) -> str:
    if word[-1].isdigit():
        if "," in word and _THOUSANDS.fullmatch(word):
            word = word.replace(",", "")
        if word.count(".") + word.count(",") == 1:
            word = word.replace(",", ".").rstrip("0").rstrip(".")
        return word
    if len(word) > 3:
        word = word[:-2] if word.endswith("'s") else word
        return words.NUMBER.get(
            word, word[:-1] if word[-1:] == "s" and word[-2:-1] != "s" else word
        )
    return words.NUMBER.get(word, word)


def stem(word: str) -> str:
    """The beginning of a word, by which its forms are taken for one."""
    return word[:5]


@dataclass(slots=True)
class Page:
    """The tokens of a reply; lists with one entry a token unless said otherwise.

    Attributes:
        text, small: as prepared; the same in small letters.
        raw, low, folded, stems: as written, in small letters, as compared, and its beginning.
        at: where each begins in the reply.
        cls: its word class ("" where it has none).
        sent: the number of its sentence.
        begins: the first token of each sentence.
        before, behind: tokens with a mark (bold, quotes) right before or behind.
        asks: sentences that ask.
        recital: whether the options were repeated as they were shown.
    """

    text: str
    small: str
    raw: list[str] = field(default_factory=list)
    low: list[str] = field(default_factory=list)
    folded: list[str] = field(default_factory=list)
    stems: list[str] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    cls: list[str] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=lambda: [0])
    before: set[int] = field(default_factory=set)
    behind: set[int] = field(default_factory=set)
    asks: set[int] = field(default_factory=set)
    recital: bool = False

    def span(self, first: int, last: int) -> tuple[int, int]:
        """The place in the reply of the tokens from `first` to `last`."""
        return self.at[first], self.at[last] + len(self.raw[last])


def page_of(text: str) -> Page:
    """The tokens of a prepared text, with their sentences."""
    page = Page(text, small(text))
    at, begins = page.at, page.begins
    forms: list[Forms] = []
    place, mark, fresh = 0, False, True
    cut = pieces(text)
    for piece, form in zip(cut, map(_FORMS.__getitem__, cut), strict=True):
        place += len(piece)
        kind = form[5]
        if kind or fresh or mark:
            n = len(forms)
            if kind == _MARK:
                if n:
                    page.behind.add(n - 1)
                mark = True
                continue
            if kind == _LINE:
                fresh = True
            elif fresh:
                if kind < _CLOSE and n and begins[-1] != n:
                    begins.append(n)
                fresh = kind >= _CLOSE
            if mark:
                page.before.add(n)
                mark = False
            if kind == _END:
                before = forms[-1][0] if n and form[0] == "." else "...."
                head = len(before) < 4 and (begins[-1] == n - 1 or len(before) == 1)
                fresh = not head and before.lower() not in _SHORTENED  # "B. red", "e.g."
                if form[0] == "?":
                    page.asks.add(len(begins) - 1)
        forms.append(form)
        at.append(place - form[6])
    for number, (first, end) in enumerate(pairwise((*begins, len(forms)))):
        page.sent += [number] * (end - first)
    if forms:
        columns = map(list, zip(*forms, strict=True))
        page.raw, page.low, page.folded, page.stems, page.cls, *_ = columns
    return page
