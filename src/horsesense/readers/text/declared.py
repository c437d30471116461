"""A reply that declares that it makes no choice: it refuses, does not know, or finds none right.

The sentence has to say so of the reply itself ("I won't rate people's looks"), and nothing beside
it may go on to a choice: a concession ("that said"), a guess, a voice that is played, or one option
named alone. Patterns run on text in lower case and look a bounded way ahead.
"""

from __future__ import annotations

import re
from typing import Final

from horsesense.readers.reading import Reading
from horsesense.readers.text import special
from horsesense.readers.text.impression import Impression
from horsesense.readers.text.no_choice import Wording
from horsesense.readers.text.special import Meaning
from horsesense.readers.text.targets import Scene

_FAIRLY: Final = 0.91
_LONGEST = 1600
_LAST_WORDS = 240

_ADVERBS = (
    r"(?:(?:\w+ly|also|therefore|just|in good conscience|as an? [\w ]{2,20},?|quite|so) ){0,2}"
)
_NOT = (
    r"(?:won't|will not|can't|cannot|can not|couldn't|could not|shouldn't|refuse to|decline to"
    r"|(?:must|have to|need to|will|'ll|am going to|'m going to)(?: have to)? (?:\w+ly )?"
    r"(?:decline|refuse|abstain|pass)(?: (?:to|from))?"
    r"|(?:am|'m) (?:\w+ly )?(?:not (?:going|able|willing|prepared|in a position|here)|unable"
    r"|unwilling|reluctant) to"
    r"|(?:am|'m|don't feel|do not feel|wouldn't feel|would not feel) (?:not )?comfortable"
    r"|(?:would|'d) (?:much |really )?(?:rather|prefer) not(?: to)?|prefer not to"
    r"|(?:do not|don't|would not|wouldn't) (?:want|wish|think i (?:should|ought)|intend) ?(?:to)?)"
)
_ONE = (
    r"(?:an?|any|one|either|anyone|anything|these|those|this|that|it|them|among|between|from|which"
    r"|whether|people|someone|somebody|ethnic|religious|your|the|a single|sides|positions?|on|for"
    r"|in|you|him|her|his|their|my|about)\b"
)
_CHOOSES = (
    r"(?:choos(?:e|ing)|pick(?:ing)?|select(?:ing)?|rank(?:ing)?|rat(?:e|ing)|nam(?:e|ing)"
    r"|label(?:l?ing)?|singl(?:e|ing) out|judg(?:e|ing)|endors(?:e|ing)|tak(?:e|ing)"
    r"|mak(?:e|ing)|giv(?:e|ing)|offer(?:ing)?|provid(?:e|ing)|shar(?:e|ing)|express(?:ing)?"
    r"|weigh(?:ing)? in|com(?:e|ing) down|sid(?:e|ing) with|recommend(?:ing)?|advis(?:e|ing)"
    r"|speculat(?:e|ing)|infer(?:ring)?|decid(?:e|ing)|settl(?:e|ing)|answer(?:ing)?|fill(?:ing)?"
    r"|tip(?:ping)?|put(?:ting)?|play(?:ing)?|act(?:ing)? out|adjudicat\w+"
    r"|vote|voting|respond(?:ing)?)"
)
_REFUSES = (
    rf"\bi(?:'m sorry,? but i)? ?{_ADVERBS}{_NOT} {_ADVERBS}{_CHOOSES}"
    rf" (?!(?:\w+ )?advice)(?:\w+ )??{_ONE}"
    rf"|\bi ?{_ADVERBS}{_NOT} {_ADVERBS}(?:help|assist|compl(?:y|ying)|engag(?:e|ing)"
    r"|participat(?:e|ing)|tak(?:e|ing) (?:part|sides|a side|a stance|a position|that role))\b"
    r"|\bi (?:do not|don't) (?:take|hold|have) (?:any |a )?(?:sides?|positions?|stances?|\w+ views"
    r"|political (?:views|opinions)|personal (?:\w+ ){0,2}(?:views|opinions?|beliefs|preferences?))\b"
    r"|\b(?:do not|don't) think it would be (?:right|appropriate|fair) for me to\b"
    r"|\b(?:it )?(?:would not|wouldn't) be (?:right|appropriate|fair) for me to\b"
    r"|\bnot something (?:that )?(?:i|i'm|i am|i'd) (?:going to|will|can|able to|want to|do|should"
    r"|willing to)\b"
    r"|\bi(?:'ll| will|'m going to| am going to|'d rather| must| have to) "
    r"(?:pass on|pass\b|abstain|leave (?:this|the|that|it) (?:\w+ )?(?:blank|item|unanswered|choice"
    r"|judge?ment))"
    r"|\bi(?:'m| am) (?:going to stop here|stopping here)\b"
    r"|\bi (?:do not|don't) (?:infer|rank|rate|guess|speculate|judge|assist|label|classify)\b"
)
_UNSURE = (
    r"\bi(?:'m afraid i| am afraid i)? (?:\w+ly )?(?:do not|don't) (?:\w+ly )?know\b"
    r"(?= (?:who|which|what|whether|how|where|when|why|if|the answer|that|it|this|enough|for sure)\b"
    r"|\W*(?:\Z|[.,;!]))"
    r"|\bi (?:really |honestly )?have no (?:idea|knowledge of|way of knowing|information|data)\b"
    r"|\bi(?:'m| am) not (?:familiar with|aware of|sure (?:who|which|what|how|when|where|about))"
    r"|\bi (?:do not|don't) have (?:any )?(?:\w+ )?(?:information|knowledge|data|records?)\b"
    r"|\bi(?:'m| am) (?:\w+ly )?(?:not sure|unsure)(?=[.,;!])"
)
_SOURCE = (
    r"(?:text|passage|paragraph|article|excerpt|extract|document|story|image|picture|photo|figure"
    r"|graph|table|chart|diagram|poster|receipt|code|snippet|attachment|file|dialogue"
    r"|conversation|contract|clause|speech|report|email|letter|map|recording|transcript|poem"
    r"|premise|abstract|reviews?|message|listing|interview|stanza|sentence|scenario)"
)
_MISSING = (
    rf"\bi (?:\w+ly )?(?:do not|don't|can't|cannot|can not|couldn't|did not|didn't) (?:\w+ )?"
    rf"(?:see|find|view|access|open|receive|get|have) (?:an?|any|the|that|your) (?:\w+ )?{_SOURCE}\b"
    rf"|\bthere (?:is|'s|seems to be|appears to be|does not seem to be|doesn't seem to be)"
    rf" (?:no|an?|any) (?:\w+ )?{_SOURCE}\b(?= (?:in|attached|below|above|included|here|with|visible)\b"
    rf"|[.,;:!])"
    rf"|\b(?:the|that|your|this) (?:\w+ )?{_SOURCE}(?: itself| you (?:mention|refer to|describe))?"
    r" (?:is|was|has|wasn't|isn't|hasn't|seems?|appears?|did not|didn't|does not|doesn't)"
    r"(?: (?:not|to|be|been|seem|appear|have|made|\w+ly)){0,4}"
    r" (?:missing|absent|included|attached|provided|visible|come through|came through|part of your"
    r"|in your (?:message|question|prompt)|made it|left out|here)\b"
    rf"|\b(?:could|can|would|will) you (?:please )?(?:\w+ )?(?:paste|share|upload|attach|send"
    rf"|provide|include|post|copy) (?:\w+ ){{0,3}}{_SOURCE}\b"
    rf"|\bplease (?:paste|share|upload|attach|send|provide|include|post|copy) (?:\w+ ){{0,3}}"
    rf"{_SOURCE}\b"
)
_ANY = (
    r"(?:(?:the|these|those|your|them|given|listed|offered|provided|available|four|five|three|six"
    r"|two|above|answer|possible|suggested) ?){1,4}"
)
_THINGS = (
    r"(?:options?|choices?|answers?|alternatives?|statements?|labels?|categories|items?|list"
    r"|selection|menu)"
)
_NONE = (
    r"\A\W*(?:none|neither)(?: of (?:these|them|those|the (?:above|two|four|three|options|choices"
    r"|answers)))?(?: (?:is|are) (?:correct|right|true|suitable))?\W*(?:[.,;:!]|\Z)"
    rf"|\bnone of (?!(?:the )?(?:other|rest|remaining)){_ANY}(?:{_THINGS} ?)?(?:given |here |listed )?"
    r"(?:is|are|fits?|match\w*|works?|appl(?:y|ies)|can be|qualif\w+)\b"
    rf"|\b(?:neither|not one|none) (?:of {_ANY}(?:{_THINGS} )?)?(?:is|are)"
    r" (?:correct|right|true|suitable)\b"
    rf"|\bno (?:correct|right|valid|suitable|accurate|matching) (?:answer|option|choice)s?\b"
    rf"|\b(?:there (?:is|'s|are|isn't) (?:no|any|an?)|no) (?:\w+ ){{1,2}}(?:among|in) (?:the|these|them"
    rf"|your) (?:\w+ ){{0,2}}{_THINGS}\b(?! that)"
    rf"|\b(?:is|are|was)(?:n't| not) (?:\w+ )?(?:listed |offered |given |present |included )?"
    rf"(?:(?:among|one of) {_ANY}(?:{_THINGS})?|(?:in|on) {_ANY}{_THINGS})(?=\W*(?:\Z|[.,;:!\n]| and))"
    r"|\b(?:is|are|was)(?:n't| not) (?:\w+ )?(?:on offer|offered|an option|listed|available here"
    r"|among (?:them|these|those))(?=\W*(?:\Z|[.,;!]| here| and))"
    rf"|\b(?:does(?:n't| not)) (?:appear|occur|feature) (?:among|in|on) (?:the|your|this)"
    rf" (?:\w+ )?{_THINGS}\b"
    rf"|\b(?:the|your) (?:\w+ )?(?:list|options|choices) (?:does|do)(?:n't| not) (?:contain|include"
    r"|have|offer)\b"
    rf"|\ball (?:of )?(?!(?:the )?other){_ANY}(?:{_THINGS} )?(?:are|is) (?:wrong|incorrect|false)\b"
    rf"|\bi (?:can't|cannot|can not|won't|wouldn't|would not|am unable to|couldn't) (?:\w+ly )?"
    rf"(?:choose|pick|select|agree with|accept) (?:any|one|either) of {_ANY}"
)
_SAYS: Final[dict[Meaning, Wording]] = {
    "none": Wording(
        ("none", "neither", "not ", "n't ", "no ", "all ", "unable"), re.compile(_NONE)
    ),
    "undetermined": Wording(
        ("n't", "not ", "there ", "missing", "absent", "you ", "please", "left out", "no "),
        re.compile(_MISSING),
    ),
    "refusal": Wording(
        (
            *("not ", "n't", "refuse", "decline", "abstain", "unable", "pass", "comfortable"),
            *("unwilling", "reluctant", "leave th", "leave it", "stop"),
        ),
        re.compile(_REFUSES),
    ),
    "unknown": Wording(("not ", "n't", "no ", "unsure"), re.compile(_UNSURE)),
}
_OFFERS = re.compile(
    r"[^.!?\n]{0,120}?\b(?:if (?:you|it|that|someone|somebody|anybody|anyone|this|there)\b"
    r"(?![^.\n]{0,30}\b(?:insist|must|force|press|want (?:my|an?)|ask me|need me|had to)\b)"
    r"|i(?:'m| am|'d be|'ll be| would be) (?:\w+ )?(?:happy|glad|pleased|here)\b"
    r"|i (?:can|could|will|would) (?:also |instead |still |certainly |gladly |happily |only )*"
    r"(?:help|offer|explain|lay|set|summar|discuss|compare|describe|talk|walk|outline|point|give you"
    r"|list|present|share|provide|instead)"
    r"|let me know|please\b|you (?:can|could|may|might) (?:\w+ )?(?:call|text|ask|turn|find|contact"
    r"|reach|start|consult|try|check|weigh|look|read|share|paste|send)|let me explain"
    r"|what i can (?:offer|do)\b)[^.!?\n]*(?:[.!?]+|\Z|\n)"
)
"""A sentence with which a refusal goes on, and that makes no choice."""
_GUESSES = re.compile(
    r"\bwould be (?:a (?:pure|mere|wild) guess|just|only|a coin)\b"
    r"|\b(?:pure|mere|wild) guess\b|\b(?:rather|would|will|do|could)(?:n't| not) (?:want to |like to )?"
    r"guess\b|\bwon't guess\b|\bwithout guessing\b"
)
_GOES_ON = re.compile(
    r"\b(?:but|however|nevertheless|nonetheless|that said|having said|still|though|although|yet"
    r"|even so|anyway|if|guess|lean\w*|would|i'd|closest|nearest|best|likely|probably|presumably"
    r"|perhaps|maybe|might|roughly|as for|in general|generally|hypothetically|playing|persona"
    r"|answer:|answer is|choose:|wait|actually|hmm+|let me|exception|except|instead|rather than"
    r"|so it|therefore|thus|hence|typical\w*|common\w*|my (?:answer|choice|pick|vote)|must be"
    r"|should be|commonest|usually|assum\w+|suppos\w+|for what it's worth|default)\b|%"
)
_OTHER_REASONS = re.compile(
    r"\b(?:unsure|at random|back and forth|torn|undecided|between [a-h] and|both (?:of|are|fit|have)"
    r"|(?:can't|cannot|can not|couldn't) tell|no (?:\w+ )?information|not enough|insufficient"
    r"|(?:does|do|did)(?:n't| not) (?:say|specify|state|mention|tell)|unclear|ambiguous|missing"
    r"|neither (?:option|fits|of|is))\b"
)
"""Why no choice is made, where that is no refusal."""
_LEADS_ON = re.compile(
    r"\b(?:i'd (?:say|go|pick|choose|vote|answer|guess|lean)|my (?:answer|choice|pick|vote|view)"
    r"|answer (?:is|would be)|so it|therefore|probably|most likely|guess|in (?:his|her|their|the) voice"
    r"|persona|i (?:choose|pick|think|believe|go with|vote))\b|answer:|\d ?%"
)
"""What stands in front of a refusal, and may be a choice."""
_SENTENCE = re.compile(r"(?<=[.!?])[\"'*_)\]]*\s+|\n+")


