"""A study made ready: items read, model asked what it offers, probes and prompts settled."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from horsesense.errors import UsageError
from horsesense.items.item import ItemSet
from horsesense.items.load import load_items
from horsesense.items.tasks import task_for
from horsesense.models.base import Capabilities, Model, NeedsAnswerKey
from horsesense.probes.base import Probe, Setting
from horsesense.probes.registry import parse_probes
from horsesense.prompts import Prompter, Shots, Want
from horsesense.readers.base import OptionScorer, Reader
from horsesense.readers.logprobs.option_text import OptionTextReader
from horsesense.readers.registry import make_reader
from horsesense.runs.planner import Planner
from horsesense.runs.settings import AUTO_READERS, DEFAULT_READERS, Settings


@dataclass(frozen=True)
class Prepared:
    """A study that is ready to be asked."""

    settings: Settings
    items: ItemSet
    probes: tuple[Probe, ...]
    readers: tuple[Reader, ...]
    backend: Model
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


async def prepare(settings: Settings, backend: Model, items: ItemSet) -> Prepared:
    """Settle everything that must be known before the first request."""
    capabilities = await backend.capabilities()
    check = getattr(backend, "check", None)
    if check is not None:
        check(items)
    style = settings.style
    if style == "auto":
        style = "chat" if capabilities.chat else "completion"
    readers = study_readers(settings, capabilities, items, backend)
    scorers = [reader for reader in readers if isinstance(reader, OptionScorer)]
    want = Want(
        max_tokens=settings.max_tokens if capabilities.text else 0,
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_logprobs=min(20, capabilities.top_logprobs),
        label_tokens=capabilities.label_tokens,
        continuations=capabilities.continuations and bool(scorers),
        unconditional=any(reader.unconditional for reader in scorers),
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
    return Prepared(settings, items, probes, readers, backend, capabilities, planner)


def study_readers(
    settings: Settings, capabilities: Capabilities, items: ItemSet, backend: Model
) -> tuple[Reader, ...]:
    """The readers that the settings name, or "auto": those of replies, and of scored option texts.

    Texts are scored by default where items have options of their own, which the prompt shows
    anyway, and the model sees the request alone: a simulation would only repeat itself
    (docs/decisions/0011).
    """
    if settings.readers != AUTO_READERS:
        return tuple(map(make_reader, settings.readers))
    readers = tuple(map(make_reader, DEFAULT_READERS))
    told = isinstance(backend, NeedsAnswerKey)
    if capabilities.continuations and items.kind == "choice" and not told:
        readers += (OptionTextReader(),)
    return readers


def _shots(settings: Settings, items: ItemSet) -> Shots | None:
    if settings.shots_from is None:
        if settings.shots == 0:
            return None
        raise UsageError(
            f"{settings.shots} few-shot examples of which file?", hint="Give --shots-from FILE."
        )
    pool = load_items(settings.shots_from, map=settings.map, labels=items.labels or None)
    return Shots(pool, settings.shots)
