"""One spelling for many: responses and options folded so that patterns stay simple.

Folding turns full-width, bold and circled letters into plain ones, control characters into spaces
and drops Markdown emphasis and invisible characters. Positions in the folded text map back to the
response, so that a span always quotes what the model wrote.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from typing import Final

_DROPPED = "*`$"
_SPACED = "_"
_QUOTES = dict.fromkeys("‘’‚‛′´", "'") | dict.fromkeys("“”„‟″«»「」『』", '"')
_DASHES = dict.fromkeys("‐‑‒–—―−﹣", "-")
_BRACKETS = {
    "【": "[",
    "】": "]",
    "〔": "[",
    "〕": "]",
    "。": ". ",
    "、": ",",
    "！": "! ",
    "？": "? ",
}
_PLAIN = {ord(k): v for k, v in (_QUOTES | _DASHES | _BRACKETS).items()}
_REMEMBERED = 20_000
_TERMINAL = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]")


class Table(dict[int, str]):
    """A `str.translate` table that works out characters when it first meets them.

    `kept` are characters that must stay as they are (labels such as "$" or "*").
    """

    def __init__(self, kept: Iterable[str] = ()) -> None:
        kept = set(kept)
        super().__init__({ord(c): "" for c in _DROPPED if c not in kept})
        self.update({ord(c): " " for c in _SPACED if c not in kept})
        self.update({ord(c): c for c in kept})

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code))
        # A hostile text could name every code point there is; the table must not grow with it.
        if len(self) < _REMEMBERED:
            self[code] = folded
        return folded


def _fold_character(char: str) -> str:
    plain = _PLAIN.get(ord(char))
    if plain is not None:
        return plain
    # By category, not by a list of signs: Unicode gains invisible and spacing characters with
    # every version, and any one that was left in would split a word that a pattern looks for.
    category = unicodedata.category(char)
    if category == "Cc":
        return char if char in "\n\t" else " "
    if category in ("Cf", "Cs") or "\ufe00" <= char <= "\ufe0f":
        return ""
    if category in ("Zs", "Zl", "Zp"):
        return "\n" if category in ("Zl", "Zp") else " "
    return unicodedata.normalize("NFKC", char)


DEFAULT = Table()
KEPT: Final = 20_000


class Folded:
    """A response in its folded spelling.

    Of more than twice `KEPT` characters only the first and the last are looked at: an answer
    is at the beginning or at the end, and the time to read a hostile text stays bounded.

    Attributes:
        text: folded, case kept.
        low: `text` in lower case; the same length.
        begins: where in the response its answer begins, behind what was thought.
    """

    __slots__ = ("_ends", "_left_out", "_original", "_plain", "_table", "begins", "low", "text")

    def __init__(self, original: str, table: Table = DEFAULT) -> None:
        self._original = original
        self._table = table
        self.begins = 0
        self._ends: list[int] | None = None
        # Terminal codes become as many spaces, so that offsets hold without a map.
        if "\x1b" in original:
            original = _TERMINAL.sub(lambda m: " " * len(m.group()), original)
        text = original.translate(table)
        # Equal lengths alone prove nothing: one character may vanish where another grows to two.
        # In ASCII nothing grows, so that there offsets are the response's own.
        self._plain = len(text) == len(original) and original.isascii()
        self._left_out = max(0, len(text) - 2 * KEPT)
        # The line break keeps a pattern from matching across the gap, and takes the place of one
        # character, so that every offset from `KEPT` on moves by the same amount.
        self.text = f"{text[: KEPT - 1]}\n{text[-KEPT:]}" if self._left_out else text
        low = self.text.lower()
        self.low = low if len(low) == len(self.text) else _lower_one_by_one(self.text)

    @property
    def source(self) -> str:
        """The response as it came."""
        return self._original

    def blank(self, start: int, end: int, first: str = " ") -> None:
        """Put `first` and spaces in place of the characters start..end-1."""
        gap = first + " " * (end - start - 1)
        self.text = self.text[:start] + gap + self.text[end:]
        self.low = self.low[:start] + gap + self.low[end:]

    def blank_each(self, spans: Iterable[tuple[int, int, str]]) -> None:
        """Blank many places (start, end, first character), in order, in one pass."""
        parts: list[str] = []
        low: list[str] = []
        place = 0
        for start, end, first in spans:
            gap = first + " " * (end - start - 1)
            parts += (self.text[place:start], gap)
            low += (self.low[place:start], gap)
            place = end
        if place:
            self.text = "".join(parts) + self.text[place:]
            self.low = "".join(low) + self.low[place:]

    def original(self, start: int, end: int) -> str:
        """The response's own characters at the folded characters start..end-1."""
        if self._plain and not self._left_out:
            return self._original[start:end]
        first, last = self.span(start, min(end, len(self.text)))
        return self._original[first:last]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the folded characters start..end-1 are in the response."""
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        if start == end:
            return (0, len(self._original))
        first, last = self._unshortened(start), self._unshortened(end - 1)
        if self._plain:
            return (first, last + 1)
        ends = self._piece_ends()
        return (bisect_left(ends, first + 1), bisect_left(ends, last + 1) + 1)

    def _unshortened(self, offset: int) -> int:
        return offset + self._left_out if offset >= KEPT else offset

    def _piece_ends(self) -> list[int]:
        """For each original character, where its folded piece ends."""
        # Worked out only for a span that is asked for: most responses are read without one.
        if self._ends is None:
            folded = map(self._table.__getitem__, map(ord, self._original))
            self._ends = list(accumulate(map(len, folded)))
        return self._ends


def _lower_one_by_one(text: str) -> str:
    """Lower case without the letters that would grow by it, so that offsets do not move."""
    return "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
