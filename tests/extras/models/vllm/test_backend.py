"""The `vllm` model: what is asked of the engine, and that its answers are those of `hf`."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import sys
import threading
import time
import types
from dataclasses import replace
from multiprocessing import resource_tracker

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'horsesense[local]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'horsesense[local]'")

from horsesense.errors import ModelError, UsageError  # noqa: E402
from horsesense.models.base import Asked  # noqa: E402
from horsesense.testing.models import check_model  # noqa: E402
from horsesense_extras.models.hf import backend as hf  # noqa: E402
from horsesense_extras.models.vllm import backend as vllm  # noqa: E402
from horsesense_extras.models.vllm import engine  # noqa: E402
from plain_engine import PlainEngine, started  # noqa: E402
from tiny_model import CORPUS, PARAMS, ask, assert_alike, chat, make_model, orders, plain  # noqa: E402

pytestmark = pytest.mark.local


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def engines(monkeypatch):
    """Engines of transformers take the place of vLLM's; a list of those that were started."""
    made: list[PlainEngine] = []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # many passes of a tiny model: threads would wait for each other

    def start(weights, arguments, stop_ids):
        found = started(weights.folder, stop_ids)
        made.append(found.llm.llm_engine)
        return found

    monkeypatch.setattr(vllm, "start", start)
    monkeypatch.setattr(vllm, "find_spec", lambda name: name)
    yield made
    torch.set_num_threads(threads)


def test_answers_are_those_of_hf(folder, engines):
    bare = {**PARAMS, "unconditional": "Answer:"}
    requests = [
        *orders(**bare),
        *(plain(text, **PARAMS) for text in CORPUS),
        chat("which?", max_tokens=0, label_tokens=("A", "B")),
        chat("which?", max_tokens=0, top_logprobs=3),
        chat("which?", max_tokens=9, top_logprobs=3),
        chat("which?", max_tokens=3),
        chat("which?", max_tokens=3, label_tokens=("no single token",)),
        plain("the dog", max_tokens=2, continuations=("", " is black")),
    ]
    wanted = ask(hf.from_spec(str(folder)), *requests)
    found = ask(vllm.from_spec(f"{folder}?top_logprobs=20"), *requests)
    assert_alike(found, wanted)


def test_named_and_most_likely_tokens_are_never_in_one_step(folder, engines):
    """vLLM would give -inf for the most likely ones; the engine of the tests does too."""
    few = {"max_tokens": 6, "top_logprobs": 4}
    requests = [*orders(**few)[:3], *orders(**few, label_tokens=("A",))[:3]]

    async def go():
        async with vllm.from_spec(f"{folder}?top_logprobs=4") as model:
            asked = [Asked(r.key(model.identity), r) for r in requests]
            return await asyncio.gather(model.respond(asked[:4]), model.respond(asked[4:]))

    found = [response for batch in asyncio.run(go()) for response in batch]
    (engine,) = engines
    tops = {str(n) for n, (_, params) in enumerate(engine.calls) if params.logprobs}
    assert tops
    assert all(step <= tops or not step & tops for step in engine.steps)
    assert_alike(found, ask(hf.from_spec(str(folder)), *requests))


def test_draws_are_a_function_of_the_request_alone(folder, engines):
    params = {"max_tokens": 8, "temperature": 1.0, "top_p": 0.9}
    wanted = chat("which animal barks?", **params)
    backend = f"{folder}"
    (alone,) = ask(vllm.from_spec(backend), wanted)
    among = ask(vllm.from_spec(backend), *orders(**params), wanted)[-1]
    others = ask(
        vllm.from_spec(backend),
        *(chat("which animal barks?", **params, sample=i) for i in range(1, 6)),
    )
    assert alone.text == among.text
    assert len({alone.text, *(other.text for other in others)}) > 1
    assert {p.top_p for engine in engines for _, p in engine.calls} == {0.9}


def test_what_vllm_refuses_in_its_own_way_costs_the_call_alone(folder, engines, monkeypatch):
    """Its errors are no ValueErrors: a base of their own, and two branches below it."""

    class VLLMError(Exception): ...

    class VLLMClientError(VLLMError): ...

    class VLLMValidationError(VLLMClientError): ...

    exceptions = types.ModuleType("vllm.exceptions")
    exceptions.VLLMClientError = VLLMClientError
    monkeypatch.setitem(sys.modules, "vllm", types.ModuleType("vllm"))
    monkeypatch.setitem(sys.modules, "vllm.exceptions", exceptions)
    assert engine.client_errors() == (VLLMClientError,)
    tests_own = vllm.start

    def start(*given):
        found = tests_own(*given)
        take = found.llm.llm_engine.add_request

        def add_request(name, prompt, params):
            if params.max_tokens == 7:
                raise VLLMValidationError("max_tokens must not be 7")
            take(name, prompt, params)

        found.llm.llm_engine.add_request = add_request
        return replace(found, refusals=(*engine.REFUSALS, *engine.client_errors()))

    monkeypatch.setattr(vllm, "start", start)
    asked = [chat("which?", max_tokens=n) for n in (6, 7, 8)]
    first, refused, last = ask(vllm.from_spec(str(folder)), *asked)
    assert (refused.kind, refused.retryable) == ("rejected", False)
    assert "must not be 7" in refused.message
    assert (first.usage.completion_tokens, last.usage.completion_tokens) == (6, 8)


