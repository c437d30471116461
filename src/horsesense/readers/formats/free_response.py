"""Judging a reply to a question whose right answer is not shown and not asked for either.

Know-No reads such replies by hand (figure 4). These rules decide by content, not by letter: a
reply is right if it says that no option is right, or supplies the missing answer, under whatever
letter, and chooses no offered distractor besides. What no rule decides is marked `needs_review`.
"""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

from horsesense.models.messages import Response
from horsesense.readers.reading import Reading
from horsesense.readers.text import LIKELY, TextReader
from horsesense.readers.text.options import tokens_of
from horsesense.trials.trial import Trial, withheld_gold

ResponseClass = Literal[
    "incorrect_option",
    "none_declared",
    "new_correct",
    "new_wrong",
    "none+new_correct",
    "needs_review",
]
"""The five response classes of Know-No's figure 4, and what no rule decides."""

CLASSES: Final[tuple[ResponseClass, ...]] = get_args(ResponseClass)
RIGHT: Final = frozenset(("none_declared", "new_correct", "none+new_correct"))
"""The classes that count as right."""

_NONE = re.compile(
    r"\bnone[\s-]+of[\s-]+(?:the[\s-]+)?(?:above|these|them|those|(?:\w+\s+)?(?:options?|answers?"
    r"|choices?|labels?|classes|categories|given|provided|listed))\b"
    r"|\b(?:no|not any)(?: of the)? (?:\w+ )?(?:option|answer|choice|label|class|category)s?\b"
    r"(?:[^.\n]{0,40}\b(?:is|are|fits?|match(?:es)?|appl(?:y|ies)|correct|right|suitable)\b)"
    r"|\b(?:all|each|every)(?: of)?(?: the)?(?: \w+)? (?:options?|answers?|choices?)[^.\n]{0,20}"
    r"\b(?:is|are) (?:wrong|incorrect|false)\b"
    r"|\b(?:correct|right) (?:answer|option|choice|label)[^.\n]{0,30}\bnot (?:listed|given"
    r"|provided|included|among|one of|in the|an option|available|present)"
    r"|^\W*none\W*$",
    re.IGNORECASE,
)
_REJECTS = re.compile(
    r"\b(?:not|neither|nor|none|no|wrong|incorrect|false|instead|rather|except|unlike)\b|n't\b",
    re.I,
)
_REASON = re.compile(r"(?:because|since|as|it|this|the (?:answer|text|story|passage))\b", re.I)
# Repetitions are taken whole: hostile replies must not be tried in many ways.
_LABELLED = re.compile(
    r"^\W*+(?:answer\s*+[:=]\s*+)?\(?\**+([A-Za-z])\**+[).:]"
    r"\s*+(?:\**+\s*+(?=\S)|(?=\*))(?P<said>[^\n]*+)\Z"
)


def judge(reader: TextReader, trial: Trial, response: Response) -> Reading:
    """The class of a reply as `rule`; status "none" for what counts as right."""
    text = response.text
    if not text.strip():
        return Reading("empty", rule="empty")
    variant = trial.variant
    declared = _NONE.search(text)
    supplied = _supplied(trial, text)
    chosen = _offered(reader, trial, response, declared is not None or supplied)
    right = declared is not None or supplied
    if right and (chosen is not None or _named_besides(trial, text)):
        return _review(text)
    if declared is not None:
        rule: ResponseClass = "none+new_correct" if supplied else "none_declared"
        return Reading("none", (), rule, declared.span(), 0.95)
    if supplied:
        return Reading("none", (), "new_correct", (0, len(text)), 0.9)
    if chosen is not None:
        return chosen
    said = _LABELLED.match(text.strip())
    if said and said[1].upper() not in variant.labels:
        return Reading("illegal", (), "new_wrong", (0, len(text)), 0.8)
    found = reader.read(text, variant.options, variant.labels, finish_reason=response.finish_reason)
    cut = found.status == "truncated" and response.finish_reason == "length"
    declines = found.status in ("refusal", "unknown") and found.confidence >= LIKELY
    if cut or declines:
        return found
    return _named_otherwise(trial, text)


