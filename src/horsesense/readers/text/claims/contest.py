"""What contests a choice that a reply makes: taken back, another beside it, another's text given.

A choice by label is read at once only where nothing of the reply speaks against it; otherwise all
evidence is weighed, with what contests the choice among it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from horsesense.readers.reading import Reading
from horsesense.readers.text.claims import candidates, several
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.claims.standing import CALLED_WRONG, WITHDRAWS
from horsesense.readers.text.claims.statements import Statement, turned_down
from horsesense.readers.text.names import likeness
from horsesense.readers.text.names.options import TextHit
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words import announcements

FORMS = frozenset(("boxed", "element"))
"""Rules of markup that holds an answer and nothing else."""
Contest = Literal[
    "taken_back", "asked", "beside", "other_text", "no_praise", "quoted", "cut_off", "two"
]

_LATER = 400
_BESIDE = 60
_OPENING = 120
_BEGUN_TO_WEIGH = 80
_BEGINS_WITH = ("lead", "lead_text", *FORMS)
_IS_OPTION = re.compile(
    r"\b(?:is|are|be)(?: most likely| therefore| option|:|\s){1,4}[(\[]?[A-Z\d][).:\]](?!\w)"
)
_SIGNED = 4
"""Words of a last line that may be a signature, or an answer, rather than a sentence."""
_WALKS = re.compile(
    r"\b(?:let(?:'|’)?s|let us|let me|i will|i'll|we will|we can|we need to|we should|i need to"
    r"|going to|going) (?:\w+ )?(?:analy[sz]e|evaluate|examine|go through|through|break down"
    r"|look at|consider|review|assess|check|take) (?:\w+ ){0,2}(?:options?|choices?|statements?"
    r"|answers?|alternatives?|one by one|one at a time)\b"
)
"""Says that the options will be gone through."""
_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|\n")
_BETWEEN = re.compile(r"[\s.;,*]{1,6}")
_SIGNS_TO_THE_END = re.compile(r"[\s.;,*!]*\Z")
_ASIDE = re.compile(
    r"\b(?:because|since|as|which|while|whereas|where|not|rather|instead|than|over|unlike|if|so"
    r"|but|although|though|given|weil|denn|porque|car|parce)\b|n't\b|[;:{=]|因为"
)
_JOINS_NEXT = re.compile(
    r"[\s\"'*)\].]*[.;\n][\s*]*(?:also|and(?: also)?|so (?:is|does)|or|possibly|perhaps|maybe"
    r"|alternatively|additionally)\b[\s,:*]*(?:(?:the answer is|it is|it's|option"
    r"|choice) )?[\s(\[*]*"
)
_IS = re.compile(r"[\"')\].*]{0,4} (?:is|was|are|would be|seems|looks|might be|may be|could be)\b")
_DENIED = re.compile(
    r"[\"')\].*_]{0,4}(?:"
    r" (?:(?:is|was|are|does|do|would|could|can|has)(?:n['’]t| [*_]*not| never)\b|cannot\b)"
    r"|\s?(?:[:=–—-]|->|→)[\s*_>]{0,4}(?:(?:this|that|it)(?: is|['’]s) )?(?:incorrect|wrong"
    r"|false|no\b|not\b|eliminated|ruled out|rejected|0 ?%))"
)
"""Behind a label and its text: that it is not so."""
_TURNS = ("however", "whereas", "in fact", "actually", " but ")
_TURNED = re.compile(
    r"\b(?:however|whereas|in fact|actually|but)\b[\s,:*_(]*(?:\W?[A-Z\d]\W{1,3})?\Z", re.IGNORECASE
)
_IS_THE = re.compile(r"[\s*_\"')\].]{0,4}(?:is|was|are) (?:indeed |in fact |actually )?the\b")
_GOES_ON = re.compile(
    r"[\"')\].*]{0,4} (?:is|was|are|would be|seems|looks)[ :]+(?:because|since|as|that)\b"
)
_QUOTED = re.compile(r"\s*>[^\n]*\n\s*[^>\s]")
_ASKS = re.compile(r"[\s\"')\]*_]{0,4}\?")
_RESULT = re.compile(r"(?:=|\b(?:is|are|has|have|equals?|gives?|gets?|makes?|yields?))[\s$\\(]*\Z")
_OPERATOR = re.compile(r"\s?[-+*/^=×÷(<>]")
_MOST = 4000
_OWN = 0.5
"""The share of its words from which on an option's text counts as given."""
_AGAINST = {
    "yes": re.compile(r"\b(?:no|not|cannot|never|myth)\b|n['’]t\b"),
    "no": re.compile(r"\byes\b|\bi disagree\b|\b(?:that|this|it)(?: is|['’]s) (?:wrong|a myth)\b"),
}
"""Behind an option that is a word for yes or no: that the sentence says the other."""
_CLOSING = re.compile(
    r"[\s.!*_)\]\"'~,]*(?:instead|rather|after all|and i (?:do )?(?:agree|concur))?"
    r"[\s.!*_)\]\"'~]*\Z"
)
_LAST_CLAUSE = re.compile(r"[^.!?;:\n]*\Z")
_FEW_WORDS = 6
_END = 200
"""Characters at the end of a reply in which a last clause may come to another option."""


