"""What stands behind a score: of which items it is, what it lacks, whether it may be guessing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from horsesense.findings.finding import Finding
from horsesense.findings.guesses import AS_WELL
from horsesense.findings.wording import chance_text
from horsesense.measures.base import Estimate
from horsesense.measures.joined import ORIGINAL
from horsesense.readers.causes import (
    BECAME,
    LOST,
    NEARLY_ALL,
    NO_REPLY,
    TOO_MANY,
    WORDS,
    Loss,
)
from horsesense.report.text import interval_of, value_of
from horsesense.runs.results import Results
from horsesense.stats.binomial import limits
from horsesense.stats.words import agreeing, percent, plural, some_of, these

LEVEL = 0.95
"""Of the interval that such a score would have if nothing had stopped the asking."""


def as_asked(run: Results) -> str:
    """What the score is that others are compared with."""
    return "as the log asked" if run.imported else "in the original order"


def items_of(run: Results) -> int:
    """How many items a score can be of."""
    found: int = run.findings["dataset"]["with_gold"]
    return found


def stopped(run: Results, score: Estimate) -> bool:
    """Whether a score is of some items, and its band of all."""
    return score.finite and score.n + score.n_missing < items_of(run)


def caveats(run: Results) -> Iterator[str]:
    """What a reader of the score must know beside it, a sentence each."""
    score = run.score
    if score is not None:
        doubt = may_be_guessing(run)
        most = f"The score would be {up_to(run)}." if up_to(run) else ""
        told = (_of_whom(run, score, doubt), *lost_replies(run), most, _lost(run, score), doubt)
        yield from filter(None, told)
    yield from filter(None, (_no_parts(run),))


def _of_whom(run: Results, score: Estimate, doubt: str) -> str:
    """What a score is about whose band says nothing of other items."""
    if not score.finite:
        return ""
    items = items_of(run)
    if not stopped(run, score):
        return f"The score is of {these(items, 'item')} alone."
    # Where a finding doubts the score, its band is of the model, and no other stands beside it.
    band = "" if doubt else f"; for all {items:,} it lies in {interval_of(score)} %"
    return f"The score is of the {_put(run, score):,} of {plural(items, 'item')} asked{band}."


def loss_of(run: Results) -> Loss:
    """What was lost of the replies that the score is of."""
    return run.losses().get("original", Loss(0, {}))


def says_nothing(run: Results) -> bool:
    """Whether so much is lost that the score says nothing of the model, which may well refuse."""
    loss = loss_of(run)
    return loss.share >= NEARLY_ALL and loss.causes.keys() != {"refused"}


def first_of_all(run: Results) -> str:
    """What was lost, where that is so much that it comes before the score; "" elsewhere."""
    loss = loss_of(run)
    return loss.words if loss.share > TOO_MANY else ""


MUCH: Final = 0.02
"""Share of prompts from which lost replies are told beside the score."""


def lost_replies(run: Results) -> Iterator[str]:
    """What was lost, and between what a score lies for it; and the score of the replies read."""
    told, read = run.replies(), run.one("accuracy")
    if not told or told["most"] is None or "until" in run.findings:
        return
    lost = {c: n for c, n in told["causes"].items() if c in LOST - NO_REPLY}
    if sum(lost.values()) < MUCH * told["prompts"]:
        return
    came = [(cause, n) for cause, n in told["causes"].items() if cause not in NO_REPLY]
    each = sorted(came, key=lambda pair: -pair[1])
    *first, last = (f"{n:,} {agreeing(n, BECAME.get(c, WORDS[c]))}" for c, n in each)
    said = f"{', '.join(first)} and {last}" if first else last
    if not first_of_all(run):
        yield f"Of {plural(told['prompts'], 'reply')}, {said}."
    if read is not None and read.value is not None and read.n_missing == sum(lost.values()):
        yield f"Of the {read.n:,} that could be read, {value_of(read)} are right."


def up_to(run: Results) -> str:
    """What the score could be had nothing been lost, in words; "" where nothing much was."""
    told = run.replies()
    if not told or "until" in run.findings or not told["without"]:
        return ""
    lost = {c: told["causes"][c] for c in told["without"]}
    if sum(lost.values()) < MUCH * told["prompts"]:
        return ""
    if lost.keys() == {"not_asked"}:
        least = percent(told["most"] - sum(lost.values()) / told["prompts"])
        return f"between {least} and {percent(told['most'])} if every prompt were asked"
    became = BECAME.get(next(iter(lost)), "") if len(lost) == 1 else ""
    how = became.removeprefix("were ") if became.startswith("were ") else "lost"
    return f"up to {percent(told['most'])} if no reply had been {how}"


def _put(run: Results, score: Estimate) -> int:
    """How many items were put to the model, of those that a score that stopped was to be of."""
    return score.n + score.n_missing - run.missing_of(score).not_asked


def _lost(run: Results, score: Estimate) -> str:
    """How many replies a score lacks, and what became of them."""
    of, missing = score.n + score.n_missing, run.missing_of(score)
    if stopped(run, score):
        of, missing = _put(run, score), missing._replace(not_asked=0)
    if not score.n_missing or not any(missing.each()):
        return ""
    if not (missing.not_asked or missing.failed):
        return f"The score lacks {some_of(missing.unclear, of, 'reply')}: missing or unclear."
    return f"Behind the score, {missing.clause(of, 'prompt')}."


def guessing_of(run: Results, score: Estimate) -> float | None:
    """What guessing scores on the items that a score is held against; None where not known."""
    f = _judged(run)
    return score.baseline if f is None else f.null


def _judged(run: Results) -> Finding | None:
    """What the verdict says of the score against guessing."""
    judged = (f for f in run.verdict if f.kind == "no_better_than_guessing")
    return next((f for f in judged if f.reader == run.reader and f.measured), None)


def may_be_guessing(run: Results) -> str:
    """That a score is not shown to be better than guessing, where that is undecided, and what was
    lost does not come first."""
    f, score = _judged(run), run.score
    if f is None or f.conclusion != "undecided" or _no_guess(run, f.null) or first_of_all(run):
        return ""
    # The lower end if the number of items had been fixed beforehand: what it leaves out is
    # doubtful only since asking may have stopped for what was answered.
    few = score is not None and (stopped(run, score) or run.ended)
    if few and score is not None:
        low, _ = limits((score.value or 0.0) * score.n, score.n, (1 - LEVEL) / 2)
        if low > f.null:
            return f"Too few items to rule out guessing ({chance_text(f.null)})."
    if AS_WELL in f.detail:
        return f"{AS_WELL[:1].upper()}{AS_WELL[1:]} ({chance_text(f.null)})."
    return f"The score may be guessing, which gives {chance_text(f.null)}."


def _no_guess(run: Results, chance: float) -> bool:
    """Whether most replies choose nothing, or more are right in every order than guesses in one."""
    choosing, every = run.one("valid_rate"), run.one("accuracy_hard", "order")
    silent = choosing is not None and choosing.value is not None and choosing.value < 0.5
    # Of items without a right answer too, which the score is not of.
    silent = silent and run.findings["dataset"]["with_gold"] == run.findings["dataset"]["items"]
    return silent or (every is not None and every.low is not None and every.low > chance)


def _no_parts(run: Results) -> str:
    """Why nothing is known of what a score is made of, where nothing was to be asked of it; of a
    log, why nothing of positions."""
    asked = {probe["name"] for probe in run.asked}
    shares = [e for e in run.all("position_preference", ORIGINAL) if e.value is not None]
    judged = any(f.kind == "position_preference" for f in run.verdict)
    if run.imported and shares and not judged:
        most = max(shares, key=lambda e: e.value or 0)
        why = "each item is there in one order"
        if "order" in asked:
            why = "the orders do not put each option in each place equally often"
        return (
            f"Whether a position is preferred is not known, though {value_of(most)} of the answers"
            f" are {most.group}: {why}."
        )
    if run.findings.get("composition", {}).get(run.reader) or run.imported or run.by_people:
        return ""
    if "order" in asked:
        why = "the answers are class names, and it is told of options with letters"
    elif run.findings.get("dataset", {}).get("kind") == "label":
        return ""  # there are no options to order
    else:
        both = " was" if "options_only" in asked else " and the probe options_only were"
        why = f"the probe order{both} not asked"
    return f"What the score is made of is not known: {why}."


def unread(run: Results) -> str:
    """How many prompts no reader has read, where nothing else says it."""
    n, unclear = run.findings["unread"], run.findings.get("unclear", 0)
    if not n or run.missing:
        return ""
    which = f" ({unclear:,} could not be read)" if unclear else ""
    said = some_of(n, run.findings["trials"], "prompt", "have no reading")
    return f"{said}{which}; missing from the numbers."


def prompts_too_long(run: Results) -> str:
    """How many prompts were too long to be sent."""
    n = sum(row["prompts"] for row in run.findings.get("too_long", ()))
    said = some_of(n, run.findings["trials"], "prompt", "were not sent")
    return f"{said}: too long for the model's context with room for the reply." if n else ""
