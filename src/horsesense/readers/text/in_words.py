"""A choice in the words of the question: what it asks, said of one option alone.

"The Statue of Liberty was a gift from France" answers "Who gave the Statue of Liberty?" as plainly
as "the answer is France" does. So does an option's text that is a reply's first
sentence. Only where no rule of order finds a statement, and nothing turns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from horsesense.readers.reading import Reading
from horsesense.readers.text import announcements, candidates, likeness, no_choice
from horsesense.readers.text.closing import LINKS
from horsesense.readers.text.impression import Impression
from horsesense.readers.text.normalise import DEFAULT
from horsesense.readers.text.opposed import IS_THE_ONE, labels_another, opposed, rival
from horsesense.readers.text.options import TextHit
from horsesense.readers.text.special import meaning_of
from horsesense.readers.text.standing import withdraws
from horsesense.readers.text.targets import Scene

_FAIRLY = 0.91
_WEAK = frozenset(
    (
        *("text_alone", "several_texts", "mentioned", "lead_text", "linked"),
        *("several_mentioned", "several_linked"),
    )
)
"""Rules whose finding is no statement."""
_MOST = 6000
_ASKED = 400
_SHARE = 0.6
"""The share of the question's stems that a sentence has which answers it."""
_FEWEST = 2
_SENTENCE_END = re.compile(r"(?<=[.!?。])[\"'*)\]]*(?:\s+|(?<=。))|\n+")
_ITEM = re.compile(r"\s*(?:[-•*+–>|#$(]|\(?\w{1,2}[.):]\s)")
_ASIDE = re.compile(
    r"\(|, (?:not|rather than|unlike|whereas|while|although|though|because|since|and not)\b"
)
_AGAINST = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|without|except|but|however|although|though"
    r"|whereas|while|or|either|if|would|could|might|may|maybe|perhaps|possibly|many|some|people"
    r"|often|used to|unlike|rather|instead|than|depend\w*|ruled|both|unless|too|also|said|say"
    r"|claim\w*|wrote|writes|thinks?|thought|belie\w+|according|once|formerly|novel|story|joke"
    r"|an example|forget|ignore|avoid|worst|worse|wrong|incorrect|tempting|at first|seems?|trap"
    r"|so much|(?<!one )out|excluded|eliminated|students?|teacher|second|third"
    r"|nicht|kein\w*|nein|non|ou|oder|aunque|pero)\b|n't\b|\?|[✗❌✘|]"
)
"""In a sentence that names an option: that it may not be its answer."""
_FOREGOES = re.compile(
    r"\b(?:none of|(?:not|n't) (?:listed|offered|among|there|an option|possible)|depends"
    r"|both (?:are|of (?:them|these)|options|answers|choices|can|could|would|\w and \w)"
    r"|all (?:four|three|of them|are)|missing|jok(?:e|ing)|kidding|says otherwise|is another one"
    r"|old answer|most people|everyone (?:thinks|says|knows)|(?:not|n't) know)\b"
)
_NO_STATEMENT = re.compile(r"\W*(?:yes|no|true|false)\W*")
_NUMBER_OF = re.compile(r"\b(?:is|are|was|were|equals|has|have|had)[\s*_$(]*\Z")
_NUMBER_ENDS = re.compile(r"[*_$)\"']*(?:[.!]?\s*\Z|[.!]\s|\s?\(| [a-z])")
_TEXT_ENDS = re.compile(r"[\s*_`\"')\]]{0,4}(?:\n|[.!]\s|\s*\Z)")
_MARKS = " \n\t*_`\"'"
_DENIES = re.compile(r"\W*(?:no|nope|nein|non)\b")
_LINE = re.compile(r"\n[\s>#|*•-]*")
_LETTER = re.compile(r"[^\W\d_]")
_CONCLUDES = re.compile(
    r"\b(?:so|therefore|thus|hence|only|remains?|leav(?:es|ing)|left|which is why"
    r"|that(?: is|'s) why|must be|has to be|conclusion|overall|in short|sum|exactly"
    r"|exception|odd one)\b"
)
_ONLY = re.compile(r"\bonly (?:the )?(?:number )?[\s*_`$\"']*\Z")
_REMAINS = re.compile(
    r"[\s*_`$\"')]*(?:remains|is left|works|fits|satisfies|meets|matches|passes|qualifies|is\b)"
)
_IN_QUESTION = frozenset(
    (
        *("~best", "~great", "~good", "follow", "statement", "option", "sentence", "most", "like"),
        *("1", "describ", "tru", "true", "false", "correct", "you", "think"),
    )
)
"""Stems of a question that say nothing of what it asks for."""


def in_words(
    scene: Scene, first: Impression, turns: Callable[[str], bool], *, cut: bool = False
) -> Reading | None:
    """The choice that a reply makes in words of the question, or by a text in front.

    Of a reply that was `cut` off, only what it says in a whole sentence.
    """
    found = first.reading
    low = scene.response.low
    if len(low) > _MOST or not scene.options.texts:
        return None
    if first.said:
        return None
    if found is not None and found.rule not in _WEAK:
        return None
    for rule, look in _WHOLE if cut else _LOOKS:
        one = look(scene, first)
        if one is not None:
            against = _opposed(scene, one) or withdraws(low)
            plain = not (against or turns(low) or _FOREGOES.search(low))
            return _read(scene, one, rule) if plain and not no_choice.NONE.search(low) else None
    return None


def _opposed(scene: Scene, one: TextHit) -> bool:
    return opposed(scene, one.position, one.start, one.end)


def _read(scene: Scene, one: TextHit, rule: str) -> Reading:
    return Reading(
        "answer", (one.position,), rule, scene.response.span(one.start, one.end), _FAIRLY
    )


