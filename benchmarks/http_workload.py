"""One HTTP workload in a process of its own, for the http_* benchmarks.

    python benchmarks/http_workload.py bare|runner URL N CONNECTIONS DIRECTORY

`bare` is the reference: as many aiohttp loops as connections that send the same bodies and parse
the replies, and keep nothing. `runner` is horsesense's backend, runner and store. Prints the
seconds from the first request sent to the last response parsed (bare) or stored (runner).
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import orjson

from horsesense.inference.runner import run
from horsesense.inference.store import Store
from horsesense.models.base import Asked
from horsesense.models.messages import Request, SamplingParams
from horsesense.models.openai.protocol import Dialect, body_of
from horsesense.models.registry import make_model

QUESTION = (
    "Answer with the letter of the right option.\n\nQuestion {}: Which of these four rivers, all "
    "of which rise in the same mountains, is the longest from its source to the sea?\n"
    "A. the first river\nB. the second river\nC. the third river\nD. the fourth river\nAnswer:"
)
PARAMS = SamplingParams(max_tokens=8, top_logprobs=5)


def requests(n: int) -> Iterator[Request]:
    for i in range(n):
        yield Request((("user", QUESTION.format(i)),), None, PARAMS)


async def bare(url: str, n: int, connections: int) -> float:
    """Seconds for the work that no client can avoid."""
    waiting = requests(n)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def loop() -> None:
            for request in waiting:
                body = orjson.dumps(body_of(request, "mock", Dialect()))
                headers = {"Content-Type": "application/json"}
                async with session.post(
                    f"{url}/chat/completions", data=body, headers=headers
                ) as reply:
                    orjson.loads(await reply.read())["choices"][0]["message"]["content"]

        started = time.perf_counter()
        await asyncio.gather(*(loop() for _ in range(connections)))
        return time.perf_counter() - started


async def runner(url: str, n: int, connections: int, directory: Path) -> float:
    """Seconds for the same requests, with every response stored."""
    backend = make_model(f"http:mock@{url}")
    with Store.open(directory / "store.sqlite") as store:
        async with backend:
            asks = (Asked(request.key(backend.identity), request) for request in requests(n))
            started = time.perf_counter()
            summary = await run(asks, backend, store, total=n, max_connections=connections)
            seconds = time.perf_counter() - started
            if summary.answered != n:
                raise SystemExit(f"only {summary.answered} of {n} were answered")
            return seconds


def main() -> None:
    kind, url, n, connections, directory = sys.argv[1:]
    if kind == "bare":
        print(asyncio.run(bare(url, int(n), int(connections))))
    else:
        print(asyncio.run(runner(url, int(n), int(connections), Path(directory))))


if __name__ == "__main__":
    main()
