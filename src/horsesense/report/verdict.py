"""The verdict: sentences that follow from estimates by rules, never from a taste.

A finding needs an interval that excludes what it is compared with, widened where the strongest
of several was picked, or a Holm-adjusted p below 0.05. A "nothing was found" always says how
large an effect would have been found, or which sizes its interval leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

from horsesense.measures.base import Estimate
from horsesense.runs.results import Results

ALPHA = 0.05

Tone = Literal["headline", "doubt", "warning", "note", "sound"]
"""headline: the score itself; doubt: numbers cannot be relied on; warning: the score is not what
it seems; note: neither good nor bad; sound: looked for and not found, with what would have been."""

TONES: Mapping[Tone, str] = {
    "headline": "",
    "doubt": "Read with care",
    "warning": "What the score hides",
    "note": "What else was measured",
    "sound": "What held",
}
"""Tones in the order in which they are shown, with their headings."""


@dataclass(frozen=True)
class Sentence:
    """One sentence of the verdict and the number that it rests on.

    Attributes:
        text: plain text; it holds the number.
        tone: see `Tone`.
        estimate: the number, with interval, n and signature.
        section: id of the section that shows more.
        weight: how far from what should be, 0 to 1; the heavier stands first.
    """

    text: str
    tone: Tone
    estimate: Estimate
    section: str
    weight: float = 0.0


def side(e: Estimate, reference: float, comparisons: int = 1) -> Literal[-1, 0, 1]:
    """Whether the interval lies below (-1) or above (1) a reference, or holds it (0).

    0 also where there is no interval.

    Where `e` is the most extreme of several, the interval is stretched to the level that
    Bonferroni's correction asks for, as if it were normal on each side.
    """
    if e.value is None or e.low is None or e.high is None:
        return 0
    stretch = _quantile((1 - e.level) / comparisons) / _quantile(1 - e.level)
    if e.value - stretch * (e.value - e.low) > reference:
        return 1
    if e.value + stretch * (e.high - e.value) < reference:
        return -1
    return 0


def _quantile(alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2)


def significant(e: Estimate) -> bool:
    """Whether a tested estimate holds after correction for the number of probes."""
    return e.p_adjusted is not None and e.p_adjusted < ALPHA


def by_tone(sentences: Iterable[Sentence]) -> list[tuple[Tone, str, list[Sentence]]]:
    """Tone, heading and sentences of each tone that has any; the heaviest sentence first."""
    ranked = sorted(sentences, key=lambda s: -s.weight)
    groups = ((tone, title, [s for s in ranked if s.tone == tone]) for tone, title in TONES.items())
    return [group for group in groups if group[2]]


def above_chance(run: Results) -> bool:
    """Whether the score beats guessing: without that, "accuracy did not change" says nothing."""
    score = run.one("accuracy")
    return score is not None and side(score, score.baseline or 0.0) > 0


def mostly_valid(run: Results) -> bool:
    """Whether most replies choose an option: without that, "answers hold" says nothing."""
    valid = run.one("valid_rate")
    return valid is not None and side(valid, 0.5) > 0
