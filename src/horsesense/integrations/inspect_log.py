"""A run as a log of Inspect (`.eval`): samples with prompts and replies, our readings as scores.

The format is that of Inspect 0.3: a zip of JSON files. It is written without Inspect, one sample
at a time, so that a run of any length fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

import orjson

from horsesense.files import whole
from horsesense.integrations.verdicts import verdict
from horsesense.measures.base import Estimate
from horsesense.models.messages import Response
from horsesense.rng import fingerprint
from horsesense.runs.carried import OURS, Carrier, carried_by_log
from horsesense.runs.exchanges import Exchange, exchanges
from horsesense.runs.results import Results
from horsesense.trials.trial import Trial, Variant
from horsesense.version import __version__

SCHEMA: Final = 2
"""Version of the log's schema, as Inspect counts."""
SHORT: Final = 400
"""Characters of a prompt in the list of samples."""
_STOP_REASONS: Final = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter"}


def write_inspect_log(results: Results, path: Path) -> Path:
    """Write a measured run as `path`, which ends in .eval.

    Raises StoreError where the run cannot be read or the file not be written.
    """
    directory = results.directory
    model = directory.known.model.name
    carrier = Carrier(directory.items)
    summaries = []
    spec = _spec(results)
    with whole(path) as part, ZipFile(part, "w", ZIP_DEFLATED) as log:

        def put(name: str, value: Any) -> None:
            log.writestr(name, orjson.dumps(value))

        put("_journal/start.json", {"version": SCHEMA, "eval": spec, "plan": _PLAN})
        for exchange in exchanges(directory):
            sample = _sample(exchange, carrier, model)
            put(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
            summaries.append(_summary(sample))
        put("summaries.json", summaries)
        # Items that no sample shows are known only now; the header is written last anyway.
        spec["metadata"][OURS]["unshown"] = carrier.left()
        put("header.json", _header(results, spec, summaries))
    return path


_PLAN: Final[Mapping[str, Any]] = {
    "name": "plan",
    "steps": [{"solver": "generate", "params": {}}],
    "config": {},
}


def _spec(results: Results) -> dict[str, Any]:
    """What was evaluated."""
    directory = results.directory
    settings, items, record = directory.settings, directory.items, directory.known
    carried = carried_by_log(settings, items, directory.shots, record.model)
    decoding = {"temperature": settings.temperature, "max_tokens": settings.max_tokens or 1}
    if settings.top_p is not None:
        decoding["top_p"] = settings.top_p
    run = fingerprint([directory.question(), str(directory.layout.root)])
    return {
        "eval_id": run,
        "run_id": run,
        "created": _now(),
        "task": f"horsesense/{items.name}",
        "task_id": run,
        "task_version": 0,
        "task_args": {},
        "dataset": {
            "name": items.name,
            "location": items.source,
            "samples": results.findings["trials"],
            "shuffled": False,
        },
        "model": record.model.name,
        "model_generate_config": decoding,
        "model_args": {},
        "config": {"epochs": 1},
        "packages": {"horsesense": __version__},
        "metadata": {OURS: {**carried, "verdict": verdict(results)}},
        "scorers": [{"name": f"horsesense/{reader}"} for reader in record.readers],
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _header(
    results: Results, spec: Mapping[str, Any], summaries: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "version": SCHEMA,
        "status": "success",
        "eval": spec,
        "plan": _PLAN,
        "results": {
            "total_samples": len(summaries),
            "completed_samples": sum(summary["completed"] for summary in summaries),
            "scores": list(_scores(results)),
        },
        "stats": {"started_at": spec["created"], "completed_at": _now()},
    }


def _scores(results: Results) -> Iterator[dict[str, Any]]:
    """The accuracy of each reader under each condition, that of the original first."""
    found = [
        e for e in results.estimates
        if e.measure == "accuracy" and not e.group and e.value is not None
    ]  # fmt: skip
    for e in sorted(found, key=lambda e: e.probe != "original"):
        yield {
            "name": f"{e.probe} {e.condition}".strip(),
            "scorer": f"horsesense/{e.reader}",
            "scored_samples": e.n,
            "params": {"probe": e.probe, "condition": str(e.condition), "reader": e.reader},
            "metrics": {name: _metric(name, value) for name, value in _numbers(e)},
            "metadata": {"signature": str(e.signature)},
        }


def _numbers(e: Estimate) -> Iterator[tuple[str, float]]:
    ends = (("accuracy", e.value), (f"low_{e.level:g}", e.low), (f"high_{e.level:g}", e.high))
    yield from ((name, float(value)) for name, value in ends if value is not None)


def _metric(name: str, value: float) -> dict[str, Any]:
    return {"name": name, "value": value, "params": {}}


def _sample(exchange: Exchange, carrier: Carrier, model: str) -> dict[str, Any]:
    trial, request, response = exchange.trial, exchange.request, exchange.response
    carried = carrier.of(exchange.number, exchange.stage, trial, request)
    variant = trial.variants[0]
    sample: dict[str, Any] = {
        "id": exchange.number,
        "epoch": 1,
        "input": "",
        "choices": list(variant.options) if len(trial.variants) == 1 else None,
        "target": [target(shown) for shown in trial.variants],
        "messages": [],
        "output": {"model": model, "choices": []},
        "scores": score_rows(exchange),
        "metadata": {**_top(carried), OURS: carried},
        "store": {},
        "events": [],
        "model_usage": {},
        "attachments": {},
    }
    if request is not None and request.messages is not None:
        sample["input"] = [_message(role, text) for role, text in request.messages]
        sample["messages"] = list(sample["input"])
    elif request is not None:
        sample["input"] = request.text or ""
        sample["messages"] = [_message("user", request.text or "")]
    if response is not None:
        sample["output"] = _output(response, response.served_by or model)
        sample["messages"].append(sample["output"]["choices"][0]["message"])
        if usage := sample["output"].get("usage"):
            sample["model_usage"] = {model: usage}
    elif exchange.failure is not None:
        seen = f"{exchange.failure.kind}: {exchange.failure.message}"
        sample["error"] = {"message": seen, "traceback": seen, "traceback_ansi": seen}
    return sample


def _top(carried: Mapping[str, Any]) -> dict[str, Any]:
    """What a viewer of the log wants to filter by."""
    return {name: carried[name] for name in ("probe", "condition", "repetition", "item")}


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def label(variant: Variant, position: int) -> str:
    """What names a position: its label, or the option's text where options have none."""
    return variant.labels[position] if variant.labels else variant.options[position]


def target(variant: Variant) -> str:
    """The right answer as it is named in the prompt; "" where none is."""
    return "" if variant.gold_at is None else label(variant, variant.gold_at)


def _output(response: Response, model: str) -> dict[str, Any]:
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


def _summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    """A line of the list of samples."""
    prompt = sample["input"]
    if not isinstance(prompt, str):
        prompt = prompt[-1]["content"] if prompt else ""
    return {
        "id": sample["id"],
        "epoch": sample["epoch"],
        "input": prompt[-SHORT:],
        "target": sample["target"],
        "metadata": _top(sample["metadata"][OURS]),
        "scores": sample["scores"],
        "error": sample["error"]["message"] if "error" in sample else None,
        "completed": "error" not in sample,
    }
