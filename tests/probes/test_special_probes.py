"""Probes of Know-No and REVAS on awkward items: what cannot be asked is counted, with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from horsesense.api import Run
from horsesense.items.class_names import near_names
from horsesense.items.item import Item, ItemSet, flag_items
from horsesense.items.load import sampled
from horsesense.plugins import split_outside_brackets
from horsesense.probes.base import NotApplicableError, Probe, Setting
from horsesense.probes.context_length import cut, sentences, words
from horsesense.probes.fillers import FORMS, nonsense, words_of
from horsesense.probes.registry import parse_probe
from horsesense.prompts import Prompter
from horsesense.trials.condition import Condition
from horsesense.trials.extras import NO_EXTRAS, Marked
from horsesense.trials.history import Earlier, History
from horsesense.trials.trial import NONE_OPTION, Trial
from studies import jsonl, study

PLAIN = Item("q", "Which one?", ("red", "green", "blue", "white"), 2)
OTHERS = tuple(
    Item(f"o{i}", f"Other {i}?", tuple(f"thing{i}{j}" for j in "abcd"), 0) for i in "klmnopqrs"
)


def setting(*items: Item, kind: str = "choice", history: History | None = None) -> Setting:
    labels = items[0].options if kind == "label" else ()
    flags = flag_items(items, kind)  # type: ignore[arg-type]
    return Setting(ItemSet("t", kind, items, labels, flags), history=history)  # type: ignore[arg-type]


def trials(spec: str, item: Item = PLAIN, *others: Item, kind: str = "choice") -> list[Trial]:
    return parse_probe(spec).apply(item, setting(item, *others, kind=kind))


def reason(spec: str, item: Item, *others: Item, kind: str = "choice") -> str:
    with pytest.raises(NotApplicableError) as why:
        trials(spec, item, *others, kind=kind)
    return str(why.value)


REPEATED = Item("q", "Which?", ("red", "Red", "blue", "white"), 2)
ALONE = Item("q", "Which?", ("red",), 0)
HAS_NONE = Item("q", "Which?", ("red", "none of these", "blue", "white"), 2)
NONE_IS_GOLD = Item("q", "Which?", ("red", "None of the above", "blue", "white"), 1)
NO_GOLD = Item("q", "Which?", ("red", "green"), None)
EVERY = (
    "option_count(6)", "gold_absent", "gold_plus_none", "true_false(items=all)",
    "multi_select", "misleading_replaced", "none_of_the_above",
)  # fmt: skip


@each("spec", EVERY)
def test_awkward_items_are_left_out_with_a_reason(spec: str) -> None:
    assert reason(spec, NO_GOLD) == "the item has no gold answer"
    assert "same text" in reason(spec, REPEATED)
    if spec != "none_of_the_above":
        assert reason(spec, ALONE) == "the item has no distractor"


@pytest.mark.parametrize("spec", ["gold_absent", "gold_plus_none", "none_of_the_above"])
@pytest.mark.parametrize("item", [HAS_NONE, NONE_IS_GOLD])
def test_items_with_a_none_option_are_left_out(spec: str, item: Item) -> None:
    assert reason(spec, item) in (
        "the item has a none-option of its own",
        "an option speaks of other options by place or letter",
    )


def test_a_none_option_among_class_names(tmp_path: Path) -> None:
    labels = Item("q", "a text", ("card_lost", "none of the above", "refund"), 0)
    assert "none-option" in reason("gold_absent", labels, kind="label")


def test_class_names_that_differ_only_in_case_are_refused() -> None:
    item = Item("q", "a text", ("Yes", "yes", "no"), 0)
    assert "same text" in reason("gold_absent", item, kind="label")


def test_a_set_without_two_labels_in_parts_has_no_delimiter() -> None:
    plain = Item("q", "a text", ("refund", "loss"), 0)
    assert "no class name has parts" in reason("delimiter", plain, kind="label")
    hyphens = Item("q", "a text", ("re-fund", "loss"), 0)
    assert "published with hyphen" in reason("delimiter", hyphens, kind="label")
    assert trials("delimiter(underscore)", hyphens, kind="label")


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 10_000))
def test_nonsense_is_new_and_never_a_word_of_the_item(form: str, seed: int) -> None:
    items = (PLAIN, *OTHERS)
    chosen = Setting(ItemSet("t", "choice", items), seed)
    made = nonsense(form, PLAIN, chosen, 6)
    assert len({text.casefold() for text in made}) == 6
    own = {word.casefold() for word in words_of(PLAIN)} | {o.casefold() for o in PLAIN.options}
    assert not own & {text.casefold() for text in made}
    if form == "letters":
        assert all(4 <= len(word) <= 7 for text in made for word in text.split())


def test_nonsense_is_as_long_as_the_options() -> None:
    options = ("a fairly long option with many words", "another option of the same length", "yes")
    item = Item("q", "Which?", options, 0)
    made = nonsense("letters", item, setting(item), 8)
    assert max(map(len, made)) > 25
    assert all(len(text) <= max(map(len, options)) + 7 for text in made)


def test_plausible_options_come_from_others_of_the_subject() -> None:
    (first, *_) = trials("option_count(6, kind=plausible)", PLAIN, *OTHERS)
    added = [o for o, c in zip(first.variant.options, first.variant.origin, strict=True) if c < 0]
    assert len(added) == 2
    assert set(added) <= {option for other in OTHERS for option in other.options}
    assert "fewer than 2" in reason("option_count(6, kind=plausible)", PLAIN)


def test_fewer_options_keep_the_gold_and_random_designs_their_number() -> None:
    shown = trials("option_count(2, design=random(4))")
    assert len(shown) == 4
    assert len({(t.variant.options) for t in shown}) == 4
    assert all(2 in t.variant.origin for t in shown)
    assert len({frozenset(t.variant.origin) for t in shown}) == 2, "two draws of distractors"
    assert [len(trials(f"option_count({n})")) for n in (2, 3, 6, 10)] == [2, 3, 6, 10]


def test_an_item_with_as_many_options_is_no_change() -> None:
    assert reason("option_count(4)", PLAIN) == "the item already has 4 options"


def test_the_none_option_stands_last_or_everywhere() -> None:
    last = trials("gold_absent(prompt=hint_option)")
    assert len(last) == 3
    assert {t.variant.origin[-1] for t in last} == {NONE_OPTION}
    every = trials("gold_absent(prompt=hint_option, positions=every)")
    assert [t.variant.gold_at for t in every] == [0, 1, 2, 3]
    assert all(2 not in t.variant.origin for t in [*last, *every]), "the right answer is gone"


def test_two_options_allow_one_order_without_gold() -> None:
    item = Item("q", "Which?", ("red", "green"), 0)
    assert len(trials("gold_absent(prompt=no_hint)", item)) == 1
    arms = [t.condition["arm"] for t in trials("misleading_replaced", item)]
    assert arms == ["misleading", "unchanged"], "there is no other distractor"


CYCLIC = Condition(design="cyclic")


def history(*answers: tuple[str, int, int | None]) -> History:
    return History(
        "text",
        {"q": tuple(Earlier(probe, CYCLIC if probe == "order" else Condition(), r, content,
                            content == PLAIN.gold) for probe, r, content in answers)},
    )  # fmt: skip


@each(
    ("answers", "spec", "expected"),
    [
        ([("original", 0, 1)], "multi_select", 1),
        ([("original", 0, 2)], "multi_select", "it was answered right"),
        ([("original", 0, 2)], "multi_select(items=all)", None),
        ([("original", 0, None)], "multi_select", "no option was chosen, so none misled"),
        ([("original", 0, NONE_OPTION)], "multi_select", "no option was chosen, so none misled"),
        ([], "multi_select", "no answer to original is there to start from"),
        ([("order", r, c) for r, c in enumerate((0, 2, 0, 1))], "multi_select(majority_wrong)", 0),
        ([("order", r, 2) for r in range(4)], "true_false", 4),
        ([("order", r, 1) for r in range(4)], "true_false",
         "it was answered wrongly in every order"),
        ([("order", r, c) for r, c in enumerate((2, 2, 2, 1))], "true_false",
         "its answers differ between orders"),
    ],
)  # fmt: skip
def test_a_second_look_is_taken_at_the_right_items(
    answers: list[tuple[str, int, int | None]], spec: str, expected: int | str | None
) -> None:
    with_evidence = setting(PLAIN, history=history(*answers))
    if isinstance(expected, str):
        with pytest.raises(NotApplicableError, match=expected):
            parse_probe(spec).apply(PLAIN, with_evidence)
        return
    made = parse_probe(spec).apply(PLAIN, with_evidence)
    if spec == "true_false":
        assert len(made) == expected
    else:
        assert made[0].extras == (NO_EXTRAS if expected is None else Marked(expected))


@given(st.lists(st.sampled_from(["One two three.", "Dr. Fox ran!", "It is 3.5 km.", "Why?"])))
def test_sentences_lose_nothing(parts: list[str]) -> None:
    text = " ".join(parts)
    assert "".join(sentences(text)) == text
    assert len(sentences(text)) == len(parts)


@given(st.text(alphabet="ab .!?\n猫。", max_size=80), st.integers(1, 10))
def test_a_cut_context_is_extended_to_the_end_of_its_sentence(text: str, least: int) -> None:
    for keep, fits in (("start", str.startswith), ("end", str.endswith)):
        short = cut(text, least, keep)
        assert fits(text.strip(), short)
        assert short == text.strip() or words(short) >= least
        assert short in ("", text.strip()) or words(cut(short, least, keep)) == words(short)


@each(
    ("text", "least", "start", "end"),
    [
        ("One two three. Four five. Six.", 2, "One two three.", "Four five. Six."),
        ("我喜欢猫。你喜欢狗。他喜欢鱼。", 5, "我喜欢猫。你喜欢狗。", "你喜欢狗。他喜欢鱼。"),
        ("ผมชอบแมว เธอชอบหมา ไป", 3, "ผมชอบแมว", "เธอชอบหมา ไป"),
        ("यह एक है। यह दो है। बस।", 2, "यह एक है।", "यह दो है। बस।"),
    ],
)
def test_a_context_is_cut_in_scripts_of_all_kinds(
    text: str, least: int, start: str, end: str
) -> None:
    assert (cut(text, least, "start"), cut(text, least, "end")) == (start, end)


def test_a_context_of_one_sentence_is_not_cut() -> None:
    item = Item("q", "?", ("a", "b"), 0, context="word " * 50 + ".")
    assert "no sentence" in reason("context_length(20)", item)
    chinese = Item("q", "?", ("a", "b"), 0, context="我喜欢猫。你喜欢狗。")
    assert trials("context_length(3)", chinese)[0].variant.context == "我喜欢猫。"
    assert reason("context_length(20)", PLAIN) == "the item has no context"


def test_commas_inside_brackets_separate_nothing() -> None:
    spec = "option_count(6, design=random(4)), repeat"
    assert split_outside_brackets(spec) == ["option_count(6, design=random(4))", "repeat"]


def excluded(tmp_path: Path, probe: str, **options: str) -> tuple[dict[str, list[str]], Run]:
    """Why items with such options are left out, by the reason; and the run."""
    rows = [
        {"id": name, "question": f"{name}?", "options": words.split("/"), "answer_index": 1}
        for name, words in options.items()
    ]
    result = study(jsonl(tmp_path / "items.jsonl", rows), "sim:oracle", tmp_path / "run",
                   probes=(probe,))  # fmt: skip
    return {e["reason"]: e["examples"] for e in result.findings["exclusions"]}, result.done


def test_exclusions_reach_the_findings(tmp_path: Path) -> None:
    options = {"fine": "a1/b1/c1", "twice": "xenon/argon/Xenon ", "none": "p/none-of-them"}
    assert excluded(tmp_path, "gold_absent", **options)[0] == {
        "two options have the same text": ["twice"],
        "the item has a none-option of its own": ["none"],
    }


def test_a_set_of_labels_left_out_is_counted_beside_those_asked(tmp_path: Path) -> None:
    reasons, run = excluded(tmp_path, "labels", numbers="3/4/1", words="red/blue")
    assert reasons == {"set=digits: a label of this set is an option's text": ["numbers"]}
    assert "set=lower" in set(run.trials.filter(item_id="numbers")["condition"])


def test_class_names_that_become_one_are_not_re_joined() -> None:
    """Asked about them, a perfect model seemed to fall by 80 points."""
    alike = Item("q", "text", ("top_up", "top-up", "pin_blocked"), 0)
    told = reason("delimiter(gold=present)", alike, kind="label")
    assert told == "re-joined, class names become one: top_up and top-up"
    apart = Item("q", "text", ("top_up", "pin_blocked", "refund"), 0)
    assert len(trials("delimiter(gold=both)", apart, kind="label")) == 2


def test_a_sample_beside_a_none_option_is_the_one_that_a_limit_keeps() -> None:
    items = [Item(f"i{n}", f"{n}?", ("a", "b", "c"), 0) for n in range(30)]
    probe, whole = parse_probe("gold_plus_none(sample=10)"), setting(*items)
    asked = {item.id for item in items if _asked(probe, item, whole)}
    kept = sampled(whole.items, 10, 0)
    assert asked == set(kept.by_id)
    fewer = Setting(sampled(whole.items, 5, 0))
    assert {i.id for i in fewer.items if _asked(probe, i, fewer)} == set(fewer.items.by_id) < asked


def _asked(probe: Probe, item: Item, where: Setting) -> bool:
    try:
        return bool(probe.apply(item, where))
    except NotApplicableError:
        return False


def test_two_wordings_of_a_hint_are_two_conditions() -> None:
    table, appendix = (
        next(
            t for t in trials(f"gold_absent(hint={hint})") if "instruction" in t.condition["prompt"]
        )
        for hint in ("table", "appendix")
    )
    assert "hint" not in table.condition
    assert appendix.condition["hint"] == "appendix"
    asked = [str(Prompter().request(trial).messages) for trial in (table, appendix)]
    assert ["believe" in text for text in asked] == [True, False]
    assert all('"none-of-them"' in text for text in asked)


def test_near_class_names_share_most_of_their_words() -> None:
    names = ("card_payment_wrong_exchange_rate", "wrong_exchange_rate_for_cash_withdrawal",
             "refund_not_showing_up", "card_arrival")  # fmt: skip
    assert near_names(names) == {names[0]: (names[1],), names[1]: (names[0],)}


@pytest.mark.parametrize(
    "parts",
    [
        ["他说：“我喜欢数学。”", "然后回家了。"],
        ["「はい。」", "（そうだ。）", "次！"],
        [
            "See Fig. 3 and Eq. 4 (Fox et al. 2020). ",
            "It took approx. 5 h in Jan. 2020. ",
            "No. ",
            "End.",
        ],
    ],
)
def test_sentences_end_behind_closing_marks_and_not_at_abbreviations(parts: list[str]) -> None:
    assert sentences("".join(parts)) == parts
