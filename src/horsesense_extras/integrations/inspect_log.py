"""A run as a log of Inspect (`.eval`): samples with prompts and replies, our readings as scores.

The format is that of Inspect 0.3: a zip of JSON files. It is written without Inspect, one sample
at a time, so that a run of any length fits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

import orjson
import polars as pl

from horsesense.files import empty_place, whole
from horsesense.models.messages import Request, Response
from horsesense.probes.base import LETTERS
from horsesense.readers.reading import Reading
from horsesense.report import verdict_of
from horsesense.rng import fingerprint
from horsesense.runs.directory import RunDirectory
from horsesense.runs.exchanges import Exchange, exchanges
from horsesense.runs.parts import scan_parts
from horsesense.runs.results import Results
from horsesense.runs.tables import is_correct, option_of
from horsesense.trials.trial import Trial, Variant
from horsesense.version import __version__
from horsesense_extras.logs.carried import OURS, Carrier, carried_by_log
from horsesense_extras.logs.imported import RECORDED
from horsesense_extras.logs.told import logs_of

_STOP_REASONS: Final = {"stop": "stop", "length": "max_tokens"}


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
    said: Any = response.text
    if response.reasoning:
        thought = {"type": "reasoning", "reasoning": response.reasoning}
        said = [thought, {"type": "text", "text": response.text}]
    choice: dict[str, Any] = {
        "message": {"role": "assistant", "content": said, "source": "generate", "model": model},
        "stop_reason": _STOP_REASONS.get(response.finish_reason or "", "unknown"),
    }
    if response.token_logprobs:
        choice["logprobs"] = {"content": [*map(scored_token, response.token_logprobs)]}
    found: dict[str, Any] = {"model": model, "choices": [choice], "metadata": {OURS: rest}}
    if usage := usage_of(response):
        used = response.usage.reasoning_tokens
        found["usage"] = usage if used is None else {**usage, "reasoning_tokens": used}
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


_DECODING: Final = ("max_tokens", "temperature", "top_p", "top_logprobs")
SCHEMA: Final = 2
"""Version of the log's schema, as Inspect counts."""
SHORT: Final = 400
"""Characters of a prompt in the list of samples."""
WORDS: Final = {1.0: "C", 0.0: "I"}
"""Scores of imported logs as Inspect writes them."""


def write_inspect_log(results: Results, path: Path) -> Path:
    """Write a measured run as `path`, which ends in .eval.

    Raises StoreError where the run cannot be read or the file not be written.
    """
    directory = results.directory
    model = directory.known.model.name
    foreign = directory.known.kind == "imported"
    carrier = Carrier(directory.items)
    every = (
        of_log(directory)
        if foreign
        else ((each, _ours(each, carrier)) for each in exchanges(directory))
    )
    summaries = []
    spec = _spec(results)
    with whole(empty_place(path)) as part, ZipFile(part, "w", ZIP_DEFLATED) as log:

        def put(name: str, value: Any) -> None:
            log.writestr(name, orjson.dumps(value))

        put("_journal/start.json", {"version": SCHEMA, "eval": spec, "plan": _PLAN})
        for exchange, own in every:
            sample = _sample(exchange, own, model)
            if foreign and exchange.request is not None:
                call = _event(sample["output"], exchange.request, model, spec["created"])
                sample["events"] = [{**call, "input": _messages(exchange)}]
            put(f"samples/{_safe(sample['id'])}_epoch_{sample['epoch']}.json", sample)
            summaries.append(_summary(sample))
        put("summaries.json", summaries)
        if not foreign:  # items that no sample shows are known only now
            spec["metadata"][OURS]["unshown"] = carrier.left()
        put("header.json", _header(results, spec, summaries))
    return path


def _safe(name: object) -> str:
    """A sample's id as part of a name in the archive, which stays inside of it."""
    return re.sub(r'[/\\:*?"<>|]', "_", str(name))


_PLAN: Final[Mapping[str, Any]] = {
    "name": "plan",
    "steps": [{"solver": "generate", "params": {}}],
    "config": {},
}


