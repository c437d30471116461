"""Tables of trials: made from trials, kept in memory, and read back in chunks of any length."""

from __future__ import annotations

import polars as pl
import pytest

from each import each
from horsesense.runs.parts import TableInMemory, frame_of
from horsesense.runs.tables import TRIALS, TrialRow, read_trials, trial_rows
from horsesense.trials.condition import Condition
from horsesense.trials.extras import Bundled, Marked
from horsesense.trials.trial import Trial, Variant

SIZES = (1, 3, 1, 4, 2)


def shown(number: int, place: int) -> Variant:
    labels = ("A", "B") if number % 2 else ()
    gold = None if place else 1
    return Variant(
        f"i{place}", "Why?" if place else None, (f"x{number}", f"y{place}"), labels, (1, 0), gold
    )


TRIED = [
    Trial(
        "order" if number % 2 else "batch",
        Condition(n=number),
        number,
        tuple(shown(number, place) for place in range(size)),
        "letter" if number % 2 else "index_json",
        extras=Marked(number) if number % 2 else Bundled(asked="x"),
    )
    for number, size in enumerate(SIZES)
]


def table(chunk: int = 10_000) -> pl.DataFrame:
    index = {f"i{place}": place for place in range(max(SIZES))}
    made = TableInMemory(TRIALS, chunk)
    for number, trial in enumerate(TRIED):
        for row in trial_rows(number, 1, trial, bytes([number]) * 16, index):
            made.add(row)
    return made.frame()


@each("chunk", [1, 2, 3, 5, 100])
def test_trials_come_back_whole_whatever_the_chunks(chunk: int) -> None:
    found = [row for rows in read_trials(table().lazy(), chunk=chunk) for row in rows]
    assert found == [TrialRow(n, trial, bytes([n]) * 16) for n, trial in enumerate(TRIED)]


def test_trials_of_some_probes_alone() -> None:
    found = [row for rows in read_trials(table().lazy(), ["order"], chunk=2) for row in rows]
    assert [row.trial for row in found] == [trial for trial in TRIED if trial.probe == "order"]


@pytest.mark.parametrize("chunk", [1, 4, 11])
def test_a_table_in_memory_is_the_same_in_any_chunks(chunk: int) -> None:
    assert table(chunk).equals(table())


def test_nothing_is_a_table_too() -> None:
    assert TableInMemory(TRIALS).frame().schema == frame_of([], TRIALS).schema
    assert list(read_trials(pl.LazyFrame(schema=dict(TRIALS)))) == []


def test_lists_that_are_equal_or_empty_or_missing_in_others_keep_their_places() -> None:
    kind = {"value": pl.List(pl.Int16)}
    rows = [((1, 2),), ((),), ((3,),), ((1, 2),), ((),)]
    assert frame_of(rows, kind)["value"].to_list() == [[1, 2], [], [3], [1, 2], []]