def _named_otherwise(trial: Trial, text: str) -> Reading:
    """A bare text that is not an option: another class name for a label set, else for people."""
    if not trial.variant.labels and len(text.split()) <= 6 and "\n" not in text.strip():
        return Reading("illegal", (), "new_wrong", (0, len(text)), 0.8)
    return _review(text)


def _review(text: str) -> Reading:
    return Reading("ambiguous", (), "needs_review", (0, len(text)), 0.0)


def _supplied(trial: Trial, text: str) -> bool:
    """Whether the missing answer's words are in the reply, and not only inside an option.

    What is inside an option's text that the reply repeats is that option ("the dog" in "the dog
    and the cat"), and a gold that an option contains cannot be told from it at all.
    """
    gold = tokens_of(withheld_gold(trial) or "")
    if not gold:
        return False
    words = _marked(tokens_of(text))
    for option in sorted(trial.variant.options, key=len, reverse=True):
        tokens = tokens_of(option)
        if len(tokens) > len(gold) and _holds(tokens, gold):
            words = words.replace(_marked(tokens), " | ")
    return _marked(gold) in words


def _named_besides(trial: Trial, text: str) -> bool:
    """Whether an offered option is named beside the right answer, and nothing is rejected."""
    if _REJECTS.search(text):
        return False
    gold = tokens_of(withheld_gold(trial) or "")
    words = _marked(tokens_of(text))
    if gold:
        words = words.replace(_marked(gold), " | ")
    options = (tokens_of(option) for option in trial.variant.options)
    return any(tokens and _marked(tokens) in words for tokens in options)


def _marked(tokens: tuple[str, ...]) -> str:
    return f" {' '.join(tokens)} "


def _holds(tokens: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return _marked(part) in _marked(tokens)


def _offered(
    reader: TextReader, trial: Trial, response: Response, otherwise: bool
) -> Reading | None:
    """The offered distractor that is chosen, None if none is.

    A letter with a text that is not offered is judged by the text. Where the reply also declares
    that nothing is right, or supplies the answer, a distractor counts only if the reader of
    single choices finds it chosen; naming distractors as wrong is not a choice.
    """
    recited = _recited(trial, response.text)
    if recited:
        return Reading("answer", recited, "incorrect_option", (0, len(response.text)), 0.95)
    variant = trial.variant
    said = _LABELLED.match(response.text.strip())
    other_content = said and variant.labels and not _is_option(trial, said["said"])
    if said and other_content and (otherwise or not _explains(said["said"])):
        return None
    found = reader.read(response.text, variant.options, variant.labels)
    if found.status != "answer" or len(found.positions) != 1:
        return None
    return Reading("answer", found.positions, "incorrect_option", found.span, found.confidence)


def _recited(trial: Trial, text: str) -> tuple[int, ...]:
    """The positions of a reply whose every line is an offered option's text, under any letter."""
    options = [tokens_of(option) for option in trial.variant.options]
    positions: dict[int, None] = {}
    for line in filter(str.strip, text.splitlines()):
        said = _LABELLED.match(line.strip())
        written = [tokens_of(line)] + ([tokens_of(said["said"])] if said else [])
        position = next((options.index(words) for words in written if words in options), None)
        if position is None:
            return ()
        positions[position] = None
    return tuple(positions)


def _is_option(trial: Trial, said: str) -> bool:
    """Whether the text after a letter begins with an offered option's text."""
    words = _marked(tokens_of(said))
    return any(
        words.startswith(_marked(tokens))
        for tokens in map(tokens_of, trial.variant.options)
        if tokens
    )


def _explains(said: str) -> bool:
    """Whether what follows a letter is a reason rather than another answer."""
    return _REASON.match(said) is not None
