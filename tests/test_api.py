"""horsesense from Python: what may be given as items and model, and what is said when wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import horsesense as hs
from horsesense.errors import ModelError, UsageError
from studies import ROWS

SMALL: dict[str, Any] = {"probes": "order"}


def accuracy(run: hs.Run) -> float | None:
    return run.estimate("accuracy", reader="text").value


class TestItems:
    def test_frames(self, tmp_path: Path) -> None:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        for n, frame in enumerate((pl.DataFrame(ROWS), pandas.DataFrame(ROWS))):
            run = hs.audit(frame, "sim:oracle", out=tmp_path / f"run{n}", **SMALL)
            assert accuracy(run) == 1

    def test_item_sets(self, tmp_path: Path) -> None:
        items = hs.load_items("sample")
        run = hs.audit(items, "sim:oracle", out=tmp_path / "run", limit=5, **SMALL)
        assert len(run.items) == 5

    def test_field_names_are_mapped(self, tmp_path: Path) -> None:
        rows = [{("prompt" if k == "question" else k): v for k, v in row.items()} for row in ROWS]
        run = hs.audit(rows, "sim:oracle", out=tmp_path / "r", map={"question": "prompt"}, **SMALL)
        assert accuracy(run) == 1

    def test_faults_are_named(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="the given rows: 1 fault"):
            hs.audit([{**ROWS[0], "answer_index": 9}], "sim:oracle", out=tmp_path / "run")
        with pytest.raises(UsageError, match="int holds no items"):
            hs.audit(7, "sim:oracle", out=tmp_path / "run")  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="int is not a model"):
            hs.audit(ROWS, 7, out=tmp_path / "run")  # type: ignore[arg-type]


class TestModels:
    def test_a_function(self, tmp_path: Path) -> None:
        def says_b(prompts: list[str]) -> list[str]:
            assert all("Which is number" in prompt or "thing" in prompt for prompt in prompts)
            return ["B"] * len(prompts)

        run = hs.audit(ROWS, says_b, out=tmp_path / "run", **SMALL)
        assert run.estimate("position_locked", "order", reader="text", group="B").value == 1

    def test_another_function_is_another_model(self, tmp_path: Path) -> None:
        hs.audit(ROWS, lambda prompts: ["A"] * len(prompts), out=tmp_path / "run", **SMALL)
        with pytest.raises(UsageError, match="holds answers of"):
            hs.audit(ROWS, lambda prompts: ["C"] * len(prompts), out=tmp_path / "run", **SMALL)

    def test_an_object_of_the_protocol(self, tmp_path: Path) -> None:
        from horsesense.models.simulated.backend import Simulated

        run = hs.audit(ROWS, Simulated.from_spec("oracle"), out=tmp_path / "run", **SMALL)
        assert accuracy(run) == 1


class TestOddFunctions:
    def test_functions_are_told_apart_by_what_they_hold(self) -> None:
        from functools import partial

        from horsesense.models.callables import CallableModel

        def says(prompts: list[str], letter: str) -> list[str]:
            return [letter] * len(prompts)

        def made(letter: str) -> Any:
            return lambda prompts: [letter] * len(prompts)

        class Says:
            def __init__(self, letter: str) -> None:
                self.letter = letter

            def __call__(self, prompts: list[str]) -> list[str]:
                return [self.letter] * len(prompts)

        for kind in (lambda x: partial(says, letter=x), made, Says):
            one, two, again = (CallableModel(kind(x)).identity for x in "ABA")
            assert one == again != two
        with pytest.raises(UsageError, match="cannot be told from other functions"):
            CallableModel(len)  # type: ignore[arg-type]
        assert CallableModel(len, name="length").name == "length"  # type: ignore[arg-type]

    @pytest.mark.parametrize("error", [RuntimeError, StopIteration, SystemExit, KeyboardInterrupt])
    def test_whatever_is_raised_is_a_failure(
        self, error: type[BaseException], tmp_path: Path
    ) -> None:
        def raises(prompts: list[str]) -> list[str]:
            raise error("out of order")

        for rows in (ROWS, [{**ROWS[0], "id": name} for name in "ab"]):  # equal ones: asked once
            with pytest.raises(ModelError, match=error.__name__):
                hs.audit(rows, raises, out=tmp_path / "run", **SMALL)
            assert not (tmp_path / "run").exists()

    def test_half_a_character_is_no_answer_and_no_item(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="half a character"):
            hs.audit(ROWS, lambda p: ["A \ud800"] * len(p), out=tmp_path / "run", **SMALL)
        with pytest.raises(UsageError, match="half a character"):
            hs.audit([{**ROWS[0], "question": "\ud800"}], "sim:oracle", out=tmp_path / "run")

    def test_inside_a_running_loop(self, tmp_path: Path) -> None:
        import asyncio

        async def notebook() -> hs.Run:
            return hs.audit(ROWS, "sim:oracle", out=tmp_path / "run", **SMALL)

        assert accuracy(asyncio.run(notebook())) == 1


def test_what_a_cell_of_a_notebook_shows_is_short(tmp_path: Path) -> None:
    run = hs.audit(ROWS, "sim:oracle", out=tmp_path / "run", **SMALL)
    twice = hs.compare({"a": run, "b": run})
    judged = hs.gate(run, require="accuracy > 0"), hs.check(ROWS), twice
    for shown in (run, run.measure(), run.items, run.figure(), *judged):
        assert len(repr(shown)) < 300


def test_an_interval_above_guessing_that_the_orders_doubt_says_so(tmp_path: Path) -> None:
    rows = [
        {"question": f"{n} + 1?", "options": [str(n), str(n + 1)], "answer_index": 1}
        for n in range(20)
    ]
    run = hs.audit(rows, lambda prompts: ["B"] * len(prompts), out=tmp_path / "run", **SMALL)
    said = "guessing 50\u202f%); over all orders, guesses would do as well."
    assert any(line.endswith(said) for line in run.verdict())


def test_asking_takes_what_auditing_takes_and_knows_its_model(tmp_path: Path) -> None:
    hs.audit(ROWS, "sim:oracle", out=tmp_path / "run", budget="requests=3", **SMALL)
    assert hs.open(tmp_path / "run").ask("sim:oracle", limits=hs.Limits(requests=5)).answered == 2
    assert hs.open(tmp_path / "run").ask().stopped is None
    assert (hs.plan(ROWS, budget="requests=2", price="1e6,0", **SMALL).cost or 0) > 1


def test_a_reader_that_reads_nothing_is_named_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def says_a(prompts: list[str]) -> list[str]:
        return ["A"] * len(prompts)

    run = hs.audit(ROWS, says_a, out=tmp_path / "run", readers="text, option_text", **SMALL)
    assert list(run.findings["silent"]) == ["option_text"]
    run.read("pride")
    run.measure()
    assert set(run.findings["silent"]) == {"option_text", "pride"}


class TestNames:
    def test_lists_and_texts_are_alike(self) -> None:
        one = hs.plan("sample", "sim:prior", probes="order, repeat", limit=3)
        two = hs.plan("sample", "sim:prior", probes=["order", "repeat"], limit=3)
        assert one == two

    def test_a_misspelt_name_gets_a_suggestion(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="Did you mean 'order'"):
            hs.plan("sample", "sim:prior", probes="ordre")
        with pytest.raises(UsageError, match="did you mean 'probes'"):
            hs.plan("sample", "sim:prior", probs="order")  # type: ignore[call-arg]

    def test_names_of_the_last_release_work_and_warn(self, tmp_path: Path) -> None:
        with pytest.warns(FutureWarning, match="slot is now called position"):
            run = hs.audit(ROWS, "sim:slot?k=1", out=tmp_path / "run", **SMALL)
        assert run.estimate("position_locked", "order", reader="text", group="B").value == 1


def test_read_gives_a_frame(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "1", "options": ["red", "blue"], "response": "I choose B."}\n')
    frame = hs.read(path)
    assert frame["letters"].to_list() == [["B"]]
    assert frame["positions"].to_list() == [[1]]


@pytest.mark.thorough
def test_cues_twice() -> None:
    rows = [
        {"id": str(i), "text": f"{'surely' if i % 2 else 'rarely'} w{i % 7}", "label": "ab"[i % 2]}
        for i in range(220)  # from 201 on no vector is fitted again to shuffled labels
    ]
    for _ in range(2):
        found = hs.cues(rows, grouping="none", folds=2, repeats=1, jobs=1)
        assert found.verdict.strength == "strong"
