"""Whole audits through faults, kills, full disks, budgets, Ctrl-C and resumes, in any order.

`Chaos` is a state machine: each step changes the weather at the server or starts `horsesense` in
a process of its own, which may be killed at any call of the server, at any change of a file and at
any transaction of the store. However the steps go, an undisturbed audit at the end must give the
numbers of a run that nothing ever disturbed, for the same money.

    python -m chaos --runs 200          # or --minutes 60, --seed N; see scripts/chaos
    python -m chaos --damage            # every command over damaged runs (damaging.py)
"""

from __future__ import annotations

import argparse
import errno
import io
import json
import multiprocessing
import os
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import hypothesis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from command_line import made_by
from horsesense.cli import main
from horsesense.errors import ExitCode, StoreError
from horsesense.inference.limits import PATIENT, Retry
from horsesense.inference.store import Store
from horsesense.inference.store_file import explained
from horsesense.inference.stored_rows import Spent
from horsesense.runs.watch import PASSAGE
from horsesense.testing.faults import COSTLY, KINDS, FaultServer

CONNECTIONS = 4
JUDGES = 64
"""Requests that a judge has in flight; `--max-connections` is the audited model's alone."""
HASTY = Retry(attempts=4, first_pause=0.002, longest_pause=0.02, give_up=12)
PRICE = 1000.0
"""Of a million tokens, prompt or completion."""
STUDIES = {
    "one round": ("--probes", "order,none_of_the_above"),
    "two rounds": ("--probes", "order,multi_select"),
    "until decided": ("--probes", "order", "--until", "decided"),
    "with a judge": ("--probes", "order", "--readers", "text,judge:http:j@{url}"),
}

Event = Literal["call", "file"]
Act = Literal["kill", "interrupt", "interrupt twice", "disk full"]


class Call(NamedTuple):
    """A call that the server has seen; `fault` is None where the reply was sound."""

    session: int
    prompt: str
    fault: str | None


class Trouble(NamedTuple):
    """What happens to a process at its n-th event: a call of the server, or a change on the disk.

    The two are counted in different places: calls where the server sees them, files (also each
    begin and each end of a transaction) in the process itself.
    """

    act: Act
    event: Event
    at: int


class Witness(FaultServer):
    """A server that remembers every call, and troubles its caller at one of them."""

    def __init__(self) -> None:
        super().__init__(hang=0.05)
        self.calls: list[Call] = []
        self.session = 0
        self.at_call: dict[int, Callable[[], None]] = {}

    def fault(self, prompt: str, time: int) -> str | None:
        kind = super().fault(prompt, time)
        self.calls.append(Call(self.session, prompt, kind))
        if act := self.at_call.get(sum(call.session == self.session for call in self.calls)):
            act()
        return kind

    def calm(self) -> None:
        self.faults, self.hopeless, self.at_call = {}, 0.0, {}

    def idle(self) -> None:
        """Wait until nothing that a dead process has sent is left."""
        deadline = time.monotonic() + 10
        while self._in_flight and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(0.02)


def tokens(prompt: str) -> tuple[int, int]:
    """Prompt and completion tokens of a sound reply, as `FaultServer` counts them."""
    return len(prompt.split()), 1


def cost(call: Call) -> int:
    """All tokens of a call, as the server counts them."""
    if call.fault is None:
        return sum(tokens(call.prompt))
    return len(call.prompt.split()) + COSTLY if call.fault.startswith("costly") else 0


def asks_items(prompt: str) -> bool:
    """Whether a prompt is one of the study, and not one that tries what the server offers."""
    return "Reply with the letter A" not in prompt and PASSAGE not in prompt


# -- the process -------------------------------------------------------------------------------


