"""The measures, by name. A new measure is one short file, and its module's name here if the file is
new."""

from __future__ import annotations

from types import ModuleType
from typing import Final

from horsesense.measures import (
    accuracy,
    agreement,
    by_subject,
    calibration,
    composition,
    contrast,
    know_no,
    per_problem,
    positions,
    samples,
    task_contrast,
    true_false,
    validity,
    votes,
)
from horsesense.measures.base import Measure
from horsesense.plugins import Registry

MODULES: Final = (
    accuracy,
    samples,
    agreement,
    positions,
    validity,
    calibration,
    by_subject,
    votes,
    contrast,
    composition,
    know_no,
    true_false,
    per_problem,
    task_contrast,
)
"""In the order of tables."""


def _accepted(found: object) -> Measure:
    if not (isinstance(found, type) and issubclass(found, Measure)):
        raise TypeError("it is not a class derived from Measure")
    return found()


def _declared(module: ModuleType) -> list[type[Measure]]:
    """The measures that a module declares: its own classes with a name for users."""
    every = (found for found in vars(module).values() if isinstance(found, type))
    own = (c for c in every if issubclass(c, Measure) and c.__module__ == module.__name__)
    return [c for c in own if "name" in vars(c)]


MEASURES: Registry[Measure] = Registry(
    "measure",
    group="horsesense.measures",
    accept=_accepted,
    declares=("name", "title", "summary"),
)
for _measure in (made for module in MODULES for made in _declared(module)):
    MEASURES.add(_measure.name, _measure())
