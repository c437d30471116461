"""Runs and studies that others made: nothing outside them is touched, and reading them ends."""

from __future__ import annotations

import json
import os
import random
import shutil
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import polars as pl
import pytest

import horsesense
from command_line import call
from damaging import journal_naming, rewritten
from horsesense.api import Run
from horsesense.errors import HorsesenseError, StoreError, UsageError
from horsesense.files import read_whole, write_again
from horsesense.hosts import makes, opened, unnamed
from horsesense.inference.store import Store
from horsesense.prompts import load_template
from horsesense.runs.layout import version_one
from horsesense.runs.parts import MOST, readable
from horsesense.runs.redacted import unpacked
from horsesense.runs.settings import Settings
from horsesense.runs.studies import StudyFile
from horsesense.runs.tables import READINGS
from horsesense.trials.history import load_history
from horsesense_extras.old_runs import _reader_names
from horsesense_extras.paper_check import check_file
from horsesense_extras.readers.trained.saved import Manifest
from horsesense_extras.redact import MARK, secret, write_redacted
from studies import items_file, study

VICTIM = "what the user wrote\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("of-others")
    study(6, "sim:prior", root / "run", probes=("order",))
    return root / "run"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    (run := Path(shutil.copytree(made, tmp_path / "run")) / "manifest").unlink()  # they forged it
    return run.parent


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim"
    path.write_text(VICTIM)
    return path


PARTS = (
    *("run.toml", "items.json", "asked.json", "estimates.json", "reviews.json", "report.html"),
    *("store.sqlite", "store.sqlite-wal", "store.sqlite-journal", "store.lock"),
    "trials/stage-1/000000.parquet",
)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("make", [os.symlink, None], ids=["link", "pipe"])
def test_a_part_that_is_no_file(
    run: Path, victim: Path, part: str, make: Callable[[Path, Path], None] | None
) -> None:
    (run / part).unlink(missing_ok=True)
    if make is None:
        os.mkfifo(run / part)
    else:
        make(victim, run / part)
    for command in ("report", "verify"):
        done = call(command, run, code=3)
        assert part in done.stderr
    assert victim.read_text() == VICTIM


def test_a_journal_that_names_a_file_to_delete(run: Path, victim: Path) -> None:
    journal = journal_naming(run / "store.sqlite", victim)
    items = str(items_file(run.parent / "items.jsonl", 6))
    read = ("read", str(run), "--readers", "text")
    audit = ("audit", items, "--model", "sim:prior", "--out", str(run), "--probes", "order")
    for words in (read, audit, ("verify", str(run))):
        done = call(*words, code=3)
        assert "delete another file" in done.stderr
    assert victim.read_text() == VICTIM
    os.truncate(journal, 512)  # what a killed process leaves, which names none
    left = journal.read_bytes()
    journal.write_bytes(left[:16] + (1).to_bytes(4, "big") + left[20:])  # cuts to one page
    assert "is not one that horsesense makes" in call(*read).stderr
    journal.write_bytes(left)
    call(*read, code=0)
    assert Run.open(run).verify().sound


