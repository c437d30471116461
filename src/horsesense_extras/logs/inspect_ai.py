"""Logs of Inspect: `.eval` (a zip of one JSON file a sample) and `.json` (one document).

What was sent and answered stands in a sample's model events alone. Where options were shuffled,
the sample's own messages and output are put back into the unshuffled order afterwards, so that
they show a prompt that was never sent and a letter that was never written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from horsesense_extras.logs.options import (
    Shown,
    answers_in,
    index_of,
    labels_of,
    lettered,
    shown_order,
)
from horsesense_extras.logs.sample import Log, Reported, Sample, Score, own_of
from horsesense_extras.logs.streams import Archive, damaged, entries
from horsesense_extras.logs.values import (
    items_of,
    mapping,
    number,
    reasoning_of,
    settings_of,
    stopped,
    text_of,
    top_logprobs,
    whole,
)

_JSON_HEAD: Final = tuple(
    re.compile(part) for part in (rb"\A\s*\{", rb'"eval"\s*:\s*\{', rb'"task"\s*:')
)
_ENTRY: Final = re.compile(r"samples/.+\.json", re.DOTALL)
"""A sample is named after its id, which may hold a slash."""
_WORDS: Final = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0,
                 "false": 0.0}  # fmt: skip
"""Words of scorers as Inspect's own metrics count them."""
_MEANS: Final = ("accuracy", "mean")
_SHUFFLED: Final = "Choices were shuffled before generating a response"
_SENT: Final = "Shuffled answer:\n"


def role(path: Path, head: bytes) -> Any:
    """Whether a file is such a log, from its ending and first bytes."""
    document = path.suffix == ".json" and all(part.search(head) for part in _JSON_HEAD)
    return "samples" if document or (path.suffix == ".eval" and head) else None


def open_log(path: Path, companions: Sequence[Path]) -> Log:
    """The log in a file; ItemsError where it is damaged."""
    source = _Zipped(path) if path.suffix == ".eval" else _Plain(path)
    header = source.header()
    spec = mapping(header.get("eval"))
    log = Log(
        path,
        "inspect",
        lambda log: _samples(log, source, header),
        task=str(spec.get("task_display_name") or spec.get("task") or ""),
        model=str(spec.get("model") or ""),
        created=str(spec.get("created") or ""),
        state={"success": "complete"}.get(str(header.get("status")), str(header.get("status"))),
    )
    log.reported = list(_reported(mapping(header.get("results")), spec))
    log.own = own_of(spec)
    if log.state != "complete":
        log.notes.append(
            f"The log says that its run did not end well ({log.state}); it holds the samples that"
            " were finished by then."
        )
    return log


class _Zipped:
    """A `.eval` file. One of a run that crashed has no header, only a journal."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def header(self) -> Mapping[str, Any]:
        with Archive(self.path) as archive:
            for name in ("header.json", "_journal/start.json"):
                if name in archive:
                    return {"status": "started", **mapping(archive.json(name))}
        raise damaged(str(self.path), "the archive holds no log of Inspect (no header.json)")

    def samples(self, log: Log) -> Iterator[tuple[str, Any]]:
        with Archive(self.path) as archive:
            for name in archive.sizes:
                if ".." in Path(name).parts or name.startswith(("/", "\\")):
                    log.left_out.add("an entry that points outside of the archive", name)
                elif _ENTRY.fullmatch(name):
                    yield name, archive.json(name)
                elif name.startswith("samples/") and not name.endswith("/"):
                    log.left_out.add("an entry beside the samples that is none", name)


class _Plain:
    """A `.json` file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def header(self) -> Mapping[str, Any]:
        """Everything but the samples; they are passed over only where they stand first."""
        found: dict[str, Any] = {}
        for key, value in entries(self.path, {"samples"}):
            if key == "samples":
                if "eval" in found and "results" in found:
                    break
            else:
                found[key] = value
        return found

    def samples(self, log: Log) -> Iterator[tuple[str, Any]]:
        place = 0
        for key, value in entries(self.path, {"samples"}):
            if key == "samples":
                place += 1
                yield _name(mapping(value).get("id")) or f"sample {place}", value


def _samples(log: Log, source: _Zipped | _Plain, header: Mapping[str, Any]) -> Iterator[Sample]:
    spec = mapping(header.get("eval"))
    plan = mapping(header.get("plan"))
    defaults = {**mapping(spec.get("model_generate_config")), **mapping(plan.get("config"))}
    for name, row in source.samples(log):
        if not isinstance(row, dict):
            log.left_out.add("not a sample", name)
            continue
        sample = _Sample(name, row, log, defaults)
        made = sample.own() if log.own else sample.made()
        if isinstance(made, str):
            log.left_out.add(made, name)
        else:
            yield made


