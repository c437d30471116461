"""The verdict: every sentence is found, ruled out or cannot tell, at a stated error rate.

*Found*: a test rejects that there is no such fault; one weighted Holm correction over every
accusation that the run could make keeps the chance of any false one at 5 %. *Ruled out*: a fault of
the smallest size that matters is rejected, with 5 % of its own, corrected in the same way (Holm
1979; Schuirmann 1987). Nothing is ruled out because it was not found: that is *cannot tell*.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from horsesense.findings.accusation import ALPHA, Accusation
from horsesense.findings.bases import Bases, RightOnes, Spared
from horsesense.findings.constant import Constants
from horsesense.findings.early import SHARE, TOO_FEW, Banded, Early, why
from horsesense.findings.evidence import Evidence, faulty, harmless
from horsesense.findings.finding import ORDER, Finding, Outcome
from horsesense.findings.forms import badness, by_position, forms
from horsesense.findings.incomplete import why_open
from horsesense.findings.kinds import (
    AT_CHANCE,
    COUNTED_WRONG,
    KINDS,
    SIZES,
    UNREAD,
    accused,
    problems,
)
from horsesense.findings.needed import Needed, needed_of
from horsesense.findings.places import Run
from horsesense.findings.rare import (
    FEW,
    beside,
    had,
    judged,
    least_share,
    rare_positions,
    speaking_of,
)
from horsesense.findings.uncounted import MOST_LOST, lost
from horsesense.findings.untested import asked_as, named, question, untested, untold
from horsesense.findings.weights import weighted
from horsesense.findings.wording import (
    against,
    beside_shown,
    by_at_least,
    chance_text,
    in_points,
    level_text,
    number,
    plus,
    signed,
    too_low,
)
from horsesense.measures.estimate import Found
from horsesense.stats.equivalence import within
from horsesense.stats.multiplicity import weighted_holm
from horsesense.stats.no_interval import NO_INTERVAL, why_no_interval
from horsesense.stats.words import plural
from horsesense.trials.condition import Condition


def verdict(
    run: Run,
    found: Sequence[Found],
    sizes: Mapping[str, float] | None = None,
    early: Early | None = None,
    items_per_cluster: float = 1.0,
    options: Sequence[int] = (),
    constants: Constants | None = None,
) -> list[Finding]:
    """The verdict on a run, in the order in which it is shown; one sentence a kind and probe.

    Args:
        run: its main reader, probes and labels.
        found: all estimates with what is behind them.
        sizes: the smallest size that matters, by kind; `SIZES` where a kind is not named.
        early: what was decided early, of an audit that may stop; it has its share of the errors.
        items_per_cluster: on average; numbers of items that would settle something rest on it.
        options: how many each item of the set has, by which it is known which positions few have;
            those in the numbers count where it is not given.
        constants: what always giving the same answer scores, which a score must surpass.
    """
    share, sizes = 1.0 if early is None else 1 - SHARE, {**SIZES, **(sizes or {})}
    made = [*accusations(run, found, sizes, early, options, constants)]
    made = weighted([*_by_group(made)], share)
    if early is not None:
        made = [_by_band(a, early) if a.stopped else a for a in made]
    there = _corrected([a.p for a in made], made)
    small = _corrected([a.p_small for a in made], made)
    # What Holm's corrections leave to those that they did not reject, for a weight of 1; of both
    # the smaller, so that the interval of what cannot be told shows that neither holds.
    unsettled = max(
        sum(a.weight for a, p in zip(made, adjusted, strict=True) if p > ALPHA)
        for adjusted in (there, small)
    )
    left = ALPHA * share / unsettled if unsettled else ALPHA
    have, least = had(found, options), least_share(sizes)
    undecided = [a for a, p, q in zip(made, there, small, strict=True) if min(p, q) > ALPHA]
    items, aside = _entered(found, made, items_per_cluster), rare_positions(have, FEW)

    def outcomes(blind: Collection[tuple[object, ...]] = ()) -> list[Finding]:
        some = () if run.by_people else undecided
        needed = needed_of(made, some, left, items, aside, blind)
        return [
            _judged(run, a, p, q, left, items_per_cluster, needed.get(a.place, Needed()))
            for a, p, q in zip(made, there, small, strict=True)
        ]

    results = outcomes()
    if _at_chance(results):
        pairs = zip(results, made, strict=True)
        results = outcomes({a.place for f, a in pairs if f.items and a.kind.blind_at_chance})
    known = filter(None, map(Evidence.of, found))
    pairs = zip(results, made, strict=True)
    results = [_hidden(f, run, why_open(a, f.kind, f.level)) for f, a in pairs]
    if early is None:
        results = [_of_a_sample(f, a.evidence, run) for f, a in zip(results, made, strict=True)]
    bets = [] if early is None else [*early.decided(run, known, items_per_cluster)]
    seen = [*_seen(run, results, [bet.finding() for bet in bets])]
    seen = [*by_position(seen)]
    told = [speaking_of(group, have) for group in forms(seen[: len(results)]).values()]
    told = [beside(f, rare_positions(have, least), least) for f in told]
    told += [bet.told(f) for bet, f in zip(bets, seen[len(results) :], strict=True)]
    told += untested(run, found, sizes, {(f.name, f.probe) for f in told})
    return sorted(told, key=_place)


def _place(f: Finding) -> tuple[int, float]:
    """Where it stands: what cannot be told and looks most like a fault first, else the largest."""
    size = badness(f) if f.kind == "cannot_tell" and f.measured else abs(f.effect)
    return ORDER.index(f.kind), -size


def accusations(
    run: Run,
    found: Sequence[Found],
    sizes: Mapping[str, float],
    early: Early | None = None,
    options: Sequence[int] = (),
    constants: Constants | None = None,
) -> Iterator[Accusation]:
    """Every accusation that can be made of a run, without weights."""
    every, known = [*filter(None, map(Evidence.of, found))], dict[str, list[Evidence]]()
    bases, right_ones, spared = Bases(every), RightOnes(every), Spared(every)
    for evidence in judged(every, rare_positions(had(found, options), least_share(sizes))):
        if early is None or not early.bets(evidence):
            known.setdefault(evidence.measure, []).append(evidence)
    for kind in KINDS:
        for e in map(Evidence.open_ended, accused(kind, run, known.get(kind.measure, ()))):
            null = e.baseline if kind.null is None else kind.null
            size = sizes[kind.name]
            if null is None:
                continue
            stopped = early is not None and e.probe in early.stopped
            routes = 1 if early is None else early.routes(e, kind)
            base = bases.of(e)
            constant = constants.of(e) if constants and e.measure == "accuracy" else None
            a = Accusation(kind, e, null, size, stopped=stopped, routes=routes, base=base)
            a = replace(
                a, constant=constant, right_ones=right_ones.of(e), spared=spared.of(kind, e)
            )
            yield a.tested() if a.possible and not stopped else a


def _by_group(made: Sequence[Accusation]) -> Iterator[Accusation]:
    """The same, knowing whether groups of the same numbers have nulls of their own."""
    nulls: dict[tuple[object, ...], set[float]] = {}
    for a in made:
        nulls.setdefault((*a.group, a.evidence.condition), set()).add(a.null)
    for a in made:
        yield replace(a, own_null=len(nulls[*a.group, a.evidence.condition]) > 1)


def _by_band(a: Accusation, early: Early) -> Accusation:
    """What a band says at the level of the accusation's weight, which the plan has fixed.

    It has the part of one route; the p is valid with that of the other, a test of all items.
    """
    alpha = ALPHA * a.weight
    open_to = a.possible and a.kind.way != "both"
    found = early.band(a.evidence, alpha / a.routes) if open_to else None
    if found is None:
        return a
    ends, decided = found[:2], alpha * (1 - 1e-9)
    if a.kind.null is None and found.guessing is not None:
        # The band is of the items that were asked, those of lost answers too.
        a = replace(a, null=found.guessing)
    p = decided if within(ends, *faulty(a.kind.way, a.null, a.size)) else 1.0
    q = decided if within(ends, *harmless(a.kind.way, a.clears, a.size)) else 1.0
    return replace(a, p=p, p_small=q, band=found)


def _corrected(p_values: Sequence[float], made: Sequence[Accusation]) -> list[float]:
    """Holm's adjusted p-values; all weights together are these accusations' share of the errors."""
    weights = [a.weight for a in made]
    adjusted = weighted_holm(p_values, weights)
    return [min(1.0, p / sum(weights)) for p in adjusted]


def _entered(found: Iterable[Found], made: Iterable[Accusation], each: float) -> dict[str, float]:
    """How many items entered the estimates of each probe, at most, of `each` in a cluster.

    Estimates of items that a reader was not fitted on have fewer, and prompts are clusters too. Of
    what is accused, items without any of their replies are known.
    """
    most: dict[str, int] = {}
    for estimate, about, _ in found:
        if about is not None:
            most[estimate.probe] = max(most.get(estimate.probe, 1), about.clusters)
    for e in (a.evidence for a in made):
        most[e.probe] = max(most.get(e.probe, 1), e.clusters)
    return {probe: clusters * each for probe, clusters in most.items()}


def _judged(
    run: Run,
    a: Accusation,
    p: float,
    q: float,
    left: float,
    each: float,
    needed: Needed,
) -> Finding:
    """The outcome of one accusation, given both of its adjusted p-values.

    `left` is the level of what neither test settles, for a weight of 1; `each` the items of a
    cluster, and `needed` how many items would settle it.
    """
    outcome: Outcome = "cannot_tell"
    if p <= ALPHA:
        outcome = "found"
    elif q <= ALPHA:
        outcome = "ruled_out"
    alpha = {
        "found": _level_left(a.p, p, a.weight),
        "ruled_out": _level_left(a.p_small, q, a.weight),
        "cannot_tell": left * a.weight,
    }[outcome] / a.routes
    two_sided = outcome != "ruled_out" and a.kind.way == "both"
    level = 1 - (alpha if two_sided else 2 * alpha)
    if a.stopped:
        level, ends = 1 - 2 * ALPHA * a.weight / a.routes, a.band and a.band[:2]
    else:
        ends = a.evidence.interval(level, a.kind.way, found=outcome == "found")
    constant = a.constant.sentence if ends and a.constant and a.explained(ends[0]) else ""
    if outcome == "cannot_tell" and constant and a.kind.way == "lacks":
        above = a.evidence.value > a.clears
        needed = replace(needed if above else Needed(), constant=constant)
    e = a.evidence
    blank = Finding(
        kind=outcome,
        name=a.kind.name,
        title=a.kind.title,
        probe=e.probe,
        condition=e.condition.format(),
        reader=e.reader,
        group=e.group,
        value=e.value,
        low=ends[0] if ends else None,
        high=ends[1] if ends else None,
        level=level,
        null=a.null,
        size=a.size,
        p_adjusted=p,
        p_ruled_out=q,
        weight=a.weight,
        n=e.n,
        counted=e.counted,
        items=needed.most,
        section=a.kind.section,
        sentence="",
        units=e.about.clusters,
        n_missing=e.missing,
        found_beyond=a.kind.found_beyond(a.null, a.size),
        constant=None if a.constant is None else a.constant.share,
    )
    sentence = _sentence(blank, a, run, needed.told(a, each))
    also = f"; {constant}" if constant and outcome == "found" else ""
    told = replace(blank, sentence=f"{sentence[:-1]}{also}{lost(e, run)}.")
    # A band decides without a p.
    return replace(told, p_adjusted=None, p_ruled_out=None) if a.stopped else told


GOOD = ", a good sign, but of too few"
"""Of a share that should be high, is, and yet is not shown to be."""
FIRST_ALONE = "only the first items of the file were asked"
"""Why nothing is said of a form of which asking ended early."""


def _of_a_sample(f: Finding, e: Evidence, run: Run) -> Finding:
    """A finding, or that it cannot be told where asking ended before more than a detail of it.

    Items are asked in the order of the file, so that those that were asked are no sample of it;
    under `--until` the order is random.
    """
    unasked = run.lost_shares(e)[0] if run.ended and e.missing else 0.0
    if unasked <= MOST_LOST:
        return f
    return replace(f, kind="cannot_tell", items=None, sentence=_untold(run, f, FIRST_ALONE))


def _hidden(f: Finding, run: Run, why: str) -> Finding:
    """A finding, or that it cannot be told, and why."""
    return replace(f, kind="cannot_tell", items=None, sentence=_untold(run, f, why)) if why else f


def _level_left(p: float, adjusted: float, weight: float) -> float:
    """The one-sided level at which Holm's correction tested a p: `p <= level` where found."""
    if 0 < adjusted < 1 and p > 0:
        return min(ALPHA, max(ALPHA * p / adjusted, ALPHA * weight))
    return ALPHA * weight


