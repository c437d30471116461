"""Content hashes, and randomness that belongs to the item.

Every random choice is drawn from a generator seeded by (study seed, item, purpose, repetition).
Neither the model, nor the data set's order, nor the other probes of a study enter, so that adding
or dropping any of them changes nothing else, and two probes that need "order 2 of this item" show
the same one and share the request.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, TypeVar

import orjson

T = TypeVar("T")


def digest(value: Any, size: int = 16) -> bytes:
    """BLAKE2b hash of a JSON value in canonical form (sorted keys, UTF-8); `size` in bytes."""
    data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    return blake2b(data, digest_size=size).digest()


def fingerprint(value: Any) -> str:
    """Short hexadecimal name of a JSON value (48 bits), as signatures show it."""
    return digest(value, 6).hex()


def seed_of(study_seed: int, item_id: str, purpose: str, repetition: int = 0) -> int:
    """The 64-bit seed of one draw (specification, section 1.2)."""
    name = f"{study_seed}|{item_id}|{purpose}|{repetition}".encode()
    return int.from_bytes(blake2b(name).digest()[:8])


def unit(*parts: bytes) -> float:
    """A number in [0, 1) that is a pure function of `parts`: one cheap uniform draw."""
    value = int.from_bytes(blake2b(b"\x1f".join(parts), digest_size=8).digest())
    return (value >> 11) * 2.0**-53


class Dice:
    """Draws for one (study seed, item, purpose, repetition).

    Only `random.Random.random` is used, the one method whose sequence Python guarantees across
    versions; permutations and samples are derived from it.

    >>> Dice(0, "q1", "order").permutation(4) == Dice(0, "q1", "order").permutation(4)
    True
    """

    def __init__(self, study_seed: int, item_id: str, purpose: str, repetition: int = 0) -> None:
        self._random = random.Random(seed_of(study_seed, item_id, purpose, repetition))

    def uniform(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def below(self, n: int) -> int:
        """A whole number in 0..n-1."""
        return int(self._random.random() * n)

    def permutation(self, n: int) -> tuple[int, ...]:
        """A uniform permutation of 0..n-1."""
        keys = [self._random.random() for _ in range(n)]
        return tuple(sorted(range(n), key=keys.__getitem__))

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """`k` distinct members in random order.

        Raises:
            ValueError: there are fewer.
        """
        if k > len(population):
            raise ValueError(f"cannot draw {k} of {len(population)}")
        return [population[i] for i in self.permutation(len(population))[:k]]

    def choice(self, population: Sequence[T]) -> T:
        """One member of a non-empty sequence."""
        return population[self.below(len(population))]
