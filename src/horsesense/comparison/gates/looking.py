"""What a requirement refers to, looked up in a run: an estimate, or a count of the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from horsesense.comparison.gates.expression import FIELDS, OUTCOMES, MissingError, Reference
from horsesense.errors import UsageError
from horsesense.findings.finding import ORDER, TITLES, Finding
from horsesense.findings.kinds import KINDS
from horsesense.findings.places import over_balanced_orders
from horsesense.measures.base import Estimate
from horsesense.measures.joined import balanced
from horsesense.runs.results import SELECTORS, Results

THESE_ALONE = "asking stopped early: the band is about the items of this set alone"
BY_POSITION: Final[Mapping[str, str]] = {
    kind.measure: kind.name for kind in KINDS if kind.takes is over_balanced_orders
}
"""Measures that say something of a model where each option visits each position equally often.

As published they are of the benchmark too: a model that is always right chooses each position as
often as the right answer stands there. Measure -> the kind of finding that rests on it.
"""
LISTED = 20


@dataclass(frozen=True)
class Count:
    """How many sentences of the verdict have an outcome.

    Attributes:
        value: the number; None where there is no verdict.
        of: the sentences.
        others: how many of the same kind and probe have another outcome, in words.
    """

    value: int | None
    of: tuple[Finding, ...] = ()
    others: tuple[str, ...] = ()


Seen = Estimate | Count


def unfinished(run: Results | None, name: str) -> str:
    """That a run is not finished or one shard of a study, as a clause; "" where it is whole."""
    shard = run and run.findings.get("study", {}).get("shard")
    lacking = run and (run.unfinished or (f"shard {shard} of a study" if shard else ""))
    return f"{name} is {lacking}" if lacking else ""


def look_up(reference: Reference, run: Results, baseline: Results | None) -> Seen:
    """What a reference names; UsageError where it is not there, or is one of several."""
    results = baseline if reference.baseline else run
    if results is None or (reference.measure == "new" and baseline is None):
        raise UsageError(
            f"{reference.text} needs a baseline.", hint="Name the earlier run: --baseline RUN."
        )
    if reference.measure in OUTCOMES:
        return _count(reference, results, baseline)
    return _estimate(reference, results)


def _count(reference: Reference, results: Results, baseline: Results | None) -> Count:
    verdict, wanted = results.verdict, reference.measure.replace("cannot_tell", "undecided")
    known = set[tuple[str, ...]]()
    if wanted == "new" and baseline is not None:
        known, wanted = {_place(f) for f in baseline.verdict if f.conclusion == "found"}, "found"
    if not verdict:
        return Count(None)
    kind = reference.where.get("kind")
    there = {f.kind for f in verdict}
    if kind is not None and kind not in there:
        raise UsageError.unknown("kind of finding in the verdict of this run", kind, there)
    fitting = [f for f in verdict if kind in (None, f.kind)]
    probe = reference.where.get("probe")
    probes = {f.probe for f in fitting}
    if probe is not None and probe not in probes:
        raise UsageError.unknown("probe in the verdict of this run", probe, probes)
    asked = [f for f in fitting if probe in (None, f.probe)]
    of = tuple(f for f in asked if f.conclusion == wanted and _place(f) not in known)
    counts = Counter(f.conclusion for f in asked if f.conclusion != wanted)
    others = (f"{TITLES[kind].lower()} {counts[kind]}" for kind in ORDER if counts[kind])
    return Count(len(of), of, tuple(others))


def _place(finding: Finding) -> tuple[str, ...]:
    """What a finding is about: two runs of the same have the same."""
    return finding.kind, finding.probe, finding.condition, finding.group


def _estimate(reference: Reference, results: Results) -> Estimate:
    where = dict(reference.where)
    probe = where.pop("probe", None) or _probe(reference, results)
    if "reader" not in where:
        where["reader"] = _reader(reference, results, probe)
    if "condition" not in where and (design := _design(reference.measure, results, probe)):
        where["condition"] = design
    found = results.select(reference.measure, probe, **where)
    if len(found) > 1:
        raise _several(reference, found)
    return results.estimate(reference.measure, probe, **where)


def _several(reference: Reference, found: Sequence[Estimate]) -> UsageError:
    """That a reference names several estimates: each, as it would be written."""
    differing = [s for s in SELECTORS if len({str(getattr(e, s)) for e in found}) > 1]
    given = [s for s in ("probe", *SELECTORS) if s in reference.where or s in differing]
    if reference.measure in BY_POSITION and "probe" not in given:
        given = ["probe", *given]
    run = "baseline." * reference.baseline
    places = (", ".join(f"{s}={_quoted(str(getattr(e, s)))}" for s in given) for e in found)
    lines = [f"{run}{reference.measure}[{place}]" for place in places]
    more = f"\n  and {len(lines) - LISTED} more" if len(lines) > LISTED else ""
    hint = f"Name the {' and the '.join(differing)}, such as {lines[0]}."
    if kind := BY_POSITION.get(reference.measure):
        hint += f" Or require of the verdict, with its one error rate: found[{kind}] == 0."
    return UsageError(
        f"{reference.text} is one of {len(found)} estimates:\n  "
        + "\n  ".join(lines[:LISTED])
        + more,
        hint=hint,
    )


def _quoted(value: str) -> str:
    return value if value.replace("_", "").replace("=", "").isalnum() else f'"{value}"'


def _probe(reference: Reference, results: Results) -> str:
    """The items as published; of a measure that says nothing there, the one probe that has it."""
    every = [e for e in results.estimates if e.measure == reference.measure]
    if reference.measure in BY_POSITION and every:
        return _over_orders(reference, results)
    defined = list(dict.fromkeys(e.probe for e in every if e.value is not None))
    if "original" in defined or not defined:
        there = [e.probe for e in every]
        return "original" if "original" in defined or not there else there[0]
    if len(defined) > 1:
        raise UsageError(
            f"{reference.measure} was measured under several probes: {', '.join(defined)}.",
            hint=f"Name one: {reference.measure}[probe={defined[0]}].",
        )
    return defined[0]


def _over_orders(reference: Reference, results: Results) -> str:
    """The probe of orders in which every position has the same content as often as any other."""
    if _designs(reference.measure, results):
        return "order"
    there = dict.fromkeys(e.probe for e in results.select(reference.measure))
    raise UsageError(
        f"{reference.text} cannot be told of the model in this run: no probe shows each option in"
        " each position equally often, and so it depends on where the benchmark has its right"
        " answers, too.",
        hint="Audit with the probe order (--probes order). To gate on a probe that does not all"
        f" the same, name it: {', '.join(there)}.",
    )


def _designs(measure: str, results: Results) -> list[str]:
    """The conditions under which a measure of positions can accuse."""
    there = (e for e in results.select(measure, "order") if e.value is not None)
    return list(dict.fromkeys(e.condition.format() for e in there if balanced(e.condition)))


def _design(measure: str, results: Results, probe: str) -> str:
    """The only such condition; "" where there are several, or it does not matter."""
    if measure not in BY_POSITION or probe != "order":
        return ""
    found = _designs(measure, results)
    return found[0] if len(found) == 1 else ""


def _reader(reference: Reference, results: Results, probe: str) -> str:
    """The main reader, or the only one that has the measure."""
    readers = {
        e.reader for e in results.estimates if e.fits(measure=reference.measure, probe=probe)
    }
    return readers.pop() if len(readers) == 1 else results.reader


def number_of(reference: Reference, seen: Seen) -> float | None:
    """The number that a reference names; None where it is undefined."""
    if isinstance(seen, Count):
        return seen.value
    found: float | None = getattr(seen, FIELDS[reference.field])
    return found


def defined(reference: Reference, seen: Seen) -> float:
    """The same; MissingError where it is undefined."""
    value = number_of(reference, seen)
    if value is not None:
        return value
    if isinstance(seen, Count):
        raise MissingError(f"{reference.text} is undefined: the run has no verdict")
    raise MissingError(f"{reference.text} is undefined: {seen.note or 'it has none'}")


def told(reference: Reference, seen: Seen) -> str:
    """A number as a sentence needs it: "accuracy_hard.low = 0.41 (0.47 [0.41, 0.53], n = 300)"."""
    value = number_of(reference, seen)
    shown = "undefined" if value is None else f"{value:.4g}"
    if isinstance(seen, Count):
        which = ", ".join(f"{f.kind} under {f.probe}" for f in seen.of)
        beside = "; ".join(filter(None, (which, ", ".join(seen.others))))
        return f"{reference.text} = {shown}{f' ({beside})' * bool(beside)}"
    e = seen
    whole = "" if e.value is None or e.value == value else f"{e.value:.4g}"
    ends = "" if e.low is None or e.high is None else f"[{e.low:.4g}, {e.high:.4g}]"
    beside = " ".join(filter(None, (whole, ends)))
    missing = f", {e.n_missing:,} missing" if e.n_missing else ""
    alone = f"; {THESE_ALONE}" if e.finite else ""
    by = "" if e.probe == "original" or "probe" in reference.where else f", under {e.probe}"
    of = f"n = {e.n:,} {e.counted}{missing}{by}{alone}"
    return f"{reference.text} = {shown} ({', '.join(filter(None, (beside, of)))})"
