"""Batch files: requests for a service that answers within a day, and the answers that come back.

The files are those of OpenAI's batch API, which other services and `vllm run-batch` take as well.
The key of a request is its `custom_id`; answers are stored under it, so that they may come in any
order, in several files, and beside answers that came by other ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import orjson

from horsesense.errors import ItemsError, UsageError
from horsesense.files import new_folder
from horsesense.inference.limits import RunSummary
from horsesense.items.faults import Faults
from horsesense.items.files import read_rows
from horsesense.models.base import Asked
from horsesense.models.known import KnownAnswers
from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.models.openai.api_key import Secret
from horsesense.models.openai.dialect import Dialect
from horsesense.models.registry import make_model
from horsesense.runs.ask import ask_as
from horsesense.runs.directory import RunDirectory
from horsesense.runs.exchanges import exchanges
from horsesense.runs.run import complete
from horsesense.runs.unanswered import unanswered
from horsesense.stats.words import plural
from horsesense_extras.integrations.inspect_log import message, scored_token, usage_of
from horsesense_extras.logs.carried import AS_RECORDED
from horsesense_extras.logs.sample import LeftOut
from horsesense_extras.logs.streams import UNREADABLE
from horsesense_extras.logs.values import mapping
from horsesense_extras.models.batch import batch_line, key_of, read_line

MOST_REQUESTS: Final = 50_000
"""Requests in one file, as many as services take."""
MOST_BYTES: Final = 190_000_000
"""Bytes of one file; services take 200 MB."""


HAD_ONE: Final = "its request had an answer already"
FOREIGN: Final = "it answers no request of this run"
AGAIN: Final = "another line of the same request; the last with an answer counts"
_LINE: Final = '{"custom_id": "...", "response": {"status_code": 200, "body": {...}}}.'


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        files: names of the files of requests.
        requests: that have no answer yet.
        answered: that have one.
    """

    files: tuple[str, ...]
    requests: int
    answered: int


def write_batch(directory: RunDirectory, folder: Path) -> Written:
    """Write the requests of a run: those to be sent, and the answered ones with their answers.

    requests-0001.jsonl, ...   to be sent
    answered.jsonl             requests that have an answer
    answers.jsonl              their answers, in the form of a batch's output

    Raises:
        UsageError: the folder exists, or the run stops by what it finds (`--until`).
        StoreError: the run cannot be read, or the files not be written.
    """
    if directory.settings.until is not None:
        raise UsageError(
            "A run with --until decides after each answer what it asks next.",
            hint="Plan it without --until to have it asked as a batch.",
        )
    name, dialect = _model(directory)
    requests: Counter[str] = Counter()
    answered = 0
    with new_folder(folder) as lines, directory.store() as store:
        sent = (batch_line(asked, name, dialect) for asked in unanswered(directory, store))
        for file, line in _in_files(map(orjson.dumps, sent)):
            lines.add(file, line)
            requests[file] += 1
        for request, line in _answers(directory, name, dialect):
            lines.add("answered.jsonl", request)
            lines.add("answers.jsonl", line)
            answered += 1
    return Written(tuple(requests), requests.total(), answered)


def _model(directory: RunDirectory) -> tuple[str, Dialect]:
    """The model as a service knows it, and what is said differently to it."""
    spec = directory.settings.model
    if spec.startswith(("batch:", "http:")):
        made: Any = make_model(spec)
        return made.model, made.dialect
    return directory.known.model.name.partition(":")[2] or directory.known.model.name, Dialect()


