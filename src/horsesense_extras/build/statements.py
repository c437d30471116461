"""Statements to learn from: options of multiple-choice items, marked right or wrong.

REVAS (Wang et al. 2024, section 5) asks whether a model that also learns what is wrong chooses
better. The arms differ in nothing but what is stated and its mark: a pass has one statement of each
item, and passes of all arms show the same items in the same orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from horsesense.errors import UsageError
from horsesense.items.item import Flag, Item, ItemSet, normalised
from horsesense.items.near import near_duplicates
from horsesense.models.messages import Request
from horsesense.probes.base import show
from horsesense.prompts import Prompter
from horsesense.rng import Dice
from horsesense.stats.words import plural
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial

ARMS: Final = {
    "positive": "right answers, marked right",
    "negative": "wrong answers, marked wrong",
    "mixed": "right answers marked right for half of the items, wrong ones marked wrong for half",
    "shuffled": "the statements of mixed with half of the marks of each kind swapped: the control",
}
"""What each arm learns."""
CONTROL: Final = "shuffled"
_MARKS = {True: "Right", False: "Wrong"}


class Statement(NamedTuple):
    """One thing to learn.

    Attributes:
        item: about which item.
        order: shown position -> option.
        option: the option that is stated of.
        right: the mark that it gets; whether that is true is another matter (see `true`).
    """

    item: Item
    order: tuple[int, ...]
    option: int
    right: bool

    @property
    def true(self) -> bool:
        """Whether the mark says how it is."""
        return self.right == (self.option == self.item.gold)


def statements(arm: str, items: Sequence[Item], number: int, seed: int) -> list[Statement]:
    """The statements of one pass over the items, in the order in which they are learned.

    Items, their order and the orders of their options depend on the pass and the seed alone, so
    that all arms read nearly the same prompts.

    Args:
        arm: one of `ARMS`.
        items: with a gold and at least two options each.
        number: of the pass, from 0.
        seed: of all draws.

    Raises:
        UsageError: there is no such arm.
    """
    if arm not in ARMS:
        raise UsageError.unknown("arm", arm, ARMS)
    dice = Dice(seed, str(number), "statements")
    shown = [items[n] for n in dice.permutation(len(items))]
    half = set(dice.permutation(len(items))[: (len(items) + 1) // 2])
    told = [
        _statement(item, arm == "positive" or (arm != "negative" and n in half), number, seed)
        for n, item in enumerate(shown)
    ]
    if arm != CONTROL:
        return told
    return [
        one._replace(right=one.right != swap)
        for one, swap in zip(told, _swaps(told, dice), strict=True)
    ]


def _swaps(told: Sequence[Statement], dice: Dice) -> Iterator[bool]:
    """Which marks are swapped: of every two right ones in turn one, and of every two wrong ones.

    So half of each are false, in any part of the pass, and a mark says nothing of its option.
    """
    first: dict[bool, bool] = {}
    for one in told:
        if one.right in first:
            yield not first.pop(one.right)
        else:
            yield first.setdefault(one.right, dice.below(2) == 1)


def _statement(item: Item, right: bool, number: int, seed: int) -> Statement:
    """The right option marked right, or a wrong one marked wrong."""
    dice = Dice(seed, item.id, "statement", number)
    order = dice.permutation(len(item.options))
    wrong = dice.choice([n for n in range(len(item.options)) if n != item.gold])
    return Statement(item, order, item.gold if right and item.gold is not None else wrong, right)


def asked(statement: Statement, prompter: Prompter) -> tuple[Request, str]:
    """A statement as a prompt and the reply that is to be learned."""
    variant = show(statement.item, "choice", statement.order)
    place = statement.order.index(statement.option)
    trial = Trial("statement", PLAIN, 0, (variant,), answer_format="free", form="statement")
    lead = " " if prompter.style == "completion" else ""
    option = f"{variant.labels[place]}. {variant.options[place]}"
    return prompter.request(trial), f"{lead}{_MARKS[statement.right]}: {option}"


@dataclass(frozen=True)
class Parts:
    """Items to train on and to evaluate on, of different clusters.

    Attributes:
        train, test: the two sides.
        tune: of training in two stages, the items to tune on; `test` are then some of `train`.
        left_out: reason -> number of items that are on neither side.
        clusters: side -> number of its clusters.
        alone: items of both sides that name neither a cluster nor a context: only a question that
            is the same, or a text that is nearly the same, puts them together with others.
    """

    train: ItemSet
    test: ItemSet
    left_out: dict[str, int]
    clusters: dict[str, int]
    alone: int
    tune: ItemSet | None = None

    @property
    def sides(self) -> dict[str, ItemSet]:
        """Every side by name."""
        tune = {} if self.tune is None else {"tune": self.tune}
        return {"train": self.train, "test": self.test, **tune}


def alone_text(alone: int, n: int) -> Iterator[str]:
    """That items name no cluster, and what then puts them together; nothing where all do."""
    if alone:
        yield (
            f"{alone:,} of the {plural(n, 'item')} name no cluster (--map cluster=FIELD) and have"
            " no"
            " context: only equal questions and nearly equal texts keep them on one side."
        )


def parted(
    items: ItemSet, train: int | None, test: int | None, seed: int, other: str = "evaluate"
) -> Parts:
    """Divide items by cluster; equal questions and nearly equal texts count as one cluster.

    What is drawn depends on the seed and on what the items hold, not on the name of their file.

    Args:
        items: of multiple choice.
        train: how many to train on; None for all that are left.
        test: how many to evaluate on; None for three tenths.
        seed: of the draw.
        other: what is done on the second side.

    Raises:
        UsageError: there are too few, or they are no items of multiple choice.
    """
    usable, left_out = _usable(items)
    wanted = round(0.3 * len(usable)) if test is None else test
    clusters = _clusters(usable)
    drawn = [clusters[n] for n in Dice(seed, items.fingerprint, "parts").permutation(len(clusters))]
    tests, drawn = _fill(drawn, wanted)
    trains, drawn = _fill(drawn, sum(map(len, drawn)) if train is None else train)
    for side, found, least in ((other, tests, wanted), ("train", trains, train or 1)):
        if len(found) < max(least, 1):
            told = f"{len(found):,} are left to {side} on; {max(least, 1):,} are wanted"
            raise _too_few(items.name, clusters, left_out, told)
    left_out["not drawn"] = len(usable) - len(tests) - len(trains)
    of = {item.id: number for number, cluster in enumerate(clusters) for item in cluster}
    return Parts(
        only(items, trains),
        only(items, tests),
        {name: n for name, n in left_out.items() if n},
        {
            side: len({of[item.id] for item in found})
            for side, found in (("train", trains), ("test", tests))
        },
        sum(not (item.cluster or item.context) for item in (*trains, *tests)),
    )


def _too_few(
    name: str, clusters: Sequence[list[Item]], left_out: Mapping[str, int], told: str
) -> UsageError:
    """What is missing, and where the items have gone."""
    n, largest = sum(map(len, clusters)), max(map(len, clusters), default=0)
    groups = f" ({plural(len(clusters), 'cluster')}, the largest of {largest:,})" if n else ""
    reasons = "; ".join(f"{count:,} {reason}" for reason, count in left_out.items() if count)
    return UsageError(
        f"{name} has {plural(n, 'item')} that can be used{groups}, of which {told}."
        + (f" Left out: {reasons}." if reasons else ""),
        hint="Give smaller numbers with --train, --test and --tune, or more items. A cluster (equal"
        " field `cluster`, context or question, or nearly equal texts) is on one side alone.",
    )


def drawn(items: ItemSet, number: int | None, seed: int) -> tuple[ItemSet, dict[str, int], int]:
    """Items that can be used, so many or all; why others are left out; and how many clusters.

    Raises:
        UsageError: there are too few, or they are no items of multiple choice.
    """
    usable, left_out = _usable(items)
    wanted = len(usable) if number is None else number
    if not 0 < wanted <= len(usable):
        raise _too_few(items.name, _clusters(usable), left_out, f"{wanted:,} are wanted")
    taken = Dice(seed, items.fingerprint, "parts").sample(usable, wanted)
    left_out["not drawn"] = len(usable) - wanted
    return only(items, taken), {k: n for k, n in left_out.items() if n}, len(_clusters(taken))


def _usable(items: ItemSet) -> tuple[list[Item], dict[str, int]]:
    if items.kind != "choice":
        raise UsageError(
            f"{items.name} has one label set for all texts.",
            hint="Training needs items with options of their own.",
        )
    flags: dict[str, Flag] = {
        "with an option that speaks of others": "order_dependent",
        "with two options that say the same": "repeated_options",
        "that ask what another item asks": "repeated_normalised",
    }
    reasons = {
        "without a right answer": {item.id for item in items if item.gold is None},
        "with fewer than two options": {item.id for item in items if len(item.options) < 2},
        **{reason: items.flagged(flag) for reason, flag in flags.items()},
    }
    left_out = dict.fromkeys(reasons, 0)
    usable = []
    for item in items:
        reason = next((name for name, held in reasons.items() if item.id in held), None)
        if reason is None:
            usable.append(item)
        else:
            left_out[reason] += 1
    return usable, left_out


def _clusters(items: Sequence[Item]) -> list[list[Item]]:
    """Items that share a cluster, a context, a question or nearly all of their text go together.

    One question about two contexts is two questions.
    """
    first: dict[tuple[str, str], int] = {}
    pairs = []
    for n, item in enumerate(items):
        question = None if item.context else item.question
        named = {"cluster": item.cluster, "context": item.context, "question": question}
        pairs += [
            (n, first.setdefault((kind, normalised(name)), n))
            for kind, name in named.items()
            if name
        ]
    texts = [" ".join((i.context or "", i.question, *i.options)) for i in items]
    pairs += near_duplicates(texts)
    one, other = np.array(pairs, int).reshape(-1, 2).T
    table = coo_array((np.ones(len(one)), (one, other)), shape=(len(items), len(items)))
    groups: dict[int, list[Item]] = {}
    for item, number in zip(items, connected_components(table)[1].tolist(), strict=True):
        groups.setdefault(number, []).append(item)
    return list(groups.values())


def _fill(clusters: Sequence[list[Item]], wanted: int) -> tuple[list[Item], list[list[Item]]]:
    """Items of as many clusters as are needed, and the clusters that are left.

    Of the last one, what is too much is on neither side.
    """
    taken: list[Item] = []
    for used, cluster in enumerate(clusters):
        if len(taken) == wanted:
            return taken, list(clusters[used:])
        taken += cluster[: wanted - len(taken)]
    return taken, []


def only(items: ItemSet, chosen: Sequence[Item]) -> ItemSet:
    """A set of some of the items."""
    ids = {item.id for item in chosen}
    kept = tuple(item for item in items if item.id in ids)
    flags = {flag: held & ids for flag, held in items.flags.items() if held & ids}
    return replace(items, items=kept, flags=flags)


def passes(arm: str, items: Sequence[Item], seed: int) -> Iterator[Statement]:
    """The statements of pass after pass, without end."""
    for number in count():
        yield from statements(arm, items, number, seed)
