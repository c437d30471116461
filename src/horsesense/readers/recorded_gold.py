"""What is right in a file of replies, and how often the readings say it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from horsesense.readers.text import exact, names_of
from horsesense.stats.binomial import wilson
from horsesense.stats.words import percent, plural

_APART = re.compile(r"[\s,;&/|]+")
_NUMBER = re.compile(r"\d{1,3}(?:\.0)?")


_MASK = 3
"""Options from which on a list of as many numbers, all 0 or 1, is a mask."""


class RecordedGold(NamedTuple):
    """The right options of one row.

    Attributes:
        positions: from 0; empty where the field says nothing that is an option.
        by_number: they are numbers of options, which another program may count from 1.
    """

    positions: frozenset[int]
    by_number: bool = False


def gold_of(given: Any, options: Sequence[str], labels: Sequence[str]) -> RecordedGold | None:
    """What a field of a row says is right; None where it is empty.

    A text is a label, an option's text, both, several labels, or else a number; a number counts
    options from 0, unless labels are numbers. A list of 0 and 1, or of false and true, as long as
    the options are, marks those that are right.
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    entries = given if isinstance(given, list | tuple) else [given]
    if len(entries) == len(options) >= _MASK and all(type(one) in (bool, int) for one in entries):
        marked = frozenset(i for i, one in enumerate(entries) if one == 1)
        if set(entries) <= {0, 1}:
            return RecordedGold(marked)
    found = [_one(entry, options, labels) for entry in entries]
    if not found or not all(one.positions for one in found):
        return RecordedGold(frozenset())
    positions = frozenset().union(*(one.positions for one in found))
    return RecordedGold(positions, any(one.by_number for one in found))


def _one(entry: Any, options: Sequence[str], labels: Sequence[str]) -> RecordedGold:
    if isinstance(entry, bool) or not isinstance(entry, str | int | float):
        return RecordedGold(frozenset())
    text = str(entry).strip()
    number = not isinstance(entry, str)
    if not number or text in labels:
        names = names_of(tuple(labels))
        label = text if text in names else text.upper()
        if label in names and text not in options:
            return RecordedGold(frozenset((names[label],)))
        whole = exact(text, tuple(options), tuple(labels))
        if whole is not None and whole.positions:
            return RecordedGold(frozenset(whole.positions))
        alike = [i for i, one in enumerate(options) if one.strip().casefold() == text.casefold()]
        if len(alike) == 1:
            return RecordedGold(frozenset(alike))
        parts = [part for part in _APART.split(text) if part]
        if len(parts) > 1 and all(part in names for part in parts):
            return RecordedGold(frozenset(names[part] for part in parts))
    if _NUMBER.fullmatch(text) and int(float(text)) <= len(options):
        return RecordedGold(frozenset((int(float(text)),)), by_number=True)
    return RecordedGold(frozenset())


class GoldScore:
    """The share of rows with gold that are read as gold, as another choice, and not as a choice.

    Numbers of options count from 1 where one of them is the number of options and none is 0.
    """

    def __init__(self) -> None:
        self._rows: list[tuple[RecordedGold, tuple[int, ...], str, int]] = []
        self.without = 0

    def add(
        self, gold: RecordedGold | None, positions: tuple[int, ...], status: str, k: int
    ) -> None:
        """Count one row of `k` options."""
        if gold is None:
            self.without += 1
        else:
            self._rows.append((gold, positions, status, k))

    @property
    def empty(self) -> bool:
        """Whether no row has gold."""
        return not self._rows

    @property
    def from_one(self) -> bool:
        """Whether numbers of options count from 1."""
        numbered = [(gold.positions, k) for gold, _, _, k in self._rows if gold.by_number]
        beyond = any(k in positions for positions, k in numbered)
        return beyond and not any(0 in positions for positions, _ in numbered)

    def as_json(self) -> dict[str, Any]:
        """Counts, and the share read as gold with Wilson's interval, as if rows were independent.

        `without_gold` are rows whose field is empty, `no_option` those in which it is no option;
        neither is in `n`.
        """
        first = int(self.from_one)
        counts = dict.fromkeys(("gold", "other", "none", "unclear"), 0)
        beyond = 0
        for gold, positions, status, k in self._rows:
            right = {p - first * gold.by_number for p in gold.positions}
            if not right or not right <= {*range(k)}:
                beyond += 1
            elif positions:
                counts["gold" if {*positions} == right else "other"] += 1
            else:
                counts["unclear" if status == "unclear" else "none"] += 1
        n = sum(counts.values())
        low, high = wilson(counts["gold"], n) if n else (None, None)
        return {
            "n": n,
            "read_as_gold": counts["gold"],
            "another_choice": counts["other"],
            "no_choice": counts["none"],
            "unclear": counts["unclear"],
            "share": counts["gold"] / n if n else None,
            "low": low,
            "high": high,
            "without_gold": self.without,
            "no_option": beyond,
            "numbers_from": first if any(gold.by_number for gold, *_ in self._rows) else None,
        }

    def said(self) -> str:
        """The score in words."""
        found = self.as_json()
        n = found["n"]
        if not n:
            return f"Gold: none of {found['no_option']:,} names an option."
        low, high = (percent(found[end], 1) for end in ("low", "high"))
        parts = [
            f"{found['read_as_gold']:,} of {n:,} choose gold ({percent(found['share'], 1)};"
            f" {percent(0.95)} interval {low} to {high} if rows are independent)"
        ]
        for key, words in (
            ("another_choice", "another choice"),
            ("no_choice", "no choice"),
            ("unclear", "unclear"),
        ):
            parts.append(f"{found[key]:,} {words} ({percent(found[key] / n, 1)})")
        if found["without_gold"]:
            parts.append(f"left out: {plural(found['without_gold'], 'row')} without gold")
        if found["no_option"]:
            parts.append(
                f"left out: {plural(found['no_option'], 'row')} with gold that is no option"
            )
        if found["numbers_from"] is not None:
            parts.append(f"numbers in gold count from {found['numbers_from']}")
        return f"Gold: {'; '.join(parts)}."
