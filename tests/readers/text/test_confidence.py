"""What a confidence rests on, and what it is worth on writers who knew no pattern."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from horsesense.readers.text.weighing.weigh import (
    CHOICES,
    STATUSES,
    WAYS,
    grounds,
    shipped,
    trust,
    way,
)

from horsesense.readers.corpus.load import Part, examples
from horsesense.readers.text import TextReader

NONE = [{} for _ in STATUSES]
NAMED = {"named:only": 1.0, "first:text_alone": 1.0}


def confidence(first: dict[str, float], *others: dict[str, float]) -> float:
    chances = [0.9, *(0.1 / (len(others) + len(STATUSES)) for _ in (*others, *STATUSES))]
    return trust(grounds([first, *others, *NONE], 0, chances), shipped().trust)


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({"stated:last": 1.0}, "option"),
        (NAMED, "named alone"),
        ({"doubt named:only": 1.0, "first:mentioned": 1.0}, "named alone"),
        ({**NAMED, "line:only": 1.0}, "option"),
        ({"named:only": 1.0, "first:stated": 1.0}, "option"),
        ({**NAMED, "says_so": 1.0}, "says so"),
    ],
)
def test_a_decision_comes_about_in_a_way(features: dict[str, float], expected: str) -> None:
    assert way([features, {}, *NONE], 0) == expected
    assert (expected in CHOICES) == (expected != "says so")


def test_a_status_has_ways_of_its_own() -> None:
    cut = [{}, {}, *({"truncated|length": 1.0} if s == "truncated" else {} for s in STATUSES)]
    assert way(cut, 2 + STATUSES.index("truncated")) == "cut off"
    assert way(cut, 2) == "status"


def test_each_way_is_known() -> None:
    assert set(WAYS) <= shipped().trust.keys()


def test_what_makes_a_choice_more_or_less_sure() -> None:
    plain = confidence(NAMED, {})
    ends = {**NAMED, "named:last_sentence": 1.0}
    assert confidence(ends, {}) > plain
    assert confidence({**ends, "withheld": 1.0}, {}) < confidence(ends, {})
    assert confidence({**ends, "part:ending": 1.0}, {}) > confidence(ends, {})
    assert confidence(NAMED, {"says_so": 1.0}) > plain


@pytest.mark.parametrize(
    ("parts", "rows", "right_of_sure", "covered", "wrong_choices"),
    [(("further", "later"), 1214, 0.93, 0.25, 0.03), (("everyday",), 1121, 0.99, 0.6, 0.005)],
)
def test_sure_readings_of_blind_writers_are_right_and_choices_are_seldom_wrong(
    parts: tuple[Part, ...], rows: int, right_of_sure: float, covered: float, wrong_choices: float
) -> None:
    """The weights of confidence know these replies: this keeps what was measured from slipping."""
    reader, sure, wrong, n = TextReader(), [], 0, 0
    for e in (e for part in parts for e in examples(part)):
        found = reader.read(
            e.response, e.options, e.labels, finish_reason=e.finish_reason, question=e.question
        )
        right = e.agrees(found)
        n += 1
        wrong += found.status == "answer" and not right
        if found.status != "unclear" and found.confidence >= 0.9:
            sure.append(right)
    assert n == rows
    assert sum(sure) >= right_of_sure * len(sure)
    assert len(sure) >= covered * n
    assert wrong <= wrong_choices * n


def test_caution_and_thresholds_are_the_least_that_blind_writers_ask_for() -> None:
    pytest.importorskip("sklearn")
    sys.path.insert(0, str(Path(__file__).parents[3] / "scripts"))
    import learn_reader as learn

    def row(at: int, part: str, truth: int) -> learn.Row:
        return learn.Row(str(at), "kind", "w", part, 1.0, 2, truth, [{}] * 8, -2, 0.0, {})

    # Of 200 choices called .95, one in 20 is wrong: more caution until they are not sure.
    rows = [row(i, "later", int(i % 20 == 0)) for i in range(200)]
    found = [(0, 0.95)] * 200
    scale = learn.scale_of([*rows, row(0, "development", 1)], [*found, (0, 0.99)])
    assert scale.caution["answer"] == pytest.approx(2.2)
    assert scale.cautious(0.95, "answer") < 0.9
    # 3 of the 10 wrong ones may be read; all have one confidence, so that none is.
    assert scale.thresholds["answer"] > scale.cautious(0.95, "answer")
    assert learn.scale_of(rows, found, 0.5).thresholds["answer"] == pytest.approx(
        scale.cautious(0.5, "answer"), abs=1e-6
    )
    # A few sure ones that are wrong rarely enough need none.
    few = [row(i, "later", int(i == 0)) for i in range(200)]
    assert learn.scale_of(few, found).caution["answer"] == 1.0


def test_an_empty_reply_is_no_option_in_the_table_beside_other_packages() -> None:
    pytest.importorskip("sklearn")
    sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
    import reader_unseen as unseen

    learn = unseen.lr
    scale = learn.Scale({"answer": 1.0, "other": 1.0}, {})
    learnt = unseen.Learnt({}, {}, scale)

    def read(best: int) -> int | None:
        row = learn.Row("1", "kind", "w", "later", 1.0, 2, -1, None, best, 0.99, {})
        return unseen.option_of(row, unseen.Decided(best, 0.99), learnt)

    assert [read(best) for best in (-1, 0, 1, 2)] == [None, 0, 1, None]
