"""Fuzzing of everything that reads foreign bytes.

`TARGETS` is the list: a name, the name of the file, and what reads it. A target's seeds lie in
`tests/fuzz/NAME/`; where they are files of a run, they are made when they are needed. Whatever the
bytes are, a target may raise a HorsesenseError and nothing else.

    python -m fuzzing --minutes 60      # or --rounds N, --only NAME; see scripts/fuzz
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from command_line import made_by
from damaging import journal_naming, spoilt
from horsesense.api.runs import Run
from horsesense.errors import HorsesenseError
from horsesense.inference.limits import Retry
from horsesense.inference.store import Store
from horsesense.items.load import load_items
from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Request, Response, SamplingParams
from horsesense.models.openai.protocol import context_lengths
from horsesense.models.recorded import Replay
from horsesense.readers.recorded import read_file
from horsesense.readers.text_answers import TextAnswers
from horsesense.runs import redacted as redact
from horsesense.runs.results import Results
from horsesense.runs.studies import StudyFile
from horsesense_extras.api import load_log
from horsesense_extras.integrations.exports import write_lm_eval
from horsesense_extras.integrations.inspect_log import write_inspect_log
from horsesense_extras.logs.imported import import_logs
from horsesense_extras.logs.registry import open_logs
from horsesense_extras.people.review_files import read_csv
from horsesense_extras.people.sample import Sampled, is_sample
from horsesense_extras.redact import write_redacted
from pieces import assembled, read_assembled

HERE = Path(__file__).parent
TextAnswers.strict = True  # an error of the rules is a finding
CORPUS = HERE / "fuzz"


class Target(NamedTuple):
    """Something that reads foreign bytes.

    Attributes:
        name: also the folder of its seeds.
        file: the name of the file that holds the bytes.
        read: reads that file.
        seeds: makes the seeds where they are not kept in the corpus.
        make: makes the bytes of a round, where they are no changed seeds.
    """

    name: str
    file: str
    read: Callable[[Path], object]
    seeds: Callable[[], Sequence[bytes]] | None = None
    make: Callable[[random.Random], bytes] | None = None


# -- what the targets do -----------------------------------------------------------------------


REQUESTS = (
    Request((("user", "Which?"),), None, SamplingParams(top_logprobs=5)),
    Request(None, "Which?", SamplingParams(top_logprobs=5)),
)


def wire(path: Path) -> None:
    """A whole HTTP reply, as a server sends it: what becomes of it can be stored and read again."""
    asyncio.run(_exchange(path.read_bytes()))


async def _exchange(reply: bytes) -> None:
    from horsesense.models.registry import make_model

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(reply)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    model = make_model(f"http:m@http://127.0.0.1:{port}/v1")
    async with server, model:
        for request in REQUESTS:
            asked = Asked(request.key(model.identity), request)
            [result] = await model.respond([asked])
            _keep(asked, result, model.identity)


def _keep(asked: Asked, result: Response | Failure, identity: str) -> None:
    """Store a result and read it again, as a run does."""
    place = Path(tempfile.mkdtemp(dir=_scratch()))
    with Store.open(place / "store.sqlite") as store:
        if isinstance(result, Failure):
            Retry().pause(1, result)
            store.fail([(asked, 1, result)], identity=identity)
            assert asked.key in store.failures()
        else:
            store.put([(asked, result)], identity=identity)
            assert store.get([asked.key])[asked.key].text == result.text
        store.totals()
        assert store.verify().sound
    shutil.rmtree(place)


@cache
def _scratch() -> Path:
    return Path(tempfile.mkdtemp(prefix="horsesense-fuzz-"))


def reply_text(path: Path) -> None:
    """A reply's text, read in answer to every kind of question."""
    from horsesense.readers.registry import make_reader
    from horsesense.testing.conformance import trials_to_read

    response = Response(path.read_bytes().decode(errors="surrogateescape"))
    for trial in _once(trials_to_read):
        for name in ("text", "first_token", "option_text"):
            _once(partial(make_reader, name), name).read(trial, response)


def recorded(path: Path) -> None:
    """A file of replies: its rows may be faulty, and the reader fails at none of the others."""
    faults = [row.reading.rule for row in read_file(path) if row.failed]
    assert not [fault for fault in faults if fault.partition(":")[0].endswith("Error")], faults


_MADE: dict[Any, Any] = {}


