"""A run as a log of Inspect (`.eval`): samples with prompts and replies, our readings as scores.

The format is that of Inspect 0.3: a zip of JSON files. It is written without Inspect, one sample
at a time, so that a run of any length fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

import orjson

from horsesense.files import whole
from horsesense.measures.base import Estimate
from horsesense.rng import fingerprint
from horsesense.runs.exchanges import Exchange, exchanges
from horsesense.runs.results import Results
from horsesense.version import __version__
from horsesense_extras.integrations import imported_log
from horsesense_extras.integrations.inspect_parts import message, output_of, score_rows, target
from horsesense_extras.integrations.verdicts import verdict
from horsesense_extras.logs.carried import OURS, Carrier, carried_by_log

SCHEMA: Final = 2
"""Version of the log's schema, as Inspect counts."""
SHORT: Final = 400
"""Characters of a prompt in the list of samples."""


def write_inspect_log(results: Results, path: Path) -> Path:
    """Write a measured run as `path`, which ends in .eval.

    Raises StoreError where the run cannot be read or the file not be written.
    """
    directory = results.directory
    model = directory.known.model.name
    foreign = directory.known.kind == "imported"
    carrier = Carrier(directory.items)
    every = imported_log.samples(directory, model) if foreign else _samples(results, carrier)
    summaries = []
    spec = _spec(results)
    with whole(path) as part, ZipFile(part, "w", ZIP_DEFLATED) as log:

        def put(name: str, value: Any) -> None:
            log.writestr(name, orjson.dumps(value))

        put("_journal/start.json", {"version": SCHEMA, "eval": spec, "plan": _PLAN})
        for sample in every:
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


def _samples(results: Results, carrier: Carrier) -> Iterator[dict[str, Any]]:
    """Each trial of a run of ours."""
    model = results.directory.known.model.name
    for exchange in exchanges(results.directory):
        yield _sample(exchange, carrier, model)


_PLAN: Final[Mapping[str, Any]] = {
    "name": "plan",
    "steps": [{"solver": "generate", "params": {}}],
    "config": {},
}


def _spec(results: Results) -> dict[str, Any]:
    """What was evaluated."""
    directory = results.directory
    settings, items, record = directory.settings, directory.items, directory.known
    metadata: dict[str, Any] = {"verdict": verdict(results)}
    if record.kind != "imported":
        carried = carried_by_log(settings, items, directory.shots, record.model)
        metadata = {OURS: {**carried, **metadata}}
    decoding = {"temperature": settings.temperature, "max_tokens": settings.max_tokens or 1}
    if settings.top_p is not None:
        decoding["top_p"] = settings.top_p
    run = fingerprint([directory.question(), str(directory.layout.root)])
    return {
        "eval_id": run,
        "run_id": run,
        "created": _now(),
        "task": items.name,
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
        "metadata": metadata,
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
            "scores": [*imported_log.reported(results), *_scores(results)],
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


def _top(carried: Mapping[str, Any]) -> dict[str, Any]:
    """What a viewer of the log wants to filter by."""
    return {name: carried[name] for name in ("probe", "condition", "repetition", "item")}


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
        sample["input"] = [message(role, text) for role, text in request.messages]
        sample["messages"] = list(sample["input"])
    elif request is not None:
        sample["input"] = request.text or ""
        sample["messages"] = [message("user", request.text or "")]
    if response is not None:
        sample["output"] = output_of(response, response.served_by or model)
        sample["messages"].append(sample["output"]["choices"][0]["message"])
        if usage := sample["output"].get("usage"):
            sample["model_usage"] = {model: usage}
    elif exchange.failure is not None:
        seen = f"{exchange.failure.kind}: {exchange.failure.message}"
        sample["error"] = {"message": seen, "traceback": seen, "traceback_ansi": seen}
    return sample


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
