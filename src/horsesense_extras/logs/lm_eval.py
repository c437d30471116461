"""Logs of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, and `results_*.json` beside them.

There is a row for each item and filter. A scored task holds no text at all, only log-probabilities
(in newer versions written as texts): of letters, or of the options themselves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from horsesense.items.files import stem
from horsesense.models.messages import Failure, Response
from horsesense_extras.logs.documents import options_in, question_in, right_in
from horsesense_extras.logs.options import (
    answers_in,
    in_own_order,
    index_of,
    labels_of,
    lettered,
    right_option,
    shown_order,
)
from horsesense_extras.logs.sample import (
    LeftOut,
    Log,
    NotTakenError,
    Reads,
    Reported,
    Sample,
    Score,
    own_of,
)
from horsesense_extras.logs.streams import document, first_row, rows
from horsesense_extras.logs.values import (
    LETTERS,
    Prompt,
    at,
    items_of,
    log_probability,
    mapping,
    messages_of,
    number,
    settings_of,
    whole,
)

_DATE: Final = re.compile(r"_\d{4}-\d\d-\d\dT[\d.:-]+$")
_SHOWN: Final = 80
"""Characters of a setting of lm-eval's that stand in the name of a model."""
_NO_METRICS: Final = frozenset(("doc_id", "target", "doc_hash", "prompt_hash", "target_hash"))


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
    name, content = _results(path, task, companions)
    config = mapping(mapping(content.get("configs")).get(name))
    log = Log(
        path,
        "lm-eval",
        lambda log: _samples(log, settings_of(mapping(config.get("generation_kwargs")))),
        task=name,
        model=_model(content) or _of_folder(path),
        created=str(content.get("date") or ""),
    )
    over = whole(at(mapping(content.get("n-samples")).get(name), "effective"))
    log.reported = list(_reported(mapping(mapping(content.get("results")).get(name)), config, over))
    log.own = own_of(config) or own_of(mapping(content.get("config")))
    if log.own and (added := _added(content, name, mapping(log.own.get("settings")))):
        log.model += f" with {added}"
    if not content:
        log.notes.append("There is no results file beside the samples: the log reports no numbers.")
    return log


def _results(path: Path, task: str, companions: Sequence[Path]) -> tuple[str, Mapping[str, Any]]:
    """The task of some samples and its results: of its own name, else the longest that begins it.

    Several files: that of the same run, told by its date.
    """
    date = _DATE.search(stem(path))
    best: tuple[tuple[bool, int], str, Mapping[str, Any]] = (False, 0), task, {}
    for other in companions:
        content = mapping(document(other))
        for name in mapping(content.get("results")):
            if task == name or task.startswith(f"{name}_"):
                rank = date is not None and date.group() in other.name, len(name)
                best = (rank, name, content) if rank > best[0] else best
    return best[1:]


def _added(results: Mapping[str, Any], task: str, settings: Mapping[str, Any]) -> str:
    """What lm-eval was told to send beside our prompts, which the documents do not show."""
    shots = whole(mapping(results.get("n-shot")).get(task)) or 0
    instruction, decoding = results.get("system_instruction"), at(results, "config.gen_kwargs")
    told = [
        f"the system instruction {str(instruction)[:_SHOWN]!r}" if instruction else "",
        f"{shots} examples" if shots > (whole(settings.get("shots")) or 0) else "",
        f"gen_kwargs {str(decoding)[:_SHOWN]}" if decoding else "",
    ]
    return ", ".join(filter(None, told))


def _model(results: Mapping[str, Any]) -> str:
    arguments = at(results, "config.model_args")
    match = re.search(r"(?:pretrained|model)=([^,]+)", str(arguments))
    named = at(results, "model_name", "config.model_args.pretrained", "config.model_args.model")
    return str(named or (match[1] if match else ""))


