"""The decision: all evidence weighed together, and how sure that makes it.

Each option, and each status without a choice, is a candidate with a few named features; a
conditional logit (McFadden 1974) turns their weighted sum into a probability. That is the
probability for replies like those that it was learnt from; what it is worth on writers that were
left out, a logistic regression of a few terms says (`grounds`). Both sets of weights are in
`weights.json`, which `scripts/learn_reader.py` writes.
"""

from __future__ import annotations

import json
import math
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
        choice, other, guess: below these confidences an answer, a reading of another status, and
            an option that stands for one, or stands beside several that do, and that no rule of
            order found, is `unclear`.
    """

    weights: dict[str, float]
    trust: dict[str, float]
    choice: float
    other: float
    guess: float = 0.0


@cache
def shipped(package: str = "horsesense.readers.text") -> Weights:
    """The weights that come with a package: those of the rules, or of another step."""
    text = files(package).joinpath("weights.json").read_text("utf-8")
    found = json.loads(text)
    limits = found["thresholds"]
    return Weights(found["weights"], found["trust"], *(limits.get(name, 0.0) for name in LIMITS))


LIMITS: Final = ("answer", "other", "guess")
"""What has a threshold of its own, in the order of `Weights`."""


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
        "contested",
    )
)
"""Forms of a response, or of a mention, on which the worth of some features depends."""
BARELY: Final = ("first:text_alone", "first:mentioned")
"""Rules that find the only option that is named, wherever and for whatever reason it is."""
FIRMLY: Final = frozenset(("stated", "line:only", "mark:only", "mark:bold"))
"""Features of an option that is more than named: stated, or set off from the rest."""
OWN_WORDS: Final = frozenset(("part:mine", "part:only_own", "part:last_own"))
"""Features of an option that is named by a word of its own text."""
CHOICES: Final = ("option", "named alone")
WAYS: Final = (*CHOICES, "says so", "status", "cut off")
"""How a decision comes about (see `way`); in the first two an option is chosen as such."""
SEVERAL: Final = 2
"""Options that say what a status does, from which on `is_choice` holds for no option."""
STEEP: Final = 4.0
"""Log-odds from which on more of them say less."""
CAP: Final = 0.995
"""No confidence is higher: it could not be told from 1 on as many replies as there are."""
CONTESTED: Final = 0.89
"""No confidence in a choice that something contests is higher: it is not nearly certain."""
NOT_ITS_OWN: Final = 0.79
"""Nor in one that is `WITHHELD`: below the threshold of choices."""
WITHHELD: Final = "withheld"
"""The feature of an option that a reply takes back behind its choice, gives a label with another
option's text, or names only as others' or to deny it."""


def way(candidates: Sequence[Features], best: int) -> str:
    """How a decision comes about, on which it depends what its probability is worth.

    "cut off": `truncated`, of a reply that was cut off; "status": another without a choice; "says
    so": an option that says what a status does; "named alone": the only option that is named, which
    is neither stated nor set off (a reply may name what it does not choose); "option": all else.
    """
    if best >= len(candidates) - len(STATUSES):
        return "cut off" if "truncated|length" in candidates[best] else "status"
    names = {_formless(name) for name in candidates[best]}
    if "says_so" in names:
        return "says so"
    alone = "named:only" in names and any(name.startswith(BARELY) for name in names)
    return "named alone" if alone and not names & FIRMLY else "option"


def ways_out(candidates: Sequence[Features]) -> int:
    """How many options of the item say what a status does, as "Refused" and "I do not know" do."""
    return sum("says_so" in one for one in candidates[: -len(STATUSES)])


def is_choice(candidates: Sequence[Features], best: int) -> bool:
    """Whether the threshold of choices holds for a decision.

    It keeps replies without a choice from being read as one. It does not hold for an option that
    says what a status does, unless against a statement, nor where several do, so that such replies
    have an option themselves.
    """
    options = candidates[: -len(STATUSES)]
    if best >= len(options) or ways_out(candidates) >= SEVERAL:
        return False
    return "says_so" not in options[best] or _against_a_statement(options, best)


def limit_of(candidates: Sequence[Features], best: int) -> str:
    """Whose threshold holds for a decision (see `LIMITS`).

    On items with ways out every reply has an option, so that a reply that says nothing would be
    read as one of them: such an option needs a rule of order, or more than a guess.
    """
    if is_choice(candidates, best):
        return "answer"
    guessed = best < len(candidates) - len(STATUSES) and RULED not in candidates[best]
    return "guess" if guessed else "other"


def _against_a_statement(options: Sequence[Features], best: int) -> bool:
    """Whether a response states an ordinary option, and no rule of order chose `best`."""
    ordinary = (one for one in options if "says_so" not in one)
    stated = (_formless(name).startswith("stated") for one in ordinary for name in one)
    return RULED not in options[best] and any(stated)


def grounds(
    candidates: Sequence[Features], best: int, chances: Sequence[float]
) -> dict[str, float]:
    """What the confidence in a decision rests on.

    The way in which it comes about, and for each way its log-odds, in units of `STEEP`, and those
    beyond `STEEP`; the lead over the second; of a choice, whether the only option named is named
    before the last sentence alone, whether it is named by a word of its own, the reply's ending
    speaks for it, or a value that is worked out comes to it, whether something contests it, and how
    many options of the item, up to three, say what a status does (then even no choice is one of
    the options).
    """
    highest, second = sorted(chances, reverse=True)[:2]
    odds = math.log(highest / max(1e-9, 1 - highest)) / STEEP
    kind = way(candidates, best)
    found = {
        kind: 1.0,
        f"{kind}, odds": odds,
        f"{kind}, high odds": max(0.0, odds - 1),
        "lead over the second": math.log(highest / max(1e-9, second)) / STEEP,
    }
    if kind in CHOICES:
        names = {_formless(name) for name in candidates[best]}
        more = {
            "named before the end": kind == "named alone" and "named:last_sentence" not in names,
            "own words": not names.isdisjoint(OWN_WORDS),
            "the ending": "part:ending" in names,
            "value": not names.isdisjoint(("value:last", "value:near")),
            WITHHELD: WITHHELD in candidates[best],
            "contested": any(name.startswith("contested ") for name in candidates[best]),
            "ways out": min(ways_out(candidates), 3),
        }
        found |= {name: float(value) for name, value in more.items() if value}
    return found


@cache
def _formless(name: str) -> str:
    """The name of a feature without the form of the response that it depends on."""
    form, _, bare = name.partition(" ")
    return bare if form in FORMS else name


def trust(grounds: Features, weights: Mapping[str, float]) -> float:
    """The confidence: how likely it is that a decision on these grounds is right."""
    total = sum(weights.get(name, 0.0) * value for name, value in grounds.items())
    cap = CONTESTED if grounds.get("contested") else CAP
    cap = NOT_ITS_OWN if grounds.get(WITHHELD) else cap
    return min(cap, 1 / (1 + math.exp(-max(-30.0, min(30.0, total)))))


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


def decide(
    candidates: Sequence[Features],
    rules: Sequence[str],
    spans: Sequence[tuple[int, int] | None],
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
    sure = trust(grounds(candidates, best, chances), known.trust)
    limits = dict(zip(LIMITS, (known.choice, known.other, known.guess), strict=True))
    if sure < limits[limit_of(candidates, best)]:
        return Reading("unclear", (), rules[best], spans[best], sure)
    if best < k:
        return Reading("answer", (best,), rules[best], spans[best], sure)
    return Reading(STATUSES[best - k], (), rules[best], spans[best], sure)
