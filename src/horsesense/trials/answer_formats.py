"""The words of an answer to many problems: what worked examples and simulations reply."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence


def label_lines(answers: Sequence[str], *, anchored: bool = False) -> str:
    """One answer a line, with its number if `anchored`.

    >>> label_lines(["Positive", "Negative"], anchored=True)
    '1. Positive\\n2. Negative'
    """
    if not anchored:
        return "\n".join(answers)
    return "\n".join(f"{number}. {answer}" for number, answer in enumerate(answers, 1))


def index_json(chosen: Mapping[str, Sequence[int]], count: int) -> str:
    """Numbers by label; "None" where there are none, "All" where it is all `count`.

    >>> index_json({"Positive": [1, 3], "Negative": []}, 3)
    '{"positive": [1, 3], "negative": "None"}'
    """
    found = {label_key(label): numbers(given, count) for label, given in chosen.items()}
    return json.dumps(found, ensure_ascii=False)


def numbers(given: Sequence[int], count: int) -> list[int] | str:
    """A list of numbers as it stands in an answer."""
    if not given:
        return "None"
    return "All" if len(given) == count else list(given)


def label_key(label: str) -> str:
    """The JSON key of a label."""
    return label.lower()
