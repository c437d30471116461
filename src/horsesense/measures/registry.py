"""The measures, by name. A new measure is one short file, and its module's name here if the file is
new."""

from __future__ import annotations

from typing import Final

from horsesense.measures.base import Measure
from horsesense.plugins import Registry, declared

_MODULES: Final = """
accuracy samples agreement positions validity calibration by_subject votes contrast composition
know_no true_false per_problem task_contrast
"""
"""In the order of tables."""


def _accepted(found: object) -> Measure:
    if not (isinstance(found, type) and issubclass(found, Measure)):
        raise TypeError("it is not a class derived from Measure")
    return found()


MEASURES: Registry[Measure] = Registry(
    "measure",
    group="horsesense.measures",
    accept=_accepted,
    declares=("name", "title", "summary"),
)
for _measure in declared("horsesense.measures", _MODULES, Measure):
    MEASURES.add(_measure.name, _measure())
