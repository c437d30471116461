"""The headline of a report: the score, what it is made of, and the share known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from horsesense.findings.uncounted import in_some, left_out
from horsesense.findings.wording import chance_text, number, signed
from horsesense.measures.base import Estimate
from horsesense.report.behind_score import (
    TOO_FEW_TO,
    as_asked,
    guessing_of,
    items_of,
    lost_replies,
    may_be_guessing,
    of_these,
    stopped,
)
from horsesense.report.text import interval_of, value_of
from horsesense.runs.results import Results
from horsesense.stats.words import NARROW, agreeing, percent, plural, some_of

NAMES: Mapping[str, tuple[str, str]] = {
    "every_form": ("Right in every order", "as published and in every other order"),
    "published_only": (
        "Right as published, not in all",
        "the part of the score that depends on order",
    ),
    "other_forms_only": (
        "Right only in other orders",
        "not in the score: luck, or lost by order",
    ),
    "never": ("Right in no order", "wrong in every one of these orders"),
}
PUBLISHED = ("every_form", "published_only")
"""Parts that are right as published."""
NO_SCORE = "There is no score."
"""On a page and in a terminal, in the place of a headline."""
ROOM = 4.0
"""Percent of the axis that a part needs for its share to stand in it."""
BY_LUCK = 0.05
"""Beliefs that may be right by luck, as a share of items, from which the headline names them."""


@dataclass(frozen=True)
class Segment:
    """One part of the bar; texts are ready to be shown.

    Attributes:
        name: as in `measures.composition`; the colour hangs on it.
        title, hint: in words.
        start, width: percent of the axis.
        share, interval, count, questionless: texts; "" where there is none.
        inside: the share as it stands in the bar; "" where there is no room for it.
        strip: percent of the axis that is right without the question.
    """

    name: str
    title: str
    hint: str
    start: float
    width: float
    share: str
    interval: str
    count: str
    questionless: str
    inside: str
    strip: float


@dataclass(frozen=True)
class Mark:
    """A row beside the bar, on the same axis; without a value, words alone.

    Attributes:
        title, number, interval, words: texts; "" where there is none.
        low, value, high: percent of the axis; None where there is no number.
    """

    title: str
    number: str = ""
    interval: str = ""
    words: str = ""
    low: float | None = None
    value: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Bar:
    """The figure.

    Attributes:
        published: the score, above the bar.
        segments: the parts; empty where the orders were not asked.
        marks: below the bar.
        guess: percent of the axis that guessing gives; None where it is not known.
        guess_text: the same in words.
        items: how many the bar holds.
        together: the score of these, where it is not that above; "" where it is, or is not known.
        notes: what was left out, and what the drawing cannot say.
        spoken: the bar in words.
    """

    published: Mark
    segments: tuple[Segment, ...]
    marks: tuple[Mark, ...]
    guess: float | None
    guess_text: str
    items: str
    together: str
    notes: tuple[str, ...]
    spoken: str


def headline(run: Results) -> list[str]:
    """One sentence; none without a score.

    The score as published, and whether it may be guessing; the share right in every order; what a
    finding puts in the score's place; and the share known.
    """
    score = run.one("accuracy")
    if score is None:
        return []
    every, block = _parts(run).get("every_form", {}).get("value"), _block(run)
    some = every is not None and not block["bounds_only"] and bool(block.get("about"))
    of = f" (of {plural(score.n + score.n_missing, 'item')})" if some else ""
    doubt, lost = may_be_guessing(run), lost_replies(run, score)
    if not stopped(run, score):
        said = [f"{value_of(score)} {as_asked(run)}{of_these(run, score) or of}{lost}{doubt}"]
    else:
        # Where a finding doubts the score, its band is of the model, and no other stands beside it.
        band = "" if doubt else f" (all {items_of(run):,}: {interval_of(score)})"
        of = of_these(run, score)
        whom = f"{of}{doubt}" if doubt.startswith(TOO_FEW_TO) else f"{doubt}{of}"
        said = [f"{value_of(score)} {as_asked(run)}{whom}{band}{lost}"]
    if every is not None and not block["bounds_only"]:
        placed = plural(block["items"] - block["unclassified"], "item")
        after = f" (of the {placed} asked in all of them)" if some else ""
        said.append(f"{number(every, 'fraction', 0)} in every order{after}")
    instead, known = _instead(run), _known(run)
    said += instead
    if known and known["value"] is not None and not instead:
        said.append(_told_known(known))
    return [" ".join(filter(None, ("; ".join(said) + ".", _no_parts(run))))]


def _no_parts(run: Results) -> str:
    """Why nothing is known of what a score is made of, where nothing was to be asked of it."""
    if _block(run) or run.imported or run.by_people:
        return ""
    asked = {probe["name"] for probe in run.asked}
    if "order" not in asked and run.findings.get("dataset", {}).get("kind") == "label":
        return ""  # there are no options to order
    why = "the answers are class names, and it is told of options with letters"
    if "order" not in asked:
        never = "" if "options_only" in asked else ", and never without the question"
        why = f"the items were asked in one order alone{never}"
    return f"What the score is made of is not known: {why}."


def spoken(run: Results) -> list[str]:
    """The same for those who see no figure: with its count, and what the figure alone names."""
    said, known, score = headline(run), _known(run), run.one("accuracy")
    if not said or score is None:
        return []
    if not (score.n_missing or of_these(run, score)) and "(of " not in said[0].partition(";")[0]:
        shown, noun = f"{value_of(score)} {as_asked(run)}", "answer" if run.by_people else "item"
        said[0] = said[0].replace(shown, f"{shown} ({plural(score.n, noun)})", 1)
    if known and known["value"] is not None and _instead(run):
        share = _told_known(known)
        said.append(f"{share[0].upper()}{share[1:]}.")
    if known and known["value"] is None:
        said.append(f"The share known cannot be told: {known['reason']}.")
    if why := _not_withheld(run):
        said.append(f"How many are right without the question is not known: {why}.")
    return said


def _not_withheld(run: Results) -> str:
    """Why the share that is right without the question is not known; "" where it is, or where
    nothing is known of what the score is made of."""
    block = _block(run)
    return "" if block.get("reason") else str(block.get("questionless_reason", ""))


def _told_known(known: Mapping[str, Any]) -> str:
    """The share known as the headline has it, with what a reader must not miss."""
    whose = f" ({options_of(known)})" if known["rare"] else ""
    share = f"an estimated {_share(known)} {_interval(known)}".rstrip()
    # Orders cannot tell the two apart.
    said = f"{share} known{whose} or found by comparing options"
    if known["value"] - known["lucky"] >= BY_LUCK:
        said += f", {_without_luck(known)}"
    return f"{said}, but {known['reason']}" if known["reason"] else said


def _without_luck(known: Mapping[str, Any]) -> str:
    return f"{percent(known['lucky'])} without beliefs that are right by luck"


def _instead(run: Results) -> list[str]:
    """What a finding puts in the place of the score: how another reader would have it."""
    found = [f for f in run.verdict if f.conclusion == "found" and f.kind == "other_reader"]
    if not found or (other := run.one("accuracy", reader="first_token")) is None:
        return []
    return [f"{value_of(other)} by the first token"] if run.reader != "first_token" else []


def _block(run: Results) -> Mapping[str, Any]:
    """The composition by the main reader; empty where there is none."""
    found: Mapping[str, Any] = run.findings.get("composition", {}).get(run.reader, {})
    return found


def _parts(run: Results) -> dict[str, Mapping[str, Any]]:
    return {part["name"]: part for part in _block(run).get("parts", ())}


def _known(run: Results) -> Mapping[str, Any]:
    found: Mapping[str, Any] = run.findings.get("known", {}).get(run.reader, {})
    return found


def score_bar(run: Results) -> Bar | None:
    """The figure; None without a score."""
    score = run.one("accuracy")
    if score is None or score.value is None:
        return None
    block, parts = _block(run), _parts(run)
    segments = tuple(_segments(run))
    band = f" (brackets: all {items_of(run):,})" if stopped(run, score) else ""
    title = as_asked(run).capitalize() + of_these(run, score) + band
    published = Mark(title, value_of(score), interval_of(score), "", *_ends(score))
    guess = guessing_of(run, score) or None
    return Bar(
        published,
        segments,
        tuple(_marks(run)),
        None if guess is None else round(100 * guess, 3),
        "" if guess is None else chance_text(guess),
        f"{block['items']:,}" if parts else "",
        _together(run, score),
        tuple(_notes(run, score)),
        "; ".join(f"{s.title}: {s.share}" for s in segments),
    )


def _together(run: Results, score: Estimate) -> str:
    """The published score of the items in the bar: its first two parts, where others made it."""
    block, parts = _block(run), _parts(run)
    values = [part["value"] for name, part in parts.items() if name in PUBLISHED]
    same = not parts or block["items"] - block["unclassified"] == score.n
    if same or block["bounds_only"] or None in values:
        return ""
    return percent(sum(values))


def _segments(run: Results) -> Iterator[Segment]:
    block, parts, start = _block(run), _parts(run), 0.0
    if not parts:
        return
    only = block["bounds_only"] or any(part["value"] is None for part in parts.values())
    without = {part["name"]: part for part in block["questionless"] or ()}
    for name, part in parts.items():
        width = 0.0 if only else 100 * part["value"]
        yield _segment(part, start, width, without.get(name), only)
        start += width


def _notes(run: Results, score: Estimate) -> Iterator[str]:
    block = _block(run)
    if not block:
        return  # why there is none is in the headline
    if reason := block.get("reason"):
        yield f"What the score is made of cannot be told: {reason}."
        return
    about = block.get("about")
    if about:
        placed = block["items"] - block["unclassified"]
        yield (
            f"The parts are of the {placed:,} of {plural(about, 'item')} that were asked in"
            " every order. Brackets are about all of them, and hold at every look; the shares are"
            " those so far, which stopping can draw to one side."
        )
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


def _segment(
    part: Mapping[str, Any],
    start: float,
    width: float,
    without: Mapping[str, Any] | None,
    only_bounds: bool,
) -> Segment:
    if only_bounds:
        share, interval = f"{percent(part['least'])} to {percent(part['most'])}", ""
    else:
        share, interval = _share(part), _interval(part)
    blind = without is not None and without["n"] > 0
    strip = width * without["right"] / without["n"] if blind and without else 0.0
    title, hint = NAMES[part["name"]]
    short = share if only_bounds else percent(part["value"])
    inside = short if width >= 2 * ROOM else short.partition(NARROW)[0] if width >= ROOM else ""
    return Segment(
        part["name"],
        title,
        hint,
        round(start, 3),
        round(width, 3),
        share,
        interval,
        f"{part['count']:,}",
        _counted(without) if blind and without else "",
        inside,
        round(strip, 3),
    )


def _counted(part: Mapping[str, Any]) -> str:
    """A count of a part's items: a share of a few items would pose as an estimate."""
    return f"{part['right']:,} of {part['n']:,}"


