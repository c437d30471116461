"""A reply that declares that it makes no choice: it refuses, does not know, or finds none right.

The sentence has to say so of the reply itself ("I won't rate people's looks"), and nothing beside
it may go on to a choice: a concession ("that said"), a guess, a voice that is played, or one option
named alone. Patterns run on text in lower case and look a bounded way ahead.
"""

from __future__ import annotations

import re
from typing import Final

from horsesense.readers.reading import Reading, Status
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.names import special
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.declarations import REJECTS, SAYS, Said

_FAIRLY: Final = 0.91
_LONGEST = 1600
_LAST_WORDS = 160
"""What may stand behind the words that the answer is not listed."""
RULE: Final = "declared"

_OFFERS = re.compile(
    r"\b(?:if (?:you|it|that|someone|somebody|anybody|anyone|this|there)\b"
    r"(?![^.\n]{0,30}\b(?:insist|must|force|press|want (?:my|an?)|ask me|need me|had to)\b)"
    r"|i(?:'m| am|'d be|'ll be| would be) (?:\w+ )?(?:(?:happy|glad|pleased) (?:to|for)|here (?:to"
    r"|if))\b"
    r"|i (?:can|could|will|would) (?:also |instead |still |certainly |gladly |happily |only )*"
    r"(?:help|offer|explain|lay|set|summar|discuss|compare|describe|talk|walk|outline|point"
    r"|give you"
    r"|list|present|share|provide|instead)"
    r"|let me know|please\b|you (?:can|could|may|might) (?:\w+ )?(?:call|text|ask|turn|find|contact"
    r"|reach|start|consult|try|check|weigh|look|read|share|paste|send)|let me explain"
    r"|what i can (?:offer|do)\b)"
)
"""What is in a sentence with which a refusal goes on, and that makes no choice."""
_SIGNS_OFF = re.compile(r"[^.!?\n]*(?:[.!?]+|\Z|\n)")
_OFFERED = 120
"""Characters of a sentence in front of that which it takes with it."""
_GUESSES = re.compile(
    r"\bwould be (?:a (?:pure|mere|wild) guess|just|only|a coin)\b"
    r"|\b(?:pure|mere|wild) guess\b|\b(?:rather|would|will|do|could)(?:n't| not) (?:want to "
    r"|like to )?"
    r"guess\b|\bwon't guess\b|\bwithout guessing\b"
)
_TURNS = (
    r"but|however|nevertheless|nonetheless|that said|having said|still|though|although|yet|even so"
    r"|anyway|if|guess|lean\w*|i'd|i would (?:choose|pick|go|say|take|answer)|closest|nearest|best"
    r"|likely|probably|presumably|perhaps|maybe|might|roughly|as for|in general|generally"
    r"|no need|hypothetically|playing|persona|answer:|answer is|choose:|wait|actually|hmm+|let me"
    r"|exception"
    r"|except|instead|rather than|therefore|thus|hence|my (?:answer|choice|pick|vote)|must be"
    r"|assum\w+"
    r"|suppos\w+|for what it's worth|default|purposes|looks like"
    r"|so (?:it|put|take|pick|choose|mark|go|i)\b(?! (?:can't|cannot|can not|am unable|have no"
    r"|don't|do not"
    r"|won't|will not|must decline|have to decline)|'m (?:unable|not))"
)
_GOES_ON = re.compile(rf"\b(?:{_TURNS}|would|typical\w*|common\w*|should be|commonest|usually)\b|%")
_CONCEDES = re.compile(rf"\b(?:{_TURNS})\b")
"""The same where all options are rejected, and are spoken of behind it."""
_OTHER_REASONS = re.compile(
    r"\b(?:unsure|at random|back and forth|torn|undecided|between [a-h] and|both (?:of|are|fit"
    r"|have)"
    r"|(?:can't|cannot|can not|couldn't) tell|no (?:\w+ )?information|not enough|insufficient"
    r"|(?:does|do|did)(?:n't| not) (?:say|specify|state|mention|tell|provide|give|contain"
    r"|include)|any (?:\w+ )?information|access to|unclear|ambiguous|missing"
    r"|neither (?:option|fits|of|is))\b"
)
"""Why no choice is made, where that is no refusal."""
_LEADS_ON = re.compile(
    r"\b(?:i'd (?:say|go|pick|choose|vote|answer|guess|lean)|my (?:answer|choice|pick|vote|view)"
    r"|answer (?:is|would be)|so it(?!\W*\Z)|therefore|probably|most likely|guess"
    r"|in (?:his|her|their|the) voice"
    r"|persona|i (?:choose|pick|think|believe|go with|vote))\b|answer:|\d ?%"
)
"""What stands in front of a refusal, and may be a choice."""
_IDLE = re.compile(
    r"\b(?:you(?! (?:want|mean|need|\w+ for))|your|yours|yourself|doctor|lawyer|emergency|thanks?"
    r"|sorry|apologi\w+|understand"
    r"|appreciate|question|request|premise|harm\w*|danger\w*|crimes?|criminal|offen[cs]e\w*|illegal"
    r"|stereotyp\w*|hateful|weapons?|privacy|private matter|personal|sensitive|guess\w*|rules"
    r"|debate\w*"
    r"|opponents|supporters|critics|proponents|advocates|those who|some people|reasonable people"
    r"|thoughtful people|billions|people who|perspectives|considerations|depends|traditions?|values"
    r"|complex|nuanced|contested|differ\w*|disagree\w*|conversation|website|library|archives?"
    r"|records?"
    r"|census|editors|never (?:heard|seen|read|been|was|thought)|no (?:\w+ )?(?:access|memory"
    r"|knowledge"
    r"|idea|records?)|could be (?:any|the first)|any of (?:them|the)|luck|surprises|trained"
    r"|isn't (?:a )?"
    r"(?:reliable|visible|supported))\b"
    r"|\bi (?:\w+ly )?(?:do not|don't|can't|cannot|couldn't|could not|never|wouldn't|find myself"
    r"|have no"
    r"|haven't|have never|suggest|should explain|was trained|am not|'m not)\b|\bi couldnt\b"
)
"""What a sentence is about that gives no answer."""
_LACKS = re.compile(
    r"\b(?:without|message|prompt|nothing|no|not|only|cannot|can't|cant|isn't|wasn't|aren't|doesn't"
    r"|didn't|don't|missing|lost|uploaded|passage|text|statements|help|once|which|information)\b"
)
"""The same beside a source that is missing."""
_SO = re.compile(r"\W*(?:so|therefore|thus|hence|for now|without|as such|in conclusion)\b")
_OTHERS = re.compile(
    r"\b(?:some|many|people|critics|students?|teachers?|key|sceptics|skeptics|friends?"
    r"|colleagues?) "
    r"(?:\w+ )?(?:say|says|said|writes?|wrote|claims?|claimed|argues?|argued|thinks?|thought"
    r"|holds?)\b"
)
"""Who says it, where that is somebody else."""
_SUPPOSED = re.compile(r"\b(?:if|unless|whether|suppose|assuming)\b")
_STATUS: Final[dict[Said, Status]] = {
    "none": "none",
    "missing": "none",
    "undetermined": "none",
    "untold": "none",
    "refusal": "refusal",
    "unknown": "unknown",
}
_DECLINES = re.compile(
    r"\W*(?:(?:i(?:'m| am) (?:\w+ )?sorry|i apologi[sz]e|sorry),? (?:but )?)?"
    r"i (?:cannot|can't|can not|am unable to|am not able to|won't|will not)"
    r" (?:provide|give|offer|answer|select|choose|make)\b[^.\n]{0,60}"
    r"\b(?:answers?|questions?|options?|letters?|choices?|diagnos\w+)\b"
)
"""A reply that begins by declining the question itself."""
_AFTER_ALL = re.compile(
    r"\b(?:that said|having said|nevertheless|nonetheless|but if|if (?:i (?:had|have|must|were)"
    r"|forced|pressed)|i'd|i would (?:choose|pick|go|say|take|answer|lean)|my (?:answer|choice|pick"
    r"|guess|vote)|(?:answer|choice|option) (?:is|would be)\b|answer:|put (?:down|me)|mark|tick"
    r"|write|most likely|closest|best guess|lean\w*)\b"
)
_PAIR = 2
_OBJECT = re.compile(r" (?!from\b|here\b|in\b|and\b|so\b|or\b|but\b)\w")
"""What is missing from what there is, and not the thing itself ("missing a colon")."""
_ONLY = re.compile(r"\bonly\b")
_ASKED_OF = (
    *("help", "assist", "engag", "participat", "recommend", "comment", "shar", "endors", "favo"),
    *("comply", "decid", "settl"),
)
"""Words of a refusal that are an answer where the question asks for that."""
_WORD = re.compile(r"(?<![</])\b(?!note\b)[^\W\d_]{2}")
_SENTENCE = re.compile(r"(?<=[.!?])[\"'*_)\]]*\s+|\n+")
_CLAUSE = re.compile(rf"{_SENTENCE.pattern}|[:;] ")


