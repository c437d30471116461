"""Signatures: one value, one text form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from horsesense.errors import UsageError
from horsesense.measures.signature import Signature
from horsesense.trials.condition import PLAIN, Condition

TEXT = (
    "data:mmlu@3f2a|items:200|model:m@9c1b|probe:none_of_the_above(place=all, design=random(4))"
    "[design=random(4), place=kept]|prompt:chat/choice@ab12|decoding:max_tokens=16,temperature=0|"
    "reader:text@1234+7reviewed|measure:accuracy|interval:0.95x1000|seed:3|horsesense:0.1.0"
)
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def test_the_text_form() -> None:
    signature = Signature.parse(TEXT)
    assert signature.format() == str(signature) == TEXT
    assert signature.condition == Condition(design="random(4)", place="kept")
    assert signature.probe == "none_of_the_above(place=all, design=random(4))"
    assert (signature.items, signature.seed, signature.reviewed) == (200, 3, 7)
    assert signature.reader == "text@1234"
    plain = signature._replace(probe="original", condition=PLAIN, reviewed=0)
    assert "|probe:original|" in str(plain)
    assert "|reader:text@1234|" in str(plain)


@given(ANY, ANY, ANY, ANY, st.booleans())
def test_a_signature_is_read_back_as_it_was(
    data: str, model: str, prompt: str, reader: str, plain: bool
) -> None:
    """Whatever a server calls its model, bars and percent signs included."""
    condition = PLAIN if plain else Condition(size=5, mix="even")
    signature = Signature(
        data, 3, model, "batch(sizes=5)", condition, prompt, "", f"{reader}@1", 2, "m", "", 0, "1"
    )
    assert Signature.parse(signature.format()) == signature


@each("text", ["", "data:x", TEXT + "|more:1", TEXT.replace("200", "many")])
def test_what_is_not_a_signature_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a signature"):
        Signature.parse(text)
