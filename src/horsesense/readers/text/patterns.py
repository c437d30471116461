"""The patterns by which a reply names an answer outright, one table for each set of labels."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from horsesense.readers.text.options import bare

# Repetitions have an end everywhere: hostile replies must not be tried in many ways.
S: Final = r"\s{0,9}"
SS: Final = r"\s{1,9}"
_W: Final = r"\W{0,9}"
_WW: Final = r"\W{1,9}"
MARK: Final = r"[\s*_\"'`([⟦:.]{0,12}"
CLOSE: Final = r"[*_\"'`)\]]{0,6}"
_CORRECT: Final = r"(?:correct|best|right|final|most (?:appropriate|accurate|likely)|only|proper)"
KIND: Final = (
    rf"(?:(?:{_CORRECT}{_WW}){{1,2}}(?:options?|choices?|letters?|response|solution)"
    rf"|(?:{_CORRECT}{_WW}){{0,2}}(?:answers?(?! (?:options|choices))|option(?!s)|choice(?!s)))"
)
IS: Final = r"(?:is|would be|should be|must be|will be|are|was|=|:|->|→)"
_FILL: Final = (
    r"(?:therefore|thus|still|indeed|clearly|most likely|likely|probably|option|choice|answer"
    r"|letter"
    r"|number|the|one|labell?ed|given by|simply|is|as follows|(?:closest|nearest|equal) to)"
)


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
    no_label = rf"{roman}|[\w'’]|-\w|[.,/]\d|{S}[+×^/=%°]|{article}"
    return either, rf"(?P<label>(?-i:{either}{other}))(?!{no_label})"


@lru_cache(maxsize=512)
def alone(labels: tuple[str, ...]) -> Alone:
    """The patterns of replies that are a label of these; the group `label` is the label."""
    label = _label(labels)[1]
    opens, closes = r"[\s*_`\"'(\[{<]{0,12}", r"[\s*_`\"')\]}>.:]{0,12}"
    called = rf"(?:(?:the )?(?:correct )?{_NOUN}(?: is|:)?{S})?"
    return Alone(
        re.compile(rf"{opens}{called}{opens}{label}{closes}", re.IGNORECASE),
        re.compile(rf"{opens}{label}[\s*_`\"')\].:,;=>-]{{1,12}}"),
    )


@lru_cache(maxsize=512)
def patterns(labels: tuple[str, ...]) -> Patterns:
    """The table of patterns for these labels; the group `label` of each is the label."""
    either, label = _label(labels)
    kind = rf"(?P<final>final{_WW})?{KIND}(?:{_WW}(?:to|for) (?:the|this) question)?"
    states = {
        "boxed": rf"⟦[\s(]{{0,9}}(?:(?:option|answer){SS})?{label}[\s).]{{0,9}}"
        r"(?=$|[\n*.,;]|\s)",
        "final": rf"(?P<final>final answer){_W}(?:(?:the )?(?:{_CORRECT} ){{0,2}}"
        rf"(?:answer|option) )?(?:{IS}{_W})?(?:option )?{MARK}{label}",
        "answer_is": rf"\b{kind}{CLOSE}{S}(?:\w{{1,12}}ly{SS})?{IS}{MARK}"
        rf"(?:{_FILL}\b{MARK}){{0,3}}{label}",
        "is_the_answer": r"(?:^|[.;:\n]|,(?= option)|\b(?:so|therefore|thus|hence),?)[\s*_]{0,9}"
        rf"{_NOUN}?{MARK}{label}{CLOSE}{SS}(?:is|(?:seems|appears) to be|would be){SS}"
        rf"(?:therefore |thus |clearly )?the{SS}"
        rf"(?P<final>final{SS})?{_CORRECT}?{S}{_NOUN}\b",
        "picks": rf"\bi(?:'d| would| will|'ll| must| have to)?{SS}(?:choose|pick|select|go with"
        rf"|answer){SS}{_NOUN}?{MARK}{label}",
    }
    shape = re.IGNORECASE | re.MULTILINE
    joins = rf"(?:,|and|or|&|/|und|oder|et|ou|y|o){_W}(?:(?:and|or|option){_WW}){{0,3}}"
    return Patterns(
        tuple((rule, re.compile(pattern, shape)) for rule, pattern in states.items()),
        re.compile(rf"{CLOSE}{S}{joins}{label}{CLOSE}(?!{S}(?:is|was|are)\b)"),
        re.compile(rf"\b(?:and|or|und|oder)\b{_W}(?:option )?{label}(?=[*_]{{0,4}}[).:])"),
        re.compile(rf"^[ \t*_(#>-]{{0,9}}(?:option )?(?P<label>{either})"
                   rf"{CLOSE}(?:[.):]|\s*$)", shape),
    )  # fmt: skip


DENIED: Final = re.compile(
    r"\W{0,9}(?:(?:is|are|was|would be|cannot be|can't be)\W{1,9})?(?:incorrect|wrong|false|invalid"
    r"|ruled out|eliminated|not (?:correct|right|true|valid|it\b|the ))"
    r"|\W{0,9}(?:is|are|was|would|can|could|does)(?: not|not|n't)\b",
    re.IGNORECASE,
)
UNCERTAIN: Final = re.compile(
    r"\b(?:if|whether|unless|suppose|said|says?|claim\w*|think|thought|believe[sd]?|tempt\w*"
    r"|might|may"
    r"|could|not|n't|never|why|because|initial\w*|first|seems?|expected|were|had|incorrect"
    r"|wrong|key"
    r"|some|many|people|often|usually|someone|previous\w*|example|assum\w*|would)\b|n't\b",
    re.IGNORECASE,
)
"""What in the sentence before a statement may make it none."""
TURNS: Final = re.compile(
    r"\b(?:wait|incorrect|correction|mistake|mistaken|therefore|thus|so,?|hence|actually|however"
    r"|obviously|sorry|apologi[sz]e|revis\w+|reconsider\w*|correct(?:ed|ing)|instead|no,|oops|error"
    r"|hold on|redo|edit|hmm+|but)\b",
    re.IGNORECASE,
)
TAKES_BACK: Final = re.compile(
    r"\b(?:wait|incorrect|correction|mistake|mistaken|actually|sorry|apologi[sz]e|revis\w+|oops"
    r"|reconsider\w*|correct(?:ed|ing)|instead|no,|error|hold on|redo|edit|hmm+|not correct)\b",
    re.IGNORECASE,
)
"""Of these words, those that take back even an answer given with its text."""
CLOSEST: Final = re.compile(r"\b(?:closest|nearest|most likely|approximately)\b", re.IGNORECASE)
NO_OPTION: Final = re.compile(
    r"\bnone of the (?:\w+ )?(?:options|choices|answers)|\bnot (?:one of|among|listed|an"
    r" option|in the"
    r" (?:\w+ )?(?:options|choices|list))|\bno (?:\w+ )?(?:option|choice)s? (?:is|are"
    r"|match\w*|equals?)\b"
    r"|(?:does not|doesn't|do not|don't) match any",
    re.IGNORECASE,
)
EXPLAINS: Final = re.compile(
    r"^\W{0,6}(?:explanation|reason|reasoning|rationale|justification)\b", re.I | re.M
)
"""What begins a part that explains the answer before it."""
SENTENCE: Final = re.compile(r"[.!?](?=\s)|\n")
RECAP: Final = re.compile(
    r"\b(?:summari[sz]e|summari[sz]ing|combin(?:e|ing)|recap\w*)\b[^.\n]{0,20}\banswers\b"
    r"|\banswers? (?:to|for) (?:all|each|the) (?:of the )?(?:above )?questions\b",
    re.IGNORECASE,
)
LONGEST_EXACT: Final = 400
LONG: Final = 200
"""Characters of a reply up to which several statements are less surely several answers."""
CHATTER: Final = 60
"""Tokens behind a statement from which on all is weighed."""
LOOPS: Final = 0.22
"""The share to which the end of a text is packed that says the same over and over."""
SHORTEST_LOOP: Final = 300
