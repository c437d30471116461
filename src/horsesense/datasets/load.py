"""`load_items`: from a file, the packaged sample or a hub set to an `ItemSet`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from horsesense.datasets.fields import FIELDS, FieldMap, ItemBuilder, Numbered, is_choice, label_of
from horsesense.datasets.files import Faults, read_rows, stem
from horsesense.errors import ItemsError, UsageError
from horsesense.ids import fingerprint, seed_of
from horsesense.items import Item, ItemSet, Kind, flag_items

PACKAGED: Final = {"sample": "sample.jsonl", "sample-shots": "sample_shots.jsonl"}
"""Sets that ship with horsesense, by the name under which they are asked for."""


def load_items(
    source: str | Path,
    *,
    map: Mapping[str, str] | None = None,
    split: str | None = None,
    where: Mapping[str, str] | None = None,
    limit: int | None = None,
    shots_from: str | Path | None = None,
    labels: Sequence[str] | None = None,
    seed: int = 0,
    name: str | None = None,
) -> ItemSet:
    """Read items, check every one, and flag what would spoil a measurement.

    >>> items = load_items("sample")
    >>> items.kind, len(items), items.has_gold
    ('choice', 60, True)

    Args:
        source: a JSONL, CSV, TSV or Parquet file, plain or `.gz`/`.zst`; "sample", the packaged
            set; or `hf:[ORG/]NAME[@CONFIG][:SPLIT]` or `hf:./directory` (extra `data`).
        map: our field name -> the file's, such as {"question": "prompt"}; "options" may name
            several columns, joined by commas.
        split: the rows to take, by their field `split`; several names joined by commas.
        where: field -> value that a row must have (compared as text).
        limit: at most so many items: a sample drawn by a hash of `seed` and id, so that the
            order of the file does not matter; the items kept stay in the file's order.
        shots_from: a few-shot file of the same format; items that also stand in it are flagged.
        labels: the label set of a classification task; by default all labels of the source.
        seed: of the sample drawn by `limit`.
        name: of the set; by default taken from the source.

    Raises:
        UsageError: the source cannot be found or the selection cannot be made.
        ItemsError: the source has faults; all of them, with their lines.
    """
    fields = FieldMap(map)
    faults = Faults(str(source))
    rows, default_name, source_labels = _rows_of(source, split, faults)
    present = _present(rows, fields, faults)
    chosen = _matching(rows, dict(where or {}), fields, faults)
    kind: Kind = "choice" if is_choice(chosen, fields) else "label"
    label_set = _label_set(kind, labels, source_labels, chosen, fields, faults)
    chosen, split_note = _of_split(chosen, split, fields, faults)
    items = _build(chosen, kind, label_set, ItemBuilder(fields, faults, present))
    faults.check("Fields are described in docs/items.md; --map OURS=THEIRS renames them.")
    notes = [split_note, _selected_note(len(rows), len(items))]
    items, cluster_note = _cluster_by_context(items)
    items, limit_note = _sample(items, limit, seed)
    notes += [cluster_note, limit_note, _gold_note(items)]
    shots = load_items(shots_from, map=map, labels=label_set).items if shots_from else ()
    return ItemSet(
        name=name or default_name,
        kind=kind,
        items=tuple(items),
        labels=label_set,
        flags=flag_items(items, kind, shots),
        source=str(source),
        notes=tuple(note for note in notes if note),
    )


def _rows_of(
    source: str | Path, split: str | None, faults: Faults
) -> tuple[list[Numbered], str, Sequence[str]]:
    """All rows of the source, its short name, and the label set that it declares, if any."""
    declared: Sequence[str] = ()
    if isinstance(source, str) and source.startswith("hf:"):
        from horsesense.datasets.hub import hub_rows

        found, name, declared = hub_rows(source, split)
    elif source in PACKAGED:
        with as_file(files("horsesense") / "data" / PACKAGED[str(source)]) as path:
            found, name = list(read_rows(path, faults)), str(source)
    else:
        found, name = list(read_rows(Path(source), faults)), stem(Path(source))
    rows = [Numbered(ordinal, number, row) for ordinal, (number, row) in enumerate(found, 1)]
    if not rows:
        faults.check()
        raise ItemsError(str(source), ["there are no rows"])
    return rows, name, declared


def _present(rows: Iterable[Numbered], fields: FieldMap, faults: Faults) -> list[str]:
    """Our fields that at least one row has; UsageError for a mapped field that none has."""
    keys: dict[str, None] = {}
    for at in rows:
        keys.update(dict.fromkeys(at.row))
    present = [ours for ours in FIELDS if fields.has(keys, ours)]
    lost = [theirs for ours, theirs in fields.renamed.items() if ours not in present]
    usable = {"question", "options"} <= {*present} or "text" in present or "text_a" in present
    if usable and not lost:
        return present
    names = ", ".join(keys)
    faults.check()
    if lost:
        raise UsageError(
            f"{faults.source}: no row has the mapped field {', '.join(map(repr, lost))}.",
            hint=f"Fields: {names}.",
        )
    raise UsageError(
        f"{faults.source}: needs `question` and `options`, or `text`, or `text_a` and `text_b`.",
        hint=f"Fields: {names}. Name them with --map OURS=THEIRS, as in --map question=prompt.",
    )


def _matching(
    rows: list[Numbered], where: dict[str, str], fields: FieldMap, faults: Faults
) -> list[Numbered]:
    """The rows that have every wanted value."""
    for field, value in where.items():
        theirs = field if any(field in r.row for r in rows) else fields.theirs.get(field, field)
        counts = Counter(label_of(r.row[theirs]) for r in rows if theirs in r.row)
        if not counts:
            names = dict.fromkeys(key for r in rows for key in r.row)
            raise UsageError.unknown("field", field, names)
        if value not in counts:
            raise UsageError(
                f"{faults.source}: no row has {field}={value}.", hint=_listed(counts, "Values")
            )
        rows = [r for r in rows if label_of(r.row.get(theirs)) == value]
    return rows


def _of_split(
    rows: list[Numbered], split: str | None, fields: FieldMap, faults: Faults
) -> tuple[list[Numbered], str]:
    """The rows of the chosen split; UsageError where there are several and none is chosen."""
    counts = Counter(label_of(fields.get(r.row, "split")) for r in rows)
    if split is None:
        if len(counts) > 1:
            raise UsageError(
                f"{faults.source} holds several splits; choose one with --split.",
                hint=_listed(counts, "Splits"),
            )
        return rows, ""
    if set(counts) == {None}:
        field = fields.call("split")
        raise UsageError(f"{faults.source} names no splits: no row has the field {field}.")
    wanted = split.split(",")
    for name in wanted:
        if name not in counts:
            raise UsageError(f"{faults.source}: no split {name!r}.", hint=_listed(counts, "Splits"))
    chosen = [r for r in rows if label_of(fields.get(r.row, "split")) in wanted]
    return chosen, f"Split {' and '.join(wanted)}."


def _listed(counts: Counter[str | None], word: str) -> str:
    shown = [f"{'(none)' if v is None else v} ({n:,})" for v, n in counts.most_common(20)]
    more = f", and {len(counts) - 20} more" if len(counts) > 20 else ""
    return f"{word}: {', '.join(shown)}{more}."


def _label_set(
    kind: Kind,
    given: Sequence[str] | None,
    declared: Sequence[str],
    rows: Iterable[Numbered],
    fields: FieldMap,
    faults: Faults,
) -> tuple[str, ...]:
    """The task's labels: as given, as the source declares them, or all in the rows, sorted."""
    if kind == "choice":
        if given:
            raise UsageError(f"{faults.source}: labels were given, but the items have options.")
        return ()
    found = {label_of(fields.get(at.row, "label")) for at in rows}
    labels = tuple(given or declared or sorted(label for label in found if label is not None))
    if len(set(labels)) < max(2, len(labels)):
        raise UsageError(
            f"{faults.source}: the label set is {list(labels)}; it needs two different labels.",
            hint="Give the whole set where the rows do not show it.",
        )
    return labels


