"""The headline of a report: the score, what it is made of, and the share known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from horsesense.findings.finding import Finding
from horsesense.findings.wording import NARROW, chance_text, in_points, number, plural, signed
from horsesense.report.text import interval_of, value_of
from horsesense.runs.results import Results

NAMES: Mapping[str, str] = {
    "every_form": "right in every form",
    "published_only": "right as published, wrong in another form",
    "other_forms_only": "wrong as published, right in another form",
    "never": "right in no form",
}


@dataclass(frozen=True)
class Segment:
    """One part of the bar; texts are ready to be shown.

    Attributes:
        name: as in `measures.composition`; the colour hangs on it.
        title: in words.
        start, width: percent of the axis.
        share, interval, count, questionless: texts; "" where there is none.
    """

    name: str
    title: str
    start: float
    width: float
    share: str
    interval: str
    count: str
    questionless: str


@dataclass(frozen=True)
class Mark:
    """A row below the bar, on the same axis; without a value, words alone.

    Attributes:
        title, text: in words.
        low, value, high: percent of the axis; None where there is no number.
    """

    title: str
    text: str
    low: float | None = None
    value: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Bar:
    """The figure. `note` says what was left out; "" where nothing was."""

    segments: tuple[Segment, ...]
    marks: tuple[Mark, ...]
    note: str
    spoken: str


def headline(run: Results) -> list[str]:
    """One sentence with the score and what it is made of; none without a score."""
    score = run.one("accuracy")
    if score is None:
        return []
    said = f"The model scores {value_of(score)} {interval_of(score)} as published"
    parts = _parts(run)
    every = parts.get("every_form", {}).get("value")
    if every is not None and not _block(run)["bounds_only"]:
        said += f", {number(every, 'fraction', 0)} in every form"
    known = _known(run)
    if known and known["value"] is not None:
        said += f"; about {number(known['value'], 'fraction', 0)} are known"
    return [f"{said}."]


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
    """The figure; None where the orders were not asked."""
    block, parts = _block(run), _parts(run)
    if not parts:
        return None
    only = block["bounds_only"] or any(part["value"] is None for part in parts.values())
    segments, start = [], 0.0
    without = {part["name"]: part for part in block["questionless"]}
    for name, part in parts.items():
        width = 0.0 if only else 100 * part["value"]
        segments.append(_segment(part, start, width, without.get(name), only))
        start += width
    lost = block["unclassified"]
    note = (
        f"{plural(lost, 'item')} of {block['items']:,} could not be placed, since a form has no "
        f"answer{': the shares are bounds' if only else ''}."
        if lost
        else ""
    )
    spoken = "; ".join(f"{s.title}: {s.share}" for s in segments)
    return Bar(tuple(segments), tuple(_marks(run, without)), note, spoken)


def _segment(
    part: Mapping[str, Any],
    start: float,
    width: float,
    without: Mapping[str, Any] | None,
    only_bounds: bool,
) -> Segment:
    if only_bounds:
        share = f"{percent(part['least'])} to {percent(part['most'])}"
        interval = ""
    else:
        share, interval = percent(part["value"]), _interval(part)
    right = "" if without is None or not without["n"] else _counted(without)
    return Segment(
        part["name"],
        NAMES[part["name"]],
        round(start, 3),
        round(width, 3),
        share,
        interval,
        f"{part['count']:,}",
        right,
    )


def _counted(part: Mapping[str, Any]) -> str:
    """A count of a part's items: a share of a few items would pose as an estimate."""
    return f"{part['right']:,} of {part['n']:,}"


def percent(value: float) -> str:
    return number(value, "fraction", 0)


def _interval(part: Mapping[str, Any]) -> str:
    if part["low"] is None:
        return ""
    return f"[{signed(100 * part['low'], 0)}, {signed(100 * part['high'], 0)}]"


def _marks(run: Results, without: Mapping[str, Mapping[str, Any]]) -> list[Mark]:
    marks = [_known_mark(_known(run))] if _known(run) else []
    if "all" in without and without["all"]["value"] is not None:
        whole = without["all"]
        text = f"{percent(whole['value'])} {_interval(whole)}"
        marks.append(Mark("right without the question", text, *_axis(whole)))
    score = run.one("accuracy")
    if score is not None and score.baseline:
        at = round(100 * score.baseline, 3)
        marks.append(Mark("guessing", chance_text(score.baseline), at, at, at))
    return marks


def _axis(part: Mapping[str, Any]) -> tuple[float | None, ...]:
    return tuple(
        None if part[name] is None else round(100 * part[name], 3)
        for name in ("low", "value", "high")
    )


def _known_mark(known: Mapping[str, Any]) -> Mark:
    """Where the fit is refused, words stand there."""
    if known["value"] is None:
        return Mark("share known", f"cannot be told: {known['reason']}")
    text = f"{percent(known['value'])} {_interval(known)}"
    if known["reason"]:
        text += f" ({known['reason']})"
    if percent(known["lucky"]) != percent(known["value"]):
        text += f"; {percent(known['lucky'])} without beliefs right by luck"
    return Mark("share known", text, *_axis(known))


def shown_value(f: Finding) -> str:
    """The value of a finding: a share, or a difference in points."""
    if f.value is None:
        return "–"
    if f.null == 0:
        return in_points(f.value, signed=True).replace("points", "pts").replace("point", "pt")
    return number(f.value, "fraction", 0 if f.value in (0, 1) or _wide(f) else 1)


def _wide(f: Finding) -> bool:
    return f.low is None or f.high is None or f.high - f.low >= 0.02


def shown_interval(f: Finding) -> str:
    """The interval of a finding with its level."""
    if f.low is None or f.high is None:
        return "no interval: too few independent items"
    digits = 0 if _wide(f) else 1
    ends = f"[{signed(100 * f.low, digits)}, {signed(100 * f.high, digits)}]"
    return f"{100 * f.level:.4g}{NARROW}% interval {ends}"