@pytest.mark.parametrize("folder", ["trials", "readings", ".readings.1.old", "trials/stage-1"])
def test_a_folder_that_is_a_link(run: Path, tmp_path: Path, folder: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in (".mine.1.part", "000000.parquet"):
        (elsewhere / name).write_text(VICTIM)
    if (run / folder).exists():
        shutil.rmtree(run / folder)
    (run / folder).symlink_to(elsewhere)
    words = ["audit", str(run.parent / "items.jsonl"), "--model", "sim:prior", "--out", str(run)]
    items_file(run.parent / "items.jsonl", 6)
    for one in (("report", run), (*words, "--probes", "order")):
        assert f"{folder} is a link" in call(*one, code=3).stderr
    assert {path.name: path.read_text() for path in elsewhere.iterdir()} == {
        ".mine.1.part": VICTIM,
        "000000.parquet": VICTIM,
    }


@pytest.mark.parametrize("table", ["trials", "readings/text-*"])
def test_a_part_that_is_gone(run: Path, tmp_path: Path, table: str) -> None:
    """As after a copy that was cut short: nothing is told from what is left of it."""
    for part in run.glob(f"{table}/stage-1/*.parquet"):
        part.unlink()
    done = call("export", run, tmp_path / "out", "--to", "csv", code=3)
    assert "lacks a part that was written" in done.stderr
    call("verify", run, code=3)
    assert "made again" in call("report", run).stderr
    assert Run.open(run).verify().sound


@pytest.mark.parametrize(("named", "sent"), [(None, False), ("http:m@https://a.example/v1", True)])
def test_an_opened_run_names_no_server_for_keys(
    run: Path, monkeypatch: pytest.MonkeyPatch, named: str | None, sent: bool
) -> None:
    def tried(*_: object, **__: object) -> None:
        raise UsageError(unnamed("https://a.example/v1") or "named")

    monkeypatch.setattr("horsesense.api.runs.model_of", tried)
    monkeypatch.setattr("horsesense.runs.run.make_reader", tried)
    for act in (
        lambda: Run.open(run).ask(named),
        lambda: Run.open(run).read(*filter(None, [named])),
    ):
        with pytest.raises(UsageError, match="named" if sent else r"https://a\.example"):
            act()
    assert not unnamed("https://a.example/v1")


def test_a_trained_reader_that_a_run_names_is_not_loaded(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = (run / "run.toml").read_text()
    (run / "run.toml").write_text(told.replace('"text"', '"trained:run/theirs"'))
    loaded = Mock(side_effect=UsageError("loaded"))
    monkeypatch.setattr("horsesense.readers.registry.make_bulk_reader", loaded)
    Run.open(run).measure()
    Run.open(run).read()
    with pytest.raises(UsageError, match="loaded"):
        Run.open(run).read("trained:run/theirs")


@pytest.mark.parametrize("theirs", ["http:m", "hf:theirs", "inspect:mockllm/model"])
def test_asking_makes_no_model_that_the_run_alone_names(run: Path, theirs: str) -> None:
    told = (run / "run.toml").read_text()
    (run / "run.toml").write_text(
        told.replace('"sim:prior"', f'"{theirs}"').replace('"text"', f'"judge:{theirs}"')
    )
    with pytest.raises(UsageError, match=f"alone names {theirs}"):
        Run.open(run).ask()
    with pytest.raises(UsageError, match=f"run names {theirs}"):
        Run.open(run).ask(engine=Mock())
    with opened(f"judge:{theirs}"):
        assert makes(theirs)
        assert not makes(theirs[-1])


def test_what_is_not_ours_in_a_run_may_be_anything(run: Path, victim: Path) -> None:
    (run / "notes").symlink_to(victim)
    (run / "manifest").write_text(f"{'0' * 32} b\n{'0' * 32} a\0b\n")  # no file that can be
    assert Run.open(run).verify().sound


def test_a_store_by_itself(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "store.lock").symlink_to(victim)
    with pytest.raises(StoreError, match=r"store\.lock is a link"):
        Store.open(tmp_path / "store.sqlite")
    assert victim.read_text() == VICTIM


@pytest.mark.parametrize(
    "read",
    [StudyFile.load, check_file, secret, read_whole],
    ids=["study", "claims", "salt", "whole"],
)
def test_a_pipe_in_the_place_of_a_file(tmp_path: Path, read: Callable[[Path], object]) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises((UsageError, OSError), match=r"not a regular file|does not hold a key"):
        read(tmp_path / "pipe")


def test_pipes_among_templates_and_in_a_trained_reader(tmp_path: Path) -> None:
    for name in ("choice.j2", "reader.json", "study.toml"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(UsageError, match=r"choice\.j2 cannot be read: it is not a regular file"):
        load_template("choice", tmp_path)
    with pytest.raises(UsageError, match="trained reader: it is not a regular file"):
        Manifest.load(tmp_path)
    with pytest.raises(UsageError, match="is not a file"):
        version_one(tmp_path)


def test_what_a_command_writes_again_replaces_its_own_alone(tmp_path: Path, victim: Path) -> None:
    write_again(tmp_path / "it.csv", "model,accuracy\n1\n")
    write_again(tmp_path / "it.csv", "model,accuracy\n2\n")
    assert (tmp_path / "it.csv").read_text().endswith("2\n")
    with pytest.raises(UsageError, match="is there already"):
        write_again(victim, "model,accuracy\n")
    assert victim.read_text() == VICTIM


def test_a_device_and_a_file_that_is_too_large(run: Path) -> None:
    (run / "items.json").unlink()
    (run / "items.json").symlink_to("/dev/zero")
    with pytest.raises(StoreError, match="is a link"):
        horsesense.open(run)
    (run / "items.json").unlink()
    (run / "items.json").touch()
    os.truncate(run / "items.json", 2**40)
    with pytest.raises(StoreError, match=r"items\.json cannot be read: it is larger than"):
        horsesense.open(run)


def test_runs_that_are_reached_by_a_link_are_runs(run: Path, tmp_path: Path) -> None:
    (tmp_path / "name").symlink_to(run)
    assert Run.open(tmp_path / "name").verify().sound


DEEP = b"a = " + b"[" * 3000 + b"]" * 3000


def test_settings_nested_deeply(run: Path, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_bytes(DEEP)
    with pytest.raises(UsageError, match=r"study\.toml cannot be read: .* nested too deeply"):
        StudyFile.load(tmp_path)
    (run / "run.toml").write_bytes(DEEP)
    with pytest.raises(HorsesenseError, match=r"run\.toml cannot be read: .* nested too deeply"):
        horsesense.open(run)
    (run / "run.toml").write_text("a" + ".a" * 50_000 + " = 1")
    with pytest.raises(HorsesenseError, match="too many parts"):
        horsesense.open(run)
    (run / "run.toml").write_text(f"a = {2**64}")
    with pytest.raises(HorsesenseError, match="too large"):
        horsesense.open(run)


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return path


def test_a_small_file_that_unpacks_to_a_large_one(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "bomb.zip", {"estimates.json": b"0" * 80 * 2**20})
    done = call("gate", bomb, "--require", "accuracy > 0.5", code=2)
    assert "bomb.zip is neither a run directory nor a redacted run: its files take" in done.stderr


def test_unpacking_takes_no_memory(made: Path, tmp_path: Path) -> None:
    """A file that grows a hundredfold, but no more, is written piece by piece."""
    rest = bytes(random.Random(0).randbytes(2**20))
    inside = {"trials/stage-1/000000.parquet": rest, "items.json": b" " * 60 * 2**20}
    packed = zipped(tmp_path / "large.zip", inside)
    tracemalloc.start()
    with pytest.raises(StoreError, match=f"it has no {MARK}"):
        unpacked(packed)
    assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    tracemalloc.stop()


def test_errors_name_the_file_that_was_packed(made: Path, tmp_path: Path) -> None:
    good = write_redacted(Run.open(made).results, tmp_path / "good.zip", bytes(32))
    with zipfile.ZipFile(good) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    for name in ("estimates.json", "run.toml", "items.json"):
        bad = zipped(tmp_path / "bad.zip", {**files, name: b"{"})
        with pytest.raises(StoreError, match=rf"^{bad}: {name} cannot be read"):
            horsesense.open(bad)


NAMELESS = b'{"name": [1], "kind": "choice", "items": []}'
GOLDLESS = b'{"name": "x", "kind": "choice", "items": [{"id": "q", "question": "", "options": [], \
"gold": 7}]}'


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("items.json", b"{", "Invalid JSON: EOF while parsing an object at line 1 column 1."),
        ("items.json", b"{}", "items: Field required; shots: Field required."),
        ("items.json", b'{"items": %s, "shots": null}' % NAMELESS, "items.name: Input should be a"),
        (
            "items.json",
            b'{"items": %s, "shots": null}' % GOLDLESS,
            "the right answer of 'q' is none",
        ),
        ("run.toml", b"x = ", "it is not TOML"),
        ("run.toml", b"\xff", "its byte 1 is no text in UTF-8."),
        ("run.toml", b"", "settings: Field required; items: Field required"),
    ],
)
def test_a_damaged_file_says_what_is_wrong_and_what_to_do(
    run: Path, name: str, content: bytes, says: str
) -> None:
    (run / name).write_bytes(content)
    with pytest.raises(StoreError) as error:
        horsesense.open(run)
    assert f"{run / name} cannot be read: {says}" in error.value.message
    assert "safe in store.sqlite" in (error.value.hint or "")


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found["estimates"][0].update(value="0.5"),
        lambda found: found["estimates"][0].update(n=None),
        lambda found: found["estimates"][0].update(probe=["order"]),
        lambda found: found.pop("readers"),
        lambda found: found.update(probes={}),
        lambda found: found["dataset"].update(name=7),
    ],
)
def test_estimates_of_another_kind(run: Path, change: Callable[[dict[str, Any]], object]) -> None:
    rewritten(run / "estimates.json", change)
    done = call("gate", run, "--require", "accuracy > 0.5", code=2)
    assert "estimates.json cannot be read" in done.stderr


