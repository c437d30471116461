"""Runs as lm-eval's samples and as records of Every Eval Ever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import orjson

from horsesense.files import new_folder
from horsesense.measures.base import Estimate
from horsesense.models.messages import Request, Response
from horsesense.report import verdict_of
from horsesense.rng import fingerprint
from horsesense.runs.exchanges import Exchange, exchanges
from horsesense.runs.results import Results
from horsesense.trials.condition import Condition
from horsesense.trials.trial import Trial
from horsesense.version import __version__
from horsesense_extras.integrations.inspect_log import (
    of_log,
    score_of,
    score_rows,
    target,
    usage_of,
)
from horsesense_extras.integrations.lm_eval_task import document, slug
from horsesense_extras.logs.carried import OURS, Carrier, carried_by_log
from horsesense_extras.logs.told import logs_of

ALONE = "none"
"""The filter of a task without any."""


def write_lm_eval(results: Results, folder: Path) -> Path:
    """Write a measured run into a new folder.

    Raises UsageError if the folder exists, StoreError where run or folder refuse.
    """
    directory = results.directory
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S.%f")
    carrier = Carrier(directory.items)
    foreign = directory.known.kind == "imported"
    every = of_log(directory) if foreign else ((each, None) for each in exchanges(directory))
    counts: dict[str, int] = {}
    with new_folder(folder) as lines:
        for exchange, own in every:
            if exchange.request is None:
                continue  # never sent: lm-eval has no row for it
            name = _task(results, exchange.trial)
            place = counts.get(name, 0)
            counts[name] = place + 1
            for row in _rows(exchange, exchange.request, carrier, place, own):
                lines.add(f"samples_{name}_{stamp}.jsonl", orjson.dumps(row))
        lines.put(f"results_{stamp}.json", orjson.dumps(_results(results, counts, carrier, stamp)))
    return folder


def _task(results: Results, of: Trial | Estimate) -> str:
    return slug(f"{results.items.name[:100]}_{of.probe}_{of.condition}")


def _rows(
    exchange: Exchange, request: Request, carrier: Carrier, place: int, own: Any
) -> Iterator[dict[str, Any]]:
    """One row per filter, which each reader of ours is too; `own` is the sample of a log."""
    trial, doc = exchange.trial, _document(exchange, request, carrier, own)
    prompt = doc.get("prompt", request.text or "")
    if own and request.messages:
        chat = [{"role": role, "content": text} for role, text in request.messages]
        prompt = orjson.dumps(chat).decode()
    arguments, resps = _exchanged(request, exchange.response, prompt, doc.get("choices"))
    if exchange.failure is not None:
        doc["error"] = f"{exchange.failure.kind}: {exchange.failure.message}"
    right = "; ".join(map(target, trial.variants))
    row = {
        "doc_id": place,
        "doc": doc,
        "target": right,
        "arguments": arguments,
        "resps": resps,
        "doc_hash": _hash(orjson.dumps(doc)),
        "prompt_hash": _hash(prompt.encode(errors="replace")),
        "target_hash": _hash(right.encode(errors="replace")),
    }
    scores = score_rows(exchange) if own is None else own["scores"]
    by_filter: dict[str, dict[str, Any]] = {}
    for name, score in scores.items():
        metric, filtered = name.split(",", 1) if "," in name else ("acc", name)
        found = by_filter.setdefault(filtered, {"filtered_resps": [score["answer"]], "metrics": []})
        value = {"C": 1.0, "I": 0.0}.get(score["value"], score["value"])
        if isinstance(value, float):
            found["metrics"].append(metric)
            found[metric] = value
    for filtered, found in (by_filter or {ALONE: {"filtered_resps": [], "metrics": []}}).items():
        yield {**row, "filter": filtered, **found}


def _document(exchange: Exchange, request: Request, carrier: Carrier, own: Any) -> dict[str, Any]:
    if own is not None:
        doc = {"id": own["id"], "question": own["input"], "options": own["choices"]}
        return {**doc, **own["metadata"], "gold": exchange.trial.variant.gold_at}
    carried = carrier.of(exchange.number, exchange.stage, exchange.trial, request)
    if exchange.response is not None:
        rest = exchange.response.as_json()
        carried["response"] = {k: v for k, v in rest.items() if k != "text"}
    if len(request.messages or ()) > 1:
        carried["messages"] = request.messages
    return document(exchange.trial, request, carried)


def _exchanged(
    request: Request, response: Response | None, prompt: str, choices: Sequence[str] | None
) -> tuple[dict[str, Any], list[Any]]:
    """What was asked and what came back, in the form of a generated or a scored task."""
    params = request.params
    scored = choices or params.continuations or params.label_tokens
    if params.max_tokens or not scored:
        known = {"max_gen_toks": params.max_tokens, "temperature": params.temperature}
        decoding = {"until": [], **{name: value for name, value in known.items() if value}}
        arguments = {"gen_args_0": {"arg_0": prompt, "arg_1": decoding}}
        return arguments, [] if response is None else [[response.text]]
    scores = {} if response is None else _scores(response)
    arguments = {f"gen_args_{n}": {"arg_0": prompt, "arg_1": text} for n, text in enumerate(scored)}
    resps = [[[str(scores[text]), "False"]] for text in scored if text in scores]
    return arguments, resps if len(resps) == len(scored) else []


def _scores(response: Response) -> dict[str, float]:
    first = dict(response.token_logprobs[0]) if response.token_logprobs else {}
    return first | {text: total for text, (total, _) in response.continuations.items()}


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def _results(
    results: Results, counts: Mapping[str, int], carrier: Carrier, stamp: str
) -> dict[str, Any]:
    """The file of results: accuracies, sizes, and what the study was."""
    directory = results.directory
    found: dict[str, dict[str, Any]] = {
        name: {"alias": name, "sample_len": n} for name, n in counts.items()
    }
    for log in logs_of(directory):
        for name in found:
            found[name] |= {each["name"]: each["value"] for each in log["reported"]}
    for e in results.estimates:
        name = _task(results, e)
        if e.measure == "accuracy" and not e.group and e.value is not None and name in found:
            found[name][f"acc,{e.reader}"] = e.value
            found[name][f"acc_low,{e.reader}"] = e.low
            found[name][f"acc_high,{e.reader}"] = e.high
    record = directory.known
    own = record.kind == "asked"  # what others asked is a log of theirs
    carried = carried_by_log(directory.settings, directory.items, directory.shots, record.model) | {
        "unshown": carrier.left(),
        "verdict": verdict_of(results),
    }
    return {
        "results": found,
        "configs": {name: {"task": name, "metadata": {"version": 1.0}} for name in counts},
        "versions": dict.fromkeys(counts, 1.0),
        "n-shot": dict.fromkeys(counts, directory.settings.shots),
        "higher_is_better": {name: {"acc": True} for name in counts},
        "n-samples": {name: {"original": n, "effective": n} for name, n in counts.items()},
        "config": {"model": record.model.name, "metadata": {OURS: carried} if own else {}},
        "date": stamp,
        "model_source": OURS,
        "model_name": record.model.name,
        "horsesense_version": __version__,
    }


SCHEMA: Final = "0.2.1"
INSTANCES: Final = "instances.jsonl"
RECORD: Final = "record.json"


def write_every_eval_ever(results: Results, folder: Path) -> Path:
    """Write a measured run into a new folder, as record.json and instances.jsonl.

    Who publishes the record fills in `source_metadata`.

    Raises UsageError if the folder exists, StoreError where run or folder refuse.
    """
    stamp = datetime.now(UTC)
    run = fingerprint([results.directory.question(), stamp.isoformat()])
    name = f"{results.items.name}/{_model_id(results)}/{int(stamp.timestamp())}-{run}"
    digest, count = sha256(), 0
    with new_folder(folder) as lines:
        for exchange in exchanges(results.directory):
            for row in _instances(results, exchange, name):
                line = orjson.dumps(row)
                digest.update(line + b"\n")
                count += 1
                lines.add(INSTANCES, line)
        details = {
            "format": "jsonl",
            "file_path": INSTANCES,
            "hash_algorithm": "sha256",
            "checksum": digest.hexdigest(),
            "total_rows": count,
        }
        record = _record(results, name, stamp) | {"detailed_evaluation_results": details}
        lines.put(RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2))
    return folder


def _model_id(results: Results) -> str:
    """The model without the scheme that names it here."""
    name = results.directory.known.model.name
    return name.partition(":")[2] or name


def _evaluation(results: Results, probe: str, condition: Condition, reader: str) -> str:
    parts = (results.items.name, probe, str(condition), reader)
    return " | ".join(part for part in parts if part)


def _record(results: Results, name: str, stamp: datetime) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA,
        "evaluation_id": name,
        "retrieved_timestamp": str(int(stamp.timestamp())),
        "source_metadata": {
            "source_name": "horsesense",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": {"verdict": "\n".join(verdict_of(results))},
        },
        "eval_library": {"name": "horsesense", "version": __version__},
        "model_info": {"name": results.directory.known.model.name, "id": _model_id(results)},
        "evaluation_results": [
            _result(results, e)
            for e in results.estimates
            if e.measure == "accuracy" and not e.group and e.value is not None
        ],
    }


def _result(results: Results, e: Estimate) -> dict[str, Any]:
    settings = results.directory.settings
    uncertainty: dict[str, Any] = {"num_samples": e.n}
    if e.low is not None and e.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": e.low,
            "upper": e.high,
            "confidence_level": e.level,
            "method": e.interval,
        }
    generation: dict[str, Any] = {
        "temperature": settings.temperature,
        "max_tokens": max(1, settings.max_tokens),
    }
    if settings.top_p is not None:
        generation["top_p"] = settings.top_p
    return {
        "evaluation_name": _evaluation(results, e.probe, e.condition, e.reader),
        "source_data": {
            "dataset_name": results.items.name,
            "source_type": "other",
            "additional_details": {
                "source": results.items.source,
                "fingerprint": results.items.fingerprint,
            },
        },
        "metric_config": {
            "evaluation_description": str(e.signature),
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {
            "score": e.value,
            "details": {"n": str(e.n), "n_missing": str(e.n_missing)},
            "uncertainty": uncertainty,
        },
        "generation_config": {"generation_args": generation},
    }


def _instances(results: Results, exchange: Exchange, name: str) -> Iterator[dict[str, Any]]:
    """A record per reader and variant; a trial without a reading has one that says why."""
    trial, response = exchange.trial, exchange.response
    by_reader = exchange.by_reader()
    prompt = "" if exchange.request is None else _text(exchange.request)
    for reader, rows in by_reader.items():
        for row in rows:
            variant = trial.variants[row["variant"]]
            item = results.items.by_id[variant.item_id]
            score, right = score_of(trial, [row]), bool(row["correct"])
            reference = [target(variant)] if variant.gold_at is not None else []
            found: dict[str, Any] = {
                "schema_version": f"instance_level_eval_{SCHEMA}",
                "evaluation_id": name,
                "model_id": _model_id(results),
                "evaluation_name": _evaluation(results, trial.probe, trial.condition, reader),
                "sample_id": variant.item_id,
                "sample_hash": sha256(
                    (item.question + "".join(reference)).encode(errors="replace")
                ).hexdigest(),
                "interaction_type": "single_turn",
                "input": {
                    "raw": item.question,
                    "formatted": prompt,
                    "reference": reference,
                    "choices": list(variant.options),
                },
                "output": {"raw": [] if response is None else [response.text]},
                "answer_attribution": [
                    {
                        "turn_idx": 0,
                        "source": "output.raw",
                        "extracted_value": score["answer"],
                        "extraction_method": f"horsesense {reader}: {row['rule']}",
                        "is_terminal": True,
                    }
                ],
                "evaluation": {"score": float(right), "is_correct": right},
                "metadata": {
                    "probe": trial.probe,
                    "condition": str(trial.condition),
                    "repetition": str(trial.repetition),
                    "status": row["status"],
                    "trial": str(exchange.number),
                    "custom_id": exchange.key.hex(),
                },
            }
            if usage := usage_of(response):
                found["token_usage"] = usage
            yield found


def _text(request: Request) -> str:
    if request.messages is None:
        return request.text or ""
    return "\n\n".join(f"{role}: {text}" for role, text in request.messages)
