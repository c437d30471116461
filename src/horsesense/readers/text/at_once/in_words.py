"""A choice that no word such as "answer" announces: what a sentence of its own says plainly.

"The Statue of Liberty was a gift from France" answers "Who gave the Statue of Liberty?" as plainly
as "the answer is France" does. So do an option's text that is a reply's first sentence, a sentence
that concludes with one option, says what something is, what is left over, or what its writer holds.
Only where no rule of order finds a statement, and nothing turns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from horsesense.readers.reading import Reading
from horsesense.readers.text.at_once.equations import of_another
from horsesense.readers.text.at_once.opens_with import opens_with
from horsesense.readers.text.claims.contest import breaks_off
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.claims.sentences import (
    EQUALS,
    IS_THE_ONE,
    LEFT,
    LINKS,
    LURE,
    SO,
    Said,
    Sentence,
    ends_on_another,
    gives,
    names_another,
    opposed,
    rival,
    said_of,
    speaks_against,
    told,
)
from horsesense.readers.text.names.likeness import option_stems, stems
from horsesense.readers.text.names.options import TextHit
from horsesense.readers.text.names.special import meaning_of
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words import announcements, no_choice
from horsesense.readers.text.words.normalise import DEFAULT
from horsesense.readers.text.words.wording import Wording

_CONFIDENCE = 0.91
_MOST = 12_000
_SOON = 400
_ASKED = 400
_SHARE = 0.6
"""The share of the question's stems that a sentence has which answers it."""
_FEWEST = 2
_RESTATES = 0.5
"""The share of a sentence's words that the question has, of one that takes it up."""
_TOUCHES = 0.25
"""The same of one that speaks of what was asked at all."""
_CHOICES = ("answer", "ambiguous")
_STRONGER = frozenset(
    ("lead", "last_line", "mentioned", "boxed", "none", "undetermined", "refusal", "unknown")
)
"""Rules of order that a sentence of another option does not overrule."""
_FOREGOES = re.compile(
    r"\b(?:none of|(?:(?<!, )(?<!are )not|n't) (?:listed|offered|among|there|an option|possible)"
    r"|depends|both (?:are|of (?:them|these)|options|answers|choices|can|could|would|\w and \w)"
    r"|all (?:four|three|of them|are)|missing|jok(?:e|ing)|kidding|says otherwise|is another one"
    r"|old answer|most people|everyone (?:thinks|says|knows)|(?:not|n't) know)\b"
)
_DESCRIBED = re.compile(
    r"\W*(?:the|an?|what|its|one|most|many)\b"
    r"(?! (?:\w+ )?(?:answer|option|choice|statement|correct|right|best|following|odd)\b)"
    r"[^,;:\n]* (?:is|are|was|were)(?: (?:the|an?))?[\s*_\"'`(]*\Z"
)
"""Before an option: that a sentence describes a thing and says what it is."""
_REPENTS = re.compile(r"\b(?:apolog\w+|contradict\w+|went wrong|i gave above)\b")
_ITEM = re.compile(r"\s*(?:[-•*+–>|#$(]|\(?\w{1,2}[.):]\s)")
_NO_STATEMENT = ("yes", "no", "true", "false", "none", "both", "all", "neither")
_NUMBERS = re.compile(r"\d")
_NUMBER_OF = re.compile(r"\b(?:is|are|was|were|equals|has|have|had)[\s*_$(]*\Z")
_NUMBER_ENDS = re.compile(r"[*_$)\"']*(?:[.!]?\s*\Z|[.!]\s|\s?\(| [a-z])")
_UNIT = re.compile(r"[\s*_$\\)\]}]*(?:[a-z%°/²³]+[\s*_.$)]*){0,2}[^\w=+*/^(-]*")
_TEXT_ENDS = re.compile(r"[\s*_`\"')\]]{0,4}(?:\n|[.!]\s|\s*\Z)")
_MARKS = " \n\t*_`\"'"
_DENIES = re.compile(r"\W*(?:no|nope|nein|non)\b")
_LINE = re.compile(r"\n[\s>#|*•-]*")
_SINGLES_OUT = re.compile(
    r"\b(?:only|remains?|leav(?:es|ing)|left|must be|has to be|conclusion|sum|exactly"
    r"|exception|odd one)\b"
)
_ONLY = re.compile(r"\bonly (?:the )?(?:number )?[\s*_`$\"']*\Z")
_REMAINS = re.compile(
    r"[\s*_`$\"')]*(?:remains|is left|works|fits|satisfies|meets|matches|passes|qualifies|is\b)"
)
_WRONG = re.compile(r"\b(?:wrong|incorrect|ruled out|eliminat\w+)\b")
_IS = re.compile(
    r"\b(?:is|are|was|were|has|have|means?|shows?|expresses|remains|called|becomes?|belongs to"
    r"|returns|prints|outputs|looks like|sounds like|reads like|(?:classif|describ|label|categor"
    r"|count|regard|known|see)\w* (?:\w+ ){0,2}as|(?:is|are|was|were) (?:\w+ ){1,2}"
    r"(?:by|from))\b(?: (?:the|an?|about"
    r"|most|clearly|therefore|thus|also|likely|probably|very|best|classified|described|labell?ed"
    r"|categori[sz]ed|considered|made|as|by|in|of|to|be|exactly|only)){0,5}[\s*_\"'`($\\]*\Z"
)
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
_IN_QUESTION = frozenset(
    (
        *("~best", "~great", "~good", "follow", "statement", "option", "sentence", "most", "like"),
        *("1", "describ", "tru", "true", "false", "correct", "you", "think"),
    )
)
"""Stems of a question that say nothing of what it asks for."""


