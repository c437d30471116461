"""Replies that choose no option: refusals, "none of these", "I do not know"; and their options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from horsesense.phrases import says_none
from horsesense.readers.text.normalise import Folded

Meaning = Literal["none", "undetermined", "refusal", "unknown"]
"""What a reply or an option says that is no content."""

_REFUSED = re.compile(
    r"\W*(?:(?:i )?(?:refused?|declined?)(?: to (?:answer|say|respond))?"
    r"|(?:i )?(?:would )?(?:prefer|rather|choose) not (?:to )?(?:say|answer|respond)"
    r"|no (?:answer|response)|skip(?:ped)?)\W*"
)
_UNKNOWN = re.compile(
    r"\W*(?:i (?:do not|don'?t|dont) (?:really )?know(?: the (?:correct )?answer)?|(?:do not|don'?t|dont) know"
    r"|dk|not sure|i'?m not sure|i am not sure|unsure|no idea|no opinion|undecided)\W*"
)
_UNDETERMINED = re.compile(
    r"\W*(?:unknown|undetermined|(?:it )?(?:cannot|can not|can'?t) (?:be )?(?:answer|determine|tell|say|know)\w*"
    r"|(?:it is )?(?:not possible|impossible) to (?:determine|say|tell)"
    r"|(?:there is )?(?:not enough|insufficient|too little) info\w*|not answerable|unanswerable"
    r"|not (?:given|stated|mentioned|determinable)).{0,40}",
    re.DOTALL,
)


@lru_cache(maxsize=8192)
def meaning_of(option: str) -> Meaning | None:
    """What an option says if it is no ordinary content, else None."""
    low = Folded(option).low.strip()
    if len(low) > 80:
        return None
    if says_none(low):
        return "none"
    if _REFUSED.fullmatch(low):
        return "refusal"
    if _UNKNOWN.fullmatch(low):
        return "unknown"
    return "undetermined" if _UNDETERMINED.fullmatch(low) else None


_NEAREST: dict[Meaning, tuple[Meaning, ...]] = {
    "none": ("none",),
    "undetermined": ("undetermined", "none"),
    "refusal": ("refusal",),
    "unknown": ("unknown", "undetermined"),
}


def option_meaning(meaning: Meaning, options: Sequence[str]) -> int | None:
    """The slot of the option that says `meaning`, None where there is none (or several)."""
    said = [meaning_of(option) for option in options]
    for wanted in _NEAREST[meaning]:
        if said.count(wanted) == 1:
            return said.index(wanted)
    return None


class Said(NamedTuple):
    """A phrase without content: what it means, where it stands, and how sure that is."""

    meaning: Meaning
    start: int
    end: int
    confidence: float


_CANNOT = (
    r"(?:can ?not|can'?t|could not|couldn'?t|am unable to|'m unable to|am not able to|'m not able to"
    r"|will not|won'?t|must decline to|must refuse to|decline to|refuse to|do not wish to"
    r"|would rather not|would prefer not to|am not comfortable|'m not comfortable|do not feel comfortable"
    r"|don'?t feel comfortable|am not programmed to|am not going to|'m not going to)"
)
REFUSAL = re.compile(
    rf"\bi(?: (?:am afraid|regret|apologi[sz]e)(?: that)?,? i)?(?: (?:simply|really|also|therefore|respectfully))?"
    rf" ?{_CANNOT}(?: (?:in good conscience|ethically|possibly|really))?"
    r" (?:answer\w*|provid\w*|select\w*|choos\w*|giv\w*|offer\w*|respond\w*|assist\w*|help\w*|fulfil\w*"
    r"|participat\w*|discuss\w*|engag\w*|mak\w*|express\w*|comply\w*|support\w*|take|judge|endors\w*|say"
    r"|pick|recommend|advis\w*|speculat\w*|determine|creat\w*|generat\w*|condon\w*|promot\w*)\b"
    r"|\bi(?:'m| am) sorry,? but (?:i|this|that|as)\b"
    r"|\bas an? (?:ai|artificial|large language|responsible|language)\b[^.\n]{0,60}\b(?:do not|don'?t|cannot|can'?t|must|unable)\b"
    r"|\bi(?:'m| am) just an ai\b|\bi (?:do not|don'?t) have (?:any )?(?:personal|opinions?|feelings|beliefs)\b"
    r"|\bi apologi[sz]e,? but\b"
    r"|\bi (?:refuse|decline)\b|\bich kann (?:diese|die|ihre|das)[^.\n]{0,40}nicht beantworten"
    r"|\bno puedo (?:responder|contestar|ayudar)|\bje ne peux pas (?:répondre|aider)"
    r"|\bnon posso rispondere|\bnão posso (?:responder|ajudar)|无法回答|不能回答|お答えできません|не могу ответить"
)
LACKS = re.compile(
    r"\b(?:text|passage|question|excerpt|context|information|article|document|prompt|statement|data"
    r"|paragraph|scenario|table|figure|image|options?)\b[^.\n]{0,60}?"
    r"\b(?:do(?:es)? not|did not|doesn't|don't|fails? to) (?:\w+ )?(?:provide|give|contain|mention|specify"
    r"|state|describe|include|discuss|say|offer|indicate)\b"
    r"|\b(?:not enough|insufficient|lack of|lacks?|without (?:more|further|additional|enough|any))"
    r" (?:\w+ ){0,2}(?:information|context|details?|data)\b"
    r"|\b(?:is|are) not (?:provided|given|mentioned|specified|stated|described|included|discussed"
    r"|available) (?:in|by)\b"
    r"|\bfrom the (?:provided|given) (?:text|context|information|passage)\b"
)
UNDETERMINED = re.compile(
    r"(?:cannot|can not|can'?t|could not|couldn'?t) be (?:\w+ly )?(?:determined|answered|inferred|known|established|identified|calculated|concluded|deduced)"
    r"|(?:impossible|not possible|unable|not able) to (?:\w+ly )?(?:determine|say|tell|answer|know|identify|infer|conclude|give|provide|select|choose|draw|define)\b"
    r"|(?:difficult|hard) to (?:\w+ly )?(?:determine|say|tell|know)\b"
    r"|\b(?:cannot|can'?t) (?:\w+ly )?(?:determine|tell|infer|conclude)\b"
    r"|\b(?:not|in)?(?:enough|sufficient)? ?(?:not enough|insufficient) (?:\w+ ){0,2}(?:information|context|data|details?)"
    r"|(?:does|do) not (?:provide|give|contain|include) (?:enough|sufficient|any|adequate) (?:\w+ ){0,2}(?:information|details?|context|data)"
    r"|kann nicht (?:bestimmt|beantwortet) werden|no se puede determinar|ne peut pas être déterminé|无法确定"
)
NONE = re.compile(
    r"\bnone of (?:the |these |those |them\b|your )?(?:(?:above|given|listed|provided|available|answer|four|five|three|following|other|remaining) ?)*"
    r"(?:options?|answers?|choices?|alternatives?|statements?|above|these|them)?\b"
    r"|\bneither of (?:the|these) (?:options|answers|choices)\b"
    r"|\bno(?:ne)? (?:correct|right|valid|suitable|clear|accurate|appropriate) (?:answer|option|choice)s?\b"
    r"|\bno (?:answer|option|choice) (?:is|that is|listed|given|provided|fits|matches|here)\b"
    r"|\b(?:answer|option|choice|value|result|solution)s?\b(?: [\w'-]+){0,8}? (?:is|are|was) not (?:\w+ly )?(?:provided|given|listed|mentioned|included|among|one of|in|present|available|shown|found)\b"
    r"|\b(?:does|do) not (?:exactly |appear to )?match (?:any|one) of (?:the|these)"
    r"|\ball (?:of )?(?:the )?(?:options|choices|answers|statements)?[^.\n]{0,20}?\bare (?:incorrect|wrong|false)\b"
    r"|\bkeine der (?:antworten|optionen|genannten)|\bninguna de las|\baucune des? |\bnessuna delle|\bnenhuma das|以上都不|都不正确|ни один из"
)
UNKNOWN = re.compile(
    r"\bi (?:do not|don'?t|dont|really don'?t) know\b|\bi(?:'m| am) (?:not sure|unsure|not certain|uncertain)\b"
    r"|\bi have no idea\b|\bno idea\b|\bi (?:do not|don'?t) have (?:enough|sufficient) (?:information|knowledge)\b"
    r"|\bich weiß (?:es )?nicht\b|\bno lo sé\b|\bno sé\b|\bje ne sais pas\b|我不知道|わかりません|не знаю"
)


_ORDER: tuple[tuple[Meaning, re.Pattern[str]], ...] = (
    ("none", NONE),
    ("undetermined", UNDETERMINED),
    ("unknown", UNKNOWN),
)


def find(response: Folded) -> Said | None:
    """What a response says instead of choosing, None if it says nothing of the kind.

    A refusal for lack of information is "undetermined".
    """
    low = response.low
    refusal = REFUSAL.search(low)
    if refusal:
        lacks = LACKS.search(low, max(0, refusal.start() - 400), refusal.end() + 200)
        moral = MORAL.search(low, refusal.end(), refusal.end() + 300)
        if lacks and not moral:
            return Said("undetermined", *lacks.span(), 0.92)
        return Said("refusal", *refusal.span(), 0.97)
    for meaning, pattern in _ORDER:
        m = pattern.search(low)
        if m:
            return Said(meaning, *m.span(), 0.95)
    return None


MORAL = re.compile(
    r"\b(?:appropriate|inappropriate|ethic\w*|unethical|moral\w*|harmful|offensive|illegal|respectful"
    r"|stereotyp\w*|discriminat\w*|privacy|sensitive|diagnos\w*|medical advice|legal advice|judg\w*)\b"
)
