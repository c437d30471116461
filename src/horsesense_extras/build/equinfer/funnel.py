"""What becomes of every equation, counted stage by stage beside the published counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

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

COUNTED: Final = {
    "papers": "papers",
    "papers_kept": "papers with a usable equation",
    "equations": "display equations",
    "usable": "usable equations",
    "drawn": "drawn, at most {per_paper} of a paper",
    "with_wrong_options": "with three wrong options",
    "before_review": "a judge is fooled at least once",
}
"""What is counted after each stage -> how the table calls it."""
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
    """A display equation on its way.

    Attributes:
        id: of the paper, and its number in it, from 1.
        paper, document: where it stands.
        start, end: its span in the text of the document.
        latex: what it says, on one line, without label and final punctuation.
        left, right: the two sides of its equals sign; empty where it cannot become a question.
        relation: the sign between.
        before, after: text around it, of the most words that are ever shown.
        stage, reason: where and why it was dropped; None while it is kept.
        wrong: full wrong equations.
        made_by: who wrote them.
        refused: reason -> suggestions of the model that were refused.
        fooled: of the wrong ones, how many the judge took for sound; None without a judge.
    """

    id: str
    paper: str
    document: str
    start: int
    end: int
    latex: str = ""
    left: str = ""
    relation: str = "="
    right: str = ""
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
        names = ("id", "paper", "document", "kept", "stage", "reason", "latex", "made_by")
        told = {name: getattr(self, name) for name in names}
        return told | {"refused": dict(self.refused.most_common())}


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

    def as_json(self) -> dict[str, Any]:
        """Counts after each stage, what was dropped and why, and what was left out."""
        fates = list(self.fates())
        past = [len(fates)]
        dropped = {}
        for stage in STAGES:
            reasons = Counter(fate.reason for fate in fates if fate.stage == stage)
            past.append(past[-1] - reasons.total())
            if reasons:
                dropped[stage] = dict(reasons.most_common())
        usable = sum(any(f.stage != "filter" for f in paper.equations) for paper in self.papers)
        papers = Counter(paper.reason for paper in self.papers if paper.reason)
        files = sum((paper.files for paper in self.papers), Counter[str]())
        refused = sum((fate.refused for fate in fates), Counter[str]())
        counts = (len(self.papers), usable, *past)
        return {
            "counts": dict(zip(COUNTED, counts, strict=False)),
            "published": dict(PUBLISHED),
            "per_paper": self.per_paper,
            "judged": self.judged,
            "dropped": dropped,
            "papers_dropped": dict(papers.most_common()),
            "files": dict(files.most_common()),
            "suggestions_refused": dict(refused.most_common()),
        }


def table(found: Mapping[str, Any], reviewed: int | None = None) -> list[str]:
    """The lines of what `Funnel.as_json` gives.

    Args:
        reviewed: items after people looked at them; None where none have.
    """
    rows = {name: text.format(**found) for name, text in COUNTED.items()}
    if not found["judged"]:
        del rows["before_review"]
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
