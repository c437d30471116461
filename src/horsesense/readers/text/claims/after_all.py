"""A reply that declines, or says that it does not know, and chooses after all.

"As an AI I hold no views. That said, I'd go with oppose." Where an option says "Refused", such a
reply is not that option: it is read as what it chooses, if it says so for itself, of one option,
and takes it back nowhere.
"""

from __future__ import annotations

import re

from horsesense.readers.text.claims.sentences import Name, Told, told
from horsesense.readers.text.claims.standing import WITHDRAWS
from horsesense.readers.text.claims.statements import Statement, is_named, turned_down
from horsesense.readers.text.names.special import meaning_of
from horsesense.readers.text.names.targets import Scene, Target
from horsesense.readers.text.words import no_choice

_MOST = 6000
_NEAR = 160
_APART = re.compile(r"[.,;:!?\n(—–-]|\bbut\b")
"""What parts the choice from the words that decline."""
_CONCEDES = re.compile(
    r"\b(?:but|however|that said|having said|though|although|still|nevertheless|nonetheless"
    r"|even so|anyway|if (?:i|forced|pressed|pushed)|since you|as you|ok|okay|fine|very well"
    r"|all right|alright|well|then|for what it['’]s worth|hypothetically|gun to my head|forced"
    r"|pressed)\b"
)
_CHOOSES = re.compile(
    r"\b(?:(?:i|we)(?:['’]d| would|['’]ll| will)?(?: (?:have to|probably|likely|personally|just"
    r"|simply|rather|still))? (?:choose|pick|select|go (?:with|for)|say|answer|lean|vote|opt"
    r"|settle|take|tick|mark|put|call it)\b|my (?:\w+ )?(?:answer|choice|pick|vote|guess"
    r"|preference)\b|the answer\b|put me down|answer:|let(?:['’]s| me) (?:say|go|pick|choose))"
)
_IS_CHOSEN = re.compile(
    r"[\"'*_)\]]*(?:[.,]? it is\b| (?:would be|is|gets|has) (?:my|the) (?:\w+ )?(?:pick|choice"
    r"|answer|vote|one|preference)\b| (?:seems|sounds|feels|fits|is|looks|works)(?: (?:to me|the"
    r"|about|most|like))* (?:right|best|correct|fitting|closest|apt|accurate|reasonable)\b)"
)
_ENDS = re.compile(r"[\"'*_)\]]*\s*(?:[.!;,\n(—–]|\Z|- |\b(?:because|since|as|for)\b)")
_NOT_MINE = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|without|people|many|some|others?|they|he|she"
    r"|supporters|opponents|polls?|surveys?|says|(?<!that )(?<!having )said|argue\w*"
    r"|either|or|both|between|depends?"
    r"|whether|could|might|may|example|such as|users?|respondents?|average|typical\w*|majority"
    r"|americans|voters|options|choices|like|about|you(?! (?:insist|ask|want|press|really)))\b"
    r"|n['’]t\b|\?"
)

_FILLS = re.compile(r"\b(?:then|option|choice|the|an?|so)\b|\W")
_STOPS = re.compile(r"[\"'*_)\]]*\s*(?:[.!]|\Z|\n)")
"""Behind an option that is all of its clause."""


def chosen_after_all(scene: Scene, end: int) -> Statement | None:
    """The one option that a reply chooses for itself behind words that decline and end there."""
    low = scene.response.low
    if len(low) > _MOST or no_choice.REFUSAL.search(low, end) or WITHDRAWS.search(low, end):
        return None
    every = told(scene)
    names = [name for name in every.names if name.start >= end and _counts(scene, name)]
    chosen = {name.position: name for name in names if _is_own(scene, every, name, end)}
    if len(chosen) != 1:
        return None
    ((position, name),) = chosen.items()
    if any(one.position != position and not turned_down(scene, one.start) for one in names):
        return None
    by = "label" if name.by_label else "text"
    target = Target((position,), name.start, name.end, "label" if by == "label" else "text", None)
    return Statement("given", target, name.start)


def _counts(scene: Scene, name: Name) -> bool:
    """Whether a name is an ordinary option's, and no article."""
    if meaning_of(scene.options.texts[name.position]) is not None:
        return False
    return name.firm or is_named(scene, name.start)


def _is_own(scene: Scene, every: Told, name: Name, end: int) -> bool:
    """Whether the reply itself chooses what it names at a place."""
    low = scene.response.low
    sentence = every.at(name.start)
    begin = max(end, sentence.start)
    before = low[max(begin, name.start - _NEAR) : name.start]
    if not _APART.search(low, end, name.start) or turned_down(scene, name.start):
        return False
    own = _CHOOSES.search(before)
    praised = _IS_CHOSEN.match(low, name.end)
    if _NOT_MINE.search(before) or _NOT_MINE.search(low, name.end, sentence.end):
        return False
    if own or praised:
        return bool(praised or _ENDS.match(low, name.end))
    alone = _CONCEDES.sub("", _APART.split(before)[-1])
    conceded = _CONCEDES.search(low, end, name.start)
    return bool(conceded and not _FILLS.sub("", alone).strip() and _STOPS.match(low, name.end))
