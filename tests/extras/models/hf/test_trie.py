"""The token trie gives what asking one by one gives, on a tiny model with random weights."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from each import each

torch = pytest.importorskip("torch", reason="needs torch: pip install 'horsesense[local]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'horsesense[local]'")

from horsesense_extras.models.hf.local import _sharing_limit  # noqa: E402
from horsesense_extras.models.hf.trie import (  # noqa: E402
    Job,
    PlainScorer,
    TrieScorer,
    common_length,
    count_nodes,
    largest_difference,
    plan_passes,
)

pytestmark = pytest.mark.local
VOCABULARY = 97


def tiny(kind: str = "llama", **changes):
    """A causal model with random weights, whose answers depend visibly on order and position."""
    import transformers as tf

    torch.manual_seed(0)
    size = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 3}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 48}
    common = {**size, **heads, "max_position_embeddings": 256, "initializer_range": 0.2}
    config, model = {
        "llama": (tf.LlamaConfig, tf.LlamaForCausalLM),
        "mistral": (tf.MistralConfig, tf.MistralForCausalLM),
        "qwen3": (tf.Qwen3Config, tf.Qwen3ForCausalLM),
        "gpt2": (tf.GPT2Config, tf.GPT2LMHeadModel),
        "bloom": (tf.BloomConfig, tf.BloomForCausalLM),
        "mamba": (tf.MambaConfig, tf.MambaForCausalLM),
    }[kind]
    if kind in ("gpt2", "bloom"):
        common = {"vocab_size": VOCABULARY, "n_embd": 32, "hidden_size": 32, "n_layer": 2}
        common |= {"n_head": 4, "initializer_range": 0.2}
    if kind == "mamba":
        common = size
    return model(config(**{**common, **changes})).eval()


@pytest.fixture(scope="module")
def model():
    return tiny()


class Watcher:
    """Keeps every distribution; extends greedily by `n` tokens."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.rows = []
        self.tokens: list[int] = []

    def __call__(self, logprobs):
        self.rows.append(logprobs.clone())
        if len(self.tokens) == self.n:
            return None
        self.tokens.append(int(logprobs.argmax()))
        return self.tokens[-1]


def random_prompts(seed: int, prefix: int = 12) -> list[tuple[int, ...]]:
    """Orders of three items behind one prefix, one prompt twice, one inside another, one apart."""
    draw = random.Random(seed)
    start = tuple(draw.randrange(VOCABULARY) for _ in range(prefix))
    prompts = []
    for _ in range(3):
        question = tuple(draw.randrange(VOCABULARY) for _ in range(7))
        options = [tuple(draw.randrange(VOCABULARY) for _ in range(n)) for n in (1, 3, 4, 2)]
        for _ in range(6):
            draw.shuffle(options)
            prompts.append((*start, *question, *(t for option in options for t in option), 5))
    return [*prompts, prompts[4], prompts[7][:-3], (3, 1, 4, 1, 5), (9,)]


def asked(scorer, prompts, n=0, replies=()):
    """Run all prompts; returns the watchers and the jobs."""
    watchers = [Watcher(n) for _ in prompts]
    jobs = [Job(p, w, replies) for p, w in zip(prompts, watchers, strict=True)]
    scorer.run(jobs)
    return watchers, jobs


def assert_same(found, wanted) -> None:
    for a, b in zip(found[0], wanted[0], strict=True):
        assert a.tokens == b.tokens
        assert len(a.rows) == len(b.rows)
        for x, y in zip(a.rows, b.rows, strict=True):
            torch.testing.assert_close(x, y, atol=1e-5, rtol=0)
    for a, b in zip(found[1], wanted[1], strict=True):
        assert a.reply_logprobs == pytest.approx(b.reply_logprobs, abs=1e-5)


REPLIES = ((1, 2, 3), (1, 2), (50,))


