"""The one place that wires: a study from items to report, stage by stage.

    items -> trials -> requests -> responses -> readings -> estimates -> report

`conduct` reads like that list. Everything after the responses can be run again without asking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from horsesense import __version__
from horsesense.backends import Asked, Backend, Capabilities, NeedsAnswerKey, make_backend
from horsesense.datasets import load_items
from horsesense.errors import InterruptedRunError, UsageError
from horsesense.estimates import Context, estimate_all
from horsesense.ids import fingerprint
from horsesense.items import ItemSet
from horsesense.measures import MEASURES, Estimate
from horsesense.parquet import ParquetWriter
from horsesense.planning import Plan, Planner, exceeds, item_index, measure_plan
from horsesense.probes import Probe, SetProbe, Setting, parse_probes
from horsesense.progress import progress
from horsesense.prompts import Prompter, Shots, Want
from horsesense.readers import READERS, Reader
from horsesense.runner import Limits, RunSummary, run
from horsesense.settings import Settings
from horsesense.store import Store
from horsesense.table import (
    READINGS,
    TRIALS,
    cells,
    load_evidence,
    read_trials,
    reading_row,
    trial_rows,
)
from horsesense.tasks import task_for

LOOKAHEAD = 2000
"""Items whose trials are counted to say how many requests there will be, about."""


@dataclass(frozen=True)
class Result:
    """A finished study: what it found and where it lies.

    Attributes:
        out: the run directory.
        settings, items: what was asked.
        run: what asking took.
        findings: the content of estimates.json.
    """

    out: Path
    settings: Settings
    items: ItemSet
    run: RunSummary
    estimates: list[Estimate]
    findings: dict[str, Any]

    def estimate(self, measure: str, probe: str = "original", **where: str) -> Estimate:
        """The one estimate of a measure under a probe; UsageError if there is none, or several.

        `where` selects by condition, reader or group.
        """
        found = [
            e
            for e in self.estimates
            if e.measure == measure
            and e.probe == probe
            and all(getattr(e, name) == value for name, value in where.items())
        ]
        if len(found) != 1:
            raise UsageError(f"{len(found)} estimates of {measure} under {probe} with {where}.")
        return found[0]


@dataclass(frozen=True)
class Prepared:
    """A study that is ready to be asked."""

    settings: Settings
    items: ItemSet
    probes: tuple[Probe, ...]
    readers: tuple[Reader, ...]
    backend: Backend
    capabilities: Capabilities
    planner: Planner


def load_study_items(settings: Settings) -> ItemSet:
    """The items of a study; ItemsError lists every fault of the file."""
    return load_items(
        settings.items,
        map=settings.map,
        split=settings.split,
        where=settings.where,
        labels=settings.labels,
        limit=settings.limit,
        shots_from=settings.shots_from,
        seed=settings.seed,
    )


async def prepare(settings: Settings, backend: Backend, items: ItemSet) -> Prepared:
    """Settle everything that must be known before the first request."""
    capabilities = await backend.capabilities()
    check = getattr(backend, "check", None)
    if check is not None:
        check(items)
    style = settings.style
    if style == "auto":
        style = "chat" if capabilities.chat else "completion"
    want = Want(
        max_tokens=settings.max_tokens if capabilities.text else 0,
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_logprobs=min(20, capabilities.top_logprobs),
        watch=capabilities.watch,
    )
    prompter = Prompter(
        style,
        want,
        _shots(settings, items),
        Path(settings.templates) if settings.templates else None,
        task_for(items, settings.task),
    )
    probes = parse_probes(settings.probes)
    setting = Setting(items, settings.seed)
    planner = Planner(items, probes, setting, prompter, backend.identity)
    readers = tuple(READERS.get(name)() for name in settings.readers)
    return Prepared(settings, items, probes, readers, backend, capabilities, planner)


def _shots(settings: Settings, items: ItemSet) -> Shots | None:
    if settings.shots_from is None:
        if settings.shots == 0:
            return None
        raise UsageError(
            f"{settings.shots} few-shot examples of which file?", hint="Give --shots-from FILE."
        )
    pool = load_items(settings.shots_from, map=settings.map, labels=items.labels or None)
    return Shots(pool, settings.shots)


async def plan(settings: Settings, **options: Any) -> tuple[Plan, Prepared]:
    """What a study would ask, without asking (but for a probing request to a server)."""
    items = load_study_items(settings)
    async with make_backend(settings.model, **options) as backend:
        study = await prepare(settings, backend, items)
        counted = measure_plan(
            study.planner,
            backend.count_tokens,
            study.capabilities.context_length,
        )
    return counted, study


async def conduct(
    settings: Settings,
    out: Path,
    *,
    limits: Limits | None = None,
    max_connections: int | None = None,
    **options: Any,
) -> Result:
    """Run a study, or go on with one: every stage in order.

    Raises UsageError and ItemsError before anything is spent; InterruptedRunError after Ctrl-C,
    when what was answered is stored and the same call goes on.
    """
    items = load_study_items(settings)
    with Store.open(out / "store.sqlite") as store:
        _remember(settings, out)
        respondent = make_backend(settings.model, **options)
        if max_connections is not None:
            respondent.max_connections = max_connections
        async with respondent as backend:
            study = await prepare(settings, backend, items)
            summary = await _ask_and_read(study, store, out, limits or Limits())
        failures = store.failures()
    found = estimate(study, out)
    findings = _findings(study, summary, found, len(failures))
    (out / "estimates.json").write_bytes(orjson.dumps(findings, option=orjson.OPT_INDENT_2))
    return Result(out, settings, items, summary, found, findings)


async def _ask_and_read(study: Prepared, store: Store, out: Path, limits: Limits) -> RunSummary:
    """Ask the trials stage by stage; a later stage sees what the earlier ones brought."""
    total = RunSummary()
    index = item_index(study.items)
    with (
        ParquetWriter(out / "trials.parquet", TRIALS) as trials,
        ParquetWriter(out / "readings.parquet", READINGS) as readings,
    ):
        for stage, probes in stages(study.probes):
            before = study.planner.count
            if stage > 1:
                evidence = load_evidence(trials.parts, readings.parts, study.settings.readers)
                study.planner.setting = replace(study.planner.setting, evidence=evidence)
            asks = _asks(study, stage, probes, trials, index)
            with progress("asking", _expected(study.planner, probes)) as shown:
                left = limits.after(total)
                total += await run(asks, study.backend, store, limits=left, progress=shown)
            if total.stopped == "interrupted":
                raise InterruptedRunError(
                    f"Stopped after {total.answered:,} answers; all of them are stored.",
                    hint=f"The same command with --out {out} goes on from here.",
                )
            for _ in asks:  # trials beyond the budget are still planned, and counted as missing
                pass
            trials.flush()
            _read(study, store, trials, readings, before)
            if total.stopped is not None:
                break  # a later stage would take what is missing for evidence
    return total


def stages(probes: Sequence[Probe]) -> Iterator[tuple[int, list[Probe]]]:
    """Probes by stage; those of stage 2 depend on answers to those of stage 1."""
    by_stage = sorted(probes, key=lambda probe: probe.stage)
    for stage, group in groupby(by_stage, key=lambda probe: probe.stage):
        yield stage, list(group)


def _asks(
    study: Prepared,
    stage: int,
    probes: Sequence[Probe],
    trials: ParquetWriter,
    index: Mapping[str, int],
) -> Iterator[Asked]:
    """Requests as they are drawn by the runner, each trial written down on the way."""
    backend = study.backend
    informed = backend if isinstance(backend, NeedsAnswerKey) else None
    for planned in study.planner.plan(probes):
        for row in trial_rows(planned.number, stage, planned.trial, planned.key, index):
            trials.add(row)
        if exceeds(planned.request, backend.count_tokens, study.capabilities.context_length):
            study.planner.too_long[planned.trial.probe, planned.trial.condition] += 1
            continue
        if informed is None or informed.tell(planned.key, planned.trial):
            yield Asked(planned.key, planned.request)


def _expected(planner: Planner, probes: Sequence[Probe]) -> int:
    """Number of trials: counted for small sets, from the first items for large ones."""
    few = replace(planner, items=_first(planner.items, LOOKAHEAD))
    singles = [probe for probe in probes if not isinstance(probe, SetProbe)]
    together = [probe for probe in probes if isinstance(probe, SetProbe)]
    counted = sum(1 for _ in few.trials(singles))
    counted = counted * len(planner.items) // max(len(few.items), 1)
    return counted + sum(1 for _ in planner.trials(together))


def _first(items: ItemSet, n: int) -> ItemSet:
    return replace(items, items=tuple(islice(items, n)))


def _read(
    study: Prepared, store: Store, trials: ParquetWriter, readings: ParquetWriter, first: int
) -> None:
    """Every reader on every response to the trials numbered `first` and up."""
    with progress("reading", study.planner.count - first) as tick:
        for rows in read_trials(trials.parts, first):
            responses = store.get([row.key for row in rows])
            for row in rows:
                response = responses.get(row.key)
                if response is None:
                    continue
                for reader in study.readers:
                    for place, reading in enumerate(reader.read(row.trial, response)):
                        readings.add(
                            reading_row(row.number, place, reader.name, reading, row.trial)
                        )
            tick(len(rows))
    readings.flush()


def estimate(study: Prepared, out: Path) -> list[Estimate]:
    """All measures from the two tables of a run directory."""
    settings = study.settings
    readers = [reader.name for reader in study.readers]
    found = cells(out / "trials.parquet", out / "readings.parquet", readers)
    context = Context(
        dataset=study.items.name,
        model=study.backend.name,
        cluster=_clusters(study.items),
        signature=_signer(study),
        # A repeat is the noise floor, and "chance" is compared with guessing: neither is tested.
        tested=frozenset(
            p.name
            for p in study.probes
            if p.holds in ("same_answer", "same_accuracy", "none") and p.name != "repeat"
        ),
        draws=settings.draws,
        level=settings.level,
        seed=settings.seed,
    )
    return estimate_all(found, MEASURES, context)


def _clusters(items: ItemSet) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Cluster number of each item; an item without a cluster is one of its own."""
    names = [("c", i.cluster) if i.cluster is not None else ("i", i.id) for i in items]
    numbers = {name: n for n, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.intp)


