"""Options as they were shown, put to an item's own by their texts."""

from __future__ import annotations

from collections.abc import Sequence


def plain(text: str) -> str:
    """A text as contents are compared: white space does not count."""
    return " ".join(text.split())


def own_order(shown: Sequence[str], own: Sequence[str]) -> list[int] | None:
    """For each of some options its index among the item's own.

    None where they are not the same options, or where two read alike and the order differs.

    >>> own_order(["red", "blue"], ["blue", "red"])
    [1, 0]
    """
    if tuple(shown) == tuple(own) or [*map(plain, shown)] == [*map(plain, own)]:
        return list(range(len(own)))
    places = {plain(text): place for place, text in enumerate(own)}
    if len(places) < len(own) or sorted(map(plain, shown)) != sorted(places):
        return None
    return [places[plain(text)] for text in shown]