@pytest.mark.parametrize("budget", [1, 20, 60, 10_000])
@pytest.mark.parametrize("seed", [0, 1])
def test_trie_equals_one_by_one(model, budget, seed):
    prompts = random_prompts(seed)
    wanted = asked(PlainScorer(model), prompts, n=5, replies=REPLIES)
    assert_same(asked(TrieScorer(model, budget), prompts, n=5, replies=REPLIES), wanted)


@each("kind", ["llama", "mistral", "gpt2", "bloom", "mamba"])
def test_one_by_one_equals_the_bare_model(kind):
    """The reference itself, against a forward pass over prompt and reply written out here."""
    model = tiny(kind, **({"sliding_window": 8} if kind == "mistral" else {}))
    (prompt,) = random_prompts(3)[:1]
    (watcher,), (job,) = asked(PlainScorer(model), [prompt], n=3, replies=REPLIES)
    ids = list(prompt)
    for row, token in zip(watcher.rows, [*watcher.tokens, None], strict=True):
        with torch.inference_mode():
            logprobs = model(torch.tensor([ids])).logits[0, -1].log_softmax(-1)
        torch.testing.assert_close(row, logprobs, atol=1e-5, rtol=0)
        assert token is None or token == int(logprobs.argmax())
        ids.append(token)
    for reply, found in zip(REPLIES, job.reply_logprobs, strict=True):
        with torch.inference_mode():
            rows = model(torch.tensor([[*prompt, *reply]])).logits[0].log_softmax(-1)
        direct = sum(float(rows[len(prompt) - 1 + i, t]) for i, t in enumerate(reply))
        assert found == pytest.approx(direct, abs=1e-5)


def test_a_prefix_that_recurs_is_held_and_changes_nothing(model):
    scorer = TrieScorer(model, 1000)
    first, second = random_prompts(5, prefix=40)[:18], random_prompts(5, prefix=40)[6:20]
    asked(scorer, first)
    assert scorer.bank.known(first[0]) == 0
    found = asked(scorer, second, n=3, replies=REPLIES)
    assert scorer.bank.known(second[0]) >= 40
    assert_same(found, asked(PlainScorer(model), second, n=3, replies=REPLIES))
    held = dict(scorer.bank._entries)
    assert_same(asked(scorer, first, n=3), asked(PlainScorer(model), first, n=3))
    assert all(scorer.bank._entries[entry] is held[entry] for entry in held)


@each("budget", [1, 15, 40, 1000])
def test_passes_hold_every_job_once_and_keep_to_the_budget(budget):
    jobs = sorted(
        (Job(p, Watcher(0), REPLIES) for p in random_prompts(2)), key=lambda job: job.prompt
    )
    passes = list(plan_passes(jobs, 0, budget))
    assert sorted(id(j) for _, group in passes for j in group) == sorted(map(id, jobs))
    for depth, group in passes:
        assert all(job.prompt[:depth] == group[0].prompt[:depth] for job in group)
        assert all(len(job.prompt) > depth for job in group)
        several = len({job.prompt for job in group}) > 1
        inside = any(common_length(a.prompt, b.prompt) == len(a.prompt) for a, b in pairwise(group))
        assert count_nodes(group, depth) <= budget or not several or inside


@pytest.mark.parametrize("kind", ["bloom", "mamba"])
def test_the_check_at_loading_finds_models_that_do_not(kind):
    """Bloom's positions come from the mask, Mamba has no attention: neither can be a trie."""
    try:
        difference = largest_difference(tiny(kind))
    except Exception:  # noqa: BLE001 - refusing the mask, in whatever way, is an answer too
        return
    assert not difference < 1e-2


@each(
    ("kind", "changes", "limit"),
    [
        ("llama", {}, None),
        ("mistral", {"sliding_window": 24}, 24),
        ("mistral", {"sliding_window": None}, None),
        ("qwen3", {"sliding_window": 24, "use_sliding_window": False}, None),
        ("llama", {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0}}, 256),
    ],
)
def test_sharing_ends_where_attention_changes(kind, changes, limit):
    assert _sharing_limit(tiny(kind, **changes).config) == limit
