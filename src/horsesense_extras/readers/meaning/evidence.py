"""What the vectors of sentences say: evidence for options and statuses beside that of the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.weighing.evidence import Evidence
from horsesense.readers.text.weighing.weigh import STATUSES
from horsesense_extras.readers.meaning.vectors import Vectors

_CUT = re.compile(r"(?<=[.!?;])\s+|\n+")
_WORD = re.compile(r"\w")
_SPACE = re.compile(r"\s+")
_LOOKED_AT = 6000
_LAST = 6
_ENDING = 3
_SCALE = 5.0
"""Cosines of sentences differ by tenths: this brings them to the size of other evidence."""
_ALIKE = 0.3
"""The cosine from which on two short texts have something to do with each other."""

SAYINGS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "answer": (
            "The answer is this one.",
            "So I would choose this option.",
            "That is the correct choice.",
            "Therefore it must be the second one.",
        ),
        "none": (
            "None of the options is correct.",
            "The correct answer is not listed here.",
            "There is no right answer among these choices.",
            "This cannot be determined from the information given.",
            "The passage is missing, so nothing can be concluded.",
        ),
        "refusal": (
            "I can't help with that request.",
            "I won't answer this question.",
            "As an AI, I have no personal opinion on this.",
            "There are many views on this, and reasonable people disagree.",
            "What do you think yourself?",
            "It is up to you to decide.",
        ),
        "unknown": (
            "I don't know the answer.",
            "I have no idea which one it is.",
            "I am not sure, and I would only be guessing.",
            "This is outside of what I know.",
        ),
        "ambiguous": (
            "Both of these are correct.",
            "Either of the two could be the answer.",
            "I cannot decide between the two.",
            "It is one or the other.",
        ),
        "illegal": (
            "Here is some background on the topic.",
            "The answer is something that is not in the list.",
            "My result is not one of the options.",
            "Let me tell you something else.",
        ),
        "truncated": (
            "The answer is",
            "Let me think about this step by step. First, we",
            "Let us look at each option in turn:",
        ),
    }
)
"""What a reply of each status may say: the nearest of them counts."""


class Texts(NamedTuple):
    """What is compared: the options, the first and the last sentences, and the whole reply."""

    options: tuple[str, ...]
    sentences: tuple[str, ...]
    whole: str

    def each(self) -> Iterator[str]:
        """All of them, and the sayings."""
        return chain(self.options, self.sentences, (self.whole,), *SAYINGS.values())


def texts(scene: Scene) -> Texts:
    """The texts of a reply from which thoughts and markup have been left out."""
    pieces = [_SPACE.sub(" ", one).strip() for one in _CUT.split(scene.response.text[-_LOOKED_AT:])]
    said = [one for one in pieces if _WORD.search(one)] or ["."]
    options = tuple(text.strip() or "." for text in scene.options.texts)
    return Texts(options, (*said[:1], *said[1:][-_LAST:]), " ".join(said))


def with_meaning(found: Evidence, given: Texts, vectors: Mapping[str, Vectors]) -> Evidence:
    """The evidence of the rules with that of the vectors of `given.each()`, of length 1.

    For each option: the cosine of its text with the last sentence, the nearest sentence and the
    whole, less the mean of all options; for the nearest option also by how much it is nearest, and
    how near. For each status: how much nearer the reply comes to its sayings than to those of a
    choice. Where the reply names no option, all of it has names of its own.
    """
    features = [dict(one) for one in found.features]
    k = len(given.options)
    named = any(name.endswith("named") for one in features[:k] for name in one)
    form = "" if named else "unnamed "
    options, sentences = _rows(given.options, vectors), _rows(given.sentences, vectors)
    whole = vectors[given.whole]
    views = {
        "last": options @ sentences[-1],
        "whole": options @ whole,
        "max": (options @ sentences.T).max(1),
    }
    for view, near in views.items() if k > 1 else ():
        second, first = np.sort(near)[-2:]
        for position, value in enumerate(near - near.mean()):
            features[position][f"{form}meaning:{view}"] = float(value) * _SCALE
        best = features[int(near.argmax())]
        best[f"{form}meaning:{view}_margin"] = float(first - second) * _SCALE
        best[f"{form}meaning:{view}_top"] = float(first - _ALIKE) * _SCALE
    ends = {"last": sentences[-1:], "whole": whole[None], "max": sentences[-_ENDING:]}
    for view, said in ends.items():
        near_to = {
            status: float((_rows(sayings, vectors) @ said.T).max())
            for status, sayings in SAYINGS.items()
        }
        for at, status in enumerate(STATUSES, start=k):
            value = (near_to[status] - near_to["answer"]) * _SCALE
            features[at][f"{status}|{form}meaning:{view}"] = value
    return found._replace(features=features)


def _rows(some: tuple[str, ...], vectors: Mapping[str, Vectors]) -> Vectors:
    return np.stack([vectors[text] for text in some])
