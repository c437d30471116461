"""Which items stand in the report, and everything that was asked about each of them.

Items that decide a finding come first, every finding in turn; a seeded sample of the rest follows,
so that a reader also sees what nobody picked. Only what is shown is fetched from the store.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, islice, zip_longest
from operator import itemgetter
from typing import Any, NamedTuple

import orjson
import polars as pl

from horsesense.errors import HorsesenseError
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Failed
from horsesense.models.messages import Key, Request, Response
from horsesense.readers.causes import Cause, of_status
from horsesense.readers.reading import Reading
from horsesense.report.reasons import ItemEvidence, evidence_of
from horsesense.rng import unit
from horsesense.runs.parts import spans
from horsesense.runs.results import Results
from horsesense.runs.unanswered import unanswered
from horsesense.stats.words import plural
from horsesense.trials.condition import Condition

AT_RANDOM = 50
"""Items shown that nobody picked: a seeded sample of all."""
FIRST = 4
"""Items that each reason has among the first, before the sample."""


class Choice(NamedTuple):
    """Which items are shown.

    Attributes:
        ids: item ids in the order in which they are shown, should the room not suffice for all.
        reasons: id -> why it is evidence; empty where nothing happened to it.
        evidence: what happened to every item of the run.
    """

    ids: tuple[str, ...]
    reasons: Mapping[str, tuple[str, ...]]
    evidence: ItemEvidence

    @property
    def total(self) -> int:
        """Items of the run."""
        return len(self.evidence.ids)


def choose(run: Results, most: int) -> Choice:
    """Pick at most `most` items; the same ones whenever the run is the same."""
    evidence = evidence_of(run)
    seed = str(run.findings["study"]["seed"]).encode()
    drawn = sorted(evidence.ids, key=lambda i: unit(seed, b"report", i.encode()))
    turns = zip_longest(*([i for i in drawn if i in ids] for ids in evidence.holds.values()))
    rest = ([i for i in turn if i is not None] for turn in turns)
    first = list(islice(rest, FIRST))
    wanted = chain(chain.from_iterable(first), drawn[:AT_RANDOM], chain.from_iterable(rest), drawn)
    shown = tuple(islice(dict.fromkeys(wanted), most))
    reasons = {i: tuple(name for name, ids in evidence.holds.items() if i in ids) for i in shown}
    return Choice(shown, reasons, evidence)


class Read(NamedTuple):
    """One reading of a reply, with what it chose as a position of the trial, and its cause."""

    reader: str
    reading: Reading
    correct: bool | None
    cause: Cause


class AskedExample(NamedTuple):
    """One trial of an item: as it was shown, asked, answered and read.

    Its request and response are in the store until they are wanted: see `exchanged`.
    """

    number: int
    key: Key
    probe: str
    label: str
    repetition: int
    labels: tuple[str, ...]
    origin: tuple[int, ...]
    options: tuple[str, ...]
    gold_at: int | None
    failed: Failed | None
    readings: tuple[Read, ...]
    request: Request | None = None
    response: Response | None = None


def trials_of(
    run: Results, ids: Sequence[str], store: Store
) -> Iterator[tuple[str, list[AskedExample]]]:
    """Every trial of some items, item by item, with readings; the tables are read once."""
    by_item: dict[str, list[dict[str, Any]]] = {item_id: [] for item_id in ids}
    for part in spans(run.directory.trials()):
        # A frame of some rows holds the texts of all that were read with them.
        for row in part.filter(pl.col("item_id").is_in(list(ids))).collect().to_dicts():
            by_item[row["item_id"]].append(row)
    numbers = {row["trial"] for rows in by_item.values() for row in rows}
    readings = _readings(run, pl.Series(sorted(numbers), dtype=pl.UInt32))
    label = cache(lambda probe, condition: run.label(probe, Condition.parse(condition)))
    for item_id in ids:
        rows = sorted(by_item[item_id], key=itemgetter("trial"))
        keys = list({row["key"] for row in rows})
        failures = store.failures(keys)
        yield (
            item_id,
            [
                AskedExample(
                    row["trial"],
                    row["key"],
                    row["probe"],
                    label(row["probe"], row["condition"]),
                    row["repetition"],
                    tuple(row["labels"]),
                    tuple(row["origin"]),
                    tuple(row["options"] or ()),
                    row["gold_at"],
                    failures.get(row["key"]),
                    readings.get((row["trial"], row["variant"]), ()),
                )
                for row in rows
            ],
        )


def exchanged(
    asked: Sequence[AskedExample], store: Store, planned: Mapping[Key, Request] | None = None
) -> list[AskedExample]:
    """Trials with what was sent, or is `planned`, and what came back, as far as that is known."""
    keys = [one.key for one in asked]
    sent, came = {**(planned or {}), **store.requests(keys)}, store.get(keys)
    return [o._replace(request=sent.get(o.key), response=came.get(o.key)) for o in asked]


def not_sent(run: Results, trials: Sequence[AskedExample], store: Store) -> Mapping[Key, Request]:
    """Prompts that have no answer, from the plan; none where the run cannot be planned again."""
    open_keys = {t.key for t in trials} - store.requests([t.key for t in trials]).keys()
    with suppress(HorsesenseError):
        asked = unanswered(run.directory, store) if open_keys else ()
        return {each.key: each.request for each in asked if each.key in open_keys}
    return {}


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
        cause = row["cause"] or of_status(reading.status)
        correct = None if reading.status == "unclear" else row["correct"]
        found.setdefault(place, []).append(Read(row["reader"], reading, correct, cause))
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


def raw(request: Request) -> str:
    """A request as it is stored: the prompt, and every setting of decoding."""
    return json.dumps(request.as_json(), ensure_ascii=False, indent=1)


def came_back(response: Response) -> str:
    """How a reply ended, its tokens, its time and who served it, as far as that is known."""
    usage, finish = response.usage, response.finish_reason
    counted = (
        (usage.prompt_tokens, "prompt token"),
        (usage.completion_tokens, "reply token"),
        (usage.reasoning_tokens, "thought token"),
    )
    told = [f"ended by {finish}"] if finish else []
    told += [plural(n, noun) for n, noun in counted if n is not None]
    told += [] if response.latency is None else [f"{response.latency:.2f} s"]
    return "; ".join([*told, *([f"served by {response.served_by}"] if response.served_by else [])])


def letter(at: int) -> str:
    """What a published option is called by its place."""
    return chr(ord("A") + at) if at < 26 else str(at + 1)


def identity(run: Results) -> str:
    """The model's identity, shortened where it is a long description."""
    value = run.findings["model"]["identity"]
    return value if isinstance(value, str) else orjson.dumps(value).decode()
