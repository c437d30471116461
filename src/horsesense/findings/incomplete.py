"""What rests on items with all of their replies, held to what the others may be.

Such an item is left out for one lost reply of several. If replies are lost more often of items that
are known, those that are left are known less often than all are: no chance, and so no test, is to
blame. Where more than `MOST_LOST` of the replies are missing, or more than `MOST_ITEMS` of the
items are incomplete, what is found and what is ruled out must therefore hold whatever these are,
as when each has the value that speaks most against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from horsesense.findings.accusation import Accusation
from horsesense.findings.evidence import faulty, harmless
from horsesense.findings.finding import Outcome
from horsesense.findings.uncounted import MOST_LOST
from horsesense.measures.estimate import Found
from horsesense.stats.equivalence import within
from horsesense.stats.words import some_of

MOST_ITEMS = 0.2
"""Share of incomplete items from which on it matters which they are, however few replies they lack:
of many orders few lost replies make many of them."""
Lost = Mapping[tuple[str, str, str], float]


def lost_replies(found: Iterable[Found]) -> Lost:
    """The share of replies that are missing, by probe, condition and reader."""
    rates = (e for e, _ in found if e.measure == "valid_rate" and e.n + e.n_missing)
    return {
        (e.probe, e.condition.format(), e.reader): e.n_missing / (e.n + e.n_missing) for e in rates
    }


def may_differ(
    a: Accusation,
    outcome: Outcome,
    ends: tuple[float, float] | None,
    rates: Lost,
    options: Sequence[int] = (),
) -> str:
    """Why an outcome with this interval cannot be told for what is missing; "" where it can.

    `options` are how many each item has: of k, one is chosen in 1/k of an item's answers at least.
    """
    e = a.evidence
    whole = e.n + e.missing
    if outcome == "cannot_tell" or not a.kind.complete or a.stopped or ends is None:
        return ""
    lost = rates.get((e.probe, e.condition.format(), e.reader), e.missing / whole)
    if lost <= MOST_LOST and e.missing <= MOST_ITEMS * whole:
        return ""
    kept = e.n / whole
    least = 1 / max(options) if options and a.kind.way == "lacks" else 0.0
    worst = kept * ends[0] + (1 - kept) * least, kept * ends[1] + 1 - kept
    sides = {
        "found": faulty(a.kind.way, a.null, a.size),
        "ruled_out": harmless(a.kind.way, a.clears, a.size),
    }
    if within(worst, *sides[outcome]):
        return ""
    told = some_of(e.missing, whole, e.counted.removesuffix("s"), "lack a reply in some order")
    return f"{told}, and may be unlike the others"
