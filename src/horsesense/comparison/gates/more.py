"""What to ask so that an undecided gate is decided: how many items, and the command to type."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from shlex import join
from typing import TYPE_CHECKING, Final

from horsesense.runs.redacted import is_redacted
from horsesense.runs.results import Results
from horsesense.runs.studies import FILE, StudyFile
from horsesense.stats.functions import ndtri
from horsesense.stats.words import plural

if TYPE_CHECKING:
    from horsesense.comparison.views import Pair

POWER: Final = 0.8
FIRST: Final = 30
"""Items to begin with where there are too few to say how many it takes."""
MOST_NAMED: Final = 20
MOST: Final = 1e6
"""Items beyond which no number is said."""

Open = Mapping[str, Mapping[str, float | None]]
"""Undecided checks: name -> values."""


def needed(pair: Pair, n: int, tolerance: float, error: float, level: float) -> tuple[float, str]:
    """With how many items a view is decided in `POWER` of cases, and that as a clause of a check.

    n ((z + z') s / d)^2, where d is the distance of the change that was seen from the tolerance, or
    the tolerance, if that many more items than there are let a model pass that lost nothing.
    Infinite where neither is below `MOST`, or missing replies decide the side.

    Args:
        pair, n: what was seen of it, and the items that both runs have.
        tolerance: the loss that is accepted.
        error, level: part of the error with which a loss is found here; the confidence level.
    """
    s, power = pair.seen.error, float(ndtri(POWER))
    found, ruled_out = power - float(ndtri((1 - level) * error)), power + float(ndtri(level))
    above, below = pair.least.estimate + tolerance, -pair.most.estimate - tolerance
    steps, distance = (ruled_out, above) if above > below else (found, below)
    stays = max(n + 1.0, n * (steps * s / distance) ** 2) if distance > 0 else math.inf
    only = "" if tolerance else "without --tolerance, only a gain that is shown passes; "
    passes = n * (ruled_out * s / tolerance) ** 2 if tolerance else 0.0
    if n < passes < min(stays, MOST):
        return passes, f"a model that lost nothing needs about {about(passes):,} items to pass"
    if stays < MOST:
        return stays, f"{only}if this change stays, about {about(stays):,} items decide it"
    return math.inf, f"{only}if this change stays, no number of items decides it"


def about(items: float) -> int:
    """A number of items with two digits that count, never rounded down.

    >>> about(7), about(1234), about(2900)
    (7, 1300, 2900)
    """
    step = 10 ** max(0, int(math.log10(max(items, 1))) - 1)
    return int(math.ceil(items / step) * step)


def to_ask(run: Results, baseline: Results | None, open_: Open) -> Iterator[str]:
    """What to ask so that undecided checks are decided: how many items, with the commands; or that
    no number of items of this set does."""
    if not open_:
        return
    both = [run] if baseline is None else [run, baseline]
    asked = run.items.by_id
    if lacking := [i for i in (baseline or run).items.by_id if i not in asked]:
        named = ", ".join(lacking[:MOST_NAMED]) + ", ..." * (len(lacking) > MOST_NAMED)
        yield f"{plural(len(lacking), 'item')} of the baseline not asked of this run: {named}."
    if stopped := [results for results in both if results.unfinished]:
        yield "Ask next what was not asked:"
        yield from (_command(results, None) for results in stopped)
        return
    whole = min(map(_whole, both))
    needs = {name: n for name, of in open_.items() if (n := of.get("needed"))}
    able = [n for n in needs.values() if n <= min(whole, MOST)]
    of = plural(len(open_), "undecided check")
    if able:
        most = min(about(max(able)), whole)
        there = " (if the set has as many)" * (whole == math.inf)
        yield f"Ask {most:,} items next{there}, which most likely decide {len(able):,} of {of}:"
        yield from (_command(r, most) for r in both if len(r.items) < most)
    if beyond := len(needs) - len(able):
        has = f" ({whole:,})" if whole < math.inf else ""
        yield (
            f"No number of items of this set{has} most likely decides {beyond:,} of {of}: add"
            " items, or change --tolerance."
        )
    if other := [name for name in open_ if name not in needs]:
        yield f"Undecided, but not for lack of items: {'; '.join(other)}."


def _whole(run: Results) -> float:
    """How many items the set has of which a run has all; infinite where it has a sample."""
    has, limit = len(run.items), run.directory.settings.limit
    return has if limit is None or limit > has else math.inf


def _command(run: Results, limit: float | None) -> str:
    """The command that asks so many items, or goes on; where no command does, the run."""
    place, settings = run.directory.layout.root, run.directory.settings
    if (
        is_redacted(run.directory)
        or run.directory.known.kind != "asked"
        or ":" not in settings.model
    ):
        return f"(the run of {place}, where it was made)"
    if (place / FILE).is_file():  # its paths hold from here
        ((_, settings),) = StudyFile.load(place).runs(place)
    given = StudyFile.of(settings).settings | ({"limit": int(limit)} if limit else {})
    words = ["horsesense", "audit", settings.items, "--model", settings.model]
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, dict):
            words += [word for pair in value.items() for word in (option, "=".join(map(str, pair)))]
        elif value is not False:
            shown = ",".join(value) if isinstance(value, list) else str(value)
            words += [option] + [shown] * (value is not True)
    return f"  {join([*words, '--out', str(place)])}"
