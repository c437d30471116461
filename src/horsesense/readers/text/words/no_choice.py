"""The wordings of replies that choose no option: refusals, "none of these", "I do not know".

Like those of `announcements`, the patterns run on lower-case text and look a bounded way ahead.
"""

from __future__ import annotations

import re

from horsesense.readers.text.words.wording import Wording, one_boundary

_CANNOT = (
    r"(?:can ?not|can'?t|could not|couldn'?t|(?:am|'m) (?:unable|not able|not going"
    r"|not programmed) to|will not|won'?t|must decline to|must refuse to|decline to|refuse to"
    r"|do not wish to|would rather not|would prefer not to"
    r"|(?:am|'m|do not feel|don'?t feel) (?:not )?comfortable)"
)
_DO = (
    r"(?:answer|provid|select|choos|giv|offer|respond|assist|help|fulfil|participat|discuss"
    r"|engag|mak|express|comply|support|take|judge|endors|say|pick|recommend|advis|speculat"
    r"|determine|creat|generat|condon|promot)\w*"
)
_INFORMATION = r"(?:\w+ ){0,2}(?:information|context|data|details?|evidence)\b"
_TELL = (
    r"(?:provide|give|contain|mention|specify|state|describe|include|discuss|say|offer|indicate)"
)
_NOT_THERE = (
    r"(?:provided|given|listed|mentioned|included|among|one of|in|present|available|shown|found)"
)
_SETTLED = (
    r"(?:determined|answered|inferred|known|established|identified|calculated|concluded|deduced)"
)
_SETTLE = (
    r"(?:determine|say|tell|answer|know|identify|infer|conclude|give|provide|select|choose|draw"
    r"|define)"
)


def _any(*wordings: str) -> re.Pattern[str]:
    return re.compile(one_boundary("|".join(wordings)))


REFUSAL = Wording(
    (
        *("can not", "cannot", "cant", "can't", "could not", "couldn", "unable", "not able"),
        *("not going", "not programmed", "will not", "wont", "won't", "decline", "refuse"),
        *("wish to", "rather not", "prefer not", "comfortable", "sorry", "as a", "just an ai"),
        *("do not have", "don't have", "dont have", "apologi", "keep ", "no comment"),
        *("none of your", "ich kann", "no puedo", "je ne peux", "non posso", "não posso"),
        *("无法回答", "不能回答", "お答えできません", "не могу"),
    ),
    _any(
        rf"\bi(?: (?:am afraid|regret|apologi[sz]e)(?: that)?,? i)?"
        rf"(?: (?:simply|really|also|therefore|respectfully))? ?{_CANNOT}"
        rf"(?: (?:in good conscience|ethically|possibly|really))? {_DO}\b",
        r"\bi(?:'m| am) sorry,? but (?:i|this|that|as)\b",
        r"\bas an? (?:ai|artificial|large language|responsible|language)\b[^.\n]{0,60}"
        r"\b(?:do not|don'?t|cannot|can'?t|must|unable)\b",
        r"\bi(?:'m| am) just an ai\b",
        r"\bi (?:do not|don'?t) have (?:any )?(?:personal|opinions?|feelings|beliefs)\b",
        r"\b(?:do not|don'?t) have the (?:ability|capacity|capability) to"
        r" (?:have|hold|form|feel)\b",
        r"\bi apologi[sz]e,? but\b",
        r"\bi (?:refuse|decline)\b",
        r"\bkeep (?:that|it|this|my \w+) (?:to myself|private)\b|\A\W*no comment\b",
        r"\bnone of your business\b|\bi(?:'d| would)? (?:rather|prefer) not (?:to )?"
        r"(?:say|answer|disclose|comment|share|tell)\b",
        r"\bich kann (?:diese|die|ihre|das)[^.\n]{0,40}nicht beantworten",
        r"\bno puedo (?:responder|contestar|ayudar)",
        r"\bje ne peux pas (?:répondre|aider)",
        r"\bnon posso rispondere",
        r"\bnão posso (?:responder|ajudar)",
        r"无法回答|不能回答|お答えできません|не могу ответить",
    ),
)

