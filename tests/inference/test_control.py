"""How fast requests are sent, and when no more are."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest

from each import each
from horsesense.errors import UsageError
from horsesense.inference.control import BEHIND, Control
from horsesense.inference.limits import RunSummary
from horsesense.inference.runner import run
from horsesense.inference.store import Store
from horsesense.models.base import Asked
from horsesense.models.callables import CallableModel
from horsesense.models.messages import Request


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("horsesense.inference.control.time.monotonic", lambda: now[0])
    return now


def test_requests_are_due_at_the_rate(clock: list[float]) -> None:
    control, sent = Control(10.0), 0
    for _ in range(2000):
        clock[0] += 0.001
        while control.pause() <= 0:
            control.sent(1)
            sent += 1
    assert sent == pytest.approx(10 * 2.0 + 10 * BEHIND, abs=1)


def test_a_long_pause_is_not_caught_up(clock: list[float]) -> None:
    control = Control(10.0)
    clock[0] += 1000
    control.sent(1)
    control.sent(1)
    assert control.pause() == pytest.approx(0.2 - BEHIND)


def test_the_rate_may_change(clock: list[float]) -> None:
    control = Control(1.0)
    clock[0] += 10
    control.sent(1)
    assert control.pause() == pytest.approx(1.0 - BEHIND)
    control.rate = None
    assert control.pause() == 0


@each("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_what_is_no_rate_is_refused(rate: float) -> None:
    with pytest.raises(UsageError, match="requests a second"):
        Control(rate)


def asked(path: Path, control: Control, n: int, seen: list[str] | None = None) -> RunSummary:
    """A run of `n` requests to a model that answers at once."""

    def answer(prompts: list[str]) -> list[str]:
        if seen is not None:
            seen.extend(prompts)
            if len(seen) == 5:
                threading.Thread(target=control.stop).start()
                time.sleep(0.01)
        return ["A" for _ in prompts]

    async def work() -> RunSummary:
        model = CallableModel(answer)
        model.batch_size = 1
        requests = [Request((("user", f"{i}"),), None) for i in range(n)]
        asks = [Asked(request.key(model.identity), request) for request in requests]
        async with model:
            with Store.open(path / "store.sqlite") as store:
                return await run(asks, model, store, max_connections=8, control=control)

    return asyncio.run(work())


def test_a_run_keeps_to_its_rate(tmp_path: Path) -> None:
    started = time.monotonic()
    spent = asked(tmp_path, Control(200.0), 60)
    assert spent.answered == 60
    assert time.monotonic() - started >= (60 - 1) / 200.0 - BEHIND


def test_a_run_is_stopped_from_another_thread(tmp_path: Path) -> None:
    control, seen = Control(), list[str]()
    spent = asked(tmp_path, control, 10_000, seen)
    assert spent.stopped == "interrupted"
    assert 5 <= spent.answered == len(seen) < 10_000
    assert control.spent.answered == spent.answered
    assert asked(tmp_path, control, 20).stopped == "interrupted"  # and so is what comes after
