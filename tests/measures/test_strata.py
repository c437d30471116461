"""Items by the agreement of their answers, and how often they are right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cells import cell_of
from horsesense.measures.registry import MEASURES


def strata(name: str, contents: Sequence[Sequence[int | None]]) -> dict[str, float]:
    measure, cell = MEASURES.get(name), cell_of(contents, [0] * len(contents))
    values = measure.value(measure.rows(cell).rows.sum(axis=0))
    return dict(zip(measure.groups(cell), np.round(values, 6).tolist(), strict=True))


class TestStrata:
    CONTENTS = ((0, 0, 0, 0), (1, 1, 1, 1), (0, 0, 1, 1), (0, 1, 2, 3), (0, 0, 0, None))

    def test_share(self) -> None:
        expected = {"0.25": 0.2, "0.50": 0.2, "0.75": 0.2, "1.00": 0.4}
        assert strata("agreement_share", self.CONTENTS) == expected

    def test_ties_count_their_part(self) -> None:
        expected = {"0.25": 0.25, "0.50": 0.5, "0.75": 1.0, "1.00": 0.5}
        assert strata("stratum_plurality_accuracy", self.CONTENTS) == expected

    def test_mean_over_orders(self) -> None:
        expected = {"0.25": 0.25, "0.50": 0.5, "0.75": 0.75, "1.00": 0.5}
        assert strata("stratum_accuracy", self.CONTENTS) == expected

    def test_items_that_were_not_fully_answered_are_counted_as_missing(self) -> None:
        cell = cell_of([(0, 0), (0, -99)], [0, 0])
        rows = MEASURES.get("agreement_share").rows(cell)
        assert (rows.n, rows.n_missing) == (1, 1)

    def test_undefined_for_single_trials(self) -> None:
        cell = cell_of([(0,)], [0])
        assert MEASURES.get("agreement_share").undefined_reason(cell) is not None
