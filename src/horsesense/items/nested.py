"""Rows that nest what they ask, as the authors of sets publish them, as flat rows."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any, Final

from horsesense.items.files import Row

SCORED: Final = ("target_scores", "mc1_targets")
"""Fields with options and whether each is right: of BIG-bench, and of TruthfulQA."""
LONGEST: Final = 100_000
"""Characters of a cell that is read as Python: it may take 500 times as many bytes of memory."""


def flat(row: Row, mapped: Collection[str] = ()) -> Row:
    """A row with question, options and right answer side by side; the row itself if it has them.

    Of several right options none is taken. `mapped` are fields that the user names: they stay.

    >>> flat({"question": {"stem": "Q?", "choices": [{"text": "no", "label": "A"}]}})
    {'question': 'Q?', 'options': [{'text': 'no', 'label': 'A'}]}
    >>> flat({"input": "Q?", "target_scores": {"no": 0, "yes": 1}})
    {'input': 'Q?', 'options': ['no', 'yes'], 'answer_index': 1}
    >>> flat({"question": "Q?", "mc1_targets": {"choices": ["no", "yes"], "labels": [1, 0]}})
    {'question': 'Q?', 'options': ['no', 'yes'], 'answer_index': 0}
    """
    asked = row.get("question")
    if isinstance(asked, dict) and "stem" in asked and "options" not in row:
        rest = {name: value for name, value in row.items() if name != "question"}
        return {"question": asked["stem"], "options": asked.get("choices"), **rest}
    name = next((n for n in SCORED if isinstance(row.get(n), dict) and n not in mapped), None)
    if name is None or "options" in row:
        return row
    found = row[name]
    listed = isinstance(found.get("choices"), list) and isinstance(found.get("labels"), list)
    texts, scores = (found["choices"], found["labels"]) if listed else (found, found.values())
    right = [n for n, score in enumerate(scores) if isinstance(score, int | float) and score > 0]
    rest = {field: value for field, value in row.items() if field != name}
    return {**rest, "options": list(texts), "answer_index": right[0] if len(right) == 1 else None}


def as_python_writes(text: str) -> Any:
    """The list or object in a cell as pandas writes it into CSV; the text itself where it is none.

    >>> as_python_writes("['red', 'blue']")
    ['red', 'blue']
    >>> type(as_python_writes("[" + "[]," * 50_000 + "]"))
    <class 'str'>
    >>> {type(as_python_writes(t)) for t in ("{{1}}", "[{[1]: 2}]", f"[0x{'F' * 4000}]")}
    {<class 'str'>}
    """
    try:
        found = text if len(text) > LONGEST else ast.literal_eval(text)
        return found if found is text or repr(found) else text  # repr refuses numbers too long
    except (TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
        return text
