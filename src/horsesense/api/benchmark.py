"""The items themselves, without any model: their flaws, and what simple features tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from horsesense.api.given import Items, items_of
from horsesense.plugins import split_outside_brackets
from horsesense.runs.settings import Names

if TYPE_CHECKING:
    from horsesense.checks.check import CheckResult
    from horsesense.cue_tests.groups import Grouping
    from horsesense.cue_tests.result import CueResult


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


def cues(
    items: Items,
    *,
    map: Mapping[str, str] | None = None,
    split: str | None = None,
    where: Mapping[str, str] | None = None,
    limit: int | None = None,
    faithful: bool = False,
    grouping: Grouping = "found",
    folds: int = 5,
    repeats: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
) -> CueResult:
    """Can the benchmark be answered without understanding it? No model is asked.

    Args:
        items, map, split, where, limit: as for `audit`.
        faithful: the published method, flaws included.
        grouping: how related items are kept together; "none" divides them as if all were alone.
        folds, repeats: of the cross-validation.
        jobs: processes; one per core by default.
    """
    from horsesense.cue_tests.api import find_cues

    found = items_of(items, map=map, split=split, where=where, limit=limit, seed=seed)
    return find_cues(
        found, faithful=faithful, grouping=grouping, folds=folds, repeats=repeats, seed=seed,
        jobs=jobs,
    )  # fmt: skip
