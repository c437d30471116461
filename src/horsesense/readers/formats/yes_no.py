"""Reading yes or no from the text of a reply about one proposed answer.

What a reply says is gathered first: yes or no outright, judgements of the proposed answer ("it
isn't correct"), and another answer that it calls the right one. Then one decision weighs them: what
stands as the answer, what opens the reply, what is taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from horsesense.models.messages import Response
from horsesense.readers.formats import yes_no_patterns as patterns
from horsesense.readers.formats.bundled import no_text, repaired, without_thinking
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
    text = _own(text).replace("’", "'")
    text, not_said = _without_sayings(text)
    both = patterns.BOTH.search(text)
    stands = _field(text, asked) or _chances(text) or _last(_stands(text))
    if stands is not None and not (both and both.start() <= stands.start < both.end()):
        return _by_case(text, stands) or _reading(stands, 0.97)
    opening, judged = _opening(text, asked), _last(_judged(text, asked))
    turned = next(
        (_said(m, "taken_back") for m in reversed(list(patterns.TURNS.finditer(text)))), None
    )
    if turned is not None and (opening is None or turned.start > opening.end):
        return _reading(turned, 0.9)
    if both is not None or {opening and opening.position, judged and judged.position} == {0, 1}:
        between = text[opening.end : judged.start] if opening and judged else ""
        if judged is not None and both is None and patterns.TAKES_BACK.search(between):
            return _reading(judged, 0.85)
        return Reading("ambiguous", (), "says_both", both.span() if both else (0, len(text)), 0.8)
    if opening is not None:
        back = (
            patterns.GOES_BACK.search(text, opening.end)
            if response.finish_reason == "length"
            else None
        )
        if back is not None:
            return Reading("truncated", (), "goes_back", back.span(), 0.8)
        return _by_case(text, opening) or _reading(opening, 0.98)
    cannot = patterns.CANNOT.search(text)
    if judged is not None and (
        cannot is None or judged.start > cannot.end() + patterns.OF_ITS_CLAUSE
    ):
        return _reading(judged, 0.9)
    if cannot is not None:
        return Reading("unknown", (), "cannot_say", cannot.span(), 0.9)
    if not_said is not None:
        return Reading("unclear", (), "not_said", not_said, 0.5)
    found = reader.read(text, ("Yes", "No"), (), finish_reason=response.finish_reason)
    if found.positions and patterns.NO_NOUN.match(text.strip(" \n*")):
        return replace(found, status="unclear", positions=(), rule="not_said", confidence=0.5)
    return found


def _is_own(text: str, saying: re.Match[str]) -> bool:
    """Whether the reply says it in the first person, and without a negation."""
    return (
        patterns.OWN.search(text, max(0, saying.start() - patterns.REACH), saying.start())
        is not None
    )


def _without_sayings(text: str) -> tuple[str, tuple[int, int] | None]:
    """The reply without the yes or no that others say or that it denies; the last such place."""
    foreign = [
        m
        for m in patterns.SAYING.finditer(text)
        if not (_is_own(text, m) or patterns.NO_NOUN.match(text, m.start(m.lastgroup or 0)))
    ]
    parts, at = [], 0
    for m in foreign:
        parts += [text[at : m.start()], " " * len(m[0])]
        at = m.end()
    return "".join([*parts, text[at:]]), foreign[-1].span() if foreign else None


def _by_case(text: str, said: _Said) -> Reading | None:
    """`ambiguous` where what is said depends, and the opposite is said of the other case."""
    for m in patterns.OTHERWISE.finditer(text, said.end):
        position = YES_POSITION if m["yes"] or m["then_yes"] else NO_POSITION
        if position != said.position and not patterns.NO_NOUN.match(text, m.start()):
            return Reading("ambiguous", (), "by_case", (said.start, m.end()), 0.8)
    return None


def _own(text: str) -> str:
    """The reply without further questions that it invents, and without the choice it repeats."""
    text = patterns.ECHO.sub(lambda m: " " * len(m[0]), text)
    following = next((m for m in patterns.NEXT.finditer(text) if text[: m.start()].strip()), None)
    return text[: following.start()] if following else text


def _reading(said: _Said, confidence: float) -> Reading:
    span = (said.start, said.end)
    if said.position is None:
        return Reading("ambiguous", (), said.rule, span, 0.8)
    return Reading("answer", (said.position,), said.rule, span, confidence)


def _said(match: re.Match[str], rule: str) -> _Said:
    position = YES_POSITION if match["yes"] else NO_POSITION
    return _Said(position, match.start(match.lastgroup or 0), match.end(), rule)


def _last(found: Iterator[_Said]) -> _Said | None:
    return max(found, key=lambda said: said.start, default=None)


def _field(text: str, asked: Proposed) -> _Said | None:
    """The field of a JSON object that holds the answer, or that judges the proposed one."""
    start, end = text.find("{"), text.rfind("}") + 1
    value = repaired(text[start:end]) if 0 <= start < end else None
    if not isinstance(value, dict):
        return None
    for key, inner in value.items():
        if isinstance(inner, bool):
            inner = "yes" if inner else "no"
        match = (
            re.fullmatch(rf"\W*{patterns.SAYS}\W*", inner, re.I) if isinstance(inner, str) else None
        )
        if match and re.search(patterns.NAMED, str(key), re.I):
            return _said(match, "field")._replace(start=start, end=end)
    for key, inner in value.items():
        judges = patterns.JUDGING_KEY.fullmatch(str(key).strip())
        verdict = (
            patterns.VALUE.fullmatch(str(inner).strip(" .!\"'")) if _is_verdict(inner) else None
        )
        if judges and verdict:
            said = _valued(judges, verdict, asked, asks=False)
            return said._replace(rule="field", start=start, end=end)
    return None


def _is_verdict(value: object) -> bool:
    return isinstance(value, (bool, str))


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


def _valued(key: re.Match[str], value: re.Match[str], asked: Proposed, *, asks: bool) -> _Said:
    """What a field or a question and its value say together ("Correct? No.", `{"no": true}`)."""
    named, said = key.groupdict(), value.groupdict()
    judges = bool(said["good"] or said["bad"])
    holds = bool(said["yes"]) or (judges and bool(said["good"]) != bool(said["not"]))
    start, end = key.start(), value.end()
    if named.get("yes") or named.get("no"):
        if asks or named.get("yes"):
            return _Said(YES_POSITION if holds else NO_POSITION, start, end, "opening")
        truth = judges and value[0].lower() in ("true", "false")
        agrees = judges and not holds and asked.quality == "correct"  # "No: wrong."
        position = NO_POSITION if holds or not truth else YES_POSITION
        return _Said(position if truth or agrees else None, start, end, "opening")
    good = bool(named.get("good")) != bool(named.get("not"))
    if judges and not good and value[0].lower() not in ("true", "false"):
        return _Said(None, start, end, "opening")  # "Wrong? Right."
    yes = (good == holds) == (asked.quality == "correct")
    return _Said(YES_POSITION if yes else NO_POSITION, start, end, "opening")


def _stands(text: str) -> Iterator[_Said]:
    for pattern in (patterns.STANDS, patterns.SAYING):
        for m in pattern.finditer(text):
            if not patterns.NO_NOUN.match(text, m.start(m.lastgroup or 0)):
                yield _said(m, "announced")


def _opening(text: str, asked: Proposed) -> _Said | None:
    """The first word, where it says yes or no or judges the proposed answer."""
    sure = patterns.WITHOUT_DOUBT.match(text)
    begins = sure.end() if sure else 0
    match = patterns.OPENS.match(text, begins)
    if match is not None:
        start = match.start(match.lastgroup or 0)
        if not patterns.NO_NOUN.match(text, start):
            return _behind_key(text, match, asked) or _said(match, "opening")
        return None
    match = patterns.OPENS_JUDGING.match(text, begins)
    if match is None:
        return None
    if (said := _behind_key(text, match, asked)) is not None:
        return said
    if patterns.KEY.match(text, match.end()) and text[match.end() :].lstrip("\"'*_`) ")[0] == "?":
        return None
    agrees = match["good"] or (match["bad"] or "").lower() == "false"
    if agrees and asked.quality != "correct":
        return _Said(None, match.start(), match.end(), "agrees_or_judges")
    return _judgement(match, asked, "opening")


def _behind_key(text: str, match: re.Match[str], asked: Proposed) -> _Said | None:
    """The verdict behind an opening word that is a question or a field's name; None for none."""
    key = patterns.KEY.match(text, match.end())
    value = patterns.VALUE.match(text, key.end()) if key else None
    if key is None or value is None or not patterns.ENDS_VALUE.match(text, value.end()):
        return None
    return _valued(match, value, asked, asks=key["sign"] == "?")