def _signer(study: Prepared) -> Callable[[str, str, str, str], str]:
    """Signatures from which a number can be made again (the idea is sacreBLEU's)."""
    settings, made = study.settings, study.planner.made
    versions = {reader.name: reader.version for reader in study.readers}
    model = f"{study.backend.name}@{fingerprint(study.backend.identity)}"
    data = f"{study.items.name}@{study.items.fingerprint}"

    def sign(probe: str, condition: str, reader: str, measure: str) -> str:
        found = made.get((probe, condition))
        if found is None:  # a measure of several cells together
            found = next(value for (name, _), value in made.items() if name == probe)
        probe_signature, form = found
        parts = {
            "data": data,
            "items": len(study.items),
            "model": model,
            "probe": probe_signature + (f"[{condition}]" if condition else ""),
            "prompt": study.planner.prompter.signature(form),
            "decoding": f"max_tokens={settings.max_tokens},temperature={settings.temperature:g}",
            "reader": f"{reader}@{versions[reader]}",
            "measure": measure,
            "interval": f"{settings.level:g}x{settings.draws}",
            "seed": settings.seed,
            "horsesense": __version__,
        }
        return "|".join(f"{name}:{value}" for name, value in parts.items())

    return sign


def _remember(settings: Settings, out: Path) -> None:
    """Write study.toml; refuse a run directory that holds another study's answers."""
    path = out / "study.toml"
    if path.exists():
        before = Settings.load(path)
        for name in ("items", "model"):
            old, new = getattr(before, name), getattr(settings, name)
            if old != new:
                raise UsageError(
                    f"{out} holds a study of other {name}: {old!r}, not {new!r}.",
                    hint="Choose another --out directory.",
                )
    settings.save(path)


