"""The items themselves, without any model: their flaws, and what simple features tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from horsesense.api.given import (
    Items,
    Names,
    named_values,
    source_of,
)
from horsesense.items.given import given_items, load_selected
from horsesense.plugins import split_outside_brackets
from horsesense.runs.settings import Settings

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

    source = source_of(items)
    values = named_values(
        items=source, model="none:", map=map, split=split, where=where, limit=limit, seed=seed
    )
    settings = Settings.of(**values)
    found = given_items(items, settings) or load_selected(settings.items, settings)
    names = split_outside_brackets(rules) if isinstance(rules, str) else rules
    return check_items(found, names)
