"""Signs that a response leaves several options standing: none of them is its one choice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from horsesense.readers.text.claims.clauses import Said
from horsesense.readers.text.claims.statements import Statement
from horsesense.readers.text.claims.survey import Mention
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.announcements import CONCLUDES, TAKEN_BACK, TURNS
from horsesense.readers.text.words.wording import Wording

_SHARED = ("by_case", "stated_both", "and_other", "two_marked", "plural_pair", "or_pair", "open")
_TAIL = 260
_FEW = 3
_TWO = re.compile(
    r"\b(?:two (?:of|things|are|options?|answers?|choices?|statements?|possib\w+)|these two"
    r"|those two|the two of them|between the two|one of (?:the|these|those) two"
    r"|(?:options|answers|choices|picks|letters|solutions|candidates) (?:\w+ )?are"
    r"|each (?:of|is|would|could|can|has|fits?|works?|contributes?|applies)|either(?: one)? (?:is"
    r"|would|works?|could|can|fits?|will|way)|whichever|beide[sn]?|les deux|las dos|los dos)\b"
    r"|\bboth (?:\w+ ){0,2}(?:are|is|were|fit|hold|work|apply|count|stand|true|right|correct|give"
    r"|gives|have|would|could|can|square|evaluate|draw|answer|explain)\b"
)
_PLACES = re.compile(
    r"\bthe (?:first|last|middle|other) (?:two|three)\b"
    r"|\b(?:first|1st|second|2nd|third|3rd)(?: (?:one|option|choice|sentence|phrase))?"
    r",? (?:and|or|et|ou|und|oder|y|o) (?:also )?(?:the |la |le |die |der )?"
    r"(?:second|2nd|third|3rd|fourth|4th|fifth|last|deuxième|seconde?|troisième|zweite|dritte)\b"
)
_OPEN = re.compile(
    r"\b(?:hover\w*|waver\w*|vacillat\w*|hesitat\w*|swing\w*|oscillat\w*|undecided|torn|stuck"
    r"|hang(?:ing|s)?|tie[ds]?|toss-?up|level|open|schwank\w*|unentschieden|gleichauf|hésit\w*"
    r"|partagé\w*|dud\w+|without (?:a|any) (?:decision|verdict|result)|leave it (?:at that|open)"
    r"|(?:not|n't|never|no way|unable|cannot|fail\w*)\b[^.\n]{0,50}\b(?:decid\w*|choos\w*|rank"
    r"|separat\w*|settle\w*|tell|prefer|close|further|pick|put one|drop\w*|which)"
    r"|not? me decido|je ne tranche pas|ik weet niet|ne sais pas)\b"
)
_TOO = Wording(
    (
        *("also", "too", "as well", "as good", "as right", "as valid", "as correct", "as likely"),
        *("as much", "likewise", "equally", "alike", "besides", "so is", "so do", "so did"),
        *("on top of that", "accept", "a point", "no worse", "no less", "alternatively"),
        *("another", "either th", "either it", "the same", "other ", "second ", "addition"),
        *("plus", "deserves", "are right", "are correct"),
    ),
    re.compile(
        r"\b(?:also|too|as (?:well|good|right|valid|correct|likely|much)|likewise|equally|alike"
        r"|besides|so (?:is|does|do|did)|on top of that|acceptable|accepted|(?:has|have) a point"
        r"|no worse|no less|alternatively|another|either (?:this|that|it) or|the same"
        r"|(?:other|second) (?:correct|right|answer|option)|in addition|additionally|plus|deserves"
        r"|are (?:right|correct))\b"
    ),
)
_ALSO = re.compile(
    r"\b(?:also|likewise|equally|besides|on top of that|as well|so (?:is|does|do|did|has)"
    r"|(?:(?<=[.\n] )|(?<=\n))(?:alternatively|in addition|additionally|plus)"
    r"|either (?:this|that|it) or"
    r"|(?:another|a second|the other|second|alternative) (?:(?:possible|correct|right|valid|good"
    r"|acceptable) )?(?:answer|option|choice|one)(?: is| would be)?"
    r"|the same (?:\w+ ){1,3}(?:of|for|to))"
    r"(?: (?:correct|right|true|possible|option|choice|the|an?|is|be|say|answer|choose|pick|accept"
    r"|argue|for|:))*[\s:,\"'*(\[]*\Z"
)
_AS_WELL = re.compile(
    r"[\"'*)\].]*,? (?:(?:is|are|would be|does|do|works?|fits?|applies|holds|counts?|correct|right"
    r"|true|fine|good|it|could|can|may|be|just) ){0,3}(?:too|also|as well|likewise|equally|alike)\b"
    r"(?! (?:as|as a)?\s?(?:big|large|small|short|long|narrow|broad|much|little|far|late|early)\b"
    r"| (?:\w+ly )?(?:not|wrong|false|incorrect|inaccurate|invalid|irrelevant|un\w+|im\w+|ruled|out"
    r"|eliminated|excluded|rejected)\b)"
    r"|[\"'*)\].]*,? (?:is|are|seems|looks|(?:would|could|might|will|can) (?:also )?be)"
    r" (?:an? )?(?:(?:also|equally|likewise|no less|just as) (?:acceptable|accepted|good|right"
    r"|valid|correct|likely)|acceptable|accepted|as (?:good|right|valid|correct|likely)|no worse)\b"
    r"|[\"'*)\].]*, and (?:they|that|it|he|she)(?: \w+)? (?:(?:has|have) a point|right|correct)\b"
    r"|[\"'*)\].*]*,? (?:is|would be|might be|may be|could be|makes|deserves)"
    r" (?:another|a second|an alternative|to be)\b"
)
_EITHER = re.compile(r"\b(?:or|oder|ou|either|neither|nor|not)\b")
_LABELS = re.compile(r"(?<!\w)[A-Z\d](?!\w)")
_LABELS_ONLY = re.compile(
    r"\W*(?:(?i:both|all|of|options?|choices?|answers?|and|und|et|y|are|correct|right|true|only)"
    r"|[A-Z\d]"
    r"|\W)*"
)
_NEAR = 40
_LIST = 160
_MORE = re.compile(r"[,;&+/\n]|\w{3}\. \w|\b(?:and|und|et|y|e|or)\b|\"\s+\"")
_NOTE = re.compile(
    r"\((?![^()]*(?:not|wrong|correct))[^()]{0,40}\)|\b(?:and|or|also|und|oder|et|y|e|both)\b"
)
_BETWEEN = re.compile(r"[\s,;.:&+/\"'()\[\]]*")
_BUT_ONE = re.compile(
    r"\b(?:all|everything|any|each|every \w+)(?: of (?:them|these|those))? "
    r"(?:but|except(?: for)?|save|apart from|other than)\b"
)
_ONLY_ONE = re.compile(
    r"\b(?:but|yet|only|leav(?:es|ing)|so|however|though|still|instead|rather|except|must be"
    r"|i(?:'d| would|'ll| will)? (?:choose|pick|go|settle|take|say|opt)|no longer|correction"
    r"|answer is|better|best|therefore|thus|aber|mais|pero)\b"
)


_NUMBERED = re.compile(r"\s*\(?(?:1|i)[.):].{1,60}?[\s,;]\(?(?:2|ii)[.):]", re.DOTALL)
_SECOND = re.compile(r"(?<!\w)\(?(?:2|ii)[.):]")


def just_listed(scene: Scene) -> bool:
    """Whether a short reply is the names of several options, but not of all, and nothing else.

    Notes in brackets are no more than notes: "positive (food), negative (service)".
    """
    low = scene.response.low
    if len(low) > _LIST or scene.labels.numbers or not _MORE.search(low):
        return False
    if _NUMBERED.match(low) and _SECOND.search(scene.question.lower()):
        return False  # Answers to the parts of a question.
    hits = [(hit.start, hit.end, hit.position) for hit in scene.options.find_all(scene.response)]
    hits += [
        (hit.start, hit.end, hit.position)
        for hit in scene.labelled
        if scene.labels.shows(scene.response.text[hit.start : hit.end].strip("()[].: "))
        and not any(start <= hit.start < end for start, end, _ in hits)
    ]
    hits.sort()
    named = {position for _, _, position in hits}
    k = len(scene.options.texts)
    if len(named) < 2 or (len(named) == k > 2):
        return False
    rest, at = [], 0
    for start, end, _ in hits:
        rest.append(low[at:start])
        at = max(at, end)
    return _BETWEEN.fullmatch(_NOTE.sub("", " ".join([*rest, low[at:]]))) is not None


def option_of(scene: Scene, positions: set[int]) -> int | None:
    """The option that says by their labels that several are right ("Both A and B"), if there is
    one and the reply does not leave open which of them it is."""
    known = scene.labels.positions
    if _EITHER.search(scene.response.low):
        return None
    found = []
    for position, text in enumerate(scene.options.texts):
        names = [name for name in _LABELS.findall(text) if scene.labels.shows(name)]
        rest = _LABELS_ONLY.fullmatch(text) is not None and not _EITHER.search(text.lower())
        if rest and {known[name] for name in names} == positions - {position}:
            found.append(position)
    return found[0] if len(found) == 1 and found[0] not in positions else None


def signs(
    low: str, k: int, mentions: Sequence[Mention], said: Sequence[Said], lines: Mapping[str, int]
) -> dict[str, bool]:
    """What tells that more than one of `k` options is left standing; name -> whether it holds.

    `lines` says how many options each kind of mark sets off ("bold", "mark", "line").
    """
    last = {one.position: one for one in said}
    standing = {p: one for p, one in last.items() if one.verdict >= 0 and not one.hearsay}
    affirmed = [p for p, one in standing.items() if one.verdict > 0 and not one.supposed]
    order = [one.position for one in said]
    switches = sum(a != b for a, b in pairwise(order))
    two = len(standing) > 1 and (k == 2 or len(standing) < k)
    found = {
        "two_stand": two,
        "two_affirmed": 1 < len(affirmed) <= max(2, k - 1),
        "and_other": two and _and_another(said),
        "back_and_forth": two and switches >= _FEW and len(set(order)) < max(3, k),
        "two_bold": 1 < lines["bold"] <= max(2, k - 1),
        "two_marked": 1 < lines["mark"] <= max(2, k - 1),
        "two_lines": 1 < lines["line"] <= max(2, k - 1),
        "open": two and _OPEN.search(low[-_TAIL:]) is not None,
        "says_two": _TWO.search(low[-_TAIL:]) is not None,
        "places_two": _PLACES.search(low[-_TAIL:]) is not None,
        "by_case": two and all(one.supposed for one in standing.values()),
        "but_one": k > 2 and len(last) == 1 and _BUT_ONE.search(low) is not None,
        "end_two": False,
        "then_one": False,
    }
    if standing:
        final = said[-1].clause
        ending = {one.position for one in said if one.clause == final and one.verdict >= 0}
        whole = {m.position for m in mentions if m.verdict >= 0 and len(low) - m.end < _TAIL}
        found["end_two"] = two and len(ending) > 1
        found["tail_two"] = two and len(whole & standing.keys()) > 1
        found["then_one"] = len(ending) == 1 and said[-1].turns
        found["alike"] = two and _alike(list(standing.values())[-2:])
    return found


def shared(found: Mapping[str, float]) -> bool:
    """Whether what speaks for one option speaks for another as much, by what is the case."""
    return "then_one" not in found and any(name in found for name in _SHARED)


def _and_another(said: Sequence[Said]) -> bool:
    """Whether a clause adds an option to one that stood ("so does B", "B as well")."""
    return any(
        other.adds and not other.turns and other.verdict >= 0 and one.verdict >= 0
        for one, other in pairwise(said)
        if one.position != other.position
    )


def _alike(two: Sequence[Said]) -> bool:
    """Whether the same is said of both."""
    one, other = two
    return (one.verdict, one.settles, one.mine, one.supposed, one.whole) == (
        other.verdict, other.settles, other.mine, other.supposed, other.whole
    )  # fmt: skip


def adds(low: str) -> bool:
    """Whether there is a word that says of one option what was said of another ("too")."""
    return _TOO.search(low) is not None


def added(low: str, start: int, end: int) -> bool:
    """Whether what is named at a place is added to something else ("and also B", "B too")."""
    before = _ALSO.search(low, max(0, start - _NEAR), start)
    return before is not None or _AS_WELL.match(low, end) is not None


def stated_together(low: str, said: Sequence[Statement]) -> bool:
    """Whether two options are stated with neither a turn nor a conclusion between them."""
    single = [one for one in said if len(one.target.positions) == 1]
    return any(
        one.target.positions != other.target.positions
        and not any(sign.search(low, one.end, other.end) for sign in (TURNS, CONCLUDES, TAKEN_BACK))
        for one, other in pairwise(single)
    )


def singles_out(low: str) -> bool:
    """Whether a reply that names several may go on to one of them ("but", "only", "leaves")."""
    return _ONLY_ONE.search(low) is not None
