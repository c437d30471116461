"""Choices stated in ordinary words, with other options named behind them."""

from __future__ import annotations

import pytest

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

READER = TextReader()
CITIES = ("Ottawa", "Toronto", "Montreal", "Calgary")
FEELINGS = ("Positive", "Negative", "Neutral")
CAPITAL = "What is the capital of Canada?"
SORT = "Label the sentiment of the review."


def read(reply: str, options: tuple[str, ...], question: str) -> Reading:
    return READER.read(reply, options, tuple("ABCD")[: len(options)], question=question)


@pytest.mark.parametrize(
    ("reply", "options", "question", "position"),
    [
        ("The answer is Ottawa. Toronto and Montreal have more inhabitants.", CITIES, CAPITAL, 0),
        ("I'd choose Ottawa.\n\nToronto has more inhabitants.", CITIES, CAPITAL, 0),
        ("I'd label it as Neutral; nothing is praised.", FEELINGS, SORT, 2),
        ("Hard to say. If I had to pick one, I'd say Negative.", FEELINGS, SORT, 1),
        ("Rating: B\n\nThe food was cold.", FEELINGS, SORT, 1),
        ("The waiter is praised once.\nAssessment: Negative. The rest is a complaint.",
         FEELINGS, SORT, 1),
        ("There is parliament, and the prime minister lives there too: A.", CITIES, CAPITAL, 0),
        ("It's the last one on your list.", CITIES, "Where was the Stampede held?", 3),
        ("The final option is the correct one.", CITIES, "Where was the Stampede held?", 3),
        ("That is the second of the four.", CITIES, "Where is the tower?", 1),
    ],
)  # fmt: skip
def test_what_is_plainly_stated_is_read(
    reply: str, options: tuple[str, ...], question: str, position: int
) -> None:
    assert read(reply, options, question).positions == (position,)


@pytest.mark.parametrize(
    ("reply", "options", "question"),
    [
        ("The answer is Toronto. The capital, however, is Ottawa.", CITIES, CAPITAL),
        ("The answer is Toronto. Make that Ottawa.", CITIES, CAPITAL),
        ("The answer is Toronto. Looking it up: Ottawa.", CITIES, CAPITAL),
        (
            "If asked for the largest, the answer is Toronto. The capital is Ottawa.",
            CITIES,
            CAPITAL,
        ),
        ("I'd label it as Positive in the old scheme, Negative in the new one.", FEELINGS, SORT),
        ("My sister said: if I had to pick, Toronto.", CITIES, CAPITAL),
        ("If I had to answer for my friend, it'd be Toronto.", CITIES, CAPITAL),
        ("Impression: Positive. On a closer look it is Negative.", FEELINGS, SORT),
        ("Most people go for: B", CITIES, CAPITAL),
        ("1. B\n2. A", CITIES, CAPITAL),
        ("If it were the largest, it would be Toronto.", CITIES, CAPITAL),
    ],
)
def test_what_another_sentence_undoes_is_not_read_as_the_first(
    reply: str, options: tuple[str, ...], question: str
) -> None:
    reading = read(reply, options, question)
    assert reading.positions != (0 if options is FEELINGS else 1,) or reading.confidence < 0.9
