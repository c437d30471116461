"""Replies as families of models write them, for letters, digits, small letters, signs and texts."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

READER = TextReader()
NAMES = "ABCDEFGHIJ"
SPORTS = ("cricket", "golf", "tennis", "squash")
EXTRA = (
    *("No correct answer is given", "golf", "Refused", "tennis", "I do not know", "cricket"),
    "squash",
)
MORALS = ("Wrong, Wrong", "Not wrong, Wrong", "Wrong, Not wrong", "Not wrong, Not wrong")
ROMAN = ("I only", "II only", "I and II only", "I, II, and III")
MATHS = ("$\\frac{1}{2}$", "$\\frac{1}{4}$", "0.75", "2")
EVEN = ("2", "4", "6", "8")
INTENTS = (
    *("activate_my_card", "age_limit", "Refund_not_showing_up", "reverted_card_payment?"),
    "card_not_working",
)
NLI = ("entailment", "neutral", "contradiction")
YES_NO = ("yes", "no")
DIGITS, SMALL, SIGNS, KEYS = "1234", "abcd", "§¶†‡", "$&#@"

BOLD = [
    ("The answer is **B. golf**.\n\nThe Walker Cup is a golf trophy.", "B"),
    ("**B. golf**\n\n**Explanation:**\n\nIt is golf. Tennis is played in the Davis Cup.", "B"),
    ("Sure, here is the answer to the question:\n\n**B. golf**", "B"),
    ("The correct answer is **(B)** golf.", "B"),
    ("The answer is: **(B)**\n\nExplanation: golf.", "B"),
    ("**The answer is (B).**", "B"),
    ("The cup is contested by amateur golfers. Therefore, the correct answer is **B**.", "B"),
    ("- **A (cricket)**: no.\n- **B (golf)**: yes.\n- **C (tennis)**: no.\n\n**Answer: B**", "B"),
    ("The text says nothing of the cup.\n\n**B**", "B"),
]
SPECIAL = [
    ("The text does not provide any information, therefore I cannot answer.", "none", SPORTS),
    ("The text does not provide any information, so I cannot answer this question.", "A", EXTRA),
    ("I do not have access to any information on this, so I cannot answer it.", "none", SPORTS),
    ("The provided text is short.\n\nThe answer is **No correct answer is given**.", "A", EXTRA),
    ("The answer is I do not know.", "E", EXTRA),
    ("**I do not know.** The text does not say.", "E", EXTRA),
    ("**Refused.** This question is offensive.", "C", EXTRA),
    ("Sure, here is my answer:\n\n**C. Refused**\n\nThis is offensive", "C", EXTRA),
    ("I am unable to provide an answer to this question.", "refusal", SPORTS),
]
REASONED = [
    ("B\n\nIt is golf. Option A would be correct if the question asked about the Ashes.", "B"),
    ("The answer is (B) golf. The answer would be (A) if the Ashes were asked.", "B"),
    ("The correct answer is B.\n\nA is incorrect because cricket has the Ashes.", "B"),
    ("<think>Maybe A? No. It's golf so B.</think>\n\nB", "B"),
    ("<think>The answer might be A or C.</think>\nThe answer is B.", "B"),
    ("The answer must be A</think>\n\n**B**", "B"),
    ("<think>The answer is A. Or perhaps", "truncated"),
    ("I recall golf. So the answer is B. Wait, is it? Yes, so B is right.\n\nB", "B"),
    ("A. cricket is not tied to it. B. golf is tied to the cup. C. tennis is not.", "B"),
    ("A and C are incorrect, leaving B.", "B"),
    ("Neither A nor C. It's B.", "B"),
    ("Option A: cricket\nOption B: golf\n\nThe correct one is Option B.", "B"),
    ("B\n\nQuestion: Next?\nA. x\nB. y\nAnswer: C", "B"),
    ("B. golf\n\nQuestion: What is 2+2?\nA. 3\nB. 4\nC. 5\nD. 6\nAnswer: C", "B"),
    ("Among the given options, golf is the sport associated with the Walker Cup.", "B"),
    ("The Walker Cup is a golf trophy; cricket, tennis and squash have others.", "ambiguous"),
    ("It's either A or B.", "ambiguous"),
    ("Answer: B or C", "ambiguous"),
    ("It is not A.", "illegal"),
]
ABROAD = [
    *("La bonne réponse est B. golf", "La respuesta correcta es la opción B) golf", "Respuesta: B"),
    *("A resposta correta é a letra B.", "La risposta corretta è la B: golf.", "Ответ: B"),
    *("正确答案是B。", "因此,正确的选项是B。", "选B", "正解はBです。", "答えは B です。"),
    "정답은 B입니다.",
    *("Правильный ответ — B) golf.", "Die Antwort lautet B.", "सही उत्तर B है।"),
    *("सही विकल्प B है।", "الإجابة الصحيحة هي B.", "Đáp án đúng là B."),
    *("Het juiste antwoord is B.", "התשובה הנכונה היא B.", "คำตอบคือ B"),
    *("Prawidłowa odpowiedź to B.", "Det rätta svaret är B."),
    "<think>A? No, the cup is for golf.</think>\n\n答案是 B。",
]
FAMILIES = [
    ("* **A)** Incorrect. The Ashes.\n* **B)** Correct. It is golf.\n* **C)** Incorrect.", "B"),
    ("A: Incorrect.\nB: Incorrect.\nC: Correct!\nD: Incorrect.", "C"),
    ("✅ **Correct answer: B. golf**\n\n❌ A. cricket\n❌ C. tennis", "B"),
    ("It isn't A. It isn't C either. D makes no sense. That leaves B.", "B"),
    ("B... no, actually C.", "C"),
    ("Selected: B", "B"),
    *((reply, "B") for reply in ("I take B, then.", "I'll take (B).")),
    ("I take it that A and C are wrong, so B.", "B"),
    *((reply, "B") for reply in ("👉 B", "• B", "The answer is 👉 B", "Answer: ✔️ B", "B 👍")),
    *((reply, "illegal") for reply in ("👉 F", "C++", "B#", "E 👍")),
    ("Both A and C could be correct.", "ambiguous"),
    ("Lo siento, pero no puedo ayudar con eso.", "refusal"),
    ("很抱歉,我无法回答这个问题。", "refusal"),
    ("以上都不是。", "none"),
]
SHORT = [
    *("My final answer is B", "I'm going with B.", "I'd say B.", "Probably B.", "B is my answer."),
    *("That would be B.", "Answer choice B", "The answer is option B: golf", "Best answer: B"),
    *('The right option would be "B".', "The answer to the question is golf (B).", "golf (B)"),
    *("Answer - B", "Answer=B", "Selected option: B", "Reasoning: ...\n\nB", "[[B]]", "{B}"),
    *("'B'", "B!", "B...", "B\nB\nB", "The final answer is B. I hope it is correct.", "(B), golf"),
    *("$$\\boxed{B}$$", "**Final Answer**\nB", "It should be option (B).", "Choice: B"),
]
CASES = [
    *((reply, want, SPORTS, None) for reply, want in BOLD + REASONED + FAMILIES),
    *((reply, want, options, None) for reply, want, options in SPECIAL),
    *((reply, "B", SPORTS, None) for reply in SHORT + ABROAD),
    ("A. Correct", "A", ("Correct", "Incorrect"), None),
    ("B. Incorrect.", "B", ("Correct", "Incorrect"), None),
    ("The answer is **C. Wrong, Not wrong**.", "C", MORALS, None),
    ("Wrong, Not wrong", "C", MORALS, None),
    ("**Not wrong, Wrong**\n\nThe first is not wrong.", "B", MORALS, None),
    ("The answer is I and II only.", "C", ROMAN, None),
    ("II only.", "B", ROMAN, None),
    ("Statement I is true, II is true, III is false. So the answer is C.", "C", ROMAN, None),
    ("\\boxed{\\frac{1}{4}}", "B", MATHS, None),
    ("So the answer is $\\boxed{\\textbf{(B)}\\ \\frac14}$.", "B", MATHS, None),
    ("The answer is $\\frac{1}{2}$.", "A", MATHS, None),
    ("So $x = 2$, which is option D.", "D", MATHS, None),
    ("2", "B", SPORTS, DIGITS),
    ("The answer is 2.", "B", SPORTS, DIGITS),
    ("(2) golf", "B", SPORTS, DIGITS),
    ("There are 2 players.", "illegal", SPORTS, DIGITS),
    ("5", "illegal", SPORTS, DIGITS),
    ("The answer is 12.", "illegal", SPORTS, DIGITS),
    ("4", "ambiguous", EVEN, DIGITS),
    ("1. 2", "A", EVEN, DIGITS),
    ("b", "B", SPORTS, SMALL),
    ("(b) golf", "B", SPORTS, SMALL),
    ("the answer is b", "B", SPORTS, SMALL),
    ("The answer is a.", "A", SPORTS, SMALL),
    ("The answer is a ball game.", "illegal", SPORTS, SMALL),
    ("¶", "B", SPORTS, SIGNS),
    ("The answer is †.", "C", SPORTS, SIGNS),
    ("**†**", "C", SPORTS, SIGNS),
    ("(‡) squash", "D", SPORTS, SIGNS),
    ("$", "A", SPORTS, KEYS),
    ("The answer is &.", "B", SPORTS, KEYS),
    ("# tennis", "C", SPORTS, KEYS),
    ("refund not showing up", "C", INTENTS, ""),
    ("`reverted_card_payment?`", "D", INTENTS, ""),
    ("reverted card payment", "D", INTENTS, ""),
    ("The label is: age-limit.", "B", INTENTS, ""),
    ('{"label": "age_limit"}', "B", INTENTS, ""),
    ("card not working or activate my card", "ambiguous", INTENTS, ""),
    ("lost_card", "illegal", INTENTS, ""),
    ("This is a contradiction.", "C", NLI, ""),
    ("It is not a contradiction but neutral.", "B", NLI, ""),
    ("neutral, not entailment", "B", NLI, ""),
    ("The argument is invalid.", "B", ("valid", "invalid"), ""),
    ("Final answer: no", "B", YES_NO, ""),
    ("The answer is yes, no doubt.", "A", YES_NO, ""),
    ("A yes or no is too simple here.", "illegal", YES_NO, ""),
]


@pytest.mark.parametrize(
    ("reply", "want", "options", "labels"), CASES, ids=[repr(case[0])[:50] for case in CASES]
)
def test_reply(reply, want, options, labels):
    shown = NAMES[: len(options)] if labels is None else labels
    reading = READER.read(reply, options, shown)
    found = "".join(NAMES[position] for position in reading.positions) or reading.status
    assert found in (want, "unclear")


def test_nearly_all_of_these_replies_are_clear():
    shown = [(case, NAMES[: len(case[2])] if case[3] is None else case[3]) for case in CASES]
    read = [READER.read(reply, options, labels) for (reply, _, options, _), labels in shown]
    assert sum(reading.status != "unclear" for reading in read) >= 0.89 * len(CASES)


def test_six_and_twenty_options():
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    options = [f"item number {i}" for i in range(26)]
    for position, letter in enumerate(letters):
        for reply in (
            letter,
            f"The answer is ({letter}).",
            f"**{letter}.** item number {position}",
        ):
            assert READER.read(reply, options, letters).positions == (position,), reply
