"""Trials on their way to a model: planned here, or ahead of the requests in copies of the process.

Large studies alone are planned in copies, which also answer where the model is a simulated one.
What is drawn is the same either way, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

from horsesense.items.item import Item
from horsesense.models.base import Asked, Computing, Model, NeedsAnswerKey
from horsesense.models.messages import Failure, Key, Request, Response, SamplingParams
from horsesense.probes.base import Probe, SetProbe
from horsesense.processes import Spread, copies, of_rooms
from horsesense.runs.planner import Planned, Planner
from horsesense.runs.tables import trial_rows
from horsesense.trials.condition import Condition
from horsesense.trials.trial import Trial

MANY: Final = 100_000
"""Trials from which on copies pay."""
PIECE: Final = 64
"""Items that a copy plans at a time."""

_PARAMS: Final = (
    "max_tokens",
    "temperature",
    "top_p",
    "top_logprobs",
    "label_tokens",
    "continuations",
    "sample",
    "unconditional",
)
_params = attrgetter(*_PARAMS)


class Drawn(NamedTuple):
    """A trial as far as asking needs it.

    Attributes:
        rows: its rows in the table of trials, with its number in the study.
        decides: what a reading of its answer depends on.
        asked: the request that puts it.
        trial: itself; None where it was planned in a copy.
        answer: what the model answers, where a copy worked that out; None otherwise.
    """

    rows: Sequence[tuple[Any, ...]]
    decides: bytes
    asked: Asked
    trial: Trial | None
    answer: Response | None

    @property
    def place(self) -> tuple[str, Condition]:
        """Probe and condition."""
        probe, condition = self.rows[0][4:6]
        return probe, Condition.parse(condition)


def telling(model: Model | None) -> Callable[[Drawn], bool]:
    """Whether the model can answer a trial; one that answers from trials is told what it needs."""
    informed = model if isinstance(model, NeedsAnswerKey) else None
    computing = model if isinstance(model, Computing) else None

    def tell(drawn: Drawn) -> bool:
        if drawn.answer is not None and computing is not None:
            computing.attach_answer(drawn.asked.key, drawn.answer)
        elif drawn.trial is not None and informed is not None:
            return informed.attach_trial(drawn.asked.key, drawn.trial)
        return True

    return tell


def draw(
    planner: Planner,
    probes: Sequence[Probe],
    stage: int,
    index: Mapping[str, int],
    model: Model | None,
    expected: int,
) -> Iterator[Drawn]:
    """The trials of some probes, counted by the planner.

    Args:
        planner: of the study.
        stage: of the probes.
        index: item id -> number in the set.
        model: that will be asked; None for none.
        expected: about how many trials there will be.
    """
    rest = probes
    if expected >= MANY and _apart(planner, probes, model):
        rest = [probe for probe in probes if isinstance(probe, SetProbe)]
        singles = [probe for probe in probes if not isinstance(probe, SetProbe)]
        yield from _drawn_apart(planner, singles, stage, index, model)
    for planned in planner.plan(rest):
        yield _drawn(planned, stage, index)


def _apart(planner: Planner, probes: Sequence[Probe], model: Model | None) -> bool:
    """Whether copies can plan these: nothing of a plug-in is known, nor what a log shows."""
    computed = isinstance(model, Computing) or not isinstance(model, NeedsAnswerKey)
    return (
        copies() > 0
        and computed
        and planner.as_shown is None
        and of_rooms(probes, "horsesense.probes.")
    )


def _drawn(planned: Planned, stage: int, index: Mapping[str, int]) -> Drawn:
    number, trial, key, request = planned
    rows = tuple(trial_rows(number, stage, trial, key, index))
    return Drawn(rows, decides(key, trial), Asked(key, request), trial, None)


def _drawn_apart(
    planner: Planner,
    probes: Sequence[Probe],
    stage: int,
    index: Mapping[str, int],
    model: Model | None,
) -> Iterator[Drawn]:
    computing = model if isinstance(model, Computing) else None

    def work(items: Sequence[Item]) -> tuple[Any, ...]:
        few = planner.batch(items)
        found = [_packed(_drawn(planned, stage, index), computing) for planned in few.plan(probes)]
        return few.counted(), found

    items = planner.items.items
    pieces = [items[start : start + PIECE] for start in range(0, len(items), PIECE)]
    with Spread(work, pieces, copies()) as planned:
        for counted, found in planned:
            before = planner.count
            planner.add(counted)
            for packed in found:
                yield _unpacked(packed, before)


def _packed(drawn: Drawn, model: Computing | None) -> tuple[Any, ...]:
    """A trial as plain values, with the answer of a model that works it out."""
    key, request = drawn.asked
    prompt = request.messages, request.text, _params(request.params)
    answer = None
    if model is not None and drawn.trial is not None:
        given = model.answer(drawn.asked, drawn.trial)
        answer = None if isinstance(given, Failure) else given.as_json()
    return drawn.rows, drawn.decides, key, prompt, answer


def _unpacked(packed: tuple[Any, ...], before: int) -> Drawn:
    """The trial again, which comes after `before` others."""
    rows, decided, key, (messages, text, params), answer = packed
    numbered = [(before + number, *row) for number, *row in rows]
    request = Request(messages, text, SamplingParams(*params))
    response = None if answer is None else Response.from_json(answer)
    return Drawn(numbered, decided, Asked(key, request), None, response)


def decides(key: Key, trial: Trial) -> bytes:
    """All of a trial that a reading of its answer depends on; the prompt is in the key."""
    shown = [(v.item_id, v.origin, v.gold_at, v.options, v.labels) for v in trial.variants]
    return key + repr((trial.probe, trial.expects, trial.extras.as_json(), shown)).encode(
        errors="replace"
    )
