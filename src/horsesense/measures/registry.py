"""The measures, by name. A new measure is one short file, and its module's name here if the file is
new."""

from __future__ import annotations

from typing import Final

from horsesense.measures.base import Measure
from horsesense.plugins import Registry, declared, derived

_MODULES: Final = """
accuracy samples agreement positions validity calibration by_subject votes contrast composition
know_no true_false per_problem task_contrast
"""
"""In the order of tables."""


MEASURES: Registry[Measure] = Registry(
    "measure",
    group="horsesense.measures",
    accept=lambda found: derived(Measure)(found)(),
    declares=("name", "title", "summary"),
)
for _measure in declared("horsesense.measures", _MODULES, Measure):
    MEASURES.add(_measure.name, _measure())