def _spec(results: Results) -> dict[str, Any]:
    """What was evaluated."""
    directory = results.directory
    settings, items, record = directory.settings, directory.items, directory.known
    metadata: dict[str, Any] = {"verdict": verdict_of(results)}
    if record.kind != "imported":
        carried = carried_by_log(settings, items, directory.shots, record.model)
        metadata = {OURS: {**carried, **metadata}}
    decoding = {"temperature": settings.temperature, "max_tokens": settings.max_tokens or 1}
    if settings.top_p is not None:
        decoding["top_p"] = settings.top_p
    logs, now = logs_of(directory), datetime.now(UTC).isoformat(timespec="seconds")
    run = fingerprint([directory.question(), str(directory.layout.root)])
    samples, epochs = results.findings["trials"], 1
    if record.kind == "imported":
        asked = directory.trials().filter(pl.col("probe") == "original").collect()
        samples = asked["item_id"].n_unique()
        epochs = int(asked["repetition"].cast(pl.Int64).max() or 0) + 1  # type: ignore[arg-type]
    return {
        "eval_id": run,
        "run_id": run,
        "created": next((log["created"] for log in logs if log["created"]), now),
        "task": items.name,
        "task_id": run,
        "task_version": 0,
        "task_args": {},
        "dataset": {
            "name": items.name,
            "location": items.source,
            "samples": samples,
            "shuffled": False,
        },
        "model": record.model.name,
        "model_generate_config": {} if logs else decoding,  # each sample of a log says its own
        "model_args": {},
        "config": {"epochs": epochs},
        "packages": {"horsesense": __version__},
        "metadata": metadata,
        "scorers": [{"name": f"horsesense/{reader}"} for reader in record.readers],
    }


