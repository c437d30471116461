"""The items themselves, without any model: their flaws, and what simple features tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from horsesense.api.given import Items, items_of
from horsesense.plugins import split_outside_brackets
from horsesense.runs.settings import Names

if TYPE_CHECKING:
    from horsesense.checks.check import CheckResult


def check(
    items: Items,
    *,
    map: Mapping[str, str] | None = None,
    split: str | None = "*",
    where: Mapping[str, str] | None = None,
    limit: int | None = None,
    rules: Names | None = None,
    seed: int = 0,
) -> CheckResult:
    """Flaws of the items themselves: cues, repeats, broken texts. No model is asked.

    Args:
        items, map, where, limit, seed: as for `audit`.
        split: the splits to look at; "*" is all, and finds what they share.
        rules: names of the rules to apply; all by default.

    Raises UsageError, ItemsError as `audit` does, or where there is no such rule.

    >>> found = check("sample")
    >>> found.finding("equal_options") is None
    True
    """
    from horsesense.checks.check import check_items

    found = items_of(items, map=map, split=split, where=where, limit=limit, seed=seed)
    names = split_outside_brackets(rules) if isinstance(rules, str) else rules
    return check_items(found, names)
