"""A first sentence that says all that was asked, before others are described."""

import pytest

from horsesense.readers.text import TextReader

PLANETS = ("Mercury", "Venus", "Saturn", "Neptune")
LARGE = "Which planet has the largest rings?"


def read(response, options=PLANETS, question=LARGE, finish_reason="stop"):
    labels = "ABCD"[: len(options)]
    return TextReader().read(
        response, options, tuple(labels), question=question, finish_reason=finish_reason
    )


@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_the_first_sentence_answers_whatever_others_are_described_behind_it(finish_reason):
    reading = read(
        "Saturn has the largest rings. Neptune has faint ones. Venus and Mercury have none at all.",
        finish_reason=finish_reason,
    )
    assert (reading.positions, reading.rule) == ((2,), "opens_with")


def test_scripts_without_spaces_are_compared_sign_by_sign():
    reading = read(
        "法国的首都是巴黎。里昂是法国的第三大城市。", ("里昂", "巴黎", "尼斯"), "法国的首都是哪里？"
    )
    assert reading.positions == (1,)


@pytest.mark.parametrize(
    "response",
    [
        "Venus has the largest rings according to the comic. Saturn is what the atlas shows.",
        "In the film Venus has the largest rings. Saturn does so outside it.",
        "The largest rings were Neptune's until recently. Saturn holds the record now.",
        "Venus and Saturn have the largest rings. Neptune has some.",
        "The planet nearest to the one with the largest rings is Neptune. Saturn it is.",
    ],
)
def test_another_time_a_report_and_a_list_are_no_answer(response):
    reading = read(response)
    assert reading.rule != "opens_with"


def test_an_article_before_an_options_text_is_no_label():
    reading = read(
        "A stack follows LIFO. In contrast, a queue follows FIFO and may be bounded.",
        ("Queue", "Stack"),
        "Which structure follows the LIFO rule?",
    )
    assert reading.positions != (0,)
