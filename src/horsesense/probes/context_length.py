"""A shorter context: how much of it does the answer need? (Know-No's EquInfer varies it)"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from horsesense.errors import UsageError
from horsesense.expressions import expression
from horsesense.items.item import Item
from horsesense.probes.base import NotApplicableError, Probe, Setting, check_choice, show
from horsesense.trials.condition import Condition
from horsesense.trials.trial import Trial

GAP: Final = "[MISSING EQUATION]"
"""What marks in a context the place of what was taken out of it."""
KEEPS: Final = ("start", "end", "gap")

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
    "\U00020000-\U0003ffff"
)
"""Scripts without spaces between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese)."""
_SIGN = expression(f"[{_UNSPACED}]")
# Thai and Lao have no sign for the end of a sentence: a space is.
_CLOSING: Final = r"[\"'”’」』》）】〉)\]]"
_FULL: Final = "[\u3002\uff01\uff1f]"
"""Ends of sentences after which no space is written."""
# A closing mark is part of what it closes, and a full-width end needs no space behind it: an
# English one inside "3.5" would be no end.
_END = expression(
    rf"[.!?\u0964\u061f\u06d4\u1362\u104b\u17d4]+{_CLOSING}*\s+|{_FULL}+{_CLOSING}*\s*"
    r"|(?<=[\u0e00-\u0eff])\s+|\n\s*\n\s*"
)
_ABBREVIATED = expression(
    r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|e\.g|i\.e|vs|cf|al|ca|approx|resp|Figs?|figs?|Eqs?|eqs?|Eqns?|Refs?"
    r"|Secs?|Sect|Chap|Ch|Tab|Thm|Lem|Prop|Cor|Defs?|Vol|pp|Jan|Feb|Mar|Apr|Jun|Jul|Aug"
    r"|Sept?|Oct|Nov|Dec|[A-Z])\.\s+$"
)
"""What ends in a point and no sentence. "No." is none: it is an answer too."""


def sentences(text: str) -> list[str]:
    """The sentences of a text, with the space behind them; joined they are the text.

    >>> sentences("Mr. A. Fox left at 3.5 h. Why? ")
    ['Mr. A. Fox left at 3.5 h. ', 'Why? ']
    >>> sentences("他说：“我喜欢。”然后走了。")
    ['他说：“我喜欢。”', '然后走了。']
    """
    found: list[str] = []
    start = 0
    for end in (m.end() for m in _END.finditer(text)):
        if not _ABBREVIATED.search(text, start, end):
            found.append(text[start:end])
            start = end
    return [*found, text[start:]] if text[start:] else found


def words(text: str) -> int:
    """The number of words; in scripts without spaces between them every letter counts as one.

    >>> words("Two words"), words("猫が好き。")
    (2, 4)
    """
    apart = _SIGN.sub(lambda sign: " x " if sign[0].isalpha() else " ", text)
    return len(apart.split())


def cut(text: str, least: int, keep: str) -> str:
    """The first (or last) `least` words and what is left of their last (or first) sentence."""
    parts = sentences(text)
    parts = parts[::-1] if keep == "end" else parts
    taken: list[str] = []
    count = 0
    for part in parts:
        if count >= least:
            break
        taken.append(part)
        count += words(part)
    return "".join(taken[::-1] if keep == "end" else taken).strip()


def around(text: str, least: int) -> str:
    """The gap with `least` words on each side of it, and what is left of the sentences that they
    break off in; the words on both sides of the gap are of one sentence, and stay.

    >>> around(f"One. Two three. Four {GAP} five. Six.", 3)
    'Two three. Four [MISSING EQUATION] five. Six.'
    """
    before, gap, after = text.partition(GAP)
    sign = "\n\n" if "\n\n" in text else " "
    sides = cut(before, least, "end"), gap, cut(after, least, "start")
    return sign.join(part for part in sides if part)


@dataclass(frozen=True)
class ContextLength(Probe):
    """`words` words of the context are shown, from its start or its end (`keep`), or on each side
    of the gap (`keep=gap`, for EquInfer), and what is left of the sentence that they break off in;
    with 0 words there is no context. In scripts without spaces between words every letter counts
    as one."""

    words: int = 100
    keep: str = "start"

    name = "context_length"
    title = "Shorter context"
    summary = "The context is cut, at the end of a sentence."
    expectation = "Falls where what is needed was cut off; what stays right did not need it."
    invariant = "baseline"

    def __post_init__(self) -> None:
        check_choice(self.name, "keep", self.keep, KEEPS)
        if self.words < 0:
            raise UsageError(f"probe {self.name}: words must be 0 or more.")

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        if not item.context:
            raise NotApplicableError("the item has no context")
        variant = show(replace(item, context=self._cut(item.context)), setting.items.kind)
        yield self.trial(variant, Condition(words=self.words, keep=self.keep))

    def _cut(self, context: str) -> str | None:
        """What is left of a context; None for nothing, where nothing is wanted."""
        gap = self.keep == "gap"
        if gap and GAP not in context:
            raise NotApplicableError(f"its context has no {GAP}")
        if max(map(words, context.split(GAP, 1) if gap else [context])) <= self.words:
            where = " on either side of the gap" if gap else ""
            raise NotApplicableError(f"its context has no more than {self.words} words{where}")
        if self.words == 0:
            return None
        left = around(context, self.words) if gap else cut(context, self.words, self.keep)
        if left == context.strip():
            raise NotApplicableError(f"no sentence of its context ends after {self.words} words")
        return left
