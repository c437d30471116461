"""Run folders of HELM: `scenario_state.json`, and the scores in two files of statistics.

Of `multiple_choice_joint` there is a request an instance; of the two `separate` methods one a
reference, whose log-probability is scored. Perturbed instances carry the ids of the plain ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from horsesense_extras.logs.sample import Log, Reported, Sample, Score
from horsesense_extras.logs.streams import damaged, entries
from horsesense_extras.logs.values import items_of, mapping, number, settings_of, stopped, whole

STATE: Final = "scenario_state.json"
_SCORES: Final = frozenset(
    ("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match")
)
_JOINT: Final = "multiple_choice_joint"
_SEPARATE: Final = "multiple_choice_separate"

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
    spec = _object(folder / "run_spec.json", ())
    adapter = mapping(spec.get("adapter_spec")) or _adapter(folder / STATE)
    log = Log(
        path,
        "helm",
        lambda log: _samples(log, folder, adapter),
        task=str(spec.get("name") or folder.name),
        model=str(adapter.get("model") or adapter.get("model_deployment") or ""),
    )
    log.reported = list(_reported(folder / "stats.json"))
    return log


def _object(path: Path, arrays: Sequence[str]) -> dict[str, Any]:
    """A small document; an empty one where the folder lacks it."""
    return dict(entries(path, arrays)) if path.is_file() else {}


def _adapter(path: Path) -> Mapping[str, Any]:
    """How instances were asked; it stands before the requests."""
    for key, value in entries(path, {"request_states"}):
        if key == "adapter_spec":
            return mapping(value)
    return {}


def _reported(path: Path) -> Iterator[Reported]:
    """Means of the scores over plain instances, by split."""
    for _, stat in entries(path, {""}) if path.is_file() else ():
        name = mapping(mapping(stat).get("name"))
        value = number(mapping(stat).get("mean"))
        if name.get("name") in _SCORES and not name.get("perturbation") and value is not None:
            split = str(name.get("split") or "")
            shown = f"{name['name']} ({split})" if split else str(name["name"])
            yield Reported(shown, value, str(name["name"]), split=split)


def _scores(path: Path) -> dict[Place, dict[str, Score]]:
    """What HELM makes of each plain instance; small numbers, held in memory."""
    found: dict[Place, dict[str, Score]] = {}
    for _, row in entries(path, {""}) if path.is_file() else ():
        own = mapping(row)
        if own.get("perturbation"):
            continue
        scores = {}
        for stat in map(mapping, items_of(own.get("stats"))):
            name = mapping(stat.get("name"))
            if name.get("name") in _SCORES and not name.get("perturbation"):
                scores[str(name["name"])] = Score(number(stat.get("mean")))
        place = (str(own.get("instance_id")), whole(own.get("train_trial_index")) or 0)
        found.setdefault(place, {}).update(scores)
    return found


def _samples(log: Log, folder: Path, adapter: Mapping[str, Any]) -> Iterator[Sample]:
    method = str(adapter.get("method"))
    if not (folder / STATE).is_file():
        raise damaged(str(folder), f"{STATE} is missing")
    scores = _scores(folder / "per_instance_stats.json")
    separate = method.startswith(_SEPARATE)
    group: _Group | None = None
    for key, state in entries(folder / STATE, {"request_states"}):
        if key != "request_states":
            continue
        instance = mapping(mapping(state).get("instance"))
        name = str(instance.get("id"))
        perturbed = mapping(instance.get("perturbation")).get("name")
        if method != _JOINT and not separate:
            log.left_out.add(f"not multiple choice: asked by the method {method}", name)
        elif perturbed and perturbed != "identity":
            log.left_out.add(f"an instance that HELM perturbed ({perturbed})", name)
        elif separate:
            # The requests of an instance stand one after the other.
            if group is None or not group.takes(mapping(state)):
                yield from group.made(log, scores) if group else ()
                group = _Group(mapping(state))
            group.states.append(mapping(state))
        else:
            yield from _kept(log, name, _joint(mapping(state), log, scores))
    yield from group.made(log, scores) if group else ()


def _kept(log: Log, name: str, found: Sample | str) -> Iterator[Sample]:
    if isinstance(found, str):
        log.left_out.add(found, name)
    else:
        yield found


def _common(
    state: Mapping[str, Any], log: Log, scores: Mapping[Place, dict[str, Score]]
) -> dict[str, Any] | str:
    """What every sample has, and the references; or why the instance is left out."""
    instance = mapping(state.get("instance"))
    references = [mapping(r) for r in items_of(instance.get("references"))]
    texts = tuple(str(mapping(r.get("output")).get("text", "")) for r in references)
    right = [n for n, r in enumerate(references) if "correct" in items_of(r.get("tags"))]
    if len(texts) < 2:
        return "not multiple choice: the instance has no options"
    if len(right) > 1:
        return "several options are right"
    name, trial = str(instance.get("id")), whole(state.get("train_trial_index")) or 0
    request = mapping(state.get("request"))
    messages = items_of(request.get("messages"))
    sent = tuple((str(mapping(m).get("role")), str(mapping(m).get("content"))) for m in messages)
    return {
        "id": name,
        "question": str(mapping(instance.get("input")).get("text", "")),
        "options": texts,
        "gold": right[0] if right else None,
        "split": str(instance.get("split") or ""),
        "subject": instance.get("sub_split"),
        "epoch": trial + 1,
        "prompt": sent or request.get("prompt"),
        "settings": settings_of(request),
        "scores": scores.get((name, trial), {}),
        "model": log.model,
        "task": log.task,
    }


def _joint(
    state: Mapping[str, Any], log: Log, scores: Mapping[Place, dict[str, Score]]
) -> Sample | str:
    """All options in one prompt, a letter as the answer."""
    common = _common(state, log, scores)
    if isinstance(common, str):
        return common
    shown = mapping(state.get("output_mapping"))
    options: tuple[str, ...] = common["options"]
    if sorted(shown.values()) != sorted(options) or len(set(options)) < len(options):
        if tuple(shown.values()) != options:
            return "the prompt does not show the instance's options, each once"
        order = tuple(range(len(options)))
    else:
        order = tuple(options.index(text) for text in shown.values())
    result = mapping(state.get("result"))
    completion = mapping(next(iter(items_of(result.get("completions"))), None))
    failed = result.get("success") is False or not completion
    return Sample(
        **common,
        order=order,
        labels=tuple(map(str, shown)),
        reply=None if failed else str(completion.get("text", "")),
        finish_reason=stopped(mapping(completion.get("finish_reason")).get("reason")),
        logprobs=_first_tokens(completion),
        error=str(result.get("error") or "the request failed")[:2000] if failed else None,
    )


def _first_tokens(completion: Mapping[str, Any]) -> tuple[Mapping[str, float], ...]:
    """Alternatives at the first positions, which older versions of HELM kept."""
    found = []
    for token in map(mapping, items_of(completion.get("tokens"))[:20]):
        known = {t: v for t, p in mapping(token.get("top_logprobs")).items()
                 if (v := number(p)) is not None}  # fmt: skip
        found.append(known)
    return tuple(found) if max(map(len, found), default=0) > 1 else ()


@dataclass
class _Group:
    """The requests of one instance, one a reference."""

    first: Mapping[str, Any]
    states: list[Mapping[str, Any]] = field(default_factory=list)

    def takes(self, state: Mapping[str, Any]) -> bool:
        return _whose(state) == _whose(self.first)

    def made(self, log: Log, scores: Mapping[Place, dict[str, Score]]) -> Iterator[Sample]:
        """The instance as one sample, whose options' texts were scored."""
        name = str(mapping(self.first.get("instance")).get("id"))
        yield from _kept(log, name, self._sample(log, scores))

    def _sample(self, log: Log, scores: Mapping[Place, dict[str, Score]]) -> Sample | str:
        common = _common(self.first, log, scores)
        if isinstance(common, str):
            return common
        options: tuple[str, ...] = common["options"]
        order = tuple(range(len(options)))
        found: dict[int, float] = {}
        failure = None
        for state in self.states:
            place = whole(state.get("reference_index"))
            result = mapping(state.get("result"))
            if place is None or place >= len(options) or state.get("request_mode") == "calibration":
                continue
            if result.get("success") is False:
                failure = str(result.get("error") or "the request failed")[:2000]
                continue
            value = _text_score(result, options[place])
            if value is not None:
                found[place] = value
        if failure is None and len(found) < len(options):
            return "a log-probability is missing for some of the options"
        # What was sent holds the answer itself: no prompt of the question alone was sent.
        common["prompt"] = None
        texts = {f" {options[place]}": value for place, value in sorted(found.items())}
        return Sample(**common, order=order, text_scores=texts, error=failure)


def _whose(state: Mapping[str, Any]) -> tuple[Any, ...]:
    instance = mapping(state.get("instance"))
    return instance.get("id"), state.get("train_trial_index"), instance.get("split")


def _text_score(result: Mapping[str, Any], option: str) -> float | None:
    """Log-probability of an option at the end of a prompt: of its last tokens, as in HELM."""
    completion = mapping(next(iter(items_of(result.get("completions"))), None))
    left, total = len(option.strip()), 0.0
    for token in map(mapping, reversed(items_of(completion.get("tokens")))):
        value = number(token.get("logprob"))
        if left <= 0:
            return total
        if value is None:
            return None
        total += value
        left -= len(str(token.get("text", "")).strip() if left == len(option.strip())
                    else str(token.get("text", "")))  # fmt: skip
    return total if left <= 0 else None
