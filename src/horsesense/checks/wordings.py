"""How options speak of one another, in the languages that the rules know.

Such options are short: longer ones are not searched, so that time is linear in a text's length.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

LONGEST: Final = 120
"""Characters of the longest option that is taken for a remark on the others."""

_COUNT: Final = r"(?:two|three|four|five|six|[2-9])"
_NOUN: Final = (
    r"(?:options?|answers?|choices?|alternatives?|responses?|statements?|possibilities|others?"
    rf"|ones?|above|below|following|preceding|foregoing|these|those|them|rest|lot|list|listed"
    rf"|given|mentioned|proposed|named|stated|offered|{_COUNT})"
)
_QUALITY: Final = (
    r"(?:the|these|those|given|listed|above|following|preceding|previous|foregoing|mentioned"
    rf"|stated|offered|other|available|provided|possible|presented|suggested|remaining|{_COUNT})"
)
_REST: Final = (
    rf"(?:{_QUALITY} )*{_NOUN}"
    r"(?: (?:above|given|listed|mentioned|here|below|offered|provided|stated|shown))*"
)
_ADJECTIVE: Final = (
    r"(?:correct|right|true|valid|suitable|appropriate|applicable|accurate|adequate)"
)
_RIGHT: Final = (
    rf"(?:(?:(?:is|are|was|were|seems?|can be) )?{_ADJECTIVE}|appl(?:y|ies)|fits?|match(?:es)?"
    r"|(?:will |would )?works?|holds?)"
)
_WRONG: Final = r"(?:is|are) (?:all )?(?:wrong|false|incorrect|untrue|not (?:correct|true|right))"
_TAIL: Final = (
    rf"(?: {_RIGHT}|(?:(?<=above)|(?<=these)|(?<=those)|(?<=them)) [a-z]+"
    r"|(?<=these)(?: (?:will|would|is|are|can|could|may|should|do|does|has|have|for|because|about"
    r"|due|since)\b.*|,.*))?"
)
"""What may follow: "none of these diseases"; other words are an answer of their own."""

_NONE: Final = {
    "English": (
        r"(?:none|neither|nothing|not (?:a single )?one|not any|no) of (?:the )?above\b.*"
        r"|(?:none|not (?:a single )?(?:one|any)|neither(?: one)?|nothing"
        r"|no(?: single)? (?:option|answer|choice|alternative|one)s?)"
        rf" (?:of|from|among|in) {_REST}{_TAIL}"
        rf"|(?:none|neither(?: one)?|no (?:option|answer|choice|alternative|statement)s?"
        rf"|no one) {_RIGHT}(?: {_NOUN})?"
        rf"|no {_ADJECTIVE} {_NOUN}(?: (?:is )?(?:given|listed|shown|here|offered|provided"
        rf"|present))?"
        rf"|not (?:listed|here|(?:on|in) the list|(?:listed )?among {_REST}|(?:any )?one of {_REST}"
        rf"|any of {_REST})(?: (?:here|above))?"
        rf"|(?:all|both|each|any)(?: of)? {_REST} {_WRONG}|all {_WRONG}"
        rf"|(?:the )?{_REST} {_WRONG}"
        r"|n ?\.? ?o ?\.? ?t ?\.? ?a ?\.?"
    ),
    "German": (
        r"(?:kein(?:e[rsn]?|s)?|nichts|weder)(?: (?:einzige[rs]?|richtige[rn]?|korrekte[rn]?"
        r"|passende"
        r"|noch|der|die|das|dem|den|von|dieser|diesen|davon|alledem|hier|genannte[ns]?"
        r"|obige[ns]?|oben"
        r"|vorstehenden|vorgenannten|angegebenen|aufgeführten|anderen|drei|vier|antwort(?:en)?"
        r"|aussagen?|option(?:en)?|möglichkeit(?:en)?|alternativen?|trifft|zu|ist|sind|richtig"
        r"|korrekt|stimmt))+"
    ),
    "French": (
        r"aucune?(?: (?:de|des|du|d'entre|ces|cette|ci|ci dessus|dessus|la|les|réponses?|options?"
        r"|propositions?|affirmations?|choix|autres?|précédente?s?|mentionnée?s?|proposée?s?"
        r"|données?"
        r"|n'est|ne|est|correcte?s?|vraie?s?|juste|exacte?s?|bonne|convient|elles|eux|celles"
        r"|ceux))+"
        r"|rien de (?:tout )?(?:cela|ça|ce qui précède)"
    ),
    "Spanish": (
        r"ning[uú]n[oa]?(?: (?:de|las|los|la|estas?|estos|anteriores?|opci[oó]n(?:es)?|respuestas?"
        r"|alternativas?|afirmaciones|es|son|correct[oa]s?|verdader[oa]s?|arriba|mencionad[oa]s?"
        r"|otr[oa]s|ell[oa]s|dem[aá]s))+|nada de lo (?:anterior|mencionado)"
    ),
    "Chinese": (
        r"(?:以上|上述|前述|这些|其余|其他|前面)(?:的)?(?:选项|答案|各项|说法|几项|[三四]项|[三四]者)?"
        r"(?:全部|全都|都|均|全|皆|没有一个)?(?:不是|不对|不正确|不符合?|不属于|错误?|非|没有|不选)"
        r"|(?:都|均|全|皆)(?:不是|不对|不正确|错误?|没有|非)"
        r"|(?:没有|无)(?:一个)?正确(?:的)?(?:答案|选项)?"
    ),
}
_ALL: Final = {
    "English": (
        rf"(?:all|both|any(?: one)?|(?:each|every|every single)(?: one)?(?! {_COUNT})"
        rf"|everything|either(?: one)?|any {_COUNT})(?: of)? {_REST}(?:{_TAIL}|[,;:(].*| "
        rf"(?:except|but) .*)"
        rf"|all(?: {_COUNT})?(?: {_RIGHT})|all {_COUNT}|all of (?:correct|true|right)"
        r"|the (?:whole|entire|complete|full) (?:list|set)"
        r"|everything (?:above|listed|mentioned|stated|named)(?: (?:above|here|before))?"
        r"|.*\b(?:all|any)(?: of)?(?: the)? above\b.*"
    ),
    "German": (
        r"alle[ns]?(?: (?:drei|vier|der|die|das|diese[rn]?|oben|obige[ns]?|genannte[ns]?"
        r"|vorstehenden|vorgenannten|angegebenen|aufgeführten|hier|anderen|antwort(?:en)?|aussagen"
        r"|optionen|möglichkeiten|alternativen|davon|sind|ist|richtig|korrekt|zutreffend|treffen|zu"
        r"|stimmen|von))+"
    ),
    "French": (
        r"tou(?:s|te?s?)(?: (?:de|les|ces|ce|qui|précède|ci|ci dessus|dessus|réponses?|options?"
        r"|propositions?|affirmations?|choix|autres?|précédente?s?|mentionnée?s?|proposée?s?|cela"
        r"|sont|est|correcte?s?|vraie?s?|justes?|exacte?s?|bonnes|trois|quatre|la|à|fois))+"
    ),
    "Spanish": (
        r"tod[oa]s?(?: (?:las|los|lo|estas?|estos|anterior(?:es)?|opciones|respuestas|alternativas"
        r"|afirmaciones|son|es|correct[oa]s?|verdader[oa]s?|de|arriba|mencionad[oa]s?|ell[oa]s"
        r"|dem[aá]s|tres|cuatro))+"
    ),
    "Chinese": (
        r"(?:以上|上述|前述|这些|前面)(?:的)?(?:选项|答案|各项|说法|几项|[三四]项|[三四]者)?"
        r"(?:全部|全都|都|均|全|皆|所有)(?:是|对|正确|包括|可以?|符合|有|属于)?"
        r"|(?:全部|全都|都|均|全|皆)(?:是|对|正确)"
    ),
}
_SAYS_NONE: Final = re.compile("|".join(_NONE.values()))
_SAYS_ALL: Final = re.compile("|".join(_ALL.values()))
_CUES: Final = re.compile(
    r"n\.? ?[oi]|kei|all|both|any|each|every|either|above|the |these|wrong|false|weder|auc"
    r"|rien|tou|tod|nada"
    r"|[一-鿿]"
)
"""One of these stands in every text that the patterns above find."""

_LETTER: Final = r"\(?(?:[A-J]|(?<=\()[a-j](?=\)))\)?(?![A-Za-z0-9_'’])"
_AND: Final = (
    r"(?: (?=\(?[B-J])| ?(?:,|&|/|\+) ?(?:and |or |und |et |y )?"
    r"| (?:and|or|nor|but not|and not|not|plus|und|oder|als auch|noch|aber nicht|et|ou|mais pas|y|o"
    r"|ni|como|que|pero no|with) "
    r"| ?(?:和|与|及|或|但不是|而不是|、) ?)"
)
_OTHER: Final = (
    r"(?:options?|answers?|choices?|alternatives?|statements?|antwort(?:en)?|optionen|réponses?"
    r"|respuestas?|opci[oó]n(?:es)?|选项|答案)"
)
_BEFORE: Final = (
    r"(?:(?:both|either|neither|only|all|just|not|none of|all of|all except|all but|everything but"
    r"|except"
    r"|(?:the )?(?:converse|reverse|inverse|contrary|opposite) of|(?:a )?combinations? of"
    r"|sowohl|weder|nur|beide|außer|les deux|ni|seulement|sauf|tanto"
    r"|ambos|tant|s[oó]lo|solamente|salvo) (?:the )?|只有|仅|除了?)"
)
_AFTER: Final = (
    r"(?: ?(?:only|together|both|alone|combined|as well|too|(?:are|is|will be) (?:both |all "
    r")?(?:correct|right"
    r"|true|wrong|false)|correct|right|外|都是|都对))"
)
_LETTERS: Final = re.compile(
    rf"(?i:{_BEFORE})*(?i:{_OTHER} ?)?{_LETTER}(?:{_AND}(?i:{_OTHER} ?)?{_LETTER})+(?i:{_AFTER})*"
    rf"|(?i:{_BEFORE})+(?i:{_OTHER} ?)?{_LETTER}(?i:{_AFTER})*"
    rf"|(?i:{_OTHER} ?)?{_LETTER}(?i:{_AFTER})+"
)
_MENTIONED: Final = re.compile(rf"\b(?i:{_OTHER}) ?({_LETTER}|[1-9]\b(?: (?:and|or|&) [1-9]\b)?)")
_DIGITS: Final = re.compile(
    rf"(?i:(?:{_BEFORE})*(?:options?|answers?|choices?|statements?) )[1-9](?:{_AND}[1-9])*"
    rf"(?i:{_AFTER})*"
)
_PLACE: Final = re.compile(
    r"(?:(?:both|either|neither|any|all|none|only|one|each|not) (?:of )?)?(?:the )?"
    rf"(?:first|last|previous|preceding|above|other|former|latter) {_COUNT}"
    rf"(?: {_OTHER})?(?: (?:are|is) {_ADJECTIVE}| only| together| combined)?"
    rf"|(?:both|either|neither|any|all|none|only|one|each|not) (?:of )?the (?:first|last"
    rf"|previous|preceding)"
    rf"|(?:the )?(?:first|second|third|last|previous|preceding) (?:option|answer|choice"
    rf"|alternative)s?"
    r"|(?:die )?(?:ersten|letzten) (?:beiden|zwei|drei)|les (?:deux|trois) premi(?:ers|ères)"
    r"|(?:las?|los) (?:dos|tres) primer[oa]s|前[两二三]项"
)
_ORDINAL: Final = re.compile(r"\b(?:first|second|third|last|next|previous|premi|primer|erst|letzt)")


_LONE: Final = re.compile(r"(?<![A-Za-z0-9_'’])(?:[A-J]|(?<=\()[a-j](?=\)))(?![A-Za-z0-9_'’])")


@lru_cache(maxsize=1 << 12)
def tidy(option: str) -> str:
    """An option in lower case, with single spaces and without marks around it."""
    plain = option.replace("’", "'").replace("_", " ").replace("-", " ")
    return " ".join(plain.split()).strip(" .,;:!?\"'()[]*。，“”").lower()


def says_none(option: str) -> bool:
    """Whether an option says that none of the others is right.

    >>> says_none("Not one of these."), says_none("Neither of them live near the sea")
    (True, False)
    """
    return _remark(option) == "none"


def says_all(option: str) -> bool:
    """Whether an option says that all, both or any of the others are right.

    >>> says_all("Every one of the above"), says_all("All of France"), says_all("以上都是")
    (True, False, True)
    """
    return _remark(option) == "all"


@lru_cache(maxsize=2**16)
def _remark(option: str) -> str | None:
    """ "none" or "all" where an option says so of the others."""
    plain = tidy(option[:LONGEST])  # a longer one may begin "None of the above, because"
    if not _CUES.search(plain):
        return None
    if _SAYS_NONE.fullmatch(plain):
        return "none"
    return "all" if _SAYS_ALL.fullmatch(plain) else None


def letters_named(option: str) -> frozenset[str]:
    """The letters by which an option refers to others ("A but not B"); empty if to none."""
    if len(option) > LONGEST or not _LONE.search(option):
        return frozenset()
    plain = " ".join(option.split()).strip(" .,;:!?")
    found = _LETTERS.fullmatch(plain)
    told = found[0] if found else " ".join(m[1] for m in _MENTIONED.finditer(plain))
    return frozenset(letter.upper() for letter in _LONE.findall(told))


def numbers_named(option: str) -> bool:
    """Whether an option refers to others by number ("Options 1 and 2 together")."""
    return len(option) <= LONGEST and bool(_DIGITS.fullmatch(option.strip(" .,;:!?")))


def places_named(option: str) -> bool:
    """Whether an option refers to others by their place ("The first two")."""
    return len(option) <= LONGEST and bool(_PLACE.fullmatch(tidy(option)))


def ordinal(option: str) -> bool:
    """Whether an option speaks of a place in any way."""
    return bool(_ORDINAL.search(option[:LONGEST].lower()))
