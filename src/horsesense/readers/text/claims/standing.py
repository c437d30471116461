"""Which answers of a reply stand: given, not withdrawn behind, nor superseded by a later one.

A reply that gives one answer and later another has changed its mind where something between them
says so; otherwise both stand, and neither is its choice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from horsesense.readers.text.claims import several
from horsesense.readers.text.claims.marked_up import forms
from horsesense.readers.text.claims.statements import Statement, sentence_before
from horsesense.readers.text.names.options import ends_clause, tokens_of
from horsesense.readers.text.names.special import meaning_of
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words import announcements
from horsesense.readers.text.words.wording import TURNS_BACK, Wording

_APART = 400
WITHDRAWS = Wording(
    TURNS_BACK,
    re.compile(
        r"\b(?:hang on|hold on|not so fast|never ?mind|just kidding|(?:i|i've"
        r"|i have) (?:\w+ )?(?:misread"
        r"|misspoke|withdraw|retract)|(?:withdrawing|retracting) (?:my|that|this|it)"
        r"|(?:up)?on (?:reflection|checking|second thoughts?|review"
        r"|re-?(?:check|read|think|consider|examin|visit|calculat)\w*|(?:further|closer) \w+)"
        r"|(?:take|took) (?:it|that|this) back|(?:i|i've|i have) made an? (?:\w+ )?(?:error"
        r"|mistake|slip)|(?:ignore|disregard|scrap|scratch|strike|revise|amend|replace)"
        r" (?:that|this|it|my|the above"
        r"|[a-h]\b)|change (?:that|it|this|my (?:answer|mind|choice))|(?:changed|changing) my"
        r"|let me (?:reconsider|rethink|re-?check|re-?calculate|redo|re-?do|re-?examine"
        r"|re-?evaluate|correct|double)|(?:should|must|ought to|needs? to)"
        r" (?:read|be (?:corrected|changed|replaced|revised|amended))|i meant\b"
        r"|(?:edit|update|revised|erratum|revision)\W{0,3}:"
        r"|i (?:was|am) wrong|i (?:initially|originally|first) (?:thought|said|chose|picked)"
        r"|or rather|make that)\b"
        r"|\b(?:edit|update|erratum)\W{0,2}:"
    ),
)
CALLED_WRONG = re.compile(
    r"[^\w\n]{0,6}[.,;!?\n–—-]\W{0,6}(?:and |but |which |no[,.]? )?(?:(?:that|this|it|which"
    r"|the (?:above )?"
    r"answer(?: above)?)(?:'s|’s| is| was| would be)|is) (?:\w+ )?(?:wrong|incorrect"
    r"|not (?:right|correct"
    r"|true|so)|false|an? (?:\w+ )?(?:mistake|error))\b"
    r"|\W{1,6}(?:was|is|had been) my (?:first|initial|original|previous)\b"
    r"|[^\w\n]{0,4}[.!?\n–—-]\W{0,6}(?:(?:no|nope|wrong|incorrect)\s*[.,!;–—]"
    r"|i (?:\w+ )?(?:disagree|(?:don['’]t|do not) agree)\b)"
    r"|[^\w\n]{0,4}[.,!?\n–—-]\W{0,6}(?:which )?(?:i (?:think|believe) )?"
    r"(?:(?:it|that)['’]s |(?:it )?is |it made an? )?(?:wrong|incorrect|mistaken|mistake)\b"
)
"""Right behind an answer: that it is wrong."""
_TURN = re.compile(
    r"\b(?:however|wait|actually|hmm+|correction|sorry|oops|nope|on second thought|my mistake"
    r"|cannot be right|can['’]t be right|(?:first|initial|original|earlier|previous)"
    r" (?:answer|choice|guess|thought|attempt|impression)|redo|double-?check\w*|mistaken"
    r"|(?:is|was) (?:wrong|a mistake|an error)|no(?=[,.!:;—–-]))"
)
_WEAK_TURN = re.compile(r"\b(?:but|although|though|instead|in fact|rather)\b")
_BUT = re.compile(r"[.!?\n]\W*but\b")
_LAST = re.compile(
    r"\b(?:final(?:ly)?|ultimately|in the end|revised|corrected|updated|amended|new|actual|overall"
    r"|2nd|second|third|last)\b"
)
"""In the sentence of an answer: that it takes the place of those before it."""
_ON_THE_WAY = re.compile(r"(?:result|solution|output|ergebnis|prediction)")
"""What may be announced before the answer is: what a step comes to."""
_NEXT_CHOICE = re.compile(r"[\"')\]*]* and (?:also |then )?(?:i|we|the answer|my answer)\b")
"""Behind an answer that another one follows in the same sentence."""
_OWN_SENTENCE = re.compile(
    r"(?:\b(?:and|but|also|in addition|additionally|moreover|furthermore|not only that|besides"
    r"|likewise|both|the|option|choice|answer|statement)\b|\W)*"
)
"""All that may stand before "C is correct" in its sentence; else it belongs to a reason."""
_AMONG = re.compile(r"\b(?:one of|between|among|differ|var(?:y|ies)|depends?)\b")
"""Between "answer" and an option: that it is only one of those in question."""
_GIVES_REASONS = re.compile(
    r"\b(?:explanation|reason(?:ing)?|rationale|justification|because|why|note)\W{0,3}:"
)
_LINE = re.compile(r"(?:\A|\n)[\s>#|*•_-]*")
_HEADED = 3
_NEXT_ITEM = re.compile(r"[?:]|\n[\s(]{0,4}(?:[a-d1-4]|i{1,3})[.)] ")


class Standing(NamedTuple):
    """What stands of the answers of a reply.

    Attributes:
        positions: the options of the answers that stand; several where no answer is the one.
        withdrawn: the options of answers that do not stand any more.
        plain: several stand, and nothing between them tells why.
        end: where the last of them ends.
    """

    positions: frozenset[int] = frozenset()
    withdrawn: frozenset[int] = frozenset()
    plain: bool = False
    end: int = 0

    @property
    def several(self) -> bool:
        return len(self.positions) > 1

    def firm(self, low: str) -> bool:
        """Whether an answer stands in a reply, and no word of a turn follows it."""
        return bool(self.positions) and not _turns(low[self.end :])


NOTHING = Standing()


def standing(
    scene: Scene,
    said: Sequence[Statement],
    first: Statement | None,
    comments: Sequence[Statement] = (),
) -> Standing:
    """What stands of all that a reply states, begins with, gives in a form for answers, or calls
    right in a sentence of its own (`comments` are what it calls right behind its answer)."""
    if not said and not any(map(scene.response.low.__contains__, "\\<{")):
        return NOTHING
    low = scene.response.low
    more = [one for one in comments if _OWN_SENTENCE.fullmatch(sentence_before(low, one))]
    stands: list[Statement] = []
    gone: set[int] = set()
    for one in _made(scene, [*said, *more], first):
        named, kept = {*one.target.positions}, []
        for other in stands:
            before = {*other.target.positions}
            if before <= named or named < before:
                continue
            if supersedes(low, other, one):
                gone |= before
            else:
                kept.append(other)
        stands = [*kept, one]
    positions = frozenset(position for one in stands for position in one.target.positions)
    plain = len(stands) > 1 and _plainly(low, stands[-2], stands[-1])
    plain = plain and not any(meaning_of(scene.options.texts[at]) for at in positions)
    end = stands[-1].end if stands else 0
    return Standing(positions, frozenset(gone) - positions, plain, end)


def _made(scene: Scene, said: Sequence[Statement], first: Statement | None) -> list[Statement]:
    """All places that give one option as the answer, in order."""
    low = scene.response.low
    found = {one.target.start: one for one in forms(scene)}
    for one in said:
        if one is not said[-1] and _ON_THE_WAY.match(low, one.start):
            continue
        joined = len(one.target.positions) > 1
        whole = several.option_of(scene, {*one.target.positions}) if joined else None
        if whole is not None:
            one = one._replace(target=one.target._replace(positions=(whole,)))
        if _is_whole(scene, one) and not _AMONG.search(low, one.start, one.target.start):
            found.setdefault(one.target.start, one)
    if first is not None and len(first.target.positions) > 1:
        # The first of two labels with their texts is given, where it is the other that is praised.
        target = scene.target_at(first.target.start, cut=False) or first.target
        praised = any({*one.target.positions} < {*first.target.positions} for one in said)
        given = target.agrees or low.startswith("\n", target.end)
        first = first._replace(target=target) if given and praised else first
    at = first.target.start if first is not None else 0
    apart = not any(one.target.start <= at < one.target.end for one in found.values())
    single = first is not None and len(first.target.positions) == 1 and apart
    if first is not None and single and _is_a_sentence(scene, first) and not _heads(scene):
        found.setdefault(first.target.start, first)
    return sorted(found.values(), key=lambda one: one.target.start)


def _is_whole(scene: Scene, one: Statement) -> bool:
    """Whether it names an option, and not only begins a reply's last words, or a longer phrase,
    with what one option is."""
    if one.target.by == "label":
        return True
    if ends_clause(scene.response, one.end) or _NEXT_CHOICE.match(scene.response.low, one.end):
        return bool(scene.options.match_at(scene.response, one.target.start))
    return all(len(tokens_of(scene.options.texts[at])) > 1 for at in one.target.positions)


def _heads(scene: Scene) -> bool:
    """Whether options head several lines, so that a reply goes through them."""
    low = scene.response.low
    named: set[int] = set()
    for m in _LINE.finditer(low):
        label = scene.labels.at(scene.response, m.end())
        if label is not None and label.marked:
            named.add(label.position)
        else:
            named.update(
                hit.position for hit in scene.options.match_at(scene.response, m.end())[:1]
            )
        if len(named) >= min(_HEADED, len(scene.options.texts)):
            return True
    return False


def _is_a_sentence(scene: Scene, first: Statement) -> bool:
    """Whether what a reply begins with is a sentence of its own."""
    end = scene.response.low[first.end : first.end + 2]
    return (first.rule == "lead" or end[:1] in ".!\n") and ends_clause(scene.response, first.end)


def supersedes(low: str, one: Statement, other: Statement) -> bool:
    """Whether the second of two answers takes the place of the first, as words between them or its
    own sentence tell."""
    between = low[one.end : other.start]
    before = sentence_before(low, other) + low[other.start : other.target.start]
    if _LAST.search(before) and not _LAST.search(sentence_before(low, one)):
        return True
    called_wrong = CALLED_WRONG.match(low, one.end) is not None
    turns = _turns(between) or _WEAK_TURN.search(before) or _BUT.search(between)
    return called_wrong or bool(turns)


def _turns(text: str) -> bool:
    """Whether a text has words that take an answer back, or turn from it."""
    return WITHDRAWS.search(text) is not None or _TURN.search(text) is not None


def _plainly(low: str, one: Statement, other: Statement) -> bool:
    """Whether two answers stand with neither a conclusion nor another question between them."""
    rules = {one.rule, other.rule}
    if "confirmed" in rules or ("chosen" in rules and len(rules) > 1):
        return False
    if len(one.target.positions) + len(other.target.positions) > 2:
        return False
    between = _GIVES_REASONS.sub("", low[one.end : other.start])
    concludes = announcements.CONCLUDES.search(sentence_before(low, other)) is not None
    alike = announcements.CONCLUDES.search(sentence_before(low, one)) is not None
    asked = len(between) > _APART or _NEXT_ITEM.search(between)
    return not asked and (alike or not concludes)