def _build(
    rows: Iterable[Numbered], kind: Kind, labels: Sequence[str], builder: ItemBuilder
) -> list[Item]:
    items: list[Item] = []
    first: dict[str, int] = {}
    slots = {label: slot for slot, label in enumerate(labels)}
    for at in rows:
        item = builder.choice(at) if kind == "choice" else builder.labelled(at, slots)
        if item is None:
            continue
        if item.id in first:
            where = f"{builder.faults.unit} {first[item.id]}"
            builder.faults.add(at.number, f"id {item.id!r} stands already in {where}")
        first.setdefault(item.id, at.number)
        items.append(item)
    return items


def _cluster_by_context(items: list[Item]) -> tuple[list[Item], str]:
    """Items that share a context become one cluster, where the source names no clusters."""
    times = Counter(item.context for item in items if item.context)
    if any(item.cluster for item in items) or max(times.values(), default=0) < 2:
        return items, ""
    names = {text: f"context-{fingerprint(text)}" for text, n in times.items() if n > 1}
    note = f"{len(names):,} contexts stand before several items; each is taken as a cluster."
    return [
        replace(item, cluster=names[item.context]) if item.context in names else item
        for item in items
    ], note


def _sample(items: list[Item], limit: int | None, seed: int) -> tuple[list[Item], str]:
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}; it must be at least 1.")
    if limit is None or limit >= len(items):
        return items, ""
    ranked = sorted(items, key=lambda item: seed_of(seed, item.id, "limit"))
    kept = {item.id for item in ranked[:limit]}
    note = f"A random sample of {limit:,} of {len(items):,} items (seed {seed})."
    return [item for item in items if item.id in kept], note


def _selected_note(rows: int, items: int) -> str:
    return f"{items:,} of {rows:,} rows selected." if items != rows else ""


def _gold_note(items: Sequence[Item]) -> str:
    without = sum(item.gold is None for item in items)
    if not without:
        return ""
    return f"{without:,} of {len(items):,} items have no gold; measures of rightness omit them."
