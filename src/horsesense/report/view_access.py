"""Who may see the pages of `horsesense view`, and for how long a connection may say nothing.

Every user of a machine reaches its loopback addresses. So each view has a token, as notebooks do:
it stands in the address that is told, and from then on in a cookie.
"""

from __future__ import annotations

import asyncio
import hashlib
from hmac import compare_digest
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, quote, urlencode

import uvicorn
from starlette.requests import Request
from starlette.responses import HTMLResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from horsesense.report.rendering import page

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
CONNECTIONS: Final = 64
"""Connections that are open together."""
ASKING: Final = 10.0
"""Seconds within which a connection must say what it wants."""
ANSWERING: Final = 300.0
"""Seconds within which an answer must be made and taken."""


class Access:
    """Lets through who has the token, below the prefix of a proxy.

    A token in the address becomes a cookie, and a page leads on to the address without it: after a
    redirect, a browser that came from another site would not send a cookie of this kind.
    """

    def __init__(self, app: ASGIApp, token: str, prefix: str = "") -> None:
        self._app = app
        self._token = token.encode()
        self._prefix = prefix
        self._cookie = f"horsesense-{hashlib.sha256(self._token).hexdigest()[:8]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        path = scope["path"].removeprefix(self._prefix) or "/"
        given = request.query_params.get("token")
        if given is not None and self._right(given):
            answer = self._page(200, onward=self._onward(path, scope["query_string"].decode()))
            answer.set_cookie(
                self._cookie,
                self._token.decode(),
                path=f"{self._prefix}/",
                httponly=True,
                samesite="strict",
            )
            await answer(scope, receive, send)
        elif self._right(request.cookies.get(self._cookie, "")):
            await self._app({**scope, "path": path}, receive, send)
        else:
            await self._page(403)(scope, receive, send)

    def _right(self, given: str) -> bool:
        return compare_digest(given.encode(errors="replace"), self._token)

    def _onward(self, path: str, query: str) -> str:
        """The address without its token; on this server, whatever the path says."""
        kept = urlencode([(name, value) for name, value in parse_qsl(query) if name != "token"])
        return f"{self._prefix}/{quote(path.lstrip('/'))}" + f"?{kept}" * bool(kept)

    def _page(self, status: int, onward: str | None = None) -> HTMLResponse:
        return HTMLResponse(page("view_access.html", onward=onward), status, HEADERS)


def server_of(app: ASGIApp) -> uvicorn.Server:
    """What serves the pages.

    A connection ends with its first answer: nobody keeps one busy with requests whose answers are
    never read. A page says itself what went wrong, so the server prints nothing.
    """
    config = uvicorn.Config(
        app,
        http=Connection,
        headers=[("Connection", "close")],
        ws="none",
        lifespan="off",
        log_level="critical",
        proxy_headers=False,
        timeout_graceful_shutdown=3,
    )
    return uvicorn.Server(config)


class Connection(H11Protocol):
    """A connection that ends where it says nothing, or takes nothing, for too long.

    Of too many, the one ends that has said nothing for longest.
    """

    _busy: bool | None = None
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._limit()
        if len(self.connections) > CONNECTIONS:
            ours = [one for one in self.connections if isinstance(one, Connection)]
            last = min((one for one in ours if not one._busy), key=Connection._ends)
            self.connections.discard(last)  # it is lost later: as many may come before that
            last.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._deadline is not None:
            self._deadline.cancel()

    def handle_events(self) -> None:
        super().handle_events()
        self._limit()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._limit()

    def _limit(self) -> None:
        """Begin to count where the connection begins to be answered, or to wait."""
        busy = self.cycle is not None and not self.cycle.response_complete
        if busy is not self._busy:
            self._busy = busy
            if self._deadline is not None:
                self._deadline.cancel()
            seconds = ANSWERING if busy else ASKING
            self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _ends(self) -> float:
        return 0.0 if self._deadline is None else self._deadline.when()
