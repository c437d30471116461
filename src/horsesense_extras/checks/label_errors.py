"""Which golds are likely wrong, from the answers of several models.

A gold is doubted where different models agree on one other option. How much that means depends on
the subject: where models agree against the gold much more often than their hesitation elsewhere
explains, golds are wrong; where they are at odds with one another, items are hard. A mixture says
so: every item is of one of K kinds of difficulty, which differ in how the votes fall on the truth,
the favourite wrong option and the rest; with a chance of its subject's own, the gold is wrong, and
the option that most models chose takes the part of the truth (after Dawid and Skene 1979, with a
noise rate for each group and shrinkage to the whole). It is fitted by EM to the votes alone.

Wrong options are written to resemble the right one, and models that are taken in choose the one
that resembles it; a key that slipped points anywhere. So the less the suggested option is like the
gold, the likelier the gold is wrong. How much that counts is the one number learnt from labels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

import numpy as np
import numpy.typing as npt

from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet

Floats = npt.NDArray[np.float64]
Choices = Mapping[str, Mapping[str, Sequence[int]]]
"""Model -> item id -> options chosen (places in the item's own order), one for each asking."""

KINDS: Final = (3, 4, 5)
"""Numbers of kinds of difficulty; their log-odds are averaged, so that none need be chosen."""
STARTS: Final = ((0.97, 0.02), (0.85, 0.10), (0.60, 0.30), (0.35, 0.50), (0.05, 0.90))
"""Where EM begins: shares of votes on the truth and on the favourite wrong option."""
MIX: Final = (0.70, 0.12, 0.09, 0.06, 0.03)
WRONG, RIGHT = 1.0, 40.0
"""Beta prior of a subject's rate of wrong golds: one in forty."""
SHRINK: Final = 40.0
"""Items' worth of the whole set in each subject's mixture of difficulties."""
ROUNDS: Final = 100
DIGITS: Final = 6
"""Of a probability; what differs less is tied."""
UNLIKE: Final = 4.0
"""Log-odds between a suggestion that shares no text with the gold and one that is the same: the
best on MMLU-Redux (docs/check.md has what it does on subjects that it was not chosen on)."""
COMPARED: Final = 200
"""Characters of an option that are compared."""
FEWEST: Final = 3
"""Different models below which agreement says too little."""
SAME: Final = 0.995
"""Share of equal answers from which two models are taken for one."""
SAME_ITEMS: Final = 50


@dataclass(frozen=True, slots=True)
class LabelError:
    """An item whose gold is doubted.

    Attributes:
        item: its id.
        gold, suggested: options, from 0: the gold, and what most models chose instead.
        probability: that the gold is wrong, 0 to 1, as the mixture sees it. It ranks items well
            and is not calibrated: most items at 0.5 are merely hard.
        agreement: share of the models' votes on `suggested`.
        right: share of the votes on the gold.
        item_total: correlation of being right on the item with the models' other scores; None
            where all do alike. Negative where the better models are the ones that miss.
        models: different models that answered.
    """

    item: str
    gold: int
    suggested: int
    probability: float
    agreement: float
    right: float
    item_total: float | None
    models: int


@dataclass(frozen=True)
class LabelErrors:
    """The doubted golds, most likely first.

    Attributes:
        found: items on which at least one vote fell on another option than the gold.
        n: items that enough models answered.
        models: the different models that voted.
        same: groups of models that gave nearly all the same answers; each votes as one.
    """

    found: tuple[LabelError, ...]
    n: int
    models: tuple[str, ...]
    same: tuple[tuple[str, ...], ...]


def label_errors(items: ItemSet, choices: Choices) -> LabelErrors:
    """Rank items by how likely their gold is wrong.

    Several answers of a model to an item (other orders, other samples) share its one vote, so
    that an answer which does not survive another order counts less.

    Raises:
        UsageError: fewer than three different models answered.
    """
    groups = same_models(choices)
    voting = [group[0] for group in groups]
    if len(voting) < FEWEST:
        merged = "".join(f" {' and '.join(g)} count as one." for g in groups if len(g) > 1)
        raise UsageError(
            f"{len(voting)} different models answered; label errors need at least {FEWEST}."
            f"{merged}",
            hint="Give more files of answers with --responses.",
        )
    asked, votes = _votes(items, {model: choices[model] for model in voting})
    if not asked:
        raise UsageError(f"No item was answered by {FEWEST} models.")
    odds = _log_odds(asked, votes) - UNLIKE * _likeness(asked, votes)
    total = _item_totals(asked, votes)
    rows = (_row(item, v, o, t) for item, v, o, t in zip(asked, votes, odds, total, strict=True))
    found = _ranked(items, list(filter(None, rows)))
    same = tuple(group for group in groups if len(group) > 1)
    return LabelErrors(tuple(found), len(asked), tuple(voting), same)


def _ranked(items: ItemSet, rows: Sequence[LabelError]) -> list[LabelError]:
    """Most likely first. Of equally likely ones first those that more models agree on, fewer take
    for right, and better models miss; then one of each subject after the other."""

    def likely(row: LabelError) -> tuple[float, ...]:
        odds = round(row.probability, DIGITS), row.agreement, -row.right, -(row.item_total or 0)
        return tuple(-value for value in odds)

    before: Counter[tuple[str | None, tuple[float, ...]]] = Counter()
    keys = {}
    for row in rows:
        tied = items.by_id[row.item].subject, likely(row)
        keys[row.item] = (*likely(row), before[tied])
        before[tied] += 1
    return sorted(rows, key=lambda row: keys[row.item])


def same_models(choices: Choices) -> list[tuple[str, ...]]:
    """Models in groups that gave the same answers to nearly all items that both answered."""
    groups: list[tuple[str, ...]] = []
    for model, given in choices.items():
        for at, group in enumerate(groups):
            other = choices[group[0]]
            both = given.keys() & other.keys()
            equal = sum(list(given[item]) == list(other[item]) for item in both)
            if len(both) >= SAME_ITEMS and equal >= SAME * len(both):
                groups[at] = (*group, model)
                break
        else:
            groups.append((model,))
    return groups


def _votes(items: ItemSet, choices: Choices) -> tuple[list[Item], list[Floats]]:
    """Items that enough models answered, and their votes, (models, options) each; the votes of
    a model sum to 1, or to 0 where it has no answer."""
    asked, votes = [], []
    for item in items:
        if item.gold is None:
            continue
        table = np.zeros((len(choices), len(item.options)))
        for row, given in zip(table, choices.values(), strict=True):
            chosen = [at for at in given.get(item.id, ()) if 0 <= at < len(item.options)]
            for at in chosen:
                row[at] += 1 / len(chosen)
        if np.count_nonzero(table.sum(axis=1)) >= FEWEST:
            asked.append(item)
            votes.append(table)
    return asked, votes


def _row(item: Item, votes: Floats, odds: float, total: float | None) -> LabelError | None:
    assert item.gold is not None
    shares = votes.sum(axis=0) / votes.sum()
    suggested = _suggested(item, shares)
    if shares[suggested] <= 0 or suggested == item.gold:
        return None
    return LabelError(
        item.id,
        item.gold,
        suggested,
        float(1 / (1 + np.exp(-odds))),
        float(shares[suggested]),
        float(shares[item.gold]),
        total,
        int(np.count_nonzero(votes.sum(axis=1))),
    )


def _suggested(item: Item, tally: Floats) -> int:
    """The option that got most votes beside the gold."""
    return int(np.where(np.arange(len(tally)) == item.gold, -1.0, tally).argmax())


def _likeness(asked: Sequence[Item], votes: Sequence[Floats]) -> Floats:
    """Share of characters that the suggested option has in common with the gold (Ratcliff and
    Obershelp), less the mean of all items on which a vote fell on another option than the gold."""
    shares = np.zeros(len(asked))
    doubted = np.zeros(len(asked), bool)
    for at, (item, table) in enumerate(zip(asked, votes, strict=True)):
        tally = table.sum(axis=0)
        suggested = _suggested(item, tally)
        doubted[at] = tally[suggested] > 0 and suggested != item.gold
        if doubted[at]:
            gold, other = (item.options[n].lower()[:COMPARED] for n in (item.gold or 0, suggested))
            shares[at] = SequenceMatcher(None, gold, other, autojunk=False).ratio()
    return np.where(doubted, shares - shares[doubted].mean() if doubted.any() else 0.0, 0.0)


def _item_totals(asked: Sequence[Item], votes: Sequence[Floats]) -> list[float | None]:
    """Correlation over models of being right on an item with the share right on the others."""
    right = np.array([v[:, i.gold or 0] for i, v in zip(asked, votes, strict=True)])
    answered = np.array([v.sum(axis=1) > 0 for v in votes])
    sums, counts = right.sum(axis=0), answered.sum(axis=0)
    found: list[float | None] = []
    for mine, known in zip(right, answered, strict=True):
        rest = ((sums - mine) / np.maximum(counts - known, 1))[known]
        varies = np.ptp(mine[known]) > 0 and np.ptp(rest) > 0
        found.append(float(np.corrcoef(mine[known], rest)[0, 1]) if varies else None)
    return found


def _log_odds(asked: Sequence[Item], votes: Sequence[Floats]) -> Floats:
    """Log-odds of a wrong gold, averaged over the numbers of kinds."""
    subjects: defaultdict[str | None, int] = defaultdict()
    subjects.default_factory = subjects.__len__
    places = np.array([subjects[item.subject] for item in asked])
    sound = np.empty((len(asked), 3))
    wrong = np.empty((len(asked), 3))
    for at, (item, table) in enumerate(zip(asked, votes, strict=True)):
        tally = table.sum(axis=0)
        gold = tally[item.gold or 0]
        best, second = [*np.sort(np.delete(tally, item.gold or 0))[::-1], 0.0][:2]
        sound[at] = gold, best, tally.sum() - gold - best
        rival = max(gold, second)
        wrong[at] = best, rival, tally.sum() - best - rival
    fitted = np.array([_fit(sound, wrong, places, kinds) for kinds in KINDS])
    return np.asarray(fitted.mean(axis=0), np.float64)


def _fit(sound: Floats, wrong: Floats, subject: npt.NDArray[np.int64], kinds: int) -> Floats:
    """EM; `sound` and `wrong` are the votes on the truth, the favourite wrong option and the
    rest, (items, 3), if the gold is right and if the best other option is."""
    shares = np.array([(t, w, 1 - t - w) for t, w in STARTS[:kinds]]) + 1e-3
    n = int(subject.max()) + 1
    mixture = np.tile(np.array(MIX[:kinds]) / sum(MIX[:kinds]), (n, 1))
    rate = np.full(n, WRONG / (WRONG + RIGHT))
    size = np.bincount(subject, minlength=n)
    for _ in range(ROUNDS):
        logs = np.log(shares).T
        if_sound = np.log(mixture[subject]) + np.log1p(-rate[subject])[:, None] + sound @ logs
        if_wrong = np.log(mixture[subject]) + np.log(rate[subject])[:, None] + wrong @ logs
        top = np.maximum(if_sound.max(axis=1), if_wrong.max(axis=1))[:, None]
        p_sound, p_wrong = np.exp(if_sound - top), np.exp(if_wrong - top)
        whole = (p_sound + p_wrong).sum(axis=1, keepdims=True)
        p_sound, p_wrong = p_sound / whole, p_wrong / whole
        doubted = np.bincount(subject, p_wrong.sum(axis=1), n)
        rate = (doubted + WRONG) / (size + WRONG + RIGHT)
        counts = np.stack([np.bincount(subject, c, n) for c in (p_sound + p_wrong).T], axis=1)
        mixture = counts + SHRINK * counts.sum(axis=0) / counts.sum() + 1e-6
        mixture /= mixture.sum(axis=1, keepdims=True)
        shares = p_sound.T @ sound + p_wrong.T @ wrong + 1
        shares /= shares.sum(axis=1, keepdims=True)
    tiny = 1e-300
    odds = np.log(p_wrong.sum(axis=1) + tiny) - np.log(p_sound.sum(axis=1) + tiny)
    return np.asarray(odds, np.float64)
