"""What `find_cues` gives back: rows, a verdict, the cues named, and what models make of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Strength = Literal["none", "slight", "clear", "strong"]


@dataclass(frozen=True)
class CueRow:
    """One feature vector on one data set.

    Attributes:
        dataset, features: names.
        classifier: the one that was chosen, in most splits.
        kappa: Cohen's kappa of out-of-fold predictions, mean of the repeats; None: undefined.
        kappa_uniform: (accuracy - chance) / (1 - chance), the paper's "kappa".
        balanced_accuracy, majority: 0 to 1.
        low, high: 95 % interval of `kappa`.
        p_value: one-sided, against shuffled labels.
        n: items predicted.
        labels: number of labels, or of options.
        grouped: whether groups of items were kept on one side of every split.
    """

    dataset: str
    features: str
    classifier: str
    kappa: float | None
    kappa_uniform: float
    balanced_accuracy: float
    majority: float
    low: float | None
    high: float | None
    p_value: float
    n: int
    labels: int
    grouped: bool


@dataclass(frozen=True)
class Verdict:
    """Whether the labels can be predicted, in one sentence and its reasons.

    Attributes:
        predictable: p at most 0.05 and an interval above 0.
        strength: "none", or by kappa: "slight" below 0.1, "clear" below 0.4, "strong".
        sentence: the finding, with interval and number of items.
        reasons: what it rests on, and what to doubt.
        advice: what to do about it.
        row: the result of choosing the vector, too, inside the training folds.
    """

    predictable: bool
    strength: Strength
    sentence: str
    reasons: tuple[str, ...]
    advice: tuple[str, ...]
    row: CueRow


@dataclass(frozen=True)
class Cue:
    """One feature that speaks for a label.

    Attributes:
        name: the n-gram, or what a cheap cue says.
        kind: "n-gram" or the family of the cheap cue.
        label: the label it speaks for.
        weight: mean standardised weight over the folds; every fold has its sign.
        counts: label -> rows of that label that have it.
        totals: label -> rows of that label.
        examples: (item id, text around the cue).
        p_adjusted: of no association with the label, one-sided, among all that could be listed.
    """

    name: str
    kind: str
    label: str
    weight: float
    counts: Mapping[str, int]
    totals: Mapping[str, int]
    examples: tuple[tuple[str, str], ...]
    p_adjusted: float

    @property
    def support(self) -> int:
        return sum(self.counts.values())

    @property
    def precision(self) -> float:
        """Share of the rows with the cue that have its label."""
        return self.counts[self.label] / max(self.support, 1)


@dataclass(frozen=True)
class Dependence:
    """Whether one model (or family) does better where cues predict the label.

    Attributes:
        model, family, dataset: names.
        difference: accuracy on predictable minus unpredictable items, label by label, averaged
            with Mantel-Haenszel weights; -1 to 1.
        low, high: its 95 % interval; p_value: two-sided, of no difference; None: see `note`.
        adjusted: Benjamini-Hochberg over the families (families only).
        raw: the difference without regard to labels; raw - difference is what labels confound.
        accuracy: on all items; on_predictable, on_unpredictable: on the two parts.
        chance: of a blind guess.
        n, n_predictable: items answered, and those of them that cues predict; items that cues
            predict in exactly half of the repeats are in neither part.
        n_missing: items without a readable answer.
        by_label: label -> (difference, predictable, unpredictable items).
        note: why there is no interval, or which data sets were left out, and why; "" otherwise.
    """

    model: str
    family: str
    dataset: str
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    adjusted: float | None
    raw: float | None
    accuracy: float
    on_predictable: float | None
    on_unpredictable: float | None
    chance: float
    n: int
    n_predictable: int
    n_missing: int
    by_label: Mapping[str, tuple[float | None, int, int]]
    note: str = ""


@dataclass(frozen=True)
class FamilyTest:
    """The published test: paired t over (model, data set) pairs, one-sided, BH-adjusted."""

    family: str
    t: float | None
    p_value: float | None
    adjusted: float | None
    pairs: int


@dataclass(frozen=True)
class CueResult:
    """All that was found about one data set.

    Attributes:
        dataset: its name.
        kind: "labels" or "options".
        labels: names of the labels.
        rows: one per feature vector.
        ungrouped, ungrouped_rows: the best row and all, groups ignored, where items were grouped.
        alike: the best row with texts that are built alike on one side of every split, where that
            was asked: see `built_alike`.
        verdict: see `Verdict`.
        cues: strongest first.
        predictions: item id -> share of repeats in which cues alone predict it right.
        items: ids that cues alone predict right in every repeat.
        models, families: dependence on cues, where answers were given; families unadjusted.
        notes: exclusions, grouping, doubts.
        seconds: wall time.
        faithful: whether the published method was followed.
    """

    dataset: str
    kind: str
    labels: tuple[str, ...]
    rows: tuple[CueRow, ...]
    ungrouped: CueRow | None
    ungrouped_rows: tuple[CueRow, ...]
    alike: CueRow | None
    verdict: Verdict
    cues: tuple[Cue, ...]
    predictions: Mapping[str, float]
    items: tuple[str, ...]
    models: tuple[Dependence, ...] = ()
    families: tuple[Dependence, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    faithful: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def row(self, features: str) -> CueRow:
        """The row of a feature vector.

        Raises:
            KeyError: it was not computed.
        """
        for row in self.rows:
            if row.features == features:
                return row
        raise KeyError(features)
