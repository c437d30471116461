"""Answers as logs hold them: as requests and responses of ours, and as means of their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import fsum

from horsesense.models.messages import Message, Response, SamplingParams
from horsesense_extras.logs.sample import Sample


class Tally:
    """What the answers of one log come to.

    Attributes:
        samples, failed: how many were taken, and how many of them hold no answer.
        models: the names that replies give their model.
        without_gold: item -> its answers whose right option the log does not know.
        text, tokens, texts: what there is to be read: replies, so many scored tokens, scored
            option texts.
    """

    def __init__(self) -> None:
        self.samples = self.failed = self.tokens = 0
        self.models: Counter[str] = Counter()
        self.without_gold: Counter[str] = Counter()
        self.text = self.texts = False
        self._by: dict[tuple[str, str, str], dict[str, list[float]]] = {}

    def graded(self, item: str, sample: Sample) -> None:
        """Count a sample, and the scores that the log gave it."""
        self.samples += 1
        for name, score in sample.scores.items():
            if score.value is not None:
                for split in {"", sample.split}:
                    key = (name, sample.task, split)
                    self._by.setdefault(key, {}).setdefault(item, []).append(score.value)

    def answered(self, came: Response) -> None:
        """Note what an answer holds."""
        if came.served_by:
            self.models[came.served_by] += 1
        self.text |= not came.scores_alone
        self.tokens = max(self.tokens, max(map(len, came.token_logprobs), default=0))
        self.texts |= bool(came.continuations)

    def mean(self, name: str, task: str = "", split: str = "") -> float | None:
        """Mean of a score over items of the mean over epochs; None where there is no such score."""
        every = [
            sum(values) / len(values)
            for (n, t, s), found in self._by.items()
            if n == name and s == split and task in ("", t)
            for values in found.values()
        ]
        return fsum(every) / len(every) if every else None

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for name, _, _ in self._by))


def readers_of(tallies: Sequence[Tally]) -> tuple[str, ...]:
    """The readers that answers of these logs can be read by; "text" where there are none."""
    by_text = ("option_text", "option_text(norm=char)")
    names = ("text",) * any(tally.text for tally in tallies)
    names += ("first_token",) * any(tally.tokens for tally in tallies)
    return names + by_text * any(tally.texts for tally in tallies) or ("text",)


def message(recorded: tuple[str, str]) -> Message:
    """A message with one of our roles."""
    role, text = recorded
    ours = {"developer": "system", "system": "system", "assistant": "assistant"}
    return ours.get(role, "user"), text  # type: ignore[return-value]


def params_of(sample: Sample, draw: int) -> SamplingParams:
    """How the log says the reply was decoded; 0 tokens where it does not say how many."""
    known = sample.settings
    return SamplingParams(
        max_tokens=known.get("max_tokens", 0),
        temperature=known.get("temperature", 0.0),
        top_p=known.get("top_p"),
        top_logprobs=known.get("top_logprobs", 0),
        label_tokens=known.get("label_tokens", ()),
        continuations=tuple(getattr(sample.came, "continuations", ())),
        sample=draw,
    )
