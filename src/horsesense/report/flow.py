"""The flow figure: what was answered before and after, as ribbons between two columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from horsesense.report.charts import ACCENT, FAINT, TEXT, WARNING
from horsesense.report.text import number, visible

WIDTH, HEIGHT, GAP, BAR = 620, 260, 14, 14
LEFT, RIGHT = 170, 430
COLOURS: Mapping[str, str] = {"right": ACCENT, "option": ACCENT, "wrong": "#7fa6cb"}
"""Of what was answered before; abstentions are in the colour of warnings."""
ORDER = ("right", "wrong", "another wrong", "option", "another option", "none", "refusal",
         "unknown", "unclear")  # fmt: skip


def flow(shares: Mapping[tuple[str, str], float], n: int, *, caption: str) -> Markup:
    """Ribbons from what was answered before to what was answered after.

    Args:
        shares: (before, after) -> share of items; they sum to 1.
        n: number of items.
        caption: the accessible name.
    """
    before = _column(shares, 0)
    after = _column(shares, 1)
    starts, ends = _tops(before), _tops(after)
    parts = [_bar(LEFT, starts[name], name, s, n, "end") for name, s in before.items()]
    parts += [_bar(RIGHT, ends[name], name, s, n, "start") for name, s in after.items()]
    for (one, two), share in sorted(shares.items(), key=lambda pair: _rank(*pair[0])):
        parts.append(_ribbon(starts[one], ends[two], share, _colour(one)))
        starts[one] += share * HEIGHT
        ends[two] += share * HEIGHT
    height = HEIGHT + GAP * max(len(before), len(after)) + 30
    heads = [(LEFT, "end", "without them"), (RIGHT + BAR, "start", "with them")]
    parts += [_text(x, 14, anchor, head, FAINT) for x, anchor, head in heads]
    return Markup(
        '<svg role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}"><g aria-hidden="true">{}'
        "</g></svg>"
    ).format(visible(caption), WIDTH, round(height), WIDTH, Markup("").join(parts))


def _rank(one: str, two: str) -> tuple[int, int]:
    return ORDER.index(one), ORDER.index(two)


def _column(shares: Mapping[tuple[str, str], float], side: int) -> dict[str, float]:
    """Names of one column with their shares, in the order shown."""
    sums: dict[str, float] = {}
    for pair, share in shares.items():
        sums[pair[side]] = sums.get(pair[side], 0.0) + share
    return {name: sums[name] for name in sorted(sums, key=ORDER.index)}


def _tops(column: Mapping[str, float]) -> dict[str, float]:
    """Upper edge of each bar."""
    tops, y = {}, 24.0
    for name, share in column.items():
        tops[name] = y
        y += share * HEIGHT + GAP
    return tops


def _colour(name: str) -> str:
    return COLOURS.get(name.removeprefix("another "), WARNING)


def _bar(x: float, y: float, name: str, share: float, n: int, anchor: str) -> Markup:
    height = max(share * HEIGHT, 1)
    box = Markup('<rect x="{}" y="{:.1f}" width="{}" height="{:.1f}" fill="{}"/>').format(
        x, y, BAR, height, _colour(name)
    )
    at = x - 8 if anchor == "end" else x + BAR + 8
    label = f"{name} {number(share, 'fraction', 0)} ({round(share * n):,})"
    return box + _text(at, y + height / 2 + 4, anchor, label, TEXT)


def _text(x: float, y: float, anchor: str, text: str, colour: str) -> Markup:
    return Markup(
        '<text x="{}" y="{:.1f}" text-anchor="{}" font-size="12" fill="{}">{}</text>'
    ).format(x, y, anchor, colour, visible(text))


def _ribbon(start: float, end: float, share: float, colour: str) -> Markup:
    left, right, middle = LEFT + BAR, RIGHT, (LEFT + BAR + RIGHT) / 2
    thick = share * HEIGHT
    d = (
        f"M{left},{start:.1f} C{middle},{start:.1f} {middle},{end:.1f} {right},{end:.1f} "
        f"V{end + thick:.1f} C{middle},{end + thick:.1f} {middle},{start + thick:.1f} "
        f"{left},{start + thick:.1f} Z"
    )
    return Markup('<path d="{}" fill="{}" fill-opacity="0.35"/>').format(d, colour)


def spoken(shares: Mapping[tuple[str, str], float], names: Sequence[tuple[str, str]] = ()) -> str:
    """The flows in words, largest first."""
    found = sorted(names or shares, key=lambda pair: -shares[pair])
    return "; ".join(f"{a} to {b}: {number(shares[a, b], 'fraction')}" for a, b in found)
