"""`check_items`: every rule on a set of items, and the result in words and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from horsesense.checks.base import WEIGHTS, ItemFinding, Rule, RuleHit
from horsesense.checks.languages import language
from horsesense.checks.registry import RULES
from horsesense.checks.shares import share_test
from horsesense.errors import UsageError
from horsesense.items.item import ItemSet
from horsesense.progress import harmless
from horsesense.stats.multiplicity import holm
from horsesense.stats.words import NARROW, OneLine, percent, plural, some_of

ALPHA: Final = 0.05
QUICK: Final = (
    "conflicting_gold", "lost_backslashes", "broken_encoding", "no_gold", "gold_position",
    "repeated", "html", "escapes",
)  # fmt: skip
"""Rules that cost next to nothing: where right answers stand, copies, broken texts."""
ACROSS: Final = ("shared_items", "shared_contexts")
"""Rules that compare splits, and so also several files."""
SEEN: Final = 0.1
"""How far above chance a share would be seen to lie by rules that have items enough."""


@dataclass(frozen=True, repr=False)
class CheckResult(OneLine):
    """What `horsesense check` found in one set.

    Attributes:
        items: the set.
        findings: what speaks: items with a flaw, and cues that beat chance, heaviest first.
        quiet: rules that were applied and found nothing.
        skipped: rule -> why it does not apply to this set.
    """

    items: ItemSet
    findings: tuple[ItemFinding, ...]
    quiet: tuple[ItemFinding, ...]
    skipped: Mapping[str, str]

    def __str__(self) -> str:
        return f"{plural(len(self.items), 'item')} of {self.items.name}: {summary(self)}"

    def finding(self, rule: str) -> ItemFinding | None:
        """The finding of a rule, if it speaks."""
        return next((f for f in self.findings if f.rule.name == rule), None)


def check_items(items: ItemSet, rules: Iterable[str] | None = None) -> CheckResult:
    """Look for flaws of the items themselves; no model is asked.

    Rules that are about the whole set (a cue, the use of positions) speak where their test
    rejects chance at 5 % after Holm's correction over all such tests.

    Args:
        items: the set; with all its splits, what they share is found.
        rules: names of the rules to apply; all by default, `QUICK` for those that cost little.

    Raises:
        UsageError: there is no such rule.
    """
    chosen = _chosen(rules)
    spoken = language(items) if any(rule.languages for rule in chosen) else None
    reasons = {rule: _why_not(rule, items, spoken) for rule in chosen}
    found = {rule: rule.find(items) for rule, reason in reasons.items() if not reason}
    tested = {r: f.test.p for r, f in found.items() if f.test and f.test.p is not None}
    # The quick checks are some of all: what they find, `check` finds too.
    others = [1.0] * (sum(rule.tested for rule in RULES) - len(tested)) if rules is QUICK else []
    adjusted = dict(zip(tested, holm([*tested.values(), *others]), strict=False))
    findings = [_finding(items, rule, seen, adjusted.get(rule)) for rule, seen in found.items()]
    return CheckResult(
        items,
        tuple(f for f in findings if _speaks(f)),
        tuple(f for f in findings if not _speaks(f)),
        {rule.name: reason for rule, reason in reasons.items() if reason},
    )


def _chosen(names: Iterable[str] | None) -> list[Rule]:
    known = {rule.name: rule for rule in RULES}
    wanted = list(known if names is None else names)
    for name in wanted:
        if name not in known:
            raise UsageError.unknown("rule", name, known)
    return [rule for rule in RULES if rule.name in wanted]


def _why_not(rule: Rule, items: ItemSet, spoken: str | None) -> str:
    """Why a rule does not apply to a set; "" where it does."""
    if items.kind not in rule.kinds:
        return f"it is not about {items.kind} items"
    if rule.languages and spoken not in (None, *rule.languages):
        return f"it knows no words of the items' language ({spoken})"
    if rule.name == "no_gold" and not items.has_gold:
        # Not one flaw per item: the whole set has no answers, as opinion polls have none.
        return "no item has a right answer"
    return ""


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
        raise UsageError("Items with options of their own cannot be compared with labelled texts.")
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


def _finding(items: ItemSet, rule: Rule, found: RuleHit, p: float | None) -> ItemFinding:
    whole = not items.whole  # who looks at all items of a set has the share itself
    if found.test is not None or found.says or not found.hits or whole:
        return ItemFinding(rule, found, p)
    flawed = {hit.item for hit in found.hits}
    test = share_test(
        (float(item.id in flawed) for item in items),
        [0.0] * len(items),
        [item.cluster or item.id for item in items],
    )
    return ItemFinding(rule, found, p, test.low, test.high)


def _speaks(finding: ItemFinding) -> bool:
    if finding.rule.tested:
        return finding.p_adjusted is not None and finding.p_adjusted < ALPHA
    return finding.count > 0


def sound_rows(result: CheckResult) -> list[dict[str, Any]]:
    """The rows of the items without a fault as they were read, of repeats the first; a row without
    an id gets one."""
    left = (f for f in result.findings if f.rule.weight == "fault" or f.rule.name == "repeated")
    faulty = {hit.item for finding in left for hit in finding.found.hits}
    sound = (item.id for item in result.items if item.id not in faulty)
    return [{"id": id, **result.items.rows[id]} for id in sound]


def check_json(result: CheckResult) -> dict[str, Any]:
    """Everything for machines."""
    items = result.items
    return {
        "dataset": {
            "name": items.name,
            "items": len(items),
            "kind": items.kind,
            "fingerprint": items.fingerprint,
            "notes": list(items.notes),
        },
        "findings": [_finding_json(finding) for finding in result.findings],
        "quiet": [_finding_json(finding) for finding in result.quiet],
        "skipped": dict(result.skipped),
    }


def _finding_json(finding: ItemFinding) -> dict[str, Any]:
    rule, found, test = finding.rule, finding.found, None
    if found.test is not None:
        test = asdict(found.test) | {"p_adjusted": finding.p_adjusted}
        test["p_value"] = test.pop("p")
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
        "test": test,
        "items": [{"id": hit.item, "evidence": hit.evidence} for hit in found.hits],
    }


def sentence(finding: ItemFinding) -> str:
    """What was found, with its number and n, and of a sample of the items with an interval."""
    found, test = finding.found, finding.found.test
    if found.says:
        return found.says
    title = f"{finding.rule.title[:1].upper()}{finding.rule.title[1:]}"
    if test is None:
        said = f"{title}: {some_of(finding.count, found.n, 'item')}"
        return (
            f"{said}."
            if finding.low is None
            else f"{said} ({_interval(finding.low, finding.high)})."
        )
    return (
        f"{title}: right on {percent(test.share, 1)} of the {plural(test.n, 'item')} that have one"
        f" ({_interval(test.low, test.high)}); chance gives {percent(test.expected, 1)}."
    )


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "no interval: one cluster holds all or most of the items"
    return f"95{NARROW}% interval {percent(low, 1)} to {percent(high, 1)}"


def check_text(
    result: CheckResult, shown: int = 3, *, every: bool = False, answered: bool = False
) -> str:
    """The same for people: what was found, the first items of each, and what to do; with `every`,
    also the names of what was not found. `answered`: models' answers are looked at as well."""
    lines = [str(result), *result.items.notes]
    for weight, heading in WEIGHTS.items():
        findings = [f for f in result.findings if f.rule.weight == weight]
        lines += ["", heading] if findings else []
        for finding in sorted(findings, key=_single_cue):
            lines += _finding_text(finding, shown)
    lines.append("")
    for heading, quiet in quiet_kinds(result):
        names = ", ".join(f.rule.name for f in quiet)
        lines.append(f"{heading}: {names if every else plural(len(quiet), 'check')}.")
    reasons: dict[str, list[str]] = {}
    for name, why in result.skipped.items():
        reasons.setdefault(why, []).append(name)
    lines += [
        f"Not looked for: {', '.join(names)} ({why})."
        for why, names in reasons.items()
        if every or not why.startswith("it is not about")
    ]
    if not answered and any(item.gold is not None for item in result.items):
        lines.append(
            "Whether right answers are wrong: --responses FILE, answers of several models."
        )
    lines += [] if every else ["--all names every check."]
    return "\n".join(harmless(line, "") for line in lines)