def words(f: Finding, a: Accusation, run: Run) -> dict[str, str]:
    """What the sentences of a kind may name."""
    value = a.evidence.value
    wide = f.low is None or f.high is None or f.high - f.low > 0.02
    up = a.kind.way in ("above", "lacks")
    title = str(run.probes.get(f.probe, {}).get("title", f.probe))
    label = run.label(f.probe, a.evidence.condition)
    if a.kind.name == "many_problems":
        label = f"with {problems(a.evidence)} problems in one prompt ({asked_as(title)})"
    shown, null = against(value, f.null, 0 if wide or value in (0, 1) else 1)
    return {
        "value": shown,
        "null": null,
        "size": in_points(f.size),
        "lacking": too_low(f.size, null, below=value < f.null),
        "by_at_least": "" if f.low is None else by_at_least(f.low - f.null),
        "counted_wrong": COUNTED_WRONG if run.some_gold else "",
        "limit": number(f.null + f.size if up else f.null - f.size, "fraction", 0),
        "change": in_points(value, signed=True, beside=f.size),
        "distance": in_points(abs(value), beside=f.size),
        "beside": beside_shown(value, f.size),
        "sign": "" if f.value is None or f.value < f.null else GOOD,
        "moves": "rises" if value > 0 else "falls",
        "compared": "higher" if value > 0 else "lower",
        "label": label,
        "base": (a.base and f"in {a.base}") or "as published",
        "beside_base": a.base and f", compared with {a.base}",
        "group": f.group,
        "n": f"{a.evidence.n:,}",
        "right_ones": a.right_ones,
        "reader": named(f.reader, run.readers),
        "scores": "People score" if run.by_people else "The model scores",
    }


