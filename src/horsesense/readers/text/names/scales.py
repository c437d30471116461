"""Options on one axis (yes and no, good and bad), and where a reply stands on it.

An option's place is its sign, from words such as "agree" and "no", times its strength, from words
such as "strongly" and "a bit": -2 to 2. A reply's place is found in the same way in its sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from horsesense.readers.text.words.normalise import DEFAULT

_PLUS = (
    r"yes|yeah|yep|yup|sure|agree\w*|support\w*|favou?r\w*|approv\w*|endors\w*|true|correct\w*"
    r"|right|good|great|positive|satisf\w*|happy|pleased|delight\w*|enthus\w*|glad|lov(?:e|es|ed"
    r"|ing|ely)|like|likes|liked|enjoy\w*|fan|excellent|wonderful|fantastic|superb|accept\w*"
    r"|allow\w*|legal|likely|important|interested|often|always|absolutely|certainly|definitely"
    r"|of course|indeed|welcome\w*|recommend\w*|comfortable|confident|trust\w*|warm\w*|keen|glowing"
    r"|on board|in favou?r|for it|all for|ja|doch|gern\w*|gut|oui|sí|bien|d'accord|acuerdo|sim"
    r"|better|easy|safe\w*|more|increase\w*|should|heart|cheer\w*|praise\w*|convinced|fond"
    r"|thumbs up"
)
_MINUS = (
    r"no|nope|nah|disagree\w*|oppos\w*|against|reject\w*|disapprov\w*|false|wrong|incorrect\w*|bad"
    r"|poor\w*|negative|dissatisf\w*|unhappy|sad\w*|hate\w*|dislik\w*|terrible|awful|horrible|angry"
    r"|anger|annoy\w*|disappoint\w*|unaccept\w*|illegal|unlikely|unimportant|uninterested|rarely"
    r"|seldom|never|hardly|worse|worst|unsafe|less|decrease\w*|nein|nicht|kein\w*|schlecht|non"
    r"|mal|mauvais|unfair|refus\w*|complain\w*|boring|waste|nonsense|far from|cannot stand"
    r"|can't stand|couldn't care|harmful|distrust\w*|fear\w*|worr\w*|cold|thumbs down"
    r"|detest\w*|loath\w*"
)
_NEITHER = re.compile(
    r"\b(?:neutral\w*|neither|undecided|mixed|balanced|indifferent|middle|ambivalent|no opinion"
    r"|not sure|unsure|don't know|do not know|don't care|either way|both|no answer|torn|in between"
    r"|maybe|perhaps|weder|ni)\b|\bno\b[^.]{1,30}\bno\b"
)
_STRONG = re.compile(
    r"\b(?:strong\w*|very|complete\w*|absolute\w*|extreme\w*|total\w*|full\w*|entire\w*|utter\w*"
    r"|definite\w*|certain\w*|always|never|whole\w*|deep\w*|by far|clear\w*|highly|really|all the"
    r"|hundred|whatsoever|ever|much|lot|enormous\w*|firm\w*|without (?:any|a)|no way|of course"
    r"|sehr|voll\w*|ganz|überhaupt|totalement|très|muy|totalmente|love\w*|hate\w*|never ever"
    r"|under no|any (?:more|circumstances)|single|every)\b|!!"
)
_WEAK = re.compile(
    r"\b(?:somewhat|slight\w*|bit|little|mostly|mainly|fairly|rather|partly|partial\w*|moderate\w*"
    r"|generally|probably|maybe|kind of|sort of|tend\w*|lean\w*|more or less|quite|pretty|mild\w*"
    r"|reservations?|cautious\w*|on the whole|by and large|eher|etwas|plutôt|más bien|algo|some"
    r"|not entirely|not fully|sometimes|occasionally|a few|not really|not much)\b"
)
_SIGN = re.compile(rf"\b(?:(?P<plus>{_PLUS})|(?P<minus>{_MINUS}))\b")
_NOT = re.compile(
    r"\b(?:not|never|no|hardly|without|nothing|nobody|isn't|nicht|kein\w*|ne|neither|nor"
    r"|far from)\b"
    r"|n't\b"
)
_SENTENCE = re.compile(r"[^.!?\n]+")
_NEAR = 24
_LONGEST = 60
_MOST = 1500


@lru_cache(maxsize=16_384)
def place(option: str) -> float | None:
    """Where an option stands, -2 to 2; None where it is on no such axis."""
    if len(option) > _LONGEST:
        return None
    low = option.translate(DEFAULT).lower().replace("’", "'")
    signs = {_sign_of(low, m) for m in _SIGN.finditer(low)}
    if len(signs) > 1:
        return None
    found = _signed(low)
    if found is not None:
        return found
    return 0.0 if _NEITHER.search(low) else None


def _signed(low: str) -> float | None:
    """Sign times strength of the first signed words."""
    m = _SIGN.search(low)
    if m is None:
        return None
    if _NEITHER.search(low):
        return 0.0
    strength = 2.0 if _STRONG.search(low) else 0.7 if _WEAK.search(low) else 1.3
    return _sign_of(low, m) * strength


def _sign_of(low: str, m: re.Match[str]) -> float:
    """1 or -1, turned around by a negation shortly before."""
    turned = m.start() and _NOT.search(low, max(0, m.start() - _NEAR), m.start())
    return 1.0 if bool(m["plus"]) != bool(turned) else -1.0


def places(options: Sequence[str]) -> list[float] | None:
    """The places of all options; None unless nearly all have one and both signs are there."""
    found = [place(text) for text in options]
    known = [one for one in found if one is not None]
    if len(known) < max(2, len(options) - 1) or not known or max(known) <= 0 or min(known) >= 0:
        return None
    return [0.0 if one is None else one for one in found]


def stands(low: str) -> tuple[float, float] | None:
    """Where a reply in lower case stands: by all its sentences, and by the last that takes sides;
    None where none does."""
    signed = [
        one
        for m in _SENTENCE.finditer(low[-_MOST:])
        if (one := _signed(m.group())) is not None and one
    ]
    if not signed:
        return None
    return sum(signed) / len(signed), signed[-1]


def denies(low: str) -> bool:
    """Whether its first sentence holds a word of negation."""
    m = _SENTENCE.search(low)
    return m is not None and _NOT.search(m.group()) is not None