def declared(scene: Scene, first: Impression) -> Reading | None:
    """The reading of a reply that declares that it makes no choice, and makes none."""
    low = scene.response.low
    if first.said or len(low) > _LONGEST or (first.first and first.first.target.by == "label"):
        return None
    ways = {one for text in scene.options.texts for one in special.meanings_of(text)}
    found: dict[Said, re.Match[str]] = {
        meaning: m
        for meaning, wording in SAYS.items()
        if (meaning != "untold" or "undetermined" in ways)
        and (m := wording.search(low)) is not None
        and _is_meant(scene, meaning, m)
    }
    if not ways and (opens := _DECLINES.match(low)) and not _may_choose(scene, opens.end()):
        span = scene.response.span(*opens.span())
        return Reading("refusal", (), RULE, span, _FAIRLY)
    meaning = _one_of(found) if found else None
    if meaning is None or (meaning == "none" and scene.asks_not):
        return None
    m = found[meaning] if meaning != "none" else _last(SAYS["none"].pattern, low)
    if _goes_on(low, m, found) or _names_some(scene, m.end() if meaning == "none" else None):
        return None
    span = scene.response.span(*m.span())
    if meaning == "missing" or not ways or (meaning == "refusal" and meaning not in ways):
        status = _STATUS[meaning]
        return None if meaning == "missing" and ways else Reading(status, (), RULE, span, _FAIRLY)
    at = special.option_meaning(
        "undetermined" if meaning == "untold" else meaning, scene.options.texts
    )
    return None if at is None else Reading("answer", (at,), RULE, span, _FAIRLY)


