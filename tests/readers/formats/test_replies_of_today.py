"""Replies as today's models write them, drawn up before the rules for them were rewritten."""

from __future__ import annotations

from each import each
from horsesense.models.messages import Response
from horsesense.readers.reading import Reading
from horsesense.readers.text_answers import TextAnswers
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import NO_EXTRAS, Bundled, Extras, Proposed, WithheldGold
from horsesense.trials.trial import NO, YES, AnswerFormat, Trial, Variant

JUDGED = Variant("q", "Capital of Australia?", ("Yes", "No"), ("Yes", "No"), (YES, NO), 0)
COLOURS = Variant("q", "?", ("red", "green", "blue"), ("A", "B", "C"), (0, 1, 2), 0)
WITH_ALL = Variant(
    "q", "?", ("red", "green", "All of the above"), ("A", "B", "C"), (0, 1, 2), 0
)  # fmt: skip
NAMES = Variant("q", "?", ("Tom", "Ann", "Joe"), ("A", "B", "C"), (0, 1, 2), None)


def read(reply: str, asks: AnswerFormat, variant: Variant, extras: Extras = NO_EXTRAS) -> Reading:
    trial = Trial("p", PLAIN, 0, (variant,), asks, "none", extras=extras)
    (reading,) = TextAnswers().read(trial, Response(reply))
    return reading


def said(reading: Reading) -> str:
    """The positions, or the status of a reading without any."""
    return " ".join(map(str, reading.positions)) or reading.status


YES_NO = [
    ("Not correct.", "1"),
    ("It isn't correct.", "1"),
    ("Y", "0"),
    ("N", "1"),
    ("n.", "1"),
    ("(y)", "0"),
    ("Nope, that's off.", "1"),
    ("Yup.", "0"),
    ("Absolutely.", "0"),
    ("Not at all.", "1"),
    ("Definitely not.", "1"),
    ("That's not right.", "1"),
    ("That’s wrong.", "1"),
    ("The proposed answer isn't right: it should be Canberra.", "1"),
    ("The proposed answer isn't wrong.", "0"),
    ("The proposed answer is not incorrect.", "0"),
    ("It is.", "0"),
    ("It is not.", "1"),
    ("Indeed it is.", "0"),
    ("Correct! Sydney it is.", "0"),
    ("<think>Yes, Sydney is large. But the capital is Canberra.</think>\n\nNo", "1"),
    ("<think>No... hm, is it? Yes.", "truncated"),
    ("\\boxed{\\text{No}}", "1"),
    ("**Final answer:** No", "1"),
    ('{"answer": "Yes"}', "0"),
    ("```json\n{\"reasoning\": \"Yes, it is big, no doubt\", \"answer\": \"no\"}\n```", "1"),
    ("Let's check. The parliament sits in Canberra. So the proposed answer is wrong.", "1"),
    ("Sydney is the largest city, but the seat of government is Canberra.\n\nNo", "1"),
    ("Sydney hosts the government, as far as I know.\n\n**Yes**", "0"),
    ("The answer provided is accurate.", "0"),
    ("That would be a no from me.", "1"),
    ("Not quite: it is Canberra.", "1"),
    ("I can't agree with that answer.", "1"),
    ("I agree with that answer.", "0"),
    ("I don't think so.", "1"),
    ("It sure is.", "0"),
    ("The proposed answer is inaccurate.", "1"),
    ("I would say no.", "1"),
    ("My answer is yes, although barely.", "0"),
    ("At first glance yes, but on reflection, no.", "1"),
    ("Yes... wait, no. The capital is Canberra, so the answer is no.", "1"),
    ("No, wait. Yes, it is correct.", "0"),
    ("Is the proposed answer correct?\nNo", "1"),
    ("Yes/No: No", "1"),
    ("Yes\n\nQuestion: What is the capital of France?\nProposed answer: Rome\nNo", "0"),
    ("No, the correct answer is Canberra.", "1"),
    ("The correct answer is Canberra.", "1"),
    ("The correct answer is Sydney.", "0"),
    ("I don't know.", "unknown"),
    ("I'm not sure whether it's correct.", "unknown"),
    ("Yes and no.", "ambiguous"),
    ("I'm sorry, I cannot answer that question with a simple yes or no.", "refusal"),
    ("The proposed answer is partially correct.", "ambiguous"),
    ("Affirmative.", "0"),
    ("Negative.", "1"),
    ("✅", "0"),
    ("❌ Incorrect", "1"),
    ("Nein, das stimmt nicht.", "1"),
    ("Oui", "0"),
    ("Sí.", "0"),
    ("否", "1"),
]  # fmt: skip


