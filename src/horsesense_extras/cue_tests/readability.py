"""Nine measures of readability and lexical diversity, of whole corpora at once.

Everything that depends on a word alone (syllables, letters, tiles) is looked up once per word of
the vocabulary. Syllables come from the package `syllapy`, as in the paper.

Sources: Flesch (1948), Gunning (1952), McLaughlin (1969, SMOG), Caylor et al. (1973, FORCAST),
Yule (1944, K).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from horsesense_extras.cue_tests.tokens import LETTERS, Stream, word_stream

Floats = npt.NDArray[np.float64]

MEASURES: Final = (
    "Flesch reading ease",
    "Gunning fog",
    "SMOG",
    "FORCAST",
    "mean Scrabble value",
    "number of words",
    "mean sentence length",
    "type-token ratio",
    "Yule's K",
)

_SENTENCE_END: Final = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)|\n\s*\n")
_TILES: Final = {
    letter: value
    for value, letters in {
        1: "aeioulnstr", 2: "dg", 3: "bcmp", 4: "fhvwy", 5: "k", 8: "jx", 10: "qz",
    }.items()
    for letter in letters
}  # fmt: skip


def readability(texts: Sequence[str]) -> Floats:
    """The nine measures of each text, (texts, 9) in the order of `MEASURES`.

    Only alphabetic words count. A text without words has zeros throughout: no measure is defined
    there, and a linear model needs a number.

    >>> readability(["The cat sat on the mat."])[0, 5:7].tolist()
    [6.0, 6.0]
    """
    stream = word_stream(texts, LETTERS.findall)
    words = np.maximum(stream.lengths, 1).astype(float)
    sentences = np.array([_sentences(text) for text in texts], float)
    syllables, tiles = _per_word(stream.names)
    total = _sums(stream, syllables)
    long_words = _sums(stream, syllables >= 3)
    length = words / sentences
    columns = [
        206.835 - 1.015 * length - 84.6 * total / words,
        0.4 * (length + 100 * long_words / words),
        1.0430 * np.sqrt(long_words * 30 / sentences) + 3.1291,
        20 - _sums(stream, syllables == 1) / words * 150 / 10,
        _sums(stream, tiles) / words,
        words,
        length,
        *_diversity(stream),
    ]
    table = np.column_stack(columns)
    table[stream.lengths == 0] = 0.0
    return table


def _sentences(text: str) -> int:
    return max(sum(bool(LETTERS.search(piece)) for piece in _SENTENCE_END.split(text)), 1)


def _per_word(words: Sequence[str]) -> tuple[Floats, Floats]:
    """Syllables, and the mean value of the letters as Scrabble tiles, of each word."""
    import syllapy

    syllables = [max(syllapy.count(word), 1) for word in words]
    tiles = [sum(_TILES.get(c, 0) for c in word) for word in words]
    return np.array(syllables, float), np.array(tiles, float)


def _sums(stream: Stream, value: npt.NDArray[np.generic]) -> Floats:
    """Sum over the words of each text of a value per vocabulary word."""
    running = np.concatenate([[0.0], np.cumsum(value[stream.ids], dtype=float)])
    return np.asarray(running[stream.starts[1:]] - running[stream.starts[:-1]])


def _diversity(stream: Stream) -> tuple[Floats, Floats]:
    """Type-token ratio, and Yule's K = 10^4 (sum over types of count^2 - N) / N^2."""
    n = stream.lengths.astype(float)
    text = np.repeat(np.arange(len(n)), stream.lengths)
    key = text * max(len(stream.names), 1) + stream.ids
    types, counts = np.unique(key, return_counts=True)
    owner = types // max(len(stream.names), 1)
    squares = np.bincount(owner, weights=counts.astype(float) ** 2, minlength=len(n))
    distinct = np.bincount(owner, minlength=len(n))
    safe = np.maximum(n, 1)
    return distinct / safe, 1e4 * (squares - n) / safe**2
