"""Signatures: one value, one text form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from horsesense.errors import UsageError
from horsesense.measures.signature import Signature

TEXT = (
    "data:mmlu@3f2a|items:200|model:m@9c1b|probe:none_of_the_above(place=all, design=random(4))"
    "[design=random(4), place=kept]|prompt:chat/choice@ab12|decoding:max_tokens=16,temperature=0|"
    "reader:text@1234+7reviewed|measure:accuracy|interval:0.95x1000|seed:3|horsesense:0.1.0"
)
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.builds(Signature, *[ANY] * len(Signature._fields)))
def test_a_signature_is_read_back_as_it_was(signature: Signature) -> None:
    """Whatever a server calls its model, bars and percent signs included."""
    assert Signature.parse(signature.format()) == signature


def test_the_text_form() -> None:
    signature = Signature.parse(TEXT)
    assert signature.format() == str(signature) == TEXT
    assert signature.probe.endswith("(place=all, design=random(4))[design=random(4), place=kept]")


@each("text", ["", "data:x", TEXT + "|more:1", TEXT.replace("seed", "sown")])
def test_what_is_not_a_signature_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a signature"):
        Signature.parse(text)
