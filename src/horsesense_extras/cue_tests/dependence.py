"""Do models use the cues? They do better where cues predict the label, among items of one label.

A classifier and a model that both favour one label agree more often on that label's items, with
or without a cue. So predictable and unpredictable items are compared label by label; what the
labels alone would explain is shown beside it. Interval and p are those of `within_strata`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeVar

import numpy as np
from scipy.stats import norm, ttest_rel
from scipy.stats import t as student

from horsesense.stats.multiplicity import benjamini_hochberg
from horsesense.stats.words import plural
from horsesense_extras.cue_tests.features import Bools, Floats, Ints
from horsesense_extras.cue_tests.result import PUBLISHED_LIMIT, CueResult, Dependence, FamilyTest
from horsesense_extras.cue_tests.task import Task

FEWEST: Final = 4.0
"""Clusters that must carry the difference where they matter at all."""
DRAWS: Final = 999
CHUNK: Final = 2_000_000
"""Values that are drawn at a time."""
R = TypeVar("R", Dependence, FamilyTest)

NO_PAIR: Final = "no label has items of both kinds"
ALIKE: Final = "all items of a label were answered alike"
FEW_CLUSTERS: Final = "too few independent groups to compare, or one of them holds too much"


class Difference(NamedTuple):
    """A difference of means: `p`, `low` and `high` are None where there is a `reason`."""

    estimate: float | None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def difference(
    values: Floats, first: Bools, strata: Ints, clusters: Ints, level: float = 0.95
) -> Difference:
    """Values of the first group less those of the other, in strata that have both.

    Args:
        values: each in [0, 1].
        first: whether each is of the first group.
        strata, clusters: numbers of each value's stratum and cluster.
        level: of the interval.
    """
    ones, others = (
        np.bincount(strata, kind, strata.max(initial=0) + 1) for kind in (first, ~first)
    )
    used = ((ones > 0) & (others > 0))[strata]
    if not used.any():
        return Difference(None, reason=NO_PAIR)
    values, first, number, own = values[used], first[used], strata[used], clusters[used]
    own = np.unique(own, return_inverse=True)[1]
    n1, n0 = ones[number], others[number]
    per_stratum = np.bincount(number)
    scale = float(np.sum(n1 * n0 / (n1 + n0) / per_stratum[number]))

    def less_mean(each: Floats, within: Ints) -> Floats:
        sizes = np.maximum(np.bincount(within), 1)
        return np.asarray(each - (np.bincount(within, each) / sizes)[within])

    apart, member = less_mean(values, number), less_mean(first.astype(float), number)
    estimate = min(max(float(apart[first].sum()) / scale, -1.0), 1.0)
    if (
        np.abs(apart).max() < 1e-9
    ):  # without spread there is no error, and no interval that could be pooled
        return Difference(estimate, reason=ALIKE)
    if _carrying(member, own) < FEWEST and own.max() + 1 < len(values):
        return Difference(estimate, reason=FEW_CLUSTERS)
    # By drawing: the sum over the first group, of memberships that clusters take with them.
    drawn = np.abs(_drawn(apart, first, number, own)) / scale
    by_draws = (1 + float(np.sum(drawn >= abs(estimate) - 1e-9))) / (DRAWS + 1)
    # By influence: values less their group's mean in the stratum.
    pulls = less_mean(values, 2 * number + first) * np.where(first, n0, -n1) / (n1 + n0) / scale
    sums = np.bincount(own, pulls)
    free = len(sums) - 1
    error = float(np.sqrt(np.sum(sums**2) * len(sums) / free))
    by_influence = 2 * float(student.sf(abs(estimate) / error, free)) if error > 0 else 0.0
    reach = float(np.sort(drawn)[-max(int((1 - level) * (DRAWS + 1)) - 1, 1)]) + 1e-9
    half = max(reach, float(student.ppf((1 + level) / 2, free)) * error)
    low, high = max(estimate - half, -1.0), min(estimate + half, 1.0)
    return Difference(estimate, max(by_draws, by_influence), low, high)


def _carrying(member: Floats, own: Ints) -> float:
    """How many clusters carry the difference (Kish 1965)."""
    carried = np.maximum(np.bincount(own, member) ** 2, np.bincount(own, member**2))
    return float(carried.sum() ** 2 / np.sum(carried**2))


def _drawn(apart: Floats, first: Bools, number: Ints, own: Ints) -> Floats:
    """Sums over the first group where clusters come in random order in each stratum.

    Memberships are laid down one after the other, so that those of a cluster stay neighbours.
    """
    rng = np.random.default_rng(0)  # fixed, so that p is
    laid = first[np.lexsort([own, number])].astype(float)
    found: list[Floats] = []
    for start in range(0, DRAWS, max(CHUNK // len(apart), 1)):
        size = min(max(CHUNK // len(apart), 1), DRAWS - start)
        lots = number + rng.random((size, own.max() + 1))[:, own]
        found.append(apart[np.argsort(lots, axis=1, kind="stable")] @ laid)
    return np.concatenate(found)


ALL_SETS: Final = "all data sets"

_FAMILIES: Final = {
    "OpenAI": r"openai|gpt-?[2-9]|gpt-oss|chatgpt|davinci|curie|babbage|\bada\b|\bo[134]\b",
    "Anthropic": r"anthropic|claude",
    "Google": r"google|gemini|gemma|palm|\bt5\b|flan",
    "Meta": r"meta|llama|\bopt\b",
    "Mistral": r"mistral|mixtral|ministral",
    "Alibaba": r"qwen|alibaba|qwq",
    "DeepSeek": r"deepseek",
    "Cohere": r"cohere|command",
    "AI21": r"ai21|jurassic|jamba|\bj[12]\b",
    "Aleph Alpha": r"aleph|luminous",
    "TII": r"\btii|falcon",
    "01-AI": r"01-ai|\byi\b",
    "Writer": r"writer|palmyra",
    "Microsoft": r"microsoft|\bphi\b",
}


@dataclass(frozen=True)
class Answers:
    """Which items a model answered right.

    Attributes:
        model: its name.
        right: item id -> 1 right, 0 wrong, a mean of several answers, or None: no readable answer.
    """

    model: str
    right: Mapping[str, float | None]


def family_of(model: str, families: Mapping[str, str] | None = None) -> str:
    """The maker of a model: as the user says, or guessed from its name, or the name itself.

    >>> family_of("text-davinci-003"), family_of("my-model", {"my-model": "ours"})
    ('OpenAI', 'ours')
    """
    if families and model in families:
        return families[model]
    lowered = model.lower().replace("_", " ")
    return next((f for f, p in _FAMILIES.items() if re.search(p, lowered)), model)


def depend(
    task: Task,
    items: Ints,
    by_cues: Floats,
    groups: Ints,
    answers: Sequence[Answers],
    families: Mapping[str, str] | None = None,
) -> tuple[tuple[Dependence, ...], tuple[Dependence, ...]]:
    """The dependence of each model and of each family on one data set.

    Args:
        task, items, groups: what was predicted.
        by_cues: share of repeats in which cues predict each item right; above one half it counts
            as predictable, and items at one half exactly are left out.
        answers: of each model.
        families: model -> family, for those that the name does not tell.
    """
    items, by_cues = items[by_cues != 0.5], by_cues[by_cues != 0.5]
    easy, gold, group = by_cues > 0.5, task.gold[items], groups[items]
    models = []
    members: dict[str, list[Floats]] = defaultdict(list)
    for given in {each.model: each for each in answers}.values():
        values = [given.right.get(task.ids[i]) for i in items]
        right = np.array([np.nan if v is None else v for v in values], float)
        family = family_of(given.model, families)
        members[family].append(right)
        models.append(_dependence(given.model, family, task, right, easy, gold, group))
    found = []
    for family, rights in members.items():
        # A family answers each item once, by its mean: its models are not independent.
        n = np.sum(~np.isnan(rights), axis=0)
        mean = np.where(n > 0, np.nansum(rights, axis=0) / np.maximum(n, 1), np.nan)
        name = plural(len(rights), "model")
        found.append(_dependence(name, family, task, mean, easy, gold, group))
    return tuple(models), tuple(found)


def _dependence(
    model: str, family: str, task: Task, right: Floats, easy: Bools, gold: Ints, group: Ints
) -> Dependence:
    known = ~np.isnan(right)
    right, easy, gold = right[known], easy[known], gold[known]
    found = difference(right, easy, gold, group[known])
    on_easy, on_hard = _mean(right[easy]), _mean(right[~easy])
    by_label = {}
    for number, label in enumerate(task.labels):
        one, other = (right[(gold == number) & kind] for kind in (easy, ~easy))
        apart = float(one.mean() - other.mean()) if len(one) and len(other) else None
        by_label[label] = (apart, len(one), len(other))
    return Dependence(
        model=model,
        family=family,
        dataset=task.name,
        difference=found.estimate,
        low=found.low,
        high=found.high,
        p_value=found.p,
        adjusted=None,
        raw=on_easy - on_hard if on_easy is not None and on_hard is not None else None,
        accuracy=float(right.mean()) if len(right) else float("nan"),
        on_predictable=on_easy,
        on_unpredictable=on_hard,
        chance=float(task.chances.mean()),
        n=len(right),
        n_predictable=int(easy.sum()),
        n_missing=int((~known).sum()),
        by_label=by_label,
        note=found.reason,
    )


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def family_summary(
    results: Sequence[CueResult],
) -> tuple[tuple[Dependence, ...], tuple[FamilyTest, ...]]:
    """Families over all data sets, with Benjamini-Hochberg, and the published test beside it.

    As published, that test leaves out the sets of `below_limit`.
    """
    by_family: dict[str, list[Dependence]] = defaultdict(list)
    for result in results:
        for row in result.families:
            by_family[row.family].append(row)
    pooled = [_pooled(rows) for rows in by_family.values()]
    left_out = below_limit(results)
    tested = (result for result in results if result.dataset not in left_out)
    return _adjusted(pooled), published_tests(
        [model for result in tested for model in result.models]
    )


def below_limit(results: Sequence[CueResult]) -> tuple[str, ...]:
    """Names of the sets whose labels the best setting does not predict, by the paper's limit."""
    limit = PUBLISHED_LIMIT
    return tuple(r.dataset for r in results if r.verdict.row.kappa_uniform <= limit)


