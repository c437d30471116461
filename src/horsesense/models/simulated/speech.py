"""How a simulated decision is put into words: one function per kind of answer asked for.

A profile decides in content; the words depend on the trial alone and are the same for all
profiles. A new kind of answer is one function and one line in `SPEECH`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from horsesense.models.simulated.decision import Decision
from horsesense.trials.answer_formats import index_json, label_key, label_lines
from horsesense.trials.trial import (
    AnswerFormat,
    Trial,
    Variant,
    bundled,
    none_phrase,
    withheld_gold,
)

LINE_STYLES = 4
INDEX_STYLES = 4
UNCLEAR = "?"
"""The answer to a problem that was forgotten, so that the rest keep their places."""


def say_lines(trial: Trial, decisions: Sequence[Decision]) -> str:
    """One answer a line; those forgotten at the end are left out."""
    said = list(decisions)
    while said and said[-1].position is None:
        said.pop()
    answers = [_names(v, d) for v, d in zip(trial.variants, said, strict=False)]
    return _lines(trial, answers, decisions[0].style % LINE_STYLES)


def _lines(trial: Trial, answers: Sequence[str], style: int) -> str:
    if style == 1:
        return label_lines(answers, anchored=True)
    if style == 2:
        lines = "\n".join(f"**{n})** {answer}." for n, answer in enumerate(answers, 1))
        return f"Sure! Here are the answers:\n\n{lines}\n\nLet me know if you need anything else."
    if style == 3:
        return json.dumps({str(n): answer for n, answer in enumerate(answers, 1)})
    return label_lines(answers, anchored=bundled(trial).lines == "anchored")


def _names(variant: Variant, decision: Decision) -> str:
    if decision.position is None:
        return UNCLEAR
    names = variant.labels or variant.options
    return " or ".join(names[position] for position in (decision.position, *decision.also))


def say_indices(trial: Trial, decisions: Sequence[Decision]) -> str:
    """The numbers of the problems by label, of the one label that is asked for or of all."""
    labels = trial.variants[0].options
    asked = bundled(trial).asked
    chosen = {
        label: [
            number
            for number, decision in enumerate(decisions, 1)
            if decision.position is not None and position in (decision.position, *decision.also)
        ]
        for position, label in enumerate(labels)
        if asked in (None, label)
    }
    return _indices(chosen, len(decisions), decisions[0].style % INDEX_STYLES)


def _indices(chosen: Mapping[str, Sequence[int]], count: int, style: int) -> str:
    plain = index_json(chosen, count)
    if style == 1:
        return f"Let me look at each of them.\n```json\n{plain}\n```\nI hope this helps with all 9."
    if style == 2:
        parts = [f"'{label.upper()}': [{_ranges(given)},]" for label, given in chosen.items()]
        return "{" + ", ".join(parts) + "}"
    if style == 3:
        return "\n".join(
            f"{label_key(label)}: {', '.join(map(str, given)) or 'none'}"
            for label, given in chosen.items()
        )
    return plain


def _ranges(given: Sequence[int]) -> str:
    """Numbers with runs as "1-3"; "None" in quotes where there are none."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(given), key=lambda pair: pair[1] - pair[0])
    ]
    parts = [f'"{run[0]}-{run[-1]}"' if len(run) > 1 else str(run[0]) for run in runs]
    return ", ".join(parts) or '"None"'


Speech = Callable[[Trial, Sequence[Decision]], str]
"""(trial, one decision per variant) -> the reply."""

STYLES: tuple[str, ...] = (
    "{label}",
    "{label}. {option}",
    "The correct answer is {label}.",
    "({label}) {option}",
    "**{label}**",
    "Answer: {label}",
    "I would go with option {label}, because it fits the question best.",
)
"""Ways of naming an option. Style 0 is the bare label."""

NONE_TEXT = "None of the options is correct."
REFUSAL_TEXT = "I'm sorry, but I cannot help with that question."

NONE_STYLES: tuple[str, ...] = (
    NONE_TEXT,
    "None of the above. The correct answer is {gold}.",
    "{next}. {gold}",
    "{last}. {gold}",
)
"""Ways of saying that the right answer is missing, the four that Know-No's figure 4 counts as
right: declared, declared and supplied, supplied under a new letter, or under one that is taken."""


