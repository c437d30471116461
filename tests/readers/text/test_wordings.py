"""Slow patterns behind plain words find what the patterns alone find."""

from __future__ import annotations

import pytest
from horsesense.readers.text.at_once import outright
from horsesense.readers.text.claims import candidates, framing, several, standing
from horsesense.readers.text.claims.cues import CUES
from horsesense.readers.text.words.wording import Wording, one_boundary

from horsesense.readers.corpus.load import examples
from horsesense.readers.text.words import announcements

WORDINGS = {
    **{name: one for name, one in CUES.items() if isinstance(one, Wording)},
    "turn_outright": outright._TURN,
    "hesitation": outright._HESITATION,
    "withdraws": standing.WITHDRAWS,
    "taken_back": announcements.TAKEN_BACK,
    "too": several._TOO,
}
SAID = (
    "I don’t know.",
    "i dont know",
    "No correct answer is given.",
    "Ich weiß nicht.",
    "none",
    "I wont answer",
    "It should have been listed",
    "No clue.",
    *("User: B", "no 2: B", "question 3: B", "q: B", "q 7: C", "run 2: B", "hmmm", "x. (o)"),
    *("I was wrong.", "upon closer inspection", "never mind", "you should read B", "I mean C"),
)


@pytest.mark.parametrize("name", WORDINGS)
def test_no_plain_word_is_forgotten(name: str) -> None:
    found = WORDINGS[name]
    replies = [*SAID, *(example.response for example in examples("development"))]
    for low in map(str.lower, replies):
        assert (found.search(low) is None) == (found.pattern.search(low) is None), low
        assert bool(list(found.finditer(low))) == bool(found.pattern.search(low))


WORDS = {
    "so it is": (candidates._SO_WORDS, candidates._SO_IT_IS),
    "head": (framing._HEAD_WORDS, framing._HEAD),
    "says": (framing._SAYS_WORDS, framing._SAYS),
}


@pytest.mark.parametrize("name", WORDS)
def test_what_a_pattern_finds_has_one_of_its_words(name: str) -> None:
    words, pattern = WORDS[name]
    for low in [*SAID, *(example.response.lower() for example in examples("development"))]:
        for m in pattern.finditer(low):
            assert any(word in m.group() for word in words), m.group()


@pytest.mark.parametrize(
    ("pattern", "together"),
    [
        (r"\bno|\bnone (?:a|\bb)", r"\b(?:no|none (?:a|\bb))"),
        (r"\bno[|)]|x\||\bnay", r"\b(?:no[|)]|nay)|x\|"),
        (r"\bno|x", r"\bno|x"),
    ],
)
def test_alternatives_share_their_boundary(pattern: str, together: str) -> None:
    assert one_boundary(pattern) == together
