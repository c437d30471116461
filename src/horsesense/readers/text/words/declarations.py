"""The wordings with which a reply declares that it makes no choice, by what it says.

Like those of `no_choice`, but of the reply itself: "I won't rate people's looks", not "people may
refuse". Patterns run on text in lower case and look a bounded way ahead.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from horsesense.readers.text.words.wording import Wording

Said = Literal["none", "missing", "undetermined", "untold", "refusal", "unknown"]

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
    r"(?:(?:choos|pick|select|nam|recommend|endors|sid|favou?r)(?:e|ing)? (?:with |out |just "
    rf"|only )?{_ONE}"
    rf"|singl(?:e|ing) out\b"
    rf"|(?:rank|rat|label|classif|scor|adjudicat|speculat|infer|guess|settl|comment"
    rf"|respond|decid)(?:e|y|ing|ying)? (?:{_THIS}(?! highly)|(?:ethnic|religious|about"
    rf"|\w+ groups))\b"
    r"|answer(?:ing)? (?:this|that|it|these|those|your|such|questions?|any|on|to|for"
    r"|the (?:question|item|survey"
    r"|prompt))\b(?! (?:\w+ly|without)\b)"
    r"|judg(?:e|ing) (?:either|between|which|one|who|whose|somebody|someone)\b"
    r"|tak(?:e|ing) (?:an? |any )?(?:sides?|positions?|stances?|on that role|part in (?:an? |this "
    r"|that |the )?(?:poll|survey"
    r"|ranking|vote|quiz|exercise))\b"
    r"|play(?:ing)? (?:that|this|the) (?:part|role)\b"
    r"|mak(?:e|ing) (?:an?|any|this|that|the|your) (?:\w+ )?(?:choice|decision|call|guess(?:es)?"
    r"|assumptions?|judge?ment|recommendation)s?\b|mak(?:e|ing) (?:guesses|assumptions|judge?ments"
    r"|it"
    r" for you)\b"
    r"|(?:giv|offer|provid|shar|express|assign)(?:e|ing)? (?:you )?(?:an?|any|one|my|the|that|this"
    r"|such)"
    r" (?:\w+ ){0,2}(?:answers?|opinions?|views?|ratings?|rankings?|scores?|numbers?|verdicts?"
    r"|preference"
    r"|recommendations?|letter|choice|guess|figures|assessment|information|instructions|details"
    r"|judge?ment|stance|position)\b"
    r"|weigh(?:ing)? in\b|com(?:e|ing) down on\b|act(?:ing)? out\b|fill(?:ing)? (?:it|this"
    r"|that) in\b"
    r"|tip(?:ping)? the\b|put(?:ting)? (?:my|a|the) (?:\w+ )?(?:thumb|weight|number|sentence"
    r"|finger)\b)"
)
_SPEAK = (
    r"(?:choose|pick|select|say|tell|rank|rate|judge|name|answer|recommend|support|endorse|favou?r"
    r"|weigh"
    r"|express|(?:take|give|share|make) an?|decide)"
)
_REFUSES = (
    rf"\bi(?:'m sorry,? but i)? ?{_ADVERBS}{_NOT} {_ADVERBS}{_CHOICES}"
    rf"|\bi ?{_ADVERBS}{_NOT} {_ADVERBS}(?:help(?:ing)?(?= (?:you|with|to|in|anyone|anybody|someone"
    r"|somebody|plan)\b|\W*(?:\Z|[.,;]))|assist(?:ing)?|compl(?:y|ying)|engag(?:e|ing)"
    r"|participat(?:e|ing))\b"
    r"|\bi (?:do not|don't) (?:take|hold|have) (?:any |a )?(?:sides?|positions?|stances?|\w+ views"
    r"|political (?:views|opinions)|personal (?:\w+ ){0,2}(?:views|opinions?|beliefs"
    r"|preferences?))\b"
    rf"|\b(?:do not|don't) think it would be (?:right|appropriate|fair) for me to {_SPEAK}\b"
    rf"|\b(?:it )?(?:would not|wouldn't) be (?:right|appropriate|fair) for me to {_SPEAK}\b"
    r"|\bnot something (?:that )?(?:i|i'm|i am|i'd) (?:going to|will|can|able to|want to|do|should"
    r"|willing to)\b|\bsomething (?:that )?i (?:won't|will not|must not|can't|cannot) (?:do|help"
    r"|advise)"
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
    r"(?= (?:who|which|what (?!(?:to|else|people|the (?:fuss|point))\b)|whether|how (?:many|much"
    r"|long|old)|where"
    r"|when|the (?:correct |right )?answer|that|it|this|enough|for sure)\b|\W*(?:\Z|[.,;!]))"
    r"|\bi (?:really |honestly )?have (?:no|not the faintest|not the slightest) (?:\w+ )?"
    r"(?:idea|clue|knowledge of|way of knowing (?!how (?:others|people))|information|data|figures"
    r"|memory of|records?)\b"
    r"|\bi(?:'m| am) not (?:familiar with|sure (?:who|which|what|how|when|where|about))"
    r"|\bi (?:do not|don't) have (?:any |enough )?(?:\w+ )?(?:information|knowledge|data|records?"
    r"|figures)\b"
    r"|\bi(?:'m| am) (?:\w+ly )?(?:not sure|unsure)(?=[.,;!])"
    r"|\A\W*(?:(?:sorry|hmm|honestly|well)\W+)?(?:i )?(?:not sure|no idea|no clue|dunno|unsure"
    r"|(?:do )?dont"
    r" know|can't say|couldn't say|(?:can't|cannot|couldn't) tell(?=\W*\Z))\b"
    r"|\bich weiß (?:es )?(?:leider )?nicht\b|\bno lo sé\b|\bje ne sais pas\b|我不知道|わかりません"
    r"|не знаю"
)
_SOURCE = (
    r"(?:text|passage|paragraph|article|excerpt|extract|document|story|image|picture"
    r"|photo(?:graph)?"
    r"|figure|graph|table|chart|diagram|poster|receipt|code|snippet|attachment|file|dialogue"
    r"|conversation|contract|clause|speech|report|email|letter|map|recording|transcript|poem"
    r"|function"
    r"|premise|abstract|review|message|listing|interview|stanza|sentence|scenario|spectrum|leaflet"
    r"|manifesto|record|statement|x-ray|radiograph|summary|spreadsheet|judg(?:e)?ment|vignette|clip"
    r"|video|audio|notes|source|material|data)(?:e?s)?"
)
_MISSING = (
    rf"\bi (?:\w+ly )?(?:do not|don't|can't|cannot|can not|couldn't|did not|didn't) (?:\w+ )?"
    r"(?:see|find|view|access|open|receive|get|have) (?:an?|any|the|that"
    rf"|your) (?:\w+ ){{0,2}}{_SOURCE}\b"
    rf"|\bthere (?:is|'s|seems to be|appears to be|does not seem to be|doesn't seem to be)"
    rf" (?:no|an?|any) (?:\w+ )?{_SOURCE}\b(?= (?:in|attached|below|above|included|here|with"
    rf"|visible"
    rf"|given|quoted)\b|[.,;:!])"
    rf"|\bno (?:\w+ )?{_SOURCE} (?:is|was|came|has been|accompanies|has reached|reached|attached"
    r"|provided|given|included)\b"
    rf"|\b(?:the|that|your|this) (?:\w+ ){{0,2}}{_SOURCE}(?: itself| you (?:mention|refer to"
    rf"|describe))?"
    r" (?:is|was|are|were|has|have|wasn't|isn't|aren't|weren't|hasn't|seems?|appears?|did not"
    r"|didn't"
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
    r"\b(?:can(?:not|'t| not)|could(?:n't| not)) be (?:determined|answered|inferred|known"
    r"|established"
    r"|calculated|told|deduced|worked out|decided)(?: \w+){0,3}? (?:from|with(?:out)?|based on"
    r"|on the"
    r" basis of)\b"
)
_UNTOLD = (
    rf"\b{_SOURCE} (?:itself |alone |only )?(?:does|do|did)(?:n't| not) (?:\w+ly )?(?:say|tell"
    rf"|mention|state"
    r"|specify|indicate|give|provide|contain|reveal|clarify|settle)\b"
    r"|\b(?:nothing|no (?:\w+ )?(?:information|clue|indication|evidence"
    r"|hint)s?) (?:\w+ ){0,3}?(?:says?|tells?"
    r"|said|stated|given|about|which|who|as to|on|in the)\b"
    r"|\b(?:can(?:not|'t| not)|could(?:n't| not)) (?:\w+ly )?(?:be (?:\w+ly )?(?:determined|known"
    r"|told|said|worked"
    r" out|inferred|answered|decided|established|deduced)|tell|say|know|determine|conclude)\b"
    r"|\b(?:is|are)(?:n't| not) (?:\w+ly )?(?:stated|said|given|specified|told|fixed|mentioned"
    r"|known|settled)\b"
    r"|\bwe (?:\w+ly )?aren't told\b|\bthere(?:'s| is) no way (?:to|of) (?:tell|know|say"
    r"|determin)\w*"
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
    r"|\b(?:not one|none|neither) of (?!(?:the )?(?:other|rest"
    rf"|remaining))(?:{_ANY}(?:{_THINGS} ?)?|the"
    r" (?:\w+ ){1,2})(?:given |here |listed )?(?:is|are|fits?|match\w*|works?|appl(?:y|ies)|can be"
    r"|qualif\w+|states)\b"
    r"(?! (?:\w+ly )?(?:wrong|incorrect|false|bad|perfect|ideal|great|good|worse|better|more|as|so"
    r"|too"
    r"|clearly|obvious\w*|quite|really|exactly|entirely|fully|completely|ruled|excluded|out\b|all"
    r"|my|spell\w*|listed|mentioned|\w{2,}er)\b)"
    r"|\b(?:neither|not one|none) (?:is|are) (?:correct|right|true|suitable)\b"
    rf"|\bno (?:correct|right|valid|suitable|accurate|matching) (?:answer|option|choice)s?\b"
    rf"|\b(?:there (?:is|'s|are|isn't) (?:no|any|an?)|no) (?:\w+ ){{1,2}}(?:among|in) (?:the|these"
    rf"|them"
    rf"|your) (?:\w+ ){{0,2}}{_THINGS}\b(?! that)"
    r"|\b(?:right|correct|true|actual) (?:answer|value|one|number|option|result)s? (?:\w+ )?(?:is"
    r"|are)"
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
    rf"(?:(?:among|one of) (?:{_ANY}(?:{_THINGS})?|[a-h](?: to | ?[-–,] ?)[a-h])|(?:in"
    rf"|on) {_ANY}{_THINGS})"
    r"(?=\W*(?:\Z|[.,;:!\n]| and))"
    r"|\b(?:is|are|was)(?:n't| not) (?:\w+ )?(?:on offer|offered|an option|listed|available here"
    r"|given|among (?:them|these|those))(?=\W*(?:\Z|[.,;!]| here| and))"
    rf"|\b(?:does(?:n't| not)) (?:appear|occur|feature) (?:among|in|on) (?:the|your|this)"
    rf" (?:\w+ )?{_THINGS}\b"
)
SAYS: Final[dict[Said, Wording]] = {
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
            *("lo siento", "no voy a", "als ki", "als sprach", "als künst", "keine der"),
        ),
        re.compile(_REFUSES),
    ),
    "unknown": Wording(("not ", "n't", "no ", "unsure"), re.compile(_UNSURE)),
}
REJECTS: Final = re.compile(_NONE)
"""What rejects the options themselves, and does not only miss an answer among them."""
