"""What a log of another program carries, so that a run can be made of it again.

A study that is asked by another harness leaves no run behind, only that harness's log. The log then
holds, beside what the harness writes itself, the settings of the study, and with each sample the
decoding of its request and the items that it is the first to show. Prompts and replies stand where
the harness writes them; answers come to their trials by the keys of their requests, as everywhere.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import TypeAdapter

from horsesense.errors import StoreError, UsageError
from horsesense.files import replace_folder, usable
from horsesense.hosts import opened
from horsesense.inference.limits import Retry, RunSummary
from horsesense.items.item import ItemSet
from horsesense.kept import keep
from horsesense.models.base import Capabilities
from horsesense.models.known import KnownAnswers
from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.models.openai.protocol import SCORED_TOKENS
from horsesense.rng import fingerprint
from horsesense.runs import asked
from horsesense.runs.ask import ask_as
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import RunLayout
from horsesense.runs.parts import NewTable
from horsesense.runs.prepare import load_study_items
from horsesense.runs.record import ModelRecord
from horsesense.runs.run import complete
from horsesense.runs.settings import Settings
from horsesense.runs.stored_items import item_as_json, items_as_json, items_from_json
from horsesense.runs.tables import TRIALS, decides, trial_rows
from horsesense.stats.words import plural
from horsesense.trials.trial import Trial
from horsesense.version import __version__
from horsesense_extras.logs.sample import Log, Sample
from horsesense_extras.logs.values import mapping


@contextmanager
def made_beside(out: str | Path) -> Iterator[RunLayout]:
    """A new run directory, which takes the place of `out` once it is whole, or leaves nothing."""
    place = usable(out).absolute()
    new = place.with_name(f".{place.name}.{os.getpid()}.new")
    shutil.rmtree(new, ignore_errors=True)
    try:
        yield RunLayout(new)
        replace_folder(new, place)
    finally:
        shutil.rmtree(new, ignore_errors=True)


class WrittenRun:
    """A run as its trials come in.

    Attributes:
        layout: where it is written.
        count: of trials so far.
    """

    def __init__(self, layout: RunLayout) -> None:
        self.layout = layout
        self.count = 0
        self._table = NewTable(layout.trials_of(1), TRIALS)
        self._digest = blake2b(digest_size=8)

    def add(self, trial: Trial, key: Key, index: Mapping[str, int]) -> None:
        """Write down a trial; `index` numbers the items."""
        for row in trial_rows(self.count, 1, trial, key, index):
            self._table.add(row)
        self._digest.update(decides(key, trial))
        self.count += 1

    def finish(
        self,
        kind: str,
        settings: Settings,
        items: ItemSet,
        model: ModelRecord,
        told: Mapping[str, Any],
        *,
        made: Sequence[asked.Made],
        probes: Sequence[Mapping[str, Any]],
        excluded: Sequence[Mapping[str, Any]],
    ) -> RunDirectory:
        """Write down what the run is, run.toml last.

        Args:
            kind: "imported" or "people"; `told` goes into the file of that name.
            made, probes, excluded: see `runs.asked.AskedRecord`.
        """
        self._table.finish()
        directory = RunDirectory(self.layout, settings, items)
        directory.record = directory.new_record(model).model_copy(update={"kind": kind})
        directory.save_items()
        keep(getattr(self.layout, kind), orjson.dumps(told, option=orjson.OPT_INDENT_2))
        asked.AskedRecord(
            question=directory.question(),
            plan={1: self._digest.hexdigest()},
            trials=self.count,
            made=list(made),
            probes=[dict(probe) for probe in probes],
            excluded=[dict(row) for row in excluded],
            spent=asdict(RunSummary()),
        ).save(self.layout.asked)
        directory.mark("ask", "complete")
        return directory


OURS: Final = "horsesense"
"""The field of a log's metadata, and of a sample's, that holds what is ours."""
UNKNOWN: Final = "unknown"
"""Identity of a model that will be known only from the log."""
AS_RECORDED: Final = Retry(attempts=1, give_up=2**31)


def carried_by_log(
    settings: Settings, items: ItemSet, shots: ItemSet | None, model: ModelRecord
) -> dict[str, Any]:
    """What the log as a whole carries: the study, without the items."""
    return {
        "version": __version__,
        "settings": settings.model_dump(mode="json", exclude_none=True),
        "items": {**items_as_json(items), "items": []},
        "fingerprint": items.fingerprint,
        "count": len(items),
        "shots": None if shots is None else items_as_json(shots),
        "model": model.model_dump(mode="json", exclude_none=True),
    }


class Carrier:
    """Says what each sample carries; an item goes with the first sample that shows it."""

    def __init__(self, items: ItemSet) -> None:
        self._number = {item.id: number for number, item in enumerate(items)}
        self._items = items
        self._left = set(self._number)

    def of(self, number: int, stage: int, trial: Trial, request: Request | None) -> dict[str, Any]:
        """What the sample of one trial carries."""
        shown = {variant.item_id for variant in trial.variants}
        new, self._left = self._left & shown, self._left - shown
        rows = trial_rows(number, stage, trial, b"", self._number)
        left_out = {"settings", "key"}
        return {
            "probe": trial.probe,
            "condition": trial.condition.format(),
            "repetition": trial.repetition,
            "item": " ".join(variant.item_id for variant in trial.variants),
            "shown": [
                {n: v for n, v in zip(TRIALS, row, strict=True) if n not in left_out}
                for row in rows
            ],
            "params": None if request is None else request.params.as_json(),
            "plain": request is not None and request.messages is None,
            "items": self._rows(new),
        }

    def left(self) -> dict[str, Any]:
        """Items that no sample showed."""
        return self._rows(self._left)

    def _rows(self, names: set[str]) -> dict[str, Any]:
        items = (self._items.by_id[name] for name in sorted(names))
        return {str(self._number[item.id]): item_as_json(item) for item in items}


def run_directory(
    out: str | Path, carried: Mapping[str, Any], rows: Mapping[str, Any], log: Log
) -> tuple[RunDirectory, ModelRecord]:
    """The run that a log's answers belong to, and the model that gave them.

    Args:
        out: where it is, or will be once it is filled.
        carried: what the log carries.
        rows: number -> item, of all samples.
        log: names the model that was asked, where the study was written before it was known.

    Raises:
        StoreError: what is carried is damaged, or `out` holds another run.
    """
    try:
        settings = Settings.model_validate(carried["settings"])
        record = ModelRecord.model_validate(carried["model"])
        TypeAdapter(Capabilities).validate_python(record.capabilities)
        shots = None if carried["shots"] is None else items_from_json(carried["shots"])
        items = _items(carried, rows, settings)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"What the log says of its study is damaged: {error}.") from None
    if record.identity == UNKNOWN:
        named = f"{log.format}:{log.model or 'unknown'}"
        record = record.model_copy(update={"name": named, "identity": named})
    layout = RunLayout.at(out)
    if layout.record.exists():
        before = RunDirectory.open(out)
        if before.items.fingerprint != items.fingerprint or before.settings != settings:
            raise StoreError(f"{out} holds another run.", hint="Choose another --out.")
        return before, record
    return RunDirectory(layout, settings, items, shots), record


def _items(carried: Mapping[str, Any], rows: Mapping[str, Any], settings: Settings) -> ItemSet:
    """The items as the samples carry them, else as they stand in their file; one set or none."""
    numbers = sorted(rows, key=int)
    found = items_from_json({**carried["items"], "items": [rows[number] for number in numbers]})
    if found.fingerprint != carried["fingerprint"]:
        try:
            found = load_study_items(settings)
        except UsageError:
            raise ValueError(
                f"it holds {len(numbers):,} of {plural(carried['count'], 'item')}, and"
                f" {settings.items}"
                " cannot be read"
            ) from None
    if found.fingerprint != carried["fingerprint"]:
        raise ValueError(f"the items of {settings.items} are not those that were asked")
    return found


@opened()
def import_own(out: str | Path, logs: Sequence[Log]) -> RunDirectory:
    """The run of a study that was asked inside another program, from the logs it left.

    Several logs are stages or parts of one study. Samples that the logs lack are trials without an
    answer; the same request in several epochs keeps its first answer.

    Raises:
        UsageError: the logs are of several studies or models.
        ItemsError, StoreError: a log is damaged, or `out` holds another run.
    """
    if not all(log.own for log in logs):
        raise UsageError(
            "Some of these logs are of a study of horsesense, and others are not.",
            hint="Import them apart.",
        )
    told = ("settings", "fingerprint")
    studies = {fingerprint([*map(log.own.get, told), log.model]) for log in logs}
    if len(studies) > 1:
        raise UsageError(
            "These logs are of several studies or models.",
            hint="Import the logs of each into a directory of its own.",
        )
    rows: dict[str, Any] = {}
    answers: dict[Request, tuple[Log, Response | Failure]] = {}
    for log in logs:
        rows |= mapping(log.own.get("unshown"))
        for sample in log.samples():
            try:
                rows |= sample.own["items"]
                if sample.own["params"] is None:
                    continue
                first, _ = answers.setdefault(_request_of(sample), (log, _answer_of(sample)))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                log.left_out.add(f"its part of the study is damaged ({error!r})", sample.id)
                continue
            if first is not log and first.task == log.task:
                raise UsageError(
                    f"{log.path.name} answers prompts that {first.path.name} answers too.",
                    hint="The study was evaluated twice: name the files of one evaluation.",
                )
    directory, model = run_directory(out, logs[0].own, rows, logs[0])
    keyed = {request.key(model.identity): answer for request, (_, answer) in answers.items()}
    known = KnownAnswers(
        model.name, model.identity, model.offers, keyed, lambda request, answer: answer
    )
    complete(ask_as(directory, known, model, retry=AS_RECORDED))
    return directory


def _request_of(sample: Sample) -> Request:
    """The request behind a sample of ours."""
    prompt, own = sample.own.get("messages") or sample.prompt, sample.own
    if own["plain"]:
        text = prompt if isinstance(prompt, str) else prompt[-1][1] if prompt else ""
        return Request.from_json({"text": text, "params": own["params"]})
    return Request.from_json({"messages": prompt, "params": own["params"]})


def _answer_of(sample: Sample) -> Response | Failure:
    """What came back, as our own runner would have kept it."""
    if isinstance(sample.came, Failure):
        return Failure("rejected", sample.came.message, retryable=False)
    rest = sample.own.get("response")
    if sample.came is None and not rest:
        return Failure("malformed", "the log holds no reply", retryable=False)
    found = sample.came or Response("")
    params = sample.own["params"]
    scored = params["top_logprobs"] or params["watch"]
    found = replace(
        found,
        text=found.text if params["max_tokens"] else "",
        token_logprobs=found.token_logprobs[:SCORED_TOKENS] if scored else (),
        served_by=None,
    )
    return Response.from_json({**found.as_json(), **rest}) if rest else found
