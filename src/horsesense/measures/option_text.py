"""What scoring by option text chooses, against scoring by letter."""

from __future__ import annotations

from horsesense.measures.base import Measure, Rows
from horsesense.measures.cells import Cell
from horsesense.measures.validity import MismatchValid
from horsesense.readers.logprobs.option_text import NAME


class LetterDifference(Measure):
    """The second cell holds the same trials by their letters, as the first token says.

    The difference of the two accuracies is `score_gain`.
    """

    name = "letter_difference"
    title = "Option text against letter"
    summary = (
        "Share of trials in which the likeliest option text and the likeliest letter are of "
        "different options, over the trials in which both choose one."
    )
    compares = "first_token"
    answer_format = frozenset(("letter",))
    proportion = True

    def is_about(self, reader: str) -> bool:
        return reader.partition("(")[0] == NAME

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        return MismatchValid().rows(cell, other)
