"""Replies of JSON: their fields decide, and fields that contradict each other choose nothing."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

WRITERS = ("Mary Shelley", "Percy Shelley", "Lord Byron", "John Polidori")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"answer": {"A": false, "B": true}}', "1"),
        ('Here it is: {"answer": {"A": false, "B": true}}', "1"),
        ('{"A": "wrong", "B": "correct", "C": "wrong", "D": "wrong"}', "1"),
        ('[{"A": 0.1}, {"B": 0.9}]', "1"),
        ('{"answers": [{"letter": "A", "correct": false}, {"letter": "B", "correct": true}]}', "1"),
        ('{"result": {"final_answer": {"letter": "B"}}, "alternatives": [{"letter": "A"}]}', "1"),
        ('{"answer": "A", "final_answer": "B"}', "1"),
        ('{"answer": "B", "second_choice": "A"}', "1"),
        ('{"question": "Who?", "A": "Mary Shelley", "B": "Percy Shelley", "answer": "B"}', "1"),
        ('{"answer_index": 1}', "1"),
        ('{"answer": null}', "none"),
        ('{"answer": "A"}\n{"answer": "B"}', "ambiguous"),
        ('{"answer": "B"}\n{"question": "Where?", "answer": "A"}', "1"),
        ('{"answer": "A", "text": "Percy Shelley"}', "ambiguous"),
        ('{"letter": "A", "answer": "Percy Shelley"}', "ambiguous"),
        ('{"answer": "A", "corrected": "B"}', "1"),
        ('{"revised_answer": "B", "first_answer": "A"}', "1"),
        ('{"choice": "A", "note": "checked", "correction": "B. Percy Shelley"}', "1"),
        ('{"original_answer": "A", "answer": "B"}', "1"),
        ('{"answer": "B", "revised": null}', "1"),
        ('{"answer": "B", "corrected": false}', "1"),
    ],
)
def test_fields_decide(reply: str, expected: str) -> None:
    found = TextReader().read(reply, WRITERS, tuple("ABCD"))
    assert (" ".join(map(str, found.positions)) or found.status) == expected


@pytest.mark.parametrize(
    ("name", "key", "expected"),
    [
        ("submit_answer", "option", "1"),
        ("pick_writer", "name", "1"),
        ("save_note", "verdict", "1"),
        ("save_note", "option", "illegal"),
        ("translate", "text", "illegal"),
        ("highlight", "letter", "illegal"),
    ],
)
def test_a_tool_that_gives_no_answer_waits_for_one(name: str, key: str, expected: str) -> None:
    value = "Percy Shelley" if key in ("text", "name") else "B"
    reply = f'<tool_call>\n{{"name": "{name}", "arguments": {{"{key}": "{value}"}}}}\n</tool_call>'
    asked = "Which writer drowned in 1822?"
    found = TextReader().read(reply, WRITERS, tuple("ABCD"), question=asked)
    assert (" ".join(map(str, found.positions)) or found.status) == expected
