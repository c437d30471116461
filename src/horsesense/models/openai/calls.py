"""Calls to one server, over connections that stay open.

Connections, TLS, proxies and the parser are aiohttp's. Its session is left out: of each call it
takes more processor time than everything else that an audit does with it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import aiohttp
from aiohttp.http import HttpProcessingError
from yarl import URL

from horsesense.models.messages import Failure

LONGEST_BODY: Final = 16 * 2**20  # bytes; an answer is a few thousand
CONNECTING: Final = 30.0  # seconds for the connection, with its handshake


Reply = tuple[int, Mapping[str, str], bytes]
"""Status, headers and content of what came back."""


class Calls:
    """Sends each request once, follows no redirect and keeps no cookie.

    Args:
        headers: what each request says of itself.
        proxy: address of the proxy; None for none.
        timeout: seconds for one call.
    """

    def __init__(self, headers: Mapping[str, str], proxy: str | None, timeout: float) -> None:
        self._headers = headers
        self._proxy = proxy
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=min(CONNECTING, timeout))
        self._connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)  # the runner counts
        self._prepared = cache(self._prepare)
        self._head = cache(_head)
        self.close = self._connector.close

    async def call(self, method: str, url: URL, body: bytes | None = None) -> Reply | Failure:
        """What came back, whatever its status; what keeps it from coming is a Failure."""
        try:
            async with asyncio.timeout(self._timeout.total):
                return await self._call(method, url, body)
        # The order matters: the narrower errors are ClientErrors too, a TimeoutError an OSError.
        except aiohttp.ConnectionTimeoutError:
            message = f"no connection within {self._timeout.sock_connect:g} s"
            return Failure("timeout", message, unsent=True)
        except TimeoutError:
            return Failure("timeout", f"no reply within {self._timeout.total:g} s")
        except (aiohttp.ClientPayloadError, HttpProcessingError) as error:
            return Failure("malformed", f"the reply broke off or is not HTTP: {error}")
        except aiohttp.ClientConnectorCertificateError as error:
            return Failure("connection", f"certificate: {error}", retryable=False, unsent=True)
        except aiohttp.ClientResponseError as error:  # its own words hold the proxy's password
            return Failure("connection", f"the proxy: {error.status} {error.message}", unsent=True)
        except ValueError as error:
            message = f"the address cannot be used: {type(error).__name__}"
            return Failure("connection", message, retryable=False, unsent=True)
        except aiohttp.ClientConnectorError as error:
            return Failure("connection", _unreached(error), unsent=True)
        except (aiohttp.ClientError, OSError) as error:
            return Failure("connection", f"{type(error).__name__}: {error}")

    async def _call(self, method: str, url: URL, body: bytes | None) -> Reply:
        request = self._prepared(method, url)
        try:
            connection = await self._connector.connect(request, [], self._timeout)
        except TimeoutError as error:
            raise aiohttp.ConnectionTimeoutError from error
        try:
            protocol: Any = connection.protocol
            if protocol.should_close:  # what came unasked would be taken for the reply
                raise aiohttp.ClientConnectionError("the server closed it, or sent bytes unasked")
            protocol.set_response_params(read_until_eof=True)
            length = b"" if body is None else b"Content-Length: %d\r\n" % len(body)
            # A connection through a proxy adds to the request what the proxy needs.
            whole = b"".join((self._head(request), length, b"\r\n", body or b""))
            protocol.transport.write(whole)
            reply = await _reply(protocol)
        except BaseException:
            connection.close()
            raise
        if protocol.writing_paused:  # it answered before it read: the next request would wait
            protocol.force_close()
        connection.release()
        return reply

    def _prepare(self, method: str, url: URL) -> aiohttp.ClientRequest:
        proxy = None if self._proxy is None else URL(self._proxy)
        return aiohttp.ClientRequest(method, url, headers=self._headers, proxy=proxy)


def _head(request: aiohttp.ClientRequest) -> bytes:
    """The head of a request but its length."""
    url, plain = request.url, request.proxy and not request.is_ssl()
    lines = [f"{request.method} {url if plain else url.raw_path_qs} HTTP/1.1"]
    lines += [f"{k}: {v}" for k, v in request.headers.items() if k != "Content-Length"]
    return "".join(f"{line}\r\n" for line in lines).encode()


async def _reply(protocol: Any) -> Reply:
    """The next reply, but not more of its body than an answer can be long."""
    status = 100
    while 100 <= status < 200 and status != 101:  # "go on" comes before a reply
        message, body = await protocol.read()
        status = message.code
    content = bytearray()
    while not body.at_eof():
        content += await body.readany()
        if len(content) > LONGEST_BODY:
            raise aiohttp.ClientPayloadError(f"more than {LONGEST_BODY:,} bytes")
    return status, message.headers, bytes(content)


def _unreached(error: aiohttp.ClientConnectorError) -> str:
    """Why there is no connection, in the words of the system."""
    cause = error.os_error
    number = cause.errno or 0  # of a name that is not found it is below 0
    why = os.strerror(number) if number > 0 else cause.strerror or str(cause)
    return f"no connection to {error.host}:{error.port}: {why}"
