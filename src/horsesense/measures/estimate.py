"""From cells to estimates: every measure on every cell, with intervals, tests and signatures.

The rows of a measure are added up per cluster; the family that it declares for each of its groups
says what follows from them (`measures.families`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.measures import families, lost
from horsesense.measures.base import Estimate, Floats, Measure, Rows, weighted_mean
from horsesense.measures.cells import Bundles, Cell, NearNames, People, Subjects
from horsesense.measures.families import Answers, Crossed, Family, Items, PairEvidence
from horsesense.measures.people import over_people
from horsesense.measures.signature import Signature
from horsesense.rng import seed_of
from horsesense.stats.change import Change
from horsesense.stats.multiplicity import holm
from horsesense.stats.power import minimum_detectable
from horsesense.stats.share import Share
from horsesense.stats.smooth import ROUNDING
from horsesense.stats.two_way import by_cluster
from horsesense.stats.words import percent
from horsesense.trials.condition import Condition


@dataclass(frozen=True)
class Context:
    """What all estimates of a study have in common.

    Attributes:
        dataset, model: names for tables.
        cluster: cluster number of each item, (items,).
        signature: (probe, condition, reader, measure) -> signature.
        subject, subjects: number of each item's subject, (items,), and their names; empty where
            the items name none.
        near: whether another class name is near that of the item's class, (items,); None where
            no two names are.
        tested: probes whose difference from the original is a finding; Holm's family.
        level: of the intervals.
        seed: of the permutations behind null values.
    """

    dataset: str
    model: str
    cluster: npt.NDArray[np.intp]
    signature: Callable[[str, Condition, str, str], Signature]
    tested: frozenset[str] = frozenset()
    subject: npt.NDArray[np.intp] | None = None
    subjects: tuple[str, ...] = ()
    near: npt.NDArray[np.bool_] | None = None
    level: float = 0.95
    seed: int = 0

    @property
    def n_clusters(self) -> int:
        return int(self.cluster.max(initial=-1)) + 1


class Job(NamedTuple):
    """One measure on one of its cells, its rows added up per cluster, and in all."""

    measure: Measure
    cell: Cell
    rows: Rows
    sums: Floats
    totals: Floats


NO_TRIAL = "no trial to count"
NOT_APART = (
    "no range and no p: drawn as if trials were independent, but some share an item, a text, a "
    "prompt or a person"
)
NO_RANGE = "no interval: values drawn without an effect do not vary"


class LeftOpen(NamedTuple):
    """What missing replies leave open of a share or a paired difference (`measures.lost`).

    Attributes:
        low, high: behind the lowest and the highest that it can be.
        baseline: what guessing gives to the items in both, those that lack replies too.
    """

    low: Share | Change
    high: Share | Change
    baseline: float | None


class Computed(NamedTuple):
    """An estimate, and the share or paired difference behind it where it is one of them.

    `unknown` finds what missing replies leave open of it; None where none is missing, or nothing
    is known of what they could be.
    """

    estimate: Estimate
    about: Share | Change | None = None
    unknown: Callable[[], LeftOpen | None] | None = None


def found_all(
    cells: Sequence[Cell], measures: Iterable[Measure], context: Context
) -> list[Computed]:
    """Estimates of all measures that are defined, and a row with a reason for each that is not.

    Contrasts with the original are adjusted by Holm's method over the probes of a reader.
    """
    if context.subject is not None:
        subject, names = context.subject, context.subjects
        cells = [c.having(Subjects(subject[c.item], names)) for c in cells]
    if context.near is not None:
        near = context.near[:, None]
        cells = [c.having(NearNames(near[c.item] & c.asked)) for c in cells]
    found: list[Computed] = []
    for measure, whole in ((m, cell) for m in measures for cell in m.cells(cells)):
        cell, rows = _rows(measure, whole)
        if isinstance(rows, str):
            found.append(Computed(_blank(measure, cell, context, "")._replace(note=rows)))
            continue
        sums = by_cluster(rows.rows, context.cluster[cell.item], context.n_clusters)
        found += _estimates(Job(measure, cell, rows, sums, sums.sum(axis=0)), context)
    return _adjusted(_in_order(found, cells), context)


def _rows(measure: Measure, cell: Cell) -> tuple[Cell, Rows | str]:
    """What a measure is about, and its rows, or the reason why there are none.

    Every installed measure is computed in every audit: one of another package that fails must not
    take the audit of somebody who never asked for it with it. A fault of our own is raised.
    """
    try:
        reason = measure.undefined_reason(cell)
        if reason:
            return cell, reason
        cell = measure.about(cell)
        rows = measure.mapped(cell)
        return cell, over_people(measure, cell, rows) if People in cell else rows
    except Exception as error:
        if type(measure).__module__.startswith("horsesense."):
            raise
        return cell, f"the plug-in failed: {type(error).__name__}: {error}"


def _in_order(found: Iterable[Computed], cells: Sequence[Cell]) -> list[Computed]:
    """Estimates by cell, in the order of the cells; those of joined cells at the end."""
    place = {(c.probe, c.condition, c.reader): number for number, c in enumerate(cells)}

    def number(one: Computed) -> int:
        e = one.estimate
        return place.get((e.probe, e.condition, e.reader), len(place))

    return sorted(found, key=number)


def _estimates(job: Job, context: Context) -> Iterator[Computed]:
    """One estimate per group of the measure, and one of its null where it has one."""
    measure, cell = job.measure, job.cell
    values = measure.value(job.totals)
    baselines = measure.baselines(cell)
    shared = _shared(job, context)
    each = [_over_both(family, job) for family in measure.families(cell)]
    units = measure.units or [measure.unit] * len(each)
    for place, group in enumerate(measure.groups(cell)):
        value = float(values[place])
        n, missing = _counts(job, place)
        blank = _blank(measure, cell, context, group)
        blank = blank._replace(unit=units[place], n=n, n_missing=missing)
        if np.isnan(value):
            yield Computed(blank._replace(note=NO_TRIAL))
            continue
        found = each[place].infer(_evidence(job, place, shared, context), context.level)
        estimate = blank._replace(
            value=value,
            low=found.low,
            high=found.high,
            interval=found.how,
            baseline=baselines[place],
            p_value=found.p_value,
            note="; ".join(filter(None, (found.note, _range_of(job, place)))),
        )
        open_to = found.about is not None and shared is None and lost.lacks(cell)
        unknown = cache(partial(_unknown, job, place, context)) if open_to else None
        yield Computed(estimate, found.about, unknown)
    yield from _null(job, context)


def _range_of(job: Job, place: int) -> str:
    """Where a measure says so: between what values it lies, whatever the missing replies were."""
    if not (job.measure.tells_range and lost.lacks(job.cell)):
        return ""
    if (ends := lost.ends(job.measure, job.cell, place)) is None:
        return ""
    low, high = (percent(job.measure.value(end.rows.sum(axis=0))[place]) for end in ends)
    return f"{low} to {high}, whatever the missing replies were"


def _unknown(job: Job, place: int, context: Context) -> LeftOpen | None:
    """What missing replies leave open of one value."""
    measure, cell = job.measure, job.cell
    ends = lost.ends(measure, cell, place)
    if ends is None:
        return None
    family, cluster = measure.families(cell)[place], context.cluster[cell.item]

    def behind(rows: Rows) -> Share | Change | None:
        sums = by_cluster(rows.rows, cluster, context.n_clusters)
        evidence = _evidence(job._replace(rows=rows, sums=sums), place, None, context)
        return family.infer(evidence, context.level).about

    least, most = map(behind, ends)
    if least is None or most is None:
        return None
    chances, (_, weight) = measure.chances(cell), measure.split(ends.low.rows)
    baseline = None if chances is None else weighted_mean(chances, weight[:, place])
    return LeftOpen(least, most, baseline)


def _counts(job: Job, place: int) -> tuple[int, int]:
    """How many trials a group counts, and misses: its own, where groups have trials of their own
    and the measure knows them."""
    rows, measure = job.rows, job.measure
    if not measure.apart:
        return rows.n, rows.n_missing
    n = round(float(measure.split(job.totals)[1][place]))
    return n, rows.n_missing if rows.missing is None else rows.missing[place]


def _over_both(family: Family, job: Job) -> Family:
    """The family of a statistic of people's answers, which must allow for items and people."""
    if People not in job.cell:
        return family
    if job.rows.crossed is not None:
        return family if isinstance(family, families.SHARING) else families.UNKNOWN_OF_PEOPLE
    return families.ANSWERS


