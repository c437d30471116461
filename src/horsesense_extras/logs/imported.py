"""A run made from logs of other programs: kind `imported`, and nothing in it that they do not say.

One item is one content, a question with its set of options; the order in which its first log
publishes them is its own. Every answer is a trial of `original` with the options as shown, epochs
being repetitions; an item that was shown in several orders is a trial of `order` for each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from horsesense.errors import UsageError
from horsesense.files import empty_place
from horsesense.inference.store import Store
from horsesense.items.item import ItemSet, flag_items
from horsesense.items.own_order import own_order
from horsesense.measures.joined import RECORDED_ORDERS
from horsesense.models.base import Asked, Capabilities
from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.probes.order import Order
from horsesense.probes.original import Original
from horsesense.progress import progress
from horsesense.runs import asked
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import RunLayout
from horsesense.runs.parts import NewTable
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import Settings
from horsesense.stats.words import plural
from horsesense.trials.condition import PLAIN, Condition
from horsesense.trials.trial import Trial, Variant
from horsesense_extras.logs.carried import WrittenRun, made_beside
from horsesense_extras.logs.imported_answers import Tally, message, params_of, readers_of
from horsesense_extras.logs.known_items import Known, KnownItems
from horsesense_extras.logs.sample import Log, NotTakenError, Sample

RECORDED: Mapping[str, Any] = {
    "trial": pl.UInt32,
    "log": pl.UInt16,
    "name": pl.String,
    "value": pl.Float64,
    "answer": pl.String,
}
"""What the logs' scorers made of each answer; `log` is the place in `imported.json`."""

ORDERS: Final = Condition(design=RECORDED_ORDERS)
"""The condition of the orders that a log happens to hold. The first is that of the original."""

AS_RECORDED: Final[Mapping[str, Mapping[str, str]]] = {
    "original": {
        "title": "As in the log",
        "summary": "The item as the log shows that it was asked; epochs are repetitions.",
        "expectation": "This is the score that the log reports.",
    },
    "order": {"summary": "The same options in the orders that the log holds."},
}
"""What the probes of an import say of themselves in place of their own words."""

NO_ANSWER: Final = "the log holds no answer"
BATCH: Final = 2_000
"""Answers stored in one transaction."""


def import_logs(out: str | Path, logs: Sequence[Log], items: ItemSet | None = None) -> RunDirectory:
    """Write the run that some logs of one model hold.

    Args:
        out: the run directory, which must hold no run yet.
        logs: as `logs.registry.open_logs` gives them.
        items: known items: answers are mapped to them by content, for their ids and right answers;
            what is about none of them is left out and counted.

    Raises:
        UsageError: the logs are of several models or hold no multiple choice, or `out` holds a run.
        ItemsError: a log is damaged.
        StoreError: `out` cannot be written to.
    """
    with made_beside(empty_place(out)) as layout:
        made = _Import(layout, logs, items)
        with Store.lazy(layout.store, lambda: None) as store:
            made.take(store)
        written = made.finish()
    return replace(written, layout=RunLayout.at(out))


