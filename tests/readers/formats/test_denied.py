"""Replies in which a word says less than it seems: "no question", "all but", "not X or Y, so Z"."""

from __future__ import annotations

import pytest

from each import each
from horsesense.models.messages import Response
from horsesense.readers.formats.bundled import repaired
from horsesense.readers.text_answers import TextAnswers
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import NO_EXTRAS, Bundled, Extras, Proposed, WithheldGold
from horsesense.trials.trial import NO, YES, AnswerFormat, Trial, Variant

JUDGED = Variant("q", "Who painted Guernica?", ("Yes", "No"), ("Yes", "No"), (YES, NO), 0)
NAMES = Variant("q", "?", ("Lena", "Omar", "Kim"), ("A", "B", "C"), (0, 1, 2), None)
SIDES = ("Positive", "Negative")


def read(reply: str, asks: AnswerFormat, shown: Variant, extras: Extras = NO_EXTRAS) -> str:
    trial = Trial("p", PLAIN, 0, (shown,), asks, "none", extras=extras)
    [found] = TextAnswers().read(trial, Response(reply, "stop"))
    return found.rule if asks == "free" else " ".join(map(str, found.positions)) or found.status


def bundle(reply: str, asks: AnswerFormat, asked: str | None = None) -> str:
    shown = tuple(Variant(f"i{n}", f"text {n}", SIDES, (), (0, 1), 0) for n in range(3))
    trial = Trial("batch", PLAIN, 0, shown, asks, extras=Bundled(asked=asked))
    found = TextAnswers().read(trial, Response(reply, "stop"))
    return " ".join("".join(map(str, r.positions)) or r.status for r in found)


@each(
    ("reply", "expected"),
    [
        ("No question, yes.", "0"),
        ("No doubt about it: correct.", "0"),
        ("No doubt, it is wrong.", "1"),
        ("It can't be said that this is wrong.", "ambiguous"),
        ("I don't think that this is correct.", "1"),
    ],
)
def test_yes_or_no(reply: str, expected: str) -> None:
    assert read(reply, "yes_no", JUDGED, Proposed("Picasso", "correct")) == expected


@pytest.mark.parametrize("reply", ["N/A", "No puedo responder.", "No se puede saber."])
def test_what_only_begins_like_no(reply: str) -> None:
    assert read(reply, "yes_no", JUDGED, Proposed("Picasso", "correct")) not in ("0", "1")


def test_what_elimination_leaves_is_no_denial() -> None:
    found = read("It can't be Lena or Omar, so Kim.", "free", NAMES, WithheldGold("Nina"))
    assert found in ("incorrect_option", "needs_review")
    assert read("It isn't Lena, Omar or Kim.", "free", NAMES, WithheldGold("Nina")) == (
        "none_declared"
    )
    assert read("It is not none of the above; it is Kim.", "free", NAMES, WithheldGold("Nina")) == (
        "incorrect_option"
    )


@each(
    ("reply", "expected"),
    [
        ("All positive but the last.", "0 0 1"),
        ("All are Positive except text 2.", "0 1 0"),
        ("The first two are Negative, the last Positive.", "1 1 0"),
        ("1. Positive (not negative)\n2. Negative\n3. Positive", "0 1 0"),
        ("All are Positive.", "0 0 0"),
    ],
)
def test_bundles_in_words(reply: str, expected: str) -> None:
    assert bundle(reply, "label_lines") == expected


def test_an_exception_without_its_number_is_not_all() -> None:
    assert bundle("All positive but one.", "label_lines") != "0 0 0"


def test_a_mask_in_yes_and_no() -> None:
    assert bundle("Yes, no, yes", "index_json", "Positive") == "0 none 0"


def test_broken_json_in_hundreds_of_brackets_is_not_mended() -> None:
    assert repaired("{" * 500) is None
    assert repaired('{"a": [1, 2') == {"a": [1, 2]}


def test_many_objects_take_time_in_proportion() -> None:
    """Both took minutes at this length."""
    assert bundle('{"positive": [1,2]}' * 8_000, "index_json", "Positive") == "0 0 none"
    assert bundle("{" * 200_000, "label_lines").count(" ") == 2
