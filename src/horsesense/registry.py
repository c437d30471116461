"""Named plug-ins: one dictionary per kind, with errors that list what there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from horsesense.errors import UsageError

T = TypeVar("T")


class Registry(Generic[T]):
    """The plug-ins of one kind (probes, measures, readers, ...), by name, in order of entry."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}

    def add(self, name: str, entry: T) -> T:
        """Register `entry`; ValueError if the name is taken."""
        if name in self._entries:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._entries[name] = entry
        return entry

    def get(self, name: str) -> T:
        """The entry of that name; UsageError with the nearest name and the list otherwise."""
        try:
            return self._entries[name]
        except KeyError:
            raise UsageError.unknown(self.kind, name, self._entries) from None

    def names(self) -> list[str]:
        return list(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)
