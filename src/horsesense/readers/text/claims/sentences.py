"""Sentence by sentence: which options a reply names, and whether it speaks against them there.

A reply is split once, and what it names is found once; the rules for choices that no word such as
"answer" announces are conditions over these sentences. The sentence may be somebody else's, may
suppose or compare, and what follows may take it back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from horsesense.readers.text.claims import candidates, framing
from horsesense.readers.text.claims.standing import CALLED_WRONG, WITHDRAWS
from horsesense.readers.text.claims.statements import turned_down
from horsesense.readers.text.names.labels import LabelHit
from horsesense.readers.text.names.options import TextHit
from horsesense.readers.text.names.targets import Scene

_SAYS = (
    r"(?:he|she|they|who|friend|teacher|brother|sister|father|mother|colleague|neighbou?r"
    r"|everyone|everybody|book|film) (?:\w+ )?(?:says?|said|thinks?|thought|claims?|claimed|told"
    r"|tells)"
)
_SENSES = {
    "denied": (
        r"not|no|never|nor|neither|none|cannot|without|except|wrong|incorrect|false|nonsense"
        r"|rul\w+ out|excluded|eliminat\w+|reject\w*|avoid\w*|ignore|forget|worst|worse|least"
        r"|(?:is|are|was|were|be|so) (?:\w+ly )?out|nicht|kein\w*|nein|non"
    ),
    "contrasted": (
        r"but|however|although|though|while|whereas|unlike|rather|instead|than|against|aunque|pero"
    ),
    "supposed": r"if|unless|suppos\w*|assuming|were it|otherwise|depends?",
    "doubted": r"could|might|may|maybe|perhaps|possibly|seems?",
    "reported": (
        rf"{_SAYS}|according to (?!the)\w+|believ\w+|hear|students?|people (?:say|think|believe"
        r"|assume)|myth|mistakes?|opposite|rival"
        r"|weakest"
    ),
    "lure": (
        r"doubt|unlikely|hard(?:ly)?|guess|lure|trap|distractor|decoy|bait|beware"
        r"|runner-up|neighbou?r|confusion|alternative|candidate"
    ),
    "beside": r"or|either|both|between|too|also|one of(?! them)|ou|oder",
    "usual": (
        r"many|some|people|often|commonly|common|frequent|popular|called|said|says"
        r"|(?<!i'd )(?<!to )say|claim\w*|thinks?|thought|used to|once|formerly|tempt\w*|story|joke"
        r"|(?<!i )would|over|among(?! the \w+ \w+,)|example|such as"
    ),
    "before": r"initially|at first|first|second|third|wait|actually|so much",
}
"""What the words of a sentence make of the option that it names."""


def _words_of(*senses: str, signs: str = "") -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_SENSES[name] for name in senses)})\b{signs}")


AGAINST = _words_of(*_SENSES, signs=r"|n['’]t\b|[?✗✘❌|]")
"""That an option may not be what its sentence says, in any sense."""
NO_CLOSE = _words_of("denied", "contrasted", "supposed", "doubted", "beside", signs=r"|n['’]t\b|\?")
"""The same of a last clause that concludes, which may speak of what is said, or comes first."""
SUPPOSED = _words_of("supposed")
_DENIED = re.compile(rf"(?:{_SENSES['denied']})|n['’]t|[?✗✘❌|]")
NOT_ITS_OWN = _words_of("reported", "lure")
"""That a sentence is somebody else's, or warns of an option."""
LURE = _words_of("lure")
LINKS = re.compile(
    r"(?:\b(?:is|are|was|were|be|being|remains?|leaves|of|it['’]s|that['’]s|as|mean(?:s|ing)|ist)"
    r"|reads?|becomes|\bi would choose|[:,=→–—-]|\A|选择?|選)[\s*_\"'`(\[$]*(?:(?:therefore|thus"
    r"|most likely|probably|clearly|simply"
    r"|just|about|option|choice|letter|answer|statement|the|an?)\b[\s*_\"'`(\[$:]*){0,4}\Z"
)
"""What links a subject to the option that stands behind it."""
IS_THE_ONE = re.compile(
    r"[\"'*_)\]`]* (?:is|are|was|were) (?:\w+ly )?(?:the (?:one|only (?:one|option|word|choice))"
    r"|the (?:correct|right|best) \w+)\b"
)
_NO_MORE = re.compile(
    r"[.!?\n]\W*(?:or (?:is it|not)|(?:that|this|it|which)(?:['’]s| is| was) (?:\w+ )?(?:wrong"
    r"|incorrect|false|not (?:right|correct|true)|a (?:\w+ )?(?:myth|mistake))|wrong|incorrect"
    r"|nope\b|no[,.!]|not\b|hmm|but (?:that|this|it)\b)"
)
"""Sentences behind an option that turn against it."""
_NEAR = 120
_NAMES = 40
"""Names of options in a sentence, of which it says nothing plainly that has more."""
_OPENS_BRACKET = re.compile(r"\s*[(\[{>|]")
_ASIDE = re.compile(
    r"\(|\b(?:rather than|instead of|as opposed to)\b"
    r"|, (?:as|which|showing|given|due to|for example|not|rather than|unlike|whereas|while"
    r"|although|though|because|since|and not)\b"
)
"""Behind an option: what no longer says what it is, but may name others."""
_CLAUSE_ENDS = re.compile(
    r"[,;(—–]|\b(?:because|since|as|which|while|whereas|although|though|where|when|so|not"
    r"|rather than)\b"
)
_ANNOUNCED = re.compile(r"(?:[:→]|->|=>)[\s*_(\[\"']*\Z")
_ENDS = re.compile(
    r"[\"'*_)\]`}$\\]*\s*(?:[.!;:,\n(—–]|\Z|- |\b(?:because|since|as|which|so|where|when|by|in|on"
    r"|at|to|of|for|with|from|per|due|and|while|whereas|although|though|not)\b)"
)
EQUALS = re.compile(r"(?:=|≈|->|→)[\s*_$\\(]*\Z")
_COMES_TO = re.compile(
    r"\b(?:is|are|was|be|has|have|takes?|needs?|costs?|pays?|equals?|gets?|after)"
    r"(?: (?:about|exactly|only|equal to))?[\s*_$\\(]*\Z"
)
LEFT = re.compile(
    r"\b(?:(?:that|this|it|which) leaves(?: us)?(?: only)?(?: with)?|leaving(?: us)?(?: only)?"
    r"(?: with)?|what (?:remains|is left) is|we are left with|(?:only|the) (?:one|option|choice"
    r"|answer|possibility) (?:left|remaining|that remains|that is left) is|leaves only)"
    r"(?: that| the option| the| an?)?[\s*_\"'(]*(?:\w\)?[,:.)]* ?)?[\s*_\"'(]*\Z"
)
SO = re.compile(
    r"(?:\A\W*|[,;:—–] ?|\band )(?:so|then)\b"
    r"(?! (?:many|much|few|little|far|long|that|is|are|was|were|does|did)\b)"
    r"|\b(?:therefore|thus|hence|overall|in conclusion|to conclude|in summary|in short|finally"
    r"|ultimately|all in all|on balance|as a result|consequently|accordingly|that(?: is|'s) why"
    r"|which is why|in the end|taking everything|considering)\b"
)
"""A sentence that draws a conclusion."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?。])[\"'*)\]_]*(?:\s+|(?<=。)|\Z)|\n+")
_LETTER = re.compile(r"[^\W_]")


class Name(NamedTuple):
    """An option named at a place: `by_label`, and `firm` unless by a label that is not set off."""

    position: int
    start: int
    end: int
    by_label: bool
    firm: bool


class Sentence(NamedTuple):
    """Where a sentence is, and the options that it names: `texts` by their texts, `names` all."""

    start: int
    end: int
    texts: list[TextHit]
    names: list[Name]


class Told(NamedTuple):
    """A reply's sentences that have a letter or a digit, and all names in it, in order."""

    sentences: list[Sentence]
    names: list[Name]

    def at(self, place: int) -> Sentence:
        """The sentence that a place is in."""
        return self.sentences[max(0, bisect_right(self.sentences, (place + 1,)) - 1)]