class _Watch:
    """Counts the changes that a process makes below a folder, and acts at one of them."""

    def __init__(self, root: Path, trouble: Trouble) -> None:
        self.root = str(root)
        self.trouble = trouble
        self.seen = 0

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and arguments[1] in ("w", "wb", "a", "ab", "r+", "rb+")
        changes = writes or event in ("os.rename", "os.remove", "os.mkdir")
        if changes and str(arguments[0]).startswith(self.root):
            self.step()

    def step(self) -> None:
        self.seen += 1
        act, _, at = self.trouble
        if act == "disk full" and self.seen >= at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self.seen != at:
            return
        if act == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        for _ in range(2 if act == "interrupt twice" else 1):
            os.kill(os.getpid(), signal.SIGINT)

    @contextmanager
    def transaction(self, store: Store) -> Iterator[Any]:
        with explained(store.path):
            self.step()
        with _TRANSACTION(store) as database:
            yield database
        with explained(store.path):
            self.step()


_TRANSACTION = Store.transaction


def _work(
    words: list[str], said: Path, root: Path, trouble: Trouble | None, largest: int | None
) -> None:
    """`horsesense WORDS` in this process, which is a new one; what it says goes to a file."""
    import vl_convert

    from horsesense.models.openai import http

    signal.signal(signal.SIGINT, signal.default_int_handler)
    # As patient as ever, but after short pauses; and charts are not what is tried here.
    for name, value in asdict(HASTY).items():
        object.__setattr__(PATIENT, name, value)  # whoever asks, asks with this one
    http.LONGEST_PROBE_PAUSE = HASTY.longest_pause
    vl_convert.vegalite_to_svg = lambda spec: '<svg viewBox="0 0 9 9"></svg>'
    with (
        said.open("w", encoding="utf-8") as kept,
        io.StringIO() as later,
        redirect_stdout(kept if largest is None else later) as file,
        redirect_stderr(file),
    ):
        if trouble is not None and trouble.event == "file":
            watch = _Watch(root, trouble)
            Store.transaction = lambda store: watch.transaction(store)  # type: ignore[method-assign]
            sys.addaudithook(watch.hook)
        if largest is not None:  # the kernel refuses what goes beyond, in the middle of a write
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
        try:
            main([*words, "--debug"])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException:  # noqa: BLE001 - a defect, which the parent reports
            traceback.print_exc()
            code = 99
        # What it says is a file too, which is not what is tried.
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        kept.write(later.getvalue())
    os._exit(code)


@cache
def processes() -> Any:
    """Where processes come from: a server that has loaded everything and forks."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
        os.environ.setdefault(name, "1")
    context = multiprocessing.get_context("forkserver")
    ours = ("api", "cli.audit", "readers.text.reader", "report", "runs.measure", "runs.tables")
    loaded = [f"horsesense.{name}" for name in ours]
    context.set_forkserver_preload(["chaos", *loaded, "scipy.special", "vl_convert"])
    return context


@dataclass(frozen=True)
class Session:
    """How a process ended: its exit code (-9 where it was killed) and what it said."""

    code: int
    said: str
    trouble: Trouble | None = None
    largest: int | None = None
    budget: tuple[str, int] | None = None

    @property
    def abrupt(self) -> bool:
        """Whether what was in flight may be lost."""
        twice = self.trouble is not None and self.trouble.act == "interrupt twice"
        return self.code == -signal.SIGKILL or twice or self.full

    @property
    def full(self) -> bool:
        return self.largest is not None or (
            self.trouble is not None and self.trouble.act == "disk full"
        )


# -- the machine -------------------------------------------------------------------------------


@dataclass
class Tally:
    """What the runs of this process tried, for the page on reliability."""

    runs: int = 0
    sessions: int = 0
    calls: int = 0
    tried: Counter[str] = field(default_factory=Counter)


TALLY = Tally()


class World:
    """What all runs share: the server, the items, and what each study gives when left alone."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="horsesense-chaos-"))
        self.server = Witness()
        self.server.__enter__()
        self.items = self.place / "items.jsonl"
        rows = [
            {
                "id": f"q{i}",
                "question": f"Which of these is number {i}?",
                "options": [f"answer {i}.{j}" for j in range(4)],
                "answer_index": i % 4,
            }
            for i in range(6)
        ]
        self.items.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        self._calm: dict[str, tuple[dict[str, Any], Counter[str]]] = {}

    def words(self, study: str, out: Path) -> list[str]:
        url = self.server.url
        base = ["audit", str(self.items), "--model", f"http:test@{url}", "--out", str(out)]
        more = [word.format(url=url) for word in STUDIES[study]]
        return [*base, "--max-connections", str(CONNECTIONS), "--report-items", "2", *more]

    def start(
        self,
        words: list[str],
        out: Path,
        trouble: Trouble | None = None,
        largest: int | None = None,
    ) -> Session:
        """Run a command to its end, whatever that is."""
        server = self.server
        server.session += 1
        said = self.place / "said.txt"
        process = processes().Process(target=_work, args=(words, said, out, trouble, largest))
        process.start()
        if trouble is not None and trouble.event == "call":
            number = signal.SIGKILL if trouble.act == "kill" else signal.SIGINT
            moments = {trouble.at}
            if trouble.act == "interrupt twice":
                moments.add(trouble.at + 1)
            server.at_call |= dict.fromkeys(moments, partial(_send, process.pid, number))
        process.join(timeout=120)
        server.at_call = {}
        if process.is_alive():
            process.kill()
            process.join()
            raise AssertionError(f"{' '.join(words)} did not end:\n{said.read_text()}")
        server.idle()
        return Session(process.exitcode, said.read_text(errors="replace"), trouble, largest)

    def calm(self, study: str) -> tuple[dict[str, Any], Counter[str]]:
        """Numbers and calls of a run of a study that nothing disturbs."""
        if study not in self._calm:
            out = self.place / f"calm-{len(self._calm)}"
            self.server.calm()
            self.server.calls.clear()
            done = self.start(self.words(study, out), out)
            assert done.code == 0, done.said
            self._calm[study] = numbers(out), sound(self.server.calls)
        return self._calm[study]


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


