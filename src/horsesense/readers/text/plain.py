"""What a sentence of its own says plainly, though no word announces an answer.

The sentence names one option alone, and concludes with it, takes up the words of the question, says
what something is, what is left over, or what its writer holds: "A whale is a mammal, since ...".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from horsesense.readers.reading import Reading
from horsesense.readers.text import candidates, no_choice
from horsesense.readers.text.contest import breaks_off
from horsesense.readers.text.impression import Impression
from horsesense.readers.text.likeness import option_stems, stems
from horsesense.readers.text.opposed import IS_THE_ONE, opposed, rival
from horsesense.readers.text.options import TextHit
from horsesense.readers.text.targets import Scene

_CONFIDENCE = 0.91
_RESTATES = 0.5
"""The share of a sentence's words that the question has, of one that takes it up."""
_MOST = 12_000
_NEAR = 120
_NAMES = 40
"""Names of options in a sentence, of which it says nothing plainly that has more."""
_SENTENCE = re.compile(r"[^\n.!?]*(?:[.!?](?!\s|\Z)[^\n.!?]*)*(?:[.!?]+[\"')*_]*|\n|\Z)")
_SAYS = re.compile(r"\w")
_OPENS_BRACKET = re.compile(r"\s*[(\[{>|]")
_AGAINST = re.compile(
    r"\b(?:not|no|never|nor|neither|cannot|wrong|incorrect|false|unlikely|except|without|but"
    r"|however|although|though|while|whereas|might|may|could|maybe|perhaps|possibly|if|unless"
    r"|depends|some|many people|often|commonly|or|either|both|between|rather than|unlike|than"
    r"|instead"
    r"|myth|called|believe\w*|students?|people (?:say|think|believe|assume)|seems?|suppose\w*"
    r"|initially|at first|first|wait|actually|also|hear|common|frequent|popular|tempt\w*"
    r"|against|among|one of|such as"
    r"|example|used to be|according to (?!the)\w+"
    r"|(?:he|she|they|who|friend|teacher|brother|sister|father|mother|colleague|neighbou?r|everyone"
    r"|everybody|book|film) (?:\w+ )?(?:says?|said|thinks?|thought|claims?|claimed|told|tells))\b"
    r"|n't\b|[?✗❌]"
)
_ENDS = re.compile(
    r"[\"'*_)\]`}$\\]*\s*(?:[.!;:,\n(—–]|\Z|- |\b(?:because|since|as|which|so|where|when|by|in|on"
    r"|at|to|of|for|with|from|per|due|and|while|whereas|although|though|not)\b)"
)
_ASIDE = re.compile(
    r"[,;(—–]|\b(?:because|since|as|which|while|whereas|although|though|where|when|so|not"
    r"|rather than)\b"
)
_CONCLUDES = re.compile(
    r"(?:\A\W*|[,;:—–] ?|\band )(?:so|then)\b(?! (?:many|much|few|little|far|long|that)\b)"
    r"|\b(?:therefore|thus|hence|overall|in conclusion|to conclude|in summary|in short|finally"
    r"|ultimately|all in all|on balance|as a result|consequently|accordingly|that is why"
    r"|that's why|which is why|in the end|taking everything|considering)\b"
)
_IS = re.compile(
    r"\b(?:is|are|was|were|has|have|means?|shows?|expresses|remains|called|becomes?|belongs to"
    r"|returns|prints|outputs|looks like|sounds like|reads like|(?:classif|describ|label|categor"
    r"|count|regard|known|see)\w* (?:\w+ ){0,2}as|(?:is|are|was|were) (?:\w+ ){1,2}"
    r"(?:by|from))\b(?: (?:the|an?|about"
    r"|most|clearly|therefore|thus|also|likely|probably|very|best|classified|described|labell?ed"
    r"|categori[sz]ed|considered|made|as|by|in|of|to|be|exactly|only)){0,5}[\s*_\"'`($\\]*\Z"
)
_LEFT = re.compile(
    r"\b(?:(?:that|this|it|which) leaves(?: us)?(?: only)?(?: with)?|leaving(?: us)?(?: only)?"
    r"(?: with)?|what (?:remains|is left) is|we are left with|(?:only|the) (?:one|option|choice"
    r"|answer|possibility) (?:left|remaining|that remains|that is left) is|leaves only)"
    r"(?: that| the option| the| an?)?[\s*_\"'(]*(?:\w\)?[,:.)]* ?)?[\s*_\"'(]*\Z"
)
_WRONG = re.compile(r"\b(?:wrong|incorrect|ruled out|eliminat\w+)\b")
_OWN = re.compile(
    r"\b(?:i|i'd|i'm|i'll)\b(?: (?:would|will|must|do|am|have to|had to|tend to|also|personally"
    r"|therefore|be|say|describe|rate|label|call|classify|consider|categori[sz]e|choose|it|this"
    r"|that|the \w+|statement|as|is|inclined to|recommend|go|with|suggest|continue|pick|save"
    r"|take|give|prefer|rather|live|an?|my|in)){0,8}[\s:*_\"'(]*\Z"
)
_HEADED = re.compile(
    r"\W*(?:(?!not\b|distract|mistake|trap|common|guess|myth|wrong|incorrect|false|eliminat|reject)"
    r"[a-z'’]+(?: (?=[a-z])|(?=:))){1,5}:[\s*_\"'(]*"
)
"""What stands before an option in a line that is headed with what is asked ("Sentiment: ...")."""
_LINE_ENDS = re.compile(r"[\"'*_)\]`.!]*\s*(?:\n|\Z)|[\"'*_)\]`]*[.!] ")
_ATTITUDE = re.compile(
    r"(?:(?:strongly|somewhat|mostly|completely|moderately) )?(?:agree|disagree|oppose|favou?r"
    r"|support|approve|disapprove)\Z"
)
_CLAUSE = re.compile(r"[,;:—–]")
_ABOUT = re.compile(r" (?:about|with|that|this|it|for me)\b")
_EQUALS = re.compile(r"(?:=|≈|->|→)[\s*_$\\(]*\Z")
_COMES_TO = re.compile(
    r"\b(?:is|are|was|be|has|have|takes?|needs?|costs?|pays?|equals?|gets?|after)"
    r"(?: (?:about|exactly|only|equal to))?[\s*_$\\(]*\Z"
)
_UNIT = re.compile(r"[\s*_$\\)\]}]*(?:[a-z%°/²³]+[\s*_.$)]*){0,2}[^\w=+*/^(-]*")
_NUMBERS = re.compile(r"\d")
_REPENTS = re.compile(r"\b(?:apolog\w+|contradict\w+|went wrong|i gave above)\b")
_STRONGER = frozenset(
    ("lead", "last_line", "mentioned", "boxed", "none", "undetermined", "refusal", "unknown")
)
"""Rules of order that a sentence of another option does not overrule."""
_BRIEF_OPTION = ("yes", "no", "true", "false", "none", "both", "all", "neither")


