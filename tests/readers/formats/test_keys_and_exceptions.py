"""Replies in which a field's name, a question, an exception or a place turns what a word says."""

from __future__ import annotations

from each import each
from horsesense.models.messages import Response
from horsesense.readers.formats.letters import read_several
from horsesense.readers.text import TextReader
from horsesense.readers.text_answers import TextAnswers
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import Bundled, Proposed, WithheldGold
from horsesense.trials.trial import NO, YES, AnswerFormat, Trial, Variant

COLOURS = ("red", "green", "blue", "pink")


def judged(reply: str, quality: str) -> tuple[str, tuple[int, ...]]:
    variant = Variant("q", "Capital of Australia?", ("Yes", "No"), ("Yes", "No"), (YES, NO), 0)
    trial = Trial("p", PLAIN, 0, (variant,), "yes_no", "none", extras=Proposed("Sydney", quality))
    (found,) = TextAnswers().read(trial, Response(reply))
    return found.status, found.positions


@each("reply", ["50%", "$", "!", "✓", '{"answer": 1}', "A ✓"])
@each("labels", [(), ("A", "B", "C", "D")])
def test_blank_options_are_named_by_nothing(reply: str, labels: tuple[str, ...]) -> None:
    found = TextReader().read(reply, ("", " ", "", ""), labels)
    assert found.positions == ((0,) if labels and reply.startswith("A") else ())


@each(
    ("reply", "holds"),
    [
        ('{"correct": false}', False),
        ('{"is_correct": true}', True),
        ('{"incorrect": "yes"}', False),
        ("Correct: no", False),
        ("**Correct?** No.", False),
        ("Right? Wrong.", False),
        ("Incorrect: true", False),
        ("Correct = true", True),
    ],
)
@each("quality", ["correct", "wrong"])
def test_the_value_of_a_field_or_question_decides(reply: str, holds: bool, quality: str) -> None:
    position = 0 if holds == (quality == "correct") else 1
    assert judged(reply, quality) == ("answer", (position,))


@each(
    ("reply", "position"),
    [
        ("Yes: 0.1, No: 0.9", 1),
        ('{"no": 0.25, "yes": 0.75}', 0),
        ("Yes? No.", 1),
        ('{"yes": false, "no": true}', 1),
        ("Yes: it is correct.", 0),
        ("No: wrong.", 1),
    ],
)
def test_yes_and_no_as_names_of_values(reply: str, position: int) -> None:
    assert judged(reply, "correct") == ("answer", (position,))


@each(
    ("reply", "expected"),
    [
        ("Neither B nor D", "unclear"),
        ("Incorrect: B, D", "unclear"),
        ("Incorrect: B, D. The rest are right.", "0 2"),
        ("Neither A, B, C nor D", "none"),
        ("Everything is wrong except A and C.", "0 2"),
        ("All except A and C are wrong.", "0 2"),
        ("All except B are right.", "0 2 3"),
        ("None are wrong except B.", "unclear"),
        ("a c", "0 2"),
        ("I choose a C", "2"),
        ("~~B~~ A C", "0 2"),
    ],
)
def test_several_letters(reply: str, expected: str) -> None:
    found = read_several(TextReader(), Response(reply), COLOURS, tuple("ABCD"))
    assert (" ".join(map(str, found.positions)) or found.status) == expected


def bundle(reply: str, asks: AnswerFormat, asked: str | None = None) -> str:
    """One sign per text: the position chosen, or the first letter of the status."""
    shown = tuple(Variant(f"i{j}", f"{j}", ("Positive", "Negative"), (), (0, 1), 0) for j in "abc")
    trial = Trial("batch", PLAIN, 0, shown, asks, extras=Bundled(asked=asked))
    found = TextAnswers().read(trial, Response(reply))
    return " ".join("".join(map(str, one.positions)) or one.status[0] for one in found)


@each(
    ("reply", "expected"),
    [
        ("Not 2", "i i i"),
        ("I'd exclude 2.", "i i i"),
        ("Texts other than 2", "i i i"),
        ("Not [2]", "i i i"),
        ('{"Positive": "not 2"}', "i i i"),
        ("All but 2", "0 n 0"),
        ("1, 3 (not 2)", "0 n 0"),
        ("Texts 1 and 3 are positive, text 2 is not.", "0 n 0"),
        ("[4]", "i i i"),
        ("[2, 7]", "n 0 n"),
        ("[0, 2]", "u u u"),
        ("Text 2 is Negative. Texts 1 and 3 are Positive.", "0 n 0"),
    ],
)
def test_numbers_for_one_label(reply: str, expected: str) -> None:
    assert bundle(reply, "index_json", "Positive") == expected


def test_a_line_of_several_problems_is_one_answer_each() -> None:
    assert bundle("1: Positive, 2: unclear, 3: Negative", "label_lines") == "0 i 1"


@each(
    "reply",
    [
        "There's no correct answer except B.",
        "No right option but B.",
        "None of the options is wrong.",
        "None of them are incorrect.",
    ],
)
def test_a_denial_that_is_undone_does_not_say_that_none_is_right(reply: str) -> None:
    variant = Variant("q", "?", ("Tom", "Ann", "Joe"), ("A", "B", "C"), (0, 1, 2), None)
    trial = Trial("p", PLAIN, 0, (variant,), "free", "none", extras=WithheldGold("Rick"))
    (found,) = TextAnswers().read(trial, Response(reply))
    assert found.rule == "needs_review"
