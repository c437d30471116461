"""What holds of replies in every format: phrases of the prompt, scores, hostile texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from horsesense.models.messages import Response
from horsesense.readers.formats.bundled import repaired
from horsesense.readers.logprobs.first_token import FirstTokenReader
from horsesense.readers.reading import CLASSES
from horsesense.readers.text import TextReader
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import WithheldGold
from horsesense.trials.trial import Trial, Variant
from replies import JUDGED, NAMES, bundle, judged, read, shape

PHRASE = WithheldGold("gold", "none-of-them")


@each(
    ("reply", "status"),
    [
        ("none-of-them", "none"),
        ("none\u2011of\u2011them", "none"),
        ("It is not none-of-them; A.", "answer"),
        ("The answer is none-of-them", "none"),
        ("B", "answer"),
        ("", "empty"),
    ],
)
def test_a_phrase_that_the_prompt_names(reply: str, status: str) -> None:
    assert read(reply, "letter", extras=PHRASE).status == status


def test_a_place_is_that_of_the_reply_also_where_small_letters_are_longer() -> None:
    reply = "ẞẞẞ İİİ I say none-of-them here."
    found = read(reply, "letter", extras=PHRASE)
    assert reply[slice(*found.span)] == "none-of-them"


@given(st.text(max_size=200))
def test_no_reply_breaks_a_reader(reply: str) -> None:
    bare = Variant("q", "?", ("card-lost", "top-up-failed", "refund"), (), (0, 1, 2), None)
    for asks, variant in (("yes_no", JUDGED), ("letters", NAMES), ("free", NAMES), ("free", bare)):
        reading = read(reply, asks, variant, WithheldGold("Rick"))  # type: ignore[arg-type]
        assert (reading.status == "answer") == bool(reading.positions)
        if asks == "free" and reading.status in ("answer", "none"):
            assert reading.rule in CLASSES


HOSTILE = (
    *("not ", "1: ", "A, ", "_", "* ", "\n", "yes or ", "is ", '{"a": ', "<think>", "Ann "),
    *("\\boxed{", "Texts 1 and ", "neither "),
)


@each("part", HOSTILE)
def test_long_hostile_replies_are_read_in_every_format(part: str) -> None:
    reply = (part * 16_000)[:16_000]
    for found in (
        judged(reply),
        read(reply, "letters"),
        read(reply, "free", extras=WithheldGold("Rick")),
    ):
        assert (found.status == "answer") == bool(found.positions)
    assert len(bundle(reply, "label_lines")) == len(bundle(reply, "index_json")) == 3


def test_broken_json_in_hundreds_of_brackets_is_not_mended() -> None:
    assert repaired("{" * 500) is None
    assert repaired('{"a": [1, 2') == {"a": [1, 2]}


def test_many_objects_take_time_in_proportion() -> None:
    """Both took minutes at this length."""
    many = '{"positive": [1,2]}' * 8_000
    assert shape(bundle(many, "index_json", "Positive")) == "0 0 n"
    assert len(bundle("{" * 200_000)) == 3


@each("reply", ["50%", "$", "!", "✓", '{"answer": 1}', "A ✓"])
@each("labels", [(), ("A", "B", "C", "D")])
def test_blank_options_are_named_by_nothing(reply: str, labels: tuple[str, ...]) -> None:
    found = TextReader().read(reply, ("", " ", "", ""), labels)
    assert found.positions == ((0,) if labels and reply.startswith("A") else ())


def test_yes_is_summed_over_its_spellings() -> None:
    trial = Trial("p", PLAIN, 0, (JUDGED,), "yes_no")
    position = {"Yes": -2.0, " yes": -2.0, "YES": -2.0, "No": -1.5, "Nope": -0.1}
    (reading,) = FirstTokenReader().read(trial, Response("", token_logprobs=(position,)))
    assert reading.positions == (0,)
    yes, no = 3 * 2.718281828459045**-2, 2.718281828459045**-1.5
    assert reading.confidence == pytest.approx(yes / (yes + no))
    assert 2.718281828459045**reading.score == pytest.approx(yes + no)


def test_the_first_token_says_nothing_of_a_phrase() -> None:
    trial = Trial("p", PLAIN, 0, (NAMES,), "letter", "none", extras=PHRASE)
    assert FirstTokenReader().read(trial, Response("A", token_logprobs=({"A": -0.1},))) == ()
