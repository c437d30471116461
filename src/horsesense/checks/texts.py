"""Damage of the text: what an export, a web page or a spreadsheet has done to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Final

from horsesense.checks.base import Hit, RuleHit
from horsesense.checks.shares import clipped, quoted
from horsesense.expressions import expression
from horsesense.items.item import Item, ItemSet

_COMMANDS: Final = (
    "d?frac|tfrac|sqrt|mathbb|mathrm|mathbf|mathcal|operatorname|overline|underline|text|vec|hat"
    "|bar|begin|binom"
)
_LOST_BACKSLASH: Final = expression(
    # A command without its backslash; what a JSON or Python escape left of one.
    rf"(?<![\\A-Za-z])(?:{_COMMANDS}|rac|inom|egin|ext|extbf|athrm|qrt)\{{"
    r"|\x0crac|\x08(?:eta|egin|ar\b|inom)|\t(?:imes|heta|frac|extbf)|\r(?:ight|ho\b)|\x07lpha"
    r"|(?<=[\d)}$] )imes(?= ?[\d({$])"
)
_MATH: Final = expression(r"\$(?=\S)[^$\n]{1,200}(?<=\S)\$(?!\d)")
_BARE: Final = expression(
    r"(?<![\\A-Za-z])(?:times|cdot|[lgn]eq|infty|alpha|beta|gamma|theta|lambda|sigma|rightarrow"
    r"|subseteq|cup|cap|frac|sqrt|heta|lpha|imes)(?![A-Za-z])"
)
_MOJIBAKE: Final = expression(
    "\ufffd|[\x80-\x9f]"
    # UTF-8 read as Latin-1 or Windows-1252.
    "|Ã[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œ¡-¿]|â€[œ\x9d™˜“”¦\x93\x94\x9c\x99]?|Â[\xa0-\xbf]"
    "|Î[±-¿]|â(?:ˆ|‰|†)|ï»¿|ðŸ|[\ue000-\uf8ff]"
    # Mac Roman read as Latin-1 or Windows-1252, and UTF-8 read as Mac Roman or Windows-1251.
    "|(?<=[a-z])[ÒÓÔÕÑÐ]|(?<=[a-z][.,!?])[ÓÕ]|(?<![^\\W_])Ò(?=[A-Za-z][^ÒÓ]{0,200}Ó)|ÛÏ|Ûª|Û÷|Ûò"
    "|‚Ä[úùôòìî¶]|(?<=[a-z])√[©®¢§∂º≠´†±]|¬[∞ß£©®±](?=[\\s\\d])|вЂ[™њќњ“”]"
)
_CONTROL: Final = expression(r"[\x00-\x06\x0e-\x1f\x7f]")
_LOST_SIGN: Final = expression(
    # A quote or dash that became a question mark inside a word.
    r"\?(?:(?<=[a-z]\?)(?=(?:s|t|re|ll|ve|d|m)\b|\?[a-z])"
    # French elisions: "c?est", "qu?il".
    r"|(?<=qu\?)(?<![\w/=&.]qu\?)(?=[aeiouyhàâéèêîô][a-z])"
    r"|(?<=[cdjlmnst]\?)(?<![\w/=&.].\?)(?=[aeiouyhàâéèêîô][a-z]))"
)
_TAG: Final = expression(
    # A lone <p> may be a group's generator; a closing tag can be nothing else.
    r"</(?:p|b|i|u|a|h[1-6])>|</?(?:br|div|span|em|strong|sub|sup|img|table|tr|td|th|ul|ol|li"
    r"|font|hr|center|blockquote)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITY: Final = expression(
    r"(?<![&\w])(?:quot|amp|nbsp|apos|mdash|ndash|rsquo|lsquo|hellip|[lg]t);(?!\w*\()"
    r"|(?<!&)#\d{2,4};|&(?:amp|lt|gt|nbsp|quot|apos|rsquo|lsquo|ndash|mdash|#\d+|#x[\da-f]+);",
    re.IGNORECASE,
)
_ESCAPE: Final = expression(
    # Followed by a quote it is quoted: a question about programs may show it so.
    r"\\newline|\\[nrt](?![A-Za-z\"'`])|\\n(?=[A-Z])|\\u[\da-fA-F]{4}|\\/|\\\\?[\"']"
    # A backslash where a line ended; a LaTeX command may follow a word as well.
    r"|(?<![\\A-Za-z$])[A-Za-z]{3,}[.,]?\\(?!(?:frac|sqrt|math|text|over|under|big|left|right|[lgn]eq"
    r"|[a-z]*arrow|cdot|times|in|cup|cap|sub|alpha|beta|gamma|theta|pi|int|sum|cfrac|sin|cos))"
    r"[A-Za-z][a-z]"
)
_ABOUT_CODE: Final = expression(
    r"\b(?:HTML5?|XML|CSS|markup|hyperlinks?|tags?|escapes?|backslash(?:es)?|(?<!\\)newlines?"
    r"|line ?feed|carriage return|regex|regular expressions?|printf?|string literals?|Python"
    r"|Java(?:Script)?|PHP|bash|shell|LaTeX|Unicode|file ?paths?|directory|snippet|code)\b"
    r"|\b[CF][+#]{1,2}|\w\(\)|==|\bdef \w+\(|\b[A-Za-z]:\\"
)
"""A question about code, markup or paths may show tags and escapes as they are."""
_WHOLE_TAG: Final = expression(r"\s*(?:</?[A-Za-z][\w-]*[^<>]*>|&\w+;|\\\w+)\s*")
_SPLIT: Final = expression(
    r"\w n[’']t\b|\w [’'](?:s|re|ll|ve|d|m)\b(?![’'])|-[lr][rcs]b-|(?<!`)``(?= ?\w)(?!`)"
)
_EMPTIED: Final = expression(r"(?<=\w )\((?:\] ?)?[,;]?\s?\)(?! ?[{;:])|\(\] ?[,;]|\(; ")
_MONTHS: Final = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_DATE: Final = expression(rf"\s*(?:\d{{1,2}}-(?:{_MONTHS})|(?:{_MONTHS})-\d{{1,2}})\s*")
_ASKS_DATE: Final = expression(r"\b(?:dates?|days?|months?|years?|when|holidays?)\b", re.I)
_UNFINISHED: Final = expression(r"\b(?:the|an|and|or|of|their|its|his)\s*$")
_WORD: Final = expression(r"[^\W\d_]+")

_LONGEST: Final = 40
"""Letters of the longest word that is looked at."""
_TOLD: Final = 4
"""Letters that a word must have left to be evidence."""
FEWEST_LOST: Final = 15
"""Different words that occur without a pair of letters from which it may count as lost."""
OFTEN: Final = 10
"""A word that occurs so many times as often as the one with two letters more is its own word."""
LOST: Final = 0.2
"""The share of the words with a pair that also occur without it from which it counts as lost.

