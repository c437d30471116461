"""Each rule of `check` finds the flaw it is about and spares what looks like it."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest

import horsesense as hs
from command_line import call
from each import each
from horsesense.checks.check import QUICK, check_items, check_sets, check_text, quiet_kinds
from horsesense.checks.languages import OTHER, language
from horsesense.checks.positions import gold_positions
from horsesense.checks.questions import negated
from horsesense.checks.registry import RULES
from horsesense.cli.schemas import OUTPUTS
from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.items.load import load_items
from studies import jsonl

PASSAGE = "A ship left the harbour at dawn and met a storm near the northern cape."
FOUR = ("red", "green", "blue", "black")


def item(question: str, options: tuple[str, ...] = FOUR, gold: int | None = 0, **more: Any) -> Item:
    return Item(more.pop("id", "x"), question, options, gold, **more)


def items_of(*items: Item) -> ItemSet:
    numbered = [
        Item(f"q{n}", i.question, i.options, i.gold, i.context, split=i.split)
        for n, i in enumerate(items)
    ]
    return ItemSet("made", "choice", tuple(numbered))


Told = list[Item | str | tuple[str, ...]]
"""Items; a question that has four options stands for itself, as options of "?" do."""


def told(one: Item | str | tuple[str, ...]) -> Item:
    return one if isinstance(one, Item) else item(one) if isinstance(one, str) else item("?", one)


SINGLE: dict[str, tuple[Told, Told]] = {
    "equal_options": (
        [
            item("How much?", ("0.5", "0.50", "0.7")),
            item("How much?", ("0.5", "0.3", "1/2")),
            item("Which?", ("12", "13", "15", "12")),
            item("Which?", ("Ice.", "ice", "fog")),
            item("How many?", ("two", "2", "one")),
            item("What share?", ("50%", "one half", "0.2")),
            item("How many?", ("3 sides", "three sides", "4 sides")),
        ],
        [
            item("Which decimal is it?", ("0.5", "0.50", "0.7")),
            item("How much?", ("1/2", "1/0", "0/0", "2")),
            item("Which?", ("-1", "1", "0", "2")),
            item("Which?", ("Aa", "AA", "aa")),
        ],
    ),
    "missing_material": (
        [
            "Based on Table 2, what is the mean?",
            "Use the graph to find the slope.",
            "Which colour does the chart give for Monday?",
            "What is the area of the figure shown above?",
            "According to the table, which year was best?",
            "According to the passage, why did he go?",
            "The spectrum in Fig. 3.9 has two lines. Which?",
            "Consider the following model:\n\n\n\nwhere y is the return. Which?",
        ],
        [
            "Which figure of speech is it?",
            item("He went to buy bread. " * 10 + "According to the passage, why did he go?"),
            "Which chart shows parts of a whole?",
            "1897 24%, 1917 45%, 1926 56%. What is shown in the chart?",
        ],
    ),
    "lost_backslashes": (
        [
            "Solve frac{1}{2} x = 3",
            "Is $x leq 3$?",
            "Is 3 \times 4 = 12?",
            "Find rac{a}{b}",
            "The angle $heta$ is",
            "What is 2 imes 3?",
        ],
        [r"Solve \frac{1}{2}", "He paid $10,000 at times and kept $5.", "a\tb"],
    ),
    "broken_encoding": (
        [
            "The soldierâ€™s coat",
            "It costs Â£5",
            "he don?t know",
            "a\ufffdb",
            "the companyÕs ÒnewÓ plan",
            "a shareholder‚Äôs right",
        ],
        ["Ångström and naïve, 5 £ – “good”", "Is it so? Then why", "x\ty\nz"],
    ),
    "html": (
        ["a<br>b", "<b>No</b>", "R&amp;D", "it #39;s", "a quot;new quot; one"],
        [
            item("Which tag starts a line?", ("<br>", "<p>", "<b>")),
            "Find the index of <p> in S_5.",
            "if a < b and c > d",
            "A & B; C",
        ],
    ),
    "spreadsheet_dates": (
        [item("What fraction is it?", ("3-Jan", "7-Mar")), ("5-10", "14-May")],
        [item("Which day begins spring?", ("21-Feb", "21-Mar")), ("3-Janus", "x")],
    ),
    "escapes": (
        [
            "He went.\\newlineShe came.",
            "mystery\\/thriller",
            "U.S. officials\\said it",
            "cow\\'s milk",
        ],
        [
            r"Is $x\leq 3$, and Z\times Z?",
            r"Find \sqrt{2}\cdot\cfrac{1}{2} and sin\theta",
            r'What does print("a\n") show?',
        ],
    ),
    "split_words": (
        ["it 's a film that does n't end", "-lrb- so -rrb-", "`` Yes , he said"],
        ["it's the boys' film", "a `b` ```c```", "he said 's' is a letter"],
    ),
    "emptied_brackets": (
        ["Shaoyang () is a city", "Modi (] , born in 1950)", "It (; lit. x) is"],
        ["call main() now", "It is (so) said", "int main () { }"],
    ),
    "own_letters": (
        [
            ("I only", "(E) I and II"),
            ("A. ice", "B. fog", "rain"),
            ("B. ice", "A. fog", "C. rain"),
            ("A: ice", "B: fog"),
        ],
        [("x", "(A) and (B)"), ("E. coli", "B. F. Skinner", "C. elegans"), ("A cat", "a dog")],
    ),
    "states_answer": (
        [
            item("The capital of Italy, Rome, is which city?", ("Rome", "Paris", "Lyon")),
            item("What is white?", ("coal", "snow (correct)", "grass"), 1),
            item("Rome is Italy's capital city. What is Italy's capital city?", ("Rome", "Bonn")),
            item("Who found it? The correct answer is green.", FOUR, 1),
            item("What is it? Answer: B", FOUR, 1),
            item("Which? Hint: it is the black one.", FOUR, 3),
            item("Which? Solution: b) because Key = D.", FOUR, 3),
        ],
        [
            item("In Italy, Rome or Milan, where is it?", ("Rome", "Paris", "Lyon")),
            item("If the answer is red, which was asked?", FOUR),
            item("Which?", ("a*b", "correct", "c")),
            "Which answer is a noun?",
            "The answer is known to all.",
        ],
    ),
    "no_gold": ([item("Which?", gold=None)], ["Which?"]),
    "grammar": (
        [
            item("He ate an", ("apple", "pear", "banana")),
            item("It is a", ("ape", "eel", "unicorn")),
            item("It was an:", ("Engine", "Valley", "Robin")),
            item("Animals with six legs are", ("insects", "bird", "spider")),
        ],
        [
            item("He ate an", ("apple", "orange", "pear")),
            item("Vitamin A", ("apple", "pear", "fig")),
            item("f(x) = a", ("b", "c", "d")),
            item("It forms a/an", ("apple", "pear", "fig")),
            item("It is an", ("hour", "honest man", "heir")),
        ],
    ),
    "names_letters": (
        [
            item("Which?", ("1", "2", "3", "Both A and B")),
            ("1", "2", "all of the above"),
            ("1", "2", "(A), (B), and (C)"),
            ("sun", "moon", "A but not B"),
            ("sun", "moon", "The first two"),
            ("sun", "moon", "Same as answer A"),
            ("Sonne", "Mond", "Sowohl A als auch B"),
        ],
        [
            item("Which?", ("both hands", "one hand", "none")),
            item("How many?", ("All of them", "Most of them", "Only some of them", "None of them")),
            item("Of events A and B?", ("A and B are independent", "not so")),
            item("Which?", ("vitamins A and C", "RNA and DNA", "fat")),
            item("Which?", ("Vitamin A and D", "fat", "salt")),
            item("Who?", ("He", "She", "Neither of them live further from the bus")),
            item("How often?", ("Every 4 hours.", "Every 8 hours.", "Every 2 hours.")),
        ],
    ),
    "overlapping_options": (
        [
            item("How many?", ("10-20", "15-30", "40-50")),
            ("1% to 5%", "4% to 9%"),
            item("How many?", ("1-10", "10-20", "20-30", "30-40")),
        ],
        [
            item("How many?", ("10-20", "21-30", "31-40")),
            item("A normal heart rate is", ("60-80", "60-100", "60-90")),
            item("Which part of the spectrum?", ("360-620 nm", "240-680 nm", "380-740 nm")),
            ("1-5 mm", "2-4 cm"),
            item("Which two numbers?", ("6 and 10", "5 and 12")),
        ],
    ),
    "all_of_the_above": (
        [
            ("1", "2", "All of these."),
            ("1", "2", "all the above"),
            ("1", "2", "以上都是"),
            ("x", "y", "Every one of the above"),
        ],
        [("all of France", "half of it", "2"), ("All of it", "Some of it")],
    ),
    "none_of_the_above": (
        [
            item("?", ("ice", "fog", text))
            for text in (
                "None of the above",
                "Not one of these",
                "None",
                "No answer is correct",
                "Keine davon",
                "Aucune de ces réponses",
                "以上都不对",
            )
        ],
        [("nun", "2"), item("How many?", ("one", "two", "none"))],
    ),
    "negated": (
        [
            "Which of the following is not a mammal?",
            "All of these are true EXCEPT",
            "Which is least likely?",
            "A virus can NOT",
            "Which of these animals cannot fly?",
            "Which of these animals CANNOT fly?",
            "Without a host, a virus cannot",
            "Which of these signs must not be passed?",
            "Which animal is unable to fly?",
            "Which drug should never be given with alcohol?",
            "In law, which of the following is not a crime?",
            "Not a feature of anaemia:",
            "False about enamel is",
            "Optic atrophy is not seen in:",
            "Which one is the odd one out?",
            "Welches Tier ist KEIN Säugetier?",
            "下列哪一项不是哺乳动物？",
        ],
        [
            "What is a person called who does not eat meat?",
            "Why does ice not sink?",
            "Which part is found in plants but not in animals?",
            "What is the least common multiple of 4 and 6?",
            "Find the number of lines, assuming they do not overlap.",
            item("Is it not so?", ("yes", "no")),
            "Which hormone is used because it is not stored?",
            "He is not tall. Which city is largest?",
            "What is a bird called that cannot fly?",
            "It is anything which an engine cannot search.",
            "Which law says that energy cannot be lost?",
            "One limit of food webs is that they do not",
            "What is wrong with the argument?",
            "When is he found NOT guilty?",
            "What is the probability that it does not rain?",
            "What is the reason wind farms are not near forests?",
            item("Statement 1 | f is NOT closed.", ("True, False", "False, True")),
        ],
    ),
    "k_type": (
        [
            item("I. Ice II. Fog. Which?", ("I only", "II only", "I and II", "none")),
            item("(i) Ice (ii) Fog. Which?", ("(i) only", "(i) and (ii)", "none")),
            item("All except a) ice b) fog c) rain", ("ab", "bc", "ac")),
            item("A. Ice B. Fog C. Rain. Which?", ("A and B only", "A B and C", "B")),
        ],
        [
            item("Order 1. wash 2. dry", ("1, 2", "2, 1")),
            item("I: 1 II: 2 III: 9. Smallest, largest?", ("I, II", "II, III", "III, II")),
            item("Order A) wash B) dry a) b)", ("AB", "BA")),
            item("I think it is", ("I and II only", "good", "bad")),
            item("Where is (2, 1) when moved?", ("(4, 1)", "(2, 2)")),
        ],
    ),
    "out_of_order": (
        [("4", "1", "3"), ("10 m", "2 m", "5 m")],
        [
            ("1", "3", "4"),
            ("9", "5", "1"),
            ("1 day", "20 hours", "3 h"),
            ("Caspase 8", "Caspase 3", "Caspase 9"),
        ],
    ),
}


@each("rule", SINGLE)
def test_a_rule_finds_its_flaw_and_spares_what_looks_like_it(rule: str) -> None:
    flawed, sound = (map(told, each) for each in SINGLE[rule])
    for one in flawed:
        found = check_items(items_of(one, item("Sound?")), [rule])
        if found.findings:
            assert [hit.item for hit in found.findings[0].found.hits] == ["q0"], one.question
        else:
            pytest.fail(f"{rule} does not find {one.question!r} {one.options}")
    for one in sound:
        assert not check_items(items_of(one), [rule]).findings, (one.question, one.options)


def test_every_rule_is_tested_here() -> None:
    tested = {*SINGLE, *MARKED, *REPEATS, "gold_position", "class_in_text"}
    tested |= {"broken_row", "cut_off", "lost_letters", "gold_sequence", "gold_by_subject"}
    assert {rule.name for rule in RULES} == tested


def spread(
    n: int, options: tuple[str, ...], right: str | None, question: str = "Which?"
) -> ItemSet:
    """Items whose options are shuffled; the right one is `right`, or any by chance."""
    rng = np.random.default_rng(1)
    made = []
    for _ in range(n):
        shown = [options[i] for i in rng.permutation(len(options))]
        gold = shown.index(right) if right else int(rng.integers(len(options)))
        made.append(item(question, tuple(shown), gold))
    return items_of(*made)


LONG = ("a walk by the sea with friends and dogs", "a short walk", "a small rest", "a nice swim")
MARKED: dict[str, tuple[tuple[str, ...], str, str]] = {
    "longest_option": (LONG, LONG[0], "Which?"),
    "shortest_option": ((LONG[0], LONG[0] + "!", LONG[0] + "?", "a rest"), "a rest", "Which?"),
    "absolute_words": (("it is always so", "it may be", "it was so", "it is so"), "it is so", "?"),
    "vague_words": (
        ("it is usually so", "it is now", "it was so", "it is so"),
        "it is usually so",
        "?",
    ),
    "odd_form": (("Walking", "Running", "Reading", "swimming"), "swimming", "?"),
    "middle_number": (("1", "5", "7", "20"), "5", "?"),
    "option_in_question": (("iron", "lead", "zinc", "gold"), "iron", "What do iron mines hold?"),
    "all_of_the_above_right": (("x", "y", "z", "all of the above"), "all of the above", "?"),
    "none_of_the_above_right": (("x", "y", "z", "none of the above"), "none of the above", "?"),
}


@each("rule", MARKED)
def test_a_cue_speaks_where_it_tells_the_answer_and_not_by_chance(rule: str) -> None:
    options, right, question = MARKED[rule]
    finding = check_items(spread(60, options, right, question), [rule]).finding(rule)
    test = finding.found.test
    assert not test.low <= test.expected <= test.high
    assert not check_items(spread(60, options, None, question), [rule]).findings


@pytest.mark.thorough
def test_cues_speak_at_most_at_their_level() -> None:
    """All cues and the positions together, on sets whose golds are drawn by chance."""
    rng = np.random.default_rng(2)
    told = ["always", "may", "sea", "big red sea", "walk by the long sea", "5", "7", "Sun.", "all"]
    words, spoken = np.array(told), 0
    for _ in range(40):
        made = []
        for _ in range(40):
            options = tuple(
                " ".join(rng.choice(words, rng.integers(1, 4))) + str(k) for k in range(4)
            )
            made.append(item("Is the big red sea5 so?", options, int(rng.integers(4))))
        names = [rule.name for rule in RULES if rule.tested]
        spoken += bool(check_items(items_of(*made), names).findings)
    assert spoken <= 6, "more than 5 % of 40 clean sets, beyond chance (p < .01)"


@pytest.mark.parametrize(
    ("golds", "p", "speaks"),
    [([2] * 92 + [0, 1, 3] * 2 + [0, 1], 0.0, True), ([0, 1, 2, 3] * 10, 1.0, False)],
)
def test_positions(golds: list[int], p: float, speaks: bool) -> None:
    made = items_of(*(item(f"{n}?", gold=g) for n, g in enumerate(golds)))
    found = gold_positions(made)
    assert found.test.p == pytest.approx(p, abs=1e-6)
    assert bool(check_items(made, ["gold_position"]).findings) == speaks


def test_few_items_are_tested_by_simulation_as_the_multinomial_distribution_says() -> None:
    """Three items of four options, all in one place: 4 of 64 equally likely tables."""
    found = gold_positions(items_of(*(item(f"{n}?", gold=2) for n in range(3))))
    assert found.test.method == "multinomial test by simulation"
    assert found.test.p == pytest.approx(4 / 64, abs=0.004)


@pytest.mark.parametrize("golds", [[0, 1, 2, 3] * 8, [0] * 8 + [1] * 8 + [2] * 8 + [3] * 8])
def test_cycles_and_runs_of_golds_are_seen(golds: list[int]) -> None:
    made = items_of(*(item(f"{n}?", gold=g) for n, g in enumerate(golds)))
    assert check_items(made, ["gold_position", "gold_sequence"]).finding("gold_sequence")


def test_golds_that_the_subject_tells_are_seen() -> None:
    made = [Item(f"{n}", f"{n}?", FOUR, n % 4, subject="abcd"[n % 4]) for n in range(40)]
    rng = np.random.default_rng(3)
    golds = rng.integers(4, size=40)
    even = [Item(f"{n}", f"{n}?", FOUR, int(golds[n]), subject="abcd"[n % 4]) for n in range(40)]
    for items, speaks in ((made, True), (even, False)):
        found = check_items(ItemSet("made", "choice", tuple(items)), ["gold_by_subject"])
        assert bool(found.findings) == speaks


def test_long_texts_take_linear_time() -> None:
    before = process_time()
    for text in ("7" * 50_000, "which " * 10_000, "A and " * 10_000):
        check_items(items_of(item(text), item("Which?", (*FOUR, text))))
    assert process_time() - before < 30


REPEATS: dict[str, tuple[list[Item], list[str]]] = {
    "repeated": (
        [item("Which of these is it?"), item("Which of these is  it ?", FOUR[::-1], 3)],
        ["q1"],
    ),
    "conflicting_gold": ([item("Which of these?"), item("Which of these?", FOUR, 1)], ["q0", "q1"]),
    "fewer_options": ([item(f"{n}?", FOUR[: 4 - (n == 7)]) for n in range(20)], ["q7"]),
    "nearly_repeated": (
        [
            item(f"{PASSAGE} Where did the ship go when the storm had reached the cape?"),
            item(f"{PASSAGE} Where did the ship go when a storm had reached the cape?"),
            item("How many people were on board of the old ship?"),
        ],
        ["q1"],
    ),
    "same_question": (
        [
            item("Which Russian author wrote War and Peace?"),
            item("Which Russian author wrote War and Peace?", ("Gogol", "Pushkin", "red"), 2),
        ],
        ["q1"],
    ),
    "shared_items": ([item("Which?", split="dev"), item("Which?", split="test")], ["q1"]),
    "shared_contexts": (
        [
            item("Who?", context=PASSAGE, split="dev"),
            item("What?", context=PASSAGE, split="test"),
            item("Why?", context=PASSAGE, split="dev"),
        ],
        ["q1"],
    ),
}


@each("rule", REPEATS)
def test_repeats(rule: str) -> None:
    made, flawed = REPEATS[rule]
    found = check_items(items_of(*made), [rule])
    assert [hit.item for hit in found.findings[0].found.hits] == flawed
    assert not check_items(items_of(made[0], item("Something else altogether")), [rule]).findings


PLANET = "What is the largest planet of the whole solar system?"
PLANETS = ("Mars", "Jupiter", "Saturn", "Venus")


@each(
    ("other", "rule"),
    [
        (item(PLANET, PLANETS[::-1], 0), "conflicting_gold"),
        (item(PLANET.replace(" of ", " in "), PLANETS, 2), "same_question"),
        (item(PLANET, ("Mars", "Jupiter", "Saturn", "Pluto"), 2), "same_question"),
        (item(PLANET.replace("largest", "smallest"), PLANETS, 0), None),
    ],
)
def test_a_question_asked_again(other: Item, rule: str | None) -> None:
    made = items_of(item(PLANET, PLANETS, 1), other)
    found = check_items(made, ["conflicting_gold", "same_question"]).findings
    assert [f.rule.name for f in found] == [rule] * (rule is not None)
    if rule:
        assert not check_items(made, ["nearly_repeated"]).findings


def test_a_class_named_in_the_text() -> None:
    labels = ("sport", "politics")
    texts = [Item(f"t{n}", f"news {n} of {labels[n % 2]}", labels, n % 2) for n in range(40)]
    made = ItemSet("made", "label", tuple(texts), labels)
    finding = check_items(made).finding("class_in_text")
    assert finding.found.test.share == 1.0


def test_a_text_that_ends_within_a_sentence() -> None:
    labels = ("sport", "politics")
    texts = ["The club has named the", "The club has won.", "He knows what he started with"]
    made = [Item(f"t{n}", text, labels, 0) for n, text in enumerate(texts)]
    found = check_items(ItemSet("made", "label", tuple(made), labels), ["cut_off"])
    assert [hit.item for hit in found.findings[0].found.hits] == ["t0"]


TORN = (
    "artery", "arthritis", "arteries", "cartilage", "cortex", "cortical", "fertile",
    "fertility", "further", "insertion", "partial", "property", "report", "vertebral",
    "virtual", "thirteen", "started", "shorter", "parties", "heart", "warts",
)  # fmt: skip


@pytest.mark.parametrize("lost", [True, False])
def test_letters_that_the_whole_set_has_lost_are_found_without_a_dictionary(lost: bool) -> None:
    texts = [f"Which {word} is it?" for word in TORN]
    texts += ["It was seen"] * 20
    texts += [f"The {word.replace('rt', '')} hurts, it seems" for word in TORN] if lost else []
    found = check_items(items_of(*map(item, texts)), ["lost_letters"])
    hits = found.findings[0].found.hits if found.findings else ()
    # "was" is a word of its own, and not what is left of "warts".
    torn = [f"q{len(TORN) + 20 + n}" for n in range(len(TORN) - 1)] if lost else []
    assert [hit.item for hit in hits] == torn
    assert not hits or "'hea' for 'heart'" in hits[-1].evidence


def test_what_several_files_share() -> None:
    dev = items_of(item("Which of these is it?"), item("And which is this?"))
    test = ItemSet("test", "choice", (Item("t", "Which of these is it?", FOUR, 0),))
    last = check_sets([dev, test])[-1]
    assert [hit.item for hit in last.findings[0].found.hits] == ["test:t"]


def test_in_python_and_on_the_command_line(tmp_path: Path) -> None:
    rows = [
        {"id": f"q{n}", "question": f"What is \x1b[31m{n} + 1?", "options": [str(n + 1), "x\u202e"],
         "answer_index": 0}
        for n in range(30)
    ]  # fmt: skip
    found = hs.check(rows)
    assert found.finding("gold_position") is not None
    assert not {"\x1b", "\u202e"} & {*check_text(found)}
    jsonl(tmp_path / "items.jsonl", rows)
    done = call("check", "items.jsonl", "--fail-on", "cue", cwd=tmp_path, code=1)
    assert "Always answering A" in done.stdout
    done = call("check", "items.jsonl", "--json", "--rules", "html", cwd=tmp_path)
    assert done.json["sets"][0]["findings"] == []
    with pytest.raises(UsageError, match="'htm' is no rule"):
        hs.check(rows, rules="htm")


def test_the_items_without_a_fault_are_kept_in_a_new_file(tmp_path: Path) -> None:
    kept, path = tmp_path / "kept.jsonl", tmp_path / "items.parquet"
    done = call("check", "sample", "--keep", kept, "--json")
    OUTPUTS["check"].model_validate_json(done.stdout, strict=True)
    assert load_items(kept).items == load_items("sample").items
    rows = [*map(json.loads, kept.read_text().splitlines())]
    again = jsonl(tmp_path / "again.jsonl", [*rows, rows[0] | {"id": "again"}])
    done = call("check", again, "--keep", tmp_path / "once.jsonl")
    assert f"{len(rows)} of {len(rows) + 1} rows without a fault and not repeated" in done.stderr
    assert "ends in .jsonl" in call("check", "sample", "--keep", tmp_path / "x.csv").stderr
    for option in ("--keep", "--out"):
        assert "kept.jsonl is there already" in call("check", "sample", option, kept).stderr
    rows = {"question": ["1?", "2?"], "A": ["1", "2"], "B": ["1", "3"], "answer": ["A", "B"]}
    pl.DataFrame({**rows, "topic": ["a", None], "image": [b"x", b"y"]}).write_parquet(path)
    call("check", path, "--keep", tmp_path / "own.jsonl")
    own = {"id": "row-0002", "question": "2?", "A": "2", "B": "3", "answer": "B", "topic": None}
    assert json.loads((tmp_path / "own.jsonl").read_bytes()) == {**own, "image": "b'y'"}


@pytest.mark.shared
@pytest.mark.slow
def test_mmlu_and_redux_as_a_careful_reader_finds_them(shared: Path) -> None:
    rules = "equal_options, gold_position"
    found = hs.check(shared / "data/mmlu/mmlu_test.jsonl.gz", rules=rules)
    counts = {f.rule.name: f.count for f in found.findings}
    assert counts["equal_options"] == 9, "as the data's own README says"
    position = found.finding("gold_position")
    assert "A 3,222, B 3,462, C 3,582, D 3,776" in position.found.says
    pairs = hs.check(shared / "data/cola/cola_dev.jsonl.gz").finding("conflicting_gold")
    assert pairs.count == 6, "three sentences with both labels"


def test_rules_that_know_words_are_not_applied_to_other_languages() -> None:
    odd = item("Which piece can never leave the colour it stands on?")
    assert "leave the colour it stands on?" in (negated(odd) or "")
    asked = "Qual destas cidades não é a capital de um país da Europa, e por que não foi?"
    made = items_of(*(item(f"{asked} {n}") for n in range(9)))
    assert language(made) == OTHER
    found = check_items(made)
    assert OTHER in found.skipped["negated"]
    assert "Not looked for" in check_text(found)


def test_what_is_not_found_is_told_from_what_could_not_be() -> None:
    found = check_items(items_of(*(item(f"What is red number {n}?") for n in range(12))))
    kinds = {heading: {f.rule.name for f in quiet} for heading, quiet in quiet_kinds(found)}
    assert {"shared_items", "shared_contexts"} <= kinds[
        "Not applied, with nothing in this set to compare"
    ]
    assert "negated" in kinds["Not found"]
    assert sum(map(len, kinds.values())) == len(found.quiet)
    told = check_text(found, every=True)
    assert "--responses" in told
    assert "--responses" not in check_text(found, answered=True)
    assert all(", ".join(f.rule.name for f in quiet) in told for _, quiet in quiet_kinds(found))


def test_the_quick_rules_are_some_of_all() -> None:
    made = check_items(
        items_of(item("R&amp;D?"), item("R&amp;D?", FOUR, 1), item("NOT so?")), QUICK
    )
    assert {f.rule.name for f in made.findings} == {"conflicting_gold", "repeated", "html"}
    # As many more tests count as `check` makes: what the quick ones find, it finds too.
    some = [item(f"What is {n}?", gold=0 if n < 21 else 1 + n % 3) for n in range(48)]
    assert check_items(items_of(*some), QUICK).finding("gold_position") is None
