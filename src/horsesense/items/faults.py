"""The faults of a data file, gathered while it is read and told together."""

from __future__ import annotations

import re
from typing import Final

from horsesense.errors import ItemsError

MAX_FAULTS: Final = 1_000
"""Reading stops after so many faults."""


def alike(fault: str) -> str:
    """A fault without the numbers and texts of its row, so that those of many rows are counted.

    >>> alike("option 3 repeats 'a spoon'")
    'option … repeats …'
    """
    return re.sub(r"(['\"]).*\1|\d+", "…", fault)[:200]


class Faults:
    """The faults of one source, gathered while it is read.

    Attributes:
        source: the file as the user named it.
        unit: what a row is counted in, "line" or "row".
    """

    def __init__(self, source: str, unit: str = "line") -> None:
        self.source = source
        self.unit = unit
        self._found: list[tuple[int, str]] = []
        self._advice: str | None = None

    def add(self, number: int, fault: str) -> None:
        """Keep a fault of one row.

        Raises:
            ItemsError: there are too many faults to continue.
        """
        self._found.append((number, fault))
        if len(self._found) >= MAX_FAULTS:
            self.check(f"Reading stopped after {MAX_FAULTS:,} faults.")

    def advise(self, hint: str) -> None:
        """Say what mends the faults, instead of what `check` is given to say."""
        self._advice = hint

    @property
    def found(self) -> tuple[tuple[int, str], ...]:
        """Each fault with its row, in the order in which they were met."""
        return tuple(self._found)

    @property
    def told(self) -> tuple[str, ...]:
        """Each fault in a line, in the order of the file."""
        ordered = sorted(self._found, key=lambda found: found[0])
        return tuple(f"{self.unit} {number}: {fault}" for number, fault in ordered)

    @property
    def by_row(self) -> tuple[str, ...]:
        """Each faulty row in a line with all its faults, in the order of the file."""
        rows: dict[int, list[str]] = {}
        for number, fault in sorted(self._found, key=lambda found: found[0]):
            rows.setdefault(number, []).append(fault)
        return tuple(f"{self.unit} {number}: {'; '.join(told)}" for number, told in rows.items())

    def check(self, hint: str | None = None) -> None:
        """Report the faults, if there are any.

        Raises:
            ItemsError: there are faults; they are in the order of the file.
        """
        if self._found:
            raise ItemsError(self.source, self.told, hint=self._advice or hint)
