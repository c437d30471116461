"""Faults of servers and of this process: runs end, what was paid for stays, nothing is faked."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import time
from collections import Counter
from pathlib import Path

import orjson
import pytest

from horsesense.inference.runner import Retry, RunSummary, run
from horsesense.inference.store import Store
from horsesense.models.messages import Failure, Response
from horsesense.models.registry import make_model
from horsesense.testing.faults import KINDS, FaultServer, letter
from scripted import asks

TIMEOUT = 2.0  # seconds; sound replies must not need as long, also on a busy machine
HASTY = Retry(first_pause=0.005, longest_pause=0.05)


def go(url: str, path: Path, n: int, connections: int = 40, **options: object) -> RunSummary:
    async def act() -> RunSummary:
        backend = make_model(f"http:m@{url}", **options)
        with Store.open(path) as store:
            async with backend:
                questions = asks(n, backend.identity)
                return await run(
                    questions, backend, store, retry=HASTY, max_connections=connections
                )

    return asyncio.run(act())


def contents(path: Path) -> list[tuple[bytes, str, dict[str, object]]]:
    """Every stored pair, but for the seconds that it took."""
    with Store.open(path, read_only=True) as store:
        rows = store.rows("SELECT key, request, response FROM responses ORDER BY key")
        found = [(key, request, orjson.loads(response)) for key, request, response in rows]
    for _, _, response in found:
        response.pop("latency")
    return found


def check(server: FaultServer, path: Path, summary: RunSummary, n: int) -> None:
    """Every question is answered rightly or listed as a failure; nothing is paid for twice."""
    with Store.open(path, read_only=True) as store:
        failed = {str(f.request.messages[0][1]) for f in store.failures().values()}  # type: ignore[index]
        assert store.totals().responses == summary.answered == n - len(failed)
        assert summary.failed == len(failed)
        assert store.verify().sound
    for _, request, response in contents(path):
        prompt = orjson.loads(request)["messages"][0][1]
        assert response["text"] == letter(prompt)
        # Asked until it was answered, and never after that.
        outcomes = [server.fault(prompt, t) for t in range(1, server.sent[prompt] + 1)]
        assert outcomes.count(None) == 1
        assert outcomes[-1] is None
    assert {prompt for prompt in server.sent if server.is_hopeless(prompt)} <= failed
    assert all(server.sent[prompt] == HASTY.attempts for prompt in failed)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_fault(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "store.sqlite"
    with FaultServer({kind: 0.05}, hang=60.0) as server:
        summary = go(server.url, path, 300, timeout=TIMEOUT)
        check(server, path, summary, 300)
        assert server.faulted[kind] == summary.retried + summary.failed > 0
    assert summary.complete


@pytest.mark.slow
def test_all_faults_together_and_prompts_that_always_fail(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with FaultServer(dict.fromkeys(KINDS, 0.05), hopeless=0.01, hang=60.0) as server:
        summary = go(server.url, path, 600, timeout=TIMEOUT)
        check(server, path, summary, 600)
        assert set(server.faulted) == set(KINDS)
        assert summary.stopped is None
        assert summary.failed >= 1
        assert not summary.complete
        server.hopeless, server.faults = 0.0, {}
        again = go(server.url, path, 600)
    assert again.complete
    assert (again.cached, again.answered) == (summary.answered, summary.failed)


N, CONNECTIONS, KILLS = 1200, 20, 20


def _work(url: str, path: Path) -> None:
    go(url, path, N, CONNECTIONS)


@pytest.mark.slow
def test_killed_at_any_moment_and_started_again(tmp_path: Path) -> None:
    """SIGKILL at 20 random moments of one run, each time started again.

    A moment is a number of calls that the server has seen, so that a busy machine moves none.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["horsesense.inference.runner", "horsesense.models.openai.http"])
    moments = random.Random(5)
    path = tmp_path / "killed" / "store.sqlite"
    with FaultServer(latency=0.02) as server:
        for _ in range(KILLS):
            moment = server.sent.total() + moments.randint(1, 80)
            process = context.Process(target=_work, args=(server.url, path))
            process.start()
            while server.sent.total() < moment and process.is_alive():
                time.sleep(0.0005)
            process.kill()
            process.join()
            assert process.exitcode == -9, "the run ended before it could be killed"
        interrupted = Counter(server.sent)
        go(server.url, path, N, CONNECTIONS)
        asked_in_vain = server.sent.total() - N
        go(server.url, tmp_path / "whole" / "store.sqlite", N, CONNECTIONS)
    assert 0 < asked_in_vain <= KILLS * CONNECTIONS
    assert len(interrupted) > N / 4, "the kills came too early to mean anything"
    whole = contents(tmp_path / "whole" / "store.sqlite")
    assert len(whole) == N
    assert contents(path) == whole
    with Store.open(path, read_only=True) as store:
        assert store.verify().sound


@pytest.mark.parametrize("kind", ["echo", "echo_error"])
def test_a_key_that_the_server_repeats_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    key = "hs-secret-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    path = tmp_path / "store.sqlite"
    with FaultServer({kind: 0.5}) as server:
        summary = go(server.url, path, 40)
        assert server.headers["Authorization"] == f"Bearer {key}"
        assert server.faulted[kind] > 0
    assert summary.answered + summary.failed == 40
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"[key]" in kept or kind == "echo_error"
    assert b"secret-0123" not in kept
    assert b"\\u0068\\u0073" not in kept


@pytest.mark.parametrize(("wait", "pause"), [("61", 61), ("900", 900), ("901", None)])
def test_a_server_that_asks_for_a_minute_gets_it(wait: str, pause: float | None) -> None:
    """Beyond the longest pause of ours, and not at once a failure."""

    async def act() -> Response | Failure:
        async with make_model(f"http:m@{server.url}") as model:
            [result] = await model.respond(list(asks(1, model.identity)))
            return result

    with FaultServer({"429": 1.0}, wait=wait) as server:
        result = asyncio.run(act())
    assert isinstance(result, Failure)
    assert Retry().pause(1, result) == pause
