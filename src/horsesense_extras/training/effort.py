"""What the trainings of an experiment took, and in what the arms were not alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

ALIKE: Final = 0.05
"""Share of the greatest value by which arms may differ before that is said."""


class Effort(NamedTuple):
    """What one training takes.

    Attributes:
        statements: how many are learned.
        items: how many items they are about.
        updates: of the weights.
        tokens: prompts and replies together, each as often as it is read.
        reply_tokens: those of them that the loss is of.
    """

    statements: int
    items: int
    updates: int
    tokens: int
    reply_tokens: int


_WORDS: Final = {
    "statements": "statements",
    "items": "items seen",
    "updates": "updates",
    "tokens": "tokens",
    "reply_tokens": "tokens of replies",
}


def unequal(efforts: Mapping[str, Sequence[Effort]], budget: int | None = None) -> Iterator[str]:
    """In what arms differ by more than `ALIKE`, and which trainings left that much of the budget.

    Args:
        efforts: arm -> what each of its trainings took.
        budget: tokens that each might take; None where they were not counted out.

    Yields:
        Sentences; none where all are alike.

    >>> list(unequal({"a": [Effort(9, 9, 3, 90, 9)], "b": [Effort(9, 9, 3, 90, 6)]}))
    ['The arms are not alike in tokens of replies (a 9, b 6).']
    """
    told = []
    for field, words in _WORDS.items():
        means = {
            arm: sum(getattr(e, field) for e in each) / len(each) for arm, each in efforts.items()
        }
        if min(means.values()) < (1 - ALIKE) * max(means.values()):
            listed = ", ".join(f"{arm} {round(mean):,}" for arm, mean in means.items())
            told.append(f"{words} ({listed})")
    if told:
        yield f"The arms are not alike in {'; '.join(told)}."
    if budget is not None:
        short = [
            f"{arm} {e.tokens:,}"
            for arm, each in efforts.items()
            for e in each
            if e.tokens < (1 - ALIKE) * budget
        ]
        if short:
            yield (
                f"Of {budget:,} tokens, some trainings took fewer, since no further statement"
                f" fits: {', '.join(short)}."
            )
