"""A run as an object: opened, read again without its model, resumed, killed, converted."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import shutil
import signal
import sqlite3
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import polars as pl
import pytest

import horsesense as hs
from horsesense import files
from horsesense.errors import ModelError, StoreError, UsageError
from horsesense.inference.store import Store
from horsesense.runs.frames import ESTIMATE_COLUMNS, READING_COLUMNS, TRIAL_COLUMNS
from horsesense.runs.merge import merge
from horsesense.runs.run import complete
from horsesense.runs.settings import Settings
from horsesense.testing.faults import FaultServer
from studies import ROWS

DATA = Path(__file__).parent / "data"


def stored(out: Path) -> list[tuple[Any, ...]]:
    """Every answer of a run, byte for byte."""
    with sqlite3.connect(f"file:{out / 'store.sqlite'}?mode=ro", uri=True) as database:
        return database.execute("SELECT key, request, response FROM responses").fetchall()


def estimates(out: Path) -> list[Any]:
    return orjson.loads((out / "estimates.json").read_bytes())["estimates"]


def values(out: Path) -> set[tuple[Any, ...]]:
    """Every value of a run; those of permutations are drawn by the text of the condition.

    Intervals, and the n of groups, are not what 0.1.0 made of them (docs/statistics.md).
    """
    return {
        (e["measure"], e["probe"], e["reader"], e["group"], e["value"] and round(e["value"], 12))
        for e in estimates(out)
        if not e["measure"].endswith("_null")
    }


class TestWithoutItsModel:
    @pytest.fixture(scope="class")
    def out(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """A run against a server that is gone."""
        out = tmp_path_factory.mktemp("gone") / "run"
        with FaultServer() as server:
            model = f"http:test@{server.url}"
            hs.audit("sample", model, out=out, limit=12, probes="order")
        return out

    def test_it_is_read_with_other_readers_measured_and_reported(self, out: Path) -> None:
        before = stored(out)
        run = hs.open(out)
        run.read("text", "pride(least=3)")
        run.measure()
        assert "pride" in " ".join(run.findings["readers"])
        assert run.report().stat().st_size > 10_000
        assert run.verify().sound
        assert stored(out) == before

    def test_what_was_read_is_not_read_again(
        self, out: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from horsesense.readers.text_answers import TextAnswers

        def never(*_: Any) -> Any:
            raise AssertionError("read again")

        hs.open(out).read("text")
        monkeypatch.setattr(TextAnswers, "read", never)
        hs.open(out).read("text")

    def test_its_frames_have_the_documented_columns(self, out: Path) -> None:
        run = hs.open(out)
        run.measure()
        assert run.trials.columns == list(TRIAL_COLUMNS)
        assert run.readings.columns == list(READING_COLUMNS)
        assert run.estimates.columns == list(ESTIMATE_COLUMNS)
        assert run.readings.join(run.trials, on=["trial", "variant"], how="anti").is_empty()
        assert run.estimates["value"].dtype == pl.Float64

    def test_it_shows_itself(self, out: Path) -> None:
        run = hs.open(out)
        run.measure()
        assert "\n" not in repr(run)
        assert len(repr(run)) < 300
        html = run._repr_html_()
        assert "<svg" in html
        assert "<script" not in html

    def test_it_gives_its_prompts_and_the_pieces_of_its_report(self, out: Path) -> None:
        run = hs.open(out)
        run.measure()
        prompts, trials = run.prompts(), run.trials
        same = prompts.join(trials, on=["trial", "item_id", "probe", "condition"], how="semi")
        assert same.height == prompts.height == trials["trial"].n_unique()
        assert prompts["prompt"][0].startswith("user: ")
        assert set(run.prompts("order")["probe"]) == {"order"}
        assert run.table()._repr_markdown_().count("\n") >= len(run.table().rows)
        assert str(run.figure()._repr_svg_()).startswith("<svg")

    def test_several_estimates_are_listed(self, out: Path) -> None:
        with pytest.raises(UsageError, match=r"of recall under order match.*\n.*group='A'"):
            hs.open(out).estimate("recall", "order", reader="text")
        with pytest.raises(UsageError, match="Did you mean 'accuracy'"):
            hs.open(out).estimate("acuracy")
        with pytest.raises(UsageError, match="Did you mean 'reader'"):
            hs.open(out).estimate("accuracy", raeder="text")


class TestBeforeTheFirstAnswer:
    """A call that cannot succeed leaves nothing behind, neither a directory nor a changed one."""

    def wrong(self, out: Path, model: str, **settings: Any) -> None:
        with pytest.raises((UsageError, ModelError)):
            hs.audit("sample", model, out=out, limit=3, **settings)

    def test_nothing_is_left(self, tmp_path: Path) -> None:
        out = tmp_path / "run"
        self.wrong(out, "sim:oracel")
        self.wrong(out, "sim:prior", probes="ordr")
        self.wrong(out, "sim:prior", readers="txt")
        self.wrong(out, "http:m@http://127.0.0.1:9/v1")
        self.wrong(out, "http:m@http://user:secret@127.0.0.1:9/v1")
        self.wrong(out, "http:m@http://127.0.0.1:9/v1?api-key=abc")
        assert not out.exists()
        hs.audit("sample", "sim:prior", out=out, limit=3, probes="order")

    def test_a_server_that_fails_every_request(self, tmp_path: Path) -> None:
        with FaultServer(hopeless=1.0) as server:
            self.wrong(tmp_path / "run", f"http:test@{server.url}", probes="order")
        assert not (tmp_path / "run").exists()

    def test_a_second_command_is_refused_before_it_asks(self, tmp_path: Path) -> None:
        out = tmp_path / "run"
        other = hs.audit("sample", "sim:prior", out=tmp_path / "other", limit=2, probes="order")

        def second(prompts: list[str]) -> list[str]:
            raise AssertionError("asked")  # would end in a ModelError

        def first(prompts: list[str]) -> list[str]:
            for command in (
                lambda: hs.audit("sample", second, out=out, limit=2),
                lambda: merge([other.path], out),
            ):
                with pytest.raises(StoreError, match="run is in use by another run"):
                    command()
            return ["A"] * len(prompts)

        run = hs.audit("sample", first, out=out, limit=2, probes="order", readers="text")
        assert len(run.trials) > 0

    def test_a_run_that_came_meanwhile_is_not_overwritten(self, tmp_path: Path) -> None:
        out = tmp_path / "run"
        early = hs.Run.start(out, Settings.of(items="sample", model="sim:oracle", limit=2))
        hs.audit("sample", "sim:prior", out=out, limit=2, probes="order")
        before = stored(out), (out / "run.toml").read_bytes()
        with pytest.raises(StoreError, match="has become a run of another command"):
            early.ask("sim:oracle")
        assert (stored(out), (out / "run.toml").read_bytes()) == before

    def test_a_run_that_is_there_stays_as_it_was(self, tmp_path: Path) -> None:
        out = tmp_path / "run"
        hs.audit("sample", "sim:prior", out=out, limit=3, probes="order")
        before = (out / "run.toml").read_bytes()
        self.wrong(out, "sim:prior", probes="ordr")
        self.wrong(out, "http:m@http://127.0.0.1:9/v1")
        with pytest.raises(UsageError, match="answers of sim:prior"):
            hs.audit("sample", "sim:uniform", out=out, limit=3, probes="order")
        assert (out / "run.toml").read_bytes() == before
        assert hs.open(out).verify().sound


class TestOtherSettings:
    def test_what_changed_is_said_and_never_mixed(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        settings: dict[str, Any] = {"limit": 12, "probes": "order"}
        hs.audit("sample", "sim:prior", out=tmp_path / "a", **settings)
        capsys.readouterr()
        hs.audit("sample", "sim:prior", out=tmp_path / "a", **settings, seed=1)
        said = capsys.readouterr().err
        assert "seed (0 before, 1 now)" in said
        assert "stay the same" in said  # another sample of items
        (tmp_path / "a" / "sample.json").write_bytes(b"[]")
        hs.audit("sample", "sim:prior", out=tmp_path / "a", limit=14, probes="order,labels", seed=1)
        said = capsys.readouterr().err
        assert "probes (new: labels)" in said
        assert f"annotate {tmp_path / 'a'} --sample" in said, "labels that lie there"
        hs.audit("sample", "sim:prior", out=tmp_path / "a", **settings, seed=1)
        hs.audit("sample", "sim:prior", out=tmp_path / "b", **settings, seed=1)
        assert estimates(tmp_path / "a") == estimates(tmp_path / "b")

    def test_other_items_are_refused(self, tmp_path: Path) -> None:
        hs.audit("sample", "sim:prior", out=tmp_path / "a", limit=3, probes="order")
        rows = [{"id": "z", "question": "Red?", "options": ["yes", "no"], "answer_index": 0}]
        with pytest.raises(UsageError, match="none of the 1 item of items"):
            hs.audit(rows, "sim:prior", out=tmp_path / "a")


class TestInterrupted:
    def test_it_is_reported_and_continued(self, tmp_path: Path) -> None:
        out = tmp_path / "run"
        run = hs.Run.start(
            out, hs.Settings(items="sample", model="sim:prior", limit=20, probes=("order",))
        )
        from horsesense.models.registry import make_model

        run.ask(make_model("sim:prior"), limits=hs.Limits(requests=50))
        (out / "asked.json").unlink()  # as after a kill
        shutil.rmtree(out / "trials")
        again = hs.open(out)
        again.measure()
        again.report()
        assert again.findings["stages"]["ask"]["reason"] == "budget"
        assert again.findings["unread"] > 0
        page = (out / "report.html").read_text()
        assert "This run is not finished (budget)" in page
        hs.audit("sample", "sim:prior", out=out, limit=20, probes="order")
        hs.audit("sample", "sim:prior", out=tmp_path / "whole", limit=20, probes="order")
        assert estimates(out) == estimates(tmp_path / "whole")


SETTINGS: dict[str, Any] = {
    "limit": 5,
    "probes": "order, true_false(items=all, polarity=both), multi_select(items=majority_wrong)",
    "readers": "text, first_token, pride(least=2)",
}


def audit_until(out: Path, moment: int) -> None:
    """Audit, and die without a word at the given event: a file put in its place, a commit."""
    events = iter(range(moment))

    def count() -> None:
        if next(events, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    replace, put = os.replace, Store.put

    def replacing(*where: Any) -> None:
        count()
        replace(*where)
        count()

    def putting(self: Store, *what: Any, **more: Any) -> None:
        put(self, *what, **more)
        count()

    files.os.replace = replacing  # type: ignore[assignment]
    Store.put = putting  # type: ignore[method-assign]
    hs.audit("sample", "sim:prior", out=out, **SETTINGS)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
@pytest.mark.usefixtures("charts_once")
def test_killed_at_twenty_moments_and_continued(tmp_path: Path) -> None:
    calm = hs.audit("sample", "sim:prior", out=tmp_path / "calm", **SETTINGS)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["horsesense.api", "horsesense.report"])
    killed = 0
    for moment in range(1, 200, 3):
        out = tmp_path / f"at-{moment}"
        process = context.Process(target=audit_until, args=(out, moment))
        process.start()
        process.join()
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        killed += 1
        if (out / "run.toml").exists():
            hs.open(out).measure()  # what there is can be reported at any moment
        again = hs.audit("sample", "sim:prior", out=out, **SETTINGS)
        assert again.results.estimates == calm.results.estimates, f"killed at {moment}"
        assert not [p for p in out.rglob(".*") if p.suffix in (".part", ".old")]
    assert killed >= 20


@pytest.mark.thorough
class TestOfVersionOne:
    @pytest.fixture
    def old(self, tmp_path: Path) -> Path:
        """A run that 0.1.0 made (suite know-no on 8 items of the sample, sim:prior)."""
        with tarfile.open(DATA / "run_0_1_0.tar.gz") as archive:
            archive.extractall(tmp_path, filter="data")
        return tmp_path / "v01"

    def test_it_opens_and_measures_the_same(self, old: Path) -> None:
        before = values(old)
        answers = stored(old)
        run = hs.open(old)
        run.measure()
        run.report()
        # Beside `gold_plus_none` stands the same wording with the right answer since 0.2.0.
        rebased = {row for row in before if row[:2] == ("accuracy_change", "gold_plus_none")}
        # Positions are judged by the items that have them since 0.2.0: items have two to four.
        positions = {row for row in before if row[0].startswith("position_")}
        assert before - rebased - positions <= values(old)
        assert len(rebased) == 2
        assert positions & values(old)
        assert len(values(old)) >= len(before)
        assert run.verify().sound
        assert stored(old) == answers
        assert (old / "0.1.0" / "study.toml").exists()

    def test_it_is_continued(self, old: Path) -> None:
        settings: dict[str, Any] = {"limit": 8, "suite": "know-no"}
        before = {key for key, *_ in stored(old)}
        again = hs.audit("sample", "sim:prior", out=old, **settings)
        trials = again.directory.trials().select("key", "condition").collect()
        new = {c for key, c in trials.iter_rows() if key not in before}
        assert new  # the instruction that allows for none is worded anew, and nothing else
        assert all("hint_instruction" in condition for condition in new)

    @pytest.mark.parametrize(
        ("name", "content"),
        [*(("estimates.json", content) for content in (b"", b"[1,", b"{}", b"[]")),
         ("trials.parquet", b""), ("readings.parquet", b"[]")],
    )  # fmt: skip
    def test_a_damaged_one_says_where_and_can_be_mended(
        self, old: Path, name: str, content: bytes
    ) -> None:
        whole = (old / name).read_bytes()
        (old / name).write_bytes(content)
        for _ in range(2):
            with pytest.raises(StoreError, match=r"0\.1\.0.* cannot be read"):
                hs.open(old)
        (old / "0.1.0" / name).write_bytes(whole)
        assert hs.open(old).directory.trials().collect().height

    def test_one_that_never_finished_is_refused_with_advice(self, old: Path) -> None:
        (old / "estimates.json").unlink()
        with pytest.raises(StoreError, match="not finished"):
            hs.open(old)
        run = hs.audit("sample", "sim:prior", out=old, limit=8, suite="know-no", seed=5)
        assert not (old / "study.toml").exists()
        again = hs.open(old)
        assert again.verify().sound
        again.measure()
        assert again.settings.seed == 5
        assert same(again, run)

    def test_one_without_its_answers_stays_as_it_is(self, old: Path) -> None:
        (old / "store.sqlite").unlink()
        before = sorted(path.name for path in old.iterdir())
        with pytest.raises(StoreError, match=r"without its answers \(store\.sqlite\)"):
            hs.open(old)
        assert sorted(path.name for path in old.iterdir()) == before


@pytest.mark.usefixtures("charts_once")
class TestFullDisk:
    @contextmanager
    def full_after(self, n: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """The n-th file that is written whole finds the disk full."""
        count = iter(range(n))
        flush = files.flush

        def full(path: Path) -> None:
            if next(count, None) is None:
                raise OSError(28, "No space left on device")
            flush(path)

        with monkeypatch.context() as patched:
            patched.setattr(files, "flush", full)
            yield

    @pytest.mark.slow
    def test_every_file_is_whole_or_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings: dict[str, Any] = {"limit": 4, "probes": "order"}
        whole = hs.audit("sample", "sim:prior", out=tmp_path / "whole", **settings)
        refused = 0
        for n in range(40):
            out = tmp_path / f"run-{n}"
            with self.full_after(n, monkeypatch):
                try:
                    hs.audit("sample", "sim:prior", out=out, **settings)
                except StoreError as error:
                    said = str(error)
                else:
                    break
            refused += 1
            assert "No space left" in said
            for path in out.rglob("*"):
                if path.suffix == ".json":
                    orjson.loads(path.read_bytes())
                assert not path.name.endswith(".part")
            again = hs.audit("sample", "sim:prior", out=out, **settings)
            assert again.results.estimates == whole.results.estimates
        assert refused > 8


def test_any_name_that_can_be_written_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "g[1] all* a?b {x} two\nlines ünï"
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.chdir(folder)
    run = hs.audit("sample", "sim:oracle", out=folder / name, limit=2, probes="order")
    assert run.estimate("accuracy", reader="text").value == 1
    assert hs.open(folder / name).verify().sound


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sound") / "run"
    return hs.audit(ROWS, "sim:prior", out=out, probes="order").path


def same(one: hs.Run, two: hs.Run) -> bool:
    return list(one.results.estimates) == list(two.results.estimates)


class TestChangedBetweenTwoSessions:
    """What an earlier session left must never enter the numbers of a later one."""

    def test_a_corrected_answer_key(self, tmp_path: Path) -> None:
        settings: dict[str, Any] = {"probes": "order"}
        other = [{**row, "answer_index": (i + (i > 0)) % 4} for i, row in enumerate(ROWS)]

        def says_b(prompts: list[str]) -> list[str]:
            return ["B"] * len(prompts)

        hs.audit(ROWS, says_b, out=tmp_path / "a", **settings)
        again = hs.audit(other, says_b, out=tmp_path / "a", **settings)
        assert same(again, hs.audit(other, says_b, out=tmp_path / "b", **settings))

    def test_a_second_round_that_is_no_longer_asked(self, tmp_path: Path) -> None:
        settings: dict[str, Any] = {}
        second = "order, multi_select(items=majority_wrong)"
        hs.audit(ROWS, "sim:prior", out=tmp_path / "a", probes=second, **settings)
        again = hs.audit(ROWS, "sim:prior", out=tmp_path / "a", probes="order, labels", **settings)
        new = hs.audit(ROWS, "sim:prior", out=tmp_path / "b", probes="order, labels", **settings)
        assert same(again, new)
        assert again.estimate("accuracy", reader="text").n == 12
        assert again.verify().sound

    def test_results_of_before_are_not_those_of_now(self, tmp_path: Path) -> None:
        from horsesense.models.registry import make_model

        run = hs.audit(ROWS[:5], "sim:prior", out=tmp_path / "a", probes="order")
        later = hs.Run.start(run.path, run.settings, hs.load_items(ROWS))
        later.ask(make_model("sim:prior"))
        with pytest.raises(StoreError, match="has not been measured since"):
            _ = later.results

    def test_damaged_readings_are_read_again(self, sound: Path, tmp_path: Path) -> None:
        settings: dict[str, Any] = {"probes": "order"}
        whole = hs.open(shutil.copytree(sound, tmp_path / "a"))
        for harm in (Path.unlink, lambda part: part.write_bytes(part.read_bytes()[:100])):
            harm(next((tmp_path / "a" / "readings").rglob("*.parquet")))
            assert not hs.open(tmp_path / "a").verify().sound
            again = hs.audit(ROWS, "sim:prior", out=tmp_path / "a", **settings)
            assert same(again, whole)
            assert again.verify().sound


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    theirs = tmp_path / "docs" / ".photos.999999.old"
    theirs.mkdir(parents=True)
    (theirs / "precious.txt").write_text("x")
    hs.audit(ROWS, "sim:prior", out=tmp_path, probes="order")
    assert (theirs / "precious.txt").exists()


def test_a_run_at_work_is_not_measured_by_another_process(sound: Path) -> None:
    with Store.open(sound / "store.sqlite"), pytest.raises(StoreError, match="in use"):
        hs.open(sound).measure()


def test_a_run_outlives_the_plug_in_that_read_it(sound: Path, tmp_path: Path) -> None:
    run = hs.open(shutil.copytree(sound, tmp_path / "a"))
    record = (run.path / "run.toml").read_text()
    layout = run.directory.layout
    folder = layout.readings_of("text", run.directory.known.readers["text"])
    gone = shutil.copytree(folder, layout.readings_of("gone", "1"))
    for part in gone.rglob("*.parquet"):
        pl.read_parquet(part).with_columns(reader=pl.lit("gone")).write_parquet(part)
    record = record.replace('"text",\n]', '"text",\n    "gone",\n]')
    record = record.replace("[readers]\n", '[readers]\ngone = "1"\n')
    record = record.replace("asked_for = [", 'asked_for = [\n    "gone",')
    (run.path / "run.toml").write_text(record)
    (run.path / "manifest").unlink()
    again = hs.open(run.path)
    again.read("text")
    again.measure()
    again.report()
    assert again.directory.known.readers["gone"] == "1"
    assert again.estimate("accuracy", reader="text") == run.estimate("accuracy", reader="text")


def test_a_server_is_asked_with_uvloop_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Faster(asyncio.SelectorEventLoop): ...

    async def used() -> bool:
        return isinstance(asyncio.get_running_loop(), Faster)

    monkeypatch.setitem(sys.modules, "uvloop", SimpleNamespace(new_event_loop=Faster))
    monkeypatch.setitem(sys.modules, "aiohttp", SimpleNamespace())
    assert complete(used())
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert not complete(used())
