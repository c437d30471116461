"""One item with every prompt and answer about it, for a terminal and for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.report.examples import Asked, Read, exchanged, messages, trials_of
from horsesense.runs.results import Results

INDENT = "    "


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
        [(_, trials)] = trials_of(results, [item_id], store)
        trials = [exchanged(trial, store) for trial in trials]
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


def _form(trial: Asked) -> dict[str, Any]:
    request, response = trial.request, trial.response
    failure = None if trial.failed is None else trial.failed.failure
    return {
        "probe": trial.probe,
        "form": trial.label,
        "repetition": trial.repetition,
        "right": None if trial.gold_at is None else _shown(trial, trial.gold_at),
        "prompt": [
            {"role": role, "content": text} for role, text in (messages(request) if request else ())
        ],
        "reply": None if response is None else response.text,
        "reasoning": None if response is None else response.reasoning,
        "finish_reason": None if response is None else response.finish_reason,
        "failure": None if failure is None else f"{failure.kind}: {failure.message}",
        "readings": [_reading(trial, read) for read in trial.readings],
    }


def _reading(trial: Asked, read: Read) -> dict[str, Any]:
    found = read.reading
    return {
        "reader": read.reader,
        "status": found.status,
        "chosen": [_shown(trial, place) for place in found.positions],
        "correct": read.correct,
        "rule": found.rule,
        "span": found.span,
        "confidence": found.confidence,
    }


def _shown(trial: Asked, place: int) -> str:
    """What an option is called in a prompt: its label, else its text, else its number."""
    for names in (trial.labels, trial.options):
        if place < len(names):
            return names[place]
    return str(place + 1)


def item_text(found: Mapping[str, Any]) -> str:
    """What `item_json` gives, for people."""
    item = found["item"]
    lines = [f"{item['id']}" + (f" ({item['subject']})" if item["subject"] else "")]
    lines += [line for name in ("context", "question", "text_b") for line in _block(item[name])]
    for place, option in enumerate(item["options"]):
        mark = "*" if place == item["gold"] else " "
        lines.append(f"  {mark} {option}")
    if item["gold"] is None:
        lines.append("The right answer is not known.")
    of, seen = Counter(form["form"] for form in found["forms"]), Counter[str]()
    for number, form in enumerate(found["forms"], 1):
        seen[form["form"]] += 1
        label = form["form"] + (f", {seen[form['form']]}" if of[form["form"]] > 1 else "")
        lines += ["", f"--- {number} of {len(found['forms'])}: {label}", *_form_lines(form)]
    return "\n".join(lines)


def _form_lines(form: Mapping[str, Any]) -> Iterator[str]:
    for message in form["prompt"]:
        yield message["role"]
        yield from _block(message["content"])
    if not form["prompt"]:
        yield "The prompt is not known."
    if form["reasoning"]:
        yield "reasoning, not read as an answer"
        yield from _block(form["reasoning"])
    if form["reply"] is not None:
        end = form["finish_reason"]
        yield "reply" if end in (None, "stop") else f"reply (ended by {end})"
        yield from _block(form["reply"])
    elif form["failure"]:
        yield f"failed: {form['failure']}"
    else:
        yield "no answer"
    if form["right"] is not None:
        yield f"right: {form['right']}"
    for read in form["readings"]:
        yield _reading_line(read)


def _reading_line(read: Mapping[str, Any]) -> str:
    chosen: Sequence[str] = read["chosen"]
    says = ", ".join(chosen) if read["status"] == "answer" else read["status"]
    judged = {True: ", right", False: ", wrong", None: ""}[read["correct"]]
    return f"{read['reader']}: {says}{judged} ({read['rule']}, confidence {read['confidence']:.2f})"


def _block(text: str | None) -> list[str]:
    """A text, set in; nothing where there is none."""
    return [INDENT + line for line in (text or "").splitlines()]
