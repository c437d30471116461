"""What replies tell of the way to the model: before the first item, and while a run is under way.

Two prompts whose answer is known come first: a wrong chat template, a prompt whose beginning is
lost, an echo and missing log-probabilities spoil every reply alike, and two replies show them
before anything is spent on items. Then `Watch` looks at all replies as they come.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import shorten
from typing import Final, NamedTuple

from horsesense.errors import BudgetSpentError, LostRepliesError
from horsesense.inference.limits import Limits, RunSummary, rounded_up
from horsesense.inference.probe import ask_aside
from horsesense.inference.store import Store
from horsesense.items.item import Item
from horsesense.measures.joined import TEXT
from horsesense.models.base import Asked, Model, NeedsAnswerKey
from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.probes.base import show
from horsesense.probes.original import Original
from horsesense.readers.base import Reader
from horsesense.readers.causes import (
    LOST,
    REMEDY,
    TEMPLATE,
    WORDS,
    Cause,
    cause_of,
    cause_unread,
    of_failure,
)
from horsesense.readers.registry import reads_scores
from horsesense.runs.plan import Plan
from horsesense.runs.prepare import Study
from horsesense.runs.settings import AUTO_READERS
from horsesense.trials.extras import Capped
from horsesense.trials.trial import Trial

FIRST: Final = 50
"""Replies after which the forecast is made again; the latest so many are looked at."""
TENTHS: Final = 10
REMEMBERED: Final = 8192
"""Trials that are kept at a time; what is older was answered from the store."""
EXAMPLES: Final = 3
SHOWN: Final = 160
"""Characters of an example."""
FREE: Final = ("free", "rewording", "equation")
"""Kinds of answers in which no choice is looked for here: what they say is not told at once."""
ECHOED: Final = 100
"""Characters of a prompt's end that no reply repeats by chance."""
PASSAGE: Final = "Anna has two animals. Her cat is called Brill, and her dog is called Toma."
KNOWN: Final = (
    Item("cat", "What is the name of Anna's cat?", ("Brill", "Toma"), 0, PASSAGE),
    Item("dog", "What is the name of Anna's dog?", ("Brill", "Toma"), 1, PASSAGE),
)
"""Nothing but the passage says which is right, and it is not the same letter twice."""
LABELLED: Final = "This is a short text about a {}."
REPEATED: Final = 30
"""Characters of a prompt that no answer consists of."""
KEPT: Final = 200
"""Characters of such a prompt that are shown, with its options."""

Came = Sequence[tuple[Asked, Response | Failure]]
"""Requests that are settled, each with its reply or with its last failure."""


