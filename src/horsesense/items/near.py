"""Texts that say nearly the same, found without comparing all pairs."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]

LIKE: Final = 0.8
"""Jaccard similarity of word pairs from which two texts count as nearly the same."""
BINS, BAND = 64, 4
EMPTY: Final = np.uint64(2**64 - 1)
TOKENS: Final = re.compile(r"\w+|[^\w\s]")


def near_duplicates(texts: Sequence[str], like: float = LIKE) -> Iterator[tuple[int, int]]:
    """Pairs (earlier, later) of texts whose sets of word pairs have Jaccard similarity `like`.

    Candidates share a band of a one-permutation MinHash (Li, Owen and Zhang 2012); each is
    compared with the first of its bucket, exactly. Sets are made again where they are needed:
    keeping all of them would take more memory than the texts.

    >>> list(near_duplicates(["one two three", "four five six", "One  two three"]))
    [(0, 2)]
    """
    # The smallest hash of a set is the same for two sets with the chance of their Jaccard
    # similarity: texts that agree in a whole band are worth an exact comparison.
    words = _numbered(texts)
    signature = np.full((len(texts), BINS), EMPTY)
    exact: list[bytes | None] = []
    for text, smallest in enumerate(signature):
        values = _pairs(words[text])
        # Sorted values: the first of each bin is its smallest.
        bins, first = np.unique(values >> np.uint64(58), return_index=True)
        smallest[bins] = values[first]
        exact.append(blake2b(values.tobytes(), digest_size=16).digest() if len(values) else None)
    yield from _equal(exact)
    seen: set[tuple[int, int]] = set()
    for a, b in _candidates(signature):
        if (a, b) in seen or exact[a] == exact[b]:
            continue
        seen.add((a, b))
        if _jaccard(_pairs(words[a]), _pairs(words[b])) >= like:
            yield a, b


def _numbered(texts: Sequence[str]) -> list[Hashes]:
    """The words of each text as numbers, one for each different word of all texts."""
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    plain = (unicodedata.normalize("NFC", text).lower() for text in texts)
    words = (map(vocabulary.__getitem__, TOKENS.findall(text)) for text in plain)
    return [np.fromiter(text, np.uint64) for text in words]


def _pairs(words: Hashes) -> Hashes:
    """The set of hashed pairs of successive words, sorted."""
    # Odd multipliers from Steele and others (2014) mix the numbers; wrapping is intended.
    mixed = words[:-1] * np.uint64(0x9E3779B97F4A7C15) + words[1:] * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(31)
    return np.unique(mixed * np.uint64(0x94D049BB133111EB))


def _equal(keys: Sequence[bytes | None]) -> Iterator[tuple[int, int]]:
    first: dict[bytes, int] = {}
    for i, key in enumerate(keys):
        if key is not None and first.setdefault(key, i) != i:
            yield first[key], i


def _candidates(signature: Hashes) -> Iterator[tuple[int, int]]:
    """Pairs (first of a bucket, other) of texts whose smallest hashes agree throughout a band."""
    for start in range(0, BINS, BAND):
        band = signature[:, start : start + BAND]
        raw, width = band.tobytes(), band.itemsize * BAND
        first: dict[bytes, int] = {}
        for i in np.flatnonzero((band != EMPTY).any(axis=1)).tolist():
            leader = first.setdefault(raw[i * width : (i + 1) * width], i)
            if leader != i:
                yield leader, i


def _jaccard(a: Hashes, b: Hashes) -> float:
    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / max(len(a) + len(b) - common, 1)
