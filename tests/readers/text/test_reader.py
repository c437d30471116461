"""What holds of every reading of the text reader, whatever the response."""

from __future__ import annotations

import gzip
import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each import each
from horsesense.readers.reading import STATUSES
from horsesense.readers.text import TextReader, page, reader

READER = TextReader()
SPORTS = ("cricket", "golf", "tennis", "squash")
LETTERS = ("A", "B", "C", "D")
FRAGMENTS = st.sampled_from(
    [
        *("A", "B.", "(C)", "D ", "golf", "cricket", "the answer is ", "not ", "wait, ", "\n", " "),
        *("**", "None of the above", "I cannot answer", "Ｂ", "\u200f", "\x1b[0m", "\\boxed{", "}"),
        *("İ", "ß", "⒝", "<think>", "</think>", '{"answer": "', "or ", "and ", "is correct", "$"),
        *("Question:", "if ", ", ", "- ", "a ", "I ", "答案：", "is wrong. "),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(FRAGMENTS, max_size=12).map("".join)))
def test_readings_are_well_formed(response):
    reading = READER.read(response, SPORTS, LETTERS)
    assert reading.status in STATUSES
    assert (reading.status == "answer") == bool(reading.positions)
    assert len(set(reading.positions)) == len(reading.positions) <= 1
    assert all(0 <= position < 4 for position in reading.positions)
    assert 0 < reading.confidence <= 1
    assert reading.rule
    if reading.span is not None:
        start, end = reading.span
        assert 0 <= start < end <= len(response)
    assert reading == READER.read(response, SPORTS, LETTERS)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(max_size=12), min_size=1, max_size=6),
    st.lists(st.text(max_size=3), max_size=6, unique=True),
    st.text(max_size=40),
)
def test_any_labels_and_options_can_be_read(options, labels, response):
    labels = labels if len(labels) == len(options) else []
    assert set(READER.read(response, options, labels).positions) <= set(range(len(options)))


def test_a_word_is_read_as_if_none_had_been_read_before():
    items = SPORTS, ("red", "dark red", "", "a"), ("a wood", "a red wood", "a blue one", "b")
    asked = [(word, o, (*names,)) for word in "Bbx2A" for o in items for names in ("1234", "abcd")]
    first = [reader._WEIGHED.clear() or READER.read(*one) for one in asked]
    assert [READER.read(*one) for one in asked] == first
    assert 5 < len(reader._WEIGHED) < len(asked)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 0, 1, 2), (2, 3, 1, 0)])
def test_a_reading_follows_the_options_and_not_their_places(order):
    options = [SPORTS[i] for i in order]
    at = options.index("golf")
    for reply in ("golf", "It is golf.", "The answer is golf.", f"{LETTERS[at]}. golf"):
        assert READER.read(reply, options, LETTERS).positions == (at,)


@each(
    ("response", "words"),
    [
        ("Well, the **answer** is (B) golf. Good.", "answer** is (B"),
        ("\u200fＴｈｅ ａｎｓｗｅｒ ｉｓ Ｂ．", "ａｎｓｗｅｒ ｉｓ Ｂ"),
        ("⒝ golf", "golf"),
        ("İİİ the answer is B.", "answer is B"),
        ("Hm. None of the above, I fear.", "None of"),
    ],
)
def test_the_span_quotes_the_response_as_it_came(response, words):
    start, end = READER.read(response, SPORTS, LETTERS).span
    assert response[start:end] == words


def test_finish_reason_tells_a_cut_off_answer():
    def status(response, finish_reason):
        return READER.read(response, SPORTS, LETTERS, finish_reason=finish_reason).status

    assert status("The cup is old.", "stop") in ("illegal", "unclear")
    assert status("The cup is old.", "length") == "truncated"
    assert status("The answer is B. It", "length") == "answer"


@each(
    "unit", ["So the answer is not A. ", "(", "A, B and ", "**", "\n", "a b c ", "答案 ", "<think>"]
)
def test_a_response_without_end_is_read(unit):
    response = unit * (200_000 // len(unit))
    assert READER.read(response, SPORTS, LETTERS).status in STATUSES


def test_a_row_of_blanks_is_tried_once():
    text = "x" + " " * 9 + "y"
    assert [at for at in range(1, 10) if page._TOKENS[True].match(text, at)] == [1]


def test_the_span_of_a_long_response_is_in_its_place():
    for filler in ("word ", "İ** "):
        response = filler * 30_000 + "The answer is B."
        start, end = READER.read(response, SPORTS, LETTERS).span
        assert response[start:end] == "answer is B"


FILES = (
    "llama2-7b_original_options",
    "llama2-7b_extra_options",
    "mistral-7b-instruct-v0.2_original_options",
    "mistral-7b-instruct-v0.2_extra_options",
)
CODES = {"none": "X", "refusal": "Y"}


@pytest.mark.shared
def test_people_read_the_same(shared):
    """At most 17 of 3,098 rows are read otherwise; sure readings are right. Two of them say that it
    cannot be determined, which people call X (no option) and the reader a refusal."""
    wrong = 0
    for name in FILES:
        counts = Counter()
        path = shared / "data" / "mcq_robustness_annotated" / f"{name}.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for row in map(json.loads, stream):
                counts.update(_compare(row))
        wrong += counts["wrong"]
        assert counts["sure and right"] / counts["sure"] >= 0.98, name
        assert counts["sure and scored"] / counts["scored"] >= 0.96, name
        assert counts["wrong"] / counts["scored"] <= 0.016, name
    assert wrong <= 17


def _compare(row):
    reading = READER.read(
        row["response"], row["options"], row["option_letters"], question=row["question"]
    )
    chosen = "".join(row["option_letters"][position] for position in reading.positions)
    read = chosen or CODES.get(reading.status)
    scored = row["label_kind"] not in ("none", "multiple")
    sure = reading.confidence >= 0.9 and (read or reading.status == "unknown")
    return [
        *(["scored"] if scored else []),
        *(["wrong"] if scored and read != row["label"] else []),
        *(["sure"] if sure else []),
        *(["sure and scored"] if sure and scored else []),
        *(["sure and right"] if sure and scored and read == row["label"] else []),
    ]


@pytest.mark.parametrize(
    ("reply", "options"),
    [
        (
            "Answer key: E (liver). The stomach only churns. Choices A to D are therefore out.",
            ("Gallbladder", "Pancreas", "Spleen", "Stomach"),
        ),
        (
            "I can't give legal advice on your case, but in general terms the court may order the "
            "landlord to pay up to three times the amount.",
            ("One to three times the deposit", "Nothing", "Interest", "Ten times"),
        ),
    ],
)
def test_what_is_supposed_counted_or_declined_in_part_is_not_sure(
    reply: str, options: tuple[str, ...]
) -> None:
    assert READER.read(reply, options, LETTERS).confidence < 0.9