def _pooled(rows: Sequence[Dependence]) -> Dependence:
    """Random-effects mean over data sets, each of which counts once.

    The variance between sets is DerSimonian and Laird's (1986), the error that of Hartung and
    Knapp (2001) with Student's t, and never below the one of DerSimonian and Laird (Knapp and
    Hartung 2003), which luck alone can undercut.
    """
    if len(rows) == 1:
        return rows[0]
    usable = [r for r in rows if r.difference is not None and r.low is not None]
    left = "; ".join(f"{r.dataset}: {r.note}" for r in rows if r not in usable)
    first = replace(
        usable[0] if usable else rows[0], dataset=ALL_SETS, model=rows[0].model, by_label={},
        n=sum(r.n for r in rows), n_missing=sum(r.n_missing for r in rows),
        n_predictable=sum(r.n_predictable for r in rows), raw=None, on_predictable=None,
        on_unpredictable=None, accuracy=float(np.mean([r.accuracy for r in rows])),
        note=f"left out: {left}" if left and usable else left,
    )  # fmt: skip
    if len(usable) < 2:  # the difference of the one, or none
        return first if usable else replace(first, difference=None)
    z = float(norm.ppf(0.975))
    d = np.array([r.difference for r in usable], float)
    variance = np.array([((r.high or 0) - (r.low or 0)) / (2 * z) for r in usable]) ** 2
    w = 1 / variance
    q = float(np.sum(w * (d - np.sum(w * d) / w.sum()) ** 2))
    spread = w.sum() - np.sum(w**2) / w.sum()
    between = max(0.0, (q - len(d) + 1) / spread) if spread > 0 else 0.0
    w = 1 / (variance + between)
    mean, free = float(np.sum(w * d) / w.sum()), len(d) - 1
    scatter = float(np.sum(w * (d - mean) ** 2)) / free
    error = float(np.sqrt(max(1.0, scatter) / w.sum()))
    half = float(student.ppf(0.975, free)) * error
    p = 2 * float(student.sf(abs(mean) / error, free))
    return replace(
        first, difference=mean, low=max(mean - half, -1.0), high=min(mean + half, 1.0), p_value=p
    )