def _judged(text: str, asked: Proposed) -> Iterator[_Said]:
    """Statements about the proposed answer, and other answers that are called right."""
    subject = patterns.SUBJECT
    if asked.proposed.strip():
        subject = rf"(?:{patterns.SUBJECT[3:-1]}|{re.escape(asked.proposed.strip())})"
    statement = re.compile(
        rf"\b{subject}(?:'s\b|(?:\s+\w+){{0,3}}?\s+(?:is|are|was|were)(?=\b|n't))"
        rf"(?:\s+(?!(?:partial|part|most|entire|full|complete)ly)\w+ly)?(?:\s+)?(?:{patterns.JUDGES})",
        re.I,
    )
    for m in statement.finditer(text):
        if text[m.end() : m.end() + patterns.BEFORE].lstrip(" *").startswith("?"):
            continue
        said = _judgement(m, asked, "judged")
        denied = patterns.NOT_SAID.search(text, max(0, m.start() - patterns.BEFORE), m.start())
        if denied and said.position is not None:
            said = said._replace(position=None if denied["cannot"] else 1 - said.position)
        yield said
    for m in re.finditer(
        r"^\W*(?:indeed,?\s+)?it\s+(?:sure\s+|certainly\s+)?is(?P<not>n't|\s+not)?\W*$",
        text,
        re.I | re.M,
    ):
        position = NO_POSITION if m["not"] else YES_POSITION
        yield _Said(position, m.start(), m.end(), "judged")
    for m in patterns.AGREES.finditer(text):
        good = bool(m["not"]) == bool(m["dis"])
        yes = good == (asked.quality == "correct")
        yield _Said(YES_POSITION if yes else NO_POSITION, m.start(), m.end(), "judged")
    for m in patterns.ANOTHER.finditer(text):
        same = bool(asked.proposed) and _begins(m["what"], asked.proposed)
        good = same != bool(m["not"])
        if same or not m["not"]:
            yes = good == (asked.quality == "correct")
            yield _Said(0 if yes else 1, m.start(), m.end(), "other_answer")


def _begins(text: str, proposed: str) -> bool:
    said, wanted = text.casefold(), proposed.strip().casefold()
    return said.startswith(wanted) and not said[len(wanted) : len(wanted) + 1].isalnum()


def _judgement(match: re.Match[str], asked: Proposed, rule: str) -> _Said:
    """What a judgement of the proposed answer says to the question that was asked."""
    if match["partly"] and (
        match["not"] or not re.match("(?:entire|full|complete)", match["partly"], re.I)
    ):
        return _Said(None, match.start(), match.end(), "partly")
    good = bool(match["good"]) != bool(match["not"])
    yes = good == (asked.quality == "correct")
    return _Said(YES_POSITION if yes else NO_POSITION, match.start(), match.end(), rule)
