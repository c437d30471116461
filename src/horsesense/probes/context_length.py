"""A shorter context: how much of it does the answer need? (Know-No's EquInfer varies it)"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.probes.base import NotApplicableError, Probe, Setting, check_choice, show
from horsesense.trials.condition import Condition
from horsesense.trials.trial import Trial

_END = re.compile(r"[.!?。！？]+[\"'”’)\]]*(?:\s+|(?<=[。！？]))")
_ABBREVIATED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|e\.g|i\.e|vs|[A-Z])\.\s+$")


def sentences(text: str) -> list[str]:
    """The sentences of a text, with the space behind them; joined they are the text.

    >>> sentences("Mr. A. Fox left at 3.5 h. Why? ")
    ['Mr. A. Fox left at 3.5 h. ', 'Why? ']
    """
    found: list[str] = []
    start = 0
    for end in (m.end() for m in _END.finditer(text)):
        if not _ABBREVIATED.search(text, start, end):
            found.append(text[start:end])
            start = end
    return [*found, text[start:]] if text[start:] else found


def cut(text: str, words: int, keep: str) -> str | None:
    """The first (or last) whole sentences with at most `words` words; None if not even one."""
    parts = sentences(text)
    parts = parts[::-1] if keep == "end" else parts
    taken: list[str] = []
    count = 0
    for part in parts:
        count += len(part.split())
        if count > words:
            break
        taken.append(part)
    return "".join(taken[::-1] if keep == "end" else taken).strip() or None


@dataclass(frozen=True)
class ContextLength(Probe):
    """At most `words` words of the context are shown, from its start or its end (`keep`)."""

    words: int = 100
    keep: str = "start"

    name = "context_length"
    title = "Shorter context"
    summary = "The context is cut, at the end of a sentence."
    expectation = "Falls where what is needed was cut off; what stays right did not need it."
    invariant = "baseline"

    def __post_init__(self) -> None:
        check_choice(self.name, "keep", self.keep, ("start", "end"))
        if self.words < 1:
            raise UsageError(f"probe {self.name}: words must be 1 or more.")

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        if not item.context:
            raise NotApplicableError("the item has no context")
        if len(item.context.split()) <= self.words:
            raise NotApplicableError(f"its context has no more than {self.words} words")
        context = cut(item.context, self.words, self.keep)
        if context is None:
            raise NotApplicableError(
                f"one sentence of its context is longer than {self.words} words"
            )
        variant = show(replace(item, context=context), setting.items.kind)
        yield self.trial(variant, Condition(words=self.words, keep=self.keep))
