"""What stands behind a score: how many items, what it lacks, whether it may be guessing."""

from __future__ import annotations

from horsesense.findings.finding import Finding
from horsesense.findings.wording import chance_text
from horsesense.measures.base import Estimate
from horsesense.runs.results import Results
from horsesense.stats.binomial import limits
from horsesense.stats.words import plural, these

TOO_FEW_TO = ", too few to"
"""How a doubt begins that is about how few items were asked."""
LEVEL = 0.95
"""Of the interval that such a score would have if nothing had stopped the asking."""


def as_asked(run: Results) -> str:
    """What the score is that others are compared with."""
    return "as the log asked" if run.imported else "as published"


def items_of(run: Results) -> int:
    """How many items a score can be of."""
    found: int = run.findings["dataset"]["with_gold"]
    return found


def stopped(run: Results, score: Estimate) -> bool:
    """Whether a score is of some items, and its band of all."""
    return score.finite and score.n + score.n_missing < items_of(run)


def put(run: Results, score: Estimate) -> int:
    """How many items were put to the model, of those that a score that stopped was to be of."""
    return score.n + score.n_missing - run.missing_of(score).not_asked


def of_these(run: Results, score: Estimate) -> str:
    """What a score is about whose band says nothing of other items."""
    if not score.finite:
        return ""
    items, asked = items_of(run), put(run, score)
    if stopped(run, score):
        return f", of the {asked:,} of {plural(items, 'item')} asked"
    return f", on {these(items, 'item')} alone"


def lost_replies(run: Results, score: Estimate) -> str:
    """How many replies a score lacks, in brackets, and what became of them."""
    if not score.n_missing:
        return ""
    of, missing = score.n + score.n_missing, run.missing_of(score)
    if stopped(run, score):
        of, missing = put(run, score), missing._replace(not_asked=0)
        if not any(missing.each()):
            return ""
    if not (missing.not_asked or missing.failed):
        return f" ({missing.unclear:,} of {of:,} replies missing or unclear)"
    return f" (of {plural(of, 'prompt')} {missing.briefly()})"


def guessing_of(run: Results, score: Estimate) -> float | None:
    """What guessing scores on the items that a score is held against; None where not known."""
    f = _judged(run)
    return score.baseline if f is None else f.null


def _judged(run: Results) -> Finding | None:
    """What the verdict says of the score against guessing."""
    judged = (f for f in run.verdict if f.kind == "no_better_than_guessing")
    return next((f for f in judged if f.reader == run.reader and f.measured), None)


def may_be_guessing(run: Results) -> str:
    """That a score is not shown to be better than guessing, where that is undecided."""
    f = _judged(run)
    if f is None or f.conclusion != "undecided":
        return ""
    score = run.one("accuracy")
    few = score is not None and (stopped(run, score) or run.ended)
    least = _plain_low(score) if score is not None and few else 0.0
    if _no_guess(run, f.null):
        return ""
    if least > f.null:
        return f"{TOO_FEW_TO} rule out guessing ({chance_text(f.null)})"
    return f", which may be guessing ({chance_text(f.null)})"


def _plain_low(score: Estimate) -> float:
    """The lower end of a score if its number of items had been fixed beforehand: what it leaves out
    is doubtful only since asking may have stopped for what was answered."""
    low, _ = limits((score.value or 0.0) * score.n, score.n, (1 - LEVEL) / 2)
    return low


def _no_guess(run: Results, chance: float) -> bool:
    """Whether most replies choose nothing, or more are right in every order than guesses in one."""
    choosing, every = run.one("valid_rate"), run.one("accuracy_hard", "order")
    silent = choosing is not None and choosing.value is not None and choosing.value < 0.5
    # Of items without a right answer too, which the score is not of.
    silent = silent and run.findings["dataset"]["with_gold"] == run.findings["dataset"]["items"]
    return silent or (every is not None and every.low is not None and every.low > chance)
