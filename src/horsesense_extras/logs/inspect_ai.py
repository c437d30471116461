"""Logs of Inspect: `.eval` (a zip of one JSON file a sample) and `.json` (one document).

What was sent and answered stands in a sample's model events alone. Where options were shuffled,
the sample's own messages and output are put back into the unshuffled order afterwards, so that
they show a prompt that was never sent and a letter that was never written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

import orjson

from horsesense.models.messages import Failure, Response
from horsesense_extras.logs.options import (
    Shown,
    index_of,
    labels_of,
    lettered,
    right_option,
    shown_order,
)
from horsesense_extras.logs.sample import Log, NotTakenError, Reads, Reported, Sample, Score, own_of
from horsesense_extras.logs.streams import Archive, damaged, document
from horsesense_extras.logs.values import (
    Layout,
    at,
    items_of,
    mapping,
    messages_of,
    number,
    settings_of,
    text_of,
    whole,
)

ANSWER: Final = Layout(
    reply=("choices.0.message.content",),
    finish_reason=("choices.0.stop_reason",),
    logprobs=("choices.0.logprobs.content",),
    prompt_tokens=("usage.input_tokens",),
    reply_tokens=("usage.output_tokens",),
    thought_tokens=("usage.reasoning_tokens",),
    model=("model",),
)
_JSON_HEAD: Final = tuple(
    re.compile(part) for part in (rb"\A\s*\{", rb'"eval"\s*:\s*\{', rb'"task"\s*:')
)
_SAMPLES: Final = re.compile(rb',\s*"samples"\s*:')
_ENTRY: Final = re.compile(r"samples/.+\.json", re.DOTALL)
"""A sample is named after its id, which may hold a slash."""
_WORDS: Final = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0,
                 "false": 0.0}  # fmt: skip
"""Words of scorers as Inspect's own metrics count them."""
_MEANS: Final = ("accuracy", "mean")
_SHUFFLED: Final = "Choices were shuffled before generating a response"
_SENT: Final = "Shuffled answer:\n"

Prompt = tuple[tuple[str, str], ...] | None
Rows = Iterator[tuple[str, Any]]


def role(path: Path, head: bytes) -> Any:
    """Whether a file is such a log, from its ending and first bytes."""
    is_document = path.suffix == ".json" and all(part.search(head) for part in _JSON_HEAD)
    return "samples" if is_document or (path.suffix == ".eval" and head) else None


def open_log(path: Path, companions: Sequence[Path]) -> Log:
    """The log in a file; ItemsError where it is damaged."""
    packed = path.suffix == ".eval"
    archive = Archive(path) if packed else None
    header = _header(archive) if archive else _before_samples(path)
    spec = mapping(header.get("eval"))
    log = Log(
        path,
        "inspect",
        lambda log: _samples(log, _entries(log, archive) if archive else _rows(path), header),
        task=str(spec.get("task_display_name") or spec.get("task") or ""),
        model=str(spec.get("model") or ""),
        created=str(spec.get("created") or ""),
        state={"success": "complete"}.get(str(header.get("status")), str(header.get("status"))),
    )
    log.reported = list(_reported(mapping(header.get("results")), mapping(spec.get("config"))))
    log.own = own_of(spec)
    if log.state != "complete":
        log.notes.append(
            f"The log says that its run did not end well ({log.state}); it holds the samples that"
            " were finished by then."
        )
    return log


def _header(archive: Archive) -> Mapping[str, Any]:
    """What an archive says of the log. One of a run that crashed has only a journal."""
    with archive:
        for name in ("header.json", "_journal/start.json"):
            if name in archive.entries:
                return {"status": "started", **mapping(archive.json(name))}
    raise damaged(str(archive.path), "the archive holds no log of Inspect (no header.json)")


def _before_samples(path: Path) -> Mapping[str, Any]:
    """What a document says of the log, which mostly stands before its samples.

    What comes before the outermost "samples" is an object once it is closed; what comes before
    an inner one is none.
    """
    with path.open("rb") as stream:
        head = stream.read(2**20)
    for place in islice(_SAMPLES.finditer(head), 9):
        with suppress(orjson.JSONDecodeError):
            return mapping(orjson.loads(head[: place.start()] + b"}"))
    return {key: value for key, value in mapping(document(path)).items() if key != "samples"}


def _entries(log: Log, archive: Archive) -> Rows:
    """The samples of an archive by the names of their entries."""
    with archive:
        for name in archive.entries:
            if ".." in name.split("/") or name.startswith(("/", "\\")):
                log.left_out.add("an entry that points outside of the archive", name)
            elif _ENTRY.fullmatch(name):
                yield name, archive.json(name)
            elif name.startswith("samples/") and not name.endswith("/"):
                log.left_out.add("an entry beside the samples that is none", name)