class _Said(NamedTuple):
    """A sentence and the one option that it names."""

    hit: TextHit
    start: int
    main: int
    text: str
    ends: bool


def plain(scene: Scene, first: Impression, *, cut: bool = False) -> Reading | None:
    """The reading of a reply one sentence of which says plainly what it chooses.

    The last sentence that names options counts, or the first one where that concludes nothing; of a
    reply that was `cut` off the first alone.
    """
    found, low = first.reading, scene.response.low
    if first.said or first.standing.several or len(low) > _MOST or "{" in low or "<" in low:
        return None
    if found is not None and found.status not in ("answer", "ambiguous"):
        return None
    if found is not None and found.rule == "several_mentioned":
        return None
    hits = scene.options.find_all(scene.response)
    if not hits or no_choice.NONE.search(low):
        return None
    labels = [hit for hit in scene.labels.mentions(scene.response) if hit.marked]
    spots = [(h.start, h.position) for h in hits] + [(h.start, h.position) for h in labels]
    spans = [m.span() for m in _SENTENCE.finditer(low) if _SAYS.search(m.group())]
    last = max(spots)[0]
    closing = next(((a, b) for a, b in spans if a <= last < b), None)
    chosen = None
    if closing and not cut and not breaks_off(scene):
        said = _names_one(scene, closing, hits, spots)
        if said and _is_plain(scene, said, closing):
            chosen = said.hit
    if chosen is None:
        begins = min(spots)[0]
        opening = next(((a, b) for a, b in spans[:2] if a <= begins < b), spans[0])
        said = _names_one(scene, opening, hits, spots)
        others = {position for _, position in spots} - ({said.hit.position} if said else set())
        number = said is not None and candidates.numeric(scene, said.hit.position)
        if said and not (others and (number or cut)) and _opens(scene, said, cut):
            chosen = said.hit
    if chosen is None or not _fits(scene, first, chosen):
        return None
    span = scene.response.span(chosen.start, chosen.end)
    return Reading("answer", (chosen.position,), "plain", span, _CONFIDENCE)


def _fits(scene: Scene, first: Impression, chosen: TextHit) -> bool:
    """Whether nothing else of the reply speaks against the option."""
    found, lead = first.reading, first.first
    if opposed(scene, chosen.position, chosen.start, chosen.end):
        return False
    if lead is not None and lead.target.by == "label":
        return chosen.position in lead.target.positions
    if found is None or found.rule not in _STRONGER:
        return True
    return chosen.position in found.positions


