"""Wrong options by a model that completes the equation, and a judge that looks for flaws in them.

As published: the generator sees 100 words on each side and the left side, and tries until it has
written three different right sides that are not the paper's; an item stays if the judge finds no
significant flaw in at least one of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from horsesense.models.messages import Response
from horsesense.readers.formats.yes_no import NO_POSITION, read_yes_no
from horsesense.readers.text import TextReader
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import Proposed, Tried
from horsesense.trials.trial import NO, YES, Trial, Variant
from horsesense_extras.build.asking import Asker
from horsesense_extras.build.equinfer.construct import (
    LEAST_WORDS,
    QUESTION,
    around_gap,
    full,
)
from horsesense_extras.build.equinfer.equations import unfit
from horsesense_extras.build.equinfer.funnel import Fate
from horsesense_extras.build.equinfer.notation import canonical, cleaned, plain

WANTED: Final = 3
ROUNDS: Final = 8
"""How often the generator is asked about one equation at most."""

NO_ANSWER: Final = "there was no answer"
CUT_OFF: Final = "it was cut off"
EMPTY: Final = "it holds no equation"
PROSE: Final = "it is prose"
CONTROL: Final = "it holds control characters"
RIGHT: Final = "it is the right one"
AGAIN: Final = "it was suggested before"

TOO_FEW: Final = f"fewer than {WANTED} wrong options after {ROUNDS} suggestions"
STUCK: Final = f"fewer than {WANTED} wrong options, and the generator only repeats itself"
NOT_ASKED: Final = "the generator gave no answer; the same command asks again"
SEEN_THROUGH: Final = "the judge found a flaw in every wrong option"
NOT_JUDGED: Final = "the judge gave no answer; the same command asks again"

_FENCE = re.compile(r"```(?:latex|tex|math)?\s*(.*?)(?:```|\Z)", re.DOTALL)
_MATH = re.compile(
    r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)|\$(.+?)\$"
    r"|\\begin\{(?:equation|align)\*?\}(.+?)\\end\{",
    re.DOTALL,
)
_ANNOUNCED = re.compile(
    r"\A\W*(?:the\s+)?(?:right[ -](?:hand[ -])?side|answer|equation)\s*(?:is|:)[\s*:]*", re.I
)
_PLAIN_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_PROSE = re.compile(
    r"\A[^\W\d_]{2,}\W*\Z"  # nothing but a word
    r"|(?<!\\)\b[^\W\d_]{2,}(?:\s+[^\W\d_])?\s+[^\W\d_]{2,}\b"  # words in a row
    r"|(?<![\\A-Za-z])(?:is|if|of|or|to|no|we|do|the|and|for|not|are|yes|where|with|which|see)"
    r"(?![A-Za-z])|\*\*",
    re.IGNORECASE,
)
_TEXT = re.compile(r"\\(?:text\w*|mathrm|mathsf|mathtt|operatorname\*?|mbox|label)\s*\{[^{}]*\}")
_MOST_WORDS: Final = 2
"""Words of three letters and more, outside of texts, that an equation may have."""


async def generate(fates: Sequence[Fate], generator: Asker) -> None:
    """Give each equation three wrong options, or drop it and say why."""
    seen = {fate.id: {canonical(fate.right)} for fate in fates}
    tried: dict[str, list[str]] = {fate.id: [] for fate in fates}
    for number in range(ROUNDS):
        missing = [fate for fate in fates if fate.kept and len(fate.wrong) < WANTED]
        if not missing:
            break
        trials = [completion(fate, number, tried[fate.id]) for fate in missing]
        answers = await generator.answers(trials, "completing equations")
        for fate, answer in zip(missing, answers, strict=True):
            known = tried[fate.id]
            before = len(known)
            _take(fate, answer, seen[fate.id], known)
            if generator.greedy and fate.kept and len(known) == before:
                fate.drop("generate", STUCK)  # the same prompt would bring the same answer
    for fate in fates:
        fate.made_by = generator.model.name
        if fate.kept and len(fate.wrong) < WANTED:
            fate.drop("generate", TOO_FEW)


def _take(fate: Fate, answer: Response | None, seen: set[str], tried: list[str]) -> None:
    if answer is None:
        fate.drop("generate", NOT_ASKED)
        return
    right = completed(answer.text, fate.left)
    reason = CUT_OFF if answer.finish_reason == "length" else refused(right)
    if reason is None:
        form = canonical(right)
        if form in seen:
            reason = AGAIN if fate.wrong and form != canonical(fate.right) else RIGHT
        seen.add(form)
    if reason not in (CUT_OFF, EMPTY, PROSE, CONTROL) and right not in tried:
        tried.append(right)
    if reason is None:
        fate.wrong.append(full(fate, right))
    else:
        fate.refused[reason] += 1


def completed(reply: str, left: str) -> str:
    r"""The right side that a reply gives, without what surrounds it.

    >>> completed("The equation is:\n$$ y = a x + b. $$", "y")
    'a x + b'
    """
    text = reply.strip()
    if fenced := _FENCE.search(text):
        text = fenced[1].strip()
    if found := _MATH.search(text):
        text = next(group for group in found.groups() if group is not None)
    else:
        text = next((line for line in text.splitlines() if line.strip()), "")
        text = _ANNOUNCED.sub("", text)
    text = cleaned(text.replace("\n", " "))
    before, equals, after = text.partition("=")
    if equals and (plain(before.rstrip(":")) == plain(left) or not before.strip()):
        text = after
    return cleaned(text)


def refused(right: str) -> str | None:
    """Why a right side cannot be an option; None where it can."""
    if not plain(right):
        return EMPTY
    if not all(letter.isprintable() or letter.isspace() for letter in right):
        return CONTROL
    bare = _TEXT.sub(" . ", right).strip(" .")
    if not bare:
        return PROSE
    if len(_PLAIN_WORD.findall(bare)) > _MOST_WORDS or _PROSE.search(bare):
        return PROSE
    return unfit(right)


def completion(fate: Fate, number: int, tried: Sequence[str]) -> Trial:
    """Request `number`, from 0, for the right side of an equation."""
    variant = Variant(
        fate.id,
        f"{fate.left} {fate.relation}",
        (fate.right,),
        (),
        (0,),
        0,
        context=excerpt(fate),
    )
    extras = Tried("\n".join(tried))
    return Trial(
        "equation", PLAIN, number, (variant,), "equation", form="equation", extras=extras,
        sample=number,
    )  # fmt: skip


def excerpt(fate: Fate) -> str:
    """What the generator, the judge and reviewers see around the gap."""
    return around_gap(fate.before, fate.after, LEAST_WORDS)


async def judge(fates: Sequence[Fate], asked: Asker) -> None:
    """Drop the equations whose wrong options a judge sees through, all of them."""
    kept = [fate for fate in fates if fate.kept]
    asks = [(fate, number) for fate in kept for number in range(len(fate.wrong))]
    trials = [judgement(fate, number) for fate, number in asks]
    answers = await asked.answers(trials, "judging equations")
    reader = TextReader()
    for fate in kept:
        fate.fooled = 0
    missing: set[str] = set()
    for (fate, _), trial, answer in zip(asks, trials, answers, strict=True):
        if answer is None:
            missing.add(fate.id)
        elif read_yes_no(reader, trial, answer).positions == (NO_POSITION,):
            fate.fooled = (fate.fooled or 0) + 1
    for fate in kept:
        if not fate.fooled:
            fate.drop("judge", NOT_JUDGED if fate.id in missing else SEEN_THROUGH)


def judgement(fate: Fate, number: int) -> Trial:
    """The request whether a wrong option has significant flaws; "Yes" is right."""
    variant = Variant(
        fate.id,
        QUESTION,
        ("Yes", "No"),
        ("Yes", "No"),
        (NO, YES),
        0,
        context=excerpt(fate),
    )
    return Trial(
        "equation_judge", PLAIN, number, (variant,), "yes_no", form="equation_judge",
        extras=Proposed(fate.wrong[number], "wrong"),
    )  # fmt: skip
