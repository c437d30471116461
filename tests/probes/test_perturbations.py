"""Perturbed questions: what changes, what never does, and what is counted instead."""

from __future__ import annotations

from collections import Counter
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.probes import perturbations as p
from horsesense.probes.base import NotApplicableError, Setting
from horsesense.probes.perturbed import EXTRA
from horsesense.probes.registry import parse_probes
from horsesense.rng import Dice
from horsesense.testing.conformance import check_probe
from horsesense.trials.condition import Condition

QUESTION = (
    "Which of the following best describes the effect of $x_{max} = 12$ on DNA and mRNA, if "
    r"\frac{velocity}{\text{mass}} grows by 3.5 % in f(x), vitamin C or H2O?"
)
KEPT = ("$x_{max} = 12$", "mRNA,", r"\frac{velocity}{\text{mass}}", "3.5 %", "f(x),", " C ", "H2O?")
KINDS = (p.key_typo, p.letter_scramble, p.letter_swap, p.word_swap)


def dice(n=0):
    return Dice(0, "q", "test", n)


@each("perturb", KINDS)
def test_formulas_numbers_and_names_are_left_alone(perturb):
    for n in range(30):
        found = perturb(QUESTION, dice(n))
        assert found != QUESTION or perturb is p.key_typo
        for part in KEPT:
            assert part in found, (part, found)


words = st.text(st.sampled_from("abcdefXYZé0123 $\\{}_.,?\n"), max_size=80)


@pytest.mark.parametrize("perturb", KINDS)
@given(words, st.integers(0, 50))
def test_any_text_is_perturbed_or_declined(perturb, text, n):
    found = perturb(text, dice(n))
    if found is None:
        return
    assert found != text or perturb is p.key_typo
    assert len(found.split()) == len(text.split())
    if perturb is not p.key_typo:
        assert Counter(found) == Counter(text)
    else:
        assert len(found) == len(text)


SYMBOLS = (
    "In triangle ABC the DNA of log AB and sin xy is mass * velocity, km by NADH = dx.",
    {"In", "triangle", "the", "of", "and", "is", "by"},
)


@each("perturb", KINDS)
def test_names_of_variables_functions_and_formulas_are_left_alone(perturb):
    text, plain = SYMBOLS
    assert {word.text for word in p.words_of(text)} <= plain
    for n in range(20):
        pairs = zip(text.split(), perturb(text, dice(n)).split(), strict=True)
        assert {a for a, b in pairs if a != b} <= plain


def test_a_text_in_capitals_alone_is_one_of_words():
    assert [w.text for w in p.words_of("WHICH IS NOT A CITY?")] == ["WHICH", "IS", "NOT", "CITY"]
    assert [w.text for w in p.words_of("Which is NOT a city?")] == ["Which", "is", "NOT", "city"]
    assert [w.text for w in p.words_of("Which is DNA in a cell?")] == ["Which", "is", "in", "cell"]
    assert [w.text for w in p.words_of("Mr Fox likes pi, theta and acc")] == [
        "Mr", "Fox", "likes", "and", "acc",
    ]  # fmt: skip
    assert [w.text for w in p.words_of("The def int bar was long")][1:4] == ["def", "int", "bar"]
    assert [w.text for w in p.words_of("What does int bar = x[i]; do?")] == ["What", "does", "do"]
    assert p.words_of("DNA RNA") == []
    assert [w.text for w in p.words_of("why my sky, not xyz")] == ["why", "my", "sky", "not"]


def test_typos_come_at_their_rate_in_short_texts_too():
    text = "Which bird cannot fly far?"
    found = [p.key_typo(text, dice(n)) for n in range(1000)]
    wrong = sum(a != b for each in found for a, b in zip(text.split(), each.split(), strict=True))
    assert wrong / 5000 == pytest.approx(0.2, abs=0.02)
    assert sum(each == text for each in found) / 1000 == pytest.approx(0.8**5, abs=0.05)


def test_texts_with_a_label_set_are_perturbed_and_the_target_word_stays():
    item = Item("q", "The bank of the river floods.", ("no", "yes"), 1,
                text_b="The bank lends money to farmers.", target="bank")  # fmt: skip
    setting = Setting(ItemSet("wic", "label", (item,), ("no", "yes")))
    for name in ("key_typo", "letter_scramble", "letter_swap", "word_swap"):
        trials = parse_probes([name])[-1].apply(item, setting)
        assert len(trials) == 4 * 2
        assert {t.form for t in trials} == {"label"}
        texts = {t.variant.question for t in trials} | {t.variant.text_b for t in trials}
        assert len(texts) > 2
        assert all("bank" in text for text in texts) or name == "word_swap"
        assert {t.variant.target for t in trials} == {"bank"}
    assert {t.variant.options for t in parse_probes(["option_swap"])[-1].apply(item, setting)} == {
        ("no", "yes"), ("yes", "no"),
    }  # fmt: skip
    with pytest.raises(NotApplicableError, match="one label set"):
        parse_probes(["extra_options"])[-1].apply(item, setting)