class _Reply(NamedTuple):
    """A reply, what the rules of order find in it, and its sentences that name an option."""

    scene: Scene
    first: Impression
    low: str
    naming: list[Sentence]
    cut: bool

    def before(self, said: Said) -> str:
        """What stands before the option in its sentence."""
        return self.low[said.sentence.start : said.hit.start]

    def against(self, said: Said, start: int, end: int) -> bool:
        """Whether a word between two places speaks against the option; a word that the question
        has as well is taken up from there."""
        return speaks_against(self.scene, start, said.hit.start) or speaks_against(
            self.scene, said.hit.end, end
        )


def in_words(
    scene: Scene, first: Impression, turn: Wording, *, cut: bool = False
) -> Reading | None:
    """The choice that a reply makes in words of its own, or by a text in front.

    Of a reply that was `cut` off, only what it says in a whole sentence.
    """
    found, low = first.reading, scene.response.low
    if first.said or first.standing.several or len(low) > _MOST:
        return None
    if found is not None and (found.status not in _CHOICES or found.rule == "several_mentioned"):
        return None
    naming = [one for one in told(scene).sentences if one.texts]
    if not naming or no_choice.NONE.search(low):
        return None
    reply = _Reply(scene, first, low, naming, cut)
    for rule, look in _WHOLE if cut else _LOOKS:
        hit = look(reply)
        if hit is None:
            continue
        # A first sentence that says all that was asked is not about what a long rest may mention.
        till = hit.end + _SOON if rule == "opens_with" else len(low)
        if turn.search(low, hit.end) or _FOREGOES.search(low, hit.end, till):
            return None
        if not _fits(reply, hit):
            return None
        span = scene.response.span(hit.start, hit.end)
        return Reading("answer", (hit.position,), rule, span, _CONFIDENCE)
    return None


def is_taken_up(scene: Scene, position: int) -> bool:
    """Whether the last sentence that names an option by its text says it of what was asked."""
    naming = [
        one for one in told(scene).sentences if any(hit.position == position for hit in one.texts)
    ]
    said = said_of(scene, naming[-1]) if naming else None
    return said is None or said.hit.position != position or _is_of_what_was_asked(scene, said)


def _is_of_what_was_asked(scene: Scene, said: Said) -> bool:
    """Whether a sentence speaks of what was asked, as far as the question is known: not of a lure,
    nor of a thing that the question does not speak of ("The largest is ...")."""
    low, start, end = scene.response.low, said.sentence.start, said.hit.start
    if LURE.search(low, start, end):
        return False
    concludes = said.begin > start or not scene.question
    described = not concludes and _DESCRIBED.match(low, start, end) is not None
    return not described or _restates(scene, said, _TOUCHES)


def _fits(reply: _Reply, hit: TextHit) -> bool:
    """Whether nothing else of the reply speaks against the option."""
    found, lead = reply.first.reading, reply.first.first
    if opposed(reply.scene, hit.position, hit.start, hit.end):
        return False
    if ends_on_another(reply.scene, hit.position):
        return False
    if lead is not None and lead.target.by == "label":
        return hit.position in lead.target.positions
    if found is None or found.rule not in _STRONGER:
        return True
    return hit.position in found.positions


def _opening(reply: _Reply) -> TextHit | None:
    """The option whose text is all of the first sentence, where no line begins with another."""
    scene, low, lead = reply.scene, reply.low, reply.first.first
    if lead is None or lead.rule != "lead_text" or len(lead.target.positions) != 1:
        return None
    target = lead.target
    if low[: target.start].strip(_MARKS) or not _TEXT_ENDS.match(low, target.end):
        return None
    hits = [hit for hit in reply.naming[0].texts if target.start <= hit.start < target.end]
    if len(hits) != 1 or hits[0].position not in target.positions or _DENIES.match(low, target.end):
        return None
    if _heads(reply) - {*target.positions}:
        return None
    said = scene.response.text[hits[0].start : hits[0].end]
    text = scene.options.texts[hits[0].position].strip()
    return hits[0] if len(said) > 1 or said == text else None  # "Σ" is not "σ"


