"""The items of a report: which part of the score each belongs to, and filters without a script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from horsesense.items.item import Item
from horsesense.report.examples import Choice
from horsesense.report.reasons import Reason
from horsesense.report.score_bar import NAMES

MOST_SUBJECTS = 40
"""Subjects that have a filter of their own, the most frequent."""
OTHER = "other"
"""The shelf of items that belong to no part of the score."""


@dataclass(frozen=True)
class Filter:
    """A radio button: its element's id, its words, and how many items it leaves."""

    id: str
    name: str
    count: int


class Filters(NamedTuple):
    """The filters of a page.

    Attributes:
        reasons, subjects: the buttons; the first of each shows all. Subjects are empty where there
            is only one.
        css: the rules that make them work.
        by_reason: the id of the filter of each reason.
    """

    reasons: tuple[Filter, ...]
    subjects: tuple[Filter, ...]
    css: Markup
    by_reason: Mapping[str, str]

    @classmethod
    def of(
        cls, shown: Sequence[Item], every: Sequence[Item], choice: Choice, reasons: Sequence[Reason]
    ) -> Filters:
        """Filters for the items shown, with the counts among them; ids hang on the run alone."""
        held = Counter(name for item in shown for name in choice.reasons[item.id])
        common = Counter(item.subject for item in every if item.subject).most_common(MOST_SUBJECTS)
        here = Counter(item.subject for item in shown)
        by_reason = [
            Filter(f"reason-{n}", reason.name, held[reason.name])
            for n, reason in enumerate(reasons)
            if held[reason.name]
        ]
        by_subject = [
            Filter(f"subject-{n}", name, here[name])
            for n, (name, _) in enumerate(common)
            if len(common) > 1 and here[name]
        ]
        return cls(
            (Filter("reason-all", "all", len(shown)), *by_reason),
            (Filter("subject-all", "all", len(shown)), *by_subject) if by_subject else (),
            Markup("".join(_rules([f.id for f in (*by_reason, *by_subject)]))),
            {f.name: f.id for f in by_reason},
        )

    def classes(self, item: Item, reasons: Sequence[str]) -> str:
        """The classes of an item: one for each filter that leaves it."""
        held = [self.by_reason[name] for name in reasons if name in self.by_reason]
        held += [f.id for f in self.subjects[1:] if f.name == item.subject]
        return " ".join(f"in-{name}" for name in held)


def _rules(ids: Sequence[str]) -> Iterator[str]:
    for name in ids:
        yield f".browser:has(#{name}:checked) .item:not(.in-{name}){{display:none}}\n"


class Shelf(NamedTuple):
    """The items of one part of the score.

    Attributes:
        name: as in `measures.composition`, or `OTHER`; title: in words, "" without parts.
        of: items of the run that belong here.
        views: those shown, as HTML.
    """

    name: str
    title: str
    of: int
    views: tuple[Markup, ...]


def shelves(choice: Choice, shown: Mapping[str, Markup]) -> list[Shelf]:
    """The items shown by part of the score, parts in the order of what is to be looked at first."""
    part = choice.evidence.part
    if not part:
        return [Shelf(OTHER, "", choice.total, tuple(shown.values()))]
    order = ("published_only", "other_forms_only", "never", "every_form", OTHER)
    total = Counter(part.get(item_id, OTHER) for item_id in choice.evidence.ids)
    titles = {**{name: title for name, (title, _) in NAMES.items()}, OTHER: "In no part"}
    made = (
        Shelf(
            name,
            titles[name],
            total[name],
            tuple(html for item_id, html in shown.items() if part.get(item_id, OTHER) == name),
        )
        for name in order
    )
    return [shelf for shelf in made if shelf.views]
