"""Budgets bound what a server counts, whatever it does and however many calls are under way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from command_line import Done, call
from horsesense.errors import ExitCode
from horsesense.inference.limits import Limits, Retry, RunSummary
from horsesense.inference.probe import capabilities
from horsesense.inference.runner import run
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.models.messages import Request
from horsesense.models.registry import make_model
from horsesense.testing.faults import ODD, FaultServer
from scripted import asks

HASTY = Retry(first_pause=0.005, longest_pause=0.05)
TOKENS = 800
UNLIKE = (
    "429",
    "drop",
    "garbage",
    "null",
    "timeout",
    "nested_reply",
    "costly_null",
    "costly_error",
)
"""Faults that tell apart what a call may have cost; test_faults.py has all of them."""


def go(server: FaultServer, path: Path, limits: Limits, connections: int = 8) -> RunSummary:
    async def act() -> RunSummary:
        # On a busy machine a sound call must not look like one that timed out: nobody counts it.
        timeout = 0.25 if "timeout" in server.faults else 30.0
        model = make_model(f"http:m@{server.url}", timeout=timeout)
        with Store.open(path) as store:
            async with model:
                _, probed = await capabilities(model, store, limits)
                asked = asks(2_000, model.identity)
                return probed + await run(
                    asked, model, store, limits=limits, retry=HASTY, max_connections=connections
                )

    return asyncio.run(act())


def audit(server: FaultServer, root: Path, *words: str, code: int | None = None) -> Done:
    """An audit of the sample."""
    model = f"http:m@{server.url}"
    return call("audit", "sample", "--model", model, "--out", root / "r", *words, code=code)


def account(path: Path) -> Spent:
    with Store.open(path, read_only=True) as store:
        return sum(store.spent().values(), start=Spent())


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "connections"), [("costly_null", 1), *((kind, 256) for kind in (*UNLIKE, *ODD))]
)
def test_tokens(tmp_path: Path, kind: str, connections: int) -> None:
    path, limits = tmp_path / "store.sqlite", Limits(tokens=TOKENS)
    with FaultServer({kind: 0.5}, hang=60.0, latency=0.002) as server:
        summary = go(server, path, limits, connections)
        assert summary.stopped == "budget"
        assert server.faulted[kind] > 0
        assert server.tokens <= TOKENS + server.dearest
        assert server.tokens <= account(path).tokens
        before = server.sent.total()
        assert account(path).requests == before
        # What was spent stays spent in later sessions.
        with pytest.raises(Exception, match="budget allows no request"):
            go(server, path, limits, connections)
        assert server.sent.total() == before


@pytest.mark.thorough
@pytest.mark.parametrize("amount", ["requests=10", "tokens=600"])
def test_all_runs_of_a_study_together(tmp_path: Path, amount: str) -> None:
    """However many runs a study names, and in however many sessions they are asked."""
    with FaultServer() as server:
        models = [f"http:{name}@{server.url}" for name in "abc"]
        told = f"models = {models}\nitems = ['sample']\n[settings]\nlimit = 2\nprobes = ['order']"
        (tmp_path / "study.toml").write_text(told, encoding="utf-8")
        for _ in range(2):
            done = call("run", tmp_path, "--budget", amount, code=ExitCode.BUDGET)
            if "tokens" in amount:
                assert 600 <= server.tokens <= 600 + server.dearest
            else:
                assert server.sent.total() == 10
        assert done.stdout.count("The budget is spent.") == 3


def test_runs_have_equal_parts_of_what_is_left() -> None:
    part = Limits(10, 601, 0.6, prompt_price=1.0, completion_price=1.0).share(Spent(), 3)
    assert (part.requests, part.tokens, part.money) == (4, 201, pytest.approx(0.2))


class Late(FaultServer):
    """Sound for so many calls, and then faulty."""

    def fault(self, prompt: str, time: int) -> str | None:
        return super().fault(prompt, time) if self.sent.total() > 150 else None


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["costly_null", "truncated"])
def test_faults_that_set_in_late(tmp_path: Path, kind: str) -> None:
    """What a server counted at first does not tell what it will count later."""
    path, limits = tmp_path / "store.sqlite", Limits(tokens=20_000)
    with Late({kind: 1.0}, latency=0.002) as server:
        go(server, path, limits, 256)
        assert server.faulted[kind] > 0
        assert server.tokens <= 20_000 + server.dearest
        assert server.tokens <= account(path).tokens


def test_more_than_the_excess_that_is_held_back(tmp_path: Path) -> None:
    """The bar that is not held: calls that are under way together, beyond what is held back."""
    path, limits = tmp_path / "store.sqlite", Limits(tokens=20_000, excess=100)
    with Late({"costly_null": 1.0}, latency=0.02) as server:
        go(server, path, limits, 64)
        assert server.most_in_flight > 8
        assert server.tokens > 20_000 + server.dearest
        assert server.tokens <= 20_000 + 65 * server.dearest


def test_one_odd_reply_does_not_fill_the_account(tmp_path: Path) -> None:
    """Calls that nobody counted are charged with the mean excess, not with the largest."""
    from horsesense.inference.ledger import Ledger
    from horsesense.models.messages import Failure, Usage

    request = Request((("user", "question"),), None)
    with Store.open(tmp_path / "store.sqlite") as store:
        ledger = Ledger(store, "m", Limits(tokens=10**6))
        bound = ledger.reserve(request)
        ledger.settle(bound, Failure("server", "", usage=Usage(2, 2_000)))
        for _ in range(499):
            ledger.settle(ledger.reserve(request), Failure("server", "", usage=Usage(2, 1)))
        counted = ledger.spent.tokens
        for _ in range(100):
            ledger.settle(ledger.reserve(request), None)
        assert ledger.spent.tokens - counted <= 100 * (bound.tokens + 4)
        assert ledger.spent.tokens - counted >= 100 * bound.tokens


def test_what_was_not_sent_costs_nothing(tmp_path: Path) -> None:
    words = ["audit", "sample", "--model", "http:m@http://127.0.0.1:9/v1", "--limit", "2"]
    words += ["--probes", "order", "--budget", "requests=2", "--out", str(tmp_path / "r")]
    for _ in range(3):
        done = call(*words, code=3)
        assert "no connection to 127.0.0.1:9: Connection refused" in " ".join(done.stderr.split())


def test_a_judge_costs_money(tmp_path: Path) -> None:
    """At the prices of the model, in `audit` and in `read`."""
    with FaultServer() as server, FaultServer() as judge:
        words = ("--probes", "", "--limit", "5", "--readers", f"text,judge:http:j@{judge.url}")
        limits = ("--no-preflight", "--budget", "money=0.05", "--price", "100,100")
        audit(server, tmp_path, *words, *limits)
        both = (server.tokens + judge.tokens) * 100 / 1e6
        assert judge.sent.total() > 0
        assert both <= 0.05 + max(server.dearest, judge.dearest) * 100 / 1e6
        before = judge.sent.total()
        read = ["read", str(tmp_path / "r"), "--readers", f"judge:http:j@{judge.url}"]
        call(*read, "--budget", f"requests={server.sent.total() + before + 1}")
        assert judge.sent.total() <= before + 1


@pytest.mark.parametrize("connections", [1, 256])
def test_money(tmp_path: Path, connections: int) -> None:
    """A reply without content that took 2,000 tokens is in the books, each time."""
    path = tmp_path / "store.sqlite"
    limits = Limits(money=0.01, prompt_price=1.0, completion_price=2.0)
    with FaultServer({"costly_null": 1.0}, latency=0.002) as server:
        with pytest.raises(Exception, match=r"does not answer|budget allows no"):
            go(server, path, limits, connections)
        most = limits.cost(0, server.dearest)
        spent = limits.cost(account(path).prompt_tokens, account(path).completion_tokens)
        assert 0.01 <= spent <= 0.01 + most
        assert server.tokens == account(path).tokens


@pytest.mark.parametrize(("requests", "sent"), [(0, 0), (1, 1), (7, 7)])
def test_requests(tmp_path: Path, requests: int, sent: int) -> None:
    with FaultServer() as server:
        words = ("--limit", "4", "--probes", "order", "--budget", f"requests={requests}")
        done = audit(server, tmp_path, *words)
        assert server.sent.total() == sent
        again = audit(server, tmp_path, *words)
        assert server.sent.total() == sent
    assert "Traceback" not in done.stderr + again.stderr
    if requests == 0:
        assert done.returncode == ExitCode.BUDGET
        assert "budget allows no request" in done.stderr
        assert not (tmp_path / "r").exists()


def test_the_stages_of_an_audit_share_one_budget(tmp_path: Path) -> None:
    """The judge reads on the account of the model whose replies it judges."""
    with FaultServer() as server, FaultServer() as judge:
        words = ("--probes", "", "--readers", f"text,judge:http:j@{judge.url}", "--no-preflight")
        audit(server, tmp_path, *words, "--budget", "requests=66", code=ExitCode.BUDGET)
        assert server.sent.total() + judge.sent.total() == 66
        assert server.sent.total() == 62


def test_a_judge_is_asked_no_more_at_once_than_the_model(tmp_path: Path) -> None:
    with FaultServer(latency=0.02) as server, FaultServer(latency=0.02) as judge:
        words = ("--limit", "10", "--probes", "order", "--max-connections", "3")
        words = (*words, "--readers", f"text,judge:http:j@{judge.url}")
        audit(server, tmp_path, *words, code=0)
        assert judge.sent.total() > 6
        assert judge.most_in_flight <= 3


def test_an_account_survives_a_kill(tmp_path: Path) -> None:
    """What is under way when a process dies is in the account already."""
    path = tmp_path / "store.sqlite"
    limits = Limits(tokens=10**6)

    async def die() -> None:
        model = make_model(f"http:m@{server.url}")
        with Store.open(path) as store:
            async with model:
                going = asyncio.create_task(
                    run(asks(500, model.identity), model, store, limits=limits)
                )
                while server.sent.total() < 100:
                    await asyncio.sleep(0.001)
                # A copy of the files at this moment is what a kill would leave.
                for suffix in ("", "-wal"):
                    source = path.with_name(path.name + suffix)
                    (tmp_path / f"killed.sqlite{suffix}").write_bytes(source.read_bytes())
                copied = server.sent.total()
                with Store.open(tmp_path / "killed.sqlite", read_only=True) as killed:
                    [spent] = killed.spent().values()
                assert copied <= spent.requests <= copied + 2 * 64
                assert server.tokens <= spent.tokens
                going.cancel()
                await asyncio.gather(going, return_exceptions=True)

    with FaultServer(latency=0.01) as server:
        asyncio.run(die())


def test_a_store_of_an_earlier_release_brings_what_its_answers_tell(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with FaultServer() as server:
        summary = go(server, path, Limits(requests=20))
    with Store.open(path) as store:
        store._connection.execute("DROP TABLE spending")
    with Store.open(path) as store:
        [spent] = store.spent().values()
    assert spent == Spent(summary.answered, summary.prompt_tokens - 10, summary.answered)
