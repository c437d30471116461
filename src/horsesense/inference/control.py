"""How fast requests are sent, and when no more are: what may change while a run is under way.

A run reads it between two requests. Whoever holds it may change it from another thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from horsesense.errors import UsageError
from horsesense.inference.limits import RunSummary

BEHIND: Final = 0.1
"""Seconds by which sending may lag behind its rate and catch up; longer pauses are lost."""


class Control:
    """Steers runs that share it, one after the other.

    Attributes:
        rate: requests a second that may be sent at most; None for no limit.

    >>> control = Control(rate=2.0)
    >>> control.sent(1)
    >>> 0.4 < control.pause() <= 0.5
    True
    """

    def __init__(self, rate: float | None = None) -> None:
        if rate is not None and not (math.isfinite(rate) and rate > 0):
            raise UsageError(f"The rate is {rate:g} requests a second.", hint="Give one above 0.")
        self.rate = rate
        self._due = 0.0
        self._stopping = False
        self._stop: Callable[[], object] | None = None
        self._summaries: list[RunSummary] = []
        self._changing = threading.Lock()

    def follow(self, before: Control) -> None:
        """Keep to the rate from the last request of another control on, or else from now on."""
        if self.rate is not None:
            now = time.monotonic()
            self._due = before._due if before._due > now else now + 1 / self.rate

    def pause(self) -> float:
        """Seconds until another request may be sent; 0 or less where one may be now."""
        return 0.0 if self.rate is None else self._due - time.monotonic()

    def sent(self, n: int) -> None:
        """Tell that `n` requests are sent now."""
        if self.rate is not None:
            self._due = max(self._due, time.monotonic() - BEHIND) + n / self.rate

    def stop(self) -> None:
        """Send no more, and have what is in flight finished; from any thread.

        It holds for all runs to come. A second call abandons what is in flight.
        """
        with self._changing:
            self._stopping = True
            if self._stop is not None:
                self._stop()

    @property
    def spent(self) -> RunSummary:
        """What all runs took so far."""
        return sum(self._summaries, start=RunSummary())

    @contextlib.contextmanager
    def over(self, summary: RunSummary, interrupt: Callable[[], None]) -> Iterator[None]:
        """While the block runs, in an event loop, `stop` calls `interrupt` there."""
        loop = asyncio.get_running_loop()
        self._summaries.append(summary)
        with self._changing:
            self._stop = partial(loop.call_soon_threadsafe, interrupt)
            if self._stopping:
                self._stop()
        try:
            yield
        finally:
            with self._changing:
                self._stop = None
