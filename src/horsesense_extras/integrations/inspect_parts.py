"""What exports say of an exchange: names of options, scores, usage, Inspect's output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from horsesense.models.messages import Response
from horsesense.readers.reading import Reading
from horsesense.runs.exchanges import Exchange
from horsesense.runs.tables import is_correct, option_of
from horsesense.trials.trial import Trial, Variant
from horsesense_extras.logs.carried import OURS

_STOP_REASONS: Final = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter"}


def message(role: str, text: str) -> dict[str, Any]:
    """A message as Inspect has it."""
    return {"role": role, "content": text}


def label(variant: Variant, position: int) -> str:
    """What names a position: its label, or the option's text where options have none."""
    return variant.labels[position] if variant.labels else variant.options[position]


def target(variant: Variant) -> str:
    """The right answer as it is named in the prompt; "" where none is."""
    return "" if variant.gold_at is None else label(variant, variant.gold_at)


def usage_of(
    response: Response | None, names: Sequence[str] = ("input_tokens", "output_tokens")
) -> dict[str, int]:
    """Tokens of prompt and reply, and their sum; empty where one of them is not known."""
    usage = None if response is None else response.usage
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return {}
    counts = (usage.prompt_tokens, usage.completion_tokens)
    return dict(zip((*names, "total_tokens"), (*counts, sum(counts)), strict=True))


def output_of(response: Response, model: str) -> dict[str, Any]:
    """A response as Inspect has it; what has no place there stands in its metadata."""
    rest = response.as_json()
    for name in ("text", "positions"):
        rest.pop(name, None)
    choice: dict[str, Any] = {
        "message": {**message("assistant", response.text), "source": "generate", "model": model},
        "stop_reason": _STOP_REASONS.get(response.finish_reason or "", "unknown"),
    }
    if response.token_logprobs:
        choice["logprobs"] = {"content": [*map(scored_token, response.token_logprobs)]}
    found: dict[str, Any] = {"model": model, "choices": [choice], "metadata": {OURS: rest}}
    if usage := usage_of(response):
        found["usage"] = usage
    if response.latency is not None:
        found["time"] = round(response.latency, 4)
    return found


def scored_token(position: Mapping[str, float]) -> dict[str, Any]:
    """One position of the reply; the most probable token stands for the one that was chosen."""
    chosen = max(position, key=lambda token: position[token], default="")
    return {
        "token": chosen,
        "logprob": position.get(chosen, 0.0),
        "top_logprobs": [{"token": token, "logprob": value} for token, value in position.items()],
    }


def score_rows(exchange: Exchange) -> dict[str, Any]:
    """The score of each reader: C or I, a share where several problems share a prompt."""
    return {name: score_of(exchange.trial, rows) for name, rows in exchange.by_reader().items()}


def rows_of(trial: Trial, readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """Readings of one reply as `score_of` takes them."""
    return [
        {
            "variant": number,
            "status": each.status,
            "positions": each.positions,
            "rule": each.rule,
            "option": (option := option_of(each, variant)),
            "correct": is_correct(option, trial, variant),
            "confidence": each.confidence,
        }
        for number, (variant, each) in enumerate(zip(trial.variants, readings, strict=False))
    ]


def score_of(trial: Trial, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One reader's readings of a reply as a score.

    Args:
        rows: as in the table of readings, one per variant.
    """
    answers = [
        ", ".join(label(trial.variants[row["variant"]], place) for place in row["positions"])
        or row["status"]
        for row in rows
    ]
    share = share_right(rows)
    value: str | float = "; ".join(answers)  # where no right answer is known
    if share is not None:
        value = share if len(rows) > 1 else "C" if share else "I"
    first = rows[0]
    return {
        "value": value,
        "answer": "; ".join(answers),
        "explanation": f"{first['status']} ({first['rule']})" if len(rows) == 1 else None,
        "metadata": {
            "status": [row["status"] for row in rows],
            "option": [row["option"] for row in rows],
            "confidence": [round(float(row["confidence"]), 4) for row in rows],
        },
    }


def share_right(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """How much of a reply is right, over the problems whose right answer is known; None if none."""
    known = [row["correct"] for row in rows if row["correct"] is not None]
    return sum(known) / len(known) if known else None
