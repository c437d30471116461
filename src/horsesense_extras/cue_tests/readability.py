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

from horsesense_extras.cue_tests.tokens import LETTERS, counted, plain

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
    table, names = counted(texts, lambda text: LETTERS.findall(plain(text)))
    syllables, tiles = _per_word(names)
    n = np.asarray(table.sum(axis=1), float)
    words, sentences = np.maximum(n, 1), np.array([_sentences(text) for text in texts], float)
    long_words, length = table @ (syllables >= 3), words / sentences
    measures = np.column_stack(
        [
            206.835 - 1.015 * length - 84.6 * (table @ syllables) / words,
            0.4 * (length + 100 * long_words / words),
            1.0430 * np.sqrt(long_words * 30 / sentences) + 3.1291,
            20 - (table @ (syllables == 1)) / words * 150 / 10,
            (table @ tiles) / words,
            words,
            length,
            np.diff(table.indptr) / words,
            1e4 * (table.power(2).sum(axis=1) - n) / words**2,
        ]
    )
    measures[n == 0] = 0.0
    return measures


def _sentences(text: str) -> int:
    return max(sum(bool(LETTERS.search(piece)) for piece in _SENTENCE_END.split(text)), 1)


def _per_word(words: Sequence[str]) -> tuple[Floats, Floats]:
    """Syllables, and the mean value of the letters as Scrabble tiles, of each word."""
    import syllapy

    syllables = [max(syllapy.count(word), 1) for word in words]
    tiles = [sum(_TILES.get(c, 0) for c in word) for word in words]
    return np.array(syllables, float), np.array(tiles, float)
