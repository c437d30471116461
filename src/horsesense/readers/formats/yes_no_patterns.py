"""How replies say yes and no, judge a proposed answer, and take it back."""

from __future__ import annotations

import re
from typing import Final

from horsesense.expressions import expression

OF_ITS_CLAUSE: Final = 40
"""Characters behind "I am not sure" that may still be what is not sure."""
YES: Final = (
    r"yes|yeah|yep|yup|i (?:think|believe|suppose|guess) so|you got it"
    r"|affirmative|absolutely|certainly|definitely|indeed|of course|sure"
    r"|oui|ja|s[ií]|да|是的?|はい|✅|✔|✓|☑|👍|y"
)
NO: Final = (
    r"(?:absolutely|certainly|definitely|of course|surely)\s+not|not at all|not quite"
    r"|i (?:do not|don't) (?:think|believe) so|no|nope|nah|negative"
    r"|nein|non|нет|否|不是|いいえ|❌|✗|✘|👎|n"
)
GOOD: Final = r"correct|right|true|accurate|valid"
BAD: Final = r"incorrect|wrong|false|inaccurate|invalid|untrue|mistaken|erroneous|off"
END: Final = r"(?!\w|['’/-]\w)"
SAYS: Final = rf"(?:(?P<no>{NO})|(?P<yes>{YES})){END}"
JUDGES: Final = (
    r"(?P<not>(?:(?:not|never|hardly|far from|n't)\s+)?)(?P<partly>(?:(?:partially|partly|half"
    rf"|entirely|fully|completely|mostly)\s+)?)(?:(?P<good>{GOOD})|(?P<bad>{BAD})){END}(?!\s+that)"
)
NAMED: Final = r"(?:final\s+)?(?:answer|verdict|conclusion|judge?ment|response)"
ALONE = expression(rf"\W{{0,40}}{SAYS}\W*", re.I)
OPENS = expression(rf"[\s\W]*?(?:{NAMED}\s*[:=]\W*)?{SAYS}", re.I)
OPENS_JUDGING = expression(rf"[\s\W]*?(?:{NAMED}\s*[:=]\W*)?(?:that's\s+)?{JUDGES}", re.I)
STANDS = expression(
    rf"(?:\b{NAMED}\s*(?:is|would be|[:=])[\W_]*"
    r"|(?<!not )(?<!n't )(?<!never )\b(?:be|is)\s+an?\s+(?:clear\s+|firm\s+|definite\s+)?"
    r"[\"']?(?=(?:yes|no)\b)"
    r"|\\boxed\s*\{\W*(?:text\s*\{)?\s*"
    rf"|^[ \t*#>]*+(?=\w++[\s*.!]*+\Z)){SAYS}",
    re.I | re.M,
)
SAYING = expression(
    rf"\b(?:say|says|said|saying|answer|answers|answered|answering)[\s\"'*_]+{SAYS}", re.I
)
OWN_WORDS: Final = (
    r"would|will|must|shall|should|have|got|gotta|gonna|going|need|to|am|can|do|inclined|lean(?:ing)?"
    r"|towards?|think|believe|guess|suppose|feel|therefore|thus|so|still|also|just|here|again"
    r"|that|it|is|it's|i|i'd|i'll|i'm|we|safe|fair|right|reasonable|accurate|confident|comfortable"
    r"|(?!(?:hard|bare|scarce|on|rare)ly)\w+ly"
)
OWN = expression(
    r"(?:(?<!\bif )(?<!\bwhen )(?<!\bunless )(?<!\bwhether )(?<!\bshould )(?<!\bdid )(?<!\bcan )"
    r"(?<!\bcould )(?<!\bwould )(?<!\bwhy )(?<!\bbefore )\b(?:i|we|let's|let me)(?:'d|'ll|'m|'ve)?"
    r"|\b(?:it's|it is|it would be|it'd be) (?:safe|fair|right|reasonable|accurate) to"
    r"|(?:\A|[.!?:;\n])[\W_]*(?:(?:so|then|well|hmm+|ok|okay|thus|therefore|hence|and)\b,?)?"
    rf"(?:\s*(?:'d|would|will|must|have to|gotta|going to))?)(?:,?\s+(?:{OWN_WORDS})\b,?)*\s*\Z",
    re.I,
)
"""What stands before "say yes" where the reply says it itself, and does not deny it."""
OTHERWISE = expression(
    r"\b(?:(?:(?P<yes>yes)|(?P<no>no))\b,?\s+(?:otherwise|else|if|unless|when)\b"
    r"|(?:otherwise|else|if not|then)\b\W*(?:(?:it(?:'s| is| would be)|the answer is)\s+)?(?:a\s+)?"
    r"(?:(?P<then_yes>yes)|(?P<then_no>no))\b)",
    re.I,
)
GOES_BACK = expression(
    r"\b(?:wait|actually|hold on|hmm+|correction|sorry|on second thoughts?)\b.{0,12}\Z", re.I | re.S
)
REACH: Final = 90
"""Characters before "say yes" in which its subject is looked for."""
TURNS = expression(
    r"\b(?:wait|actually|on (?:second|closer|further)? ?(?:reflection|thoughts?"
    rf"|inspection|look)|correction|rather|sorry|but)\b\W*{SAYS}",
    re.I,
)
TAKES_BACK = expression(
    r"\b(?:wait|actually|reflection|second thoughts?|correction|reconsider\w*|sorry|mistake)\b",
    re.I,
)
SUBJECT: Final = r"answer|option|statement|claim|response|solution|it|that|this"
IS_JUDGED: Final = (
    r"(?:'s\b|(?:\s+\w+){0,3}?\s+(?:is|are|was|were)(?=\b|n't))"
    rf"(?:\s+(?!(?:partial|part|most|entire|full|complete)ly)\w+ly)?(?:\s+)?(?:{JUDGES})"
)
WHOLLY = expression("(?:entire|full|complete)", re.I)
IT_IS = expression(
    r"^[^\w\n]*+(?:indeed,?\s+)?it\s+(?:sure\s+|certainly\s+)?is(?P<not>n't|\s+not)?[^\w\n]*$",
    re.I | re.M,
)
BOTH = expression(
    r"\byes\s+and\s+no\b|\A\W*yes\s*(?:/|or)\s*no\b(?!\s*[:?])"
    r"|\bneither\s+(?:right|correct|true)\s+nor\b",
    re.I,
)
ECHO = expression(
    r"\byes[\s-]*(?:/|or)[\s-]*no(?:\s*[:?]|[\s-]+(?:answer|question|response|reply)\b)"
    r"|\b(?:a|simple|clear|definite|definitive|plain|straightforward)\s+[\"']?yes[\s-]*(?:/|or)"
    r"[\s-]*no\b",
    re.I,
)
"""The choice as such, which a reply repeats or refuses."""
NO_NOUN = expression(
    r"no\s+(?:one|other|longer|more|matter|doubt|question|reason|evidence|idea|puedo|podemos|s[eé]"
    r"|(?:se|lo)\s+(?:puede|s[eé])|estoy)\b|non\s+(?:posso|so|sono|è\s+possibile)\b",
    re.IGNORECASE,
)
"""A "no" that answers nothing: "no doubt", "no puedo responder"."""
WITHOUT_DOUBT = expression(
    r"[\s\W]*no\s+(?:doubt|question|matter)\b(?:\s+(?:about|of)\s+(?:it|that))?[\s,:;.!—-]*", re.I
)
NOT_SAID = expression(
    r"\b(?:(?P<cannot>can(?:not|'t|\s+not)\s+(?:be\s+)?(?:say|said|claim(?:ed)?))"
    r"|(?:don't|do\s+not)\s+(?:think|believe))\s+(?:that\s+)?\Z",
    re.IGNORECASE,
)
BEFORE: Final = 40
"""Characters before a judgement in which what denies it is looked for."""
NEXT = expression(r"\n[^\S\n]*+(?:question|q|user|human|below (?:is|are))\b", re.I)
CANNOT = expression(
    r"\b(?:cannot|can't|can not|unable to|not possible to|impossible to)\s+(?:determine|say|tell"
    r"|judge|verify)|\b(?:do not|don't|dont)\s+know\b|\b(?:not|un)\s*(?:sure|certain)\b"
    r"|\bno idea\b|\bno se (?:puede|sabe)\b",
    re.I,
)
ANOTHER = expression(
    r"\b(?:correct|right|true|actual)\s+(?:answer|option|one)\s*(?:is|was|should be|would be|:)\s*+"
    r"(?P<not>not\s+|n't\s+)?(?:indeed|actually|in fact|probably|likely)?[\s*\"'`(]*+"
    r"(?P<what>[^\n]+)",
    re.I,
)


