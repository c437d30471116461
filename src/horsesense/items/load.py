"""`load_items`: from a file, the packaged sample or a hub set to an `ItemSet`."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

from horsesense.errors import ItemsError, UsageError
from horsesense.items.conversations import conversation_fields, of_conversation
from horsesense.items.faults import Faults, alike
from horsesense.items.fields import GOLDS, FieldMap, ItemBuilder, Numbered, label_of
from horsesense.items.files import read_rows, stem
from horsesense.items.item import Item, ItemSet, Kind, draw, flag_items, identity
from horsesense.items.layouts import guess
from horsesense.items.nested import flat
from horsesense.items.select import EVERY_SPLIT, HELP, Selection
from horsesense.items.tasks import aliases, named_labels, spelled_out
from horsesense.rng import fingerprint
from horsesense.stats.words import agreeing, plural, some_of

PACKAGED: Final = {"sample": "sample.jsonl", "sample-shots": "sample_shots.jsonl"}
"""Sets that ship with horsesense, by the name under which they are asked for."""


def load_items(
    source: str | Path | Sequence[Mapping[str, Any]],
    *,
    map: Mapping[str, str] | None = None,
    split: str | None = None,
    where: Mapping[str, str] | None = None,
    limit: int | None = None,
    shots_from: str | Path | None = None,
    labels: Sequence[str] | None = None,
    seed: int = 0,
    name: str | None = None,
    skip_faults: bool = False,
) -> ItemSet:
    """Read items, check every one, and flag what would spoil a measurement.

    >>> items = load_items("sample")
    >>> items.kind, len(items), items.has_gold
    ('choice', 60, True)

    Args:
        source: a JSONL, CSV, TSV or Parquet file, plain or `.gz`/`.zst`, with `:SPLIT` behind it
            where only its rows of that split are meant; "sample", the packaged set; or
            `hf:[ORG/]NAME[@CONFIG][:SPLIT]` or `hf:./directory` (extra `data`); or the rows
            themselves, as mappings.
        map: our field name -> the file's, such as {"question": "prompt"}; "options" may name
            several columns, joined by commas, and a text several fields, joined by "+".
        split: the rows to take, by their field `split`; several names joined by commas, or "*"
            for all.
        where: field -> value that a row must have (compared as text).
        limit: at most so many items: a sample drawn by a hash of `seed` and id, so that the
            order of the file does not matter; the items kept stay in the file's order.
        shots_from: a few-shot file of the same format; items that also occur in it are flagged.
        labels: the label set of a classification task; by default all labels of the source.
            "THEIRS=OURS" for each: the file's labels are shown as ours.
        seed: the seed of the sample drawn by `limit`.
        name: the name of the set; by default taken from the source.
        skip_faults: leave faulty rows out, where others are sound, and keep what is wrong with
            them in the set's `faults`, and the rows as they were read in `rows`.

    Raises:
        UsageError: the source cannot be found or the selection cannot be made.
        ItemsError: the source has faults; all of them, with their lines.
    """
    source, split = _with_split(source, split)
    faults = Faults(str(source) if isinstance(source, str | Path) else "the given rows")
    read, default_name, declared = _rows_of(source, split, faults)
    found = read
    mapped, nested_note = set((map or {}).values()), ""
    if flat(found[0].row, mapped) is not found[0].row:  # most sets are flat: one row says so
        found = tuple(at._replace(row=flat(at.row, mapped)) for at in found)
        nested_note = "Options are taken from within a field, as the authors of the set nest them."
    found, unfolded_note = _unfolded(found, map or {})
    layout = guess(faults.source, [at.row for at in found], map or {})
    rows = Selection(found, FieldMap({**layout.renamed, **(map or {})}), faults)
    rows.check_fields()
    task = rows.where(where or {})
    given, meant = named_labels(labels, task.written())
    label_set = task.label_set(given, declared)
    chosen = _named_as(task.of_split(split), given, meant)
    builder = ItemBuilder(chosen.fields, chosen.faults, rows.present, layout.rivals)
    items = _build(builder, chosen, task.kind, label_set)
    if not (skip_faults and items):
        faults.check(HELP)
    shown, label_note = label_set, ""
    if not labels and task.kind == "label":
        shown, label_note = spelled_out(name or default_name, label_set)
    if shown != label_set:
        items = [replace(item, options=shown) for item in items]
    by_number = {at.number: str(chosen.fields.get(at.row, "id")) for at in chosen.rows}
    notes = [
        nested_note,
        unfolded_note,
        layout.note,
        label_note,
        *_answer_notes(builder, len(items)),
        _selected_note(len(found), len(chosen.rows), split),
    ]
    items, cluster_notes = _clustered(items, task.kind)
    whole = items
    items, limit_note = _sample(whole, limit, seed)
    notes += [*cluster_notes, limit_note, _gold_note(items)]
    shots = load_items(shots_from, map=map, labels=labels or label_set).items if shots_from else ()
    return ItemSet(
        name=name or default_name,
        kind=task.kind,
        items=tuple(items),
        labels=shown,
        flags=flag_items(items, task.kind, shots),
        source=str(source) if isinstance(source, str | Path) else "",
        notes=tuple(note for note in notes if note),
        whole=tuple(whole) if limit_note else (),
        faults=faults.by_row,
        rows={i.id: read[builder.first[i.id].ordinal - 1].row for i in items * skip_faults},
        faulty={by_number[n]: alike(fault) for n, fault in faults.found if n in by_number},
    )


def _with_split(
    source: str | Path | Sequence[Mapping[str, Any]], split: str | None
) -> tuple[str | Path | Sequence[Mapping[str, Any]], str | None]:
    """The source and the split; FILE:SPLIT names both, unless there is a file of that name."""
    if not isinstance(source, str | Path) or _on_hub(source):
        return source, split
    path, colon, named = str(source).rpartition(":")
    if not (colon and path and named) or Path(source).exists() or not Path(path).is_file():
        return source, split
    if split not in (None, named):
        raise UsageError(
            f"{source} names the split {named}, and --split says {split}.",
            hint="Name it in one place: --split is about all sources that name none.",
        )
    return path, named


def _on_hub(source: str | Path) -> bool:
    return str(source).startswith("hf:") and not Path(source).is_file()


def _rows_of(
    source: str | Path | Sequence[Mapping[str, Any]], split: str | None, faults: Faults
) -> tuple[tuple[Numbered, ...], str, Sequence[str]]:
    """All rows of the source, its short name, and the label set that it declares, if any."""
    declared: Sequence[str] = ()
    if not isinstance(source, str | Path):
        faults.unit = "row"
        found, name = [(n, dict(row)) for n, row in enumerate(source, 1)], "items"
    elif isinstance(source, str) and _on_hub(source):
        from horsesense.items.hub import hub_rows

        faults.unit = "row"
        found, name, declared = hub_rows(source, split)
    elif source in PACKAGED:
        with as_file(files("horsesense.items") / "data" / PACKAGED[str(source)]) as path:
            found, name = list(read_rows(path, faults)), str(source)
    else:
        _check_packaged(source)
        found, name = list(read_rows(Path(source), faults)), stem(Path(source))
    rows = tuple(Numbered(ordinal, *row) for ordinal, row in enumerate(found, 1))
    if not rows:
        faults.check()
        raise ItemsError(faults.source, ["it contains no rows"])
    return rows, name, declared


def _check_packaged(source: str | Path) -> None:
    """Refuse a name that is no file and nearly that of a packaged set."""
    near = difflib.get_close_matches(str(source), PACKAGED, n=1, cutoff=0.7)
    if near and not Path(source).exists():
        raise UsageError(f"There is no file {source}. Did you mean {near[0]!r}?")


def _unfolded(
    rows: tuple[Numbered, ...], given: Mapping[str, str]
) -> tuple[tuple[Numbered, ...], str]:
    """Rows of messages as rows of texts and labels, and what to say of it."""
    both = conversation_fields(rows[0].row)
    # Most sets are none: one row says so.
    if both is None or set(both) & set(given.values()):
        return rows, ""
    if any(conversation_fields(at.row) != both for at in rows):
        return rows, ""
    note = (
        f"Rows of messages: the last of the user in `{both[0]}` is the text, `{both[1]}` the label"
    )
    clusters = any("problem_id" in at.row for at in rows)
    told = f"{note}{', `problem_id` the cluster' if clusters else ''}."
    return tuple(at._replace(row=of_conversation(at.row)) for at in rows), told


def _named_as(
    chosen: Selection, labels: Sequence[str] | None, meant: Mapping[str, str]
) -> Selection:
    """The rows with the labels of the given set, where they write them in another known way.

    `meant`: what the user says that theirs are called.
    """
    if not labels or chosen.kind == "choice":
        return chosen
    meant = meant or aliases(labels, chosen.written())
    if not meant:
        return chosen
    theirs = chosen.fields.theirs["label"]
    rows = (
        at._replace(row={**at.row, theirs: meant.get(str(label_of(at.row.get(theirs))))})
        for at in chosen.rows
    )
    return replace(chosen, rows=tuple(rows))


def _build(
    builder: ItemBuilder, chosen: Selection, kind: Kind, labels: Sequence[str]
) -> list[Item]:
    positions = {label: position for position, label in enumerate(labels)}
    items: list[Item] = []
    for at in chosen.rows:
        item = builder.choice(at) if kind == "choice" else builder.labelled(at, positions)
        if item is None:
            continue
        if not _whole_characters(item):
            chosen.faults.add(at.number, "a text contains half a character (a lone surrogate)")
            continue
        before = builder.first.setdefault(item.id, at)
        if before is not at:
            where = f"{chosen.faults.unit} {before.number}"
            chosen.faults.add(at.number, f"id {item.id!r} is already used in {where}")
            continue
        items.append(item)
    return items


def _whole_characters(item: Item) -> bool:
    """Whether every text can be written down: JSON may name halves of characters."""
    named = (item.id, item.question, item.context, item.text_b, item.target, item.subject)
    texts = (*named, item.cluster, item.split, *item.options, *item.paraphrases)
    try:
        "".join(filter(None, texts)).encode()
    except UnicodeEncodeError:
        return False
    return True


def _clustered(items: list[Item], kind: Kind) -> tuple[list[Item], list[str]]:
    """Items without a cluster that share a context, or all their text, become one.

    An item that stands there twice says no more than once: as two, it would make intervals narrow.
    Those that are like an item with a cluster are in that cluster, of several the first one's.
    """
    keys = [item.context or identity(item, kind, str) for item in items]
    times, open_ = Counter(keys), Counter[object]()
    names: dict[object, str] = {}
    for item, key in zip(items, keys, strict=True):
        if item.cluster is None:
            open_[key] += 1
        else:
            names.setdefault(key, item.cluster)
    shared = [key for key in open_ if times[key] > 1]
    contexts = sum(isinstance(key, str) for key in shared)
    copies, notes = len(shared) - contexts, []
    if contexts == 1:
        notes.append("1 context is shared by several items, which are taken as a cluster.")
    elif contexts:
        said = "contexts are shared by several items; each is taken as a cluster."
        notes.append(f"{contexts:,} {said}")
    if copies:
        said = f"{plural(copies, 'item')} with copies, word for word"
        notes.append(f"{said}: an item and its copies are taken as a cluster.")
    joined = sum(open_[key] for key in shared if key in names)
    if joined:
        said = agreeing(joined, "are in that of another with the same text or context")
        notes.append(f"{plural(joined, 'item')} without a cluster {said}.")
    for key in shared:
        what = "context" if isinstance(key, str) else "item"
        names.setdefault(key, f"{what}-{fingerprint(key)}")
    return [
        replace(item, cluster=names[key]) if item.cluster is None and key in names else item
        for item, key in zip(items, keys, strict=True)
    ], notes


def sampled(items: ItemSet, limit: int | None, seed: int) -> ItemSet:
    """A set cut down to at most `limit` items, as `load_items` draws them."""
    kept, note = _sample(list(items), limit, seed)
    notes = (*items.notes, note) if note else items.notes
    if not note:
        return items
    return replace(items, items=tuple(kept), notes=notes, whole=items.everything)


def _sample(items: list[Item], limit: int | None, seed: int) -> tuple[list[Item], str]:
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}; it must be at least 1.")
    if limit is None or limit >= len(items):
        return items, ""
    kept = {item.id for item in draw(items, limit, seed)}
    note = f"A random sample of {limit:,} of {plural(len(items), 'item')} (seed {seed})."
    return [item for item in items if item.id in kept], note


def _selected_note(rows: int, items: int, split: str | None) -> str:
    named = split if split != EVERY_SPLIT else None
    which = f" (split {' and '.join(named.split(','))})" if named else ""
    return f"{items:,} of {plural(rows, 'row')} selected{which}." if items != rows or named else ""


def _answer_notes(builder: ItemBuilder, items: int) -> list[str]:
    """How right answers were read where they are written in two ways."""
    used = next((ours for ours in GOLDS if ours in builder.present), "")
    case = some_of(builder.but_for_case, items, "right answer", "equal their option but for case.")
    return [case] * bool(builder.but_for_case) + [
        f"{builder.fields.theirs[used]} is read as the right answer; {rival} names another option"
        f" in {rows:,} of {plural(items, 'item')}."
        for rival, rows in builder.disagreeing.items()
        if rows
    ]


def _gold_note(items: Sequence[Item]) -> str:
    without = sum(item.gold is None for item in items)
    if not without:
        return ""
    said = some_of(without, len(items), "item", "have no right answer")
    if without == len(items):
        return f"{said}, so no score counts them; --map names its field."
    first = next(item.id for item in items if item.gold is None)
    return f"{said}, the first {first}; no score counts such items."
