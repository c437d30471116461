"""Replies and options without an answer: none of them, cannot be told, refused, not known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from horsesense.items.none_options import says_none
from horsesense.readers.text import no_choice
from horsesense.readers.text.normalise import Folded

Meaning = Literal["none", "undetermined", "refusal", "unknown"]

_LONGEST = 80
_REFUSED = re.compile(
    r"\W*(?:(?:i )?(?:refused?|declined?)(?: to (?:answer|say|respond))?"
    r"|(?:i )?(?:would )?(?:prefer|rather|choose) not (?:to )?(?:say|answer|respond)"
    r"|no (?:answer|response)|skip(?:ped)?)\W*"
)
_UNKNOWN = re.compile(
    r"\W*(?:(?:i )?(?:do not|don'?t|dont) (?:really )?know(?: the (?:correct )?answer)?"
    r"|dk|(?:i'?m |i am )?not sure|unsure|no idea|no opinion|undecided)\W*"
)
_UNDETERMINED = re.compile(
    r"\W*(?:unknown|undetermined"
    r"|(?:it )?(?:cannot|can not|can'?t) (?:be )?(?:answer|determine|tell|say|know)\w*"
    r"|(?:it is )?(?:not possible|impossible) to (?:determine|say|tell)"
    r"|(?:there is )?(?:not enough|insufficient|too little) info\w*|not answerable|unanswerable"
    r"|not (?:given|stated|mentioned|determinable)).{0,40}",
    re.DOTALL,
)
# Where no option says exactly what a reply means, the option that comes nearest is meant.
_NEAREST: dict[Meaning, tuple[Meaning, ...]] = {
    "none": ("none",),
    "undetermined": ("undetermined", "none"),
    "refusal": ("refusal",),
    "unknown": ("unknown", "undetermined"),
}


@lru_cache(maxsize=8192)
def meaning_of(option: str) -> Meaning | None:
    """What an option says if it is not an ordinary answer, else None."""
    if len(option) > _LONGEST:
        return None
    low = Folded(option).low.strip()
    if says_none(low):
        return "none"
    if _REFUSED.fullmatch(low):
        return "refusal"
    if _UNKNOWN.fullmatch(low):
        return "unknown"
    return "undetermined" if _UNDETERMINED.fullmatch(low) else None


def option_meaning(meaning: Meaning, options: Sequence[str]) -> int | None:
    """The position of the one option that says `meaning`, None where none or several do."""
    said = [meaning_of(option) for option in options]
    for wanted in _NEAREST[meaning]:
        if said.count(wanted) == 1:
            return said.index(wanted)
    return None


class Said(NamedTuple):
    """A phrase that chooses nothing: what it means, where it is, and how sure that is."""

    meaning: Meaning
    start: int
    end: int
    confidence: float


_ORDER: tuple[tuple[Meaning, re.Pattern[str]], ...] = (
    ("none", no_choice.NONE),
    ("undetermined", no_choice.UNDETERMINED),
    ("unknown", no_choice.UNKNOWN),
)


def find(response: Folded) -> Said | None:
    """What a response says instead of choosing, None if it says nothing of the kind.

    A refusal for lack of information alone says that the answer cannot be determined.
    """
    low = response.low
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
