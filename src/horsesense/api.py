"""horsesense in a few calls, for scripts and notebooks.

audit = ask, read, measure and report in a row;  open = any run, at any stage
load_log = a run from the logs of another program
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from horsesense.errors import UsageError
from horsesense.files import usable
from horsesense.inference.limits import UNLIMITED, Limits, RunSummary
from horsesense.items.given import Given, given_items
from horsesense.items.item import ItemSet
from horsesense.models.base import Model
from horsesense.models.callables import Answering, CallableModel
from horsesense.models.registry import make_model
from horsesense.plugins import split_outside_brackets
from horsesense.rng import fingerprint
from horsesense.runs import run as runs
from horsesense.runs.planner import Plan, measure_plan
from horsesense.runs.prepare import Study, load_shots, load_study_items, prepare, reader_names
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import Settings

if TYPE_CHECKING:
    import polars as pl

    from horsesense.comparison.align import Side
    from horsesense.comparison.compare import Comparison
    from horsesense.cue_tests.groups import Grouping
    from horsesense.cue_tests.result import CueResult

Items = str | Path | ItemSet | Given
"""A file, "sample", "hf:..."; or items, or rows: mappings, or a polars or pandas frame."""
ModelLike = str | Model | Answering
"""A model as on the command line; or an object of the protocol; or a function from prompts to
texts."""
Names = str | Sequence[str]
"""One name, several with commas between, or a sequence of them."""


class Run(runs.Run):
    """A study in a directory of its own; see `horsesense.runs.run.Run` for its stages."""

    def ask(
        self,
        model: ModelLike | None = None,
        *,
        limits: Limits = UNLIMITED,
        max_connections: int | None = None,
        key_env: str | None = None,
        timeout: float | None = None,
    ) -> RunSummary:
        """Ask what has no answer yet; by default the model that the settings name.

        See `horsesense.runs.run.Run.ask`; `model`, `key_env` and `timeout` are those of `audit`.
        """
        spec = self.settings.model if model is None else model
        whom = model_of(spec, key_env=key_env, timeout=timeout)
        return super().ask(whom, limits=limits, max_connections=max_connections)

    def report(self, *, items: int = 200, to: str | Path | None = None) -> Path:
        """Measure what was read, if that is not done yet, and write report.html.

        Args:
            items: how many items it shows with every prompt and answer.
            to: another file to write, such as for a run that cannot be written to.

        Raises StoreError where the run's files cannot be read or written.
        """
        from horsesense.report import write_report
        from horsesense.runs.redact import refuse_redacted

        refuse_redacted(self.directory)
        if "measure" not in self.directory.known.stages:
            self.measure()
        place = None if to is None else usable(to)
        path = write_report(self.results, max_items=items, to=place)
        self.directory.mark("report", "complete")
        return path

    def verdict(self) -> list[str]:
        """The sentences at the top of the report."""
        from horsesense.report import verdict_of

        return verdict_of(self.results)

    def _repr_html_(self) -> str:
        """The verdict and the forest plot, for notebooks; no script, nothing from outside."""
        from html import escape

        from horsesense.report import summary_html

        record = self.directory.record
        if record is None or "measure" not in record.stages:
            return f"<pre>{escape(repr(self))}</pre>"
        return summary_html(self.results)


def open(path: str | Path) -> Run:
    """The run in a directory, finished or not, or in a file that `export --redacted` wrote.

    A run made by 0.1.0 is converted once.

    A log of another program is imported first, into a directory of its own under `imports`; one
    that has been imported there, and is still the same, is not imported again.

    Raises StoreError where there is none, or it cannot be used; for logs as `load_log`.
    """
    from horsesense.logs.registry import is_log

    place = usable(path)
    if (place / "run.toml").exists() or not is_log(place):
        return Run.open(place)
    out = import_out([place])
    return Run.open(out) if (out / "run.toml").exists() else load_log(place, out=out)


def load_log(*logs: str | Path, out: str | Path | None = None, items: Items | None = None) -> Run:
    """Import logs of other programs as a run, read its answers and measure them; asks nothing.

    Args:
        logs: files or folders (see docs/logs.md), of one model.
        out: run directory to make; by default under `imports`. Answers of a batch go on with the
            run that lies there, if its requests were exported from it.
        items: the items that were asked, where the logs do not say which answers are right;
            answers are mapped to them by content.

    Raises:
        UsageError: no log of a known format, several models, nothing of multiple choice in it, or
            `out` is not empty.
        ItemsError: a log is damaged.
        StoreError: the run cannot be written.

    >>> run = load_log("logs/mmlu.eval", out="runs/mmlu")  # doctest: +SKIP
    >>> run.estimate("accuracy", reader="text").value      # doctest: +SKIP
    """
    from horsesense.logs.batch import is_answers
    from horsesense.logs.registry import open_logs
    from horsesense.runs.carried import import_own
    from horsesense.runs.imported import import_logs

    place = import_out(logs) if out is None else usable(out)
    if (place / "run.toml").exists() and all(is_answers(log) for log in logs):
        return _continued(Run.open(place), logs)
    opened = open_logs(logs)
    if any(log.own for log in opened):
        run = Run(import_own(place, opened))
        run.read()
        run.measure()
        return run
    known = None
    if items is not None:
        known = given_items(items, settings := Settings.of(items=_source(items), model="none:"))
        known = known or load_study_items(settings)
    run = Run(import_logs(place, opened, known))
    run.read()
    run.measure()
    return run


def _continued(run: Run, answers: Sequence[str | Path]) -> Run:
    """A planned run with the answers of a batch; what depends on them is planned."""
    from horsesense.integrations.batch import take_answers

    take_answers(run.directory, [Path(file) for file in answers])
    run.read()
    run.measure()
    return run


def import_out(logs: Sequence[str | Path]) -> Path:
    """The directory of an import that names none; another one once a log has changed."""
    found = [Path(log).absolute() for log in logs]
    seen = [(str(log), s.st_size, s.st_mtime_ns) for log in found for s in [log.stat()]]
    name = found[0].name.removesuffix(".jsonl").removesuffix(".json").removesuffix(".eval")
    return Path("imports") / f"{_slug(name)}-{fingerprint(seen)}"


def audit(
    items: Items,
    model: ModelLike,
    *,
    out: str | Path | None = None,
    probes: Names | None = None,
    suite: str | None = None,
    faithful: bool = False,
    sizes: str | None = None,
    bundles: int | None = None,
    disjoint: bool = False,
    map: Mapping[str, str] | None = None,
    split: str | None = None,
    where: Mapping[str, str] | None = None,
    labels: Names | None = None,
    task: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    shots: int = 0,
    shots_from: str | Path | None = None,
    style: Literal["auto", "chat", "completion"] = "auto",
    templates: str | Path | None = None,
    max_tokens: int = 16,
    temperature: float = 0.0,
    top_p: float | None = None,
    readers: Names | None = None,
    draws: int = 1000,
    level: float = 0.95,
    until: str | None = None,
    limits: Limits = UNLIMITED,
    max_connections: int | None = None,
    key_env: str | None = None,
    timeout: float | None = None,
    report_items: int = 200,
) -> Run:
    """Audit a model on a set of items: ask, read, measure and report.

    Args:
        items: a file, "sample" or "hf:..."; an ItemSet; rows as mappings, or a polars or pandas
            frame, with the fields of an items file.
        model: "http:NAME@URL", "hf:NAME", "sim:PROFILE" or "replay:FILE"; a function from a list
            of prompts to as many texts; or an object of the protocol `Model`.
        out: run directory; one that is there is continued. By default "audits/ITEMS-MODEL".
        probes: what is changed ("order, labels"); see `horsesense list probes`.
        suite: a named set of probes; `faithful` chooses its published protocol.
        sizes, bundles, disjoint: of the probes that put several problems into a prompt.
        map: our field name -> the file's.
        split, where, limit: which rows are taken; `limit` draws a sample by `seed`.
        labels: the label set of a classification task.
        task: words for what is classified.
        seed: of every random choice.
        shots, shots_from: few-shot examples before each question, and their file.
        style: whether prompts are chat messages or plain text; "auto" takes what the model offers.
        templates: folder with prompt templates of your own.
        max_tokens: longest reply; 0 for scores alone.
        temperature, top_p: decoding; temperature 0 is greedy.
        readers: how replies are read; see `horsesense list readers`.
        draws: without effect, intervals need no resamples any more.
        level: the confidence level of intervals (0.5 to 1).
        until: "decided" asks the items in random order and stops each probe once its change of
            accuracy is found or ruled out to be 5 points or more ("decided=0.03": 3 points);
            "precision=0.03" once it is known to within 3 points. By default all are asked.
        limits: what the run directory may spend, over all sessions.
        max_connections: requests under way together.
        key_env: environment variable with the key for the server of `model`.
        timeout: seconds for one call to it; 300 by default.
        report_items: items shown in the report.

    Raises:
        UsageError, ItemsError: before anything is asked.
        ModelError, StoreError: the model or the run directory cannot be used.
        InterruptedRunError: stopped by the user; the same call continues.

    >>> run = audit("sample", "sim:position?k=1", out="run", probes="order")  # doctest: +SKIP
    >>> run.estimate("position_locked", "order", reader="text", group="B").value
    ... # doctest: +SKIP
    1.0
    """
    chosen, found, answering = _study(
        items, model, {"key_env": key_env, "timeout": timeout},
        probes=probes, suite=suite, faithful=faithful, sizes=sizes, bundles=bundles,
        disjoint=disjoint, map=map, split=split, where=where, labels=labels, task=task,
        limit=limit, seed=seed, shots=shots, shots_from=shots_from, style=style,
        templates=templates, max_tokens=max_tokens, temperature=temperature, top_p=top_p,
        readers=readers, draws=draws, level=level, until=until,
    )  # fmt: skip
    run = Run.start(default_out(chosen) if out is None else out, chosen, found)
    run.ask(answering, limits=limits, max_connections=max_connections)
    run.read(limits=limits)
    run.measure()
    run.report(items=report_items)
    return run


def plan(
    items: Items,
    model: ModelLike,
    *,
    probes: Names | None = None,
    suite: str | None = None,
    faithful: bool = False,
    sizes: str | None = None,
    bundles: int | None = None,
    disjoint: bool = False,
    map: Mapping[str, str] | None = None,
    split: str | None = None,
    where: Mapping[str, str] | None = None,
    labels: Names | None = None,
    task: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    shots: int = 0,
    shots_from: str | Path | None = None,
    style: Literal["auto", "chat", "completion"] = "auto",
    templates: str | Path | None = None,
    max_tokens: int = 16,
    key_env: str | None = None,
    timeout: float | None = None,
) -> Plan:
    """What `audit` would ask: trials, different requests, tokens. Spends nothing.

    The arguments are those of `audit`. (A server is asked one or two tiny probing questions to
    find out what it offers.)
    """
    chosen, found, answering = _study(
        items, model, {"key_env": key_env, "timeout": timeout},
        probes=probes, suite=suite, faithful=faithful, sizes=sizes, bundles=bundles,
        disjoint=disjoint, map=map, split=split, where=where, labels=labels, task=task,
        limit=limit, seed=seed, shots=shots, shots_from=shots_from, style=style,
        templates=templates, max_tokens=max_tokens,
    )  # fmt: skip
    counted, _ = plan_study(chosen, answering, found)
    return counted


def plan_study(
    settings: Settings, model: Model, items: ItemSet | None = None
) -> tuple[Plan, Study]:
    """What a study would ask, and the study itself."""
    return runs.complete(_plan(settings, model, items))


async def _plan(settings: Settings, model: Model, items: ItemSet | None) -> tuple[Plan, Study]:
    found = load_study_items(settings) if items is None else items
    async with model as entered:
        described = ModelRecord.of(entered, await entered.capabilities())
        names = reader_names(settings, found, described)
        study = prepare(settings, found, load_shots(settings, found), described, names)
        context = study.capabilities.context_length
        return measure_plan(study.planner, entered.count_tokens, context), study


def read(responses: str | Path, *, multiple: bool = False, reader: str = "text") -> pl.DataFrame:
    """Which option each recorded response chooses: one row per response, in order.

    Args:
        responses: JSONL (plain, .gz or .zst) with `options` and `response`, and where present
            `id`, `labels`, `finish_reason`.
        multiple: whether a response may choose several options.
        reader: "text"; `horsesense read` knows readers that are models as well.

    Returns columns id, status, positions (from 0), letters (labels as shown), rule, span,
    confidence (0 to 1).

    Raises UsageError for a missing file or an unknown reader, ItemsError for faulty rows.
    """
    import polars as pl

    from horsesense.readers.recorded import read_file

    if reader != "text":
        raise UsageError.unknown("reader of recorded responses", reader, ["text"])
    found = [row.as_json() for row in read_file(usable(responses), multiple=multiple)]
    kinds: dict[str, Any] = {
        "id": pl.String, "status": pl.String, "positions": pl.List(pl.Int64),
        "letters": pl.List(pl.String), "rule": pl.String, "span": pl.List(pl.Int64),
        "confidence": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame([{name: row[name] for name in kinds} for row in found], schema=kinds)


def cues(
    items: Items,
    *,
    map: Mapping[str, str] | None = None,
    split: str | None = None,
    where: Mapping[str, str] | None = None,
    limit: int | None = None,
    faithful: bool = False,
    grouping: Grouping = "found",
    folds: int = 5,
    repeats: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
) -> CueResult:
    """Can the benchmark be answered without understanding it? No model is asked.

    Args:
        items, map, split, where, limit: as for `audit`.
        faithful: the published method, flaws included.
        grouping: how related items are kept together; "none" divides them as if all were alone.
        folds, repeats: of the cross-validation.
        jobs: processes; one per core by default.
    """
    from horsesense.cue_tests.api import find_cues

    settings = Settings.of(**_named(items=_source(items), model="none:", map=map, split=split,
                                    where=where, limit=limit, seed=seed))  # fmt: skip
    found = given_items(items, settings) or load_study_items(settings)
    return find_cues(
        found, faithful=faithful, grouping=grouping, folds=folds, repeats=repeats, seed=seed,
        jobs=jobs,
    )  # fmt: skip


def compare(
    runs: Sequence[Run | str | Path] | Mapping[str, Run | str | Path],
    *,
    measure: str = "accuracy",
    reader: str | None = None,
    across: bool = False,
    level: float = 0.95,
) -> Comparison:
    """Compare the models of several runs on the items that all of them hold.

    Args:
        runs: runs or their directories; a mapping gives the models other names than their own.
            Several runs of one model are other prompts for it.
        measure: accuracy, accuracy_valid, accuracy_hard or valid_rate.
        reader: by default the one that all runs have and most rest on.
        across: compare runs whose prompts differ; the difference is said.
        level: of the intervals, and one minus the chance of any wrong "better".

    Raises:
        UsageError: they have no two models, no item, no reader or no prompt in common.
        StoreError: a run cannot be read, or was not measured.
    """
    from horsesense.comparison.compare import compare as compare_sides

    named = list(runs.items()) if isinstance(runs, Mapping) else [(None, run) for run in runs]
    found = sides(named)
    return compare_sides(found, measure=measure, reader=reader, across=across, level=level)


def sides(named: Iterable[tuple[str | None, Run | str | Path]]) -> list[Side]:
    """Runs ready to be compared, each with a name for its model, or None for its own.

    Models that have the same name and are not the same are told apart by their directories.
    """
    from horsesense.comparison.align import Side

    given = [
        (name, str(run.path), run) if isinstance(run, Run) else (name, str(run), open(run))
        for name, run in named
    ]
    known = [run.directory.known.model for _, _, run in given]
    found = []
    for (name, place, run), model in zip(given, known, strict=True):
        alike = any(m.name == model.name and m.identity != model.identity for m in known)
        own = f"{model.name} ({run.path.name})" if alike else model.name
        found.append(Side(name or own, place, run.results))
    return found


def default_out(settings: Settings) -> Path:
    """The run directory of a study that names none."""
    items = Path(settings.items.split(":")[-1]).name.split(".")[0] or "items"
    return Path("audits") / f"{_slug(items)}-{_slug(settings.model)}"


def _slug(text: str) -> str:
    """A file name made of letters, digits, dots and dashes."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")[:60] or "x"


