"""The decision: which of the things a response says is its answer."""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.readers.text import cues, special
from horsesense.readers.text.labels import LabelSet, label_set
from horsesense.readers.text.normalise import Folded
from horsesense.readers.text.options import Options
from horsesense.readers.text.statements import Scene, Statement, Target, statements
from horsesense.readings import Reading

_EMPTY = Reading("empty", rule="empty")


class TextReader:
    """Reads the chosen option from the text of a response.

    >>> reader = TextReader()
    >>> reader.read("The answer is (B).", ["red", "blue"], ["A", "B"]).slots
    (1,)
    """

    name = "text"
    version = "1"

    def read(
        self,
        response: str,
        options: Sequence[str],
        labels: Sequence[str],
        *,
        finish_reason: str | None = None,
        multiple: bool = False,
    ) -> Reading:
        """What `response` chooses among `options`, named by `labels` (empty: by their text).

        `finish_reason` "length" makes a response without an answer `truncated`; `multiple` lets
        several options count as an answer.
        """
        known = label_set(tuple(labels))
        slot = known.whole.get(response)
        if slot is not None and response not in options:
            return Reading("answer", (slot,), "label_alone", (0, len(response)))
        if not response.strip():
            return _EMPTY
        scene = Scene(Folded(response, known.table), known, Options(options))
        found = _decide(scene, multiple)
        if found is not None:
            return found
        cut = finish_reason == "length" or response.rstrip()[-1:] not in ".!?)\"'"
        return Reading("truncated" if cut else "illegal", rule="nothing_named", confidence=0.9)


def _decide(scene: Scene, multiple: bool) -> Reading | None:
    said = statements(scene)
    if said:
        return _reading(scene, said[-1].rule, said[-1].target, multiple)
    lead = scene.target_at(0)
    if lead is not None:
        return _reading(scene, "lead", lead, multiple)
    for meaning, pattern in (
        ("refusal", special.REFUSAL), ("none", special.NONE),
        ("undetermined", special.UNDETERMINED), ("unknown", special.UNKNOWN),
    ):
        m = pattern.search(scene.response.low)
        if m:
            slot = special.option_meaning(meaning, scene.options.texts)
            span = scene.response.span(*m.span())
            if slot is not None:
                return Reading("answer", (slot,), meaning, span, 0.95)
            status = "none" if meaning == "undetermined" else meaning
            return Reading(status, (), meaning, span, 0.95)
    hits = scene.options.find_all(scene.response)
    if len({h.slot for h in hits}) == 1:
        return Reading("answer", (hits[-1].slot,), "text_alone",
                       scene.response.span(hits[-1].start, hits[-1].end), 0.9)
    if hits:
        return Reading("ambiguous", rule="several_texts", confidence=0.5)
    return None


def _reading(scene: Scene, rule: str, target: Target, multiple: bool) -> Reading:
    span = scene.response.span(target.start, target.end)
    if target.agrees is False:
        return Reading("ambiguous", (), "label_with_other_text", span, 0.8)
    if len(target.slots) > 1 and not multiple:
        return Reading("ambiguous", (), "several", span, 0.8)
    return Reading("answer", target.slots, rule, span, 0.98)