def published_tests(models: Sequence[Dependence]) -> tuple[FamilyTest, ...]:
    """The paper's test: per family a one-sided paired t over (model, data set) pairs of
    kappa_uniform on the predictable and the unpredictable items; Benjamini-Hochberg over families.
    It takes pairs as independent and labels as no confounder (specification, section 2).
    """
    pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in models:
        if row.on_predictable is not None and row.on_unpredictable is not None:
            scale = 1 - row.chance
            pairs[row.family].append((row.on_predictable / scale, row.on_unpredictable / scale))
    tests = []
    for family, both in pairs.items():
        easy, hard = np.array(both).T
        t = p = None
        if len(both) > 1 and np.ptp(easy - hard) >= 1e-12:  # equal differences have no spread
            found = ttest_rel(easy, hard, alternative="greater")
            t, p = float(found.statistic), float(found.pvalue)
        tests.append(FamilyTest(family, t, p, None, len(both)))
    return _adjusted(tests)


def _adjusted(rows: Sequence[R]) -> tuple[R, ...]:
    """Rows with their p as Benjamini and Hochberg adjust it, where they have one."""
    adjusted = iter(benjamini_hochberg([row.p_value for row in rows if row.p_value is not None]))
    return tuple(r if r.p_value is None else replace(r, adjusted=next(adjusted)) for r in rows)
