"""The texts of a trial's options as replies that a model may score.

A plain prompt ends in "Answer:", and a reply to it begins with a space; a chat reply does not.
Prompts write the replies so, and readers find an option's score by the same rule.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from horsesense.trials.trial import Trial, none_phrase

LEADS: Final = ("", " ")
"""What may stand before an option's text: nothing in a chat, a space after plain text."""


def has_option_texts(trial: Trial) -> bool:
    """Whether the right reply to a trial could be the text of one of its options."""
    return trial.answer_format in ("letter", "label") and none_phrase(trial) is None


def as_replies(options: Sequence[str], lead: str) -> tuple[str, ...]:
    """The options' texts as replies; two options with one text give one reply each."""
    return tuple(f"{lead}{option}" for option in options)


def scored_replies(options: Sequence[str], scored: Container[str]) -> tuple[str, ...] | None:
    """The replies, one per option, under which all options were scored; None where they were not.

    >>> scored_replies(["red", "blue"], {" red": -1.0, " blue": -2.0})
    (' red', ' blue')
    """
    for replies in (as_replies(options, lead) for lead in LEADS):
        if all(reply in scored for reply in replies):
            return replies
    return None
