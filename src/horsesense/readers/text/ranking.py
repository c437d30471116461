"""Rankings of all options, whose first is the answer: "B > C > A", or lines under a heading."""

from __future__ import annotations

import re

from horsesense.readers.text.listing import option_at
from horsesense.readers.text.targets import Scene

_HEADED = re.compile(
    r"\b(?:rank(?:ed|ing|s)?|order (?:of|(?:\w+ )?by)"
    r"|from (?:the )?(?:most|best|highest|strongest|largest|greatest))\b"
)
_ENTRY = re.compile(r"\A[\s>*_#-]*(?:(\d)(?:[.):]|️?⃣)|([🥇🥈🥉]))[\s*_\"'`]*")
_MEDALS = "🥇🥈🥉"
_CHAINED = re.compile(r"\s*[>≻]=?\s*")
_SIGNS = " \t*_\"'`($"
_REVERSED = re.compile(
    r"\b(?:least|lowest|smallest|fewest|worst|shortest|weakest|slowest|last|latest|first|earliest"
    r"|not|except)\b"
)
"""In a question: that the first of a ranking may not be what is asked for."""
_LONGEST = 6000
_SIGNS_OF_IT = (">", "≻", "rank", "order ", "from most", "from best", "from highest", "from the ")
"""Plain words and signs that are looked for first, for speed."""


def ranked(scene: Scene) -> int | None:
    """The first of a ranking of all options, where the question does not ask for the other end."""
    k, response = len(scene.options.texts), scene.response
    low = response.low
    if k < 3 or len(low) > _LONGEST or not any(map(low.__contains__, _SIGNS_OF_IT)):
        return None
    if _REVERSED.search(scene.question.lower()):
        return None
    lines = response.source[response.begins :].lower().split("\n")
    for line in lines:
        parts = _CHAINED.split(line.rpartition(":")[2])
        if len(parts) == k and (order := _order(scene, parts, labels=True)):
            return order[0]
    entries = [(i, line[m.end() :], m) for i, line in enumerate(lines) if (m := _ENTRY.match(line))]
    places = [int(m[1]) if m[1] else _MEDALS.index(m[2]) + 1 for _, _, m in entries]
    if places != list(range(1, k + 1)) or not _HEADED.search("\n".join(lines[: entries[0][0]])):
        return None
    order = _order(scene, [line for _, line, _ in entries], labels=not scene.labels.numbers)
    return order[0] if order else None


def _order(scene: Scene, parts: list[str], *, labels: bool) -> list[int]:
    """The options that parts begin with, where these are all options, once each."""
    texts = [text.lower() for text in scene.options.texts]
    named = {name.lower(): i for name, i in scene.labels.positions.items()} if labels else {}
    for names in ({}, named):
        found = [option_at(part.lstrip(_SIGNS), 0, names, texts)[0] for part in parts]
        order = [one for one in found if one is not None]
        if sorted(order) == list(range(len(texts))):
            return order
    return []
