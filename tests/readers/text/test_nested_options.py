"""Options that begin with one another: each is found, and the longest that is there counts."""

from __future__ import annotations

import pytest
from horsesense.readers.text.names.options import Options
from horsesense.readers.text.words.normalise import Folded

NESTED = ["New York City Hall", "New York", "New Jersey", "York", "New York City", "New York"]


@pytest.mark.parametrize(
    ("said", "positions"),
    [
        ("new york", [1, 5]),
        ("New York is", [1, 5]),
        ("new york city", [4]),
        ("new york city hall", [0]),
        ("new jersey", [2]),
        ("york city", [3]),
        ("new", []),
        ("new delhi", []),
    ],
)
def test_the_longest_that_is_there_counts(said: str, positions: list[int]) -> None:
    options = Options(NESTED)
    for _ in range(2):
        assert [hit.position for hit in options.match_at(Folded(said), 0)] == positions
