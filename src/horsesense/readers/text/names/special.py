"""Replies and options without an answer: none of them, cannot be told, refused, not known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from horsesense.items.none_options import says_none
from horsesense.readers.text.words import no_choice
from horsesense.readers.text.words.normalise import Folded
from horsesense.readers.text.words.wording import Wording

Meaning = Literal["none", "undetermined", "refusal", "unknown"]

_LONGEST = 80
_REFUSED = re.compile(
    r"\W*(?:(?:i )?(?:refused?|declined?)(?: to (?:answer|say|respond))?"
    r"|(?:i )?(?:would )?(?:prefer|rather|choose) not (?:to )?(?:say|answer|respond)"
    r"|(?P<both>no (?:answer|response)|skip(?:ped)?))\W*"
)
_UNKNOWN = re.compile(
    r"\W*(?:(?:i )?(?:do not|don'?t|dont) (?:really )?know(?: the (?:correct )?answer)?"
    r"|dk|(?:i'?m |i am )?not sure|unsure|no idea|undecided"
    r"|(?P<both>(?:i have )?no opinion|(?:i )?(?:can ?not|can'?t) (?:choose|decide)))\W*"
)
_UNDETERMINED = re.compile(
    r"\W*(?:unknown|undetermined"
    r"|(?:it )?(?:cannot|can not|can'?t) (?:be )?(?:answer|determine|tell|say|know)\w*"
    r"|(?:it is )?(?:not possible|impossible) to (?:determine|say|tell)"
    r"|(?:there is )?(?:not enough|insufficient|too little) info\w*|not answerable|unanswerable"
    r"|not (?:given|stated|mentioned|determinable)).{0,40}",
    re.DOTALL,
)
_PARTS = re.compile(r"[/|,;()\[\]]|\b(?:or|and)\b")
_NOTE = re.compile(
    r"[(\[]\W*(?:vol|volunteered(?: only)?|spontaneous|(?:do not|don'?t) read(?: out)?)\W*[)\]]"
)
"""What a questionnaire says to the interviewer of an option."""
_SHORT_FORMS: dict[str, Meaning] = {"ref": "refusal", "rf": "refusal", "na": "refusal"}
"""What says a status only beside another one ("DK/REF")."""
# Where no option says exactly what a reply means, the option that comes nearest is meant.
_NEAREST: dict[Meaning, tuple[Meaning, ...]] = {
    "none": ("none",),
    "undetermined": ("undetermined", "none"),
    "refusal": ("refusal",),
    "unknown": ("unknown", "undetermined"),
}


def meaning_of(option: str) -> Meaning | None:
    """What an option says above all if it is not an ordinary answer, else None."""
    said = meanings_of(option)
    return said[0] if said else None


@lru_cache(maxsize=8192)
def meanings_of(option: str) -> tuple[Meaning, ...]:
    """All that an option says if it is not an ordinary answer, what it says first in front.

    It may have parts that each say something ("Don't know / Refused"), or stand for several
    ("No answer").
    """
    if len(option) > _LONGEST:
        return ()
    low = _NOTE.sub(" ", Folded(option).low).strip()
    parts = [part.strip(" .") for part in _PARTS.split(low) if part.strip(" .")]
    each = [_meanings(part) for part in parts]
    if len(parts) > 1 and any(each):
        each = [
            said or ((_SHORT_FORMS[part],) if part in _SHORT_FORMS else ())
            for part, said in zip(parts, each, strict=True)
        ]
        if all(each):
            return tuple(dict.fromkeys([*(said[0] for said in each), *sum(each, ())]))
    return _meanings(low)


def _meanings(low: str) -> tuple[Meaning, ...]:
    """What a text, or a part of one, says as a whole."""
    if says_none(low):
        return ("none",)
    if said := _REFUSED.fullmatch(low):
        return ("refusal", "unknown") if said["both"] else ("refusal",)
    if said := _UNKNOWN.fullmatch(low):
        return ("unknown", "refusal") if said["both"] else ("unknown",)
    return ("undetermined",) if _UNDETERMINED.fullmatch(low) else ()


def whole_meaning(reply: str) -> Meaning | None:
    """What a reply says that does nothing but refuse or say that it does not know."""
    if len(reply) > _LONGEST:
        return None
    low = Folded(reply).low.strip()
    if _REFUSED.fullmatch(low):
        return "refusal"
    return "unknown" if _UNKNOWN.fullmatch(low) else None


def said_by(reply: str, options: Sequence[str]) -> int | None:
    """The one option that says what the whole of a reply says ("I don't know.", "Refused")."""
    meaning = whole_meaning(reply)
    position = option_meaning(meaning, options) if meaning else None
    found = position is not None and meaning in meanings_of(options[position])
    return position if found else None


def option_meaning(meaning: Meaning, options: Sequence[str]) -> int | None:
    """The position of the one option that says `meaning`, None where none or several do.

    An option that says it above all comes before one that says it too.
    """
    every = [meanings_of(option) for option in options]
    for reach in (1, len(_ORDER) + 1):
        for wanted in _NEAREST[meaning]:
            found = [at for at, said in enumerate(every) if wanted in said[:reach]]
            if len(found) == 1:
                return found[0]
    return None


class Said(NamedTuple):
    """A phrase that chooses nothing: what it means, where it is, and how sure that is."""

    meaning: Meaning
    start: int
    end: int
    confidence: float


_ORDER: tuple[tuple[Meaning, re.Pattern[str] | Wording], ...] = (
    ("none", no_choice.NONE),
    ("undetermined", no_choice.UNDETERMINED),
    ("unknown", no_choice.UNKNOWN),
)


def find(response: Folded) -> Said | None:
    """What a response says instead of choosing, None if it says nothing of the kind.

    A refusal for lack of information alone says that the answer cannot be determined.
    """
    low = response.low
    if whole := whole_meaning(low):
        return Said(whole, 0, len(low), 0.95)
    refusal = no_choice.REFUSAL.search(low)
    if refusal:
        lacking = no_choice.LACKING.search(low, max(0, refusal.start() - 400), refusal.end() + 200)
        scruples = no_choice.SCRUPLES.search(low, refusal.end(), refusal.end() + 300)
        if lacking and not scruples:
            return Said("undetermined", *lacking.span(), 0.92)
        return Said("refusal", *refusal.span(), 0.97)
    for meaning, pattern in _ORDER:
        m = pattern.search(low)
        if m:
            return Said(meaning, *m.span(), 0.95)
    return None
