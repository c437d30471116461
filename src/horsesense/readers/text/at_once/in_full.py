"""A statement that gives an option's whole text, with others named behind it.

"The answer is the mitochondrion. Ribosomes make proteins": what a reply goes on to say of the other
options explains its answer, unless it comes to one of them after all.
"""

from __future__ import annotations

import re

from horsesense.readers.text.claims import candidates
from horsesense.readers.text.claims.sentences import LINKS, Name, told
from horsesense.readers.text.claims.statements import Statement, sentence_before, turned_down
from horsesense.readers.text.names.options import ends_clause
from horsesense.readers.text.names.targets import Scene, Target
from horsesense.readers.text.words import announcements

_IS_THE = re.compile(
    r"[\"'*_)\]`]* (?:is|are|was|were) (?:\w+ly )?(?:the |what |a )?(?:\w+ly )?(\w+)"
)
_RATHER = re.compile(r" (?:rather|instead|after all|now)\b")
_GOOD = ("answer", "correct", "right", "best", "one", "i")
_BRIEF = frozenset(("yes", "no", "true", "false", "both", "neither", "none", "all"))
_SENTENCE_ENDS = re.compile(r"[\s\"'`)\]*_]{0,4}(?:[.!](?=\s|\Z)|\n|\Z|\[(?=[a-z]))")


def in_full(scene: Scene, last: Statement) -> bool:
    """Whether a statement gives an option's whole text, and its sentence ends there, as what the
    answer is and not what it would be; others may be named behind it, to say what they are."""
    low, target = scene.response.low, last.target
    if target.by == "label" or candidates.numeric(scene, target.positions[0]):
        return False
    if not scene.options.match_at(scene.response, target.start):
        return False
    if low[target.start : target.end] in _BRIEF:
        return False
    supposed = last.rule != "chosen" and announcements.WOULD.search(low, last.start, target.start)
    supposed = supposed or candidates.NOT_SO_FAR.search(sentence_before(low, last))
    if supposed or not _SENTENCE_ENDS.match(low, target.end):
        return False
    return not comes_to_another(scene, target)


def comes_to_another(scene: Scene, target: Target) -> bool:
    """Whether behind a target a sentence comes to another option after all."""
    return any(
        name.position not in target.positions and name.firm and _is_given(scene, name)
        for name in told(scene).names
        if name.start >= target.end
    )


def _is_given(scene: Scene, name: Name) -> bool:
    """Whether a sentence comes to another option, or says of it what was asked for."""
    low = scene.response.low
    if turned_down(scene, name.start):
        return False
    start = told(scene).at(name.start).start
    if (ends_clause(scene.response, name.end) or _RATHER.match(low, name.end)) and LINKS.search(
        low, start, name.start
    ):
        return True
    said = _IS_THE.match(low, name.end)
    return said is not None and (said[1] in _GOOD or said[1] in scene.question.lower())