def _rows(path: Path) -> Rows:
    """The samples of a document."""
    found = items_of(at(document(path), "samples"))[::-1]
    for place in range(1, len(found) + 1):
        yield f"sample {place}", found.pop()


def _samples(log: Log, found: Rows, header: Mapping[str, Any]) -> Reads:
    given = (at(header, "eval.model_generate_config"), at(header, "plan.config"))
    defaults, packed = {**mapping(given[0]), **mapping(given[1])}, log.path.suffix == ".eval"
    for entry, row in found:
        given_id = mapping(row).get("id")
        name = str(given_id) if isinstance(given_id, str | int | float) else entry
        sample = _Sample(name, mapping(row), log, defaults)
        # An archive's left out samples go by their entries, which say the epoch too.
        told = entry if packed else name
        yield told, sample.own if log.own else partial(sample.made, isinstance(row, dict))


@dataclass
class _Sample:
    """One sample of a log as it is made neutral."""

    name: str
    row: Mapping[str, Any]
    log: Log
    defaults: Mapping[str, Any]

    def __post_init__(self) -> None:
        self._lost: set[str] = set()
        self._attachments = mapping(self.row.get("attachments"))
        self._pool = items_of(at(self.row, "events_data.messages", "message_pool"))

    def made(self, is_object: bool) -> Iterator[Sample]:
        """The sample; NotTakenError says why it cannot be taken."""
        row = self.row
        if not is_object:
            raise NotTakenError("not a sample")
        event = self._event()
        prompt, output = self._said(event)
        sent = at(event, "call.request.prompt")
        came = self._came(output)
        reply = came.text if came else ""
        options = tuple(self._option(o) for o in items_of(row.get("choices")))
        question = self._question()
        block = None if options else self._in_prompt(prompt)
        if block is not None:
            options, question = block.options, block.question
        if len(options) < 2:
            raise NotTakenError("not multiple choice: the sample has no options")
        told = question, *options, reply, *(text for _, text in prompt or ())
        if self._lost and any(lost in text for text in told for lost in self._lost):
            raise NotTakenError("a text of it is an attachment that the log does not hold")
        order, labels = self._shown(prompt, options)
        if not order:
            raise NotTakenError(
                "options were shuffled, and the log does not hold the order that was shown"
            )
        # What failed afterwards takes no reply away.
        subject = at(row, "metadata.subject") or at(row, "metadata.category")
        yield Sample(
            id=self.name,
            question=question,
            options=options,
            order=order,
            labels=labels,
            gold=right_option(row.get("target"), options, labels_of(len(options))),
            subject=subject if isinstance(subject, str) else None,
            epoch=whole(row.get("epoch")) or 1,
            # Only the call itself says that a completion was asked for.
            prompt=self._text(sent) if isinstance(sent, str) else prompt,
            settings=settings_of({**self.defaults, **mapping(at(event, "config"))}),
            scores=dict(_scores(row)),
            model=self.log.model,
            task=self.log.task,
            came=self._settled(came, output, whole_sample=not reply),
        )

    def own(self) -> Iterator[Sample]:
        """A sample that horsesense asked inside of Inspect, which needs no guessing."""
        carried = own_of(self.row)
        if not carried:
            raise NotTakenError("not a sample of the study")
        prompt, output = self._said(self._event())
        yield Sample(
            id=self.name,
            prompt=prompt,
            model=self.log.model,
            came=self._settled(self._came(output), output),
            own={**carried, "response": own_of(output)},
        )

    def _came(self, output: Mapping[str, Any]) -> Response | None:
        # `completion` is what Inspect makes of the first choice; empty where there is none.
        return ANSWER.answer(output, self._text, output.get("completion"))

    def _settled(
        self, came: Response | None, output: Mapping[str, Any], whole_sample: bool = True
    ) -> Response | Failure | None:
        """An answer, or its error; of the `whole_sample` too, the error or limit in its place."""
        told: Mapping[str, Any] = self.row if whole_sample else {}
        if error := mapping(told.get("error")):
            return Failure("rejected", str(error.get("message") or "unknown"))
        if said := output.get("error"):
            return Failure("rejected", f"{(came and came.finish_reason) or 'error'}: {said}")
        limit = at(told, "limit.type")
        if came is None and isinstance(limit, str):
            return Failure("rejected", f"the sample reached its limit ({limit[:40]})")
        return came

    def _text(self, content: object) -> str:
        """The text of a content, its attachment put back."""
        text = content if isinstance(content, str) else text_of(content, self._text)
        if text.startswith("attachment://"):
            found = self._attachments.get(text.removeprefix("attachment://"))
            if isinstance(found, str):
                return found
            self._lost.add(text)
        return text

    def _option(self, given: object) -> str:
        """The text of an option, which may be a number."""
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        return str(given) if is_number else self._text(given)

    def _question(self) -> str:
        given = self.row.get("input")
        asked = [text for who, text in messages_of(given, self._text) if who == "user"]
        return self._text(given) if isinstance(given, str) else asked[-1] if asked else ""

    def _event(self) -> Mapping[str, Any] | None:
        """The call of the model that the sample's output came from.

        Several calls: that whose message the output is, else the last one before scoring.
        """
        calls = []
        for event in items_of(self.row.get("events")):
            kind = mapping(event).get("event")
            if kind == "score":
                break
            if kind == "model":
                calls.append(mapping(event))
        wanted = at(self.row, "output.choices.0.message.id") if len(calls) > 1 else None
        same = [c for c in calls if wanted and at(c, "output.choices.0.message.id") == wanted]
        own = [c for c in calls if c.get("model") == self.log.model]
        return next(reversed(same or own or calls), None)

    def _said(self, event: Mapping[str, Any] | None) -> tuple[Prompt, Mapping[str, Any]]:
        """What was sent, and the output that came back: of the event, if there is one.

        Without events, a shuffled sample's reply stands in what its scorer explains.
        """
        if event is not None:
            sent = [*self._pooled(event), *items_of(event.get("input"))]
            return messages_of(sent, self._text), mapping(event.get("output"))
        output = mapping(self.row.get("output"))
        told = self._explained()
        if told is not None:
            choice = {**mapping(at(output, "choices.0")), "message": {}}
            reply = told.partition(_SENT)[2]
            return None, {**output, "choices": [choice], "completion": reply}
        messages = items_of(self.row.get("messages"))
        while messages and at(messages[-1], "role") == "assistant":
            messages = messages[:-1]
        return messages_of(messages, self._text) or None, output

    def _pooled(self, event: Mapping[str, Any]) -> Iterator[Any]:
        for span in items_of(event.get("input_refs")):
            if isinstance(span, list) and len(span) == 2 and all(isinstance(n, int) for n in span):
                yield from self._pool[max(0, span[0]) : max(0, span[1])]

    def _explained(self) -> str | None:
        """What a scorer says was shown, where options were shuffled."""
        for score in mapping(self.row.get("scores")).values():
            told = at(score, "explanation")
            if isinstance(told, str) and told.startswith(_SHUFFLED):
                return told
        return None

    def _shown(
        self, prompt: Prompt, options: Sequence[str]
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Shown position -> option, and the labels; nothing where a shuffled order is not known."""
        told = self._explained()
        if prompt is None and told is not None:
            return shown_order(told.partition(_SENT)[0], options)
        for _, text in reversed(prompt or ()):
            order, labels = shown_order(text, options)
            if order:
                return order, labels
        if told is not None:
            return (), ()
        block = lettered(_asked(prompt))
        same = block is not None and len(block.options) == len(options)
        labels = block.labels if block is not None and same else labels_of(len(options))
        return tuple(range(len(options))), labels

    def _in_prompt(self, prompt: Prompt) -> Shown | None:
        """Options of a task that writes them into its prompts itself.

        They count where the target is one of their labels or texts.
        """
        block, target = lettered(_asked(prompt)), self.row.get("target")
        named = target[0] if isinstance(target, list) and len(target) == 1 else target
        known = block is not None and index_of(named, block.options, block.labels) is not None
        return block if known else None


def _asked(prompt: Prompt) -> str:
    """The last message of the user."""
    return next((text for who, text in reversed(prompt or ()) if who == "user"), "")


def _scores(row: Mapping[str, Any]) -> Iterator[tuple[str, Score]]:
    for name, score in mapping(row.get("scores")).items():
        value, answer = at(score, "value"), at(score, "answer")
        said = None if answer is None else str(answer)
        if isinstance(value, dict):
            for key, part in value.items():
                yield f"{name}/{key}", Score(_value(part), said)
        else:
            yield str(name), Score(_value(value), said)


def _value(value: object) -> float | None:
    """A score as a number, as Inspect's metrics take it; None where it is none."""
    if isinstance(value, str):
        word = value.strip()
        known = _WORDS.get(word, _WORDS.get(word.lower()) if len(word) > 1 else None)
        return number(word) if known is None else known
    return number(value)


def _reported(results: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[Reported]:
    reducers = config.get("epochs_reducer") or ["mean"]
    plain = reducers in (["mean"], "mean") or (whole(config.get("epochs")) or 1) == 1
    for score in map(mapping, items_of(results.get("scores"))):
        name = str(score.get("name") or score.get("scorer") or "score")
        for key, metric in mapping(score.get("metrics")).items():
            value = number(mapping(metric).get("value", metric))
            if value is not None:
                short = str(at(metric, "name") or key).rpartition("/")[2]
                of = name if short in _MEANS and plain else None
                over = whole(score.get("scored_samples"))
                yield Reported(f"{name}/{key}", value, of, over=over)
