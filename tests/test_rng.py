"""Randomness belongs to the item."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from horsesense.rng import Dice, digest, seed_of, unit


def test_the_seed_is_the_specified_hash() -> None:
    from hashlib import blake2b

    expected = int.from_bytes(blake2b(b"7|q1|order|2").digest()[:8])
    assert seed_of(7, "q1", "order", 2) == expected


def test_a_known_permutation_never_changes() -> None:
    """Stored runs depend on it: a change here would silently change every study."""
    assert Dice(0, "q1", "order").permutation(5) == (2, 0, 4, 1, 3)


@given(st.integers(0, 9), st.text(max_size=8), st.integers(2, 12))
def test_permutations_are_permutations(seed: int, item: str, n: int) -> None:
    assert sorted(Dice(seed, item, "order").permutation(n)) == list(range(n))


def test_permutations_are_uniform() -> None:
    counts = Counter(Dice(1, f"item {i}", "order").permutation(3) for i in range(6000))
    assert len(counts) == 6
    # Six cells of 1,000 each: the chi-square with 5 degrees of freedom exceeds 20.5 once in 1,000.
    assert sum((n - 1000) ** 2 / 1000 for n in counts.values()) < 20.5


def test_purpose_item_repetition_and_seed_all_matter() -> None:
    draws = {
        Dice(seed, item, purpose, repetition).uniform()
        for seed in (0, 1)
        for item in ("a", "b")
        for purpose in ("order", "typo")
        for repetition in (0, 1)
    }
    assert len(draws) == 16


def test_unit_is_uniform_and_pure() -> None:
    values = [unit(b"x", str(i).encode()) for i in range(4000)]
    assert unit(b"x", b"7") == values[7]
    assert abs(sum(values) / 4000 - 0.5) < 4 * (1 / 12 / 4000) ** 0.5


def test_digest_ignores_the_order_of_keys_only() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest([1, 2]) != digest([2, 1])
