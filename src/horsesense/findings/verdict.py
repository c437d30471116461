"""The verdict: every answer is found, ruled out or undecided, at a stated error rate.

*Found*: a test rejects that there is no such fault; Holm's correction (1979) over every question of
the report keeps the chance of any false one at 5 %. *Ruled out*: a test rejects that there is a
fault of the smallest size that matters, at 5 % for each question (two one-sided tests: Schuirmann
1987). Nothing is ruled out because it was not found: that is *undecided*, with a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from horsesense.findings.early import ALPHA, Early, conclude, levels
from horsesense.findings.evidence import (
    Evidence,
    Interval,
    Way,
    badness,
    faulty,
    harmless,
    items_needed,
    within,
)
from horsesense.findings.finding import ORDER, Beside, Conclusion, Finding, Reason
from horsesense.findings.guesses import AS_WELL, INSTEAD, Guesses
from horsesense.findings.kinds import (
    BY_NAME,
    KINDS,
    RANK,
    SIZES,
    Kind,
    accused,
    problems,
    rare_positions,
)
from horsesense.findings.places import RunToJudge
from horsesense.findings.sentences import MOST_LOST
from horsesense.findings.uncounted import asked_as, named, untested
from horsesense.findings.wording import labelled
from horsesense.measures.contrast import ORDER as ORDERS
from horsesense.measures.estimate import Computed
from horsesense.readers.causes import SILENT, TOO_MANY, Loss
from horsesense.stats.multiplicity import holm

LEVEL = 1 - ALPHA
BOTH_SIDES = 1 - 2 * ALPHA
"""Level of the interval beside what is ruled out, each end of which is tested at ALPHA."""


class Question(NamedTuple):
    """What a run may be accused of: the kind, the evidence, its null and both p.

    Attributes:
        p: of no such fault.
        p_signs: the same by the first test alone, where a second one has replies drawn anew.
        p_small: of a fault of at least the size that matters.
        stopped: whether asking stopped early, so that only a band can tell.
        band: the bands at the levels of what is found and of what is ruled out.
        spared: the evidence if replies that choose nothing do not count for the fault.
        beside: as in `Finding`.
        worth: how many trials each is worth to what finds it above its null.
    """

    kind: Kind
    evidence: Evidence
    null: float
    size: float
    p: float = 1.0
    p_small: float = 1.0
    p_signs: float = 1.0
    stopped: bool = False
    band: tuple[Interval, Interval] = (None, None)
    spared: Evidence | None = None
    beside: Beside = ""
    worth: float = 1.0

    @property
    def possible(self) -> bool:
        """Whether a value can lie a size from its null at all."""
        return self.size < self.kind.room(self.null)

    @property
    def way(self) -> Way:
        return self.kind.way


def verdict(
    run: RunToJudge,
    found: Sequence[Computed],
    sizes: Mapping[str, float] | None = None,
    early: Early | None = None,
    options: Sequence[int] = (),
    guesses: Guesses | None = None,
) -> list[Finding]:
    """The verdict on a run, in the order in which it is shown; one answer a kind and probe.

    Args:
        run: its main reader, probes and labels.
        found: all estimates with what is behind them.
        sizes: the smallest size that matters, by kind; `SIZES` where a kind is not named.
        early: the bands of an audit that may stop early.
        options: how many each item of the set has, by which it is known which positions few have.
        guesses: the cells of the run, for what guessing and a deterministic model would show.
    """
    sizes = {**SIZES, **(sizes or {})}
    asked = [*questions(run, found, sizes, options, early, guesses)]
    if early is not None:
        asked = [_banded(q, early) if q.stopped else q for q in asked]
    corrected = zip(holm([q.p for q in asked]), holm([q.p_signs for q in asked]), strict=True)
    whole = len(options)
    answers = [_answer(run, q, p, guesses, whole) for q, p in zip(asked, corrected, strict=True)]
    seen = _visible(answers)
    told = [_speaking(group) for group in _forms(seen).values()]
    told += untested(run, found, sizes, {(f.kind, f.probe) for f in told})
    return sorted(told, key=_place)


def questions(
    run: RunToJudge,
    found: Sequence[Computed],
    sizes: Mapping[str, float],
    options: Sequence[int] = (),
    early: Early | None = None,
    guesses: Guesses | None = None,
) -> Iterator[Question]:
    """Every question that the verdict answers about a run, each with its p."""
    every = [*filter(None, map(Evidence.of, found))]
    known: dict[str, list[Evidence]] = {}
    for e in every:
        known.setdefault(e.measure, []).append(e)
    shares = {(e.measure, *_where(e)): e for e in every}
    whole = early is None or ORDERS not in early.stopped
    rare = rare_positions(options, sizes)
    for kind in KINDS:
        for e in map(Evidence.open_ended, accused(kind, run, known.get(kind.measure, ()))):
            if kind.by_position and e.group in rare:
                continue
            null, worth = e.baseline if kind.null is None else kind.null, 1.0
            if guesses is not None and kind.null is None:
                null, worth = guesses.by_position(e, whole) or (null, worth)
            if null is None:
                continue
            spared = shares.get((kind.silence, *_where(e)))
            q = Question(kind, e, null, sizes[kind.name], spared=spared, worth=worth)
            if guesses is not None and kind.measure in INSTEAD:
                beyond = guesses.beyond_orders(e)
                q = q if beyond is None else q._replace(evidence=beyond, beside="other_orders")
            # As far as its noise was asked: where that stopped, so did the question.
            rests = {e.probe} | ({ORDERS} if q.beside else set())
            stopped = early is not None and bool(early.stopped & rests)
            yield q._replace(stopped=True) if stopped else _tested(q, early, guesses)


def _where(e: Evidence) -> tuple[str, str, str, str]:
    return e.probe, e.condition.format(), e.reader, e.group


def _tested(q: Question, early: Early | None, guesses: Guesses | None) -> Question:
    """The same with both p: doubled where asking could have stopped, as a band then decides.

    A fault is found where replies that choose nothing do not show it: by the larger p of both
    shares (Berger 1982).
    """
    if not q.possible:
        return q
    e, guess = q.evidence, None
    routes = 2 if early is not None and early.banded(e) else 1
    whole = early is None or ORDERS not in early.stopped
    if guesses is not None and whole and q.kind.name == "no_better_than_guessing":
        guess = guesses.p(e)
    if e.few:
        return q if guess is None else q._replace(p_small=guess)
    both = [
        e.as_if(q.worth) if q.way == "above" else e,
        *([q.spared.open_ended()] if q.spared is not None else []),
    ]
    p = signs = max(each.p_found(q.way, q.null, q.size) for each in both)
    if guesses is not None and q.kind.measure in ("accuracy_change", "answer_switch_beyond_repeat"):
        p = max(p, guesses.drawn(e, q.way))
    small = e.p_ruled_out(q.way, q.null, q.size) if guess is None else guess
    p, small, signs = (min(1.0, routes * each) for each in (p, small, signs))
    return q._replace(p=p, p_small=small, p_signs=signs)


def _banded(q: Question, early: Early) -> Question:
    """What its bands say: one at its part of the error of all that is found, one at 5 %."""
    first, second = (early.band(q.evidence, a) for a in levels(q.way, early.questions))
    if first is None or second is None:
        return q
    even = q.kind.null is None and q.null == q.evidence.baseline
    null = first.guessing if even and first.guessing is not None else q.null
    told = conclude(first[:2], second[:2], q.way, null, q.size)
    p, small = float(told != "found"), float(told != "ruled_out")
    return q._replace(null=null, p=p, p_small=small, p_signs=p, band=(first[:2], second[:2]))


def _answer(
    run: RunToJudge, q: Question, ps: tuple[float, float], guesses: Guesses | None, whole: int
) -> Finding:
    """The answer to one question, given its corrected p and that of its first test alone; of a set
    of `whole` items, if known."""
    e, (p, signs) = q.evidence, ps
    conclusion: Conclusion = "undecided"
    if p <= ALPHA:
        conclusion = "found"
    elif q.p_small <= ALPHA:
        conclusion = "ruled_out"
    reason = _reason(run, q, conclusion, guesses)
    if reason in ("noise", "many_questions") and signs <= ALPHA:
        reason = "drawn_anew"
    if reason:
        conclusion = "undecided"
    level = BOTH_SIDES if conclusion == "ruled_out" else LEVEL
    ends = q.band[0 if conclusion == "found" else 1] if q.stopped else e.interval(level)
    items = e.n if e.counted == "items" else whole or e.about.clusters
    open_still = reason == "noise" and not run.by_people and _settles(q)
    needed = items_needed(e, q.way, q.null, q.size, items) if open_still else None
    doubted = q.kind.name == "no_better_than_guessing" and reason == "noise"
    label, apart = _label(run, q)
    by_orders = AS_WELL if doubted and ends is not None and ends[0] > q.null else ""
    return Finding(
        kind=q.kind.name,
        conclusion=conclusion,
        reason=reason,
        probe=e.probe,
        condition=e.condition.format(),
        reader=e.reader,
        group=e.group,
        label=label,
        form=apart or label,
        value=e.value,
        low=ends[0] if ends else None,
        high=ends[1] if ends else None,
        level=level,
        null=q.null,
        size=q.size,
        p=None if q.stopped else p,
        n=e.n,
        counted=e.counted,
        n_missing=e.missing,
        units=e.about.clusters,
        needed=needed,
        about="these_items" if e.few else "items_like_these",
        detail="; ".join(filter(None, (by_orders, run.not_covered(e)))),
        beside=q.beside,
    )


def _settles(q: Question) -> bool:
    """Whether more items would do: not where as many missing replies again leave it open."""
    if (unknown := q.evidence.unknown) is None:
        return True
    ends = unknown.low.estimate, unknown.high.estimate
    return within(ends, *harmless(q.way, q.null, q.size))


def _label(run: RunToJudge, q: Question) -> tuple[str, str]:
    """The form in words, or the reader, and what of that sets it apart; "" where all of it does."""
    e, title = q.evidence, str(run.probes[q.evidence.probe]["title"])
    if q.kind.name == "other_reader":
        return named(e.reader, run.readers), ""
    if q.kind.name == "many_problems":
        return f"{problems(e)} problems at once ({asked_as(title)})", ""
    apart = run.setting(e.probe, e.condition)
    return labelled(title, apart), apart


def _reason(
    run: RunToJudge, q: Question, conclusion: Conclusion, guesses: Guesses | None
) -> Reason:
    """Why nothing is decided; "" where something is."""
    e, reason = q.evidence, _no_answer(run, q, guesses)
    if reason or conclusion != "undecided":
        return reason
    if e.few:
        return "few_clusters"
    if q.spared is not None and e.p_found(q.way, q.null, q.size) <= ALPHA:
        return "silent"
    if e.unknown is not None:
        there = e._replace(unknown=None)  # as if what is missing were like what is there
        ps = there.p_found(q.way, q.null, q.size), there.p_ruled_out(q.way, q.null, q.size)
        if min(ps) <= ALPHA:
            return "missing"
    faults = faulty(
        q.way, q.null, q.size
    )  # a test of one side alone may reject within the interval
    seen = q.p <= ALPHA and any(within(e.interval(LEVEL), *side) for side in faults)
    return "many_questions" if seen else "noise"


def _no_answer(run: RunToJudge, q: Question, guesses: Guesses | None) -> Reason:
    """Why a question has no answer whatever its numbers are."""
    e = q.evidence
    if not q.possible:
        return "impossible"
    if q.stopped and q.band[0] is None:
        return run.ended or "stopped"  # type: ignore[return-value]
    if not q.stopped and run.ended and e.missing and run.lost_shares(e)[0] > MOST_LOST:
        return "first_items"
    steady = guesses is not None and q.kind.measure in INSTEAD and guesses.unknown_noise(e)
    return "never_differs" if steady else ""


def _visible(answers: Sequence[Finding]) -> list[Finding]:
    """Nothing is ruled out that could not have been seen; no error rate grows by saying less."""
    by = {f.kind: f for f in answers}
    choice, score = by.get("no_choice"), by.get("no_better_than_guessing")
    silent = choice is not None and (choice.value or 0.0) < 0.5
    chance = score is None or score.conclusion != "ruled_out"

    def hidden(f: Finding) -> Reason:
        kind = BY_NAME[f.kind]
        if silent and kind.blind_if_unread:
            return "unread"
        return "at_chance" if chance and kind.blind_at_chance else ""

    return [
        replace(f, conclusion="undecided", reason=hidden(f), needed=None)
        if hidden(f) and (f.conclusion == "ruled_out" or f.needed)
        else f
        for f in answers
    ]


def doubted(findings: Sequence[Finding], losses: Mapping[str, Loss]) -> list[Finding]:
    """Nothing is decided where too many replies are lost, as published or under its probe.

    Replies that choose nothing, though they came whole, are still found to choose nothing.
    """
    return [_doubted(f, losses) for f in findings]


def _doubted(f: Finding, losses: Mapping[str, Loss]) -> Finding:
    there = [losses[probe] for probe in ("original", f.probe) if probe in losses]
    loss = max(there, key=lambda one: one.share, default=None)
    own = f.kind == "no_choice" and loss is not None and loss.causes.keys() <= SILENT
    if f.conclusion == "undecided" or loss is None or loss.share <= TOO_MANY or own:
        return f
    return replace(f, conclusion="undecided", reason="lost", detail=loss.words, needed=None)


def _forms(findings: Iterable[Finding]) -> dict[tuple[str, str, str], list[Finding]]:
    """Findings of one kind, probe and reader, which one answer speaks for."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for f in findings:
        groups.setdefault((f.kind, f.probe, f.reader), []).append(f)
    return groups


def _speaking(group: Sequence[Finding]) -> Finding:
    """The one that speaks for its group: the strongest found; ruled out only if all are."""
    conclusion = next(c for c in ORDER if any(f.conclusion == c for f in group))
    chosen = sorted((f for f in group if f.conclusion == conclusion), key=_badness, reverse=True)
    if BY_NAME[chosen[0].kind].by_position:
        return chosen[0]
    found = [f for f in chosen if conclusion == "found"]
    labels, apart = [f.label for f in found], [f.form for f in found]
    return replace(
        chosen[0], forms=len(group), found_in=len(found), found_forms=labels, found_apart=apart
    )


def _badness(f: Finding) -> float:
    return badness(f.value or 0.0, BY_NAME[f.kind].way, f.null)


def _place(f: Finding) -> tuple[int, bool, int, float]:
    """Where it stands: what is undecided and looks most like a fault first; else what matters most
    to a decision, as the kinds are listed, the largest first."""
    if f.conclusion == "undecided":
        return ORDER.index(f.conclusion), not f.measured, 0, -_badness(f)
    return ORDER.index(f.conclusion), not f.measured, RANK[f.kind], -abs(f.effect)
