"""A study made ready: probes, prompts and readers settled, from settings and what a model offers.

Nothing here asks a model: a run whose server is gone is made ready again from its own files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from horsesense.errors import UsageError
from horsesense.items.item import ItemSet
from horsesense.items.load import load_items
from horsesense.items.tasks import task_for
from horsesense.models.base import Capabilities
from horsesense.probes.base import Probe, Setting
from horsesense.probes.registry import parse_probes
from horsesense.prompts import Prompter, Shots, Want
from horsesense.readers.base import Reader
from horsesense.readers.registry import make_reader
from horsesense.runs.planner import Planner
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import Settings


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
        """The readers that the settings name, made anew: a fitted one has seen nothing yet."""
        return tuple(map(make_reader, self.settings.readers))


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


def load_shots(settings: Settings, items: ItemSet) -> ItemSet | None:
    """The few-shot examples; UsageError where they are wanted and no file is named."""
    if settings.shots_from is None:
        if settings.shots == 0:
            return None
        raise UsageError(
            f"{settings.shots} few-shot examples are wanted, but no file is named.",
            hint="Give --shots-from FILE.",
        )
    return load_items(settings.shots_from, map=settings.map, labels=items.labels or None)


def prepare(settings: Settings, items: ItemSet, shots: ItemSet | None, model: ModelRecord) -> Study:
    """Settle everything that must be known before the first request.

    Raises UsageError for an unknown probe, reader, template or task.
    """
    offers = model.offers
    style = settings.style
    if style == "auto":
        style = "chat" if offers.chat else "completion"
    want = Want(
        max_tokens=settings.max_tokens if offers.text else 0,
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_logprobs=min(20, offers.top_logprobs),
        label_tokens=offers.label_tokens,
    )
    prompter = Prompter(
        style,
        want,
        None if shots is None else Shots(shots, settings.shots),
        Path(settings.templates) if settings.templates else None,
        task_for(items, settings.task),
    )
    probes = parse_probes(settings.probes)
    planner = Planner(items, probes, Setting(items, settings.seed), prompter, model.identity)
    study = Study(settings, items, shots, model, probes, planner)
    study.readers()  # an unknown reader is an error before anything is asked
    return study
