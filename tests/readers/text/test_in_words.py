"""Choices made in the words of the question, by a text in front, a place or a value."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

SURE = 0.9
LETTERS = ("A", "B", "C", "D")
LAKES = ("Lake Baikal", "Lake Victoria", "Lake Geneva", "Loch Ness")
ASKED = "Which of these is the deepest lake in the world?"


def read(reply: str, options: tuple[str, ...] = LAKES, question: str = ASKED, **more: str):  # type: ignore[no-untyped-def]
    found = TextReader().read(reply, options, LETTERS[: len(options)], question=question, **more)
    return found.positions if found.confidence >= SURE and found.status == "answer" else None


def status(reply: str, options: tuple[str, ...] = LAKES) -> str:
    found = TextReader().read(reply, options, LETTERS[: len(options)], question=ASKED)
    return found.status if found.confidence >= SURE else "unclear"


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("Victoria is large. The deepest lake in the world is Lake Baikal (in Siberia).", (0,)),
        ("Loch Ness is famous. In the world the deepest is Lake Baikal.", (0,)),
        ("The deepest lake in the world is Loch Ness, one reads. It is Lake Baikal.", None),
        ("The deepest lake in the world might be Lake Baikal. Loch Ness is famous.", None),
        ("The deepest lake in the world is not Lake Geneva. Loch Ness is famous.", None),
        ("- Lake Geneva: deepest lake of the Alpine world\n- Loch Ness: in Scotland", None),
        ("The deepest lake in the world is Loch Ness. Wait, I misspoke: think of Siberia.", None),
    ],
)
def test_what_was_asked_said_of_one_option_is_the_choice(
    reply: str, chosen: tuple[int] | None
) -> None:
    assert read(reply) == chosen


def test_a_whole_restatement_counts_in_a_reply_that_was_cut_off() -> None:
    reply = "The deepest lake in the world is Lake Baikal. It holds more water than all of the"
    assert read(reply, finish_reason="length") == (0,)


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("Lake Geneva. No, that lies in the Alps. Lake Baikal has the depth.", None),
        ("Lake Baikal\nLake Victoria\nLake Geneva", None),
    ],
)
def test_a_text_in_front_is_the_choice_unless_a_list_follows(
    reply: str, chosen: tuple[int] | None
) -> None:
    assert read(reply) == chosen


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("Loch Ness has 230 metres, Lake Geneva 310. That leaves Lake Baikal to win.", (0,)),
        (
            "Loch Ness has 230 metres, Lake Geneva 310. Overall I like Loch Ness or Lake Baikal.",
            None,
        ),
        ("Lake Baikal is in Siberia, Loch Ness in Scotland. Therefore: **A**.", (0,)),
        ("Loch Ness has 230 metres. So it's A (Lake Geneva).", None),
    ],
)
def test_a_last_sentence_that_concludes_is_the_choice(
    reply: str, chosen: tuple[int] | None
) -> None:
    assert read(reply) == chosen


def test_a_value_that_ends_a_reply_is_the_choice() -> None:
    sums, asked = ("54", "45", "63", "36"), "What is 9 times 7, less 9?"
    assert read("9 × 7 = 63. Take 9 away and you are at 63 − 9 = 54.", sums, asked) == (0,)


@pytest.mark.parametrize(
    "rest", ["\n\nQuestion: Which is the longest river?\nAnswer: B", "\nUser: Next?"]
)
def test_a_reply_that_ran_on_had_come_to_an_end_before(rest: str) -> None:
    assert read(f"Lake Baikal{rest}", finish_reason="length") == (0,)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("Lake Tanganyika would be close. The right answer isn't there.", "none"),
        ("It is the Caspian Sea, which is not among the options.", "none"),
        ("The right answer isn't there, but A comes closest.", "unclear"),
        ("If the right answer isn't listed, write it down.", "unclear"),
    ],
)
def test_that_the_answer_is_not_offered_is_none(reply: str, found: str) -> None:
    assert status(reply) == found


def test_one_field_that_is_an_options_text_is_the_choice_whatever_it_is_called() -> None:
    topics = ("billing", "refund", "login", "other")
    assert read('{"topic": "login", "certainty": 0.8}', topics, "Sort the ticket.") == (2,)
    assert read('{"topic": "login", "subtopic": "refund"}', topics, "Sort the ticket.") is None


def test_objects_with_one_verdict_each_are_judged() -> None:
    reply = '{"A": {"name": "Lake Baikal", "deepest": true}, "B": {"name": "x", "deepest": false}}'
    assert read(reply) == (0,)


def test_an_element_for_a_selected_option_holds_the_answer() -> None:
    reply = "<why>Loch Ness and Lake Geneva are not.</why><selected_option>A</selected_option>"
    assert read(reply) == (0,)


def test_a_verdict_may_end_the_line_of_its_option() -> None:
    reply = "A. 1,642 metres deep - yes\nB. 80 metres - no\nC. 310 metres - no\nD. 230 metres - no"
    assert read(reply) == (0,)
