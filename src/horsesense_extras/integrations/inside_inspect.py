"""horsesense inside Inspect: a task, a solver and a scorer (entry point group `inspect_ai`).

    inspect eval horsesense/audit -T items=FILE -T suite=revas --model PROVIDER/NAME
    inspect score LOG.eval --scorer horsesense/reader

`horsesense report LOG.eval` then gives the report that horsesense's own runner would have given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import anyio
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import (
    INCORRECT,
    NOANSWER,
    Score,
    Scorer,
    Target,
    accuracy,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from horsesense.errors import UsageError
from horsesense.items.tasks import check_task
from horsesense.models.base import Capabilities
from horsesense.models.messages import Failure, Request, Response, SamplingParams
from horsesense.probes.base import LETTERS
from horsesense.readers.base import FittedReader, Reader
from horsesense.readers.registry import make_reader
from horsesense.rng import fingerprint
from horsesense.runs.prepare import Study, load_shots, load_study_items, prepare, reader_names
from horsesense.runs.record import ModelRecord
from horsesense.runs.rounds import stages
from horsesense.runs.run import StagedRun
from horsesense.runs.settings import Settings
from horsesense.runs.tables import trial_of
from horsesense.runs.unanswered import study_after
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant
from horsesense_extras.integrations.inspect_log import rows_of, score_of, share_right, target
from horsesense_extras.logs.carried import OURS, UNKNOWN, Carrier, carried_by_log, import_own
from horsesense_extras.logs.options import index_of, shown_order
from horsesense_extras.logs.registry import open_logs
from horsesense_extras.models.inspect_provider import chat_messages, response_of

F = TypeVar("F", bound=Callable[..., Any])

LISTS: Final = ("probes", "labels", "readers")
MAPS: Final = ("map", "where")
UNFIT: Final = ("out", "until", "style", "model")
"""Settings that a task cannot have: it decides nothing while it runs, and is always a chat."""


def _ours(function: F) -> F:
    """Inspect names what it finds after the package of its module: horsesense, as users type it."""
    function.__module__ = OURS
    return function


@task
@_ours
def audit(
    items: str = "sample",
    after: str | None = None,
    top_logprobs: int = 0,
    **settings: Any,
) -> Task:
    """Audit a model on multiple-choice items: each trial is a sample.

    Args:
        items: a file, "sample" or "hf:...", as for `horsesense audit`.
        after: the log of this task's first stage, for probes that depend on its answers.
        top_logprobs: alternatives at the first tokens, where the provider gives them (20, 5).
        settings: suite, probes, limit, seed, max_tokens, temperature and the other options of
            `horsesense audit`, with underscores; lists with commas.
    """
    study, stage = _later_stage(after) if after else (_study(items, top_logprobs, settings), 1)
    carried = carried_by_log(study.settings, study.items, study.shots, study.model)
    carrier = Carrier(study.items)
    samples = list(_samples(study, carrier, stage))
    if not samples:
        raise UsageError("These items and probes give nothing to ask.")
    return Task(
        dataset=MemoryDataset(samples, name=study.items.name, location=study.items.source),
        solver=ask(),
        scorer=reader(),
        fail_on_error=False,
        metadata={OURS: {**carried, "unshown": carrier.left()}},
    )


def _study(items: str, top_logprobs: int, given: Mapping[str, Any]) -> Study:
    values = {name: value for name, value in given.items() if value is not None}
    for name in UNFIT:
        if name in values:
            raise UsageError(f"A task of Inspect has no setting {name!r}.")
    for name in LISTS:
        if isinstance(values.get(name), str):
            values[name] = values[name].split(",")
    for name in MAPS:
        if isinstance(values.get(name), str):
            values[name] = dict(part.split("=", 1) for part in values[name].split(","))
    settings = Settings.of(items=items, model="inspect", style="chat", **values)
    found = load_study_items(settings)
    check_task(found, settings.task)
    offers = Capabilities(chat=True, top_logprobs=top_logprobs)
    model = ModelRecord.named(UNKNOWN, UNKNOWN, offers)
    names = reader_names(settings, found, model)
    return prepare(settings, found, load_shots(settings, found), model, names)


def _later_stage(log: str) -> tuple[Study, int]:
    """The study of a log with what its first stage brought, and the stage that comes next."""
    with TemporaryDirectory() as place:
        directory = import_own(Path(place) / "run", open_logs([log]))
        settings = directory.settings  # as they were asked; reading settles the readers
        StagedRun(directory).read()
        study, stage = study_after(directory)
    unknown = study.model.model_copy(update={"name": UNKNOWN, "identity": UNKNOWN})
    return replace(study, settings=settings, model=unknown), stage


def _samples(study: Study, carrier: Carrier, stage: int) -> Iterator[Sample]:
    """Each trial of a stage as a sample."""
    probes = next((each for number, each in stages(study.probes) if number == stage), [])
    for planned in study.planner.plan(probes):
        trial, request = planned.trial, planned.request
        carried = carrier.of(planned.number, stage, trial, request)
        asked = fingerprint(request.as_json())
        yield Sample(
            id=f"{stage}-{planned.number}",
            input=chat_messages(request),
            target=[target(variant) for variant in trial.variants],
            choices=list(trial.variants[0].options) if len(trial.variants) == 1 else None,
            metadata={
                **{name: carried[name] for name in ("probe", "condition", "repetition", "item")},
                OURS: {**carried, "request": asked},
            },
        )


@solver
@_ours
def ask() -> Solver:
    """Put a trial as it is. Equal requests are put once in an epoch, as our own runner does."""
    known: dict[tuple[str, int], ModelOutput] = {}
    locks: dict[tuple[str, int], anyio.Lock] = {}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        own = state.metadata[OURS]
        place = own["request"], state.epoch
        async with locks.setdefault(place, anyio.Lock()):
            if place in known:
                state.output = deepcopy(known[place])
                state.messages.append(state.output.message)
                return state
            state = await generate(state, **_decoding(own["params"]))
            known[place] = state.output
        return state

    return solve


def _decoding(params: Mapping[str, Any]) -> dict[str, Any]:
    """What a request wants, as arguments of Inspect's `generate`."""
    wanted = {"max_tokens": max(1, params["max_tokens"]), "temperature": params["temperature"]}
    if params["top_p"] is not None:
        wanted["top_p"] = params["top_p"]
    if params["top_logprobs"]:
        wanted |= {"logprobs": True, "top_logprobs": params["top_logprobs"]}
    return wanted


