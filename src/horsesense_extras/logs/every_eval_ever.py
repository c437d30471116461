"""Records of Every Eval Ever: a row an answer (JSONL, instance level), and a JSON of results.

What a run of ours was exported as holds a row per reader and prompt: of those as published, the
first reader's is taken. All of it is in the run itself, and in its export to Inspect or lm-eval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from horsesense_extras.logs.options import index_of, lettered, shown_order
from horsesense_extras.logs.sample import Log, Reported, Sample, Score
from horsesense_extras.logs.streams import Document, first_row, head_of, rows
from horsesense_extras.logs.values import LETTERS, items_of, mapping, number, whole


def role(path: Path, head: bytes) -> Any:
    """Answers are told by the fields of their first row, results by their outermost keys."""
    row = first_row(head)
    if {"evaluation_id", "sample_id", "input"} <= row.keys():
        return "samples"
    results = rb'"evaluation_(id|results)"\s*:'
    if path.suffix == ".json" and head.lstrip().startswith(b"{") and re.search(results, head):
        return "companion"
    return None


def open_log(path: Path, companions: Sequence[Path]) -> Log:
    """The log in a file of instance records, with the results of the same evaluation."""
    log = Log(path, "eee", _samples)
    first = first_row(head_of(path))
    log.model = str(first.get("model_id") or "")
    log.task = _task(first)
    # The two share a name, FILE.json and FILE_samples.jsonl, where they do not share an id.
    own = re.sub(r"_samples$", "", path.name.partition(".jsonl")[0])
    for other in companions:
        results = dict(Document(other, ()).entries())
        if first.get("evaluation_id") == results.get("evaluation_id") or other.stem == own:
            log.created = str(results.get("retrieved_timestamp") or "")
            log.reported += _reported(results)
    return log


def _reported(results: Mapping[str, Any]) -> Iterator[Reported]:
    """Each result; its details are the mean of the rows of the same name. Of ours, as published."""
    ours = mapping(results.get("eval_library")).get("name") == "horsesense"
    for result in map(mapping, items_of(results.get("evaluation_results"))):
        name = str(result.get("evaluation_name") or "score")
        if ours and " | original" not in name:
            continue
        value = number(mapping(result.get("score_details")).get("score"))
        metric = mapping(result.get("metric_config")).get("evaluation_description") or ""
        if value is not None:
            is_mean = not re.search(r"std|error", f"{name} {metric}", re.IGNORECASE)
            yield Reported(name, value, "score" if is_mean else None)


def _samples(log: Log) -> Iterator[Sample]:
    seen: set[object] = set()
    for line, row in rows(log.path, log.left_out):
        ours = _asked_by_us(row)
        if ours is not None:
            probe, trial = ours
            if probe != "original":
                log.left_out.add(f"asked by horsesense under {probe}", str(row.get("sample_id")))
                continue
            if trial in seen:  # another reader's view of the same reply
                continue
            seen.add(trial)
        found = _sample(row)
        if isinstance(found, str):
            log.left_out.add(found, str(row.get("sample_id", f"line {line}")))
        else:
            yield found


def _asked_by_us(row: Mapping[str, Any]) -> tuple[str, object] | None:
    """The probe and the number of a trial that our own export names; None in other records."""
    metadata = mapping(row.get("metadata"))
    if not {"probe", "condition", "repetition", "trial", "custom_id"} <= metadata.keys():
        return None
    return str(metadata["probe"]), metadata["trial"]


def _task(row: Mapping[str, Any]) -> str:
    """The evaluation; of ours, which name the probe and the reader behind it, the set."""
    name = str(row.get("evaluation_name") or "")
    return name.partition(" | ")[0] if _asked_by_us(row) else name


def _sample(row: Mapping[str, Any]) -> Sample | str:
    given = mapping(row.get("input"))
    if row.get("interaction_type") not in (None, "single_turn"):
        return f"not multiple choice: the interaction is {row['interaction_type']}"
    raw = str(given.get("raw") or "")
    sent = given.get("formatted")
    shown = _shown([text for text in (sent, raw) if isinstance(text, str)], given.get("choices"))
    if shown is None:
        return "not multiple choice: the record has no options"
    options, order, labels, question = shown
    right = given.get("reference")
    named = list(dict.fromkeys(map(str, right if isinstance(right, list) else [right])))
    golds = {
        g for r in named if (g := index_of(r, [options[o] for o in order], labels)) is not None
    }
    if len(golds) > 1:
        return "several options are right"
    output = mapping(row.get("output"))
    reply, thought = _texts(output.get("raw")), _texts(output.get("reasoning_trace"))
    usage, error = mapping(row.get("token_usage")), row.get("error")
    metadata = mapping(row.get("metadata"))
    return Sample(
        id=str(row.get("sample_id")),
        question=question or raw,
        options=options,
        order=order,
        labels=labels,
        gold=order[golds.pop()] if golds else None,
        subject=metadata.get("subject") if isinstance(metadata.get("subject"), str) else None,
        prompt=sent if isinstance(sent, str) else None,
        reply=reply[0] if reply else None,
        reasoning="\n".join(thought),
        usage=(whole(usage.get("input_tokens")), whole(usage.get("output_tokens"))),
        error=str(error)[:2000] if error else None,
        scores=dict(_scores(row)),
        model=str(row.get("model_id") or ""),
        task=_task(row),
    )


def _shown(
    texts: Sequence[str], given: object
) -> tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...], str] | None:
    """Options, order, labels and question; None where the record has no options.

    Choices may be the letters alone; the options then stand in the text.
    """
    choices = tuple(str(c) for c in items_of(given))
    blocks = [block for block in map(lettered, texts) if block is not None]
    if len(choices) > 1 and choices != LETTERS[: len(choices)]:
        for text in texts:
            order, labels = shown_order(text, choices)
            if order:
                question = next((b.question for b in blocks), "")
                return choices, order, labels, question
        return choices, tuple(range(len(choices))), LETTERS[: len(choices)], ""
    if len(choices) > 1 and blocks and len(blocks[0].options) == len(choices):
        block = blocks[0]
        return block.options, tuple(range(len(choices))), block.labels, block.question
    return None


def _texts(value: object) -> list[str]:
    """One text or several, as the versions of the schema have it."""
    return [value] if isinstance(value, str) else [v for v in items_of(value) if isinstance(v, str)]


def _scores(row: Mapping[str, Any]) -> Iterator[tuple[str, Score]]:
    found = mapping(row.get("evaluation"))
    extracted = [mapping(a).get("extracted_value") for a in items_of(row.get("answer_attribution"))]
    answer = next((str(a) for a in reversed(extracted) if a is not None), None)
    value = number(found.get("score"))
    if value is not None:
        yield "score", Score(value, answer)
    if isinstance(found.get("is_correct"), bool):
        yield "is_correct", Score(float(found["is_correct"]), answer)
