"""The first impression: what the ordered rules take a response to choose.

It is one piece of evidence among others: `weigh` decides.
"""

from __future__ import annotations

import re
from dataclasses import replace
from string import ascii_uppercase
from typing import NamedTuple

from horsesense.readers.reading import Reading, Status
from horsesense.readers.text.claims import candidates
from horsesense.readers.text.claims.after_all import chosen_after_all
from horsesense.readers.text.claims.marked_up import marked_up
from horsesense.readers.text.claims.standing import NOTHING, Standing, standing
from horsesense.readers.text.claims.statements import (
    Statement,
    concludes,
    statements,
    turned_down,
    turns,
    without_comments,
)
from horsesense.readers.text.names import likeness, special
from horsesense.readers.text.names.labels import label_set
from horsesense.readers.text.names.options import Options, ends_clause
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words import announcements, no_choice

_HINTS_AT_NONE = re.compile(r"(?:no(?:ne|t)?|neither|incorrect|wrong|false)\b")
_MORE_THAN_A_LETTER = re.compile(r"[a-z][+#*^_&%$]|[+#*^_&%$][a-z]")
_FINISHED = ".!?)]}\"'»。！？"
_WORDS = re.compile(r"\w+")
_ALONE = re.compile(r"\W*([^\W\d_]|\d{1,2}|[ivx]{1,5})\W*")
_LETTERS = tuple(ascii_uppercase)
_NUMBERS = tuple(map(str, range(100)))
_SHORT = 80
_SURE = 0.99
_FAIR = 0.85
_DOUBT = 0.6


class Impression(NamedTuple):
    """What the ordered rules find.

    Attributes:
        reading: of the first rule that finds something; None where none does.
        said: all statements of a choice, in order.
        first: what the response begins with, where that is an option.
        standing: what stands of all the answers that it gives.
    """

    reading: Reading | None
    said: list[Statement]
    first: Statement | None
    standing: Standing = NOTHING


def impression(scene: Scene) -> Impression:
    """The first rule that finds something speaks; the order is the order of trust."""
    made = statements(scene)
    said = without_comments(scene.response.low, made)
    comments = [one for one in made if one not in said] if len(made) > len(said) else ()
    first = candidates.lead(scene)
    stands = standing(scene, said, first, comments)
    found = _decide(scene, said, first, stands) or other_label(scene)
    return Impression(found, said, first, stands)


def finished(text: str) -> bool:
    """Whether a text ends like a sentence."""
    return text.rstrip()[-1:] in _FINISHED


def other_label(scene: Scene) -> Reading | None:
    """A letter in the place of a label that is not one of them ("The answer is F").

    One that is a label, alone among signs that mean nothing here, is chosen after all.
    """
    m = None
    if scene.labels.letters:
        m = announcements.OTHER_LABEL.search(scene.response.low)
    elif scene.labels.numbers and scene.response.low.strip() not in scene.labels.positions:
        m = announcements.OTHER_NUMBER.match(scene.response.low)
    if m is None:
        return _not_offered(scene)
    position = scene.labels.positions.get(m["alone"] or m["said"]) if scene.labels.letters else None
    if position is not None and not _MORE_THAN_A_LETTER.search(m.group()):
        alone = m.end() == len(scene.response.low)
        start = m.start("alone") if m["alone"] else m.start("said")
        alone = alone and not (scene.dropped(start) or turned_down(scene, start))
        span = scene.response.span(*m.span())
        return Reading("answer", (position,), "label_alone", span, 0.93) if alone else None
    if scene.labels.letters and _is_in_an_option(scene, m["alone"] or m["said"]):
        return None
    return Reading("illegal", (), "other_label", scene.response.span(*m.span()), _SURE)


def _not_offered(scene: Scene) -> Reading | None:
    """A letter or number that is chosen as a label would be, but is none ("I choose G")."""
    known, low = scene.labels, scene.response.low
    span: tuple[int, int] | None = None
    if len(low.strip()) >= _SHORT:
        return None
    for named in (_LETTERS,) if known.letters else (_NUMBERS, _LETTERS) if known.numbers else ():
        as_if = Scene(scene.response, label_set(named), Options([""] * len(named)))
        made = without_comments(as_if.response.low, statements(as_if))
        single = [s for s in made if len(s.target.positions) == 1]
        lead = candidates.lead(as_if)
        marked = lead if lead and lead.target.marked and "/" not in low else None
        found = marked_up(as_if) or (single[-1] if single else marked)
        if span is None and found and found.target.by == "label":
            span = found.start, found.end
            name = named[found.target.positions[0]]
    alone = _ALONE.fullmatch(low) if span is None else None
    if alone and (alone[1].isdigit() or not known.letters):
        span, name = alone.span(1), alone[1]
    if span is None or name in known.positions or _is_in_an_option(scene, name):
        return None
    return Reading("illegal", (), "other_label", scene.response.span(*span), _SURE)


def _is_in_an_option(scene: Scene, name: str) -> bool:
    """Whether a letter is a word of an option ("vitamin E"), or a number its value ("seven")."""
    texts = scene.options.texts
    if name.isdigit():
        return any(likeness.option_value(text) is not None for text in texts)
    return any(name.lower() in _WORDS.findall(text.lower()) for text in texts)