@pytest.mark.parametrize(
    "change", [{"agreement": "text"}, {"compared": "text"}, {"reviewers": "text"}]
)
def test_reviews_of_another_kind(run: Path, change: dict[str, Any]) -> None:
    sound = {"classes": {}, "reviewers": [], "agreement": None, "compared": 0, "disagreements": 0}
    (run / "reviews.json").write_text(json.dumps({**sound, **change}))
    done = call("report", run, code=3)
    assert "reviews.json: " in done.stderr


@pytest.mark.parametrize(
    "change", [{"excluded": [{"probe": "order", "reason": "none", "items": 5}]}, {"probes": []}]
)
def test_what_was_asked_lacks_a_part(run: Path, change: dict[str, Any]) -> None:
    rewritten(run / "asked.json", lambda asked: asked.update(change))
    assert "asked.json cannot be read" in call("report", run).stderr


def test_a_table_of_many_equal_rows(run: Path) -> None:
    [path] = (run / "trials" / "stage-1").iterdir()
    rows = pl.read_parquet(path)
    pl.concat([rows, rows[[0] * 50_000]]).write_parquet(path)
    done = call("report", run, code=3)
    assert "trials holds a row twice" in done.stderr
    more = rows[[0] * 50_000].with_columns(trial=pl.int_range(50_000, dtype=pl.UInt32))
    more.write_parquet(path)
    done = call("report", run, code=3)
    assert "trials holds 50,000 trials where asked.json says" in done.stderr