In 20 published sets the share is at most .13 for every pair that is not lost, and .37 for one
that is ("rt" in MedMCQA)."""


def texts(item: Item, *, options: bool = True) -> str:
    """All texts of an item, one a line; with its options or without."""
    more = item.options if options else ()
    return "\n".join(filter(None, (item.context, item.question, item.text_b, *more)))


def _shows(
    pattern: re.Pattern[str], sign: str = "", *, unless_asked: bool = False
) -> Callable[[Item], str | None]:
    """A rule's `each`: the first place that the pattern finds, with the text beside it.

    `sign` stands in all that it finds and in few texts: to search the others would take a tenth of
    the time of an import. `unless_asked` leaves out items that are themselves about code, markup or
    paths.
    """

    def each(item: Item) -> str | None:
        whole = texts(item)
        found = pattern.search(whole) if sign in whole else None
        return None if not found or (unless_asked and _of_code(item)) else _around(whole, found)

    return each


def _around(whole: str, found: re.Match[str]) -> str:
    return repr(whole[max(0, found.start() - 25) : found.end() + 25])


def _of_code(item: Item) -> bool:
    """Whether an item asks about code, markup or paths, or offers them."""
    asked = item.question.rstrip()[-300:]
    about = asked.endswith(("?", ":", "_", "is", "a")) and _ABOUT_CODE.search(asked)
    return bool(about) or sum(map(bool, map(_WHOLE_TAG.fullmatch, item.options))) > 1


_lost_commands = _shows(_LOST_BACKSLASH)
_tags = _shows(_TAG, unless_asked=True)
_entities = _shows(_ENTITY, ";", unless_asked=True)
escapes = _shows(_ESCAPE, "\\", unless_asked=True)
split_words = _shows(_SPLIT)
emptied_brackets = _shows(_EMPTIED)


def html(item: Item) -> str | None:
    """Tags and entities."""
    return _tags(item) or _entities(item)


def lost_backslashes(item: Item) -> str | None:
    """A LaTeX command without its backslash."""
    whole = texts(item)
    maths = (math[0] for math in _MATH.finditer(whole)) if "$" in whole else ()
    bare = next((math for math in maths if _BARE.search(math)), None)
    odd = "{" in whole or "imes" in whole or not whole.replace("\n", " ").isprintable()
    return (_lost_commands(item) if odd else None) or (bare and repr(clipped(bare)))


def broken_encoding(item: Item) -> str | None:
    """Characters that a wrong encoding has made, or lost."""
    whole = texts(item)
    odd = None if whole.replace("\n", " ").isprintable() else _CONTROL.search(whole)
    found = odd or _LOST_SIGN.search(whole)
    if found is None and not whole.isascii():
        found = _MOJIBAKE.search(whole)
    return None if found is None else _around(whole, found)


def spreadsheet_dates(item: Item) -> str | None:
    """An option such as "3-Jan" where no date is asked for: it was 1/3 or 1-3."""
    dates = [at for at, option in enumerate(item.options) if _DATE.fullmatch(option)]
    return quoted(item, dates) if dates and not _ASKS_DATE.search(item.question) else None


def cut_off(item: Item) -> str | None:
    """A text that ends with a word that cannot end a sentence."""
    last = item.text_b or item.question
    return f"…{clipped(last[-60:])!r}" if _UNFINISHED.search(last) else None


def lost_letters(items: ItemSet) -> RuleHit:
    """Words that have lost two letters, where the whole set has lost them ("staed", "hea").

    No dictionary is needed: a pair of letters is taken for lost where many words of the set
    occur without it too, far more than words do for any other pair.
    """
    spoken = [Counter(_WORD.findall(texts(item).lower())) for item in items]
    known: Counter[str] = Counter()
    for words in spoken:
        known.update(words)
    torn = _without_a_pair({word for word in known if len(word) <= _LONGEST})
    # A word of its own is far more frequent: "was" is not what "warts" has become.
    whole = {rest: word for rest, word in torn.items() if known[rest] <= OFTEN * known[word]}
    hits = []
    for item, words in zip(items, spoken, strict=True):
        if found := [f"{word!r} for {whole[word]!r}" for word in words if word in whole]:
            hits.append(Hit(item.id, ", ".join(found[:4])))
    return RuleHit(len(items), tuple(hits))


def _without_a_pair(known: set[str]) -> dict[str, str]:
    """Word that has lost a pair of letters -> the word with it; of pairs that the set has lost."""
    held: Counter[str] = Counter()
    without: dict[str, dict[str, str]] = {}
    for word in known:
        # Near the end, pairs come and go by grammar (needed, uses): they are no evidence.
        for at in range(1, len(word) - 3):
            pair, rest = word[at : at + 2], word[:at] + word[at + 2 :]
            held[pair] += 1
            if len(rest) >= _TOLD and rest in known:
                without.setdefault(pair, {})[rest] = word
    found: dict[str, str] = {}
    for pair, words in without.items():
        if len(words) >= FEWEST_LOST and len(words) >= LOST * held[pair]:
            found |= _near_the_end(pair, known) | words
    return found


def _near_the_end(pair: str, known: set[str]) -> dict[str, str]:
    """The same for words that end in the pair, or in it and one letter."""
    ending = (word for word in known if len(word) > _TOLD and pair in word[-3:])
    torn = ((word[:-3] + word[-3:].replace(pair, "", 1), word) for word in ending)
    return {rest: word for rest, word in torn if rest in known}
