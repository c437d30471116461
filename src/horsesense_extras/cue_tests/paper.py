"""The paper whose method `horsesense cues --faithful` follows: departures and printed values."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from horsesense.runs.suites import Paper, declared

HERE: Final = Path(__file__).parent

CLEVER_HANS: Final = declared(HERE / "clever-hans.toml", Paper)
"""What is declared of the paper; the report and docs/differences.md print it."""


@cache
def _printed() -> dict[str, Any]:
    return tomllib.loads((HERE / "published.toml").read_text(encoding="utf-8"))


def printed_kappa(dataset: str, features: str) -> float | None:
    """The paper's kappa_uniform of a vector on a set, told by its name; None without one."""
    for each in _printed()["sets"]:
        if re.search(each["name"], dataset.lower()):
            value: float | None = each["kappa_uniform"].get(features)
            return value
    return None


def printed_test(family: str) -> tuple[float, float, float] | None:
    """The paper's t, p and adjusted p of a family (section 4.2); None without one."""
    found = _printed()["families"].get(family)
    return None if found is None else (found[0], found[1], found[2])
