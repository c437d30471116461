"""Weaker signs of an answer, for responses that never say outright what theirs is."""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import NamedTuple

from horsesense.readers.text.claims import framing
from horsesense.readers.text.claims.statements import Statement, is_named, turned_down
from horsesense.readers.text.names.labels import LabelHit
from horsesense.readers.text.names.options import TextHit, ends_clause, tokens_of
from horsesense.readers.text.names.targets import Scene, Target
from horsesense.readers.text.words import announcements

_WORD = re.compile(r"\w")
_NEAR = 100
_COPIED = 4
_OPTION = re.compile(r"\b(?:options?|choices?|answers?|letter|alternative)\s*[(\[\"']*\Z")
_AND = re.compile(r"(?:and|or)\b")
_AND_NEXT = re.compile(r"\W{0,9}\b(?:and|or)\b")
_TEXT_IN_LINE = re.compile(r"[ \t]*[.:)-][ \t]*(?=\w)")
_CHAIN = re.compile(r"\s?[<>≤≥]\s?\w\b")
_BREAK = re.compile(r"(?<!\b\w)[.!?;:]|\n|\bbut\b")
_TRIED = 50
_MOST = 100
_ENDING = 160
NOT_SO_FAR = re.compile(
    r"\b(?:if (?!(?:i|we|forced|pressed)\b)|had the|were (?:it|this|that)\b"
    r"|at first (?:glance|sight|look)"
    r"|first thought|according to (?!the\b)\w+)"
)
"""In the clause of a weak link: that it holds under a condition, or for a start, or for others."""
_SO_IT_IS = re.compile(
    r"(?:\A|[.;,!\n]\s*|- )(?:and )?(?:(?:so|therefore|thus|hence|which is why|that is why"
    r"|that's why)"
    r",? (?:(?:it|that|this)(?:['’]s| is| was| must be| has to be| would be)"
    r"|(?:that|this|which) (?:makes it|leaves)|we are left with|only)"
    r"|(?:that|this|which) (?:makes it|leaves(?: us with| only)?|must be)|making it"
    r"|leaving(?: only)?)"
    r"(?: an?(?= [a-z]{2}))?(?=\W)"
)
_SO_WORDS = (
    *("it is", "it's", "it’s", "it was", "it must", "it has", "it would", "that is", "that's"),
    *("that’s", "that was", "that must", "that has", "that would", "this is", "this's", "this’s"),
    *("this was", "this must", "this has", "this would", "makes it", "leaves", "left with", "only"),
    *("which must", "making it", "leaving"),
)
"""One of these is in whatever `_SO_IT_IS` finds."""
_IF = re.compile(r"\b(?:if|unless|suppose|supposing|were it|otherwise|would|could|might)\b")
_SO_IS = re.compile(r"\b(?:so (?:is|are|was|were|do|does|did)|nor (?:is|does)|neither is)\b\W*")
_AGAINST = re.compile(
    r"\b(?:not|wrong|incorrect|false|out|never|ruled|rejected|invalid)\b|n't\b|[✗✘❌]"
)
_ITEM = re.compile(r"(?:\A|\n)[\s>*•+#_-]*[(\[]?\w[)\].:]?[\s*_✓✔☑✅]*\Z")
_ITEM_LENGTH = 16
_ASKED = re.compile(r"[\s\"')\]*]{0,4}\?\s*(?=\w)")
"""Behind several options that a reply begins with: that it asks which, and goes on."""
_NUMERIC = re.compile(r"[\d.,+/%-]+")


def lead(scene: Scene) -> Statement | None:
    """What the response begins with: a label that is set off, or an option's text."""
    low = scene.response.low
    target = scene.target_at(len(low) - len(low.lstrip()), cut=False)
    if target is None or announcements.NOT_THE_ANSWER.match(scene.response.low, target.end):
        return None
    if scene.dropped(target.start):
        return None
    if len(target.positions) > 1:
        asked = _ASKED.match(low, target.end)
        target = scene.target_at(asked.end(), cut=False) if asked else target
        if target is None:
            return None
    if len(target.positions) > 1:
        return Statement("lead", target, target.start)
    if target.by == "label":
        if _CHAIN.match(low, target.end):
            return None
        hit = LabelHit(
            target.positions[0], target.start, target.end, target.marked, False, target.end
        )
        if not (target.text is not None or scene.labels.goes_on(scene.response, hit)):
            return None
        if target.positions == (0,) and _walks_through(scene):
            return None
        return listed(scene, Statement("lead", target, target.start))
    if low.startswith("item", target.start) and low.startswith(":", target.end):
        return None  # It heads what is said of it.
    more = _AND_NEXT.match(scene.response.low, target.end)
    if more and (other := scene.options.match_at(scene.response, more.end())):
        both = target._replace(positions=(*target.positions, *(hit.position for hit in other)))
        return Statement("lead_text", both, target.start)
    one_word = len(tokens_of(scene.options.texts[target.positions[0]])) == 1
    # "The first one costs more" names an option by its place and does not choose it.
    by_place = not scene.options.match_at(scene.response, target.start)
    if (one_word or by_place) and not (
        ends_clause(scene.response, target.end)
        or announcements.IS.match(scene.response.low, target.end)
    ):
        return None
    return Statement("lead_text", target, target.start)


