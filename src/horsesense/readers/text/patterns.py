"""The patterns by which a reply names an answer outright, one table for each set of labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from horsesense.expressions import expression
from horsesense.readers.text.options import bare

# Repetitions have an end everywhere: hostile replies must not be tried in many ways.
S: Final = r"\s{0,9}"
SS: Final = r"\s{1,9}"
ENDS: Final = r"(?:\s{1,9}|\Z)"
_W: Final = r"\W{0,9}"
_WW: Final = r"\W{1,9}"
MARK: Final = r"[\s*_\"'`([⟦:.]{0,12}"
CLOSE: Final = r"[*_\"'`)\]]{0,6}"
_CORRECT: Final = r"(?:correct|best|right|final|most (?:appropriate|accurate|likely)|only|proper)"
_ON: Final = r"[^\w.!?]{1,9}"
KIND: Final = (
    rf"(?:(?:{_CORRECT}{_ON}){{1,2}}(?:options?|choices?|letters?|response|solution)"
    rf"|(?:{_CORRECT}{_ON}){{0,2}}(?:answers?(?! (?:options|choices))|option(?!s)|choice(?!s)))"
)
IS: Final = r"(?:is|would be|should be|must be|will be|are|was|=|:|->|→)"
_FILL: Final = (
    r"(?:therefore|thus|still|indeed|clearly|most likely|likely|probably|option|choice|answer|"
    r"letter|number|the|one|labell?ed|given by|simply|is|as follows|(?:closest|nearest|equal) to)"
)


class Alone(NamedTuple):
    """What tells a reply that is one of these labels, and one that begins with one."""

    whole: re.Pattern[str]
    lead: re.Pattern[str]


class Wording(NamedTuple):
    """A way to state an answer.

    Attributes:
        anchors: words, in small letters, of which each statement of this form has one.
        probe: matches from that word on in each statement, and in little else.
        reach: characters before the word where the statement may begin.
        leads: words of which there is one between, if the statement begins before the word.
        whole: finds the statement; its group `label` is the label.
    """

    anchors: tuple[str, ...]
    probe: re.Pattern[str]
    reach: int
    leads: tuple[str, ...]
    whole: re.Pattern[str]


class Patterns(NamedTuple):
    """What finds statements of these labels; `less` counts where nothing of `states` is there."""

    states: Mapping[str, Wording]
    less: Mapping[str, Wording]
    follows: re.Pattern[str]
    also: re.Pattern[str]
    heads: re.Pattern[str]
    against: re.Pattern[str]
    rather: re.Pattern[str]


_NOUN: Final = "(?:option|choice|answer)"
_NOUNS: Final = ("answer", "option", "choice", "letter", "response", "solution")
_ANY_NOUN: Final = (
    r"(?:answers?(?! (?:options|choices))|options?|choices?|letters?|response|solution)"
)
_LEADS: Final = ("correct", "best", "right", "final", "most", "only", "proper")
_REACH: Final = 80
"""Characters that may stand before the noun of a statement ("final, correct answer")."""
_SHAPE: Final = re.IGNORECASE | re.MULTILINE


def _label(labels: tuple[str, ...]) -> tuple[str, str]:
    """A pattern of any of these labels, and one of a label as it is named in a text."""
    names = sorted({name for label in labels if (name := bare(label))}, key=len, reverse=True)
    article = (
        r"\s{1,9}(?!(?:is|are|was|because|since|as|and|or|with|which|but|for|if|when|not|that|so|in|due|seems|appears"
        r"|given|from|by|at|on|of|to|however|therefore|the|according|while|only|und|oder|et|y)\b)"
        r"(?-i:[a-z])"
    )
    roman = r"(?<=I),\s{0,9}[IVX]"
    letters = labels in (_LETTERS, ())
    either = "[A-Z]" if labels is _LETTERS else "|".join(map(re.escape, names)) or "(?!)"
    other = r"|[A-Za-z](?=[)\]])" if letters else ""
    no_label = rf"{roman}|[\w'’]|-\w|[.,/]\d|{S}[+×^/=%°]|{article}"
    return either, rf"(?P<label>(?-i:{either}{other}))(?!{no_label})"


_LETTERS: Final = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@lru_cache(maxsize=512)
def _of_same_form(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Labels whose patterns serve these: all capital letters for any of them."""
    names = [name for label in labels if (name := bare(label))]
    return (
        _LETTERS
        if names and all(len(name) == 1 and "A" <= name <= "Z" for name in names)
        else labels
    )


