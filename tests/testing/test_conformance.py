"""The conformance checks: all of our own plug-ins pass them, and what is wrong fails them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from zlib import crc32

import pytest

from each import each
from horsesense.inference.limits import UNLIMITED
from horsesense.inference.store import Store
from horsesense.models.base import Asked, Capabilities, HoldsNothing, Model
from horsesense.models.messages import Failure, Response
from horsesense.models.registry import make_model
from horsesense.models.simulated.backend import PROFILES
from horsesense.readers.logprobs.pride import PrideReader
from horsesense.readers.model_based.cases import BulkReader
from horsesense.readers.reading import Reading
from horsesense.readers.registry import READERS, make_reader
from horsesense.testing.conformance import check_reader, item_set, replies_to, trials_to_read
from horsesense.testing.faults import FaultServer, letter
from horsesense.testing.models import check_model
from horsesense.trials.trial import AnswerFormat, Trial
from studies import jsonl


def test_trials_to_read_are_of_every_kind_of_answer() -> None:
    asked = {trial.answer_format for trial in trials_to_read()}
    every = set(AnswerFormat.__args__)  # type: ignore[attr-defined]
    made = {"rewording", "equation"}
    assert asked == every - made, "these are asked where items are made, and not read as choices"


@each("spec", [*READERS.own, "first_token(token=found)", "first_token(token=2)", "judge:http:m"])
def test_our_readers_conform(spec: str) -> None:
    reader = make_reader(spec)
    prepared = isinstance(reader, BulkReader | PrideReader)  # reads nothing before
    assert (check_reader(reader) > 0) == (not prepared)


def test_a_judge_conforms_when_it_has_judged(tmp_path: Path) -> None:
    rows = [(trial, reply) for trial in trials_to_read() for reply in replies_to(trial)]

    async def judged(url: str) -> int:
        reader = make_reader(f"judge:http:m@{url}")
        assert isinstance(reader, BulkReader)
        with Store.open(tmp_path / "store.sqlite") as store:
            async with reader:
                await reader.prepare(rows, store, UNLIMITED)
                return check_reader(reader)

    with FaultServer(answer=letter) as server:
        assert asyncio.run(judged(server.url)) > 50


@each("name", PROFILES.names())
def test_simulated_models_conform(name: str) -> None:
    assert check_model(lambda: make_model(f"sim:{name}")).text


def test_recorded_models_conform(tmp_path: Path) -> None:
    rows = [{"id": item.id, "response": "B", "model": "m"} for item in item_set()]
    path = jsonl(tmp_path / "answers.jsonl", rows)
    check_model(lambda: make_model(f"replay:{path}"), trials_to_read()[:1])


def test_served_models_conform() -> None:
    with FaultServer(answer=letter) as server:
        offers = check_model(lambda: make_model(f"http:m@{server.url}"))
        assert offers.chat
        asked = set(server.sent)
    assert not any("item-0" in prompt for prompt in asked)


class Example(HoldsNothing):
    """A model that conforms; the tests break one thing at a time."""

    identity = "example"
    name = "example"
    batch_size = 4
    max_connections = 1

    async def capabilities(self):
        return Capabilities()

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        return [Response(f"{crc32(str(asked.request).encode()):x}") for asked in batch]


class Nameless(Example):
    identity = ""


class Unsorted(Example):
    async def respond(self, batch):
        return sorted(await super().respond(batch), key=lambda response: response.text)


class Short(Example):
    async def respond(self, batch):
        return (await super().respond(batch))[:1]


class Raising(Example):
    async def respond(self, batch):
        if any("\x00" in asked.request.messages[0][1] for asked in batch):
            raise ValueError("embedded null byte")
        return await super().respond(batch)


class Moody(Example):
    count = 0

    async def respond(self, batch):
        self.count += 1
        return [Response(str(self.count)) for _ in batch]


class Peeking(Example):
    async def respond(self, batch):
        return [Response(asked.key.hex()) for asked in batch]


class Failing(Example):
    async def respond(self, batch):
        return [Failure("server", "no") for _ in batch]


class Miscounting(Example):
    def count_tokens(self, request):
        return 0


class Changing(Example):
    def __init__(self) -> None:
        self.identity = f"example {id(self)}"


def test_a_model_that_conforms_passes() -> None:
    assert check_model(Example).chat


KEPT: list[Model] = []


def kept(kind: Callable[[], Model]) -> Callable[[], Model]:
    """Keeps what is made, so that no two have the same id."""

    def make() -> Model:
        KEPT.append(kind())
        return KEPT[-1]

    return make


@each(
    ("kind", "says"),
    [
        (Nameless, "does not declare its identity"),
        (Unsorted, "in two ways"),
        (Short, "1 answers to 3 requests"),
        (Raising, "raises ValueError"),
        (Moody, "in two ways"),
        (Peeking, "by the key"),
        (Failing, "a plain request failed"),
        (Miscounting, "whole numbers from 1"),
        (Changing, "two identities"),
    ],
)
def test_a_model_that_does_not_conform_fails(kind: Callable[[], Model], says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        check_model(kept(kind))


class AlwaysA:
    """A reader that conforms where there is at least one option."""

    name = "always_a"
    version = "1"

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        return tuple(Reading("answer", (0,)) for _ in trial.variants)


class Outside(AlwaysA):
    def read(self, trial, response):
        return tuple(Reading("answer", (len(v.options),)) for v in trial.variants)


class Mute(AlwaysA):
    def read(self, trial, response):
        return tuple(Reading("answer") for _ in trial.variants)


class Once(AlwaysA):
    def read(self, trial, response):
        return (Reading("answer", (0,)),)


class Long(AlwaysA):
    def read(self, trial, response):
        return tuple(Reading("answer", (0,), span=(0, 9999)) for _ in trial.variants)


class Fragile(AlwaysA):
    def read(self, trial, response):
        response.text.encode()
        return super().read(trial, response)


def test_a_reader_that_conforms_passes() -> None:
    assert check_reader(AlwaysA()) > 100


@each("kind", [Outside, Mute, Once, Long])
def test_a_reader_that_does_not_conform_fails(kind: type[AlwaysA]) -> None:
    with pytest.raises(AssertionError):
        check_reader(kind())


def test_a_reader_that_fails_on_hostile_text_is_found() -> None:
    with pytest.raises(UnicodeEncodeError):
        check_reader(Fragile())