def _once(make: Callable[[], Any], name: Any = None) -> Any:
    key = name or make
    if key not in _MADE:
        _MADE[key] = make()
    return _MADE[key]


def replay(path: Path) -> None:
    """Recorded answers as a model."""
    model = Replay(path)
    asyncio.run(model.capabilities())
    model.check(load_items("sample"))


def store_row(path: Path) -> None:
    """The text of a response in a store, as somebody may have changed it."""
    text = path.read_bytes().decode(errors="replace")
    place = path.with_name("store.sqlite")
    place.unlink(missing_ok=True)
    asked = Asked(REQUESTS[0].key("m"), REQUESTS[0])
    with Store.open(place) as store:
        store.put([(asked, Response("B"))], identity="m")
    spoilt(place.parent, "UPDATE responses SET response = ?", text)
    _use_store(place)


def _use_store(path: Path) -> None:
    with Store.open(path, read_only=True) as store:
        keys = [request.key("m") for request in REQUESTS]
        for use in (store.totals, store.verify, store.failures):
            _allowed(use)
        _allowed(lambda: store.get(keys))
        _allowed(lambda: store.requests(keys))


def _allowed(act: Callable[[], object]) -> None:
    """One use of several: its HorsesenseError must not hide what the others do."""
    with suppress(HorsesenseError):
        act()


@cache
def whole_run() -> Path:
    """A small run with two rounds, measured and reported, some replies of which are labelled."""
    from studies import items_file

    place = _scratch() / "whole"
    items = items_file(_scratch() / "items.jsonl", 6)
    from horsesense.api import audit

    audit(items, "sim:prior", out=place, probes="order,multi_select", report_items=3)
    (place / "reviews.json").write_bytes(
        b'{"classes": {"00": "x"}, "reviewers": [], "agreement": null, "compared": 0,'
        b' "disagreements": 0}'
    )
    sampled, file = Sampled.of(Run.open(place).directory), _scratch() / "labelled.csv"
    sampled.write(file, 4)
    file.write_bytes(file.read_bytes().replace(b',""\r\n', b',"A"\r\n'))
    sampled.take(file)
    return place


def of_run(pattern: str, made: Callable[[], Path]) -> Sequence[bytes]:
    """The files of a run whose path fits."""
    return [path.read_bytes() for path in sorted(made().glob(pattern))]


@cache
def imported_run() -> Path:
    """A small run that was made of a log."""
    place, log = _scratch() / "imported", _scratch() / "log.json"
    log.write_bytes(_corpus("log-inspect")[0])
    import_logs(place, open_logs([log]))
    Run.open(place).measure()
    return place


def _copied(path: Path, run: Path) -> Path:
    place = path.parent / "run"
    shutil.rmtree(place, ignore_errors=True)
    return Path(shutil.copytree(run, place))


def in_run(path: Path, inside: str, made: Callable[[], Path]) -> None:
    """A run one of whose files was replaced by somebody who leaves no digests of them."""
    place = _copied(path, made())
    (place / "manifest").unlink()
    target = next(iter(sorted(place.glob(inside))))
    shutil.copyfile(path, target)
    _use_run(Run.open(place))


def _use_run(run: Run) -> None:
    for use in (lambda: run.trials, lambda: run.readings, lambda: run.estimates, run.verify):
        _allowed(use)
    report, told = partial(run.report, items=2), lambda: Sampled.of(run.directory).told(0.95)
    for use in (run.prompts, report, run.measure, told):
        _allowed(use)


def labels(path: Path) -> None:
    """Replies of a run that a person labelled."""
    if is_sample(path):
        Sampled.of(Run.open(_copied(path, whole_run())).directory).take(path)


def labelled() -> Sequence[bytes]:
    whole_run()
    return [(_scratch() / "labelled.csv").read_bytes()]


def no_file(path: Path) -> None:
    """A run one of whose parts is a link or a pipe, or whose store has a journal that names a
    file: what it leads to stays as it is."""
    data = path.read_bytes().ljust(2, b"\0")
    place = _copied(path, whole_run())
    victim = path.with_name("victim")
    victim.mkdir(exist_ok=True)
    (victim / "file").write_text("mine")
    parts = sorted(place.rglob("*"))
    part, kind = parts[data[0] % len(parts)], data[1] % 4
    if kind == 3:
        part = journal_naming(place / "store.sqlite", victim / "file")
        if data[0] % 2:
            part.write_bytes(mutated(part.read_bytes(), random.Random(data), (data,)))
    else:
        shutil.rmtree(part) if part.is_dir() else part.unlink()
    if kind == 0:
        os.mkfifo(part)
    elif kind < 3:
        part.symlink_to(victim if kind == 1 else victim / "file")
    try:
        _allowed(lambda: Store.open(place / "store.sqlite").close())
        run = Run.open(place)
        _use_run(run)
        _allowed(run.report)
    finally:
        assert [each.read_text() for each in victim.iterdir()] == ["mine"]