@scorer(metrics=[accuracy(), stderr()])
@_ours
def reader(name: str = "text") -> Scorer:
    """Read what was said, by its content: `horsesense list readers`.

    For trials of horsesense, and for any multiple-choice sample: the options are read in the order
    in which the prompt showed them, and the reply as the model gave it, also where Inspect put
    both back afterwards (`multiple_choice(shuffle=True)`).
    """
    made = make_reader(name)
    if isinstance(made, FittedReader):
        raise UsageError(f"{name} looks at all replies first; a scorer sees one.")

    async def score(state: TaskState, target: Target) -> Score:
        own = state.metadata.get(OURS)
        if isinstance(own, Mapping) and "shown" in own:
            return _score(made, trial_of(own["shown"]), _response(state.output))
        event = _said(state.output)
        output = state.output if event is None else event.output
        sent = state.messages if event is None else event.input
        trial = _trial(state, target, [message.text for message in sent])
        if trial is None:
            return Score(value=nan, explanation="The prompt does not show the options in order.")
        return _score(made, trial, _response(output))

    return score


def _response(output: ModelOutput) -> Response | Failure:
    everything = Request(None, "", SamplingParams(max_tokens=1, top_logprobs=20))
    return response_of(output, everything)


def _said(output: ModelOutput) -> ModelEvent | None:
    """The last call of the model in this sample; its output was changed by nobody."""
    calls = [event for event in transcript().events if isinstance(event, ModelEvent)]
    wanted = output.message.id if output.choices else None
    same = [c for c in calls if c.output.choices and c.output.message.id == wanted]
    return (same or calls or [None])[-1]


def _trial(state: TaskState, target: Target, prompt: Sequence[str]) -> Trial | None:
    """A sample of any task as a trial; None where it cannot be told what was shown."""
    in_order = sorted(state.choices, key=lambda choice: choice.original_position)
    options = [choice.value for choice in in_order]
    order: tuple[int, ...] = ()
    for text in reversed(prompt):
        order, labels = shown_order(text, options)
        if order:
            break
    if not order:
        return None
    gold = index_of(target.text, options, LETTERS)
    variant = Variant(
        item_id=str(state.sample_id),
        question=state.input_text,
        options=tuple(options[place] for place in order),
        labels=labels,
        origin=order,
        gold_at=None if gold is None else order.index(gold),
    )
    return Trial("original", PLAIN, state.epoch - 1, (variant,))


def _score(made: Reader, trial: Trial, response: Response | Failure) -> Score:
    readings = made.read(trial, response) if isinstance(response, Response) else ()
    if not readings:
        return Score(value=NOANSWER, explanation=f"{made.name} has nothing to go on.")
    rows = rows_of(trial, readings)
    found, share = score_of(trial, rows), share_right(rows)
    value = nan if share is None else found["value"]
    if value == INCORRECT and readings[0].status != "answer":
        value = NOANSWER
    return Score(
        value=value,
        answer=found["answer"],
        explanation="; ".join(f"{each.status} ({each.rule})" for each in readings),
        metadata={
            "reader": f"{made.name}@{made.version}",
            "status": found["metadata"]["status"],
            "confidence": found["metadata"]["confidence"],
        },
    )
