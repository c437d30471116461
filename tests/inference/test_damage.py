"""A damaged answer is never read: it is set aside, named, and asked again."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import signal
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

import horsesense as hs
from command_line import call
from damaging import spoilt
from horsesense.errors import StoreError
from horsesense.files import replace_folder, write_whole
from horsesense.inference.store import Store
from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Request, Response, SamplingParams, Usage

N = 120
MODEL = "sim:x"


def question(i: int) -> Asked:
    request = Request((("user", f"Which of these is number {i}? A, B, C or D"),), None)
    return Asked(request.key(MODEL), request)


def answer(i: int) -> Response:
    return Response("ABCD"[i % 4] + " é", "stop", ({"A": -0.5, "B": -1.5},), usage=Usage(9, 1))


ASKED = [question(i) for i in range(N)]
KEYS = [asked.key for asked in ASKED]
ANSWERS = {asked.key: answer(i) for i, asked in enumerate(ASKED)}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "store.sqlite"
    lost = Request(None, "lost", SamplingParams())
    with Store.open(path) as store:
        store.put(list(zip(ASKED, ANSWERS.values(), strict=True)), identity=MODEL)
        store.fail([(Asked(lost.key(MODEL), lost), 2, Failure("server", "no"))], identity=MODEL)
    return path


def use(path: Path) -> int:
    """Everything that reads a store: answers are right or missing. The number of those missing."""
    with Store.open(path) as store:
        known = store.known(KEYS)
        found = store.get(KEYS)
        assert known == found.keys()
        assert all(found[key] == ANSWERS[key] for key in found)
        sent = store.requests(KEYS)
        assert all(sent.get(asked.key) in (asked.request, None) for asked in ASKED)
        store.failures()
        store.totals()
        store.spent()
        store.verify()
        missing = [asked for asked in ASKED if asked.key not in found]
        store.put([(asked, ANSWERS[asked.key]) for asked in missing], identity=MODEL)
        assert store.get(KEYS) == ANSWERS
    return len(missing)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(2))
def test_single_bits(sound: Path, tmp_path: Path, part: int) -> None:
    """Flipped anywhere in the file, 120 in all; an error of the tool's own says what to do."""
    content = sound.read_bytes()
    draw = random.Random(part)
    missing = refused = unexplained = 0
    for i in range(60):
        at = draw.randrange(len(content) * 8)
        damaged = bytearray(content)
        damaged[at // 8] ^= 1 << at % 8
        path = tmp_path / str(i) / "store.sqlite"
        path.parent.mkdir()
        path.write_bytes(damaged)
        try:
            missing += use(path)
        except StoreError as error:
            refused += bool(error.hint)
            unexplained += not error.hint
    assert missing >= 5
    assert refused <= 25
    assert not unexplained


@pytest.mark.parametrize("column", ["response", "digest", "key", "request"])
def test_what_is_damaged_is_named_and_asked_again(
    sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str
) -> None:
    path = tmp_path / "store.sqlite"
    shutil.copy(sound, path)
    key = KEYS[7]
    texts = {"response": "'D', 'A'", "request": "'number', 'letter'"}
    to = f"replace({column}, {texts[column]})" if column in texts else "x'00'"
    spoilt(tmp_path, f"UPDATE responses SET {column} = {to} WHERE key = ?", key)
    with Store.open(path, read_only=True) as store:
        found = store.get(KEYS)
        faults = store.verify().faults
    assert any(key.hex() in fault for fault in faults) or column == "key"
    assert set(KEYS) - found.keys() == ({key} if column != "request" else set())
    if column == "request":  # the answer is sound, what is shown of the question is not
        with Store.open(path, read_only=True) as store:
            assert key not in store.requests([key])
        return
    assert (key.hex() in capsys.readouterr().err) is (column != "key")
    with Store.open(path) as store:
        assert key not in store.known(KEYS)
        store.put([(ASKED[7], ANSWERS[key])], identity=MODEL)
        assert store.get(KEYS) == ANSWERS
        aside = store._connection.execute("SELECT count(*) FROM damaged").fetchone()[0]
        assert aside == (column != "key")
        with pytest.raises(sqlite3.IntegrityError, match="only grows"):
            store._connection.execute("DELETE FROM responses")
    with Store.open(path, read_only=True) as store:
        assert store.verify().sound or column == "key"


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"


@pytest.mark.parametrize("name", ["models", "responses", "failures", "spending", "more"])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_view_in_the_place_of_a_table(
    sound: Path, tmp_path: Path, name: str, read_only: bool
) -> None:
    path = tmp_path / "store.sqlite"
    shutil.copy(sound, path)
    with sqlite3.connect(path) as database:
        found = [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
        columns = ", ".join(f"i AS {column}" for column in found or ["x"])
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute(f"DROP TABLE IF EXISTS {name}")
        database.execute(f"CREATE VIEW {name} AS {ENDLESS.format(columns)}")
    with pytest.raises(StoreError, match="is not one that horsesense makes") as found:
        Store.open(path, read_only=read_only)
    assert ("drop it there" in str(found.value.hint)) is (name == "more")
    if name == "more":
        with sqlite3.connect(path) as database:
            database.execute("DROP VIEW more")
        Store.open(path, read_only=read_only).close()


def test_a_query_ends_by_itself_and_by_ctrl_c(sound: Path, request: pytest.FixtureRequest) -> None:
    async def within(store: Store, query: str) -> None:
        list(store.rows(query))

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    with Store.open(sound, read_only=True) as store:
        query = ENDLESS.format("i") + " WHERE i < 0"
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            list(store.rows(query))
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(within(store, query))
        assert not store._connection.late
        store._connection.most = 2
        with pytest.raises(StoreError, match="does not end"):
            list(store.rows(query))
        assert len(store.get(KEYS)) == N


def test_an_audit_mends_its_run(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["audit", "sample", "--model", "sim:prior", "--probes", "order", "--out", str(out)]
    words += ["--limit", "12"]
    call(*words, code=0)
    before = hs.open(out).results.estimates
    content = (out / "store.sqlite").read_bytes()
    place = re.search(rb'\{"text":"A"', content)
    damaged = content[: place.end() - 2] + b"B" + content[place.end() - 1 :]
    (out / "store.sqlite").write_bytes(damaged)
    shutil.rmtree(out / "readings")
    done = call("report", out)
    assert "is damaged and left out" in done.stderr
    assert "1 of 720 prompts have no reading" not in done.stderr
    assert hs.open(out).results.estimates != before
    call(*words, code=0)
    assert hs.open(out).results.estimates == before


def test_nobody_else_reads_a_run(tmp_path: Path) -> None:
    out = tmp_path / "some" / "run"
    words = ["audit", "sample", "--model", "sim:prior", "--probes", "order", "--limit", "5"]
    call(*words, "--out", out, code=0)
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in out.rglob("*") if path.is_file()}
    assert len(modes) > 5
    assert set(modes.values()) == {0o600}, modes
    with Store.open(out / "store.sqlite") as store:
        store.put([(ASKED[0], ANSWERS[KEYS[0]])], identity=MODEL)
        for path in out.glob("store.*"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_what_its_owner_opened_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_whole(path, "one")
    path.chmod(0o644)
    write_whole(path, "two")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_folder_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for write in (lambda: write_whole(Path(), "text"), lambda: replace_folder(tmp_path, Path())):
        with pytest.raises(StoreError, match=r"^\. could not be written"):
            write()


def test_a_device_or_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "null").symlink_to("/dev/null")
    for name in ("pipe", "null"):
        with pytest.raises(StoreError, match="it is a device or a pipe"):
            write_whole(tmp_path / name, "text")
        assert not (tmp_path / name).is_file()


def test_a_folder_that_takes_the_place_of_one_that_was_moved_gets_nothing(tmp_path: Path) -> None:
    path, answer = tmp_path / "run" / "store.sqlite", [(ASKED[0], ANSWERS[KEYS[0]])]
    for begun in (True, False):
        store = Store.lazy(path, lambda: None)
        if begun:
            store.put(answer, identity=MODEL)
        path.parent.rename(tmp_path / f"moved-{begun}")
        for there in ("nothing", "another run"):
            with pytest.raises(StoreError, match="was moved or removed"):
                store.put(answer, identity=MODEL)
            assert path.parent.exists() == (there == "another run")
            path.parent.mkdir(exist_ok=True)
        store.close()
        assert not path.exists()
        shutil.rmtree(path.parent, ignore_errors=True)
