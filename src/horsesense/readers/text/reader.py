"""The built-in reader: exact forms at once, everything else by weighing what speaks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from horsesense.readers.reading import Reading
from horsesense.readers.text.at_once.bynames import by_name
from horsesense.readers.text.at_once.combinations import combined
from horsesense.readers.text.at_once.exact import exact
from horsesense.readers.text.at_once.exceptions import exception
from horsesense.readers.text.at_once.objects import in_json
from horsesense.readers.text.at_once.outright import PLAINLY, has_turn, outright
from horsesense.readers.text.at_once.results import result
from horsesense.readers.text.at_once.sequences import in_sequence, only_verdicts
from horsesense.readers.text.claims.impression import Impression, impression
from horsesense.readers.text.claims.leave_out import (
    leave_out_markup,
    leave_out_next_question,
    leave_out_recital,
    leave_out_role,
)
from horsesense.readers.text.claims.thoughts import leave_out_thinking
from horsesense.readers.text.names.labels import label_set
from horsesense.readers.text.names.options import Options
from horsesense.readers.text.names.question import repeats
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.weighing.evidence import Evidence, evidence
from horsesense.readers.text.weighing.weigh import decide
from horsesense.readers.text.words.normalise import Folded

LIKELY = 0.25
"""The confidence from which on a reading without a choice is more than a guess."""
_EMPTY = Reading("empty", rule="empty")
_CUT_IN_REPEATING = Reading("truncated", rule="repeats", confidence=PLAINLY)
_CUT_IN_THOUGHT = Reading("truncated", rule="thought_alone", confidence=PLAINLY)


class TextReader:
    """Reads the chosen option from the text of a response.

    >>> reader = TextReader()
    >>> reader.read("The answer is (B).", ["red", "blue"], ["A", "B"]).positions
    (1,)
    """

    name = "text"

    def read(
        self,
        response: str,
        options: Sequence[str],
        labels: Sequence[str],
        *,
        finish_reason: str | None = None,
        question: str | None = None,
    ) -> Reading:
        """What `response` chooses among `options`, named by `labels` (empty: by their text).

        `finish_reason` "length" says that a response was cut off; `question`, where it is known,
        tells a repetition of it and whether it asks for what is not so.
        """
        found = _seen(response, options, labels, finish_reason, question)
        return found if isinstance(found, Reading) else self.weigh(*found)

    def weigh(self, scene: Scene, found: Evidence) -> Reading:
        """The decision on all evidence, where nothing is said outright."""
        return decide(*found)


def prepare(scene: Scene, finish_reason: str | None) -> dict[str, bool]:
    """Leave out what answers nothing; what there was of it, and how the response ends."""
    thought = leave_out_thinking(scene)
    ran_on = leave_out_markup(scene)
    leave_out_role(scene)
    ran_on = leave_out_next_question(scene) or ran_on
    recited = leave_out_recital(scene)
    return {
        "thought_open": thought,
        "recited": recited,
        "ran_on": ran_on,
        "length": finish_reason == "length",
        # What ran on into another question had come to an end before.
        "cut": finish_reason == "length" and not ran_on,
    }


def evidence_of(
    response: str,
    options: Sequence[str],
    labels: Sequence[str],
    *,
    finish_reason: str | None = None,
    question: str | None = None,
) -> Reading | Evidence:
    """What `TextReader.read` weighs; a reading where nothing is left to weigh."""
    found = _seen(response, options, labels, finish_reason, question)
    return found if isinstance(found, Reading) else found[1]


def _seen(
    response: str,
    options: Sequence[str],
    labels: Sequence[str],
    finish_reason: str | None,
    question: str | None,
) -> Reading | tuple[Scene, Evidence]:
    """What is said outright, or what there is to weigh."""
    known = label_set(tuple(labels))
    found = exact(response, options, known)
    if found is not None:
        return found
    scene = Scene(Folded(response, known.table), known, Options(options), question or "")
    about = prepare(scene, finish_reason)
    if not scene.response.low.strip():
        cut = response.strip() and (about["thought_open"] or about["length"])
        return _CUT_IN_THOUGHT if cut else _EMPTY
    if about["ran_on"]:
        # What is left is a whole reply, however the rest of it ends.
        shown = scene.response
        end = shown.span(0, len(shown.low.rstrip()))[1]
        rest = shown.source[shown.span(len(shown.low) - len(shown.low.lstrip()), end)[0] : end]
        found = exact(rest, options, known)
        if found is not None and found.positions:
            return replace(found, span=None, confidence=PLAINLY)
    fields = in_json(scene)
    if fields is not None:
        return fields
    first = impression(scene)
    if about["length"] and _only_repeats(scene, first):
        return _CUT_IN_REPEATING
    # Before "F, T" is a label that was not offered.
    at_once = None if about["cut"] else only_verdicts(scene)
    at_once = at_once or outright(scene, first, cut=about["cut"])
    if at_once is None and not about["cut"]:
        at_once = in_sequence(scene, first, has_turn) or result(scene, first)
        at_once = at_once or exception(scene, first) or combined(scene, first, has_turn)
    at_once = at_once or by_name(scene, cut=about["cut"])
    return at_once or (scene, evidence(scene, first, about))


def _only_repeats(scene: Scene, first: Impression) -> bool:
    """Whether a reply that was cut off says again what was asked, and nothing else."""
    if first.said or "answer" in scene.response.low:
        return False
    found = first.reading
    if found is not None and found.status != "ambiguous":
        return False
    return repeats(scene.response.low, scene.question, scene.options.texts)