def redacted(path: Path) -> None:
    """A run in a file that can be shown."""
    try:
        _use_run(Run.open(path))
    finally:
        while redact._UNPACKED:
            redact._UNPACKED.popitem()[1].cleanup()


def redacted_run() -> Sequence[bytes]:
    path = _scratch() / "redacted.zip"
    write_redacted(Run.open(whole_run()).results, path, bytes(32))
    return [path.read_bytes()]


def a_study(path: Path) -> None:
    """A study: which runs it has, and where."""
    found = StudyFile.load(path)
    for use in (lambda: found.folder(path.parent), lambda: list(found.runs(path.parent))):
        _allowed(use)


def a_log(path: Path) -> None:
    """A log of another program, as samples and as a run."""
    place = path.parent / "made"
    shutil.rmtree(place, ignore_errors=True)
    _allowed(lambda: load_log(path, out=place))
    for log in open_logs([path]):
        list(log.samples())


def exported(write: Callable[[Results, Path], Path], pattern: str) -> Sequence[bytes]:
    """The files of an export of a run that hold its answers."""
    place = _scratch() / write.__name__
    if not place.exists():
        write(Run.open(whole_run()).results, place)
    found = [place] if place.is_file() else sorted(place.rglob(pattern))
    return [path.read_bytes() for path in found]


def annotations(path: Path) -> None:
    """A reviewer's file."""
    read_csv(path, frozenset((bytes(16), b"\x01" * 16)))


def small_store() -> Sequence[bytes]:
    """A store of two answers and one failure."""
    place = _scratch() / "small" / "store.sqlite"
    if not place.exists():
        with Store.open(place) as store:
            rows = [(Asked(r.key("m"), r), Response("B", "stop")) for r in REQUESTS]
            store.put(rows, identity="m")
            store.fail([(rows[0][0], 1, Failure("server", "no"))], identity="m")
    return [place.read_bytes()]


def parquet_seed() -> Sequence[bytes]:
    """The items of the corpus as Parquet."""
    import polars as pl

    place = _scratch() / "seed.parquet"
    rows = [
        json.loads(line)
        for line in (CORPUS / "items-jsonl" / "choice").read_text().split("\n")
        if line
    ]
    found = []
    for codec in ("zstd", "uncompressed"):
        pl.DataFrame(rows).write_parquet(place, compression=codec)
        found.append(place.read_bytes())
    return found


def packed(name: str, pack: Callable[[bytes], bytes]) -> Sequence[bytes]:
    return [pack(data) for data in _corpus(name)]


def _zstd(data: bytes) -> bytes:
    from horsesense.items.files import zstd

    packed: bytes = zstd.compress(data)
    return packed


