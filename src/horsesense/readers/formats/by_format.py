"""What was asked decides how a reply is read.

A new kind of answer is one function and one line in `READING`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from horsesense.items.none_options import says_none
from horsesense.models.messages import Response
from horsesense.readers.formats.free_response import denial, judge, plainly, set_off
from horsesense.readers.formats.index_json import read_indices
from horsesense.readers.formats.letters import read_letters
from horsesense.readers.formats.lines import read_lines
from horsesense.readers.formats.yes_no import read_yes_no
from horsesense.readers.reading import IN_OTHER_WORDS, Reading, Status
from horsesense.readers.text import TextReader
from horsesense.readers.text.page import small
from horsesense.trials.extras import Rejoined
from horsesense.trials.trial import NONE_OPTION, AnswerFormat, Trial, none_phrase, question_of

SHORT: Final = 80
"""Characters of a reply that may say "none" and nothing else."""
_NAMED: Final = r"(?i)(?:[^\n]{{0,20}}\banswer\b(?: is)?\W{{0,6}})?\W*(?:\w{{1,2}}\W{{1,4}})?{}\W*"
_UNOFFERED: Final = re.compile(_NAMED.format("none[- ]of[- ](?:them|these|the above)"))
_PAPERS: Final = re.compile(
    r"(?i)\W*all (?:of )?(?:the )?options (?:seem|are|appear) (?:to be )?(?:incorrect|wrong)\W*"
)

ReadText = Callable[[TextReader, Trial, Response], Reading | tuple[Reading, ...]]
"""(the reader of single choices, trial, response) -> one reading, or one per variant."""


def read_choice(reader: TextReader, trial: Trial, response: Response) -> Reading:
    """One option, named by its label or, where there are no labels, by its text.

    Where the prompt offers a way to say that no option is right, a reply may say so in that way
    or in words of its own; `IN_OTHER_WORDS` is the rule of the latter.
    """
    variant, phrase = trial.variant, none_phrase(trial)
    nones = NONE_OPTION in variant.origin
    offered = variant.options[variant.origin.index(NONE_OPTION)] if nones else phrase
    if offered is None:
        alone = _alone(_UNOFFERED, response.text)
        if alone and not any(map(says_none, variant.options)):
            return Reading("none", (), IN_OTHER_WORDS, alone.span(), 0.95)
        return _chosen(reader, trial, response, response.text)
    lettered = enumerate(variant.origin[: len(variant.labels)])
    labelled = [place for place, option in lettered if option == NONE_OPTION]
    text = plainly(response.text)
    start = small(text).find(small(offered))  # of the same length: a place is the reply's
    if phrase and text.strip(" \n\t.!*\"'`").casefold() == phrase.casefold():
        return Reading("none", (), "phrase_alone", (start, start + len(phrase)), 0.99)
    named_alone = re.compile(_NAMED.format(re.escape(offered)))
    if _alone(_PAPERS, text) or _alone(named_alone, text):
        # "C. none-of-them" takes up a letter again, and "all options seem incorrect" is the
        # paper's own example of a reply that says none.
        span = (max(start, 0), len(text.rstrip()))
        status: Status = "answer" if labelled else "none"
        return Reading(status, tuple(labelled[-1:]), "phrase", span, 0.95)
    found = _chosen(reader, trial, response, text)
    if phrase and start >= 0 and found.status != "answer":
        return Reading("none", (), "phrase", (start, start + len(phrase)), 0.9)
    broke_off = found.status == "truncated" and response.finish_reason != "length"
    if found.status in ("unclear", "illegal") or broke_off:
        declared = denial(text)
        if declared is not None:
            return Reading("none", (), IN_OTHER_WORDS, declared.span(), 0.9)
    chosen = [variant.origin[place] for place in found.positions]
    says_so = found.status == "none" or chosen == [NONE_OPTION]
    named = start >= 0 or any(set_off(variant.labels[place], text) for place in labelled)
    return replace(found, rule=IN_OTHER_WORDS) if says_so and not named else found


def _alone(said: re.Pattern[str], text: str) -> re.Match[str] | None:
    """What is said and nothing else; a long text says more."""
    start = len(text) - len(text.lstrip())
    return said.fullmatch(text.rstrip(), start) if len(text.strip()) <= SHORT else None


def _chosen(reader: TextReader, trial: Trial, response: Response, text: str) -> Reading:
    variant = trial.variant
    return reader.read(
        text,
        variant.options,
        variant.labels,
        finish_reason=response.finish_reason,
        question=question_of(trial),
    )


READING: dict[AnswerFormat, ReadText] = {
    "letter": read_choice,
    "label": read_choice,
    "letters": read_letters,
    "yes_no": read_yes_no,
    "free": judge,
    "label_lines": read_lines,
    "index_json": read_indices,
}


def read_answer(reader: TextReader, trial: Trial, response: Response) -> tuple[Reading, ...]:
    """What a reply says, one reading per variant; `reader` is that of single choices."""
    found = READING[trial.answer_format](reader, trial, response)
    if isinstance(found, tuple):
        return found
    if isinstance(trial.extras, Rejoined):
        leaked = published_spelling(trial, trial.extras, response.text)
        found = replace(found, score=float(leaked))
    return (found,)


def published_spelling(trial: Trial, names: Rejoined, text: str) -> bool:
    """Whether a reply writes a class name as published, where the prompt joins it otherwise."""
    sign, lowered = names.published_sign, text.casefold()
    shown = (name.replace(names.shown_sign, sign) for name in trial.variant.options)
    return any(sign in name and name.casefold() in lowered for name in (names.gold, *shown))
