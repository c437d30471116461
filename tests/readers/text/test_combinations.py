"""Options that are combinations of numbered statements."""

import pytest

from horsesense.readers.text import TextReader

QUESTION = "Which of these are metals? I. copper II. sulphur III. tin"
OPTIONS = ("I only", "I and II only", "I and III only", "I, II and III")


def read(response, options=OPTIONS, question=QUESTION):
    labels = tuple("ABCDEF"[: len(options)])
    return TextReader().read(response, options, labels, question=question, finish_reason="stop")


@pytest.mark.parametrize(
    "response",
    [
        "I holds. II doesn't; it is brittle. III holds.",
        "Copper and tin conduct. So the first and the third are metals.",
        "Sulphur is brittle. Hence everything but II.",
        "I ✔ conducts\nII ✘ brittle\nIII ✔ conducts",
        "| I | copper | T |\n| II | sulphur | F |\n| III | tin | T |",
        "T / F / T",
    ],
)
def test_statements_judged_one_by_one_or_named_at_the_end(response):
    reading = read(response)
    assert (reading.status, reading.positions) == ("answer", (2,))


def test_two_statements():
    options = ("Both statements are true", "Only statement I is true", "Both are false")
    reading = read("Statement I is true. Statement II is true as well.", options, "Two statements.")
    assert reading.positions == (0,)


@pytest.mark.parametrize(
    "response",
    [
        "Only I and II, said my brother.",
        "So it might be the first two.",
        "So the first two are ruled out.",
        "Only the first two are tempting.",
        "I holds water. II doesn't. III doesn't.",
        "Statement I is true of alloys. Statement II is false of them. Statement III is false.",
        "So, I and II or I and III.",
        "So I and II first. III is dealt with later.",
    ],
)
def test_what_is_said_about_statements_is_no_combination(response):
    reading = read(response)
    assert reading.rule != "combined"