def contest_of(scene: Scene, first: Impression, *, cut: bool = False) -> Contest | None:
    """What contests the choice that the rules of order find, whichever of them it is; of a reply
    that was `cut` off, that it may have gone on to other options."""
    found = first.reading
    if found is None or not found.positions:
        return None
    if first.standing.several:
        return "two"
    if not first.standing.withdrawn.isdisjoint(found.positions):
        return "taken_back"
    if cut and not _is_stated(scene, first, found):
        return "cut_off"
    if found.rule not in _BEGINS_WITH and not first.said and breaks_off(scene):
        return "cut_off"
    chosen = found.positions
    if found.rule not in FORMS and _closes_on_another(scene, first, chosen):
        return "taken_back"
    behind = first.said[0].end if first.said else 0
    if (first.said or found.rule in _BEGINS_WITH) and _adds_another(scene, first, found, behind):
        return "beside"
    if found.rule not in FORMS:
        if first.said and len(first.said[-1].target.positions) > 1:
            return "beside"
        made = [*first.said, *([first.first] if first.first else [])]
        own = [one for one in made if one.target.positions == chosen]
        if own:
            return contested(scene, own[-1] if first.said else own[0], first.standing.withdrawn)
    return "other_text" if _other_text(scene, chosen[0], first.standing.withdrawn) else None


def _closes_on_another(scene: Scene, first: Impression, chosen: tuple[int, ...]) -> bool:
    """Whether a short last clause comes to the label of another option than the chosen one, the
    only other that is named behind the choice."""
    low, text = scene.response.low, scene.response.text
    made = first.said[-1] if first.said else first.first
    behind = made.target.end if made else 0
    hits = [
        hit
        for hit in scene.labels.mentions(scene.response, max(behind, len(low) - _END))
        if hit.start >= behind and hit.position not in chosen
        if hit.marked or scene.labels.shows(text[hit.start : hit.end].strip("()[].: "))
    ]
    if len({hit.position for hit in hits}) != 1:
        return False
    last = hits[-1]
    if not _CLOSING.match(low, max(scene.behind(last).end, last.end)):
        return False
    clause = _LAST_CLAUSE.search(low[max(behind, last.start - _OPENING) : last.start])
    words = clause.group() if clause else ""
    aside = _ASIDE.search(words) or " or " in words or turned_down(scene, last.start)
    cut = words.split() == ["option"] and low.rstrip()[-1:].isalnum()
    return len(words.split()) <= _FEW_WORDS and not aside and not cut


def _adds_another(scene: Scene, first: Impression, found: Reading, behind: int) -> bool:
    """Whether `behind` a place another option is added to the chosen one ("and C is right too")."""
    low = scene.response.low
    if not several.adds(low):
        return False
    labels = [(hit.position, hit.start, hit.end) for hit in scene.labelled]
    texts = [(hit.position, hit.start, hit.end) for hit in scene.options.find_all(scene.response)]
    lead = None if first.said else first.first
    reach = lead.target.end + _OPENING if lead and lead.target.agrees else len(low)
    return any(
        position not in found.positions and several.added(low, start, end)
        for position, start, end in labels + texts
        if low[start:end] not in ("a", "i") and behind <= start < reach
    )


def _is_stated(scene: Scene, first: Impression, found: Reading) -> bool:
    """Whether a choice is stated, and not just where the reply broke off.

    One that begins with the first option's label and text may be about to go through them all.
    """
    if first.said:
        shown = scene.response.text[first.said[-1].target.end - 1 :].rstrip()
        return len(shown) > 1 or not any(text.startswith(shown) for text in _begun(scene))
    begins = first.first is not None and first.first.target.agrees
    return found.rule in FORMS or (found.rule == "lead" and begins and 0 not in found.positions)


def breaks_off(scene: Scene) -> bool:
    """Whether a reply plainly breaks off before it has come to an answer, also where nothing says
    that it was cut off: in the middle of a sentence, or of options that it set out to go through.
    What "is" an option it has told.
    """
    low = scene.response.low.rstrip()
    if len(low) < _BEGUN_TO_WEIGH or _IS_OPTION.search(scene.response.text):
        return False
    if _WALKS.search(low):
        named = {hit.position for hit in scene.labelled if hit.marked}
        named |= {hit.position for hit in scene.options.find_all(scene.response)}
        if len(scene.options.texts) - 1 not in named:
            return True
    if not (low[-1].isalnum() or low[-1] in ",-(:;"):
        return False
    line = low.rsplit("\n", 1)[-1]
    last = scene.response.text.rstrip().rsplit(maxsplit=1)[-1].strip("*()\"'")
    if scene.labels.shows(last) and last != "I":
        return False
    whole = any(text and line.endswith(text.lower().rstrip(" .")) for text in scene.options.texts)
    return not whole and len(line.split()) > _SIGNED


