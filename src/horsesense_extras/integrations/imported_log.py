"""A run that was imported, as a log of Inspect again: its samples, replies and scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from horsesense.items.item import Item
from horsesense.probes.base import LETTERS
from horsesense.runs.directory import RunDirectory
from horsesense.runs.exchanges import Exchange, exchanges
from horsesense.runs.parts import scan_parts
from horsesense.runs.results import Results
from horsesense_extras.integrations.inspect_parts import message, output_of, score_rows
from horsesense_extras.logs.imported import RECORDED, load_imported

WORDS: Final = {1.0: "C", 0.0: "I"}
"""Scores as Inspect writes them."""


def samples(directory: RunDirectory, model: str) -> Iterator[dict[str, Any]]:
    """The samples as their logs had them: by id and epoch, with the prompt as it was sent.

    Trials of `order` stand for answers that are samples already.
    """
    recorded = _recorded(directory)
    for each in exchanges(directory):
        if each.trial.probe == "original":
            item = directory.items.by_id[each.trial.variant.item_id]
            yield _sample(each, item, recorded.get(each.number, {}), model)


def _recorded(directory: RunDirectory) -> Mapping[int, Mapping[str, Any]]:
    """Trial -> name of a score -> what the log made of the answer."""
    found: dict[int, dict[str, Any]] = defaultdict(dict)
    for row in scan_parts([directory.layout.recorded], RECORDED).collect().iter_rows(named=True):
        if row["value"] is not None:
            value = WORDS.get(row["value"], row["value"])
            found[row["trial"]][row["name"]] = {"value": value, "answer": row["answer"]}
    return found


def _sample(each: Exchange, item: Item, recorded: Mapping[str, Any], model: str) -> dict[str, Any]:
    ours = {f"horsesense/{name}": score for name, score in score_rows(each).items()}
    sample: dict[str, Any] = {
        "id": item.id,
        "epoch": each.trial.repetition + 1,
        "input": item.question,
        "choices": list(item.options),
        "target": [] if item.gold is None else LETTERS[item.gold],
        "messages": [],
        "output": {"model": model, "choices": []},
        "scores": {**recorded, **ours},
        "metadata": {} if item.subject is None else {"subject": item.subject},
        "store": {},
        "events": [],
        "model_usage": {},
        "attachments": {},
    }
    request = each.request
    if request is not None and request.messages is not None:
        sample["messages"] = [message(role, text) for role, text in request.messages]
    elif request is not None and request.text is not None:
        sample["messages"] = [message("user", request.text)]
    if each.response is not None:
        sample["output"] = output_of(each.response, each.response.served_by or model)
        sample["messages"].append(sample["output"]["choices"][0]["message"])
    elif each.failure is not None:
        seen = each.failure.message
        sample["error"] = {"message": seen, "traceback": seen, "traceback_ansi": seen}
    return sample


def reported(results: Results) -> Iterator[dict[str, Any]]:
    """The numbers that the logs gave themselves."""
    logs = (load_imported(results.directory) or {"logs": []})["logs"]
    for log in logs:
        for each in log["reported"]:
            name, _, metric = each["name"].rpartition("/")
            yield {
                "name": name or metric,
                "scorer": name or metric,
                "params": {},
                "metrics": {metric: {"name": metric, "value": each["value"], "params": {}}},
            }