def last_line(scene: Scene) -> Statement | None:
    """A last line that is a label alone, or after a blank line a label with its option's text."""
    low = scene.response.low
    start = low.rfind("\n", 0, len(low.rstrip())) + 1
    target = scene.target_at(start, cut=False) if start else None
    if target is None or target.by != "label" or _WORD.search(low, target.end):
        return None
    if scene.dropped(target.start) or turned_down(scene, target.start):
        return None
    above = low[:start].rstrip()
    if _ITEM.search(above, max(0, len(above) - _ITEM_LENGTH)):
        return None
    if target.text is None or low[:start].endswith("\n\n"):
        return Statement("last_line", target, start)
    return None


def _walks_through(scene: Scene) -> bool:
    """Whether the first three options are taken up one after the other, or all labels once each."""
    wanted = 0
    marked = [hit for hit in scene.labelled_at_both_ends if hit.marked]
    k = len(scene.options.texts)
    if k > 2 and [hit.position for hit in marked] == list(range(k)):
        return True
    for hit in marked:
        if hit.position == wanted and scene.behind(hit).agrees:
            wanted += 1
            if wanted == 3:
                return True
    return False


def listed(scene: Scene, first: Statement) -> Statement:
    """A label with another one and its text in the same line ("A. ... and G. ...") or at the
    start of the next is one of a list, not a choice."""
    low = scene.response.low
    end = low.find("\n", first.end)
    line_end = end if end >= 0 else len(low)
    starts = [m.end() for m in _AND.finditer(low, first.end, min(line_end, first.end + _NEAR))]
    for start in [*starts, line_end]:
        named = announcements.FILLER.match(low, start).end()  # type: ignore[union-attr]
        other = scene.labels.at(scene.response, named)
        if other is None or not other.marked or other.position in first.target.positions:
            continue
        same_line = start != line_end
        if same_line and not scene.options.begun_at(other.position, scene.response, other.after):
            continue
        target = scene.behind(other)
        alike = target.agrees or not first.target.agrees
        if alike and not _rejected(scene, target.start, target.end):
            both = first.target._replace(
                positions=(*first.target.positions, other.position), text=None
            )
            return first._replace(target=both)
    return first


def own_or_no_text(scene: Scene, first: Statement) -> bool:
    """Whether a lead has no text in its line but what is most like its own option's.

    Other text may be a paraphrase, or another answer under a wrong label.
    """
    target = first.target
    if target.by == "text" or target.text == "own" or len(target.positions) > 1:
        return True
    line = _TEXT_IN_LINE.match(scene.response.low, target.end)
    if line is None:
        return True
    position, options = target.positions[0], scene.options
    copied = options.begun_at(position, scene.response, line.end()) >= _COPIED
    return copied or options.most_like(scene.response, line.end(), position)


def corrected(scene: Scene, offset: int) -> Statement | None:
    """What is named after the last "wait" or "actually" behind `offset`."""
    low = scene.response.low
    last = None
    for turn in announcements.TAKEN_BACK.finditer(low, offset):
        for hit in scene.labels.mentions(scene.response, turn.end(), turn.end() + _NEAR):
            target = scene.behind(hit)
            clear = hit.bracketed or ends_clause(scene.response, target.end)
            clear = clear and len(target.positions) == 1
            if clear and not turned_down(scene, hit.start) and is_named(scene, hit.start):
                last = Statement("corrected", target, turn.start())
                break
    return last


def given(scene: Scene, offset: int) -> Statement | None:
    """The one option that sentences behind `offset` give by label and own text, as their end and
    as nobody else's view ("However, D. Strongly oppose")."""
    response = scene.response
    found: dict[int, Statement] = {}
    for hit in islice(scene.labels.mentions(response, offset), _TRIED):
        begins = [m.end() for m in _BREAK.finditer(response.low, offset, hit.start)]
        if not begins:
            continue
        target = scene.behind(hit)
        own = target.text == "own" and ends_clause(response, target.end)
        if own and not announcements.NOT_MINE.search(response.low, begins[-1], hit.start):
            found[hit.position] = Statement("given", target, hit.start)
        elif hit.marked and hit.position not in found and is_named(scene, hit.start):
            return None
    return next(iter(found.values())) if len(found) == 1 else None


class Mentions(NamedTuple):
    """Labels that are named: those that may be chosen, and the positions that are turned down."""

    open: list[Statement]
    rejected: set[int]


def mentions(scene: Scene) -> Mentions:
    """Labels with their option's text, in brackets, or named as in "option B"."""
    found = Mentions([], set())
    passed = 0
    for hit in scene.labelled_at_both_ends:
        if hit.start < passed:
            continue
        target = scene.behind(hit)
        passed = target.end
        if scene.dropped(target.start) and not scene.denied(target.start):
            continue
        if _rejected(scene, target.start, target.end):
            if hit.marked or is_named(scene, hit.start):
                found.rejected.update(target.positions)
        elif len(target.positions) != 1 or not _is_mention(scene, hit, target):
            continue
        elif framing.frame(scene.response.low, hit.start, target) is None:
            found.open.append(Statement("mentioned", target, hit.start))
    return found


