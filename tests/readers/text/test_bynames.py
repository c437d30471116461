"""Options named by initials, a surname, another ending, a slip, or a value in another form."""

from __future__ import annotations

import pytest

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

READER = TextReader()
DISEASES = ("Multiple sclerosis", "Chronic kidney disease", "Atrial septal defect", "Gout")
WRITERS = ("Jane Austen", "Emily Dickinson", "Charles Dickens", "Walter Scott")
CELLS = ("Ribosome", "Nucleus", "Mitochondrion", "Lysosome")
TIMES = ("1 h 40 min", "2 h 10 min", "2 h 40 min", "3 h")
AREAS = ("24 cm²", "35 cm²", "70 cm²", "12 cm²")


def read(reply: str, options: tuple[str, ...], question: str = "") -> Reading:
    return READER.read(reply, options, ("A", "B", "C", "D"), question=question)


@pytest.mark.parametrize(
    ("reply", "options", "question", "position"),
    [
        ("The answer is CKD.", DISEASES, "", 1),
        ("It was Dickens.", WRITERS, "Who wrote Bleak House?", 2),
        ("The answer is the mitochondria.", CELLS, "Where is ATP made?", 2),
        ("lysosme", CELLS, "", 3),
        ("The film lasts 2 hours and 40 minutes.", TIMES, "How long does the film last?", 2),
        (
            "So the area of the rectangle is 35 square centimetres. Just ask if you need more.",
            AREAS,
            "What is the area of the rectangle?",
            1,
        ),
    ],
)
def test_a_byname_is_read_as_the_text(
    reply: str, options: tuple[str, ...], question: str, position: int
) -> None:
    reading = read(reply, options, question)
    assert reading.positions == (position,)
    assert reading.confidence == pytest.approx(0.86)


@pytest.mark.parametrize(
    ("reply", "options"),
    [
        ("It isn't CKD.", DISEASES),
        ("CKD or ASD.", DISEASES),
        ("It was Henry Dickens.", WRITERS),
        ("It was Scott's wife.", WRITERS),
        ("Twice the area would be 70 square centimetres.", AREAS),
        ("Half of it is 12 square centimetres.", AREAS),
    ],
)
def test_a_byname_that_is_not_chosen_or_another_one_is_not_read_surely(
    reply: str, options: tuple[str, ...]
) -> None:
    reading = read(reply, options)
    assert not (reading.status == "answer" and reading.confidence >= 0.9)


def test_the_span_is_the_byname_itself() -> None:
    reply = "The answer is CKD."
    span = read(reply, DISEASES).span
    assert span is not None
    assert reply[slice(*span)] == "CKD"


def test_initials_of_two_options_name_none() -> None:
    options = ("Central bank rate", "Consumer buying rate", "Tax", "Wage")
    assert read("The answer is CBR.", options).positions == ()
