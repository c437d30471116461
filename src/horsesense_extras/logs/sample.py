"""What a log of another program holds, in one neutral form: a log and its samples.

A format (one module each, listed in `logs.registry`) turns files into a `Log`; `runs.imported`
turns logs into a run. Neither knows the other, and nothing here is made up: what a file does not
say is None, or empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from horsesense.models.messages import Failure, Response, no_reply
from horsesense.values import quick
from horsesense_extras.logs.values import Prompt

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def _nothing() -> Mapping[str, Any]:
    return _NOTHING


EXAMPLES: Final = 5


def own_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """What horsesense itself wrote into the metadata of a part of a log; empty where it did not."""
    metadata = value.get("metadata")
    found = metadata.get("horsesense") if isinstance(metadata, Mapping) else None
    return found if isinstance(found, Mapping) else _NOTHING


@quick(frozen=True, slots=True)
class Score:
    """What a log makes of one answer.

    Attributes:
        value: 1 right, 0 wrong, or what lies between; None where it is not a number.
        answer: what the log took the answer to be, as it stands there.
    """

    value: float | None
    answer: str | None = None


@quick(frozen=True, slots=True)
class Sample:
    """One answer of one model to one multiple-choice question.

    Attributes:
        id: as the log names the question.
        question: its text.
        options: texts of the options, in the order of the source where that is known, else as
            shown.
        order: shown position -> index into `options`.
        labels: what stood before each shown option; empty where nothing did.
        gold: index into `options` of the right one; None where the log does not say.
        context: a passage before the question.
        subject: what the log groups the question under.
        split: of the data set ("test").
        epoch: which time it was asked, from 1.
        prompt: what was sent, as far as the log holds it.
        came: the reply, or the scores that were asked for in its place (of option texts with
            their leading space); what went wrong; None where the log holds neither.
        settings: decoding as the log states it: max_tokens, temperature, top_p, top_logprobs; and
            label_tokens that were scored.
        scores: name of the scorer, metric or filter -> what it made of the answer.
        model, task: whom and what; as the sample itself says, else as its log does.
        own: what horsesense wrote into the sample (`runs.carried`); empty in logs of others.
    """

    id: str
    question: str = ""
    options: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    gold: int | None = None
    context: str | None = None
    subject: str | None = None
    split: str = ""
    epoch: int = 1
    prompt: Prompt = None
    came: Response | Failure | None = None
    settings: Mapping[str, Any] = field(default_factory=_nothing)
    scores: Mapping[str, Score] = field(default_factory=_nothing)
    model: str = ""
    task: str = ""
    own: Mapping[str, Any] = field(default_factory=_nothing)

    @property
    def settled(self) -> Sample:
        """The sample as it counts: a reply with an end that makes it none is a failure.

        How the log graded it stays.
        """
        lost = no_reply(self.came.finish_reason) if isinstance(self.came, Response) else None
        return self if lost is None else replace(self, came=Failure("rejected", lost.message))


@dataclass(frozen=True, slots=True)
class Reported:
    """A number that a log reports about itself.

    Attributes:
        name: of the metric, as the log has it ("choice/accuracy", "acc,none").
        value: the number, untouched.
        score: name of the samples' scores that it is the mean of; None where it is another number.
        task: of which task, where a file speaks of several.
        split: of the samples of one split alone ("test"); "" for all.
        over: of how many samples it is, as the log says; None where it does not.
    """

    name: str
    value: float
    score: str | None = None
    task: str = ""
    split: str = ""
    over: int | None = None


class NotTakenError(Exception):
    """Why a sample is left out of an import."""

    @classmethod
    def several_right(cls) -> NotTakenError:
        return cls("several options are right")


@dataclass
class LeftOut:
    """What an import does not take, by reason: counted, with a few names; never silent."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, name: str) -> None:
        """Count one sample (or entry of a file) under a reason."""
        self.counts[reason] += 1
        shown = self.examples.setdefault(reason, [])
        if len(shown) < EXAMPLES:
            shown.append(name[:200])

    @property
    def total(self) -> int:
        return self.counts.total()

    def as_json(self) -> list[dict[str, Any]]:
        """One row per reason, with the number of samples and a few of their names."""
        return [
            {"reason": reason, "samples": n, "examples": self.examples[reason]}
            for reason, n in self.counts.items()
        ]


Reads = Iterator[tuple[str, Callable[[], Iterable[Sample]]]]
"""Names of samples, each with what makes them."""


@dataclass
class Log:
    """One log, ready to be read.

    Attributes:
        path: the file or folder.
        format: its name: "inspect", or that of a layout of tables.
        read: names of samples, each with what makes them; each call reads the files anew. What is
            made may raise NotTakenError.
        task, model: as the log names them; "" where only its samples do.
        created: when, as the log writes it.
        state: "complete", or what the log says became of the run ("error", "started").
        reported: its own numbers; complete once the samples have been read.
        left_out: filled while samples are read.
        notes: sentences on what could not be known.
        own: the study, where horsesense asked it inside the other program (`runs.carried`).
    """

    path: Path
    format: str
    read: Callable[[Log], Reads]
    task: str = ""
    model: str = ""
    created: str = ""
    state: str = "complete"
    reported: list[Reported] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)
    notes: list[str] = field(default_factory=list)
    own: Mapping[str, Any] = field(default_factory=_nothing)

    def samples(self) -> Iterator[Sample]:
        """The samples one by one, in the order of the file; memory does not grow with the log.

        Raises ItemsError where the files are damaged.
        """
        self.left_out = LeftOut()
        for name, made in self.read(self):
            try:
                yield from (sample.settled for sample in made())
            except NotTakenError as reason:
                self.left_out.add(str(reason), name)