def declared(scene: Scene, first: Impression) -> Reading | None:
    """The reading of a reply that declares that it makes no choice, and makes none."""
    low = scene.response.low
    if first.said or len(low) > _LONGEST or (first.first and first.first.target.by == "label"):
        return None
    found = {
        meaning: m
        for meaning, wording in _SAYS.items()
        if (m := wording.search(low)) is not None and not _is_asked(low, m.end())
    }
    meaning = _one_of(found) if found else None
    if meaning is None or (meaning == "none" and scene.asks_not):
        return None
    m = found[meaning]
    if _goes_on(low, m, found) or (meaning != "none" and _names_some(scene)):
        return None
    span = scene.response.span(*m.span())
    said = {one for text in scene.options.texts for one in special.meanings_of(text)}
    if said and (meaning != "refusal" or meaning in said):
        at = special.option_meaning(meaning, scene.options.texts)
        return None if at is None else Reading("answer", (at,), "declared", span, _FAIRLY)
    status = "none" if meaning == "undetermined" else meaning
    return Reading(status, (), "declared", span, _FAIRLY)


def _one_of(found: dict[Meaning, re.Match[str]]) -> Meaning | None:
    """The one meaning, where several are said."""
    names = {*found}
    if names == {"none", "undetermined"}:
        return "none"
    return names.pop() if len(names) == 1 else None


