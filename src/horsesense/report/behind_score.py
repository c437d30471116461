"""What stands behind a score: of which items it is, what it lacks, whether it may be guessing."""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.findings.finding import Finding
from horsesense.findings.wording import chance_text
from horsesense.measures.base import Estimate
from horsesense.report.text import interval_of
from horsesense.runs.results import Results
from horsesense.stats.binomial import limits
from horsesense.stats.words import plural, these

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
    score = run.one("accuracy")
    if score is not None:
        doubt = may_be_guessing(run)
        yield from filter(None, (_of_whom(run, score, doubt), _lost(run, score), doubt))
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
        return f"The score lacks {missing.unclear:,} of {of:,} replies: missing or unclear."
    return f"Of the score, {missing.clause(of, 'prompt')}."


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
    f, score = _judged(run), run.one("accuracy")
    if f is None or f.conclusion != "undecided" or _no_guess(run, f.null):
        return ""
    # The lower end if the number of items had been fixed beforehand: what it leaves out is
    # doubtful only since asking may have stopped for what was answered.
    few = score is not None and (stopped(run, score) or run.ended)
    if few and score is not None:
        low, _ = limits((score.value or 0.0) * score.n, score.n, (1 - LEVEL) / 2)
        if low > f.null:
            return f"Too few items to rule out guessing ({chance_text(f.null)})."
    return f"The score may be guessing ({chance_text(f.null)})."


def _no_guess(run: Results, chance: float) -> bool:
    """Whether most replies choose nothing, or more are right in every order than guesses in one."""
    choosing, every = run.one("valid_rate"), run.one("accuracy_hard", "order")
    silent = choosing is not None and choosing.value is not None and choosing.value < 0.5
    # Of items without a right answer too, which the score is not of.
    silent = silent and run.findings["dataset"]["with_gold"] == run.findings["dataset"]["items"]
    return silent or (every is not None and every.low is not None and every.low > chance)


def _no_parts(run: Results) -> str:
    """Why nothing is known of what a score is made of, where nothing was to be asked of it."""
    if run.findings.get("composition", {}).get(run.reader) or run.imported or run.by_people:
        return ""
    asked = {probe["name"] for probe in run.asked}
    if "order" in asked:
        why = "the answers are class names, and it is told of options with letters"
    elif run.findings.get("dataset", {}).get("kind") == "label":
        return ""  # there are no options to order
    else:
        never = "" if "options_only" in asked else ", and never without the question"
        why = f"the items were asked in one order alone{never}"
    return f"What the score is made of is not known: {why}."
