"""What scoring by option text chooses, against scoring by letter."""

from __future__ import annotations

from horsesense.measures.base import Rows
from horsesense.measures.cells import Cell
from horsesense.measures.joined import FIRST_TOKEN, AgainstReader
from horsesense.measures.validity import MismatchValid
from horsesense.readers.logprobs.option_text import NAME


class LetterDifference(AgainstReader):
    """The other cell holds the same trials by their letters, as the first token says.

    The difference of the two accuracies is `score_gain`.
    """

    name = "letter_difference"
    title = "Option text against letter"
    summary = (
        "Share of trials in which the likeliest option text and the likeliest letter are of "
        "different options, over the trials in which both choose one."
    )
    other_reader = FIRST_TOKEN
    answer_format = frozenset(("letter",))

    def fits(self, cell: Cell) -> bool:
        return cell.reader.partition("(")[0] == NAME and super().fits(cell)

    def rows(self, cell: Cell) -> Rows:
        return MismatchValid().rows(cell)
