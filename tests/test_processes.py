"""Work spread over copies of the process: the same results, whatever becomes of the copies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from horsesense import processes
from horsesense.processes import SpreadWork, copies

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux")

HERE = os.getpid()


def work(n: int) -> tuple[Any, ...]:
    """Values of every kind, who made them, and more than a pipe holds."""
    return (
        n,
        os.getpid(),
        "ä\ud800",
        b"\0",
        None,
        0.1,
        float("inf"),
        {"a": [1, (2,)]},
        "x" * 100_000,
    )


def test_results_come_in_order_from_each_copy() -> None:
    with SpreadWork(work, range(7), 3) as found:
        rows = list(found)
    assert [row[0] for row in rows] == list(range(7))
    makers = [row[1] for row in rows]
    assert HERE not in makers
    assert makers[0::3] == [makers[0]] * 3
    assert len(set(makers)) == 3
    assert [(*row[:1], *row[2:]) for row in rows] == [(n, *work(n)[2:]) for n in range(7)]


def test_without_copies_it_is_done_here_when_it_is_taken() -> None:
    begun = []
    with SpreadWork(lambda n: begun.append(n) or n, range(3), 0) as found:  # type: ignore[func-returns-value]
        assert begun == []
        assert list(found) == begun == [0, 1, 2]


@pytest.mark.parametrize("end", ["killed", "error", "what cannot be sent"])
def test_what_a_copy_does_not_give_is_done_here(end: str) -> None:
    def perishable(n: int) -> Any:
        if n == 3 and os.getpid() != HERE:
            if end == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            return 1 / 0 if end == "error" else object()
        return n, os.getpid()

    with SpreadWork(perishable, range(8), 2) as found:
        rows = list(found)
    assert [n for n, _ in rows] == list(range(8))
    assert [n for n, pid in rows if pid == HERE] == [3, 5, 7]


def test_an_error_is_raised_as_if_there_were_no_copies() -> None:
    with SpreadWork(lambda n: 1 // (n - 2), range(4), 2) as found:
        taken = iter(found)
        assert (next(taken), next(taken)) == (-1, -1)
        with pytest.raises(ZeroDivisionError):
            next(taken)


def test_without_room_for_processes_it_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> int:
        raise BlockingIOError("too many processes")

    monkeypatch.setattr(os, "fork", full)
    with SpreadWork(work, range(3), 2) as found:
        assert [row[1] for row in found] == [HERE] * 3


def test_copies_end_with_the_block_and_hold_no_more_than_a_result() -> None:
    with SpreadWork(work, range(1_000), 2) as found:
        first = next(iter(found))
        assert os.path.exists(f"/proc/{first[1]}")
    assert not os.path.exists(f"/proc/{first[1]}")


def test_a_copy_leaves_ctrl_c_and_open_files_to_the_process(tmp_path: Path) -> None:
    def interrupted(_: int) -> list[str]:
        os.kill(os.getpid(), signal.SIGINT)
        return open_files()

    def open_files() -> list[str]:
        links = [f"/proc/self/fd/{n}" for n in range(3, 100)]
        return [os.readlink(link) for link in links if os.path.exists(link)]

    lock = tmp_path / "lock"
    with lock.open("w"), SpreadWork(interrupted, range(1), 1) as found:
        [there] = found
        assert str(lock) in open_files()
        assert str(lock) not in there


ORPHAN = """
import os, sys, time
from horsesense.processes import SpreadWork
with SpreadWork(lambda n: (os.getpid(), "x" * 1_000_000), range(100), 2) as found:
    taken = iter(found)
    print(next(taken)[0], next(taken)[0], flush=True)
    os.kill(os.getpid(), 9)
"""


def test_copies_of_a_process_that_was_killed_end_by_themselves() -> None:
    done = subprocess.run([sys.executable, "-c", ORPHAN], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    left = [Path(f"/proc/{pid}/cmdline") for pid in done.stdout.split()]
    assert len(left) == 2
    for _ in range(100):
        if not any(path.exists() and path.read_bytes() for path in left):
            return
        time.sleep(0.1)
    pytest.fail("a copy outlives the process that it was made from")


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    for name in processes.NOT_COPIED:
        monkeypatch.delitem(sys.modules, name, raising=False)
    return


@pytest.mark.usefixtures("two_cores")
def test_when_a_process_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    assert copies() == 2
    elsewhere: list[int] = []
    thread = threading.Thread(target=lambda: elsewhere.append(copies()))
    thread.start()
    thread.join()
    assert elsewhere == [0]
    with monkeypatch.context() as changed:
        changed.setitem(sys.modules, "torch", sys)
        assert copies() == 0
    with monkeypatch.context() as changed:
        changed.setattr(os, "sched_getaffinity", lambda pid: {0})
        assert copies() == 0
    monkeypatch.setattr(sys, "platform", "darwin")
    assert copies() == 0
