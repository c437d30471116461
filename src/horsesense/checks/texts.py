"""Damage of the text: lost backslashes, broken encodings, HTML."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from horsesense.checks.shares import clipped
from horsesense.items.item import Item

_COMMANDS: Final = (
    "frac|dfrac|tfrac|sqrt|mathbb|mathrm|mathbf|mathcal|operatorname|overline|underline|text|vec"
    "|hat|bar|begin|binom"
)
_SYMBOLS: Final = (
    "times|cdot|leq|geq|neq|infty|alpha|beta|gamma|delta|theta|lambda|sigma|omega|rightarrow"
    "|leftarrow|subseteq|cup|cap|mathbb|frac|sqrt|langle|rangle|ldots|cdots|circ|pi|int|sum"
)
_LOST: Final = re.compile(
    rf"(?<![\\A-Za-z])(?:{_COMMANDS})\{{"
    # A JSON or Python escape that ate the backslash and the first letter of a command.
    r"|\x0crac|\x08(?:eta|egin|ar\b|inom)|\t(?:imes|heta|frac|extbf|an\b(?=[\s(]))|\r(?:ight|ho\b)"
    r"|\x07lpha|\x0b(?:ec|arphi)"
)
_MATH: Final = re.compile(r"\$(?=\S)[^$\n]{1,200}(?<=\S)\$(?!\d)")
_BARE: Final = re.compile(rf"(?<![\\A-Za-z])(?:{_SYMBOLS})(?![A-Za-z])")

_MOJIBAKE: Final = re.compile(
    "\ufffd|[\x80-\x9f]|[\x00-\x06\x0e-\x1f\x7f]"
    # UTF-8 read as Latin-1 or Windows-1252.
    "|Ã[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œ¡-¿]|â€[œ\x9d™˜“”¦\x93\x94\x9c\x99]?|Â[\xa0-\xbf]|Î[±-¿]|â(?:ˆ|‰|†)"
    "|ï»¿|ðŸ"
    # A quote or dash that became a question mark inside a word.
    r"|(?<=[a-z])\?(?=(?:s|t|re|ll|ve|d|m)\b)|[\ue000-\uf8ff]"
)
_TAG: Final = re.compile(
    # A lone <p> may be a group's generator; a closing tag can be nothing else.
    r"</(?:p|b|i|u|a|h[1-6])>|</?(?:br|div|span|em|strong|sub|sup|img|table|tr|td|th|ul|ol|li"
    r"|font|hr|center|blockquote)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITY: Final = re.compile(
    r"(?<!&)#\d{2,4};|&(?:amp|lt|gt|nbsp|quot|apos|rsquo|lsquo|ndash|mdash|#\d+|#x[\da-f]+);", re.I
)


def texts(item: Item, *, options: bool = True) -> str:
    """All texts of an item, one a line; with its options or without."""
    more = item.options if options else ()
    return "\n".join(filter(None, (item.context, item.question, item.text_b, *more)))


def _shows(*patterns: re.Pattern[str]) -> Callable[[Item], str | None]:
    """A rule's `each`: the first place that one of the patterns finds."""

    def each(item: Item) -> str | None:
        whole = texts(item)
        found = next(filter(None, (pattern.search(whole) for pattern in patterns)), None)
        return None if found is None else around(whole, found)

    return each


def around(whole: str, found: re.Match[str]) -> str:
    """What a pattern found and the text beside it, with odd characters spelled out."""
    return repr(whole[max(0, found.start() - 25) : found.end() + 25])


def lost_backslashes(item: Item) -> str | None:
    """A LaTeX command without its backslash."""
    whole = texts(item)
    if found := _LOST.search(whole):
        return around(whole, found)
    for math in _MATH.finditer(whole) if "$" in whole else ():
        if found := _BARE.search(math[0]):
            return repr(clipped(math[0]))
    return None


broken_encoding = _shows(_MOJIBAKE)
html = _shows(_TAG, _ENTITY)
