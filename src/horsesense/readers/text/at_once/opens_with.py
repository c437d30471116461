"""A first sentence that says what was asked, and goes on about other options behind it.

"The circulatory system carries oxygen to the cells. The skeletal system supports the body." The
first sentence has nearly all words of the question, and names one option; what the others are is
told in sentences that do not answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from horsesense.readers.text.claims import candidates
from horsesense.readers.text.claims.sentences import SO, Sentence, speaks_against, told
from horsesense.readers.text.names.likeness import option_stems, stems
from horsesense.readers.text.names.options import TextHit
from horsesense.readers.text.names.special import meaning_of
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.normalise import DEFAULT

_ASKED: Final = 400
_FEWEST: Final = 2
_SOON: Final = 2
_COVERS, _OF_IT, _ALSO = 0.65, 0.5, 0.5
"""The share of the question's words that it has, of its words that the question has where its
option comes first, and of the question's words from which on a later sentence answers, too."""
_BRACKETS = re.compile(r"\([^()\n]{0,200}\)")
_CLAUSE = re.compile(
    r"[,;:—–]|\b(?:because|since|as|which|while|whereas|although|though|where|when|so|not"
    r"|rather than|whose|who|used|based)\b"
)
_LISTED = re.compile(r"\W*(?:(?:and|or|the|an?|und|oder|et|ou|y|o)\b\W*){0,4}")
"""Between an option and another that stands beside it."""
_ONCE = re.compile(
    r"\b(?:until|till|before|earlier|previous\w*|former\w*|once|old|original\w*|initial\w*|at first"
    r"|(?:in|on) the (?:film|movie|novel|book|story|game|minds?|show|series|song|myth|past)"
    r"|according|jok\w+|statement|worksheet|everybody|everyone|officially|replac\w+|km|miles)\b"
)
"""In the sentence: that it holds of another time, or of what somebody says."""
_WAS = re.compile(r"\b(?:was|were)\b")
_IN_THE_PAST = re.compile(r"\b(?:was|were|did|became|had|\w+ed)\b")
_RATHER = re.compile(
    r"\b(?:actual\w*|in fact|reality|tru(?:th|e|ly)|really|today|nowadays|now|later|then|since"
    r"|(?:took|taken) over|i|i'd|my|instead|right|correct|you|officially|only|choose|pick|answer"
    r"|want|better|best|replaced|became|new)\b|\A\W*(?:it|that|this)(?:['’]s| is| was)\b"
)
"""In a later sentence: that the option that it names may be the answer."""
_SAID_SO = re.compile(
    r"\W*(?:that|this|it|so|which)(?:'s| is| was| are)? (?:\w+ )?(?:what|how|the|says?|said)\b"
)
_LINKING = ("ialah", "adalah", "ist", "es", "est", "é", "è", "là", "jest", "это", "є", "هي", "هو")
_VAGUE = frozenset(
    (
        "part",
        "person",
        "thing",
        "term",
        "word",
        "nam",
        "call",
        "known",
        "group",
        "that's",
        *_LINKING,
    )
)
_TURNS = re.compile(
    r"\b(?:but|however|reads?|heard?|hears|tells?|told|think|thinks|thought|said|says?|believed?|claim\w*|if)\b"
)
_FEW_WORDS = ("yes", "no", "true", "false", "none", "both", "all", "neither")
_ITEM = re.compile(r"\s*(?:[-•*+–>|#$(]|\(?\w{1,2}[.):]\s)")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
_KIND = re.compile(
    r"\b(?:which|what)((?: \w+){1,2}?)"
    r"(?= (?:is|are|was|were|does|do|did|has|have|can|\w+s|\w+ed)\b)"
)
_EMPTY = frozenset(("follow", "option", "statement", "1", "sentence", "describ", "you", "answer"))


def opens_with(scene: Scene) -> TextHit | None:
    """The one option of which a reply's first sentence says what was asked, where no later one
    says so of another."""
    if not scene.question or scene.asks_not or any(map(meaning_of, scene.options.texts)):
        return None
    sentences = told(scene).sentences
    if not sentences or _ITEM.match(scene.response.low, sentences[0].start):
        return None
    asked, kind = _asked(scene.question)
    if len(asked) < _FEWEST:
        return None
    opening = next((one for one in sentences[:2] if one.names), None)
    hit = _answered(scene, opening, asked, kind) if opening else None
    if hit is None:
        return None
    behind = [one for one in sentences if opening and one.start > opening.start]
    low = scene.response.low
    if behind and _SAID_SO.match(low, behind[0].start):
        return None
    if any(_answers_too(scene, one, hit, asked) for one in behind):
        return None
    soon = [one for one in behind[:_SOON] if _others(one, hit)]
    return None if any(_RATHER.search(low[one.start : one.end]) for one in soon) else hit


