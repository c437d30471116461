"""Reading scored option texts: which option's text is the likeliest reply?

Scores by letter and by text are two measurements of one model (they can differ by tens of
points), and each has its habit: labels have label bias, plain sums prefer short texts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from horsesense.errors import UsageError
from horsesense.models.messages import Response
from horsesense.readers.logprobs.first_token import log_sum
from horsesense.readers.reading import Reading
from horsesense.readers.version import Rules
from horsesense.trials.option_texts import has_option_texts, scored_replies
from horsesense.trials.trial import Trial

RULES: Final = Rules(version="3", source="82e93dfaf314")

NAME: Final = "option_text"
NORMS: Final = ("sum", "token", "char", "byte", "pmi")


class ScoredOption(NamedTuple):
    """One option's text as it was scored.

    Attributes:
        text: the option's text, without what led up to it.
        total: log-probability (natural) of the text as the reply.
        tokens: number of tokens of the reply; 0 where not known.
        alone: log-probability of the same reply without the question; NaN where not asked.
    """

    text: str
    total: float
    tokens: int
    alone: float

    def by(self, norm: str) -> float:
        """What is compared between options."""
        if norm == "pmi":
            return self.total - self.alone
        if norm == "token" and self.tokens < 1:
            return math.nan
        return self.total / self._length(norm)

    def _length(self, norm: str) -> int:
        # lm-eval divides by the length of the choice itself, without the space before it.
        lengths = {"char": len(self.text), "byte": len(self.text.encode("utf-8", "replace"))}
        return {"sum": 1, "token": self.tokens, **lengths}[norm]


@dataclass(frozen=True)
class OptionTextReader:
    """The option whose text is the most likely reply, by its log-probability.

    `norm` says what is compared: the log-probability of the whole text ("sum"; `acc` of lm-eval
    0.4.13), the same per token ("token"), per character ("char"; `acc_norm` of lm-eval), per byte
    of UTF-8 ("byte"; `acc_bytes` of lm-eval), or less that of the text without the question
    ("pmi"; PMI-DC of Holtzman et al. 2021, section 3). Characters and bytes are those of the
    option's text, tokens those of the reply.

    `confidence` is the chosen text's share if what is compared were log-probabilities of
    exclusive texts; only with "sum" is it a probability. `score` is, with every norm, the
    log-probability that the reply begins with one of the options' texts, so that a choice among
    replies that the model would never give can be told from a choice.

    Options with one text cannot be told apart: if theirs is the best, the reading is ambiguous,
    as it is where two texts have the same score (lm-eval takes the first). An option that is the
    beginning of another is never less likely than it by "sum". Where an option is empty, or was
    not scored, or a score is not a number, there is no reading; a score of -inf is one (the
    text cannot be the reply), as long as not all of them are.

    >>> from horsesense.trials.trial import Variant
    >>> shown = Variant("q", "?", ("no", "certainly"), ("A", "B"), (0, 1), 0)
    >>> response = Response("A", continuations={"no": (-2.0, 1), "certainly": (-3.0, 2)})
    >>> trial = Trial("original", "", 0, (shown,))
    >>> [OptionTextReader(n).read(trial, response)[0].positions for n in ("sum", "char")]
    [(0,), (1,)]
    """

    norm: str = "sum"

    version = RULES.version

    def __post_init__(self) -> None:
        if self.norm not in NORMS:
            raise UsageError.unknown(f"norm of reader {NAME}", self.norm, NORMS)

    @property
    def name(self) -> str:
        return NAME if self.norm == "sum" else f"{NAME}(norm={self.norm})"

    @property
    def unconditional(self) -> bool:
        """Whether the texts must also be scored without the question."""
        return self.norm == "pmi"

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        if not has_option_texts(trial):
            return ()
        scored = option_scores(trial, response)
        compared = {each.text: each.by(self.norm) for each in scored}
        if not compared or any(map(math.isnan, compared.values())):
            return ()
        if not math.isfinite(max(compared.values())):
            return ()
        return (_choice(trial.variant.options, compared, _mass(scored)),)


def option_scores(trial: Trial, response: Response) -> list[ScoredOption]:
    """The scores of a trial's options, in the order shown; none where one was not scored."""
    options, scores = trial.variant.options, response.continuations
    replies = scored_replies(options, scores)
    if replies is None or not all(map(str.strip, options)):
        return []
    alone = {reply: total for reply, (total, _) in response.unconditional.items()}
    return [
        ScoredOption(option, *scores[reply], alone.get(reply, math.nan))
        for option, reply in zip(options, replies, strict=True)
    ]


def _mass(scored: list[ScoredOption]) -> float:
    """Log-probability that the reply begins with one of the texts.

    A text that begins with another is part of that one's probability already.
    """
    totals = {each.text: each.total for each in scored}
    first = [
        total
        for text, total in totals.items()
        if not any(text != other and text.startswith(other) for other in totals)
    ]
    return log_sum(first)


def _choice(options: tuple[str, ...], compared: Mapping[str, float], mass: float) -> Reading:
    best = max(compared.values())
    winners = tuple(place for place, text in enumerate(options) if compared[text] == best)
    if len(winners) > 1:
        rule = "tie" if len({options[place] for place in winners}) > 1 else "same_text"
        return Reading("ambiguous", rule=rule, confidence=0.0, score=mass)
    share = math.exp(best - log_sum([*compared.values()]))
    return Reading("answer", winners, "likeliest", None, share, mass)
