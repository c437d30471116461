"""Options in prompts, and right answers in logs: found by content, never by guessing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import orjson

from horsesense_extras.logs.sample import NotTakenError

_LABELLED = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?(?P<open>[(\[]?)\**(?P<label>[A-Z]|\d{1,2})\**"
    r"(?P<close>[)\].:])\**[ \t]+(?P<text>\S.*?)[ \t]*$",
    re.MULTILINE,
)
_HEADING = re.compile(r"^(?:Question|Q)(?: ?\d+)?[:.][ \t]*")
_FIRST = ("A", "1")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LABEL_ALONE = re.compile(r"[ \t]*(?:[-*][ \t]+)?[(\[]?\**([A-Z]|\d{1,2})\**[)\].:]\**[ \t]+")
_REST = re.compile(r"[ \t]*$", re.MULTILINE)
_LABEL_BEFORE = re.compile(r"(?<![^\W_])([A-Za-z]|\d{1,2})\**[)\].:]\**[ \t]*$")


class Shown(NamedTuple):
    """Options as they stand in a prompt, one a line.

    Attributes:
        question: the paragraph before the first of them.
        labels, options: as shown.
        context: what stands before the question, without examples that hold options too.
    """

    question: str
    labels: tuple[str, ...]
    options: tuple[str, ...]
    context: str = ""


def lettered(prompt: str) -> Shown | None:
    """The last block of labelled options of a prompt; None where there is none.

    Labels must run A, B, C (1 follows Z) or 1, 2, 3 without a gap. An option of several lines is
    not known as such: only its first line is given.

    >>> lettered("Which?\\nA) red\\nB) blue\\nAnswer:")
    Shown(question='Which?', labels=('A', 'B'), options=('red', 'blue'), context='')
    """
    found: list[re.Match[str]] = []
    blocks: list[list[re.Match[str]]] = []
    for match in _LABELLED.finditer(prompt):
        label = match["label"]
        if found and label == _after(found[-1]["label"]):
            found.append(match)
        elif label in _FIRST:
            found = [match]
            blocks.append(found)
    blocks = [block for block in blocks if len(block) > 1]
    if not blocks:
        return None
    last = blocks[-1]
    before = blocks[-2][-1].end() if len(blocks) > 1 else 0
    parts = map(str.strip, re.split(r"\n\s*\n", prompt[before : last[0].start()]))
    *context, question = [*filter(None, parts)] or [""]
    labels = tuple(match["label"] for match in last)
    texts = tuple(match["text"] for match in last)
    return Shown(_HEADING.sub("", question), labels, texts, "\n\n".join(context))


def _after(label: str) -> str:
    if label.isdigit():
        return str(int(label) + 1)
    return "1" if label == "Z" else chr(ord(label) + 1)


@lru_cache(64)
def labels_of(count: int) -> tuple[str, ...]:
    """The labels of so many options: A to Z, then 1, 2, 3, as Inspect has it."""
    numbers = (str(n) for n in range(1, count - len(_LETTERS) + 1))
    return (*_LETTERS[:count], *numbers)


def shown_order(prompt: str, options: Sequence[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """In which order a prompt shows options that are known, and their labels; empty if it does not.

    Each option must stand behind a label, whole, and each once; options of several lines as well.
    """
    wanted = [option.strip() for option in options]
    if len(set(wanted)) < len(wanted) or not all(wanted):
        return (), ()
    places: list[tuple[int, str, int]] = []
    for index, text in enumerate(wanted):
        found = _labelled(prompt, text)
        if found is None:
            return (), ()
        places.append((*found, index))
    places.sort()
    labels = tuple(label for _, label, _ in places)
    if not labels or not _runs(labels, _FIRST):
        return (), ()
    return tuple(index for _, _, index in places), labels


def _labelled(prompt: str, text: str) -> tuple[int, str] | None:
    """Where a text last stands behind a label on lines of its own, and the label."""
    start = prompt.rfind(text)
    while start >= 0:
        line, end = prompt.rfind("\n", 0, start) + 1, start + len(text)
        label = _LABEL_ALONE.fullmatch(prompt, line, start)
        if label and _REST.match(prompt, end):
            return line, label[1]
        start = prompt.rfind(text, 0, end - 1)
    return None


@lru_cache(256)
def _runs(labels: tuple[str, ...], first: tuple[str, ...]) -> bool:
    """Whether labels follow one another without a gap, from a first one."""
    return labels[0] in first and all(b == _after(a) for a, b in pairwise(labels))


def in_own_order(prompt: str, options: Sequence[str]) -> tuple[str, ...] | None:
    """The labels of options that a prompt holds in their own order, wherever they stand in it.

    Empty where none has a label ("red, blue or green"); None where the prompt does not hold them
    all in this order, or where the labels of some do not run a, b, c or 1, 2, 3. Where examples
    come before the question, the last options count.

    >>> in_own_order("Q? a) red b) blue", ["red", "blue"])
    ('a', 'b')
    """
    labels: list[str] = []
    end = len(prompt)
    for option in reversed(options):
        text = option.strip()
        start = prompt.rfind(text, 0, end)
        while start >= 0 and not _stands_alone(prompt, start, start + len(text)):
            start = prompt.rfind(text, 0, start + len(text) - 1)
        if start < 0 or not text:
            return None
        before = _LABEL_BEFORE.search(prompt, max(0, start - 8), start)
        labels.insert(0, before[1] if before else "")
        end = start
    if not any(labels):
        return ()
    return tuple(labels) if all(labels) and _runs(tuple(labels), (*_FIRST, "a")) else None


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no word goes on over either end of a part of a text."""
    inside = text[start:end]
    left = start and text[start - 1].isalnum() and inside[0].isalnum()
    right = end < len(text) and text[end].isalnum() and inside[-1].isalnum()
    return not left and not right


def answers_in(target: object, options: Sequence[str]) -> list[object]:
    """Right answers that a target names: of a list, or of a text that shows one ("['B', 'C']").

    A text that is itself an option is one answer.

    >>> answers_in("[1]", ["x", "y"]), answers_in(["B", "C"], []), answers_in("B", [])
    ([1], ['B', 'C'], ['B'])
    """
    if isinstance(target, str) and target.strip() not in map(str.strip, options):
        text = target.strip()
        if text[:1] == "[" and text[-1:] == "]":
            # As JSON writes a list, or else Python.
            for written in (text, text.replace("'", '"')):
                try:
                    target = orjson.loads(written)
                except orjson.JSONDecodeError:
                    continue
                break
    return [t for t in (target if isinstance(target, list) else [target]) if t is not None]


def index_of(answer: object, options: Sequence[str], labels: Sequence[str]) -> int | None:
    """Which option a right answer in a log names: by its label, else by its text; None if none.

    >>> index_of("B", ["red", "blue"], "AB"), index_of("red", ["red", "blue"], "AB")
    (1, 0)
    """
    text = str(answer).strip()
    bare = text.strip("().[]: ")
    if bare in labels:
        return list(labels).index(bare)
    same = [place for place, option in enumerate(options) if option.strip() == text]
    return same[0] if len(same) == 1 else None


def right_option(target: object, options: Sequence[str], labels: Sequence[str]) -> int | None:
    """Which option a target names, by label or text; NotTakenError where it names several."""
    found = {index_of(each, options, labels) for each in answers_in(target, options)}
    if len(found) > 1:
        raise NotTakenError.several_right()
    return found.pop() if found else None
