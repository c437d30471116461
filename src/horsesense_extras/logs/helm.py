"""Run folders of HELM: `scenario_state.json`, and the scores in two files of statistics.

Of `multiple_choice_joint` there is a request an instance. Perturbed instances carry the ids of the
plain ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from horsesense.models.messages import Failure
from horsesense_extras.logs.sample import Log, NotTakenError, Reads, Reported, Sample, Score
from horsesense_extras.logs.streams import damaged, document
from horsesense_extras.logs.values import (
    Layout,
    at,
    items_of,
    mapping,
    messages_of,
    number,
    settings_of,
    whole,
)

STATE: Final = "scenario_state.json"
ANSWER: Final = Layout(
    reply=("completions.0.text",),
    finish_reason=("completions.0.finish_reason.reason",),
    logprobs=("completions.0.tokens",),
    reasoning=("completions.0.thinking.text",),
)
_SCORES: Final = frozenset(
    ("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match")
)
_JOINT: Final = "multiple_choice_joint"

Place = tuple[str, int]
"""Id of an instance, number of the train trial."""


def role(path: Path, head: bytes) -> Any:
    """A folder with a scenario state, or that file itself."""
    if path.is_dir():
        return "samples" if (path / STATE).is_file() else None
    return "samples" if path.name == STATE else None


def open_log(path: Path, companions: Sequence[Path]) -> Log:
    """The log in a run folder."""
    folder = path if path.is_dir() else path.parent
    spec = mapping(_document(folder / "run_spec.json"))
    adapter = spec.get("adapter_spec") or at(_document(folder / STATE), "adapter_spec")
    log = Log(
        path,
        "helm",
        lambda log: _samples(log, folder, str(at(adapter, "method"))),
        task=str(spec.get("name") or folder.name),
        model=str(at(adapter, "model", "model_deployment") or ""),
    )
    log.reported = [
        Reported(f"{name} ({split})" if split else name, value, name, split=split)
        for name, split, value in _means(_document(folder / "stats.json"))
    ]
    return log


def _document(path: Path) -> Any:
    """A document; None where the folder lacks it."""
    return document(path) if path.is_file() else None


def _means(stats: object) -> Iterator[tuple[str, str, float]]:
    """Name, split and mean of the scores of plain instances."""
    for stat in map(mapping, items_of(stats)):
        name, value = mapping(stat.get("name")), number(stat.get("mean"))
        if name.get("name") in _SCORES and not name.get("perturbation") and value is not None:
            yield str(name["name"]), str(name.get("split") or ""), value


def _scores(stats: object) -> dict[Place, dict[str, Score]]:
    """What HELM makes of each plain instance; small numbers, held in memory."""
    found: dict[Place, dict[str, Score]] = {}
    for row in map(mapping, items_of(stats)):
        if not row.get("perturbation"):
            scores = {name: Score(value) for name, _, value in _means(row.get("stats"))}
            place = str(row.get("instance_id")), whole(row.get("train_trial_index")) or 0
            found.setdefault(place, {}).update(scores)
    return found


def _samples(log: Log, folder: Path, method: str) -> Reads:
    if not (folder / STATE).is_file():
        raise damaged(str(folder), f"{STATE} is missing")
    scores = _scores(_document(folder / "per_instance_stats.json"))
    for state in items_of(at(document(folder / STATE), "request_states")):
        name = str(at(state, "instance.id"))
        yield name, partial(_sample, name, mapping(state), log, method, scores)


def _sample(
    name: str,
    state: Mapping[str, Any],
    log: Log,
    method: str,
    scores: Mapping[Place, dict[str, Score]],
) -> Iterator[Sample]:
    """All options in one prompt, a letter as the answer."""
    instance, request = mapping(state.get("instance")), mapping(state.get("request"))
    perturbed = at(instance, "perturbation.name")
    if method != _JOINT:
        raise NotTakenError(f"asked by the method {method}, and not by {_JOINT}")
    if perturbed and perturbed != "identity":
        raise NotTakenError(f"an instance that HELM perturbed ({perturbed})")
    references = items_of(instance.get("references"))
    options = tuple(str(mapping(at(r, "output")).get("text", "")) for r in references)
    right = [n for n, r in enumerate(references) if "correct" in items_of(at(r, "tags"))]
    if len(options) < 2:
        raise NotTakenError("not multiple choice: the instance has no options")
    if len(right) > 1:
        raise NotTakenError.several_right()
    shown = mapping(state.get("output_mapping"))
    order = tuple(range(len(options)))
    if sorted(shown.values()) == sorted(options) and len(set(options)) == len(options):
        order = tuple(options.index(text) for text in shown.values())
    elif tuple(shown.values()) != options:
        raise NotTakenError("the prompt does not show the instance's options, each once")
    trial, result = whole(state.get("train_trial_index")) or 0, mapping(state.get("result"))
    failed = result.get("success") is False or not at(result, "completions.0")
    failure = Failure("rejected", str(result.get("error") or "the request failed"))
    yield Sample(
        id=name,
        question=str(at(instance, "input.text") or ""),
        options=options,
        order=order,
        labels=tuple(map(str, shown)),
        gold=right[0] if right else None,
        split=str(instance.get("split") or ""),
        subject=instance.get("sub_split"),
        epoch=trial + 1,
        prompt=messages_of(request.get("messages")) or request.get("prompt"),
        settings=settings_of(request),
        came=failure if failed else ANSWER.answer(result),
        scores=scores.get((name, trial), {}),
        model=log.model,
        task=log.task,
    )
