"""Logs of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, and `results_*.json` beside them.

There is a row for each item and filter. A scored task holds no text at all, only log-probabilities
(in newer versions written as texts): of letters, or of the options themselves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from horsesense.items.files import stem
from horsesense_extras.logs.documents import options_in, question_in, right_in
from horsesense_extras.logs.options import answers_in, in_own_order, index_of, lettered, shown_order
from horsesense_extras.logs.sample import Log, Reported, Sample, Score, own_of
from horsesense_extras.logs.streams import entries, first_row, rows
from horsesense_extras.logs.values import (
    LETTERS,
    items_of,
    log_probability,
    mapping,
    number,
    settings_of,
    whole,
)

_DATE: Final = re.compile(r"_\d{4}-\d\d-\d\dT[\d.:-]+$")
_FILTERS: Final = re.compile(rb'"filter"\s*:\s*("(?:[^"\\]|\\.)*")')
_NO_METRICS: Final = frozenset(("doc_id", "target", "doc_hash", "prompt_hash", "target_hash"))
_RESULTS: Final = ("results", "configs", "config", "model_name", "date")


def role(path: Path, head: bytes) -> Any:
    """Samples are told by the fields of their first row, results by their outermost keys."""
    start = head.lstrip()
    row = first_row(head)
    if "doc_id" in row and ("resps" in row or "filtered_resps" in row):
        return "samples"
    is_results = path.suffix == ".json" and path.name.startswith("results")
    return "companion" if is_results and re.match(rb'\{\s*"results"\s*:', start) else None


def open_log(path: Path, companions: Sequence[Path]) -> Log:
    """The log in a file of samples; its results are those that name its task."""
    task = _DATE.sub("", stem(path).removeprefix("samples_"))
    found = _results(path, task, companions)
    name = found.task or task
    config = mapping(mapping(found.content.get("configs")).get(name))
    log = Log(
        path,
        "lm-eval",
        lambda log: _samples(log, settings_of(mapping(config.get("generation_kwargs")))),
        task=name,
        model=_model(found.content) or _of_folder(path),
        created=str(found.content.get("date") or ""),
    )
    log.reported = list(_reported(mapping(mapping(found.content.get("results")).get(name)), config))
    log.own = own_of(config) or own_of(mapping(found.content.get("config")))
    if not found.content:
        log.notes.append("There is no results file beside the samples: the log reports no numbers.")
    return log


class _Results(NamedTuple):
    task: str
    content: Mapping[str, Any]


def _results(path: Path, task: str, companions: Sequence[Path]) -> _Results:
    """The results with the task of some samples: its own name, else the longest that begins it."""
    date = _DATE.search(stem(path))
    found: list[tuple[bool, int, str, Mapping[str, Any]]] = []
    for other in companions:
        content: Mapping[str, Any] = {
            key: value for key, value in entries(other) if key in _RESULTS
        }
        for name in mapping(content.get("results")):
            if task == name or task.startswith(f"{name}_"):
                same_run = date is not None and date.group() in other.name
                found.append((same_run, len(name), name, content))
    if not found:
        return _Results("", {})
    best = max(found, key=lambda f: f[:2])
    return _Results(*best[2:])


def _model(results: Mapping[str, Any]) -> str:
    if isinstance(results.get("model_name"), str):
        return str(results["model_name"])
    arguments = mapping(results.get("config")).get("model_args")
    named = mapping(arguments).get("pretrained") or mapping(arguments).get("model")
    if named is None and isinstance(arguments, str):
        match = re.search(r"(?:pretrained|model)=([^,]+)", arguments)
        named = match[1] if match else None
    return str(named or "")


def _of_folder(path: Path) -> str:
    """lm-eval names the folder of its results after the model: ORG__NAME."""
    name = path.absolute().parent.name
    return name.replace("__", "/") if "__" in name else ""


def _reported(results: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[Reported]:
    """Each number; those that are means of what the samples hold say so."""
    means = {"acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match"}
    for each in map(mapping, items_of(config.get("metric_list"))):
        named = str(each.get("metric"))
        if each.get("aggregation") == "mean":
            means.add(named)
        elif "aggregation" in each:
            means.discard(named)
    for name, value in results.items():
        known = number(value)
        metric = name.partition(",")[0]
        if known is not None and name not in ("alias", "sample_len", "samples"):
            yield Reported(name, known, name if metric in means else None)


def _samples(log: Log, settings: Mapping[str, Any]) -> Iterator[Sample]:
    filters = _filters(log.path)
    scores = _by_document(log, filters) if len(filters) > 1 else {}
    seen: set[Any] = set()
    for line, row in rows(log.path, log.left_out):
        place = _place(row)
        if len(filters) > 1:
            if place in seen:
                continue  # the same answer behind another filter
            seen.add(place)
        answer = _Row(row, line, log, settings, scores.get(place) or dict(_scores(row)))
        made = answer.own() if log.own else answer.made()
        if isinstance(made, str):
            log.left_out.add(made, f"line {line}")
        else:
            yield from made


def _filters(path: Path) -> set[bytes]:
    """Names of the filters in a file; texts that only look like one do no harm."""
    if path.suffix != ".jsonl":  # compressed: not looked into
        return {b"", b"?"}
    with path.open("rb") as stream:
        return {name for line in stream for name in _FILTERS.findall(line)}


def _place(row: Mapping[str, Any]) -> tuple[str, str]:
    named = row.get("doc_id"), row.get("doc_hash")
    if named == (None, None):  # the document itself then says which it is
        named = row.get("doc"), row.get("arguments")
    return str(named[0]), str(named[1])


def _by_document(log: Log, filters: set[bytes]) -> dict[Any, dict[str, Score]]:
    """What every filter makes of each answer; its rows need not be neighbours."""
    found: dict[Any, dict[str, Score]] = defaultdict(dict)
    for _, row in rows(log.path, type(log.left_out)()):
        found[_place(row)].update(_scores(row))
    return found


def _scores(row: Mapping[str, Any]) -> Iterator[tuple[str, Score]]:
    """Each metric under the name that it has in the results: "acc,none"."""
    filtered = row.get("filter") or "none"
    answer = None
    texts = items_of(row.get("filtered_resps"))
    if len(texts) == 1 and isinstance(texts[0], str):
        answer = texts[0]
    named = [name for name in items_of(row.get("metrics")) if isinstance(name, str)]
    # Older versions do not name their metrics: they are the numbers beside the known fields.
    unnamed = (n for n, v in row.items() if n not in _NO_METRICS and not isinstance(v, str))
    for name in named or unnamed:
        value = number(row.get(name))
        if value is not None:
            yield f"{name},{filtered}", Score(value, answer)


class _Call(NamedTuple):
    """One request: what was sent, and what was to be scored or how to generate."""

    context: object
    rest: object


class _Row:
    """One row as it is made neutral."""

    def __init__(
        self,
        row: Mapping[str, Any],
        line: int,
        log: Log,
        settings: Mapping[str, Any],
        scores: Mapping[str, Score],
    ) -> None:
        self.row = row
        self.line = line
        self.log = log
        self.settings = settings
        self.scores = scores
        self.doc = mapping(row.get("doc"))
        self.calls = list(_calls(row.get("arguments")))

    def made(self) -> Iterator[Sample] | str:
        """Samples, one a repeat; or why the row cannot be taken."""
        if not self.calls:
            return "the row holds no request"
        scored = [call for call in self.calls if isinstance(call.rest, str)]
        return self._scored(scored) if scored else self._generated()

    def own(self) -> Iterator[Sample] | str:
        """An answer to a prompt that horsesense wrote for lm-eval, which needs no guessing."""
        try:
            carried = orjson.loads(str(self.doc.get("horsesense")))
            texts = bool(carried["params"]["continuations"])
            plain = carried["plain"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return "not a document of the study"
        prompt = str(self.doc.get("prompt"))
        scored = [str(call.rest) for call in self.calls if isinstance(call.rest, str)]
        logs = _log_probabilities({"resps": self.row.get("resps")}, len(scored)) if scored else None
        scores = dict(zip(scored, logs or (), strict=False))
        replies = [r for group in items_of(self.row.get("resps")) for r in _replies(group)]
        error = self.doc.get("error")
        sample = Sample(
            id=str(self.doc.get("id")),
            question="",
            options=(),
            order=(),
            prompt=prompt if plain else (("user", prompt),),
            reply=replies[0] if replies and not scored else None,
            label_scores={} if texts else scores,
            text_scores=scores if texts else {},
            error=error if isinstance(error, str) else None,
            model=self.log.model,
            own=carried,
        )
        return iter([sample])

    def _sample(self, **fields: Any) -> Sample:
        doc, row = self.doc, self.row
        names = [*(doc.get(n) for n in ("id", "question_id", "ind")), row.get("doc_id")]
        name = next((n for n in names if n is not None), f"line {self.line}")
        subject = doc.get("subject") or doc.get("category")
        return Sample(
            id=str(name),
            subject=subject if isinstance(subject, str) else None,
            prompt=_prompt(self.calls[0].context),
            model=self.log.model,
            task=self.log.task,
            **fields,
        )

    def _scored(self, calls: Sequence[_Call]) -> Iterator[Sample] | str:
        """A task whose options, or their letters, were scored."""
        # Unconditional scores, where there are any, follow in the same list.
        shown = [call for call in calls if call.context == calls[0].context]
        texts = [str(call.rest) for call in shown]
        logs = _log_probabilities(self.row, len(texts))
        if len(texts) < 2:
            return "not multiple choice: one text alone was scored"
        if logs is None:
            return "the row does not hold a score for each option"
        bare = tuple(text.strip() for text in texts)
        labels = tuple(text.strip("()[]. ") for text in bare)
        by_letter = labels == LETTERS[: len(labels)] or labels == tuple(
            str(n) for n in range(1, len(labels) + 1)
        )
        found = self._shown(len(labels)) if by_letter else None
        if found is None and labels[0] == "1" and bare in options_in(self.doc):
            by_letter = False  # the options are the numbers 1, 2, ... themselves
        if by_letter:
            if found is None:
                return "letters were scored, and the options behind them are not to be found"
            options, order, known = found
            if known != labels:
                return "other labels were scored than the prompt shows"
            own = {"label_scores": dict(zip(labels, logs, strict=True))}
        else:
            options, order = bare, tuple(range(len(bare)))
            text = _text(self.calls[0].context)
            placed, known = shown_order(text, bare)
            labels = known if placed == order else ()
            leads = [" " if text[:1].isspace() else "" for text in texts]
            keys = (lead + text for lead, text in zip(leads, bare, strict=True))
            own = {"text_scores": dict(zip(keys, logs, strict=True))}
        gold = self._gold_of_scored(bare, options, labels, logs)
        if gold == SEVERAL:
            return "several options are right"
        question = question_in(self.doc) or self._question()
        sample = self._sample(
            question=question, options=options, order=order, labels=labels, gold=gold,
            scores=self.scores, **own,
        )  # fmt: skip
        return iter([sample])

    def _generated(self) -> Iterator[Sample] | str:
        """A task whose reply was generated; repeats are epochs, and the scores are of the first."""
        found = self._shown(None)
        if found is None:
            return "not multiple choice: no options are to be found"
        options, order, labels = found
        named = answers_in(self.row.get("target"), options)
        places = {index_of(each, [options[o] for o in order], labels) for each in named}
        if len(places) > 1:
            return "several options are right"
        place = places.pop() if places else None
        gold = None if place is None else order[place]
        if gold is None:
            gold = right_in(self.doc, options)
        replies = [r for group in items_of(self.row.get("resps")) for r in _replies(group)]
        config = {**self.settings, **settings_of(mapping(self.calls[0].rest))}
        question = question_in(self.doc) or self._question()
        return (
            self._sample(
                question=question, options=options, order=order, labels=labels, gold=gold,
                epoch=epoch, reply=reply, settings=config,
                scores=self.scores if epoch == 1 else {},
            )
            for epoch, reply in enumerate(replies or [None], 1)
        )  # fmt: skip

    def _shown(
        self, count: int | None
    ) -> tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...]] | None:
        """Options in the document's order, the order shown and the labels; None if not found.

        Options of the document count where the prompt shows them; a block of labelled lines in the
        prompt alone does where the right answer is one of its labels or texts. Options in another
        form (one line, small letters) are those of a document that says which one is right.
        """
        prompt = _text(self.calls[0].context)
        listed = [o for o in options_in(self.doc) if count in (None, len(o))]
        for options in listed:
            order, labels = shown_order(prompt, options)
            if order:
                return options, order, labels
        block = lettered(prompt)
        if block is not None and count in (None, len(block.options)):
            target = str(self.row.get("target"))
            if count is not None or index_of(target, block.options, block.labels) is not None:
                return block.options, tuple(range(len(block.options))), block.labels
        for options in listed:
            plain = in_own_order(prompt, options)
            if plain is not None and right_in(self.doc, options) is not None:
                return options, tuple(range(len(options))), plain
        return None

    def _question(self) -> str:
        block = lettered(text := _text(self.calls[0].context))
        return block.question if block is not None else text.strip().rpartition("\n\n")[2]

    def _gold_of_scored(
        self,
        bare: Sequence[str],
        options: Sequence[str],
        labels: Sequence[str],
        logs: Sequence[float],
    ) -> int | None:
        """The right option of a scored task: its target is a number from 0, or a scored text.

        Where it could be both, the recorded accuracy decides.
        """
        named = answers_in(self.row.get("target"), bare)
        if len(named) != 1:
            return SEVERAL if named else None
        target = str(named[0]).strip()
        place = whole(target)
        by_number = place if place is not None and place < len(bare) else None
        by_text = list(bare).index(target) if list(bare).count(target) == 1 else None
        if by_text is None:
            by_text = index_of(target, options, labels) if by_number is None else None
        both = [gold for gold in (by_number, by_text) if gold is not None]
        if len(set(both)) < 2:
            return both[0] if both else None
        right = {name.partition(",")[0]: s.value for name, s in self.scores.items()}.get("acc")
        chosen = max(range(len(logs)), key=logs.__getitem__)
        fits = [gold for gold in both if right is None or (gold == chosen) == (right == 1)]
        return fits[0] if fits else by_number


SEVERAL: Final = -1
"""Stands for a right answer where there are several."""


def _calls(arguments: object) -> Iterator[_Call]:
    """Requests, as new versions write them (gen_args_0: {arg_0, arg_1}) or older ones (lists)."""
    if isinstance(arguments, dict):
        for call in arguments.values():
            yield _Call(mapping(call).get("arg_0"), mapping(call).get("arg_1"))
    for call in items_of(arguments):
        if isinstance(call, list) and len(call) > 1:
            yield _Call(call[0], call[1])


def _prompt(context: object) -> tuple[tuple[str, str], ...] | str | None:
    """What was sent: a text, or the messages of a chat that newer versions keep as JSON."""
    if isinstance(context, list) and len(context) == 1:
        context = context[0]
    if not isinstance(context, str):
        return None
    if context.startswith('[{"role"'):
        try:
            messages = items_of(orjson.loads(context))
        except orjson.JSONDecodeError:
            return context
        return tuple(
            (str(mapping(m).get("role")), str(mapping(m).get("content"))) for m in messages
        )
    return context


def _text(context: object) -> str:
    found = _prompt(context)
    return found if isinstance(found, str) else "\n\n".join(text for _, text in found or ())


def _log_probabilities(row: Mapping[str, Any], count: int) -> list[float] | None:
    """A log-probability for each scored text, wherever and however they are nested."""
    for field in ("filtered_resps", "resps"):
        found = []
        for answer in items_of(row.get(field)):
            while isinstance(answer, list) and len(answer) == 1:
                answer = answer[0]
            found.append(
                log_probability(answer[0] if isinstance(answer, list) and answer else answer)
            )
        known = [value for value in found if value is not None]
        if len(known) == len(found) >= count:
            return known[:count]
    return None


def _replies(group: object) -> Iterator[str | None]:
    """The replies of one request; None for one that is missing."""
    for reply in group if isinstance(group, list) else [group]:
        yield reply if isinstance(reply, str) else None