def _names_one(
    scene: Scene,
    sentence: tuple[int, int],
    hits: list[TextHit],
    spots: list[tuple[int, int]],
) -> _Said | None:
    """The one option that a sentence names by its text, where it names no other."""
    start, end = sentence
    low = scene.response.low
    here = [hit for hit in hits if start <= hit.start < end]
    if (
        not 0 < len(here) <= _NAMES
        or _OPENS_BRACKET.match(low, start)
        or "?" in low[here[0].end : end]
    ):
        return None
    hit = next((h for h in here if _LEFT.search(low, max(start, h.start - _NEAR), h.start)), None)
    hit = hit or _result(scene, start, here) or here[0]
    begin = start if hit is here[0] else hit.start
    if {position for at, position in spots if begin <= at < end} != {hit.position}:
        return None
    text = low[hit.start : hit.end]
    if text in _BRIEF_OPTION:
        return None
    aside = _ASIDE.search(low, hit.end, end)
    ends = _ENDS.match(low, hit.end) is not None
    return _Said(hit, start, aside.start() if aside else end, text, ends)


def _result(scene: Scene, start: int, here: list[TextHit]) -> TextHit | None:
    """The number that a sentence comes to, where all others in it are steps or were given."""
    low, last = scene.response.low, here[-1]
    if not candidates.numeric(scene, last.position):
        return None
    if _EQUALS.search(low, start, last.start):
        return last
    given = all(h.position == last.position or _given(scene, low[h.start : h.end]) for h in here)
    return last if given and _COMES_TO.search(low, start, last.start) else None


def _given(scene: Scene, number: str) -> bool:
    """Whether the question gives a number."""
    return re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.])", scene.question.lower()) is not None


def _is_against(low: str, said: _Said, start: int | None = None) -> bool:
    begin = said.start if start is None else start
    return (
        _AGAINST.search(low, begin, said.hit.start) is not None
        or _AGAINST.search(low, said.hit.end, said.main) is not None
    )


def _is_own(low: str, said: _Said) -> bool:
    """Whether a clause says that its writer holds or chooses the option ("I'd call it fair")."""
    ends = [m.end() for m in _CLAUSE.finditer(low, said.start, said.hit.start)]
    begin = ends[-1] if ends else said.start
    clear = said.ends or _ATTITUDE.match(said.text) or _ABOUT.match(low, said.hit.end)
    if not clear or _is_against(low, said, begin):
        return False
    return _OWN.search(low[begin : said.hit.start]) is not None


def _is_plain(scene: Scene, said: _Said, sentence: tuple[int, int]) -> bool:
    """Whether the last sentence that names an option settles on it."""
    low, hit = scene.response.low, said.hit
    if said.ends and _LEFT.search(low, said.start, hit.start):
        return _WRONG.search(low, hit.end, sentence[1]) is None
    rest = low[sentence[1] :].strip()
    number = candidates.numeric(scene, hit.position)
    if scene.asks_not or (number and _NUMBERS.search(rest)):
        return False
    if number and _EQUALS.search(low, said.start, hit.start):
        if rest and not _restates(scene, said):
            return False
        return _UNIT.fullmatch(low, hit.end, sentence[1]) is not None
    if not number and _is_own(low, said):
        return True
    before = low[said.start : hit.start]
    concludes = [m.end() for m in _CONCLUDES.finditer(before)]
    begin = said.start + concludes[-1] if concludes else said.start
    if _is_against(low, said, begin):
        return False
    if IS_THE_ONE.match(low, hit.end):
        return True
    if not said.ends:
        return False
    if concludes:
        return True
    if rival(scene, hit.position, before=said.start):
        return False
    if (number or not rest) and _restates(scene, said):
        return True
    return not number and _IS.search(before) is not None


def _opens(scene: Scene, said: _Said, cut: bool) -> bool:
    """Whether the first sentence answers the question."""
    low, hit = scene.response.low, said.hit
    if scene.asks_not or _REPENTS.search(low, hit.end):
        return False
    if rival(scene, hit.position, behind=hit.end):
        return False
    before = low[said.start : hit.start]
    number = candidates.numeric(scene, hit.position)
    if not number and _HEADED.fullmatch(before) and _LINE_ENDS.match(low, hit.end):
        return True
    if not number and _is_own(low, said):
        return True
    if not said.ends or _is_against(low, said):
        return False
    if _restates(scene, said):
        return True
    return not (number or cut) and _IS.search(before) is not None


def _restates(scene: Scene, said: _Said) -> bool:
    """Whether the words of a sentence, but for the option's own, are mostly the question's."""
    if not scene.question or len(scene.response.low[said.start : said.hit.start].split()) < 2:
        return False
    own = {*option_stems(scene.options.texts[said.hit.position])}
    words = [w for w in stems(scene.response.low[said.start : said.main]) if w not in own]
    asked = _stems(scene.question)
    return bool(words) and sum(word in asked for word in words) >= _RESTATES * len(words)


@lru_cache(maxsize=4096)
def _stems(question: str) -> frozenset[str]:
    return frozenset(stems(question[:4000].lower()))