def _is_mention(scene: Scene, hit: LabelHit, target: Target) -> bool:
    if _OPTION.search(scene.response.low, max(0, hit.start - 16), hit.start):
        return True
    if not hit.marked and (not is_named(scene, hit.start) or _is_article(scene, hit)):
        return False
    clear = hit.bracketed and ends_clause(scene.response, target.end)
    return clear or target.text is not None


def _is_article(scene: Scene, hit: LabelHit) -> bool:
    """Whether a label may be the article of the text behind it ("a queue" with "A. Queue")."""
    name = scene.response.text[hit.start : hit.end]
    return name == "a" and not scene.labels.shows(name)


def weakly_linked(scene: Scene) -> list[Statement]:
    """As in "so B" or "it is B" at the end of a clause."""
    low = scene.response.low
    found = []
    links = list(announcements.WEAK.finditer(low))
    if len(links) > 2 * _MOST:
        links = [*links[:_MOST], *links[-_MOST:]]
    for m in chain(links, announcements.COMES_TO.finditer(low, max(0, len(low) - _ENDING))):
        target = scene.target_at(m.end(), cut=False)
        if m.re is announcements.COMES_TO and target and _WORD.search(low, target.end):
            continue
        if target is not None and scene.dropped(target.start):
            continue
        if target is None or not (
            target.agrees
            or ends_clause(scene.response, target.end)
            or (
                target.by == "label"
                and announcements.IS_NOT_BUT.match(scene.response.low, target.end)
            )
        ):
            continue
        before = low[max(0, m.start() - _NEAR) : m.end()]
        supposed = announcements.CONDITION.match(low, target.end) is not None
        supposed = supposed or announcements.OTHERWISE.search(before) is not None
        supposed = supposed or NOT_SO_FAR.search(_BREAK.split(before)[-1]) is not None
        supposed = supposed or framing.frame(low, m.start(), target) is not None
        turned = turned_down(scene, target.start) or _rejected(scene, m.start(), target.end)
        if not supposed and not turned:
            found.append(Statement("linked", target, m.start()))
    return found


def concluded(scene: Scene) -> Statement | None:
    """What a last sentence that draws a conclusion, and does nothing else, says it is ("... So it's
    Neptune.")."""
    low = scene.response.low
    ending = low[-_ENDING:]
    if not any(map(ending.__contains__, _SO_WORDS)):
        return None
    for m in _SO_IT_IS.finditer(low, max(0, len(low) - _ENDING)):
        target = scene.target_at(m.end(), cut=False)
        clear = target and len(target.positions) == 1 and not _WORD.search(low, target.end)
        if not target or not clear or target.text == "other" or scene.dropped(target.start):
            continue
        if "?" in low[target.end :]:
            continue
        begins = [end.end() for end in _BREAK.finditer(low, 0, m.start())]
        if not _IF.search(low, begins[-1] if begins else 0):
            return Statement("concluded", target, m.start() + (m.group()[:1] in ".;,!\n-"))
    return None


def texts(scene: Scene, *, every: bool = False) -> tuple[list[TextHit], set[int]]:
    """Option texts in the response that may be chosen, and the positions that are turned down.

    With `every`, those turned down are among the texts too.
    """
    hits = [hit for hit in scene.options.find_all(scene.response) if _says_it(scene, hit)]
    if every:
        return hits, set()
    allowed = [hit for hit in hits if not _rejected(scene, hit.start, hit.end)]
    return allowed, {hit.position for hit in hits} - {hit.position for hit in allowed}


def _says_it(scene: Scene, hit: TextHit) -> bool:
    """A text as short as "no" or "one" says the option only at the end of a clause."""
    word = scene.response.low[hit.start : hit.end]
    if hit.tokens > 1 or len(word) > 3 or not word.isalpha():
        return True
    in_list = scene.response.low[max(0, hit.start - 4) : hit.start] == " or "
    return ends_clause(scene.response, hit.end) and not in_list


def confirmed_texts(scene: Scene, hits: list[TextHit]) -> list[TextHit]:
    """The texts that are called right ("golf is the correct answer")."""
    return [hit for hit in hits if announcements.RIGHT.match(scene.response.low, hit.end)]


def numeric(scene: Scene, position: int) -> bool:
    """Whether an option holds a number, which a calculation may contain by chance."""
    return any(map(_NUMERIC.fullmatch, tokens_of(scene.options.texts[position])))


def _rejected(scene: Scene, start: int, end: int) -> bool:
    if turned_down(scene, start) or announcements.WRONG.match(scene.response.low, end):
        return True
    return _so_is(scene.response.low, start)


def _so_is(low: str, start: int) -> bool:
    """Whether it shares the lot of what was rejected just before ("B is wrong and so is C")."""
    m = _SO_IS.search(low, max(0, start - 12), start + 10)
    if m is None or m.end() < start:
        return False
    return _AGAINST.search(low, max(0, m.start() - _NEAR), m.start()) is not None
