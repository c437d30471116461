"""Items: what counts as the same, and which items are flagged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from each import each
from horsesense.items.item import (
    Item,
    ItemSet,
    flag_items,
    normalised,
    order_dependent,
    published_order_filter,
    repeats_options,
    same_text,
)
from horsesense.items.load import load_items


def item(name: str, question: str, *options: str, gold: int | None = 0, **more: str) -> Item:
    return Item(name, question, options or ("yes", "no"), gold, **more)


@each(
    ("one", "other"),
    [
        ("Beck’s  therapy.", "Beck's therapy"),
        ("A dog — big", "A dog - big"),
        ("The Earth", "the earth"),
        ("“Yes”", '"Yes"'),
        ("cafe\u0301", "caf\u00e9"),
    ],
)
def test_same_text_ignores_layout(one: str, other: str) -> None:
    assert same_text(one) == same_text(other)


@each(
    ("one", "other"),
    [
        ("-1", "1"), ("x+y", "x-y"), ("1.5", "15"), ("$5", "5%"), ("5!", "5%"), ("Aa", "AA"),
        ("bb", "BB"), ("(0,1)", "[0,1]"), ("< 135", "> 135"), ("Rh+ve", "Rh-ve"), ("II", "ii"),
        ("x²", "x2"), ("f'(x)", "f(x)"), ("now here", "nowhere"), ("किताब", "कताब"),
        ("Sc ≡ Ej", "sC ≡ eJ"), ("?", "!"),
    ],
)  # fmt: skip
def test_same_text_keeps_what_carries_meaning(one: str, other: str) -> None:
    assert same_text(one) != same_text(other)
    assert not repeats_options([one, other])


CHANGES = st.sampled_from([str.title, str.lower, str.capitalize, "{}.".format, " {} ?".format])


@given(st.text(st.sampled_from("abéÉ ¿.,’'“\"-–1²e\u0301İßſΣς"), max_size=12), CHANGES)
@example("cafe\u0301", lambda _: "caf\u00e9")
def test_texts_that_say_the_same_have_the_same_letters_and_digits(
    text: str, change: Callable[[str], str]
) -> None:
    """`repeats_options` relies on it when it looks at `normalised` first."""
    assume(same_text(text) == same_text(change(text)))
    assert normalised(text) == normalised(change(text))


@given(st.text())
def test_keys_are_stable_under_layout(text: str) -> None:
    assert same_text(f"  {text}\n") == same_text(text)
    assert normalised(f" {text}.") == normalised(text) or not normalised(text).isalnum()


def test_normalised_keeps_letters_and_digits_of_every_script() -> None:
    assert normalised("J << a, (x_1)!") == "jax1"
    assert normalised("किताब") != normalised("कताब")
    assert normalised("- +") == "-+"


ORDER_DEPENDENT = [
    "All of the above", "both A and B", "None of the above.", "A nor B", "all of above",
    "Both of the above", "Any of the above", "all the above", "Either of above", "All of below",
    "none of these", "Neither of them", "All of these options.", "both (a) and (c)", "Both A & C",
    "Neither (a) nor (b).", "options 1 and 2", "Both 1 and 2", "(A) and (C)", "A,B", "a or b",
    "None of the options given is correct", "Both", "Neither.", "ALL", "Both AB", "either  a or b",
    "two of the other answers",
]  # fmt: skip
ORDER_FREE = [
    "None", "Core", "bore", "Cord", "Candy", "He gave two of them away", "Both rise", "Both.1",
    "all waves", "above average", "an answer and a choice", "A cat and a dog", "a band",
    "neither hot nor cold", "both a cat and a dog", "divisible by 2 and 3", "I and II",
    "some of the water", "all the colours together", "the day following",
]  # fmt: skip


@each("option", ORDER_DEPENDENT)
def test_options_that_point_at_others_are_found(option: str) -> None:
    assert order_dependent(["something", option])


@each("option", ORDER_FREE)
def test_options_that_only_sound_alike_are_not(option: str) -> None:
    assert not order_dependent(["something", option])


def test_the_published_filter_is_kept_to_the_letter() -> None:
    assert published_order_filter(["x", "both A and B"])
    assert not published_order_filter(["x", "both a and b"])
    assert published_order_filter(["x", "ALL OF THE ABOVE"])
    assert not published_order_filter(["A", "nor B"])


def test_repeats_are_exact_or_by_letters_and_digits() -> None:
    first = item("1", "Which is it?", "red", "blue")
    exact = item("2", "Which is it?", "blue", "red", gold=1)
    loose = item("3", "which is it ?!", "Red.", "blue")
    other = item("4", "Which is it?", "red", "green")
    flags = flag_items([first, exact, loose, other], "choice")
    assert flags == {"repeated_exact": {"2"}, "repeated_normalised": {"2", "3"}}


def test_an_exact_repeat_of_a_loose_repeat_is_exact() -> None:
    texts = ["Is it red?", "is it red", "is it red"]
    flags = flag_items([item(str(i), text) for i, text in enumerate(texts)], "choice")
    assert flags == {"repeated_exact": {"2"}, "repeated_normalised": {"1", "2"}}


def test_context_second_text_and_target_belong_to_the_question() -> None:
    base = item("0", "Why?", context="One story.", text_b="b", target="t")
    others = [
        replace(base, id="1", context="Another story."),
        replace(base, id="2", text_b="c"),
        replace(base, id="3", target="u"),
    ]
    assert flag_items([base, *others], "choice") == {}


def test_golds_conflict_by_content_and_only_between_the_same_questions() -> None:
    same = [item("1", "Why?", "x", "y"), item("2", "Why?", "y", "x", gold=1)]
    assert "conflicting_gold" not in flag_items(same, "choice")
    conflict = [*same, item("3", "Why?", "x", "y", gold=1)]
    assert flag_items(conflict, "choice")["conflicting_gold"] == {"1", "2", "3"}
    operators = [item("1", "With J << a?", "3", "9"), item("2", "With J >> a?", "3", "9", gold=1)]
    assert flag_items(operators, "choice") == {"repeated_normalised": {"2"}}
    unknown = [item("1", "Why?", "x", "y"), item("2", "Why?", "x", "y", gold=None)]
    assert "conflicting_gold" not in flag_items(unknown, "choice")


def test_label_items_are_the_same_by_text_alone() -> None:
    flags = flag_items([item("1", "Fine."), item("2", "Fine.", gold=1)], "label")
    assert flags["repeated_exact"] == {"2"}
    assert flags["conflicting_gold"] == {"1", "2"}
    assert "repeated_options" not in flags


def test_items_of_the_few_shot_file_are_found_even_where_unique() -> None:
    shots = [item("s", "Is it Red?", "no", "yes")]
    flags = flag_items(
        [item("1", "is it red?", "yes", "no"), item("2", "is it red?")], "choice", shots
    )
    assert flags["in_shots"] == {"1", "2"}
    assert flag_items([item("1", "is it red?", "a", "b")], "choice", shots) == {}


@each(
    "change",
    [
        {"question": "p"},
        {"gold": 1},
        {"options": ("no", "yes")},
        {"cluster": "c"},
        {"context": "c"},
    ],
)
def test_the_fingerprint_covers_what_can_change_a_number(change: dict[str, object]) -> None:
    one = ItemSet("n", "choice", (item("1", "q"),))
    assert one.fingerprint == ItemSet("other name", "choice", (item("1", "q"),)).fingerprint
    changed = ItemSet("n", "choice", (replace(item("1", "q"), **change),))  # type: ignore[arg-type]
    assert changed.fingerprint != one.fingerprint


# --- Known counts of real sets -------------------------------------------------------------------


@pytest.fixture(scope="module")
def mmlu(shared: Path) -> ItemSet:
    data = shared / "data" / "mmlu"
    return load_items(data / "mmlu_test.jsonl.gz", shots_from=data / "mmlu_dev.jsonl.gz")


@pytest.mark.thorough
@pytest.mark.shared
def test_mmlu_has_the_known_faults(mmlu: ItemSet) -> None:
    assert len(mmlu) == 14_042
    assert len(mmlu.flagged("repeated_exact")) == 106
    assert len(mmlu.flagged("repeated_options")) == 9
    assert sum(len(set(map(normalised, i.options))) < len(i.options) for i in mmlu) == 206
    assert len(mmlu.flagged("in_shots")) == 5
    # 114 groups, one of three items; letters and digits alone call 2 of them conflicting, but
    # they differ in "<<" against ">>" and in "*" against ",": no question has two golds.
    assert len(mmlu.flagged("repeated_normalised")) == 115
    assert not mmlu.flagged("conflicting_gold")


@pytest.mark.thorough
@pytest.mark.shared
def test_the_published_filter_keeps_the_published_counts(mmlu: ItemSet, shared: Path) -> None:
    kept = [one for one in mmlu if not published_order_filter(one.options)]
    assert len(kept) == 13_592
    assert [sum(one.gold == position for one in kept) for position in range(4)] == [
        3132,
        3389,
        3497,
        3574,
    ]
    arc = load_items(shared / "data" / "arc_challenge" / "arc_challenge_test.jsonl.gz")
    four = [one for one in arc if len(one.options) == 4]
    assert len(four) == 1_165
    assert not any(published_order_filter(one.options) for one in four)
    # The published 1,216 CommonsenseQA items are five fewer than the dev set holds; the filter
    # drops none of either.
    csqa = load_items(shared / "data" / "commonsense_qa" / "commonsense_qa_dev.jsonl.gz")
    assert len(csqa) == 1_221
    assert not any(published_order_filter(one.options) for one in csqa)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("path", "loose", "count"),
    [
        ("commonsense_qa/commonsense_qa_dev", 27, 24),
        # 11 of the 32 differ in + and - or < and >.
        ("medmcqa/medmcqa_dev", 32, 21),
        # Genotypes such as "Rr" and "rr" differ.
        ("arc_challenge/arc_challenge_test", 4, 0),
    ],
)
def test_known_repeated_options(shared: Path, path: str, loose: int, count: int) -> None:
    items = load_items(shared / "data" / f"{path}.jsonl.gz")
    repeated = items.flagged("repeated_options")
    assert len(repeated) == count
    assert all(
        len(set(items.by_id[name].options)) < len(items.by_id[name].options) for name in repeated
    )
    assert sum(len(set(map(normalised, i.options))) < len(i.options) for i in items) == loose
