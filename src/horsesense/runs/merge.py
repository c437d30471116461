"""Shards of a study, asked apart, made one run.

Answers are united by the key of their request; then the whole study is planned again from the
shards' own files and read as if one process had asked it, so that its estimates are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from pathlib import Path

import orjson

from horsesense.errors import UsageError
from horsesense.files import read_whole, write_whole
from horsesense.inference.absorb import Absorbed, absorb
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.items.item import ItemSet
from horsesense.progress import progress
from horsesense.runs.ask import plan_again
from horsesense.runs.asked import Asked
from horsesense.runs.directory import READ_LATER, RunDirectory
from horsesense.runs.layout import Layout
from horsesense.runs.run import complete
from horsesense.runs.settings import Settings
from horsesense.runs.shard import Shard

MAY_DIFFER = {*READ_LATER, "shard", "items", "model", "shots_from", "templates", "limit"}
"""Settings that runs of one study may write differently; what they stand for is compared itself."""


@dataclass(frozen=True)
class Merged:
    """What a merge brought together.

    Attributes:
        directory: the run that was made, or added to.
        answers: what its store took over.
        shards: the shards that were given, as written; empty text for a whole run.
        missing: the shards of the same division that were not.
        unfinished: runs whose asking had not come to its end.
    """

    directory: RunDirectory
    answers: Absorbed
    shards: tuple[str, ...]
    missing: tuple[str, ...]
    unfinished: tuple[Path, ...]


def merge(runs: Sequence[str | Path], out: str | Path) -> Merged:
    """Unite runs of one study in `out`; the order of `runs` changes nothing.

    Raises:
        UsageError: the runs are not of one study: other items, model, probes or prompts.
        StoreError: one of them cannot be read, or `out` cannot be written.
    """
    found = [RunDirectory.open(path) for path in runs]
    if not found:
        raise UsageError("No run to merge is named.", hint="horsesense merge RUN.* --out RUN")
    for other in found[1:]:
        _same_study(found[0], other)
    whole = _whole(found[0], Layout.at(out))
    if any(run.layout.root.resolve() == whole.layout.root.resolve() for run in found):
        raise UsageError(
            f"{whole.layout.root} is one of the runs to merge.", hint="Choose another --out."
        )
    described = found[0].known.model
    with ExitStack() as stack:
        stores = [stack.enter_context(run.store()) for run in found]
        begin = lambda: whole.begin(described)  # noqa: E731
        store = stack.enter_context(Store.lazy(whole.layout.store, begin))
        answers = absorb(store, stores)
        spending = zip(found, stores, strict=True)
        parts = {str(run.layout.root.resolve()): each.spent() for run, each in spending}
        account(whole.layout, store, parts)
        with progress("planning the whole study"):
            complete(plan_again(whole, store))
    _tell_spending(whole, found)
    unfinished = tuple(run.layout.root for run in found if not _finished(run))
    shards = tuple(sorted({run.settings.shard or "" for run in found}, key=_number))
    missing = _missing(shards)
    reason = "unfinished" if unfinished or missing else ""
    whole.mark("ask", "stopped" if reason else "complete", reason)
    return Merged(whole, answers, shards, missing, unfinished)


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


def _whole(first: RunDirectory, layout: Layout) -> RunDirectory:
    """The run that all become: new, or one that lies there already."""
    settings = first.settings.model_copy(update={"shard": None})
    whole = RunDirectory(layout, settings, first.items, first.shots)
    if layout.record.exists():
        before = RunDirectory.open(layout.root)
        _same_study(before, first)
        whole.record = before.record
    elif first.record is not None:  # so that requests are written for the same readers
        whole.record = first.record.model_copy(update={"readers": {}, "stages": {}})
    return whole


def account(whole: Layout, store: Store, parts: Mapping[str, Mapping[str, Spent]]) -> None:
    """Write down what all parts spent; one that was merged before is counted once.

    Args:
        whole, store: what they are merged into.
        parts: name of a part -> identity of a model -> what its store says was spent.
    """
    told = _merged_before(whole)
    before = told.copy()
    for name, spent in parts.items():
        told[name] = {identity: list(astuple(one)) for identity, one in spent.items()}
    mine = store.spent()
    for identity in {name for row in told.values() for name in row}:
        own = astuple(mine.get(identity, Spent()))
        old, new = _sums(before, identity), _sums(told, identity)
        counts = (max(0, n - gone) + come for n, gone, come in zip(own, old, new, strict=True))
        store.keep_spent(identity, Spent(*counts))
    write_whole(_merged_file(whole), orjson.dumps(told, option=orjson.OPT_INDENT_2))


def spent_itself(whole: Layout, store: Store) -> Spent:
    """What a run spent but for the parts that were merged into it, all models together."""
    told, total = _merged_before(whole), Spent()
    for identity, spent in store.spent().items():
        parts = _sums(told, identity)
        total += Spent(*(max(0, n - m) for n, m in zip(astuple(spent), parts, strict=True)))
    return total


def _merged_file(whole: Layout) -> Path:
    return whole.root / "merged.json"


def _merged_before(whole: Layout) -> dict[str, dict[str, list[int]]]:
    """What was written down of parts, by their names."""
    path = _merged_file(whole)
    return orjson.loads(read_whole(path, inside=True)) if path.exists() else {}


def _tell_spending(whole: RunDirectory, runs: Sequence[RunDirectory]) -> None:
    """What the last sessions of all runs took together, in place of the planning's nothing."""
    asked = Asked.load(whole.layout.asked)
    told = [each.spent for each in (run.asked() for run in runs) if each is not None]
    for name, value in asked.spent.items():
        if isinstance(value, int | float):
            asked.spent[name] = sum(one.get(name) or 0 for one in told)
    asked.save(whole.layout.asked)


def _sums(told: Mapping[str, Mapping[str, Sequence[int]]], identity: str) -> list[int]:
    rows = [row.get(identity, (0, 0, 0)) for row in told.values()]
    return [sum(column) for column in zip(*rows, strict=True)] or [0, 0, 0]


def _finished(run: RunDirectory) -> bool:
    stage = run.known.stages.get("ask")
    return stage is not None and stage.state == "complete"


def _missing(shards: Sequence[str]) -> tuple[str, ...]:
    """What is left of the divisions of which some shards were given, unless all is covered."""
    if "" in shards:
        return ()
    given = [Shard.parse(shard) for shard in shards]
    left = {
        of: [str(Shard(n, of)) for n in range(1, of + 1) if Shard(n, of) not in given]
        for of in {shard.of for shard in given}
    }
    if not all(left.values()):  # one division is whole
        return ()
    return tuple(shard for of in sorted(left) for shard in left[of])


def _number(shard: str) -> tuple[int, int]:
    found = Shard.parse(shard) if shard else Shard(1, 1)
    return found.of, found.number