def _share(part: Mapping[str, Any]) -> str:
    """A share with the digits of its interval; 0 and 1 have none."""
    value: float = part["value"]
    return number(value, "fraction", 0 if value in (0, 1) else _digits(part))


def _digits(part: Mapping[str, Any]) -> int:
    """Whole percents, or enough digits that an interval does not look like a point."""
    if part["low"] is None:
        return 0
    ends = part["low"], part["high"]
    texts = ({signed(100 * end, digits) for end in ends} for digits in range(4))
    alike = next((n for n, text in enumerate(texts) if len(text) > 1), 0)
    return max(alike, 1) if part["high"] - part["low"] < 0.02 else alike


def _interval(part: Mapping[str, Any]) -> str:
    if part["low"] is None:
        return ""
    low, high = (signed(100 * part[end], _digits(part)) for end in ("low", "high"))
    return f"[{low}, {high}]"


def _marks(run: Results) -> Iterator[Mark]:
    """The share known, and the share that is right without the question, where it was withheld."""
    if known := _known(run):
        yield _known_mark(known)
    title, without = "Right without the question", run.one("accuracy", "options_only")
    if without is not None and without.value is not None:
        yield Mark(title, value_of(without), interval_of(without), "", *_ends(without))
    elif why := _not_withheld(run):
        yield Mark(title, words=f"not known: {why}")


def _ends(e: Estimate) -> tuple[float | None, ...]:
    return tuple(None if end is None else round(100 * end, 3) for end in (e.low, e.value, e.high))


def _axis(part: Mapping[str, Any]) -> tuple[float | None, ...]:
    return tuple(
        None if part[name] is None else round(100 * part[name], 3)
        for name in ("low", "value", "high")
    )


def _known_mark(known: Mapping[str, Any]) -> Mark:
    """Where the fit is refused, words stand there."""
    title = "Known (estimated)"
    if known["value"] is None:
        return Mark(title, words=f"cannot be told: {known['reason']}")
    words = [known["reason"]] if known["reason"] else []
    if percent(known["lucky"]) != percent(known["value"]):
        words.append(_without_luck(known))
    if known["rare"]:
        left = plural(sum(n for _, n in known["rare"]), "other")
        words.append(f"of the {options_of(known)}; the {left} cannot be told")
    return Mark(title, _share(known), _interval(known), "; ".join(words), *_axis(known))


def options_of(known: Mapping[str, Any]) -> str:
    """The items that the share known is about: "52 items with 4 options"."""
    options = " or ".join(str(fit["k"]) for fit in known["fits"])
    return f"{plural(known['n'], 'item')} with {options} options"