def _findings(
    study: Prepared, run: RunSummary, estimates: Sequence[Estimate], failures: int
) -> dict[str, Any]:
    """The content of estimates.json."""
    items = study.items
    return {
        "horsesense": __version__,
        "study": study.settings.model_dump(mode="json", exclude_none=True),
        "dataset": {
            "name": items.name,
            "kind": items.kind,
            "fingerprint": items.fingerprint,
            "items": len(items),
            "with_gold": sum(item.gold is not None for item in items),
            "clusters": int(_clusters(items).max(initial=-1)) + 1,
            "flags": {flag: len(ids) for flag, ids in items.flags.items()},
            "notes": items.notes,
        },
        "model": {
            "name": study.backend.name,
            "identity": study.backend.identity,
            "notes": study.capabilities.notes,
        },
        "probes": [
            {
                "name": probe.name,
                "title": probe.title,
                "signature": probe.signature,
                "summary": probe.summary,
                "expectation": probe.expectation,
                "holds": probe.holds,
            }
            for probe in study.probes
        ],
        "trials": study.planner.count,
        "failures": failures,
        "run": asdict(run),
        "exclusions": study.planner.excluded.as_json(),
        "too_long": study.planner.too_long_json(),
        "estimates": [e.as_json() for e in estimates],
    }