def _evidence(job: Job, place: int, shared: Crossed | None, context: Context) -> PairEvidence:
    measure = job.measure
    low, high = measure.limits(job.cell)

    def value(totals: Floats) -> Floats:
        return measure.value(totals)[..., place]

    def ratio(totals: Floats) -> tuple[Floats, Floats]:
        above, below = measure.split(totals)
        return above[..., place], below[..., place]

    weighted = _weighted(job, place, context)
    cluster = context.cluster[job.cell.item]
    items = Items(job.rows.rows, cluster)
    return PairEvidence(job.sums, value, ratio, low, high, shared, weighted, items)


def _weighted(job: Job, place: int, context: Context) -> Answers | None:
    """Answers of people to several forms with both their clusters; None of anything else."""
    if job.rows.answers is None:
        return None
    weight, right, centre, item, person = job.rows.answers
    clusters = context.cluster[job.cell.item[item]]
    used = weight[:, place] != 0
    each = (weight[:, place], right, centre, clusters, person)
    return Answers(*(values[used] for values in each))


def _shared(job: Job, context: Context) -> Crossed | None:
    """The single outcomes with both their clusters; None where items share no prompts."""
    crossed = job.rows.crossed
    if crossed is None or not len(crossed.rows):
        return None
    name = "people" if People in job.cell else "prompts"
    return crossed._replace(item=context.cluster[job.cell.item[crossed.item]], name=name)


