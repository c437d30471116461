"""Texts that say nearly the same, found without comparing all pairs."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]

LIKE: Final = 0.8
"""Jaccard similarity of word pairs from which two texts count as nearly the same."""
BINS, BAND = 64, 4
MARGIN: Final = 0.3
"""Four standard errors of a similarity estimated on half of the bins, at 0.8."""
EMPTY: Final = np.uint64(2**64 - 1)
TOGETHER: Final = 2_000
"""Texts whose word pairs are hashed and sorted at a time."""
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
    words = _Words.of(texts)
    signature = np.full((len(texts), BINS), EMPTY)
    exact: list[bytes | None] = []
    for start in range(0, len(texts), TOGETHER):
        values, bounds = words.pairs_of(start, min(start + TOGETHER, len(texts)))
        owner = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        # Sorted values: the first of each bin is its smallest.
        place = (start + owner) * BINS + (values >> np.uint64(58)).astype(np.int64)
        first = np.diff(place, prepend=-1) > 0
        signature.reshape(-1)[place[first]] = values[first]
        raw = values.tobytes()
        exact += [
            blake2b(raw[8 * low : 8 * high], digest_size=16).digest() if low < high else None
            for low, high in pairwise(bounds.tolist())
        ]
    yield from _equal(exact)
    seen: set[tuple[int, int]] = set()
    for a, b in _candidates(signature):
        if (a, b) in seen or exact[a] == exact[b]:
            continue
        seen.add((a, b))
        if _estimate(signature[a], signature[b]) < like - MARGIN:
            continue
        if _jaccard(words.pairs(a), words.pairs(b)) >= like:
            yield a, b


def _estimate(a: Hashes, b: Hashes) -> float:
    """Jaccard similarity as the bins show it; 1 where too few of them are used to tell."""
    used = (a != EMPTY) | (b != EMPTY)
    n = int(used.sum())
    return 1.0 if n < BINS // 2 else float((a == b)[used].sum()) / n


@dataclass(frozen=True)
class _Words:
    """The words of all texts as numbers, end to end; text i is `ids[starts[i]:starts[i + 1]]`."""

    ids: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> _Words:
        vocabulary: defaultdict[str, int] = defaultdict()
        vocabulary.default_factory = vocabulary.__len__
        ids, starts = array("Q"), array("q", [0])
        for text in texts:
            plain = unicodedata.normalize("NFC", text).lower()
            ids.extend(map(vocabulary.__getitem__, TOKENS.findall(plain)))
            starts.append(len(ids))
        return cls(np.array(ids, np.uint64), np.array(starts, np.int64))

    def pairs(self, i: int) -> Hashes:
        """The set of hashed word pairs of one text, sorted."""
        return np.unique(_hashed(self.ids[self.starts[i] : self.starts[i + 1]]))

    def pairs_of(self, low: int, high: int) -> tuple[Hashes, npt.NDArray[np.int64]]:
        """The sets of several texts end to end, and where each begins and the last one ends."""
        starts = self.starts[low : high + 1]
        owner = np.repeat(np.arange(high - low), np.diff(starts))
        within = owner[:-1] == owner[1:]
        hashed, owner = _hashed(self.ids[starts[0] : starts[-1]])[within], owner[:-1][within]
        order = np.lexsort((hashed, owner))
        hashed, owner = hashed[order], owner[order]
        new = (np.diff(hashed, prepend=EMPTY) != 0) | (np.diff(owner, prepend=-1) != 0)
        sizes = np.bincount(owner[new], minlength=high - low)
        return hashed[new], np.concatenate(([0], np.cumsum(sizes)))


def _hashed(words: Hashes) -> Hashes:
    """The pairs of successive words."""
    # Odd multipliers from Steele and others (2014) mix the numbers; wrapping is intended.
    mixed = words[:-1] * np.uint64(0x9E3779B97F4A7C15) + words[1:] * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(31)
    return mixed * np.uint64(0x94D049BB133111EB)


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