def _answered(
    scene: Scene, sentence: Sentence, asked: Sequence[str], kind: frozenset[str]
) -> TextHit | None:
    """The option of which a sentence says what was asked."""
    low, start, end = scene.response.low, sentence.start, sentence.end
    if not sentence.texts:
        return None
    hit = sentence.texts[0]
    if candidates.numeric(scene, hit.position) or low[hit.start : hit.end] in _FEW_WORDS:
        return None
    clause = _CLAUSE.search(_BRACKETS.sub(_blank, low[:end]), hit.end)
    main = clause.start() if clause else end
    others = [one for one in sentence.names if one.firm and one.position != hit.position]
    told_of = low[start:main]
    if _ONCE.search(told_of) and not _ONCE.search(scene.question.lower()):
        return None
    if _WAS.search(told_of) and not _IN_THE_PAST.search(scene.question.lower()):
        return None
    if any(one.start < main for one in others) or "?" in low[start:end]:
        return None
    if any(_LISTED.fullmatch(low, hit.end, one.start) for one in others):
        return None
    if speaks_against(scene, start, hit.start) or speaks_against(scene, hit.end, main):
        return None
    if _TURNS.search(low, main, end):
        return None
    own = {*option_stems(scene.options.texts[hit.position])}
    before = _pieces(low[start : hit.start])
    words = [*before, *_pieces(_BRACKETS.sub(" ", low[hit.end : main]))]
    if not _covers(words, asked, own, kind):
        return None
    if len(before) > 1:
        return (
            hit if all(word in asked or word in own or word in _VAGUE for word in before) else None
        )
    part = [word for word in words if word not in own]
    return hit if part and sum(word in asked for word in part) >= _OF_IT * len(part) else None


def _covers(
    words: Sequence[str], asked: Sequence[str], own: set[str], kind: frozenset[str]
) -> bool:
    """Whether words have nearly all that is asked; the kind of thing that is asked for ("Which data
    structure ...") is what the option is, and need not be said."""
    needed = [stem for stem in asked if stem not in own]
    bare = [stem for stem in needed if stem not in kind or stem in words]
    needed = bare if len(bare) >= _FEWEST else needed
    return len(needed) >= _FEWEST and sum(s in words for s in needed) >= _COVERS * len(needed)


def _answers_too(scene: Scene, one: Sentence, hit: TextHit, asked: Sequence[str]) -> bool:
    """Whether a later sentence may answer with another option."""
    low = scene.response.low
    others = _others(one, hit)
    if not others:
        return False
    if len(others) == 1 and SO.search(low, one.start, one.end):
        return True
    words = _pieces(low[one.start : one.end])
    own = {s for at in (hit.position, *others) for s in option_stems(scene.options.texts[at])}
    needed = [stem for stem in asked if stem not in own] or asked
    return sum(stem in words for stem in needed) >= _ALSO * len(needed) and not speaks_against(
        scene, one.start, one.end
    )


def _others(one: Sentence, hit: TextHit) -> set[int]:
    """The other options that a sentence names."""
    return {name.position for name in one.names if name.firm} - {hit.position}


@lru_cache(maxsize=4096)
def _asked(question: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The words of what is asked, each once, and those of the kind of thing asked for."""
    low = question[-_ASKED:].translate(DEFAULT).lower()
    found = dict.fromkeys(word for word in _pieces(low) if word not in _EMPTY)
    kind = _KIND.search(low)
    return tuple(found), frozenset(stems(kind[1]) if kind else ())


def _pieces(text: str) -> list[str]:
    """Stems; of scripts without spaces every two signs."""
    found = []
    for word in stems(text):
        if _UNSPACED.fullmatch(word):
            found += [word[i : i + 2] for i in range(len(word) - 1)]
        else:
            found.append(word)
    return found


def _blank(m: re.Match[str]) -> str:
    return " " * len(m[0])