def test_a_trial_about_an_item_that_is_not_there(run: Path) -> None:
    [path] = (run / "trials" / "stage-1").iterdir()
    rows = pl.read_parquet(path)
    most = pl.max_horizontal("item", pl.lit(2**29, pl.UInt32))
    rows.with_columns(item=pl.when(pl.int_range(pl.len()) == 3).then(most).otherwise("item")).cast(
        rows.schema
    ).write_parquet(path)
    with pytest.raises(StoreError, match="trials speaks of item 536,870,912, and there are 6"):
        Run.open(run).measure()


def test_a_trial_that_stands_twice(run: Path) -> None:
    [path] = (run / "trials" / "stage-1").iterdir()
    rows = pl.read_parquet(path)
    pl.concat([rows, rows[[3]]]).write_parquet(path)
    assert "trials: 1 stand there twice" in Run.open(run).verify().faults


def test_a_table_whose_end_alone_is_sound(run: Path) -> None:
    [path] = run.glob("readings/text-*/stage-1/*.parquet")
    data = path.read_bytes()
    path.write_bytes(data[:4] + b"\x1c" * 200 + data[204:])
    with pytest.raises(StoreError, match=r"The tables of .* cannot be read"):
        Run.open(run).report()


def test_a_table_that_grows_to_any_length(run: Path) -> None:
    [path] = run.glob("readings/text-*/stage-1/*.parquet")
    pl.read_parquet(path).head(1).select(pl.all().repeat_by(MOST + 1).explode()).write_parquet(path)
    (run / "manifest").unlink(missing_ok=True)
    done = call("export", run, "--to", "csv", "--out", run / "out", code=3)
    assert "it has more than 1,000,000 rows" in done.stderr
    [trials] = run.glob("trials/*/*.parquet")
    pl.read_parquet(trials).with_columns(pl.lit(1).alias("\x1b[2J")).write_parquet(trials)
    assert "\x1b" not in call("verify", run).stdout