def _may_choose(scene: Scene, start: int) -> bool:
    """Whether there may be a choice behind a refusal of the question itself."""
    if _AFTER_ALL.search(scene.response.low, start):
        return True
    return any(hit.marked and hit.start >= start for hit in scene.labels.mentions(scene.response))


def _one_of(found: dict[Said, re.Match[str]]) -> Said | None:
    """The one meaning, where several are said."""
    names = {*found}
    if "untold" in names and "none" not in names and "missing" not in names:
        return "untold"
    if names == {"missing", "undetermined"}:
        return "missing"
    if len(names) == 1:
        return names.pop()
    return "none" if "none" in names and "unknown" not in names else None


def _is_meant(scene: Scene, meaning: Said, m: re.Match[str]) -> bool:
    """Whether it is no question, no quotation, and no answer in the question's own words."""
    low = scene.response.low
    stop = _SENTENCE.search(low, m.end())
    end = stop.start() if stop else len(low)
    if meaning == "missing" and m.group().endswith("missing") and _OBJECT.match(low, m.end()):
        return False
    if meaning == "untold" and _ONLY.search(low, m.end(), end):
        return False
    if meaning != "missing" and low[m.end() : end].rstrip(" \"'*_)").endswith("?"):
        return False
    if low.count('"', 0, m.start()) % 2:
        return False
    begin = max((one.end() for one in _SENTENCE.finditer(low, 0, m.start())), default=0)
    if meaning == "none" and _OTHERS.search(low, begin, m.start()):
        return False
    if meaning in ("none", "undetermined") and _SUPPOSED.search(low, begin, m.start()):
        return False
    if meaning == "none" and "neither" in m.group() and len(scene.options.texts) > _PAIR:
        return False
    asked = scene.question.lower()
    return meaning != "refusal" or not any(
        word in asked and word in m.group() for word in _ASKED_OF
    )


