"""What a calculation comes to: the last equation of a reply, where it ends in one option.

Compared as written, without spaces and signs that say nothing ("2 \\times 3x^{2}" is "2·3x²"), and
where that is no option, by value and unit.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from horsesense.readers.reading import Reading
from horsesense.readers.text.at_once.equations import is_other, left_of
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.claims.sentences import gives
from horsesense.readers.text.names import likeness
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.tex import plain_tex

_CONFIDENCE = 0.91
_MOST = 12_000
_LONGEST = 60
_EQUALS = re.compile(r"(?<![<>=!:≤≥])(?:=|≈|≃)(?![=>])")
_ENDS = re.compile(
    r"[.!,;]?[\s$*`]*(?:\n|\Z)|[.!;](?=\s)|,? (?:so|which|i\.e|that is|and|because|since|for"
    r"|the next"
    r"|to (?:two|three|one|the)|per)\b|,(?=\s)| \("
)
_TAIL_END = re.compile(
    r"(?:\\end\{[^{}]*\}|\\[\])]|[$\s.`*]|\\hfill|\\square|\\blacksquare|\\\\)+\Z"
)
_ASIDES = re.compile(r"\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)[.\s]*\Z")
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿˣ]+")
_SIGNIFICANT = re.compile(r"[\s$*`_{}·×\\&]|\\cdot|\\times")
_SINGLE = re.compile(r"(?<![\w√)])\((-?[\w.]+)\)(?![\w^])")
_NUMBER = re.compile(r"\d")
_AGAINST = re.compile(
    r"\b(?:if|would|might|wrong|incorrect|mistake\w*|error|trap|not|forget\w*|only with|instead"
    r"|slip"
    r"|suppose|were|had|could|given|let|told|he|she|they|half|option [a-z]|check\w*|verif\w*)\b"
    r"|n['’]t\b|✗|❌|\?"
)
_SHORT = 40
_NEAR = 600
_FEW = 3
_WORD = re.compile(r"[^\W\d_]+")
_VALUE = re.compile(r"\d+(?:\.\d+)?")
_AMOUNT = re.compile(r"[^\w\n]{0,6}\d")
_FORMULA = re.compile(r"[=^×·*√]|[^\W\d_]\w*[/(]")
_PAIRED = re.compile(r"\b(?:and|or)\b[^=\n]{0,12}\Z")
_ASKS_MORE = re.compile(
    r"\b(?:but|however|now|next|then|still|remain\w*|subtract|add|minus|percent|so|thus|hence"
    r"|therefore|half|twice|double|divide\w*|each|two|three|four|solve|there are|we need"
    r"|we have to|let|wait|correct\w*|answer|option|choice"
    r"|area|square|what|want|given|everyone|not)\b"
)


def result(scene: Scene, first: Impression) -> Reading | None:
    """The option that the last equation comes to, if nothing but an aside follows it."""
    source = scene.response.source[scene.response.begins :]
    if first.said or len(source) > _MOST or scene.asks_not or not _EQUALS.search(source):
        return None
    text = plain_tex(source).rstrip()
    text = _TAIL_END.sub("", text)
    while (aside := _ASIDES.search(text, max(0, len(text) - _NEAR))) and _EQUALS.search(
        text, 0, aside.start()
    ):
        if text.rfind("\n", 0, aside.start()) < 0 or not text[: aside.start()].endswith(
            ("\n", " ", ".")
        ):
            break
        text = text[: aside.start()].rstrip()
    text = _TAIL_END.sub("", text)
    last = [*_EQUALS.finditer(text)][-1]
    begin = max(text.rfind("\n", 0, last.start()), text.rfind(". ", 0, last.start())) + 1
    rest = text[last.end() :]
    said, after = _until(rest)
    if not said or len(said) > _LONGEST or _AGAINST.search(text[begin:].lower()):
        return None
    if (
        sum(map(len, _WORD.findall(after))) > _SHORT
        or _NUMBER.search(after)
        or _ASKS_MORE.search(after.lower())
    ):
        return None
    if any(gives(scene, number) for number in _VALUE.findall(said)):
        return None
    amount = _AMOUNT.match(said) and not _FORMULA.search(said)
    if amount and scene.question and is_other(scene, left_of(text, last.start()), ""):
        return None
    if _PAIRED.search(text[begin : last.start()].lower()) or "±" in said:
        return None
    named = {hit.position for hit in scene.options.find_all(scene.response)}
    if len(named) == len(scene.options.texts):
        return None
    position = _option(said, tuple(scene.options.texts))
    if position is None:
        whole = text[begin : last.end()] + said
        position = _option(whole, tuple(scene.options.texts))
    if position is None or _named_after(scene, after, position):
        return None
    return Reading("answer", (position,), "result", None, _CONFIDENCE)


def _until(rest: str) -> tuple[str, str]:
    """What an equation ends in, and what follows it."""
    end = _ENDS.search(rest)
    said = rest[: end.start()] if end else rest
    return said.strip(), rest[end.start() :] if end else ""


def _named_after(scene: Scene, after: str, position: int) -> bool:
    """Whether another option's text stands behind the result."""
    low = after.lower()
    return any(
        i != position and one.strip() and one.strip().lower() in low
        for i, one in enumerate(scene.options.texts)
    )


@lru_cache(maxsize=4096)
def _written(text: str) -> str:
    """A formula without what may be written in several ways."""
    text = _SUPERSCRIPT.sub(lambda m: "^" + unicodedata.normalize("NFKC", m[0]), plain_tex(text))
    text = text.replace("−", "-").replace("–", "-").replace("{", "(").replace("}", ")")
    text = _SIGNIFICANT.sub("", unicodedata.normalize("NFKC", text))
    text = text.removesuffix(".")
    before = None
    while before != text:
        before, text = text, re.sub(r"\^\((-?\w+)\)", r"^\1", _SINGLE.sub(r"\1", text))
    return text


def _option(said: str, options: tuple[str, ...]) -> int | None:
    """The one option that is written as something is, or has its value and unit."""
    plain = _written(said)
    known = [_written(text) for text in options]
    if known.count(plain) == 1:
        return known.index(plain)
    if len({text.lower() for text in known}) == len(known):
        low = [text.lower() for text in known]
        if low.count(plain.lower()) == 1:
            return low.index(plain.lower())
    found = likeness.values(said.lower().replace("−", "-"))
    if len(found) != 1 or len(_WORD.findall(said)) > _FEW:
        return None
    values = [likeness.option_value(text) if _AMOUNT.match(text) else None for text in options]
    fitting = [i for i, one in enumerate(values) if one and likeness.same(one, found[0])]
    near = [i for i, one in enumerate(values) if one and likeness.near(one, found[0])]
    return fitting[0] if len(fitting) == 1 == len(near) else None
