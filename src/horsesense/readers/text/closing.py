"""What a reply comes to: a last clause that concludes in one option, or a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from horsesense.readers.reading import Reading
from horsesense.readers.text import likeness
from horsesense.readers.text.contest import contest_of
from horsesense.readers.text.impression import Impression
from horsesense.readers.text.opposed import opposed, rival
from horsesense.readers.text.statements import Statement, turned_down
from horsesense.readers.text.targets import Scene, Target

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
_LAST_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|\n+")
_NO_RESULT = re.compile(
    r"\b(?:not|no|or|and|if|but|both|between|than|from|about|roughly|approximately|only|would"
    r"|option"
    r"|answer|minus|negative|parts?|steps?|start|subtract|half|first|discount|check|take)\b|n['’]t\b|[?≈~]"
)
_REST = re.compile(r"\W*(?:\(\d{1,2} ?(?:/|of|out of|votes?) ?\d{0,2}[^()\n]{0,12}\)\W*)?\Z")
"""All that may follow: signs, or a count of votes."""
_SUM = (
    r"(?:in (?:short|brief|summary|sum|other words|conclusion)|to sum up|en bref|tl;?dr|bottom line"
    r"|verdict|majority|consensus|agreed|conclusion|final|(?:final |majority |overall )"
    r"(?:vote|verdict|decision|pick|call|label|choice|word|result|consensus)|gun to my head)"
)
_SUM_LINE = re.compile(rf"(?:\A|\n)[\s*_#>]*(?P<sum>{_SUM}(?=[\W_])[^\n]{{1,120}})")
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
_SENTENCE = re.compile(r"[^.!?\n]*\Z")
_SUPPOSES = re.compile(r"\b(?:if|unless|suppose|supposing|assuming|were it|otherwise)\b")
_AGAINST = re.compile(
    r"\b(?:not|no|nor|never|neither|none|or|and|both|either|between|if|unless|except|without|than"
    r"|over|against|but|would have|might|may|could|perhaps|rul\w+|eliminat\w+|exclud\w+|remove\w*"
    r"|wrong|incorrect|false|least|worst|avoid\w*|reject\w*|people|students?|you|they|some|many)\b"
    r"|n['’]t\b|[?<>✗✘❌]|[.!][\"']?\s|不|排除"
)
LINKS = re.compile(
    r"(?:\b(?:is|are|was|were|be|being|remains?|leaves|of|it['’]s|that['’]s|as|mean(?:s|ing)|ist)"
    r"|reads?|becomes|\bi would choose|[:,=→–—-]|\A|选择?|選)[\s*_\"'`(\[$]*(?:(?:therefore|thus"
    r"|most likely|probably|clearly|simply"
    r"|just|about|option|choice|letter|answer|statement|the|an?)\b[\s*_\"'`(\[$:]*){0,4}\Z"
)


def closes(scene: Scene, first: Impression) -> Reading | None:
    """The option in which a reply that is not plain before comes to its close, unless it states
    another."""
    end = _closing(scene)
    labelled = first.first is not None and first.first.target.by == "label"
    if end is None and not first.said and not labelled:
        value = _worked_out(scene)
        return value if value is None else Reading("answer", (value,), "value", None, _CONFIDENCE)
    if end is None or any(s.target.positions != end.target.positions for s in first.said):
        return None
    if opposed(scene, end.target.positions[0], end.target.start, end.target.end):
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
    closes = any(_REST.match(low, one.end) for one in _targets(scene, tail))
    for m in _OPENS.finditer(low, tail) if closes else ():
        target = _named_last(scene, m.end(), end)
        if target is None or "?" in low[target.end :]:
            continue
        between = low[m.end() : target.start]
        if len(between.split()) > _WORDS or _AGAINST.search(between):
            continue
        if m["so"] and _SO_IS.match(between):
            continue
        if m["the"] and (
            not _IS.search(between) or rival(scene, target.positions[0], before=m.start())
        ):
            continue
        if not LINKS.search(between) or turned_down(scene, target.start):
            continue
        before = _SENTENCE.search(low[max(0, m.start() - _ENDING) : m.start()])
        if before is None or not _SUPPOSES.search(before.group()):
            return Statement("closing", target, m.start(m.lastgroup or 0))
    lines = [_summed(scene, *m.span("sum")) for m in islice(_SUM_LINE.finditer(low), _SUMS)]
    alike = lines and None not in lines and len({one.target.positions for one in lines if one}) == 1
    return lines[-1] if alike else None


def _summed(scene: Scene, start: int, end: int) -> Statement | None:
    """What a line of its own sums up in, with remarks behind it."""
    target = _named_last(scene, start, end)
    if target is None:
        return None
    between = scene.response.low[start : target.start]
    plain = len(between.split()) <= _WORDS and not _AGAINST.search(between)
    linked = plain and LINKS.search(between) and not turned_down(scene, target.start)
    return Statement("closing", target, start) if linked else None


def _worked_out(scene: Scene) -> int | None:
    """The one option whose value a last sentence comes to, in whatever form or unit, where all
    options are values and no other one's is anywhere in the reply."""
    low = scene.response.low.strip()
    texts = scene.options.texts
    if not texts or likeness.option_value(texts[0]) is None:
        return None
    known = [likeness.option_value(text) for text in texts]
    if len(known) < 2 or None in known or len(low) > _LONGEST:
        return None
    last = _LAST_SENTENCE.split(low)[-1]
    if _NO_RESULT.search(last) or not (said := likeness.values(last)):
        return None
    every = likeness.values(low)
    found = {i for i, one in enumerate(known) for v in every if one and likeness.same(one, v)}
    ends = {i for i, one in enumerate(known) if one and likeness.same(one, said[-1])}
    return found.pop() if len(found) == 1 and found == ends else None


def _named_last(scene: Scene, start: int, end: int) -> Target | None:
    """The target that a reply ends with, where no other option is named from `start` on."""
    low = scene.response.low
    every = [target for target in _targets(scene, start) if target.start < end]
    found = [target for target in every if _REST.match(low, target.end, end)]
    if not found:
        return None
    named = {one.positions for one in every}
    best = min(found, key=lambda one: one.start)
    clear = len(named) == 1 and len(best.positions) == 1 and best.text != "other"
    if not clear or scene.dropped(best.start):
        return None
    # A number may be a label, or the text of another option.
    other = scene.target_at(best.start, cut=False) if scene.labels.numbers else best
    return best if other is not None and other.positions == best.positions else None


def _targets(scene: Scene, start: int) -> Iterator[Target]:
    """What is named from `start` on, by label or text."""
    response = scene.response
    passed = start
    texts = [hit for hit in scene.options.find_all(response) if hit.start >= start]
    for label in scene.labels.mentions(response, start):
        name = response.text[label.start : label.end].strip("()[].: ")
        inside = any(hit.start <= label.start < hit.end for hit in texts)
        if label.start >= passed and scene.labels.shows(name) and not inside:
            target = scene.behind(label)
            passed = target.end
            yield target
    for hit in texts:
        if hit.start >= passed or hit.end > passed:
            yield Target((hit.position,), hit.start, hit.end, "text", None)
