"""The interval of a proportion."""

from __future__ import annotations

import numpy as np

from horsesense.stats import functions


def wilson(hits: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion (Wilson 1927); (NaN, NaN) for n = 0."""
    if n == 0:
        return float("nan"), float("nan")
    hits, n = float(hits), float(n)  # numpy's own numbers cannot be written as JSON
    z = float(functions.ndtri(1 - (1 - level) / 2))
    middle = (hits + z * z / 2) / (n + z * z)
    reach = z / (n + z * z) * float(np.sqrt(hits * (n - hits) / n + z * z / 4))
    return max(0.0, middle - reach), min(1.0, middle + reach)
