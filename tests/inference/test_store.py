"""The store keeps the first answer, byte for byte, and refuses anything it cannot do safely."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import types
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damaging import spoilt
from horsesense.errors import StoreError
from horsesense.inference import store_file
from horsesense.inference.absorb import absorb
from horsesense.inference.store import Store
from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Request, Response, SamplingParams, Usage

ME = "test:model"


def ask(text: str, identity: str = ME) -> Asked:
    request = Request(messages=(("user", text),), text=None)
    return Asked(request.key(identity), request)


def answered(n: int, start: int = 0) -> list[tuple[Asked, Response]]:
    return [
        (ask(f"question {i}"), Response(f"answer {i}", usage=Usage(10, 1)))
        for i in range(start, start + n)
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "store.sqlite"


@pytest.fixture
def filled(path: Path) -> Path:
    with Store.open(path) as store:
        store.put(answered(300), identity=ME)
    return path


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
logs = st.floats(max_value=0, allow_nan=False, allow_infinity=False)


params = st.builds(
    SamplingParams,
    temperature=st.floats(0, 2),
    label_tokens=st.lists(texts, max_size=3).map(tuple),
    sample=st.integers(0, 99),
)
responses = st.builds(
    Response,
    text=texts,
    finish_reason=st.none() | texts,
    token_logprobs=st.lists(st.dictionaries(texts, logs, max_size=3), max_size=2).map(tuple),
    continuations=st.dictionaries(texts, st.tuples(logs, st.integers(1, 9)), max_size=2),
    usage=st.builds(Usage, st.none() | st.integers(0, 9), st.none() | st.integers(0, 9)),
)


def test_what_is_stored_comes_back(path: Path) -> None:
    with Store.open(path) as store:

        @given(texts, params, responses)
        def comes_back(prompt: str, params: SamplingParams, response: Response) -> None:
            request = Request(messages=None, text=prompt, params=params)
            asked = Asked(request.key(ME), request)
            response = store.get([asked.key]).get(asked.key, response)  # the first one stays
            store.put([(asked, response)], identity=ME)
            assert store.get([asked.key]) == {asked.key: response}
            assert store.requests([asked.key]) == {asked.key: request}

        comes_back()
        assert store.verify().checked == store.totals().responses > 10
        assert store.verify().sound


def test_the_first_response_stays(path: Path) -> None:
    asked = ask("twice")
    with Store.open(path) as store:
        store.put([(asked, Response("first")), (asked, Response("second"))], identity=ME)
        store.put([(asked, Response("third"))], identity=ME)
        assert store.get([asked.key])[asked.key].text == "first"
        assert store.totals().responses == 1


def test_known_and_get_take_more_keys_than_one_query(path: Path) -> None:
    with Store.open(path) as store:
        store.put(answered(1300), identity=ME)
        keys = [asked.key for asked, _ in answered(2000)]
        assert store.known(keys) == set(keys[:1300])
        found = store.get(keys)
        assert [found[key].text for key in keys[:1300]] == [f"answer {i}" for i in range(1300)]
        assert store.totals()[:3] == (1300, 13000, 1300)


def test_models_share_a_store_without_mixing(path: Path) -> None:
    mine, yours = ask("same", "model a"), ask("same", "model b")
    with Store.open(path) as store:
        store.put([(mine, Response("a"))], identity="model a")
        assert store.known([mine.key, yours.key]) == {mine.key}
        store.put([(yours, Response("b"))], identity="model b")
        assert store.verify().checked == 2


def test_failures_are_listed_until_answered(path: Path) -> None:
    lost, found = ask("lost"), ask("found")
    timeout, server = Failure("timeout", "late"), Failure("server", "broke", 500)
    with Store.open(path) as store:
        store.fail([(lost, 3, timeout), (found, 1, timeout)], identity=ME)
        store.fail([(lost, 2, server)], identity=ME)
        store.put([(found, Response("here"))], identity=ME)
        assert store.failures() == {lost.key: (lost.request, 5, server)}
        assert store.failures([found.key]) == {}
        assert store.requests([lost.key]) == {lost.key: lost.request}
        assert store.known([lost.key]) == set()
        assert store.totals().failures == 1
        assert store.verify().checked == 4


@pytest.mark.parametrize("table", ["models", "responses", "failures"])
@pytest.mark.parametrize("change", ["DELETE FROM {}", "UPDATE {} SET rowid = rowid + 1"])
def test_rows_cannot_be_changed(path: Path, table: str, change: str) -> None:
    with Store.open(path) as store:
        store.put(answered(1), identity=ME)
        store.fail([(ask("x"), 1, Failure("server", "broke"))], identity=ME)
    with pytest.raises(sqlite3.IntegrityError, match="only grows"):
        sqlite3.connect(path).execute(change.format(table))


@pytest.mark.parametrize(
    ("column", "value", "fault"),
    [
        ("response", '{"text":"better"}', "not the one that was stored"),
        ("request", '{"messages":[["user","other"]],"params":{"watch":[],"continuations":[]}}', ""),
        ("request", "{}", "cannot be read"),
        ("request", "no JSON", "cannot be read"),
        ("key", b"0123456789abcdef", "hash to"),
        ("model", 2, "hash to"),
        ("model", 0, "the model that it names is not in the store"),
    ],
)
def test_verify_finds_what_was_tampered_with(
    filled: Path, column: str, value: object, fault: str
) -> None:
    spoilt(filled.parent, "INSERT INTO models VALUES (2, 'another')")
    spoilt(filled.parent, f"UPDATE responses SET {column} = ? WHERE rowid = 7", value)
    with Store.open(filled) as store:
        verification = store.verify()
    assert verification.checked == 300
    assert len(verification.faults) == 1
    assert fault in verification.faults[0]


def test_answers_whose_model_is_gone_are_faults_and_named(
    filled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(filled)) as database, database:
        database.execute("DROP TRIGGER models_DELETE_refused")
        database.execute("DELETE FROM models")
        [(key,)] = database.execute("SELECT key FROM responses LIMIT 1")
    with Store.open(filled, read_only=True) as store:
        found = store.verify()
        assert (found.checked, len(found.faults)) == (300, 300)
        assert store.exchanges([key]) == {}
    assert "is damaged and left out" in capsys.readouterr().err


def test_a_second_process_is_told_who_writes(path: Path) -> None:
    code = "import sys; from pathlib import Path; from horsesense.inference.store import Store\n"
    code += "store = Store.open(Path(sys.argv[1])); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(StoreError, match=f"in use by another run \\(process {other.pid}\\)"):
            Store.open(path)
        with Store.open(path, read_only=True) as reader:
            assert reader.totals().responses == 0
        path.with_suffix(".lock").unlink()  # which somebody did by hand
        told = other.pid if Path("/proc/locks").exists() else "unknown"
        for _ in range(2):  # the second finds the lock file that the first has made
            with pytest.raises(StoreError, match=f"in use by another run \\(process {told}\\)"):
                Store.open(path)
        other.send_signal(signal.SIGKILL)
        other.wait()
    Store.open(path).close()  # the lock died with its holder


def test_a_run_is_held_before_its_first_answer_and_then_nothing_is_left(path: Path) -> None:
    with Store.lazy(path, lambda: None):
        for second in (Store.open, lambda path: Store.lazy(path, lambda: None)):
            with pytest.raises(StoreError, match="in use by another run"):
                second(path)
    assert not path.parent.exists()
    path.parent.mkdir()
    other = path.with_name("of somebody else")
    other.touch()
    Store.lazy(path, lambda: None).close()
    assert [*path.parent.iterdir()] == [other]


def test_a_lock_file_that_is_taken_away_while_it_is_locked_is_no_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever held it left nothing behind, just before this process locked its file."""
    locked: list[int] = []
    lock = store_file._lock

    def late(file: int) -> None:
        if not locked:
            path.with_suffix(".lock").unlink()
        locked.append(file)
        lock(file)

    monkeypatch.setattr(store_file, "_lock", late)
    with Store.lazy(path, lambda: None):
        assert len(locked) == 2
        with pytest.raises(StoreError, match="in use by another run"):
            Store.open(path)


