"""Slow patterns behind plain words find what the patterns alone find."""

from __future__ import annotations

import pytest

from horsesense.readers.corpus.load import examples
from horsesense.readers.text.cues import CUES
from horsesense.readers.text.no_choice import Wording

WORDINGS = {name: one for name, one in CUES.items() if isinstance(one, Wording)}
SAID = (
    "I don’t know.",
    "i dont know",
    "No correct answer is given.",
    "Ich weiß nicht.",
    "none",
    "I wont answer",
    "It should have been listed",
    "No clue.",
)


@pytest.mark.parametrize("name", WORDINGS)
def test_no_plain_word_is_forgotten(name: str) -> None:
    found = WORDINGS[name]
    replies = [*SAID, *(example.response for example in examples("development"))]
    for low in map(str.lower, replies):
        assert (found.search(low) is None) == (found.pattern.search(low) is None), low
        assert bool(list(found.finditer(low))) == bool(found.pattern.search(low))
