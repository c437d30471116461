"""Words that name an option and do not choose it; and conclusions that do."""

from __future__ import annotations

import pytest
from horsesense.readers.text.names.options import Options
from horsesense.readers.text.words.normalise import Folded

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

READER = TextReader()
RIVERS = ("Danube", "Volga", "Rhine", "Loire")
PLANETS = ("Mars", "Venus", "Neptune", "Saturn")
SURE = 0.9


def read(reply: str, options: tuple[str, ...] = RIVERS, **more: str) -> Reading:
    return READER.read(reply, options, tuple("ABCD")[: len(options)], **more)


def is_sure(reading: Reading) -> bool:
    return reading.status == "answer" and reading.confidence >= SURE


@pytest.mark.parametrize(
    "key",
    [
        *("wrong_answer", "wrongAnswer", "rejected", "rejected_answer", "excluded", "distractor"),
        *("eliminated", "not_the_answer", "incorrect_option", "answer_to_avoid", "worst_choice"),
    ],
)
def test_a_key_that_says_that_it_is_not_the_answer(key: str) -> None:
    assert read(f'{{"{key}": "C"}}').status != "answer"
    assert read(f"{{'{key}': 'C'}}").status != "answer"


def test_beside_such_a_key_the_answer_is_read() -> None:
    assert read('{"answer": "B", "wrong_answer": "C"}').positions == (1,)


@pytest.mark.parametrize(
    "reply",
    [
        "The answer to avoid is A.",
        "The option to avoid is A.",
        "The answer to rule out is A.",
        "The answer you should not pick is A.",
        "The one to eliminate is A.",
        "The first to go is A.",
        "Avoid A.",
    ],
)
def test_what_is_to_be_avoided_is_no_choice(reply: str) -> None:
    assert not is_sure(read(reply))


@pytest.mark.parametrize(
    "reply",
    [
        "I would choose A if the question asked about the sea.",
        "I would choose A unless the canal counts.",
        "I'd choose A only if it were in Russia.",
        "The answer is A unless tributaries count, in which case it is C.",
        "If tributaries count, the answer is A. If they do not, the answer is C.",
        "Answer: B (if you count tributaries), otherwise D.",
        "Suppose it were the longest. Then money would do, and A would be the answer.",
    ],
)
def test_a_choice_under_a_condition_is_not_sure(reply: str) -> None:
    assert not is_sure(read(reply))


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("I would choose A if it were longer. I choose B.", 1),
        ("I'd pick A if I had to guess.", 0),
        ("If I had to choose, I'd pick A.", 0),
        ("The answer is B if I remember rightly.", 1),
    ],
)
def test_modesty_is_no_condition(reply: str, chosen: int) -> None:
    assert read(reply).positions == (chosen,)


def test_what_follows_an_answer_is_no_condition() -> None:
    gases = ("oxygen", "nitrogen and water", "ozone", "neon")
    assert is_sure(read("The answer is B. nitrogen and water were the most likely ones.", gases))


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is B; D is acceptable too.",
        "The answer is B; D would also be accepted.",
        "The answer is B. D is an equally valid answer.",
        "The answer is B. One might just as well answer D.",
        "The answer is B. (Some would say D, and they have a point.)",
        "B seems right. So does D.",
        "B. Volga. D. Loire.",
        "B ✓\nD ✓",
        "so $\\boxed{B\\text{ and }D}$",
    ],
)
def test_an_option_that_is_added_is_not_left_out(reply: str) -> None:
    assert not is_sure(read(reply))


WALK = "The rivers flow north or east. Let's evaluate each option:\n\n"
BEGUN = (
    WALK + "A. Danube: it is long, and it",
    WALK + "A. Danube: it flows east.",
    WALK + "A. Danube: it flows east.\nB. Volga: it is the longest of them but it does",
    "To find it we look at each of the rivers. Option A, the Danube, may be one for considera",
    "The rivers of the north are long ones, and so the first to look at is the one that is a",
)


@pytest.mark.parametrize("reply", BEGUN)
@pytest.mark.parametrize("reason", ["stop", "length"])
def test_what_breaks_off_among_the_options_is_no_choice(reply: str, reason: str) -> None:
    assert not is_sure(read(reply, finish_reason=reason))


@pytest.mark.parametrize(
    "reply",
    [
        "Since it is the longest of the rivers that are named here, the answer is:\n\nB. Volga.\n\n"
        "Explanation: the river is the longest of the continent and it",
        "The longest of the rivers named here would be B. Volga. This is because the river",
        "It flows through the plains, it freezes in winter, and it ends in a lake. So it's B",
    ],
)
def test_what_was_said_before_it_broke_off_is(reply: str) -> None:
    assert read(reply).positions == (1,)


@pytest.mark.parametrize(
    "reply",
    [
        "It is blue and far out. So it's Neptune.",
        "Mars is red, and Venus is hot. So it's Neptune.",
        "Not Mars, not Venus; so it's Neptune.",
        "It was not found by eye, which leaves Neptune.",
        "Mars and Venus are too near, so it must be C.",
    ],
)
def test_a_last_sentence_that_concludes_is_the_choice(reply: str) -> None:
    found = read(reply, PLANETS)
    assert found.positions == (2,)
    assert is_sure(found)


@pytest.mark.parametrize(
    "reply",
    [
        "Mars is red. So it's Mars or Neptune.",
        "Mars is red, so it's Neptune?",
        "Mars is red, so it's not Neptune.",
    ],
)
def test_what_does_not_conclude_is_not(reply: str) -> None:
    assert not is_sure(read(reply, PLANETS))


@pytest.mark.parametrize(
    "reply", ["It returns [3, 2, 1].", "It prints `[3, 2, 1]`", "This evaluates to [3, 2, 1]."]
)
def test_what_comes_out_is_the_choice(reply: str) -> None:
    assert is_sure(read(reply, ("[3, 2, 1]", "[1, 2, 3]", "None", "Error")))


def test_options_inside_each_other_are_found_once() -> None:
    options = tuple(" ".join(["ha"] * n) for n in range(1, 6))
    found = Options(options).find_all(Folded("ha ha ha. no. ha ha ha ha ha ha ha"))
    told = [(hit.position, hit.start) for hit in found]
    assert told == [(2, 0), (4, 14), (4, 17), (4, 20)]
