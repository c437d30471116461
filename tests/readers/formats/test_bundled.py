"""Reading replies to many problems: what each rule takes, and what it must not take."""

from __future__ import annotations

import json

from each import each
from horsesense.readers.formats.bundled import names_of
from replies import bundle, shape

GRAMMAR = ("acceptable", "unacceptable")
NEWS = ("Business", "Sports", "World", "Sci/Tech")


P, N = "Positive", "Negative"

CHATTY = f"Here are the answers:\n{P}\n{N}\n{P}\nLet me know if you need more help!"
REPEATED = f"1. a fine film: {P}\n2. not a good, positive one - {N}\n3. 3. stars: {P}"

LINES = [
    # (reply, what each problem got, excess, rule of the first)
    (f"{P}\n{N}\n{P}", "0 1 0", 0, "lines"),
    (f"{P}\n\n{N}\n\n{P}\n", "0 1 0", 0, "lines"),
    ("positive\nNEGATIVE\nPositive.", "0 1 0", 0, "lines"),
    (f"1. {P}\n2. {N}\n3. {P}", "0 1 0", 0, "numbered"),
    (f"1) {P}\n2) {N}\n3) {P}", "0 1 0", 0, "numbered"),
    (f"Text 1: {P}\nText 2: {N}\nText 3: {P}", "0 1 0", 0, "numbered"),
    (f"**1.** {P}\n**2.** {N}\n**3.** {P}", "0 1 0", 0, "numbered"),
    (f"- {P}\n- {N}\n- {P}", "0 1 0", 0, "lines"),
    (f"| 1 | {P} |\n| 2 | {N} |\n| 3 | {P} |", "0 1 0", 0, "numbered"),
    (CHATTY, "0 1 0", 0, "lines"),
    (REPEATED, "0 1 0", 0, "numbered"),
    (f"3. {P}\n1. {P}\n2. {N}", "0 1 0", 0, "numbered"),  # out of order: the numbers tell
    (f"0. {P}\n1. {N}\n2. {P}", "0 1 0", 0, "numbered"),
    (f"1. {P}\n1. {N}\n1. {P}", "0 1 0", 0, "lines"),  # a list that never counts
    (f"1. {P}\n3. {N}", "0 e 1", -1, "numbered"),  # a skipped number shifts no other
    (f"1. {P}\n2. {N}", "0 1 t", -1, "numbered"),
    (f"{P}\n{N}", "0 1 t", -1, "misaligned"),
    (f"{P}\n{N}\n{P}\n{P}", "0 1 0", 1, "misaligned"),
    (f"1. {P}\n2. {N}\n3. {P}\n4. {P}", "0 1 0", 1, "numbered"),
    (f"{P}\nMixed\n{P}", "0 i 0", 0, "lines_with_others"),
    (f"1. {P}\n2. Neutral\n3. {P}", "0 i 0", 0, "numbered"),
    (f"1. {P}\n2. {P} or {N}\n3. {P}", "0 a 0", 0, "numbered"),
    (f"1. {P}\n2. {P}\n2. {N}\n3. {P}", "0 a 0", 1, "numbered"),
    (f"1. {P}\n2. not {P}\n3. {P}", "0 a 0", 0, "numbered"),
    (f"{P}, {N}, {P}", "0 1 0", 0, "mentions"),
    (f"{P} or {N}\n{P}", "a 0 t", -1, "misaligned_several"),
    (f"The first is {P}, the second {N}, and the last {P}.", "0 1 0", 0, "in_words"),
    (f'["{P}", "{N}", "{P}"]', "0 1 0", 0, "lines"),
    (f'{{"1": "{P}", "2": "{N}", "3": "{P}"}}', "0 1 0", 0, "numbered"),
    ("All of them are positive.", "0 0 0", 0, "all_alike"),
    ("They are not all positive.", "0 t t", -2, "misaligned"),
    (f"<think>1. {N} 2. {N}</think>\n{P}\n{N}\n{P}", "0 1 0", 0, "lines"),
    ("", "e e e", -3, "no_lines_empty"),
    ("I'm sorry, but I cannot help with that.", "r r r", -3, None),
    ("The films were shown in May.", "i i i", -3, None),
]  # fmt: skip


