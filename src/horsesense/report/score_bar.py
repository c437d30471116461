"""The headline of a report: the score, what it is made of, and the share known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from horsesense.findings.finding import Finding
from horsesense.findings.wording import (
    NARROW,
    between,
    chance_text,
    in_points,
    level_text,
    number,
    plural,
    signed,
    these,
)
from horsesense.measures.base import Estimate
from horsesense.report.text import interval_of, value_of
from horsesense.runs.results import Results

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
        notes: what was left out, and what the drawing cannot say.
        spoken: the bar in words.
    """

    published: Mark
    segments: tuple[Segment, ...]
    marks: tuple[Mark, ...]
    guess: float | None
    guess_text: str
    items: str
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
    lost = f" ({score.n_missing:,} of {score.n + score.n_missing:,} replies missing or unclear)"
    every, block = _parts(run).get("every_form", {}).get("value"), _block(run)
    some = every is not None and not block["bounds_only"] and bool(block.get("about"))
    of = f" (of {plural(score.n + score.n_missing, 'item')})" if some else ""
    asked = f"{as_asked(run)}{_of_these(run, score) or of}"
    said = [f"{value_of(score)} {asked}{lost if score.n_missing else ''}{_may_be_guessing(run)}"]
    if every is not None and not block["bounds_only"]:
        after = f" (of the {plural(block['items'], 'item')} asked in all of them)" if some else ""
        said.append(f"{number(every, 'fraction', 0)} in every order{after}")
    known = _known(run)
    said += _instead(run)
    if known and known["value"] is not None:
        said.append(_told_known(known))
    return [" ".join(filter(None, ("; ".join(said) + ".", _no_parts(run))))]


def _no_parts(run: Results) -> str:
    """Why nothing is known of what a score is made of, where nothing was to be asked of it."""
    if _block(run) or run.imported or run.by_people:
        return ""
    asked = {probe["name"] for probe in run.asked}
    why = "the answers are class names, and it is told of options with letters"
    if "order" not in asked:
        never = "" if "options_only" in asked else ", and never without the question"
        why = f"the items were asked in one order alone{never}"
    return f"What the score is made of is not known: {why}."


def _may_be_guessing(run: Results) -> str:
    """That a score is not shown to be better than guessing, where that cannot be told."""
    judged = (f for f in run.verdict if f.name == "no_better_than_guessing")
    f = next((f for f in judged if f.reader == run.reader and f.measured), None)
    if f is None or f.kind != "cannot_tell":
        return ""
    if f.constant is not None and f.low is not None and f.null < f.low <= f.constant:
        # Which answer that is stands in the finding.
        return f", which one answer to all may explain ({chance_text(f.constant)})"
    if _no_guess(run, f.null):
        return ""
    return f", which may be guessing ({chance_text(f.null)})"


def _no_guess(run: Results, chance: float) -> bool:
    """Whether most replies choose nothing, or more are right in every order than guesses in one."""
    choosing, every = run.one("valid_rate"), run.one("accuracy_hard", "order")
    silent = choosing is not None and choosing.value is not None and choosing.value < 0.5
    return silent or (every is not None and every.low is not None and every.low > chance)


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


def as_asked(run: Results) -> str:
    """What the score is that others are compared with."""
    return "as the log asked" if run.imported else "as published"


def _of_these(run: Results, score: Estimate) -> str:
    """What a score is about whose band says nothing of other items, and how many were asked."""
    if not score.finite:
        return ""
    items, asked = run.findings["dataset"]["with_gold"], score.n + score.n_missing
    after = f" (after {asked:,} of them)" if asked < items else ""
    return f", on {these(items, 'item')} alone{after}"


def _instead(run: Results) -> list[str]:
    """What a finding puts in the place of the score: how another reader would have it."""
    found = [f for f in run.verdict if f.kind == "found" and f.name == "other_reader"]
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
    title = as_asked(run).capitalize() + _of_these(run, score)
    published = Mark(title, value_of(score), interval_of(score), "", *_ends(score))
    guess = score.baseline or None
    return Bar(
        published,
        segments,
        tuple(_marks(run)),
        None if guess is None else round(100 * guess, 3),
        "" if guess is None else chance_text(guess),
        f"{block['items']:,}" if parts else "",
        tuple(_notes(run, score)),
        "; ".join(f"{s.title}: {s.share}" for s in segments),
    )


