"""Two prompts whose answer is known, before the first item: is the way to the model sound?

A wrong chat template, a prompt whose beginning is lost, an echo and missing log-probabilities spoil
every reply alike. Two replies show them, before anything is spent on items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from horsesense.errors import BudgetSpentError, LostRepliesError
from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.probe import ask_aside
from horsesense.inference.store import Store
from horsesense.items.item import Item
from horsesense.models.base import Asked, Model, NeedsAnswerKey
from horsesense.models.messages import Failure, Request, Response
from horsesense.probes.base import show
from horsesense.probes.original import Original
from horsesense.readers.base import Reader
from horsesense.readers.causes import LOST, REMEDY, TEMPLATE, WORDS
from horsesense.readers.registry import reads_scores
from horsesense.runs.prepare import Study
from horsesense.runs.settings import AUTO_READERS
from horsesense.runs.watch import cause_seen, prompt_text, said, words_reader
from horsesense.trials.trial import Trial

PASSAGE: Final = "Anna has two animals. Her cat is called Brill, and her dog is called Toma."
KNOWN: Final = (
    Item("cat", "What is the name of Anna's cat?", ("Brill", "Toma"), 0, PASSAGE),
    Item("dog", "What is the name of Anna's dog?", ("Brill", "Toma"), 1, PASSAGE),
)
"""Nothing but the passage says which is right, and it is not the same letter twice."""
LABELLED: Final = "This is a short text about a {}."
REPEATED: Final = 30
"""Characters of a prompt that no answer consists of."""
SHOWN: Final = 200


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
            shown = asked if len(asked) <= SHOWN else f"... {asked[-SHOWN:]}"  # with its options
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
