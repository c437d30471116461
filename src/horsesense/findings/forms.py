"""Findings of one kind in several forms: which of them speaks, and what the others add to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf

from horsesense.findings.finding import ORDER, Finding, Outcome
from horsesense.findings.kinds import KINDS
from horsesense.findings.wording import in_points
from horsesense.trials.condition import Condition

LAST, IN_PLACE = "last", "kept"
"""Where a none-option stands: last, or where the right option stood."""

REST: Mapping[Outcome, str] = {"ruled_out": "ruled out", "cannot_tell": "not to be told"}
"""What else forms show, where one is found."""
CAUSE = "its last position may be the cause"


def by_position(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The same; of a none-option found wanting where it stands last alone, that this may be why.

    A last position may be avoided whatever it holds. In the place of the right option, it stands
    where that stood, and no position changed.
    """
    for f in findings:
        beside = next((o for o in findings if _same_but_in_place(o, f)), None)
        if beside is None or f.kind != "found" or beside.kind == "found" or beside.value is None:
            yield f
            continue
        change = in_points(beside.value, signed=True)
        why = (
            "; that is not found where the none-option stands in the place of the right one"
            f" ({change}), so that {CAUSE}"
        )
        yield replace(f, sentence=f"{f.sentence[:-1]}{why}.")


def _same_but_in_place(other: Finding, f: Finding) -> bool:
    """Whether another finding is of the same none-option in the place of the right one."""
    if other.name != f.name or (other.probe, other.reader) != (f.probe, f.reader):
        return False
    here, there = (Condition.parse(one.condition) for one in (f, other))
    if here.get("place", "") != LAST:
        return False
    return there.format() == here.format().replace(f"place={LAST}", f"place={IN_PLACE}")


def forms(findings: Iterable[Finding]) -> dict[tuple[str, str, str], list[Finding]]:
    """Findings of one kind, probe and reader, which one sentence speaks for."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for f in findings:
        groups.setdefault((f.name, f.probe, f.reader), []).append(f)
    return groups


def speaking(group: Sequence[Finding]) -> Finding:
    """The one that speaks for its group: the strongest found; ruled out only if all are."""
    for outcome in ORDER:
        members = [f for f in group if f.kind == outcome]
        if members:
            near = outcome == "cannot_tell" and len({f.null for f in members if f.group}) > 1
            strongest = max(members, key=_nearness if near else badness)
            return _with_others(strongest, group)
    raise AssertionError("a group has members")


def _nearness(f: Finding) -> tuple[bool, float, float]:
    """How near to being found a position is that cannot be told, where items differ in them.

    A position of few items may look worst by chance, and shows least: what counts is how far the
    nearer end of its interval lies from the null. One that shows no sign of the fault comes last.
    """
    way = next(kind.way for kind in KINDS if kind.name == f.name)
    end, sign = (f.low, 1) if way == "above" else (f.high, -1)
    near = -inf if end is None else sign * (end - f.null)
    return badness(f) > 0, near, badness(f)


def badness(f: Finding) -> float:
    """How far a finding lies on the side that is a fault."""
    way = next(kind.way for kind in KINDS if kind.name == f.name)
    return abs(f.effect) if way == "both" else f.effect if way == "above" else -f.effect


def _with_others(f: Finding, group: Sequence[Finding]) -> Finding:
    if f.kind != "found" or len(group) == 1 or f.group or CAUSE in f.sentence:
        return f
    n = Counter(member.kind for member in group)
    rest = [f"{words} in {n[kind]}" for kind, words in REST.items() if n[kind]]
    others = f" ({', '.join(rest)})" if rest else ""
    return replace(
        f, sentence=f"{f.sentence[:-1]}; found in {n['found']} of {len(group)} forms{others}."
    )