@cache
def world() -> World:
    return World()


def sound(calls: list[Call]) -> Counter[str]:
    """How often each prompt of the study got a sound reply."""
    return Counter(c.prompt for c in calls if c.fault is None and asks_items(c.prompt))


def numbers(out: Path) -> dict[str, Any]:
    """All that estimates.json holds, but for what tells how asking went."""
    found = json.loads((out / "estimates.json").read_bytes())
    of_asking = ("run", "judges", "judges_before")
    return {name: value for name, value in found.items() if name not in of_asking}


counts = st.integers(1, 12) | st.integers(1, 60)
troubles = st.builds(
    Trouble,
    st.sampled_from(("kill", "kill", "interrupt", "interrupt twice")),
    st.sampled_from(("call", "file")),
    counts,
) | st.builds(Trouble, st.just("disk full"), st.just("file"), counts)
budgets = st.one_of(
    st.tuples(st.just("requests"), st.integers(0, 30)),
    st.tuples(st.just("tokens"), st.integers(0, 1500)),
    st.tuples(st.just("money"), st.integers(0, 1500)),
)


class Chaos(RuleBasedStateMachine):
    """One run directory, and all that may happen to it."""

    @initialize(study=st.sampled_from(list(STUDIES)))
    def begin(self, study: str) -> None:
        self.world, self.study = world(), study
        self.numbers, self.needed = self.world.calm(study)
        self.server = self.world.server
        self.server.calm()
        self.server.calls.clear()
        self.server.sent.clear()
        self.out = self.world.place / "run"
        self.sessions: list[Session] = []
        self.forgotten: set[int] = set()
        TALLY.runs += 1
        TALLY.tried[f"study: {study}"] += 1

    def audit(self, more: list[str] | None = None, **trouble: Any) -> Session:
        words = [*self.world.words(self.study, self.out), *(more or ())]
        return self.keep(self.world.start(words, self.out, **trouble))

    def keep(self, done: Session) -> Session:
        """Remember a session, once it is seen to have ended as one may."""
        self.sessions.append(done)
        TALLY.sessions += 1
        if not self.account():
            self.forgotten.add(self.server.session)
        assert "Traceback" not in done.said, done.said
        allowed = {ExitCode.FINE, ExitCode.TROUBLE, ExitCode.BUDGET}
        if done.trouble is not None and done.trouble.act == "kill":
            allowed.add(-signal.SIGKILL)
        if done.trouble is not None and done.trouble.act.startswith("interrupt"):
            allowed.add(130)
        assert done.code in allowed, (done.code, done.said)
        return done

    @rule(
        kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True),
        share=st.sampled_from((0.05, 0.2, 0.6)),
        hopeless=st.sampled_from((0.0, 0.0, 0.15)),
        seed=st.integers(0, 2**16),
    )
    def weather(self, kinds: list[str], share: float, hopeless: float, seed: int) -> None:
        """From now on the server misbehaves so."""
        self.server.faults = dict.fromkeys(kinds, share / len(kinds))
        self.server.hopeless, self.server.seed = hopeless, seed
        TALLY.tried.update(f"fault: {kind}" for kind in kinds)

    @rule()
    def good_weather(self) -> None:
        self.server.calm()

    @rule()
    def undisturbed(self) -> None:
        """An audit in whatever weather there is."""
        self.audit()
        TALLY.tried["resume"] += 1

    @rule(trouble=troubles)
    def troubled(self, trouble: Trouble) -> None:
        """An audit that is killed, stopped, or finds the disk full."""
        self.audit(trouble=trouble)
        TALLY.tried[f"{trouble.act} at a {trouble.event}"] += 1

    @rule(largest=st.integers(0, 17).map(lambda n: int(512 * 2 ** (n / 2))))
    def cut(self, largest: int) -> None:
        """An audit whose files may not grow beyond so many bytes."""
        self.audit(largest=largest)
        TALLY.tried["file cut in a write"] += 1

    @rule(at=counts)
    def second(self, at: int) -> None:
        """Somebody removes the lock file while an audit is under way, and starts another."""
        ended: list[int] = []
        words, said = self.world.words(self.study, self.out), self.world.place / "second.txt"

        def again() -> None:
            (self.out / "store.lock").unlink(missing_ok=True)
            process = processes().Process(target=_work, args=(words, said, self.out, None, None))
            process.start()
            process.join(timeout=120)
            ended.append(process.exitcode)

        self.server.at_call = {at: again}
        self.audit()
        assert set(ended) <= {ExitCode.TROUBLE}, (ended, said.read_text())
        assert not ended or "is in use by another run" in said.read_text(), said.read_text()
        TALLY.tried["second audit, the lock removed"] += len(ended)

    @rule(at=counts)
    def moved(self, at: int) -> None:
        """Somebody moves the folder while an audit is under way, and back when it has ended."""
        aside = self.out.with_name("aside")
        self.server.at_call = {at: lambda: self.out.rename(aside)}
        self.audit()
        if aside.exists():
            assert not [*self.out.rglob("*.*")], [*self.out.rglob("*")]
            shutil.rmtree(self.out, ignore_errors=True)
            aside.rename(self.out)
            self.sessions[-1] = replace(self.sessions[-1], largest=0)  # it lost what was in flight
            TALLY.tried["folder moved"] += 1

    @rule(at=counts)
    def neighbour(self, at: int) -> None:
        """Another program opens and closes the store while an audit is under way, then killed."""
        address = f"file:{self.out / 'store.sqlite'}?mode=rw"

        def look() -> None:
            with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as store:
                store.execute("SELECT count(*) FROM responses").fetchone()
                TALLY.tried["neighbour"] += 1

        self.server.at_call = {at: look}
        self.audit(trouble=Trouble("kill", "call", at + 2 * CONNECTIONS))

    @rule(budget=budgets)
    def with_budget(self, budget: tuple[str, int]) -> None:
        """An audit that may spend so much: requests, tokens, or money of so many tokens."""
        kind, amount = budget
        spelt = f"{kind}={amount * PRICE / 1e6 if kind == 'money' else amount}"
        calls, before = self.counted(), len(self.server.calls)
        self.audit(["--budget", spelt, "--price", f"{PRICE},{PRICE}"])
        if self.study == "with a judge" and kind == "money":
            return  # nobody names the price of a judge
        new = self.server.calls[before:]
        if kind == "requests":
            assert len(calls) + len(new) <= max(len(calls), amount), (len(calls), len(new), amount)
        elif new:
            spent, one = sum(map(cost, calls)), max(map(cost, new))
            # A server that counts more than was allowed is found out by its first replies.
            odd = any(call.fault and call.fault.startswith("costly") for call in new)
            most = max(spent, amount) + one * (CONNECTIONS if odd else 1)
            assert spent + sum(map(cost, new)) <= most, (spent, sum(map(cost, new)), amount)
        TALLY.tried[f"budget: {kind}"] += 1

    @rule(trouble=st.none() | troubles)
    def report(self, trouble: Trouble | None) -> None:
        """A report on what there is, whole or not."""
        if not (self.out / "run.toml").exists():
            return
        asked = len(self.server.calls)
        self.keep(self.world.start(["report", str(self.out)], self.out, trouble))
        assert len(self.server.calls) == asked, "a report asks nobody"
        TALLY.tried["report" if trouble is None else f"report, {trouble.act}"] += 1

    def account(self) -> list[Spent]:
        """What the run directory says was spent; empty where nothing could be written down yet.

        Without a budget the account begins with the first answer that is stored; with one, before
        anything is sent.
        """
        path = self.out / "store.sqlite"
        if not path.exists():
            return []
        with suppress(StoreError), Store.open(path, read_only=True) as store:
            return list(store.spent().values())
        return []

    def counted(self) -> list[Call]:
        """Calls of the sessions that left an account of what they took."""
        return [call for call in self.server.calls if call.session not in self.forgotten]

    def teardown(self) -> None:
        """Whatever happened: the same numbers, the same books, nothing paid for twice."""
        if not hasattr(self, "sessions"):
            return
        if isinstance(sys.exc_info()[1], AssertionError):  # repeated, it may go otherwise
            traceback.print_exc()
        try:
            self.server.calm()
            before = len(self.server.calls)
            done = self.audit()
            assert done.code == 0, done.said
            self.check_numbers()
            self.check_books(self.server.calls[before:])
            self.check_twice()
            TALLY.calls += len(self.server.calls)
        except AssertionError:
            traceback.print_exc()
            raise
        finally:
            shutil.rmtree(self.out, ignore_errors=True)

    def check_numbers(self) -> None:
        assert numbers(self.out) == self.numbers
        sound = self.world.start(["verify", str(self.out)], self.out)
        assert sound.code == 0, sound.said

    def check_books(self, last: list[Call]) -> None:
        """The store holds what the server sent; the summary counts what the server counts."""
        answers: dict[str, str] = {}
        with Store.open(self.out / "store.sqlite", read_only=True) as store:
            sql = "SELECT request, response FROM responses"
            rows = [tuple(map(json.loads, row)) for row in store.rows(sql)]
            totals, account = store.totals(), list(store.spent().values())
        for request, response in rows:
            prompt = request["messages"][-1][1] if "messages" in request else request["text"]
            answers[prompt] = response["text"]
            assert response["text"] == self.server.answer(prompt)
            assert tuple(response["usage"]) == tokens(prompt)
        assert set(answers) <= set(sound(self.server.calls))
        assert set(self.needed) <= set(answers)
        assert totals.prompt_tokens == sum(tokens(p)[0] * n for p, n in _counted(rows).items())
        assert totals.failures == 0 or set(self.needed) <= set(answers)
        if self.study != "with a judge":  # whose calls are told apart from the audit's
            spent = json.loads((self.out / "estimates.json").read_bytes())["run"]
            assert spent["sent"] == len(last), (spent, len(last))
        calls = self.counted()
        requests = sum(spent.requests for spent in account)
        assert requests >= len(calls), (requests, len(calls))
        if not any(session.abrupt for session in self.sessions):
            assert requests == len(calls), (requests, len(calls))
        used = sum(spent.prompt_tokens + spent.completion_tokens for spent in account)
        assert used >= sum(map(cost, calls)), (used, sum(map(cost, calls)))

    def check_twice(self) -> None:
        """Asked again after a sound reply is at most what was in flight when a process died."""
        again = sound(self.server.calls) - Counter(
            {prompt: max(1, self.needed[prompt]) for prompt in sound(self.server.calls)}
        )
        at_once = CONNECTIONS if self.study != "with a judge" else JUDGES
        lost = at_once * sum(session.abrupt for session in self.sessions)
        assert again.total() <= lost, (again.total(), lost, [p[-60:] for p in [*again][:3]])


