"""horsesense: find out what a multiple-choice score is made of before you believe it.

>>> import horsesense as hs
>>> run = hs.audit("sample", "sim:position?k=1", out="run")  # doctest: +SKIP
>>> run.estimate("accuracy", reader="text").value            # doctest: +SKIP
0.25

Importing this package is quick: its parts are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from horsesense.version import __version__

if TYPE_CHECKING:
    from horsesense.api import Run, audit, check, compare, gate, open, plan, read
    from horsesense.errors import HorsesenseError, ItemsError, UsageError
    from horsesense.inference.limits import Limits
    from horsesense.items.item import Item, ItemSet
    from horsesense.items.load import load_items
    from horsesense.measures.base import Estimate, Measure
    from horsesense.models.base import Model
    from horsesense.probes.base import Probe
    from horsesense.readers.base import Reader
    from horsesense.readers.reading import Reading
    from horsesense.readers.text import TextReader
    from horsesense.runs.settings import Settings


_NAMES = {
    "horsesense.api": "Run audit check compare gate open plan read",
    "horsesense.errors": "HorsesenseError ItemsError UsageError",
    "horsesense.inference.limits": "Limits",
    "horsesense.items.item": "Item ItemSet",
    "horsesense.items.load": "load_items",
    "horsesense.measures.base": "Estimate Measure",
    "horsesense.models.base": "Model",
    "horsesense.probes.base": "Probe",
    "horsesense.readers.base": "Reader",
    "horsesense.readers.reading": "Reading",
    "horsesense.readers.text": "TextReader",
    "horsesense.runs.settings": "Settings",
}
_PLACES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "Estimate",
    "HorsesenseError",
    "Item",
    "ItemSet",
    "ItemsError",
    "Limits",
    "Measure",
    "Model",
    "Probe",
    "Reader",
    "Reading",
    "Run",
    "Settings",
    "TextReader",
    "UsageError",
    "__version__",
    "audit",
    "check",
    "compare",
    "cues",
    "gate",
    "load_items",
    "load_log",
    "open",
    "plan",
    "read",
]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        value = getattr(import_module(_PLACES[name]), name)
    elif name in __all__:
        value = import_module("horsesense.side").side("api", name)
    else:
        raise AttributeError(f"module 'horsesense' has no attribute {name!r}")
    # A folder of the same name would otherwise take the place of a function.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