def alone(labels: tuple[str, ...]) -> Alone:
    """The patterns of replies that are a label of these; the group `label` is the label."""
    return _alone(_of_same_form(labels))


def patterns(labels: tuple[str, ...]) -> Patterns:
    """The table of patterns for these labels; labels that are not shown may be found too."""
    return _patterns(_of_same_form(labels))


@lru_cache(maxsize=512)
def _alone(labels: tuple[str, ...]) -> Alone:
    label = _label(labels)[1]
    opens, closes = r"[\s*_`\"'(\[{<]{0,12}", r"[\s*_`\"')\]}>.:]{0,12}"
    called = rf"(?:(?:the )?(?:correct )?{_NOUN}(?: is|:)?{S})?"
    return Alone(
        expression(rf"{opens}{called}{opens}{label}{closes}", re.IGNORECASE),
        expression(rf"{opens}{label}[\s*_`\"')\].:,;=>-]{{1,12}}"),
    )


@lru_cache(maxsize=512)
def _patterns(labels: tuple[str, ...]) -> Patterns:
    either, label = _label(labels)
    kind = rf"(?P<final>final{_WW})?{KIND}"
    asked = rf"(?:{_WW}(?:to|for) (?:the|this) question)?"
    is_label = rf"{asked}{CLOSE}{S}(?:\w{{1,12}}ly{SS})?{IS}{MARK}(?:{_FILL}\b{MARK}){{0,3}}{label}"
    boxed = rf"⟦[\s(]{{0,9}}(?:(?:option|answer){SS})?{label}[\s).]{{0,9}}(?=$|[\n*.,;]|\s)"
    final = (
        rf"(?P<final>final answer){_W}(?:(?:the )?(?:{_CORRECT} ){{0,2}}"
        rf"(?:answer|option) )?(?:{IS}{_W})?(?:option )?{MARK}{label}"
    )
    the = rf"{SS}(?:therefore |thus |clearly )?the{SS}(?P<final>final{SS})?{_CORRECT}?{S}{_NOUN}\b"
    subject = (
        r"(?:^|[.;:\n]|,(?= option)|\b(?:so|therefore|thus|hence),?)[\s*_]{0,9}"
        rf"{_NOUN}?{MARK}{label}{CLOSE}{SS}(?:is|(?:seems|appears) to be|would be)"
    )
    i_do = rf"\bi(?:'d| would| will|'ll| must| have to)?{SS}"
    names = (
        rf"(?:(?<!which ){IS}|making|makes|leaves|leaving){SS}{MARK}(?:option|choice){SS}{label}"
        rf"{CLOSE}(?=[.:,;\n]|\Z| the (?:{_CORRECT}|strongest))"
    )
    most = rf"\bthe{SS}(?:most|least|best|strongest|correct|right)\b[^.:;!?\n]{{1,120}}?{SS}"
    named = rf"(?:is|would be|should be|must be){SS}{MARK}{label}{CLOSE}[.:]{ENDS}"
    ends = (
        rf" (?:is|be){SS}(?:(?:\w{{1,12}}ly|therefore|thus),?{SS})?(?:(?:option|choice){SS})?"
        rf"[*_]{{0,2}}\({label}\)[*_.]{{0,3}}\s{{0,9}}\Z"
    )
    pick = rf"(?:choose|pick|select|go with|answer){SS}{_NOUN}?{MARK}{label}"
    states = {
        "boxed": (("⟦",), boxed, 0, (), boxed),
        "final": (("final answer",), final, 0, (), final),
        "answer_is": (_NOUNS, _ANY_NOUN + is_label, _REACH, _LEADS, rf"\b{kind}{is_label}"),
        "is_the_answer": (
            (" is t", " be t", " is c", " be c"),
            r"\s(?:is|be)" + the,
            60,
            ("",),
            subject + the,
        ),
        "picks": (("choose", "pick", "select", "go with", "answer"), pick, 30, ("i",), i_do + pick),
    }
    less = {
        "is_option": (("option", "choice"), rf"(?:option|choice){SS}{label}", 16, ("",), names),
        "most": (
            (" is ", " be "),
            r"\s(?:is|be)" + rf"{SS}{MARK}{label}{CLOSE}[.:]{ENDS}",
            140,
            ("the ",),
            most + named,
        ),
        "ends": ((" is ", " be "), ends, 0, (), ends),
    }
    other = MARK + label.replace("?P<label>", "?:") + CLOSE
    wrong = r"(?:wrong|incorrect|false|not (?:right|correct|the answer|it))"
    it_is = r"(?:it'?s|it is|the answer is|i (?:choose|pick))"
    joins = (
        rf"(?:(?:,|and|or|&|/|und|oder|et|ou|y|o){_W}(?:(?:and|or|option){_WW}){{0,3}}"
        r"|[(\[](?=\w{1,4}[)\]]))"
    )
    outright, lesser = (
        {
            name: Wording(a, expression(probe, _SHAPE), reach, leads, expression(whole, _SHAPE))
            for name, (a, probe, reach, leads, whole) in table.items()
        }
        for table in (states, less)
    )
    return Patterns(
        outright,
        lesser,
        expression(rf"{CLOSE}{S}{joins}{label}{CLOSE}(?!{S}(?:is|was|are(?! both))\b)"),
        expression(rf"\b(?:and|or|und|oder)\b{_W}(?:option )?{label}(?=[*_]{{0,4}}[).:])"),
        expression(rf"^[ \t*_(#>-]{{0,9}}(?:option )?(?P<label>{either})"
                   rf"{CLOSE}(?:[.):]|\s*$)", _SHAPE),
        expression(rf"\W{{0,9}}(?:it'?s )?(?:not {other},?{SS}but(?:{SS}{it_is})?"
                   rf"|{other}\?{SS}no,?(?:{SS}{it_is})?|{other} is {wrong}[.,;](?:{SS}{it_is})?"
                   rf"|(?:it isn't|it is not|it's not|not) {other}[.,;]{SS}{it_is})"
                   rf"{SS}{MARK}{label}{CLOSE}(?:{SS}is(?:{SS}(?:right|correct|it|the answer))?)?"
                   r"\W{0,9}", re.IGNORECASE),
        expression(rf"\W{{0,9}}(?:(?:i (?:think|believe),?{SS})?(?:{it_is}|i'd (?:say|go with"
                   rf"|choose|pick)|answer:?){SS})?(?:{_NOUN}{SS})?{MARK}{label}{CLOSE},?{SS}"
                   rf"(?:(?:and{SS})?(?:\w{{1,12}}ly{SS})?not|rather than|instead of|over){SS}"
                   rf"(?:{_NOUN}{SS})?{other}(?:,?{SS}(?:n?or|and){SS}{other})?\W{{0,9}}",
                   re.IGNORECASE),
    )  # fmt: skip