def _decide(
    scene: Scene, said: list[Statement], first: Statement | None, stands: Standing
) -> Reading | None:
    form = marked_up(scene)
    if form is not None:
        return _reading(scene, form, _SURE)
    latest = max((s.end for s in said), default=first.end if first else 0)
    if turn := candidates.corrected(scene, latest):
        given = None if said else _given(scene, special.find(scene.response))
        return given or _reading(scene, turn, 0.95)
    if said:
        found = _stated(scene, said, first, stands)
        if found.status == "ambiguous" and no_choice.REFUSAL.search(scene.response.low):
            refused = _without_content(scene, special.find(scene.response))
            return refused and replace(refused, confidence=_DOUBT)
        return found
    if first:
        sure = 0.98 if candidates.own_or_no_text(scene, first) else _FAIR
        return _reading(scene, first, sure)
    if line := candidates.last_line(scene):
        return _reading(scene, line, 0.98)
    nothing = special.find(scene.response)
    return _given(scene, nothing) or _without_content(scene, nothing) or _weak(scene)


def _given(scene: Scene, nothing: special.Said | None) -> Reading | None:
    """The choice that a reply makes after it has said that it makes none."""
    declines = nothing is not None and nothing.meaning in ("refusal", "unknown")
    given = candidates.given(scene, nothing.end) if nothing and declines else None
    if nothing and declines and given is None:
        given = chosen_after_all(scene, nothing.end)
    return _reading(scene, given, _SURE) if given else None


def _stated(
    scene: Scene, said: list[Statement], first: Statement | None, stands: Standing
) -> Reading:
    """The last statement, with less confidence where another says something else.

    A reply that opens with a label and that option's own text has answered; a later statement
    overrules it only where it takes its place or concludes.
    """
    single = [s for s in said if len(s.target.positions) == 1]
    last = candidates.listed(scene, single[-1] if single else said[-1])
    everything = said if first is None else [first, *said]
    agreed = len({s.target.positions for s in everything}) == 1
    low = scene.response.low
    gone = first is not None and any(
        at in stands.withdrawn and special.meaning_of(scene.options.texts[at]) is None
        for at in first.target.positions
    )
    overruled = gone or agreed or turns(low, last) or concludes(low, last)
    if first and not overruled and _opens(scene, first):
        last = first
    agreed = agreed and all(s.target.text != "other" for s in said)
    sure = _SURE if agreed else _FAIR
    return _reading(scene, last, _DOUBT if _denied(scene, last) else sure)


def _denied(scene: Scene, last: Statement) -> bool:
    """Whether it is said after a statement that no option is right."""
    if not _HINTS_AT_NONE.search(scene.response.low, last.end):
        return False
    later = no_choice.NONE.search(scene.response.low, last.end)
    return later is not None and not announcements.REMAINING.search(later.group())


def _opens(scene: Scene, first: Statement) -> bool:
    one = first.rule == "lead" and len(first.target.positions) == 1 and first.target.agrees
    return bool(one) and ends_clause(scene.response, first.end)


def _without_content(scene: Scene, said: special.Said | None) -> Reading | None:
    if said is None:
        return None
    position = special.option_meaning(said.meaning, scene.options.texts)
    span = scene.response.span(said.start, said.end)
    if position is not None:
        return Reading("answer", (position,), said.meaning, span, said.confidence)
    status: Status = "none" if said.meaning == "undetermined" else said.meaning
    return Reading(status, (), said.meaning, span, said.confidence)


def _weak(scene: Scene) -> Reading | None:
    """What is merely mentioned: labels first, then linked labels, then texts."""
    named = candidates.mentions(scene)
    found = named.open
    if len({s.target.positions for s in found}) > 1:
        found = [s for s in found if s.target.agrees] or found
    found = found or candidates.weakly_linked(scene)
    if found:
        if len({s.target.positions for s in found}) == 1:
            return _reading(scene, found[-1], 0.93)
        return _several(scene, found)
    hits, rejected = candidates.texts(scene)
    if scene.options.texts and len(named.rejected | rejected) == len(scene.options.texts):
        return Reading("none", (), "all_rejected", None, 0.9)
    hits = [hit for hit in hits if hit.position not in named.rejected]
    hits = candidates.confirmed_texts(scene, hits) or hits
    if not hits:
        return None
    span = scene.response.span(hits[-1].start, hits[-1].end)
    if len({h.position for h in hits}) > 1:
        return Reading("ambiguous", (), "several_texts", span, _FAIR)
    chance = candidates.numeric(scene, hits[-1].position) or not finished(scene.response.low)
    sure = _DOUBT if chance else 0.9
    return Reading("answer", (hits[-1].position,), "text_alone", span, sure)


def _several(scene: Scene, found: list[Statement]) -> Reading:
    span = scene.response.span(found[0].start, found[-1].end)
    return Reading("ambiguous", (), "several_" + found[0].rule, span, _FAIR)


def _reading(scene: Scene, found: Statement, confidence: float) -> Reading:
    target = found.target
    span = scene.response.span(found.start, target.end)
    if target.text == "other":
        return Reading("ambiguous", (), "label_with_other_text", span, _FAIR)
    if len(target.positions) > 1:
        return Reading("ambiguous", (), "several", span, _FAIR)
    return Reading("answer", target.positions, found.rule, span, confidence)
