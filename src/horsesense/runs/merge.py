"""Shards of a study, asked apart, made one run.

Answers are united by the key of their request; then the whole study is planned again from the
shards' own files and read as if one process had asked it, so that its estimates are the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from os.path import isabs
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import NonNegativeInt, TypeAdapter

from horsesense.errors import StoreError, UsageError
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
from horsesense.runs.shard import Shard, placement
from horsesense.runs.unanswered import trials_unanswered

MAY_DIFFER = {*READ_LATER, "shard", "items", "model", "shots_from", "templates", "limit"}
"""Settings that runs of one study may write differently; what they stand for is compared itself."""

Counts = tuple[NonNegativeInt, NonNegativeInt, NonNegativeInt]
"""Requests, prompt tokens, completion tokens."""
_TOLD: Final = TypeAdapter(dict[str, dict[str, Counts]])
"""merged.json: name of a part -> identity of a model -> what was spent."""


@dataclass(frozen=True)
class Merged:
    """What a merge brought together.

    Attributes:
        directory: the run that was made, or added to.
        answers: what its store took over.
        shards: the shards that were given, as written; empty text for a whole run.
        missing: the shards of the same division that were not, and whose answers are not there.
        unfinished: runs whose asking had not come to its end, likewise.
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

    @property
    def whole(self) -> bool:
        """Whether nothing is missing that a shard, or the rest of one, would bring."""
        damaged = bool(self.answers.damaged and self.unanswered)
        return not (self.missing or self.unfinished or damaged)


def merge(runs: Sequence[str | Path], out: str | Path) -> Merged:
    """Unite runs of one study in `out`; the order of `runs` changes nothing.

    Raises:
        UsageError: the runs are not of one study: other items, model, probes or prompts.
        StoreError: one of them cannot be read, or `out` cannot be written.
    """
    opened = map(RunDirectory.open, runs)
    found = list({run.layout.root.resolve(): run for run in opened}.values())
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
    finished = whole.record is not None and _finished(whole)
    with ExitStack() as stack:
        stores = [stack.enter_context(run.store()) for run in found]
        begin = lambda: whole.begin(described)  # noqa: E731
        store = stack.enter_context(Store.lazy(whole.layout.store, begin))
        answers = absorb(store, stores)
        parts = _parts(found, stores)
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
        old = told.get(name, {})
        told[name] = {**old, **{who: _most(old.get(who), one) for who, one in spent.items()}}
    mine = store.spent()
    for identity in {name for row in told.values() for name in row}:
        own = astuple(mine.get(identity, Spent()))
        gone, come = _sums(before, identity), _sums(told, identity)
        counts = (max(0, n - m) + k for n, m, k in zip(own, gone, come, strict=True))
        store.keep_spent(identity, Spent(*counts))
    write_whole(_merged_file(whole), orjson.dumps(told, option=orjson.OPT_INDENT_2))


def _most(old: Counts | None, new: Spent) -> Counts:
    """An account never shrinks: of two states of one, the later."""
    first, second, third = map(max, old or (0, 0, 0), astuple(new))
    return first, second, third


def _parts(runs: Sequence[RunDirectory], stores: Sequence[Store]) -> dict[str, dict[str, Spent]]:
    """What runs spent by the name of each; what was merged into one stands under its own name."""
    found: dict[str, dict[str, Spent]] = {}
    for run, store in zip(runs, stores, strict=True):
        # Other names are of shards of its own, which are not merged anywhere else.
        told = {name: of for name, of in _merged_before(run.layout).items() if isabs(name)}
        for name, spent in told.items():
            found.setdefault(name, {identity: Spent(*one) for identity, one in spent.items()})
        itself = {}
        for identity, all_of_it in store.spent().items():
            parts = zip(astuple(all_of_it), _sums(told, identity), strict=True)
            itself[identity] = Spent(*(max(0, n - m) for n, m in parts))
        found[str(run.layout.root.resolve())] = itself
    return found


def spent_itself(whole: Layout, store: Store) -> Spent:
    """What a run spent but for the parts that were merged into it, all models together."""
    told, total = _merged_before(whole), Spent()
    for identity, spent in store.spent().items():
        parts = _sums(told, identity)
        total += Spent(*(max(0, n - m) for n, m in zip(astuple(spent), parts, strict=True)))
    return total


def _merged_file(whole: Layout) -> Path:
    return whole.root / "merged.json"


def _merged_before(whole: Layout) -> dict[str, dict[str, Counts]]:
    """What was written down of parts, by their names; StoreError where it is damaged."""
    path = _merged_file(whole)
    if not path.exists():
        return {}
    try:
        return _TOLD.validate_json(read_whole(path, inside=True))
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{path} cannot be read: {error}",
            hint="Restore it from a copy, or merge into another --out.",
        ) from None


def _sessions(
    whole: RunDirectory, runs: Sequence[RunDirectory], parts: Mapping[str, Mapping[str, Spent]]
) -> list[dict[str, Any]]:
    """What the last session of each run took, and of what lies in their place; each counts once."""
    held = [_merged_before(run.layout) for run in (whole, *runs)]

    def is_new(run: RunDirectory) -> bool:
        name = str(run.layout.root.resolve())
        now = {identity: astuple(one) for identity, one in parts[name].items()}
        return all(told.get(name) != now for told in held)

    there = [whole] if whole.record is not None and whole.layout.asked.exists() else []
    found = (run.asked() for run in (*there, *filter(is_new, runs)))
    return [each.spent for each in found if each is not None]


def _tell_spending(
    whole: RunDirectory, sessions: Sequence[Mapping[str, Any]], unanswered: int
) -> None:
    """What these sessions took together, in place of the planning's nothing.

    What two of them asked is one request here, and what neither did needed no call.
    """
    asked = Asked.load(whole.layout.asked)
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


def _sums(told: Mapping[str, Mapping[str, Sequence[int]]], identity: str) -> list[int]:
    rows = [row.get(identity, (0, 0, 0)) for row in told.values()]
    return [sum(column) for column in zip(*rows, strict=True)] or [0, 0, 0]


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


def _number(shard: str) -> tuple[int, int]:
    found = Shard.parse(shard) if shard else Shard(1, 1)
    return found.of, found.number
