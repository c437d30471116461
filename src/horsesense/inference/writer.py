"""Puts answers that arrive together into the store at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from horsesense.inference.store import Store
from horsesense.models.base import Asked
from horsesense.models.messages import Response


class AnswerWriter:
    """Stores answers that arrive in two turns of the event loop in one transaction."""

    def __init__(
        self,
        store: Store,
        identity: str,
        stored: Callable[[Sequence[tuple[Asked, Response]]], None],
    ) -> None:
        self.error: BaseException | None = None
        self._store = store
        self._identity = identity
        self._tell = stored
        self._answered: list[tuple[Asked, Response]] = []
        self._flushed: asyncio.Future[None] | None = None

    async def put(self, answered: Sequence[tuple[Asked, Response]]) -> None:
        """Return when the answers are stored, or could not be: see `error`."""
        self._answered += answered
        if self._flushed is None:
            # Two turns later, so that answers of this turn and the next can join the transaction:
            # it is the commit that costs, not the rows.
            loop = asyncio.get_running_loop()
            self._flushed = loop.create_future()
            loop.call_soon(loop.call_soon, self.flush)
        await self._flushed
        if self.error is not None:
            raise self.error

    def flush(self) -> None:
        """Store what has gathered and wake those who wait for it."""
        if self._flushed is None:
            return
        answered, flushed = self._answered, self._flushed
        self._answered, self._flushed = [], None
        try:
            self._store.put(answered, identity=self._identity)
            self._tell(answered)
        except Exception as error:  # noqa: BLE001 - whoever waits for the answers must hear of it
            self.error = error
        if not flushed.done():  # a cancelled worker takes the future that it waits for with it
            flushed.set_result(None)