class _Import:
    """One import, answer by answer."""

    def __init__(self, layout: RunLayout, logs: Sequence[Log], items: ItemSet | None) -> None:
        self.logs = logs
        self.given = items
        self.items = KnownItems(items)
        self.model = one_model(logs)
        self.tallies = [Tally() for _ in logs]
        self._keys: set[Key] = set()
        self._run = WrittenRun(layout)
        self._recorded = NewTable(layout.recorded, RECORDED)
        self._numbers: dict[str, int] = {}

    @property
    def identity(self) -> str:
        return f"log:{self.model}"

    def take(self, store: Store) -> None:
        """Take every sample; UsageError where none can be taken."""
        answered: list[tuple[Asked, Response]] = []
        for number, log in enumerate(self.logs):
            with progress(f"reading {log.path.name}", 0, about=True) as tick:
                for sample in log.samples():
                    try:
                        put, came = self._taken(number, sample)
                    except NotTakenError as reason:
                        epoch = "" if sample.epoch == 1 else f", epoch {sample.epoch}"
                        log.left_out.add(str(reason), sample.id + epoch)
                        continue
                    if isinstance(came, Failure):
                        store.fail([(put, 1, came)], identity=self.identity)
                    else:
                        answered.append((put, came))
                    if len(answered) >= BATCH:
                        store.put(answered, identity=self.identity)
                        tick(len(answered))
                        answered.clear()
        if not self._run.count:
            raise nothing_to_take(self.logs)
        self._note_unknown()
        self._note_who_and_how_often()
        shared = self.items.shared()
        if shared is not None:
            raise UsageError(
                f"{shared[0]} and {shared[1]} ask the same questions in different ways.",
                hint="A run is one way of asking: import the logs of each task by themselves.",
            )
        store.put(answered, identity=self.identity)
        for known in self.items.known.values():
            if len(known.shown) > 1:
                for repetition, (trial, key) in enumerate(known.shown.values()):
                    again = replace(trial, probe="order", condition=ORDERS, repetition=repetition)
                    self._run.add(again, key, self._numbers)

    def _note_unknown(self) -> None:
        """Say of how many answers no right option is known."""
        for log, tally in zip(self.logs, self.tallies, strict=True):
            unknown = sum(
                times
                for name, times in tally.without_gold.items()
                if self.items.known[name].item.gold is None
            )
            if unknown:
                log.notes.append(
                    f"{log.path.name}: no right option is known for {unknown:,} of"
                    f" {plural(tally.samples, 'answer')}; nothing counts them as right or"
                    " wrong."
                )

    def _note_who_and_how_often(self) -> None:
        """Say which logs hold replies of several models, and which logs repeat a task."""
        for log, tally in zip(self.logs, self.tallies, strict=True):
            if len(by := tally.models) > 1:
                told = ", ".join(f"{name[:80]} ({n:,})" for name, n in by.most_common(5))
                log.notes.append(
                    f"{log.path.name}: its replies name {len(by)} models: {told}. All are counted"
                    f" as {self.model}'s."
                )
        for task, n in Counter(log.task for log in self.logs if log.task).items():
            if n > 1 and any(known.asked > 1 for known in self.items.known.values()):
                self.logs[0].notes.append(
                    f"{n} logs are of {task}: answers to one question count as asked again."
                )

    def _taken(self, number: int, sample: Sample) -> tuple[Asked, Response | Failure]:
        """Write down one answer; NotTakenError where it is left out."""
        self.model = self.model or sample.model
        if sample.model and sample.model != self.model:
            raise NotTakenError(f"an answer of another model ({sample.model})")
        known = self.items.of(number, sample)
        if known is None:
            raise NotTakenError("about none of the given items")
        moved = own_order(sample.options, known.item.options)
        if moved is None:
            raise NotTakenError("two of its options read alike, so that they cannot be mapped")
        gold = None if sample.gold is None else moved[sample.gold]
        if known.item.gold is None and gold is not None:
            known.item = replace(known.item, gold=gold)
        elif None not in (gold, known.item.gold) and gold != known.item.gold:
            raise NotTakenError("another option is right here than in an earlier answer")
        self.tallies[number].graded(known.item.id, sample)
        if gold is None:
            self.tallies[number].without_gold[known.item.id] += 1
        return self._answer(number, known, sample, tuple(moved[o] for o in sample.order))

    def _answer(
        self, number: int, known: Known, sample: Sample, origin: tuple[int, ...]
    ) -> tuple[Asked, Response | Failure]:
        item = known.item
        variant = Variant(
            item_id=item.id,
            question=item.question,
            options=tuple(item.options[o] for o in origin),
            labels=sample.labels,
            origin=origin,
            gold_at=None if item.gold is None else origin.index(item.gold),
            context=item.context,
            subject=item.subject,
        )
        kind = "letter" if sample.labels else "label"
        trial = Trial("original", PLAIN, known.asked, (variant,), kind)  # type: ignore[arg-type]
        known.asked += 1
        request, key = self._request(sample)
        known.shown.setdefault(origin, (trial, key))
        for name, score in sample.scores.items():
            self._recorded.add((self._run.count, number, name, score.value, score.answer))
        self._numbers.setdefault(item.id, len(self._numbers))
        self._run.add(trial, key, self._numbers)
        if not isinstance(came := sample.came, Response):
            self.tallies[number].failed += 1
            why = NO_ANSWER if came is None else came.message[:2000]
            return Asked(key, request), Failure("rejected", why)
        self.tallies[number].answered(came)
        return Asked(key, request), came

    def _request(self, sample: Sample) -> tuple[Request, Key]:
        """What was sent. The same prompt sent again is another draw, and has another key."""
        prompt, draw = sample.prompt, sample.epoch - 1
        messages = tuple(message(m) for m in prompt) if isinstance(prompt, tuple) else None
        text = prompt if isinstance(prompt, str) else None
        while True:
            request = Request(messages, text, params_of(sample, draw))
            key = request.key(self.identity)
            if key not in self._keys:
                self._keys.add(key)
                return request, key
            # Prompts that are not known are told apart by this alone.
            draw = draw + 1 if prompt is not None else max(draw + 1, self._run.count)

    def finish(self) -> RunDirectory:
        """Write down what the run is."""
        self._recorded.finish()
        settings = Settings.of(
            items=", ".join(str(log.path) for log in self.logs),
            model=self.identity,
            probes=("original",),
            readers=readers_of(self.tallies),
        )
        offers = Capabilities(
            text=any(tally.text for tally in self.tallies),
            top_logprobs=max(tally.tokens for tally in self.tallies),
            continuations=any(tally.texts for tally in self.tallies),
            notes=tuple(note for log in self.logs for note in log.notes),
        )
        prompt = "recorded:" + ",".join(dict.fromkeys(log.format for log in self.logs))
        made = [asked.Made("original", str(PLAIN), "original", prompt)]
        probes: list[Any] = [Original()]
        if any(len(known.shown) > 1 for known in self.items.known.values()):
            made.append(asked.Made("order", str(ORDERS), "order(design=recorded)", prompt))
            probes.append(Order())
        return self._run.finish(
            "imported",
            settings,
            self._item_set(),
            ModelRecord.named(self.model or "unknown", self.identity, offers),
            {"logs": [self._log_json(n, log) for n, log in enumerate(self.logs)]},
            made=made,
            probes=[
                {**asked.declared(probe), **AS_RECORDED[probe.name], "signature": signature}
                for probe, (_, _, signature, _) in zip(probes, made, strict=True)
            ],
            excluded=[
                {
                    "probe": log.path.name,
                    "reason": row["reason"],
                    "items": row["samples"],
                    "examples": row["examples"],
                }
                for log in self.logs
                for row in log.left_out.as_json()
            ],
        )

    def _item_set(self) -> ItemSet:
        found = tuple(self.items.known[name].item for name in self._numbers)
        tasks = dict.fromkeys(log.task for log in self.logs if log.task)
        if self.given is not None:
            name, source = self.given.name, self.given.source
        else:
            name = ", ".join(tasks) or self.logs[0].path.name
            source = ", ".join(str(log.path) for log in self.logs)
        flags = flag_items(found, "choice")
        return ItemSet(name=name, kind="choice", items=found, flags=flags, source=source)

    def _log_json(self, number: int, log: Log) -> dict[str, Any]:
        tally = self.tallies[number]
        reported = [
            {
                **asdict(each),
                "from_samples": None
                if each.score is None
                else tally.mean(each.score, each.task, each.split),
            }
            for each in log.reported
        ]
        return {
            "path": str(log.path),
            "format": log.format,
            "task": log.task,
            "model": log.model or self.model,
            "created": log.created,
            "state": log.state,
            "samples": tally.samples,
            "failed": tally.failed,
            "left_out": log.left_out.as_json(),
            "reported": reported,
            "scores": {name: tally.mean(name) for name in tally.names},
            "notes": log.notes,
        }


def one_model(logs: Sequence[Log]) -> str:
    """The model of all logs; UsageError where there are several."""
    named = list(dict.fromkeys(log.model for log in logs if log.model))
    if len(named) > 1:
        raise UsageError(
            f"These logs are of {len(named)} models: {', '.join(named)}.",
            hint="A run is about one model; horsesense import makes a study of several.",
        )
    return named[0] if named else ""


def nothing_to_take(logs: Sequence[Log]) -> UsageError:
    """Why nothing of some logs can be taken."""
    lines = [
        f"{log.path}: {row['reason']} ({row['samples']:,}, such as {row['examples'][0]})"
        for log in logs
        for row in log.left_out.as_json()
    ] or [f"{log.path}: no samples" for log in logs]
    return UsageError(
        "Nothing can be taken from the log:\n  " + "\n  ".join(lines),
        hint="horsesense audits multiple choice: a question, its options, and which one is right.",
    )
