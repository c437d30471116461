"""What prompts say besides the item: typed, and read back typed."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from each import each
from horsesense.errors import StoreError
from horsesense.trials.extras import (
    NO_EXTRAS,
    Bundled,
    Extras,
    Marked,
    Proposed,
    Rejoined,
    Rewording,
    WithheldGold,
    extras_of,
)

EVERY = (
    NO_EXTRAS,
    WithheldGold("the dog"),
    WithheldGold("the dog", "none-of-them"),
    Rejoined("pin_blocked", "_", "-"),
    Proposed("red", "wrong"),
    Marked(2),
    Bundled(),
    Bundled("anchored", "label", "joy", True, "alternate"),
    Rewording(7),
)


@each("extras", EVERY)
def test_extras_are_read_back_as_they_were(extras: Extras) -> None:
    assert extras_of(extras.as_json()) == extras


@each(
    ("text", "extras"),
    [
        ('{"gold":"the dog"}', WithheldGold("the dog")),
        ('{"none_phrase":"none","gold":"the dog"}', WithheldGold("the dog", "none")),
        ('{"gold":"a_b","published_sign":"_","shown_sign":"-"}', Rejoined("a_b", "_", "-")),
        ('{"proposed":"red","quality":"wrong"}', Proposed("red", "wrong")),
        ('{"marked":"2"}', Marked(2)),
        ('{"lines":"anchored","shows":"text"}', Bundled("anchored")),
        (
            '{"asked":"joy","cot":"1","examples":"asked","shows":"text"}',
            Bundled(asked="joy", cot=True),
        ),
        ('{"cot":"0","shows":"label"}', Bundled(shows="label")),
        ('{"way":"7"}', Rewording(7)),
    ],
)
def test_what_version_0_1_wrote_is_read(text: str, extras: Extras) -> None:
    assert extras_of(text) == extras


def test_templates_see_every_field_that_is_set() -> None:
    assert WithheldGold("the dog").named() == {"gold": "the dog"}
    assert Marked(0).named() == {"marked": 0}


def test_a_kind_of_ones_own() -> None:
    @dataclass(frozen=True)
    class Mood(Extras):
        mood: str
        strength: int = 1

    assert extras_of(Mood("calm", 3).as_json()) == Mood("calm", 3)


@each("text", ['{"kind":"Unheard","x":1}', '{"kind":"Marked","x":1}', '{"odd":"x"}', "[1]", "{"])
def test_extras_that_cannot_be_read_are_an_error(text: str) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        extras_of(text)
