"""What becomes of every equation, counted stage by stage beside the published counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from horsesense_extras.build.equinfer.equations import Equation

Stage = Literal["filter", "draw", "generate", "judge", "review"]
STAGES: Final[Mapping[Stage, str]] = MappingProxyType(
    {
        "filter": "not fit for a question",
        "draw": "not drawn",
        "generate": "without three wrong options",
        "judge": "dropped by the judge",
        "review": "dropped by people",
    }
)
"""Stage at which an equation can be dropped -> what is said of it."""

PUBLISHED: Final[Mapping[str, int]] = MappingProxyType(
    {
        "papers": 4951,
        "papers_kept": 1449,
        "drawn": 3877,
        "before_review": 1449,
        "after_review": 1049,
    }
)
"""Know-No's counts (section on the construction of EquInfer); 1,449 is printed for two of them."""


@dataclass
class Fate:
    """An equation on its way.

    Attributes:
        equation: what it is about.
        before, after: text around it, of the most words that are ever shown.
        stage, reason: where and why it was dropped; None while it is kept.
        wrong: full wrong equations.
        made_by: who wrote them.
        refused: reason -> suggestions of the model that were refused.
        fooled: of the wrong ones, how many the judge took for sound; None without a judge.
    """

    equation: Equation
    before: str = ""
    after: str = ""
    stage: Stage | None = None
    reason: str | None = None
    wrong: list[str] = field(default_factory=list)
    made_by: str = ""
    refused: Counter[str] = field(default_factory=Counter)
    fooled: int | None = None

    @property
    def kept(self) -> bool:
        return self.reason is None

    def drop(self, stage: Stage, reason: str) -> None:
        """Say at which stage and why it is dropped."""
        self.stage, self.reason = stage, reason

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.equation.id,
            "paper": self.equation.paper,
            "document": self.equation.document,
            "kept": self.kept,
            "stage": self.stage,
            "reason": self.reason,
            "latex": self.equation.latex,
            "made_by": self.made_by,
            "refused": dict(self.refused.most_common()),
        }


@dataclass
class PaperFate:
    """A paper and its equations.

    Attributes:
        name: of the paper.
        documents: main files.
        reason: why no equation was looked for; None where they were.
        files: why files were not read or not found -> how many.
        equations: all that were found.
    """

    name: str
    documents: list[str] = field(default_factory=list)
    reason: str | None = None
    files: Counter[str] = field(default_factory=Counter)
    equations: list[Fate] = field(default_factory=list)

    @property
    def usable(self) -> bool:
        """Whether it has an equation that fits."""
        return any(fate.stage != "filter" for fate in self.equations)


@dataclass
class Funnel:
    """All papers, in the order of their names."""

    papers: list[PaperFate] = field(default_factory=list)
    per_paper: int = 3
    judged: bool = False

    def fates(self) -> Iterator[Fate]:
        """Every equation that was found."""
        return (fate for paper in self.papers for fate in paper.equations)

    def kept(self) -> list[Fate]:
        return [fate for fate in self.fates() if fate.kept]

    def counts(self) -> dict[str, int]:
        """Papers and equations that are left after each stage."""
        fates = list(self.fates())
        past: dict[Stage, int] = {}
        left = len(fates)
        for stage in STAGES:
            left -= sum(fate.stage == stage for fate in fates)
            past[stage] = left
        return {
            "papers": len(self.papers),
            "papers_kept": sum(paper.usable for paper in self.papers),
            "equations": len(fates),
            "usable": past["filter"],
            "drawn": past["draw"],
            "with_wrong_options": past["generate"],
            "before_review": past["judge"],
        }

    def dropped(self) -> dict[Stage, Counter[str]]:
        """Stage -> reason -> equations."""
        found: dict[Stage, Counter[str]] = {stage: Counter() for stage in STAGES}
        for fate in self.fates():
            if fate.stage is not None and fate.reason is not None:
                found[fate.stage][fate.reason] += 1
        return {stage: reasons for stage, reasons in found.items() if reasons}

    def as_json(self) -> dict[str, Any]:
        papers = Counter(paper.reason for paper in self.papers if paper.reason)
        return {
            "counts": self.counts(),
            "published": dict(PUBLISHED),
            "per_paper": self.per_paper,
            "judged": self.judged,
            "dropped": {s: dict(r.most_common()) for s, r in self.dropped().items()},
            "papers_dropped": dict(papers.most_common()),
            "files": dict(sum((p.files for p in self.papers), Counter[str]()).most_common()),
            "suggestions_refused": dict(
                sum((f.refused for f in self.fates()), Counter[str]()).most_common()
            ),
        }


def table(found: Mapping[str, Any], reviewed: int | None = None) -> list[str]:
    """The lines of what `Funnel.as_json` gives.

    Args:
        reviewed: items after people looked at them; None where none have.
    """
    rows = {
        "papers": "papers",
        "papers_kept": "papers with a usable equation",
        "equations": "display equations",
        "usable": "usable equations",
        "drawn": f"drawn, at most {found['per_paper']} of a paper",
        "with_wrong_options": "with three wrong options",
    }
    if found["judged"]:
        rows["before_review"] = "a judge is fooled at least once"
    published = dict(found["published"])
    last = "before_review" if found["judged"] else "with_wrong_options"
    published[last] = published.pop("before_review")
    lines = [f"{'':34}{'here':>8}{'published':>11}"]
    lines += [_row(text, found["counts"][name], published.get(name)) for name, text in rows.items()]
    lines.append(_row("after review by people", reviewed, published["after_review"]))
    for stage, text in STAGES.items():
        for reason, n in found["dropped"].get(stage, {}).items():
            lines.append(f"  {text}: {n:,} ({reason})")
    titles = {"papers_dropped": "papers without equations", "files": "files left out",
              "suggestions_refused": "suggestions refused"}  # fmt: skip
    for name, text in titles.items():
        lines += [f"  {text}: {n:,} ({reason})" for reason, n in found[name].items()]
    return lines


def _row(text: str, here: int | None, published: int | None) -> str:
    shown = ("-" if n is None else f"{n:,}" for n in (here, published))
    return f"{text:34}{next(shown):>8}{next(shown):>11}"
