"""Answers as logs hold them: as requests and responses of ours, and as means of their scores."""

from __future__ import annotations

from math import fsum
from typing import NamedTuple

from horsesense.models.messages import Message, Response, SamplingParams, Usage
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


def offers_of(sample: Sample) -> Offers:
    tokens = max(len(sample.label_scores), max(map(len, sample.logprobs), default=0))
    return Offers(sample.reply is not None, tokens, bool(sample.text_scores))


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
        label_tokens=tuple(sample.label_scores),
        continuations=tuple(sample.text_scores),
        sample=draw,
    )


def response_of(sample: Sample) -> Response:
    """The answer; label scores stand where the first token's do, text scores without tokens."""
    tokens = (sample.label_scores,) if sample.label_scores else sample.logprobs
    return Response(
        text=sample.reply or "",
        finish_reason=sample.finish_reason,
        token_logprobs=tuple(tokens),
        continuations={text: (score, 0) for text, score in sample.text_scores.items()},
        usage=Usage(*sample.usage),
        served_by=sample.answered_by or None,
        reasoning=sample.reasoning,
    )
