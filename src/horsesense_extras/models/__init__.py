"""Models that take a program or a package of their own, named by `--model`."""

from __future__ import annotations

from horsesense.plugins import Scheme

HF = Scheme(
    "hf",
    "horsesense_extras.models.hf.backend",
    "PATH-or-NAME",
    "A local model through transformers, GGUF files too (extra `local`; docs/hf.md).",
)
VLLM = Scheme(
    "vllm",
    "horsesense_extras.models.vllm.backend",
    "PATH-or-NAME[?key=value&...]",
    "A local model through vLLM, for many requests at once (extra `vllm`; docs/vllm.md).",
)
BATCH = Scheme(
    "batch",
    "horsesense_extras.models.batch",
    "NAME[?top_logprobs=N&...]",
    "A model that is asked by files: plan, export, import (docs/logs.md).",
)
INSPECT = Scheme(
    "inspect",
    "horsesense_extras.models.inspect_provider",
    "PROVIDER/NAME[@URL][?reasoning_effort=high&...]",
    "Any model that Inspect knows, with its own keys (extra `inspect`).",
)
