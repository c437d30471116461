"""A gate: requirements on a run, and nothing lost against an earlier one, item by item."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from horsesense.comparison.align import Side, differing_settings, stop_notice
from horsesense.comparison.aligned import Aligned, aligned
from horsesense.comparison.compare import weights
from horsesense.comparison.gates import more
from horsesense.comparison.gates.expression import MissingError, Requirement
from horsesense.comparison.gates.looking import Seen, defined, look_up, number_of, told, unfinished
from horsesense.comparison.views import Pair, ViewScores
from horsesense.errors import UsageError
from horsesense.findings.uncounted import left_out
from horsesense.measures.contrast import REPEAT
from horsesense.models.messages import Response
from horsesense.runs.results import Results
from horsesense.runs.settings import STOP_IF
from horsesense.stats.change import TOO_FEW
from horsesense.stats.functions import ndtri
from horsesense.stats.multiplicity import weighted_holm
from horsesense.stats.power import minimum_detectable
from horsesense.stats.words import OneLine, agreeing, plural

State = Literal["passed", "failed", "undecided"]
OnDoubt = Literal["", "pass", "fail", "ask-more"]
"""What an undecided gate counts as; "" for a result of its own, "ask-more" with what to ask."""
AFTER, BEFORE = "this run", "baseline"


@dataclass(frozen=True)
class Check:
    """One thing that was checked.

    Attributes:
        name: what had to hold.
        state: passed, failed or undecided.
        says: the numbers that it rests on, in one sentence.
        values: reference -> number, None where it is undefined.
    """

    name: str
    state: State
    says: str
    values: Mapping[str, float | None]


@dataclass(frozen=True, repr=False)
class Verdict(OneLine):
    """What a gate came to.

    Attributes:
        checks: every one.
        on_doubt: what an undecided check counts as.
        notes: what differs between the runs, and what could not be compared.
        sees: which loss these items find, in one sentence; "" without a baseline.
    """

    checks: tuple[Check, ...]
    on_doubt: OnDoubt = ""
    notes: tuple[str, ...] = ()
    sees: str = ""

    def __str__(self) -> str:
        return f"{self.result}: {', '.join(f'{c.name} {c.state}' for c in self.checks)}"

    def fails(self, check: Check) -> bool:
        """Whether a check keeps the gate shut."""
        doubted = self.on_doubt == "fail" and check.state == "undecided"
        return check.state == "failed" or doubted

    @property
    def result(self) -> State:
        """What the gate came to as a whole."""
        if any(map(self.fails, self.checks)):
            return "failed"
        doubt = self.on_doubt != "pass" and any(c.state == "undecided" for c in self.checks)
        return "undecided" if doubt else "passed"

    @property
    def passed(self) -> bool:
        return self.result == "passed"

    @property
    def in_numbers(self) -> str:
        """How many checks made the result, and what is undecided: "2 of 9 checks; 3 undecided."."""
        failed = sum(map(self.fails, self.checks))
        undecided = sum(c.state == "undecided" and not self.fails(c) for c in self.checks)
        passed = len(self.checks) - failed - undecided
        shown = {"failed": failed, "undecided": undecided, "passed": passed}[self.result]
        more = f"; {undecided:,} undecided" if undecided and self.result != "undecided" else ""
        sees = f" {self.sees}" if undecided and self.sees else ""
        return f"{shown:,} of {plural(len(self.checks), 'check')}{more}.{sees}"

    def as_json(self) -> dict[str, Any]:
        """Every field by name."""
        return {
            "result": self.result,
            "passed": self.passed,
            "strict": self.on_doubt == "fail",
            "on_doubt": self.on_doubt,
            "sees": self.sees,
            "checks": [asdict(c) | {"fails": self.fails(c)} for c in self.checks],
            "notes": list(self.notes),
        }


def require(
    requirements: Sequence[Requirement], run: Results, baseline: Results | None
) -> Iterator[Check]:
    """Each requirement, checked; what holds in a run that is not finished is undecided.

    UsageError for a measure, probe or group that is not there, and for a baseline that is not
    given: a gate that asks for what cannot be must not pass, nor look like a regression.
    """
    for requirement in requirements:
        found = {r.text: look_up(r, run, baseline) for r in requirement.references}
        both, named = (False, True), requirement.references
        sides = {side for r in named for side in (both if r.measure == "new" else (r.baseline,))}
        missed = _unfinished(run, baseline).items()
        lacking = [text for own, text in missed if own in sides and text]
        yield _required(requirement, found, lacking)


def replies_lost(run: Results, most: str, baseline: Results | None = None) -> Iterator[Check]:
    """Whether too many replies are lost under any probe for the run to say anything of the model.

    Those of the baseline count where the run has the probe too: no loss is seen against what lost
    replies made low. `most` is a share such as "20%", or "never" for no check at all; UsageError
    for others.
    """
    if most == "never":
        return
    if not re.fullmatch(STOP_IF, most):
        raise UsageError(f"--lost {most!r} is not a share.", hint="Write 20%, or never.")
    name, losses = f"replies lost: at most {most}", run.losses()
    probe = max(losses, key=lambda name: losses[name].share, default="")
    if not probe or not losses[probe].prompts:
        old = "the run was measured by an earlier version; `horsesense report` measures it again"
        yield Check(name, "undecided", "nothing was asked" if losses else old, {"lost": None})
        return
    loss = losses[probe]
    too_many = loss.share > float(most.rstrip("%")) / 100
    every = "under each probe, some reader reads every reply"
    told = f"{loss.words} ({run.probes[probe]['title']})" if loss.lost else every
    says = f"{told}. {loss.remedy}" if too_many else told
    yield Check(name, "failed" if too_many else "passed", says, {"lost": loss.share})
    for there, loss in ({} if baseline is None else baseline.losses()).items():
        if there in losses and loss.share > float(most.rstrip("%")) / 100:
            says = f"{loss.words} ({run.probes[there]['title']}): a loss against that goes unseen"
            yield Check(f"{name}, in the {BEFORE}", "undecided", says, {"lost": loss.share})
            return


def _unfinished(run: Results, baseline: Results | None) -> dict[bool, str]:
    """What is not finished, by whether it is the baseline."""
    return {False: unfinished(run, AFTER), True: unfinished(baseline, f"the {BEFORE}")}


def _required(requirement: Requirement, found: Mapping[str, Seen], lacking: Sequence[str]) -> Check:
    """One requirement on what it names.

    Answers that are still to come may be of any kind, and were not left out by chance.
    """
    named = {r.text: r for r in requirement.references}.values()
    values = {r.text: number_of(r, found[r.text]) for r in named}
    try:
        holds = requirement.holds(lambda r: defined(r, found[r.text]))
    except MissingError as missing:
        return Check(requirement.text, "failed", f"cannot be judged, {missing}", values)
    says = "; ".join([*(told(r, found[r.text]) for r in named), *lacking])
    state: State = "failed" if not holds else "undecided" if lacking else "passed"
    return Check(requirement.text, state, says, values)


def notes_on(run: Results, baseline: Results | None) -> list[str]:
    """That a run is not finished, a sentence for each."""
    said = filter(None, _unfinished(run, baseline).values())
    return [f"{text[0].upper()}{text[1:]}." for text in said]


def tolerances(given: Sequence[str]) -> dict[str, float]:
    """How much may be lost, as a fraction, by probe, and under "" everywhere else.

    From texts such as "0.02", "2%" and "order=5%"; UsageError for others.
    """
    found = {"": 0.0}
    for text in given:
        probe, equals, number = text.rpartition("=")
        try:
            size = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
        except ValueError:
            size = -1.0
        if not 0 <= size <= 1 or bool(equals) != bool(probe):
            raise UsageError(
                f"--tolerance {text!r} is not a loss from 0 to 1.",
                hint="Write 0.02 or 2% for all probes, order=0.05 for one.",
            )
        found[probe] = size
    return found


def regressions(
    run: Results, baseline: Results, accepted: Mapping[str, float], *, measure: str, level: float
) -> Verdict:
    """Whether a run lost more than is tolerated against a baseline, in every view of both.

    The two are compared item by item. Failed: more is lost than tolerated, tested with Holm's
    correction over all views, where the main one has half of the error. Passed: a loss beyond the
    tolerance is ruled out in this view, or the replies are the same, word for word. Both hold
    whatever the missing replies are. The very same prompt asked again is no view of its own.

    Args:
        accepted: the loss that is tolerated, by probe (see `tolerances`).
    """
    known = {*run.probes, *baseline.probes}
    for probe in accepted:
        if probe and probe not in known:
            raise UsageError.unknown("probe in these runs", probe, known)
    sides = [Side(AFTER, AFTER, run), Side(BEFORE, BEFORE, baseline)]
    held = aligned(sides, measure, across=True)
    views = [s for s in held.scores if s.ranked and s.view.probe != REPEAT]
    judged = list(_judged(views, held, accepted, level))
    sees = _sees(judged, level) if judged else ""
    checks = tuple(_regression(one, measure, held, level) for one in judged)
    return Verdict(checks, "", tuple(_notes(held, level)), sees)


class Judged(NamedTuple):
    """A view of two runs.

    Attributes:
        scores: this run's and the baseline's, in this order.
        pair: their difference.
        tolerance: the loss that is accepted.
        p_lost: of no more than that, after correction; None where nothing can be said.
        error: part of the error with which a loss is found here.
        alike: whether all replies are the same.
    """

    scores: ViewScores
    pair: Pair
    tolerance: float
    p_lost: float | None
    error: float
    alike: bool


def _judged(
    views: Sequence[ViewScores], held: Aligned, accepted: Mapping[str, float], level: float
) -> Iterator[Judged]:
    pairs = [view.pair(0, 1) for view in views]
    losses = [accepted.get(view.view.probe, accepted[""]) for view in views]
    known = [n for n, pair in enumerate(pairs) if not pair.seen.reason]
    parts = weights(len(views))
    p_values = [pairs[n].p_below(-losses[n]) for n in known]
    adjusted = weighted_holm(p_values, [parts[n] for n in known]) if known else []
    p_lost = dict(zip(known, adjusted, strict=True))
    # What is found may owe it to what was found before (Holm); nothing else has more than its part.
    for n, p in zip(known, p_values, strict=True):
        parts[n] = p / p_lost[n] if 0 < p_lost[n] < 1 - level else parts[n]
    for n, (view, pair, tolerance) in enumerate(zip(views, pairs, losses, strict=True)):
        alike = pair.seen.total == 0 and _alike(view, held)
        yield Judged(view, pair, tolerance, p_lost.get(n), parts[n], alike)


def _alike(view: ViewScores, held: Aligned) -> bool:
    """Whether both runs have the same items, and the very same replies to them."""
    if {*held.items["of"].values()} != {held.items["shared"]}:
        return False
    key = view.view.probe, str(view.view.condition)
    one, other = (
        side.replies(*key, numbers.tolist())
        for side, numbers in zip(held.sides, held.shared.number, strict=True)
    )
    return len(one) == len(other) and all(map(_same, one, other))


def _same(one: Response | None, other: Response | None) -> bool:
    """Whether two replies have the same words, of thought too, and the same end; without words,
    the same scores."""
    if one is None or other is None:
        return False
    if not (one.text or one.reasoning):
        return one.says(other)
    told = ((r.text, r.reasoning, r.finish_reason) for r in (one, other))
    return next(told) == next(told)


def _sees(judged: Sequence[Judged], level: float) -> str:
    """Which loss the main view finds in 4 of 5 cases (`more.POWER`), before it is judged."""
    main, alpha = judged[0], (1 - level) * weights(len(judged))[0]
    if main.pair.seen.reason:
        return f"With {plural(main.scores.n, 'item')}, no loss is found: {TOO_FEW}."
    least = minimum_detectable(main.pair.seen, 2 * alpha)
    if least is None:
        steps = float(ndtri(1 - alpha)) + float(ndtri(more.POWER))
        least = steps * main.pair.seen.error
    points, items = 100 * (least + main.tolerance), f"With {plural(main.scores.n, 'item')},"
    if points > 100:
        return f"{items} no loss is found in 4 of 5 cases, however great it is."
    with_it = f" (the tolerance of {100 * main.tolerance:g} included)" * (main.tolerance > 0)
    loss = f"a loss of {points:.0f} points{with_it}"
    return f"{items} {loss} is found in 4 of 5 cases, a smaller one less often."


def _regression(one: Judged, measure: str, held: Aligned, level: float) -> Check:
    view, pair, tolerance = one.scores, one.pair, one.tolerance
    size, change = f"{100 * tolerance:g}", pair.seen.estimate
    name = f"{measure}, {view.label}: no loss beyond {size} point{'s' * (size != '1')}"
    now, before = 100 * view.means
    moved = f"{before:.1f} % before, {now:.1f} % now: {100 * change:+z.1f} points"
    on = f"on {plural(view.n, 'shared item')}"
    values = {"change": change, "low": None, "high": None, "tolerance": tolerance}
    if one.alike:
        says = f"{moved} {on}; all replies are the same, word for word"
        return Check(name, "passed", says, values | {"low": 0.0, "high": 0.0})
    # Each end at the level of its side: beyond either, a loss is found or ruled out.
    least, most = pair.interval(2 * level - 1), pair.interval(1 - 2 * (1 - level) * one.error)
    if least is None or most is None or one.p_lost is None:
        few = {"needed": max(more.FIRST, 2.0 * view.n)}
        return Check(name, "undecided", f"{moved} {on}; {TOO_FEW}", values | few)
    doubt: State = "passed" if pair.p_above(-tolerance) < 1 - level else "undecided"
    state: State = "failed" if one.p_lost < 1 - level else doubt
    ends, missing = (least[0], most[1]), view.n_missing
    why = f"{agreeing(missing, 'were')} not asked of both, or " if held.stopped else ""
    lost = f", {missing:,} more {why}{agreeing(missing, 'lack')} an answer" if missing else ""
    says = f"{moved} [{100 * ends[0]:+z.1f}, {100 * ends[1]:+z.1f}] {on}{lost}"
    values |= {"low": ends[0], "high": ends[1]}
    if state == "undecided":
        every = held.items["shared"]
        values["needed"], told = more.needed(pair, every, tolerance, one.error, level)
        says += f"; {told}"
    return Check(name, state, says, values)


def _notes(held: Aligned, level: float) -> Iterator[str]:
    of = ", ".join(f"{name} has {n:,}" for name, n in held.items["of"].items())
    shared = plural(held.items["shared"], "item")
    items = filter(None, (f"{shared} ({of})", left_out(held.items["goldless"])))
    yield f"Shared: {'; '.join(items)}; read by {held.reader}."
    if n := held.items["reordered"]:
        yield f"Options in another order: {plural(n, 'item')}."
    yield (
        f"A lower end tells which loss is ruled out, at {100 * level:g} % for its form alone. An"
        " upper end tells which is found, at that level for all forms together."
    )
    yield from stop_notice(held.stopped)
    for name, values in differing_settings(held.sides):
        if name != "horsesense":
            told = "; ".join(f"{p}: {'none' if v is None else v}" for p, v in values.items())
            yield f"Differs: {name} ({told})."
    if held.left_out:
        yield "Not compared: " + "; ".join(f"{r.label} ({r.reason})" for r in held.left_out) + "."
