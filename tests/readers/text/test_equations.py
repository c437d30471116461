"""Equations that say something of another quantity than the one asked for."""

from __future__ import annotations

import pytest

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

LABELS = ["A", "B", "C", "D"]
SOLVE = ("Solve 4n = 28 for n.", ["7", "14", "28", "56"])
AROUND = (
    "A square field has sides of 6 m. How long is its perimeter, in m?",
    ["6", "12", "24", "36"],
)


def read(reply: str, asked: tuple[str, list[str]]) -> Reading:
    return TextReader().read(reply, asked[1], LABELS, question=asked[0])


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ("We get 2n = 14.", SOLVE),
        ("So 8n = 56", SOLVE),
        ("4 * 7 = 28.", SOLVE),
        ("Therefore m = 14.", SOLVE),
        ("First compute n + 7 = 14", SOLVE),
        ("area = 6 * 6 = 36", AROUND),
        ("So 2 sides = 12.", AROUND),
        ("Then side = 6.", AROUND),
    ],
)
def test_another_quantity_is_no_answer(reply: str, asked: tuple[str, list[str]]) -> None:
    found = read(reply, asked)
    assert found.status != "answer" or found.confidence < 0.8


@pytest.mark.parametrize(
    ("reply", "asked", "position"),
    [
        ("n = 7", SOLVE, 0),
        ("4n = 28, so n = 28/4 = 7.", SOLVE, 0),
        ("perimeter = 4 * 6 = 24", AROUND, 2),
        ("4 * 6 = 24", AROUND, 2),
        ("P = 4 * 6 = 24", AROUND, 2),
        ("He walks 4 × 6 m = 24 m.", AROUND, 2),
    ],
)
def test_the_quantity_that_is_asked_for_is(
    reply: str, asked: tuple[str, list[str]], position: int
) -> None:
    found = read(reply, asked)
    assert (found.status, found.positions) == ("answer", (position,))
