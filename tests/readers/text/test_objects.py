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
    ],
)
def test_fields_decide(reply: str, expected: str) -> None:
    found = TextReader().read(reply, WRITERS, tuple("ABCD"))
    assert (" ".join(map(str, found.positions)) or found.status) == expected