OF_TODAY = [
    ("1: Positive; 2: Negative; 3: Positive", "0 1 0"),
    ("1. Positive, 2. Negative, 3. Positive", "0 1 0"),
    ("1. Positive 2. Negative 3. Positive", "0 1 0"),
    ("(1) Positive (2) Negative (3) Positive", "0 1 0"),
    ("1 - Positive | 2 - Negative | 3 - Positive", "0 1 0"),
    ("1=Positive 2=Negative 3=Positive", "0 1 0"),
    ("2: Negative; 1: Positive; 3: Positive", "0 1 0"),
    ("1: Positive; 3: Negative", "0 e 1"),
    ("1: Positive, 2: unclear, 3: Negative", "0 i 1"),
    ("Text 1: Positive, Text 2: Negative, Text 3: Positive", "0 1 0"),
    ("Text 2 is Negative. Texts 1 and 3 are Positive.", "0 1 0"),
    ("Texts 1 and 3: Positive; text 2: Negative", "0 1 0"),
    ("Positive: 1, 3\nNegative: 2", "0 1 0"),
    ("Positive (1), Negative (2), Positive (3)", "0 1 0"),
    ("First: Positive. Second: Negative. Third: Positive.", "0 1 0"),
    ("The second text is Negative; the first and the third are Positive.", "0 1 0"),
    ("The first two are Negative, the last Positive.", "1 1 0"),
    ("Text 2 is Negative, the others are Positive.", "0 1 0"),
    ("Texts 1-3 are all Positive.", "0 0 0"),
    ("All positive but the last.", "0 0 1"),
    ("All are Positive except text 2.", "0 1 0"),
    ("All positive but one.", "0 t t"),
    ("#1 Positive\n#2 Negative\n#3 Positive", "0 1 0"),
    ("Text 1\nPositive\n\nText 2\nNegative\n\nText 3\nPositive", "0 1 0"),
    ("**Text 1**\n- Label: Positive\n\n**Text 2**\n- Label: Negative", "0 1 t"),
    ("1. **Positive** - it praises the actors\n2. **Negative** - boring", "0 1 t"),
    ("1. Positive (not negative)\n2. Negative\n3. Positive", "0 1 0"),
    ("| Text | Label |\n|---|---|\n| 1 | Positive |\n| 2 | Negative |", "0 1 t"),
    ('{"text_1": "Positive", "text_2": "Negative", "text_3": "Positive"}', "0 1 0"),
    ('[{"id": 1, "label": "Positive"}, {"id": 2, "label": "Negative"}]', "0 1 t"),
    ('{"results": [{"text": 2, "to": "Negative"}, {"text": 1, "to": "Positive"}]}', "0 1 t"),
    ("Positive\nNegative\nPositive\n\nExplanation: the first and the last praise it.", "0 1 0"),
    ("1. Text 1: Positive\n2. Text 2: Negative\n3. Text 3: Positive", "0 1 0"),
    ("1. Positive\n2. Negative\n3. I cannot tell.", "0 1 i"),
    ("Only text 2 is Negative.", "e 1 t"),
]  # fmt: skip


@each(("reply", "want"), OF_TODAY)
def test_lines_as_models_of_today_write_them(reply: str, want: str) -> None:
    assert shape(bundle(reply)) == want


@each(("reply", "want", "excess", "rule"), LINES)
def test_lines(reply: str, want: str, excess: int, rule: str | None) -> None:
    found = bundle(reply)
    assert (shape(found), found[0].excess) == (want, excess)
    assert rule is None or found[0].rule == rule
    assert all(r.excess == 0 for r in found[1:])


@each(
    ("reply", "options", "want"),
    [
        ("acceptable\nunacceptable\nacceptable", GRAMMAR, "0 1 0"),
        ("1. unacceptable 2. acceptable 3. unacceptable", GRAMMAR, "1 0 1"),
        ("Unacceptable, acceptable, unacceptable", GRAMMAR, "1 0 1"),
        ("Not acceptable\nacceptable\nacceptable", GRAMMAR, "a 0 0"),
        ("Sci-Tech\nsci/tech\nSci Tech", NEWS, "3 3 3"),
        ("World\nSports\nBusiness", NEWS, "2 1 0"),
        ("Worldly\nSports\nBusiness", NEWS, "i 1 0"),
        ("1\n0\n1", ("0", "1"), "1 0 1"),
        ("1. 1\n2. 0\n3. 1", ("0", "1"), "1 0 1"),
    ],
)
def test_labels_of_all_kinds(reply: str, options: tuple[str, ...], want: str) -> None:
    assert shape(bundle(reply, options=options)) == want