def _of_folder(path: Path) -> str:
    """lm-eval names the folder of its results after the model: ORG__NAME."""
    name = path.absolute().parent.name
    return name.replace("__", "/") if "__" in name else ""


def _reported(
    results: Mapping[str, Any], config: Mapping[str, Any], over: int | None
) -> Iterator[Reported]:
    """Each number; those that are means of what the samples hold say so."""
    means = {"acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match"}
    for each in map(mapping, items_of(config.get("metric_list"))):
        if "aggregation" in each:
            change = means.add if each["aggregation"] == "mean" else means.discard
            change(str(each.get("metric")))
    for name, value in results.items():
        known = number(value)
        metric = name.partition(",")[0]
        if known is not None and name not in ("alias", "sample_len", "samples"):
            yield Reported(name, known, name if metric in means else None, over=over)


def _samples(log: Log, settings: Mapping[str, Any]) -> Reads:
    """One answer of each document; rows of other filters say what those make of it."""
    scores: dict[tuple[str, str], dict[str, Score]] = defaultdict(dict)
    for _, row in rows(log.path, LeftOut()):
        scores[_place(row)].update(_scores(row))
    filters: dict[tuple[str, str], Any] = {}
    for line, row in rows(log.path, log.left_out):
        place, named = _place(row), row.get("filter")
        if filters.setdefault(place, named) == named:
            answer = _Row(row, line, log, settings, {**scores[place], **dict(_scores(row))})
            yield f"line {line}", answer.own if log.own else answer.made


def _place(row: Mapping[str, Any]) -> tuple[str, str]:
    """Id and hash of the document; where one is missing, what was sent or the document itself."""
    name, known = row.get("doc_id"), row.get("doc_hash")
    sent, doc = row.get("arguments"), row.get("doc")
    return str(sent if name is None else name), str(doc if known is None else known)


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


class Ordered(NamedTuple):
    """Options in an order of their own, those shown as places in it, and the labels shown."""

    options: tuple[str, ...]
    order: tuple[int, ...]
    labels: tuple[str, ...]


