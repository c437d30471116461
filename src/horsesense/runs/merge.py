"""Shards of a study, asked apart, made one run.

Answers are united by the key of their request; then the whole study is planned again from the
shards' own files and read as if one process had asked it, so that its estimates are the same.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from horsesense.errors import UsageError
from horsesense.hosts import opened as of_others
from horsesense.inference.absorb import Absorbed, absorb
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.items.item import ItemSet
from horsesense.progress import progress
from horsesense.runs.accounts import account, known_as, later, spent_by_parts, told_before, without
from horsesense.runs.ask import plan_again
from horsesense.runs.asked import AskedRecord
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import RunLayout
from horsesense.runs.prepare import reader_names
from horsesense.runs.record import RunRecord
from horsesense.runs.run import complete
from horsesense.runs.settings import DEFAULT_READERS, Settings
from horsesense.runs.shard import Shard, placement
from horsesense.runs.start import check_place
from horsesense.runs.stored_items import Seen
from horsesense.runs.unanswered import trials_unanswered

MAY_DIFFER = {"readers", "shard", "items", "model", "shots_from", "templates", "limit"}
"""Settings that runs of one study may write differently; what they stand for is compared itself.

What answers are read with is united instead: a run that was reported on with another reader has it.
"""


@dataclass(frozen=True)
class Merged:
    """What a merge brought together.

    Attributes:
        directory: the run that was made, or added to.
        answers: what its store took over.
        shards: the shards that were given, as written; empty text for a whole run.
        missing: the shards of the same division that were not, and whose answers are not there.
        unfinished: runs whose asking had not come to its end, likewise.
        lost: run -> trials that it says it asked, and that have no answer.
        unanswered: trials without an answer.
        versions: of horsesense, that the runs were asked and read with.
    """

    directory: RunDirectory
    answers: Absorbed
    shards: tuple[str, ...]
    missing: tuple[str, ...]
    unfinished: tuple[Path, ...]
    unanswered: int
    versions: tuple[str, ...]
    lost: Mapping[Path, int] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether nothing is missing that a shard, or the rest of one, would bring."""
        damaged = bool(self.answers.damaged and self.unanswered)
        return not (self.missing or self.unfinished or self.lost or damaged)


@of_others()
def merge(runs: Sequence[str | Path], out: str | Path) -> Merged:
    """Unite runs of one study in `out`; the order of `runs` changes nothing.

    Raises:
        UsageError: the runs are not of one study: other items, model, probes, prompts, or ways to
            judge what is found.
        StoreError: one of them cannot be read, or `out` cannot be written or is in use.
    """
    seen: Seen = {}
    opened = (RunDirectory.open(run, seen) for run in runs)
    found = sorted({run.layout.root.resolve(): run for run in opened}.values(), key=_place)
    if not found:
        raise UsageError("No run to merge is named.", hint="horsesense merge RUN.* --out RUN")
    for other in found:
        if other.given:
            raise UsageError(
                f"{other.layout.root} was imported: only audits are merged.",
                hint="Logs are imported together: horsesense import LOG LOG --out RUN.",
            )
        _same_study(found[0], other)
    layout = RunLayout.at(out)
    if any(run.layout.root.resolve() == layout.root.resolve() for run in found):
        what = f"{layout.root} is one of the runs to merge."
        raise UsageError(what, hint="Choose another --out.")
    check_place(layout.root)
    with ExitStack() as stack:
        # What lies there is looked at once no other process can change it.
        store = stack.enter_context(Store.lazy(layout.store, lambda: _begin(whole, found[0].known)))
        whole = _whole(found, layout)
        finished = layout.record.exists() and _finished(whole)
        asked = [(run, told) for run in (*found, whole) if (told := _put(run)) is not None]
        kept = (Store.open(run.layout.store, read_only=True) for run in found)
        stores = [stack.enter_context(one) for one in kept]  # what one lost is told below
        answers = absorb(store, stores)
        if answers.replaced:  # what was read of them no longer holds
            shutil.rmtree(whole.layout.readings, ignore_errors=True)
        parts = _spent(found, stores)
        sessions = _sessions(whole, found, parts)
        account(whole.layout, store, parts)
        with progress("planning the whole study"):
            complete(plan_again(whole, store))
        left = trials_unanswered(whole, store)
    _tell_spending(whole, sessions, len(left))
    shards = tuple(sorted({run.settings.shard or "" for run in found}, key=_number))
    lacking = set[str]() if finished else set(left["item_id"])
    merged = Merged(
        whole,
        answers,
        shards,
        _missing(shards, whole.items, lacking),
        tuple(run.layout.root for run in found if not _finished(run) and _own(run) & lacking),
        len(left),
        tuple(sorted({run.known.horsesense for run in found})),
        _lost(asked, left["item_id"].to_list()),
    )
    whole.mark("ask", *(("complete", "") if merged.whole else ("stopped", "unfinished")))
    return merged


