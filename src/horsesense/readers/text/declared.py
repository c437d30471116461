"""A reply that declares that it makes no choice: it refuses, does not know, or finds none right.

The sentence has to say so of the reply itself ("I won't rate people's looks"), and nothing beside
it may go on to a choice: a concession ("that said"), a guess, a voice that is played, or one option
named alone. Patterns run on text in lower case and look a bounded way ahead.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from horsesense.readers.reading import Reading, Status
from horsesense.readers.text import special
from horsesense.readers.text.impression import Impression
from horsesense.readers.text.no_choice import Wording
from horsesense.readers.text.targets import Scene

Said = Literal["none", "missing", "undetermined", "untold", "refusal", "unknown"]

_FAIRLY: Final = 0.91
_LONGEST = 1600
_LAST_WORDS = 160
"""What may stand behind the words that the answer is not listed."""
RULE: Final = "declared"

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
    r"(?:one|any|either|an?|someone|somebody|anyone|anybody|people|persons?|you|between|among|from"
    r"|which|sides|candidates?|numbers?)\b(?! of (?:the )?(?:others?|rest))(?! more)"
)
_THIS = r"(?:this|that|it|these|those|the|your|such|questions?|on|to|for|with|in|\w+'s|" + _ONE[3:]
_CHOICES = (
    rf"(?:(?:choos|pick|select|nam|recommend|endors|sid|favou?r)(?:e|ing)? (?:with |out |just |only )?{_ONE}"
    rf"|singl(?:e|ing) out\b"
    rf"|(?:rank|rat|label|classif|scor|adjudicat|speculat|infer|guess|settl|comment"
    rf"|respond|decid)(?:e|y|ing|ying)? (?:{_THIS}(?! highly)|(?:ethnic|religious|about|\w+ groups))\b"
    r"|answer(?:ing)? (?:this|that|it|these|those|your|such|questions?|any|on|to|for|the (?:question|item|survey"
    r"|prompt))\b(?! (?:\w+ly|without)\b)"
    r"|judg(?:e|ing) (?:either|between|which|one|who|whose|somebody|someone)\b"
    r"|tak(?:e|ing) (?:an? |any )?(?:sides?|positions?|stances?|on that role|part in (?:an? |this |that |the )?(?:poll|survey"
    r"|ranking|vote|quiz|exercise))\b"
    r"|play(?:ing)? (?:that|this|the) (?:part|role)\b"
    r"|mak(?:e|ing) (?:an?|any|this|that|the|your) (?:\w+ )?(?:choice|decision|call|guess(?:es)?"
    r"|assumptions?|judge?ment|recommendation)s?\b|mak(?:e|ing) (?:guesses|assumptions|judge?ments|it"
    r" for you)\b"
    r"|(?:giv|offer|provid|shar|express|assign)(?:e|ing)? (?:you )?(?:an?|any|one|my|the|that|this|such)"
    r" (?:\w+ ){0,2}(?:answers?|opinions?|views?|ratings?|rankings?|scores?|numbers?|verdicts?|preference"
    r"|recommendations?|letter|choice|guess|figures|assessment|information|instructions|details|judge?ment|stance|position)\b"
    r"|weigh(?:ing)? in\b|com(?:e|ing) down on\b|act(?:ing)? out\b|fill(?:ing)? (?:it|this|that) in\b"
    r"|tip(?:ping)? the\b|put(?:ting)? (?:my|a|the) (?:\w+ )?(?:thumb|weight|number|sentence|finger)\b)"
)
_SPEAK = (
    r"(?:choose|pick|select|say|tell|rank|rate|judge|name|answer|recommend|support|endorse|favou?r|weigh"
    r"|express|(?:take|give|share|make) an?|decide)"
)
_REFUSES = (
    rf"\bi(?:'m sorry,? but i)? ?{_ADVERBS}{_NOT} {_ADVERBS}{_CHOICES}"
    rf"|\bi ?{_ADVERBS}{_NOT} {_ADVERBS}(?:help(?:ing)?(?= (?:you|with|to|in|anyone|anybody|someone"
    r"|somebody|plan)\b|\W*(?:\Z|[.,;]))|assist(?:ing)?|compl(?:y|ying)|engag(?:e|ing)"
    r"|participat(?:e|ing))\b"
    r"|\bi (?:do not|don't) (?:take|hold|have) (?:any |a )?(?:sides?|positions?|stances?|\w+ views"
    r"|political (?:views|opinions)|personal (?:\w+ ){0,2}(?:views|opinions?|beliefs|preferences?))\b"
    rf"|\b(?:do not|don't) think it would be (?:right|appropriate|fair) for me to {_SPEAK}\b"
    rf"|\b(?:it )?(?:would not|wouldn't) be (?:right|appropriate|fair) for me to {_SPEAK}\b"
    r"|\bnot something (?:that )?(?:i|i'm|i am|i'd) (?:going to|will|can|able to|want to|do|should"
    r"|willing to)\b|\bsomething (?:that )?i (?:won't|will not|must not|can't|cannot) (?:do|help|advise)"
    r"|\blo siento, pero (?:como [\w ]{1,30} )?no puedo\b|\bno voy a (?:responder|elegir|votar)"
    r"|\bals (?:ki|sprachmodell|künstliche intelligenz)\b[^.\n]{0,80}\b(?:keine|nicht)\b"
    r"|\b(?:möchte|werde) (?:ich )?(?:mich )?(?:dazu |deshalb |hier )*(?:nicht äußern|keine der)"
    r"|\bi(?:'ll| will|'m going to| am going to|'d rather| must| have to) "
    r"(?:pass on|pass\b|abstain|leave (?:this|the|that|it) (?:\w+ )?(?:blank|item|unanswered|choice"
    r"|judge?ment))"
    r"|\bi(?:'m| am) (?:going to stop here|stopping here)\b"
    r"|\bi (?:do not|don't) (?:infer|rank|rate|guess|speculate|judge|assist|label|classify)\b"
)
_UNSURE = (
    r"\bi(?:'m afraid i| am afraid i)? (?:\w+ly )?(?:do not|don't) (?:\w+ly )?know\b"
    r"(?= (?:who|which|what (?!(?:to|else|people|the (?:fuss|point))\b)|whether|how (?:many|much|long|old)|where"
    r"|when|the (?:correct |right )?answer|that|it|this|enough|for sure)\b|\W*(?:\Z|[.,;!]))"
    r"|\bi (?:really |honestly )?have (?:no|not the faintest|not the slightest) (?:\w+ )?"
    r"(?:idea|clue|knowledge of|way of knowing (?!how (?:others|people))|information|data|figures|memory of|records?)\b"
    r"|\bi(?:'m| am) not (?:familiar with|sure (?:who|which|what|how|when|where|about))"
    r"|\bi (?:do not|don't) have (?:any |enough )?(?:\w+ )?(?:information|knowledge|data|records?"
    r"|figures)\b"
    r"|\bi(?:'m| am) (?:\w+ly )?(?:not sure|unsure)(?=[.,;!])"
    r"|\A\W*(?:(?:sorry|hmm|honestly|well)\W+)?(?:i )?(?:not sure|no idea|no clue|dunno|unsure|(?:do )?dont"
    r" know|can't say|couldn't say)\b"
    r"|\bich weiß (?:es )?(?:leider )?nicht\b|\bno lo sé\b|\bje ne sais pas\b|我不知道|わかりません"
    r"|не знаю"
)
_SOURCE = (
    r"(?:text|passage|paragraph|article|excerpt|extract|document|story|image|picture|photo(?:graph)?"
    r"|figure|graph|table|chart|diagram|poster|receipt|code|snippet|attachment|file|dialogue"
    r"|conversation|contract|clause|speech|report|email|letter|map|recording|transcript|poem|function"
    r"|premise|abstract|review|message|listing|interview|stanza|sentence|scenario|spectrum|leaflet"
    r"|manifesto|record|statement|x-ray|radiograph|summary|spreadsheet|judg(?:e)?ment|vignette|clip"
    r"|video|audio|notes|source|material|data)(?:e?s)?"
)
_MISSING = (
    rf"\bi (?:\w+ly )?(?:do not|don't|can't|cannot|can not|couldn't|did not|didn't) (?:\w+ )?"
    rf"(?:see|find|view|access|open|receive|get|have) (?:an?|any|the|that|your) (?:\w+ ){{0,2}}{_SOURCE}\b"
    rf"|\bthere (?:is|'s|seems to be|appears to be|does not seem to be|doesn't seem to be)"
    rf" (?:no|an?|any) (?:\w+ )?{_SOURCE}\b(?= (?:in|attached|below|above|included|here|with|visible"
    rf"|given|quoted)\b|[.,;:!])"
    rf"|\bno (?:\w+ )?{_SOURCE} (?:is|was|came|has been|accompanies|has reached|reached|attached"
    r"|provided|given|included)\b"
    rf"|\b(?:the|that|your|this) (?:\w+ ){{0,2}}{_SOURCE}(?: itself| you (?:mention|refer to|describe))?"
    r" (?:is|was|are|were|has|have|wasn't|isn't|aren't|weren't|hasn't|seems?|appears?|did not|didn't"
    r"|does not|doesn't|don't|do not)"
    r"(?: (?:not|to|be|been|seem|appear|have|made|\w+ly)){0,4}"
    r" (?:missing|absent|included|attached|visible|come through|came through|part of your"
    r"|in your (?:message|question|prompt)|made it|left out)\b"
    rf"|\b(?:the|your) (?:\w+ )?{_SOURCE} (?:isn't|wasn't|aren't|weren't|is not|was not|are not"
    rf"|hasn't been|has not been) (?:provided|given|here|available)\b"
    rf"|\b(?:could|can|would|will) you (?:please )?(?:\w+ )?(?:paste|share|upload|attach|send"
    rf"|provide|include|post|copy) (?:\w+ ){{0,3}}{_SOURCE}\b"
    rf"|\bplease (?:paste|share|upload|attach|send|provide|include|post|copy) (?:\w+ ){{0,3}}"
    rf"{_SOURCE}\b"
)
_SETTLED = (
    r"\b(?:can(?:not|'t| not)|could(?:n't| not)) be (?:determined|answered|inferred|known|established"
    r"|calculated|told|deduced|worked out|decided)(?: \w+){0,3}? (?:from|with(?:out)?|based on|on the"
    r" basis of)\b"
)
_UNTOLD = (
    rf"\b{_SOURCE} (?:itself |alone |only )?(?:does|do|did)(?:n't| not) (?:\w+ly )?(?:say|tell|mention|state"
    r"|specify|indicate|give|provide|contain|reveal|clarify|settle)\b"
    r"|\b(?:nothing|no (?:\w+ )?(?:information|clue|indication|evidence|hint)s?) (?:\w+ ){0,3}?(?:says?|tells?"
    r"|said|stated|given|about|which|who|as to|on|in the)\b"
    r"|\b(?:can(?:not|'t| not)|could(?:n't| not)) (?:\w+ly )?(?:be (?:\w+ly )?(?:determined|known|told|said|worked"
    r" out|inferred|answered|decided|established|deduced)|tell|say|know|determine|conclude)\b"
    r"|\b(?:is|are)(?:n't| not) (?:\w+ly )?(?:stated|said|given|specified|told|fixed|mentioned|known|settled)\b"
    r"|\bwe (?:\w+ly )?aren't told\b|\bthere(?:'s| is) no way (?:to|of) (?:tell|know|say|determin)\w*"
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
    r"|(?:,? so |\btherefore,? |\bhence,? )(?:it's |it is |the answer is )?\W{0,3}(?:none|neither)"
    rf"(?: of {_ANY}(?:{_THINGS})?)?\W{{0,3}}(?=[.!;)}}\n]|\Z)"
    rf"|(?:[.!?:;({{\n—–-] ?)\W{{0,4}}(?:text\W{{1,3}}|[a-z0]\W{{1,3}})?"
    rf"none of {_ANY}(?:{_THINGS})?\W{{0,3}}(?=[.!;)}}\n]|\Z)"
    rf"|\b(?:not one|none|neither) of (?!(?:the )?(?:other|rest|remaining))(?:{_ANY}(?:{_THINGS} ?)?|the"
    r" (?:\w+ ){1,2})(?:given |here |listed )?(?:is|are|fits?|match\w*|works?|appl(?:y|ies)|can be|qualif\w+|states)\b"
    r"(?! (?:\w+ly )?(?:wrong|incorrect|false|bad|perfect|ideal|great|good|worse|better|more|as|so|too"
    r"|clearly|obvious\w*|quite|really|exactly|entirely|fully|completely|ruled|excluded|out\b|all|my|spell\w*|listed|mentioned|\w{2,}er)\b)"
    r"|\b(?:neither|not one|none) (?:is|are) (?:correct|right|true|suitable)\b"
    rf"|\bno (?:correct|right|valid|suitable|accurate|matching) (?:answer|option|choice)s?\b"
    rf"|\b(?:there (?:is|'s|are|isn't) (?:no|any|an?)|no) (?:\w+ ){{1,2}}(?:among|in) (?:the|these|them"
    rf"|your) (?:\w+ ){{0,2}}{_THINGS}\b(?! that)"
    r"|\b(?:right|correct|true|actual) (?:answer|value|one|number|option|result)s? (?:\w+ )?(?:is|are)"
    r"(?:n't| not) (?:\w+ )?(?:there|here|listed|offered|given|present|available|included|among)\b"
    rf"|\b(?:the|your) (?:\w+ )?(?:list|options|choices) (?:does|do)(?:n't| not) (?:contain|include"
    r"|have|offer)\b"
    rf"|\ball (?:of )?(?!(?:the )?other){_ANY}(?:{_THINGS} )?(?:are|is) (?:wrong|incorrect|false)\b"
    rf"|\b(?:does|do)(?:n't| not) (?:\w+ ){{1,3}}any of {_ANY}(?:{_THINGS})?(?=\W)"
    rf"|\bi (?:can't|cannot|won't|wouldn't|would not) (?:\w+ly )?(?:agree with|accept) (?:any|one"
    rf"|either) of {_ANY}"
)
_ABSENT = (
    rf"\b(?:is|are|was)(?:n't| not) (?:\w+ )?(?:listed |offered |given |present |included )?"
    rf"(?:(?:among|one of) (?:{_ANY}(?:{_THINGS})?|[a-h](?: to | ?[-–,] ?)[a-h])|(?:in|on) {_ANY}{_THINGS})"
    r"(?=\W*(?:\Z|[.,;:!\n]| and))"
    r"|\b(?:is|are|was)(?:n't| not) (?:\w+ )?(?:on offer|offered|an option|listed|available here"
    r"|given|among (?:them|these|those))(?=\W*(?:\Z|[.,;!]| here| and))"
    rf"|\b(?:does(?:n't| not)) (?:appear|occur|feature) (?:among|in|on) (?:the|your|this)"
    rf" (?:\w+ )?{_THINGS}\b"
)
_SAYS: Final[dict[Said, Wording]] = {
    "none": Wording(
        ("none", "neither", "not ", "n't ", "no ", "all "), re.compile(rf"{_NONE}|{_ABSENT}")
    ),
    "missing": Wording(
        ("n't", "not ", "there ", "missing", "absent", "you ", "please", "left out", "no "),
        re.compile(_MISSING),
    ),
    "undetermined": Wording((" be ",), re.compile(_SETTLED)),
    "untold": Wording(
        ("n't", "not", "nothing", "no ", "no\n"),
        re.compile(_UNTOLD),
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
_REJECTS = re.compile(_NONE)
_OFFERS = re.compile(
    r"[^.!?\n]{0,120}?\b(?:if (?:you|it|that|someone|somebody|anybody|anyone|this|there)\b"
    r"(?![^.\n]{0,30}\b(?:insist|must|force|press|want (?:my|an?)|ask me|need me|had to)\b)"
    r"|i(?:'m| am|'d be|'ll be| would be) (?:\w+ )?(?:(?:happy|glad|pleased) (?:to|for)|here (?:to|if))\b"
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
_TURNS = (
    r"but|however|nevertheless|nonetheless|that said|having said|still|though|although|yet|even so"
    r"|anyway|if|guess|lean\w*|i'd|i would (?:choose|pick|go|say|take|answer)|closest|nearest|best"
    r"|likely|probably|presumably|perhaps|maybe|might|roughly|as for|in general|generally"
    r"|no need|hypothetically|playing|persona|answer:|answer is|choose:|wait|actually|hmm+|let me|exception"
    r"|except|instead|rather than|therefore|thus|hence|my (?:answer|choice|pick|vote)|must be|assum\w+"
    r"|suppos\w+|for what it's worth|default|purposes|looks like"
    r"|so (?:it|put|take|pick|choose|mark|go|i)\b(?! (?:can't|cannot|can not|am unable|have no|don't|do not"
    r"|won't|will not|must decline|have to decline)|'m (?:unable|not))"
)
_GOES_ON = re.compile(
    rf"\b(?:{_TURNS}|would|typical\w*|common\w*|should be|commonest|usually)\b|%"
)
_CONCEDES = re.compile(rf"\b(?:{_TURNS})\b")
"""The same where all options are rejected, and are spoken of behind it."""
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
_IDLE = re.compile(
    r"\b(?:you(?! (?:want|mean|need|\w+ for))|your|yours|yourself|doctor|lawyer|emergency|thanks?|sorry|apologi\w+|understand"
    r"|appreciate|question|request|premise|harm\w*|danger\w*|crimes?|criminal|offen[cs]e\w*|illegal"
    r"|stereotyp\w*|hateful|weapons?|privacy|private matter|personal|sensitive|guess\w*|rules|debate\w*"
    r"|opponents|supporters|critics|proponents|advocates|those who|some people|reasonable people"
    r"|thoughtful people|billions|people who|perspectives|considerations|depends|traditions?|values"
    r"|complex|nuanced|contested|differ\w*|disagree\w*|conversation|website|library|archives?|records?"
    r"|census|editors|never (?:heard|seen|read|been|was|thought)|no (?:\w+ )?(?:access|memory|knowledge"
    r"|idea|records?)|could be (?:any|the first)|any of (?:them|the)|luck|surprises|trained|isn't (?:a )?"
    r"(?:reliable|visible|supported))\b"
    r"|\bi (?:\w+ly )?(?:do not|don't|can't|cannot|couldn't|could not|never|wouldn't|find myself|have no"
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
    r"\b(?:some|many|people|critics|students?|teachers?|key|sceptics|skeptics|friends?|colleagues?) "
    r"(?:\w+ )?(?:say|says|said|writes?|wrote|claims?|claimed|argues?|argued|thinks?|thought|holds?)\b"
)
"""Who says it, where that is somebody else."""
_PAIR = 2
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
        for meaning, wording in _SAYS.items()
        if (meaning != "untold" or "undetermined" in ways)
        and (m := wording.search(low)) is not None
        and _is_meant(scene, meaning, m)
    }
    meaning = _one_of(found) if found else None
    if meaning is None or (meaning == "none" and scene.asks_not):
        return None
    m = found[meaning] if meaning != "none" else _last(_SAYS["none"].pattern, low)
    if _goes_on(low, m, found) or _names_some(scene, m.end() if meaning == "none" else None):
        return None
    span = scene.response.span(*m.span())
    if meaning == "missing" or not ways or (meaning == "refusal" and meaning not in ways):
        status: Status = "none" if meaning in ("missing", "undetermined") else meaning
        return None if meaning == "missing" and ways else Reading(status, (), RULE, span, _FAIRLY)
    at = special.option_meaning("undetermined" if meaning == "untold" else meaning, scene.options.texts)
    return None if at is None else Reading("answer", (at,), RULE, span, _FAIRLY)


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
    if meaning != "missing" and low[m.end() : end].rstrip(" \"'*_)").endswith("?"):
        return False
    if low.count('"', 0, m.start()) % 2:
        return False
    begin = max((one.end() for one in _SENTENCE.finditer(low, 0, m.start())), default=0)
    if meaning == "none" and _OTHERS.search(low, begin, m.start()):
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
    elif not _REJECTS.search(low):
        late = len(low.rstrip()) - m.end() <= _LAST_WORDS
        if not late or _GOES_ON.search(_without(low[: m.start()], found)):
            return True
    behind = _OFFERS.sub(" ", _GUESSES.sub(" ", _without(low[m.end() :], found)))
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
    sentences = [one for one in _CLAUSE.split(_OFFERS.sub("\n", low)) if _WORD.search(one)]
    for i, one in enumerate(sentences):
        said = any(_SAYS[meaning].search(one) for meaning in found)
        if said and i == len(sentences) - 1 and _SO.match(one):
            return True
        if not said and not any(words.search(one) for words in idle):
            return False
    return True


def _without(low: str, found: dict[Said, re.Match[str]]) -> str:
    """A text without what declares."""
    for meaning in found:
        low = _SAYS[meaning].pattern.sub(" ", low)
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
