"""Yes or no to one proposed answer: whose word it is, what turns it, and what it judges."""

from __future__ import annotations

import time

from each import each
from replies import judged, said

REPLIES = [
    ("True", "0"),
    ("Yes, because it fits.", "0"),
    ("No one knows, but the answer is correct.", "0"),
    ("Not correct.", "1"),
    ("It isn't correct.", "1"),
    ("Y", "0"),
    ("n.", "1"),
    ("(y)", "0"),
    ("Nope, that's off.", "1"),
    ("Absolutely.", "0"),
    ("Definitely not.", "1"),
    ("That’s wrong.", "1"),
    ("The proposed answer isn't right: it should be Canberra.", "1"),
    ("The proposed answer isn't wrong.", "0"),
    ("It is.", "0"),
    ("It is not.", "1"),
    ("Indeed it is.", "0"),
    ("It sure is.", "0"),
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
    ("I cannot determine that.", "unknown"),
    ("I'm not sure whether it's correct.", "unknown"),
    ("Yes and no.", "ambiguous"),
    ("Yes or no", "ambiguous"),
    ("Yes, it is not correct", "ambiguous"),
    ("I'm sorry, I cannot answer that question with a simple yes or no.", "refusal"),
    ("The proposed answer is partially correct.", "ambiguous"),
    ("Negative.", "1"),
    ("✅", "0"),
    ("❌ Incorrect", "1"),
    ("Nein, das stimmt nicht.", "1"),
    ("Sí.", "0"),
    ("否", "1"),
    ("", "empty"),
    # A word that says less than it seems.
    ("No question, yes.", "0"),
    ("No doubt about it: correct.", "0"),
    ("No doubt, it is wrong.", "1"),
    ("It can't be said that this is wrong.", "ambiguous"),
    ("I don't think that this is correct.", "1"),
    ("N/A", "unclear"),
    ("No puedo responder.", "unclear"),
    ("No se puede saber.", "unknown"),
    # Names of values.
    ("Yes: 0.1, No: 0.9", "1"),
    ('{"no": 0.25, "yes": 0.75}', "0"),
    ("Yes? No.", "1"),
    ('{"yes": false, "no": true}', "1"),
    ("Yes: it is correct.", "0"),
    ("No: wrong.", "1"),
    # Whose word it is.
    ("I'd say no, though some would say yes.", "1"),
    ("I'd answer no. A tourist would say yes.", "1"),
    ("My teacher said no, I say yes", "0"),
    ("I'd like to say yes, but no.", "1"),
    ("Can't say no to that: it's right.", "0"),
    ("I am inclined to say no.", "1"),
    ("I think it's safe to say yes.", "0"),
    ("If asked, I would have to say no.", "1"),
    ("Gotta say no.", "1"),
    ("I wouldn't say yes.", "unclear"),
    ("I can't say yes to that.", "unclear"),
    ("It'd be wrong to say yes.", "unclear"),
    ("One would say no.", "unclear"),
    ("Should I say yes?", "unclear"),
    ("I'd say yes and no.", "ambiguous"),
    # An answer by case is none.
    ("Yes, if you mean the largest city; no otherwise.", "ambiguous"),
    ("Yes, unless you mean the state; then no.", "ambiguous"),
    ("No if it is the first one, yes otherwise.", "ambiguous"),
    ("I'd say yes if it is signed, otherwise no.", "ambiguous"),
]  # fmt: skip


@each(("reply", "expected"), REPLIES)
def test_yes_or_no(reply: str, expected: str) -> None:
    assert said(judged(reply)) == expected


@each(
    ("reply", "expected"),
    [
        ("Yes", "0"),
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
def test_where_it_is_asked_whether_an_answer_is_wrong(reply: str, expected: str) -> None:
    assert said(judged(reply, "wrong")) == expected


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
    assert said(judged(reply, quality)) == ("0" if holds == (quality == "correct") else "1")


def test_a_reply_that_is_cut_off_as_it_goes_back_has_not_answered() -> None:
    assert judged("No, wait", finish="length").status == "truncated"
    assert said(judged("No, it is not. The painter", finish="length")) == "1"


def test_sayings_without_end_take_time_in_proportion() -> None:
    """What was quadratic once: this would take minutes."""
    assert said(judged("say yes " * 8_000)) == "0"
    assert judged("they say yes. " * 5_000).status == "unclear"


@each("begin", ["Well", "the correct answer is", '{"answer": "'])
@each("line", ["\n", " \n", "- \n", "✅", "<think>\n"])
def test_lines_without_a_word_are_tried_once(begin: str, line: str) -> None:
    """A row of them took time with its square: a minute and more for some of these."""
    start = time.process_time()
    judged(begin + line * (60_000 // len(line)) + 'a"}')
    assert time.process_time() - start < 3
