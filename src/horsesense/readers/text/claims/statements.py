"""Statements: the places where a response says which option it chooses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from horsesense.readers.text.claims import framing
from horsesense.readers.text.names.labels import EAST_ASIAN, LabelHit
from horsesense.readers.text.names.targets import Scene, Target
from horsesense.readers.text.words import announcements

_CELLS = re.compile(r"\||\w {2,}\w|\t\w")
_CLAUSE_END = re.compile(r"[.;:,\n]")
_SENTENCE_END = re.compile(r"[.!?;\n]\s*")
_ANNOUNCES = re.compile(r"[:=>\n]")
_OTHERS_SAY = re.compile(
    r",? (?:that |which )?(?:you (?:\w+ )?(?:hear|see|find|get|read|meet)|people|they|most|many"
    r"|everyone"
    r"|everybody|some|others)\b"
)
_QUOTES = "\"'`*({[<"
_ENDS = 100
_OPENING = 160
_SENTENCE = 160
_LINKS_TRIED = 4
_THEN = re.compile(r"\W*(?:then|in that case|so|if so)\b")
_SUPPOSES = re.compile(
    r"\b(?:suppose|supposing|imagine|assume|assuming|if it were|were it|had it)\b"
)


class Statement(NamedTuple):
    """One place that chooses: its rule, what it chooses and where the wording begins."""

    rule: str
    target: Target
    start: int

    @property
    def end(self) -> int:
        return self.target.end


def statements(scene: Scene) -> list[Statement]:
    """All places that say what the answer is, in order; negated ones are left out."""
    found = [*_announced(scene), *_chosen(scene), *_confirmed(scene)]
    found.sort(key=lambda s: s.target.start)
    low = scene.response.low
    return [s for s in found if not _supposed(low, s)]


def without_comments(low: str, found: list[Statement]) -> list[Statement]:
    """Leave out "B is correct" behind an answer announced at the outset, unless it contrasts.

    An explanation may call parts of the question right; it takes nothing back by that.
    """
    opening = next((s for s in found if s.rule != "confirmed" and s.start < _OPENING), None)
    if opening is None:
        return found
    return [s for s in found if s.rule != "confirmed" or s is opening or turns(low, s)]


def turns(low: str, statement: Statement) -> bool:
    """Whether its sentence turns against what came before ("but", "however")."""
    return announcements.TURNS.search(sentence_before(low, statement)) is not None


def concludes(low: str, statement: Statement) -> bool:
    """Whether its sentence draws a conclusion ("so", "therefore", "finally")."""
    return announcements.CONCLUDES.search(sentence_before(low, statement)) is not None


def sentence_before(low: str, statement: Statement) -> str:
    """What comes before a statement in its sentence."""
    before = low[max(0, statement.start - _SENTENCE) : statement.start]
    return _SENTENCE_END.split(before)[-1]


def _supposed(low: str, statement: Statement) -> bool:
    """Whether it says what the answer would be if something held ("if so, A would be right")."""
    if announcements.WOULD.search(low, statement.start, statement.end + 12) is None:
        return False
    before = sentence_before(low, statement)
    if announcements.SUPPOSING.match(before):
        return True
    # "Suppose it were wheat. Then money would do, and A would be the answer."
    earlier = low[max(0, statement.start - _SENTENCE) : statement.start - len(before)]
    return _THEN.match(before) is not None and _SUPPOSES.search(earlier) is not None


def _announced(scene: Scene) -> Iterator[Statement]:
    """As in "the answer is B" and "Answer: B"."""
    low = scene.response.low
    nouns = announcements.ANSWER_ASCII if low.isascii() else announcements.ANSWER
    found = list(nouns.finditer(low))
    if len(found) > 2 * _ENDS:
        found = [*found[:_ENDS], *found[-_ENDS:]]
    for noun in found:
        if low[max(0, noun.start() - 1) : noun.start()].isalpha() and low[noun.start()].isascii():
            continue
        if announcements.NAMED_ALONE.match(noun.group()) and _label_follows(scene, noun.end()):
            continue
        target = _linked_target(scene, noun.end())
        if target is None:
            continue
        headed = noun.group() in announcements.HEADS
        if headed and not announcements.HEADED_ENDS.match(low, target.end):
            continue
        if framing.avoided(low, noun.end()):
            scene.drop(target, denied=True)
        elif (others := _negated(low, noun.start())) or framing.of_another(low, *noun.span()):
            if others - announcements.NEAR_ANSWER or not others:
                scene.drop(target)
        elif _OTHERS_SAY.match(low, noun.end()) or announcements.CONDITION.match(low, target.end):
            scene.drop(target)
        elif not _is_framed(scene, noun.start(), target):
            yield Statement("stated", target, noun.start())


def _is_framed(scene: Scene, start: int, target: Target) -> bool:
    """Whether the words around a statement deny it, report it of others, or ask it."""
    found = framing.frame(scene.response.low, start, target)
    if found is None:
        return False
    scene.drop(target, denied=found == "denied")
    return True


def _label_follows(scene: Scene, offset: int) -> bool:
    """Whether a label follows at once, as in "option B", with no sign that announces it."""
    hit = scene.labels.at(scene.response, offset)
    return hit is not None and _ANNOUNCES.search(scene.response.low, offset, hit.start) is None


def _negated(low: str, offset: int) -> frozenset[str]:
    """The words before "answer" that make it another one ("no answer", "the wrong answer")."""
    clause = _CLAUSE_END.split(low[max(0, offset - 40) : offset])[-1]
    words = [word.strip(_QUOTES) for word in clause.split()[-4:]]
    return announcements.OTHER_ANSWER.intersection(words)


def _linked_target(scene: Scene, offset: int) -> Target | None:
    """What follows one of the first links ("is", ":") of the sentence."""
    low = scene.response.low
    limit = min(len(low), offset + _SENTENCE)
    end = announcements.MAIN_CLAUSE_END.search(low, offset, limit)
    links = announcements.LINK.finditer(low, offset, end.end() if end else limit)
    for link, _ in zip(links, range(_LINKS_TRIED), strict=False):
        place = link.end()
        if link.group() == "\n" and _CELLS.search(low, offset, link.start()):
            return None
        negated = announcements.NOT.match(low, place)
        if negated:
            turn = announcements.BUT.match(low, negated.end())
            if turn is None:
                return None
            place = turn.end()
        target = scene.target_at(place)
        if target is not None:
            return target
    return None


def _chosen(scene: Scene) -> Iterator[Statement]:
    """As in "I would choose B"."""
    low = scene.response.low
    for head in announcements.CHOOSE_HEAD.finditer(low):
        m = announcements.CHOOSE.match(low, head.start())
        if m is None or (target := scene.target_at(m.end())) is None:
            continue
        puts = announcements.PUTS.search(m.group()) is not None
        if puts and not announcements.HEADED_ENDS.match(low, target.end):
            continue
        if announcements.CONDITION.match(low, target.end):
            scene.drop(target)
        elif framing.SET_ASIDE.match(low, target.end):
            scene.drop(target, denied=True)
        elif m["called"] and _names_another(scene, target):
            continue
        elif not _is_framed(scene, m.start(), target):
            yield Statement("chosen", target, m.start())


def _names_another(scene: Scene, target: Target) -> bool:
    """Whether another option's text stands in the rest of the sentence, and is not turned down."""
    low = scene.response.low
    end = _SENTENCE_END.search(low, target.end)
    stop = end.start() if end else len(low)
    return any(
        target.end <= hit.start < stop
        and hit.position not in target.positions
        and not turned_down(scene, hit.start)
        for hit in scene.options.find_all(scene.response)
    )