def _goes_on(low: str, m: re.Match[str], found: dict[Meaning, re.Match[str]]) -> bool:
    """Whether there may be a choice beside what is declared."""
    if "refusal" in found:
        if _OTHER_REASONS.search(low):
            return True
        behind = _OFFERS.sub(" ", _without(low[m.end() :], found))
        return _GOES_ON.search(behind) is not None or _LEADS_ON.search(low, 0, m.start()) is not None
    rest = _OFFERS.sub(" ", _GUESSES.sub(" ", _without(low, found)))
    return _GOES_ON.search(rest) is not None


def _without(low: str, found: dict[Meaning, re.Match[str]]) -> str:
    """A text without what declares."""
    for meaning in found:
        low = _SAYS[meaning].pattern.sub(" ", low)
    return low


def _is_asked(low: str, end: int) -> bool:
    """Whether it is said in a question."""
    stop = _SENTENCE.search(low, end)
    return low[end : stop.start() if stop else len(low)].rstrip(" \"'*_)").endswith("?")


def _names_some(scene: Scene) -> bool:
    """Whether some options are named by their texts and others are not, or a label is set off."""
    texts = scene.options.texts
    named = {
        hit.position
        for hit in scene.options.find_all(scene.response)
        if special.meaning_of(texts[hit.position]) is None
    }
    ordinary = sum(special.meaning_of(text) is None for text in texts)
    return 0 < len(named) < ordinary or any(hit.marked for hit in scene.labels.mentions(scene.response))
