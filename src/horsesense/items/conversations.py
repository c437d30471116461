"""Rows that hold a conversation and the ideal reply, as rows of a task with labels."""

from __future__ import annotations

from typing import Final

from horsesense.items.files import Row
from horsesense.items.layouts import OPTIONS, plain_name

ASKED_AND_IDEAL: Final = (("input", "ideal"), ("prompt", "expected"))
"""Fields of what was said and of the ideal reply, as OpenAI's evals and files made of them have
them; KindsOfReasoning has the first two."""


def conversation_fields(row: Row) -> tuple[str, str] | None:
    """The fields of what is said and of the ideal reply, where a row has both and no options."""
    if any(plain_name(name) in OPTIONS for name in row):
        return None
    return next((two for two in ASKED_AND_IDEAL if two[1] in row and _said(row, two[0])), None)


def of_conversation(row: Row) -> Row:
    """The last message of the user as `text`, the (first) ideal reply as `label`.

    Of a row with `conversation_fields`.
    """
    asked, wanted = conversation_fields(row) or ASKED_AND_IDEAL[0]
    ideal = row[wanted]
    known = {name: value for name, value in row.items() if name not in (asked, wanted)}
    if "problem_id" in known:
        known.setdefault("cluster", known.pop("problem_id"))
    label = ideal[0] if isinstance(ideal, list) and ideal else ideal
    return {**known, "text": _said(row, asked)[-1], "label": label}


def _said(row: Row, asked: str) -> list[str]:
    """What the user says in a row: messages or, in `prompt`, a text."""
    said = row.get(asked)
    if isinstance(said, str) and asked == "prompt":
        return [said]
    messages = said if isinstance(said, list) else []
    users = (m for m in messages if isinstance(m, dict) and m.get("role") == "user")
    return [m["content"] for m in users if isinstance(m.get("content"), str)]
