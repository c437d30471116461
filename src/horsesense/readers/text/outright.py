"""What a reply states outright: exact replies, and a table of patterns that name an answer."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from typing import Final, NamedTuple

from horsesense.readers.reading import Reading
from horsesense.readers.text.options import Shown, bare, key_of, names_of, said_by, style_of
from horsesense.readers.text.page import TOKEN

EXACT, STATED, LESS = 0.99, 0.985, 0.95
"""Confidence in a whole reply that is an answer, in a plain statement, in what corrects another."""

# Repetitions have an end everywhere: hostile replies must not be tried in many ways.
_S: Final = r"\s{0,9}"
_SS: Final = r"\s{1,9}"
_W: Final = r"\W{0,9}"
_WW: Final = r"\W{1,9}"
_MARK: Final = r"[\s*_\"'`([⟦:.]{0,12}"
_CLOSE: Final = r"[*_\"'`)\]]{0,6}"
_CORRECT: Final = r"(?:correct|best|right|final|most (?:appropriate|accurate|likely)|only|proper)"
_KIND: Final = (
    rf"(?:(?:{_CORRECT}{_WW}){{1,2}}(?:options?|choices?|letters?|response|solution)"
    rf"|(?:{_CORRECT}{_WW}){{0,2}}(?:answers?(?! (?:options|choices))|option(?!s)|choice(?!s)))"
)
_IS: Final = r"(?:is|would be|should be|must be|will be|are|was|=|:|->|→)"
_FILL: Final = (
    r"(?:therefore|thus|still|indeed|clearly|most likely|likely|probably|option|choice|answer"
    r"|letter"
    r"|number|the|one|labell?ed|given by|simply|is|as follows|(?:closest|nearest|equal) to)"
)


def denied(text: str, end: int) -> bool:
    """Whether what is named up to `end` is denied right behind ("B is not correct")."""
    return _DENIED.match(text, end) is not None


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


class Alone(NamedTuple):
    """What tells a reply that is one of these labels, and one that begins with one."""

    whole: re.Pattern[str]
    lead: re.Pattern[str]


class Patterns(NamedTuple):
    """What finds statements of these labels."""

    states: tuple[tuple[str, re.Pattern[str]], ...]
    follows: re.Pattern[str]
    also: re.Pattern[str]
    heads: re.Pattern[str]


_NOUN: Final = "(?:option|choice|answer)"


def _label(labels: tuple[str, ...]) -> tuple[str, str]:
    """A pattern of any of these labels, and one of a label as it is named in a text."""
    names = sorted({name for label in labels if (name := bare(label))}, key=len, reverse=True)
    either = "|".join(map(re.escape, names)) or "(?!)"
    article = (
        r"\s{1,9}(?!(?:is|are|was|because|since|as|and|or|with|which|but|for|if|when|not|that|so|in|due"
        r"|given|from|by|at|on|of|to|however|therefore|the|according|while|only|und|oder|et|y)\b)"
        r"(?-i:[a-z])"
    )
    roman = r"(?<=I),\s{0,9}[IVX]"
    letters = all(len(name) == 1 and "A" <= name <= "Z" for name in names)
    other = r"|[A-Za-z](?=[)\]])" if letters else ""
    no_label = rf"{roman}|[\w'’]|-\w|[.,/]\d|{_S}[+×^/=%°]|{article}"
    return either, rf"(?P<label>(?-i:{either}{other}))(?!{no_label})"


@lru_cache(maxsize=512)
def alone(labels: tuple[str, ...]) -> Alone:
    """The patterns of replies that are a label of these; the group `label` is the label."""
    label = _label(labels)[1]
    opens, closes = r"[\s*_`\"'(\[{<]{0,12}", r"[\s*_`\"')\]}>.:]{0,12}"
    called = rf"(?:(?:the )?(?:correct )?{_NOUN}(?: is|:)?{_S})?"
    return Alone(
        re.compile(rf"{opens}{called}{opens}{label}{closes}", re.IGNORECASE),
        re.compile(rf"{opens}{label}[\s*_`\"')\].:,;=>-]{{1,12}}"),
    )


@lru_cache(maxsize=512)
def patterns(labels: tuple[str, ...]) -> Patterns:
    """The table of patterns for these labels; the group `label` of each is the label."""
    either, label = _label(labels)
    kind = rf"(?P<final>final{_WW})?{_KIND}(?:{_WW}(?:to|for) (?:the|this) question)?"
    states = {
        "boxed": rf"⟦[\s(]{{0,9}}(?:(?:option|answer){_SS})?{label}[\s).]{{0,9}}"
        r"(?=$|[\n*.,;]|\s)",
        "final": rf"(?P<final>final answer){_W}(?:(?:the )?(?:{_CORRECT} ){{0,2}}"
        rf"(?:answer|option) )?(?:{_IS}{_W})?(?:option )?{_MARK}{label}",
        "answer_is": rf"\b{kind}{_CLOSE}{_S}(?:\w{{1,12}}ly{_SS})?{_IS}{_MARK}"
        rf"(?:{_FILL}\b{_MARK}){{0,3}}{label}",
        "is_the_answer": r"(?:^|[.;:\n]|,(?= option)|\b(?:so|therefore|thus|hence),?)[\s*_]{0,9}"
        rf"{_NOUN}?{_MARK}{label}{_CLOSE}{_SS}(?:is|(?:seems|appears) to be|would be){_SS}"
        rf"(?:therefore |thus |clearly )?the{_SS}"
        rf"(?P<final>final{_SS})?{_CORRECT}?{_S}{_NOUN}\b",
        "picks": rf"\bi(?:'d| would| will|'ll| must| have to)?{_SS}(?:choose|pick|select|go with"
        rf"|answer){_SS}{_NOUN}?{_MARK}{label}",
    }
    shape = re.IGNORECASE | re.MULTILINE
    joins = rf"(?:,|and|or|&|/|und|oder|et|ou|y|o){_W}(?:(?:and|or|option){_WW}){{0,3}}"
    return Patterns(
        tuple((rule, re.compile(pattern, shape)) for rule, pattern in states.items()),
        re.compile(rf"{_CLOSE}{_S}{joins}{label}{_CLOSE}(?!{_S}(?:is|was|are)\b)"),
        re.compile(rf"\b(?:and|or|und|oder)\b{_W}(?:option )?{label}(?=[*_]{{0,4}}[).:])"),
        re.compile(rf"^[ \t*_(#>-]{{0,9}}(?:option )?(?P<label>{either})"
                   rf"{_CLOSE}(?:[.):]|\s*$)", shape),
    )  # fmt: skip


_DENIED: Final = re.compile(
    r"\W{0,9}(?:(?:is|are|was|would be|cannot be|can't be)\W{1,9})?(?:incorrect|wrong|false|invalid"
    r"|ruled out|eliminated|not (?:correct|right|true|valid|it\b|the ))"
    r"|\W{0,9}(?:is|are|was|would|can|could|does)(?: not|not|n't)\b",
    re.IGNORECASE,
)
_UNCERTAIN: Final = re.compile(
    r"\b(?:if|whether|unless|suppose|said|says?|claim\w*|think|thought|believe[sd]?|tempt\w*"
    r"|might|may"
    r"|could|not|n't|never|why|because|initial\w*|first|seems?|expected|were|had|incorrect"
    r"|wrong|key"
    r"|some|many|people|often|usually|someone|previous\w*|example|assum\w*|would)\b|n't\b",
    re.IGNORECASE,
)
"""What in the sentence before a statement may make it none."""
_TURNS: Final = re.compile(
    r"\b(?:wait|incorrect|correction|mistake|mistaken|therefore|thus|so,?|hence|actually|however"
    r"|obviously|sorry|apologi[sz]e|revis\w+|reconsider\w*|correct(?:ed|ing)|instead|no,|oops|error"
    r"|hold on|redo|edit|hmm+|but)\b",
    re.IGNORECASE,
)
_TAKES_BACK: Final = re.compile(
    r"\b(?:wait|incorrect|correction|mistake|mistaken|actually|sorry|apologi[sz]e|revis\w+|oops"
    r"|reconsider\w*|correct(?:ed|ing)|instead|no,|error|hold on|redo|edit|hmm+|not correct)\b",
    re.IGNORECASE,
)
"""Of these words, those that take back even an answer given with its text."""
_CLOSEST: Final = re.compile(r"\b(?:closest|nearest|most likely|approximately)\b", re.IGNORECASE)
_NO_OPTION: Final = re.compile(
    r"\bnone of the (?:\w+ )?(?:options|choices|answers)|\bnot (?:one of|among|listed|an"
    r" option|in the"
    r" (?:\w+ )?(?:options|choices|list))|\bno (?:\w+ )?(?:option|choice)s? (?:is|are"
    r"|match\w*|equals?)\b"
    r"|(?:does not|doesn't|do not|don't) match any",
    re.IGNORECASE,
)
_EXPLAINS: Final = re.compile(
    r"^\W{0,6}(?:explanation|reason|reasoning|rationale|justification)\b", re.I | re.M
)
"""What begins a part that explains the answer before it."""
_SENTENCE: Final = re.compile(r"[.!?](?=\s)|\n")
_RECAP: Final = re.compile(
    r"\b(?:summari[sz]e|summari[sz]ing|combin(?:e|ing)|recap\w*)\b[^.\n]{0,20}\banswers\b"
    r"|\banswers? (?:to|for) (?:all|each|the) (?:of the )?(?:above )?questions\b",
    re.IGNORECASE,
)
_LONGEST_EXACT: Final = 400
_LONG: Final = 200
"""Characters of a reply up to which several statements are less surely several answers."""
_CHATTER: Final = 60
"""Tokens behind a statement from which on all is weighed."""
_LOOPS: Final = 0.22
"""The share to which the end of a text is packed that says the same over and over."""
_SHORTEST_LOOP: Final = 300


def exact(response: str, options: tuple[str, ...], labels: tuple[str, ...]) -> Reading | None:
    """A reply that is a label, an option's text, or a label with its own text.

    Most short replies are: nothing else is prepared for them.
    """
    said = response.strip().strip("*`\"' \n").removesuffix(".")
    span = (0, len(response))
    for text in (response.strip(), said):
        if text in options:
            return _exact_text(text, options, labels, span)
    meant = said_by(said, options)
    if meant is not None:
        return Reading("answer", (meant,), "says_so", span, LESS)
    if not labels or len(response) > _LONGEST_EXACT:
        return None
    known, names = alone(labels), names_of(labels)
    whole = known.whole.fullmatch(response)
    if whole is not None and whole["label"] in names:
        return Reading("answer", (names[whole["label"]],), "label_alone", span, EXACT)
    lead = known.lead.match(said)
    if lead is None or lead["label"] not in names:
        return None
    position = names[lead["label"]]
    own, text = options[position].strip("*`\"' \n."), said[lead.end() :].strip("*`\"' \n.")
    if own and own == text:
        return Reading("answer", (position,), "label_and_text", span, EXACT)
    return None


def _exact_text(
    text: str, options: tuple[str, ...], labels: tuple[str, ...], span: tuple[int, int]
) -> Reading:
    position, label = options.index(text), names_of(labels).get(text)
    if options.count(text) > 1:
        return Reading("ambiguous", (), "same_texts", span, EXACT)
    if label is None or label == position:
        return Reading("answer", (position,), "text_exact", span, EXACT)
    if style_of(labels) == "digit":
        return Reading("ambiguous", (), "label_or_text", span, EXACT)
    return Reading("answer", (label,), "label_alone", span, 0.85)


def statements(text: str, labels: tuple[str, ...], see: Shown) -> list[Statement]:
    """All statements of an answer, in order; those denied left out."""
    found: dict[int, Statement] = {}
    for rule, pattern in patterns(labels).states:
        for m in pattern.finditer(text):
            at = m.start("label")
            position = _position(m["label"], see)
            if _DENIED.match(text, m.end()) or (position < 0 and text[at - 1] not in "(["):
                continue
            if position >= 0 and _bare_small(m, see):
                continue
            final = bool(m.groupdict().get("final")) or (at in found and found[at].final)
            found[at] = Statement(position, m.start(), m.end(), final, rule)
    return [found[at] for at in sorted(found)]


def _position(label: str, see: Shown) -> int:
    """The option of a label, also of one written small; -1 of one that is not shown."""
    return see.labels.get(label, see.small.get(label.lower(), -1))


def headed(text: str, labels: tuple[str, ...], see: Shown) -> list[Statement]:
    """The one label that heads a line, first in the reply or behind a colon: "C. blue"."""
    explained = _EXPLAINS.search(text)
    end = explained.start() if explained else len(text)
    found = list(patterns(labels).heads.finditer(text, 0, end))
    if not found or len({m["label"] for m in found}) > 1:
        return []
    m, position = found[0], see.labels.get(found[0]["label"], -1)
    before = text[: m.start()].rstrip(" *_\n")
    if position < 0 or (before and not before.endswith(":")):
        return []
    line = text[m.end() :].split("\n")[0].strip(" *_.")
    own = see.keys[position]
    if line and key_of(line)[: len(own)] != own:
        return []
    return [Statement(position, m.start("label"), m.end(), False, "headed")]


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


_SAYS_TEXT: Final = re.compile(
    rf"(?<!'s )\b{_KIND}{_CLOSE}{_S}(?:\w{{1,12}}ly{_SS})?{_IS}{_MARK}(?P<text>[^\n]{{1,200}})",
    re.IGNORECASE,
)


def by_text(text: str, see: Shown) -> list[Statement]:
    """What is stated by the whole text of an option: "The answer is golf."."""
    found = []
    for m in _SAYS_TEXT.finditer(text):
        said = key_of(_SENTENCE.split(m["text"])[0])
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


def loops(text: str) -> bool:
    """Whether the end of a text says the same over and over."""
    end = text[-1_500:].encode("utf-8", "replace")
    return len(text) > _SHORTEST_LOOP and len(zlib.compress(end)) / len(end) < _LOOPS


def without_next(text: str, see: Shown) -> str:
    """A text up to a further question, told by options of its own."""
    if len(see.labels) < 2:
        return text
    (one, first), (two, second) = list(see.labels.items())[:2]
    lines = rf"^\W{{0,6}}{re.escape(one)}[.):] ?(.*)\n\W{{0,6}}{re.escape(two)}[.):] ?(.*)$"
    known = re.compile(lines, re.MULTILINE)
    for m in known.finditer(text):
        if key_of(m[1]) == see.keys[first] or key_of(m[2]) == see.keys[second]:
            continue
        cut = text.rfind("\n\n", 0, m.start())
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


_NOTHING: Final = ToldAnswer(None, -1, False, False)


def told(text: str, labels: tuple[str, ...], see: Shown) -> ToldAnswer:
    """One decision on all statements of a prepared text."""
    recap = _RECAP.search(text) if "answer" in text else None
    body = text[: recap.start()] if recap else text
    found = statements(body, labels, see) or headed(body, labels, see)
    found = found or closing(body, labels, see) or by_text(body, see)
    if not found:
        return _NOTHING
    final = [one for one in found if one.final]
    last = (final or found)[-1]
    among = {one.position for one in (final or found)}
    span = (last.start, last.end)
    more = _says_more(text, last, see)
    if more and {one.position for one in found} == {last.position}:
        more = not _in_full(text, last, labels, see)
    plain = not more and all(_is_plain(text, one) for one in found)
    if last.position < 0:
        return ToldAnswer(Reading("illegal", (), "other_label", span, LESS), -1, False, plain)
    if _CLOSEST.search(text, max(0, last.start - 30), last.end) and _NO_OPTION.search(
        text, 0, last.end
    ):
        return ToldAnswer(
            Reading("none", (), "closest_only", span, 0.9), last.position, False, True
        )
    doubt = LESS if len(text) > _LONG else 0.85
    if _beside(text, last, labels, see):
        return ToldAnswer(
            Reading("ambiguous", (), "several", span, doubt), last.position, True, plain
        )
    if len(among) > 1 and not _corrected(text, found, last):
        return ToldAnswer(
            Reading("ambiguous", (), "several", span, doubt), last.position, True, plain
        )
    alone = len({one.position for one in found}) == 1
    sure = STATED if alone and last.rule not in ("closing", "text_is") else LESS
    return ToldAnswer(
        Reading("answer", (last.position,), last.rule, span, sure), last.position, False, plain
    )


def _beside(text: str, last: Statement, labels: tuple[str, ...], see: Shown) -> bool:
    """Whether a statement names a second option with the first ("A and B", "A. red and B."
    " blue")."""
    known = patterns(labels)
    m = known.follows.match(text, last.end) if labels else None
    if m is None and labels and last.rule != "text_is":
        line = text[last.end : last.end + 400].split("\n")[0]
        own = see.keys[last.position]
        m = known.also.search(line)
        if m is None or len(key_of(line[: m.start()])) > len(own) + 2 or _TURNS.search(line):
            return False
    return m is not None and _position(m["label"], see) != last.position


def _corrected(text: str, found: list[Statement], last: Statement) -> bool:
    """Whether something says that the last statement replaces those before it."""
    before = [one for one in found if one.position != last.position][-1]
    between = text[before.end : last.start]
    if len(between) > 25 and _TURNS.search(between):
        return True
    return all(_CLOSEST.search(text, max(0, one.start - 30), one.end) for one in found)


def _is_plain(text: str, one: Statement) -> bool:
    begin = max((m.end() for m in _SENTENCE.finditer(text, max(0, one.start - 160), one.start)),
                default=max(0, one.start - 160))  # fmt: skip
    return _UNCERTAIN.search(text, begin, one.start) is None


def _in_full(text: str, last: Statement, labels: tuple[str, ...], see: Shown) -> bool:
    """Whether the option's own text ends the statement, and what follows takes nothing back."""
    rest = text[last.end :]
    own = see.keys[last.position]
    if not own or key_of(_SENTENCE.split(rest)[0]) != own or _TAKES_BACK.search(rest):
        return False
    return not labels or patterns(labels).heads.search(rest) is None


def _says_more(text: str, last: Statement, see: Shown) -> bool:
    """Whether the statement goes on with another option's text, or more follows it."""
    rest = text[last.end :]
    line = rest.split("\n")[0]
    following = key_of(line)[:12] if line.strip(" .*)\"'`]") else ()
    others = [key for i, key in enumerate(see.keys) if i != last.position and key]
    clash = any(following[: len(key)] == key for key in others)
    goes_on = len(TOKEN.findall(rest)) > _CHATTER and not loops(rest)
    return clash or goes_on or _TURNS.search(rest) is not None
