"""What `find_cues` gives back, and its verdict: can the labels be predicted, why, what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from horsesense.stats.multiplicity import holm
from horsesense.stats.words import NARROW, OneLine, percent, plural

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


@dataclass(frozen=True, repr=False)
class CueResult(OneLine):
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

    def __str__(self) -> str:
        return f"{self.dataset}: {self.verdict.sentence}"

    def row(self, features: str) -> CueRow:
        """The row of a feature vector.

        Raises:
            KeyError: it was not computed.
        """
        for row in self.rows:
            if row.features == features:
                return row
        raise KeyError(features)


LEVEL: Final = 0.05
SLIGHT, STRONG = 0.1, 0.4
"""Kappas that divide "slight" from "clear" and "clear" from "strong"."""
SMALL: Final = 0.05
"""The kappa that it would take more items to exclude, where larger ones are excluded."""
PUBLISHED_LIMIT: Final = 0.2
"""The paper calls a data set predictable above this kappa_uniform."""


@dataclass(frozen=True)
class Grounds:
    """What a verdict on one data set rests on.

    Attributes:
        best: the row whose vector was chosen inside the training folds.
        rows: one per vector.
        ungrouped: the best row with groups ignored, where items were grouped.
        constant: whether the best predictor always says the same label.
        faithful: whether the published method was followed.
        alike: the best row with texts that are built alike on one side, where that was asked.
        answered: whether models' answers were compared with the cues, which the advice then omits.
        choice: whether items have options of their own, which no choice of items balances.
        unresolved: items built alike of which no template could be found, where they are many.
    """

    best: CueRow
    rows: Sequence[CueRow]
    ungrouped: CueRow | None
    constant: bool
    faithful: bool
    alike: CueRow | None = None
    answered: bool = False
    choice: bool = False
    unresolved: int = 0

    def verdict(self) -> Verdict:
        """The verdict on the data set."""
        best, predictable = self.best, is_predictable(self.best, self.constant)
        apart = self._apart() if predictable else ""
        if apart:
            return Verdict(False, "none", *_of_templates(best, apart), best)
        strength = _strength(best, predictable)
        reasons, advice = tuple(_reasons(self)), tuple(_advice(self, strength))
        return Verdict(predictable, strength, _sentence(best, strength), reasons, advice, best)

    def _apart(self) -> str:
        """What texts that are built alike leave open of the cues; "" for nothing."""
        if self.alike is not None and _gone(self.best, self.alike):
            return f"{number(self.alike)} where they are not"
        if self.unresolved:
            return (
                f"which of {self.unresolved:,} of them come from one template cannot be told either"
            )
        return ""


def _gone(best: CueRow, alike: CueRow) -> bool:
    """Whether most of a kappa is lost where texts that are built alike stay on one side."""
    return not is_predictable(alike, False) and (alike.kappa or 0) < (best.kappa or 0) / 2


def _of_templates(best: CueRow, apart: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Sentence, reasons and advice where cues and templates cannot be told apart."""
    return (
        f"Undecided whether simple features predict right answers of {best.dataset}: many of its "
        f"texts are built alike, as if templates had made them. {number(best).capitalize()} where "
        f"such texts are on both sides of a split, and {apart}, {plural(best.n, 'item')}.",
        (
            "A classifier that has seen one filling of a template knows the label of the others, "
            "without any cue in the words.",
        ),
        (
            "Name the field that says which template, problem or source an item comes from: "
            "--group FIELD. Then this can be told.",
            "Where no template was used, --no-groups divides the items as if all were alone.",
        ),
    )


def is_predictable(row: CueRow, constant: bool) -> bool:
    """Whether a row stands above guessing: p, interval, and more than one label said."""
    if constant or row.kappa is None or row.low is None:
        return False
    return row.low > 0 and row.p_value <= LEVEL


def _strength(row: CueRow, predictable: bool) -> Strength:
    if not predictable or row.kappa is None:
        return "none"
    return "slight" if row.kappa < SLIGHT else "clear" if row.kappa < STRONG else "strong"


_SENTENCES: Final = {
    "none": "Undecided whether simple features predict right answers of {name}",
    "slight": "Simple features predict the right answers of {name} slightly better than guessing",
    "clear": "Simple features, which need no understanding, predict some right answers of {name}",
    "strong": "Much of {name} can be answered without understanding it",
}


