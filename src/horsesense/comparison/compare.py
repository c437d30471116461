"""Models compared on the items that their runs share, under every change that all went through.

One family of tests: each pair of models in each view, Holm's correction with half the weight on
the main view. What is said of ranks and of reversed pairs follows from it, so that all of it holds
together at the stated level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from horsesense.comparison.align import Side, differing_settings
from horsesense.comparison.aligned import aligned
from horsesense.comparison.views import LeftOut, ViewScores
from horsesense.measures.cells import Bools
from horsesense.measures.joined import ORIGINAL
from horsesense.readers.causes import TOO_MANY
from horsesense.rng import seed_of
from horsesense.stats.change import TOO_FEW
from horsesense.stats.power import minimum_detectable
from horsesense.stats.ranks import (
    directed,
    errors_of,
    rank_intervals,
    ranks,
    tau,
    tau_at_most,
    tau_by_sampling,
)
from horsesense.stats.words import OneLine, percent, plural

MAIN_WEIGHT = 0.5
"""Share of the error that the main view may spend; the rest is shared by all others."""


@dataclass(frozen=True)
class Standing:
    """A model in one view.

    Attributes:
        view, model: which.
        value, low, high: its score with the interval for it alone.
        n: shared items.
        rank: by the scores seen; equal scores share the mean of their ranks.
        rank_low, rank_high: ranks that it may have, for all models and views together; None
            where the view does not rank.
    """

    view: str
    model: str
    value: float
    low: float | None
    high: float | None
    n: int
    rank: float
    rank_low: int | None = None
    rank_high: int | None = None


@dataclass(frozen=True)
class Difference:
    """Two models in one view, item by item.

    Attributes:
        view, first, second: which.
        value, low, high: score of the first minus that of the second on the items that both have
            a score for, or the nearest that can be true whatever the missing replies are; with its
            interval at the level that is left after correction, whatever they are.
        p_value: of no difference, whatever the missing replies are.
        p_adjusted: of the direction seen, after Holm's correction over all pairs and views.
        better: the better model; "" where that is undecided.
        n, clusters: items with a score of both, and independent ones.
        detectable: minimum detectable effect at the level that the correction leaves; None
            where none can be stated.
        note: why there is no interval.
        level: of the interval.
    """

    view: str
    first: str
    second: str
    value: float
    low: float | None
    high: float | None
    p_value: float | None
    p_adjusted: float | None
    better: str
    n: int
    clusters: int
    detectable: float | None
    note: str = ""
    level: float | None = None


@dataclass(frozen=True)
class OrderInView:
    """The order of the models in a view, against that in the main view.

    Attributes:
        view: which.
        tau: Kendall's tau-b of the two orders, -1 to 1; None where all models score the same.
        sampling_low: where tau would stay above by sampling alone, all views together.
        sampling_median: what it would be half of the time.
        p_value: of so little agreement by sampling alone.
        beyond: whether tau is below `sampling_low`, however ties are broken.
        reversed: pairs shown to be in one order in the main view and in the other here.
        kept: pairs decided in the main view and decided in the same way here.
        decided: pairs decided in the main view.
    """

    view: str
    tau: float | None
    sampling_low: float | None
    sampling_median: float | None
    p_value: float | None
    beyond: bool
    reversed: tuple[tuple[str, str], ...]
    kept: int
    decided: int

    @property
    def verdict(self) -> str:
        """changes, holds (every pair that is decided stays so), or undecided."""
        if self.reversed or self.beyond:
            return "changes"
        return "holds" if self.decided and self.kept == self.decided else "undecided"


@dataclass(frozen=True, repr=False)
class Comparison(OneLine):
    """What several runs say about their models; fields as in docs/compare.md.

    Attributes:
        measure: what models are compared by.
        models: in the order of their scores in the main view, best first.
        runs: model -> its runs, as they were named.
        reader: the main reader.
        level: of the intervals, and one minus the error of everything that is shown.
        items: shared items; `of` by run; `changed` ids with other texts or gold; `goldless` that
            have no right answer, where the measure takes one.
        views: name -> probe, the main view first.
        standings, differences, orders: see there.
        settings: settings that differ, by run.
        left_out: views that are not compared, and why.
        missing: items of each view that some model has no score for.
        stopped: runs, as they were named, in which asking stopped early.
        lost: model -> what became of its replies to the items as published, where too many of them
            say nothing of it.
    """

    measure: str
    models: tuple[str, ...]
    runs: Mapping[str, tuple[str, ...]]
    reader: str
    level: float
    items: Mapping[str, Any]
    views: Mapping[str, str]
    standings: tuple[Standing, ...]
    differences: tuple[Difference, ...]
    orders: tuple[OrderInView, ...]
    settings: tuple[tuple[str, Mapping[str, Any]], ...]
    left_out: tuple[LeftOut, ...]
    missing: Mapping[str, int]
    stopped: tuple[str, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        scores = self.by_view[self.main]
        told = ", ".join(f"{m} {percent(scores[m].value)}" for m in self.models)
        return f"{told} of {plural(self.items['shared'], 'shared item')}"

    @cached_property
    def by_view(self) -> dict[str, dict[str, Standing]]:
        """View -> model -> its standing."""
        found: dict[str, dict[str, Standing]] = {view: {} for view in self.views}
        for standing in self.standings:
            found[standing.view][standing.model] = standing
        return found

    @property
    def main(self) -> str:
        """The view that the others are compared with."""
        return next(iter(self.views))

    def between(self, first: str, second: str, view: str | None = None) -> Difference:
        """The difference of two models, the main view's by default; its sign is first - second.

        KeyError where there is none.
        """
        for d in self.differences:
            if d.view == (view or self.main) and {d.first, d.second} == {first, second}:
                return d if d.first == first else _turned(d)
        raise KeyError(f"{first} and {second} in {view or self.main}")

    def as_json(self) -> dict[str, Any]:
        """Every field by name."""
        return asdict(self) | {
            "views": [{"name": name, "probe": probe} for name, probe in self.views.items()],
            "orders": [asdict(row) | {"verdict": row.verdict} for row in self.orders],
            "settings": [{"name": name, "values": dict(v)} for name, v in self.settings],
            "left_out": [row._asdict() for row in self.left_out],
        }


def _turned(d: Difference) -> Difference:
    low, high = (None if end is None else -end for end in (d.high, d.low))
    return replace(d, first=d.second, second=d.first, value=-d.value, low=low, high=high)


def compare(
    sides: Sequence[Side],
    *,
    measure: str = "accuracy_as_graded",
    reader: str | None = None,
    across: bool = False,
    level: float = 0.95,
) -> Comparison:
    """Compare the models of several runs.

    Args:
        sides: the runs; several of one model are other prompts for it.
        measure: accuracy_as_graded, accuracy (of those read), or another of `COMPARED`.
        reader: by default the one that all runs have and most rest on.
        across: compare runs whose prompts differ; the difference is said.
        level: of the intervals, and one minus the chance of any wrong "better".

    Raises UsageError where fewer than two models, no item, no reader or no prompt is shared.
    """
    held = aligned(sides, measure, reader, across)
    models, scores = held.models, held.scores
    differences = list(_differences(models, scores, level))
    found = {(d.view, d.first, d.second): d for d in differences}
    decided = {s.label: _decided(models, s.label, found) for s in scores if s.ranked}
    ordered = [models[n] for n in np.argsort(-scores[0].means, kind="stable")]
    return Comparison(
        measure=measure,
        models=tuple(ordered),
        runs={m: tuple(s.place for s in held.sides if s.name == m) for m in ordered},
        reader=held.reader,
        level=level,
        items=held.items,
        views={s.label: s.view.probe for s in scores},
        standings=tuple(_standings(models, scores, decided, level)),
        differences=tuple(differences),
        orders=tuple(_orders(models, scores, decided, level)),
        settings=tuple(differing_settings(held.sides)),
        left_out=held.left_out,
        missing={s.label: s.n_missing for s in scores},
        stopped=held.stopped,
        lost=dict(_lost(held.sides)),
    )


def _lost(sides: Sequence[Side]) -> Iterator[tuple[str, str]]:
    for side in sides:
        loss = side.results.losses().get(ORIGINAL)
        if loss is not None and loss.share > TOO_MANY:
            yield side.name, loss.words


def weights(views: int, each: int = 1) -> list[float]:
    """The weight of each test: half for those of the main view, where there are others.

    >>> weights(3)
    [0.5, 0.25, 0.25]
    """
    others = views - 1
    if not others:
        return [1.0] * each
    return [MAIN_WEIGHT] * each + [(1 - MAIN_WEIGHT) / others] * (each * others)


def _differences(
    models: Sequence[str], scores: Sequence[ViewScores], level: float
) -> Iterator[Difference]:
    """Every pair in every view, adjusted together."""
    pairs = list(combinations(range(len(models)), 2))
    keys = [(view, one, other) for view in scores for one, other in pairs]
    studied = [view.pair(one, other) for view, one, other in keys]
    sides = [(pair.p_above(), pair.p_below()) for pair in studied]
    p_values = [
        None if pair.seen.reason else min(1.0, 2 * min(ps))
        for pair, ps in zip(studied, sides, strict=True)
    ]
    given = weights(len(scores), len(pairs))
    total = sum(w for w, p in zip(given, p_values, strict=True) if p is not None)
    adjusted = directed(p_values, given)
    for (view, one, other), pair, (above, below), p, corrected, weight in zip(
        keys, studied, sides, p_values, adjusted, given, strict=True
    ):
        shown = corrected is not None and corrected < 1 - level
        least = (1 - level) * weight / total if total else 1 - level
        # At the level that the correction leaves: it leaves out 0 where one is better.
        left = least
        if shown and p and corrected:
            left = max(left, (1 - level) * min(1.0, p / corrected))
        low, high = pair.interval(1 - left) or (None, None)
        yield Difference(
            view=view.label,
            first=models[one],
            second=models[other],
            value=pair.estimate,
            low=low,
            high=high,
            p_value=p,
            p_adjusted=corrected,
            better=(models[one] if above < below else models[other]) if shown else "",
            n=pair.n,
            clusters=pair.seen.clusters,
            detectable=minimum_detectable(pair.seen, least) if total and not view.several else None,
            note="" if low is not None else TOO_FEW,
            level=None if low is None else 1 - left,
        )


def _decided(
    models: Sequence[str], view: str, found: Mapping[tuple[str, str, str], Difference]
) -> Bools:
    """Whether each model is shown to beat each other in a view, (models, models)."""
    out = np.zeros((len(models), len(models)), dtype=bool)
    for one, other in combinations(range(len(models)), 2):
        better = found[view, models[one], models[other]].better
        out[one, other], out[other, one] = better == models[one], better == models[other]
    return out


def _standings(
    models: Sequence[str], scores: Sequence[ViewScores], decided: Mapping[str, Bools], level: float
) -> Iterator[Standing]:
    for view in scores:
        places = ranks(view.means)
        ends: list[tuple[int | None, int | None]] = [(None, None)] * len(models)
        if view.ranked:
            ends = list(rank_intervals(decided[view.label]))
        for number, model in enumerate(models):
            share = view.share(number)
            low, high = share.interval(level) or (None, None)
            place = float(places[number])
            yield Standing(
                view.label, model, share.estimate, low, high, view.n, place, *ends[number]
            )


def _orders(
    models: Sequence[str], scores: Sequence[ViewScores], decided: Mapping[str, Bools], level: float
) -> Iterator[OrderInView]:
    main, *rest = (view for view in scores if view.ranked)
    known = decided[main.label]
    for view in rest:
        here = decided[view.label]
        turned = tuple((models[a], models[b]) for a, b in np.argwhere(known & here.T))
        seen, most = tau(main.means, view.means), tau_at_most(main.means, view.means)
        drawn = None
        # What is drawn are items; how the order would vary with other people is not known.
        if seen is not None and len(models) > 2 and not view.people:
            errors = [errors_of(each.sums, each.pairs) for each in (main, view)]
            drawn = tau_by_sampling(
                most,
                main.means,
                np.column_stack(errors),
                (1 - level) / len(rest),
                seed_of(0, view.label, "rank"),
            )
        yield OrderInView(
            view=view.label,
            tau=seen,
            sampling_low=None if drawn is None else drawn.low,
            sampling_median=None if drawn is None else drawn.median,
            p_value=None if drawn is None else drawn.p_value,
            beyond=drawn is not None and most < drawn.low - 1e-12,
            reversed=turned,
            kept=int((known & here).sum()),
            decided=int(known.sum()),
        )