# Why somebody refuses: these reasons make it a refusal even where information is lacking too.
SCRUPLES = re.compile(
    r"\b(?:appropriate|inappropriate|ethic\w*|unethical|moral\w*|harmful|offensive|illegal"
    r"|respectful|stereotyp\w*|discriminat\w*|privacy|sensitive|diagnos\w*|medical advice"
    r"|legal advice|judg\w*)\b"
)
LACKING = _any(
    r"\b(?:text|passage|question|excerpt|context|information|article|document|prompt|statement"
    r"|data|paragraph|scenario|table|figure|image|options?)\b[^.\n]{0,60}?"
    rf"\b(?:do(?:es)? not|did not|doesn't|don't|fails? to) (?:\w+ )?{_TELL}\b",
    rf"\b(?:not enough|insufficient|lack of|lacks?|without (?:more|further|additional|enough|any))"
    rf" {_INFORMATION}",
    r"\b(?:is|are) not (?:provided|given|mentioned|specified|stated|described|included|discussed"
    r"|available) (?:in|by)\b",
    rf"\bi do not have (?:access to )?(?:any|enough|sufficient) {_INFORMATION}",
    r"\bfrom the (?:provided|given) (?:text|context|information|passage)\b",
)
UNDETERMINED = Wording(
    (
        *("can not", "can't", "cannot", "cant", "could not", "couldn", "context"),
        *("data", "detail", "evidence", "information", "difficult", "hard to"),
        *("impossible", "not able", "not enough", "not possible", "unable"),
        *("insufficient", "kann nicht", "no se puede", "ne peut", "无法确定"),
    ),
    _any(
        rf"(?:cannot|can not|can'?t|could not|couldn'?t) be (?:\w+ly )?{_SETTLED}",
        rf"(?:impossible|not possible|unable|not able) to (?:\w+ly )?{_SETTLE}\b",
        r"(?:difficult|hard) to (?:\w+ly )?(?:determine|say|tell|know)\b",
        r"\b(?:cannot|can'?t) (?:\w+ly )?(?:determine|tell|infer|conclude)\b",
        rf"\b(?:not enough|insufficient) {_INFORMATION}",
        rf"(?:does|do) not (?:provide|give|contain|include) (?:enough|sufficient|any|adequate)"
        rf" {_INFORMATION}",
        r"kann nicht (?:bestimmt|beantwortet) werden|no se puede determinar",
        r"ne peut pas être déterminé|无法确定",
    ),
)
NONE = Wording(
    (
        *("none", "neither", "no ", "not ", "incorrect", "wrong", "false", "keine", "ninguna"),
        *("aucune", "nessuna", "nenhuma", "以上都不", "都不正确", "ни один"),
    ),
    _any(
        r"\A\W*(?:0\W{1,9})?none\b(?= ?[.,;:!]| ?-(?!\w)|\W*\Z)",
        r"\bnone of (?:the |these |those |them\b|your )?"
        r"(?:(?:above|given|listed|provided|available|answer|four|five|three|following|other"
        r"|remaining) ?){0,3}"
        r"(?:options?|answers?|choices?|alternatives?|statements?|above|these|them)?\b",
        r"\bneither of (?:the|these) (?:options|answers|choices)\b",
        r"\bno(?:ne)? (?:correct|right|valid|suitable|clear|accurate|appropriate)"
        r" (?:answer|option|choice)s?\b",
        r"\bno (?:answer|option|choice) (?:is|that is|listed|given|provided|fits|matches|here)\b",
        r"\b(?:answer|option|choice|value|result|solution)s?\b(?: [\w'-]+){0,8}? (?:is|are|was) not"
        rf" (?:\w+ly )?{_NOT_THERE}\b",
        r"\b(?:does|do) not (?:exactly |appear to )?match (?:any|one) of (?:the|these)",
        r"\ball (?:of )?(?:the )?(?:options|choices|answers|statements)?[^.\n]{0,20}?"
        r"\bare (?:incorrect|wrong|false)\b",
        r"\bkeine der (?:antworten|optionen|genannten)|\bninguna de las|\baucune des? ",
        r"\bnessuna delle|\bnenhuma das|以上都不|都不正确|ни один из",
    ),
)
UNKNOWN = Wording(
    (
        *("know", "sure", "certain", "idea", "enough", "sufficient", "weiß", "no lo sé"),
        *("no sé", "sais pas", "我不知道", "わかりません", "не знаю"),
    ),
    _any(
        r"\bi (?:really )?(?:do not|don'?t|dont) (?:really )?know\b",
        r"\bi(?:'m| am) (?:not sure|unsure|not certain|uncertain)\b",
        r"\b(?:i have )?no idea\b",
        r"\bi (?:do not|don'?t) have (?:enough|sufficient) (?:information|knowledge)\b",
        r"\bich weiß (?:es )?nicht\b|\bno lo sé\b|\bno sé\b|\bje ne sais pas\b",
        r"我不知道|わかりません|не знаю",
    ),
)
