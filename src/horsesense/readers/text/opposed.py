"""Whether a reply speaks against an option that a sentence of its own seems to choose.

For choices that no word such as "answer" announces: the sentence may be somebody else's, and what
follows may take it back.
"""

from __future__ import annotations

import re

from horsesense.readers.text.standing import CALLED_WRONG, withdraws
from horsesense.readers.text.statements import turned_down
from horsesense.readers.text.targets import Scene

_NOT_ITS_OWN = re.compile(
    r"\b(?:myth|mistakes?|believe\w*|students?|people (?:say|think|believe|assume)|hear"
    r"|according to (?!the)\w+|(?:he|she|they|who|friend|teacher|brother|sister|father|mother"
    r"|colleague|neighbou?r|everyone|everybody|book|film) (?:\w+ )?(?:says?|said|thinks?|thought"
    r"|claims?|claimed|told|tells))\b"
)
_NO_MORE = re.compile(
    r"[.!?\n]\W*(?:or (?:is it|not)|(?:that|this|it|which)(?:['’]s| is| was) (?:\w+ )?(?:wrong"
    r"|incorrect|false|not (?:right|correct|true)|a (?:\w+ )?(?:myth|mistake))|wrong|incorrect"
    r"|nope\b|no[,.!]|not\b|hmm|but (?:that|this|it)\b)"
)
"""Sentences behind an option that turn against it."""
_SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|\n")


def opposed(scene: Scene, position: int, start: int, end: int) -> bool:
    """Whether something speaks against an option that is named from `start` to `end`, as places in
    the folded reply: its sentence shows another's label, too, or the rest takes it back."""
    low = scene.response.low
    if scene.dropped(start) or turned_down(scene, start) or CALLED_WRONG.match(low, end):
        return True
    begins = max((m.end() for m in _SENTENCE_ENDS.finditer(low, 0, start)), default=0)
    if _NOT_ITS_OWN.search(low, begins, start) or labels_another(scene, begins, end, position):
        return True
    return withdraws(low[end:]) or _NO_MORE.search(low, end) is not None


def labels_another(scene: Scene, start: int, end: int, position: int) -> bool:
    """Whether a sentence shows the label of another option ("So it's A (...)")."""
    text = scene.response.text
    return any(
        hit.position != position
        and (hit.marked or hit.start > start)
        and (hit.marked or scene.labels.shows(text[hit.start : hit.end]))
        for hit in scene.labels.mentions(scene.response, start, end)
    )