def test_a_process_of_the_engine_that_is_killed_ends_the_run(folder, engines, monkeypatch):
    """As in vLLM 0.32, whose step then waits for ever."""
    process = multiprocessing.get_context("spawn").Process(
        target=time.sleep, args=(600,), name="EngineCore", daemon=True
    )
    process.start()
    start = vllm.start
    monkeypatch.setattr(vllm, "start", lambda *a: replace(start(*a), processes=(process,)))
    never = threading.Event()

    def kill_and_wait(self):
        process.kill()
        never.wait()

    monkeypatch.setattr(PlainEngine, "step", kill_and_wait)

    async def go():
        async with vllm.from_spec(str(folder)) as model:
            for _ in range(2):
                with pytest.raises(ModelError, match="process EngineCore has ended"):
                    await model.respond([Asked(bytes(16), chat("A?"))])

    asyncio.run(asyncio.wait_for(go(), 60))
    never.set()
    assert engines[0].stopped


def test_ctrl_c_is_kept_from_the_processes_of_the_engine(folder, engines, monkeypatch):
    """What a thread starts inherits the signals that it has blocked."""
    seen, start = [], vllm.start

    def looking(*args):
        resource_tracker.ensure_running()  # as vLLM does; its first start takes the block off
        seen.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        return start(*args)

    monkeypatch.setattr(vllm, "start", looking)
    ask(vllm.from_spec(str(folder)), chat("A?"))
    assert signal.SIGINT in seen[0]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert engines[0].stopped


def test_wrong_specs_say_what_is_allowed(folder, engines, tmp_path):
    (tmp_path / "weights.gguf").write_bytes(b"GGUF")
    for spec, words in [
        (f"{folder}?dtyp=float32", "dtype"),
        (f"{folder}?dtype=int8", "bfloat16"),
        (f"{folder}?top_logprobs=21", "from 0 to 20"),
        (f"{folder}?max_num_seqs=many", "max_num_seqs cannot be 'many'"),
        (f"{folder}?enforce_eager=1", "true or false"),
        (str(tmp_path / "weights.gguf"), "hf:"),
        (str(tmp_path), "no config.json"),
    ]:
        with pytest.raises(UsageError, match=words):
            vllm.from_spec(spec)


def test_models_on_an_engine_conform(engines, tmp_path):
    roomy = make_model(tmp_path / "roomy", room=1024)
    assert check_model(lambda: vllm.from_spec(str(roomy))).label_tokens


def test_on_vllm_itself_scores_are_those_of_hf(tmp_path):
    """The real engine, where it is installed: heads of the size that its kernels take.

    Random weights have near ties, so that texts may part where two tokens are as likely to 1e-5.
    """
    pytest.importorskip("vllm", reason="needs vllm, in an environment of its own: docs/vllm.md")
    path = make_model(tmp_path / "tiny", width=128, room=256)
    stem = "the answer is blue, the dog is black, the horse is green, which colour is the sky? "
    requests = [
        *(plain(stem * 2 + order.messages[0][1], **PARAMS) for order in orders()),
        *(chat(text, **PARAMS) for text in CORPUS),
    ]
    wanted = ask(hf.from_spec(str(path)), *requests)
    arguments = "enforce_eager=true&kv_cache_memory_bytes=100000000&top_logprobs=20"
    model = vllm.from_spec(f"{path}?{arguments}")

    async def go():
        async with model:
            asked = [Asked(request.key(model.identity), request) for request in requests]
            return await model.respond(asked), model.engine.cached_tokens

    found, cached = asyncio.run(go())
    assert cached > 0
    assert sum(a.text == b.text for a, b in zip(found, wanted, strict=True)) >= len(requests) - 2
    for ours, theirs in zip(found, wanted, strict=True):
        first, expected = ours.token_logprobs[0], theirs.token_logprobs[0]
        assert first == pytest.approx(expected, abs=1e-3)
        for text, (value, tokens) in theirs.continuations.items():
            assert ours.continuations[text] == (pytest.approx(value, abs=1e-3), tokens)
