"""What the evidence looks for besides cues, and how far it looks."""

from __future__ import annotations

import re

BY_FORM = (
    "named",
    "like",
    "line",
    "lead",
    "value",
    "first:lead",
    "mark",
    "part",
    "scale",
    "first:text",
    "first:sure",
    "first:linked",
)
BY_TEXT = ("text_alone", "lead_text", "linked", "mentioned")
"""Rules that find an option by its text: one ordinary word may be there for another reason."""
BY_ASKING = ("verdict", "part", "named:all_but")
TAIL = 220
LAST = 140
LAST_WORDS = frozenset(
    ("none", "undetermined", "refusal", "unknown", "not_offered", "missing", "undecided", "unsure")
)
LOOKED_AT = 4000
HEAD = 120
GAP = 24
SENTENCE_ENDS = re.compile(r"[\"')\]]*(?:\.(?=\s|\[|\Z)|!|\n\s*\n)")
SENTENCE_START = re.compile(r"(?<=[.!?\n])\s+(?=\S)")
ANNOUNCES = re.compile(
    r"(?:\b(?:is|are|be|option|answer|choose|pick|select|with|that|the|a|to|and|of|:|because|so|as"
    r"|would|which|for|in|if|i|we)|[,:(\-=*])\s*\Z"
)
ALL = re.compile(
    r"\A\W*(?:all|both|each)(?: of)?(?: the)?(?: (?:above|these|those|them|options))?\b"
    r"|\b(?:both|beide[sn]?|ambos|ambas|les deux|tanto|all of (?:the above|these|them))\b"
)
BOTH = re.compile(
    r"\b(?:both|beide[sn]?|ambos|ambas|las dos|los dos|les deux|each|too|also|as well|all"
    r"|the two|auch|también|aussi"
    r"|together|one and the other|either way|equally|and so)\b"
)
LONGEST = 60
THE_OTHER = re.compile(
    r"\b(?:the|that|just|only|to the) (?:(?:other|remaining|last|one)(?: (?:one|option|number"
    r"|choice"
    r"|answer|candidate|name|statement|sentence|possibility))?)(?: left)?\b(?=\W*\Z| (?:is|has"
    r"|that|who)\b|[!.,;])"
    r"|\bone (?:\w+ )?remains\b|\bthe exception is\b|\b(?:leaves"
    r"|leaving) (?:just |only )?(?:the|one)\b"
    r"|\bin the remaining \w+"
)
RETURNS = re.compile(
    r"\b(?:first|initial|original|earlier|previous)(?: (?:\w+ ))?\s?(?:answer|choice|label"
    r"|thought|guess|instinct"
    r"|pick|option|reading|version)\b[^.\n]{0,30}\b(?:was|is|were|had been|stands)\b[^.\n]{0,20}"
    r"\b(?:right|correct|after all)\b"
    r"|\b(?:go|going|went|come|back|return\w*|revert\w*) (?:back )?to (?:my |the )?(?:first"
    r"|initial|original)\b"
    r"|\b(?:started|began|had) (?:out )?with\b[^.\n]{0,30}\b(?:right|correct)\b"
)
NAMES = re.compile(r"\b([a-z]|\d{1,2}|i{1,3}|iv|v)\b")

ALWAYS = frozenset(
    ("bias", "nothing_named", "nothing_like", "stated", "first_found", "length", "recited")
)
BEARS_ON = {
    status: ALWAYS | frozenset(names.split())
    for status, names in {
        "none": "not_listed absent none undetermined not_offered missing lacking foreign_value"
        " all_against most_against",
        "refusal": (
            "no_side no_guess danger to_you invites sides absent unknown refusal policy "
            "scruples neutral back long stated for_several"
        ),
        "unknown": "no_guess all_named absent lacking undetermined unknown unsure all_named guess",
        "ambiguous": "plural_pair or_pair and_pair either undecided several stated_several"
        " for_several end_several two_named one_for one_named turn two_stand two_affirmed"
        " and_other back_and_forth two_bold two_marked two_lines open says_two places_two end_two"
        " tail_two then_one alike stated_both by_case but_one beside",
        "illegal": (
            "repeats off_topic listed_only question unfinished one_named very_short long neutral"
        ),
        "truncated": "cut_unsaid cut_open unfinished announcing thought_open very_short",
    }.items()
}

FEW_LINES = 3
DECLINES = re.compile(
    r"\b(?:can't|cannot|can not|won't|will not|not able to|unable to|declin\w*|refus\w*"
    r"|not going to|not (?:\w+ )?(?:be )?(?:given|answered|provided|shared)|not something i"
    r"|something i do"
    r"|withheld|no answer|violat\w*|don't provide|do not provide|sorry)\b|\A\W*no\."
)
NO_CHOICE = (
    *("none", "undetermined", "unknown", "unsure", "missing", "not_offered", "no_guess", "no_side"),
    *("not_listed", "refusal", "absent", "to_you@end", "undecided", "lacking"),
)
PLURAL = re.compile(r"\b(?:answers|options|choices|both|two|either|each|equally)\b")
ELIMINATES = re.compile(
    r"\b(?:remov\w*|rul\w+ out|cross\w*|struck|strike|fall\w*|off the table|gone|eliminat\w*|out"
    r"|exclud\w*|discard\w*|dropp\w*|no good|none of (?:these|those|them)|neither|drops?|scheid\w*"
    r"|all wrong|vom tisch|descart\w*|those (?:two|three|four|five))\b"
)
NO_SIDE = ("unknown", "unsure", "missing", "neutral", "refusal", "back", "lacking")
JOINED = re.compile(
    r"[\s\"')\].,]*(?P<or>or|oder|ou|o|und/oder|or else|or maybe|or perhaps|/)?(?P<and>and|und"
    r"|et|y|as well as)?"
    r"(?: (?:else|possibly|even))?(?: (?:option|choice|the|a|an|make it))?[\s\"'(\[]*"
)