def _sentence(f: Finding, a: Accusation, run: Run, needed: str) -> str:
    if not a.possible:
        far = f"{in_points(f.size)} or more from {chance_text(f.null)}"
        return _untold(run, f, f"no value can lie {far}")
    if a.stopped and f.kind == "cannot_tell" and a.band is None:
        return _untold(run, f, why(run.ended))
    text = a.kind.sentence(f.kind, a.own_null).format_map(words(f, a, run))
    if run.by_people:
        text = text.replace("These items cannot", "These items and people cannot")
    if a.band is not None:
        shown = words(f, a, run)["value"]
        return f"{text.removesuffix('.')}, {_after(f, a.band, shown)}{needed}."
    if f.kind == "cannot_tell" and f.low is None and a.band is None:
        return f"{text}; {_no_interval(f, a)}."
    small = f.p_ruled_out is not None and f.p_ruled_out <= ALPHA
    if f.kind == "found" and small and a.kind.way != "lacks":
        text = f"{text[:-1]}; {_smaller(f, a)}."
    return f"{text}{needed}." if f.kind == "cannot_tell" else text


def _after(f: Finding, band: Banded, shown: str) -> str:
    """What was asked of a probe that stopped; where that does not decide, with the band."""
    after = f"after {band.n:,} of {plural(band.units, 'item')}"
    if f.kind != "cannot_tell":
        return after
    low, high = band.low, band.high
    if low <= (-1 if f.null == 0 else 0) and high >= 1:
        return f"{after}, {TOO_FEW}"
    if f.null == 0:
        least, most = (plus(signed(100 * end, 1)) for end in (low, high))
        ends = f"{least} and {most} points"
    else:
        ends = " and ".join(number(end, "fraction", 0) for end in (low, high))
    what = "the change" if f.null == 0 else f"the {shown}"
    return f"{after}, and {what} may be between {ends} on items like these"