def _heads(reply: _Reply) -> set[int]:
    """The options whose text begins a line behind the first."""
    return {
        hit.position
        for sentence in reply.naming
        for hit in sentence.texts[:1]
        if _LINE.fullmatch(reply.low, reply.low.rfind("\n", 0, hit.start) % (1 << 60), hit.start)
    }


def _restated(reply: _Reply) -> TextHit | None:
    """The one option that sentences name which say what was asked, and name no other."""
    scene = reply.scene
    asked = _asked(scene.question)
    if scene.asks_not or len(asked) < _FEWEST or any(map(meaning_of, scene.options.texts)):
        return None
    found: dict[int, TextHit] = {}
    for sentence in reply.naming:
        said = said_of(scene, sentence)
        if said is not None and _answers(reply, said, asked):
            found.setdefault(said.hit.position, said.hit)
    one = next(iter(found.values())) if len(found) == 1 else None
    return None if one and rival(scene, one.position, behind=one.end) else one


def _concludes(reply: _Reply) -> TextHit | None:
    """The one option of a last sentence that concludes ("So obesity is the exception here."), where
    no sentence before it concludes with another."""
    sentences = told(reply.scene).sentences
    last = reply.naming[-1]
    if len(sentences) < _FEWEST or last is not sentences[-1]:
        return None
    if any(map(meaning_of, reply.scene.options.texts)):
        return None
    found = [said for one in reply.naming if (said := said_of(reply.scene, one))]
    found = [said for said in found if _singles_out(reply, said)]
    alike = len({said.hit.position for said in found}) == 1 and found[-1].sentence is last
    return found[-1].hit if alike else None


def _singles_out(reply: _Reply, said: Said) -> bool:
    """Whether a sentence concludes with its option, or singles it out."""
    low, hit, start = reply.low, said.hit, said.sentence.start
    around = f"{reply.before(said)} {low[hit.end : said.stop]}"
    if not (_SINGLES_OUT.search(around) or SO.search(around)):
        return False
    if reply.against(said, said.begin, said.stop) or _is_item(reply, said):
        return False
    if not (LINKS.search(low, start, hit.start) or IS_THE_ONE.match(low, hit.end)):
        return False
    only = _ONLY.search(low, start, hit.start) and _REMAINS.match(low, hit.end)
    return bool(only) or not said.number


def _is_item(reply: _Reply, said: Said) -> bool:
    """Whether a sentence is one of a list, or shows the label of another option."""
    return (
        _ITEM.match(reply.low, said.sentence.start, said.sentence.end) is not None
        or reply.scene.dropped(said.hit.start)
        or names_another(said.sentence, said.hit.position, said.sentence.end)
    )


def _answers(reply: _Reply, said: Said, asked: Sequence[str]) -> bool:
    """Whether a sentence says what was asked of its option, asides left out."""
    low, hit = reply.low, said.hit
    if said.number and not (
        _NUMBER_OF.search(low, said.sentence.start, hit.start) and _NUMBER_ENDS.match(low, hit.end)
    ):
        return False
    own = option_stems(reply.scene.options.texts[hit.position])
    needed = [stem for stem in asked if stem not in own]
    said_too = stems(f"{reply.before(said)} {low[hit.end : said.stop]}")
    share = sum(stem in said_too for stem in needed)
    if len(needed) < _FEWEST or share < _SHARE * len(needed):
        return False
    if reply.against(said, said.begin, said.stop) or _is_item(reply, said):
        return False
    return announcements.WRONG.match(low, hit.end) is None


def _plain(reply: _Reply) -> TextHit | None:
    """The option of the last sentence that names any, where it settles on it, or of the first one
    where that answers; of a reply that was cut off of the first alone."""
    scene, low = reply.scene, reply.low
    if "{" in low or "<" in low:
        return None
    every = told(scene)
    firm = [name for name in every.names if name.firm]
    closing = every.at(firm[-1].start)
    if not reply.cut and not breaks_off(scene):
        said = said_of(scene, closing)
        if said is not None and not _is_brief(reply, said) and _settles(reply, said):
            return said.hit
    opening = every.at(firm[0].start)
    said = said_of(scene, opening if opening in every.sentences[:2] else every.sentences[0])
    if said is None or _is_brief(reply, said):
        return None
    others = any(name.position != said.hit.position for name in firm)
    if others and (said.number or reply.cut):
        return None
    return said.hit if _opens(reply, said) else None


