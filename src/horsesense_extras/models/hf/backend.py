"""Models that run here, through transformers: `hf:PATH-or-NAME[?key=value&...]`.

Exact log-probabilities of every label spelling, scored replies and greedy text come from one
pass over the token trie of a batch (`horsesense_extras.models.hf.trie`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self, TypeVar

from horsesense.errors import ModelError
from horsesense.models.base import Asked, Capabilities
from horsesense.models.messages import Failure, Request, Response
from horsesense_extras.models.hf.local import LocalModel
from horsesense_extras.models.hf.tokens import Tokens
from horsesense_extras.models.hf.weights import (
    Weights,
    adapter_fingerprint,
    find_weights,
    load,
    smollm2_path,
    stop_ids,
    with_adapter,
    without_bars,
)
from horsesense_extras.models.options import Kinds, options_of

__all__ = ["TransformersBackend", "from_spec", "smollm2_path"]

DTYPES = ("float32", "bfloat16", "float16")
SCORINGS = ("trie", "plain")
_OPTIONS: Kinds = {
    "dtype": {name: name for name in DTYPES},
    "device": str,
    "scoring": {name: name for name in SCORINGS},
    "adapter": lambda text: Path(text).expanduser(),
    "bits": {"4": 4},
}

T = TypeVar("T")


def from_spec(rest: str, **options: str) -> TransformersBackend:
    """The backend that `hf:REST` names.

    Args:
        rest: `smollm2`, a .gguf file, a directory, or a hub name (downloaded if not yet here);
            options may follow as `?dtype=bfloat16&device=cuda`.
        options: `dtype` (float32, bfloat16, float16), `device` (auto, cpu, cuda, ...),
            `scoring` (trie, plain), `adapter` (folder of a LoRA adapter on these weights), `bits`
            (4: weights packed in nf4).

    Raises:
        UsageError: unknown option or value, no such model, unsafe weights.
    """
    path, given = options_of(rest, "hf:", _OPTIONS, options)
    return TransformersBackend(
        find_weights(path),
        given.get("dtype", DTYPES[0]),
        given.get("device", "auto"),
        given.get("scoring", SCORINGS[0]),
        adapter=given.get("adapter"),
        four_bits="bits" in given,
    )


class LocalBackend:
    """What models on this machine have in common, whatever runs them.

    Attributes:
        name: short name for tables.
        top_logprobs: how many of the most likely tokens a request may ask for.
    """

    name: str
    top_logprobs: int

    def loaded(self) -> tuple[Tokens, int | None, Sequence[str]]:
        """Tokeniser, tokens that prompt and reply share, and sentences on how it is run.

        Raises ModelError outside `async with`.
        """
        raise ModelError(f"{self.name} is not loaded.", hint="Use it in `async with`.")

    async def capabilities(self) -> Capabilities:
        """What the loaded model offers; the notes say how it is run."""
        tokens, context_length, notes = self.loaded()
        return Capabilities(
            chat=tokens.has_template,
            completion=True,
            top_logprobs=self.top_logprobs,
            label_tokens=True,
            continuations=True,
            continues=True,
            context_length=context_length,
            notes=tuple(notes),
        )

    def count_tokens(self, request: Request) -> int | None:
        """Length of the prompt in tokens; None where the model's template refuses it."""
        try:
            return len(self.loaded()[0].prompt(request))
        except ValueError:
            return None


class TransformersBackend(LocalBackend):
    """One model in this process; enter it to load the weights, leave it to free them.

    Args:
        weights: where the model lies.
        dtype: precision of weights and arithmetic. Only float32 gives the same answer in every
            batch (to 1e-4 in log-probability).
        device: "auto" takes a GPU where there is one.
        scoring: "plain" asks one by one, without sharing.
        adapter: folder of a LoRA adapter that is put on the weights.
        four_bits: whether the weights are packed in nf4.

    Raises:
        UsageError: `adapter` holds none, or it was trained on other weights.
    """

    top_logprobs = 50

    def __init__(
        self,
        weights: Weights,
        dtype: str = "float32",
        device: str = "auto",
        scoring: str = "trie",
        *,
        adapter: Path | None = None,
        four_bits: bool = False,
    ) -> None:
        self.weights = weights
        self.dtype = dtype
        self.device = device
        self.scoring = scoring
        self.adapter = adapter
        self.four_bits = four_bits
        self.name = weights.name
        # The fingerprint covers the chat template too: it lies in the hashed files.
        self.identity = f"hf:{weights.name}@{weights.fingerprint}/{dtype}"
        if four_bits:
            self.identity += "/nf4"
        if adapter is not None:
            self.name += f"+{adapter.parent.name if adapter.name == 'adapter' else adapter.name}"
            self.identity += f"+{adapter_fingerprint(adapter, weights)}"
        self.batch_size = 64
        self.max_connections = 1
        self.base: tuple[Any, Any] | None = None
        """The weights and their tokeniser, where they are in memory already (`loading.load`)."""
        self._loaded: LocalModel | None = None
        self._adapted: Any = None
        # One thread for all of torch's work: its pools belong to the thread that calls it.
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="horsesense-hf")

    async def __aenter__(self) -> Self:
        """Load tokeniser and weights; ModelError if that cannot be done."""
        if self._loaded is None:
            self._loaded = await self._work(self._load)
            if self.scoring == "trie":
                await self._work(self._loaded.try_trie)
        return self

    async def __aexit__(self, *error: object) -> None:
        self._loaded = None
        if self._adapted is not None:
            self._adapted.unload()
            self._adapted = None

    @without_bars()
    def _load(self) -> LocalModel:
        """The model with its adapter; weights that are in memory already are not read again."""
        model, tokenizer = self.base or load(
            self.weights, self.dtype, self.device, four_bits=self.four_bits
        )
        if self.adapter is not None:
            self._adapted = with_adapter(model, self.adapter)
        return LocalModel(model, Tokens(tokenizer, stop_ids(model.generation_config)))

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        """Answer a batch, in order, in the worker thread."""
        return await self._work(self.model.answer, batch)

    async def _work(self, function: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, function, *args)

    @property
    def model(self) -> LocalModel:
        """The loaded model; ModelError outside `async with`."""
        self.loaded()
        assert self._loaded is not None
        return self._loaded

    def loaded(self) -> tuple[Tokens, int | None, Sequence[str]]:
        found = self._loaded
        return (
            super().loaded() if found is None else (found.tokens, found.context_length, found.notes)
        )
