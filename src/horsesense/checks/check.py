"""`check_items`: every rule on a set of items, and the result in words and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from horsesense.checks.base import WEIGHTS, Finding, Found, Hit, Rule
from horsesense.checks.languages import language
from horsesense.checks.registry import RULES
from horsesense.checks.shares import share_test
from horsesense.errors import UsageError
from horsesense.items.item import ItemSet
from horsesense.processes import Spread, copies
from horsesense.stats.multiplicity import holm
from horsesense.stats.words import NARROW, percent, plural

ALPHA: Final = 0.05
QUICK: Final = (
    "conflicting_gold", "lost_backslashes", "broken_encoding", "no_gold", "gold_position",
    "repeated", "html", "escapes",
)  # fmt: skip
"""Rules that cost next to nothing: where right answers stand, copies, broken texts."""
MANY: Final = 1_000
"""Items from which on copies of the process pay."""
PIECE: Final = 100
"""Items that a copy looks through at a time."""


@dataclass(frozen=True)
class CheckResult:
    """What `horsesense check` found in one set.

    Attributes:
        items: the set.
        findings: what speaks: items with a flaw, and cues that beat chance, heaviest first.
        quiet: rules that were applied and found nothing.
        skipped: rule -> why it does not apply to this set.
    """

    items: ItemSet
    findings: tuple[Finding, ...]
    quiet: tuple[Finding, ...]
    skipped: Mapping[str, str]

    def finding(self, rule: str) -> Finding | None:
        """The finding of a rule, if it speaks."""
        return next((f for f in self.findings if f.rule.name == rule), None)


def check_items(items: ItemSet, rules: Iterable[str] | None = None) -> CheckResult:
    """Look for flaws of the items themselves; no model is asked.

    Rules that are about the whole set (a cue, the use of positions) speak where their test
    rejects chance at 5 % after Holm's correction over all such tests.

    Args:
        items: the set; with all its splits, what they share is found.
        rules: names of the rules to apply; all by default.

    Raises:
        UsageError: there is no such rule.
    """
    chosen = _chosen(rules)
    suited = [rule for rule in chosen if items.kind in rule.kinds]
    skipped = {r.name: f"it is not about {items.kind} items" for r in chosen if r not in suited}
    spoken = language(items) if any(rule.languages for rule in suited) else None
    foreign = [rule for rule in suited if rule.languages and spoken not in (None, *rule.languages)]
    skipped |= {
        r.name: f"it knows words of {_listed(r.languages)}, and the items are in {spoken}"
        for r in foreign
    }
    suited = [rule for rule in suited if rule not in foreign]
    if not items.has_gold:
        # Not one flaw per item: the whole set has no answers, as opinion polls have none.
        skipped |= {r.name: "no item has a gold" for r in suited if r.name == "no_gold"}
        suited = [rule for rule in suited if rule.name != "no_gold"]
    found = _found(items, suited)
    adjusted = _adjusted(found)
    findings = [_finding(items, rule, seen, adjusted.get(rule)) for rule, seen in found.items()]
    return CheckResult(
        items,
        tuple(f for f in findings if _speaks(f)),
        tuple(f for f in findings if not _speaks(f)),
        skipped,
    )


def _found(items: ItemSet, rules: Sequence[Rule]) -> dict[Rule, Found]:
    """What each rule sees. Large sets are looked through in copies of this process, item by item,
    while rules about the whole set are applied here."""
    singles = [rule for rule in rules if rule.whole is None]
    places = range(0, len(items), PIECE)
    pieces = [items.items[start : start + PIECE] for start in places]
    hits: dict[Rule, list[Hit]] = {rule: [] for rule in singles}
    with Spread(
        lambda piece: [rule.seen(piece) for rule in singles],
        pieces,
        copies() if len(items) >= MANY and len(rules) > len(QUICK) else 0,
    ) as looked_through:
        wholes = {rule: rule.whole(items) for rule in rules if rule.whole is not None}
        for start, seen in zip(places, looked_through, strict=True):
            for rule, marks in zip(singles, seen, strict=True):
                hits[rule] += [Hit(items.items[start + at].id, shown) for at, shown in marks]
    each = {rule: Found(len(items), tuple(found)) for rule, found in hits.items()}
    return {rule: (wholes | each)[rule] for rule in rules}


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


ACROSS: Final = ("shared_items", "shared_contexts")
"""Rules that compare splits, and so also several files."""


def check_sets(sets: Sequence[ItemSet], rules: Iterable[str] | None = None) -> list[CheckResult]:
    """Every set by itself, and, of several, what they share with one another.

    Raises UsageError where there is no such rule, or sets of different kinds are given.
    """
    wanted = None if rules is None else list(rules)
    results = [check_items(items, wanted) for items in sets]
    across = [name for name in ACROSS if wanted is None or name in wanted]
    if len(sets) > 1 and across:
        results.append(check_items(_united(sets), across))
    return results


def _united(sets: Sequence[ItemSet]) -> ItemSet:
    """All items as one set whose splits are the sets."""
    if len({items.kind for items in sets}) > 1:
        raise UsageError("The sets are of different kinds (options of their own, and labels).")
    names = [
        items.name if [s.name for s in sets].count(items.name) == 1 else f"{items.name}#{n}"
        for n, items in enumerate(sets, 1)
    ]
    united = tuple(
        replace(item, id=f"{name}:{item.id}", split=name)
        for name, items in zip(names, sets, strict=True)
        for item in items
    )
    return ItemSet(" and ".join(names), sets[0].kind, united)


def _chosen(names: Iterable[str] | None) -> list[Rule]:
    known = {rule.name: rule for rule in RULES}
    wanted = list(known if names is None else names)
    for name in wanted:
        if name not in known:
            raise UsageError.unknown("rule", name, known)
    return [rule for rule in RULES if rule.name in wanted]


def _adjusted(found: Mapping[Rule, Found]) -> dict[Rule, float]:
    tested = {r: f.test.p for r, f in found.items() if f.test and f.test.p is not None}
    return dict(zip(tested, holm(list(tested.values())), strict=True))


def _speaks(finding: Finding) -> bool:
    if finding.found.test is not None:
        return finding.p_adjusted is not None and finding.p_adjusted < ALPHA
    return finding.count > 0 and not finding.rule.tested


def _finding(items: ItemSet, rule: Rule, found: Found, p: float | None) -> Finding:
    low = high = None
    if found.test is None and found.hits:
        flawed = {hit.item for hit in found.hits}
        test = share_test(
            (float(item.id in flawed) for item in items),
            [0.0] * len(items),
            [item.cluster or item.id for item in items],
        )
        low, high = test.low, test.high
    return Finding(rule, found, p, low, high)


def check_json(result: CheckResult) -> dict[str, Any]:
    """Everything for machines."""
    return {
        "dataset": {
            "name": result.items.name,
            "items": len(result.items),
            "kind": result.items.kind,
            "fingerprint": result.items.fingerprint,
            "notes": list(result.items.notes),
        },
        "findings": [_finding_json(finding) for finding in result.findings],
        "quiet": [_finding_json(finding) for finding in result.quiet],
        "skipped": dict(result.skipped),
    }


def _finding_json(finding: Finding) -> dict[str, Any]:
    rule, found, test = finding.rule, finding.found, finding.found.test
    return {
        "rule": rule.name,
        "title": rule.title,
        "weight": rule.weight,
        "source": rule.source,
        "advice": rule.advice,
        "says": sentence(finding),
        "n": found.n,
        "count": finding.count,
        "share": finding.count / found.n if found.n and test is None else None,
        "low": finding.low,
        "high": finding.high,
        "test": None
        if test is None
        else {
            "share": test.share,
            "low": test.low,
            "high": test.high,
            "n": test.n,
            "expected": test.expected,
            "p_value": test.p,
            "p_adjusted": finding.p_adjusted,
            "method": test.method,
        },
        "items": [{"id": hit.item, "evidence": hit.evidence} for hit in found.hits],
    }


def sentence(finding: Finding) -> str:
    """What was found, with its number, n and interval."""
    found, test, rule = finding.found, finding.found.test, finding.rule
    if found.says:
        return found.says
    if test is None:
        share = ""
        if found.n:
            ends = _interval(finding.low, finding.high)
            share = f" ({percent(finding.count / found.n, 1)} of {plural(found.n, 'item')}; {ends})"
        items = f"{finding.count:,} item{'s' * (finding.count != 1)}"
        return f"{items}: {rule.title}{share}."
    return (
        f"{_capital(rule.title)}: right on {percent(test.share, 1)}"
        f" ({_interval(test.low, test.high)}) of the {test.n:,} items that have one;"
        f" chance gives {percent(test.expected, 1)}."
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "no interval: one cluster holds all or most of the items"
    return f"95{NARROW}% interval {percent(low, 1)} to {percent(high, 1)}"


def check_text(result: CheckResult, shown: int = 3, *, every: bool = False) -> str:
    """The same for people: what was found, the first items of each, and what to do; with `every`,
    also the names of what was not found."""
    n = len(result.items)
    lines = [f"{n:,} item{'s' * (n != 1)} of {result.items.name}: {summary(result)}"]
    lines += map(_printable, result.items.notes)
    for weight, heading in WEIGHTS.items():
        findings = [f for f in result.findings if f.rule.weight == weight]
        findings.sort(key=_single_cue)
        if findings:
            lines += ["", heading]
        for finding in findings:
            lines.append(f"  {sentence(finding)} [{finding.rule.name}]")
            lines += [
                f"      {_printable(hit.item)}: {_printable(hit.evidence)}"
                for hit in finding.found.hits[:shown]
            ]
            if finding.count > shown > 0:
                lines.append(f"      ... and {finding.count - shown:,} more")
            lines.append(f"    -> {finding.rule.advice} ({finding.rule.source})")
    for place, (heading, quiet) in enumerate(quiet_kinds(result)):
        names, kinds = ", ".join(f.rule.name for f in quiet), plural(len(quiet), "kind")
        told = names if every else f"{kinds} of flaws{'' if place else ' (--all names them)'}"
        lines += [*([] if place else [""]), f"{heading}: {told}."]
    lines += [
        f"Not looked for: {', '.join(names)} ({why})." for why, names in _foreign(result).items()
    ]
    return "\n".join(lines)


SEEN = 0.1
"""How far above chance a share would be seen to lie by rules that have items enough."""


def quiet_kinds(result: CheckResult) -> list[tuple[str, list[Finding]]]:
    """What was not found, by whether it could have been: a heading, and rules in each."""
    quiet: dict[str, list[Finding]] = {}
    for finding in result.quiet:
        quiet.setdefault(_heading(finding.found), []).append(finding)
    return [(heading, quiet[heading]) for heading in QUIET if heading in quiet]


NOT_FOUND = "Looked for and not found"
TOO_FEW = f"Not found, of too few items to see {percent(SEEN)} above chance"
NOTHING_TO_COMPARE = "Not looked for, as nothing in the set can be compared so"
QUIET = (NOT_FOUND, TOO_FEW, NOTHING_TO_COMPARE)


def _heading(found: Found) -> str:
    if not found.n:
        return NOTHING_TO_COMPARE
    test = found.test
    few = test is not None and (test.high is None or test.high >= test.expected + SEEN)
    return TOO_FEW if few else NOT_FOUND


def _foreign(result: CheckResult) -> dict[str, list[str]]:
    """Why rules that know words were not applied -> their names."""
    reasons: dict[str, list[str]] = {}
    for name, why in result.skipped.items():
        if why.startswith("it knows"):
            reasons.setdefault(why.replace("it knows", "they know"), []).append(name)
    return reasons


def _single_cue(finding: Finding) -> bool:
    """Whether a cue is found in one item only: true of it, and no news of the set."""
    tested = finding.found.test is not None
    return finding.rule.weight == "cue" and not tested and finding.count == 1


def headlines(result: CheckResult, most: int = 3) -> list[str]:
    """The first lines for other commands: the summary and the heaviest findings."""
    heavy = [f for f in result.findings if f.rule.weight != "style" and not _single_cue(f)]
    lines = [f"check: {summary(result)}"]
    lines += [f"  {sentence(finding)}" for finding in heavy[:most]]
    if result.findings:
        lines.append("  `horsesense check` with these items lists all findings.")
    return lines


def summary(result: CheckResult) -> str:
    """One line: how many findings of each weight."""
    counts = {w: [f for f in result.findings if f.rule.weight == w] for w in WEIGHTS}
    if not result.findings:
        looked = sum(bool(f.found.n) for f in result.quiet)
        return f"none of the {looked} kinds of flaws looked for is found."
    told = [
        f"{len(found)} {'kind' if len(found) == 1 else 'kinds'} of {noun}"
        for noun, found in zip(("faults", "cues", "doubtful style"), counts.values(), strict=True)
        if found
    ]
    return f"{', '.join(told)}."


def _printable(text: str) -> str:
    """`text` without anything a terminal would obey."""
    return "".join(c if c.isprintable() else "�" for c in text)
