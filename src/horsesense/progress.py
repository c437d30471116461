"""Progress on stderr: rate, time left and a note, for work that takes more than two seconds.

A terminal gets a live line, anything else a plain line every five seconds, also where nothing
comes back meanwhile: a thread sees to that. Of progress inside progress, only the inner is shown.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Final, Self, TextIO
from unicodedata import category

QUIET: Final = 2.0  # seconds before anything is shown
LINE_EVERY: Final = 5.0
LIVE_EVERY: Final = 0.2
BEAT: Final = 0.5  # seconds between two looks of the thread


_under_way: Final[list[Progress]] = []
"""What is under way, the innermost last."""


class Progress:
    """Counts work done; call it with the number of units just finished.

    Within `with`, it is shown to be alive; it can be entered again and goes on.

    Attributes:
        label: what is being done ("asking").
        total: units of work; None where unknown.
        about: whether `total` is an estimate.
        done: units finished.
        skipped: units of `done` that took no work, left out of the rate.
        note: gives a short text (cost, failures) whenever a line is shown.
    """

    def __init__(
        self,
        label: str,
        total: int | None = None,
        stream: TextIO | None = None,
        *,
        about: bool = False,
    ) -> None:
        self.label = label
        self.total = total
        self.about = about
        self.done = 0
        self.skipped = 0
        self.note: Callable[[], str] = str
        self._stream = sys.stderr if stream is None else stream
        self._live: Any = None
        self._started = time.monotonic()
        self._next = self._started + QUIET
        self._moved = self._started
        self._shown = False
        self._drawing = threading.Lock()
        self._ended = threading.Event()
        self._heart: threading.Thread | None = None

    def __enter__(self) -> Self:
        _under_way.append(self)
        self._ended.clear()
        self._heart = threading.Thread(target=self._beat, daemon=True)
        self._heart.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._heart is not None:
            self._heart.join()
        _under_way.remove(self)
        self.close()

    def __call__(self, n: int = 1, *, skipped: bool = False) -> None:
        self.done += n
        self._moved = time.monotonic()
        if skipped:
            self.skipped += n
        self.alive()

    def at(self, done: int, skipped: int) -> None:
        """So much is done by now, as somebody else counts it."""
        if done != self.done:
            self._moved = time.monotonic()
        self.done, self.skipped = done, skipped
        self.alive()

    def alive(self) -> None:
        """Show how it stands, where that is due and nothing inside it is shown."""
        now = time.monotonic()
        if now >= self._next and (not _under_way or _under_way[-1] is self):
            with self._drawing:
                if now >= self._next:
                    self._show(now)

    def _beat(self) -> None:
        while not self._ended.wait(BEAT):
            self.alive()

    def close(self) -> None:
        """Show the last state, if anything was shown before."""
        if self._shown and self.done:
            self._show(time.monotonic())
        if self._live is not None:
            self._live.stop()
            self._live = None

    def line(self, now: float) -> str:
        """The state at time `now` as one plain line."""
        if self.total is None and self.done == 0:
            return f"{self.label}, {clock(now - self._started)} so far"
        rate = (self.done - self.skipped) / max(now - self._started, 1e-9)
        parts = [f"{self.label}: {self.done:,}"]
        total = None if self.total is None else max(self.total, self.done)
        if total is not None:
            parts[0] += f" of about {total:,}" if self.about else f" of {total:,}"
        if rate:
            parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.2g}/s")
        elif self.done == self.skipped == 0:
            parts.append(f"nothing finished yet after {clock(now - self._started)}")
        if total is not None and rate:
            left, still = (total - self.done) / rate, now - self._moved
            # What is asked again, after ever longer pauses, comes at no rate seen before.
            stuck = self.done < total and still > max(2 * left, LINE_EVERY)
            parts.append(f"nothing new for {clock(still)}" if stuck else f"{clock(left)} left")
        parts += filter(None, [self.note()])
        return ", ".join(parts)

    def _show(self, now: float) -> None:
        self._shown = True
        if not self._stream.isatty():
            self._next = now + LINE_EVERY
            print(self.line(now), file=self._stream, flush=True)
            return
        self._next = now + LIVE_EVERY
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(file=self._stream), auto_refresh=False)
            self._live.start()
        from rich.text import Text

        self._live.update(Text(self.line(now), overflow="ellipsis", no_wrap=True), refresh=True)


@contextlib.contextmanager
def progress(
    label: str,
    total: int | None = None,
    stream: TextIO | None = None,
    *,
    about: bool = False,
    forks: bool = False,
) -> Iterator[Progress]:
    """Show progress while the block runs.

    Args:
        forks: whether processes are forked within: no thread runs beside them then, and progress
            is shown as work is done alone.

    >>> with progress("reading", 3) as tick:
    ...     for _ in range(3):
    ...         tick()
    >>> tick.done
    3
    """
    shown = Progress(label, total, stream, about=about)
    with contextlib.closing(shown) if forks else shown:
        yield shown


def say(sentence: str) -> None:
    """One sentence to the person at the terminal, beside progress and never among results."""
    print(harmless(sentence), file=sys.stderr, flush=True)


def harmless(text: str, kept: str = "\n\t") -> str:
    """Text with what could steer a terminal shown as escapes; spaces of every width stay.

    Names of columns and files, and messages of servers, are untrusted.

    >>> harmless("10\\u202f% \\x1b[2J")
    '10\\u202f% \\\\x1b[2J'
    """
    return "".join(
        c if c.isprintable() or c in kept or category(c) == "Zs" else ascii(c)[1:-1] for c in text
    )


def clock(seconds: float) -> str:
    """Seconds as people read them.

    >>> clock(59.2), clock(75), clock(7300)
    ('59 s', '1 min 15 s', '2 h 1 min')
    """
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