def _finding_text(finding: ItemFinding, shown: int) -> list[str]:
    hits = finding.found.hits[:shown]
    more = [f"      ... and {finding.count - shown:,} more"] * (finding.count > shown > 0)
    return [
        f"  {sentence(finding)} [{finding.rule.name}]",
        *(f"      {hit.item}: {hit.evidence}" for hit in hits),
        *more,
        f"    -> {finding.rule.advice} ({finding.rule.source})",
    ]


def quiet_kinds(result: CheckResult) -> list[tuple[str, list[ItemFinding]]]:
    """What was not found, by whether it could have been: a heading, and rules in each."""
    headings = (
        "Not found",
        "Too few items to tell",
        "Not applied, with nothing in this set to compare",
    )
    quiet: dict[str, list[ItemFinding]] = {heading: [] for heading in headings}
    for finding in result.quiet:
        found, test = finding.found, finding.found.test
        few = test is not None and (test.high is None or test.high >= test.expected + SEEN)
        quiet[headings[2 if not found.n else few]].append(finding)
    return [(heading, findings) for heading, findings in quiet.items() if findings]


def _single_cue(finding: ItemFinding) -> bool:
    """Whether a cue is found in one item only: true of it, and no news of the set."""
    return finding.rule.weight == "cue" and finding.found.test is None and finding.count == 1


def headlines(result: CheckResult, most: int = 3) -> list[str]:
    """The first lines for other commands: the summary and the heaviest findings."""
    heavy = [f for f in result.findings if f.rule.weight != "style" and not _single_cue(f)]
    lines = [f"check: {summary(result)}"]
    lines += [f"  {sentence(finding)}" for finding in heavy[:most]]
    if len(result.quiet) + len(result.findings) + len(result.skipped) < len(RULES):
        return [*lines, "  These are the quick checks; `horsesense check` makes all."]
    return lines + ["  `horsesense check` lists all findings."] * bool(result.findings)


def summary(result: CheckResult) -> str:
    """One line: how many kinds of findings of each weight."""
    looked = sum(bool(f.found.n) for f in (*result.quiet, *result.findings))
    told = []
    for weight, noun in zip(WEIGHTS, ("fault", "cue", "style flaw"), strict=True):
        findings = [f for f in result.findings if f.rule.weight == weight]
        n = len({hit.item for f in findings for hit in f.found.hits})
        where = f" (in {plural(n, 'item')})" if n else ""
        told += [f"{plural(len(findings), 'kind')} of {noun}{where}"] if findings else []
    return f"{', '.join(told) or 'nothing found'} in {plural(looked, 'check')}."
