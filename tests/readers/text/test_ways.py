"""Ways of answering, drawn up before any reply of the corpus was looked at.

None may be read as another choice; most are read as what they mean, and the rest as `unclear` or
as no choice.
"""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

READER = TextReader()
CITIES = ("Paris", "Lyon", "Nice", "Lille")
ABCD = ("A", "B", "C", "D")
CLAIMS = (
    "The rent must be paid within thirty days",
    "The tenant may leave at once",
    "The landlord keeps the deposit",
    "The contract ends by itself",
)
NUMBERS = ("0.25", "0.5", "0.75", "1")
SUMS = ("12", "24", "36", "48")
SCALE = ("Strongly agree", "Somewhat agree", "Somewhat disagree", "Strongly disagree")
REFUSED = ("Very important", "Not important", "Refused")
ALL = ("It is cold", "It is wet", "It is windy", "All of the above")
BOTH = ("Iron", "Copper", "Both A and B", "Zinc")
NONE = ("Iron", "Copper", "Tin", "None of the above")
CASES = ("Rr", "rr", "RR", "rR")
POWERS = ("x²", "x2", "x₂", "2x")
NAMES = ("card_arrival", "card-arrival", "Card_Arrival", "cardArrival")
TAGS = ("<b>", "<i>", "<u>", "<p>")
FACES = ("😀", "😃", "😄", "😁")
INTENTS = ("card_arrival", "lost_or_stolen_card", "exchange_rate", "top_up_failed")
MEANING = ("It rises", "It falls", "It stays the same", "It cannot be measured")
UNITS = ("1.5 km", "15 km", "150 m", "15 m")
DIGITS = ("1", "2", "3", "4")

