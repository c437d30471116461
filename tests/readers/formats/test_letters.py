"""Replies that may choose several options, by one mechanism in files and in audits."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from horsesense.readers.recorded import read_file
from horsesense.trials.trial import Variant
from replies import read, said, several
from studies import jsonl

COLOURS = ("red", "green", "blue")
FRUIT = ("apple", "pear", "plum", "fig")
WHALES = ("whale", "shark", "bat", "eagle")
STUDY = (
    "Increase the sample size",
    "Use a placebo",
    "Stop blinding",
    "Pre-register the hypothesis",
    "Drop outliers by hand",
)
SIGNS = ("X", "X++", "X#")
REPLIES: dict[tuple[str, ...], list[tuple[str, str]]] = {
    FRUIT: [
        ("B D", "1 3"),
        ("pear, fig", "1 3"),
        ("B (pear), D (fig)", "1 3"),
        ("Every one of them.", "0 1 2 3"),
        ("All of the above.", "0 1 2 3"),
        ("1. B\n2. D", "1 3"),
        ("1. Pear\n2. Fig", "1 3"),
        ("A) apple\nC) plum", "0 2"),
        ("ABD", "0 1 3"),
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
        ("A, C (not B or D)", "0 2"),
        ("A, C (neither B nor D)", "0 2"),
        ("A, C (B or D are wrong)", "0 2"),
        ("A or B (not C)", "ambiguous"),
        ("A, C and", "truncated"),
        ("apple, plum,", "truncated"),
        ("C and A", "2 0"),
        ("A, A", "0"),
        ("", "empty"),
    ],
    COLOURS: [
        ("Red\nBlue", "0 2"),
        ("All three.", "0 1 2"),
        ("- A\n- C", "0 2"),
        ("**A**, **C**", "0 2"),
        ("A; C", "0 2"),
        ("A/C", "0 2"),
        ("A + B", "0 1"),
        ("The answers are A and C.", "0 2"),
        ("A and B only", "0 1"),
        ("Options A and C", "0 2"),
        ('{"answer": ["A", "C"]}', "0 2"),
        ('```json\n{"answers": "A, C"}\n```', "0 2"),
        ("$\\boxed{AC}$", "0 2"),
        ("**Correct answers:** A, C\n\n**Explanation:** B is wrong because grass is green.", "0 2"),
        ("A is correct. B is incorrect. C is correct.", "0 2"),
        ("A: True\nB: False\nC: True", "0 2"),
        ("- **A** ✅\n- **B** ❌\n- **C** ✅", "0 2"),
        ("| Option | Correct? |\n|---|---|\n| A | Yes |\n| B | No |\n| C | Yes |", "0 2"),
        ("All of them but C.", "0 1"),
        ("Neither A nor B, just C.", "2"),
        ("<think>A and B? No, B is out.</think>\nA, C", "0 2"),
        ("I pick A and also C.", "0 2"),
        ("[A][C]", "0 2"),
        ("The correct ones: (A) red; (C) blue.", "0 2"),
        ("☑ A ☐ B ☑ C", "0 2"),
        ("[x] red\n[ ] green\n[x] blue", "0 2"),
        ("", "empty"),
    ],
    SIGNS: [("X++, X#", "1 2"), ("X and X++", "0 1"), ("A+C", "0 2")],
    WHALES: [
        ("A and C are mammals; B is a fish and D is a bird.", "0 2|unclear"),
        ("The mammals here are the whale (A) and the bat (C).", "unclear"),
        ("**A. whale**\n**C. bat**", "0 2"),
        ("I'd choose A and C, because both nurse their young.", "0 2"),
        ('[{"option": "A", "correct": true}, {"option": "B", "correct": false}]', "0"),
        ("Everything but B and D.", "0 2"),
        ("None of the animals listed.", "none"),
        ("A and, if pressed, C.", "0|unclear|ambiguous"),
        ("Either whale or bat.", "ambiguous|unclear"),
        ("I don't know which of these are mammals.", "unknown|unclear"),
        ("I'm sorry, but I can't help with that.", "refusal|unclear"),
        ("Sharks and eagles are not; the others are.", "0 2"),
        ("The correct choices are A, C, and", "truncated|unclear"),
        ("The last two.", "2 3|unclear"),
        ("A whale is a mammal, and so is a bat. A shark is a fish. So the answer is A, C.", "0 2"),
        ("A. whale - yes, it nurses.\nB. shark - no, it is a fish.\nC. bat - yes", "0 2"),
        ("Answer: A, B. Wait, a shark is a fish. Answer: A, C.", "0 2|unclear"),
        ("A (shark), C (bat)", "ambiguous|unclear"),
        ("Option A is correct. Option C is also correct.", "0 2"),
    ],
    STUDY: [
        ("Options A, B and D would strengthen the study.", "unclear"),
        ("C and E weaken it, so A, B and D.", "0 1 3"),
        ("1. Increase the sample size\n2. Use a placebo\n3. Pre-register the hypothesis", "0 1 3"),
        ("All except C and E", "0 1 3"),
        ("Use a placebo; also pre-register the hypothesis.", "1 3"),
    ],
    ("2", "3", "4", "9", "15"): [
        ("2 and 3 are prime.", "0 1|unclear"),
        ("A, B", "0 1"),
        ("4, 9, 15", "2 3 4"),
    ],
    ("O(n)", "O(log n)", "O(n^2)"): [
        ("O(n) and O(log n), but not O(n^2)", "0 1"),
        ("A is false. B is true. C is false.", "1"),
    ],
}  # fmt: skip
"""Options, and replies with their positions or status (several that will do apart by "|")."""


@pytest.mark.parametrize("options", REPLIES)
def test_several_options(options: tuple[str, ...], tmp_path: Path) -> None:
    shown = Variant(
        "q", "?", options, tuple("ABCDE"[: len(options)]), tuple(range(len(options))), 0
    )
    rows = [
        {"options": options, "response": reply, "finish_reason": "stop"}
        for reply, _ in REPLIES[options]
    ]
    path = jsonl(tmp_path / "replies.jsonl", rows)
    in_file = read_file(path, multiple=True)
    for (reply, expected), row in zip(REPLIES[options], in_file, strict=True):
        found = read(reply, "letters", shown, finish="stop")
        assert said(found) in expected.split("|"), (reply, said(found))
        assert found.status != "unclear" or found.confidence < 0.6
        assert row.reading == found, reply


def test_an_option_that_says_all_of_the_above_is_that_option() -> None:
    for reply in ("All of the above", "C. All of the above"):
        assert said(several(reply, "red", "green", "All of the above")) == "2"


def test_long_replies_take_time_in_proportion() -> None:
    """What was quadratic once: every one of these would take minutes."""
    before = process_time()
    for unit in (",", "A, ", "not ", "but A ", "1: ", '{"a":', "[true,"):
        several(unit * (100_000 // len(unit)), *FRUIT)
    assert process_time() - before < 60
