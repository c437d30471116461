"""Replies in the form of lists, records, calculations and runs of text."""

import pytest

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

TRUTHS = ["True, True", "True, False", "False, True", "False, False"]
BLAMES = ["Wrong, Wrong", "Not wrong, Wrong", "Wrong, Not wrong", "Not wrong, Not wrong"]
ORDERS = ["1-2-3-4", "2-1-3-4", "3-1-2-4", "4-3-2-1"]
ORDER_ASKED = "Put in increasing order of size: 1. apple 2. melon 3. cherry 4. pumpkin"
MATCHES = ["P-1, Q-2", "P-2, Q-1"]
METALS = ["tin", "zinc", "lead", "iron"]
LETTERS = ["A", "B", "C", "D"]


def read(
    reply: str, options: list[str], question: str = "", labels: list[str] | None = None
) -> Reading:
    """The reading of a reply to options with letters."""
    labels = LETTERS[: len(options)] if labels is None else labels
    return TextReader().read(reply, options, labels, question=question or None)


def sure(reading: Reading) -> int | None:
    """The option that is read surely."""
    return reading.positions[0] if reading.positions and reading.confidence >= 0.9 else None


@pytest.mark.parametrize(
    ("reply", "options", "position"),
    [
        ("Statement 1: This is true of all fish.\nStatement 2: Sharks lack bone, so it is false.",
         TRUTHS, 1),
        ("The first is false, since tides have two causes. The second is true.", TRUTHS, 2),
        ("Both statements are false.", TRUTHS, 3),
        ("1. F (the sun is a star)\n2. T", TRUTHS, 2),
        ("Only the second statement is true.", TRUTHS, 2),
        ("Scenario 1: Feeding the cat is not wrong. Scenario 2: Kicking it is clearly wrong.",
         BLAMES, 1),
        ("Neither scenario is morally wrong.", BLAMES, 3),
        ("Each of the two is wrong by ordinary standards.", BLAMES, 0),
    ],
)  # fmt: skip
def test_verdicts_one_by_one_are_an_option(reply: str, options: list[str], position: int) -> None:
    assert sure(read(reply, options)) == position


@pytest.mark.parametrize(
    "reply",
    [
        "Both statements look true at first. But statement 2 is false.",
        "If statement 1 is true, then statement 2 is false.",
        "Not both are true.",
        "Both are true, right?",
        "My friend says that statement 1 is true and statement 2 is false.",
        "It is wrong that both are true.",
        "Statement 1 is true only for small groups. Statement 2 is true.",
        "The negation of statement 1 is true. Statement 2 is true.",
        "Neither of the usual counterexamples is valid.",
        "I'm sorry, but I cannot judge that. Both statements are false in my view, and harmful.",
    ],
)
def test_verdicts_that_are_not_given_choose_nothing(reply: str) -> None:
    assert sure(read(reply, TRUTHS)) is None


@pytest.mark.parametrize(
    "reply",
    [
        "Order: 3 → 1 → 2 → 4",
        "Small to large: the cherry (3), the apple (1), the melon (2), the pumpkin (4).",
        "cherry < apple < melon < pumpkin",
    ],
)
def test_an_order_in_the_replys_own_form(reply: str) -> None:
    assert sure(read(reply, ORDERS, ORDER_ASKED)) == 2


@pytest.mark.parametrize(
    "reply",
    [
        "It isn't 3 → 1 → 2 → 4.",
        "Is it 3, 1, 2, 4?",
        "3 → 1 → 2 → 4 is what many pick.",
        "The items 1, 2, 3, 4 have to be put into order.",
        "pumpkin > melon > apple > cherry, from large to small",
    ],
)
def test_an_order_that_is_no_answer(reply: str) -> None:
    assert sure(read(reply, ORDERS, ORDER_ASKED)) is None


def test_matches_in_lines() -> None:
    asked = "Match: P. kitten Q. puppy with 1. dog 2. cat"
    assert sure(read("| P. kitten | 2. cat |\n| Q. puppy | 1. dog |", MATCHES, asked)) == 1


@pytest.mark.parametrize(
    "reply",
    [
        '{"review": {"A": {"correct": false}, "B": {"correct": true}, "C": {"correct": false},'
        ' "D": {"correct": false}}}',
        '{"checks": [{"choice": "A", "valid": false}, {"choice": "B", "valid": true},'
        ' {"choice": "C", "valid": false}, {"choice": "D", "valid": false}]}',
        '[{"option": "A", "p": 0.1}, {"option": "B", "p": 0.7}, {"option": "C", "p": 0.1},'
        ' {"option": "D", "p": 0.1}]',
        '{"A": "no coating, reject", "B": "coats steel, accept", "C": "reject", "D": "reject"}',
        "```yaml\nmetal: zinc\nsure: yes\n```",
        "notes:\n  - metal: zinc\n    fits: true\n  - metal: tin\n    fits: false\n"
        "  - metal: lead\n    fits: false\n  - metal: iron\n    fits: false",
        '<function_calls>\n<invoke name="submit">\n<parameter name="choice">zinc</parameter>\n'
        "</invoke>\n</function_calls>",
        '<r>\n<option id="A" verdict="incorrect"/>\n<option id="B" verdict="correct"/>\n'
        '<option id="C" verdict="incorrect"/>\n<option id="D" verdict="incorrect"/>\n</r>',
    ],
)
def test_records(reply: str) -> None:
    assert sure(read(reply, METALS, "Which metal coats galvanised steel?")) == 1


