"""The headline of a report: the score, what it is made of, and the share known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from horsesense.findings.uncounted import in_some, left_out
from horsesense.measures.base import Estimate
from horsesense.report.behind_score import (
    as_asked,
    caveats,
    first_of_all,
    guessing_of,
    items_of,
    loss_of,
    says_nothing,
    stopped,
    up_to,
)
from horsesense.report.own_numbers import own_numbers
from horsesense.report.text import ShownShare, interval_of, value_of
from horsesense.runs.results import Results
from horsesense.stats.words import NARROW, agreeing, percent, plural, some_of

NAMES: Mapping[str, tuple[str, str]] = {
    "every_form": ("Right in the original and all orders", "in all of these orders"),
    "published_only": ("Right in original, not in all", "the part that depends on the order"),
    "other_forms_only": ("Right only in other orders", "not in the score: luck, or lost by order"),
    "never": ("Right in no order", "wrong in every one of these orders"),
}
PUBLISHED = ("every_form", "published_only")
"""Parts that are right as published."""
NO_SCORE = "There is no score."
"""On a page and in a terminal, in the place of a headline."""
ROOM = 4.0
"""Percent of the axis that a part needs for its share to stand in it."""
BY_LUCK = 0.05
"""Beliefs that may be right by luck, as a share of items, from which words name them."""


@dataclass(frozen=True)
class Segment:
    """One part of the bar.

    Attributes:
        name: as in `measures.composition`; the colour hangs on it.
        start, width: percent of the axis.
        share: its share of the items; None where only bounds are known, which `bounds` has.
        count: its items.
        questionless: how many of its items are right without the question, and of how many.
        strip: percent of the axis that is right without the question.
    """

    name: str
    start: float
    width: float
    share: ShownShare | None
    bounds: str
    count: int
    questionless: tuple[int, int] | None
    strip: float

    @property
    def title(self) -> str:
        return NAMES[self.name][0]

    @property
    def hint(self) -> str:
        return NAMES[self.name][1]

    @property
    def shown(self) -> str:
        return self.bounds if self.share is None else value_of(self.share)

    @property
    def inside(self) -> str:
        """The share as it stands in the bar; "" where there is no room for it."""
        short = "" if self.share is None else percent(self.share.value or 0.0)
        return (
            short if self.width >= 2 * ROOM else short.partition(NARROW)[0] * (self.width >= ROOM)
        )


class Mark(NamedTuple):
    """A row beside the bar, on the same axis; without a share, words alone.

    `means` is what it is or why it is doubtful, `beside` what a paper has, `ends` from where to
    where that reaches.
    """

    title: str
    share: Estimate | ShownShare | None = None
    words: str = ""
    beside: str = ""
    ends: tuple[float, float] | None = None
    means: str = ""


class Bar(NamedTuple):
    """The figure.

    Attributes:
        own: the numbers that the suites of the run are known by, before all others.
        published: the score, above the bar.
        segments: the parts; empty where the orders were not asked.
        marks: below the bar.
        guess: the share that guessing gives; None where it is not known.
        items: how many the bar holds; 0 without parts.
        together: the score of these, where it is not that above; "" where it is, or is not known.
        notes: sentences: what was left out, and what the drawing cannot say.
    """

    own: tuple[Mark, ...]
    published: Mark
    segments: tuple[Segment, ...]
    marks: tuple[Mark, ...]
    guess: float | None
    items: int
    together: str
    notes: tuple[str, ...]

    @property
    def spoken(self) -> str:
        return "; ".join(f"{s.title}: {s.shown}" for s in self.segments)


def headline(run: Results) -> list[str]:
    """One sentence of at most three shares; none without a score.

    Where many replies are lost it begins with that, and where nearly all are it says nothing else.

    The numbers of the run's suites, the score, the share right in every order, and what a finding
    puts in the score's place, else the share known where the fit could be checked.
    """
    score = run.score
    if says_nothing(run):
        return [f"{loss_of(run).words}: this says nothing of what the model knows."]
    if score is None:
        return []
    every, known, block = _parts(run).get("every_form", {}), _known(run), _block(run)
    how = f"{'as graded, ' * bool(up_to(run))}{as_asked(run)}"
    first = [told] if (told := first_of_all(run)) else []
    own = [f"{n.title} {value_of(n.share)}" for n in own_numbers(run)]
    if run.imported:  # beside the log's own score
        how = f"as the replies say{', unclear ones counted as wrong' * bool(up_to(run))}"
    said = [*first, *own, f"{value_of(score)} right {how}"]
    if every.get("value") is not None and not block["bounds_only"]:
        of = f" of {_placed(block):,} items" if _together(run, score) else ""  # of other items
        said.append(f"{percent(every['value'])}{of} in every order")
    if instead := _instead(run):
        said.append(f"{value_of(instead)} by the first token")
    elif known.get("value") is not None and not known["reason"]:
        of = "" if known["n"] == score.n else f" of {known['n']:,} items"
        said.append(f"about {percent(known['value'])}{of} known")
    return [f"{'; '.join(said[: 2 if first else 3])}."]


def spoken(run: Results, *, figure: bool = False) -> list[str]:
    """The same with its count and what stands beside it, for those who see no `figure`."""
    said, score = headline(run), run.score
    if says_nothing(run):
        return [*said, loss_of(run).remedy]
    if not said or score is None:
        return []
    n = plural(score.n, "answer" if run.by_people else "item")
    return [f"{said[0][:-1]} ({n}).", *caveats(run), *_beside(run, figure=figure)]


def score_rows(run: Results) -> list[tuple[str, str, str, str]]:
    """The numbers of the figure for a terminal: what it is, value, interval, and of how many."""
    bar = score_bar(run)
    if bar is None:
        return []
    parts = [Mark(s.title, s.share) for s in bar.segments[:1]]
    known = _known(run).get("n", bar.items)
    rows = [
        (
            f"{mark.title} ({mark.beside})" if mark.beside else mark.title,
            value_of(mark.share),
            interval_of(mark.share),
            f"{mark.share.n if isinstance(mark.share, Estimate) else of:,}",
        )
        for marks, of in (((*bar.own, bar.published, *parts), bar.items), (bar.marks, known))
        for mark in marks
        if mark.share is not None
    ]
    if bar.together:  # before the share that it is to be compared with
        n = f"{_placed(_block(run)):,}"
        same = "Original order, same items", bar.together, "no interval", n
        rows.insert(len(bar.own) + 1, same)
    return rows


def _placed(block: Mapping[str, Any]) -> int:
    """How many items have a part, or bounds."""
    return int(block["items"] - (0 if block["bounds_only"] else block["unclassified"]))


def _instead(run: Results) -> Estimate | None:
    """What a finding puts in the place of the score: how another reader would have it."""
    found = any(f.conclusion == "found" and f.kind == "other_reader" for f in run.verdict)
    other = run.one("accuracy", reader="first_token")
    return other if found and run.reader != "first_token" else None


def _block(run: Results) -> Mapping[str, Any]:
    """The composition by the main reader; empty where there is none."""
    found: Mapping[str, Any] = run.findings.get("composition", {}).get(run.reader, {})
    return found


def _parts(run: Results) -> dict[str, Mapping[str, Any]]:
    return {part["name"]: part for part in _block(run).get("parts", ())}


def _known(run: Results) -> Mapping[str, Any]:
    found: Mapping[str, Any] = run.findings.get("known", {}).get(run.reader, {})
    return found


def _share(part: Mapping[str, Any]) -> ShownShare:
    return ShownShare(part["value"], part["low"], part["high"])


def score_bar(run: Results) -> Bar | None:
    """The figure; None without a score."""
    score = run.score
    if score is None or score.value is None or says_nothing(run):
        return None
    block = _block(run)
    band = f" (brackets: all {items_of(run):,})" if stopped(run, score) else ""
    return Bar(
        tuple(Mark(n.title, n.share, "", n.said, n.ends) for n in own_numbers(run)),
        Mark(as_asked(run).capitalize() + band, score),
        tuple(_segments(run)),
        tuple(_marks(run)),
        guessing_of(run, score) or None,
        _placed(block) if _parts(run) else 0,
        _together(run, score),
        (*_beside(run, figure=True), *_notes(run)),
    )


def _together(run: Results, score: Estimate) -> str:
    """The published score of the items in the bar: its first two parts, where others made it."""
    block, parts = _block(run), _parts(run)
    values = [part["value"] for name, part in parts.items() if name in PUBLISHED]
    same = not parts or _placed(block) == score.n
    return "" if same or block["bounds_only"] or None in values else percent(sum(values))


def _segments(run: Results) -> Iterator[Segment]:
    block, parts, start = _block(run), _parts(run), 0.0
    if not parts:
        return
    only = block["bounds_only"] or any(part["value"] is None for part in parts.values())
    without = {part["name"]: part for part in block["questionless"] or () if part["n"]}
    for name, part in parts.items():
        width = 0.0 if only else 100 * part["value"]
        blind = (without[name]["right"], without[name]["n"]) if name in without else None
        yield Segment(
            name,
            round(start, 3),
            round(width, 3),
            None if only else _share(part),
            _between(part["least"], part["most"]),
            part["count"],
            blind,
            round(width * blind[0] / blind[1], 3) if blind else 0.0,
        )
        start += width


def _between(least: float, most: float) -> str:
    low, high = percent(least), percent(most)
    return low if low == high else f"{low} to {high}"


def _marks(run: Results) -> Iterator[Mark]:
    """The share known, and the share that is right without the question, where it was withheld."""
    if known := _known(run):
        share = None if known["value"] is None else _share(known)
        doubt = "too few items to check it" if known["reason"] and share else ""
        words = "not estimated" if share is None else ""
        yield Mark("Known (estimated)", share, words, means=doubt)
    without = run.one("accuracy", "options_only")
    if without is not None and without.value is not None:
        yield Mark("Right without the question", without)
    elif _not_withheld(run):
        yield Mark("Right without the question", words="not asked")


def _not_withheld(run: Results) -> str:
    """Why the share that is right without the question is not known; "" where it is, or where
    nothing is known of what the score is made of."""
    block = _block(run)
    return "" if block.get("reason") else str(block.get("questionless_reason", ""))


def _beside(run: Results, *, figure: bool) -> Iterator[str]:
    """Sentences about the share known and that without the question; without a figure, with the
    numbers that it shows."""
    known = _known(run)
    if known and known["value"] is None:
        yield f"How much is known cannot be estimated: {known['reason']}."
    elif known:
        share, of = _share(known), ""
        if known["rare"]:
            options = " or ".join(str(fit["k"]) for fit in known["fits"])
            of = f"the {plural(known['n'], 'item')} with {options} options"
        if not figure:
            whom = f", of {of}" if of else ""
            yield (f"Known (estimated): {value_of(share)} {interval_of(share)}{whom}.")
        elif of:
            left = plural(sum(n for _, n in known["rare"]), "other")
            yield f"The share known is estimated from {of}, without the {left}."
        if known["reason"]:
            yield f"The estimate of what is known is doubtful: {known['reason']}."
        if known["value"] - known["lucky"] >= BY_LUCK:
            left = percent(known["lucky"])
            yield f"Wrong beliefs may be right by luck: without them, {left} would be known."
    if why := _not_withheld(run):
        yield f"How many are right without the question is not known: {why}."


def _notes(run: Results) -> Iterator[str]:
    """What the bar leaves out; why there is none stands beside the headline."""
    block = _block(run)
    if not block:
        return
    if reason := block.get("reason"):
        yield f"What the score is made of is not known: {reason}."
        return
    about = block.get("about")
    if about:
        placed, of = _placed(block), plural(about, "item")
        yield f"The parts are of the {placed:,} of {of} asked in every order."
        yield "Their brackets are about all of them, and hold at every look."
        yield "The shares are those so far, which stopping can draw to one side."
    if lost := block["unclassified"]:
        bounds = "; the shares are bounds" if block["bounds_only"] else ""
        why = _unplaced(lost, block.get("mixed", 0), run)
        yield f"{some_of(lost, block['items'], 'item')} could not be placed: {why}{bounds}."
    if told := left_out(run.findings["dataset"]["items"] - items_of(run)):
        yield f"{told}."
    other = items_of(run) - (about or block["items"])
    if other > 0:
        are = "is" if other == 1 else "are"
        yield f"{plural(other, 'item')} could not be reordered and {are} not in the bar."


def _unplaced(lost: int, mixed: int, run: Results) -> str:
    """Why so many items are in no part; `mixed` of them have every reply."""
    may = f"were answered both right and wrong {as_asked(run)}, and may be in either middle part"
    each = [(lost - mixed, in_some(run.lacking, "in some form")), (mixed, may)]
    said = [(n, agreeing(n, why)) for n, why in each if n]
    if len(said) == 1:
        return f"{'it' if lost == 1 else 'they'} {said[0][1]}"
    return ", and ".join(f"{n:,} {why}" for n, why in said)