def _confirmed(scene: Scene) -> Iterator[Statement]:
    """As in "B is correct" and "making option (B) the best answer"."""
    low = scene.response.low
    passed = 0
    for hit in _before_praise(scene):
        if hit.start < passed:
            continue
        target = scene.behind(hit)
        passed = target.end
        praise = announcements.RIGHT if len(target.positions) == 1 else announcements.BOTH_RIGHT
        praised = praise.match(low, target.end)
        if not praised or turned_down(scene, hit.start):
            continue
        if announcements.PRAISE_TAKEN_BACK.match(low, praised.end()):
            scene.drop(target)
        elif _is_framed(scene, hit.start, target):
            continue
        elif hit.marked or is_named(scene, hit.start):
            yield Statement("confirmed", target, hit.start)


def _before_praise(scene: Scene) -> Iterator[LabelHit]:
    """The labels a short way before something is called right."""
    low = scene.response.low
    reach = 0
    for praise in announcements.PRAISE.finditer(low):
        start = max(reach, praise.start() - _SENTENCE)
        yield from scene.labels.mentions(scene.response, start, praise.start() + 1)
        reach = praise.start() + 1


def turned_down(scene: Scene, offset: int) -> bool:
    """Whether the words before `offset` reject what is named there ("rather than B")."""
    low = scene.response.low
    if announcements.TURNED_DOWN.search(low, max(0, offset - 40), offset) is not None:
        return True
    return scene.denied(offset) or (framing.headed(low, offset) and not scene.asks_not)


def is_named(scene: Scene, offset: int) -> bool:
    """Whether a bare letter at `offset` can be a label: in "hepatitis B" it cannot."""
    low = scene.response.low
    start = max(0, offset - 24)
    if offset and low[offset - 1] >= EAST_ASIAN:
        return True
    if announcements.LABEL_AFTER.search(low, start, offset):
        return True
    letters = not scene.labels.numbers
    return letters and announcements.LETTER_AFTER.search(low, start, offset) is not None
