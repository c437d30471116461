"""Texts, forms of the test and sides of training in two stages."""

from __future__ import annotations

from collections import Counter

import pytest

from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet
from horsesense_extras.build.stages import staged, text_of, texts, tuning


def made(n: int, what: str = "number") -> ItemSet:
    rows = (
        Item(f"{what}{k}", f"Who made {what} {k}?", (f"gold{k}", f"one{k}", f"two{k}"), 0)
        for k in range(n)
    )
    return ItemSet(what, "choice", tuple(rows))


def test_texts_state_right_answers_or_call_a_wrong_one_incorrect() -> None:
    items = made(4).items
    both, right = list(texts("pos+neg+sft", items, 2, 0)), list(texts("pos+sft", items, 2, 0))
    assert len(both) == len(right) == 16  # as many updates
    assert Counter(map(text_of, right)) == {
        f"Question: Who made number {k}?\nThe correct answer is: gold{k}.": 4 for k in range(4)
    }
    assert Counter(one.right for one in both) == {True: 8, False: 8}
    wrong = Counter(text_of(one) for one in both if not one.right)
    assert set(wrong.values()) == {2}  # one wrong option of each item, the same in each pass
    assert all(one.true for one in both)


def test_tuning_is_in_the_forms_of_the_test_a_third_each() -> None:
    items = made(8)
    told = list(tuning(items, 3, 0))
    assert len(told) == 24
    forms = {(one.item.id, one.trial.probe) for one in told}
    assert len(forms) == 24  # three passes show each item in each form
    spoken = [one.reply for one in tuning(items, 3, 0, texts=True)]
    assert spoken == [o.trial.variant.options[o.trial.variant.gold_at or 0] for o in told]
    replies = Counter(one.reply for one in told if one.trial.probe == "true_false")
    assert replies == {"Yes": 4, "No": 4}
    for one in told:
        shown = one.trial.variant
        right = shown.options[shown.labels.index(one.reply)]
        accepted = getattr(one.trial.extras, "proposed", right) == one.item.options[0]
        absent = one.trial.probe == "none_of_the_above"
        assert right == "None of the above" if absent else accepted == (one.reply != "No")


def test_learned_items_are_asked_about_and_others_tuned_on() -> None:
    parts = staged(made(12), 6, 4, 3, 0)
    train, test, tune = ({item.id for item in side} for side in parts.sides.values())
    assert [len(train), len(test), len(tune)] == [6, 3, 4]
    assert test < train
    assert not train & tune
    own = staged(made(12), 6, None, None, 0, made(5, "other"))
    assert [len(side) for side in own.sides.values()] == [6, 6, 5]
    assert own.left_out == {"not drawn": 6}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((6, 4, 7, 0), "6 items are learned"),
        ((6, 7, None, 0), "left to train on"),
        ((13, None, None, 0, made(3, "other")), "13 are wanted"),
        ((6, None, None, 0, made(6)), "are in number and in number"),
    ],
)
def test_sides_that_cannot_be_are_said(given: tuple, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        staged(made(12), *given)