def _goes_on(low: str, m: re.Match[str], found: dict[Said, re.Match[str]]) -> bool:
    """Whether there may be a choice beside what is declared."""
    if {*found} == {"refusal"} and _OTHER_REASONS.search(low):
        return True
    if "none" not in found:
        if _LEADS_ON.search(low, 0, m.start()):
            return True
    elif not REJECTS.search(low):
        late = len(low.rstrip()) - m.end() <= _LAST_WORDS
        if not late or _GOES_ON.search(_without(low[: m.start()], found)):
            return True
    behind = _without_offers(_GUESSES.sub(" ", _without(low[m.end() :], found)), " ")
    if "none" in found:
        return _CONCEDES.search(behind) is not None
    return _GOES_ON.search(behind) is not None or not _is_idle(low, found)


def _last(pattern: re.Pattern[str], low: str) -> re.Match[str]:
    """The last match of a pattern that has one."""
    *_, m = pattern.finditer(low)
    return m


def _is_idle(low: str, found: dict[Said, re.Match[str]]) -> bool:
    """Whether no sentence beside what declares could be an answer."""
    lacks = found.keys() & {"missing", "undetermined", "untold"}
    idle = (_LACKS, _IDLE) if lacks else (_IDLE,)
    sentences = [one for one in _CLAUSE.split(_without_offers(low, "\n")) if _WORD.search(one)]
    for i, one in enumerate(sentences):
        said = any(SAYS[meaning].search(one) for meaning in found)
        if said and i == len(sentences) - 1 and _SO.match(one):
            return True
        if not said and not any(words.search(one) for words in idle):
            return False
    return True


def _without_offers(low: str, instead: str) -> str:
    """A text with something else instead of the sentences that offer help."""
    parts: list[str] = []
    at = 0
    for m in _OFFERS.finditer(low):
        if m.start() < at:
            continue
        begin = max(
            at, m.start() - _OFFERED, *(low.rfind(sign, at, m.start()) + 1 for sign in ".!?\n")
        )
        parts += [low[at:begin], instead]
        at = _SIGNS_OFF.match(low, m.end()).end()  # type: ignore[union-attr]
    return "".join([*parts, low[at:]]) if at else low


def _without(low: str, found: dict[Said, re.Match[str]]) -> str:
    """A text without what declares."""
    for meaning in found:
        low = SAYS[meaning].pattern.sub(" ", low)
    return low


def _names_some(scene: Scene, behind: int | None) -> bool:
    """Whether some options are named by their texts and others are not, or a label is set off.

    With `behind`, whether just one is named from there on.
    """
    texts = scene.options.texts
    named = {
        hit.position
        for hit in scene.options.find_all(scene.response)
        if special.meaning_of(texts[hit.position]) is None and hit.start >= (behind or 0)
    }
    labels = {
        hit.position
        for hit in scene.labels.mentions(scene.response)
        if hit.marked and hit.start >= (behind or 0)
    }
    if behind is not None:
        return len(named | labels) == 1
    ordinary = sum(special.meaning_of(text) is None for text in texts)
    return bool(labels) or 0 < len(named) < ordinary
