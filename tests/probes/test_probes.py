"""The probes: conformance of all, and what each changes."""

from __future__ import annotations

import pytest

from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet, flag_items
from horsesense.probes.base import NotApplicableError, Setting
from horsesense.probes.registry import PROBES, parse_probe, parse_probes
from horsesense.testing.conformance import check_probe, item_set
from horsesense.trials.condition import Condition
from horsesense.trials.trial import NONE_OPTION, Trial


def trials(spec: str, items: ItemSet | None = None, place: int = 0) -> list[Trial]:
    items = items or item_set()
    return parse_probe(spec).apply(items.items[place], Setting(items))


def single(item: Item) -> ItemSet:
    return ItemSet("one", "choice", (item,), flags=flag_items([item], "choice"))


@pytest.mark.parametrize("name", PROBES.names())
@pytest.mark.parametrize("kind", ["choice", "label"])
def test_every_probe_conforms(name: str, kind: str) -> None:
    check_probe(parse_probe(name), kind)


def test_an_unknown_probe_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"mean 'order'(.|\n)*Known:.*options_only"):
        parse_probes(["oder"])


def test_an_unknown_parameter_names_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no parameter 'n'(.|\n)*Known: design"):
        parse_probe("order(n=4)")


def test_original_is_always_first_and_once() -> None:
    names = [probe.name for probe in parse_probes(["order", "original", "order(auto)"])]
    assert names == ["original", "order"]


def test_repeat_differs_from_original_in_the_sample_alone() -> None:
    original, repeat = trials("original")[0], trials("repeat")[0]
    assert repeat.variant == original.variant
    assert (original.sample, repeat.sample) == (0, 1)


def test_order_keeps_content_and_moves_gold_with_it() -> None:
    item = item_set().items[1]
    for trial in trials("order", place=1):
        shown = trial.variant
        assert [item.options[o] for o in shown.origin] == list(shown.options)
        assert shown.options[shown.gold_at or 0] == item.options[item.gold or 0]
    assert {t.condition for t in trials("order")} == {Condition(design="cyclic")}


def test_many_options_are_not_asked_in_every_cyclic_order() -> None:
    assert len(trials("order", item_set("label", k=77))) == 4


def test_labels_change_nothing_but_the_labels() -> None:
    original = trials("original")[0].variant
    shown = {t.condition["set"]: t.variant for t in trials("labels")}
    assert shown["digits"].labels == ("1", "2", "3", "4")
    assert {v.options for v in shown.values()} == {original.options}
    with pytest.raises(NotApplicableError, match="more than the labels"):
        trials("labels(symbols)", item_set(k=12))


def with_options(*options: str) -> ItemSet:
    return single(Item("one", "Which?", options, 0))


def test_a_set_of_labels_that_an_option_is_made_of_is_left_out() -> None:
    shown = {t.condition["set"] for t in trials("labels", with_options("3", "8", "10", "13"))}
    assert "digits" not in shown
    assert "lower" in shown
    with pytest.raises(NotApplicableError, match="is an option's text"):
        trials("labels(digits)", with_options("3", "8", "10", "13"))


@pytest.mark.parametrize("option", ["Both A and B", "A and C only", "Either (A) or (B)"])
def test_options_that_speak_of_letters_keep_their_letters(option: str) -> None:
    with pytest.raises(NotApplicableError, match="speak of the letters"):
        trials("labels", with_options("red", "blue", option))


def test_none_of_the_above_takes_the_place_of_gold_or_of_a_distractor() -> None:
    shown = {t.condition["place"]: t.variant for t in trials("none_of_the_above", place=1)}
    kept, last, distractor = (shown[p] for p in ("kept", "last", "distractor"))
    assert (kept.origin, kept.gold_at) == ((0, NONE_OPTION, 2, 3), 1)
    assert kept.options[1] == "None of the above"
    assert (last.origin[3], last.gold_at) == (NONE_OPTION, 3)
    assert distractor.origin[distractor.gold_at or 0] == 1
    assert NONE_OPTION in distractor.origin


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("cat", "dog", "both A and B", "emu"), "speaks of other options"),
        (("cat", "dog", "Cat", "emu"), "same text"),
        (("cat", "dog", "none of these", "emu"), "speaks of other options|none-option of its own"),
    ],
)
def test_items_that_cannot_be_changed_are_left_out_with_a_reason(
    options: tuple[str, ...], reason: str
) -> None:
    items = single(Item("q", "Which?", options, 0))
    with pytest.raises(NotApplicableError, match=reason):
        trials("none_of_the_above", items)


def test_probes_that_need_gold_say_so() -> None:
    with pytest.raises(NotApplicableError, match="no gold"):
        trials("none_of_the_above", item_set(gold=False))
    assert trials("order", item_set(gold=False))[0].variant.gold_at is None


def test_options_only_withholds_question_and_context() -> None:
    shown = trials("options_only")[0].variant
    assert (shown.question, shown.context) == (None, None)
    with pytest.raises(NotApplicableError, match="label set"):
        trials("options_only", item_set("label"))
