"""Functions of scipy, each loaded when it is first used: `functions.ndtri(0.975)`.

A model can be asked without any of them, and most audits never need those of `scipy.stats`, which
take longer to load than all else together.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy

_PLACES: Final = {
    "scipy.optimize": "brentq",
    "scipy.special": "bdtrc bdtrik betainc betainccinv betaincinv betaln chdtrc comb expit"
    " gammaincc gammaln logit ndtr ndtri softmax stdtr stdtrit xlog1py xlogy",
    "scipy.stats": "binom binomtest false_discovery_control kendalltau mannwhitneyu ncx2 rankdata"
    " wilcoxon",
}
_UNUSED: Final = frozenset(("f2py", "polynomial", "testing"))


def __getattr__(name: str) -> Any:
    for place, names in _PLACES.items():
        if name in names.split():
            # As it loads, scipy looks at each part of numpy, which would load these too.
            parts = dict.fromkeys(_UNUSED.difference(vars(numpy)))
            vars(numpy).update(parts)
            found = globals()[name] = getattr(import_module(place), name)
            for part in parts:
                if vars(numpy)[part] is None:
                    del vars(numpy)[part]  # whoever needs it gets it
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
