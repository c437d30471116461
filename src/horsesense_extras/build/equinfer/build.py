"""`horsesense build equinfer`, stage after stage, and what it leaves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from horsesense.errors import UsageError
from horsesense.files import json_lines, write_whole
from horsesense.inference.limits import RunSummary
from horsesense.inference.store import Store
from horsesense.models.base import Model
from horsesense.models.messages import Response
from horsesense.readers.formats.yes_no import NO_POSITION, read_yes_no
from horsesense.readers.text import TextReader
from horsesense.stats.words import plural
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import Proposed, Tried
from horsesense.trials.trial import NO, YES, Trial, Variant
from horsesense_extras.build.asking import Asker, How
from horsesense_extras.build.equinfer.construct import (
    LEAST_WORDS,
    MOST_WORDS,
    QUESTION,
    USUAL_WORDS,
    around_gap,
    edit,
    full,
    gather,
    rows,
)
from horsesense_extras.build.equinfer.equations import unfit
from horsesense_extras.build.equinfer.funnel import Fate, Funnel
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


EQUATIONS: Final = "equations.jsonl"
FUNNEL: Final = "funnel.json"


@dataclass
class Built:
    """Items, and how they came about.

    Attributes:
        rows: the items, in the format that `load_items` reads.
        funnel: what became of every equation.
        spent: requests and tokens.
    """

    rows: list[dict[str, Any]]
    funnel: Funnel
    spent: RunSummary = field(default_factory=RunSummary)


async def build_equinfer(
    sources: Sequence[str | Path],
    folder: Path,
    *,
    generator: Model | None = None,
    judged_by: Model | None = None,
    per_paper: int = 3,
    words: int = USUAL_WORDS,
    seed: int = 0,
    how: How = How(),  # noqa: B008
) -> Built:
    """Items from LaTeX sources.

    Args:
        sources: folders, archives and files.
        folder: where answers are stored, and what became of every equation.
        generator: writes the wrong options; by default they are edits of the right one.
        judged_by: looks for flaws in them; by default nobody does.
        per_paper: equations of a paper, at most.
        words: words of context on each side; 0 for none.

    Raises:
        UsageError: before anything is spent.
        ModelError: a model cannot be reached.
        StoreError: `folder` cannot be used.
        InterruptedRunError: after Ctrl-C; the same call resumes.
    """
    if not 0 <= words <= MOST_WORDS:
        raise UsageError(f"Context of {plural(words, 'word')}: 0 to {MOST_WORDS:,} are possible.")
    funnel = gather(sources, per_paper=per_paper, seed=seed)
    funnel.judged = judged_by is not None
    drawn = funnel.kept()
    spent = RunSummary()
    async with AsyncExitStack() as stack:
        store = None
        if generator is not None or judged_by is not None:
            store = stack.enter_context(Store.open(folder / "store.sqlite"))

        async def asker(model: Model) -> Asker:
            entered = await stack.enter_async_context(model)
            assert store is not None
            return await Asker.for_model(entered, store, how)

        if generator is None:
            edit(drawn, seed)
        else:
            writing = await asker(generator)
            await generate(drawn, writing)
            spent += writing.spent
        if judged_by is not None and spent.stopped is None:
            reading = await asker(judged_by)
            await judge(drawn, reading)
            spent += reading.spent
        elif judged_by is not None:
            for fate in funnel.kept():
                fate.drop("judge", NOT_JUDGED)
    write_whole(folder / EQUATIONS, json_lines(fate.as_json() for fate in funnel.fates()))
    write_whole(folder / FUNNEL, orjson.dumps(funnel.as_json(), option=orjson.OPT_INDENT_2))
    return Built(list(rows(funnel, words, seed)), funnel, spent)