def _begun(scene: Scene) -> Iterator[str]:
    """What a letter at the place where a reply broke off may have begun: any word, or an option."""
    yield from "abcdefghijklmnopqrstuvwxyz"
    yield from (text for text in scene.options.texts if len(text) > 1)


def contested(
    scene: Scene, said: Statement, withdrawn: frozenset[int] = frozenset()
) -> Contest | None:
    """What contests the choice of one option in a statement, or in what a reply begins with; the
    text of one that is `withdrawn` does not."""
    low, end = scene.response.low, said.target.end
    own = scene.options.texts[said.target.positions[0]].lower()
    if _ASKS.match(low, end) and "?" not in own:
        return "asked"
    against = _AGAINST.get(own.strip(" ."))
    if said.rule == "lead_text" and against and against.search(low, end, end + _OPENING):
        return "taken_back"
    wrong = CALLED_WRONG.match(low, end)
    wrong = wrong if wrong and own[:2] not in wrong.group() else None
    if wrong or WITHDRAWS.search(low, end, end + _LATER):
        return "taken_back"
    if said.rule == "lead":
        if said.target.text is None and _IS.match(low, end) and not _is_praised(low, end):
            return "no_praise"
        if said.target.text is not None and _DENIED.match(low, end):
            return "no_praise"
        if said.target.agrees and _turns_to_another(scene, said):
            return "other_text"
        if _QUOTED.match(low):
            return "quoted"
    if said.target.by == "label":
        if _beside(scene, said):
            return "beside"
        if not said.target.agrees and _other_text(scene, said.target.positions[0], withdrawn):
            return "other_text"
    return None


def _turns_to_another(scene: Scene, said: Statement) -> bool:
    """Whether what follows a label and its text turns to another option, which is what is asked:
    "A. Sydney is the largest city, whereas Canberra is the capital"."""
    low, end = scene.response.low, said.target.end
    if not any(word in low for word in _TURNS):
        return False
    return any(
        hit.start > end
        and hit.position not in said.target.positions
        and _TURNED.search(low, max(end, hit.start - _LATER), hit.start) is not None
        and _IS_THE.match(low, hit.end) is not None
        for hit in candidates.texts(scene)[0]
    )


def _is_praised(low: str, end: int) -> bool:
    """Whether what is said of a label in front is praise, or a reason."""
    m = announcements.RIGHT.match(low, end)
    if m is None:
        return _GOES_ON.match(low, end) is not None
    return announcements.PRAISE_TAKEN_BACK.match(low, m.end()) is None


def _beside(scene: Scene, said: Statement) -> bool:
    """Whether another label stands behind the chosen one in its sentence, and stands."""
    response, end = scene.response, said.target.end
    stop = _SENTENCE_END.search(response.low, end, end + _BESIDE)
    limit = stop.start() if stop else min(len(response.low), end + _BESIDE)
    aside = _ASIDE.search(response.low, end, limit)
    limit = aside.start() if aside else limit
    starts = [hit.start for hit in scene.labels.mentions(response, end, limit)]
    if said.target.agrees and _another_like_it(scene, end):
        return True
    if joined := _JOINS_NEXT.match(response.low, end):
        starts.append(joined.end())
    return any(_stands(scene, said, start) for start in starts)


def _another_like_it(scene: Scene, end: int) -> bool:
    """Whether another label with its own text, and nothing else, comes right behind, and another
    or nothing behind that ("A. red. C. green.")."""
    low = scene.response.low
    m = _BETWEEN.match(low, end)
    hit = scene.labels.at(scene.response, m.end()) if m else None
    if hit is None or not hit.marked:
        return False
    target = scene.behind(hit)
    return target.text == "own" and _SIGNS_TO_THE_END.match(low, target.end) is not None


def _stands(scene: Scene, said: Statement, start: int) -> bool:
    """Whether a label at a place is another option's, shown so, and not turned down."""
    hit = scene.labels.at(scene.response, start)
    if hit is None or hit.position in said.target.positions or turned_down(scene, hit.start):
        return False
    name = scene.response.text[hit.start : hit.end].strip("()[].: ")
    if not scene.labels.shows(name):
        return False
    return announcements.WRONG.match(scene.response.low, hit.end) is None


def _other_text(scene: Scene, chosen: int, withdrawn: frozenset[int]) -> bool:
    """Whether the one option whose text is named is another than the chosen one, and stands.

    Where several are named, a reply goes through them.
    """
    low = scene.response.low
    hits, rejected = candidates.texts(scene)
    hits = [
        hit for hit in hits if not candidates.numeric(scene, hit.position) or _results(low, hit)
    ]
    named = {hit.position for hit in hits} - withdrawn
    if len(named) != 1 or rejected - named or chosen in named:
        return False
    shares = likeness.overlap(likeness.stems(low[:_MOST]), scene.options.texts)
    return shares[chosen] < _OWN


def _results(low: str, hit: TextHit) -> bool:
    """Whether a number is what something is, or comes to, and not a part of a calculation."""
    if _OPERATOR.match(low, hit.end):
        return False
    return _RESULT.search(low, max(0, hit.start - 12), hit.start) is not None