def _counted(rows: list[Any]) -> Counter[str]:
    return Counter(
        request["messages"][-1][1] if "messages" in request else request["text"]
        for request, _ in rows
    )


def run_chaos(runs: int, steps: int = 6, seed: int | None = None) -> None:
    """So many runs of at most so many steps; an AssertionError shows the steps that failed."""
    chosen = hypothesis.settings(
        max_examples=runs,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        derandomize=seed is None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=(hypothesis.Phase.generate,),
        print_blob=False,
    )
    machine = Chaos if seed is None else hypothesis.seed(seed)(type("Chaos", (Chaos,), {}))
    run_state_machine_as_test(machine, settings=chosen)


def _damage(seed: int, most: float, save: Path | None) -> int:
    """Each command with each damage of each file of a run, in the order of the seed."""
    import random

    import uvicorn

    import damaging

    uvicorn.Server.run = lambda *_, **__: None  # type: ignore[method-assign]
    place, started = Path(tempfile.mkdtemp(prefix="horsesense-damage-")), time.monotonic()
    made, codes, unexpected = damaging.made_in(place), Counter[int](), dict[str, str]()
    everything = list(damaging.every(made))
    random.Random(seed).shuffle(everything)
    (place / "here").mkdir()
    for tried in everything:
        if time.monotonic() - started > most:
            break
        done = damaging.check(made, place / "here", tried, seed)
        codes[done.returncode] += 1
        if done.returncode == ExitCode.UNEXPECTED:
            unexpected.setdefault(done.stderr.splitlines()[0].rpartition("(")[2], str(tried))
    shutil.rmtree(place)
    found = {"what": "damage", "of": len(everything), "tried": codes.total(), **made_by("chaos")}
    found |= {"codes": dict(codes), "unexpected": unexpected}
    if save is not None:
        save.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=2))
    return 0