def told(scene: Scene) -> Told:
    """The sentences of a reply, and what it names; worked out once."""
    return scene.once(_tell)


def _tell(scene: Scene) -> Told:
    low = scene.response.low
    texts = scene.options.find_all(scene.response)
    names = [Name(hit.position, hit.start, hit.end, False, True) for hit in texts]
    names += [
        Name(hit.position, hit.start, hit.end, True, hit.marked)
        for hit in scene.labelled
        if hit.marked or _shows(scene, hit)
    ]
    names.sort(key=lambda name: name.start)
    found: list[Sentence] = []
    start = first = at = 0
    for end, after in [*(m.span() for m in _SENTENCE_ENDS.finditer(low)), (len(low), len(low))]:
        if not _LETTER.search(low, start, end):
            start = after
            continue
        last, till = first, at
        while last < len(texts) and texts[last].start < end:
            last += 1
        while till < len(names) and names[till].start < end:
            till += 1
        found.append(Sentence(start, end, texts[first:last], names[at:till]))
        start, first, at = after, last, till
    return Told(found, names)


def _shows(scene: Scene, hit: LabelHit) -> bool:
    return scene.labels.shows(scene.response.text[hit.start : hit.end])


def speaks_against(scene: Scene, start: int, end: int, words: re.Pattern[str] = AGAINST) -> bool:
    """Whether words between two places say that an option may not be what its sentence says it is.

    Words that the question has as well are taken up from there, unless they deny.
    """
    low, asked = scene.response.low, scene.question.lower()
    return any(
        m.group() not in asked or _DENIED.fullmatch(m.group())
        for m in words.finditer(low, start, end)
    )


