"""What language and layout say of an option: a line or two for each mechanism."""

from __future__ import annotations

import pytest
from horsesense.readers.text.claims.clauses import clauses
from horsesense.readers.text.claims.survey import survey
from horsesense.readers.text.names.labels import label_set
from horsesense.readers.text.names.likeness import option_value, same, values
from horsesense.readers.text.names.options import Options
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.normalise import Folded

from horsesense.readers.text import TextReader

READER = TextReader()
ABCD = ("A", "B", "C", "D")
ROUND = ("(a)", "(b)", "(c)", "(d)")
LAKES = ("Como", "Garda", "Iseo", "Lugano")

READ = {
    "box among empty boxes": ("[ ] A\n[ ] B\n[x] C\n[ ] D", LAKES, ABCD, 2),
    "round buttons": ("○ Como\n● Garda\n○ Iseo\n○ Lugano", LAKES, ABCD, 1),
    "boxes in a row": ("☐ Como  ☐ Garda  ☐ Iseo  ☒ Lugano", LAKES, ABCD, 3),
    "a letter in round brackets": ("( ) Como\n(o) Garda\n( ) Iseo\n( ) Lugano", LAKES, ABCD, 1),
    "signs in the order of the options": ("✗ ✗ ✓ ✗", LAKES, ABCD, 2),
    "stars": ("Como: ★★\nGarda: ★★★★\nIseo: ★\nLugano: ★★★", LAKES, ABCD, 1),
    "columns": ("| A | B | C | D |\n|---|---|---|---|\n| | | ✅ | |", LAKES, ABCD, 2),
    "booleans in a row": ("{'A': False, 'B': True, 'C': False, 'D': False}", LAKES, ABCD, 1),
    "struck out with their labels": ("A. ~~Como~~\nB. ~~Garda~~\nC. Iseo\nD. ~~Lugano~~", LAKES,
                                     ABCD, 2),
    "one label over and over": ("(c) (c) (c) (c)", LAKES, ROUND, 2),
    "labels shown in brackets": ("Ans. (b) It is the largest.", LAKES, ROUND, 1),
    "an element ends the reply": ("A? B? Hm.\n<answer>D</answer>", LAKES, ABCD, 3),
    "a value in a box": ("1/4? Simplify.\n\n$\\boxed{\\tfrac{2}{7}}$",
                         ("2/7", "1/4", "3/7", "2/9"), ABCD, 0),
    "a field in a text of JSON": ('{"arguments": "{\\"answer\\": \\"B\\", \\"why\\": \\"long\\"}"}',
                                  LAKES, ABCD, 1),
    "another's answer and the key": ("Expected: C. Got: A. Result: wrong.", LAKES, ABCD, 2),
    "after a long thought": (f"<think>{'A, B. ' * 40}</think>\n\nC. The deepest.", LAKES, ABCD,
                             2),
    "words that run on": ("一番深いのはコモ湖です。", ("ガルダ湖", "コモ湖"), ("A", "B"), 1),
    "a particle": ("정답은 서울입니다.", ("부산", "서울", "대구"), ("A", "B", "C"), 1),
    "signs as options": ("Answer: 🙁", ("🙂", "🙁", "😐"), ("A", "B", "C"), 1),
    "a mark of HTML that holds a label": ("The tag is <a>", ("<p>", "<a>", "<td>"),
                                          ("A", "B", "C"), 1),
    "in the end": ("It is between A and B; in the end, B.", LAKES, ABCD, 1),
    "declines where that is offered": ("I'd rather keep that to myself.",
                                       ("Often", "Never", "Refused"), ("A", "B", "C"), 2),
}  # fmt: skip


@pytest.mark.parametrize("way", READ)
def test_what_it_says_is_read(way: str) -> None:
    reply, options, labels, position = READ[way]
    reading = READER.read(reply, options, labels)
    if way == "words that run on":  # found, but an option that is only named is not sure enough
        assert reading.span is not None
        assert reply[slice(*reading.span)] == options[position]
        assert reading.confidence > 0.5
    else:
        assert (reading.status, reading.positions) == ("answer", (position,))


NOT_READ = {
    "all labels once, none set apart": ("A) deep. B) long. C) warm. D) clear.", LAKES, ABCD, 0),
    "a learner's answer": ("Student's answer: Como (A). Incorrect.", LAKES, ABCD, 0),
}


@pytest.mark.parametrize("way", NOT_READ)
def test_what_is_no_choice_is_not_read_as_one(way: str) -> None:
    reply, options, labels, position = NOT_READ[way]
    reading = READER.read(reply, options, labels)
    assert reading.positions != (position,)


def test_several_ticks_are_no_single_choice() -> None:
    assert READER.read("☑ Como\n☑ Garda\n☐ Iseo\n☐ Lugano", LAKES, ABCD).status != "answer"


def test_none_as_a_sentence_of_its_own() -> None:
    assert READER.read("None. It is Maggiore.", LAKES, ABCD).status in ("none", "unclear")


PLACES = {
    "The third.": 2,
    "I'd go with the second.": 1,
    "The fourth caption says most.": 3,
    "It's the very first of the four.": 0,
    "The one before last.": 2,
}


@pytest.mark.parametrize("reply", PLACES)
def test_places(reply: str) -> None:
    assert verdicts(reply, "Which caption is best?")[PLACES[reply]] == 0


def test_an_ordinal_of_the_question_is_no_place() -> None:
    assert verdicts("He was the first emperor.", "Who was the first emperor?") == {}


def verdicts(reply: str, question: str = "") -> dict[int, int]:
    """What a survey of the reply says of each lake that it names."""
    known = label_set(ABCD)
    scene = Scene(Folded(reply, known.table), known, Options(LAKES), question)
    return {mention.position: mention.verdict for mention in survey(scene)[0]}


@pytest.mark.parametrize(
    ("reply", "position", "verdict"),
    [
        ("You'll be on Garda all day, and if the wind doesn't blow it will be calm.", 1, 0),
        ("The check fails and it prints Iseo.", 2, 0),
        ("The case has to be made out on Como.", 0, 0),
        ("Como is out.", 0, -1),
        ("You wrote Como. Not accepted.", 0, -1),
        ("It is not Garda.", 1, -1),
    ],
)
def test_negation_stays_in_its_clause(reply: str, position: int, verdict: int) -> None:
    assert verdicts(reply)[position] == verdict


@pytest.mark.parametrize(
    ("reply", "own"),
    [
        ("Como is deep. Let me correct that: it is Garda.", {1}),
        ("You ticked Como; Garda is deeper.", {1}),
    ],
)
def test_what_is_taken_back_or_another_said_is_not_its_own(reply: str, own: set[int]) -> None:
    said = clauses(reply.lower(), LAKES, ()).said
    assert {one.position for one in said if not one.hearsay} == own


@pytest.mark.parametrize(
    ("option", "reply", "equal"),
    [
        ("42.2 km", "26.2 miles", True),
        ("26.2 km", "26.2 miles", False),
        ("37 °C", "98.6 degrees Fahrenheit", True),
        ("330 m", "1,083 feet", True),
        ("32", "32 degrees Fahrenheit", True),
        ("37.5 %", "three eighths", True),
        ("0.25", "one in four", True),
        ("0.2", "one in four", False),
    ],
)
def test_units_and_fractions(option: str, reply: str, equal: bool) -> None:
    known = option_value(option)
    assert known is not None
    assert any(same(known, value) for value in values(reply.lower())) is equal
