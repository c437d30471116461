"""What a reply comes to: a last clause that concludes in one option, or a value."""

from __future__ import annotations

import re
from itertools import islice

from horsesense.readers.reading import Reading
from horsesense.readers.text.at_once.equations import of_another, only_of_another
from horsesense.readers.text.at_once.in_full import comes_to_another
from horsesense.readers.text.at_once.in_words import is_taken_up
from horsesense.readers.text.claims.contest import contest_of
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.claims.sentences import (
    EQUALS,
    LINKS,
    NO_CLOSE,
    SUPPOSED,
    Name,
    ends_on_another,
    gives,
    opposed,
    rival,
    told,
)
from horsesense.readers.text.claims.statements import Statement, turned_down
from horsesense.readers.text.names import likeness
from horsesense.readers.text.names.expressions import in_expression
from horsesense.readers.text.names.targets import Scene, Target

_CONFIDENCE = 0.91
_REMARK = 30
"""Characters behind a close from which on more is said than a count of votes."""
_ENDING = 240
_SUMS = 20
"""Lines that sum up, of which more are looked at in no reply."""
_WORDS = 9
_LONGEST = 4000
_SO_IS = re.compile(r"\s*(?:is|are|was|were|do|does|did)\b")
"""Behind "so": that another shares the lot of what was spoken of."""
_NO_RESULT = re.compile(
    r"\b(?:and|first|would|from|about|roughly|approximately|only|option|answer|minus|negative|parts?|steps?"
    r"|start|subtract|half|discount|check|take)\b|[≈~]"
)
"""In a last sentence with a value: that it is not what is asked for."""
_REST = re.compile(r"\W*(?:\(\d{1,2} ?(?:/|of|out of|votes?) ?\d{0,2}[^()\n]{0,12}\)\W*)?\Z")
"""All that may follow: signs, or a count of votes."""
_SUM = (
    r"(?:in (?:short|brief|summary|sum|other words|conclusion)|to sum up|en bref|tl;?dr|bottom line"
    r"|verdict|majority|consensus|agreed|conclusion|final|(?:final |majority |overall )"
    r"(?:vote|verdict|decision|pick|call|label|choice|word|result|consensus)|gun to my head)"
)
_HEADING = (
    r"(?:(?:final |my |overall )?(?:label|classification|assessment|impression|diagnosis|judge?ment"
    r"|rating|score|category|sentiment|stance|prediction|ruling|sum)|(?:short|quick|brief) answer"
    r"|in one (?:line|word|sentence))"
)
_SUM_LINE = re.compile(
    rf"(?:\A|\n)[\s*_#>]*(?P<sum>(?:{_SUM}(?=[\W_])[^\n]{{1,120}}|{_HEADING}(?=[\s*_]*[:→])"
    r"[^\n]{1,120}?(?=[.!](?:\s|\Z)|\n|\Z)))"
)
_OPENS = re.compile(
    r"(?:\A|[.!?;:,\n–—。，,;：]|(?<=[.!?] )|\s- )[\s*_#>\"'(]*"
    r"(?:(?:and|but|ok|okay|well|right),? )?"
    r"(?:(?P<so>(?:so|therefore|thus|hence|ergo|consequently|accordingly|in conclusion"
    r"|on (?:this )?balance|all in all|overall|in the end|ultimately|folglich|daher|somit|donc"
    r"|quindi|por (?:lo )?tanto|portanto|значит|zostaje"
    r"|richtig ist(?: (?:demnach|also|daher))?)(?=[\W_])"
    r"|(?:因此|所以|故)(?:选择?|選)?|したがって|よって|따라서)"
    rf"|(?P<sum>{_SUM}(?=[\W_]))"
    r"|(?P<the>(?:the|its|what(?:['’]s)?|which one)(?= )))"
    r"|(?<=\w)[, ](?P<mid>therefore|thus|hence|so (?=it['’]s|it is|option|the answer))(?=\W)"
)
_IS = re.compile(
    r"\A(?! (?:others?|first|second|third|remaining|rest|former|latter|opposite|alternative"
    r"|last two|same|left|wrong|student|user)\b)"
    r"[^,:]*\b(?:is|are|was|were|must be|reads)\W"
)
_WRITTEN = re.compile(r"\d ?/ ?\d|[x×·] ?10")
"""A fraction or a power of ten, with which a number is written."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SIGNS = re.compile(r"[^\w]*\Z")
_POINTS = re.compile(
    r"(?:[:→➡⇒(\[]|\bso|->|(?:\A|\n)\W*\w{1,2}[.)])[\s*_(\[\"']*"
    r"(?:option |choice |answer )?[\s*_(\[]*\Z"
)
_OF_OTHERS = re.compile(
    r"\b(?:if|unless|suppos\w*|people|most|many|others?|everyone|everybody|students?|usually"
    r"|used to)\b"
)
_BEFORE_LABEL = re.compile(rf"{_POINTS.pattern}|[.!)]\s*[\s*_(\[]*\Z")
"""What a label stands behind that is the last word of a reply."""
_MORE = re.compile(
    r"\b(?:and|you|they|people|students?|some|many|over)\b|[<>✗✘❌]|[.!][\"']?\s|不|排除"
)
"""Between what opens a close and its option: that more is said than one thing."""


def closes(scene: Scene, first: Impression, *, turned: bool = False) -> Reading | None:
    """The option in which a reply that is not plain before comes to its close, unless it states
    another; with `turned` it has a word of a turn."""
    end = _closing(scene)
    labelled = first.first is not None and first.first.target.by == "label"
    if end is None and not first.said and not labelled:
        value = _worked_out(scene)
        if value is not None:
            return Reading("answer", (value,), "value", None, _CONFIDENCE)
        end = None if turned else _signed(scene)
    if end is None or any(s.target.positions != end.target.positions for s in first.said):
        return None
    position = end.target.positions[0]
    if end.target.by == "text" and only_of_another(scene, position, [end.target.start]):
        return None
    if opposed(scene, position, end.target.start, end.target.end):
        return None
    if end.target.by == "text" and not is_taken_up(scene, position):
        return None
    remarks = len(scene.response.low.rstrip()) - end.end > _REMARK
    if contest_of(scene, first) is not None or (remarks and first.said):
        return None
    span = scene.response.span(end.start, end.end)
    return Reading("answer", end.target.positions, "closing", span, _CONFIDENCE)


def _closing(scene: Scene) -> Statement | None:
    """The one option in which a last clause concludes or sums up, with nothing else named there and
    nothing behind ("So the odd one out is B.", "Majority: C (3/5)")."""
    low = scene.response.low
    end = len(low.rstrip())
    tail = max(0, end - _ENDING)
    for m in _OPENS.finditer(low, tail) if _named_last(scene, tail, end) else ():
        target = _linked_last(scene, m.end(), end)
        if target is None or "?" in low[target.end :]:
            continue
        between = low[m.end() : target.start]
        if m["so"] and _SO_IS.match(between):
            continue
        if m["the"] and (
            not _IS.search(between) or rival(scene, target.positions[0], before=m.start())
        ):
            continue
        start = m.start(m.lastgroup or 0)
        if not SUPPOSED.search(low, told(scene).at(start).start, start):
            return Statement("closing", target, start)
    sums = [m.span("sum") for m in islice(_SUM_LINE.finditer(low), _SUMS)]
    lines = [(at, _linked_last(scene, at, end)) for at, end in sums]
    if len({one.positions if one else () for _, one in lines}) != 1:
        return None
    at, target = lines[-1]
    if target is None:
        return None
    if comes_to_another(scene, target) or ends_on_another(scene, target.positions[0]):
        return None
    return Statement("closing", target, at)


def _signed(scene: Scene) -> Statement | None:
    """A label behind a colon, an arrow or a whole sentence, as the last word of a reply that names
    no other option there, and none by its text or a marked label ("... does not apply. (D)")."""
    low = scene.response.low
    names = told(scene).names
    last = next((name for name in reversed(names) if name.by_label), None)
    if last is None or any(map(low.__contains__, "?{<")) or not _SIGNS.match(low, last.end):
        return None
    if not _stands_behind(_BEFORE_LABEL, low, last) or turned_down(scene, last.start):
        return None
    if _OF_OTHERS.search(low, told(scene).at(last.start).start, last.start):
        return None
    if any(
        name.position != last.position
        and (name.firm or (name.by_label and _stands_behind(_POINTS, low, name)))
        for name in names
    ):
        return None
    return Statement("closing", Target((last.position,), *last[1:3], "label", None), last.start)


def _stands_behind(signs: re.Pattern[str], low: str, name: Name) -> bool:
    return signs.search(low, max(0, name.start - _REMARK), name.start) is not None


def _linked_last(scene: Scene, start: int, end: int) -> Target | None:
    """The one option that a clause says something is, and ends with."""
    names = _named_last(scene, start, end)
    if not names or len({name.position for name in names}) != 1:
        return None
    target = _target(scene, names, end)
    between = scene.response.low[start : target.start]
    if len(between.split()) > _WORDS or NO_CLOSE.search(between) or _MORE.search(between):
        return None
    if scene.dropped(target.start) or target.text == "other" or not LINKS.search(between):
        return None
    # A number may be a label, or the text of another option.
    other = scene.target_at(target.start, cut=False) if scene.labels.numbers else target
    same = other is not None and other.positions == target.positions
    return target if same and not turned_down(scene, target.start) else None


def _named_last(scene: Scene, start: int, end: int) -> list[Name]:
    """The names from `start` on, where the last of them is what is said at the end."""
    names = [name for name in told(scene).names if start <= name.start < end]
    return names if names and _REST.match(scene.response.low, names[-1].end, end) else []


def _target(scene: Scene, names: list[Name], end: int) -> Target:
    """What the last of some names of one option names: a label may come with its own text."""
    for name in names:
        if _REST.match(scene.response.low, name.end, end):
            break
        label = scene.labels.at(scene.response, name.start) if name.by_label else None
        target = scene.behind(label) if label else None
        if target and _REST.match(scene.response.low, target.end, end):
            return target
    return Target(
        (name.position,), name.start, name.end, "label" if name.by_label else "text", None
    )


def _worked_out(scene: Scene) -> int | None:
    """The one option whose value a last sentence comes to, in whatever form or unit, where all
    options are values and no other one's is anywhere in the reply."""
    low, texts = scene.response.low, scene.options.texts
    if not texts or likeness.option_value(texts[0]) is None or len(low) > _LONGEST:
        return None
    known = [likeness.option_value(text) for text in texts]
    if len(known) < 2 or None in known or not told(scene).sentences:
        return None
    start = told(scene).sentences[-1].start
    last = low[start:].strip()
    if NO_CLOSE.search(last) or _NO_RESULT.search(last) or not (said := likeness.values(last)):
        return None
    number = _last_number(low)
    if number and (of_another(scene, number.start()) or _is_given_back(scene, number)):
        return None
    written = _WRITTEN.search(low, start) is not None
    if number and not written and in_expression(low, *number.span(), texts):
        return None
    every = likeness.values(low)
    found = {i for i, one in enumerate(known) for v in every if one and likeness.same(one, v)}
    ends = {i for i, one in enumerate(known) if one and likeness.same(one, said[-1])}
    return found.pop() if len(found) == 1 and found == ends else None


def _last_number(low: str) -> re.Match[str] | None:
    """The last number of a text."""
    last = None
    for m in _NUMBER.finditer(low, max(0, len(low) - _ENDING)):
        last = m
    return last


def _is_given_back(scene: Scene, number: re.Match[str]) -> bool:
    """Whether an equation ends in what the question gives, as a check does."""
    low, start = scene.response.low, number.start()
    return EQUALS.search(low, 0, start) is not None and gives(scene, number.group())
