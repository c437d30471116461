"""Functions of scipy, each loaded when it is first used: `functions.ndtri(0.975)`.

A model can be asked without any of them, and most audits never need those of `scipy.stats`, which
take longer to load than all else together.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import copysign, inf
from sys import float_info
from typing import Any, Final

import numpy

_PLACES: Final = {
    "scipy.special": "betainc betainccinv betaincinv chdtrc expit gammaincc gammaln logit ndtr"
    " ndtri stdtr stdtrit xlog1py xlogy",
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


def brentq(f: Callable[[float], float], low: float, high: float) -> float:
    """Where `f` is 0 between two places at which its signs differ (Brent 1973), to the last digit
    as `scipy.optimize.brentq` finds it. That one takes longer to load than all of `scipy.special`.
    """
    last, now, y_last, y_now = low, high, f(low), f(high)
    if y_now * y_last > 0:
        raise ValueError(f"the sign is the same at {low} and at {high}")
    other, y_other, before, step = last, y_last, 0.0, 0.0
    for _ in range(100):
        if (y_last > 0) != (y_now > 0):
            other, y_other, before, step = last, y_last, now - last, now - last
        if abs(y_other) < abs(y_now):
            last, now, other = now, other, now
            y_last, y_now, y_other = y_now, y_other, y_now
        reach, half = (2e-12 + 4 * float_info.epsilon * abs(now)) / 2, (other - now) / 2
        if y_now == 0 or abs(half) < reach:
            break
        tried = inf
        if abs(before) > reach and abs(y_now) < abs(y_last):
            if last == other:
                tried = -y_now * (now - last) / (y_now - y_last)
            else:
                one, two = (y_last - y_now) / (last - now), (y_other - y_now) / (other - now)
                slope = two * one * (y_other - y_last)
                tried = -y_now * (y_other * two - y_last * one) / slope
        short = 2 * abs(tried) < min(abs(before), 3 * abs(half) - reach)
        before, step = (step, tried) if short else (half, half)
        last, y_last = now, y_now
        now += step if abs(step) > reach else copysign(reach, half)
        y_now = f(now)
    return now
