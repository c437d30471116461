"""Models whose fault is not theirs: replies that are cut off, or spoilt on their way."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Final

from horsesense.errors import UsageError
from horsesense.models.messages import Failure, Key, Request, Response, Usage
from horsesense.models.simulated.decision import Decision, Luck, drawn
from horsesense.models.simulated.profiles import Profile, luck_of, right
from horsesense.models.simulated.speech import NONE_TEXT, REFUSAL_TEXT
from horsesense.rng import unit
from horsesense.trials.extras import Begun
from horsesense.trials.trial import Trial, Variant

EFFORTS: Final = {"minimal": 0.25, "low": 0.5, "high": 2.0}
"""What a word for effort makes of the length of a thought; 1 for any other."""
WRITTEN: Final = 60
"""Words of a thought that are written out, however long it is counted."""
SPOILT: Final = {
    "several": "Both {} and {} are correct.",
    "none": NONE_TEXT,
    "refused": REFUSAL_TEXT,
    "no_choice": "That depends on how one looks at it.",
    "cut_off": "Let us go through the options one by one. " * 6 + "The first of them says that",
    "thought_open": "<think>The first one would say that",
    "empty": "",
    "filtered": "",
}
"""A cause that is not a choice -> a reply that has it; what is missing there fails."""


@dataclass(frozen=True)
class Thinker(Profile):
    """Thinks before it answers, often for longer than the limit on tokens allows.

    How many tokens it thinks is log-normal: `median` in the middle, `spread` the deviation of
    the logarithm, the same for an item whatever the limit. What it answers is settled by a share of
    the thought that is uniform up to `settled`; from less of it, it guesses. A share `other` of the
    replies is no choice, each way of that as often.
    """

    know: float = 1.0
    median: int = 200
    spread: float = 1.0
    settled: float = 1.0
    other: float = 0.0

    thinks = True

    def decide_all(self, trial: Trial, key: Key) -> list[Decision]:
        at = self.settled * unit(b"settled", _place(trial))
        if isinstance(trial.extras, Begun) and trial.extras.share / 100 < at:
            return [drawn([1.0] * len(trial.variant.options), luck_of(key, 0))]
        return super().decide_all(trial, key)

    def delivered(self, response: Response, trial: Trial, request: Request) -> Response | Failure:
        if isinstance(trial.extras, Begun):
            return response
        params, at = request.params, _place(trial)
        normal = NormalDist().inv_cdf(min(max(unit(b"thought", at), 1e-9), 1 - 1e-9))
        wanted = self.median * EFFORTS.get(params.effort or "", 1.0)
        thought = round(wanted * math.exp(self.spread * normal))
        if params.thinking_tokens is not None:
            thought = min(thought, params.thinking_tokens)
        cause = self.cause(trial)
        if cause == "failed":
            return Failure("server", "the simulated server broke down", 500, retryable=False)
        if cause is not None:
            labels = (*trial.variants[0].labels, "A", "B")
            response = replace(response, text=SPOILT[cause].format(*labels))
            response = replace(response, finish_reason=_ENDS.get(cause, "stop"))
        words = ["Hm."] * min(thought, params.max_tokens, WRITTEN)
        total = thought + max(len(response.text.split()), 1)
        cut = total > params.max_tokens
        return replace(
            response,
            text="" if cut else response.text,
            finish_reason="length" if cut else response.finish_reason,
            reasoning=" ".join(words),
            token_logprobs=(),  # the first token is one of the thought
            usage=Usage(
                len(str(request.messages or request.text).split()),
                min(total, params.max_tokens),
                min(thought, params.max_tokens),
            ),
        )

    def cause(self, trial: Trial) -> str | None:
        """The cause of a reply that is to be no choice; None for all others."""
        die = unit(b"other", _place(trial))
        causes = (*SPOILT, "failed")
        return causes[int(die / self.other * len(causes))] if die < self.other else None


_ENDS: Final = {"filtered": "content_filter", "cut_off": "length", "thought_open": "length"}


def _place(trial: Trial) -> bytes:
    """What is the same whatever the limit on tokens."""
    shown = trial.variants[0]
    return f"{shown.item_id}|{shown.origin}|{shown.labels}|{trial.sample}".encode()


@dataclass(frozen=True)
class Garbled(Profile):
    """Knows every answer, but the server spoils its replies.

    Knows every answer; of its replies a share `share` is spoilt on the way: `how` is empty, cut,
    template (the other side's turn is written too) or echo (the prompt comes back).
    """

    share: float = 1.0
    how: str = "empty"

    def __post_init__(self) -> None:
        if self.how not in (known := ("empty", "cut", "template", "echo")):
            raise UsageError.unknown("way to spoil replies", self.how, known)

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        return right(variant)

    def delivered(self, response: Response, trial: Trial, request: Request) -> Response | Failure:
        if unit(b"garbled", _place(trial)) >= self.share:
            return response
        prompt = request.text or "\n".join(text for _, text in request.messages or ())
        text = {
            "empty": "",
            "cut": "Let us look at what the question asks and at what",
            "template": "<|im_end|>\n<|im_start|>user\nWhat would you like to know?<|im_end|>",
            "echo": prompt,
        }[self.how]
        reason = "length" if self.how == "cut" else "stop"
        return replace(response, text=text, finish_reason=reason, token_logprobs=())
