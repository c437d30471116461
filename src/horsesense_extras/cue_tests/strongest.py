"""The cues by name: n-grams and cheap cues whose weights are large, and stable over the folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array
from scipy.stats import hypergeom, norm

from horsesense.stats.multiplicity import benjamini_hochberg
from horsesense_extras.cue_tests.cheap import ALL, CueTable
from horsesense_extras.cue_tests.classify import CLASSIFIERS
from horsesense_extras.cue_tests.result import Cue
from horsesense_extras.cue_tests.splits import Split
from horsesense_extras.cue_tests.sweep import Source, fitted, prepare, targets
from horsesense_extras.cue_tests.task import Task
from horsesense_extras.cue_tests.tokens import plain

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NGRAM_VECTOR: Final = "2-gram presence word"
MOST: Final = 20
EXAMPLES: Final = 2
AROUND: Final = 60  # characters shown on either side of an n-gram
SAME: Final = 0.9
"""Two n-grams that share this much of their rows are one cue."""


EVIDENCE: Final = 0.05
"""Largest adjusted p of a cue that is listed."""


class Candidate(NamedTuple):
    """A column whose weight for a label has the same sign in every fold."""

    column: int
    label: int
    weight: float
    p_adjusted: float = 1.0


def strongest_cues(
    source: Source, splits: Sequence[Split], table: CueTable, most: int = MOST
) -> tuple[Cue, ...]:
    """The `most` strongest cues.

    A weight counts as strong if it is large next to how often its feature varies (weight times
    standard deviation), has one sign in all folds of the first repeat, and speaks *for* a label.
    Among these, listed are the cues whose label is more frequent with them than luck explains:
    Benjamini and Hochberg's false discovery rate of 5 % over all n-grams, and over all cheap cues.
    """
    folds = [split for split in splits if split.repeat == 0]
    presence = _presence(source)
    share = np.diff(presence.indptr) / presence.shape[0]
    ngrams = _stable(source, folds, NGRAM_VECTOR, np.sqrt(share * (1 - share)))
    ngrams = _evident(source, presence, ngrams)
    cheap = _stable(source, folds, ALL, np.ones(table.x.shape[1]))
    cheap = _evident(source, csc_array(_sides(table)), cheap)
    found = [_ngram_cue(source, presence, c) for c in _distinct(presence, ngrams, most)]
    found += [_cheap_cue(source.task, table, c) for c in cheap[:most]]
    return tuple(sorted(found, key=lambda cue: -cue.weight)[:most])


def _evident(
    source: Source, presence: csc_array, candidates: Sequence[Candidate]
) -> list[Candidate]:
    """The candidates whose label goes with them, in their order, with adjusted p.

    Fisher's exact test, one-sided, times the labels among which the one was chosen; where items
    are grouped, at least the p of the groups' sums. Columns that are no candidates count as tests.
    """
    if not candidates:
        return []
    task, y = source.task, targets(source.task)
    columns = np.array([c.column for c in candidates])
    labels = np.array([c.label for c in candidates])
    chosen = presence[:, columns].astype(bool)
    support = np.diff(chosen.indptr)
    said = y[chosen.indices] == np.repeat(labels, support)
    both = np.bincount(np.repeat(np.arange(len(columns)), support), said, len(columns))
    totals = np.bincount(y, minlength=int(labels.max()) + 1)[labels]
    p = hypergeom.sf(both - 1, len(y), totals, support)
    p *= len(task.labels) if task.kind == "labels" else 1
    group = np.repeat(source.groups, np.diff(task.starts))
    if len(np.unique(source.groups)) < len(task):
        for place in np.flatnonzero(p <= EVIDENCE):
            has = np.zeros(len(y))
            has[chosen.indices[chosen.indptr[place] : chosen.indptr[place + 1]]] = 1
            p[place] = max(p[place], _grouped_p(has, y == labels[place], group))
    tests = np.ones(max(presence.shape[1], len(p)))
    tests[: len(p)] = np.minimum(p, 1)
    adjusted = benjamini_hochberg(tests.tolist())
    pairs = zip(candidates, adjusted, strict=False)
    return [c._replace(p_adjusted=value) for c, value in pairs if value <= EVIDENCE]


def _grouped_p(has: Floats, is_label: npt.NDArray[np.bool_], group: Ints) -> float:
    """One-sided p of the covariance of a cue and a label, groups being independent."""
    moved = (has - has.mean()) * (is_label - is_label.mean())
    sums = np.bincount(group, weights=moved)
    spread = float(np.sqrt((sums**2).sum()))
    return float(norm.sf(sums.sum() / spread)) if spread > 0 else 1.0


def _sides(table: CueTable) -> npt.NDArray[np.bool_]:
    """Which rows have each cheap cue: a number counts as present where it is large."""
    middle = np.median(table.x, axis=0)
    at_top = middle == table.x.max(axis=0)
    return np.where(at_top, table.x >= middle, table.x > middle)


def _presence(source: Source) -> csc_array:
    """Which rows have each word n-gram, by column."""
    counts = source.counts["word"]
    return csc_array(counts.both)


def _holders(presence: csc_array, column: int) -> Ints:
    return np.asarray(presence.indices[presence.indptr[column] : presence.indptr[column + 1]])


def _stable(source: Source, folds: Sequence[Split], vector: str, spread: Floats) -> list[Candidate]:
    """Columns by mean standardised weight, for the label each speaks for most."""
    task = source.task
    n_labels = len(task.labels) if task.kind == "labels" else 2
    total = np.zeros((n_labels, len(spread)))
    agree = np.zeros((n_labels, len(spread)), np.int64)
    for split in folds:
        items = split.fit if split.refit is None else split.refit
        prepared = prepare(source, vector, items)
        weights = fitted(source, CLASSIFIERS[0], prepared, items).weights
        total[:, prepared.columns] += weights
        agree[:, prepared.columns] += np.sign(weights).astype(np.int64)
    mean = total / len(folds) * spread
    mean[agree < len(folds)] = 0.0
    if task.kind == "options":
        mean[0] = 0.0  # what speaks against an option is not listed as a cue for it
    label = np.argmax(mean, axis=0)
    best = mean[label, np.arange(len(spread))]
    order = np.argsort(-best, kind="stable")
    return [Candidate(int(c), int(label[c]), float(best[c])) for c in order if best[c] > 0]


def _distinct(presence: csc_array, candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """The first `most` candidates, each standing in other rows than those before it."""
    kept: list[Candidate] = []
    held: list[set[int]] = []
    for candidate in candidates:
        rows = set(_holders(presence, candidate.column).tolist())
        if any(len(rows & other) >= SAME * len(rows | other) for other in held):
            continue
        kept.append(candidate)
        held.append(rows)
        if len(kept) == most:
            break
    return kept


def _ngram_cue(source: Source, presence: csc_array, candidate: Candidate) -> Cue:
    task = source.task
    name = source.counts["word"].names[candidate.column]
    has = np.zeros(len(task.texts), bool)
    has[_holders(presence, candidate.column)] = True
    return _cue(task, name, "n-gram", candidate, has, name.split(" ")[0])


def _cheap_cue(task: Task, table: CueTable, candidate: Candidate) -> Cue:
    """A cheap cue; a number counts as present where it is on the side that speaks for the label."""
    values = table.x[:, candidate.column]
    name = table.names[candidate.column]
    has = _sides(table)[:, candidate.column]
    if len(np.unique(values)) > 2:
        at_top = bool(np.median(values) == values.max())
        name = f"{name}: {'at its largest' if at_top else 'above the median'}"
    return _cue(task, name, table.families[candidate.column], candidate, has, "")


def _cue(
    task: Task, name: str, kind: str, candidate: Candidate, has: npt.NDArray[np.bool_], shown: str
) -> Cue:
    y = targets(task)
    names = task.labels if task.kind == "labels" else ("wrong option", "right option")
    counts = np.bincount(y[has], minlength=len(names))
    totals = np.bincount(y, minlength=len(names))
    typical = np.flatnonzero(has & (y == candidate.label))[:EXAMPLES]
    owner = np.searchsorted(task.starts, typical, side="right") - 1
    return Cue(
        name=name,
        kind=kind,
        label=names[candidate.label],
        weight=candidate.weight,
        counts={n: int(c) for n, c in zip(names, counts, strict=True)},
        totals={n: int(c) for n, c in zip(names, totals, strict=True)},
        examples=tuple(
            (task.ids[item], _around(task.texts[row], shown))
            for item, row in zip(owner, typical, strict=True)
        ),
        p_adjusted=candidate.p_adjusted,
    )


def _around(text: str, shown: str) -> str:
    """The text around the first `shown`; its beginning where that is not found."""
    at = max(plain(text).find(shown), 0) if shown else 0
    begin, end = max(at - AROUND, 0), at + AROUND
    cut = " ".join(text[begin:end].split())
    return ("… " if begin else "") + cut + (" …" if end < len(text) else "")