def _corpus(name: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


def run_file(name: str, inside: str, made: Callable[[], Path] = whole_run) -> Target:
    read = partial(in_run, inside=inside, made=made)
    return Target(name, "part", read, partial(of_run, inside, made))


def log_of(name: str, file: str, write: Callable[[Results, Path], Path], pattern: str) -> Target:
    return Target(name, file, a_log, partial(exported, write, pattern))


ONE = b'{"response": "$$$$$$$$$$$$C\\nQuestion:", "options": ["41/8 days", "13/2 days"], \
"labels": ["A", "B"], "question": "How long?"}'
TARGETS = (
    Target("wire", "reply", wire),
    Target("models-list", "reply", lambda path: context_lengths(path.read_bytes())),
    Target("reply-text", "reply", reply_text),
    Target("items-jsonl", "a.jsonl", load_items),
    Target("items-csv", "a.csv", load_items),
    Target("items-tsv", "a.tsv", load_items),
    Target("items-gz", "a.jsonl.gz", load_items, lambda: packed("items-jsonl", gzip.compress)),
    Target("items-zst", "a.jsonl.zst", load_items, lambda: packed("items-jsonl", _zstd)),
    Target("items-parquet", "a.parquet", load_items, parquet_seed),
    Target("recorded", "a.jsonl", recorded),
    Target("reply-pieces", "row.json", read_assembled, lambda: [ONE], assembled),
    Target("replay", "a.jsonl", replay),
    Target("annotations", "review.csv", annotations),
    Target("store", "store.sqlite", _use_store, small_store),
    Target("store-row", "row", store_row),
    Target("study", "study.toml", a_study),
    Target("log-inspect", "log.json", a_log),
    log_of("log-eval", "log.eval", write_inspect_log, "*"),
    log_of("log-lm-eval", "samples_made.jsonl", write_lm_eval, "samples_*.jsonl"),
    Target("run-redacted", "run.zip", redacted, redacted_run),
    Target("run-no-file", "part", no_file, lambda: [bytes((n, n // 3)) for n in range(60)]),
    Target("run-labels", "labels.csv", labels, labelled),
    run_file("run-imported", "imported.json", imported_run),
    run_file("run-recorded", "recorded/**/*.parquet", imported_run),
    run_file("run-toml", "run.toml"),
    run_file("run-items", "items.json"),
    run_file("run-asked", "asked.json"),
    run_file("run-store", "store.sqlite"),
    run_file("run-trials", "trials/stage-1/*.parquet"),
    run_file("run-readings", "readings/text*/stage-1/*.parquet"),
    run_file("run-reader", "readings/text*/reader.json"),
    run_file("run-reviews", "reviews.json"),
    run_file("run-sample", "sample.json"),
    run_file("run-estimates", "estimates.json"),
)
SLOW = frozenset(target.name for target in TARGETS if target.name.startswith(("run-", "log-")))
"""Targets of which a round measures or makes a whole run."""
FAST = frozenset(target.name for target in TARGETS if target.name not in (*SLOW, "reply-text"))


# -- bytes -------------------------------------------------------------------------------------

PIECES: tuple[bytes, ...] = (
    b"", b"\x00", b"\xff", b"\n", b"\r", b'"', b"'", b"\\", b",", b"{", b"}", b"[", b"]", b":",
    b"null", b"true", b"NaN", b"-Infinity", b"1e400", b"-0", b"4611686018427387904", b"9" * 400,
    b"\\ud800", b"\\u0000", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\xef\xbc\x9d1", b"[" * 500,
    b'{"a":' * 500, b"(" * 500, b"A" * 3000, b"\n" * 3000, b"../../x", b"nan", b"1979-05-27",
    b"Retry-After: Fri, 31 Dec 99999 23:59:59 GMT\r\n", b"Retry-After: 1e308\r\n",
    b"Retry-After: -1\r\n", b"Content-Encoding: gzip\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Content-Length: 99999999999999999999\r\n", b"Content-Type: text/html\r\n",
    b"file:x?mode=rwc&x=", b"\x1b]0;x\x07", b"inspect:hf/x?args.y=1", b"[" + b"[]," * 90_000,
)  # fmt: skip
"""What a place in the bytes is replaced by."""

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**62, 2**64, -(2**63), 1.5, 1e308, "", " ", "A",
    "x" * 2000, "\x00", "\ud800", "\u202e", "=1+1", "nan", "../../etc/passwd", [], {}, [[]],
    [None], [1, "a"], {"a": {"b": None}}, ["A"] * 300, {"": ""}, float("nan"), float("inf"),
)  # fmt: skip
"""What a value in a JSON text is replaced by."""


def mutated(data: bytes, dice: random.Random, others: Sequence[bytes]) -> bytes:
    """Bytes that are almost those: values of a JSON text changed, or bytes, or both."""
    for _ in range(dice.choice((1, 1, 2, 4))):
        way = dice.random()
        if way < 0.5:
            data = _json_changed(data, dice)
        elif way < 0.6 and data:
            at = dice.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ (1 << dice.randrange(8))]) + data[at + 1 :]
        elif way < 0.85:
            start = dice.randint(0, len(data))
            end = min(len(data), start + dice.choice((0, 0, 1, 2, 8, 64)))
            data = data[:start] + dice.choice(PIECES) + data[end:]
        elif way < 0.93:
            data = data[: dice.randint(0, len(data))]
        else:
            other = dice.choice(others)
            data = data[: dice.randint(0, len(data))] + other[dice.randint(0, len(other)) :]
    return data[: 2**20]


def _json_changed(data: bytes, dice: random.Random) -> bytes:
    """One value of a JSON text, of one of its lines, or of an HTTP body is another one."""
    head, blank, body = data.partition(b"\r\n\r\n")
    if blank:
        changed = _json_changed(body, dice)
        size = b"Content-Length: %d" % len(body)
        return head.replace(size, b"Content-Length: %d" % len(changed)) + blank + changed
    lines = data.split(b"\n") if b"}\n{" in data else [data]
    at = dice.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        return data
    lines[at] = json.dumps(_changed(value, dice), ensure_ascii=dice.random() < 0.5).encode(
        errors="surrogatepass"
    )
    return b"\n".join(lines)


def _changed(value: Any, dice: random.Random) -> Any:
    """A JSON value in which one part is replaced, dropped, doubled or renamed."""
    places = (
        list(value)
        if isinstance(value, dict)
        else range(len(value))
        if isinstance(value, list)
        else []
    )
    if not places or dice.random() < 0.15:
        return dice.choice(VALUES)
    at = dice.choice(places)
    copy = dict(value) if isinstance(value, dict) else list(value)
    if dice.random() < 0.75:
        copy[at] = _changed(value[at], dice)
    elif isinstance(copy, dict):
        moved = copy.pop(at)
        if dice.random() < 0.5:
            copy[dice.choice((*value, "id", "error", "x" * 99, ""))] = moved
    elif dice.random() < 0.5:
        del copy[at]
    else:
        copy.insert(at, value[at])
    return copy


SHAPES: tuple[tuple[bytes, bytes, bytes], ...] = (
    (b"", b"[", b""), (b"", b'{"a":', b""), (b"", b'"', b""), (b"", b"\n", b""), (b"", b",", b""),
    (b"", b"(", b""), (b"", b"A ", b""), (b"", b" ", b"!"), (b"", b"\\", b""), (b"", b"**", b""),
    (b"", b"{}\n", b""), (b"", b'{"a": 1}\n', b""), (b'{"a": "', b"x", b'"}'),
    (b'{"a": [', b"1,", b"1]}"), (b"a,b\n", b"1,2\n", b""), (b'a,b\n"', b'""', b'"'),
    (b"", b"a = 1\n", b""), (b"a = ", b"[", b""), (b"", b"The answer is A. ", b""),
    (b"", b"Answer: ", b""), (b"", b"not ", b"A"), (b"", b"```\n", b""), (b"", b"A. x\n", b""),
    (b"A", b"\n", b"x"), (b"A)", b" ", b"x\ny"), (b"A)", b"*", b"\ny"), (b"AB", b" ", b"x"),
    (b"Answer:", b":", b"x"), (b"A", b", ", b"x"), (b"A", b" and ", b"x"), (b"A", b", A", b"x"),
    (b"none of ", b" ", b"x"), (b"<think>", b"A ", b""), (b"", b"<think>", b""),
    (b"HTTP/1.1 200 OK\r\n", b"A: b\r\n", b"\r\n"),
    (b"HTTP/1.1 500 No\r\nContent-Type: application/json\r\n\r\n", b'{"error":', b""),
)  # fmt: skip
"""Texts that grow: what begins, what is repeated, what ends."""


def grown(shape: tuple[bytes, bytes, bytes], size: int) -> bytes:
    """A text of about so many bytes."""
    start, again, end = shape
    return start + again * (size // len(again)) + end


LONGEST = 20.0
"""Seconds of CPU time within which every target is done with a megabyte."""


# -- running -----------------------------------------------------------------------------------


class TooSlowError(BaseException):
    """A target that takes longer than any of its size may."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """TooSlowError after so many seconds of CPU time in this process."""

    def stop(*_: object) -> None:
        raise TooSlowError(f"more than {seconds:g} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class FindingError(AssertionError):
    """A target that did what none may do; `data` shows it again."""

    def __init__(self, target: Target, data: bytes) -> None:
        super().__init__(f"{target.name}: {data[:300]!r}")
        self.data = data


@cache
def seeds(name: str) -> tuple[bytes, ...]:
    """The seeds of a target, which none of them may fail at."""
    [target] = [target for target in TARGETS if target.name == name]
    kept = _corpus(name) if (CORPUS / name).is_dir() else []
    return (*kept, *(target.seeds() if target.seeds else ()))


def feed(target: Target, data: bytes) -> bool:
    """Whether a target takes the bytes; False where it refuses them with an error of ours.

    Raises FindingError for any other exception.
    """
    place = _scratch() / target.name
    place.mkdir(exist_ok=True)
    path = place / target.file
    path.write_bytes(data)
    try:
        with at_most(LONGEST):
            target.read(path)
    except HorsesenseError as error:
        str(error).encode("utf-8", "surrogatepass")
        return False
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # what Rust panics with is no Exception
        raise FindingError(target, data) from error
    return True


def fuzz(target: Target, number: int) -> bool:
    """One round: the same bytes for the same number."""
    dice = random.Random(f"{target.name} {number}")
    if target.make is not None:
        return feed(target, target.make(dice))
    found = seeds(target.name)
    return feed(target, mutated(dice.choice(found), dice, found))


def seconds(target: Target, data: bytes) -> float:
    """CPU time that a target takes for the bytes, the lesser of two."""
    taken = []
    for _ in range(2):
        started = time.process_time()
        feed(target, data)
        taken.append(time.process_time() - started)
    return min(taken)


def growth(target: Target, shape: tuple[bytes, bytes, bytes], size: int) -> float:
    """How much longer a target takes for four times as much; 4 where time is linear."""
    once, fourfold = (seconds(target, grown(shape, n)) for n in (size, 4 * size))
    return fourfold / max(once, 0.02)


def _main() -> int:
    words = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    words.add_argument("--rounds", type=int, default=10**9)
    words.add_argument("--minutes", type=float, default=60.0)
    words.add_argument("--only", nargs="*", help="Names of targets.")
    words.add_argument("--growth", action="store_true", help="Ask first whether time is linear.")
    words.add_argument("--first", type=int, default=0, help="Number of the first round.")
    words.add_argument("--save", type=Path, help="JSON file for what was tried.")
    words.add_argument("--found", type=Path, default=Path("fuzz-findings"))
    given = words.parse_args()
    chosen = [t for t in TARGETS if not given.only or t.name in given.only]
    started, rounds, taken = time.monotonic(), Counter[str](), Counter[str]()
    findings: dict[str, str] = {}
    slow: dict[str, float] = {}
    for target in chosen if given.growth else ():
        for shape in SHAPES:
            size = 2**16 if target.name in FAST else 2**12
            try:
                times = growth(target, shape, size)
            except FindingError as error:
                findings.setdefault(_kind(error), target.name)
                print(target.name, shape, _kind(error), flush=True)
                continue
            if times > 10:
                slow[f"{target.name} {shape}"] = round(times, 1)
                print("slow:", target.name, shape, f"{times:.1f}", flush=True)
        print(f"{target.name}: {time.monotonic() - started:.0f} s", flush=True)
    spent = dict.fromkeys((target.name for target in chosen), 0.0)
    while rounds.total() < given.rounds and time.monotonic() - started < 60 * given.minutes:
        target = min(chosen, key=lambda one: spent[one.name])  # each gets the same time
        number, begun = given.first + rounds[target.name], time.monotonic()
        rounds[target.name] += 1
        try:
            taken[target.name] += fuzz(target, number)
        except FindingError as error:
            if _kind(error) not in findings:
                findings[_kind(error)] = f"{target.name} {number}"
                given.found.mkdir(parents=True, exist_ok=True)
                (given.found / f"{target.name}-{number}").write_bytes(error.data)
                traceback.print_exception(error.__cause__)
                print(f"{target.name} {number}: {error.data[:2000]!r}", flush=True)
        spent[target.name] += time.monotonic() - begun
        if rounds.total() % 5000 == 0:
            print(f"{rounds.total():,} rounds, {time.monotonic() - started:.0f} s", flush=True)
    found = {
        "what": "fuzz",
        **made_by("fuzz"),
        "seconds": round(time.monotonic() - started),
        "rounds": dict(rounds),
        "accepted": dict(taken),
        "findings": findings,
        "slow": slow,
    }
    if given.save is not None:
        given.save.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found))
    return 1 if findings or slow else 0


def _kind(error: FindingError) -> str:
    """What a finding is told apart by: the exception and the last line of ours."""
    cause = error.__cause__
    frames = [f for f in traceback.extract_tb(cause.__traceback__) if "horsesense" in f.filename]
    where = frames[-1] if frames else None
    return (
        f"{type(cause).__name__} at {where.name if where else '?'}:{where.lineno if where else 0}"
    )


if __name__ == "__main__":
    import fuzzing

    sys.exit(fuzzing._main())
