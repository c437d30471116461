"""From cells to estimates: every measure on every cell, with intervals, tests and signatures.

The bootstrap is shared: the per-cluster rows of many measures stand side by side in one matrix,
which is multiplied once with the resampling counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Crossed, Estimate, Floats, Measure, Rows
from horsesense.measures.cells import Cell, Subjects
from horsesense.measures.signature import Signature
from horsesense.rng import seed_of
from horsesense.stats.bootstrap import Resampler, by_cluster, expanded_tail
from horsesense.stats.multiplicity import holm
from horsesense.stats.tests import smallest_detectable, wilson
from horsesense.stats.two_way import influences, plain_interval, share_interval, two_way_se
from horsesense.trials.condition import Condition

BLOCK = 100
"""Columns that are resampled together; bounds memory at 100 x clusters x 8 bytes."""

ROUNDING = 1e-9
"""A standard error below this is one of 0, computed in floating point."""


@dataclass(frozen=True)
class Context:
    """What all estimates of a study have in common.

    Attributes:
        dataset, model: names for tables.
        cluster: cluster number of each item, (items,).
        signature: (probe, condition, reader, measure) -> signature.
        subject, subjects: number of each item's subject, (items,), and their names; empty where
            the items name none.
        tested: probes whose difference from the original is a finding; Holm's family.
        draws, level, seed: of the bootstrap.
    """

    dataset: str
    model: str
    cluster: npt.NDArray[np.intp]
    signature: Callable[[str, Condition, str, str], Signature]
    tested: frozenset[str] = frozenset()
    subject: npt.NDArray[np.intp] | None = None
    subjects: tuple[str, ...] = ()
    draws: int = 1000
    level: float = 0.95
    seed: int = 0

    @property
    def n_clusters(self) -> int:
        return int(self.cluster.max(initial=-1)) + 1


class Job(NamedTuple):
    """One measure on one of its cells, its rows added up per cluster."""

    measure: Measure
    cell: Cell
    sums: Floats
    n: int
    n_missing: int
    crossed: Crossed | None = None


def estimate_all(
    cells: Sequence[Cell], measures: Iterable[Measure], context: Context
) -> list[Estimate]:
    """Estimates of all measures that are defined, and a row with a reason for each that is not.

    Contrasts with the original are adjusted by Holm's method over the probes of a reader.
    """
    if context.subject is not None:
        subject, names = context.subject, context.subjects
        cells = [c.having(Subjects(subject[c.item], names)) for c in cells]
    resampler = Resampler(context.n_clusters, context.draws, context.seed)
    estimates: list[Estimate] = []
    jobs: list[Job] = []
    for measure, cell in ((m, cell) for m in measures for cell in m.cells(cells)):
        rows = _rows(measure, cell)
        if isinstance(rows, str):
            estimates.append(_undefined(measure, cell, context, rows))
            continue
        sums = by_cluster(rows.rows, context.cluster[cell.item], context.n_clusters)
        jobs.append(Job(measure, cell, sums, rows.n, rows.n_missing, rows.crossed))
        if sum(job.sums.shape[1] for job in jobs) > BLOCK:
            estimates += _finished(jobs, resampler, context)
            jobs = []
    estimates += _finished(jobs, resampler, context)
    return _adjusted(_in_order(estimates, cells), context.tested)


def _rows(measure: Measure, cell: Cell) -> Rows | str:
    """The rows of a measure, or the reason why there are none.

    Every installed measure is computed in every audit: one of another package that fails must not
    take the audit of somebody who never asked for it with it. A fault of our own is raised.
    """
    try:
        return measure.undefined_reason(cell) or measure.rows(cell)
    except Exception as error:
        if type(measure).__module__.startswith("horsesense."):
            raise
        return f"the plug-in failed: {type(error).__name__}: {error}"


def _in_order(estimates: Iterable[Estimate], cells: Sequence[Cell]) -> list[Estimate]:
    """Estimates by cell, in the order of the cells; those of joined cells at the end."""
    place = {(c.probe, c.condition, c.reader): number for number, c in enumerate(cells)}
    return sorted(estimates, key=lambda e: place.get((e.probe, e.condition, e.reader), len(place)))


def _finished(jobs: Sequence[Job], resampler: Resampler, context: Context) -> Iterator[Estimate]:
    if not jobs:
        return
    totals = resampler.totals(np.concatenate([job.sums for job in jobs], axis=1))
    start = 0
    for job in jobs:
        end = start + job.sums.shape[1]
        yield from _estimates(job, totals[:, start:end], context)
        start = end


def _estimates(job: Job, totals: Floats, context: Context) -> Iterator[Estimate]:
    """One estimate per group of the measure; `totals` are those of the resamples."""
    measure, cell = job.measure, job.cell
    values = measure.value(job.sums.sum(axis=0))
    drawn = measure.value(totals)
    seed = seed_of(context.seed, f"{cell.probe}|{cell.condition}|{cell.reader}", measure.name)
    p_value = measure.p_value(cell, job.sums, seed) if job.n else None
    baseline = measure.baseline(cell)
    errors = _errors(job, context)
    for place, group in enumerate(measure.groups(cell)):
        value = float(values[place])
        blank = _blank(measure, cell, context, group)
        if np.isnan(value):
            yield replace(blank, n=job.n, n_missing=job.n_missing, note="no trial to count")
            continue
        se = None if errors is None else float(errors[place])
        if se is None:
            low, high, how = _interval(job, value, drawn[:, place], context.level)
        else:
            low, high, how = _crossed_interval(job, value, se, context)
        yield replace(
            blank,
            value=value,
            low=low,
            high=high,
            n=job.n,
            n_missing=job.n_missing,
            interval=how,
            baseline=baseline,
            p_value=p_value,
            detectable=_detectable(job, se) if measure.difference else None,
        )
    null = measure.null(cell, seed) if job.n else None
    if null is not None:
        yield _null(job, null, context)


def _errors(job: Job, context: Context) -> Floats | None:
    """Standard errors of crossed outcomes, one per group; None where items share no prompts."""
    if job.crossed is None or not len(job.crossed.rows):
        return None
    moved = influences(job.crossed.rows, job.measure.value)
    cluster = context.cluster[job.cell.item[job.crossed.item]]
    return two_way_se(moved, cluster, job.crossed.bundle)


def _crossed_interval(
    job: Job, value: float, se: float, context: Context
) -> tuple[float, float, str]:
    """Interval that allows for outcomes that go together by item and by prompt.

    Outcomes that are all alike have no width of their own: Wilson's interval for the smaller
    number of clusters then says how far the truth may be.
    """
    assert job.crossed is not None
    items = len(np.unique(context.cluster[job.cell.item[job.crossed.item]]))
    prompts = len(np.unique(job.crossed.bundle))
    few, how = min(items, prompts), f"two-way({items} items, {prompts} prompts)"
    share = job.measure.unit == "fraction" and not job.measure.difference
    if not se > ROUNDING:
        reach = wilson(0, few, context.level)[1] if job.measure.unit == "fraction" else 0.0
        floor = 0.0 if share else -1.0
        return max(floor, value - reach), min(1.0, value + reach), f"wilson({few} clusters)"
    if share and 0 < value < 1:
        return *share_interval(value, se, few, context.level), how
    return *plain_interval(value, se, few, context.level), how


def _interval(job: Job, value: float, drawn: Floats, level: float) -> tuple[float, float, str]:
    """Wilson for single outcomes in clusters of one; else the bootstrap over clusters.

    A bootstrap of outcomes that are all alike has no width; Wilson's interval for the number of
    clusters then says how far the truth may be.
    """
    used = np.any(job.sums != 0, axis=1)
    clusters = int(used.sum())
    if job.measure.proportion and _single_outcomes(job.sums):
        low, high = wilson(job.sums[:, 0].sum(), job.sums[:, 1].sum(), level)
        return low, high, "wilson"
    tail = expanded_tail(clusters, level)
    drawn = drawn[~np.isnan(drawn)]
    low, high = (float(q) for q in np.quantile(drawn, [tail, 1 - tail]))
    if low == high and job.measure.unit == "fraction":
        reach = wilson(0, clusters, level)[1]
        floor = -1.0 if job.measure.difference else 0.0
        return max(floor, value - reach), min(1.0, value + reach), "wilson(clusters)"
    return low, high, f"bootstrap({clusters} clusters)"


def _single_outcomes(sums: Floats) -> bool:
    """Whether every cluster holds one outcome, right or wrong, and nothing in between."""
    return bool((sums[:, 1] <= 1).all() and np.isin(sums[:, 0], (0.0, 1.0)).all())


def _detectable(job: Job, se: float | None = None) -> float | None:
    """Smallest change that this many items would show with 80 % power; None without variation."""
    if se is not None:
        return smallest_detectable(se) if se > 0 else None
    n = job.sums[:, 1].sum()
    if n == 0:
        return None
    residuals = job.sums[:, 0] - job.sums[:, 1] * job.sums[:, 0].sum() / n
    se = float(np.sqrt((residuals**2).sum()) / n)
    return smallest_detectable(se) if se > 0 else None


def _null(job: Job, null: Floats, context: Context) -> Estimate:
    """What a measure is when there is no effect: mean, 95 % range, and p of the observed value."""
    observed = float(job.measure.value(job.sums.sum(axis=0))[0])
    low, high = (float(q) for q in np.quantile(null, [0.025, 0.975]))
    return replace(
        _blank(job.measure, job.cell, context, ""),
        measure=f"{job.measure.name}_null",
        value=float(null.mean()),
        low=low,
        high=high,
        n=job.n,
        n_missing=job.n_missing,
        interval=f"range of {len(null)} permutations",
        p_value=float((1 + (null >= observed).sum()) / (1 + len(null))),
    )


def _blank(measure: Measure, cell: Cell, context: Context, group: str) -> Estimate:
    return Estimate(
        measure=measure.name,
        value=None,
        low=None,
        high=None,
        level=context.level,
        n=0,
        n_missing=cell.n_missing,
        counted=measure.counted,
        unit=measure.unit,
        dataset=context.dataset,
        model=context.model,
        probe=cell.probe,
        condition=cell.condition,
        reader=cell.reader,
        group=group,
        signature=context.signature(cell.probe, cell.condition, cell.reader, measure.name),
    )


def _undefined(measure: Measure, cell: Cell, context: Context, reason: str) -> Estimate:
    return replace(_blank(measure, cell, context, ""), note=reason)


def _adjusted(estimates: list[Estimate], tested: frozenset[str]) -> list[Estimate]:
    """Holm's correction over the tested probes, per measure and reader."""
    families: dict[tuple[str, str], list[int]] = {}
    for place, e in enumerate(estimates):
        if e.p_value is not None and e.probe in tested and not e.measure.endswith("_null"):
            families.setdefault((e.measure, e.reader), []).append(place)
    for places in families.values():
        p_values = [estimates[place].p_value or 0.0 for place in places]
        for place, adjusted in zip(places, holm(p_values), strict=True):
            estimates[place] = replace(estimates[place], p_adjusted=adjusted)
    return estimates
