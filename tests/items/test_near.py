"""Near duplicates are those that comparing all pairs finds."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

from horsesense.items.near import LIKE, TOKENS, near_duplicates


def texts() -> list[str]:
    rng = random.Random(3)
    words = [f"w{n}" for n in range(400)]
    found = ["", "one", "  ", "one two"]
    for _ in range(20):
        text = rng.choices(words, k=rng.randint(40, 60))
        changed = [*text[:25], "other", *text[26:]]
        found += [" ".join(text), "  ".join(changed).upper(), " ".join(text[:30])]
    return [*found, found[5], "one TWO"]


def alike(a: str, b: str) -> bool:
    first, second = (set(pairwise(TOKENS.findall(text.lower()))) for text in (a, b))
    return bool(first | second) and len(first & second) >= LIKE * len(first | second)


def test_pairs_are_those_of_comparing_all() -> None:
    given = texts()
    every = {(i, j) for i, j in combinations(range(len(given)), 2) if alike(given[i], given[j])}
    found = set(near_duplicates(given))
    assert found <= every
    # Of a group each is compared with its first: whatever has a near duplicate is found.
    assert {j for _, j in found} == {j for _, j in every}
    assert len(found) > 20
