"""Which items stand in the report, and everything that was asked about each of them.

Items that decide a finding come first, every finding in turn; a seeded sample of the rest follows,
so that a reader also sees what nobody picked. Only what is shown is fetched from the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import NamedTuple

import orjson
import polars as pl

from horsesense.inference.store import Failed, Store
from horsesense.items.item import Item
from horsesense.models.messages import Request, Response
from horsesense.readers.reading import Reading
from horsesense.rng import unit
from horsesense.runs.results import Results
from horsesense.trials.condition import Condition
from horsesense.trials.trial import NONE_OPTION

DECIDING = 0.75
"""Largest part of the items shown that is picked for deciding a finding."""

_ORDER = pl.col("probe") == "order"
REASONS: Mapping[str, pl.Expr] = {
    "same position in every order": (
        (_ORDER & pl.col("position").is_not_null()).sum().gt(1)
        & (pl.col("position").filter(_ORDER).n_unique() == 1)
        & (pl.col("option").filter(_ORDER).n_unique() > 1)
    ),
    "none-option not chosen": (
        (pl.col("probe") == "none_of_the_above")
        & (pl.col("gold_content") == NONE_OPTION)
        & ~pl.col("correct")
    ).any(),
    "right without the question": ((pl.col("probe") == "options_only") & pl.col("correct")).any(),
    "first token and text differ": (pl.col("option").ne_missing(pl.col("other"))).any(),
    "answer changed with the order": (
        _ORDER & pl.col("option").ne_missing(pl.col("original"))
    ).any(),
    "answer changed with the labels": (
        (pl.col("probe") == "labels") & pl.col("option").ne_missing(pl.col("original"))
    ).any(),
    "no option chosen": (pl.col("status") != "answer").any(),
    "no answer received": pl.col("status").is_null().any(),
}
"""Why an item decides a finding: expressions over its trials, read by the main reader."""


@dataclass(frozen=True)
class Choice:
    """Which items are shown.

    Attributes:
        ids: item ids in the order in which they are shown.
        reasons: id -> why it was picked; empty for the seeded sample.
        counts: reason -> how many items of the whole run it holds for.
        total: items of the run.
    """

    ids: tuple[str, ...]
    reasons: Mapping[str, tuple[str, ...]]
    counts: Mapping[str, int]
    total: int


def choose(run: Results, most: int) -> Choice:
    """Pick at most `most` items; the same ones whenever the run is the same."""
    found = _reasons(run)
    seed = str(run.findings["study"]["seed"]).encode()
    drawn = sorted(found["item_id"].to_list(), key=lambda i: unit(seed, b"report", i.encode()))
    by_reason = {name: set(found.filter(pl.col(name))["item_id"]) for name in REASONS}
    turns = zip_longest(*([i for i in drawn if i in ids] for ids in by_reason.values()))
    deciding = [i for i in dict.fromkeys(chain.from_iterable(turns)) if i is not None]
    shown = list(dict.fromkeys([*deciding[: int(DECIDING * most)], *drawn, *deciding]))[:most]
    reasons = {i: tuple(name for name, ids in by_reason.items() if i in ids) for i in shown}
    counts = {name: len(ids) for name, ids in by_reason.items() if ids}
    return Choice(tuple(shown), reasons, counts, found.height)


def _reasons(run: Results) -> pl.DataFrame:
    """One row per item: its id, and whether each reason holds."""
    shown = run.directory.trials().select(
        "trial",
        "variant",
        "item",
        "item_id",
        "probe",
        gold_content=pl.col("origin").list.get(pl.col("gold_at"), null_on_oob=True),
    )
    read = run.directory.readings().select(
        "trial",
        "variant",
        "reader",
        "status",
        "option",
        "correct",
        position=pl.when(pl.col("positions").list.len() == 1).then(
            pl.col("positions").list.first()
        ),
    )
    other = "first_token" if run.reader == "text" and "first_token" in run.readers else run.reader
    second = read.filter(pl.col("reader") == other).select("trial", "variant", other="option")
    mine = read.filter(pl.col("reader") == run.reader).drop("reader")
    key = ["trial", "variant"]
    frame = shown.join(mine, on=key, how="left").join(second, on=key, how="left")
    published = (
        frame.filter(pl.col("probe") == "original")
        .group_by("item")
        .agg(original=pl.col("option").first())
    )
    return (
        frame.join(published, on="item", how="left")
        .group_by("item")
        .agg(pl.col("item_id").first(), **REASONS)
        .sort("item")
        .with_columns(pl.col(list(REASONS)).fill_null(False))
        .collect()
    )


class Read(NamedTuple):
    """One reading of a reply, with what it chose as a position of the trial."""

    reader: str
    reading: Reading
    correct: bool | None


class Asked(NamedTuple):
    """One trial of an item: as it was shown, asked, answered and read."""

    number: int
    probe: str
    label: str
    repetition: int
    labels: tuple[str, ...]
    origin: tuple[int, ...]
    gold_at: int | None
    request: Request | None
    response: Response | None
    failed: Failed | None
    readings: tuple[Read, ...]


def trials_of(run: Results, ids: Sequence[str], store: Store) -> Iterator[tuple[str, list[Asked]]]:
    """Every trial of some items, item by item, with prompts, replies and readings.

    The tables are read once; the store, whose replies may be long, for one item at a time.
    """
    trials = run.directory.trials()
    found = trials.filter(pl.col("item_id").is_in(list(ids))).sort("trial").collect()
    readings = _readings(run, found["trial"].unique())
    by_item = found.partition_by("item_id", as_dict=True)
    for item_id in ids:
        rows = by_item[(item_id,)].to_dicts() if (item_id,) in by_item else []
        keys = list({row["key"] for row in rows})
        responses, failures = store.get(keys), store.failures(keys)
        yield (
            item_id,
            [
                Asked(
                    row["trial"],
                    row["probe"],
                    run.label(row["probe"], Condition.parse(row["condition"])),
                    row["repetition"],
                    tuple(row["labels"]),
                    tuple(row["origin"]),
                    row["gold_at"],
                    store.get_request(row["key"]),
                    responses.get(row["key"]),
                    failures.get(row["key"]),
                    readings.get((row["trial"], row["variant"]), ()),
                )
                for row in rows
            ],
        )


def _readings(run: Results, trials: pl.Series) -> dict[tuple[int, int], tuple[Read, ...]]:
    frame = run.directory.readings()
    rows = frame.filter(pl.col("trial").is_in(trials.implode())).collect()
    found: dict[tuple[int, int], list[Read]] = {}
    for row in rows.iter_rows(named=True):
        start, end = row["span_start"], row["span_end"]
        reading = Reading(
            row["status"],
            tuple(row["positions"]),
            row["rule"],
            None if start is None else (start, end),
            row["confidence"],
            row["score"],
        )
        place = (row["trial"], row["variant"])
        found.setdefault(place, []).append(Read(row["reader"], reading, row["correct"]))
    return {place: tuple(reads) for place, reads in found.items()}


class Piece(NamedTuple):
    """Part of a long text; `cut` counts the characters that are left out after it."""

    text: str
    marked: bool = False
    cut: int = 0


def pieces(text: str, limit: int, span: tuple[int, int] | None = None) -> list[Piece]:
    """`text` cut to about `limit` characters, with the deciding span marked and never cut off.

    >>> pieces("abcdef", 4, (1, 2))
    [Piece(text='a', marked=False, cut=0), Piece(text='b', marked=True, cut=0), \
Piece(text='cd', marked=False, cut=2)]
    """
    start, end = (0, 0) if span is None else (max(0, span[0]), min(len(text), span[1]))
    if start >= end:
        return [Piece(text[:limit], cut=max(0, len(text) - limit))]
    around = limit // 4
    head = text[: min(start, limit)]
    lead = text[max(len(head), start - around) : start]
    marked = text[start : min(end, start + limit)]
    last = start + len(marked)
    tail = text[end : max(limit, end + around)]
    found = [
        Piece(head, cut=start - len(head) - len(lead)),
        Piece(lead),
        Piece(marked, True, end - last),
        Piece(tail, cut=len(text) - end - len(tail)),
    ]
    return [piece for piece in found if piece.text or piece.cut]


def messages(request: Request) -> list[tuple[str, str]]:
    """A prompt as (role, text) pairs; plain completion has the role "prompt".

    Empty where it is not known, as in some logs of other programs.
    """
    if request.messages is None:
        return [] if request.text is None else [("prompt", request.text)]
    return list(request.messages)


def option_name(origin: int, item: Item) -> str:
    """What a shown option is: its letter as published, or what a probe put there."""
    if origin >= 0:
        return chr(ord("A") + origin) if origin < 26 else str(origin + 1)
    return {-1: "none-option", -2: "refusing option", -3: "do-not-know option"}.get(
        origin, f"added {-9 - origin}"
    )


def identity(run: Results) -> str:
    """The model's identity, shortened where it is a long description."""
    value = run.findings["model"]["identity"]
    return value if isinstance(value, str) else orjson.dumps(value).decode()
