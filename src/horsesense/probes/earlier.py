"""Which items qualify for a second look, by what an earlier stage of the study brought.

Before anything was asked (while planning) every item is taken to qualify, so that a plan is an
upper bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from horsesense.items.item import Item
from horsesense.probes.base import NotApplicableError, Setting
from horsesense.trials.condition import Condition
from horsesense.trials.history import Earlier

RIGHT_ITEMS = ("consistent", "derived", "all")
DERIVED = ("order", "option_count", "none_of_the_above")
"""Probes that derive other instances of an item, as REVAS does: with options in other orders, more
or fewer of them, or "none" in the place of one."""
WRONG_ITEMS = ("wrong", "majority_wrong", "all")


def answers(item: Item, setting: Setting, probe: str) -> Sequence[Earlier]:
    """The earlier answers of one probe; NotApplicableError if there are none."""
    assert setting.history is not None
    found = setting.history.of(item.id, probe)
    if not found:
        raise NotApplicableError(f"no answer to {probe} is there to start from")
    return found


def require_consistent(item: Item, setting: Setting, condition: Condition) -> None:
    """NotApplicableError unless the item was answered right, and alike, in every order."""
    if setting.history is None:
        return
    found = [e for e in answers(item, setting, "order") if e.condition == condition]
    if len({e.option for e in found}) != 1:
        raise NotApplicableError("its answers differ between orders")
    if not found[0].correct:
        raise NotApplicableError("it was answered wrongly in every order")


def require_right(item: Item, setting: Setting) -> None:
    """NotApplicableError unless every answer to the forms derived from the item was right."""
    if setting.history is None:
        return
    found = (e for probe in DERIVED for e in setting.history.of(item.id, probe))
    if not all(e.correct for e in found):
        raise NotApplicableError("it was not answered right in every derived form")


def wrong_choice(item: Item, setting: Setting, items: str) -> int | None:
    """The original option that was chosen wrongly; None for an item answered right (items=all).

    `items` is wrong (as published), or majority_wrong (plurality over the orders asked). Raises
    NotApplicableError for items answered right, and for those whose answer is no option.
    """
    if setting.history is None:
        return next(i for i in range(len(item.options)) if i != item.gold)
    source = "order" if items == "majority_wrong" else "original"
    chosen = _plurality(answers(item, setting, source))
    if chosen == item.gold:
        if items == "all":
            return None
        raise NotApplicableError("it was answered right")
    if chosen is None or chosen < 0:
        if items == "all":
            return None
        raise NotApplicableError("no option was chosen, so none misled")
    return chosen


def _plurality(found: Sequence[Earlier]) -> int | None:
    """The most frequent content; the first to be given among equals."""
    counts = Counter(e.option for e in found)
    return counts.most_common(1)[0][0]
