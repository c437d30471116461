"""A run as lm-evaluation-harness would have written it: `samples_*.jsonl` and `results_*.json`.

Each condition of each probe is a task, and each reader a filter, so that there is a row per trial
and reader. Accuracies in the results are those of the run, with its intervals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from horsesense.files import new_folder
from horsesense.models.messages import Request, Response
from horsesense.report import verdict_of
from horsesense.runs.exchanges import Exchange, exchanges
from horsesense.runs.results import Results
from horsesense.version import __version__
from horsesense_extras.integrations.inspect_log import score_of, target
from horsesense_extras.integrations.lm_eval_task import document, slug
from horsesense_extras.logs.carried import OURS, Carrier, carried_by_log

ALONE = "none"
"""The filter of a task without any."""


def write_lm_eval(results: Results, folder: Path) -> Path:
    """Write a measured run into a new folder.

    Raises UsageError if the folder exists, StoreError where run or folder refuse.
    """
    directory = results.directory
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S.%f")
    carrier = Carrier(directory.items)
    counts: dict[str, int] = {}
    with new_folder(folder) as lines:
        for exchange in exchanges(directory):
            if exchange.request is None:
                continue  # never sent: lm-eval has no row for it
            name = _task(results, exchange)
            place = counts.get(name, 0)
            counts[name] = place + 1
            for row in _rows(exchange, exchange.request, carrier, place):
                lines.add(f"samples_{name}_{stamp}.jsonl", orjson.dumps(row))
        lines.put(f"results_{stamp}.json", orjson.dumps(_results(results, counts, carrier, stamp)))
    return folder


def _task(results: Results, exchange: Exchange) -> str:
    return slug(f"{results.items.name}_{exchange.trial.probe}_{exchange.trial.condition}")


def _rows(
    exchange: Exchange, request: Request, carrier: Carrier, place: int
) -> Iterator[dict[str, Any]]:
    """One row per reader; one without a reading where nothing read the reply."""
    trial = exchange.trial
    carried = carrier.of(exchange.number, exchange.stage, trial, request)
    if exchange.response is not None:
        rest = exchange.response.as_json()
        carried["response"] = {k: v for k, v in rest.items() if k != "text"}
    if len(request.messages or ()) > 1:
        carried["messages"] = request.messages
    doc = document(trial, request, carried)
    prompt = doc["prompt"]
    arguments, resps = _exchanged(request, exchange.response, prompt, doc["choices"])
    if exchange.failure is not None:
        doc["error"] = f"{exchange.failure.kind}: {exchange.failure.message}"
    row = {
        "doc_id": place,
        "doc": doc,
        "target": "; ".join(map(target, trial.variants)),
        "arguments": arguments,
        "resps": resps,
        "doc_hash": _hash(orjson.dumps(doc)),
        "prompt_hash": _hash(prompt.encode(errors="replace")),
        "target_hash": _hash(doc["target"].encode(errors="replace")),
    }
    for reader, readings in exchange.by_reader().items() or ((ALONE, []),):
        score = score_of(trial, readings) if readings else None
        value = {"C": 1.0, "I": 0.0}.get(score["value"], score["value"]) if score else None
        yield row | {
            "filtered_resps": [score["answer"]] if score else [],
            "filter": reader,
            "metrics": ["acc"] if isinstance(value, float) else [],
            **({"acc": value} if isinstance(value, float) else {}),
        }


def _exchanged(
    request: Request, response: Response | None, prompt: str, choices: list[str]
) -> tuple[dict[str, Any], list[Any]]:
    """What was asked and what came back, in the form of a generated or a scored task."""
    if request.params.max_tokens:
        decoding = {"max_gen_toks": request.params.max_tokens, "until": []}
        decoding |= {"temperature": request.params.temperature}
        arguments = {"gen_args_0": {"arg_0": prompt, "arg_1": decoding}}
        return arguments, [] if response is None else [[response.text]]
    scores = {} if response is None else _scores(response)
    arguments = {
        f"gen_args_{n}": {"arg_0": prompt, "arg_1": choice} for n, choice in enumerate(choices)
    }
    resps = [[[str(scores[choice]), "False"]] for choice in choices if choice in scores]
    return arguments, resps if len(resps) == len(choices) else []


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
    for e in results.estimates:
        name = slug(f"{results.items.name}_{e.probe}_{e.condition}")
        if e.measure == "accuracy" and not e.group and e.value is not None and name in found:
            found[name][f"acc,{e.reader}"] = e.value
            found[name][f"acc_low,{e.reader}"] = e.low
            found[name][f"acc_high,{e.reader}"] = e.high
    record = directory.known
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
        "config": {"model": record.model.name, "metadata": {OURS: carried}},
        "date": stamp,
        "model_source": OURS,
        "model_name": record.model.name,
        "horsesense_version": __version__,
    }