@pytest.mark.parametrize(
    "reply",
    [
        '{"analysis": {"A": {"cheap": true}, "B": {"cheap": false}, "C": {"cheap": false},'
        ' "D": {"cheap": false}}}',
        '<tool_call>\n{"name": "search", "arguments": {"metal": "tin"}}\n</tool_call>',
        '[{"metal": "tin", "soft": 1}, {"metal": "zinc", "soft": 0}, {"metal": "lead", "soft": 0},'
        ' {"metal": "iron", "soft": 0}]',
        '{"popularity": {"A": 60, "B": 20, "C": 10, "D": 10}}',
    ],
)
def test_records_of_something_else(reply: str) -> None:
    assert sure(read(reply, METALS, "What coats galvanised steel?")) is None


@pytest.mark.parametrize(
    "reply",
    ["A: 5%\nB: 85%\nC: 7%\nD: 3%", "My estimates: zinc 85 %, lead 7 %, tin 5 %, iron 3 %.",
     "Chances:\n- tin (1 of 4): 5 %\n- zinc (2 of 4): 85 %\n- lead: 7 %\n- iron: 3 %"],
)  # fmt: skip
def test_chances(reply: str) -> None:
    assert sure(read(reply, METALS, "Which metal coats galvanised steel?")) == 1


def test_shares_are_no_chances() -> None:
    reply = "Chance of being wrong: A: 90%, B: 5%, C: 3%, D: 2%"
    assert sure(read(reply, METALS, "Which metal coats galvanised steel?")) is None


@pytest.mark.parametrize(
    ("reply", "options", "position"),
    [
        (r"\[ p = \frac{1}{2}\cdot\frac13 = \tfrac16 \]", ["1/3", "1/6", "1/2", "1/5"], 1),
        (r"$$v = 12\ \text{m}/ 4\ \text{s} = 3\ \text{m/s}$$",
         ["12 m/s", "4 m/s", "3 m/s", "48 m/s"], 2),
        ("(x+1)² − 1 = x² + 2x", ["x² − 2x", "x² + 2x", "x² + 1", "2x"], 1),
    ],
)  # fmt: skip
def test_what_the_last_equation_comes_to(reply: str, options: list[str], position: int) -> None:
    assert sure(read(reply, options)) == position


def test_a_boxed_text_in_italics() -> None:
    assert sure(read(r"It is a coating. $\boxed{\textit{zinc}}$", METALS)) == 1


@pytest.mark.parametrize(
    ("reply", "position"),
    [
        ("B. zinc\n\nWhich metal is in solder?\n\nA. tin\nB. zinc\nC. lead\nD. iron\n\nA. tin", 1),
        ("D. iron\nWhich metal coats cans of food?\nA. tin\nB. zinc\nAnswer: A. tin", 3),
        ("Assistant: zinc\nHuman: Which metal rusts?\nAssistant: iron", 1),
        ("User: Which metal coats galvanised steel?\nAssistant: zinc", 1),
    ],
)
def test_what_a_reply_runs_on_with(reply: str, position: int) -> None:
    assert sure(read(reply, METALS, "Which metal coats galvanised steel?")) == position


def test_a_question_that_the_reply_asks_itself_is_none_of_these() -> None:
    reply = "A. tin?\nWhich metal coats the steel of roofs?\n\nB. zinc does.\nC. lead does not."
    assert sure(read(reply, METALS, "Which metal coats galvanised steel?")) != 0


@pytest.mark.parametrize(
    "reply",
    ["Rating: 4\n\nI talk a lot.", "I'd put it at a 4.", "4/5", "I would rate myself as a 4."],
)
def test_places_on_a_scale(reply: str) -> None:
    scale = ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"]
    assert sure(read(reply, scale, "I am talkative.", list("12345"))) == 3


def test_a_head_that_says_something_else() -> None:
    assert sure(read("Score: positive 3, negative 5.", ["positive", "negative"])) is None


@pytest.mark.parametrize(
    "reply",
    [
        "Tin, iron and lead are metals. Glass is not a metal.",
        "Tin is a metal, so are iron and lead. Glass, by contrast, is made of sand.",
        "Glass isn't.",
    ],
)
def test_the_exception_that_is_asked_for(reply: str) -> None:
    assert sure(read(reply, ["tin", "iron", "glass", "lead"], "Which is NOT a metal?")) == 2


@pytest.mark.parametrize(
    "reply",
    ["Iron is not a noble metal.", "Tin, glass and lead melt easily. Iron does so at 1538 °C.",
     "Tin isn't the exception.", "Glass is not a metal you see often."],
)  # fmt: skip
def test_other_things_that_an_option_is_not(reply: str) -> None:
    assert sure(read(reply, ["tin", "iron", "glass", "lead"], "Which is NOT a metal?")) is None


@pytest.mark.parametrize(
    "reply",
    ["It's the second one on your list.", "The answer is the second of the four.",
     "So the right answer must be the second one."],
)  # fmt: skip
def test_a_place_that_is_chosen(reply: str) -> None:
    assert sure(read(reply, METALS, "Which metal coats galvanised steel?")) == 1


@pytest.mark.parametrize(
    "reply",
    ["It has to be twelve: 3 * 12 = 36.", "3 * 12 = 36", "Twelve works: 12 + 24 = 36."],
)
def test_a_check_that_comes_to_what_the_question_gives_is_no_result(reply: str) -> None:
    assert sure(read(reply, ["12", "24", "36", "48"], "Solve 3x = 36 for x.")) is None


def test_a_value_that_is_worked_out_is_still_the_result() -> None:
    assert sure(read("So x = 36/3 = 12", ["12", "24", "36", "48"], "Solve 3x = 36 for x.")) == 0