def test_a_typo_changes_one_letter_in_about_a_fifth_of_the_words():
    text = "many different ordinary words stand here in one line " * 40
    found = p.key_typo(text, dice())
    pairs = list(zip(text.split(), found.split(), strict=True))
    changed = [(a, b) for a, b in pairs if a != b]
    assert 0.15 < len(changed) / len(pairs) < 0.25
    for a, b in changed:
        assert sum(x != y for x, y in zip(a, b, strict=True)) == 1
        assert b.isalpha()


@pytest.mark.parametrize(("perturb", "longest_kept"), [(p.letter_scramble, 3), (p.letter_swap, 4)])
def test_ends_of_words_and_short_words_stay(perturb, longest_kept):
    text = "The principal, who had been best at chess, was away today."
    for a, b in zip(text.split(), perturb(text, dice()).split(), strict=True):
        assert (a[0], a[-1]) == (b[0], b[-1])
        if len(a.strip(".,")) <= longest_kept:
            assert a == b
        elif perturb is p.letter_swap and a != b:
            places = [i for i in range(len(a)) if a[i] != b[i]]
            assert places[1] == places[0] + 1
            assert len(places) == 2


def test_four_inner_words_change_places():
    text = "First one two three four five six seven eight Last."
    for n in range(20):
        found = p.word_swap(text, dice(n)).split()
        moved = [a for a, b in zip(text.split(), found, strict=True) if a != b]
        assert 2 <= len(moved) <= 4
        assert (found[0], found[-1]) == ("First", "Last.")


def one(question="Which animal is the fastest runner of them all?", k=4, options=None):
    options = options or tuple(f"animal {i}" for i in range(k))
    item = Item(id="q", question=question, options=options, gold=0)
    return item, Setting(ItemSet(name="s", kind="choice", items=(item,)))


def made(spec, *args, **kwargs):
    item, setting = one(*args, **kwargs)
    return parse_probes([spec])[-1].apply(item, setting)


@each("name", ["key_typo", "letter_scramble", "letter_swap", "word_swap"])
def test_four_versions_under_the_same_five_shuffles(name):
    trials = made(name)
    assert [t.repetition for t in trials] == list(range(20))
    assert {t.condition for t in trials} == {Condition(versions=4, design="random(5)")}
    by_version = [trials[i : i + 5] for i in range(0, 20, 5)]
    for version in by_version:
        assert len({t.variant.question for t in version}) == 1
        assert [t.variant.origin for t in version] == [t.variant.origin for t in by_version[0]]
        assert len({t.variant.origin for t in version}) == 5
    assert len({t.variant.question for t in trials}) > 1
    assert {frozenset(t.variant.options) for t in trials} == {frozenset(trials[0].variant.options)}


def test_two_options_have_two_orders():
    assert len(made("key_typo", k=2)) == 4 * factorial(2)
    assert len(made("option_swap", k=2)) == 2
    assert len(made("option_swap")) == 4


def test_options_that_decline_are_added_and_left_out():
    trials = made("extra_options")
    without, added = trials[:5], trials[5:]
    assert {t.condition for t in without} == {Condition(added=0, design="random(5)")}
    assert {t.condition for t in added} == {Condition(added=3, design="random(5)")}
    for trial in added:
        shown = dict(zip(trial.variant.origin, trial.variant.options, strict=True))
        assert len(shown) == 7
        assert {code: shown[code] for code in EXTRA} == dict(EXTRA)
        assert shown[trial.variant.origin[trial.variant.gold_at]] == "animal 0"


@each(
    ("spec", "question", "reason"),
    [
        ("key_typo", "3 + 4 = ?", "no words"),
        ("word_swap", "Which one?", "no words"),
        ("letter_swap", "What is $x$?", "no words"),
        ("letter_scramble", "人 工 知 能", "no words"),
    ],
)
def test_what_cannot_be_perturbed_is_excluded_with_a_reason(spec, question, reason):
    with pytest.raises(NotApplicableError, match=reason):
        made(spec, question)


def test_an_option_that_declines_already_is_a_reason():
    with pytest.raises(NotApplicableError, match="declines as it is"):
        made("extra_options", options=("red", "refused", "blue"))


@pytest.mark.parametrize("spec", ["key_typo(versions=0)", "extra_options(0)", "option_swap(n=0)"])
def test_counts_are_checked(spec):
    with pytest.raises(UsageError):
        parse_probes([spec])


@each(
    "spec", ["key_typo", "letter_scramble", "letter_swap", "word_swap", "option_swap",
             "extra_options"],
)  # fmt: skip
def test_they_keep_the_rules_of_all_probes(spec):
    assert check_probe(parse_probes([spec])[-1])
