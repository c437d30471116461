"""The one place where a finding becomes words, for the page, the terminal and data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from horsesense.findings.evidence import badness
from horsesense.findings.finding import Finding
from horsesense.findings.kinds import BY_NAME
from horsesense.findings.wording import against, in_points, plus, signed
from horsesense.stats.words import plural, some_of
from horsesense.trials.condition import Condition

WHY: Mapping[str, str] = {
    "noise": "",
    "few_clusters": "too few independent items for a verdict on others",
    "many_questions": "evidence of a fault, but too weak once corrected for all checks",
    "drawn_anew": "replies drawn anew from all to an item may differ as much",
    "missing": "the result depends on the missing replies",
    "silent": "many replies choose no option",
    "at_chance": "not testable unless the score is better than guessing",
    "unread": "not testable: most replies choose no option",
    "lost": "",
    "never_differs": "asking again never differs; add the probe order, to compare with two orders",
    "impossible": "no value can lie so far from guessing",
    "first_items": "asking stopped after the first items",
    "stopped": "asking stopped early",
    "budget": "the budget ended asking",
    "interrupted": "asking was interrupted",
    "failures": "asking ended early, with failed requests",
    "alarm": "asking stopped, since too many replies were lost",
    "unmeasured": "",
}
"""Reasons in words, by `Finding.reason`; of those without any, numbers or `Finding.detail` tell."""
PERHAPS = ": perhaps position preference"
MOST_NAMED = 4
"""Forms that a sentence names; data have all."""
MOST_LOST = 0.05
"""Share of what is missing above which a sentence counts it."""


def words(f: Finding) -> dict[str, str]:
    """What the templates of a kind may name."""
    value = f.value or 0.0
    wide = f.ends is None or f.ends[1] - f.ends[0] > 0.02
    shown, null = against(value, f.null, 0 if wide or value in (0, 1) else 1)
    difference = BY_NAME[f.kind].null == 0
    return {
        "value": shown,
        "null": null,
        "size": in_points(f.size),
        "change": in_points(value, signed=True, beside=f.size),
        "distance": in_points(abs(value), beside=f.size),
        "moves": "rises" if value > 0 else "falls",
        "compared": "higher" if value > 0 else "lower",
        "label": f.label,
        "reader": f.label,
        "group": f.group,
        "noise": "between two orders" if f.beside else "by asking again",
        "ends": between(f, difference) and f", {between(f, difference)}",
    }


def between(f: Finding, difference: bool) -> str:
    """The interval in words: "between −9 and +23"; "" where there is none."""
    if f.ends is None or f.ends[0] == f.ends[1]:
        return ""
    if difference:
        low, high = (plus(signed(100 * end, 0)) for end in f.ends)
    else:
        low, high = (against(end, f.null, 0)[0] for end in f.ends)
    return f"between {low} and {high}"


def why(f: Finding) -> str:
    """Why it is undecided, in words; "" where its numbers say so."""
    return "; ".join(filter(None, (WHY.get(f.reason, ""), f.detail)))


def statement(f: Finding, *, short: bool = False) -> str:
    """What is said of it, without a full stop and without what stands beside it; `short` where
    its interval does."""
    kind = BY_NAME[f.kind]
    if not f.measured or f.value is None:
        title = kind.title[:1].lower() + kind.title[1:]
        return f"{f.label}, {title}: undecided" if f.label else f"{kind.title}: undecided"
    template = {"found": kind.short if short else kind.found, "ruled_out": kind.ruled_out}
    named = {**words(f), "ends": ""} if short else words(f)
    return template.get(f.conclusion, kind.undecided).format_map(named)


def sentence(f: Finding) -> str:
    """All that is said of it: the statement, why, what is missing and what would settle it."""
    parts = [statement(f), why(f), spread(f)]
    if f.n_missing > MOST_LOST * (f.n + f.n_missing) and f.measured:
        parts.append(
            some_of(f.n_missing, f.n + f.n_missing, f.counted[:-1], "have no usable reply")
        )
    if f.needed and f.reason == "noise":
        parts.append(f"some {plural(f.needed, 'item')} would settle it")
    return f"{'; '.join(filter(None, parts))}."


def spread(f: Finding) -> str:
    """In how many of several forms it is found, and in which, where the statement does not say so.

    A fault seen in one form alone may be the form's: "none of these" that stands last is also
    missed by a model that prefers first positions.
    """
    if not f.found_in or f.forms < 2:
        return ""
    said = f.found_in == 1 and "{label}" in BY_NAME[f.kind].short
    forms = () if said else f.found_apart or f.found_forms
    others = f" and {len(forms) - MOST_NAMED} more" if len(forms) > MOST_NAMED else ""
    named = f" ({'; '.join(forms[:MOST_NAMED])}{others})" if forms else ""
    last = Condition.parse(f.condition).get("place") == "last"
    perhaps = f.kind == "none_option" and f.found_in == 1 and last
    return f"found in {f.found_in} of {f.forms} forms{named}{PERHAPS * perhaps}"


def together(findings: Sequence[Finding]) -> str:
    """One sentence for findings that one reason keeps open."""
    if len(findings) == 1:
        return sentence(findings[0])
    titles = [BY_NAME[f.kind].title for f in findings]
    named = "; ".join(title[:1].lower() + title[1:] for title in dict.fromkeys(titles))
    reason = why(findings[0]) or "too few items"
    return f"{reason[:1].upper()}{reason[1:]}: {named}."


def looks_faulty(f: Finding) -> bool:
    """Whether its own test finds a fault, or the value lies so far on that side that it matters."""
    if f.value is None or not f.measured:
        return False
    if f.reason in ("many_questions", "drawn_anew"):
        return True
    way = BY_NAME[f.kind].way
    return f.value <= f.null if way == "lacks" else badness(f.value, way, f.null) >= f.size