def _study(
    items: Items, model: ModelLike, server: Mapping[str, Any], **values: Any
) -> tuple[Settings, ItemSet | None, Model]:
    """Settings, the items where they come from no file, and the model."""
    answering = model_of(model, **server)
    spec = model if isinstance(model, str) else answering.name
    named = _named(items=_source(items), model=spec, **values)
    settings = Settings.of(**named)
    return settings, given_items(items, settings), answering


def _named(**values: Any) -> dict[str, Any]:
    """The values that were given; lists of names are taken apart, paths become texts."""
    named = {name: value for name, value in values.items() if value is not None}
    for name in ("probes", "readers", "labels"):
        if isinstance(named.get(name), str):
            named[name] = split_outside_brackets(named[name])
    return {k: str(v) if isinstance(v, Path) else v for k, v in named.items()}


def _source(items: Items) -> str:
    if isinstance(items, str | Path):
        return str(items)
    return items.source or items.name if isinstance(items, ItemSet) else "(given)"


def model_of(model: ModelLike, **server: Any) -> Model:
    """The model that is meant; UsageError for what is none.

    `server` holds the options of a model behind a server, where it is named by a text.
    """
    if isinstance(model, str):
        return make_model(model, **server)
    if any(value is not None for value in server.values()):
        raise UsageError(f"{' and '.join(server)} belong to a model that is named by a text.")
    if hasattr(model, "respond") and hasattr(model, "identity"):
        found: Model = model  # type: ignore[assignment]
        return found
    if callable(model):
        return CallableModel(model)
    raise UsageError(
        f"{type(model).__name__} is not a model.",
        hint="Give a text such as 'sim:oracle', a function from prompts to texts, or an object"
        " with the methods of horsesense.Model.",
    )