def test_a_model_that_a_run_names_is_not_made(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (run / "run.toml").read_text()
    for place in ("asked_for = [", "\nreaders = ["):
        text = text.replace(place, f'{place}"judge:hf:x", ')
    (run / "run.toml").write_text(text)
    monkeypatch.setattr("horsesense.readers.registry.make_bulk_reader", Mock(side_effect=OSError))
    (run / "asked.json").unlink()
    assert [*_reader_names({"readers": ["judge:hf:x"]})] == ["judge:hf:x"]  # of 0.1.0
    Run.open(run).read()
    Run.open(run).report()
    assert Run.open(run).verify().sound
    call("merge", run, "--out", run.parent / "merged", code=0)
    (run / "manifest").unlink()
    (run / "run.toml").write_text(text.replace("[readers]", '[readers]\n"judge:hf:x" = "0"'))
    Run.open(run).read("text")
    with pytest.raises(OSError, match=r"^$"):
        Run.open(run).read("judge:hf:x")  # whoever types it has it
    text = text.replace('identity = "', 'identity = "replay:').replace("sim:prior", "hf:x", 1)
    (run / "manifest").unlink()
    (run / "run.toml").write_text(text)
    (run / "asked.json").unlink()
    with pytest.raises(UsageError, match="alone names hf:x: it is not made"):
        Run.open(run).measure()


def test_a_run_that_only_a_judge_reads_and_was_stopped(tmp_path: Path) -> None:
    settings = Settings.of(items="sample", model="sim:oracle", limit=2, readers=["judge:http:m"])
    Run.start(tmp_path / "r", settings).ask(tell=None)
    done = call("report", tmp_path / "r")
    assert (done.returncode, "No reply has been read yet." in done.stderr) == (3, True)
    trials = Run.open(tmp_path / "r").directory.trials()
    assert load_history(trials, pl.LazyFrame(schema=READINGS), ()).by_item == {}


def test_memory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="take more memory than there is"), readable(tmp_path):
        raise MemoryError("2 TiB")


def test_a_study_writes_into_its_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, away = tmp_path / "here", tmp_path / "away"
    items_file(tmp_path / "items.jsonl", 6)
    here.mkdir()
    away.mkdir()
    text = f'models = ["sim:prior"]\nitems = ["{tmp_path / "items.jsonl"}"]\n'
    text += '[settings]\nprobes = ["order"]\n'
    (here / "link").symlink_to(away)
    for out in ("../away", str(away), "link", "link/further"):
        (here / "study.toml").write_text(f'out = "{out}"\n{text}')
        done = call("run", here, code=2)
        assert "not in its own folder" in done.stderr
    (here / "study.toml").write_text(text)
    (here / "sim-prior-items").symlink_to(away)
    done = call("run", here, code=2)
    assert "is a link" in done.stderr
    monkeypatch.chdir(here)
    (here / "study.toml").write_text(f'out = "file:{away}/notes.sqlite?mode=rwc&x="\n{text}')
    call("run", "study.toml", code=0)
    assert not list(away.iterdir())
    (here / "sim-prior-items").unlink()
    (here / "study.toml").write_text(f'out = "../away"\n{text}')
    call("run", here, "--out", away, code=0)
    assert [path.name for path in away.glob("*/run.toml")]
