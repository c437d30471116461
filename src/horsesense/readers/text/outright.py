"""What a reply states outright: the answers that patterns name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from horsesense.expressions import expression
from horsesense.readers.reading import Reading
from horsesense.readers.text import words
from horsesense.readers.text.options import Shown, key_of, key_of_option
from horsesense.readers.text.page import forms_of, loops, pieces, small
from horsesense.readers.text.patterns import SAYS_TEXT, Wording, found_by, patterns
from horsesense.readers.text.whole import LESS, LONG, STATED, begins_with_other

CHATTER: Final = 60
"""Tokens behind a statement from which on all is weighed."""
_OWN: Final = 40
"""Characters behind a label in which the option's own text is looked for."""
_EXPLAINS: Final = expression(
    r"^\W{0,6}(?:explanation|reason|reasoning|rationale|justification)\b", re.I | re.M
)
"""What begins a part that explains the answer before it."""
_RECAP: Final = expression(
    r"\b(?:summari[sz]e|summari[sz]ing|combin(?:e|ing)|recap\w*)\b[^.\n]{0,20}\banswers\b"
    r"|\banswers? (?:to|for) (?:all|each|the) (?:of the )?(?:above )?questions\b",
    re.IGNORECASE,
)


def denied(text: str, end: int, position: int, see: Shown) -> bool:
    """Whether what is named up to `end` is denied right behind ("B is not correct").

    The beginning of the option's own text denies nothing ("B. Wrong, not wrong").
    """
    if words.DENIED.match(text, end) is None:
        return False
    own = see.keys[position][:1] if position >= 0 else ()
    return key_of(text[end : end + _OWN])[:1] != own


class Statement(NamedTuple):
    """A place that states an answer.

    Attributes:
        position: the option.
        start, end: the place.
        final: whether it is called the final one.
        rule: what found it.
    """

    position: int
    start: int
    end: int
    final: bool
    rule: str


def statements(text: str, low: str, table: Mapping[str, Wording], see: Shown) -> list[Statement]:
    """All statements of an answer, in order; those denied left out. `low`: in small letters."""
    found: dict[int, Statement] = {}
    for rule, form in table.items():
        for m in found_by(form, text, low):
            at = m.start("label")
            position = _position(m["label"], see)
            if denied(text, m.end(), position, see) or (position < 0 and text[at - 1] not in "(["):
                continue
            if position >= 0 and (_bare_small(m, see) or attributed(text, m.start())):
                continue
            final = bool("final" in form.whole.groupindex and m["final"]) or (
                at in found and found[at].final
            )
            found[at] = Statement(position, m.start(), m.end(), final, rule)
    return [found[at] for at in sorted(found)]


def attributed(text: str, at: int) -> bool:
    """Whether what begins at a place is what others say ("Some would say the answer is D")."""
    begin = max(text.rfind("\n", 0, at), text.rfind(". ", 0, at), at - 80) + 1
    return words.ATTRIBUTED.match(text, begin, at) is not None


def _position(label: str, see: Shown) -> int:
    """The option of a label, also of one written small; -1 of one that is not shown."""
    return see.labels.get(label, see.small.get(label.lower(), -1))


def headed(text: str, labels: tuple[str, ...], see: Shown) -> list[Statement]:
    """The one label that heads a line, first in the reply or behind a colon: "C. blue"."""
    explained = _EXPLAINS.search(text)
    end = explained.start() if explained else len(text)
    found = [
        m for m in patterns(labels).heads.finditer(text, 0, end) if _position(m["label"], see) >= 0
    ]
    if not found or len({m["label"] for m in found}) > 1:
        return []
    m, position = found[0], see.labels.get(found[0]["label"], -1)
    before = text[: m.start()].rstrip(" *_\n")
    if position < 0 or (before and not before.endswith(":")):
        return []
    line = text[m.end() :].split("\n")[0].strip(" *_.")
    own = see.keys[position]
    if line and key_of(line)[: len(own)] != own and not _opens(text, m, position, see):
        return []
    return [Statement(position, m.start("label"), m.end(), False, "headed")]


def _opens(text: str, m: re.Match[str], position: int, see: Shown) -> bool:
    """Whether a reply opens with a label and goes on in words of its own: "E. This is correct."."""
    rest = text[m.end() :]
    if is_heading(text, m.end(), see.keys[position]):
        return False
    opens = (
        see.style == "upper"
        and not text[: m.start("label")].strip(" *\n")
        and m[0].endswith((".", ")"))
    )
    other = opens and _begins_other(rest, position, see)
    return opens and not other and not _names_other(rest, position, see, numbers=False)


def is_heading(text: str, end: int, own: tuple[str, ...]) -> bool:
    """Whether what begins before `end` heads a part, in words that are none of an option's own."""
    line, *below = text[end:].split("\n", 1)
    title = bool(below) and line.rstrip(" *_")[-1:] not in (*".!?:,;", "")
    return title and set(own).isdisjoint(key_of(line))


