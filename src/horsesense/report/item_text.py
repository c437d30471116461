"""One item with every prompt and answer about it, for a terminal and for machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.report import examples
from horsesense.report.examples import AskedExample, Read
from horsesense.report.item_view import NO_CHOICE
from horsesense.report.rendering import page
from horsesense.runs.results import Results

NEAR = 5
"""Ids that are named where there is no item of an id."""


def item_of(results: Results, item_id: str) -> Item:
    """An item of a run; UsageError names the nearest ids where there is none."""
    known = results.items.by_id
    if item_id not in known:
        raise UsageError.unknown("item", item_id, known, listed=NEAR)
    return known[item_id]


def item_json(results: Results, item_id: str) -> dict[str, Any]:
    """The item as published and every form in which it was asked, in that order.

    UsageError names the nearest ids where there is no such item.
    """
    item = item_of(results, item_id)
    with results.directory.store() as store:
        [(_, trials)] = examples.trials_of(results, [item_id], store)
        planned = examples.not_sent(results, trials, store)
        trials = examples.exchanged(trials, store, planned)
    return {
        "item": {
            "id": item.id,
            "subject": item.subject,
            "context": item.context,
            "question": item.question,
            "text_b": item.text_b,
            "options": list(item.options),
            "gold": item.gold,
        },
        "forms": [_form(trial) for trial in trials],
    }


def _form(trial: AskedExample) -> dict[str, Any]:
    request, response = trial.request, trial.response
    failure = None if trial.failed is None else trial.failed.failure
    return {
        "probe": trial.probe,
        "form": trial.label,
        "repetition": trial.repetition,
        "right": None if trial.gold_at is None else _shown(trial, trial.gold_at),
        "prompt": [
            {"role": role, "content": text}
            for role, text in (examples.messages(request) if request else ())
        ],
        "reply": None if response is None else response.text,
        "reasoning": None if response is None else response.reasoning,
        "finish_reason": None if response is None else response.finish_reason,
        "came_back": None if response is None else examples.came_back(response),
        "failure": None if failure is None else f"{failure.kind}: {failure.message}",
        "readings": [_reading(trial, read) for read in trial.readings],
    }


def _reading(trial: AskedExample, read: Read) -> dict[str, Any]:
    found = read.reading
    return {
        "reader": read.reader,
        "status": found.status,
        "cause": read.cause,
        "chosen": [_shown(trial, place) for place in found.positions],
        "correct": read.correct,
        "rule": found.rule,
        "span": found.span,
        "confidence": found.confidence,
    }


def _shown(trial: AskedExample, place: int) -> str:
    """What an option is called in a prompt: its label, else its text, else its number."""
    for names in (trial.labels, trial.options):
        if place < len(names):
            return names[place]
    return str(place + 1)


def item_text(found: Mapping[str, Any]) -> str:
    """What `item_json` gives, for people."""
    return page("item.txt", no_choice=NO_CHOICE, **found).rstrip("\n")
