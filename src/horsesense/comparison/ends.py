"""The ends of a difference of two models: of any, and where it is asked whether one lost."""

from __future__ import annotations

from horsesense.findings.evidence import Evidence
from horsesense.stats.equivalence import Interval
from horsesense.stats.paired import Paired
from horsesense.trials.condition import Condition


def ends_of(difference: Paired, level: float, losses: bool) -> Interval:
    """The interval at a level; None where nothing can be said.

    Where `losses` are asked about, the lower end is that by which the verdict rules a fault out
    (`Evidence.interval`): it reaches as far as what clusters that show nothing could hide. The
    upper one stays, so that what is shown to be lost is what it was.
    """
    ends = difference.interval(level)
    if ends is None or not losses:
        return ends
    about = Evidence(
        difference, "", "", Condition(), "", "", int(difference.n), "items", baseline=None
    )
    held = about.interval(level, "below", found=False)
    return None if held is None else (held[0], ends[1])