WAYS = {
    "exact case": ("rr", CASES, ABCD, 1),
    "exact case in a sentence": ("The genotype is rR.", CASES, ABCD, 3),
    "exact sign": ("x²", POWERS, (), 0),
    "exact spelling of a class": ("card-arrival", NAMES, (), 1),
    "a class in other case": ("LOST OR STOLEN CARD", INTENTS, (), 1),
    "a class in camel case": ("lostOrStolenCard", INTENTS, (), 1),
    "a class in the plural": ("exchange_rates", INTENTS, (), 2),
    "exact tag": ("<i>", TAGS, ABCD, 1),
    "exact tag that holds a label": ("<b>", TAGS, ABCD, 0),
    "exact emoji": ("😄", FACES, (), 2),
    "digit label with its digit": ("3. 10", ("3", "8", "10", "13"), DIGITS, 2),
    "lone foreign label": ("F", CITIES, ABCD, "illegal"),
    "lone foreign label in brackets": ("(G)", CITIES, ABCD, "illegal"),
    "foreign label announced": ("The answer is E.", CITIES, ABCD, "illegal"),
    "announced and cut off": ("The answer is", CITIES, ABCD, "truncated"),
    "implicit refusal where an option says so": (
        "As an AI, I do not hold personal views about this.", REFUSED, ("A", "B", "C"), 2),
    "declines, then states": (
        "As an AI I have no opinions. If I had to pick: B. Not important.", REFUSED,
        ("A", "B", "C"), 1),
    "talks around": (
        "This is a deeply personal matter on which people differ; some find it vital and others "
        "do not.", REFUSED, ("A", "B", "C"), 2),
    "other words": ("The price goes up.", MEANING, ABCD, 0),
    "other words, no change": ("Nothing changes; it remains unchanged.", MEANING, ABCD, 2),
    "by ordinal": ("The second option is the right one.", CITIES, ABCD, 1),
    "by last place": ("It has to be the last one.", CITIES, ABCD, 3),
    "by the former": ("I would say the former.", ("Paris", "Lyon"), ("A", "B"), 0),
    "by number though labels are letters": ("Option 3.", CITIES, ABCD, 2),
    "by number in words": ("Number two, I believe.", CITIES, ABCD, 1),
    "elimination": (
        "It can't be A. B is wrong too. C is clearly not right either.", CITIES, ABCD, 3),
    "elimination by texts": (
        "Not Paris, and not Lyon. Lille is ruled out as well.", CITIES, ABCD, 2),
    "eliminates all": (
        "A is wrong. B is wrong. C is wrong. D is wrong.", CITIES, ABCD, "none"),
    "eliminates all but none": (
        "Iron is wrong, copper is wrong, and tin is wrong too.", NONE, ABCD, 3),
    "table of verdicts": (
        "| Option | Correct? |\n|---|---|\n| A | No |\n| B | No |\n| C | Yes |\n| D | No |",
        CITIES, ABCD, 2),
    "marks": ("❌ Paris\n✅ Lyon\n❌ Nice\n❌ Lille", CITIES, ABCD, 1),
    "one odd verdict": (
        "A: true\nB: true\nC: false\nD: true", CLAIMS, ABCD, 2),
    "probabilities": ("A: 10%\nB: 15%\nC: 5%\nD: 70%", CITIES, ABCD, 3),
    "json": ('{"reasoning": "A looks good", "answer": "B"}', CITIES, ABCD, 1),
    "json with another key": ('{"selected_option": "C", "confidence": 0.8}', CITIES, ABCD, 2),
    "json nested": ('{"result": {"label": "D", "text": "Lille"}}', CITIES, ABCD, 3),
    "json list": ('["B"]', CITIES, ABCD, 1),
    "json of flags": ('{"A": false, "B": false, "C": true, "D": false}', CITIES, ABCD, 2),
    "yaml": ("reasoning: Paris is the capital\nanswer: A\n", CITIES, ABCD, 0),
    "tool call": ('final_answer(choice="C")', CITIES, ABCD, 2),
    "xml": ("<reason>A or B</reason>\n<final>B</final>", CITIES, ABCD, 1),
    "other options on the way": (
        "One might think of A because it is large, or of C for its coast, but the silk trade "
        "points to B.", CITIES, ABCD, 1),
    "asks back": ("Could you tell me which year you mean?", CITIES, ABCD, "none"),
    "asks for the passage": (
        "There is no passage attached. Please share the text so that I can answer.", CITIES,
        ABCD, "none"),
    "rejects all": ("None of these cities is correct.", CITIES, ABCD, "none"),
    "computes what is not offered": (
        "5 * 12 = 60, so the result is 60, which is not among the options.", SUMS, ABCD, "none"),
    "in other units": ("The distance is 1500 metres.", UNITS, ABCD, 0),
    "as a fraction": ("The probability is 3/4.", NUMBERS, ABCD, 2),
    "as a percentage": ("That gives 50%.", NUMBERS, ABCD, 1),
    "a computed number, others on the way": (
        "12 + 12 = 24, and 24 + 12 = 36. So we get 36.", SUMS, (), 2),
    "closed thought": ("<think>It is A. No doubt: A.</think>C", CITIES, ABCD, 2),
    "unclosed thought": ("<think>It is A. No doubt: A. The answer is A", CITIES, ABCD, "truncated"),
    "bare end of a thought": ("Surely the answer is A.\n</think>\n\nB", CITIES, ABCD, 1),
    "other tags of thought": ("[THINK]The answer is A.[/THINK]The answer is D.", CITIES, ABCD, 3),
    "channels": (
        "<|channel|>analysis<|message|>The answer is A.<|end|><|start|>assistant<|channel|>final"
        "<|message|>B<|return|>", CITIES, ABCD, 1),
    "special tokens": ("C<|eot_id|><|end_of_text|>", CITIES, ABCD, 2),
    "html": ("<p>The answer is <strong>D</strong>.</p>", CITIES, ABCD, 3),
    "a runaway": (
        "B\n\nQuestion: What is the capital of Spain?\nA. Madrid\nB. Seville\nAnswer: A", CITIES,
        ABCD, 1),
    "votes": ("Sample 1: B\nSample 2: C\nSample 3: B\nSample 4: B", CITIES, ABCD, 1),
    "self-correction": ("The answer is A. Wait, no, that is the capital. It's C.", CITIES, ABCD, 2),
    "back to the first": (
        "I'd say B. Hmm, actually D. No, wait: B was right after all, so B.", CITIES, ABCD, 1),
    "hedged": ("I'm not completely sure, but I'd lean towards C.", CITIES, ABCD, 2),
    "undecided": ("It is either A or C; I can't decide between them.", CITIES, ABCD, "ambiguous"),
    "two are right": ("Both B and D are correct.", CITIES, ABCD, "ambiguous"),
    "a label with another's text": ("A. Lyon", CITIES, ABCD, "ambiguous"),
    "does not know": ("Honestly, I have no idea.", CITIES, ABCD, "unknown"),
    "all of the above by affirming": (
        "It is cold there, and it is wet, and it is windy. Every one of these applies.", ALL,
        ABCD, 3),
    "both by naming": ("Iron is right, and so is copper.", BOTH, ABCD, 2),
    "scale in the first person": ("I completely agree with that.", SCALE, ABCD, 0),
    "scale, weaker": ("I rather disagree, though not by much.", SCALE, ABCD, 2),
    "loop": ("The answer is C. The answer is C. The answer is C.", CITIES, ABCD, 2),
    "small bracketed letter": ("(d)", CITIES, ABCD, 3),
    "quotes others": (
        "Many people say A, which is a common mistake. The right choice is B.", CITIES, ABCD, 1),
    "tldr": (
        "Long ago the silk trade made one city rich. Paris had the court, Lille the wool.\n\n"
        "TL;DR: Lyon", CITIES, ABCD, 1),
    "explains without choosing": (
        "Silk is spun by the larvae of a moth. It has been traded for centuries.", CITIES, ABCD,
        "illegal"),
    "an answer of its own": ("It is Marseille.", CITIES, ABCD, "illegal"),
    "german": ("Die richtige Antwort ist C, weil es am Meer liegt.", CITIES, ABCD, 2),
    "spanish": ("La respuesta correcta es la opción B.", CITIES, ABCD, 1),
    "chinese": ("因此，正确答案是 D。", CITIES, ABCD, 3),
    "heading": ("### Analysis\nA is big.\n\n### Final answer\nC", CITIES, ABCD, 2),
    "marked list": ("A. Paris\nB. Lyon <-- correct\nC. Nice\nD. Lille", CITIES, ABCD, 1),
    "roman": ("The answer is iii.", CITIES, ("i", "ii", "iii", "iv"), 2),
    "nothing": (" \n", CITIES, ABCD, "empty"),
    "empty thought": ("<think>\n\n</think>\n", CITIES, ABCD, "empty"),
}  # fmt: skip


def read(way):
    reply, options, labels, meant = WAYS[way]
    reading = READER.read(reply, options, labels)
    return reading.positions[0] if reading.status == "answer" else reading.status, meant


@pytest.mark.parametrize("way", WAYS)
def test_no_way_of_answering_is_read_as_another_choice(way):
    found, meant = read(way)
    assert isinstance(found, str) or found == meant


def test_most_ways_of_answering_are_read_as_they_are_meant():
    right = [found == meant for found, meant in map(read, WAYS)]
    assert sum(right) >= 0.65 * len(WAYS)
