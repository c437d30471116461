"""Which cells measures are computed on: each says so itself."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cells import cell_of, measured
from horsesense.measures import estimate
from horsesense.measures.base import Measure, Rows
from horsesense.measures.cells import HELD_OUT, Bundles, Cell, Parts, Scores
from horsesense.measures.joined import families, joined
from horsesense.measures.registry import MEASURES
from horsesense.probes.registry import PROBES
from horsesense.readers.registry import READERS, reads_scores
from horsesense.testing.conformance import fitting_cell, random_cell, random_cells
from horsesense.trials.condition import PLAIN, Condition


def names_in(source: str) -> set[str]:
    """Every text and every name of a module, documentation aside."""
    tree = ast.parse(source)
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {*texts, *(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))}


def test_the_dispatch_names_no_reader_and_no_probe() -> None:
    found = names_in(Path(estimate.__file__).read_text(encoding="utf-8"))
    for name in (*PROBES.names(), *READERS.names()):
        assert name not in found
    assert "original" in names_in("by_key.get(('original', '', reader))"), "the check can fail"


def test_every_measure_is_given_a_cell_of_the_kit() -> None:
    for measure in MEASURES:
        assert fitting_cell(measure) is not None, measure.name


def cells_of(name: str, *cells: Cell) -> list[Cell]:
    return list(MEASURES.get(name).cells(cells))


def test_a_probe_is_held_against_the_items_as_published_by_the_same_reader() -> None:
    original = cell_of([[0]], [0], probe="original")
    other = replace(original, reader="first_token")
    changed = replace(original, probe="order", condition=Condition(design="cyclic"))
    (pair,) = cells_of("accuracy_change", original, other, changed)
    assert (pair.probe, pair.reader) == ("order", "text")
    assert pair.other is original
    assert cells_of("accuracy_change", other, changed) == []


def test_only_readers_of_scores_are_held_against_the_text() -> None:
    text = cell_of([[0]], [0])
    scores = replace(text, reader="mine", by_scores=True)
    words = replace(text, reader="judge")
    held_out = replace(scores, reader="mine" + HELD_OUT)
    (pair,) = cells_of("mismatch_rate", text, scores, words, held_out)
    assert (pair.reader, pair.other) == ("mine", text)
    assert cells_of("mismatch_rate", scores, words) == []


def test_readers_say_whether_they_read_scores() -> None:
    assert {name for name in READERS.names() if reads_scores(name)} >= {"first_token", "pride"}
    assert reads_scores("first_token(token=found)")
    assert not any(map(reads_scores, ("text", "judge:http:m@http://127.0.0.1:9/v1", "unheard")))


def test_families_share_all_settings_but_one_and_the_reader() -> None:
    cells = [
        replace(cell_of([[0]], [0], reader=reader), condition=Condition(arm=arm, items=items))
        for reader in ("text", "judge")
        for items in ("wrong", "all")
        for arm in ("a", "b")
    ]
    found = list(families([*cells, cell_of([[0]], [0])], "arm"))
    assert [(shared["items"], list(parts)) for shared, parts in found] == [
        *(("wrong", ["a", "b"]), ("all", ["a", "b"]), ("wrong", ["a", "b"]), ("all", ["a", "b"]))
    ]


def test_groups_of_columns_are_asked_for_by_kind() -> None:
    cell = cell_of([[0, 1]], [0])
    assert Scores not in cell
    with pytest.raises(KeyError, match="has no Scores"):
        _ = cell[Scores]
    ones = np.ones((1, 2), dtype=np.float32)
    scored = cell.having(Scores(ones, ones)).having(Scores(ones, 2 * ones))
    assert len(scored.groups) == 1
    assert scored[Scores].score.tolist() == [[2, 2]]
    assert scored.less(Scores).groups == ()


def test_joined_cells_keep_their_groups_side_by_side() -> None:
    ones = np.ones((1, 1), dtype=np.float32)
    scored = cell_of([[0]], [0]).having(Scores(ones, ones))
    whole = joined({"a": scored, "b": cell_of([[1]], [0])}, "p", PLAIN)
    assert np.array_equal(whole[Scores].score, [[1, np.nan]], equal_nan=True)
    assert whole[Parts].of("b").tolist() == [False, True]
    assert whole[Parts].of("c").tolist() == [False, False]
    assert Bundles not in whole


def test_joined_cells_keep_their_items_apart() -> None:
    first = random_cell(1, n=5)
    second = replace(random_cell(2, n=5), item=np.arange(3, 8))
    whole = joined({"a": first, "b": second}, "p", PLAIN)
    assert whole.item.tolist() == list(range(8))
    a = whole.status[:, whole[Parts].part == 0]
    assert np.array_equal(a[:5], first.status)
    assert not (a[5:] != -2).any(), "an item that a cell lacks was not asked there"


def test_measures_need_no_check_of_what_they_are_given() -> None:
    """A measure that uses a group says so: no cell without it is ever given to it."""
    for measure in MEASURES:
        for cell in measure.cells(random_cells()):
            assert all(kind in cell for kind in measure.needs), measure.name


class Broken(Measure):
    """A measure of another package that fails."""

    name = title = "broken"
    summary = "Fails."

    def rows(self, cell: Cell) -> Rows:
        raise KeyError("a column that is not there")


def test_a_measure_of_another_package_that_fails_is_undefined_and_says_why() -> None:
    cell = cell_of([[0], [1]], [0, 1])
    broken, sound = measured([cell], Broken(), "accuracy")
    assert broken.note == "the plug-in failed: KeyError: 'a column that is not there'"
    assert sound.value == 1.0
