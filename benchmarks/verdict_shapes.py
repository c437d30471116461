"""Shapes of sets of items, for whole studies (`--shape` of verdict_errors.py).

A shape says how many options each item has, which items stand in one cluster, what the answers of a
cluster share, and which replies are lost. The plain one has four options, single items and every
reply.

What is true of a model under a shape, and so what is no false accusation:

- *Options.* A prior that is flat over k positions is flat for every k, and its guesses are right in
  1/k of the items with k options: nothing is true of it but what is true with four options. Of a
  prior of .30, .234, .233, .233 the last weight is repeated and the sum is made 1, so that position
  A exceeds 1/k by .062 of 2, .058 of 3, .050 of 4, .043 of 5 and .025 of 10 options.
- *Clusters* change no truth: each item is known with the same probability, and its guesses are
  spread alike, as if it stood alone.
- *Lost replies* are lost whatever they said, and of whole items by their number of options alone,
  which has nothing to do with what a flat prior knows: they change no truth either.
- *Lost by what they are*: of items that are known alone, of others alone, or of one position alone.
  What a model would have said stays true of it; only what is seen of it changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.models.messages import Key
from horsesense.rng import unit


@dataclass(frozen=True)
class Shape:
    """How the items of a study differ from single items of four options with every reply.

    Attributes:
        options: numbers of options, in turn.
        first: numbers of options of the first items, in place of these.
        size: items of a cluster.
        within: share of the items that stand in clusters; the others are single.
        shared: what the items of a cluster share: what is known of them (whole clusters are known
            or not, or locked), or also their guesses, form by form (copies).
        lost: share of the replies that are lost.
        of: whose replies these are: of all items; of those that are known, or guessed; or those
            that choose the first position. Of these, as many more are lost (at most .9).
        lost_items: share of the items with five options or more of which all replies are lost.
    """

    options: tuple[int, ...] = (4,)
    first: tuple[int, ...] = ()
    size: int = 1
    within: float = 0.0
    shared: Literal["", "knowing", "answers"] = ""
    lost: float = 0.0
    of: Literal["", "known", "guessed", "position"] = ""
    lost_items: float = 0.0

    def k(self, i: int) -> int:
        """Number of options of an item."""
        return self.first[i] if i < len(self.first) else self.options[i % len(self.options)]

    def gold(self, i: int) -> int:
        """Place of the right option: every place in turn, of each number of options, and one place
        for all of a cluster."""
        among = i // len(self.options)
        if self.shared == "answers" and i % self.turn < self.size:
            among = i // self.turn
        return among % self.k(i)

    @property
    def turn(self) -> int:
        """Clusters and single items take turns: of so many items the first `size` are a cluster."""
        return round(self.size / self.within) if self.size > 1 else 1

    def cluster(self, i: int) -> int:
        """Number of an item's cluster: that of its first item."""
        return i - i % self.turn if i % self.turn < self.size else i

    def clusters(self, n: int) -> npt.NDArray[np.intp]:
        """Cluster number of each item."""
        first = [self.cluster(i) for i in range(n)]
        return np.unique(first, return_inverse=True)[1]

    def loses(self, i: int, key: Key, number: int, reply: Reply | None = None) -> bool:
        """Whether the reply to a request about an item is lost in a study."""
        if self.lost and unit(b"lost", key) < self.share(i, reply):
            return True
        whole = self.lost_items if self.k(i) >= 5 else 0.0
        return whole > 0 and unit(b"lost", b"%d|%d" % (i, number)) < whole

    def share(self, i: int, reply: Reply | None) -> float:
        """The share of such replies that is lost."""
        if not self.of or reply is None:
            return self.lost
        among, there = {
            "known": (reply.know, reply.known),
            "guessed": (1 - reply.know, not reply.known),
            "position": (1 / self.k(i), reply.position == 0),
        }[self.of]
        return min(self.lost / among, 0.9) if there and among > 0 else 0.0


class Reply(NamedTuple):
    """What its loss may depend on.

    Attributes:
        know: the share of items that the model knows.
        known: whether this is one of them.
        position: what it chooses, if a position.
    """

    know: float
    known: bool
    position: int | None


MIXED = (2, 3, 5)
PLAIN = Shape()
OF: tuple[Literal["", "known", "guessed", "position"], ...] = ("", "known", "guessed", "position")
LOST = (0.01, 0.02, 0.03, 0.048, 0.1)
SHAPES: Mapping[str, Shape] = {
    "plain": PLAIN,
    "mixed": Shape(MIXED, first=(4, 10)),
    "fours": Shape(size=4, within=1.0, shared="knowing"),
    "texts": Shape(size=10, within=0.5, shared="knowing"),
    "copies": Shape(size=4, within=1.0, shared="answers"),
    "text-copies": Shape(size=10, within=0.5, shared="answers"),
    "lost-2": Shape(lost=0.02),
    "lost-10": Shape(lost=0.1),
    "lost-long": Shape(MIXED, first=(4, 10), lost_items=0.15),
    "all": Shape(MIXED, (4, 10), 10, 0.5, "knowing", lost=0.1, lost_items=0.15),
    "ten": Shape((10,)),
    **{
        f"{of or 'any'}-{100 * lost:g}{'-ten' if k == 10 else ''}": Shape((k,), lost=lost, of=of)
        for k in (4, 10)
        for of in OF
        for lost in LOST
    },
}
"""By name: a third each of 2, 3 and 5 options beside one of 4 and one of 10; clusters of 4; half of
the items in texts of 10, the others single; .02 and .1 of all replies lost; and of the items with
most options .15, which are .05 of all, lost as a whole; then all of these together; items of ten
options; and of items of four or ten options some of the replies, of all or of some alone."""
