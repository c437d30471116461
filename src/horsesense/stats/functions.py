"""Functions of scipy, each loaded when it is first used: `functions.ndtri(0.975)`.

A model can be asked without any of them, and most audits never need those of `scipy.stats`, which
take longer to load than all else together.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Final

_PLACES: Final = {
    "scipy.optimize": "brentq",
    "scipy.special": "betainc betainccinv betaincinv chdtrc expit gammaincc gammaln logit ndtr"
    " ndtri stdtr stdtrit xlog1py xlogy",
    "scipy.stats": "binom binomtest false_discovery_control kendalltau mannwhitneyu ncx2 rankdata"
    " wilcoxon",
}


def __getattr__(name: str) -> Any:
    for place, names in _PLACES.items():
        if name in names.split():
            found = globals()[name] = getattr(_loaded(place), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _loaded(place: str) -> ModuleType:
    """A module of scipy; of scipy.special, what is compiled and holds the same functions. The
    package around it serves other libraries of arrays, and takes 0.12 s to load."""
    if place != "scipy.special" or place in sys.modules:
        return import_module(place)
    package = sys.modules[place] = ModuleType(place)
    package.__path__ = [f"{folder}/special" for folder in import_module("scipy").__path__]
    found = import_module(f"{place}._ufuncs")
    del sys.modules[place]  # whoever needs the package gets it
    return found
