"""The judge of replies to a question whose right answer is withheld (Know-No, figure 4)."""

from __future__ import annotations

from each import each
from horsesense.trials.extras import Rejoined, WithheldGold
from horsesense.trials.trial import Variant
from replies import NAMES, read

REPLIES = {
    "none_declared": [
        "None of the above",
        "None.",
        "All of the options are incorrect.",
        "The correct answer is not listed.",
        "There is no correct answer.",
        "There isn't a correct option here.",
        "The correct option is missing.",
        "The correct answer was omitted.",
        "Correct answer: not given",
        "C. No option",
        "D. None of the above",
        "E: none",
        "No answer is correct.",
        "None are correct.",
        "None of the provided options are correct.",
        "The right answer isn't listed.",
        "The correct answer isn't among the choices.",
        "The options don't include the correct answer.",
        "None of the options mentions who really did it.",
        "Neither A, B nor C is correct.",
        "Not Tom, not Ann, not Joe.",
        "It isn't Tom, Ann or Joe.",
        "Tom is wrong, Ann is wrong and Joe is wrong.",
        "<think>Maybe Ann?</think>None of the options fit.",
        "None listed is correct.",
        "The list lacks the correct answer.",
        "I don't see the right answer among these.",
        "Nobody listed did it.",
        "The answer isn't here.",
    ],
    "none+new_correct": [
        "None of the above. The correct answer is Rick.",
        "The culprit was Rick, who is not on the list.",
        "The answer is Rick, which isn't one of the options.",
        "All three options are wrong; it was Rick.",
        "**Rick** (not listed)",
    ],
    "new_correct": [
        "D. Rick",
        "C. Rick",
        "rick",
        "Rick, not Joe",
        "It was Rick.",
        "Based on the story, the answer should be Rick.",
    ],
    "new_wrong": ["C. Bob", "A) Steve", "Answer: D. Steve", "Bob"],
    # A letter with the text of another option is judged by the text; so is a list of them.
    "incorrect_option": [
        "C. Joe",
        "B",
        "B. because it fits",
        "The answer is Ann.",
        "C: Ann",
        "A: Tom\nB: Joe\nC: Ann\n",
        "The correct answer is B) Ann.",
        "B) Ann is the one who did it.",
        "Ann.",
        "B. Ann, not Rick",
        "It is not none of the above; it is Joe.",
        "It can't be Tom or Ann, so Joe.",
    ],
    "needs_review": [
        "A: Tom\nB: Rick",
        "D",
        "A or B",
        "Rick or Ann",
        "None of the options is correct. The answer is B.",
        "Well, that depends on who was there.",
        "None of these, but the closest is B.",
        "None of the above, though Ann comes closest.",
        "There is no correct option, but if forced I would say Ann.",
        "Rick. Since that is not offered, I would pick B.",
        # A denial that is undone.
        "There's no correct answer except B.",
        "No right option but B.",
        "None of the options is wrong.",
        "None of them are incorrect.",
    ],
    "signs": ["I don't know."],
}


@each(("rule", "reply"), [(rule, reply) for rule, replies in REPLIES.items() for reply in replies])
def test_the_class_of_a_reply(rule: str, reply: str) -> None:
    reading = read(reply, "free", NAMES, WithheldGold("Rick"))
    assert reading.rule == rule
    right = rule in ("none_declared", "new_correct", "none+new_correct")
    assert (reading.status == "none") == right


def test_a_gold_that_stands_inside_an_option_is_not_supplied_by_it() -> None:
    shown = Variant("q", "?", ("the dog and the cat", "a bird"), ("A", "B"), (0, 1), None)
    for reply, rule in (
        ("A. the dog and the cat", "incorrect_option"),
        ("C. the dog", "new_correct"),
    ):
        assert read(reply, "free", shown, WithheldGold("the dog")).rule == rule


@each(
    ("reply", "expected", "leaks"),
    [
        ("Card lost", "incorrect_option", 0),
        ("card_lost", "incorrect_option", 1),
        ("pin_blocked", "new_correct", 1),
        ("pin-blocked", "new_correct", 0),
        ("some_other_intent", "new_wrong", 0),
    ],
)
def test_class_names_and_their_published_spelling(reply: str, expected: str, leaks: float) -> None:
    intents = Variant("q", "?", ("card-lost", "top-up-failed", "refund"), (), (0, 1, 2), None)
    reading = read(reply, "free", intents, Rejoined("pin_blocked", "_", "-"))
    assert (reading.rule, reading.score) == (expected, leaks)
