"""Items that come from no file: rows in memory, or an ItemSet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from horsesense.errors import UsageError
from horsesense.items.item import ItemSet
from horsesense.items.load import load_items, sampled
from horsesense.progress import progress


class _PolarsFrame(Protocol):
    def to_dicts(self) -> list[dict[str, Any]]: ...


class _PandasFrame(Protocol):
    def to_dict(self, orient: Any = ...) -> Any: ...


Given = Sequence[Mapping[str, Any]] | _PolarsFrame | _PandasFrame
"""Rows with the fields of an items file."""


class Selecting(Protocol):
    """The settings that choose rows (`runs.settings.Settings` has them)."""

    @property
    def map(self) -> Mapping[str, str]: ...
    @property
    def split(self) -> str | None: ...
    @property
    def where(self) -> Mapping[str, str]: ...
    @property
    def labels(self) -> Sequence[str] | None: ...
    @property
    def limit(self) -> int | None: ...
    @property
    def shots_from(self) -> str | None: ...
    @property
    def seed(self) -> int: ...


def given_items(items: object, settings: Selecting) -> ItemSet | None:
    """The items where they are given themselves; None for the name of a file.

    Raises ItemsError for faulty rows, UsageError for what holds no rows.
    """
    if hasattr(items, "__fspath__") or isinstance(items, str):
        return None
    if isinstance(items, ItemSet):
        return sampled(items, settings.limit, settings.seed)
    return load_selected(rows_of(items), settings)


def load_selected(source: str | Sequence[Mapping[str, Any]], settings: Selecting) -> ItemSet:
    """The rows that the settings choose, of a file or of rows; ItemsError lists every fault."""
    with progress("loading items"):
        return load_items(
            source,
            map=settings.map,
            split=settings.split,
            where=settings.where,
            labels=settings.labels,
            limit=settings.limit,
            shots_from=settings.shots_from,
            seed=settings.seed,
        )


def rows_of(items: Any) -> list[Mapping[str, Any]]:
    """The rows of a frame or a sequence of mappings; UsageError for anything else."""
    if hasattr(items, "to_dicts"):
        return list(items.to_dicts())
    if hasattr(items, "to_dict") and hasattr(items, "columns"):
        # In pandas, NaN stands for what is missing.
        known = items.astype(object).where(items.notna(), None)
        return list(known.to_dict("records"))
    if isinstance(items, Sequence) and all(isinstance(row, Mapping) for row in items):
        return list(items)
    raise UsageError(
        f"{type(items).__name__} holds no items.",
        hint="Give a file, a list of mappings, a polars or pandas frame, or an ItemSet.",
    )
