"""Long work on more than one core: in copies of this process, and its results in their order.

A copy (`fork`) has everything that this process had when it was made, so that nothing is sent to
it; what it found comes back through a pipe, which holds it up while nobody takes it. Copies change
no result: what one does not give, because it was killed or met an error, is done here again.
"""

from __future__ import annotations

import contextlib
import gc
import marshal
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Generic, NoReturn, Self, TypeVar

T = TypeVar("T")
V = TypeVar("V")

MOST: Final = 3
"""Copies at most: this process, which takes what they give, has no time for more."""
NOT_COPIED: Final = ("torch", "ray", "vllm")
"""Libraries with threads of their own, which a copy would lack and wait for."""


def copies() -> int:
    """How many copies of this process may work beside it; 0 where it cannot be copied.

    That is so elsewhere than on Linux, on a single core, in other threads than the first
    (notebooks), and once a library of `NOT_COPIED` was loaded.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return 0
    cores = len(os.sched_getaffinity(0))
    return min(cores, MOST) if cores > 1 and not sys.modules.keys() & NOT_COPIED else 0


class SpreadWork(Generic[T, V]):
    """`work` of each piece, in the order of the pieces. Copies begin when it is made.

    Within `with`, whose end ends them; each is one result ahead of what was taken at most.

    Args:
        work: gives numbers, texts, bytes, None, and tuples, lists and dicts of them. It must not
            use what other threads (polars), files or connections that are open here give.
        pieces: what is worked on.
        copies: how many; with 0, everything is done here, when it is taken.
    """

    def __init__(self, work: Callable[[T], V], pieces: Sequence[T], copies: int) -> None:
        self._work = work
        self._pieces = pieces
        few = min(copies, len(pieces))
        self._copies = [_Copy(work, pieces[place::few]) for place in range(few)]

    def __iter__(self) -> Iterator[V]:
        for place, piece in enumerate(self._pieces):
            found = self._copies[place % len(self._copies)].take() if self._copies else None
            yield self._work(piece) if found is None else marshal.loads(found)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for copy in self._copies:
            copy.end()


class _Copy:
    """A copy of this process that works through some pieces."""

    def __init__(self, work: Callable[[Any], Any], pieces: Sequence[Any]) -> None:
        self._pid: int | None = None
        self._pipe, pipe = os.pipe()
        try:
            with warnings.catch_warnings():
                # Python warns of threads, which may hold a lock: those that are here are of
                # polars and of the progress line, and a copy uses neither.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._pid = os.fork()
            if self._pid == 0:
                _be_copy(work, pieces, pipe)
        except OSError:
            pass  # no room for another process: everything is done here
        finally:
            os.close(pipe)

    def take(self) -> bytearray | None:
        """Its next result; None where it gives no more."""
        length = self._read(8)
        return None if length is None else self._read(int.from_bytes(length))

    def _read(self, size: int) -> bytearray | None:
        found = bytearray(size)
        view = memoryview(found)
        while view:
            got = os.readv(self._pipe, [view])
            if got == 0:
                return None
            view = view[got:]
        return found

    def end(self) -> None:
        """End it, whatever it does, and leave nothing of it."""
        os.close(self._pipe)
        if self._pid is not None:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)


def _be_copy(work: Callable[[Any], Any], pieces: Sequence[Any], pipe: int) -> NoReturn:
    """What a copy does; it ends without a word, and with it the pipe."""
    try:
        signal.set_wakeup_fd(-1)  # of the event loop that was copied, whose other end is not here
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that was copied
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # Locks and pipes that are open here too would outlast the death of that process.
        os.closerange(3, pipe)
        os.closerange(pipe + 1, max(os.sysconf("SC_OPEN_MAX"), 1 << 16))
        gc.freeze()  # what was copied is not looked through, which would make it a copy indeed
        for piece in pieces:
            found = marshal.dumps(work(piece))
            for part in (len(found).to_bytes(8), found):
                view = memoryview(part)
                while view:
                    view = view[os.write(pipe, view) :]
    finally:
        os._exit(0)
