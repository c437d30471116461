"""Patterns behind the plain words that they need, which are looked for first, for speed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Final

_PART = re.compile(r"(?s:\\.)|\[(?:\\.|[^\]\\])+\]|[()|]|[^\\\[()|]+")
"""A character or a class of characters, a bracket, a bar or what is between them."""


def one_of(parts: Iterable[str]) -> str:
    """A pattern for plain texts, which looks at what they begin with alike once.

    >>> one_of(["wait", "was", "no"])
    '(?:no|wa(?:it|s))'
    """
    by_first: dict[str, list[str]] = {}
    for part in sorted({*parts}):
        by_first.setdefault(part[:1], []).append(part[1:])
    # Where one ends, it is found, however others go on.
    if "" in by_first:
        return ""
    each = [re.escape(first) + one_of(rest) for first, rest in by_first.items()]
    return each[0] if len(each) == 1 else f"(?:{'|'.join(each)})"


class Parts:
    """Plain text of which something is in whatever some patterns find, looked for once."""

    __slots__ = ("_find", "_last")

    def __init__(self, *parts: str) -> None:
        self._find = re.compile(one_of(parts)).search
        self._last = "", False

    def there(self, low: str) -> bool:
        """Whether any of it is in a text."""
        last, found = self._last
        if last is not low:
            found = self._find(low) is not None
            self._last = low, found
        return found


class Wording:
    """A slow pattern, and what something must be there of before it is looked for."""

    __slots__ = ("_needs", "pattern")

    def __init__(self, needs: Parts | tuple[str, ...], pattern: re.Pattern[str]) -> None:
        self._needs = needs if isinstance(needs, Parts) else Parts(*needs)
        self.pattern = re.compile(one_boundary(pattern.pattern), pattern.flags)

    def search(self, low: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As of a pattern."""
        return self.pattern.search(low, start, end) if self._needs.there(low) else None

    def finditer(self, low: str, start: int = 0) -> Iterator[re.Match[str]]:
        """As of a pattern."""
        return self.pattern.finditer(low, start) if self._needs.there(low) else iter(())


TURNS_BACK: Final = Parts(
    *("wait", "sorry", "hmm", "scratch", "oops", "torn", "undecided", "unsure", "actually"),
    *("either", "both", "instead", "decide", "mistake", "correction", "suppose", "but then"),
    *("then again", "second thought", "i said", "at first i", "i first", "initially", "originally"),
    *("if it were", "were it", "had it been", "choices ", "run ", "edit", "sample", "vote"),
    *("attempt", "user", "question:", "q:", "q ", "no:", "no,", "nein,", "no sorry"),
    *(f" {digit}:" for digit in range(10)),
    *("hang on", "hold on", "so fast", " mind", "nevermind", "kidding", "misread", "misspoke"),
    *("withdraw", "retract", "on re", "on checking", "further", "closer", " back", "made a"),
    *("ignore", "disregard", "scrap", "strike", "revis", "amend", "replace", "chang", "let me"),
    *("should read", "must read", "to read", "be corrected", "meant", "i mean", "update"),
    *("erratum", "was wrong", "am wrong", "or rather", "make that", "❌", "✗", "✘"),
)
"""What is in all wordings that take something back, turn from it or hesitate."""


def one_boundary(pattern: str) -> str:
    r"""A pattern whose alternatives look for the boundary in front of them together, which is
    several times as fast.

    >>> one_boundary(r"\bno (?:one|two)|\bnone|[|]+")
    '\\\\b(?:no (?:one|two)|none)|[|]+'
    """
    depth, parts = 0, [""]
    for part in _PART.findall(pattern):
        depth += (part == "(") - (part == ")")
        if part == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += part
    bound = [part[2:] for part in parts if part.startswith(r"\b")]
    if len(bound) < 2:
        return pattern
    others = [part for part in parts if not part.startswith(r"\b")]
    return "|".join([rf"\b(?:{'|'.join(bound)})", *others])
