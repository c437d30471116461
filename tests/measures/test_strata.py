"""Items by the agreement of their answers, and how often they are right."""

from __future__ import annotations

import pytest

from cells import cell_of, values
from each import each
from horsesense.measures.registry import MEASURES

CONTENTS = ((0, 0, 0, 0), (1, 1, 1, 1), (0, 0, 1, 1), (0, 1, 2, 3), (0, 0, 0, None))


@each(
    ("name", "expected"),
    [
        ("agreement_share", [0.2, 0.2, 0.2, 0.4]),
        ("stratum_plurality_accuracy", [0.25, 0.5, 1.0, 0.5]),  # ties count their part
        ("stratum_accuracy", [0.25, 0.5, 0.75, 0.5]),
    ],
)
def test_strata(name: str, expected: list[float]) -> None:
    found = values(name, cell_of(CONTENTS, [0] * 5))
    assert found == pytest.approx(
        dict(zip(("0.25", "0.50", "0.75", "1.00"), expected, strict=True))
    )


def test_items_that_were_not_fully_answered_are_missing_and_single_trials_say_nothing() -> None:
    measure = MEASURES.get("agreement_share")
    rows = measure.rows(cell_of([(0, 0), (0, -99)], [0, 0]))
    assert (rows.n, rows.n_missing) == (1, 1)
    assert measure.undefined_reason(cell_of([(0,)], [0])) is not None