@each(("reply", "expected"), YES_NO)
def test_yes_or_no(reply: str, expected: str) -> None:
    assert said(read(reply, "yes_no", JUDGED, Proposed("Sydney", "correct"))) == expected


@each(
    ("reply", "expected"),
    [
        ("Yes", "0"),
        ("No", "1"),
        ("Yes, it is wrong.", "0"),
        ("No, it is correct.", "1"),
        ("The proposed answer is wrong.", "0"),
        ("The proposed answer is not correct.", "0"),
        ("The proposed answer is correct.", "1"),
        ("It isn't wrong.", "1"),
        ("Wrong.", "0"),
        ("The correct answer is Canberra.", "0"),
        ("Correct.", "ambiguous"),  # right, it is wrong; or: it is right
    ],
)
def test_yes_or_no_where_it_is_asked_whether_an_answer_is_wrong(reply: str, expected: str) -> None:
    assert said(read(reply, "yes_no", JUDGED, Proposed("Sydney", "wrong"))) == expected


LETTERS = [
    ("A C", "0 2"),
    ("A  B  C", "0 1 2"),
    ("red, green", "0 1"),
    ("Red\nBlue", "0 2"),
    ("red and blue", "0 2"),
    ("A (red), C (blue)", "0 2"),
    ("A - red, C - blue", "0 2"),
    ("All of the above", "0 1 2"),
    ("All of them apply.", "0 1 2"),
    ("All three.", "0 1 2"),
    ("1. A\n2. C", "0 2"),
    ("1) A\n2) B\n", "0 1"),
    ("- A\n- C", "0 2"),
    ("* red\n* blue", "0 2"),
    ("**A**, **C**", "0 2"),
    ("A & C", "0 2"),
    ("A; C", "0 2"),
    ("A/C", "0 2"),
    ("A + B", "0 1"),
    ("a, c", "0 2"),
    ("(A) and (C)", "0 2"),
    ("Answer: A, C", "0 2"),
    ("**Answer:** A and C", "0 2"),
    ("The answers are A and C.", "0 2"),
    ("Both A and B are correct.", "0 1"),
    ("A and B only", "0 1"),
    ("A, B, and C", "0 1 2"),
    ("Options A and C", "0 2"),
    ('["A", "C"]', "0 2"),
    ('{"answer": ["A", "C"]}', "0 2"),
    ('```json\n{"answers": "A, C"}\n```', "0 2"),
    ("\\boxed{A, C}", "0 2"),
    ("$\\boxed{AC}$", "0 2"),
    ("**Correct answers:** A, C\n\n**Explanation:** B is wrong because grass is green.", "0 2"),
    ("A is correct. B is incorrect. C is correct.", "0 2"),
    ("A: True\nB: False\nC: True", "0 2"),
    ("- **A** ✅\n- **B** ❌\n- **C** ✅", "0 2"),
    ("| Option | Correct? |\n|---|---|\n| A | Yes |\n| B | No |\n| C | Yes |", "0 2"),
    ("All except B", "0 2"),
    ("All of them but C.", "0 1"),
    ("Only B.", "1"),
    ("Neither A nor B, just C.", "2"),
    ("<think>A and B? No, B is out.</think>\nA, C", "0 2"),
    ("None of them.", "none"),
    ("I pick A and also C.", "0 2"),
    ("B alone", "1"),
    ("1: A\n2: B", "0 1"),
    ("first and third", "0 2"),
    ("[A][C]", "0 2"),
    ('{"A": true, "B": false, "C": true}', "0 2"),
    ("The correct ones: (A) red; (C) blue.", "0 2"),
    ("☑ A ☐ B ☑ C", "0 2"),
    ("[x] red\n[ ] green\n[x] blue", "0 2"),
    ("none", "none"),
    ("A, D", "illegal"),
    ("I don't know.", "unknown"),
    ("", "empty"),
]  # fmt: skip