@each(
    ("reply", "want"),
    [
        ("A\nB\nC", "0 1 2"),
        ("1. A\n2. B\n3. C", "0 1 2"),
        ("1: (A)\n2: (B)\n3: (C)", "0 1 2"),
        ("1. A. red\n2. B. A kind of blue\n3. C. green", "0 1 2"),
        ("A, B, C", "0 1 2"),
        ("ABC", "0 1 2"),
        ("1. A\n2. F\n3. C", "0 i 2"),
        ("1. A\n2. A dog is shown\n3. C", "0 i 2"),
        ("A", "0 t t"),
    ],
)
def test_letters(reply: str, want: str) -> None:
    assert shape(bundle(reply, options=("red", "blue", "green", "grey"), letters=True)) == want


GOOD = '{"positive": [1, 3], "negative": [2]}'
TURNED = '{"positive": [2], "negative": [1]}'
BY_ITEM = '[{"index": 1, "label": "Positive"}, {"index": 2, "label": "Negative"}]'

ALL_LABELS = [
    ('{"positive": [1, 3], "negative": [2]}', "0 1 0", 0, "json"),
    ('{"Positive": [1, 3], "NEGATIVE": [2]}', "0 1 0", 0, "json"),
    ("{'positive': [1, 3], 'negative': [2]}", "0 1 0", 0, "json"),
    ('{"positive": [1, 3], "negative": [2]', "0 1 0", 0, "json"),
    ('{"positive": [1, 3,], "negative": [2,]}', "0 1 0", 0, "json"),
    ('```json\n{"positive": [1, 3], "negative": [2]}\n```', "0 1 0", 0, "json"),
    (f"Sure! {GOOD} I chose 2 because of its 4 flaws.", "0 1 0", 0, "json"),
    ('{"positive": "All", "negative": "None"}', "0 0 0", 0, "json"),
    ('{"positive": "all", "negative": "none"}', "0 0 0", 0, "json"),
    ('{"positive": ["ALL"], "negative": []}', "0 0 0", 0, "json"),
    ('{"positive": All, "negative": None}', "0 0 0", 0, "json"),
    ('{"positive": null, "negative": "all of them"}', "1 1 1", 0, "json"),
    ('{"positive": ["None", 1, 3], "negative": [2, "All"]}', "0 1 0", 0, "json"),
    ('{"positive": "1-2", "negative": "3"}', "0 0 1", 0, "json"),
    ('{"positive": ["1-2"], "negative": [3]}', "0 0 1", 0, "json"),
    ('{"positive": [1-2], "negative": [3]}', "0 0 1", 0, "json"),
    ('{"positive": "1, 3", "negative": "2"}', "0 1 0", 0, "json"),
    ('{"positive": [1, ..., 3], "negative": []}', "0 0 0", 0, "json"),
    ('{"positive": ["Text 1", "Text 3"], "negative": ["Text 2"]}', "0 1 0", 0, "json"),
    ('{"positive": "all except 2", "negative": [2]}', "0 1 0", 0, "json"),
    ('{"positive": [1, 3, 9], "negative": [2, 0]}', "0 1 0", 2, "json"),
    ('{"positive": [1, 2], "negative": [2]}', "0 01 n", 0, "json"),  # contradiction, unassigned
    ('{"positive": [1]}', "0 n n", 0, "json"),
    ('{"positive": [1, 3]}\n{"negative": [2]}', "0 1 0", 0, "json_joined"),
    ('[{"positive": [1, 3]}, {"negative": [2]}]', "0 1 0", 0, "json_joined"),
    (f"{GOOD}\n{TURNED}", "0 1 0", 0, "json"),
    (f"{TURNED} Wait, correction: {GOOD}", "0 1 0", 0, "json_corrected"),
    ('{"answer": {"positive": [1, 3], "negative": [2]}}', "0 1 0", 0, "json"),
    ('{"1": "Positive", "2": "Negative", "3": "Positive"}', "0 1 0", 0, "json_by_number"),
    (BY_ITEM, "0 1 n", 0, "json_by_number"),
    ("Positive: 1, 3\nNegative: 2", "0 1 0", 0, "label_and_numbers"),
    ("Positive: 1, 3. Negative: 2", "0 1 0", 0, "in_words"),
    ("**Positive:** 1 and 3\n**Negative:** none", "0 n 0", 0, "label_and_numbers"),
    ("Text 2 is Negative. Texts 1 and 3 are Positive.", "0 1 0", 0, None),
    ("Texts 1 and 3 are Positive, text 2 is Negative.", "0 1 0", 0, None),
    ("1: Positive; 2: Negative; 3: Positive", "0 1 0", 0, None),
    ("1. Positive\n2. Negative\n3. Positive", "0 1 0", 0, None),
    ("- Positive: 1, 3\n- Negative: 2", "0 1 0", 0, None),
    ("Positive: Text 1, Text 3\nNegative: Text 2", "0 1 0", 0, None),
    ("positive = [1, 3]\nnegative = [2]", "0 1 0", 0, None),
    (f"<think>[2]?</think>```json\n{GOOD}\n```", "0 1 0", 0, None),
    ('{"positive": [true, false, true], "negative": [false, true, false]}', "0 1 0", 0, None),
    ('{"positive": [1, 0, 1], "negative": [0, 1, 0]}', "0 1 0", 0, None),
    ('{"positive": true, "negative": false}', "i i i", 0, None),
    ("[true, false, true]", "i i i", 0, None),
    ('{"positive": [true], "negative": [false]}', "i i i", 0, None),
    ('{"neutral": [1, 3]}', "i i i", 0, None),
    ('{"positive": ["a fine film"], "negative": ["a bad one"]}', "i i i", 0, None),
    ("I am positive that 2 of the 3 are fine.", "i i i", 0, None),
    ("", "e e e", 0, None),
    ("I'm sorry, but I cannot help with that.", "r r r", 0, None),
]  # fmt: skip


