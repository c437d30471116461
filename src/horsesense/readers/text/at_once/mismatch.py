"""A label that comes with the text of another option, and nothing that tells which is meant.

"B, the mitochondrion" where B is the nucleus. Only where the two stand side by side, or one is said
to be the other, in a short reply that names nothing else.
"""

from __future__ import annotations

import re

from horsesense.readers.text.claims import candidates
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.claims.sentences import LINKS
from horsesense.readers.text.claims.statements import is_named
from horsesense.readers.text.names.options import TextHit
from horsesense.readers.text.names.special import meaning_of
from horsesense.readers.text.names.targets import Scene

_LONGEST = 240
_BESIDE = re.compile(
    r"[\s*_)\].:,;(=}–—-]*(?:(?:is (?:right|correct)|i\.e|namely|the answer|which is|is|that is"
    r"|text)\b[\s.,:]*)?(?:(?:the|an?)\b)?[\s\"'(*_]*"
)
"""Between a label and the text behind it, or the other way round."""
_SO = re.compile(
    r"[\s\"')*_.,:;(=–—-]*(?:(?:so|therefore|thus|hence|which is|that is|is|answer|the answer is"
    r"|final answer|option|choice|letter|listed as|is listed as|i (?:select|choose|pick)"
    r"|is correct|makes it|making it)\b[\s.,:;]*){0,3}(?:option|choice|letter)?[\s(\[\"'*_]*"
)
_ENDS = re.compile(
    r"[\s\"')\]*_}]*(?:[.,;:!?)]|\Z|\n|[–—-] |\b(?:as|because|since|for|which|is (?:right|correct)"
    r"|would|and that)\b)"
)
_SAYS_IT = re.compile(
    r"(?:\A|[.!\n])\W*(?:(?:it is|it['’]s|(?:the|my) (?:\w+ )?(?:answer|choice|one|option)(?: is)?)"
    r"\W*)?(?:(?:the|an?) )?[\s\"'(*_]*\Z"
)
"""Before a text that is the whole of a sentence."""
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|wrong|incorrect|but|or|if|unlike|than|instead)\b|n['’]t|\?"
)


def mismatched(scene: Scene, first: Impression) -> tuple[int, int] | None:
    """Where a reply names one option by its label and another by its text, as one and the same."""
    low, found = scene.response.low, first.reading
    if found is None or not scene.labels.positions or len(low) > _LONGEST:
        return None
    if any(one.target.agrees for one in first.said) or (first.first and first.first.target.agrees):
        return None
    texts = [
        hit
        for hit in scene.options.find_all(scene.response)
        if hit.end - hit.start > 1 and not candidates.numeric(scene, hit.position)
    ]
    if len({hit.position for hit in texts}) != 1 or meaning_of(
        scene.options.texts[texts[0].position]
    ):
        return None
    labels = [
        hit
        for hit in scene.labelled
        if not any(text.start <= hit.start < text.end for text in texts)
        and (hit.marked or is_named(scene, hit.start) or low[: hit.start].strip() == "")
        and scene.labels.shows(scene.response.text[hit.start : hit.end].strip("()[].:,* "))
    ]
    # A label that is named again is meant.
    if len(labels) != 1 or labels[0].position == texts[0].position:
        return None
    begun = scene.options.begun_at
    if any(begun(labels[0].position, scene.response, hit.start) >= hit.tokens for hit in texts):
        return None
    if _NOT.search(low):
        return None
    (label,) = labels
    letter = scene.response.text[label.start : label.end].strip("()[].:,* ")
    article = letter in ("A", "I", "a") and not label.marked
    for text in texts:
        if _tied(low, label.start, label.end, text, article=article):
            return scene.response.span(min(label.start, text.start), max(label.end, text.end))
    return None


def _tied(low: str, start: int, end: int, text: TextHit, *, article: bool) -> bool:
    """Whether a label and a text stand side by side, or one is said to be the other."""
    if end <= text.start:
        beside = _BESIDE.fullmatch(low, end, text.start) is not None
        plain = low[end : text.start].strip() == ""
        return beside and not (article and plain) and _ENDS.match(low, text.end) is not None
    if _SO.fullmatch(low, text.end, start) is None or _ENDS.match(low, end) is None:
        return False
    apart = re.search(r"[.\n]", low[text.end : start]) is not None
    before = low[: text.start]
    return (_SAYS_IT.search(before) if apart else LINKS.search(before)) is not None