def closing(text: str, labels: tuple[str, ...], see: Shown) -> list[Statement]:
    """The label, alone or with its own text, that is all of the last line."""
    start = text.rstrip().rfind("\n") + 1
    m = patterns(labels).heads.match(text, start) if start else None
    position = see.labels.get(m["label"], -1) if m else -1
    if m is None or position < 0:
        return []
    line = text[m.end() :].strip(" *_.\n")
    above = text[:start].rstrip().rsplit("\n", 1)[-1]
    if (line and key_of(line) != see.keys[position]) or patterns(labels).heads.match(above):
        return []
    return [Statement(position, m.start("label"), m.end(), False, "closing")]


def by_text(text: str, low: str, see: Shown) -> list[Statement]:
    """What is stated by the whole text of an option: "The answer is golf."."""
    found = []
    for m in found_by(SAYS_TEXT, text, low):
        said = key_of(words.SENTENCE.split(m["text"])[0])
        fits = [i for i, key in enumerate(see.keys) if key and key == said]
        if len(fits) != 1:
            return []
        found.append(Statement(fits[0], m.start(), m.end(), False, "text_is"))
    return found


def _bare_small(m: re.Match[str], see: Shown) -> bool:
    """Whether a small letter or a number stands there with nothing to set it off."""
    if see.style == "upper":
        return False
    text, after = m.string, m.end("label")
    set_off = text[after : after + 1] in (")", "]", "") or text[m.start("label") - 1] in "([⟦"
    return not set_off


def _states(text: str, see: Shown) -> bool:
    return bool(statements(text, small(text), patterns(tuple(see.labels)).states, see))


def without_next(text: str, see: Shown) -> str:
    """A text up to a further question, told by options of its own."""
    if not any(map(text.__contains__, see.second)):
        return text
    (one, first), (two, second) = list(see.labels.items())[:2]
    if not any(one + sign in text for sign in ".):"):
        return text
    lines = rf"^\W{{0,6}}{re.escape(one)}[.):] ?(.*)\n\W{{0,6}}{re.escape(two)}[.):] ?(.*)$"
    known = re.compile(lines, re.MULTILINE)
    for m in known.finditer(text):
        if key_of(m[1]) == see.keys[first] or key_of(m[2]) == see.keys[second]:
            continue
        cut = text.rfind("\n\n", 0, m.start())
        own = see.takes_up(m[1], first) or see.takes_up(m[2], second)
        if own and _states(text[m.start() :], see) and not _states(text[: max(cut, 0)], see):
            continue  # it goes through the options, and then answers
        if m.start() and text[: max(cut, 0)].strip():
            return text[:cut]
    return text


class ToldAnswer(NamedTuple):
    """What the statements of a reply come to.

    Attributes:
        reading: what is stated outright; None where that is left to be weighed.
        last: the option stated last; -1 where none is.
        several: whether different ones are, and nothing says which.
        plain: whether nothing near makes the statement uncertain.
    """

    reading: Reading | None
    last: int
    several: bool
    plain: bool


NOTHING: Final = ToldAnswer(None, -1, False, False)
"""Where no statement is found."""


def told(text: str, labels: tuple[str, ...], see: Shown) -> ToldAnswer:
    """One decision on all statements of a prepared text."""
    low, known = small(text), patterns(labels)
    short = len(text) < LONG and labels and any(word in low for word in words.REJECTS)
    against = short and (known.against.fullmatch(text) or known.rather.fullmatch(text))
    position = _position(against["label"], see) if against else -1
    if against and position >= 0:
        span = against.span("label")
        return ToldAnswer(
            Reading("answer", (position,), "against", span, LESS), position, False, True
        )
    recap = _RECAP.search(text) if "answers" in low or "questions" in low else None
    body = text[: recap.start()] if recap else text
    lower = low[: len(body)]
    found = statements(body, lower, known.states, see) or headed(body, labels, see)
    found = found or closing(body, labels, see) or by_text(body, lower, see)
    found = found or statements(body, lower, known.less, see)
    if not found:
        return NOTHING
    final = [one for one in found if one.final]
    last = (final or found)[-1]
    among = {one.position for one in (final or found)}
    span = (last.start, last.end)
    alone = len({one.position for one in found}) == 1
    more = _says_more(text, last, see, alone)
    if more and alone:
        more = not _in_full(text, last, labels, see)
    plain = not more and all(_is_plain(low, one) for one in found)
    plain = plain and not begins_with_other(text, {one.position for one in found}, see)
    if last.position < 0:
        return ToldAnswer(Reading("illegal", (), "other_label", span, LESS), -1, False, plain)
    if _closest(low, last) and words.NO_OPTION.search(text, 0, last.end):
        return ToldAnswer(
            Reading("none", (), "closest_only", span, 0.9), last.position, False, True
        )
    doubt = LESS if len(text) > LONG else 0.85
    if _beside(text, last, labels, see):
        return ToldAnswer(
            Reading("ambiguous", (), "several", span, doubt), last.position, True, plain
        )
    if len(among) > 1 and not _corrected(text, found, last):
        return ToldAnswer(
            Reading("ambiguous", (), "several", span, doubt), last.position, True, plain
        )
    sure = STATED if alone and last.rule not in ("closing", "text_is") else LESS
    reading = Reading("answer", (last.position,), last.rule, span, sure)
    plural = "answers" in low[last.start : last.end]
    return ToldAnswer(reading, last.position, plural, plain and not plural)


