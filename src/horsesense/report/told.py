"""The verdict for a page and for a terminal: which findings stand for others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from horsesense.findings.finding import BY_DATA, ORDER, TITLES, Conclusion, Finding
from horsesense.findings.sentences import looks_faulty, sentence, spread, statement, together, why
from horsesense.measures.contrast import REPEAT
from horsesense.report.score_bar import NO_SCORE, spoken
from horsesense.report.sections import in_order
from horsesense.report.text import shown_interval
from horsesense.runs.results import Results
from horsesense.stats.words import percent, plural

ALWAYS = "no_better_than_guessing"
"""The kind that a terminal is told of whatever it shows: every other question rests on it."""


class Told(NamedTuple):
    """A finding, and others that its sentence stands for."""

    finding: Finding
    others: list[Finding]

    def speaks_for(self, f: Finding) -> bool:
        """Whether its sentence stands for another finding: one that is open for the same cause, or
        one of its kind with the same reason."""
        here, there = (
            (why(one) if one.reason not in BY_DATA else (one.kind, one.reason), one.measured)
            for one in (f, self.finding)
        )
        return here == there

    @property
    def sentence(self) -> str:
        """What is said of it, or of all that one cause keeps open."""
        if self.finding.reason in BY_DATA:
            return sentence(self.finding)
        return together([self.finding, *self.others])

    @property
    def more(self) -> str:
        """How many others there are, in words; "" for none, or where its sentence names them."""
        n = len(self.others)
        if not n or self.finding.reason not in BY_DATA:
            return ""
        return f" The same goes for {plural(n, 'other form')}."


def told_of(results: Results) -> list[tuple[Conclusion, str, list[Told]]]:
    """Conclusion, heading and findings of each conclusion that has any.

    What is found is told one by one; of the rest, the strongest of a kind speaks for it, and what
    one cause keeps open is one sentence.
    """
    groups: dict[Conclusion, list[Told]] = {conclusion: [] for conclusion in ORDER}
    for f in results.verdict:
        group = groups[f.conclusion]
        told = next((t for t in group if f.conclusion != "found" and t.speaks_for(f)), None)
        if told is None:
            group.append(Told(f, []))
        else:
            told.others.append(f)
    return [(name, TITLES[name], told) for name, told in groups.items() if told]


def _line(conclusion: Conclusion, text: str) -> str:
    """What is said of a finding behind its conclusion, which it need not say again."""
    said = re.sub(r":? undecided(?= \(|[;.])", "", text, count=1)
    return f"[{TITLES[conclusion].lower()}] {said}"


def verdict_of(results: Results) -> list[str]:
    """The sentences at the top of the report, in the report's order."""
    said = [
        _line(conclusion, f"{told.sentence}{told.more}")
        for conclusion, _, group in told_of(results)
        for told in group
    ]
    return [*(spoken(results) or [NO_SCORE]), *said, *notices_of(results)]


def _lines(results: Results) -> Iterator[tuple[str, int]]:
    """The findings for a terminal, each with the number of checks that it tells of."""
    for conclusion, _, group in told_of(results):
        folded: list[Finding] = []
        for told in group:
            f = told.finding
            each = [f, *told.others]
            if conclusion != "undecided":
                said = filter(None, (statement(f, short=True), spread(f), shown_interval(f)))
                yield _line(conclusion, f"{'; '.join(said)}.{told.more}"), len(each)
            elif any(o.kind == ALWAYS for o in each) or looks_faulty(f):
                yield _line(conclusion, f"{told.sentence}{told.more}"), len(each)
            else:
                folded += each
        if folded:
            yield _line(conclusion, _open(folded)), len(folded)


def in_brief(results: Results, most: int | None = None, *, table: bool = False) -> list[str]:
    """The same for a terminal: with intervals; what is open without a sign of it is one line.

    Args:
        results: a measured run.
        most: so many findings at most; a line counts the others.
        table: whether the numbers of the headline's figure stand in a table beside it.
    """
    lines = list(_lines(results))
    kept = [line for line, _ in lines[:most]]
    if rest := sum(checks for _, checks in lines[len(kept) :]):
        kept.append(f"{plural(rest, 'more check')} in the report.")
    return [*(spoken(results, figure=table) or [NO_SCORE]), *kept, *notices_of(results)]


