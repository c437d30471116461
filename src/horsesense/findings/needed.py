"""How many items would settle what a run cannot tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

from horsesense.findings.accusation import Accusation
from horsesense.findings.evidence import Evidence, Way, clusters_needed, looks_faulty
from horsesense.findings.rare import Places
from horsesense.findings.wording import in_points, rounded_up
from horsesense.stats.power import EVEN
from horsesense.stats.shares import Shares
from horsesense.stats.words import agreeing, plural

FEWEST_EVEN = 20
"""Clusters of one size that unequal ones of a share must be worth: the noise of fewer says so
little of others' that numbers settled as few as .52 of what was to be settled with .8."""
FEWEST_BUNDLES = 20
"""Bundles of problems below which no number is named: of 12 bundles, which could
not tell, it grew as more were asked."""

UNKNOWN = "how many items it would take is not known, as "
"""Before the reason why no number is named."""
IF_ALL_COME = "if every reply comes and is clear"
"""What is supposed where replies are missing: with as large a share of them missing the number
grows without bound, and one reply more or less decides it."""
ALL = f"as many would do {IF_ALL_COME} and there is nothing to find"
"""Why no number is named where the items asked would rule a fault out with the replies that they
lack, in most studies."""
ENOUGH = (
    "as many would have sufficed if there were nothing to find, and an effect as small as this "
    "takes more"
)
"""Why no number is named where the items asked would rule a fault out in most studies, but did
not in this one."""


@dataclass(frozen=True)
class Needed:
    """How many items would settle what cannot be told; None where no number, or these, would.

    Attributes:
        as_seen: if a fault is as large as it looks; None where it looks smaller than its size.
        none: if there is none, or, for "lacks", as the score looks.
        why: in words, why no number is named; "" where that needs none.
        constant: what keeps the score from showing more than guessing, as a clause; "" for nothing.
    """

    as_seen: int | None = None
    none: int | None = None
    why: str = ""
    constant: str = ""

    @property
    def most(self) -> int | None:
        return max(filter(None, (self.as_seen, self.none)), default=None)

    def told(self, a: Accusation, each: float) -> str:
        """The end of a sentence; "" where nothing is known."""
        if self.constant:
            return f"; {self.constant}{replace(self, constant='').told(a, each)}"
        if self.why:
            return f"; {self.why}"
        so = ", in clusters like these," if each > 1 else ""
        come = "" if a.evidence.unknown is None else f"{IF_ALL_COME}, "
        so = ", asked in this way," if a.kind.name == "many_problems" else so
        seen, none = (n and rounded_up(n) for n in (self.as_seen, self.none))
        n = seen or none
        if n is None:
            return ""
        first = f"; {come}it would take about {plural(n, 'item')} in all{so}"
        if seen and seen == none:
            either = "whether the effect is as large as it looks or there is none"
            return f"{first.removesuffix(',')}, {either}"
        if seen:
            more = f", and about {none:,} if there is none" if none else ""
            return f"{first} if the effect is as large as it looks{more}"
        return f"{first} if {_lacked(a) if a.kind.way == 'lacks' else 'there is nothing to find'}"


def _lacked(a: Accusation) -> str:
    """What is supposed of a value that should lie above guessing; see `clusters_needed`."""
    value, enough = a.evidence.value, a.clears + a.size
    if a.null < value < enough:
        return f"it is {in_points(enough - a.null)} above guessing"
    return f"it is as {'low' if value <= a.null else 'high'} as it looks"


def _worth(even: float) -> str:
    """How few clusters of one size a few clusters are worth."""
    return f"clusters of such unlike sizes count as no more than {floor(even)}"


def _value(a: Accusation) -> tuple[float, Way, float, float]:
    return a.evidence.value, a.kind.way, a.null, a.size


def items_needed(
    a: Accusation,
    alpha: float,
    items: float,
    members: int,
    *,
    blind: bool = False,
    varies: float = 0.0,
) -> Needed:
    """How many items would settle it, asked as these `items` were.

    Clusters are supposed to grow in number as the items that are asked do, and every reply to come.
    Where a model is `blind` to a fault, no number of items would rule it out. For `varies` see
    `clusters_needed`.
    """
    about, have = a.evidence.about, a.evidence.clusters
    null = a.clears if a.evidence.value > a.null else a.null
    where = a.kind.way, null, a.size, alpha

    if isinstance(about, Shares) and about.even < min(FEWEST_EVEN, EVEN * about.clusters):
        return Needed(why=f"{UNKNOWN}{_worth(about.even)}")

    if a.kind.name == "many_problems" and about.clusters < FEWEST_BUNDLES:
        few = plural(about.clusters, "bundle")
        return Needed(why=f"{UNKNOWN}{few} {agreeing(about.clusters, 'are')} too few to say")

    def asked(clusters: int | None) -> int | None:
        if clusters is None or clusters <= have:
            return None
        return ceil(clusters / have * items)

    def settling(e: Evidence, *, none: bool = False) -> int | None:
        e = e.as_answered()
        return clusters_needed(e, *where, none=none, members=members, varies=varies)

    if a.kind.way == "lacks" or not looks_faulty(*_value(a)):
        clusters = settling(a.evidence)
        if clusters is None or clusters > have or a.kind.way == "lacks":
            return Needed(none=asked(clusters))
        return Needed(why=ENOUGH if a.evidence.unknown is None else ALL)
    # A fault is found where the share shows it in which silence does not count for it.
    finds = a.spared or a.evidence
    looks = looks_faulty(finds.value, *_value(a)[1:])
    seen = asked(settling(finds)) if looks else None
    return Needed(seen, None if blind else asked(settling(a.evidence, none=True)))


def needed_of(
    made: Sequence[Accusation],
    undecided: Sequence[Accusation],
    left: float,
    items: Mapping[str, float],
    aside: Places,
    blind: Collection[tuple[object, ...]] = (),
) -> dict[tuple[object, ...], Needed]:
    """How many items would settle each of the accusations that cannot be told, by its place.

    Of positions that not every item has, each is to be ruled out where the others that its sentence
    speaks for are: one that few items have takes more of them.

    Args:
        made: all of them, those included that are settled.
        undecided: what cannot be told.
        left: its level, for a weight of 1.
        items: how many were asked, by probe.
        aside: positions that do not keep a sentence from ruling out the others.
        blind: places of accusations that no number of items would rule out of such a model.
    """
    members, found = Counter(a.group for a in made), dict[tuple[object, ...], Needed]()
    most: dict[tuple[str, str, str], int] = {}
    for a in undecided:
        e, alpha = a.evidence, left * a.weight / a.routes
        level = 1 - (alpha if a.kind.way == "both" else 2 * alpha)
        counts = a.possible and not a.stopped
        ends = e.interval(level, a.kind.way, found=False) if counts else None
        if not ends:
            continue
        held = a.kind.way == "lacks" and a.explained(ends[0])
        found[a.place] = one = items_needed(
            a,
            alpha,
            items[e.probe],
            members[a.group],
            blind=a.place in blind,
            varies=a.clears * (1 - a.clears) if held else 0.0,
        )
        if one.none and a.own_null and (e.probe, e.condition, e.group) not in aside:
            most[a.group] = max(most.get(a.group, 0), one.none)
    for a in undecided:
        one = found.get(a.place, Needed())
        if one.most and a.own_null and a.group in most:
            found[a.place] = replace(one, none=max(one.none or 0, most[a.group]))
    return found
