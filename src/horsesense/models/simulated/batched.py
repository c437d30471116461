"""How simulated models answer many problems at once, and one whose failures are known."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby

from horsesense.models.simulated.decision import Decision
from horsesense.trials.answer_formats import index_json, label_key, label_lines
from horsesense.trials.trial import Trial, Variant, bundled

LINE_STYLES = 4
INDEX_STYLES = 4
UNCLEAR = "?"
"""The answer to a problem that was forgotten, so that the rest keep their places."""


def say_lines(trial: Trial, decisions: Sequence[Decision]) -> str:
    """One answer a line; those forgotten at the end are left out."""
    said = list(decisions)
    while said and said[-1].position is None:
        said.pop()
    answers = [_names(v, d) for v, d in zip(trial.variants, said, strict=False)]
    return _lines(trial, answers, decisions[0].style % LINE_STYLES)


def _lines(trial: Trial, answers: Sequence[str], style: int) -> str:
    if style == 1:
        return label_lines(answers, anchored=True)
    if style == 2:
        lines = "\n".join(f"**{n})** {answer}." for n, answer in enumerate(answers, 1))
        return f"Sure! Here are the answers:\n\n{lines}\n\nLet me know if you need anything else."
    if style == 3:
        return json.dumps({str(n): answer for n, answer in enumerate(answers, 1)})
    return label_lines(answers, anchored=bundled(trial).lines == "anchored")


def _names(variant: Variant, decision: Decision) -> str:
    if decision.position is None:
        return UNCLEAR
    names = variant.labels or variant.options
    return " or ".join(names[position] for position in (decision.position, *decision.also))


def say_indices(trial: Trial, decisions: Sequence[Decision]) -> str:
    """The numbers of the problems by label, of the one label that is asked for or of all."""
    labels = trial.variants[0].options
    asked = bundled(trial).asked
    chosen = {
        label: [
            number
            for number, decision in enumerate(decisions, 1)
            if decision.position is not None and position in (decision.position, *decision.also)
        ]
        for position, label in enumerate(labels)
        if asked in (None, label)
    }
    return _indices(chosen, len(decisions), decisions[0].style % INDEX_STYLES)


def _indices(chosen: Mapping[str, Sequence[int]], count: int, style: int) -> str:
    plain = index_json(chosen, count)
    if style == 1:
        return f"Let me look at each of them.\n```json\n{plain}\n```\nI hope this helps with all 9."
    if style == 2:
        parts = [f"'{label.upper()}': [{_ranges(given)},]" for label, given in chosen.items()]
        return "{" + ", ".join(parts) + "}"
    if style == 3:
        return "\n".join(
            f"{label_key(label)}: {', '.join(map(str, given)) or 'none'}"
            for label, given in chosen.items()
        )
    return plain


def _ranges(given: Sequence[int]) -> str:
    """Numbers with runs as "1-3"; "None" in quotes where there are none."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(given), key=lambda pair: pair[1] - pair[0])
    ]
    parts = [f'"{run[0]}-{run[-1]}"' if len(run) > 1 else str(run[0]) for run in runs]
    return ", ".join(parts) or '"None"'
