"""A tiny language model made on the spot, and requests for it: for tests of local models."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest

from horsesense.models.base import Asked
from horsesense.models.messages import Request, SamplingParams

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}"
    "{{ raise_exception('no system messages') }}{% endif %}"
    "[{{ m['role'] }}]{{ m['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
CORPUS = [
    "Question: which colour is the sky? A. red B. blue C. green D. black Answer: B",
    "Question: which animal barks? A. cat B. dog C. cow D. horse Answer: B",
    "the answer is red, the answer is blue, the dog is black, the horse is green",
]


def make_tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    bare = Tokenizer(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bare.train_from_iterator(CORPUS * 5, trainer)
    bare.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)]
    )
    made = PreTrainedTokenizerFast(tokenizer_object=bare, bos_token="<s>", eos_token="</s>")
    made.chat_template = TEMPLATE
    return made


def make_model(path: Path, *, width: int = 32, room: int = 128) -> Path:
    """A model directory: three layers of random weights, a byte-level BPE, a chat template."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = make_tokenizer()
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=48,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=room,
        initializer_range=0.2,
        bos_token_id=0,
        eos_token_id=1,
    )
    LlamaForCausalLM(config).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def ask(backend, *requests):
    """Answer requests in one batch, in a loop of their own."""

    async def go():
        async with backend:
            asked = [Asked(r.key(backend.identity), r) for r in requests]
            return await backend.respond(asked), await backend.capabilities()

    return asyncio.run(go())[0]


def chat(content: str, **params) -> Request:
    return Request((("user", content),), None, SamplingParams(**params))


def plain(text: str, **params) -> Request:
    return Request(None, text, SamplingParams(**params))


def orders(**params) -> list[Request]:
    shown = itertools.permutations(["red", "blue", "green"])
    return [
        chat(
            "which colour is the sky? "
            + " ".join(f"{x}. {o}" for x, o in zip("ABC", s, strict=True)),
            **params,
        )
        for s in shown
    ]


def assert_alike(found, wanted, within: float = 1e-5) -> None:
    """That responses are the same, their log-probabilities to `within`."""
    for a, b in zip(found, wanted, strict=True):
        assert (a.text, a.finish_reason, a.usage) == (b.text, b.finish_reason, b.usage)
        for one, other in zip(a.token_logprobs, b.token_logprobs, strict=True):
            assert one == pytest.approx(other, abs=within)
        for one, other in ((a.continuations, b.continuations), (a.unconditional, b.unconditional)):
            assert list(one) == list(other)
            for text, (value, tokens) in one.items():
                assert other[text] == (pytest.approx(value, abs=within), tokens)


PARAMS = {
    "max_tokens": 6,
    "top_logprobs": 4,
    "label_tokens": ("A", "B", "C"),
    "continuations": ("red", "blue", "the dog"),
}