def _segments(run: Results) -> Iterator[Segment]:
    block, parts, start = _block(run), _parts(run), 0.0
    if not parts:
        return
    only = block["bounds_only"] or any(part["value"] is None for part in parts.values())
    without = {part["name"]: part for part in block["questionless"]}
    for name, part in parts.items():
        width = 0.0 if only else 100 * part["value"]
        yield _segment(part, start, width, without.get(name), only)
        start += width


def _notes(run: Results, score: Estimate) -> Iterator[str]:
    block = _block(run)
    if not block:
        if why := _no_parts(run):
            yield why
        return
    if reason := block.get("reason"):
        yield f"What the score is made of cannot be told: {reason}."
        return
    about = block.get("about")
    if about:
        yield (
            f"The parts are of the {block['items']:,} of {plural(about, 'item')} that were asked in"
            " every order. Brackets are about all of them, and hold at every look; the shares are"
            " those so far, which stopping can draw to one side."
        )
    if lost := block["unclassified"]:
        bounds = ": the shares are bounds" if block["bounds_only"] else ""
        yield (
            f"{plural(lost, 'item')} of {block['items']:,} could not be placed, since a form has "
            f"no answer, or was answered right and wrong{bounds}."
        )
    other = run.findings["dataset"]["items"] - (about or block["items"])
    if other > 0:
        are = "is" if other == 1 else "are"
        yield f"{plural(other, 'item')} could not be reordered and {are} not in the bar."


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


def percent(value: float) -> str:
    return number(value, "fraction", 0)


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
    without = run.one("accuracy", "options_only")
    if without is not None and without.value is not None:
        title = "Right without the question"
        yield Mark(title, value_of(without), interval_of(without), "", *_ends(without))


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


def shown_value(f: Finding) -> str:
    """The value of a finding: a share, or a difference in points."""
    if f.value is None:
        return "–"
    if f.null == 0:
        return (
            in_points(f.value, signed=True, beside=f.size)
            .replace("points", "pts")
            .replace("point", "pt")
        )
    return number(f.value, "fraction", 0 if f.value in (0, 1) or _wide(f) else 1)


def _wide(f: Finding) -> bool:
    return f.low is None or f.high is None or f.high - f.low >= 0.02


def _apart(f: Finding, digits: int) -> int:
    """Enough digits that what is ruled out does not seem to reach the size that matters."""
    limits = [100 * (f.null + sign * f.size) for sign in (-1, 1)]
    ends = [100 * end for end in (f.low, f.high) if end is not None]
    while f.kind == "ruled_out" and digits < 3:
        near = [(e, at) for e in ends for at in limits if e != at]
        if not any(round(e, digits) == round(at, digits) for e, at in near):
            break
        digits += 1
    return digits


def _almost(f: Finding) -> float | None:
    """The size that an end of what is ruled out all but reaches, in percent; None for none."""
    ends = [100 * end for end in (f.low, f.high) if end is not None]
    limits = [100 * (f.null + sign * f.size) for sign in (-1, 1)]
    close = (at for at in limits for e in ends if e != at and abs(e - at) < 0.0005)
    return next((round(at, 3) for at in close if f.kind == "ruled_out"), None)


def shown_interval(f: Finding) -> str:
    """The interval of a finding with its level."""
    if f.low is None or f.high is None:
        return "no interval"
    digits = _apart(f, 0 if _wide(f) else 1)
    ends = between(100 * f.low, 100 * f.high, digits)
    limit = _almost(f)
    if limit is not None:  # no number of digits shows that it is not reached
        low, high = between(100 * f.low, 100 * f.high, 0 if _wide(f) else 1)[1:-1].split(", ")
        below = abs(100 * f.high - limit) < abs(100 * f.low - limit)
        ends = f"[{low}, just under {limit:g}]" if below else f"[just above {limit:g}, {high}]"
    if f.about == "these_items":
        return f"of these items: {shown_value(f) if f.low == f.high else ends}"
    return f"{level_text(f.level)} interval {ends}"