def _same_study(one: RunDirectory, other: RunDirectory) -> None:
    """UsageError where two runs ask different things, or different models."""
    names = [name for name in Settings.model_fields if name not in MAY_DIFFER]
    pairs = [(name, getattr(one.settings, name), getattr(other.settings, name)) for name in names]
    pairs += [
        ("items", one.items.fingerprint, other.items.fingerprint),
        ("few-shot examples", _fingerprint(one.shots), _fingerprint(other.shots)),
        ("model", one.known.model.identity, other.known.model.identity),
        ("what the model offers", one.known.model.offers, other.known.model.offers),
        ("readers that requests were written for", one.known.asked_for, other.known.asked_for),
    ]
    differ = [f"{name} ({old}; {new})" for name, old, new in pairs if old != new]
    if differ:
        roots = one.layout.root, other.layout.root
        raise UsageError(
            f"{roots[0]} and {roots[1]} are not of one study: they differ in {'; '.join(differ)}.",
            hint="Merge runs that `horsesense audit` made with the same options but --shard.",
        )


def _fingerprint(shots: ItemSet | None) -> str:
    return "none" if shots is None else shots.fingerprint


def _whole(found: Sequence[RunDirectory], layout: RunLayout) -> RunDirectory:
    """The run that all become: new, or one that lies there already."""
    first, before = found[0], None
    if layout.record.exists():
        before = RunDirectory.open(layout.root)
        if (shard := before.settings.shard) is not None:
            raise UsageError(
                f"{layout.root} holds shard {shard} of a study.",
                hint="Name it among the runs to merge, and choose another --out.",
            )
        _same_study(before, first)
    runs = found if before is None else [*found, before]
    sets = [frozenset(reader_names(run.settings, run.items, run.known.model)) for run in runs]
    update: dict[str, Any] = {"shard": None}
    if len(set(sets)) > 1:
        together = sorted(frozenset[str]().union(*sets))
        update["readers"] = tuple(sorted(together, key=lambda name: name not in DEFAULT_READERS))
    settings = first.settings.model_copy(update=update)
    whole = RunDirectory(layout, settings, first.items, first.shots)
    if before is not None:
        whole.record = before.record
    elif first.record is not None:  # so that requests are written for the same readers
        whole.record = first.record.model_copy(update={"readers": {}, "stages": {}})
    return whole


def _begin(whole: RunDirectory, first: RunRecord) -> None:
    """Write down what is merged: its requests are those that were asked, whatever reads it now."""
    whole.begin(first.model)
    whole.record = whole.known.model_copy(update={"asked_for": first.asked_for})
    whole.mark("ask", "begun")


def _put(run: RunDirectory) -> tuple[frozenset[str], int] | None:
    """Items of a run, and how many trials about them it did not put to the model.

    None where it did not come to its end: then there is no telling what it should hold. Where
    asked.json is lost, so is what it spared: it should hold all.
    """
    if not run.layout.record.exists() or run.known.kind != "asked" or not _finished(run):
        return None
    asked = run.asked()
    if asked is None and run.settings.until is None:
        return _own(run), 0
    if asked is None or "asked" not in asked.spent:
        return None
    return _own(run), asked.trials - int(asked.spent["asked"])