def _no_interval(f: Finding, a: Accusation) -> str:
    """That there is no interval, and whether the data or the level alone is the cause."""
    why = why_no_interval(a.evidence.about, f.level)
    if a.evidence.about.reason:
        return f"{NO_INTERVAL} ({why})"
    return f"{NO_INTERVAL} at {level_text(f.level)} ({why}, which the correction leaves)"


def _smaller(f: Finding, a: Accusation) -> str:
    """That what is found does not matter; as a fact only where its interval shows it too.

    That it is smaller is tested at a level of its own, that of the interval beside it is another.
    """
    if within(f.ends, *harmless(a.kind.way, a.null, f.size)):
        return f"it is there, but smaller than {in_points(f.size)}"
    return f"it is there, but may be smaller than {in_points(f.size)}"


def _untold(run: Run, f: Finding, why: str) -> str:
    """A sentence for what cannot be told, with the reason."""
    kind = next(kind for kind in KINDS if kind.name == f.name)
    label = run.label(f.probe, Condition.parse(f.condition))
    return untold(question(kind, f.size, run, label, named(f.reader, run.readers)), why)


def may_be_guessing(f: Finding) -> bool:
    """Whether a score is not shown to surpass guessing, whatever a constant answer would score."""
    surpasses = f.low is not None and f.low > f.null
    return f.kind != "ruled_out" and not (f.kind == "cannot_tell" and surpasses)


def _at_chance(judged: Iterable[Finding]) -> bool:
    """Whether the score is not shown to surpass guessing, or nothing is known of that."""
    found = {f.name: f for f in judged}.get("no_better_than_guessing")
    return found is None or may_be_guessing(found)


def _seen(
    run: Run,
    judged: Sequence[Finding],
    bets: Sequence[Finding],
) -> Iterator[Finding]:
    """Nothing is ruled out that could not have been seen; no error rate grows by saying less."""
    kinds = {kind.name: kind for kind in KINDS}
    choice = {f.name: f for f in judged}.get("no_choice")
    chance = _at_chance(judged)
    published = 1.0 if choice is None else choice.value or 0.0
    for f in (*judged, *bets):
        kind, why = kinds[f.name], ""
        if published < 0.5 and kind.blind_if_unread:
            why = UNREAD
        elif chance and kind.blind_at_chance:
            why = AT_CHANCE
        if why and (f.kind == "ruled_out" or (f.items and badness(f) < f.size)):
            f = replace(f, kind="cannot_tell", sentence=_untold(run, f, why), items=None)
        yield f