def _opening(scene: Scene, first: Impression) -> TextHit | None:
    """The option whose text is all of the first sentence, where no line begins with another."""
    lead = first.first
    if lead is None or lead.rule != "lead_text" or len(lead.target.positions) != 1:
        return None
    low, target = scene.response.low, lead.target
    if low[: target.start].strip(_MARKS) or not _TEXT_ENDS.match(low, target.end):
        return None
    if _DENIES.match(low, target.end):
        return None
    if _heads(scene) - {*target.positions}:
        return None
    own = scene.options.match_at(scene.response, target.start)
    if len(own) != 1 or own[0].position not in target.positions:
        return None
    said = scene.response.text[own[0].start : own[0].end]
    text = scene.options.texts[own[0].position].strip()
    return own[0] if len(said) > 1 or said == text else None  # "Σ" is not "σ"


def _heads(scene: Scene) -> set[int]:
    """The options whose text begins a line behind the first."""
    response = scene.response
    return {
        hit.position
        for m in _LINE.finditer(response.low)
        for hit in scene.options.match_at(response, m.end())
        if hit.start - m.end() < _FEWEST
    }


def _restated(scene: Scene, first: Impression) -> TextHit | None:
    """The one option that sentences name which say what was asked, and name no other."""
    asked = _asked(scene.question)
    ways_out = any(map(meaning_of, scene.options.texts))
    if scene.asks_not or len(asked) < _FEWEST or ways_out:
        return None
    hits = [hit for hit in scene.options.find_all(scene.response) if not scene.dropped(hit.start)]
    found: dict[int, TextHit] = {}
    for start, end in _sentences(scene.response.low) if hits else ():
        here = [hit for hit in hits if start <= hit.start < end]
        one = _answers(scene, start, end, here, asked) if here else None
        if one is not None:
            found.setdefault(one.position, one)
    one = next(iter(found.values())) if len(found) == 1 else None
    return None if one and rival(scene, one.position, behind=one.end) else one


def _closing(scene: Scene, first: Impression) -> TextHit | None:
    """The one option of a last sentence that concludes ("So obesity is the exception here."), where
    no sentence before it concludes with another."""
    if any(map(meaning_of, scene.options.texts)):
        return None
    low = scene.response.low
    spans = [one for one in _sentences(low) if _LETTER.search(low, *one)]
    hits = scene.options.find_all(scene.response)
    if len(spans) < _FEWEST or not hits or hits[-1].start < spans[-1][0]:
        return None
    chosen: TextHit | None = None
    for start, end in spans:
        here = [hit for hit in hits if start <= hit.start < end]
        one = _concludes(scene, start, end, here) if here else None
        if chosen and one and chosen.position != one.position:
            return None
        chosen = one or chosen
    return chosen if chosen and chosen.start >= spans[-1][0] else None


def _concludes(scene: Scene, start: int, end: int, here: Sequence[TextHit]) -> TextHit | None:
    """The option that a sentence names alone, and with a word that concludes."""
    low, one = scene.response.low, here[0]
    aside = _ASIDE.search(low, one.end, end)
    end = aside.start() if aside else end
    around = f"{low[start : one.start]} {low[one.end : end]}"
    if len({hit.position for hit in here if hit.start < end}) != 1 or not _CONCLUDES.search(around):
        return None
    if _AGAINST.search(around) or _ITEM.match(low, start, end) or scene.dropped(one.start):
        return None
    if labels_another(scene, start, end, one.position):
        return None
    linked = LINKS.search(low, start, one.start) or IS_THE_ONE.match(low, one.end)
    if not linked:
        return None
    chance = candidates.numeric(scene, one.position) and not (
        _ONLY.search(low, start, one.start) and _REMAINS.match(low, one.end)
    )
    return None if chance or _NO_STATEMENT.fullmatch(scene.options.texts[one.position]) else one


def _answers(
    scene: Scene, start: int, end: int, here: Sequence[TextHit], asked: Sequence[str]
) -> TextHit | None:
    """The option of a sentence that says what was asked of it alone, asides left out."""
    low, one = scene.response.low, here[0]
    aside = _ASIDE.search(low, one.end, end)
    end = aside.start() if aside else end
    text = scene.options.texts[one.position]
    if _ITEM.match(low, start, end) or _NO_STATEMENT.fullmatch(text):
        return None
    if len({hit.position for hit in here if hit.start < end}) != 1:
        return None
    if candidates.numeric(scene, one.position) and not (
        _NUMBER_OF.search(low, start, one.start) and _NUMBER_ENDS.match(low, one.end)
    ):
        return None
    around = f"{low[start : one.start]} {low[one.end : end]}"
    own = likeness.option_stems(text)
    needed = [stem for stem in asked if stem not in own]
    said = likeness.stems(around)
    share = sum(stem in said for stem in needed)
    if len(needed) < _FEWEST or share < _SHARE * len(needed):
        return None
    if _AGAINST.search(around):
        return None
    if labels_another(scene, start, end, one.position):
        return None
    return None if announcements.WRONG.match(low, one.end) else one


@lru_cache(maxsize=4096)
def _asked(question: str) -> tuple[str, ...]:
    """The stems of what is asked, each once."""
    found = likeness.stems(question[-_ASKED:].translate(DEFAULT).lower())
    return tuple(dict.fromkeys(stem for stem in found if stem not in _IN_QUESTION))


def _sentences(low: str) -> Iterator[tuple[int, int]]:
    start = 0
    for m in _SENTENCE_END.finditer(low):
        yield start, m.start()
        start = m.end()
    yield start, len(low)


_LOOKS: tuple[tuple[str, Callable[[Scene, Impression], TextHit | None]], ...] = (
    ("opening", _opening),
    ("restated", _restated),
    ("concludes", _closing),
)
_WHOLE = (("restated", _restated),)
