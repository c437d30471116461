"""What a model thinks before its answer: between marks, or in channels other than the last."""

from __future__ import annotations

import re
from typing import NamedTuple

from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.normalise import DEFAULT, Folded

# Marks are compared in lower case, with spaces for "_". A name is one of a thought where one of
# its words begins so ("thought_process", "begin_of_thought", "antThinking").
_STEM = re.compile(
    r"(?:\A|[ :-]|ant)(?:think|thought|reason|reflect|scratch|analysis|monologue|deliberat"
    r"|brainstorm|cot\b|chain of thought|notes?\b|work(?:ing)?\b|plan(?:ning)?\b|draft"
    r"|internal|inner\b)"
)
_NUMBERED = {"unused94": True, "ctrl94": True, "unused95": False, "ctrl95": False}
"""Tokens that begin a thought, and those that end one."""
_BEGINS, _ENDS = ("begin", "start"), ("end", "stop")
_MARK = re.compile(
    r"<details[^<>\n]{0,40}>\s{0,9}<summary>(?P<summary>[^<\n]{0,40})</summary>|(?P<folds></details>)"
    r"|(?P<sign><\|?|&lt;\|?|\[|◁|‹|\{\{|::) ?(?P<slash>/ ?)?"
    r"(?P<name>[a-z][a-z0-9]*(?:[ :-][a-z0-9]+){0,3})(?: [^<>\n]{0,40})?"
    r"(?:\|?>|\|?&gt;|\]|▷|›|\}\}|::)"
    r"|(?:\A|\n)[ \t]{0,9}(?P<line>thinking\.\.\.)[ \t]{0,9}(?=\n)"
    r"|(?P<done>\.\.\.[ \t]{0,9}done thinking\b\.?)"
)
_SIGNS = ("<", "[", "◁", "&lt;", "‹", "{{", "::", "thinking...")
_CERTAIN = ("<", "<|", "&lt;", "&lt;|", "◁", "‹")
"""Signs after which a mark that is never closed begins a thought all the same: a word in brackets
("[Analysis]") may be a heading."""
_ANSWERS = frozenset(
    (
        *("answer", "final", "final answer", "final response", "message answer"),
        *("output", "response", "result", "solution"),
    )
)
"""Names of marks around an answer: one behind a thought that is not closed ends it."""
_ENDS_REPLY = re.compile(r"[^<]*(?:</?[^<>]*>\s*|<\|[^<>]*\|>\s*)*\Z")
_QUOTES = "`\"'"
_CHANNEL = re.compile(
    r"<\|?(?:channel|im start)\|?>\s{0,3}(?P<name>analysis|commentary|final|thought|think(?:ing)?"
    r"|reasoning|answer|response)"
    r"\b[^<\n]{0,40}(?:<\|?message\|?>)?|(?P<end><channel\|>)"
    r"|<\|(?P<bare>analysis|commentary|final)\|>(?:<\|?message\|?>)?"
    r"|(?:\A|\n)[ \t]{0,9}(?:\[|#{1,4} )?(?P<line>analysis|thinking|reasoning"
    r"|final(?: answer)?|answer)(?: channel)?\]?:?[ \t]{0,9}(?=\n)"
    r"|\A\s{0,9}(?P<glued>analysis)(?=[a-z])|(?P<answer>assistant ?final(?! answer))"
)
_FINAL = (
    *("final", "final answer", "answer", "response", "assistant final", "assistantfinal"),
    "<channel|>",
)
_CHANNELS = ("channel", "analysis", "final", "im start", "thinking\n", "reasoning\n")
_THOUGHTS = ("analysis", "commentary", "think", "thinking", "thought", "reasoning")


class _Mark(NamedTuple):
    """Where a thought begins or ends; `certain` if it begins one even where none ends it."""

    start: int
    end: int
    opens: bool
    certain: bool
    folds: bool