def _main() -> int:
    words = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    words.add_argument("--runs", type=int, default=5000)
    words.add_argument("--minutes", type=float, help="Stop after so many minutes.")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--save", type=Path, help="JSON file for what was tried.")
    words.add_argument("--damage", action="store_true", help="Every command over damaged runs.")
    given = words.parse_args()
    if given.damage:
        return _damage(given.seed, 60 * (given.minutes or 60), given.save)
    started, seed, failure = time.monotonic(), given.seed, None
    while TALLY.runs < given.runs and failure is None:
        if given.minutes is not None and time.monotonic() - started > 60 * given.minutes:
            break
        try:
            run_chaos(min(25, given.runs - TALLY.runs), seed=seed)
        except Exception:  # noqa: BLE001 - a finding, which is reported below
            failure = traceback.format_exc()
        seed += 1
        print(f"{TALLY.runs} runs, {time.monotonic() - started:.0f} s", flush=True)
    found = {
        "what": "chaos",
        **made_by("chaos"),
        "runs": TALLY.runs,
        "processes": TALLY.sessions,
        "calls": TALLY.calls,
        "seconds": round(time.monotonic() - started),
        "findings": 0 if failure is None else 1,
        "tried": dict(sorted(TALLY.tried.items())),
    }
    if given.save is not None:
        given.save.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(failure or "Nothing was found.", f"(seed {seed - 1})" if failure else "")
    return 0 if failure is None else 1


if __name__ == "__main__":
    import chaos  # the name under which its processes know it

    sys.exit(chaos._main())
