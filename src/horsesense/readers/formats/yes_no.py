"""Reading yes or no from the text of a reply about one proposed answer.

What a reply says is gathered first: yes or no outright, judgements of the proposed answer ("it
isn't correct"), and another answer that it calls the right one. Then one decision weighs them: what
stands as the answer, what opens the reply, what is taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from horsesense.models.messages import Response
from horsesense.readers.formats import yes_no_patterns as patterns
from horsesense.readers.formats.bundled import no_text, object_in, without_thinking
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader
from horsesense.trials.extras import Proposed
from horsesense.trials.trial import Trial

YES_POSITION, NO_POSITION = 0, 1


class _Said(NamedTuple):
    """Something that bears on the answer: which (None: both, or neither), where, by which rule."""

    position: int | None
    start: int
    end: int
    rule: str


def read_yes_no(reader: TextReader, trial: Trial, response: Response) -> Reading:
    """Yes (position 0) or no (position 1); `ambiguous` where a reply says both.

    An answer that stands as such ("Final answer: No", a last line of its own) decides, then the
    opening word, then what is said of the proposed answer; a reply that opens with one and says
    the other contradicts itself, unless it takes the first back.
    """
    text = without_thinking(response.text)
    if not text.strip():
        return no_text(response)
    asked = trial.extras if isinstance(trial.extras, Proposed) else Proposed("", "correct")
    right = asked.quality == "correct"
    text, not_said = _without_sayings(_own(text).replace("’", "'"))
    both = patterns.BOTH.search(text)
    stands = _field(text, right) or _chances(text) or _last(_stands(text))
    if stands is not None and not (both and both.start() <= stands.start < both.end()):
        return _by_case(text, stands, 0.97)
    opening, judged = _opening(text, right), _last(_judged(text, asked.proposed.strip(), right))
    turned = _last(_said(m, "taken_back") for m in patterns.TURNS.finditer(text))
    if turned is not None and (opening is None or turned.start > opening.end):
        return _reading(turned, 0.9)
    if both is not None or {opening and opening.position, judged and judged.position} == {0, 1}:
        between = text[opening.end : judged.start] if opening and judged else ""
        if judged is not None and both is None and patterns.TAKES_BACK.search(between):
            return _reading(judged, 0.85)
        return Reading("ambiguous", (), "says_both", both.span() if both else (0, len(text)), 0.8)
    if opening is not None:
        back = patterns.GOES_BACK.search(text, opening.end)
        if back is not None and response.finish_reason == "length":
            return Reading("truncated", (), "goes_back", back.span(), 0.8)
        return _by_case(text, opening, 0.98)
    cannot = patterns.CANNOT.search(text)
    if judged and not (cannot and judged.start <= cannot.end() + patterns.OF_ITS_CLAUSE):
        return _reading(judged, 0.9)
    if cannot is not None:
        return Reading("unknown", (), "cannot_say", cannot.span(), 0.9)
    if not_said is not None:
        return Reading("unclear", (), "not_said", not_said, 0.5)
    found = reader.read(text, ("Yes", "No"), (), finish_reason=response.finish_reason)
    if found.positions and patterns.NO_NOUN.match(text.strip(" \n*")):
        return replace(found, status="unclear", positions=(), rule="not_said", confidence=0.5)
    return found


def _without_sayings(text: str) -> tuple[str, tuple[int, int] | None]:
    """The reply without the yes or no that others say or that it denies; the last such place."""
    foreign = None

    def blanked(m: re.Match[str]) -> str:
        nonlocal foreign
        if _no_noun(m) or patterns.OWN.search(text, max(0, m.start() - patterns.REACH), m.start()):
            return m[0]
        foreign = m.span()
        return " " * len(m[0])

    return patterns.SAYING.sub(blanked, text), foreign


def _no_noun(match: re.Match[str]) -> bool:
    """Whether the "no" of a match answers nothing ("no doubt")."""
    return patterns.NO_NOUN.match(match.string, match.start(match.lastgroup or 0)) is not None


def _own(text: str) -> str:
    """The reply without further questions that it invents, and without the choice it repeats."""
    text = patterns.ECHO.sub(lambda m: " " * len(m[0]), text)
    following = next((m for m in patterns.NEXT.finditer(text) if text[: m.start()].strip()), None)
    return text[: following.start()] if following else text


def _by_case(text: str, said: _Said, confidence: float) -> Reading:
    """What is said; `ambiguous` where it depends, and the opposite is said of the other case."""
    for m in patterns.OTHERWISE.finditer(text, said.end):
        position = YES_POSITION if m["yes"] or m["then_yes"] else NO_POSITION
        if position != said.position and not patterns.NO_NOUN.match(text, m.start()):
            return Reading("ambiguous", (), "by_case", (said.start, m.end()), 0.8)
    return _reading(said, confidence)


def _reading(said: _Said, confidence: float) -> Reading:
    span = (said.start, said.end)
    if said.position is None:
        return Reading("ambiguous", (), said.rule, span, 0.8)
    return Reading("answer", (said.position,), said.rule, span, confidence)


def _said(match: re.Match[str], rule: str) -> _Said:
    position = YES_POSITION if match["yes"] else NO_POSITION
    return _Said(position, match.start(match.lastgroup or 0), match.end(), rule)


def _last(found: Iterable[_Said]) -> _Said | None:
    return max(found, key=lambda said: said.start, default=None)


def _field(text: str, right: bool) -> _Said | None:
    """The field of a JSON object that holds the answer, or that judges the proposed one."""
    value, start, end = object_in(text)
    fields = value.items() if isinstance(value, dict) else ()
    said = [(str(key), inner) for key, inner in fields if isinstance(inner, bool | str)]
    for key, inner in said:
        word = inner if isinstance(inner, str) else "yes" if inner else "no"
        match = patterns.ALONE.fullmatch(word)
        if match and re.search(patterns.NAMED, key, re.I):
            return _said(match, "field")._replace(start=start, end=end)
    for key, inner in said:
        judges = patterns.JUDGING_KEY.fullmatch(key.strip())
        verdict = patterns.VALUE.fullmatch(str(inner).strip(" .!\"'"))
        if judges and verdict:
            return _Said(_valued(judges, verdict, right, asks=False), start, end, "field")
    return None


def _chances(text: str) -> _Said | None:
    """The likelier of yes and no, where a reply gives a chance of each that add up."""
    found = list(patterns.CHANCES.finditer(text))
    if len(found) != 2 or bool(found[0]["yes"]) == bool(found[1]["yes"]):
        return None
    first, second = (float(m["n"]) for m in found)
    if not any(abs((first + second) / whole - 1) < patterns.ROUNDED for whole in (1, 100)):
        return None
    likelier = found[0] if first > second else found[1]
    position = None if first == second else NO_POSITION if likelier["no"] else YES_POSITION
    return _Said(position, found[0].start(), found[1].end(), "chances")


def _valued(key: re.Match[str], value: re.Match[str], right: bool, *, asks: bool) -> int | None:
    """What a field or a question and its value say together ("Correct? No.", `{"no": true}`)."""
    named, said = key.groupdict(), value.groupdict()
    judges = bool(said["good"] or said["bad"])
    holds = bool(said["yes"]) or (judges and bool(said["good"]) != bool(said["not"]))
    truth = judges and value[0].lower() in ("true", "false")
    if named.get("yes") or (named.get("no") and asks):
        return int(not holds)
    if named.get("no"):
        agrees = judges and not holds and right  # "No: wrong."
        return int(holds or not truth) if truth or agrees else None
    good = bool(named.get("good")) != bool(named.get("not"))
    if judges and not good and not truth:
        return None  # "Wrong? Right."
    return int((good == holds) != right)


def _stands(text: str) -> Iterator[_Said]:
    for pattern in (patterns.STANDS, patterns.SAYING):
        yield from (_said(m, "announced") for m in pattern.finditer(text) if not _no_noun(m))


def _opening(text: str, right: bool) -> _Said | None:
    """The first word, where it says yes or no or judges the proposed answer."""
    sure = patterns.WITHOUT_DOUBT.match(text)
    begins = sure.end() if sure else 0
    outright = patterns.OPENS.match(text, begins)
    match = outright or patterns.OPENS_JUDGING.match(text, begins)
    if match is None or (outright and _no_noun(outright)):
        return None
    key = patterns.KEY.match(text, match.end())
    value = patterns.VALUE.match(text, key.end()) if key else None
    if key and value and patterns.ENDS_VALUE.match(text, value.end()):
        position = _valued(match, value, right, asks=key["sign"] == "?")
        return _Said(position, match.start(), value.end(), "opening")
    if outright:
        return _said(outright, "opening")
    if key and key["sign"] == "?":
        return None
    if not right and (match["good"] or (match["bad"] or "").lower() == "false"):
        return _Said(None, *match.span(), "agrees_or_judges")
    return _judgement(match, right, "opening")


def _judged(text: str, proposed: str, right: bool) -> Iterator[_Said]:
    """Statements about the proposed answer, and other answers that are called right."""
    subject = "|".join(filter(None, (patterns.SUBJECT, re.escape(proposed))))
    statement = re.compile(rf"\b(?:{subject}){patterns.IS_JUDGED}", re.I)
    for m in statement.finditer(text):
        if text[m.end() : m.end() + patterns.BEFORE].lstrip(" *").startswith("?"):
            continue
        said = _judgement(m, right, "judged")
        denied = patterns.NOT_SAID.search(text, max(0, m.start() - patterns.BEFORE), m.start())
        if denied and said.position is not None:
            said = said._replace(position=None if denied["cannot"] else 1 - said.position)
        yield said
    for m in patterns.IT_IS.finditer(text):
        yield _Said(int(bool(m["not"])), *m.span(), "judged")
    for m in patterns.AGREES.finditer(text):
        yield _Said(int((bool(m["not"]) == bool(m["dis"])) != right), *m.span(), "judged")
    for m in patterns.ANOTHER.finditer(text):
        same = bool(proposed) and _begins(m["what"], proposed)
        if same or not m["not"]:
            good = same != bool(m["not"])
            yield _Said(int(good != right), *m.span(), "other_answer")


def _begins(text: str, proposed: str) -> bool:
    said, wanted = text.casefold(), proposed.casefold()
    return said.startswith(wanted) and not said[len(wanted) : len(wanted) + 1].isalnum()


def _judgement(match: re.Match[str], right: bool, rule: str) -> _Said:
    """What a judgement of the proposed answer says to the question that was asked."""
    if match["partly"] and (match["not"] or not patterns.WHOLLY.match(match["partly"])):
        return _Said(None, *match.span(), "partly")
    good = bool(match["good"]) != bool(match["not"])
    return _Said(int(good != right), *match.span(), rule)
