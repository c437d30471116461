"""Whether more items or more samples of each make a score more precise, said before asking."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any, Final

from horsesense.errors import HorsesenseError
from horsesense.measures.contrast import REPEAT
from horsesense.measures.samples import SHARES
from horsesense.runs.directory import RunDirectory
from horsesense.runs.prepare import Study
from horsesense.runs.results import Results
from horsesense.stats.words import percent

EVEN: Final = (1 / 12, 1 / 6)
"""Variances of items and of samples where chances of a right answer spread evenly from 0 to 1
(Miller 2024, arXiv 2411.00640): what is taken where nothing was measured."""
ASSUMED: Final = "Assumed: items of every difficulty are equally common."


def bought(study: Study, earlier: Path | None = None) -> dict[str, Any] | None:
    """The shares of items and samples in a right answer's variance, and the sentence from them.

    Args:
        earlier: a run directory, which counts where it has the same items and model.

    Returns None where the study does not ask the same prompt again.
    """
    if all(probe.name != REPEAT for probe in study.probes):
        return None
    measured = None if earlier is None else _measured(study, earlier)
    items, samples = EVEN if measured is None else measured
    spread = (items + samples) or 1.0
    less = 1 - sqrt((items + samples / 2) / spread)
    source = ASSUMED if measured is None else f"That is measured in {earlier}."
    says = (
        f"To narrow intervals: twice as many items make them {percent(1 - sqrt(0.5))} shorter, a"
        f" second reply to each prompt {percent(less)}. {source}"
    )
    return {
        "items": items / spread,
        "samples": samples / spread,
        "measured": measured is not None,
        "says": says,
    }


def _measured(study: Study, earlier: Path) -> tuple[float, float] | None:
    """The variances of an earlier run; None where it is of other items or another model, or lacks
    them."""
    try:
        run = Results.load(RunDirectory.open(earlier))
    except HorsesenseError:
        return None
    same = run.findings["dataset"].get("fingerprint") == study.items.fingerprint
    if not same or run.findings["model"].get("identity") != study.model.identity:
        return None
    found = {e.group: e.value for e in run.select("sample_variance", REPEAT)}
    values = [max(value, 0.0) for name in SHARES if (value := found.get(name)) is not None]
    return (values[0], values[1]) if len(values) == len(SHARES) and any(values) else None