@each(("reply", "want", "excess", "rule"), ALL_LABELS)
def test_select_all(reply: str, want: str, excess: int, rule: str | None) -> None:
    found = bundle(reply, "index_json")
    assert (shape(found), found[0].excess) == (want, excess)
    assert rule is None or any(r.rule == rule for r in found)


ONE_LABEL = [
    ('{"positive": [1, 3]}', "0 n 0", "json"),
    ('{"positive": "All"}', "0 0 0", "json"),
    ('{"positive": "none"}', "n n n", "left_out"),
    ('{"positive": []}', "n n n", "left_out"),
    ('{"positive": [1, 3], "negative": [2]}', "0 n 0", "json"),
    ('{"indices": [1, 3]}', "0 n 0", "json_other_key"),
    ("[1, 3]", "0 n 0", "list"),
    ("1, 3", "0 n 0", "list"),
    ("The positive texts are: 1 and 3", "0 n 0", "list"),
    ("None", "n n n", "left_out"),
    ("All of them", "0 0 0", "list"),
    ('{"negative": [1, 3]}', "i i i", None),
    ("Negative: 1, 3", "i i i", None),
    ("These films are hard to judge.", "i i i", None),
    ("[true, false, true]", "0 n 0", None),
    ("[True, False, True]", "0 n 0", None),
    ("true, false, true", "0 n 0", None),
    ("Yes, no, yes", "0 n 0", None),
    ("[1, 0, 1]", "0 n 0", None),
    ("[true]", "i i i", None),
    ("[true, false]", "i i i", None),
    ("True.", "i i i", None),
    ('{"positive": [true, false, true]}', "0 n 0", None),
    ('{"positive": true}', "i i i", None),
    ('{"1": true, "2": false, "3": true}', "0 n 0", None),
    ('{"positive": {"1": true, "2": false, "3": true}}', "0 n 0", None),
    ('{"text_1": true, "text_2": false, "text_3": false}', "0 n n", None),
    ("Not 2", "i i i", None),
    ("I'd exclude 2.", "i i i", None),
    ("Texts other than 2", "i i i", None),
    ("Not [2]", "i i i", None),
    ('{"Positive": "not 2"}', "i i i", None),
    ("All but 2", "0 n 0", None),
    ("1, 3 (not 2)", "0 n 0", None),
    ("Texts 1 and 3 are positive, text 2 is not.", "0 n 0", None),
    ("[4]", "i i i", None),
    ("[2, 7]", "n 0 n", None),
    ("[0, 2]", "u u u", None),
    ("Text 2 is Negative. Texts 1 and 3 are Positive.", "0 n 0", None),
]


@each(("reply", "want", "rule"), ONE_LABEL)
def test_select_one(reply: str, want: str, rule: str | None) -> None:
    found = bundle(reply, "index_json", "Positive")
    assert shape(found) == want
    assert rule is None or rule in {r.rule for r in found}


def test_a_reply_that_was_cut_off_says_so() -> None:
    found = bundle('{"positive": [1', "index_json", finish="length")
    assert shape(found) == "0 t t"
    assert shape(bundle("1. Positive", finish="length")) == "0 t t"


def test_labels_within_labels_in_json() -> None:
    reply = '{"acceptable": [1], "unacceptable": [2, 3]}'
    assert shape(bundle(reply, "index_json", options=GRAMMAR)) == "0 1 1"
    words = "Acceptable: 1\nUnacceptable: 2, 3"
    assert shape(bundle(words, "index_json", options=GRAMMAR)) == "0 1 1"
    assert shape(bundle('{"sci-tech": [1]}', "index_json", options=NEWS)) == "3 n n"


