"""The kinds of findings: what each accuses of, against which size, and in which words.

A new kind is one entry of `kinds.toml` and one of ACCUSES. What a kind accuses of is fixed by what
was asked, before any reply came. Templates may name what `findings.sentences.words` offers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.errors import UsageError
from horsesense.findings import places
from horsesense.findings.evidence import Evidence, Way
from horsesense.findings.places import ANYWHERE, Anywhere, Place, RunToJudge
from horsesense.probes.base import LETTERS

SIZE = 0.05
"""The smallest distance from the null that matters, unless a kind or the settings say otherwise."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of finding.

    Attributes:
        name: as in `verdict` and in the setting of its size.
        title: what is looked for, for tables.
        measure: what it rests on.
        section: of the report that shows more.
        size: the smallest distance from the null that matters (`SIZE`).
        null: what there is without the fault; None: what guessing gives.
        way: which side of the null is a fault.
        found, ruled_out, undecided: sentences without their full stop.
        short: `found` in a few words.
        takes: by which of the measure's numbers it accuses.
        blind_at_chance: whether a score no better than guessing hides the fault.
        blind_if_unread: whether replies that choose no option hide it.
        silence: the measure in which replies that choose nothing, and so do not show the fault,
            do not count for it; "" where they do not count for it anyway.
        by_position: whether it is about each position by itself.
    """

    name: str
    title: str
    measure: str
    section: str
    size: float = SIZE
    null: float | None = None
    way: Way = "above"
    found: str
    short: str
    ruled_out: str
    undecided: str
    takes: Callable[[RunToJudge, Place], bool]
    blind_at_chance: bool = False
    blind_if_unread: bool = True
    silence: str = ""
    by_position: bool = False

    def asks(self, run: RunToJudge, probe: str) -> bool:
        """Whether it may accuse by what a probe shows, under any of its conditions."""
        return any(self.takes(run, Anywhere(probe, c, run.reader, g)) for c, g in ANYWHERE)

    def room(self, null: float) -> float:
        """How far a value can lie from `null` on the side that is a fault: a size is below it."""
        if self.null == 0:  # a difference, between -1 and 1
            return 1.0
        return null if self.way == "below" else 1 - null


ACCUSES: Mapping[str, Callable[[RunToJudge, Place], bool]] = {
    "no_better_than_guessing": places.as_published,
    "position_preference": places.over_balanced_orders,
    "position_locked": places.over_balanced_orders,
    "no_agreement": places.over_orders,
    "answer_change": places.promising("same_answer", but=places.SERVER),
    "none_option": places.none_in_place,
    "without_gold": places.mean_of_prompts,
    "wrong_accepted": places.wrong_alone,
    "without_question": places.under("options_only"),
    "above_chance": places.chance_elsewhere,
    "first_token": lambda run, e: e.probe == "original" and e.reader == "first_token",
    "other_reader": places.other_reader,
    "no_choice": places.as_published,
    "many_problems": places.showing_texts,
    "accuracy_change": places.accuracy_should_hold,
    "fewer_choices": places.promising("same_answer", "same_accuracy"),
    "server_change": places.under(places.SERVER),
}
"""By which of its measure's numbers a kind accuses."""


def _declared() -> Iterator[Kind]:
    table = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8"))
    return (Kind(name=name, takes=ACCUSES[name], **row) for name, row in table.items())


KINDS: tuple[Kind, ...] = (*_declared(),)
BY_NAME: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
RANK: Mapping[str, int] = {kind.name: n for n, kind in enumerate(KINDS)}
"""Where a kind stands: score, position, consistency, none-options, leaks, reading, form."""
SIZES: Mapping[str, float] = {kind.name: kind.size for kind in KINDS}
"""The smallest size that matters, by kind, unless the settings say otherwise."""


def accused(kind: Kind, run: RunToJudge, evidence: Iterable[Evidence]) -> list[Evidence]:
    """The evidence by which a kind accuses; of several sizes of prompts, the largest alone."""
    taken = [e for e in evidence if kind.takes(run, e)]
    if kind.name != "many_problems":
        return taken
    largest = max((problems(e) for e in taken), default=0)
    return [e for e in taken if problems(e) == largest]


def problems(e: Place) -> int:
    """How many problems a prompt holds."""
    return e.condition.integer("size", 0)


def check_sizes(sizes: Mapping[str, float]) -> None:
    """UsageError for a kind that there is not, or a size that no fault of its kind can have.

    What guessing gives is not known beforehand and taken for 0.
    """
    for name, size in sizes.items():
        if name not in BY_NAME:
            raise UsageError.unknown("kind of finding", name, SIZES)
        room = BY_NAME[name].room(BY_NAME[name].null or 0.0)
        if not 0 < size < room:
            raise UsageError(
                f"smallest: {name} cannot be {size:g}.",
                hint=f"Sizes are shares; here above 0 and below {room:g} (0.05 is 5 points).",
            )


def sizes_of(smallest: Mapping[str, float], change: float | None = None) -> dict[str, float]:
    """The size of every kind; `change` is that of changes of accuracy, where `--until` names one
    and the settings do not."""
    of = {k.name: change for k in KINDS if k.measure == "accuracy_change" and change is not None}
    return {**SIZES, **of, **smallest}


RARE = 0.05
"""Share of items below which a position is not judged, unless a smaller size matters: a model that
chose it always would do so in fewer of all items than matter."""


def rare_positions(options: Sequence[int], sizes: Mapping[str, float]) -> frozenset[str]:
    """Positions that so few of the items have that they are not judged, by their letters.

    Args:
        options: how many each item has; of the whole set, so that it is no matter when asking
            stopped.
        sizes: the smallest size that matters, by kind.
    """
    least = min(RARE, *(sizes[kind.name] for kind in KINDS if kind.by_position))
    having = ((letter, sum(k > place for k in options)) for place, letter in enumerate(LETTERS))
    return frozenset(letter for letter, n in having if options and n / len(options) < least)