def one_answer(trial: Trial, decisions: Sequence[Decision]) -> str:
    """One option, by label or, where there are no labels, by its text."""
    (decision,) = decisions
    if decision.says == "none":
        return none_phrase(trial) or NONE_TEXT
    if decision.position is None:
        return REFUSAL_TEXT
    option = trial.variant.options[decision.position]
    if not trial.variant.labels:
        return option
    return STYLES[decision.style].format(
        label=trial.variant.labels[decision.position], option=option
    )


def free_answer(trial: Trial, decisions: Sequence[Decision]) -> str:
    """As `one_answer`; that nothing is right is said in the style of the decision."""
    (decision,) = decisions
    if decision.says != "none":
        return one_answer(trial, decisions)
    labels = trial.variant.labels
    if not labels:
        gold = withheld_gold(trial)
        return NONE_TEXT if gold is None or decision.style % 2 == 0 else gold
    way = NONE_STYLES[decision.style % len(NONE_STYLES)]
    following = chr(ord(labels[-1]) + 1)
    return way.format(gold=withheld_gold(trial) or "", next=following, last=labels[-1])


def all_answers(trial: Trial, decisions: Sequence[Decision]) -> str:
    """Every position that is held to be right, in the order shown."""
    (decision,) = decisions
    if decision.position is None:
        return one_answer(trial, decisions)
    positions = sorted({decision.position, *decision.also})
    return ", ".join(trial.variant.labels[position] for position in positions)


FRAMES: tuple[str, ...] = (
    "Think it over and tell: {}",
    "If you had to say: {}",
    "From what you know: {}",
    "Put in other terms: {}",
    "Once more, and slowly: {}",
    "To come to the point: {}",
    "As one may ask it: {}",
    "Let it be asked thus: {}",
)
"""Frames around a question: crude rewordings that certainly ask the same."""


def reworded(trial: Trial, decisions: Sequence[Decision]) -> str:
    """The question in the frame that goes with the number of the request."""
    return FRAMES[trial.repetition % len(FRAMES)].format(trial.variant.question)


WRONG: tuple[str, ...] = (
    "{} + 1",
    "2 {}",
    "{} - 1",
    "\\log ({})",
    "({})^2",
    "\\exp ({})",
    "\\frac{{1}}{{{}}}",
    "3 {}",
)
"""Frames around the right side of an equation: crude, and certainly other equations."""


def equation(trial: Trial, decisions: Sequence[Decision]) -> str:
    """The right side in the frame that goes with the number of the request."""
    return WRONG[trial.repetition % len(WRONG)].format(trial.variant.options[0])


SPEECH: dict[AnswerFormat, Speech] = {
    "letter": one_answer,
    "label": one_answer,
    "yes_no": one_answer,
    "free": free_answer,
    "letters": all_answers,
    "label_lines": say_lines,
    "index_json": say_indices,
    "rewording": reworded,
    "equation": equation,
}


def speak(trial: Trial, decisions: Sequence[Decision]) -> str:
    """The decisions about a trial's variants, in words."""
    if len(decisions) > 1 and all(decision.says == "refusal" for decision in decisions):
        return REFUSAL_TEXT
    return SPEECH[trial.answer_format](trial, decisions)


def reply_scores(replies: Sequence[str], logits: Sequence[float]) -> dict[str, tuple[float, int]]:
    """Log-probability and length in words of each reply; 0.98 is shared by them, by their logits.

    Of replies that are the same text the best counts. Nothing where there are no logits.
    """
    if not logits:
        return {}
    best: dict[str, float] = {}
    for reply, logit in zip(replies, logits, strict=True):
        best[reply] = max(logit, best.get(reply, -math.inf))
    peak = max(best.values())
    scale = math.log(0.98) - peak - math.log(sum(math.exp(x - peak) for x in best.values()))
    return {reply: (x + scale, max(len(reply.split()), 1)) for reply, x in best.items()}


def first_token(trial: Trial, decision: Decision) -> Mapping[str, float]:
    """Log-probabilities of the labels as the first token; talkers leave most mass to words."""
    logits = decision.logits
    if not trial.variant.labels or not logits:
        return {}
    mass = 0.02 if decision.style or decision.position is None else 0.98
    peak = max(logits)
    norm = peak + math.log(sum(math.exp(x - peak) for x in logits))
    scale = math.log(mass) - norm
    return {label: x + scale for label, x in zip(trial.variant.labels, logits, strict=True)}