def names_another(sentence: Sentence, position: int, end: int) -> bool:
    """Whether a sentence shows the label of another option before `end` ("So it's A (...)"); a
    letter that begins it may be an article."""
    return any(
        name.position != position and (name.firm or name.start > sentence.start)
        for name in sentence.names
        if name.by_label and name.start < end
    )


def rival(scene: Scene, position: int, *, behind: int = 0, before: int | None = None) -> bool:
    """Whether another option is named in a part of the folded reply and not turned down there."""
    end = len(scene.response.low) if before is None else before
    return any(
        name.position != position and name.firm and not turned_down(scene, name.start)
        for name in told(scene).names
        if behind <= name.start < end
    )


def opposed(scene: Scene, position: int, start: int, end: int) -> bool:
    """Whether something speaks against an option that is named from `start` to `end`, as places in
    the folded reply: its sentence shows another's label, too, or the rest takes it back."""
    low = scene.response.low
    denied = turned_down(scene, start) or CALLED_WRONG.match(low, end) is not None
    if scene.dropped(start) or (denied and not scene.asks_not) or framing.SET_ASIDE.match(low, end):
        return True
    sentence = told(scene).at(start)
    if NOT_ITS_OWN.search(low, sentence.start, start) or names_another(sentence, position, end):
        return True
    return WITHDRAWS.search(low, end) is not None or _NO_MORE.search(low, end) is not None


def ends_on_another(scene: Scene, position: int) -> bool:
    """Whether the last word is the label of another option, behind a sign that announces it
    ("After checking: B")."""
    hit = scene.labels.at_end(scene.response)
    if hit is None or hit.position == position:
        return False
    return _ANNOUNCED.search(scene.response.low, max(0, hit.start - _NEAR), hit.start) is not None


class Said(NamedTuple):
    """A sentence and the one option that it names.

    Attributes:
        hit: where it names the option.
        sentence: where it is.
        begin: where its clause begins, behind what says that it concludes.
        main: where the clause of the option ends.
        stop: where an aside behind the option begins, or the sentence ends.
        ends: whether nothing but another clause follows the option.
        number: whether the option is a number, which a calculation may contain by chance.
    """

    hit: TextHit
    sentence: Sentence
    begin: int
    main: int
    stop: int
    ends: bool
    number: bool


def said_of(scene: Scene, sentence: Sentence) -> Said | None:
    """The one option that a sentence names by its text, where it names no other."""
    start, end, here, names = sentence
    low = scene.response.low
    if not 0 < len(here) <= _NAMES or _OPENS_BRACKET.match(low, start):
        return None
    if "?" in low[here[0].end : end]:
        return None
    hit = next((h for h in here if LEFT.search(low, max(start, h.start - _NEAR), h.start)), None)
    hit = hit or _result(scene, start, here) or here[0]
    begin = start if hit is here[0] else hit.start
    aside = _ASIDE.search(low, hit.end, end)
    stop = aside.start() if aside else end
    named = {one.position for one in names if one.firm and begin <= one.start < stop}
    if named != {hit.position}:
        return None
    clause = _CLAUSE_ENDS.search(low, hit.end, end)
    main = clause.start() if clause else end
    number = candidates.numeric(scene, hit.position)
    so = max((m.end() for m in SO.finditer(low[start : hit.start])), default=0)
    return Said(
        hit, sentence, start + so, main, stop, _ENDS.match(low, hit.end) is not None, number
    )


def _result(scene: Scene, start: int, here: list[TextHit]) -> TextHit | None:
    """The number that a sentence comes to, where all others in it are steps or were given."""
    low, last = scene.response.low, here[-1]
    if not candidates.numeric(scene, last.position):
        return None
    if EQUALS.search(low, start, last.start):
        # What the question gives is what a check comes to.
        return None if gives(scene, low[last.start : last.end]) else last
    given = all(h.position == last.position or gives(scene, low[h.start : h.end]) for h in here)
    return last if given and _COMES_TO.search(low, start, last.start) else None


def gives(scene: Scene, number: str) -> bool:
    """Whether the question gives a number."""
    return re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.])", scene.question.lower()) is not None