def _beside(text: str, last: Statement, labels: tuple[str, ...], see: Shown) -> bool:
    """Whether a statement names a second option with the first ("A and B", "A. red and B."
    " blue")."""
    rest = text[last.end : last.end + 400]
    if not labels or not rest.strip(_CLOSES):
        return False
    known, own = patterns(labels), key_of_option(see.options[last.position])
    m = known.follows.match(text, last.end)
    if m and len(own) > 1 and key_of(rest)[: len(own)] == own:
        m = None
    if (m is None or _position(m["label"], see) < 0) and last.rule != "text_is":
        line = rest.split("\n", 1)[0]
        m = known.also.search(line) if len(line) > 4 else None
        if m is None or words.TURNS.search(small(line)):
            return False
        if len(key_of(line[: m.start()])) > len(own) + 2:
            return False
    return m is not None and _position(m["label"], see) not in (last.position, -1)


def _corrected(text: str, found: list[Statement], last: Statement) -> bool:
    """Whether something says that the last statement replaces those before it."""
    before = [one for one in found if one.position != last.position][-1]
    between = text[before.end : last.start]
    if len(between) > 25 and words.TURNS.search(small(between)):
        return True
    return all(_closest(small(text), one) for one in found)


def _closest(low: str, one: Statement) -> bool:
    """Whether a statement, or what stands before it in its clause, says "closest"."""
    start = max(0, one.start - 30, *(low.rfind(end, 0, one.start) for end in _CLAUSE_ENDS))
    return any(low.find(word, start, one.end) >= 0 for word in words.CLOSEST)


_CLAUSE_ENDS: Final = (". ", ".\n", ", so ", ", thus ", ", therefore ", ", hence ")
_SENTENCE_ENDS: Final = (". ", "! ", "? ", "\n")


def _is_plain(low: str, one: Statement) -> bool:
    """Whether nothing before a statement makes it uncertain."""
    start = max(0, one.start - 160)
    begin = max(start, *(low.rfind(end, start, one.start) + 1 for end in _SENTENCE_ENDS))
    return words.UNCERTAIN.search(low, begin, one.start) is None


def _in_full(text: str, last: Statement, labels: tuple[str, ...], see: Shown) -> bool:
    """Whether the option's own text ends the statement, and what follows takes nothing back."""
    rest = text[last.end :].lstrip(" .:)*")
    own = see.keys[last.position]
    return (
        bool(own)
        and key_of(words.SENTENCE.split(rest)[0]) == own
        and not words.TAKES_BACK.search(small(rest))
    )


def _says_more(text: str, last: Statement, see: Shown, alone: bool) -> bool:
    """Whether the statement goes on with another option's text, or more follows it.

    Where one answer alone is stated, more is a word that turns it, or a line headed by a label.
    """
    rest = text[last.end :]
    if not rest.strip(_CLOSES):
        return False
    if _begins_other(rest, last.position, see):
        return True
    firm = alone and last.position >= 0 and last.rule in _FIRM
    low = small(rest)
    if words.TAKES_BACK.search(low):
        return True
    if words.TURNS.search(low) and (not firm or _names_other(rest, last.position, see)):
        return True
    if len(rest) <= CHATTER or (firm and not _heads_on(rest, last, see)):
        return False
    return len(pieces(rest)) > CHATTER and not loops(rest)


_CLOSES: Final = " .*)\"'`]\n"
_FIRM: Final = frozenset(
    ["boxed", "final", "answer_is", "is_the_answer", "is_option", "most", "picks"]
)


def _begins_other(rest: str, position: int, see: Shown) -> bool:
    """Whether the line behind a label begins with the text of another option."""
    line = rest.split("\n", 1)[0]
    following = key_of(line)[:12] if line.strip(_CLOSES) else ()
    own = see.keys[position] if position >= 0 else ()
    others = (key for key in see.keys if key and key != own[: len(key)])  # none that begins it
    return bool(following) and any(following[: len(key)] == key for key in others)


def _names_other(rest: str, position: int, see: Shown, numbers: bool = True) -> bool:
    """Whether another label, or the whole text of another option, stands in the rest.

    Without `numbers`, a text that is one number is none: a calculation has many.
    """
    if any(see.labels.get(form[0], position) != position for form in forms_of(rest)):
        return True
    said, own = " ".join(key_of(rest)), f" {' '.join(see.keys[position])} "
    others = (key for key in map(" ".join, see.keys) if key and f" {key} " not in own)
    return any(key in said for key in others if numbers or not key.isdecimal())


def _heads_on(rest: str, last: Statement, see: Shown) -> bool:
    """Whether a line behind a statement is headed by another label."""
    heads = patterns(tuple(see.labels)).heads.finditer(rest)
    return any(_position(m["label"], see) not in (-1, last.position) for m in heads)