def test_without_fcntl_a_byte_far_behind_is_locked(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, simulated: `locking` refuses a byte that is locked by another open file."""
    locked: set[int] = set()

    def locking(file: int, mode: int, size: int) -> None:
        byte = os.lseek(file, 0, os.SEEK_CUR)
        if byte in locked:
            raise PermissionError(13, "Permission denied")
        locked.update(range(byte, byte + size))

    windows = types.ModuleType("msvcrt")
    windows.LK_NBLCK, windows.locking = 2, locking  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", windows)
    with Store.open(path):
        assert len(locked) == 1
        assert min(locked) > 32, "the holder's id must stay readable"
        with pytest.raises(StoreError, match=f"in use by another run \\(process {os.getpid()}\\)"):
            Store.open(path)
    code = "import sys; sys.modules['fcntl'] = None; import horsesense.inference.store"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_reader_sees_what_a_writer_stores(path: Path) -> None:
    with Store.open(path) as writer, Store.open(path, read_only=True) as reader:
        writer.put(answered(2), identity=ME)
        assert reader.totals().responses == 2
        with pytest.raises(StoreError, match="cannot be written"):
            reader.put(answered(3), identity=ME)


@pytest.mark.parametrize("keep", [0, 50, 4096, 0.5, -1])
def test_a_truncated_store_is_refused_and_left_alone(filled: Path, keep: float) -> None:
    whole = filled.read_bytes()
    part = whole[: int(len(whole) * keep) if 0 < keep < 1 else int(keep)]
    filled.write_bytes(part)
    for read_only in (False, True):
        with pytest.raises(StoreError, match="cut short"):
            Store.open(filled, read_only=read_only)
    assert filled.read_bytes() == part
    filled.write_bytes(whole)
    with Store.open(filled) as store:
        assert store.verify().checked == 300


def test_damage_inside_is_reported(filled: Path) -> None:
    content = bytearray(filled.read_bytes())
    content[8192:24576] = os.urandom(16384)
    filled.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"), Store.open(filled) as store:  # noqa: PT012
        keys = [asked.key for asked, _ in answered(300)]
        store.get(keys)
        assert not store.verify().sound


def test_other_files_are_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("not a database, but longer than the hundred bytes of a header. " * 3)
    with pytest.raises(StoreError, match="not an SQLite database"):
        Store.open(path)
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (url)")
    with pytest.raises(StoreError, match="another program"):
        Store.open(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(StoreError, match="directory"):
        Store.open(path)


@pytest.mark.parametrize(("schema", "hint"), [(0, "older"), (2, "newer"), (999, "newer")])
def test_another_schema_is_refused(filled: Path, schema: int, hint: str) -> None:
    with sqlite3.connect(filled) as database:
        database.execute(f"PRAGMA user_version = {schema}")
    database.close()
    before = filled.read_bytes()
    with pytest.raises(StoreError, match=hint):
        Store.open(filled)
    assert filled.read_bytes() == before


@pytest.mark.parametrize("read_only", [True, False])
def test_another_schema_is_refused_where_only_the_log_tells(filled: Path, read_only: bool) -> None:
    with closing(sqlite3.connect(filled)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA user_version = 999")
        with pytest.raises(StoreError, match="newer"):
            Store.open(filled, read_only=read_only)


def test_a_missing_store_cannot_be_read(path: Path) -> None:
    with pytest.raises(StoreError, match="No such file"):
        Store.open(path, read_only=True)
    assert not path.exists()


def test_a_half_made_store_is_made_again(path: Path) -> None:
    path.parent.mkdir()
    path.with_suffix(".new").write_bytes(b"killed while making it")
    with Store.open(path) as store:
        assert store.totals().responses == 0


def become_ordinary() -> None:
    if os.geteuid() == 0:
        os.seteuid(65534)


def test_a_read_only_directory(folder_of_all: Path) -> None:
    path = folder_of_all / "store.sqlite"
    with Store.open(path) as store:
        store.put(answered(5), identity=ME)
    for name in folder_of_all.iterdir():
        name.chmod(0o444)
    folder_of_all.chmod(0o555)
    become_ordinary()
    with pytest.raises(StoreError, match=r"Permission denied.*\n.*choose another --out"):
        Store.open(path)
    with pytest.raises(StoreError, match="Permission denied"):
        Store.open(folder_of_all / "new" / "store.sqlite")
    with Store.open(path, read_only=True) as store:
        assert store.totals().responses == 5


def test_a_full_disk_loses_nothing_stored(path: Path) -> None:
    with Store.open(path) as store:
        store.put(answered(100), identity=ME)
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match=r"the disk is full.*\nEverything stored before"):
            store.put(answered(2000, start=100), identity=ME)
        assert store.totals().responses == 100
    with Store.open(path) as store:  # the limit went with the connection: there is space again
        store.put(answered(2000, start=100), identity=ME)
        assert store.totals().responses == 2100
        assert store.verify().sound


def test_a_write_that_the_system_refuses(filled: Path) -> None:
    with Store.open(filled) as store:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        try:
            with pytest.raises(StoreError, match="disk"):
                store.put(answered(3000, start=300), identity=ME)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        store.put(answered(1, start=300), identity=ME)
    with Store.open(filled) as store:
        assert store.verify().checked == 301
        assert store.verify().sound


def test_many_stores_take_no_more_memory_than_one(tmp_path: Path) -> None:
    """A hundred shards, each with the pages of one that is read alone, would take gigabytes."""
    with ExitStack() as stack:
        whole, *shards = (
            stack.enter_context(Store.open(tmp_path / str(n) / "store.sqlite")) for n in range(9)
        )
        absorb(whole, shards)
        sizes = [size for shard in shards for (size,) in shard.rows("PRAGMA cache_size")]
    assert sizes == [-(2**16) // 8] * 8  # in KiB


# -- network folders --------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="replaces fcntl")
def test_a_folder_without_locks_is_refused_and_says_what_to_do(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("fcntl.flock", Mock(side_effect=OSError(errno.ENOLCK, "no locks")))
        with pytest.raises(StoreError, match="no locks that hold") as refused:
            Store.open(path)
        assert "on a disk of this machine" in (refused.value.hint or "")
        assert not path.exists()
        store_file.create(path)
        path.with_name(f"{path.name}-wal").write_bytes(b"a log")
        with pytest.raises(StoreError, match="no locks that hold"):
            Store.open(path, read_only=True)
    fault = sqlite3.OperationalError("disk I/O error")
    fault.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMMAP
    with pytest.raises(StoreError, match="no locks that hold"), store_file.explained(path):
        raise fault


def test_names_that_come_late_lose_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another machine has made the store, and this one does not see it yet, nor its own lock."""
    [(asked, response)] = answered(1)
    with Store.open(path) as store:
        store.put([(asked, response)], identity=ME)
    stat, late = os.stat, {str(path): 2, str(path.with_suffix(".lock")): 1}

    def seen(name: Any, **given: Any) -> os.stat_result:
        if late.get(str(name), 0) > 0:
            late[str(name)] -= 1
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        return stat(name, **given)

    monkeypatch.setattr(os, "stat", seen)
    with Store.lazy(path, lambda: None) as store:
        store.begin()
        assert store.get([asked.key]) == {asked.key: response}
    assert set(late.values()) == {0}


_NEIGHBOUR = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store:
    print(store.execute("SELECT count(*) FROM responses").fetchone()[0])
store.close()
"""


def _peek(path: Path) -> int:
    """Another program opens and closes the store; what it counts there."""
    words = [sys.executable, "-c", _NEIGHBOUR, str(path)]
    return int(subprocess.run(words, capture_output=True, check=True).stdout)


def test_a_neighbour_that_closes_the_store_takes_no_log_away(path: Path) -> None:
    log = Path(f"{path}-wal")
    with Store.open(path) as store:
        store.put(answered(3), identity=ME)
        for look in ("has_locks", "reader", "nothing"):
            if look == "has_locks":
                assert store_file.has_locks(path)
            elif look == "reader":
                Store.open(path, read_only=True).close()
            if sys.platform == "linux":
                assert f":{path.stat().st_ino} " in Path("/proc/locks").read_text(), look
            assert (_peek(path), log.exists()) == (3, True), look
        kept = shutil.copytree(path.parent, path.parent.with_name("killed"))
        store.put(answered(3, 3), identity=ME)
    assert (_peek(kept / path.name), _peek(path)) == (3, 6)


def test_a_reader_that_shares_its_process_keeps_its_lock(filled: Path) -> None:
    with Store.open(filled, read_only=True) as one, Store.open(filled, read_only=True):
        assert (store_file.has_locks(filled), one.answered()) == (True, 300)
        if sys.platform == "linux":
            assert f":{filled.stat().st_ino} " in Path("/proc/locks").read_text()


@pytest.mark.parametrize("loss", ["log removed", "store removed", "store replaced"])
def test_a_file_that_is_taken_away_while_answers_come_stops_them(path: Path, loss: str) -> None:
    with Store.open(path) as store:
        store.put(answered(3), identity=ME)
        if loss == "store replaced":
            shutil.copy(path, path.with_suffix(".copy"))
            path.with_suffix(".copy").replace(path)
        else:
            Path(f"{path}-wal" if loss == "log removed" else path).unlink()
        with pytest.raises(StoreError, match="another program removed or replaced it") as told:
            store.put(answered(3, 3), identity=ME)
        store.close()
    if loss != "log removed":
        assert "store.kept.sqlite" in (told.value.hint or "")
        path.with_name("store.kept.sqlite").replace(path)
    with Store.open(path) as store:  # what was paid for is there
        assert (store.totals().responses, store.verify().faults) == (6, ())


def test_answers_that_the_file_lacks_at_the_end_are_an_error(filled: Path) -> None:
    store = Store.open(filled)
    store.put(answered(3, 300), identity=ME)
    with closing(sqlite3.connect(filled)) as other:  # that keeps the log from being folded in
        other.execute("SELECT count(*) FROM models").fetchone()
        for beside in ("wal", "shm"):
            Path(f"{filled}-{beside}").unlink()
        with pytest.raises(StoreError, match="holds 300 of 303 answers"):
            store.__exit__(None, None, None)
