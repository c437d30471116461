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
    r"\b(?:myth|mistakes?|doubt|unlikely|hard(?:ly)?|guess|lure|trap|distractor|decoy|bait|beware"
    r"|runner-up|neighbou?r|confusion|alternative|candidate|rival|opposite|weakest|believe\w*"
    r"|students?|people (?:say|think|believe|assume)|hear"
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
IS_THE_ONE = re.compile(
    r"[\"'*_)\]`]* (?:is|are|was|were) (?:\w+ly )?(?:the (?:one|only (?:one|option|word|choice))"
    r"|the (?:correct|right|best) \w+)\b"
)
_SET_ASIDE = re.compile(r"[*_\"')]*\s*(?:in the dust|off the \w+|to nobody|last(?: of all)?[.!])")
_SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|\n")


def opposed(scene: Scene, position: int, start: int, end: int) -> bool:
    """Whether something speaks against an option that is named from `start` to `end`, as places in
    the folded reply: its sentence shows another's label, too, or the rest takes it back."""
    low = scene.response.low
    denied = turned_down(scene, start) or CALLED_WRONG.match(low, end) is not None
    if scene.dropped(start) or (denied and not scene.asks_not) or _SET_ASIDE.match(low, end):
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


def rival(scene: Scene, position: int, *, behind: int = 0, before: int | None = None) -> bool:
    """Whether another option is named in a part of the folded reply and not turned down there."""
    end = len(scene.response.low) if before is None else before
    named = [(hit.position, hit.start) for hit in scene.options.find_all(scene.response)]
    mentioned = scene.labels.mentions(scene.response)
    named += [(label.position, label.start) for label in mentioned if label.marked]
    return any(
        other != position and behind <= start < end and not turned_down(scene, start)
        for other, start in named
    )