@each(("reply", "expected"), LETTERS)
def test_several_letters(reply: str, expected: str) -> None:
    assert said(read(reply, "letters", COLOURS)) == expected


def test_an_option_that_says_all_of_the_above_is_that_option() -> None:
    assert said(read("All of the above", "letters", WITH_ALL)) == "2"
    assert said(read("C. All of the above", "letters", WITH_ALL)) == "2"


NO_HINT = [
    ("There is no correct answer.", "none_declared"),
    ("There isn't a correct option here.", "none_declared"),
    ("The correct option is missing.", "none_declared"),
    ("The correct answer was omitted.", "none_declared"),
    ("Correct answer: not given", "none_declared"),
    ("C. No option", "none_declared"),
    ("D. None of the above", "none_declared"),
    ("E: none", "none_declared"),
    ("No correct option.", "none_declared"),
    ("No answer is correct.", "none_declared"),
    ("None are correct.", "none_declared"),
    ("None of the provided options are correct.", "none_declared"),
    ("The right answer isn't listed.", "none_declared"),
    ("The correct answer isn't among the choices.", "none_declared"),
    ("The options don't include the correct answer.", "none_declared"),
    ("None of the options mentions who really did it.", "none_declared"),
    ("Neither A, B nor C is correct.", "none_declared"),
    ("Not Tom, not Ann, not Joe.", "none_declared"),
    ("Tom is wrong, Ann is wrong and Joe is wrong.", "none_declared"),
    ("<think>Maybe Ann?</think>None of the options fit.", "none_declared"),
    ("None listed is correct.", "none_declared"),
    ("The list lacks the correct answer.", "none_declared"),
    ("I don't see the right answer among these.", "none_declared"),
    ("Nobody listed did it.", "none_declared"),
    ("The answer isn't here.", "none_declared"),
    ("The culprit was Rick, who is not on the list.", "none+new_correct"),
    ("C. Bob", "new_wrong"),
    ("A) Steve", "new_wrong"),
    ("Answer: D. Steve", "new_wrong"),
    ("Bob", "new_wrong"),
    ("It was Rick.", "new_correct"),
    ("A. Rick", "new_correct"),
    ("Based on the story, the answer should be Rick.", "new_correct"),
    ("The answer is Rick, which isn't one of the options.", "none+new_correct"),
    ("All three options are wrong; it was Rick.", "none+new_correct"),
    ("**Rick** (not listed)", "none+new_correct"),
    ("The correct answer is B) Ann.", "incorrect_option"),
    ("B) Ann is the one who did it.", "incorrect_option"),
    ("Ann.", "incorrect_option"),
    ("B. Ann, not Rick", "incorrect_option"),
    ("None of these, but the closest is B.", "needs_review"),
    ("None of the above, though Ann comes closest.", "needs_review"),
    ("There is no correct option, but if forced I would say Ann.", "needs_review"),
    ("Rick. Since that is not offered, I would pick B.", "needs_review"),
    ("I don't know.", "signs"),
]  # fmt: skip


@each(("reply", "expected"), NO_HINT)
def test_the_no_hint_judge(reply: str, expected: str) -> None:
    assert read(reply, "free", NAMES, WithheldGold("Rick")).rule == expected