def _sentence(row: CueRow, strength: Strength) -> str:
    text = _SENTENCES[strength]
    if strength == "none" and row.high is not None and row.high < SLIGHT:
        text = "No leak over all items: simple features do not predict the right answers of {name}"
    return f"{text.format(name=row.dataset)}: {number(row)}, {plural(row.n, 'item')}."


def signed(value: float, digits: int = 2) -> str:
    """A number with a true minus; what rounds to zero has none."""
    text = f"{value:.{digits}f}"
    return text.replace("-", "") if float(text) == 0 else text.replace("-", "−")


def number(row: CueRow) -> str:
    """Kappa with its interval, as sentences show it."""
    if row.kappa is None:
        return "kappa undefined"
    if row.low is None or row.high is None:
        return f"kappa {signed(row.kappa)}, interval undefined"
    return (
        f"kappa {signed(row.kappa)} (95{NARROW}% interval {signed(row.low)} to {signed(row.high)})"
    )


def _reasons(on: Grounds) -> list[str]:
    best, ungrouped = on.best, on.ungrouped
    reasons = [f"Against shuffled labels p = {best.p_value:.2g}."]
    if on.constant:
        reasons.append("The best predictor always says the same label; that predicts nothing.")
    if best.kappa_uniform - (best.kappa or 0) > 0.1:
        reasons.append(
            f"The paper's kappa would say {best.kappa_uniform:.2f}, but {percent(best.majority)}"
            " of the items have the most frequent label, and saying it always earns most of that."
        )
    if not on.constant:
        reasons.append(_best_single(on.rows))
    if ungrouped is not None and ungrouped.kappa is not None:
        reasons.append(
            "Items that share a template, story or text are kept on one side of every split; "
            f"divided at random they would give {number(ungrouped)}."
        )
    if on.faithful:
        said = "predictable" if best.kappa_uniform > PUBLISHED_LIMIT else "not predictable"
        reasons.append(
            f"By the published rule (kappa_uniform {best.kappa_uniform:.2f}, limit "
            f"{PUBLISHED_LIMIT}) the set is {said}; this verdict uses Cohen's kappa instead."
        )
    return reasons


def _best_single(rows: Sequence[CueRow]) -> str:
    """The vector with the highest kappa, and what is left of its p for having looked at all."""
    best = max(range(len(rows)), key=lambda i: rows[i].kappa or -1.0)
    adjusted = holm([row.p_value for row in rows])[best]
    return (
        f"The best single vector, seen afterwards, is {rows[best].features} "
        f"({number(rows[best])}; p = {adjusted:.2g} after Holm's correction for {len(rows)})."
    )


def _advice(on: Grounds, strength: Strength) -> list[str]:
    if strength == "none":
        return _advice_on_nothing(on.best, on.ungrouped, on.constant)
    advice = [
        "Look at the cues below: where one comes from how items were written, rewrite those items "
        "or add others in which it occurs with another label.",
        "`horsesense build balanced` finds a subset, or weights, in which they no longer help.",
    ][: 1 if on.choice else 2]
    if not on.answered:
        advice.insert(
            1, "Check whether models use them: give their recorded answers with --responses."
        )
    if strength == "strong":
        advice.insert(0, "Do not read a score on this set as understanding.")
    return advice


def _advice_on_nothing(row: CueRow, ungrouped: CueRow | None, constant: bool) -> list[str]:
    advice = ["How large a kappa is not excluded cannot be said from so few groups of items."]
    if constant:
        advice = [
            "On items held back for the choice no classifier did better than one that always says "
            "the same label. That has no interval: how strong a cue could still be is not known."
        ]
    elif row.high is not None and row.kappa is not None:
        lead = "Repair only what `check` names. " * (row.high < SLIGHT)
        limit = SLIGHT if row.high >= SLIGHT else SMALL
        room, wide = limit - max(row.kappa, 0.0), row.high - row.kappa
        n = float(f"{row.n * (wide / room) ** 2:.2g}") if room > 0 else 0
        more = (
            f". If there is no cue, some {n:,.0f} items would exclude a kappa above {limit:g}"
            * (n > row.n)
        )
        are = f"With {plural(row.n, 'item')}, a kappa above {max(row.high, 0):.2f} is excluded"
        advice = [f"{lead}{are}{more}."]
    if ungrouped is not None and ungrouped.low is not None and ungrouped.low > 0.05:
        advice.append(
            "Never train and test on this set at random: a model that has seen one item of a "
            "group knows the others."
        )
    return advice