def leave_out_thinking(scene: Scene) -> bool:
    """Blank what is thought before the answer; whether a thought was never closed.

    A closing mark without an opening one ends a thought too (some chat templates open it); an
    opening mark without a closing one means that the response was cut off before its answer. A mark
    that is an option, or quoted, is none.
    """
    response = scene.response
    low = response.low
    cut = any(map(low.__contains__, _CHANNELS)) and _leave_out_channels(response)
    if not any(map(response.low.__contains__, _SIGNS)):
        return cut
    thoughts: list[tuple[int, int, str]] = []
    opened: list[_Mark] = []
    for mark in _marks(scene):
        if mark.opens:
            opened.append(mark)
        elif opened or not mark.folds:
            if mark.folds and not any(one.folds for one in opened):
                continue
            if not opened:
                thoughts.clear()
            thoughts.append((opened[0].start if opened else 0, mark.end, " "))
            opened.clear()
    if thoughts:
        last = thoughts[-1][1]
        begins = response.span(last - 1, last)[1]
        response.blank_each(thoughts)
        if not response.low[:last].strip():
            response.begins = begins
    unclosed = next((one for one in opened if one.certain), None)
    if unclosed is None:
        return cut
    answer = _answer_behind(scene, unclosed)
    if answer is not None:
        response.blank(unclosed.start, answer)
        return cut
    response.blank(unclosed.start, len(response.low))
    return True


def _answer_behind(scene: Scene, thought: _Mark) -> int | None:
    """Where the marked answer begins that ends a reply whose thought is never closed.

    None within `<think>`: what such a model writes there may be a draft, marks and all.
    """
    low = scene.response.low
    if "think" in low[thought.start : thought.end]:
        return None
    for m in _MARK.finditer(low, thought.end):
        if m["name"] in _ANSWERS and not m["slash"] and m["sign"] in _CERTAIN:
            return m.start() if _ENDS_REPLY.match(low, m.end()) else None
    return None


def _marks(scene: Scene) -> list[_Mark]:
    """The marks around thoughts, in order."""
    response = scene.response
    found: list[_Mark] = []
    shown: list[str] | None = None
    for m in _MARK.finditer(response.low):
        opens = _opens(m)
        if opens is None or _is_quoted(response, m):
            continue
        if shown is None:
            shown = [text.translate(DEFAULT).lower() for text in scene.options.texts]
        if any(m.group().strip() in text for text in shown):
            continue
        folds = m["summary"] is not None or m["folds"] is not None
        certain = m["sign"] in _CERTAIN or folds or m["line"] is not None
        found.append(_Mark(m.start(), m.end(), opens, certain, folds))
    return found


def _opens(m: re.Match[str]) -> bool | None:
    """Whether a mark begins a thought (or ends one); None where it is no mark of one."""
    if m["name"] is None:
        if m["summary"] is not None:
            return True if _STEM.search(m["summary"].strip()) else None
        return m["line"] is not None
    name = m["name"]
    if name in _NUMBERED:
        return _NUMBERED[name] and not m["slash"]
    if _STEM.search(name) is None:
        return None
    words = name.split()
    return not (m["slash"] or words[0] in _ENDS or words[-1] in _ENDS)


def _is_quoted(response: Folded, m: re.Match[str]) -> bool:
    """Whether a mark stands in quotation marks or as code: it is spoken of."""
    first, last = response.span(*m.span())
    before, after = response.source[max(0, first - 1) : first], response.source[last : last + 1]
    return before != "" and before == after and before in _QUOTES


def _leave_out_channels(response: Folded) -> bool:
    """Blank all channels but the final one; whether there are others and no final one."""
    marks = list(_CHANNEL.finditer(response.low))
    names = [next(name for name in m.groups() if name) for m in marks]
    thought = [name for name in names if name not in _FINAL]
    if not thought or names[0] not in _THOUGHTS:
        if names and names[0].startswith("assistant"):
            response.blank(0, marks[0].end())
        elif not thought:
            response.blank_each((*m.span(), " ") for m in marks if m["name"] or m["bare"])
        return False
    ends = [m.start() for m in marks[1:]] + [len(response.low)]
    final = any(name not in thought for name in names)
    marked = any(m["name"] or m["bare"] or m["glued"] for m in marks)
    if not final and not marked:
        return False
    response.blank_each(
        (m.start(), end if name in thought else m.end(), " ")
        for m, name, end in zip(marks, names, ends, strict=True)
    )
    return not final
