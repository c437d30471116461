"""horsesense: find out what a multiple-choice score is made of before you believe it.

>>> import horsesense as hs
>>> result = hs.audit("sample", "sim:position?k=1", out="run")  # doctest: +SKIP
>>> result.estimate("accuracy", reader="text").value           # doctest: +SKIP
0.25

Importing this package is quick: its parts are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horsesense.api import audit, plan
    from horsesense.errors import HorsesenseError, ItemsError, UsageError
    from horsesense.items.item import Item, ItemSet
    from horsesense.items.load import load_items
    from horsesense.measures.base import Estimate, Measure
    from horsesense.models.base import Model
    from horsesense.probes.base import Probe
    from horsesense.readers.base import Reader
    from horsesense.readers.reading import Reading
    from horsesense.readers.text import TextReader
    from horsesense.runs.findings import Result
    from horsesense.runs.settings import Settings

__version__ = "0.1.0"

_PLACES = {
    "Estimate": "horsesense.measures.base",
    "HorsesenseError": "horsesense.errors",
    "Item": "horsesense.items.item",
    "ItemSet": "horsesense.items.item",
    "ItemsError": "horsesense.errors",
    "Measure": "horsesense.measures.base",
    "Model": "horsesense.models.base",
    "Probe": "horsesense.probes.base",
    "Reader": "horsesense.readers.base",
    "Reading": "horsesense.readers.reading",
    "Result": "horsesense.runs.findings",
    "Settings": "horsesense.runs.settings",
    "TextReader": "horsesense.readers.text",
    "UsageError": "horsesense.errors",
    "audit": "horsesense.api",
    "load_items": "horsesense.items.load",
    "plan": "horsesense.api",
}

__all__ = [
    "Estimate",
    "HorsesenseError",
    "Item",
    "ItemSet",
    "ItemsError",
    "Measure",
    "Model",
    "Probe",
    "Reader",
    "Reading",
    "Result",
    "Settings",
    "TextReader",
    "UsageError",
    "__version__",
    "audit",
    "load_items",
    "plan",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'horsesense' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