SENTIMENT = ("Positive", "Negative")


def shape(reply: str, n: int, asks: AnswerFormat, asked: str | None = None) -> str:
    """One sign per text: the position chosen, or the first letter of the status."""
    shown = tuple(Variant(f"i{j}", f"text {j}", SENTIMENT, (), (0, 1), 0) for j in range(n))
    trial = Trial("batch", PLAIN, 0, shown, asks, extras=Bundled(asked=asked))
    found = TextAnswers().read(trial, Response(reply))
    return " ".join("".join(map(str, r.positions)) or r.status[0] for r in found)


LINES = [
    ("1: Positive; 2: Negative; 3: Positive", "0 1 0"),
    ("1. Positive, 2. Negative, 3. Positive", "0 1 0"),
    ("1. Positive 2. Negative 3. Positive", "0 1 0"),
    ("(1) Positive (2) Negative (3) Positive", "0 1 0"),
    ("1 - Positive | 2 - Negative | 3 - Positive", "0 1 0"),
    ("1=Positive 2=Negative 3=Positive", "0 1 0"),
    ("2: Negative; 1: Positive; 3: Positive", "0 1 0"),
    ("1: Positive; 3: Negative", "0 e 1"),
    ("Text 1: Positive, Text 2: Negative, Text 3: Positive", "0 1 0"),
    ("Text 2 is Negative. Texts 1 and 3 are Positive.", "0 1 0"),
    ("Texts 1 and 3: Positive; text 2: Negative", "0 1 0"),
    ("Positive: 1, 3\nNegative: 2", "0 1 0"),
    ("**Negative:** 2\n**Positive:** 1 and 3", "0 1 0"),
    ("Positive (1), Negative (2), Positive (3)", "0 1 0"),
    ("First: Positive. Second: Negative. Third: Positive.", "0 1 0"),
    ("The second text is Negative; the first and the third are Positive.", "0 1 0"),
    ("Text 2 is Negative, the others are Positive.", "0 1 0"),
    ("Texts 1-3 are all Positive.", "0 0 0"),
    ("All three texts are negative.", "1 1 1"),
    ("#1 Positive\n#2 Negative\n#3 Positive", "0 1 0"),
    ("Text 1\nPositive\n\nText 2\nNegative\n\nText 3\nPositive", "0 1 0"),
    ("**Text 1**\n- Label: Positive\n\n**Text 2**\n- Label: Negative\n\n**Text 3**\n- Label: "
     "Positive", "0 1 0"),
    ("1. **Positive** - it praises the actors\n2. **Negative** - boring\n3. **Positive** - fun",
     "0 1 0"),
    ("| Text | Label |\n|---|---|\n| 1 | Positive |\n| 2 | Negative |\n| 3 | Positive |", "0 1 0"),
    ('{"text_1": "Positive", "text_2": "Negative", "text_3": "Positive"}', "0 1 0"),
    ('[{"id": 1, "label": "Positive"}, {"id": 2, "label": "Negative"}, '
     '{"id": 3, "label": "Positive"}]', "0 1 0"),
    ('{"results": [{"text": 2, "sentiment": "Negative"}, {"text": 1, "sentiment": "Positive"}, '
     '{"text": 3, "sentiment": "Positive"}]}', "0 1 0"),
    ("Positive\nNegative\nPositive\n\nExplanation: the first and the last praise the film.",
     "0 1 0"),
    ("<think>\n1. Negative?\n</think>\n1. Positive 2. Negative 3. Positive", "0 1 0"),
    ("1. Text 1: Positive\n2. Text 2: Negative\n3. Text 3: Positive", "0 1 0"),
    ("1. Positive\n2. Negative\n3. I cannot tell.", "0 1 i"),
    ("Only text 2 is Negative.", "e 1 e"),
]  # fmt: skip


