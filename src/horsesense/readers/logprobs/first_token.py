"""Reading the first token: which option label has the most probability?

Several tokens can spell a label ("A", " A", "ĠA" decoded); their probabilities are summed before
labels are compared (specification, section 1.5; Zheng et al. 2024).

Some models open every reply with the same words ("The answer is", a line break), and their labels
stand some tokens later. `token=found` reads them where they stand, and what is reported of
every model is how much mass the labels have at each position.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, ClassVar, Final

from horsesense.errors import UsageError
from horsesense.models.messages import Response
from horsesense.readers.reading import Reading
from horsesense.readers.version import Rules
from horsesense.trials.trial import Trial, none_phrase

RULES: Final = Rules(version="1", source="b6d92b57a54c")

NO_LOGIT: Final = 1e-3
"""Largest logarithm of a probability, rounding errors allowed for."""
REAL_MASS: Final = 0.5
"""Probability of all labels together from which a position is said to hold one."""


def label_logs(
    position: Mapping[str, float], labels: Sequence[str], *, any_case: bool = False
) -> list[float]:
    """Log-probability of each label at one position, summed over spellings; -inf where absent.

    Scores may be logits as well: only their differences count. `any_case` adds "yes" and "YES"
    to "Yes".
    """
    spellings: dict[str, list[float]] = {}
    for token, logprob in position.items():
        word = token.strip().capitalize() if any_case else token.strip()
        if word in labels:
            spellings.setdefault(word, []).append(logprob)
    return [log_sum(spellings[label]) if label in spellings else -math.inf for label in labels]


def log_sum(logs: Sequence[float]) -> float:
    """Logarithm of a sum of exponentials; -inf for nothing."""
    if len(logs) < 2:
        return logs[0] if logs else -math.inf
    peak = max(logs)
    if peak == -math.inf:
        return peak
    return peak + math.log(sum([math.exp(x - peak) for x in logs]))


@dataclass
class FirstTokenReader:
    """The label with the most mass at the first position, or at the first that holds a label.

    `token` is "any" (the first position at which any label was scored; where a model
    scores all labels, position 1), a number (position k alone), or "found" (the first position
    at which the labels have half of the mass; where there is none, that with the most).

    `score` of a reading is the total log-probability of all labels at that position, so that a
    choice made by a millionth of the mass can be told from a choice. `confidence` is the best
    label's share of it: together they give the probability of "yes" over the vocabulary
    (specification, section 3.2). A response without token scores has no reading.

    >>> from horsesense.trials.trial import Variant
    >>> shown = Variant("q", "?", ("x", "y"), ("A", "B"), (0, 1), 0)
    >>> response = Response("B", token_logprobs=({"A": -2.0, " B": -0.5, "B": -1.5},))
    >>> FirstTokenReader().read(Trial("original", PLAIN, 0, (shown,)), response)[0].positions
    (1,)
    """

    token: str = "any"

    former_parameters: ClassVar[Mapping[str, str]] = {"position": "token"}
    _masses: list[list[float]] = field(default_factory=list, init=False, repr=False)
    _labels: int = field(default=0, init=False, repr=False)
    _missing: int = field(default=0, init=False, repr=False)
    _replies: int = field(default=0, init=False, repr=False)
    _incomplete: int = field(default=0, init=False, repr=False)

    version = RULES.version
    fits_on = frozenset(("original",))
    reads_scores = True

    def __post_init__(self) -> None:
        fits = self.token in ("any", "found") or (
            self.token.isascii() and self.token.isdigit() and int(self.token) > 0
        )
        if not fits:
            raise UsageError(
                f"reader first_token: token cannot be {self.token!r}.",
                hint="Allowed: any, found, or a number from 1.",
            )

    @property
    def name(self) -> str:
        plain = self.token == "any"
        return "first_token" if plain else f"first_token(token={self.token})"

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        if trial.answer_format not in ("letter", "yes_no") or not response.token_logprobs:
            return ()
        if none_phrase(trial) is not None:  # a right reply is no label
            return ()
        found = self._position(scored(trial, response))
        if found is None:
            return (Reading("illegal", rule="no_label_token"),)
        return (choice(found[1], f"position_{found[0]}"),)

    def _position(self, scores: Iterator[list[float]]) -> tuple[int, list[float]] | None:
        """Which position to read, from 1, and its scores; None where no label is to be seen."""
        seen = (one for one in enumerate(scores, 1) if max(one[1], default=-math.inf) > -math.inf)
        if self.token == "any":
            return next(seen, None)
        if self.token.isdigit():
            return next((one for one in seen if one[0] == int(self.token)), None)
        by_mass = [(log_sum(logs), (place, logs)) for place, logs in seen]
        held = (one for mass, one in by_mass if mass >= math.log(REAL_MASS))
        return next(held, max(by_mass, key=itemgetter(0), default=(0.0, None))[1])

    def fit(self, answered: Iterable[tuple[Trial, Response]], setting: object) -> None:
        """Look where the labels stand in the replies to the items as published."""
        self._masses, self._labels, self._missing = [], 0, 0
        self._replies = self._incomplete = 0
        for trial, response in answered:
            if trial.answer_format != "letter" or not response.token_logprobs:
                continue
            by_position = [*scored(trial, response)]
            self._labels += len(by_position[0])
            missing = by_position[0].count(-math.inf)
            self._missing += missing
            self._replies += 1
            self._incomplete += missing > 0
            totals = [log_sum(logs) for logs in by_position]
            # Recorded logits have no mass: only their differences mean something.
            if max(totals) <= NO_LOGIT:
                self._masses.append([*map(math.exp, totals)])

    def report(self) -> dict[str, Any]:
        """Where the labels' mass sits: `positions`, one row each, and the `offset` found.

        `mass` is the mean probability of all labels together over the replies that reach the
        position, `held` the share of them in which it is at least 0.5. The offset is the number
        of tokens before the position where labels stand most often, 0 where that is the first.
        `missing` of all `labels` have no log-probability at the first position: a model that gives
        its most likely tokens alone gives none for the others. They are those of `incomplete` of
        all `replies`.
        """
        rows = []
        for place in range(max(map(len, self._masses), default=0)):
            masses = [reply[place] for reply in self._masses if len(reply) > place]
            held = sum(mass >= REAL_MASS for mass in masses)
            rows.append(
                {
                    "position": place + 1,
                    "replies": len(masses),
                    "mass": sum(masses) / len(masses),
                    "held": held / len(masses),
                    "held_of_all": held / len(self._masses),
                }
            )
        best = max(rows, key=lambda row: row["held_of_all"], default=None)
        offset = 0 if best is None or not best["held_of_all"] else int(best["position"]) - 1
        return {
            "positions": rows,
            "offset": offset,
            "labels": self._labels,
            "missing": self._missing,
            "replies": self._replies,
            "incomplete": self._incomplete,
        }


def scored(trial: Trial, response: Response) -> Iterator[list[float]]:
    """Log-probabilities of the labels at each position of a response, in the order shown; each is
    worked out when it is asked for, as the first mostly suffices."""
    labels, any_case = trial.variant.labels, trial.answer_format == "yes_no"
    return (label_logs(position, labels, any_case=any_case) for position in response.token_logprobs)


def choice(logs: Sequence[float], rule: str) -> Reading:
    """The label with the most mass; ambiguous where two have the same."""
    best, total = max(logs), log_sum(logs)
    if logs.count(best) > 1:
        return Reading("ambiguous", rule=rule, confidence=0.0, score=total)
    return Reading("answer", (logs.index(best),), rule, None, math.exp(best - total), total)
