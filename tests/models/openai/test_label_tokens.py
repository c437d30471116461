"""Labels scored by their tokens over HTTP, as `vllm serve` does it, and servers that do not."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

import horsesense as hs
from each import each
from horsesense.models.base import Asked, Capabilities
from horsesense.models.messages import Request, Response, SamplingParams
from horsesense.models.openai import label_tokens
from horsesense.models.openai.http import HttpModel
from horsesense.models.openai.label_tokens import MOST_SCORED
from horsesense.models.openai.protocol import read_reply
from horsesense.models.registry import make_model

LABELS = ("A", "B", "no")
ASKED = SamplingParams(max_tokens=2, top_logprobs=20, label_tokens=LABELS)
CHAT = Request((("user", "Which?"),), None, ASKED)
PLAIN = Request(None, "Which?", ASKED)
FIELD = "logprob_token_ids"
WORD = 5000


def test_what_a_probe_found_elsewhere_holds_for_a_model_that_did_not_probe() -> None:
    server = VllmServer()

    async def recalling(model: HttpModel) -> Any:
        model.recall(Capabilities(label_tokens=True))
        return await model.respond([Asked(CHAT.key("m"), CHAT)])

    [found] = server.used_by(recalling)
    assert set(LABELS[:2]) <= found.token_logprobs[0].keys()
    assert [FIELD in body for body in server.bodies] == [True]


class VllmServer:
    """Tokens are single characters, with a space before them or not; "B" is written.

    Args:
        named: what becomes of tokens that are named: "scored", "ignored" or "refused".
        tokenizes: whether it has vLLM's /tokenize.
    """

    def __init__(self, named: str = "scored", *, tokenizes: bool = True) -> None:
        self.named = named
        self.tokenizes = tokenizes
        self.status = 400
        self.spells: Callable[[web.Request], Awaitable[web.Response]] | None = None
        self.texts: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []

    def text(self, token: int) -> str:
        return " " + chr(token - WORD) if token >= WORD else chr(token)

    def logprob(self, token: int) -> float:
        return -0.25 if self.text(token) == "B" else -1.0 - (token * 37 % 101) / 4

    async def tokenize(self, call: web.Request) -> web.Response:
        if self.spells is not None:
            return await self.spells(call)
        body = await call.json()
        assert body["add_special_tokens"] is False
        self.texts[body["prompt"]] += 1
        if not self.tokenizes:
            return web.json_response({"detail": "Not Found"}, status=404)
        found = re.findall(r" \w|.", body["prompt"], re.DOTALL)
        ids = [ord(piece[-1]) + WORD * (len(piece) == 2) for piece in found]
        return web.json_response({"tokens": ids, "count": len(ids), "max_model_len": 99})

    async def answer(self, call: web.Request) -> web.Response:
        if call.method == "GET":
            return web.json_response({"data": [{"id": "m"}]})
        body = await call.json()
        self.bodies.append(body)
        ids = body.get(FIELD)
        if ids and self.named == "refused":
            message = f"Extra inputs are not permitted: {FIELD}"
            return web.json_response({"error": {"message": message}}, status=400)
        if self.named == "all refused" or (ids and self.named == "silently refused"):
            return web.json_response({"error": {"message": "bad request"}}, status=self.status)
        assert not ids or body["logprobs"] not in (None, False), "vLLM demands it"
        if not ids or self.named == "ignored":
            top = body.get("top_logprobs", body["logprobs"])
            chars = [*range(33, 127), *(WORD + n for n in range(33, 127))]
            ids = sorted(chars, key=self.logprob, reverse=True)[:top]
        found = {self.text(token): self.logprob(token) for token in (ord("B"), *ids)}
        places = range(body["max_tokens"])
        if "prompt" in body:
            logprobs: Any = {"top_logprobs": [found for _ in places]}
            choice = {"text": "BB", "finish_reason": "length", "logprobs": logprobs}
        else:
            listed = [{"token": text, "logprob": value} for text, value in found.items()]
            place = {**listed[0], "top_logprobs": listed}
            message = {"role": "assistant", "content": "BB"}
            logprobs = {"content": [place for _ in places]}
            choice = {"message": message, "finish_reason": "length", "logprobs": logprobs}
        return web.json_response({"choices": [choice]})

    def used_by(self, act: Callable[[HttpModel], Awaitable[Any]]) -> Any:
        async def go() -> Any:
            async with TestServer(self.app()) as server:
                model = make_model(f"http:m@{server.make_url('/v1')}")
                async with model:
                    return await act(model)  # type: ignore[arg-type]

        return asyncio.run(go())

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/tokenize", self.tokenize)
        app.router.add_route("*", "/v1/{path:.*}", self.answer)
        return app


async def probed(model: HttpModel, *requests: Request) -> tuple[Capabilities, list[Any]]:
    offers = await model.capabilities()
    answers = [(await model.respond([Asked(bytes(16), each)]))[0] for each in requests]
    return offers, answers


@pytest.mark.parametrize("request_", [CHAT, PLAIN])
def test_a_server_that_scores_named_tokens_gives_every_label(request_: Request) -> None:
    server = VllmServer()
    offers, [answer] = server.used_by(lambda model: probed(model, request_))
    assert offers.label_tokens
    assert any(FIELD in note for note in offers.notes)
    spelled = {text: server.logprob(ord(text)) for text in "AB"}
    spelled |= {f" {text}": server.logprob(ord(text) + WORD) for text in "AB"}
    assert answer.token_logprobs == (spelled, spelled)
    body = server.bodies[-1]
    assert sorted(body[FIELD]) == sorted(
        [ord("A"), ord("B"), WORD + ord("A"), WORD + ord("B")]
    )  # "no" is two tokens


@pytest.mark.parametrize("named", ["ignored", "refused"])
def test_a_server_that_does_not_is_found_out_and_gives_its_most_likely_tokens(named: str) -> None:
    server = VllmServer(named)
    offers, answers = server.used_by(lambda model: probed(model, CHAT, PLAIN))
    assert not offers.label_tokens
    assert offers.top_logprobs == 20
    assert any(FIELD in note and "counted" in note for note in offers.notes)
    assert sum(FIELD in body for body in server.bodies) == 1
    for answer in answers:
        assert len(answer.token_logprobs[0]) == 20


def test_a_server_without_a_tokenizer_is_asked_nothing_more() -> None:
    server = VllmServer(tokenizes=False)
    offers, _ = server.used_by(probed)
    assert not offers.label_tokens
    assert server.texts.total() == 1
    assert not any(FIELD in body for body in server.bodies)
    assert len(server.bodies) == 2  # one a form


def test_a_refusal_in_the_middle_of_a_run_costs_one_call() -> None:
    server = VllmServer()

    async def act(model: HttpModel) -> Any:
        await model.capabilities()
        server.named = "refused"
        return [(await model.respond([Asked(bytes(16), CHAT)]))[0] for _ in range(2)]

    refused, answered = server.used_by(act)
    assert (refused.kind, refused.retryable) == ("dialect", True)
    assert len(answered.token_logprobs[0]) == 20


@each("status", [400, 403, 422, 501])
def test_a_refusal_that_names_nothing_is_tried_without_the_field_and_remembered(
    status: int,
) -> None:
    server = VllmServer()

    async def act(model: HttpModel) -> Any:
        offers = await model.capabilities()
        server.named, server.status = "silently refused", status
        refused, answered = [(await model.respond([Asked(bytes(16), CHAT)]))[0] for _ in range(2)]
        model.recall(offers)  # as for every further shard
        [other] = await model.respond([Asked(bytes(16), PLAIN)])
        return refused, answered, other

    refused, answered, other = server.used_by(act)
    assert (refused.kind, refused.retryable) == ("dialect", True)
    assert isinstance(answered, Response)
    assert isinstance(other, Response)
    assert [FIELD in body for body in server.bodies[-3:]] == [True, False, False]


def test_a_request_that_is_refused_anyway_leaves_the_others_their_labels() -> None:
    server = VllmServer()

    async def act(model: HttpModel) -> Any:
        await model.capabilities()
        server.named = "all refused"
        found = [(await model.respond([Asked(bytes(16), CHAT)]))[0] for _ in range(2)]
        server.named = "scored"
        return [*found, *await model.respond([Asked(bytes(16), PLAIN)])]

    first, second, other = server.used_by(act)
    assert (first.kind, second.kind, second.retryable) == ("dialect", "rejected", False)
    assert isinstance(other, Response)
    assert FIELD in server.bodies[-1]


def test_a_tokenizer_that_is_gone_leaves_the_most_likely_tokens() -> None:
    server = VllmServer()

    async def act(model: HttpModel) -> Any:
        await model.capabilities()
        server.tokenizes = False
        return await model.respond([Asked(bytes(16), CHAT), Asked(bytes(16), PLAIN)])

    for answer in server.used_by(act):
        assert len(answer.token_logprobs[0]) == 20


def test_a_tokenizer_that_fails_for_a_while_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    server = VllmServer()

    async def failing(call: web.Request) -> web.Response:
        return web.json_response({}, status=500)

    async def act(model: HttpModel) -> Any:
        await model.capabilities()
        found = []
        for patience, at in ((99.0, failing), (0.0, failing)):
            monkeypatch.setattr(label_tokens, "PATIENCE", patience)
            server.spells = at
            found += await model.respond([Asked(bytes(16), CHAT)])
        return found

    waited, given_up = server.used_by(act)
    assert (waited.unsent, waited.retryable) == (True, True)
    assert isinstance(given_up, Response)


def test_each_label_is_tokenised_once_and_no_more_are_named_than_are_taken() -> None:
    server = VllmServer()
    many = tuple(chr(n) for n in range(0x4E00, 0x4E00 + 100))  # 200 tokens
    request = Request(CHAT.messages, None, SamplingParams(top_logprobs=2, label_tokens=many))

    async def act(model: HttpModel) -> Any:
        await model.capabilities()
        together = [Asked(bytes(16), each) for each in (CHAT, CHAT, PLAIN, request, request)]
        return await model.respond(together)

    answers = server.used_by(act)
    assert all(isinstance(answer, Response) for answer in answers)
    assert set(server.texts.values()) == {1}
    named = max((body.get(FIELD, []) for body in server.bodies), key=len)
    assert len(named) == MOST_SCORED
    assert {ord(label) for label in many} <= set(named)  # of each label one spelling at least


def test_a_request_without_labels_asks_for_the_most_likely_tokens() -> None:
    server = VllmServer()
    request = Request(CHAT.messages, None, SamplingParams(top_logprobs=3))
    _, [answer] = server.used_by(lambda model: probed(model, request))
    assert FIELD not in server.bodies[-1]
    assert len(answer.token_logprobs[0]) == 3


@each(
    "body",
    [b"", b"[]", b"{}", b'{"tokens": null}', b'{"tokens": ["A"]}', b'{"tokens": [-1]}', b"null"],
)
def test_a_strange_tokenizer_is_none(body: bytes) -> None:
    async def strange(call: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    server = VllmServer()
    server.tokenize = strange  # type: ignore[method-assign]
    offers, [answer] = server.used_by(lambda model: probed(model, CHAT))
    assert not offers.label_tokens
    assert isinstance(answer, Response)


def test_what_stands_for_no_score_is_none() -> None:
    """vLLM sends -9999 for minus infinity, OpenAI for a token that is not among the listed ones."""
    given = b"""{"choices": [{"text": "B", "logprobs": {"top_logprobs":
        [{"B": -0.5, "!": -9999.0}, {"!": -9999.0}]}}]}"""
    answer = read_reply(given, PLAIN)
    assert answer.token_logprobs == ({"B": -0.5}, {})


@pytest.mark.parametrize(("named", "complete"), [("scored", True), ("ignored", False)])
def test_missing_labels_of_a_run_are_counted(named: str, complete: bool, tmp_path: Path) -> None:
    server = VllmServer(named)

    async def go() -> hs.Run:
        async with TestServer(server.app()) as running:
            spec = f"http:m@{running.make_url('/v1')}"
            options = {"probes": "repeat", "readers": "first_token", "limit": 3}
            return await asyncio.to_thread(
                hs.audit, "sample", spec, out=tmp_path / "run", **options
            )

    run = asyncio.run(go())
    fit = run.findings["fits"]["first_token"]
    assert fit["labels"] > 0
    assert (fit["missing"] == 0) is complete
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert ("have no log-probability" in page) is not complete
    assert ("in 3 of 3 answers" in page) is not complete
