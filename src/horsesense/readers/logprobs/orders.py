"""Label probabilities of trials under several orders of the options."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, isfinite
from typing import NamedTuple

from horsesense.models.messages import Response
from horsesense.probes.base import LETTERS
from horsesense.readers.logprobs.first_token import scored
from horsesense.stats import pride
from horsesense.trials.trial import Trial, none_phrase


class LabelWeights(NamedTuple):
    """Label probabilities of one trial and what stood in each position."""

    origin: tuple[int, ...]
    weights: tuple[float, ...]


class Observed(NamedTuple):
    """One item under all its orders: numbers of the shown options and label probabilities."""

    orders: pride.Floats
    weights: pride.Floats


def lettered(trial: Trial) -> bool:
    """Whether a trial asks for one of A, B, C, ...: the prior is one for these labels."""
    if trial.answer_format != "letter" or none_phrase(trial) is not None:
        return False
    labels = trial.variant.labels
    return labels == LETTERS[: len(labels)]


def weights_of(trial: Trial, response: Response) -> LabelWeights | None:
    """Label probabilities at the first position; None unless every label has one."""
    if not response.token_logprobs:
        return None
    logs = next(scored(trial, response))
    if not all(map(isfinite, logs)):
        return None
    peak = max(logs)
    return LabelWeights(trial.variant.origin, tuple(exp(log - peak) for log in logs))


def balanced(orders: Sequence[Sequence[int]]) -> bool:
    """Whether every option visits every position equally often."""
    k = len(orders[0])
    visits = [[origin[position] for origin in orders] for position in range(k)]
    share = len(orders) / k
    return all(seen.count(option) == share for seen in visits for option in range(k))
