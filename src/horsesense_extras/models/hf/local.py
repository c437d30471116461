"""A loaded model that answers requests: what is kept of each distribution, and full memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.rng import unit
from horsesense.stats.words import plural
from horsesense_extras.models.hf.tokens import Tokens, refuse_too_long, without_question

if TYPE_CHECKING:
    from torch import Tensor

    from horsesense_extras.models.hf.trie import Ids, Job, TrieScorer

FIRST_POSITIONS = 5
"""Positions whose log-probabilities are kept: some models write a label second or third."""

_NODES = {"cpu": 1024, "cuda": 8192}

_NAN = Failure("malformed", "the model gave NaN", retryable=False)


class LocalModel:
    """A loaded model: answers batches, shares what their prompts share, survives full memory.

    Args:
        model: a causal language model of transformers, in eval mode.
        tokens: its tokeniser.
    """

    def __init__(self, model: Any, tokens: Tokens) -> None:
        from horsesense_extras.models.hf.trie import PlainScorer

        config = model.config.get_text_config()
        self.model = model
        self.tokens = tokens
        self.context_length: int | None = getattr(config, "max_position_embeddings", None)
        self.notes: list[str] = []
        self._plain = PlainScorer(model)
        self._trie: TrieScorer | None = None
        self._bare: TrieScorer | PlainScorer = self._plain
        self._trie_limit = _sharing_limit(config)

    def try_trie(self) -> None:
        """Share prompts from now on, if this model gives the same numbers when it does."""
        from horsesense_extras.models.hf.trie import TrieScorer, largest_difference

        try:
            difference = largest_difference(self.model)
        except Exception as error:  # noqa: BLE001 - any model's own code may refuse the mask
            self.notes.append(f"Prompts are asked one by one: no token trie ({error!r:.200}).")
            return
        # Half precision moves log-probabilities by up to 0.6 by itself; a broken mask by more.
        if not difference <= (1e-3 if str(self.model.dtype) == "torch.float32" else 1.0):
            self.notes.append(
                "Prompts are asked one by one: as a token trie this model's log-probabilities "
                f"differ by up to {difference:.2g}."
            )
            return
        nodes = _NODES.get(self.model.device.type, _NODES["cuda"])
        self._trie = TrieScorer(self.model, nodes)
        # A scorer of its own: among other prompts, the prefix that those share would be lost.
        self._bare = TrieScorer(self.model, nodes)
        self.notes.append(
            f"Prompts share a token trie; log-probabilities agreed to {difference:.1g} in a check."
        )
        if self._trie_limit is not None:
            self.notes.append(
                f"Beyond {plural(self._trie_limit, 'token')} prompts are asked one by one."
            )

    def answer(self, batch: Sequence[Asked]) -> list[Response | Failure]:
        """One response or failure per request, in order."""
        asked = [self._prepare(*each) for each in batch]
        self._run([each for each in asked if isinstance(each, _Asking)])
        return [each if isinstance(each, Failure) else each.outcome() for each in asked]

    def _prepare(self, key: Key, request: Request) -> _Asking | Failure:
        more = request.params.max_tokens
        try:
            prompt = self.tokens.prompt(request)
            refuse_too_long(prompt, f"{more} are asked for", more, self._longest)
            replies = self.tokens.replies(request, request.params.continuations)
            alone = without_question(request)
            bare = None if alone is None else self.tokens.prompt(alone)
            after = (
                {} if alone is None else self.tokens.replies(alone, request.params.continuations)
            )
        except ValueError as error:
            return Failure("rejected", f"{error}", retryable=False)
        # A text that is too long to be scored must not cost the reply.
        replies = self._fitting(prompt, replies)
        if bare is not None:
            after = {text: ids for text, ids in self._fitting(bare, after).items() if ids}
        return _Asking(key, request, self.tokens, prompt, replies, bare, after)

    @property
    def _longest(self) -> float:
        return inf if self.context_length is None else self.context_length

    def _fitting(self, prompt: Ids, replies: Mapping[str, Ids]) -> dict[str, Ids]:
        room = self._longest - len(prompt)
        return {text: ids for text, ids in replies.items() if len(ids) <= room}

    def _run(self, asked: Sequence[_Asking]) -> None:
        if not asked:
            return
        try:
            self._score(asked)
        except (RuntimeError, MemoryError) as error:
            if not memory_is_full(error):
                raise
            self._free_memory()
            if len(asked) == 1:
                asked[0].failure = _no_memory(asked[0])
                return
        else:
            return
        # Outside the handler, whose traceback would keep the failed pass in memory.
        middle = len(asked) // 2
        self._run(asked[:middle])
        self._run(asked[middle:])

    def _score(self, asked: Sequence[_Asking]) -> None:
        from horsesense_extras.models.hf.trie import Job

        shared: list[Job] = []
        alone: list[Job] = []
        for each in asked:
            fits = self._trie_limit is None or each.longest <= self._trie_limit
            (shared if fits and self._trie else alone).append(each.start())
        if self._trie and shared:
            self._trie.run(shared)
        self._plain.run(alone)
        # Each text without its question is scored but once, however many requests ask for it.
        wanted: dict[Ids, dict[Ids, None]] = {}
        for each in asked:
            if each.bare is not None:
                wanted.setdefault(each.bare, {}).update(dict.fromkeys(each.bare_replies.values()))
        jobs = [Job(prompt, lambda logprobs: None, tuple(r)) for prompt, r in wanted.items()]
        if jobs:
            self._bare.run(jobs)
        found = {j.prompt: dict(zip(j.replies, j.reply_logprobs, strict=True)) for j in jobs}
        for each in asked:
            if each.bare is not None:
                scores = found[each.bare]
                each.bare_scores = {t: (scores[i], len(i)) for t, i in each.bare_replies.items()}

    def _free_memory(self) -> None:
        import torch

        from horsesense_extras.models.hf.trie import TrieScorer

        for scorer in (self._trie, self._bare):
            if isinstance(scorer, TrieScorer):
                scorer.bank.clear()
                scorer.budget = max(scorer.budget // 2, 64)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


@dataclass(slots=True, eq=False)
class _Asking:
    """One request while it is being answered.

    Attributes:
        replies: text -> token ids, to be scored after the prompt.
        bare: the prompt without its question; None where nothing is scored after it.
        bare_replies, bare_scores: as `replies`, and (log-probability, tokens), after `bare`.
    """

    key: Key
    request: Request
    tokens: Tokens
    prompt: Ids
    replies: dict[str, Ids]
    bare: Ids | None = None
    bare_replies: dict[str, Ids] = field(default_factory=dict)
    bare_scores: dict[str, tuple[float, int]] = field(default_factory=dict)
    job: Job | None = None
    token_logprobs: list[dict[str, float]] = field(default_factory=list)
    generated: list[int] = field(default_factory=list)
    failure: Failure | None = None

    @property
    def longest(self) -> int:
        """Tokens of the longest path: the prompt with what may follow it."""
        more = [self.request.params.max_tokens, *map(len, self.replies.values())]
        return len(self.prompt) + max(more)

    def start(self) -> Job:
        """The job that answers this request; forgets what an earlier attempt found."""
        from horsesense_extras.models.hf.trie import Job

        self.token_logprobs, self.generated = [], []
        scored = tuple(reply for reply in self.replies.values() if reply)
        self.job = Job(self.prompt, self.advance, scored)
        return self.job

    def advance(self, logprobs: Tensor) -> int | None:
        """Keep what is asked for of one position; choose the next token, None at the end."""
        if bool(logprobs.isnan().any()):
            self.failure = _NAN
            return None
        params = self.request.params
        token = self._choose(logprobs) if len(self.generated) < params.max_tokens else None
        if len(self.token_logprobs) < FIRST_POSITIONS and (
            params.label_tokens or params.top_logprobs
        ):
            self.token_logprobs.append(self._look(logprobs, token))
        if token is None:
            return None
        self.generated.append(token)
        ended = token in self.tokens.stop_ids or len(self.generated) == params.max_tokens
        return None if ended else token

    def outcome(self) -> Response | Failure:
        if self.failure is not None or self.job is None:
            return self.failure or Failure("server", "the request was not answered")
        values = iter(self.job.reply_logprobs)
        given = {t: (next(values) if ids else 0.0, len(ids)) for t, ids in self.replies.items()}
        return self.tokens.response(
            self.prompt, self.generated, self.token_logprobs, given, self.bare_scores
        )

    def _choose(self, logprobs: Tensor) -> int:
        """Greedy, or drawn with a number that is a function of request and position alone."""
        params = self.request.params
        if params.temperature == 0:
            return int(logprobs.argmax())
        ordered = logprobs.double().cpu().sort(descending=True, stable=True)
        mass = (ordered.values / params.temperature).softmax(-1).cumsum(-1)
        if params.top_p is not None:
            mass = mass[: int((mass < params.top_p).sum()) + 1]
        draw = unit(self.key, str(len(self.generated)).encode()) * float(mass[-1])
        return int(ordered.indices[int((mass <= draw).sum())])

    def _look(self, logprobs: Tensor, token: int | None) -> dict[str, float]:
        """Watched spellings, the most likely tokens and the chosen one, by their text."""
        params = self.request.params
        ids = {*self.tokens.spellings(params.label_tokens)} | ({token} - {None})
        top = min(params.top_logprobs, len(logprobs))
        chosen = [*ids, *(logprobs.topk(top).indices.tolist() if top else ())]
        found = dict(zip(chosen, logprobs[chosen].tolist(), strict=True))
        return self.tokens.by_text(found)


def _sharing_limit(config: Any) -> int | None:
    """Tokens up to which a trie's attention is this model's own; None where it always is.

    Sliding windows and chunks cut attention, and some rotary scalings change, beyond a length.
    """
    layers = getattr(config, "layer_types", None) or ["sliding_attention"]
    limits = []
    if any("sliding" in layer for layer in layers) and getattr(config, "use_sliding_window", True):
        limits.append(getattr(config, "sliding_window", None))
    limits.append(getattr(config, "attention_chunk_size", None))
    rope = getattr(config, "rope_parameters", None) or {}
    for scaling in (rope, *(value for value in rope.values() if isinstance(value, dict))):
        if scaling.get("rope_type") in ("dynamic", "longrope"):
            original = scaling.get("original_max_position_embeddings")
            limits.append(original or config.max_position_embeddings)
    return min((limit for limit in limits if limit is not None), default=None)


def memory_is_full(error: BaseException) -> bool:
    """Whether an error says that there is no memory left."""
    # CUDA has an exception of its own; the CPU allocator raises a bare RuntimeError.
    words = ("out of memory", "not enough memory", "allocate memory")
    return isinstance(error, MemoryError) or any(word in str(error) for word in words)


def _no_memory(asking: _Asking) -> Failure:
    return Failure(
        "rejected",
        f"no memory for a prompt of {plural(len(asking.prompt), 'token')}",
        retryable=False,
    )