def _in_files(lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """The file of each request and the request: no file grows beyond what services take."""
    number, held, size = 1, 0, 0
    for line in lines:
        if held and (held >= MOST_REQUESTS or size + len(line) > MOST_BYTES):
            number, held, size = number + 1, 0, 0
        held, size = held + 1, size + len(line) + 1
        yield f"requests-{number:04d}.jsonl", line


def _answers(
    directory: RunDirectory, model: str, dialect: Dialect
) -> Iterator[tuple[bytes, bytes]]:
    """Each answered request once, as a line of input and of output."""
    seen: set[Key] = set()
    for each in exchanges(directory):
        if each.response is None or each.request is None or each.key in seen:
            continue
        seen.add(each.key)
        asked = Asked(each.key, each.request)
        yield (
            orjson.dumps(batch_line(asked, model, dialect)),
            orjson.dumps(_output_line(each.key, each.request, each.response, model)),
        )


def _output_line(key: Key, request: Request, response: Response, model: str) -> dict[str, Any]:
    choice: dict[str, Any] = {"index": 0, "finish_reason": response.finish_reason}
    tokens = response.token_logprobs
    if request.messages is None:
        choice["text"] = response.text
        scores: dict[str, Any] = {"top_logprobs": [dict(position) for position in tokens]}
    else:
        choice["message"] = message("assistant", response.text)
        scores = {"content": [*map(scored_token, tokens)]}
    if tokens:
        choice["logprobs"] = scores
    body: dict[str, Any] = {"model": response.served_by or model, "choices": [choice]}
    if usage := usage_of(response, ("prompt_tokens", "completion_tokens")):
        body["usage"] = usage
    return {
        "id": f"batch_req_{key.hex()}",
        "custom_id": key.hex(),
        "response": {"status_code": 200, "body": body},
        "error": None,
    }


@dataclass(frozen=True)
class Taken:
    """What became of the answers of a batch.

    Attributes:
        spent: what storing them did.
        left_out: lines that cannot be read, and answers that were not needed, by reason.
    """

    spent: RunSummary
    left_out: LeftOut


def take_answers(directory: RunDirectory, files: Sequence[Path]) -> Taken:
    """Store the answers of a batch under the keys of their requests, and plan what comes next.

    Raises:
        ItemsError: no line of the files is an answer of a batch (every faulty one is named), or
            none of them answers a request of this run.
        StoreError: the run cannot be used.
    """
    left_out = LeftOut()
    answers = _read_answers(files, left_out)
    model, secret = directory.known.model, Secret.set_here()

    def read(request: Request, line: dict[str, Any]) -> Response | Failure:
        found = read_line(request, line)
        if isinstance(found, Failure):
            return replace(found, message=secret.scrub(found.message))
        return found

    known = KnownAnswers(model.name, model.identity, model.offers, answers, read)
    spent = complete(ask_as(directory, known, model, retry=AS_RECORDED))
    if not known.used and not spent.cached:
        raise ItemsError(
            ", ".join(map(str, files)),
            [f"none of its {plural(len(answers), 'answer')} belongs to a request of this run"],
            hint="Was the batch exported from another run?",
        )
    with directory.store() as store:
        for key in answers:
            if key not in known.used:
                there = bool(store.known([key]))
                left_out.add(HAD_ONE if there else FOREIGN, key.hex())
    return Taken(spent, left_out)


def _read_answers(files: Sequence[Path], left_out: LeftOut) -> dict[Key, dict[str, Any]]:
    """The answers by the keys of their requests; ItemsError where no line holds one."""
    answers: dict[Key, dict[str, Any]] = {}
    faulty = Faults(", ".join(map(str, files)))
    for path in files:
        faults = Faults(str(path))
        for number, line in read_rows(path, faults):
            key = key_of(line)
            if key is None:
                faults.add(number, "`custom_id` is not the key of a request of horsesense")
            else:
                if key in answers:
                    left_out.add(AGAIN, key.hex())
                reply = mapping(line.get("response"))
                if key not in answers or (reply and reply.get("status_code") in (200, None)):
                    answers[key] = line
        for number, fault in faults.found:
            left_out.add(UNREADABLE, f"{path.name}, line {number}: {fault}")
            faulty.add(number, fault)
    if not answers:
        faulty.check(f"A line looks like {_LINE}")
    return answers


def without_answer(directory: RunDirectory) -> int:
    """Requests of a run that the next export would write to be sent."""
    with directory.store() as store:
        return sum(1 for _ in unanswered(directory, store))
