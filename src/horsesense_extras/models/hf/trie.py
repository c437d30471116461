"""Scoring many prompts of one causal language model at once, as a token trie.

The orders of an item share most of their tokens. They are laid out as one trie: every distinct
prefix is one node, the nodes stand one after the other in a single sequence, a node's position is
its depth, and the attention mask lets it see its ancestors alone. One pass gives
every prompt's next-token distribution, the same as if it had been asked alone. What a batch
shares from its first token (few-shot examples, system message) is kept as keys and values.

Nothing here knows text: prompts are token ids, and a `Job` decides what to do with a distribution.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import DynamicCache

Ids = tuple[int, ...]

MIN_PREFIX = 16
"""Tokens of a prefix that are worth a pass of their own: each pass reads all weights once."""


@dataclass(slots=True)
class Job:
    """One prompt to be answered.

    Attributes:
        prompt: token ids, at least one.
        advance: is given log-probabilities over the vocabulary, shape [V], of the next token;
            returns the token to append, whose successor it is then asked about, or None to end.
        replies: token sequences, none empty, to be scored as the text that follows the prompt.
        reply_logprobs: filled in: the total log-probability of each reply.
    """

    prompt: Ids
    advance: Callable[[Tensor], int | None]
    replies: tuple[Ids, ...] = ()
    reply_logprobs: list[float] = field(default_factory=list)


class Trie:
    """Distinct prefixes as nodes; parents precede children.

    Attributes:
        tokens, parents, depths: per node; a parent of -1 is the cached prefix (or the start).
    """

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self._children: dict[tuple[int, int], int] = {}

    def add(self, path: Sequence[int], below: int = -1) -> list[int]:
        """Insert `path` below a node; returns the nodes along it."""
        nodes = []
        for token in path:
            node = self._children.get((below, token))
            if node is None:
                node = len(self.tokens)
                self._children[below, token] = node
                self.depths.append(self.depth if below < 0 else self.depths[below] + 1)
                self.tokens.append(token)
                self.parents.append(below)
            nodes.append(node)
            below = node
        return nodes

    def visible(self) -> np.ndarray:
        """Which keys each node sees, bool [nodes, depth + nodes]: the prefix and its ancestors."""
        n = len(self.tokens)
        seen = np.zeros((n, self.depth + n), dtype=bool)
        seen[:, : self.depth] = True
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                seen[node] = seen[parent]
            seen[node, self.depth + node] = True
        return seen


def common_length(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two sequences share from their start."""
    differ = (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    return next(differ, min(len(a), len(b)))


def count_nodes(jobs: Sequence[Job], depth: int = 0) -> int:
    """Trie nodes below `depth` that jobs, sorted by prompt, need for prompts and replies.

    Replies that two jobs with one prompt have in common are counted twice: an upper bound.
    """
    nodes, before = 0, jobs[0].prompt[:depth]
    for job in jobs:
        nodes += len(job.prompt) - common_length(before, job.prompt) + sum(map(len, job.replies))
        before = job.prompt
    return nodes


def plan_passes(jobs: Sequence[Job], depth: int, budget: int) -> Iterator[tuple[int, list[Job]]]:
    """Divide sorted jobs into passes of about `budget` nodes: (length of cached prefix, jobs).

    What does not fit is cut where its prompts first differ, on the prefix that they share.
    """
    jobs = list(jobs)
    shared = min(common_length(jobs[0].prompt, jobs[-1].prompt), len(jobs[0].prompt) - 1)
    branches = [list(g) for _, g in groupby(jobs, key=lambda job: job.prompt[shared])]
    worth = shared - depth >= MIN_PREFIX
    if count_nodes(jobs, depth) <= budget or (len(branches) == 1 and not worth):
        yield depth, jobs
        return
    depth = shared if worth else depth
    packed: list[Job] = []
    for branch in branches:
        if packed and count_nodes([*packed, *branch], depth) > budget:
            yield from plan_passes(packed, depth, budget)
            packed = []
        packed += branch
    yield from plan_passes(packed, depth, budget)


class PrefixBank:
    """Keys and values of recent prefixes, so that what recurs is computed once."""

    def __init__(self, model: Any, max_bytes: int = 2**30) -> None:
        self.model = model
        self.max_bytes = max_bytes
        self._entries: OrderedDict[Ids, list[tuple[Tensor, Tensor]]] = OrderedDict()

    def known(self, prompt: Ids) -> int:
        """How many of the first tokens of `prompt` are held."""
        return max((common_length(entry, prompt) for entry in self._entries), default=0)

    def cache(self, prefix: Ids) -> DynamicCache:
        """A cache that holds exactly `prefix`; the caller may append to it."""
        best = max(self._entries, key=lambda entry: common_length(entry, prefix), default=())
        n = common_length(best, prefix)
        # Without a mask, from the very start, attention costs half: not worth a short piece.
        n = n if n == len(prefix) or 4 * n > len(prefix) else 0
        if n:
            self._entries.move_to_end(best)
        held = [(k[:, :, :n], v[:, :, :n]) for k, v in self._entries[best]] if n else None
        # Without the model's config every layer keeps all keys, also those of sliding windows.
        cache = DynamicCache(held)
        if n < len(prefix):
            run = _ids(self.model, prefix[n:])
            where = torch.arange(n, len(prefix), device=run.device)[None]
            held_in = {_cache_name(self.model): cache}
            self.model(input_ids=run, position_ids=where, logits_to_keep=1, **held_in)
            self._entries[prefix] = [(layer.keys, layer.values) for layer in cache.layers]
            self._evict()
        return cache

    def clear(self) -> None:
        self._entries.clear()

    def _evict(self) -> None:
        size = sum(2 * k.nbytes for layers in self._entries.values() for k, _ in layers)
        while size > self.max_bytes and len(self._entries) > 1:
            _, layers = self._entries.popitem(last=False)
            size -= sum(2 * k.nbytes for k, _ in layers)


class TrieScorer:
    """Answers jobs by tries on cached prefixes.

    Args:
        model: a causal language model of transformers, in eval mode.
        budget: nodes of one forward pass; more are divided into several.
    """

    def __init__(self, model: Any, budget: int = 1024) -> None:
        self.model = model
        self.budget = budget
        self.bank = PrefixBank(model)
        self._last: Ids = ()

    def run(self, jobs: Sequence[Job]) -> None:
        """Answer all jobs, in any order."""
        ordered = sorted(jobs, key=lambda job: job.prompt)
        with torch.inference_mode():
            for depth, group in plan_passes(ordered, self._recurring(ordered), self.budget):
                self._score(group, depth)

    def _recurring(self, jobs: Sequence[Job]) -> int:
        """Length of the prefix that this batch shares with what was held or asked before."""
        first, last = jobs[0].prompt, jobs[-1].prompt
        shared = first[: min(common_length(first, last), len(first) - 1)]
        known, recurs = self.bank.known(shared), common_length(self._last, shared)
        depth = recurs if recurs - known >= MIN_PREFIX else known
        self._last = shared
        return depth if depth >= MIN_PREFIX else 0

    def _score(self, jobs: Sequence[Job], depth: int) -> None:
        trie = Trie(depth)
        leaves = [trie.add(job.prompt[depth:])[-1] for job in jobs]
        replies = [
            [[leaf, *trie.add(reply, leaf)] for reply in job.replies]
            for job, leaf in zip(jobs, leaves, strict=True)
        ]
        seen = trie.visible()
        cache = self.bank.cache(jobs[0].prompt[:depth])
        wanted = {*leaves, *(node for paths in replies for path in paths for node in path[:-1])}
        rows = {node: row for row, node in enumerate(sorted(wanted))}
        logits = self._forward(trie.tokens, trie.depths, seen, cache, keep=list(rows))
        totals = logits.logsumexp(-1)
        for job, paths in zip(jobs, replies, strict=True):
            for path, reply in zip(paths, job.replies, strict=True):
                at = [rows[node] for node in path[:-1]]
                job.reply_logprobs.append(float((logits[at, reply] - totals[at]).sum()))
        live = []
        for job, leaf in zip(jobs, leaves, strict=True):
            token = job.advance(logits[rows[leaf]] - totals[rows[leaf]])
            if token is not None:
                live.append(_Growing(job, token, len(job.prompt), np.flatnonzero(seen[leaf])))
        self._grow(live, cache)

    def _grow(self, live: list[_Growing], cache: DynamicCache) -> None:
        """Extend every reply by one token per pass until all have ended."""
        while live:
            held = cache.get_seq_length()
            seen = np.zeros((len(live), held + len(live)), dtype=bool)
            for row, leaf in enumerate(live):
                leaf.seen = np.append(leaf.seen, held + row)
                seen[row, leaf.seen] = True
            tokens, depths = [leaf.token for leaf in live], [leaf.depth for leaf in live]
            logprobs = self._forward(tokens, depths, seen, cache).log_softmax(-1)
            grown = []
            for leaf, row in zip(live, logprobs, strict=True):
                token = leaf.job.advance(row)
                if token is not None:
                    grown.append(_Growing(leaf.job, token, leaf.depth + 1, leaf.seen))
            live = grown

    def _forward(
        self,
        tokens: Sequence[int],
        depths: Sequence[int],
        seen: np.ndarray,
        cache: DynamicCache,
        keep: list[int] | int = 0,
    ) -> Tensor:
        """Logits in float32, [rows kept, V], of nodes that see the keys marked in `seen`."""
        run = _ids(self.model, tokens)
        # Numbers instead of bool: the one form that every attention implementation takes.
        mask = torch.zeros(seen.shape, dtype=self.model.dtype)
        mask.masked_fill_(torch.from_numpy(~seen), torch.finfo(mask.dtype).min)
        out = self.model(
            input_ids=run,
            attention_mask=mask[None, None].to(run.device),
            position_ids=_ids(self.model, depths),
            **{_cache_name(self.model): cache},
            logits_to_keep=keep if isinstance(keep, int) else torch.tensor(keep).to(run.device),
        )
        return out.logits[0].float()


@dataclass(slots=True)
class _Growing:
    """A reply under way: its newest token, that token's depth, and the keys it sees."""

    job: Job
    token: int
    depth: int
    seen: np.ndarray


class PlainScorer:
    """Answers jobs one by one: the reference, and what is left where a trie does not serve."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._keeps = "logits_to_keep" in inspect.signature(model.forward).parameters
        self._cache = _cache_name(model)

    def run(self, jobs: Sequence[Job]) -> None:
        """Answer all jobs, in the given order."""
        with torch.inference_mode():
            for job in jobs:
                self._generate(job)
                job.reply_logprobs.extend(self._score(job.prompt, reply) for reply in job.replies)

    def _score(self, prompt: Ids, reply: Ids) -> float:
        logprobs, _ = self._forward((*prompt, *reply), keep=len(reply) + 1)
        return float(logprobs[range(len(reply)), reply].sum())

    def _generate(self, job: Job) -> None:
        tokens = job.prompt
        logprobs, cache = self._forward(tokens, keep=1)
        while (token := job.advance(logprobs[-1])) is not None:
            tokens = (*tokens, token)
            new = tokens if cache is None else (token,)
            logprobs, cache = self._forward(new, keep=1, cache=cache)

    def _forward(self, tokens: Ids, keep: int, cache: Any = None) -> tuple[Tensor, Any]:
        """Log-probabilities [keep, V] after the last `keep` tokens, and the model's own cache."""
        more = {"logits_to_keep": keep} if self._keeps else {}
        if cache is not None:
            more[self._cache] = cache
        out = self.model(input_ids=_ids(self.model, tokens), use_cache=True, **more)
        return out.logits[0, -keep:].float().log_softmax(-1), out.get(self._cache)


def _cache_name(model: Any) -> str:
    """The name that a model takes its cache by.

    transformers 5.24 renamed it, and the old name reaches some models no more.
    """
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


def _ids(model: Any, values: Sequence[int]) -> Tensor:
    return torch.tensor([list(values)], dtype=torch.long, device=model.device)


def largest_difference(model: Any) -> float:
    """How far the trie's log-probabilities are from one-by-one scoring, on a few short prompts.

    Prompts, scored replies and forced continuations are compared, over a divided trie on a
    cached prefix. Raises what the model raises when it cannot take such a mask or cache.
    """
    reference, trie = _probe(model, PlainScorer(model)), _probe(model, TrieScorer(model, 16))
    return float((reference - trie).abs().max())


def _probe(model: Any, scorer: PlainScorer | TrieScorer) -> Tensor:
    """All log-probabilities of a fixed set of jobs, in one vector; forced to two tokens each."""
    vocabulary = model.get_input_embeddings().weight.shape[0]
    ids = tuple((37 * i + 11) % vocabulary for i in range(64))
    rows: dict[int, list[Tensor]] = {}
    jobs = []
    for n, tail in enumerate((ids[20:24], ids[21:33], ids[20:23] + ids[33:40], ids[40:48])):
        seen = rows.setdefault(n, [])

        def advance(logprobs: Tensor, seen: list[Tensor] = seen) -> int | None:
            seen.append(logprobs.cpu())
            return ids[50 + len(seen)] if len(seen) < 3 else None

        jobs.append(Job(ids[:20] + tail, advance, replies=(ids[2:5], ids[2:4] + ids[60:62])))
    scorer.run(jobs)
    scored = torch.tensor([value for job in jobs for value in job.reply_logprobs])
    return torch.cat([*(row for seen in rows.values() for row in seen), scored])