@dataclass
class Watch:
    """Looks at replies as they come.

    Attributes:
        expected: what was planned.
        limits: the prices.
        say: is told sentences.
        study: what is asked, and how it is read.
    """

    expected: Plan
    limits: Limits
    say: Callable[[str], None]
    study: Study
    _settled: int = 0
    _spent: RunSummary = field(default_factory=RunSummary)
    _trials: dict[Key, Trial] = field(default_factory=dict)
    _latest: deque[tuple[Asked, Response | Failure, Trial]] = field(
        default_factory=lambda: deque(maxlen=FIRST)
    )
    _lost: list[tuple[Cause, str]] = field(default_factory=list)
    """Of the latest replies those that are lost: why, and what they say."""

    @cached_property
    def _reader(self) -> Reader | None:
        return words_reader(self.study)

    def put(self, key: Key, trial: Trial) -> None:
        """Take in what is about to be asked."""
        self._trials[key] = trial
        if len(self._trials) > REMEMBERED:
            del self._trials[next(iter(self._trials))]

    def __call__(self, came: Came) -> bool:
        """Take in what was settled; whether no more should be asked.

        Called without anything, it looks at what it has.
        """
        before, self._settled = self._settled, self._settled + len(came)
        for asked, result in came:
            trial = self._trials.pop(asked.key, None)
            # Where a limit on tokens is what is tried, replies are meant to be cut off.
            if trial and not isinstance(trial.extras, Capped):
                self._latest.append((asked, result, trial))
        if before < FIRST:
            for _, result in came:
                self._spent.count(result)
        left = self.expected.to_ask - self._settled
        first = before < FIRST <= self._settled
        if first and left > 0 and self._spent.uncounted < self._settled:
            self.say(self._forecast(left))
        step = max(self.expected.to_ask / TENTHS, FIRST)
        looks = not came or first or before // step < self._settled // step
        return looks and left > 0 and self._alarmed()

    def _alarmed(self) -> bool:
        """Whether more of the latest replies are lost than the settings allow."""
        most = self.study.settings.stop_if
        if most == "never" or len(self._latest) < FIRST:
            return False
        if not any(isinstance(result, Response) for _, result, _ in self._latest):
            return False  # a model that answers nothing at all is told by the runner
        causes = [(cause_seen(self._reader, *one), one[1]) for one in self._latest]
        self._lost = [(cause, said(result)) for cause, result in causes if cause in LOST]
        return len(self._lost) > float(most.rstrip("%")) / 100 * len(causes)

    def error(self) -> LostRepliesError:
        """Why asking stopped, with examples, and what to change."""
        counts = Counter(cause for cause, _ in self._lost)
        told = ", ".join(f"{n} {WORDS[cause]}" for cause, n in counts.most_common())
        most = counts.most_common(1)[0][0]
        texts = Counter(text for cause, text in self._lost if cause == most)
        examples = [
            f"{text} ({'once' if n == 1 else f'{n} times'})"
            for text, n in texts.most_common(EXAMPLES)
        ]
        return LostRepliesError(
            f"Stopped after {self._settled:,} requests: of the latest {len(self._latest)} replies"
            f" {len(self._lost)} are lost ({told}). Examples: {'; '.join(examples)}.",
            hint=f"{REMEDY.get(most, '')} The same command then asks on, and --stop-if never goes"
            " on as it is. What was answered is stored.",
        )

    def _forecast(self, left: int) -> str:
        """What the rest will take if it is like the first replies."""
        spent = self._spent
        counted = self._settled - spent.uncounted
        each = spent.completion_tokens / counted
        completion = round(left * spent.completion_tokens / counted)
        # Replies are like the first; prompts are longer or shorter, and known.
        prompt = round(left * self.expected.prompt_tokens / self.expected.to_ask)
        share = spent.reasoning_tokens / max(spent.completion_tokens, 1)
        thought = f", {share:.0%} of them thought" if spent.reasoning_tokens else ""
        cost = self.limits.cost(prompt, completion)
        price = "" if cost is None else f", {rounded_up(cost)} at these prices"
        return (
            f"The first {self._settled:,} replies took {each:,.0f} tokens each{thought}."
            f" At that rate, the other {left:,} take about"
            f" {completion:,} completion tokens{price}."
        )


def words_reader(study: Study) -> Reader | None:
    """The study's reader of words; None where scores alone are read."""
    return next((one for one in study.readers() if one.name == TEXT), None)


def cause_seen(
    reader: Reader | None, asked: Asked, result: Response | Failure, trial: Trial
) -> Cause:
    """What became of a prompt; of one with several problems, what became of most."""
    if isinstance(result, Failure):
        return of_failure(result)
    prompt = prompt_text(asked.request)
    echoed = len(prompt) >= ECHOED and prompt[-ECHOED:] in result.text
    if echoed or TEMPLATE.search(result.text):
        return "unreadable"
    cap = asked.request.params.max_tokens
    if cap and trial.answer_format in FREE:
        return cause_unread(result, cap)
    readings = reader.read(trial, result) if reader and cap else ()
    found = Counter(
        cause_of(reading, result, trial.variants[place], cap)
        for place, reading in enumerate(readings)
    )
    return found.most_common(1)[0][0] if found else "choice"


def prompt_text(request: Request) -> str:
    """The words of a request that a reply may repeat: its last message, or its text."""
    return request.text or (request.messages or (("user", ""),))[-1][1]


def said(result: Response | Failure) -> str:
    """What came back, on one line; of a thought without an answer, its end."""
    if isinstance(result, Failure):
        return shorten(result.message, SHOWN) or "no message"
    text = " ".join(result.text.split())
    if not text and result.reasoning:
        return f"thought ... {' '.join(result.reasoning.split())[-SHOWN:]!r}"
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")


class Found(NamedTuple):
    """What is wrong with a reply, and what to change.

    Attributes:
        wrong: what is wrong.
        remedy: what to change.
        spoilt: whether no model gives such a reply by itself.
        alone: whether a low count of tokens is all that is wrong: some servers leave out what
            they have cached, or make the number up.
    """

    wrong: str
    remedy: str
    spoilt: bool = True
    alone: bool = False


