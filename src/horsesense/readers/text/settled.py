"""Labels that a reply settles on without a word such as "answer": as a conclusion of its own ("So,
E."), or with its text in front of what is said of the others."""

from __future__ import annotations

import re
from collections.abc import Callable

from horsesense.readers.text.contest import contest_of
from horsesense.readers.text.impression import Impression
from horsesense.readers.text.standing import withdraws
from horsesense.readers.text.targets import Scene, Target

_NEAR = 70
_SO = re.compile(
    r"(?:\A|[.;!?\n]\s*)[\s*]*(?:and )?(?:so|therefore|thus|hence|final(?:ly)?|then|conclusion)\b"
    r"[\s,:*→-]*(?:(?:it|that|this)(?:['’]s| is| must be) )?(?:the )?"
    r"(?:option|choice|letter|answer)?[\s:*(]*\Z"
)
_NOTHING_BEHIND = re.compile(r"[^\w?(]*(?:\([^()?\n]*\)[^\w?]*)?\Z")
_SET_APART = re.compile(r"[\s*_`\"').]{0,4}?\s*(?:\n|\Z|(?<=[.)*])\s)")
_LINE = re.compile(r"\n[\s>#|*•-]*")


def settled(scene: Scene) -> Target | None:
    """The label that a last sentence draws as its conclusion, and that is all of it ("So, E.")."""
    low = scene.response.low
    for hit in scene.labels.mentions(scene.response, max(0, len(low) - _NEAR)):
        target = scene.behind(hit)
        if len(target.positions) != 1 or target.text == "other" or scene.dropped(hit.start):
            continue
        if not _NOTHING_BEHIND.match(low, target.end):
            continue
        if _SO.search(low, max(0, hit.start - _NEAR), hit.start):
            return target
    return None


def both_in_front(scene: Scene, first: Impression, turns: Callable[[str], bool]) -> Target | None:
    """The label with its own option's text that a reply begins with, where other lines begin with
    the labels of others, to discuss them, but not with this one again."""
    lead, low = first.first, scene.response.low
    if lead is None or lead.rule != "lead" or not lead.target.agrees or "\n" not in low:
        return None
    chosen, target = lead.target.positions, lead.target
    if len(chosen) > 1 or not _SET_APART.match(low, target.end) or turns(low) or withdraws(low):
        return None
    if any(one.target.positions != chosen for one in first.said):
        return None
    headed = [
        hit.position
        for m in _LINE.finditer(low)
        if (hit := scene.labels.at(scene.response, m.end())) is not None
    ]
    # Of options gone through in their order the first is no answer yet.
    walks = chosen == (0,) and headed[:1] == [1]
    apart = not walks and chosen[0] not in headed and contest_of(scene, first) is None
    return target if apart else None
