"""Answers as logs hold them: as requests and responses of ours, and as means of their scores."""

from __future__ import annotations

from math import fsum
from typing import NamedTuple

from horsesense.models.messages import Message, Response, SamplingParams
from horsesense_extras.logs.sample import Sample


class Totals:
    """Means of the scores in one log, over its own items: by score, task and split."""

    def __init__(self) -> None:
        self._by: dict[tuple[str, str, str], dict[str, list[float]]] = {}

    def add(self, item: str, sample: Sample) -> None:
        for name, score in sample.scores.items():
            if score.value is not None:
                for split in {"", sample.split}:
                    key = (name, sample.task, split)
                    self._by.setdefault(key, {}).setdefault(item, []).append(score.value)

    def mean(self, name: str, task: str = "", split: str = "") -> float | None:
        """Mean over items of the mean over epochs; None where there is no such score."""
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


class Offers(NamedTuple):
    """What the answers of an import hold, and so can be read by."""

    text: bool
    tokens: int
    texts: bool

    def __or__(self, other: Offers) -> Offers:
        return Offers(
            self.text or other.text, max(self.tokens, other.tokens), self.texts or other.texts
        )

    @property
    def readers(self) -> tuple[str, ...]:
        names = (("text",) if self.text else ()) + (("first_token",) if self.tokens else ())
        return names + (("option_text", "option_text(norm=char)") if self.texts else ())


def offers_of(came: Response) -> Offers:
    tokens = max(map(len, came.token_logprobs), default=0)
    return Offers(not came.scores_alone, tokens, bool(came.continuations))


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
