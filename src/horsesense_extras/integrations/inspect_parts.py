"""Parts of a log of Inspect: messages, outputs, scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from horsesense.models.messages import Response
from horsesense.runs.exchanges import Exchange
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


def output_of(response: Response, model: str) -> dict[str, Any]:
    """A response as Inspect has it; what has no place there stands in its metadata."""
    rest = response.as_json()
    for name in ("text", "positions"):
        rest.pop(name, None)
    message = {"role": "assistant", "content": response.text, "source": "generate", "model": model}
    choice: dict[str, Any] = {
        "message": message,
        "stop_reason": _STOP_REASONS.get(response.finish_reason or "", "unknown"),
    }
    if response.token_logprobs:
        content = [_scored(position) for position in response.token_logprobs]
        choice["logprobs"] = {"content": content}
    found: dict[str, Any] = {"model": model, "choices": [choice], "metadata": {OURS: rest}}
    prompt, reply = response.usage.prompt_tokens, response.usage.completion_tokens
    if prompt is not None and reply is not None:
        found["usage"] = {
            "input_tokens": prompt,
            "output_tokens": reply,
            "total_tokens": prompt + reply,
        }
    if response.latency is not None:
        found["time"] = round(response.latency, 4)
    return found


def _scored(position: Mapping[str, float]) -> dict[str, Any]:
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
    judged = [row["correct"] for row in rows if row["correct"] is not None]
    value: str | float = "; ".join(answers)  # where no right answer is known
    if judged:
        value = sum(judged) / len(judged) if len(rows) > 1 else "C" if judged[0] else "I"
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