async def preflight(
    study: Study, model: Model, store: Store, limits: Limits, say: Callable[[str], None]
) -> RunSummary:
    """Ask what is known, say what is wrong with the replies, and what asking took.

    The replies enter no number. A model that is told the answers is not asked. A failed call says
    nothing here: the run itself is patient with those. A wrong answer is said, and may be the
    model's own.

    Raises LostRepliesError where both replies are spoilt. A low count of tokens needs another sign.
    """
    settings = study.settings
    if settings.no_preflight or settings.stop_if == "never" or isinstance(model, NeedsAnswerKey):
        return RunSummary()
    trials = [Original().trial(show(item, study.items.kind)) for item in _items(study)]
    requests = [study.planner.prompter.request(trial) for trial in trials]
    try:
        results, spent = await ask_aside(model, store, limits, requests)
    except BudgetSpentError:
        return RunSummary()
    reader, scored = words_reader(study), _needs_scores(study)
    told = []
    for trial, request, result in zip(trials, requests, results, strict=True):
        if isinstance(result, Failure):
            continue
        if found := _fault(reader, trial, request, result, scored):
            asked = " ".join(prompt_text(request).split())
            shown = asked if len(asked) <= KEPT else f"... {asked[-KEPT:]}"
            told.append((found, f"asked {shown!r}, came back {said(result)}: {found.wrong}"))
    told.sort(key=lambda one: one[0].alone)
    spoilt = len(told) == len(trials) and all(found.spoilt for found, _ in told)
    if spoilt and not told[0][0].alone:
        raise LostRepliesError(
            "No item was asked, since both prompts whose answer is known went wrong. One of them:"
            f" {told[0][1]}.",
            hint=f"{told[0][0].remedy} --no-preflight asks the items all the same.",
        )
    for found, sentence in told[:1]:
        say(f"A prompt whose answer is known went wrong: {sentence}. {found.remedy}")
    return spent


def _fault(
    reader: Reader | None, trial: Trial, request: Request, reply: Response, scored: bool
) -> Found | None:
    """What is wrong with a reply and with its count of tokens; None where nothing is."""
    found = _fault_of_text(reader, trial, request, reply, scored)
    read, words = reply.usage.prompt_tokens, len(prompt_text(request).split())
    if read is None or read >= words / 2:
        return found
    wrong = f"the server counts {read} tokens for {words} words"
    return Found(
        wrong if found is None else f"{wrong}, and {found.wrong}",
        "Where a prompt's beginning is lost, give the server a longer context.",
        alone=found is None,
    )


def _fault_of_text(
    reader: Reader | None, trial: Trial, request: Request, reply: Response, scored: bool
) -> Found | None:
    """What is wrong with what a reply says."""
    prompt, text = prompt_text(request), reply.text.strip()
    if scored and not reply.token_logprobs and not reply.continuations:
        return Found(
            "it has no log-probabilities, which a reader needs",
            "Have the server give them (logprobs, top_logprobs), or read words: --readers text.",
        )
    if not request.params.max_tokens:
        return None
    if len(text) >= REPEATED and text in prompt:
        return Found("it repeats the prompt", REMEDY["unreadable"])
    cause = cause_seen(reader, Asked(b"", request), reply, trial)
    if cause in LOST:
        # A model may answer so that no reader can tell; none begins a turn or says it all again.
        sure = cause != "unreadable" or prompt[-REPEATED:] in text or bool(TEMPLATE.search(text))
        return Found(WORDS[cause], REMEDY[cause], spoilt=sure)
    if reader is None or trial.variant.gold_at is None:
        return None
    if reader.read(trial, reply)[0].positions == (trial.variant.gold_at,):
        return None
    return Found(
        "that is not the right answer",
        "Look at the chat template and the prompt; a small model may be wrong by itself.",
        spoilt=False,
    )


def _items(study: Study) -> Sequence[Item]:
    """What is asked; of a task with labels nothing is known but the form of an answer."""
    if study.items.kind == "choice":
        return KNOWN
    labels = study.items.labels
    return [Item(item.id, LABELLED.format(item.id), labels, None) for item in KNOWN]


def _needs_scores(study: Study) -> bool:
    """Whether without log-probabilities a reader that was asked for has nothing to read."""
    named = study.settings.readers
    return not study.settings.max_tokens or (
        named != AUTO_READERS and any(map(reads_scores, named))
    )
