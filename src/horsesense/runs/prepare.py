"""A study made ready: probes, prompts and readers settled, from settings and what a model offers.

Nothing here asks a model: a run whose server is gone is made ready again from its own files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horsesense.errors import UsageError
from horsesense.items.item import ItemSet
from horsesense.items.load import load_items
from horsesense.items.tasks import task_for
from horsesense.models.base import Capabilities
from horsesense.probes.base import Probe, Setting
from horsesense.probes.registry import parse_probes
from horsesense.progress import progress
from horsesense.prompts import Prompter, Shots, Want
from horsesense.readers.base import OptionScorer, Reader
from horsesense.readers.logprobs.option_text import NAME as OPTION_TEXT
from horsesense.readers.model_based.make import is_model_reader
from horsesense.readers.registry import make_reader, named_here, reads_scores
from horsesense.runs.planner import Planner
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import AUTO_READERS, DEFAULT_READERS, Settings
from horsesense.runs.shard import Shard
from horsesense.stats.words import plural


@dataclass(frozen=True)
class Study:
    """A study that is ready to be asked, or to be read again.

    Attributes:
        settings, items, shots: what is asked, about what, and the few-shot examples.
        model: whom.
        probes: in the order in which they are asked.
        planner: makes the trials and their requests.
    """

    settings: Settings
    items: ItemSet
    shots: ItemSet | None
    model: ModelRecord
    probes: tuple[Probe, ...]
    planner: Planner

    @property
    def capabilities(self) -> Capabilities:
        return self.model.offers

    def readers(self) -> tuple[Reader, ...]:
        """The readers of the study, made anew: a fitted one has seen nothing yet."""
        return tuple(
            map(make_reader, named_here(reader_names(self.settings, self.items, self.model)))
        )


def load_study_items(
    settings: Settings, rows: Sequence[Mapping[str, Any]] | None = None
) -> ItemSet:
    """The items of a study, of its file or of rows in its place; ItemsError lists every fault."""
    with progress("loading items"):
        return load_items(
            settings.items if rows is None else rows,
            map=settings.map,
            split=settings.split,
            where=settings.where,
            labels=settings.labels,
            limit=settings.limit,
            shots_from=settings.shots_from,
            seed=settings.seed,
        )


def load_shots(settings: Settings, items: ItemSet) -> ItemSet | None:
    """The few-shot examples; UsageError where they are wanted and no file is named."""
    if settings.shots_from is None:
        if settings.shots == 0:
            return None
        raise UsageError(
            f"{plural(settings.shots, 'few-shot example', 'are')} wanted, but no file is named.",
            hint="Give --shots-from FILE.",
        )
    return load_items(
        settings.shots_from, map=settings.map, labels=settings.labels or items.labels or None
    )


def reader_names(settings: Settings, items: ItemSet, model: ModelRecord) -> tuple[str, ...]:
    """The readers that the settings name, or "auto": those of replies, and of scored option texts.

    Texts are scored by default where items have options of their own, which the prompt shows
    anyway, and the model sees the request alone: a simulation would only repeat itself
    (docs/decisions/0011). Where scores alone are asked for, no reply is read.
    """
    if settings.readers != AUTO_READERS:
        return with_first_steps(settings.readers)
    offers = model.offers
    scores = offers.continuations and items.kind == "choice" and not model.informed
    alone = bool(offers.top_logprobs or offers.label_tokens) and not settings.max_tokens
    named = tuple(name for name in DEFAULT_READERS if reads_scores(name) or not alone)
    return (*named, OPTION_TEXT) if scores else named


def with_first_steps(names: Sequence[str]) -> tuple[str, ...]:
    """Readers with the text reader before a cascade: the report compares its steps."""
    alone = any(name.startswith("cascade:") for name in names) and "text" not in names
    return ("text", *names) if alone else tuple(names)


def _reader(name: str) -> Reader | None:
    """A reader; None where its plug-in is gone, since a run must outlive that too."""
    try:
        return make_reader(name)
    except UsageError:
        return None


def prepare(
    settings: Settings,
    items: ItemSet,
    shots: ItemSet | None,
    model: ModelRecord,
    asked_for: Iterable[str],
) -> Study:
    """Settle everything that must be known before the first request.

    Args:
        asked_for: readers whose needs the requests are written for. Those that a run has had
            stay among them, so that the answers that are there stay the answers to what is asked.

    Raises UsageError for an unknown probe, reader, template or task.
    """
    style = settings.style
    if style == "auto":
        style = "chat" if model.offers.chat else "completion"
    prompter = Prompter(
        style,
        want_of(settings, model.offers, asked_for),
        None if shots is None else Shots(shots, settings.shots),
        Path(settings.templates) if settings.templates else None,
        task_for(items, settings.task),
    )
    probes = parse_probes(settings.probes)
    own = None if settings.shard is None else Shard.parse(settings.shard).ids(items)
    goes_on = model.offers.continues or style == "completion"
    setting = Setting(items, settings.seed, continues=goes_on)
    planner = Planner(items, probes, setting, prompter, model.identity, own=own)
    return Study(settings, items, shots, model, probes, planner)


def want_of(settings: Settings, offers: Capabilities, readers: Iterable[str]) -> Want:
    """What every request asks for, for the needs of these readers; models need nothing of it."""
    made = (_reader(name) for name in readers if not is_model_reader(name))
    scorers = [reader for reader in made if isinstance(reader, OptionScorer)]
    return Want(
        max_tokens=settings.max_tokens if offers.text else 0,
        temperature=settings.temperature,
        top_p=settings.top_p,
        effort=settings.effort,
        thinking_tokens=settings.thinking_tokens,
        top_logprobs=min(20, offers.top_logprobs),
        label_tokens=offers.label_tokens,
        continuations=offers.continuations and bool(scorers),
        unconditional=any(reader.unconditional for reader in scorers),
    )