def _null(job: Job, context: Context) -> Iterator[Computed]:
    """What a measure is when there is no effect: mean, 95 % range, and p of the observed value.

    No range where draws do not vary, as where every confidence is 1; their p is exact all the same.
    Neither where trials that were drawn one by one share a cluster, a prompt or a person.
    """
    measure, cell = job.measure, job.cell
    seed = seed_of(context.seed, f"{cell.probe}|{cell.condition}|{cell.reader}", measure.name)
    null = measure.null(cell, seed) if job.rows.n else None
    if null is None:
        return
    observed = float(measure.value(job.totals)[0])
    low, high = (float(q) for q in np.quantile(null, [0.025, 0.975]))
    varies = high - low > ROUNDING
    apart = _apart(job, context)
    shown = varies and apart
    [group] = measure.groups(cell)
    estimate = _blank(measure, cell, context, group)._replace(
        measure=f"{measure.name}_null",
        value=float(null.mean()),
        low=low if shown else None,
        high=high if shown else None,
        n=job.rows.n,
        n_missing=job.rows.n_missing,
        interval=f"range of {len(null)} permutations" if shown else "",
        note=NOT_APART if not apart else "" if varies else NO_RANGE,
        p_value=float((1 + (null >= observed).sum()) / (1 + len(null))) if apart else None,
    )
    yield Computed(estimate)


def _apart(job: Job, context: Context) -> bool:
    """Whether the trials that a null value draws one by one are independent."""
    if Bundles in job.cell or People in job.cell:
        return False
    drawn = job.measure.drawn(job.cell, job.rows)[:, None]
    cluster = context.cluster[job.cell.item]
    return bool(by_cluster(drawn, cluster, context.n_clusters).max() <= 1)


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


def _adjusted(found: Sequence[Computed], context: Context) -> list[Computed]:
    """Holm's correction over the tested probes, per measure and reader, and what would be found.

    The minimum detectable effect is that at the level which the correction leaves to the first of
    its family.
    """
    estimates = [one.estimate for one in found]
    together: dict[tuple[str, str], list[int]] = {}
    for place, e in enumerate(estimates):
        tested = e.probe in context.tested and not e.measure.endswith("_null")
        if e.p_value is not None and tested:
            together.setdefault((e.measure, e.reader), []).append(place)
    tests = [1] * len(estimates)
    for places in together.values():
        p_values = [estimates[place].p_value or 0.0 for place in places]
        for place, adjusted in zip(places, holm(p_values), strict=True):
            estimates[place] = estimates[place]._replace(p_adjusted=adjusted)
            tests[place] = len(places)
    for place, (_, about, _) in enumerate(found):
        if isinstance(about, Change):
            alpha = (1 - context.level) / tests[place]
            detectable = minimum_detectable(about, alpha)
            estimates[place] = estimates[place]._replace(detectable=detectable)
    return [one._replace(estimate=e) for one, e in zip(found, estimates, strict=True)]
