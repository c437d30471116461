"""Several answers to one prompt, against every way to draw them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from cells import cell_of, measured
from horsesense.measures.base import Estimate
from horsesense.measures.cells import MISSING, Cell, Replies
from horsesense.readers.causes import CAUSES

CHOSEN = [[0, 0, 1, 2, 0], [1, 1, 0, 0, 2], [3, 3, 3, 3, 3], [0, 0, 0, 0, 0], [None, 0, 1, 2, None]]
"""Of five items, whose right answer is content 0: five answers to one prompt."""


def asked(chosen: list[list[int | None]]) -> list[Cell]:
    gold = [0] * len(chosen)
    return [
        cell_of([row[:1] for row in chosen], gold, probe="original"),
        cell_of([row[1:] for row in chosen], gold, probe="repeat"),
    ]


def found(cells: list[Cell], measure: str) -> dict[str, Estimate]:
    return {e.group: e for e in measured(cells, measure)}


def drawn(some: object, k: int) -> float:
    """Mean over items and over every choice of k of their samples."""
    right = np.array([[chosen == 0 for chosen in row] for row in CHOSEN])
    return float(np.mean([some(row[list(c)]) for row in right for c in combinations(range(5), k)]))  # type: ignore[operator]


@pytest.mark.parametrize(("measure", "some"), [("pass_at_k", np.any), ("pass_hat_k", np.all)])
def test_k_samples_are_those_of_every_choice(measure: str, some: object) -> None:
    estimates = found(asked(CHOSEN), measure)
    assert list(estimates) == ["1", "2", "4", "5"]
    for k, e in estimates.items():
        assert e.value == pytest.approx(drawn(some, int(k)))
        assert e.low <= e.value <= e.high
    guess = {"pass_at_k": 1 - 0.75**4, "pass_hat_k": 0.25**4}
    assert estimates["4"].baseline == pytest.approx(guess[measure])


def test_a_majority_counts_its_ties_in_part() -> None:
    e = found(asked(CHOSEN), "majority_at_n")["5"]
    # 0 wins; 0 and 1 tie; 3 wins; 0 wins; five answers that nobody shares, one of them right.
    assert e.value == pytest.approx((1 + 1 / 2 + 0 + 1 + 1 / 5) / 5)
    assert (e.n, e.n_missing) == (5, 0)


def test_an_unreadable_reply_is_wrong_and_a_failed_call_is_no_sample() -> None:
    """The first item lacks one reply, in two ways; two of its other three are right."""
    cells = []
    for cell in asked([[0, 0, 1, -99], [0, 0, 0, 0]]):
        lost = cell.status == MISSING
        cause = np.where(lost, CAUSES.index("unreadable"), 0).astype(np.int8)
        cells.append(cell.having(Replies(cause, np.where(lost, 0, cell.correct).astype(np.int8))))
    graded = found(cells, "pass_at_k")
    assert graded["1"].value == pytest.approx((2 / 4 + 1) / 2)
    assert graded["4"].n == 2
    failed = np.full_like(cells[1].status, CAUSES.index("failed"))
    cells[1] = cells[1].having(replace(cells[1][Replies], cause=failed.astype(np.int8)))
    read = found(cells, "pass_at_k")
    assert read["1"].value == pytest.approx((2 / 3 + 1) / 2)
    assert [(e.n, e.n_missing) for e in read.values()] == [(2, 0), (2, 0), (1, 1)]
    assert found(cells, "majority_at_n")["4"].n == 1


def test_the_variance_of_samples_is_that_of_known_chances() -> None:
    rng, n = np.random.default_rng(0), 4000
    chances = rng.choice([0.2, 0.5, 0.9], n)
    right = rng.random((n, 4)) < chances[:, None]
    estimates = found(asked((1 - right).astype(int).tolist()), "sample_variance")
    assert list(estimates) == ["items", "samples"]
    want = {"items": np.var([0.2, 0.5, 0.9]), "samples": np.mean([0.16, 0.25, 0.09])}
    assert {g: e.value for g, e in estimates.items()} == pytest.approx(want, abs=0.006)


@pytest.mark.parametrize(
    ("measure", "k", "least", "most"),
    [("pass_at_k", "1", 50, 62), ("pass_hat_k", "4", 0, 50), ("majority_at_n", "4", 0, 50)],
)
def test_a_note_says_what_failed_calls_leave_open(
    measure: str, k: str, least: int, most: int
) -> None:
    """One item lacks the last of four answers, of which three are right; one of the other's is."""
    e = found(asked([[0, 0, 0, -99], [1, 0, 1, 1]]), measure)[k]
    said = f"{least}\u202f% to {most}\u202f%, whatever the missing replies were"
    assert e.note.rpartition("; ")[2] == said
    assert "missing" not in found(asked([[0, 0, 0, 0], [1, 0, 1, 1]]), measure)[k].note
