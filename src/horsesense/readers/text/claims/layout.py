"""What the layout of a response says: lines that hold one option alone, marks, emphasis."""

from __future__ import annotations

import re
from collections.abc import Sequence

from horsesense.readers.text.claims.survey import Mention
from horsesense.readers.text.names.targets import Scene

_LETTERS = re.compile(r"[^\W_]")
_EMPHASISED = re.compile(
    r"\*\*[^*\n]{1,300}\*\*|__[^_\n]{1,300}__"
    r"|<(b|strong|mark|u)>[^<\n]{1,300}</\1>",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"<-+|<=+|←|⬅|✓|✔|✅|☑|👈|\((?:x|correct|chosen|answer|my (?:answer|choice|pick))\)|\[x\]"
)
_MARK_BEFORE = re.compile(r"->|=>|→|➡|👉|✓|✔|✅|☑|\[x\]|\(x\)|>>|\A\s*x\s|^\s*>")
_NEAR = 160


def alone(scene: Scene, mentions: Sequence[Mention]) -> tuple[list[tuple[int, int]], int]:
    """(number of the line, position) of lines that hold an option and little else, and how many
    lines there are."""
    low = scene.response.low
    found: list[tuple[int, int]] = []
    n = at = start = 0
    for line in low.split("\n"):
        end = start + len(line)
        here: list[Mention] = []
        while at < len(mentions) and mentions[at].start < end:
            if mentions[at].start >= start:
                here.append(mentions[at])
            at += 1
        if here and len({m.position for m in here}) == 1:
            said = sum(m.end - m.start for m in here)
            rest = low[start : here[0].start] + low[here[-1].end : end]
            if len(_LETTERS.findall(rest)) <= 0.25 * said + 1:
                found.append((n, here[0].position))
        n += bool(line.strip())
        start = end + 1
    return found, n


def emphasised(scene: Scene) -> set[int]:
    """Positions whose label or text is set in bold or underlined."""
    found: set[int] = set()
    texts = [text.lower() for text in scene.options.texts]
    for m in _EMPHASISED.finditer(scene.response.source, scene.response.begins):
        inner = m.group().strip("*_`:. ").lower()
        found.update(i for i, text in enumerate(texts) if text and text in inner)
        label = scene.labels.positions.get(inner.strip("()[].: ").upper())
        if label is not None:
            found.add(label)
    return found


def marked(scene: Scene, mentions: Sequence[Mention]) -> set[int]:
    """Positions that an arrow, a tick or a word in brackets marks in their line."""
    low = scene.response.low
    found: set[int] = set()
    for before, m, after in zip([None, *mentions], mentions, [*mentions[1:], None], strict=False):
        start = max(before.end if before else 0, m.start - _NEAR)
        start = max(start, low.rfind("\n", start, m.start) + 1)
        stop = min(after.start if after else len(low), m.end + _NEAR)
        end = low.find("\n", m.end, stop)
        if _MARK.search(low, m.end, end if end >= 0 else stop) or _MARK_BEFORE.search(
            low, start, m.start
        ):
            found.add(m.position)
    return found
