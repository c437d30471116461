"""Signs that a reply makes no choice, each weak by itself; the weighing learns what each is worth.

Patterns run on text in lower case and look a bounded way ahead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from horsesense.readers.text.words import no_choice
from horsesense.readers.text.words.wording import Wording, one_boundary

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


def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(one_boundary(source))


CUES: Final[Mapping[str, re.Pattern[str] | Wording]] = MappingProxyType(
    {
        "none": no_choice.NONE,
        "undetermined": no_choice.UNDETERMINED,
        "refusal": no_choice.REFUSAL,
        "unknown": no_choice.UNKNOWN,
        "lacking": no_choice.LACKING,
        "scruples": no_choice.SCRUPLES,
        "not_offered": Wording(
            (
                *("not ", "n't ", "nowhere", "no ", "none", "neither", "listed", "an option"),
                *("included", "wrong", "incorrect", "false", "flawed", "off", "reject", "fail"),
                *("missing from", "any of"),
            ),
            re.compile(
                r"\b(?:not|n't|nowhere|isn't|aren't) (?:\w+ ){0,3}?(?:one of|among|in|on|listed"
                r"|offered"
                r"|an option|a choice|any of|given|here|there|available|match\w*|appear\w*"
                r"|correspond\w*)\b"
                r"|\bno (?:such )?(?:option|choice|answer|match|listed)\w*\b"
                r"|\bnone (?:fits?|match\w*|works?|is|are|apply|applies|correct)\b|^\W*none\W*$"
                r"|\b(?:should|would|must|needs? to) (?:have been|be)"
                r" (?:listed|an option|included)\b"
                r"|\b(?:each|every|all)\b[^.\n]{0,30}\b(?:wrong|incorrect|false|flawed|off|rejected"
                r"|fails?)\b"
                r"|\bneither\b|\bmissing from\b|\bany of (?:the|these|those|them|your)\b"
            ),
        ),
        "missing": _pattern(
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
        "neutral": _pattern(
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
        "not_listed": _pattern(
            r"\b(?:not|n't|nowhere|none|neither|never)\b(?: \w+){0,3}? (?:among|one of|in"
            r"|any of|on|listed)"
            r"(?: the| your| these| those| my| any)?(?: \w+){0,2}? "
            r"(?:options?|choices?|answers?|list\w*"
            r"|alternatives?|four|five|three|above)\b"
            r"|\b(?:not|n't|isn't|aren't) (?:\w+ )?(?:listed|offered|an option|a choice"
            r"|on offer|available"
            r"|one of (?:them|these|those))\b"
            r"|\bno (?:option|choice|answer|alternative|statement)s? (?:\w+ ){0,3}?(?:is|are"
            r"|fits?|match\w*"
            r"|works?|correct|right|that|here|given|offered)\b"
            r"|\bnone of (?:the|these|those|them|your)\b"
        ),
        "no_guess": Wording(
            (
                *("guess", "at random", "pick one", "name one", "one over", "commit"),
                *("coin toss",),
            ),
            re.compile(
                r"\b(?:no|not|n't|never|rather|without|wouldn't|won't)\b[^.\n]{0,40}"
                r"\b(?:guess\w*|at random|pick one|name one|one over|commit)\b"
                r"|\bcoin toss\b|\bguesswork\b"
            ),
        ),
        "no_side": Wording(
            (
                *("side", "stance", "position", "preference", "opinion", "scale"),
                *("winner", "taste", "open", "judge", "favo", "verdict"),
                *("right or wrong", "better than", "one over", " people", "personal "),
                *("matter of", "eye of the"),
            ),
            re.compile(
                r"\b(?:no|not|n't|never|without|rather than|leave|leaving"
                r"|refrain\w*|hold)\b[^.\n]{0,50}"
                r"\b(?:sides?|stance|position|preferences?|opinions?|scale|winner|taste|open|judge"
                r"|favou?rites?|verdict|right or wrong|better than the other|one over)\b"
                r"|\b(?:reasonable|thoughtful|informed|different) people\b"
                r"|\bpersonal (?:preference\w*|matter"
                r"|taste|choice)\b|\bmatter of (?:taste|opinion|preference|perspective|values)\b"
                r"|\beye of the \w+\b|\b(?:all|both|many|every|decent|good) (?:\w+ )?sides?\b"
            ),
        ),
        "danger": Wording(
            (
                *("harm", "danger", "weapon", "illegal", "crim", "violat", "privacy"),
                *("private", "hurt", "toxic", "poison", "suicid", "hate", "racist"),
                *("demean", "offensive", "safety", "guidelines", "polic", "crisis"),
                *("abus", "withheld", "stereotyp", "emergency", "explosive"),
                *("not be given", "something i"),
            ),
            re.compile(
                r"\b(?:harm\w*|danger\w*|weapon\w*|illegal|crim\w+|violat\w*|privacy|private|hurt\w*"
                r"|toxic|poison\w*|suicid\w*|hat(?:e|eful)|racist|demean\w*|offensive|safety|guidelines"
                r"|polic(?:y|ies)|crisis|abus\w*|withheld|stereotyp\w*|emergency|police|explosive\w*"
                r"|not be given|not something i|isn't something i)\b"
            ),
        ),
        "to_you": Wording(
            ("?", "___"),
            re.compile(
                r"(?:\b(?:you|your|yours|yourself|sie|ihnen|ihr|ihre|ihrer|du|dir|dich|dein\w*|vous|votre"
                r"|vos|toi|tú|ti|te|usted|ustedes|su)\b[^.!\n?]{0,160}\?|_{3,})"
            ),
        ),
        "invites": Wording(
            (
                *("you", "tell me", "let me know", "share", "whichever", "spoil"),
                *("guess first", "hand", "turn ", "hear which", "sag mir", "was meinst"),
                *("was denk", "erzähl", "qué ", "qu'en", "et toi", "et vous", "y tú"),
            ),
            re.compile(
                r"\b(?:tell me|let me know|share|up to you|your hands"
                r"|for you to (?:decide|say|judge)|take your pick|whichever"
                r"|spoil|guess first|your (?:turn|call|move|guess|answer"
                r"|choice|thoughts?|view|reasons?)|hand(?:ing)? (?:it|this|that|the question) back"
                r"|turn (?:it|this|that|the question) (?:back|around|over)|hear (?:from you"
                r"|what you|your"
                r"|where you|which)|would you|do you|have you|did you|sag mir|was meinst|was denk"
                r"|erzähl\w*|qué opinas|qué piensas|qu'en penses|et toi|y tú|et vous)\b"
            ),
        ),
        "sides": _pattern(
            r"\b(?:supporters?|opponents?|proponents?|critics|advocates|defenders|sceptics|skeptics"
            r"|those who|people who|households|families|readers|users|many|others?|some|each"
            r"|anhänger"
            r"|befürworter|gegner|manche|andere|algunos|otros|certains|d'autres)\b[^.\n]{0,120}"
            r"\b(?:point|argue|stress|emphasi[sz]e|say|claim|see|prefer|value|value|like|enjoy|cherish"
            r"|admire|appreciate|worry|fear|hold|believe|feel|cite|note|maintain|swear|find|think"
            r"|sagen|finden|meinen|dicen|prefieren|disent|pensent)\b"
            r"|\b(?:debate|preferences?|matter of (?:taste|opinion|perspective)|tastes? differ"
            r"|taste"
            r"|eye of the beholder|no (?:objective\w*|one-size|right or wrong|universally)"
            r"|lively|worth (?:weighing|considering)|on the other(?: hand)?|one hand|balance"
            r"|geschmack\w*|depende|dépend\w*|hängt)\b"
        ),
        "absent": _pattern(
            r"\b(?:no|not|n't|never|without|only|nothing|kein\w*|ning[uú]n\w*|aucun\w*|manque|fehlt"
            r"|falta|missing|absent)\b[^.\n]{0,60}\b(?:text|passage|paragraph|article|excerpt|extract"
            r"|document|story|image|picture|photo|figure|graph|table|chart|diagram|data|code|snippet"
            r"|attach\w*|clause|contract|map|judgment|page|speech|entry|leaflet|review|letter|email"
            r"|recording|transcript|poem|scenario|list|column|message"
            r"|upload\w*|pasted?|came through"
            r"|come through|reached me|bild|anhang|tabelle|texto|imagen|extrait|image)\b"
            r"|\b(?:text|passage|paragraph|article|excerpt|extract|document|story|image|picture|photo"
            r"|figure|graph|table|chart|diagram|data|clause|map|judgment|page|speech|entry|leaflet"
            r"|bild|tabelle|texto|imagen|extrait)\b[^.\n]{0,80}\b(?:isn't|is not|wasn't|didn't"
            r"|did not"
            r"|hasn't|has not|not part|missing|absent|never|fehlt|falta|manque|nicht)\b"
        ),
        "back": Wording(
            (
                *("you", "what's", "which ", "let me know", "i'd l", "curious"),
                *("walk me",),
            ),
            re.compile(
                r"\bwhat (?:do|would|does|did|are|is|about) (?:you|your)\b|\bwhat's your\b"
                r"|\bwhich (?:\w+ ){0,3}?"
                r"(?:do|would|did|are|is|feels?|sounds?|one) (?:you|your|right|closest|best|most)\b"
                r"|\b(?:how|what) about you\b|\bover to you\b|\byour (?:turn|call|choice|own|gut"
                r"|view|take"
                r"|guess|pick|instinct|thoughts?|answer)\b|\byou (?:decide|tell me|choose|pick)\b"
                r"|\bi'd (?:love|like) to (?:hear|know)\b|\blet me know\b|\bwhy do you\b|\bdo you\b"
                r"|\bcurious\b[^.\n]{0,40}\byou\b|\bwould you\b|\bhave you\b|\bwalk me through\b"
            ),
        ),
        "either": Wording(
            (
                *("either", "torn", "toss", "tie", "undecided", "coin", "fifty", "50"),
                *("both", "between", "equally", "as well", "as likely", "as valid"),
                *("as plausible", "as good", "or maybe", "or perhaps", "or possibly"),
                *("and also", "one of th", "two"),
            ),
            re.compile(
                r"\beither\b|\b(?:torn|toss-?up|tie|tied|undecided|coin|fifty|50[/-]50)\b"
                r"|\b(?:could|can|might|may) (?:\w+ )?be (?:either|both)\b|\bbetween\b|\bboth\b"
                r"|\bequally\b"
                r"|\bas (?:well|likely|valid|plausible|good) as\b|\bor (?:maybe|perhaps|possibly)\b"
                r"|\band also\b|\bas well\b|\bone of (?:the two|those two|these two|them)\b|\btwo\b"
            ),
        ),
        "undecided": Wording(
            (
                *("can't", "cannot", "can not", "couldn't", "won't", "able to"),
                *("hard to", "possible to", "difficult to", "undecided", "torn"),
                *("back and forth", "i keep", "not ", "leave it", "either way"),
                *("still ", "both ", "equal", "good as", "good than", "better"),
                *("at the same time", "side by side", "no further", "no way"),
                *("any further", "coin", "toss", "entscheiden", "nebeneinander"),
                *("beides", "depending on"),
            ),
            re.compile(
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
        ),
        "unsure": Wording(
            (
                *("not ", "n't ", "never ", "unsure", "uncertain", "no idea", "no clue", "no way"),
                *("no know", "no mem", "no rec", "no rel", "beyond", "stumped", "a loss", "dunno"),
                *("guess", "idk", "blank", "escapes", "outside", "can't", "cannot", "🤷"),
            ),
            re.compile(
                r"\b(?:not|n't|never) (?:\w+ )?(?:sure|certain|know|known|familiar|recall|remember"
                r"|confident"
                r"|enough|aware|learn\w*|heard?)\b|\bunsure\b|\buncertain\b|\bno (?:idea|clue"
                r"|way of|knowledge"
                r"|memory|recollection|reliable)\b|\bbeyond (?:me|my|what)\b|\bstumped\b"
                r"|\bat a loss\b|\bdunno\b"
                r"|\bi(?:'d| would) (?:only|just|merely) be guessing\b|\bwouldn't want to guess\b"
                r"|\bidk\b"
                r"|\b(?:draw\w*|have) a blank\b|\bescapes me\b|\boutside (?:my|of my)\b"
                r"|\bno guess\b"
                r"|\b(?:can't|cannot|couldn't) (?:\w+ )?(?:say|tell)\b|\bhaven't (?:the"
                r"|a) (?:\w+ )?(?:clue|idea)"
                r"|\bnot have (?:that|this|any|reliable|enough)\b|🤷"
                r"|\brather (?:than|not) guess\b|\bwithout guessing\b|\bnot going to guess\b"
            ),
        ),
        "policy": Wording(
            (
                *("can't", "cannot", "can not", "won't", "will not", "able", "decline"),
                *("refuse", "not", "as a", "guidelines", "polic", "sorry", "apolog"),
                *("harm", "neutral", "don't", "no ranking"),
            ),
            re.compile(
                r"\b(?:i(?:'m| am)? )?(?:can't|cannot|can not|won't|will not|unable to|not able to"
                r"|not comfortable"
                r"|must decline|have to decline|decline|refuse|rather not|prefer not|not going to"
                r"|not able)\b"
                r"|\bas an? (?:ai|language model|assistant|machine|model|chatbot|neutral)\b"
                r"|\bguidelines\b|\bpolic(?:y|ies)\b"
                r"|\bsorry\b|\bapologi[sz]e\b|\bharm\w*\b|\bnot (?:appropriate|something i)\b"
                r"|\bstay neutral\b|\bmust not\b|\bdon't (?:weigh|rank|judge|rate)\b|\bno ranking\b"
                r"|\bdon't (?:have|hold|form|take)\b|\bdo not (?:have|hold|form|take)\b"
            ),
        ),
        "guess": Wording(
            (
                *("guess", "if i", "forced to", "lean", "gun to", "go with"),
                *("going with", "i'd say", "would say", "if pressed", "nonetheless"),
                *("that said", "still,", "anyway"),
            ),
            re.compile(
                r"\b(?:if i (?:had|have|must|were)|my (?:best )?guess|i'd guess|i guess|forced to"
                r"|lean\w*"
                r"|best guess|gun to my head|going with|go with|i'd say|i would say|if pressed"
                r"|nonetheless"
                r"|that said|still,|anyway)\b"
            ),
        ),
        "turn": Wording(
            (
                *("wait", "sorry", "edit:", "hold on", "hmm", "scratch that"),
                *("second thought", "correction", "actually", "mistake", "oops", "no,"),
                *("misread", "take that back", "let me ", "strike that", "changed my"),
            ),
            re.compile(
                r"\b(?:wait|no sorry|sorry, no|edit:|hold on|hmm+|scratch that|on second thought"
                r"|correction|actually|my mistake|oops"
                r"|no,|i misread|i take that back|let me (?:re\w+|correct)|strike that"
                r"|changed my mind)\b"
            ),
        ),
        "all_apply": Wording(
            ("all", "each", "every", "both"),
            re.compile(
                r"\b(?:all|each|every(?:thing| one)?|both)\b[^.\n]{0,40}\b(?:correct|true|right"
                r"|apply|applies|hold"
                r"|valid|above|fit|appropriate|accurate|together|contribute|count)\b"
            ),
        ),
        "asks": _pattern(r"\?\W*\Z"),
        "question": _pattern(r"\bquestion ?\d{0,2} ?:|\bq ?\d{0,2} ?[:.]|\?\s*\n"),
    }
)
