"""Choosing among the rows of a source: which fields it has, which rows, which labels."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NoReturn

from horsesense.errors import UsageError
from horsesense.items.faults import Faults
from horsesense.items.fields import FIELDS, FieldMap, Numbered, label_of
from horsesense.items.item import Kind
from horsesense.items.layouts import LOOKED_AT, option_columns

HELP: Final = "Fields are described in docs/items.md; --map OURS=THEIRS renames them."
EVERY_SPLIT: Final = "*"
"""A name of a split that takes the rows of all."""
LISTED: Final = 20


@dataclass(frozen=True)
class Selection:
    """Rows of one source with the map that reads them; each choice gives a smaller selection."""

    rows: tuple[Numbered, ...]
    fields: FieldMap
    faults: Faults

    @cached_property
    def names(self) -> dict[str, None]:
        """The names of all fields, in order of appearance."""
        found: dict[str, None] = {}
        for at in self.rows:
            found.update(dict.fromkeys(at.row))
        return found

    @cached_property
    def present(self) -> frozenset[str]:
        """Our fields that at least one row has."""
        return frozenset(ours for ours in FIELDS if self.fields.has(self.names, ours))

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        """Report that the selection cannot be made.

        Raises:
            ItemsError: rows had faults, which may well be the cause.
            UsageError: otherwise.
        """
        self.faults.check(HELP)
        raise UsageError(f"{self.faults.source}: {message}", hint=hint)

    def check_fields(self) -> None:
        """Check that the rows can be items and that every mapped field exists.

        Raises:
            UsageError: a field is missing.
        """
        listed = f"Fields: {', '.join(self.names)}."
        lost = [repr(self.fields.theirs[o]) for o in self.fields.renamed if o not in self.present]
        if lost:
            self.refuse(f"no row has the mapped field {', '.join(lost)}.", listed)
        choice = self.present >= {"question", "options"}
        if not choice and self.present.isdisjoint({"text", "text_a"}):
            if self._headless():
                self.refuse(
                    "the first line looks like a row, not like the names of columns: no header?",
                    "Put a first line above it, such as question,A,B,C,D,answer.",
                )
            self.refuse(
                "needs `question` and `options`, or `text`, or `text_a` and `text_b`.",
                f"{listed} Name them with --map, as in: {self._map_to_type()}",
            )

    def _map_to_type(self) -> str:
        """The options of the command line, with what names and values leave no doubt about."""
        columns = option_columns(self.names)
        lists = [",".join(columns)] if columns else self._with_values(_is_list)
        free = [name for name in self.names if name not in (*columns, *lists)]
        named = {
            word: [name for name in free if word in name.lower()] for word in ("question", "answer")
        }
        asked = named["question"] or [n for n in self._with_values(_is_question) if n in free]
        told = {"question": asked, "options": lists, "answer": named["answer"]}
        return " ".join(
            "--map " + shlex.quote(f"{field}={names[0] if len(names) == 1 else 'FIELD'}")
            for field, names in told.items()
        ) + " (options: one field with a list, or one column each: A,B,C,D)" * (len(lists) != 1)

    def _with_values(self, suits: Callable[[Any], bool]) -> list[str]:
        """The fields whose values suit in most rows."""
        looked = self.rows[:LOOKED_AT]
        return [
            name
            for name in self.names
            if 2 * sum(suits(at.row.get(name)) for at in looked) > len(looked)
        ]

    def _headless(self) -> bool:
        """Whether names look like cells: sentences, or a right answer's letter at the end."""
        names = list(self.names)
        long = any(len(name.split()) >= 5 or name.endswith("?") for name in names)
        return len(names) > 2 and long and not self.present

    def where(self, wanted: Mapping[str, str]) -> Selection:
        """The rows that have every wanted value (field -> value as text)."""
        chosen = self
        for field, value in wanted.items():
            name = field if field in self.names else self.fields.theirs.get(field, field)
            if name not in self.names:
                raise UsageError.unknown("field", field, self.names)
            counts = Counter(label_of(at.row.get(name)) for at in chosen.rows)
            if value not in counts:
                self.refuse(f"no row has {field}={value}.", listed("Values", counts))
            rows = (at for at in chosen.rows if label_of(at.row.get(name)) == value)
            chosen = replace(chosen, rows=tuple(rows))
        return chosen

    def of_split(self, split: str | None) -> Selection:
        """The rows of the named splits, or of all for `EVERY_SPLIT`.

        Raises:
            UsageError: there are several splits and none is named, or a named one is missing.
        """
        counts = Counter(map(self._split, self.rows))
        if split == EVERY_SPLIT or (split is None and len(counts) == 1):
            return self
        hint = listed("Splits", counts)
        if split is None:
            self.refuse("there are several splits; choose one with --split.", hint)
        if set(counts) == {None}:
            self.refuse(
                f"names no splits: no row has the field {self.fields.call('split')}.",
                "Where one source of several has splits, write FILE:SPLIT instead of --split.",
            )
        wanted = split.split(",")
        for name in wanted:
            if name not in counts:
                self.refuse(f"there is no split {name!r}.", hint)
        return replace(self, rows=tuple(at for at in self.rows if self._split(at) in wanted))

    def _split(self, at: Numbered) -> str | None:
        return label_of(self.fields.get(at.row, "split"))

    @cached_property
    def kind(self) -> Kind:
        """Multiple choice if a row holds both a question and options."""
        has = self.fields.has
        choice = any(has(at.row, "question") and has(at.row, "options") for at in self.rows)
        return "choice" if choice else "label"

    def written(self) -> set[str]:
        """The labels in the rows, as the file writes them."""
        found = (label_of(self.fields.get(at.row, "label")) for at in self.rows)
        return {label for label in found if label is not None}

    def label_set(self, given: Sequence[str] | None, declared: Sequence[str]) -> tuple[str, ...]:
        """The task's labels: as given, as the source declares them, or all in the rows, sorted."""
        if self.kind == "choice":
            if given:
                self.refuse("labels were given, but the items have options of their own.")
            return ()
        labels = tuple(given or declared or sorted(self.written()))
        if len(set(labels)) < max(2, len(labels)):
            self.refuse(
                f"the label set is {list(labels)}; it needs two different labels.",
                "Give the whole set where the rows do not show it.",
            )
        return labels


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1


def _is_question(value: Any) -> bool:
    return isinstance(value, str) and value.rstrip().endswith(("?", "？", ":", "..."))


def listed(word: str, counts: Counter[str | None]) -> str:
    """Values with their counts, the most frequent first."""
    shown = [
        f"{'(none)' if value is None else value} ({n:,})" for value, n in counts.most_common(LISTED)
    ]
    more = [f"and {len(counts) - LISTED} more"] if len(counts) > LISTED else []
    return f"{word}: {', '.join(shown + more)}."
