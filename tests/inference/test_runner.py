"""The runner asks each request once, keeps its limits, and stores before it goes on."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from each import each
from horsesense.errors import ModelError, StoreError, UsageError
from horsesense.inference.ledger import bound
from horsesense.inference.runner import Limits, Retry, RunSummary, run
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.models.base import Asked, Capabilities, HoldsNothing
from horsesense.models.messages import Failure, Request, Response, Usage
from horsesense.progress import Progress, progress

HASTY = Retry(first_pause=0.001, longest_pause=0.02)
BROKEN = Failure("server", "broke", 500)

Reply = Callable[[str, int], Response | Failure]


def sound(prompt: str, time: int) -> Response:
    return Response(f"answer to {prompt}", usage=Usage(10, 2))


class Scripted(HoldsNothing):
    """A model that replies by a rule: (prompt, how often it was asked) -> reply."""

    identity = name = "test:scripted"

    def __init__(self, reply: Reply = sound, *, batch: int = 1, pause: float = 0.0) -> None:
        self.reply = reply
        self.batch_size = batch
        self.max_connections = 8
        self.pause = pause
        self.times: Counter[str] = Counter()
        self.in_flight = self.most_in_flight = 0
        self.batches: list[int] = []

    async def capabilities(self) -> Capabilities:
        return Capabilities()

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        self.batches.append(len(batch))
        self.in_flight += len(batch)
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(self.pause)
        self.in_flight -= len(batch)
        return [self._one(str(asked.request.text)) for asked in batch]

    def _one(self, prompt: str) -> Response | Failure:
        self.times[prompt] += 1
        return self.reply(prompt, self.times[prompt])


def asks(n: int, *, distinct: int | None = None) -> Iterator[Asked]:
    for i in range(n):
        request = Request(messages=None, text=f"p{i % (distinct or n)}")
        yield Asked(request.key(Scripted.identity), request)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.sqlite") as opened:
        yield opened


def go(backend: Scripted, store: Store, n: int, **options: Any) -> RunSummary:
    options.setdefault("retry", HASTY)
    return asyncio.run(run(asks(n), backend, store, **options))


@pytest.mark.parametrize("batch", [1, 7, 200])
def test_everything_is_asked_once_and_stored(store: Store, batch: int) -> None:
    backend = Scripted(batch=batch)
    summary = go(backend, store, 500)
    assert (summary.asked, summary.answered, summary.sent, summary.cached) == (500, 500, 500, 0)
    assert (summary.prompt_tokens, summary.completion_tokens) == (5000, 1000)
    assert summary.complete
    assert set(backend.times.values()) == {1}
    assert max(backend.batches) == batch
    answers = store.get([asked.key for asked in asks(500)])
    assert [answers[asked.key].text for asked in asks(500)] == [
        f"answer to p{i}" for i in range(500)
    ]


def test_a_second_run_asks_nothing(store: Store) -> None:
    go(Scripted(), store, 300)
    backend = Scripted()
    summary = go(backend, store, 400)
    assert (summary.asked, summary.cached, summary.answered) == (400, 300, 100)
    assert sum(backend.times.values()) == 100


def test_equal_prompts_are_asked_once(store: Store) -> None:
    backend = Scripted(pause=0.001)
    summary = asyncio.run(run(asks(1000, distinct=30), backend, store))
    assert (summary.asked, summary.answered, summary.cached) == (1000, 30, 970)
    assert len(backend.times) == sum(backend.times.values()) == 30


def test_equal_prompts_that_fail_are_one_failure(store: Store) -> None:
    backend = Scripted(lambda prompt, time: Failure("rejected", "no", 400, retryable=False))
    summary = asyncio.run(run(asks(200, distinct=5), backend, store, retry=HASTY))
    assert (summary.answered, summary.failed, summary.cached) == (0, 5, 195)
    assert summary.sent == 5


@pytest.mark.parametrize("connections", [1, 3, 20])
def test_requests_in_flight_are_bounded(store: Store, connections: int) -> None:
    backend = Scripted(pause=0.001)
    go(backend, store, 150, max_connections=connections)
    assert backend.most_in_flight == connections


@pytest.mark.parametrize("connections", [0, 10**10])
def test_none_or_too_many_at_once_are_refused(store: Store, connections: int) -> None:
    with pytest.raises(UsageError, match="max_connections"):
        go(Scripted(), store, 1, max_connections=connections)


def test_an_answer_is_stored_before_its_place_is_taken(store: Store) -> None:
    """What a kill can cost is bounded: asked and not yet stored is never more than in flight."""
    unstored = []

    def reply(prompt: str, time: int) -> Response:
        unstored.append(backend.in_flight + sum(backend.times.values()) - 1 - stored())
        return sound(prompt, time)

    def stored() -> int:
        return int(store._connection.execute("SELECT count(*) FROM responses").fetchone()[0])

    backend = Scripted(reply, pause=0.001)
    go(backend, store, 300, max_connections=16)
    assert max(unstored) <= 16


def test_requests_are_drawn_as_they_are_needed(store: Store) -> None:
    drawn = 0

    def endless() -> Iterator[Asked]:
        nonlocal drawn
        for asked in asks(10**9):
            drawn += 1
            yield asked

    summary = asyncio.run(run(endless(), Scripted(), store, limits=Limits(requests=100)))
    assert summary.answered == 100
    assert drawn < 300


def test_only_what_failed_is_asked_again(store: Store) -> None:
    def reply(prompt: str, time: int) -> Response | Failure:
        return BROKEN if prompt in ("p3", "p17") and time < 4 else sound(prompt, time)

    backend = Scripted(reply, batch=10)
    summary = go(backend, store, 50)
    assert summary.complete
    assert (summary.answered, summary.retried, summary.sent) == (50, 6, 56)
    assert {prompt: n for prompt, n in backend.times.items() if n > 1} == {"p3": 4, "p17": 4}
    assert store.totals().failures == 0


def test_attempts_are_bounded_and_the_last_failure_is_kept(store: Store) -> None:
    def reply(prompt: str, time: int) -> Response | Failure:
        return Failure("server", f"attempt {time}", 500) if prompt == "p1" else sound(prompt, time)

    summary = go(Scripted(reply), store, 10, retry=Retry(attempts=3, first_pause=0.001))
    assert (summary.answered, summary.failed, summary.retried) == (9, 1, 2)
    assert not summary.complete
    [failed] = store.failures().values()
    assert failed.attempts == 3
    assert failed.failure.message == "attempt 3"
    assert failed.request.text == "p1"


def test_a_later_run_asks_failures_again(store: Store) -> None:
    go(Scripted(lambda p, t: BROKEN if p == "p1" else sound(p, t)), store, 10)
    summary = go(Scripted(), store, 10)
    assert (summary.answered, summary.cached, summary.failed) == (1, 9, 0)
    assert store.failures() == {}


def test_what_cannot_succeed_is_not_repeated(store: Store) -> None:
    rejected = Failure("rejected", "too long", 400, retryable=False)
    backend = Scripted(lambda p, t: rejected if p == "p1" else sound(p, t))
    summary = go(backend, store, 10)
    assert backend.times["p1"] == 1
    assert summary.last_failure == rejected


def test_a_respondent_that_only_fails_is_left_alone(store: Store) -> None:
    backend = Scripted(lambda p, t: BROKEN)
    retry = Retry(attempts=2, first_pause=0.001, give_up=20)
    summary = go(backend, store, 10_000, retry=retry)
    assert summary.stopped == "failures"
    assert 20 <= summary.failed <= 20 + 3 * 8
    assert summary.failed == store.totals().failures
    assert summary.sent < 100


def test_retry_after_is_kept(store: Store) -> None:
    asked_at: list[float] = []

    def reply(prompt: str, time_: int) -> Response | Failure:
        asked_at.append(time.monotonic())
        limited = Failure("rate_limit", "slow down", 429, retry_after=0.15)
        return limited if time_ == 1 else sound(prompt, time_)

    retry = Retry(first_pause=0.001, longest_pause=1.0)
    assert go(Scripted(reply), store, 1, retry=retry).complete
    assert asked_at[1] - asked_at[0] >= 0.15


def test_a_server_that_asks_to_wait_is_seen(store: Store) -> None:
    shown, seen = Progress("asking", 2, io.StringIO()), list[str]()

    def reply(prompt: str, time_: int) -> Response | Failure:
        if prompt == "p0":
            return Failure("rate_limit", "slow down", 429, retry_after=900)
        seen.append(shown.note())
        raise ModelError("enough was seen")

    with pytest.raises(ModelError, match="enough"):
        go(Scripted(reply), store, 2, progress=shown)
    assert seen == ["waiting 15 min 0 s, as the server asks"]


@each(
    ("attempt", "failure", "low", "high"),
    [
        (1, BROKEN, 0.5, 1),
        (3, BROKEN, 2, 4),
        (5, Failure("server", "", retry_after=0.1), 8, 16),
        (1, Failure("rate_limit", "", retry_after=30), 30, 30),
        (1, Failure("rate_limit", "", retry_after=61), 61, 61),
        (1, Failure("dialect", "", 400), 0, 0),
    ],
)
def test_pauses_grow_and_are_drawn(attempt: int, failure: Failure, low: float, high: float) -> None:
    pauses = [Retry().pause(attempt, failure) for _ in range(200)]
    assert all(pause is not None and low <= pause <= high for pause in pauses)
    assert len(set(pauses)) > 1 or low == high


@pytest.mark.parametrize(
    ("attempt", "failure"),
    [
        (6, BROKEN),
        (1, Failure("rejected", "", retryable=False)),
        (1, Failure("rate_limit", "", retry_after=3600)),
    ],
)
def test_some_failures_are_final(attempt: int, failure: Failure) -> None:
    assert Retry().pause(attempt, failure) is None


def test_a_rate_limit_slows_the_run_down(store: Store) -> None:
    """Workers that are told to wait do wait: fewer calls are under way meanwhile."""
    limited = Failure("rate_limit", "slow down", 429, retry_after=0.1)
    backend = Scripted(lambda p, t: limited if t == 1 else sound(p, t))
    summary = go(backend, store, 40, retry=Retry(first_pause=0.001, longest_pause=1))
    assert summary.complete
    # 8 workers rest 0.1 s after each first call: at least 40 / 8 rests one after another.
    assert summary.seconds >= 0.4


@pytest.mark.parametrize(
    ("limits", "answered"),
    [
        (Limits(requests=30), 30),
        (Limits(tokens=600), 50),
        (Limits(money=0.5, prompt_price=100.0, completion_price=4500.0), 50),
        (Limits(requests=0), 0),
    ],
)
@pytest.mark.parametrize("batch", [1, 4])
def test_a_budget_stops_the_run(store: Store, limits: Limits, answered: int, batch: int) -> None:
    backend = Scripted(batch=batch)
    summary = go(backend, store, 500, limits=limits)
    in_flight = 0 if limits.requests is not None else backend.max_connections * batch
    assert summary.stopped == "budget"
    assert answered <= summary.answered <= answered + in_flight
    assert store.totals().responses == summary.answered
    assert go(Scripted(), store, 500).complete


def test_repeated_calls_count_as_requests(store: Store) -> None:
    summary = go(Scripted(lambda p, t: BROKEN), store, 3, limits=Limits(requests=5))
    assert summary.sent == 5
    assert summary.stopped == "budget"
    assert summary.failed == store.totals().failures == 3


def test_a_budget_that_suffices_stops_nothing(store: Store) -> None:
    assert go(Scripted(), store, 20, limits=Limits(requests=20, tokens=240)).complete


def test_a_budget_is_shared_by_stages(store: Store) -> None:
    limits = Limits(requests=30, tokens=10**6, money=1.0, prompt_price=1e3, completion_price=1e3)
    first = go(Scripted(), store, 20, limits=limits)
    second = go(Scripted(), store, 50, limits=limits)
    both = first + second
    assert (both.answered, both.sent, both.cached, both.stopped) == (30, 30, 20, "budget")
    assert both.cost == pytest.approx(0.36)
    assert (second + RunSummary()).stopped == "budget"
    assert (RunSummary() + RunSummary()).cost is None
    assert store.spent() == {Scripted.identity: Spent(30, 300, 60)}
    assert go(Scripted(), store, 50, limits=limits).sent == 0


def test_cost_and_what_was_not_counted(store: Store) -> None:
    def reply(prompt: str, time: int) -> Response:
        return Response("x") if prompt == "p0" else sound(prompt, time)

    prices = Limits(prompt_price=2.0, completion_price=8.0)
    summary = go(Scripted(reply), store, 11, limits=prices)
    assert summary.uncounted == 1
    most = bound(next(asks(1)).request)
    prompt, completion = 100 + most.prompt_tokens, 20 + most.completion_tokens
    assert summary.cost == pytest.approx((prompt * 2 + completion * 8) / 1e6)
    assert (summary.prompt_tokens, summary.completion_tokens) == (100, 20)
    assert go(Scripted(), store, 11).cost is None


@pytest.mark.parametrize(
    "limits", [Limits(tokens=1000), Limits(money=1000, prompt_price=1e6, completion_price=1e6)]
)
def test_a_budget_holds_where_tokens_are_not_counted(store: Store, limits: Limits) -> None:
    summary = go(Scripted(lambda p, t: Response("x")), store, 10_000, limits=limits)
    assert summary.stopped == "budget"
    assert summary.uncounted == summary.answered
    assert summary.prompt_tokens == summary.completion_tokens == 0
    assert 1 <= summary.answered <= 1000 / 16 + 8  # 16 completion tokens are allowed to each


WRONG = {"money": 1.0, "requests": -1, "tokens": float("nan"), "prompt_price": 1e308}


@each("limits", [{name: value} for name, value in WRONG.items()])
def test_impossible_limits(limits: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Limits(**limits)


def test_ctrl_c_finishes_what_is_in_flight(store: Store) -> None:
    def reply(prompt: str, time: int) -> Response:
        if prompt == "p50":
            os.kill(os.getpid(), signal.SIGINT)
        return sound(prompt, time)

    before = signal.getsignal(signal.SIGINT)
    backend = Scripted(reply, pause=0.005)
    summary = go(backend, store, 1000)
    assert summary.stopped == "interrupted"
    assert 50 <= summary.answered < 100
    assert sum(backend.times.values()) == summary.answered == store.totals().responses
    assert signal.getsignal(signal.SIGINT) is before
    assert go(Scripted(), store, 1000).complete


def test_a_second_ctrl_c_abandons_it(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    async def twice() -> RunSummary:
        backend = Scripted(pause=60)
        loop = asyncio.get_running_loop()
        for delay in (0.05, 0.1):
            loop.call_later(delay, os.kill, os.getpid(), signal.SIGINT)
        return await run(asks(100), backend, store)

    summary = asyncio.run(twice())
    assert summary.stopped == "interrupted"
    assert summary.answered == 0
    assert summary.seconds < 5
    assert "Ctrl-C again" in capfd.readouterr().err


def test_ctrl_c_ends_a_long_wait(store: Store) -> None:
    async def while_waiting() -> RunSummary:
        asyncio.get_running_loop().call_later(0.1, os.kill, os.getpid(), signal.SIGINT)
        backend = Scripted(lambda p, t: BROKEN)
        return await run(asks(3), backend, store, retry=Retry(first_pause=60))

    summary = asyncio.run(while_waiting())
    assert summary.stopped == "interrupted"
    assert summary.seconds < 5
    assert summary.failed == store.totals().failures == 3


def test_a_store_that_fails_ends_the_run(store: Store) -> None:
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 10}")
    with pytest.raises(StoreError, match="disk is full"):
        go(Scripted(), store, 10_000)
    kept = store.totals().responses
    assert kept > 0
    store._connection.execute("PRAGMA max_page_count = 100000")
    summary = go(Scripted(), store, 1000)
    assert summary.cached == kept


def test_answers_in_flight_are_stored_when_a_backend_breaks(store: Store) -> None:
    class Fragile(Scripted):
        async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
            if batch[0].request.text == "p40":
                raise ModelError("the model is gone")
            return await super().respond(batch)

    backend = Fragile(pause=0.005)
    with pytest.raises(ModelError, match="gone"):
        go(backend, store, 1000)
    assert backend.most_in_flight == 8
    assert 40 <= sum(backend.times.values()) == store.totals().responses < 60


def test_a_backend_that_miscounts_is_an_error(store: Store) -> None:
    class Short(Scripted):
        async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
            return (await super().respond(batch))[1:]

    with pytest.raises(ModelError, match="2 answers to 3 requests"):
        go(Short(batch=3), store, 3)


def test_progress_counts_everything(store: Store) -> None:
    go(Scripted(), store, 20)
    shown = Progress("asking", 100, io.StringIO())
    go(Scripted(lambda p, t: BROKEN if p == "p30" else sound(p, t)), store, 100, progress=shown)
    assert (shown.done, shown.skipped) == (100, 20)
    assert shown.note() == "1 failed"


def test_equal_prompts_are_done_when_their_answer_is(store: Store) -> None:
    """Not when they are drawn: what is stopped says how many prompts have an answer."""
    shown, limits = Progress("asking", 20, io.StringIO()), Limits(requests=3)
    asyncio.run(run(asks(20, distinct=10), Scripted(), store, limits=limits, progress=shown))
    assert (shown.done, shown.skipped) == (6, 0)


def test_a_long_run_says_how_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    out = io.StringIO()
    shown = Progress("asking", 1000, out)
    shown.note = lambda: "cost 0.12"
    for now in (1.0, 4.0, 5.0, 9.5):  # noqa: B007 - the clock reads it
        shown(100)
    assert out.getvalue().splitlines() == [
        "asking: 200 of 1,000, 50/s, 16 s left, cost 0.12",
        "asking: 400 of 1,000, 42/s, 14 s left, cost 0.12",
    ]


def test_an_estimate_says_so_and_is_never_overtaken() -> None:
    shown = Progress("asking", 90, io.StringIO(), about=True)
    shown(60)
    assert shown.line(shown._started + 10) == "asking: 60 of about 90, 6/s, 5 s left"
    shown(40)
    assert shown.line(shown._started + 10).startswith("asking: 100 of about 100, 10/s")


def test_no_time_is_told_where_nothing_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last requests are tried again and again: "0 s left" stood there for 20 s."""
    monkeypatch.setattr(time, "monotonic", lambda: 10.0)
    shown = Progress("asking", 200, io.StringIO())
    shown._started = 0.0
    shown(199)
    assert shown.line(11.0).endswith("0 s left")
    assert shown.line(22.0).endswith("nothing new for 12 s")
    shown(1)
    assert shown.line(40.0).endswith("0 s left")


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress that shows itself at once and often."""
    for name, seconds in {"BEAT": 0.001, "QUIET": 0.0, "LINE_EVERY": 0.0}.items():
        monkeypatch.setattr(f"horsesense.progress.{name}", seconds)


@pytest.mark.usefixtures("hasty")
def test_a_slow_model_is_seen_to_be_alive(store: Store) -> None:
    out = io.StringIO()
    with Progress("asking", 1, out) as shown:
        go(Scripted(pause=0.05), store, 1, progress=shown)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("asking: 0 of 1, nothing finished yet")
    assert lines[-1].startswith("asking: 1 of 1")


@pytest.mark.usefixtures("hasty")
def test_work_that_counts_nothing_is_seen_to_be_alive_and_only_the_inner_one() -> None:
    outer, inner = io.StringIO(), io.StringIO()
    with progress("reading", 3, outer), progress("loading", stream=inner):
        started = time.monotonic()
        while not inner.getvalue() and time.monotonic() < started + 5:
            time.sleep(0.002)
        assert not outer.getvalue()
    assert inner.getvalue().startswith("loading, 0 s so far\n")


@pytest.mark.usefixtures("hasty")
def test_progress_goes_on_where_it_is_entered_again() -> None:
    out = io.StringIO()
    shown = Progress("asking", 4, out)
    for _ in range(2):
        with shown:
            shown(2)
    assert out.getvalue().splitlines()[-1].startswith("asking: 4 of 4")


def test_the_first_line_may_come_before_the_first_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    out = io.StringIO()
    shown = Progress("asking", 1000, out)
    now = 3.0
    shown(0)
    assert out.getvalue() == "asking: 0 of 1,000, nothing finished yet after 3 s\n"


def test_a_short_run_says_nothing() -> None:
    out = io.StringIO()
    shown = Progress("asking", 3, out)
    shown(3)
    shown.close()
    assert out.getvalue() == ""


def test_a_terminal_gets_a_live_line_that_obeys_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    out = Terminal()
    shown = Progress("asking", 10, out)
    shown.note = lambda: "[red]3 failed[/red]"
    now = 3.0
    shown(5)
    shown.close()
    assert "asking: 5 of 10" in out.getvalue()
    assert "[red]3 failed[/red]" in out.getvalue()


def test_a_ctrl_c_that_came_before_sends_nothing(tmp_path: Path) -> None:
    """As asyncio passes one on that falls between two awaits: as a cancellation to come."""
    model = Scripted()

    async def work() -> None:
        task = asyncio.current_task()
        task.cancel()
        with Store.open(tmp_path / "store.sqlite") as store:
            await run(asks(20), model, store)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(work())
    assert model.most_in_flight == 0
