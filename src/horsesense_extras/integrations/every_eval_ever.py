"""A run as records of Every Eval Ever (schema 0.2.1): one aggregate JSON, one JSONL of instances.

An evaluation is one condition of one probe as one reader understood it; its score is the accuracy
of the run. Instances are the trials of those conditions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import orjson

from horsesense.files import new_folder
from horsesense.measures.base import Estimate
from horsesense.models.messages import Request
from horsesense.report import verdict_of
from horsesense.rng import fingerprint
from horsesense.runs.exchanges import Exchange, exchanges
from horsesense.runs.results import Results
from horsesense.trials.condition import Condition
from horsesense.version import __version__
from horsesense_extras.integrations.inspect_log import score_of, target, usage_of

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
                "evaluation": {
                    "score": float(right),
                    "is_correct": right,
                },
                "metadata": _metadata(exchange, row),
            }
            if usage := usage_of(response):
                found["token_usage"] = usage
            yield found


def _text(request: Request) -> str:
    if request.messages is None:
        return request.text or ""
    return "\n\n".join(f"{role}: {text}" for role, text in request.messages)


def _metadata(exchange: Exchange, row: Mapping[str, Any]) -> dict[str, str]:
    trial = exchange.trial
    return {
        "probe": trial.probe,
        "condition": str(trial.condition),
        "repetition": str(trial.repetition),
        "status": row["status"],
        "trial": str(exchange.number),
        "custom_id": exchange.key.hex(),
    }
