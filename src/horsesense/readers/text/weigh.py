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
from typing import Final, NamedTuple

from horsesense.readers.reading import Reading, Status

STATUSES: Final[tuple[Status, ...]] = (
    "none",
    "refusal",
    "unknown",
    "ambiguous",
    "illegal",
    "truncated",
)
"""The statuses that are weighed against the options."""

RULED: Final = "first"
"""The feature of the candidate that the rules of order chose."""

Features = Mapping[str, float]
"""Name -> value of what speaks for one candidate; what is absent is 0."""


class Weights(NamedTuple):
    """What was learnt.

    Attributes:
        weights: feature -> weight.
        trust: what makes a decision right -> weight (a logistic regression, see `grounds`).
        scores, confidences: trust, ascending -> share that was right on kinds of replies that
            were left out.
        choice, other: below these confidences an answer, and a reading of another status, is
            `unclear`.
    """

    weights: dict[str, float]
    trust: dict[str, float]
    scores: list[float]
    confidences: list[float]
    choice: float
    other: float


@cache
def shipped(package: str = "horsesense.readers.text") -> Weights:
    """The weights that come with a package: those of the rules, or of another step."""
    text = files(package).joinpath("weights.json").read_text("utf-8")
    found = json.loads(text)
    scores, confidences = zip(*found["calibration"], strict=True)
    limits = found["thresholds"]
    return Weights(
        found["weights"],
        found["trust"],
        list(scores),
        list(confidences),
        limits["answer"],
        limits["other"],
    )


FORMS: Final = frozenset(
    (
        "said",
        "list",
        "doubt",
        "other",
        "reported",
        "rejected",
        "recited",
        "asked",
        "turned",
        "shared",
        "unnamed",
    )
)
"""Forms of a response, or of a mention, on which the worth of some features depends."""
FAMILIES: Final = (
    *("first", "stated", "named", "part", "verdict", "like", "value", "scale", "line", "meaning"),
)
"""Evidence of one origin; how many of these families prefer the chosen candidate tells how sure
the choice is."""


def preferred(
    candidates: Sequence[Features], weights: Mapping[str, float]
) -> dict[str, tuple[int, float]]:
    """For each family that says something, the option that it speaks for most, and how much more
    than for the next."""
    options = len(candidates) - len(STATUSES)
    sums: dict[str, list[float]] = {}
    for position, features in enumerate(candidates[:options]):
        for name, value in features.items():
            family = _family(name)
            if family:
                if family not in sums:
                    sums[family] = [0.0] * options
                sums[family][position] += weights.get(name, 0.0) * value
    found = {}
    for family, each in sums.items():
        highest = max(each)
        second = sorted(each)[-2] if options > 1 else 0.0
        if highest > second:
            found[family] = each.index(highest), highest - second
    return found


@cache
def _family(name: str) -> str | None:
    bare = _formless(name).removeprefix("not ")
    return next((family for family in FAMILIES if bare.startswith(family)), None)


def grounds(
    candidates: Sequence[Features],
    best: int,
    chances: Sequence[float],
    shape: Features,
    weights: Mapping[str, float],
) -> dict[str, float]:
    """What the confidence in a decision rests on: its probability, and how it came about.

    That is which families of evidence prefer it, which another option, whether the rules of order
    chose the same, and what the response is like.
    """
    options = len(candidates) - len(STATUSES)
    highest, second = sorted(chances, reverse=True)[:2]
    kind = "status " if best >= options else "option "
    odds = math.log(highest / max(1e-9, 1 - highest)) / 4
    found = {
        kind: 1.0,
        f"{kind}odds": odds,
        "lead over the second": math.log(highest / max(1e-9, second)) / 4,
        **{f"{kind}with {name}": value for name, value in shape.items() if value},
    }
    liked = preferred(candidates, weights)
    for family, (position, margin) in liked.items():
        side = "for it" if position == best else "for another"
        found[f"{kind}{family} {side}"] = 1.0
        found[f"{kind}{family} {side}, margin"] = min(margin, 3.0) / 3
    if best < options:
        found["families for it"] = sum(p == best for p, _ in liked.values()) / 4
        found["families for another"] = sum(p != best for p, _ in liked.values()) / 2
    else:
        found["families with a choice"] = len(liked) / 4
    ruled = [i for i, features in enumerate(candidates) if RULED in features]
    if not ruled:
        found[f"{kind}no rule"] = 1.0
    elif ruled[0] == best:
        found[f"{kind}rule agrees"] = 1.0
        found[f"{kind}rule agrees, odds"] = odds
    else:
        found[f"{kind}rule has an option" if ruled[0] < options else f"{kind}rule has none"] = 1.0
    return found


@cache
def _formless(name: str) -> str:
    """The name of a feature without the form of the response that it depends on."""
    form, _, bare = name.partition(" ")
    return bare if form in FORMS else name


def trust(grounds: Features, weights: Mapping[str, float]) -> float:
    """How likely it is that a decision on these grounds is right, before calibration."""
    total = sum(weights.get(name, 0.0) * value for name, value in grounds.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


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


def calibrated(score: float, scores: Sequence[float], shares: Sequence[float]) -> float:
    """The share of decisions of this trust that were right, between the learnt points."""
    at = bisect_right(scores, score)
    if at in (0, len(scores)):
        return shares[min(at, len(scores) - 1)]
    low, high = scores[at - 1], scores[at]
    part = (score - low) / (high - low) if high > low else 0.0
    return shares[at - 1] + part * (shares[at] - shares[at - 1])


def _against_a_statement(options: Sequence[Features], best: int) -> bool:
    """Whether a response states an ordinary option, and no rule of order chose `best`."""
    ordinary = (one for one in options if "says_so" not in one)
    stated = (_formless(name).startswith("stated") for one in ordinary for name in one)
    return RULED not in options[best] and any(stated)


def decide(
    candidates: Sequence[Features],
    rules: Sequence[str],
    spans: Sequence[tuple[int, int] | None],
    shape: Features,
    known: Weights | None = None,
) -> Reading:
    """The reading of the likeliest candidate: options first, then `STATUSES`.

    `rules` and `spans` say for each candidate which evidence speaks for it most and where; `known`
    are the weights, by default those of the rules.
    """
    known = known or shipped()
    chances = probabilities(candidates, known.weights)
    best = max(range(len(chances)), key=chances.__getitem__)
    k = len(candidates) - len(STATUSES)
    score = trust(grounds(candidates, best, chances, shape, known.weights), known.trust)
    sure = calibrated(score, known.scores, known.confidences)
    chosen = best < k and (
        "says_so" not in candidates[best] or _against_a_statement(candidates[:k], best)
    )
    if sure < (known.choice if chosen else known.other):
        return Reading("unclear", (), rules[best], spans[best], sure)
    if best < k:
        return Reading("answer", (best,), rules[best], spans[best], sure)
    return Reading(STATUSES[best - k], (), rules[best], spans[best], sure)
