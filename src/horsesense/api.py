"""horsesense in a few calls, for scripts and notebooks.

audit = ask, read, measure and report in a row;  open = any run, at any stage
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from horsesense.errors import UsageError
from horsesense.files import usable
from horsesense.inference.limits import UNLIMITED, Limits, RunSummary
from horsesense.items.given import Given, given_items, load_selected
from horsesense.items.item import ItemSet
from horsesense.models.base import Model
from horsesense.models.callables import Answering, CallableModel
from horsesense.models.registry import make_model
from horsesense.plugins import split_outside_brackets
from horsesense.runs import run as runs
from horsesense.runs.planner import Plan, measure_plan
from horsesense.runs.prepare import Study, load_shots, load_study_items, prepare, reader_names
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import Settings
from horsesense.runs.studies import slug

if TYPE_CHECKING:
    import polars as pl

    from horsesense.checks.check import CheckResult
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
    ) -> RunSummary:
        """Ask what has no answer yet; by default the model that the settings name.

        See `horsesense.runs.run.Run.ask`; `model` may be all that `audit` takes.
        """
        whom = model_of(self.settings.model if model is None else model)
        return super().ask(whom, limits=limits, max_connections=max_connections)

    def report(self, *, items: int = 200) -> Path:
        """Measure what was read, if that is not done yet, and write report.html.

        Args:
            items: how many items it shows with every prompt and answer.

        Raises StoreError where the run's files cannot be read or written.
        """
        from horsesense.report import write_report

        if "measure" not in self.directory.known.stages:
            self.measure()
        path = write_report(self.results, max_items=items)
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
    """The run in a directory, finished or not; one made by 0.1.0 is converted once.

    Raises StoreError where there is none, or it cannot be used.
    """
    return Run.open(path)


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
        limits: what may be spent.
        max_connections: requests under way together.
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
        items, model, probes=probes, suite=suite, faithful=faithful, sizes=sizes, bundles=bundles,
        disjoint=disjoint, map=map, split=split, where=where, labels=labels, task=task,
        limit=limit, seed=seed, shots=shots, shots_from=shots_from, style=style,
        templates=templates, max_tokens=max_tokens, temperature=temperature, top_p=top_p,
        readers=readers, draws=draws, level=level, until=until,
    )  # fmt: skip
    run = Run.start(default_out(chosen) if out is None else out, chosen, found)
    spent = run.ask(answering, limits=limits, max_connections=max_connections)
    run.read(limits=limits.after(spent))
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
) -> Plan:
    """What `audit` would ask: trials, different requests, tokens. Spends nothing.

    The arguments are those of `audit`. (A server is asked one or two tiny probing questions to
    find out what it offers.)
    """
    chosen, found, answering = _study(
        items, model, probes=probes, suite=suite, faithful=faithful, sizes=sizes, bundles=bundles,
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


def check(
    items: Items,
    *,
    map: Mapping[str, str] | None = None,
    split: str | None = "*",
    where: Mapping[str, str] | None = None,
    limit: int | None = None,
    rules: Names | None = None,
    seed: int = 0,
) -> CheckResult:
    """Flaws of the items themselves: cues, repeats, broken texts. No model is asked.

    Args:
        items, map, where, limit, seed: as for `audit`.
        split: the splits to look at; "*" is all, and finds what they share.
        rules: names of the rules to apply; all by default.

    Raises UsageError, ItemsError as `audit` does, or where there is no such rule.

    >>> found = check("sample")
    >>> found.finding("equal_options") is None
    True
    """
    from horsesense.checks.check import check_items

    settings = Settings.of(**_named(items=_source(items), model="none:", map=map, split=split,
                                    where=where, limit=limit, seed=seed))  # fmt: skip
    found = given_items(items, settings) or load_selected(settings.items, settings)
    names = split_outside_brackets(rules) if isinstance(rules, str) else rules
    return check_items(found, names)


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


def default_out(settings: Settings) -> Path:
    """The run directory of a study that names none."""
    items = Path(settings.items.split(":")[-1]).name.split(".")[0] or "items"
    return Path("audits") / f"{slug(items)}-{slug(settings.model)}"


def _study(items: Items, model: ModelLike, **values: Any) -> tuple[Settings, ItemSet | None, Model]:
    """Settings, the items where they come from no file, and the model."""
    answering = model_of(model)
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


def model_of(model: ModelLike) -> Model:
    """The model that is meant; UsageError for what is none."""
    if isinstance(model, str):
        return make_model(model)
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
