"""Signs that a reply makes no choice, each weak by itself; the weighing learns what each is worth.

Patterns run on text in lower case and look a bounded way ahead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from horsesense.readers.text import no_choice

_SOURCE = (
    r"(?:text|passage|paragraph|article|excerpt|document|story|image|picture|photo\w*|figure"
    r"|graph"
    r"|table|chart|diagram|data|code|snippet|attachment|file|context|question|details?|source"
    r"|information|dialogue|conversation|contract|clause|statute|case|review|sentence|options?"
    r"|list|content|material|screenshot|scan|report|email|letter|map|recording|audio|transcript)"
)
_GIVE = (
    r"(?:provide|share|paste|attach|send|include|upload|post|give|supply|show|copy|add|drop|type)"
)
_VIEW = r"(?:view|opinion|perspective|belief|value|preference|stance|position|feeling|side)s?"

CUES: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "none": no_choice.NONE,
        "undetermined": no_choice.UNDETERMINED,
        "refusal": no_choice.REFUSAL,
        "unknown": no_choice.UNKNOWN,
        "lacking": no_choice.LACKING,
        "scruples": no_choice.SCRUPLES,
        "not_offered": re.compile(
            r"\b(?:not|n't|nowhere|isn't|aren't) (?:\w+ ){0,3}?(?:one of|among|in|on|listed"
            r"|offered"
            r"|an option|a choice|any of|given|here|there|available|match\w*|appear\w*"
            r"|correspond\w*)\b"
            r"|\bno (?:such )?(?:option|choice|answer|match|listed)\w*\b"
            r"|\bnone (?:fits?|match\w*|works?|is|are|apply|applies|correct)\b|^\W*none\W*$"
            r"|\b(?:should|would|must|needs? to) (?:have been|be) (?:listed|an option|included)\b"
            r"|\b(?:each|every|all)\b[^.\n]{0,30}\b(?:wrong|incorrect|false|flawed|off|rejected"
            r"|fails?)\b"
            r"|\bneither\b|\bmissing from\b|\bany of (?:the|these|those|them|your)\b"
        ),
        "missing": re.compile(
            rf"\b(?:please|could you|can you|would you|kindly|if you(?: can"
            rf"| could)?) (?:\w+ ){{0,2}}?{_GIVE}\b"
            rf"|\bno {_SOURCE}\b[^.\n]{{0,30}}\b(?:was|is|has|were|attached|provided|included"
            rf"|here|given)\b"
            rf"|\b(?:do not|don't|can't|cannot|can not|didn't|did not|unable to|not able to) "
            rf"(?:\w+ )?(?:see|find|view|access|open|get|receive"
            rf"|have)\b[^.\n]{{0,40}}\b{_SOURCE}\b"
            rf"|\b{_SOURCE}\b[^.\n]{{0,50}}\b(?:missing|absent|(?:not|n't"
            rf"|never) (?:\w+ )?(?:included|provided"
            r"|attached|there|here|come|came|make|made|visible|given|load\w*|show\w*))\b"
            rf"|\bforgot(?:ten)?\b|\b(?:where is|where's|which) (?:the )?{_SOURCE}\b"
            rf"|\b{_GIVE} (?:me |us )?(?:with )?(?:the|it|a|that"
            rf"|your) (?:\w+ ){{0,3}}?{_SOURCE}\b"
            rf"|\bwithout (?:the|seeing|having|access|any|a|reading"
            rf"|that) (?:\w+ ){{0,4}}?{_SOURCE}\b"
        ),
        "neutral": re.compile(
            rf"\b(?:different|various|many|diverse|differing|range of|multiple|valid|both"
            rf"|competing)"
            rf" (?:\w+ ){{0,2}}?(?:{_VIEW}|people|sides|arguments|views|factors|answers"
            rf"|considerations)\b"
            r"|\bsome (?:people|argue|say|believe|see|feel|would|find|prefer|think|hold|view)\b"
            r"|\bothers? (?:\w+ )?(?:argue|say|believe|see|feel|find|prefer|think|hold|view"
            r"|point|worry"
            r"|maintain|emphasi[sz]e|may|might|would|contend|do not|don't)\b"
            r"|\b(?:depends|comes down|boils down|vary|varies|differs?|disagree|subjective"
            r"|nuanced)\b"
            r"|\b(?:complex|personal|individual|controversial|divisive|contested|sensitive"
            r"|debated)"
            r" (?:\w+ )?(?:issue|topic|question|matter|decision|choice|one|subject|debate)\b"
            rf"|\bpersonal {_VIEW}\b|\bno (?:single|one|universal) (?:right|correct|true|best"
            rf"|answer)\b|\bneutral\b|\bon (?:the )?one hand\b"
            r"|\bultimately\b|\bup to (?:you|the|each)\b|\breasonable people\b"
        ),
        "back": re.compile(
            r"\bwhat (?:do|would|does|did|are|is|about) (?:you|your)\b|\bwhat's your\b"
            r"|\bwhich (?:\w+ ){0,3}?"
            r"(?:do|would|did|are|is|feels?|sounds?|one) (?:you|your|right|closest|best|most)\b"
            r"|\b(?:how|what) about you\b|\bover to you\b|\byour (?:turn|call|choice|own|gut"
            r"|view|take"
            r"|guess|pick|instinct|thoughts?|answer)\b|\byou (?:decide|tell me|choose|pick)\b"
            r"|\bi'd (?:love|like) to (?:hear|know)\b|\blet me know\b|\bwhy do you\b|\bdo you\b"
            r"|\bcurious\b[^.\n]{0,40}\byou\b|\bwould you\b|\bhave you\b|\bwalk me through\b"
        ),
        "either": re.compile(
            r"\beither\b|\b(?:torn|toss-?up|tie|tied|undecided|coin|fifty|50[/-]50)\b"
            r"|\b(?:could|can|might|may) (?:\w+ )?be (?:either|both)\b|\bbetween\b|\bboth\b"
            r"|\bequally\b"
            r"|\bas (?:well|likely|valid|plausible|good) as\b|\bor (?:maybe|perhaps|possibly)\b"
            r"|\band also\b|\bas well\b|\bone of (?:the two|those two|these two|them)\b|\btwo\b"
        ),
        "undecided": re.compile(
            r"\b(?:can't|cannot|can not|couldn't|unable to|not able to|won't|hard to"
            r"|impossible to|difficult to)"
            r" (?:\w+ )?(?:decide|choose|pick|settle|tell|separate|commit|narrow|say)\b"
            r"|\bundecided\b|\btorn\b"
            r"|\bback and forth\b|\bi keep\b|\bnot (?:\w+ )?(?:settled|decided)\b"
            r"|\bleave it (?:at that|open|there)\b"
            r"|\bgo(?:ing)? either way\b|\bstill (?:not|un)|\bboth (?:\w+ ){0,3}(?:fit|stand"
            r"|claim|defended|defensible|right"
            r"|correct|valid|on the table)\b|\bequal(?:ly)? (?:claim|good|strong|valid"
            r"|plausible|right|likely)\b"
            r"|\bone (?:is|as) (?:as good|better) (?:as|than) the other\b|\bat the same time\b"
            r"|\bside by side\b"
            r"|\bno (?:further|way to (?:decide|choose))\b|\bany further\b|\bcoin\b|\btoss\b"
            r"|\bentscheiden\b"
            r"|\bnebeneinander\b|\bbeides\b|\bdepending on (?:which|whether|how|what|who)\b"
        ),
        "unsure": re.compile(
            r"\b(?:not|n't|never) (?:\w+ )?(?:sure|certain|know|known|familiar|recall|remember"
            r"|confident"
            r"|enough|aware|learn\w*|heard?)\b|\bunsure\b|\buncertain\b|\bno (?:idea|clue"
            r"|way of|knowledge"
            r"|memory|recollection|reliable)\b|\bbeyond (?:me|my|what)\b|\bstumped\b"
            r"|\bat a loss\b|\bdunno\b"
            r"|\bi(?:'d| would) (?:only|just|merely) be guessing\b|\bwouldn't want to guess\b"
            r"|\bidk\b"
            r"|\b(?:draw\w*|have) a blank\b|\bescapes me\b|\boutside (?:my|of my)\b|\bno guess\b"
            r"|\brather (?:than|not) guess\b|\bwithout guessing\b|\bnot going to guess\b"
        ),
        "policy": re.compile(
            r"\b(?:i(?:'m| am)? )?(?:can't|cannot|can not|won't|will not|unable to|not able to"
            r"|not comfortable"
            r"|must decline|have to decline|decline|refuse|rather not|prefer not|not going to"
            r"|not able)\b"
            r"|\bas an? (?:ai|language model|assistant|machine|model|chatbot|neutral)\b"
            r"|\bguidelines\b|\bpolic(?:y|ies)\b"
            r"|\bsorry\b|\bapologi[sz]e\b|\bharm\w*\b|\bnot (?:appropriate|something i)\b"
            r"|\bstay neutral\b"
            r"|\bdon't (?:have|hold|form|take)\b|\bdo not (?:have|hold|form|take)\b"
        ),
        "guess": re.compile(
            r"\b(?:if i (?:had|have|must|were)|my (?:best )?guess|i'd guess|i guess|forced to"
            r"|lean\w*"
            r"|best guess|gun to my head|going with|go with|i'd say|i would say|if pressed"
            r"|nonetheless"
            r"|that said|still,|anyway)\b"
        ),
        "turn": re.compile(
            r"\b(?:wait|hold on|hmm+|scratch that|on second thought|correction|actually"
            r"|my mistake|oops"
            r"|no,|i misread|i take that back|let me (?:re\w+|correct)|strike that"
            r"|changed my mind)\b"
        ),
        "all_apply": re.compile(
            r"\b(?:all|each|every(?:thing| one)?|both)\b[^.\n]{0,40}\b(?:correct|true|right"
            r"|apply|applies|hold"
            r"|valid|above|fit|appropriate|accurate|together|contribute|count)\b"
        ),
        "asks": re.compile(r"\?\W*\Z"),
        "question": re.compile(r"\bquestion ?\d{0,2} ?:|\bq ?\d{0,2} ?[:.]|\?\s*\n"),
    }
)
