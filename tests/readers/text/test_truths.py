"""Options that judge several statements at once, or give their order."""

from __future__ import annotations

import pytest

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

READER = TextReader()
PAIRS = ("True, True", "True, False", "False, True", "False, False")
MORALS = ("Wrong, Wrong", "Not wrong, Wrong", "Wrong, Not wrong", "Not wrong, Not wrong")
REASONS = (
    "Both true, and the reason explains the assertion",
    "Both true, but the reason does not explain the assertion",
    "Assertion true, reason false",
    "Assertion false, reason true",
)
ORDERS = ("2-3-1", "3-2-1", "1-3-2", "3-1-2")


def read(reply: str, options: tuple[str, ...]) -> Reading:
    return READER.read(reply, options, ("A", "B", "C", "D"))


@pytest.mark.parametrize(
    ("reply", "position"),
    [
        (
            "Statement 1 is true: bats are mammals.\n\nStatement 2 is false, as whales have lungs.",
            1,
        ),
        ("1. False. Owls are birds.\n2. True.", 2),
        ("The first one is correct, because ice floats. The second one isn't.", 1),
        ("Both statements are true.", 0),
        ("Neither statement holds.", 3),
        ("Only the second is true.", 2),
        ("1 → F (owls are birds)\n2 → T\n\nSo: F, T", 2),
    ],
)
def test_what_is_said_of_each_statement_chooses_the_option_that_says_the_same(
    reply: str, position: int
) -> None:
    reading = read(reply, PAIRS)
    assert (reading.positions, reading.rule) == ((position,), "truths")


@pytest.mark.parametrize(
    ("reply", "position"),
    [
        ("Scenario 1: She helps a neighbour, which is not wrong.\nScenario 2: Theft is wrong.", 1),
        ("Both are kind acts. Neither one is morally wrong.", 3),
        ("Only the first is wrong.", 2),
        ("Each of them is clearly wrong.", 0),
    ],
)
def test_morals_of_two_scenarios(reply: str, position: int) -> None:
    assert read(reply, MORALS).positions == (position,)


@pytest.mark.parametrize(
    ("reply", "position"),
    [
        ("Assertion: true. Reason: true. And the reason is the correct explanation of it.", 0),
        ("Both are true. The reason does not explain the assertion, though.", 1),
        ("The assertion is true. The reason is false: whales breathe air.", 2),
    ],
)
def test_assertion_and_reason(reply: str, position: int) -> None:
    assert read(reply, REASONS).positions == (position,)


@pytest.mark.parametrize(
    "reply",
    [
        "My friend says statement 1 is true. Statement 2 is false.",
        "It is not the case that statement 1 is true. Statement 2 is false.",
        "Statement 1 is true only for birds; statement 2 is false.",
        "Statement 1 is true. Statement 2 is false. Hmm, statement 2 is true.",
        "If both are true, the first option fits.",
        "I doubt that both are true.",
        "The opposite of statement 1 is true. Statement 2 is false.",
        "Statement 1 is true.",
    ],
)
def test_what_is_doubted_or_somebody_elses_judges_nothing(reply: str) -> None:
    assert read(reply, PAIRS).rule != "truths"


@pytest.mark.parametrize(
    ("reply", "position"),
    [
        ("Start with the siege.\n\nOrder: 3 → 1 → 2", 3),
        ("First the siege (3), then the fire (1) and last the treaty (2).", 3),
        ("1 (fire) – 3 (siege) – 2 (treaty)", 2),
    ],
)
def test_an_order_with_other_signs_is_the_option_of_that_order(reply: str, position: int) -> None:
    reading = read(reply, ORDERS)
    assert (reading.positions, reading.rule) == ((position,), "orders")


@pytest.mark.parametrize(
    "reply",
    ["It is not 3 > 1 > 2.", "My friend says 3 → 2 → 1.", "The events are 1, 3, 2 in the list."],
)
def test_an_order_that_is_denied_or_only_listed_is_none(reply: str) -> None:
    assert read(reply, ORDERS).rule != "orders"