@each(("reply", "expected"), LINES)
def test_lines_for_several_texts(reply: str, expected: str) -> None:
    assert shape(reply, 3, "label_lines").replace("t", "e") == expected


def test_two_texts_on_a_line() -> None:
    assert shape("1: Positive; 2: Negative", 2, "label_lines") == "0 1"
    assert shape("2: Positive; 1: Negative", 2, "label_lines") == "1 0"


MASKS = [
    # (asked label, reply, what each text got)
    ("Positive", "[true, false, true]", "0 n 0"),
    ("Positive", "[True, False, True]", "0 n 0"),
    ("Positive", "true, false, true", "0 n 0"),
    ("Positive", "[1, 0, 1]", "0 n 0"),
    ("Positive", "[true]", "i i i"),
    ("Positive", "[true, false]", "i i i"),
    ("Positive", "True.", "i i i"),
    ("Positive", '{"positive": [true, false, true]}', "0 n 0"),
    ("Positive", '{"positive": true}', "i i i"),
    ("Positive", '{"1": true, "2": false, "3": true}', "0 n 0"),
    ("Positive", '{"positive": {"1": true, "2": false, "3": true}}', "0 n 0"),
    ("Positive", '{"text_1": true, "text_2": false, "text_3": false}', "0 n n"),
    (None, '{"positive": [true, false, true], "negative": [false, true, false]}', "0 1 0"),
    (None, '{"positive": [1, 0, 1], "negative": [0, 1, 0]}', "0 1 0"),
    (None, '{"positive": true, "negative": false}', "i i i"),
    (None, "[true, false, true]", "i i i"),
    (None, '{"positive": [true], "negative": [false]}', "i i i"),
]


@each(("asked", "reply", "expected"), MASKS)
def test_a_list_of_booleans_is_a_mask_or_unreadable(
    asked: str | None, reply: str, expected: str
) -> None:
    assert shape(reply, 3, "index_json", asked) == expected


INDICES = [
    ('{"positive": [1, 3], "negative": [2]}', "0 1 0"),
    ("Text 2 is Negative. Texts 1 and 3 are Positive.", "0 1 0"),
    ("Texts 1 and 3 are Positive, text 2 is Negative.", "0 1 0"),
    ("1: Positive; 2: Negative; 3: Positive", "0 1 0"),
    ("1. Positive\n2. Negative\n3. Positive", "0 1 0"),
    ("- Positive: 1, 3\n- Negative: 2", "0 1 0"),
    ("Positive: Text 1, Text 3\nNegative: Text 2", "0 1 0"),
    ("positive = [1, 3]\nnegative = [2]", "0 1 0"),
    ("<think>[2]?</think>```json\n{\"positive\": [1, 3], \"negative\": [2]}\n```", "0 1 0"),
    ('{"positive": [1, 3], "negative": [2]}\n\nExplanation: text 2 has 1 flaw.', "0 1 0"),
]  # fmt: skip


@each(("reply", "expected"), INDICES)
def test_indices_for_several_texts(reply: str, expected: str) -> None:
    assert shape(reply, 3, "index_json") == expected


HOSTILE = (
    *("not ", "1: ", "A, ", "_", "* ", "\n", "yes or ", "is ", '{"a": ', "<think>", "Ann "),
    *("\\boxed{", "Texts 1 and ", "neither "),
)


@each("part", HOSTILE)
def test_long_hostile_replies_are_read_in_every_format(part: str) -> None:
    reply = (part * 16_000)[:16_000]
    for found in (
        read(reply, "yes_no", JUDGED, Proposed("Sydney", "correct")),
        read(reply, "letters", COLOURS),
        read(reply, "free", NAMES, WithheldGold("Rick")),
    ):
        assert (found.status == "answer") == bool(found.positions)
    assert len(shape(reply, 3, "label_lines").split()) == 3
    assert len(shape(reply, 3, "index_json").split()) == 3
