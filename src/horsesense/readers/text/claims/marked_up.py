"""Answers in a given form: boxed LaTeX, an <answer> element, a field of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from horsesense.readers.text.claims.statements import Statement
from horsesense.readers.text.names import likeness
from horsesense.readers.text.names.targets import Scene, Target
from horsesense.readers.text.words.normalise import Folded

_BOXED = re.compile(
    r"\\(?:boxed|fbox)\s*\{\s*(?:\\(?:text(?:bf|it|rm|tt|sf)?|math(?:rm|bf|it|sf|tt)|operatorname|emph|rm)\s*\{?)?\s*"
)
_INSIDE = re.compile(r"(?:[^{}\n]|\{[^{}\n]{0,40}\}){1,60}")
_FORMULA = re.compile(r"\s*(?:\\(?:sqrt|frac|pi|ln|log|sin|cos|cdot|times|e)|[√π^/*+])")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]{1,20})\}\{([^{}]{1,20})\}")
_SIGNS = re.compile(r"\\(?:left|right|cdot|times|[,;! ])|[\s$*·×]")
_PLAIN = str.maketrans("", "", "{}()")
_ELEMENT = re.compile(
    r"<\s*(?:(?:final|selected|chosen|correct|best|my) ?)?(?:answer|choice|option)[^<>\n]{0,40}>\s*"
)
_FIELD = re.compile(
    r"\\?[\"'](?:(?:the|my|your|final|correct|selected|chosen|best|predicted) ?){0,2}"
    r"(?:answer|choice|option|label|letter|prediction|response)"
    r"(?: ?(?:choice|letter|option|label|id|key|index))?\\?[\"']\s*:\s*[\[\\\"']*\s*"
)
_TAG = re.compile(r"</?[^<>\n]{1,60}>|\b(?:and|or)\b|[\"'](?:answer|choice|option)[\"']")
_WORD = re.compile(r"\w")
_FORMS = (("boxed", "\\", _BOXED), ("element", "<", _ELEMENT), ("field", "{", _FIELD))


def marked_up(scene: Scene) -> Statement | None:
    """The last answer in one of the forms, None where there is none."""
    low = scene.response.low
    for rule, sign, pattern in _FORMS:
        found = list(_of_form(scene, rule, pattern)) if sign in low else []
        if found:
            return found[-1] if _agree(low, found) else None
    return None


def forms(scene: Scene) -> Iterator[Statement]:
    """All boxes and elements that hold an answer, and fields that are called one."""
    low = scene.response.low
    for rule, sign, pattern in _FORMS:
        if sign in low:
            for one in _of_form(scene, rule, pattern):
                if rule != "field" or "answer" in low[one.start : one.target.start]:
                    yield one


def _of_form(scene: Scene, rule: str, pattern: re.Pattern[str]) -> Iterator[Statement]:
    """The answers in one form, in order."""
    low = scene.response.low
    for m in pattern.finditer(low):
        # An object in a field names options to judge them, not to choose the first.
        if rule == "field" and low.startswith("{", m.end()):
            continue
        target = scene.target_at(m.end()) or _by_value(scene, rule, m)
        if target is not None and rule == "boxed" and target.by == "text":
            target = _as_written(scene, m, target)
        if target is not None:
            target = _all_boxed(scene, m, target) if rule == "boxed" else target
            yield Statement(rule, target, m.start())


def _all_boxed(scene: Scene, m: re.Match[str], target: Target) -> Target:
    """The target of a box, with the other labels that it holds ("A\\text{ and }C")."""
    inside = _INSIDE.match(m.string, m.end())
    if inside is None or target.by == "text" or target.agrees or "not" in inside.group():
        return target
    hits = scene.labels.mentions(scene.response, target.end, inside.end())
    more = {hit.position for hit in hits if scene.labels.shows(scene.response.text[hit.start])}
    return target._replace(positions=tuple(dict.fromkeys((*target.positions, *sorted(more)))))


def _as_written(scene: Scene, m: re.Match[str], target: Target) -> Target | None:
    """The target of a box, unless more of a formula follows it there ("2\\sqrt{3}" for 2): then the
    option that is written like the whole of it, if any."""
    inside = _INSIDE.match(m.string, m.end())
    if inside is None or not _FORMULA.match(m.string, target.end, inside.end()):
        return target
    low = _SIGNS.sub("", _FRACTION.sub(r"\1/\2", inside.group()))
    low = low.replace("\\sqrt", "√").replace("\\pi", "π").translate(_PLAIN)
    known = [Folded(text).low.replace(" ", "").translate(_PLAIN) for text in scene.options.texts]
    at = known.index(low) if known.count(low) == 1 else None
    return None if at is None else Target((at,), *inside.span(), "text", None)


def _by_value(scene: Scene, rule: str, m: re.Match[str]) -> Target | None:
    """The one option whose value is all that the box holds ("\\tfrac{1}{9}" for 1/9)."""
    inside = _INSIDE.match(m.string, m.end()) if rule == "boxed" else None
    said = likeness.values(inside.group()) if inside else []
    if inside is None or len(said) != 1:
        return None
    known = [likeness.option_value(text) for text in scene.options.texts]
    fitting = [i for i, one in enumerate(known) if one and likeness.same(one, said[0])]
    return Target((fitting[0],), *inside.span(), "text", None) if len(fitting) == 1 else None


def _agree(low: str, found: list[Statement]) -> bool:
    """Whether they name one option, or the last stands after words that may take back the rest."""
    between = "".join(low[one.target.end : other.start] for one, other in pairwise(found))
    alike = len({one.target.positions for one in found}) == 1
    return alike or _WORD.search(_TAG.sub("", between)) is not None