SIGNS = [
    ("<=50K", ">50K"), ("C", "C#", "C++"), ("-1", "0", "1"), ("<5", "5", ">5"), ("+", "-"),
    ("1.0", "1.5", "10"), ("++", "+", "0", "-", "--"), ("0-1", "1-2", "2"), ("yes", "yes!"),
    ("B+", "B", "B-"), ("O+", "O-", "A+", "A-"), ("-1", "1", "+1", "1.0"), ("F", "F#"),
]  # fmt: skip


@each("labels", SIGNS)
def test_labels_that_differ_in_signs_alone_stay_apart(labels: tuple[str, ...]) -> None:
    right = " ".join(map(str, range(len(labels))))
    plain, numbered = "\n".join(labels), "\n".join(f"{n}. {x}" for n, x in enumerate(labels, 1))
    bold = "\n".join(f"Text {n}: **{label}**" for n, label in enumerate(labels, 1))
    for reply in (plain, numbered, bold):
        assert shape(bundle(reply, options=labels, n=len(labels))) == right, reply
    for label in labels:
        reply = json.dumps({label: [2]})
        found = bundle(reply, "index_json", label, labels, 2)
        assert shape(found) == f"n {labels.index(label)}", reply


STRANGE = [
    ('{"a":1}', "[1,2]", "null", "true"), ("<b>", "<i>", "<think>"), ("<think>", "</think>"),
    ("1", "2", "3"), ("0", "1"), ("-1", "0", "1"), ("<5", "5", ">5"), ("N/A", "n.a.", "NA"),
    ("10%", "100%", "0%"), ("5", "10", "15", "20"), ("(a)", "(b)", "a"), ('"yes"', "yes"),
    ("answer", "Answer: 2", "the answer is 1"), ("9:00", "9:30", "19:00"), ("_", "__", "-"),
    ("none", "some", "all"), ("1.", "2.", "1)"), ("$5", "5%", "5"), ("first", "second", "last"),
]  # fmt: skip


@each("labels", STRANGE)
def test_no_label_is_taken_for_the_form_of_a_reply(labels: tuple[str, ...]) -> None:
    """A label for every problem, in its order and turned round, however the reply is written."""
    for chosen in (labels, labels[::-1], (labels[-1],) * 3):
        right, n = [labels.index(label) for label in chosen], len(chosen)
        plain = "\n".join(chosen)
        numbered = "\n".join(f"**{n})** {label}." for n, label in enumerate(chosen, 1))
        keyed = json.dumps({str(n): label for n, label in enumerate(chosen, 1)})
        for reply in (plain, f"Here they are:\n\n{numbered}\n\nAnything else?", keyed):
            assert shape(bundle(reply, options=labels, n=n)) == " ".join(map(str, right)), reply
        lists = {
            label: ", ".join(str(n) for n, other in enumerate(chosen, 1) if other == label)
            for label in labels
        }
        lines = [f"{label}: {numbers or 'none'}" for label, numbers in lists.items()]
        found = bundle("\n".join(lines), "index_json", options=labels, n=n)
        assert shape(found) == " ".join(map(str, right)), lines
        for place, (label, line) in enumerate(zip(labels, lines, strict=True)):
            want = " ".join(str(place) if at == place else "n" for at in right)
            for reply in (line, lists[label] or line):
                found = bundle(reply, "index_json", label, labels, n)
                assert shape(found) == want, reply


def test_what_is_numbered_is_not_taken_for_labels() -> None:
    reply = "1: 0\n2: 1\n3: 0"
    assert shape(bundle(reply, "index_json", options=("0", "1"))) == "i i i"
    assert shape(bundle(reply, options=("0", "1"))) == "0 1 0"


def test_closed_thinking_is_left_out_though_its_tag_is_a_label() -> None:
    reply = "<think>\n<b>\n<b>\n</think>\n<b>\n<think>"
    assert shape(bundle(reply, options=("<b>", "<think>"), n=2)) == "0 1"


def test_a_form_that_several_labels_have_is_none_of_them() -> None:
    names = names_of(("<=50K", ">50K"), False)
    assert names.whole("50K") is None
    assert [names.whole(text) for text in ("> 50k", "`<=50K`", '">50K".')] == [1, 0, 1]
    assert names_of(("O+", "A-"), False).whole("O-") is None
    assert shape(bundle("Sci-Tech\nsci tech\nSCI/TECH.", options=NEWS)) == "3 3 3"
