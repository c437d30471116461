"""What a response says, as one reader understood it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

Status = Literal[
    "answer",
    "none",
    "refusal",
    "unknown",
    "ambiguous",
    "illegal",
    "truncated",
    "empty",
    "unclear",
]
"""The status of a reading:

answer     positions were chosen
none       says that no option is right, or that the right one is missing
refusal    declines to answer, says that it cannot be determined, or asks for what is missing
unknown    says that it does not know
ambiguous  chooses several where one was asked for, or contradicts itself
illegal    names something that is not among the options
truncated  stops before an answer
empty      nothing but white space
unclear    chooses something or nothing, but the reader cannot say which with enough confidence
"""

IN_OTHER_WORDS: Final = "in_other_words"
"""The rule of a reply that says "none" neither in the words that the prompt offers nor by their
label: Know-No's hints count the offered words alone."""

STATUSES: tuple[Status, ...] = get_args(Status)

ResponseClass = Literal[
    "incorrect_option",
    "none_declared",
    "new_correct",
    "new_wrong",
    "none+new_correct",
    "needs_review",
]
"""The five response classes of Know-No's figure 4, and what no rule decides."""

CLASSES: Final[tuple[ResponseClass, ...]] = get_args(ResponseClass)
RIGHT: Final = frozenset(("none_declared", "new_correct", "none+new_correct"))
"""The classes that count as right."""


@dataclass(slots=True, unsafe_hash=True)  # made by the thousand (see `horsesense.values`)
class Reading:
    """One reader's understanding of one response.

    Attributes:
        status: see `Status`.
        positions: chosen positions as shown, from 0, in order of mention; empty unless status is
            "answer".
        rule: name of the rule that decided.
        span: start and end of the deciding text in the response; None where there is no text.
        confidence: 0 to 1.
        score: the deciding number of a scoring reader (label mass); None otherwise.
        excess: of a reply to several problems, carried by the first of its readings: answers
            beyond the number of problems (below 0: too few), or numbers that no problem has.
    """

    status: Status
    positions: tuple[int, ...] = ()
    rule: str = ""
    span: tuple[int, int] | None = None
    confidence: float = 1.0
    score: float | None = None
    excess: int = 0