AGREES = expression(
    r"\bi(?:\s+(?:would|fully|completely|have\s+to|must))*"
    r"(?P<not>\s+(?:do\s+not|don't|cannot|can't|would\s+not|wouldn't))?\s+(?P<dis>dis)?agree"
    r"(?=\s+with\b|\W*\Z|[.,;])",
    re.I,
)

KEY = expression(r"[\"'*_`)\]]*\s*(?P<sign>[:?=])[\s\"'*_`(\[]*(?=\S)")
"""What makes a word before it a question, or the name of a field, and not yet an answer."""
VALUE = expression(
    rf"(?:(?:it(?:'s|\s+is)|that(?:'s|\s+is)|i(?:'d|\s+would)\s+say)\s+)?(?:{SAYS}|{JUDGES})",
    re.I,
)
ENDS_VALUE = expression(r"[\s\"'*_`)\]]*(?:[.,;!\n}—–-]|\Z)")
CHANCES = expression(
    r"\b(?:(?P<yes>yes|true|correct|right)|(?P<no>no|false|incorrect|wrong))\b[\"'*_`]*"
    r"\s*+(?:[:=(,-]|\bat\b|\bis\b)*+\s*+(?P<n>\d{1,3}(?:\.\d+)?|\.\d+)(?![\d/])\s*%?",
    re.I,
)
ROUNDED: Final = 0.021
"""How far the sum of chances may be from the whole."""
JUDGING_KEY = expression(
    rf"(?:.*(?:\b|_))?(?P<not>(?:not|un)[ _-]?)?(?:(?P<good>{GOOD})|(?P<bad>{BAD}))(?:ness)?\Z",
    re.I | re.S,
)