@dataclass
class _Row:
    """One row as it is made neutral."""

    row: Mapping[str, Any]
    line: int
    log: Log
    settings: Mapping[str, Any]
    scores: Mapping[str, Score]

    def __post_init__(self) -> None:
        self.doc = mapping(self.row.get("doc"))
        self.calls = list(_calls(self.row.get("arguments")))
        # Unconditional scores, where there are any, follow in the same list.
        first, self.rest = self.calls[0] if self.calls else (None, None)
        self.scored = [
            str(rest) for sent, rest in self.calls if sent == first and type(rest) is str
        ]
        self.sent = _prompt(first) or None
        messages = self.sent if isinstance(self.sent, tuple) else ()
        self.prompt = (
            self.sent if isinstance(self.sent, str) else "\n\n".join(text for _, text in messages)
        )

    def made(self) -> Iterator[Sample]:
        """Samples, one a repeat; NotTakenError says why the row cannot be taken."""
        if not self.calls:
            raise NotTakenError("the row holds no request")
        return self._scored() if self.scored else self._generated()

    @property
    def replies(self) -> list[str | None]:
        """The replies of the row; None for one that is missing."""
        groups = (g if isinstance(g, list) else [g] for g in items_of(self.row.get("resps")))
        return [reply if isinstance(reply, str) else None for group in groups for reply in group]

    def own(self) -> Iterator[Sample]:
        """An answer to a prompt that horsesense wrote for lm-eval, which needs no guessing."""
        try:
            carried = orjson.loads(str(self.doc.get("horsesense")))
            texts = bool(carried["params"]["continuations"])
            plain = carried["plain"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise NotTakenError("not a document of the study") from None
        prompt, error = str(self.doc.get("prompt")), self.doc.get("error")
        logs = _log_probabilities(self.row, ("resps",), len(self.scored)) if self.scored else None
        scores = dict(zip(self.scored, logs or (), strict=False))
        replies = [] if self.scored else self.replies
        came = (
            _scores_as_reply(scores, texts) if scores else _reply(replies[0] if replies else None)
        )
        yield Sample(
            id=str(self.doc.get("id")),
            prompt=prompt if plain else (("user", prompt),),
            came=Failure("rejected", error) if isinstance(error, str) else came,
            model=self.log.model,
            own=carried,
        )

    def _sample(self, found: Ordered, **fields: Any) -> Sample:
        doc, row = self.doc, self.row
        names = [*(doc.get(n) for n in ("id", "question_id", "ind")), row.get("doc_id")]
        name = next((n for n in names if n is not None), f"line {self.line}")
        subject = doc.get("subject") or doc.get("category")
        return Sample(
            id=str(name),
            question=question_in(doc) or self._question(),
            options=found.options,
            order=found.order,
            labels=found.labels,
            subject=subject if isinstance(subject, str) else None,
            prompt=self.sent,
            model=self.log.model,
            task=self.log.task,
            **fields,
        )

    def _scored(self) -> Iterator[Sample]:
        """A task whose options, or their letters, were scored."""
        texts, bare = self.scored, tuple(text.strip() for text in self.scored)
        logs = _log_probabilities(self.row, ("filtered_resps", "resps"), len(texts))
        if len(texts) < 2:
            raise NotTakenError("not multiple choice: one text alone was scored")
        if logs is None:
            raise NotTakenError("the row does not hold a score for each option")
        labels = tuple(text.strip("()[]. ") for text in bare)
        numbers = tuple(str(n) for n in range(1, len(labels) + 1))
        by_letter = labels in (LETTERS[: len(labels)], numbers)
        found = self._shown(len(labels)) if by_letter else None
        listed = (tuple(map(str.strip, options)) for options in options_in(self.doc))
        if found is None and labels[0] == "1" and bare in listed:
            by_letter = False  # the options are the numbers 1, 2, ... themselves
        if by_letter:
            if found is None:
                raise NotTakenError(
                    "letters were scored, and the options behind them are not to be found"
                )
            if found.labels != labels:
                raise NotTakenError("other labels were scored than the prompt shows")
            keys = labels
        else:
            order = tuple(range(len(bare)))
            placed, known = shown_order(self.prompt, bare)
            found = Ordered(bare, order, known if placed == order else ())
            leads = [" " if text[:1].isspace() else "" for text in texts]
            keys = tuple(lead + text for lead, text in zip(leads, bare, strict=True))
        gold = self._gold_of_scored(bare, found, logs)
        came = _scores_as_reply(dict(zip(keys, logs, strict=True)), texts=not by_letter)
        settings = {"label_tokens": labels} if by_letter else {}
        yield self._sample(found, gold=gold, scores=self.scores, came=came, settings=settings)

    def _generated(self) -> Iterator[Sample]:
        """A task whose reply was generated; repeats are epochs, and the scores are of the first."""
        found = self._shown(None)
        if found is None:
            raise NotTakenError("not multiple choice: no options are to be found")
        shown = [found.options[o] for o in found.order]
        place = right_option(self.row.get("target"), shown, found.labels)
        gold = right_in(self.doc, found.options) if place is None else found.order[place]
        config = {**self.settings, **settings_of(mapping(self.rest))}
        for epoch, reply in enumerate(self.replies or [None], 1):
            scores = self.scores if epoch == 1 else {}
            yield self._sample(
                found, gold=gold, epoch=epoch, came=_reply(reply), settings=config, scores=scores
            )

    def _shown(self, count: int | None) -> Ordered | None:
        """Options in the document's order, the order shown and the labels; None if not found.

        Options of the document count where the prompt shows them; a block of labelled lines in the
        prompt alone does where the right answer is one of its labels or texts. Options in another
        form (one line, small letters) are those of a document that says which one is right.
        """
        prompt = self.prompt
        listed = [o for o in options_in(self.doc) if count in (None, len(o))]
        if listed and not prompt:  # no log of lm-eval, but one whose own prompts were not known
            return Ordered(listed[0], tuple(range(len(listed[0]))), labels_of(len(listed[0])))
        for options in listed:
            order, labels = shown_order(prompt, options)
            if order:
                return Ordered(options, order, labels)
        block = lettered(prompt)
        if block is not None and count in (None, len(block.options)):
            target = str(self.row.get("target"))
            if count is not None or index_of(target, block.options, block.labels) is not None:
                return Ordered(block.options, tuple(range(len(block.options))), block.labels)
        for options in listed:
            plain = in_own_order(prompt, options)
            if plain is not None and right_in(self.doc, options) is not None:
                return Ordered(options, tuple(range(len(options))), plain)
        return None

    def _question(self) -> str:
        block = lettered(self.prompt)
        return block.question if block is not None else self.prompt.strip().rpartition("\n\n")[2]

    def _gold_of_scored(
        self, bare: Sequence[str], found: Ordered, logs: Sequence[float]
    ) -> int | None:
        """The right option of a scored task: its target is a number from 0, or a scored text.

        Where it could be both, the recorded accuracy decides.
        """
        named = answers_in(self.row.get("target"), bare)
        if len(named) > 1:
            raise NotTakenError.several_right()
        target = str(named[0]).strip() if named else ""
        place = whole(target)
        by_number = place if place is not None and place < len(bare) else None
        by_text = list(bare).index(target) if list(bare).count(target) == 1 else None
        if by_text is None and by_number is None and named:
            by_text = index_of(target, found.options, found.labels)
        both = [gold for gold in (by_number, by_text) if gold is not None]
        if len(set(both)) < 2:
            return both[0] if both else None
        right = {name.partition(",")[0]: s.value for name, s in self.scores.items()}.get("acc")
        chosen = max(range(len(logs)), key=logs.__getitem__)
        fits = [gold for gold in both if right is None or (gold == chosen) == (right == 1)]
        return fits[0] if fits else by_number


def _reply(text: str | None) -> Response | None:
    return None if text is None else Response(text)


def _scores_as_reply(scores: Mapping[str, float], texts: bool) -> Response:
    """Log-probabilities of option texts, or else of labels in the place of the first token."""
    if texts:
        return Response("", continuations={text: (score, 0) for text, score in scores.items()})
    return Response("", token_logprobs=(scores,))


def _calls(arguments: object) -> Iterator[tuple[object, object]]:
    """What was sent, and what was to be scored or how to generate.

    New versions write {gen_args_0: {arg_0, arg_1}}, older ones lists.
    """
    if isinstance(arguments, dict):
        for call in arguments.values():
            yield mapping(call).get("arg_0"), mapping(call).get("arg_1")
    for call in items_of(arguments):
        if isinstance(call, list) and len(call) > 1:
            yield call[0], call[1]


def _prompt(context: object) -> Prompt:
    """What was sent: a text, or the messages of a chat that newer versions keep as JSON."""
    if isinstance(context, list) and len(context) == 1:
        context = context[0]
    if isinstance(context, str) and context.startswith('[{"role"'):
        with suppress(orjson.JSONDecodeError):
            return messages_of(orjson.loads(context))
    return context if isinstance(context, str) else None


def _log_probabilities(
    row: Mapping[str, Any], fields: Sequence[str], count: int
) -> list[float] | None:
    """A log-probability for each scored text, wherever and however they are nested."""
    for field in fields:
        found = []
        for answer in items_of(row.get(field)):
            while isinstance(answer, list) and len(answer) == 1:
                answer = answer[0]
            first = answer[0] if isinstance(answer, list) and answer else answer
            found.append(log_probability(first))
        known = [value for value in found if value is not None]
        if len(known) == len(found) >= count:
            return known[:count]
    return None
