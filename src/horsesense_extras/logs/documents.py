"""Question, options and right answer in the documents of data sets, whatever their fields are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from horsesense_extras.logs.options import index_of
from horsesense_extras.logs.values import LETTERS, first_text, mapping, whole

QUESTIONS: Final = (
    "question", "query", "question_stem", "input", "ctx", "goal", "sentence", "problem", "prompt",
    "text",
)  # fmt: skip
ANSWERS: Final = ("answer", "answerKey", "answer_key", "label", "gold", "target", "cop",
                  "correct_answer", "answer_idx", "answer_index")  # fmt: skip
_COUNTED: Final = re.compile(r"(.*?)([A-Ja-j]|\d)$")


def question_in(doc: Mapping[str, Any]) -> str | None:
    """The question; None where no field of a known name holds one."""
    inner = mapping(doc.get("question"))
    return first_text(doc, QUESTIONS) or first_text(inner, ("stem", "text"))


def options_in(doc: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Everything in a document that could be its options, the likeliest first.

    Lists of texts ("choices"), lists of objects with a text, objects of labelled texts, and fields
    that are counted ("option1", "option2"; "A", "B").

    >>> list(options_in({"q": "?", "choices": {"text": ["x", "y"], "label": ["A", "B"]}}))
    [('x', 'y'), ('A', 'B')]
    >>> list(options_in({"q": "?", "choices": [4, 5.5], "letters": ["A", "B"]}))
    [('A', 'B'), ('4', '5.5')]
    """
    for kinds in (str, (int, float)):  # lists of numbers may be scores, too
        for value in doc.values():
            yield from _in_value(value, kinds)
            for inner in mapping(value).values():
                yield from _in_value(inner, kinds)
        if kinds is str:
            yield from _counted(doc)


def _in_value(value: object, kinds: type | tuple[type, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(value, list):
        texts = [mapping(part).get("text", part) for part in value]
        fit = all(isinstance(text, kinds) and not isinstance(text, bool) for text in texts)
        if len(texts) > 1 and fit:
            yield tuple(map(str, texts))
    elif isinstance(value, dict) and kinds is str:
        yield from _counted(value)


def _counted(fields: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Texts whose fields differ by a letter or digit that counts them."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for name, value in fields.items():
        match = _COUNTED.fullmatch(str(name))
        if match and isinstance(value, str):
            groups[match[1]][match[2].lower()] = value
    for found in groups.values():
        if len(found) > 1:
            yield tuple(found[count] for count in sorted(found))


def right_in(doc: Mapping[str, Any], options: tuple[str, ...]) -> int | None:
    """The right option that a document names, by letter, text or number from 0; None if none."""
    for name in ANSWERS:
        if name in doc and not isinstance(doc[name], bool):
            place = whole(doc[name])
            number = place if place is not None and place < len(options) else None
            found = index_of(doc[name], options, LETTERS[: len(options)])
            if found is None or isinstance(doc[name], int):
                found = number
            if found is not None:
                return found
    return None
