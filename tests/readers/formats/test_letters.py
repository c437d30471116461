"""Replies that may choose several options, by one mechanism in files and in audits."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

from each import each
from horsesense.models.messages import Response
from horsesense.readers.formats.letters import read_several
from horsesense.readers.reading import Reading
from horsesense.readers.recorded import read_file
from horsesense.readers.text import TextReader
from horsesense.readers.text_answers import TextAnswers
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant

FRUIT = ("apple", "pear", "plum", "fig")
REPLIES = [
    ("B D", "1 3"),
    ("pear, fig", "1 3"),
    ("B (pear), D (fig)", "1 3"),
    ("Every one of them.", "0 1 2 3"),
    ("All of the above.", "0 1 2 3"),
    ("1. B\n2. D", "1 3"),
    ("1. Pear\n2. Fig", "1 3"),
    ("A) apple\nC) plum", "0 2"),
    ("ABD", "0 1 3"),
    ("A,B,D.", "0 1 3"),
    ("b and d", "1 3"),
    ("A through C", "0 1 2"),
    ("A-C", "0 1 2|0 2|unclear|ambiguous"),
    ("all but A", "1 2 3"),
    ("everything except the plum", "0 1 3"),
    ("A is out, so B, C and D.", "1 2 3"),
    ('["B","D"]', "1 3"),
    ('{"A": true, "B": false, "C": true, "D": false}', "0 2"),
    ("A ✓ B ✗ C ✓ D ✗", "0 2"),
    ("A: yes\nB: no\nC: no\nD: yes", "0 3"),
    ("None apply.", "none"),
    ("No option.", "none"),
    ("A, E", "illegal"),
    ("I can't tell.", "unknown|unclear"),
    ("The first and the third.", "0 2"),
    ("Pears and figs.", "1 3"),
    ("B. pear and D. fig", "1 3"),
    ("Correct: B, D. Incorrect: A, C.", "1 3"),
    ("Not A, not C. The rest are fine.", "1 3"),
    ("Both.", "illegal|unclear|ambiguous"),
    ("<think>A, B</think>C", "2"),
    ("Just C", "2"),
    ("B or D", "ambiguous|unclear|illegal"),
    ("apple; plum", "0 2"),
    ("• apple\n• plum", "0 2"),
    ("A and maybe B", "ambiguous|unclear|0 1|0"),
    ("D, B", "1 3|3 1"),
    ("A=1,B=0,C=1,D=0", "0 2"),
    ("\\boxed{B, D}", "1 3"),
    ("Answers: B & D", "1 3"),
    ("A C", "0 2"),
    ("apple, pear", "0 1"),
    ("A (apple), B (pear)", "0 1"),
    ("All of the above", "0 1 2 3"),
    ("1. A\n2. C", "0 2"),
    ("Both A and C", "0 2"),
]
"""A reply, and its positions or status (several that will do apart by "|")."""

W = ("whale", "shark", "bat", "eagle")
G = (
    "Increase the sample size",
    "Use a placebo",
    "Stop blinding",
    "Pre-register the hypothesis",
    "Drop outliers by hand",
)
N = ("2", "3", "4", "9", "15")
C = ("O(n)", "O(log n)", "O(n^2)")
BLIND = [
    (W, "A and C are mammals; B is a fish and D is a bird.", "0 2|unclear"),
    (W, "whale & bat", "0 2"),
    (W, "The mammals here are the whale (A) and the bat (C).", "0 2"),
    (W, "**A. whale**\n**C. bat**", "0 2"),
    (W, "Correct answers: A, C", "0 2"),
    (W, "I'd choose A and C, because both nurse their young.", "0 2"),
    (W, "- [x] whale\n- [ ] shark\n- [x] bat\n- [ ] eagle", "0 2"),
    (W, "| Option | Mammal? |\n|---|---|\n| A | yes |\n| B | no |\n| C | yes |\n| D | no |", "0 2"),
    (W, '```json\n{"answers": ["A", "C"]}\n```', "0 2"),
    (
        W,
        '[{"option": "A", "correct": true}, {"option": "B", "correct": false}, {"option": "C", "correct": true}, {"option": "D", "correct": false}]',  # noqa: E501
        "0 2",
    ),
    (W, "Everything but B and D.", "0 2"),
    (W, "Only the bat.", "2"),
    (W, "None of the animals listed.", "none"),
    (W, "A and, if pressed, C.", "0|unclear|ambiguous"),
    (W, "Either whale or bat.", "ambiguous|unclear"),
    (W, "I don't know which of these are mammals.", "unknown|unclear"),
    (W, "I'm sorry, but I can't help with that.", "refusal|unclear"),
    (W, "A: True, B: False, C: True, D: False", "0 2"),
    (W, "a, c", "0 2"),
    (W, "AC", "0 2"),
    (W, "Sharks and eagles are not; the others are.", "0 2"),
    (W, "The correct choices are A, C, and", "truncated|unclear"),
    (W, "All four.", "0 1 2 3"),
    (W, "The last two.", "2 3|unclear"),
    (W, "A, C, F", "illegal"),
    (
        W,
        "A whale is a mammal, and so is a bat. A shark is a fish. An eagle is a bird. So the answer is A, C.",  # noqa: E501
        "0 2",
    ),
    (
        W,
        "Let's check each one.\nA. whale - yes, it breathes air and nurses its young.\nB. shark - no, it is a fish.\nC. bat - yes, a flying mammal.\nD. eagle - no, a bird.",  # noqa: E501
        "0 2",
    ),
    (W, "Answer: A, B. Wait, a shark is a fish. Answer: A, C.", "0 2|unclear"),
    (W, "A (shark), C (bat)", "ambiguous|unclear"),
    (W, "Option A is correct. Option C is also correct.", "0 2"),
    (G, "Options A, B and D would strengthen the study.", "0 1 3"),
    (G, "C and E weaken it, so A, B and D.", "0 1 3"),
    (G, "1. Increase the sample size\n2. Use a placebo\n3. Pre-register the hypothesis", "0 1 3"),
    (G, "All except C and E", "0 1 3"),
    (G, "Use a placebo; also pre-register the hypothesis.", "1 3"),
    (N, "2 and 3 are prime.", "0 1|unclear"),
    (N, "A, B", "0 1"),
    (N, "4, 9, 15", "2 3 4"),
    (C, "O(n) and O(log n), but not O(n^2)", "0 1"),
    (C, "A is false. B is true. C is false.", "1"),
]
"""Written after the mechanism and scored once: 35 of 40, one of them a wrong choice."""
UNREAD = frozenset((2, 30))
"""What of these is still `unclear`."""


def said(found: Reading) -> str:
    return " ".join(map(str, found.positions)) or found.status


@each(("reply", "expected"), REPLIES)
def test_an_audit_reads_several(reply: str, expected: str) -> None:
    shown = Variant("q", "?", FRUIT, tuple("ABCD"), (0, 1, 2, 3), 0)
    [found] = TextAnswers().read(Trial("p", PLAIN, 0, (shown,), "letters"), Response(reply, "stop"))
    assert said(found) in expected.split("|")
    assert found.status != "unclear" or found.confidence < 0.6


def test_a_file_is_read_as_an_audit_is(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    rows = [
        {"id": str(n), "options": FRUIT, "response": reply, "finish_reason": "stop"}
        for n, (reply, _) in enumerate(REPLIES)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    found = list(read_file(path, multiple=True))
    assert len(found) == len(REPLIES)
    for row, (reply, expected) in zip(found, REPLIES, strict=True):
        assert said(row.reading) in expected.split("|"), reply


@each("number", range(len(BLIND)))
def test_replies_that_were_scored_blind(number: int) -> None:
    options, reply, expected = BLIND[number]
    labels = tuple("ABCDE"[: len(options)])
    found = read_several(TextReader(), Response(reply, "stop"), options, labels)
    assert said(found) in ("unclear" if number in UNREAD else expected).split("|")


def test_a_list_that_goes_on_is_cut_off() -> None:
    for reply in ("A, C and", "apple, plum,"):
        found = read_several(TextReader(), Response(reply), FRUIT, tuple("ABCD"))
        assert found.status == "truncated"


def test_long_replies_take_time_in_proportion() -> None:
    """What was quadratic once: every one of these would take minutes."""
    before = process_time()
    for unit in (",", "A, ", "not ", "but A ", "1: ", '{"a":', "[true,"):
        text = unit * (100_000 // len(unit))
        read_several(TextReader(), Response(text), FRUIT, tuple("ABCD"))
    assert process_time() - before < 60
