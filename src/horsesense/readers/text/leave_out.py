"""Parts of a response that answer nothing: thinking aloud, the prompt again, the next question."""

from __future__ import annotations

import re

from horsesense.readers.text.normalise import Folded
from horsesense.readers.text.targets import Scene

_THOUGHT_TAGS = r"(?:think|thinking|thought|reasoning|scratchpad)"
_THOUGHT = re.compile(rf"<{_THOUGHT_TAGS}>")
_THOUGHT_END = re.compile(rf"</{_THOUGHT_TAGS}>")
_NEXT_QUESTION = re.compile(r"\n[ \t]{0,9}(?:#{1,6} ?)?(?:next )?(?:question|q) ?\d{0,3} ?[:.]")


def leave_out_thinking(response: Folded) -> None:
    """Blank what is written between thinking tags, whose answers are not final.

    A closing tag without an opening one ends the thinking (some chat templates open it); an
    opening tag without a closing one means that the response was cut off before its answer.
    """
    if "<" not in response.low:
        return
    ends = [m.end() for m in _THOUGHT_END.finditer(response.low)]
    if ends and response.low[ends[-1] :].strip():
        response.blank(0, ends[-1])
    last = ends[-1] if ends else 0
    open_tag = _THOUGHT.search(response.low, last)
    if open_tag:
        response.blank(open_tag.start(), len(response.low))


def leave_out_next_question(scene: Scene) -> None:
    """Blank a further question that the model made up after it gave a label."""
    response = scene.response
    marker = _NEXT_QUESTION.search(response.low)
    if marker is None:
        return
    first = scene.target_at(0)
    if first is not None and first.by == "label" and first.end <= marker.start():
        response.blank(marker.start(), len(response.low))


def leave_out_recital(scene: Scene) -> None:
    """Blank the lines that repeat all options as they were shown, which choose nothing."""
    response = scene.response
    k = len(scene.options.texts)
    if response.low.count("\n") < k - 1 or not scene.labels.positions:
        return
    wanted, first = 0, 0
    for hit in scene.labels.mentions(response):
        if hit.position not in (0, wanted):
            continue
        target = scene.behind(hit)
        if not (target.agrees and target.end >= _line_end(response, hit.start) - 2):
            continue
        if hit.position == 0:
            wanted, first = 0, hit.start
        wanted += 1
        if wanted == k:
            response.blank(first, target.end)
            return


def _line_end(response: Folded, offset: int) -> int:
    end = response.low.find("\n", offset)
    return end if end >= 0 else len(response.low)