class _Sample:
    """One sample of a log as it is made neutral."""

    def __init__(
        self, name: str, row: Mapping[str, Any], log: Log, defaults: Mapping[str, Any]
    ) -> None:
        self.name = _name(row.get("id")) or name
        self.row = row
        self.log = log
        self.defaults = defaults
        self._lost: set[str] = set()
        self._attachments = mapping(row.get("attachments"))
        data = mapping(row.get("events_data"))
        self._pool = items_of(data.get("messages") or row.get("message_pool"))

    def made(self) -> Sample | str:
        """The sample, or why it cannot be taken."""
        row = self.row
        event = self._event()
        prompt, reply, output = self._said(event)
        options = tuple(self._option(o) for o in items_of(row.get("choices")))
        question = self._question()
        block = None if options else self._in_prompt(prompt)
        if block is not None:
            options, question = block.options, block.question
        if len(options) < 2:
            return "not multiple choice: the sample has no options"
        told = [question, *options, reply or "", *(text for _, text in prompt or ())]
        if any(lost in text for text in told for lost in self._lost):
            return "a text of it is an attachment that the log does not hold"
        order, labels = self._shown(prompt, options)
        if not order:
            return "options were shuffled, and the log does not hold the order that was shown"
        gold = self._gold(options)
        if isinstance(gold, str):
            return gold
        error = mapping(row.get("error"))
        failed = bool(error) and not reply  # what failed afterwards takes no reply away
        config = {**self.defaults, **mapping(mapping(event).get("config"))}
        choice = mapping(next(iter(items_of(output.get("choices"))), None))
        usage = mapping(output.get("usage"))
        metadata = mapping(row.get("metadata"))
        return Sample(
            id=self.name,
            question=question,
            options=options,
            order=order,
            labels=labels,
            gold=gold,
            subject=_subject(metadata),
            epoch=whole(row.get("epoch")) or 1,
            prompt=prompt,
            reply=None if failed else reply,
            reasoning=reasoning_of(mapping(choice.get("message")).get("content"), self._text),
            finish_reason=stopped(choice.get("stop_reason")),
            logprobs=top_logprobs(mapping(choice.get("logprobs")).get("content")),
            usage=(whole(usage.get("input_tokens")), whole(usage.get("output_tokens"))),
            settings=settings_of(config),
            error=str(error.get("message") or "unknown")[:2000] if failed else None,
            scores=dict(_scores(row)),
            model=self.log.model,
            task=self.log.task,
        )

    def own(self) -> Sample | str:
        """A sample that horsesense asked inside of Inspect, which needs no guessing."""
        row = self.row
        carried = own_of(row)
        if not carried:
            return "not a sample of the study"
        prompt, reply, output = self._said(self._event())
        choice = mapping(next(iter(items_of(output.get("choices"))), None))
        usage, error = mapping(output.get("usage")), mapping(row.get("error"))
        return Sample(
            id=self.name,
            question="",
            options=(),
            order=(),
            prompt=prompt,
            reply=None if error else reply,
            reasoning=reasoning_of(mapping(choice.get("message")).get("content"), self._text),
            finish_reason=stopped(choice.get("stop_reason")),
            logprobs=top_logprobs(mapping(choice.get("logprobs")).get("content")),
            usage=(whole(usage.get("input_tokens")), whole(usage.get("output_tokens"))),
            error=str(error.get("message") or "unknown")[:2000] if error else None,
            model=self.log.model,
            own={**carried, "response": own_of(output)},
        )

    def _text(self, content: object) -> str:
        """The text of a content, its attachment put back."""
        text = text_of(content, self._text)
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
        if isinstance(given, str):
            return self._text(given)
        asked = [m for m in items_of(given) if mapping(m).get("role") == "user"]
        return self._text(mapping(asked[-1]).get("content")) if asked else ""

    def _event(self) -> Mapping[str, Any] | None:
        """The call of the model that the sample's output came from.

        Several calls: that whose message the output is, else the last one before scoring.
        """
        events = items_of(self.row.get("events"))
        if not events:
            events = items_of(mapping(self.row.get("transcript")).get("events"))
        calls = []
        for event in events:
            kind = mapping(event).get("event")
            if kind == "score":
                break
            if kind == "model":
                calls.append(mapping(event))
        if not calls:
            return None
        wanted = _message_id(mapping(self.row.get("output")))
        same = [c for c in calls if wanted and _message_id(mapping(c.get("output"))) == wanted]
        own = [c for c in calls if c.get("model") == self.log.model]
        return (same or own or calls)[-1]

    def _said(
        self, event: Mapping[str, Any] | None
    ) -> tuple[tuple[tuple[str, str], ...] | None, str | None, Mapping[str, Any]]:
        """What was sent, what came back, and the output it stood in: of the event, if there is one.

        Without events, a shuffled sample's reply stands in what its scorer explains.
        """
        if event is not None:
            sent = [*self._pooled(event), *items_of(event.get("input"))]
            output = mapping(event.get("output"))
            return self._messages(sent), self._reply(output), output
        output = mapping(self.row.get("output"))
        told = self._explained()
        if told is not None:
            return None, told.partition(_SENT)[2] or None, {**output, "choices": [
                {**mapping(c), "message": {}} for c in items_of(output.get("choices"))[:1]
            ]}  # fmt: skip
        messages = items_of(self.row.get("messages"))
        while messages and mapping(messages[-1]).get("role") == "assistant":
            messages = messages[:-1]
        return self._messages(messages) or None, self._reply(output), output

    def _pooled(self, event: Mapping[str, Any]) -> Iterator[Any]:
        for span in items_of(event.get("input_refs")):
            if isinstance(span, list) and len(span) == 2 and all(isinstance(n, int) for n in span):
                yield from self._pool[max(0, span[0]) : max(0, span[1])]

    def _messages(self, messages: Sequence[Any]) -> tuple[tuple[str, str], ...]:
        return tuple(
            (str(mapping(m).get("role") or "user"), self._text(mapping(m).get("content")))
            for m in messages
        )

    def _reply(self, output: Mapping[str, Any]) -> str | None:
        choice = mapping(next(iter(items_of(output.get("choices"))), None))
        content = mapping(choice.get("message")).get("content")
        if not isinstance(content, str | list):
            # What Inspect makes of the first choice; empty where there is none.
            content = output.get("completion") or None
        return self._text(content) if isinstance(content, str | list) else None

    def _explained(self) -> str | None:
        """What a scorer says was shown, where options were shuffled."""
        for score in mapping(self.row.get("scores")).values():
            told = mapping(score).get("explanation")
            if isinstance(told, str) and told.startswith(_SHUFFLED):
                return told
        return None

    def _shown(
        self, prompt: tuple[tuple[str, str], ...] | None, options: Sequence[str]
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Shown position -> option, and the labels; nothing where a shuffled order is not known."""
        plain = tuple(range(len(options))), labels_of(len(options))
        told = self._explained()
        if prompt is None and told is not None:
            return shown_order(told.partition(_SENT)[0], options)
        for _, text in reversed(prompt or ()):
            order, labels = shown_order(text, options)
            if order:
                return order, labels
        if told is not None:
            return (), ()
        asked = next((text for who, text in reversed(prompt or ()) if who == "user"), "")
        block = lettered(asked)
        if block is not None and len(block.options) == len(options):
            return plain[0], block.labels
        return plain

    def _in_prompt(self, prompt: tuple[tuple[str, str], ...] | None) -> Shown | None:
        """Options of a task that writes them into its prompts itself.

        They count where the target is one of their labels or texts.
        """
        block = lettered(next((text for who, text in reversed(prompt or ()) if who == "user"), ""))
        target = self.row.get("target")
        named = target[0] if isinstance(target, list) and len(target) == 1 else target
        known = block is not None and index_of(named, block.options, block.labels) is not None
        return block if known else None

    def _gold(self, options: Sequence[str]) -> int | str | None:
        """The right option; why the sample is left out, where there are several."""
        target = self.row.get("target")
        named = answers_in(target, options) if isinstance(target, list) else [target]
        if len(named) > 1:
            return "several options are right"
        return index_of(named[0], options, labels_of(len(options))) if named else None


def _message_id(output: Mapping[str, Any]) -> Any:
    choice = mapping(next(iter(items_of(output.get("choices"))), None))
    return mapping(choice.get("message")).get("id")


def _name(given: object) -> str | None:
    """An id as a text; None where it is neither a text nor a number."""
    return str(given) if isinstance(given, str | int | float) else None


def _subject(metadata: Mapping[str, Any]) -> str | None:
    found = metadata.get("subject") or metadata.get("category")
    return found if isinstance(found, str) else None


def _scores(row: Mapping[str, Any]) -> Iterator[tuple[str, Score]]:
    scores = mapping(row.get("scores"))
    if not scores and isinstance(row.get("score"), dict):  # the first version of the format
        scores = {"score": row["score"]}
    for name, score in scores.items():
        value, answer = mapping(score).get("value"), mapping(score).get("answer")
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


def _reported(results: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Reported]:
    config = mapping(spec.get("config"))
    reducers = config.get("epochs_reducer") or ["mean"]
    plain = reducers in (["mean"], "mean") or (whole(config.get("epochs")) or 1) == 1
    for score in items_of(results.get("scores")) or [results]:
        score = mapping(score)
        name = str(score.get("name") or score.get("scorer") or "score")
        for key, metric in mapping(score.get("metrics")).items():
            value = number(mapping(metric).get("value", metric))
            if value is not None:
                short = str(mapping(metric).get("name") or key).rpartition("/")[2]
                of = name if short in _MEANS and plain else None
                yield Reported(f"{name}/{key}", value, of)


Reader = Callable[[Log], Iterator[Sample]]
