"""Reading the first token: which option label has the most probability?

Several tokens can spell a label ("A", " A", "ĠA" decoded); their probabilities are summed before
labels are compared (specification, section 1.5; Zheng et al. 2024).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from horsesense.exchange import Response
from horsesense.readings import Reading
from horsesense.trials import Trial


def label_logs(
    position: Mapping[str, float], labels: Sequence[str], *, any_case: bool = False
) -> list[float]:
    """Log-probability of each label at one position, summed over spellings; -inf where absent.

    Scores may be logits as well: only their differences count. `any_case` adds "yes" and "YES"
    to "Yes".
    """
    spellings: dict[str, list[float]] = {}
    for token, logprob in position.items():
        word = token.strip()
        spellings.setdefault(word.capitalize() if any_case else word, []).append(logprob)
    return [_log_sum(spellings.get(label, ())) for label in labels]


def _log_sum(logs: Sequence[float]) -> float:
    if len(logs) == 1:
        return logs[0]
    peak = max(logs, default=-math.inf)
    if peak == -math.inf:
        return peak
    return peak + math.log(sum(math.exp(x - peak) for x in logs))


class FirstTokenReader:
    """The label with the most mass at the first position, or at the first that holds a label.

    `score` of a reading is the total log-probability of all labels at that position, so that a
    choice made by a millionth of the mass can be told from a choice. `confidence` is the best
    label's share of it: together they give the probability of "yes" over the vocabulary
    (specification, section 3.2). A response without token scores has no reading.

    >>> from horsesense.trials import Variant
    >>> shown = Variant("q", "?", ("x", "y"), ("A", "B"), (0, 1), 0)
    >>> response = Response("B", positions=({"A": -2.0, " B": -0.5, "B": -1.5},))
    >>> FirstTokenReader().read(Trial("original", "", 0, (shown,)), response)[0].slots
    (1,)
    """

    name = "first_token"
    version = "1"

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        if trial.asks not in ("letter", "yes_no") or not response.positions:
            return ()
        if "none_phrase" in trial.extras:  # a right reply is no label
            return ()
        labels = trial.variant.labels
        for number, position in enumerate(response.positions, start=1):
            logs = label_logs(position, labels, any_case=trial.asks == "yes_no")
            best = max(range(len(logs)), key=logs.__getitem__)
            if logs[best] > -math.inf:
                return (self._reading(best, logs, number),)
        return (Reading("illegal", rule="no_label_token"),)

    def _reading(self, best: int, logs: Sequence[float], number: int) -> Reading:
        total = _log_sum(logs)
        rule = f"position_{number}"
        if logs.count(logs[best]) > 1:
            return Reading("ambiguous", rule=rule, confidence=0.0, score=total)
        return Reading("answer", (best,), rule, None, math.exp(logs[best] - total), total)
