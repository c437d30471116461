"""Batch APIs of the OpenAI form (also `vllm run-batch`): a file of requests, and one of answers.

Answers come in any order and hold no prompt; the two are joined by `custom_id`. Neither says which
option is right: that comes from the items that the import is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from horsesense.errors import UsageError
from horsesense.models.messages import Request, Response, SamplingParams
from horsesense_extras.logs.known_items import Content, content
from horsesense_extras.logs.options import lettered
from horsesense_extras.logs.sample import LeftOut, Log, NotTakenError, Reads, Sample
from horsesense_extras.logs.streams import first_row, head_of, rows
from horsesense_extras.logs.values import at, mapping, messages_of, settings_of
from horsesense_extras.models.batch import read_line

_ASKED: Final = SamplingParams(max_tokens=1, top_logprobs=1)
"""What any request of a batch may get."""


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


def _samples(log: Log, companions: Sequence[Path]) -> Reads:
    requests: dict[str, Mapping[str, Any]] = {}
    for path in companions:
        for _, row in rows(path, LeftOut()):
            key, body = str(row.get("custom_id")), mapping(row.get("body"))
            if requests.setdefault(key, body) != body:
                raise UsageError(
                    f"{path}: the custom_id {key!r} names two requests, so that answers may be"
                    " those of either.",
                    hint="Import each file of answers from a folder with its own requests alone.",
                )
    # A custom_id names a request and not a question, which may be asked several times.
    asked: dict[Content, tuple[str, int]] = {}
    answered: dict[str, Any] = {}
    for line, row in rows(log.path, log.left_out):
        name = str(row.get("custom_id", f"line {line}"))
        if name in answered:
            if answered[name] != row:
                raise UsageError(
                    f"{log.path}, line {line}: the custom_id {name!r} has two answers.",
                    hint="Keep the one that counts, or import the answers of each batch alone.",
                )
            continue
        answered[name] = row
        yield name, partial(_sample, name, row, requests.get(name, {}), asked, log.task)


def _sample(
    name: str,
    row: Mapping[str, Any],
    request: Mapping[str, Any],
    asked: dict[Content, tuple[str, int]],
    task: str,
) -> Iterator[Sample]:
    if not request:
        raise NotTakenError("its request is in none of the files of requests")
    given = at(request, "messages", "input", "prompt")
    prompt = given if isinstance(given, str) else messages_of(given)
    if not prompt:
        raise NotTakenError("its request holds no prompt of a known form")
    block = lettered(prompt if isinstance(prompt, str) else prompt[-1][1])
    if block is None:
        raise NotTakenError("not multiple choice: its prompt shows no labelled options")
    what = content(block.question, block.options, block.context)
    first, times = asked.get(what, (name, 0))
    asked[what] = first, times + 1
    chat = not isinstance(request.get("prompt"), str)
    asking = Request((), None, _ASKED) if chat else Request(None, "", _ASKED)
    came, body = read_line(asking, row), at(row, "response.body")
    if isinstance(came, Response) and max(map(len, came.token_logprobs), default=0) < 2:
        # A token without alternatives is what the reply says already.
        came = replace(came, token_logprobs=())
    yield Sample(
        id=first,
        epoch=times + 1,
        question=block.question,
        options=block.options,
        context=block.context or None,
        order=tuple(range(len(block.options))),
        labels=block.labels,
        prompt=prompt,
        settings=settings_of(request),
        model=str(request.get("model") or mapping(body).get("model") or ""),
        task=task,
        came=came,
    )
