"""What a question, where it is known, says about how to read a reply to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from horsesense.readers.text.names.likeness import option_stems, stems
from horsesense.readers.text.words.normalise import DEFAULT

_NOT = re.compile(
    r"\bexcept(?:ion)?\b|(?-i:\bNOT\b)|\b(?:which|what|who|whom|where|when)\b[^.?\n]{0,80}?"
    r"(?:\b(?:not|never|least|cannot)\b|n't\b|\b(?:is|are|was|were) (?:\w+ )?"
    r"(?:incorrect|false|wrong|untrue)\b)"
    r"|\b(?:identify|find|name|choose|select|mark|pick)\b[^.?\n]{0,40}"
    r"\b(?:incorrect|false|wrong|untrue)\b"
    r"|\bodd one out\b|\bdoes(?: not|n't) belong\b|\bleast (?:likely|true)\b"
    r"|\bwelche[rsnm]?\b[^.?\n]{0,80}\b(?:nicht|kein\w*|falsch)\b|\bausnahme\b"
    r"|\b(?:cuál|qué|quién)\b[^.?\n]{0,60}\b(?:no|falsa|falso|incorrecta)\b|\bexcepto\b|\bsauf\b"
    r"|\bquel\w*\b[^.?\n]{0,60}\b(?:pas|faux|fausse)\b",
    re.IGNORECASE,
)
_MOST = 4000
_LAST = 5
_KNOWN = 0.9
_COVERED = 0.7
_WORD = re.compile(r"\w+")


@lru_cache(maxsize=4096)
def asks_not(question: str) -> bool:
    """Whether it asks for what is not so ("Which is NOT ...", "all of these except")."""
    return _NOT.search(question[-_MOST:].replace("’", "'")) is not None


@lru_cache(maxsize=4096)
def _words(question: str) -> frozenset[str]:
    return frozenset(_WORD.findall(question[:_MOST].translate(DEFAULT).lower()))


@lru_cache(maxsize=4096)
def _last_words(question: str) -> str:
    """The last words of the question's last line, in lower case."""
    line = question.strip()[-_MOST:].rpartition("\n")[2]
    return " ".join(_WORD.findall(line.translate(DEFAULT).lower())[-_LAST:])


@lru_cache(maxsize=4096)
def _stems(question: str) -> frozenset[str]:
    return frozenset(stems(question[:_MOST].translate(DEFAULT).lower()))


def repeats(low: str, question: str, options: Sequence[str]) -> bool:
    """Whether a reply in lower case says again what was asked, and nothing of its own."""
    asked = _words(question)
    said = _WORD.findall(low[:_MOST])
    if not asked or len(said) < 4 or f" {_last_words(question)} " not in f" {' '.join(said)} ":
        return False
    offered = {word for text in options for word in _words(text)}
    own = sum(len(word) > 1 and word not in asked and word not in offered for word in said)
    return own <= (1 - _KNOWN) * len(said) and len(asked & set(said)) >= _COVERED * len(asked)


def on_topic(words: Sequence[str], question: str, options: Sequence[str]) -> float:
    """The share of the stems of question and options that a reply's stems hold."""
    asked = _stems(question).union(*(option_stems(text) for text in options))
    return len(asked & set(words)) / len(asked) if asked else 0.0