_TEXT_BEHIND: Final = rf"{CLOSE}{S}(?:\w{{1,12}}ly{SS})?{IS}{MARK}(?P<text>[^\n]{{1,200}})"
SAYS_TEXT: Final = Wording(
    _NOUNS,
    expression(_ANY_NOUN + _TEXT_BEHIND, re.IGNORECASE),
    _REACH,
    _LEADS,
    expression(rf"(?<!'s )\b{KIND}{_TEXT_BEHIND}", re.IGNORECASE),
)
"""What states the text behind it as the answer."""


def found_by(form: Wording, text: str, low: str) -> Iterator[re.Match[str]]:
    """All statements of a form, in order; `low` is the text in small letters.

    The words that each has are found first, because a pattern that is tried everywhere takes long.
    """
    end = 0
    for at in _places(form.anchors, low):
        if at >= end and form.probe.match(text, at):
            begin = max(end, at - form.reach)
            leads = [lead for word in form.leads if (lead := low.find(word, begin, at)) >= 0]
            match = form.whole.search(text, min(leads)) if leads else form.whole.match(text, at)
            if match is not None:
                yield match
                end = match.end()
            elif leads:  # looked for up to the end of the text
                return


def _places(words: tuple[str, ...], low: str) -> list[int]:
    """Where one of some words is, in order."""
    places = []
    for word in words:
        at = low.find(word)
        while at >= 0:
            places.append(at)
            at = low.find(word, at + 1)
    return sorted(places)