def _open(findings: list[Finding]) -> str:
    """Questions that the items leave open without a sign of a fault, in one sentence."""
    if len(findings) == 1:
        return sentence(findings[0])
    n, numbers = len(findings), [f.needed for f in findings if f.needed]
    said = f"{plural(n, 'more question')}, without a sign of a fault"
    if numbers:
        those = "them" if len(numbers) == n else f"{len(numbers)} of them"
        said += f"; some {plural(max(numbers), 'item')} would settle {those}"
    if unmeasured := sum(not f.measured for f in findings):
        said += f"; {unmeasured} could not be measured"
    return f"{said}."


def as_rows(results: Results) -> dict[str, Any]:
    """The same as data: every finding with its numbers, and the sentences that are about none."""
    said = spoken(results)
    return {
        "headline": " ".join(said[:1]),
        "verdict": [{**f.as_json(), "sentence": sentence(f)} for f in results.verdict],
        "notices": [*said[1:], *notices_of(results)],
        "nothing_to_judge": why_silent(results),
    }


def in_short(results: Results, most: int = 3) -> tuple[list[str], int]:
    """The first lines of a run among several, with all that was found; how many checks are left."""
    said, found = spoken(results) or [NO_SCORE], _line("found", "")
    lines = [*((line, 0) for line in said), *_lines(results)]
    lines += [(notice, 0) for notice in notices_of(results)]
    left = [pair for pair in lines[most:] if not pair[0].startswith(found)]
    return [line for line, n in lines if (line, n) not in left], sum(n for _, n in left)


def notices_of(results: Results) -> list[str]:
    """What a reader of the verdict must know beside it; first, why there is none."""
    silent = why_silent(results)
    found = [] if silent is None else [f"There is nothing to judge: {silent}."]
    measured = [f for f in results.verdict if f.measured]
    # A position that few items have says nothing of the others.
    few = [f for f in measured if f.about == "these_items" and not f.group]
    if few:
        dataset = results.findings["dataset"]
        found.append(_few(few, measured, dataset["items"], dataset["clusters"]))
    found += _unrepeated(results)
    return [*found, *(text for section in in_order() for text in section.notices(results))]


def _unrepeated(run: Results) -> Iterator[str]:
    """That changed answers are not judged where nothing says how many change by themselves."""
    kept = {probe["name"]: probe["invariant"] == "same_answer" for probe in run.asked}
    changed = run.everywhere("answer_change_rate")
    moved = [e.value for e in changed if e.value and kept.get(e.probe)]
    if moved and not run.imported and REPEAT not in kept:
        yield (
            f"Answers change in up to {percent(max(moved))} of items. The probe {REPEAT} tells how"
            " many change by themselves; it was not asked, so this is not judged."
        )


def _few(few: list[Finding], of: list[Finding], items: int, clusters: int) -> str:
    """That so few independent items, of all, allow no verdict on others; under which form, if not
    under all."""
    units, forms = max(f.units for f in few), list(dict.fromkeys(f.label for f in few))
    if clusters < items and units >= clusters:
        return (
            f"The {plural(items, 'item')} come from {plural(clusters, 'text')}: too few for a"
            " verdict on other items."
        )
    others = f" and {plural(len(forms) - 1, 'other form')}" if len(forms) > 1 else ""
    where = f"Under “{forms[0]}”{others}, " if len(few) < len(of) else ""
    are = "is" if units == 1 else "are"
    apart = "independent " * (clusters < items)
    return (
        f"{where}{plural(units, f'{apart}item')} {are} too few for a verdict on others like them."
    )


def why_silent(run: Results) -> str | None:
    """Why a run has no verdict; None where it has one."""
    if run.verdict and run.readers:
        return None
    if not run.readers:
        unasked = sum(run.never_asked(probe["name"]) for probe in run.asked)
        return (
            "nothing was asked" if unasked == run.findings["trials"] else "no reply could be read"
        )
    if not run.findings["dataset"]["with_gold"] and not run.all("position_preference", "order"):
        return "no item has a known right answer, and no orders were compared"
    return "no probe that applies has enough replies"