def _header(
    results: Results, spec: Mapping[str, Any], summaries: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    directory = results.directory
    return {
        "version": SCHEMA,
        "status": next(
            (s for log in logs_of(directory) if (s := log["state"]) != "complete"), "success"
        ),
        "eval": spec,
        "plan": _PLAN,
        "results": {
            "total_samples": len(summaries),
            "completed_samples": sum(summary["completed"] for summary in summaries),
            "scores": [*_reported(directory), *_scores(results)],
        },
        "stats": dict.fromkeys(("started_at", "completed_at"), spec["created"]),
    }


def _scores(results: Results) -> Iterator[dict[str, Any]]:
    """The accuracy of each reader under each condition, that of the original first."""
    found = [
        e for e in results.estimates
        if e.measure == "accuracy" and not e.group and e.value is not None
    ]  # fmt: skip
    for e in sorted(found, key=lambda e: e.probe != "original"):
        ends = {"accuracy": e.value, f"low_{e.level:g}": e.low, f"high_{e.level:g}": e.high}
        yield {
            "name": f"{e.probe} {e.condition}".strip(),
            "scorer": f"horsesense/{e.reader}",
            "scored_samples": e.n,
            "params": {"probe": e.probe, "condition": str(e.condition), "reader": e.reader},
            "metrics": {n: _metric(n, float(v)) for n, v in ends.items() if v is not None},
            "metadata": {"signature": str(e.signature)},
        }


def _reported(directory: RunDirectory) -> Iterator[dict[str, Any]]:
    """The numbers that imported logs gave themselves."""
    for log in logs_of(directory):
        for each in log["reported"]:
            name, _, metric = each["name"].rpartition("/")
            yield {
                "name": name or metric,
                "scorer": name or metric,
                "scored_samples": each.get("over"),
                "params": {},
                "metrics": {metric: _metric(metric, each["value"])},
            }


def _metric(name: str, value: float) -> dict[str, Any]:
    return {"name": name, "value": value, "params": {}}


def _top(carried: Mapping[str, Any]) -> dict[str, Any]:
    """What a viewer of the log wants to filter by."""
    return {name: carried[name] for name in ("probe", "condition", "repetition", "item")}


def _ours(each: Exchange, carrier: Carrier) -> dict[str, Any]:
    """Fields of the sample of a trial of ours."""
    variants, request = each.trial.variants, each.request
    carried = carrier.of(each.number, each.stage, each.trial, request)
    plain = request is None or request.messages is None
    return {
        "id": each.number,
        "epoch": 1,
        "input": (request.text or "" if request else "") if plain else _messages(each),
        "choices": list(variants[0].options) if len(variants) == 1 else None,
        "target": [target(shown) for shown in variants],
        "scores": score_rows(each),
        "metadata": {**_top(carried), OURS: carried},
    }


def of_log(directory: RunDirectory) -> Iterator[tuple[Exchange, dict[str, Any]]]:
    """Samples of an imported run as their logs had them: by id and epoch, with the logs' scores.

    Trials of `order` stand for answers that are samples already.
    """
    recorded: dict[int, dict[str, Any]] = defaultdict(dict)
    for row in scan_parts([directory.layout.recorded], RECORDED).collect().iter_rows(named=True):
        if row["value"] is not None:
            value = WORDS.get(row["value"], row["value"])
            recorded[row["trial"]][row["name"]] = {"value": value, "answer": row["answer"]}
    for each in exchanges(directory):
        if each.trial.probe == "original":
            item = directory.items.by_id[(shown := each.trial.variant).item_id]
            # What an unknown prompt showed is known from here alone.
            as_shown = each.request is None or not (each.request.messages or each.request.text)
            gold = shown.gold_at if as_shown else item.gold
            ours = {f"horsesense/{name}": score for name, score in score_rows(each).items()}
            yield (
                each,
                {
                    "id": item.id,
                    "epoch": each.trial.repetition + 1,
                    "input": item.question,
                    "choices": list(shown.options if as_shown else item.options),
                    "target": [] if gold is None else LETTERS[gold],
                    "scores": {**recorded.get(each.number, {}), **ours},
                    "metadata": {} if item.subject is None else {"subject": item.subject},
                },
            )


def _messages(each: Exchange) -> list[dict[str, Any]]:
    """What was sent; nothing where that is not known."""
    if each.request is None or each.request.messages is None:
        text = None if each.request is None else each.request.text
        return [] if text is None else [message("user", text)]
    return [message(role, text) for role, text in each.request.messages]


def _sample(each: Exchange, own: Mapping[str, Any], model: str) -> dict[str, Any]:
    """A sample: what is its `own`, and what was sent and came back."""
    named = model if OURS in own["metadata"] else ""  # a log may not say who answered
    sample: dict[str, Any] = {
        **own,
        "messages": _messages(each),
        "output": {"model": named, "choices": []},
        "store": {},
        "events": [],
        "model_usage": {},
        "attachments": {},
    }
    if each.response is not None:
        sample["output"] = output_of(each.response, each.response.served_by or named)
        sample["messages"].append(sample["output"]["choices"][0]["message"])
        if usage := sample["output"].get("usage"):
            sample["model_usage"] = {model: usage}
    elif each.failure is not None:
        kind = f"{each.failure.kind}: " if OURS in own["metadata"] else ""
        seen = f"{kind}{each.failure.message}"
        sample["error"] = {"message": seen, "traceback": seen, "traceback_ansi": seen}
    return sample


def _event(output: Mapping[str, Any], request: Request, model: str, created: str) -> dict[str, Any]:
    """The call of the model that an output came from; as sent where that is a completion."""
    sent = {"request": {"prompt": request.text}, "response": {}}
    return {
        "event": "model",
        "timestamp": created,
        "working_start": 0.0,
        "model": model,
        "tools": [],
        "tool_choice": "none",
        "config": {name: value for name in _DECODING if (value := getattr(request.params, name))},
        "output": output,
        "call": sent if request.text else None,
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
        "metadata": _top(sample["metadata"][OURS]) if OURS in sample["metadata"] else {},
        "scores": sample["scores"],
        "error": sample["error"]["message"] if "error" in sample else None,
        "completed": "error" not in sample,
    }
