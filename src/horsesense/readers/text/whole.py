"""Replies that are plain as a whole: an answer and no more, or reasoning that ends on one."""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache
from typing import Final

from horsesense.expressions import expression
from horsesense.readers.reading import Reading
from horsesense.readers.text import words
from horsesense.readers.text.options import Shown, names_of, said_by, style_of
from horsesense.readers.text.page import small
from horsesense.readers.text.patterns import alone

LONGEST_EXACT: Final = 400
LONGEST_PLAIN: Final = 4_000
LONG: Final = 200
"""Characters of a reply up to which several statements are less surely several answers."""
EXACT, STATED, LESS = 0.99, 0.985, 0.95
"""Confidence in a whole reply that is an answer, in a plain statement, in what corrects another."""
_AROUND: Final = "*`\"' \n."
"""What may stand around an option's text."""
_TAIL: Final = 60
"""Characters at the end of a reply that hold its last sentence."""
_REJECTED: Final = 80
"""Characters before the answer up to which a reply may be no more than an option, rejected."""
_NEAR: Final = 40
"""Characters before the answer in which it may be called the closest."""
_LAST: Final = expression(
    r"[.!?\n]\s{0,4}(?:(?:So|Thus|Therefore|Hence),? )?"
    r"(?:[Tt]he (?=correct |answer is)|(?=A(?:nswer|NSWER): ))(?P<said>(?:correct )?"
    r"(?:answer is:?|A(?:nswer|NSWER):) \(?(?P<label>[A-Z]))\)?\.?\s{0,9}\Z"
)
_CANNOT: Final = expression(
    r"\b(?:i|we)(?: am|'m| are|'re)? (?:can ?not|can't|could not|couldn't|unable to|not able to)"
    r"(?: \w{1,12}ly)? (?:answer|solve|(?:provide|give|offer|determine|calculate)\b[^.!?\n]{1,60}?"
    r"\b(?:answers?|option|choice|solution))\b[^.!?\n]{0,160}[.!?\s\"')*]{0,9}"
    r"(?:(?:to (?:answer|solve|get)|(?:i|we) (?:would )?need|more|further|additional|please)\b"
    r"[^\n]{0,400})?\Z"
)
"""A last sentence that declines to answer, in small letters, also before what it would need."""
_CAN: Final = ("cannot", "can't", "can not", "could", "able to")
"""One of these is in each."""
_DECLINED: Final = 600
"""Characters at the end of a reply in which it may decline."""
_OTHER: Final = (*words.ANSWERS, "boxed", "##", "~~", "<", "[", "◁", "{")
"""One of these is in every other statement, and in what may take a statement back."""


def exact(response: str, options: tuple[str, ...], labels: tuple[str, ...]) -> Reading | None:
    """A reply that is a label, an option's text, or a label with its own text.

    Most short replies are: nothing else is prepared for them.
    """
    whole, span = response.strip(), (0, len(response))
    said = whole.strip("*`\"' \n").removesuffix(".")
    for text in (whole, said):
        if text in options:
            return _exact_text(text, options, labels, span)
    meant = said_by(said, options)
    if meant is not None:
        return Reading("answer", (meant,), "says_so", span, LESS)
    if not labels or len(response) > LONGEST_EXACT:
        return None
    position = _label(response, labels)
    if position is not None:
        return Reading("answer", (position,), "label_alone", span, EXACT)
    lead, names = alone(labels).lead.match(said), names_of(labels)
    if lead is None or lead["label"] not in names:
        return None
    position = names[lead["label"]]
    own, text = options[position].strip(_AROUND), said[lead.end() :].strip(_AROUND)
    if own and own == text:
        return Reading("answer", (position,), "label_and_text", span, EXACT)
    if text and text in [option.strip(_AROUND) for option in options]:
        return Reading("ambiguous", (), "other_text", span, LESS)
    return None


@lru_cache(maxsize=1 << 10)
def _label(response: str, labels: tuple[str, ...]) -> int | None:
    """The position of a reply that is a label and no more: the replies of most audits are few."""
    one = alone(labels).whole.fullmatch(response)
    return names_of(labels).get(one["label"]) if one else None


def _exact_text(
    text: str, options: tuple[str, ...], labels: tuple[str, ...], span: tuple[int, int]
) -> Reading:
    position, label = options.index(text), names_of(labels).get(text)
    if options.count(text) > 1:
        return Reading("ambiguous", (), "same_texts", span, EXACT)
    if label is None or label == position:
        return Reading("answer", (position,), "text_exact", span, EXACT)
    if style_of(labels) == "digit":
        return Reading("ambiguous", (), "label_or_text", span, EXACT)
    return Reading("answer", (label,), "label_alone", span, 0.85)


def ends_plainly(response: str, see: Shown) -> Reading | None:
    """The answer of a reply that states one, in its last sentence; None where more is to be seen.

    Most long replies are such: nothing else is looked for in them.
    """
    if len(response) > LONGEST_PLAIN or see.style != "upper":
        return None
    low = small(response)
    following = words.NEXT_QUESTION.search(low, 1)
    text = response[: following.start()] if following else response
    m = _LAST.search(text, max(0, len(text) - _TAIL))
    position = see.labels.get(m["label"], -1) if m else -1
    if m is None or position < 0:
        return None
    before = low[: m.start("said")]
    if (
        any(map(before.__contains__, _OTHER))
        or (len(before) < _REJECTED and any(map(before.__contains__, words.REJECTS)))
        or any(map(before[-_NEAR:].__contains__, words.CLOSEST))
        or begins_with_other(text, {position}, see)
    ):
        return None
    return Reading("answer", (position,), "answer_is", m.span("said"), STATED)


def declines(text: str) -> tuple[int, int] | None:
    """Where a reply ends by saying that it cannot answer, and not that no option is right."""
    low, start = small(text[-_DECLINED:]), max(0, len(text) - _DECLINED)
    match = _CANNOT.search(low) if any(map(low.__contains__, _CAN)) else None
    if match is None or words.NO_OPTION.search(text):
        return None
    return start + match.start(), start + match.end()


def begins_with_other(text: str, stated: Set[int], see: Shown) -> bool:
    """Whether the first line is an option that no statement names: these may belong to a further
    question."""
    line, *below = text.split("\n", 1)
    first = exact(line, see.options, tuple(see.labels)) if below else None
    return first is not None and not stated >= set(first.positions)
