"""The decision: all evidence weighed together, and how sure that makes it.

Each option, and each status without a choice, is a candidate with a few named features; a
conditional logit (McFadden 1974) turns their weighted sum into a probability. Weights, and the
table that turns the highest probability into a confidence, are in `weights.json`, which
`scripts/learn_reader.py` writes.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple, cast

from horsesense.readers.reading import Reading, Status

STATUSES: Final = ("none", "refusal", "unknown", "ambiguous", "illegal", "truncated")
"""The statuses that are weighed against the options."""

Features = Mapping[str, float]
"""Name -> value of what speaks for one candidate; what is absent is 0."""


class Weights(NamedTuple):
    """What was learnt.

    Attributes:
        weights: feature -> weight.
        scores, confidences: highest probability, ascending -> share that was right on kinds of
            replies that were left out.
        threshold: below this confidence a reading is `unclear`.
    """

    weights: dict[str, float]
    scores: list[float]
    confidences: list[float]
    threshold: float


@cache
def shipped() -> Weights:
    """The weights that come with the package."""
    text = files("horsesense.readers.text").joinpath("weights.json").read_text("utf-8")
    found = json.loads(text)
    calibration = found["calibration"]
    return Weights(
        found["weights"],
        [score for score, _ in calibration],
        [confidence for _, confidence in calibration],
        found["threshold"],
    )


def probabilities(candidates: Sequence[Features], weights: Mapping[str, float]) -> list[float]:
    """The probability of each candidate."""
    sums = [
        sum(weights.get(name, 0.0) * value for name, value in features.items())
        for features in candidates
    ]
    highest = max(sums)
    powers = [math.exp(one - highest) for one in sums]
    total = sum(powers)
    return [power / total for power in powers]


def confidence(score: float, known: Weights) -> float:
    """The share of readings of this probability that were right, between the learnt points."""
    at = bisect_right(known.scores, score)
    if at == 0:
        return known.confidences[0]
    if at == len(known.scores):
        return known.confidences[-1]
    low, high = known.scores[at - 1], known.scores[at]
    part = (score - low) / (high - low) if high > low else 0.0
    return known.confidences[at - 1] + part * (known.confidences[at] - known.confidences[at - 1])


def decide(
    candidates: Sequence[Features],
    rules: Sequence[str],
    spans: Sequence[tuple[int, int] | None],
    known: Weights | None = None,
) -> Reading:
    """The reading of the likeliest candidate: options first, then `STATUSES`.

    `rules` and `spans` say for each candidate which evidence speaks for it most and where.
    """
    known = known or shipped()
    chances = probabilities(candidates, known.weights)
    best = max(range(len(chances)), key=chances.__getitem__)
    sure = confidence(chances[best], known)
    k = len(candidates) - len(STATUSES)
    if sure < known.threshold:
        return Reading("unclear", (), rules[best], spans[best], sure)
    if best < k:
        return Reading("answer", (best,), rules[best], spans[best], sure)
    status = cast(Status, STATUSES[best - k])
    return Reading(status, (), rules[best], spans[best], sure)