def _lost(
    asked: Sequence[tuple[RunDirectory, tuple[frozenset[str], int]]], lacking: Sequence[str]
) -> dict[Path, int]:
    """Runs that asked more than has an answer: a finished one lacks what it did not put alone.

    Args:
        asked: runs, with what `_put` says of each.
        lacking: the first item of every trial that has no answer in the merged run.
    """
    found = {}
    for run, (items, spared) in asked:
        if (n := sum(item in items for item in lacking) - spared) > 0:
            found[run.layout.root] = n
    return found


def _spent(runs: Sequence[RunDirectory], stores: Sequence[Store]) -> dict[str, dict[str, Spent]]:
    """What runs spent by the name of each; what was merged into one stands under its own name."""
    found: dict[str, dict[str, Spent]] = {}
    for run, store in zip(runs, stores, strict=True):
        told = spent_by_parts(told_before(run.layout))
        for name, spent in {**told, known_as(run.layout): without(told, store)}.items():
            found[name] = later(found.get(name, {}), spent)
    return found


def _sessions(
    whole: RunDirectory, runs: Sequence[RunDirectory], parts: Mapping[str, Mapping[str, Spent]]
) -> list[dict[str, Any]]:
    """What the last session of each run took, and of what lies in their place; each counts once."""
    held = [told_before(run.layout) for run in (whole, *runs)]

    def is_new(run: RunDirectory) -> bool:
        name = known_as(run.layout)
        return all(told.get(name) != parts[name] for told in held)

    there = [whole] if whole.record is not None and whole.layout.asked.exists() else []
    each_once = {known_as(run.layout): run for run in runs}.values()
    found = (run.asked() for run in (*there, *filter(is_new, each_once)))
    return [each.spent for each in found if each is not None]


def _tell_spending(
    whole: RunDirectory, sessions: Sequence[Mapping[str, Any]], unanswered: int
) -> None:
    """What these sessions took together, in place of the planning's nothing.

    What two of them asked is one request here, and what neither did needed no call.
    """
    asked = AskedRecord.load(whole.layout.asked)
    for name, value in asked.spent.items():
        if isinstance(value, int | float):
            asked.spent[name] = sum(one.get(name) or 0 for one in sessions)
    spent = asked.spent
    there = asked.trials - unanswered
    spent["answered"] = min(spent["answered"], there)
    spent["failed"] = min(spent["failed"], unanswered)
    spent["cached"] = there - spent["answered"]
    spent["asked"] = there + spent["failed"]
    asked.save(whole.layout.asked)


def _finished(run: RunDirectory) -> bool:
    stage = run.known.stages.get("ask")
    return stage is not None and stage.state == "complete"


def _own(run: RunDirectory) -> frozenset[str]:
    """The items that a run is about."""
    shard = run.settings.shard
    return frozenset(run.items.by_id) if shard is None else Shard.parse(shard).ids(run.items)


def _missing(shards: Sequence[str], items: ItemSet, lacking: Collection[str]) -> tuple[str, ...]:
    """What is left of the divisions of which some shards were given, unless all is covered.

    A shard with no item that lacks an answer is there, however it came.
    """
    if "" in shards:
        return ()
    given = [Shard.parse(shard) for shard in shards]
    left: dict[int, list[Shard]] = {}
    for of in {shard.of for shard in given}:
        placed = placement(items, of)
        wanted = {Shard(placed[item], of) for item in lacking}
        left[of] = sorted(wanted.difference(given), key=lambda shard: shard.number)
    if not all(left.values()):  # one division is whole
        return ()
    return tuple(str(shard) for of in sorted(left) for shard in left[of])


def _place(run: RunDirectory) -> tuple[tuple[int, int], str]:
    """An order of runs that does not depend on how they were named."""
    return _number(run.settings.shard or ""), str(run.layout.root.resolve())


def _number(shard: str) -> tuple[int, int]:
    found = Shard.parse(shard) if shard else Shard(1, 1)
    return found.of, found.number
