"""Batch APIs of the OpenAI form (also `vllm run-batch`): a file of requests, and one of answers.

Answers come in any order and hold no prompt; the two are joined by `custom_id`. Neither says which
option is right: that comes from the items that the import is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import UsageError
from horsesense_extras.logs.known_items import Content, content
from horsesense_extras.logs.options import lettered
from horsesense_extras.logs.sample import LeftOut, Log, Sample
from horsesense_extras.logs.streams import first_row, head_of, rows
from horsesense_extras.logs.values import (
    items_of,
    mapping,
    reasoning_of,
    settings_of,
    stopped,
    text_of,
    top_logprobs,
    whole,
)


def role(path: Path, head: bytes) -> Any:
    """Both kinds of rows have a `custom_id`; a request has a `body`, an answer a `response`."""
    row = first_row(head)
    if "custom_id" not in row:
        return None
    if "response" in row or "error" in row:
        return "samples"
    return "companion" if "body" in row else None


def is_answers(path: str | Path) -> bool:
    """Whether a file holds answers of a batch."""
    file = Path(path)
    return file.is_file() and bool(role(file, head_of(file)) == "samples")


def open_log(path: Path, companions: Sequence[Path]) -> Log:
    """The answers in a file; UsageError where the requests that they belong to are not named."""
    if not companions:
        raise UsageError(
            f"{path} holds the answers of a batch, but not what was asked.",
            hint="Name the file of the requests too, or put it beside.",
        )
    return Log(path, "batch", lambda log: _samples(log, companions), task=path.name.split(".")[0])


def _samples(log: Log, companions: Sequence[Path]) -> Iterator[Sample]:
    requests = {
        str(row.get("custom_id")): mapping(row.get("body"))
        for path in companions
        for _, row in rows(path, LeftOut())
    }
    # A custom_id names a request and not a question, which may be asked several times.
    asked: dict[Content, tuple[str, int]] = {}
    for line, row in rows(log.path, log.left_out):
        name = str(row.get("custom_id", f"line {line}"))
        found = _sample(name, row, requests.get(name, {}))
        if isinstance(found, str):
            log.left_out.add(found, name)
            continue
        what = content(found.question, found.options)
        first, times = asked.get(what, (name, 0))
        asked[what] = first, times + 1
        yield replace(found, id=first, epoch=times + 1, task=log.task)


def _sample(name: str, row: Mapping[str, Any], asked: Mapping[str, Any]) -> Sample | str:
    if not asked:
        return "its request is in none of the files of requests"
    prompt = _prompt(asked)
    if not prompt:
        return "its request holds no prompt of a known form"
    text = prompt if isinstance(prompt, str) else prompt[-1][1]
    block = lettered(text)
    if block is None:
        return "not multiple choice: its prompt shows no labelled options"
    response = mapping(row.get("response"))
    body = mapping(response.get("body"))
    error = _error(row, response, body)
    choice = mapping(next(iter(items_of(body.get("choices"))), None))
    message = mapping(choice.get("message"))
    content = message.get("content") if message else choice.get("text")
    reply = _of_responses(body) if "output" in body else content
    usage = mapping(body.get("usage"))
    thought = message.get("reasoning_content") or message.get("reasoning")
    return Sample(
        id=name,
        question=block.question,
        options=block.options,
        order=tuple(range(len(block.options))),
        labels=block.labels,
        prompt=prompt,
        reply=None if error or reply is None else text_of(reply),
        reasoning=thought if isinstance(thought, str) else reasoning_of(content),
        finish_reason=stopped(choice.get("finish_reason")),
        logprobs=_logprobs(choice.get("logprobs")),
        usage=(
            whole(usage.get("prompt_tokens", usage.get("input_tokens"))),
            whole(usage.get("completion_tokens", usage.get("output_tokens"))),
        ),
        settings=settings_of(asked),
        error=error,
        model=str(asked.get("model") or body.get("model") or ""),
    )


def _prompt(asked: Mapping[str, Any]) -> tuple[tuple[str, str], ...] | str | None:
    """What was sent: of /chat/completions, /completions and /responses."""
    given = asked.get("messages", asked.get("input", asked.get("prompt")))
    if isinstance(given, str):
        return given
    return tuple(
        (str(mapping(m).get("role") or "user"), text_of(mapping(m).get("content")))
        for m in items_of(given)
        if isinstance(m, dict)
    )


def _error(
    row: Mapping[str, Any], response: Mapping[str, Any], body: Mapping[str, Any]
) -> str | None:
    """What went wrong; None where an answer came."""
    said = row.get("error") or body.get("error")
    status = whole(response.get("status_code"))
    if said:
        told = mapping(said).get("message") or mapping(said).get("code")
        return str(told or orjson.dumps(said).decode())[:2000]
    if status is not None and status >= 400:
        return f"status {status}"
    return None if body else "no answer"


def _of_responses(body: Mapping[str, Any]) -> str:
    """The text of an answer of /responses."""
    parts = [mapping(part) for part in items_of(body.get("output"))]
    return "\n".join(text_of(p.get("content")) for p in parts if p.get("type") == "message")


def _logprobs(found: object) -> tuple[Mapping[str, float], ...]:
    """Of a chat, a list of tokens; of a plain completion, a list of alternatives."""
    plain = [mapping(p) for p in items_of(mapping(found).get("top_logprobs"))]
    if plain:
        return tuple({t: float(v) for t, v in p.items() if isinstance(v, int | float)}
                     for p in plain[:20])  # fmt: skip
    return top_logprobs(mapping(found).get("content"))