def _is_brief(reply: _Reply, said: Said) -> bool:
    """Whether an option is a word that may say something else of another ("yes", "none")."""
    return reply.low[said.hit.start : said.hit.end] in _NO_STATEMENT


def _is_own(reply: _Reply, said: Said) -> bool:
    """Whether a clause says that its writer holds or chooses the option ("I'd call it fair")."""
    low, start, hit = reply.low, said.sentence.start, said.hit
    begin = max((m.end() for m in _CLAUSE.finditer(low, start, hit.start)), default=start)
    text = low[hit.start : hit.end]
    if said.number or not (said.ends or _ATTITUDE.match(text) or _ABOUT.match(low, hit.end)):
        return False
    own = _OWN.search(low[begin : hit.start]) is not None
    return own and not reply.against(said, begin, said.main)


def _settles(reply: _Reply, said: Said) -> bool:
    """Whether the last sentence that names an option settles on it."""
    low, hit, end = reply.low, said.hit, said.sentence.end
    before = reply.before(said)
    if said.ends and LEFT.search(before):
        return _WRONG.search(low, hit.end, end) is None
    rest = low[end:].strip()
    if reply.scene.asks_not or (said.number and _NUMBERS.search(rest)):
        return False
    if said.number and of_another(reply.scene, hit.start):
        return False
    if said.number and EQUALS.search(before):
        if gives(reply.scene, low[hit.start : hit.end]):
            return False
        whole = _UNIT.fullmatch(low, hit.end, end) is not None
        return whole and (not rest or _restates(reply.scene, said))
    if _is_own(reply, said):
        return True
    so = said.begin > said.sentence.start
    if reply.against(said, said.begin, said.main):
        return False
    if not said.ends or so or IS_THE_ONE.match(low, hit.end):
        return bool(said.ends or IS_THE_ONE.match(low, hit.end))
    if rival(reply.scene, hit.position, before=said.sentence.start):
        return False
    if (said.number or not rest) and _restates(reply.scene, said):
        return True
    is_it = not said.number and _IS.search(before) is not None
    return is_it and _is_of_what_was_asked(reply.scene, said)


def _opens(reply: _Reply, said: Said) -> bool:
    """Whether the first sentence answers the question."""
    low, hit = reply.low, said.hit
    if reply.scene.asks_not or _REPENTS.search(low, hit.end):
        return False
    if said.number and of_another(reply.scene, hit.start):
        return False
    if rival(reply.scene, hit.position, behind=hit.end):
        return False
    before = reply.before(said)
    if not said.number and _HEADED.fullmatch(before) and _LINE_ENDS.match(low, hit.end):
        return True
    if _is_own(reply, said):
        return True
    if not said.ends or reply.against(said, said.begin, said.main):
        return False
    if _restates(reply.scene, said):
        return True
    is_it = not (said.number or reply.cut) and _IS.search(before) is not None
    return is_it and _is_of_what_was_asked(reply.scene, said)


def _opens_with(reply: _Reply) -> TextHit | None:
    """The option of which the first sentence says what was asked, whatever others are behind it."""
    return opens_with(reply.scene)


def _restates(scene: Scene, said: Said, share: float = _RESTATES) -> bool:
    """Whether the words of a sentence, but for the option's own, are mostly the question's."""
    low, start = scene.response.low, said.sentence.start
    if not scene.question or len(low[start : said.hit.start].split()) < _FEWEST:
        return False
    own = {*option_stems(scene.options.texts[said.hit.position])}
    words = [w for w in stems(low[start : said.main]) if w not in own]
    asked = _stems(scene.question)
    return bool(words) and sum(word in asked for word in words) >= share * len(words)


@lru_cache(maxsize=4096)
def _stems(question: str) -> frozenset[str]:
    return frozenset(stems(question[:4000].lower()))


@lru_cache(maxsize=4096)
def _asked(question: str) -> tuple[str, ...]:
    """The stems of what is asked, each once."""
    found = stems(question[-_ASKED:].translate(DEFAULT).lower())
    return tuple(dict.fromkeys(stem for stem in found if stem not in _IN_QUESTION))


_Look = Callable[[_Reply], TextHit | None]
_LOOKS: tuple[tuple[str, _Look], ...] = (
    ("opening", _opening),
    ("restated", _restated),
    ("concludes", _concludes),
    ("plain", _plain),
    ("opens_with", _opens_with),
)
_WHOLE = (("restated", _restated), ("plain", _plain), ("opens_with", _opens_with))
