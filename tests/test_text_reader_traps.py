"""Traps that readers of multiple-choice answers fall into, with strings that must and must not
be read as a choice."""

from __future__ import annotations

import string

import pytest

from horsesense.readers.text import TextReader

READER = TextReader()
SPORTS = ("cricket", "golf", "tennis", "squash")
NUMBERS = ("12", "3", "7", "4")
LETTERS = tuple(string.ascii_uppercase)
EXTRA = (*SPORTS, "Refused", "No correct answer is given", "I do not know")
CELLS = ("B cells", "T cells", "A-type cells", "mast cells")
LONG = (
    "A combination of heat and pressure",
    "The movement of plates along a fault",
    "C. difficile in the gut",
    "A golf course near the sea",
)
YES_NO = ("Yes", "No")


def read(response, options=SPORTS, labels=None, **rest):
    return READER.read(response, options, LETTERS[: len(options)] if labels is None else labels, **rest)


def outcome(response, options=SPORTS, labels=None, **rest):
    """The chosen slots as letters, else the status."""
    reading = read(response, options, labels, **rest)
    return "".join(LETTERS[s] for s in reading.slots) or reading.status


TRAPS = {
    "letter in many dresses": [
        ("B", "B"), ("B.", "B"), ("(B)", "B"), ("B)", "B"), (" b", "B"), ("b.", "B"), ("[B]", "B"),
        ("**B**", "B"), ("`B`", "B"), ("<B>", "B"), ("B\n\nBecause of the lawn.", "B"),
        ("ANSWER: $B$", "B"), ("$\\boxed{B}$", "B"), ("\\boxed{\\text{B}}", "B"),
        ("\\boxed{(B)}", "B"), ("\\boxed{\\text{(B) golf}}", "B"), ("\\(B\\)", "B"),
        ("The answer is \\(\\boxed{\\mathrm{B}}\\).", "B"), ("<answer>B</answer>", "B"),
        ("<answer>(B) golf</answer>", "B"), ("<final_answer>\nB\n</final_answer>", "B"),
        ('{"answer": "B"}', "B"), ('{"answer_choice": "B. golf", "sure": 1}', "B"),
        ('```json\n{"reason": "A is dull", "answer": "B"}\n```', "B"), ("{'choice': 'b'}", "B"),
        ('{"answer": "golf"}', "B"), ('{"step": "Option A looks right", "answer": "B"}', "B"),
        ("Option B", "B"), ("Option (b)", "B"), ("option b.", "B"), ("Choice B:", "B"),
        ("Answer (B)", "B"), ("Answer B", "B"), ("#### B", "B"), ("→ B", "B"), ("B golf", "B"),
        ("B - golf", "B"), ("B: golf", "B"), ("B, golf.", "B"), ("(B golf)", "B"),
        ("\u200bB\u200b", "B"), ("B\x00", "B"), ("B\r\n", "B"), ("- B", "B"), ("* B. golf", "B"),
        ("I choose B.", "B"), ("I'd go with (B).", "B"), ("My answer would be B", "B"),
        ("I would select option B. golf.", "B"), ("Sure! The answer is:\n\nB. golf", "B"),
        ("Final Answer: B", "B"), ("## Final Answer\n\nB", "B"), ("### Answer:\n**B. golf**", "B"),
        ("**Answer:** B", "B"), ("**Answer: B**", "B"), ("Correct option: B", "B"),
        ("The correct option is **B**.", "B"), ("The answer is: **(B)**", "B"),
        ("The answer is **(B) golf**.", "B"), ("The **correct** answer is **B. golf**.", "B"),
        ("(B) is correct.", "B"), ("B is the correct answer.", "B"), ("Therefore, B.", "B"),
        ("So the answer must be B", "B"), ("It's B.", "B"), ("Hence (B).", "B"),
        ("The best choice here is clearly option B, since clubs are used.", "B"),
        ("Letter: B", "B"), ("The game in question is (B).", "B"), ("Correct: B", "B"),
    ],
    "bold letter, then the text outside": [
        ("**C**. 7", "C", NUMBERS), ("**C.** 7", "C", NUMBERS), ("**C**. 12", "ambiguous", NUMBERS),
        ("**C.** tennis\n\nA racket is used.", "C"), ("**C**\n\nA racket is used.", "C"),
        ("**C. tennis** is played with a racket.", "C"), ("**(C)** tennis", "C"),
    ],
    "letter before another option's text": [
        ("B. 4", "ambiguous", NUMBERS), ("The answer is B. 4", "ambiguous", NUMBERS),
        ("B. 3", "B", NUMBERS), ("B. 4 apples are left, so 3 were eaten.", "B", NUMBERS),
        ("B. tennis", "ambiguous"), ("(A) golf", "ambiguous"), ("The answer is D: tennis.", "ambiguous"),
        ("B. a game with clubs", "B"), ("B. golf, unlike tennis", "B"),
    ],
    "the article a": [
        ("A golf course has holes.", "illegal", NUMBERS), ("A racket is needed for this.", "illegal"),
        ("A club is used to hit a ball, so it is golf.", "B"), ("The answer is a game.", "illegal"),
        ("The answer is a racket sport with a net", "truncated"), ("a ball", "truncated"),
        ("A player hits a ball.", "illegal"), ("A.", "A"), ("A", "A"), ("a", "A"), ("A is right.", "A"),
        ("A because of the bat", "A"), ("The answer is A", "A"), ("The answer is A because of bats.", "A"),
        ("The answer is a.", "A"), ("The answer is (a)", "A"), ("A cricket", "A"),
        ("A combination of heat and pressure", "A", LONG), ("A golf course near the sea", "D", LONG),
        ("The answer is A golf course near the sea.", "D", LONG),
        ("The answer is a combination of heat and pressure.", "A", LONG),
    ],
    "a word in place of a letter": [
        ("Answer seems...", "illegal"), ("Answer seems hard to give", "truncated"),
        ("Answering this is hard.", "illegal"), ("Both teams bat.", "illegal"),
        ("Definitely a hard one.", "illegal"), ("Choose wisely.", "illegal"),
        ("Answer depends on the rules.", "illegal"), ("Answer: depends.", "illegal"),
        ("Because of it.", "illegal"), ("Dear user, thanks.", "illegal"),
        ("The answer is based on rules.", "illegal"),
    ],
    "a letter that belongs to a name": [
        ("Vitamin C is needed.", "illegal"), ("This is about hepatitis B.", "illegal"),
        ("The answer is B cells.", "A", CELLS), ("B cells", "A", CELLS), ("B cells.", "A", CELLS),
        ("The answer is B", "B", CELLS), ("A-type cells", "C", CELLS), ("B-cells", "A", CELLS),
        ("C. difficile in the gut", "C", LONG), ("D-glucose is sweet.", "illegal"),
        ("Plan B was used.", "illegal"), ("The answer is C-reactive protein.", "illegal"),
        ("B's garden", "truncated"), ("It was C++ all along.", "illegal"), ("Use C(n, k).", "illegal"),
    ],
    "the pronoun I": [
        ("I think the answer is B.", "B", LETTERS[:9]), ("I am sure it's (I).", "I", LETTERS[:9]),
        ("I would choose I.", "I", LETTERS[:9]), ("I", "I", LETTERS[:9]), ("I.", "I", LETTERS[:9]),
        ("Answer: I", "I", LETTERS[:9]), ("I like games.", "illegal", tuple("pqrstuvwx")),
        ("Answer: I think C.", "C", LETTERS[:9]), ("I believe in sports.", "illegal", tuple("pqrstuvwx")),
    ],
    "other languages": [
        ("Antwort: C", "C"), ("Die richtige Antwort ist C.", "C"), ("Die Antwort lautet (C).", "C"),
        ("La respuesta correcta es C.", "C"), ("Respuesta: C", "C"), ("La réponse est C.", "C"),
        ("Réponse : C", "C"), ("La risposta corretta è C", "C"), ("A resposta correta é C.", "C"),
        ("Ответ: C", "C"), ("答案：C", "C"), ("答案是C。", "C"), ("正确答案是 C。", "C"), ("正解はCです。", "C"),
        ("정답: C", "C"), ("정답은 C입니다.", "C"), ("الإجابة: C", "C"), ("উত্তর C", "truncated"),
        ("Die Antwort ist schwer.", "illegal"), ("La respuesta es difícil.", "illegal"),
        ("Het antwoord is C.", "C"), ("Svar: C", "C"), ("Cevap: C", "C"), ("因此选C", "C"),
    ],
    "none of them": [
        ("None of the above", "none"), ("None of the above.", "none"), ("None of these options is right.", "none"),
        ("The answer is none of the above.", "none"), ("Answer: None of the above", "none"),
        ("None of the options A, B, C, or D is the correct answer.", "none"),
        ("There is no correct answer among the options.", "none"),
        ("The correct answer is not listed.", "none"), ("The correct answer is **not** given.", "none"),
        ("It cannot be determined from the information given.", "none"),
        ("There is not enough information to answer.", "none"),
        ("The passage does not say anything about this, so I cannot answer the question.", "none"),
        ("None of the above", "D", ("red", "blue", "green", "None of the above")),
        ("None of the other options is correct, so the answer is B.", "B"),
        ("D. None of the above", "D", ("red", "blue", "green", "None of the above")),
        ("There is no correct answer.", "F", EXTRA), ("It cannot be determined.", "C", ("Ann", "Tom", "Can't be determined")),
        ("B. golf. None of the other games uses clubs.", "B"),
        ("Keine der Antworten ist richtig.", "none"),
    ],
    "refusals and not knowing": [
        ("I cannot provide an answer to this question as it goes against ethical standards.", "refusal"),
        ("I apologize, but I cannot choose any of the options, as it is not appropriate.", "refusal"),
        ("I'm sorry, but I can't help with that.", "refusal"), ("I won't answer that.", "refusal"),
        ("As an AI language model, I do not have personal opinions.", "refusal"),
        ("I cannot answer that.", "E", EXTRA), ("I do not know.", "unknown"), ("I don't know the answer.", "unknown"),
        ("I do not know", "G", EXTRA), ("Refused", "E", EXTRA), ("I'm not sure.", "unknown"),
        ("I cannot give a letter for this harmful question, with cricket or otherwise.", "refusal"),
        ("I'm sorry for the delay! The answer is B.", "B"), ("I can't be sure, but I would choose B.", "B"),
        ("Lo siento, no puedo responder a esa pregunta.", "refusal"),
        ("Ich kann diese Frage nicht beantworten.", "refusal"),
    ],
    "a choice that is withdrawn": [
        ("A ... wait, it is C", "C"), ("A. Wait, no, it's C.", "C"), ("The answer is A. Actually, it's C.", "C"),
        ("A. cricket\n\nCorrection: C. tennis", "C"), ("B. No, sorry, C.", "C"),
        ("The answer is A. Hmm, let me re-check. The answer is C.", "C"),
        ("At first I thought the answer is A, but the correct answer is C.", "C"),
        ("A. cricket is wrong; on second thought, the answer must be (C).", "C"),
        ("A. cricket. Wait for the bus is another matter.", "A"), ("C. Actually a fine game.", "C"),
    ],
    "the last answer of a chain of thought": [
        ("Suppose the answer is A. Then bats are used. But clubs are used. So the answer is B.", "B"),
        ("Let's see. A. cricket: bats, wrong.\nB. golf: clubs, right.\nC. tennis: no.\n\nThe answer is B.", "B"),
        ("Option A is about bats. Option C is about rackets. Therefore, the correct answer is B.", "B"),
        ("Looking at each option:\nA. cricket is incorrect.\nB. golf is plausible.\nC. tennis is incorrect.\n"
         "D. squash is incorrect.\n\nThus the best answer is **B. golf**", "B"),
        ("First answer: A\nSecond look. Final answer: B", "B"),
        ("Walker Cup... clubs... so (B) golf", "B"),
    ],
    "negations": [
        ("The correct answer is not B but D.", "D"), ("The answer is not A, it's B.", "B"),
        ("The answer is not B.", "illegal"), ("Not B.", "illegal"), ("B is not correct.", "illegal"),
        ("It is D rather than B.", "D"), ("B, not A.", "B"), ("Option A is incorrect. Option B is correct.", "B"),
        ("The answer isn't A; it is B.", "B"), ("B is incorrect.", "illegal"), ("The answer can't be A. It is B.", "B"),
        ("Eliminate A and C. Choose B.", "B"), ("Why not A? Because the answer is B.", "B"),
    ],
    "options quoted one by one and all rejected": [
        ("A is wrong. B is wrong. C is wrong. D is wrong.", "none"),
        ("(A) is incorrect, (B) is incorrect, (C) is incorrect and (D) is incorrect.", "none"),
        ("A. cricket - incorrect\nB. golf - incorrect\nC. tennis - incorrect\nD. squash - incorrect", "none"),
        ("A. cricket - incorrect\nB. golf - correct\nC. tennis - incorrect\nD. squash - incorrect", "B"),
    ],
    "only the option's text": [
        ("golf", "B"), ("Golf.", "B"), ("It is golf.", "B"), ("The Walker Cup is a trophy in golf.", "B"),
        ("**Golf**", "B"), ("The answer is golf.", "B"), ('The answer is "golf".', "B"),
        ("golf or tennis", "ambiguous"), ("gulf", "truncated"), ("golfing", "truncated"),
        ("Golf, not tennis.", "B"), ("Answer: Golf", "B"), ("The movement of plates along a fault", "B", LONG),
        ("Yes, it does.", "A", YES_NO), ("No.", "B", YES_NO), ("No, because yes-men lie.", "B", YES_NO),
        ("4", "D", NUMBERS), ("The answer is 4.", "D", NUMBERS), ("The result is -4.", "illegal", NUMBERS),
        ("The answer is 44.", "illegal", NUMBERS), ("4.5", "truncated", NUMBERS),
    ],
    "several letters": [
        ("A and B", "ambiguous"), ("A or B", "ambiguous"), ("A, B and C", "ambiguous"), ("The answer is A and B.", "ambiguous"),
        ("Both A and B are correct.", "ambiguous"), ("A/B", "ambiguous"), ("AB", "truncated"),
        ("Both A and B", "C", ("red", "blue", "Both A and B", "neither")),
        ("C. Both A and B", "C", ("red", "blue", "Both A and B", "neither")),
        ("A. cricket or B. golf, but the cup is named, so the answer is B. golf.", "B"),
    ],
    "a letter that is not among the options": [
        ("E", "illegal"), ("The answer is F.", "illegal"), ("(E)", "illegal"), ("E. hockey", "illegal"),
        ("The answer is E because of sticks.", "illegal"), ("Answer: Z", "illegal"),
    ],
    "empty and cut off": [
        ("", "empty"), ("  \n\t", "empty"), ("\u200b", "empty"), ("Let us think step by step: the", "truncated"),
        ("To find the answer we first", "truncated"), ("The answer is", "truncated"), ("Answer:", "truncated"),
    ],
    "full-width and other dresses of letters": [
        ("Ｂ", "B"), ("Ｂ．", "B"), ("（Ｂ）", "B"), ("Ⓑ", "B"), ("𝐁", "B"), ("⒝", "B"), ("答案：（Ｂ）", "B"),
        ("答案は「Ｂ」です", "B"), ("B。", "B"), ("🅱", "truncated"),
    ],
    "right-to-left and control characters": [
        ("\u200fB\u200f", "B"), ("\u202bالإجابة: (B)\u202c", "B"), ("\x1b[1mB\x1b[0m", "B"), ("B\x07", "B"),
        ("الجواب هو ب", "truncated"),
    ],
    "the prompt repeated": [
        ("Question: Which?\nA. cricket\nB. golf\nC. tennis\nD. squash\nAnswer:", "truncated"),
        ("Question: Which?\nA. cricket\nB. golf\nC. tennis\nD. squash\nAnswer: B", "B"),
        ("A. cricket\nB. golf\nC. tennis\nD. squash", "ambiguous"),
        ("A. cricket\nB. golf\nC. tennis\nD. squash\n\nB. golf", "B"),
        ("A) cricket\nB) golf\nC) tennis\nD) squash\n\nI choose golf.", "B"),
    ],
}
CASES = [(name, *case) for name, cases in TRAPS.items() for case in cases]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}: {c[1][:40]!r}")
def test_trap(case):
    _, response, expected, *options = case
    assert outcome(response, *options) == expected
