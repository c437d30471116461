"""An engine with vLLM's calls, over transformers: each prompt by itself, one token a step.

It refuses what vLLM refuses, and spoils what vLLM 0.32 spoils where calls are mixed in one step.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from horsesense_extras.models.vllm.engine import Started

MOST_IDS = 128


class PlainEngine:
    """What `LLM.llm_engine` offers and `horsesense_extras.models.vllm.engine` calls.

    Attributes:
        calls: (prompt, settings) of every call, in order.
        steps: names of the calls that were under way in each step.
        stopped: whether it was told to end.
    """

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForCausalLM

        self.model = AutoModelForCausalLM.from_pretrained(folder).eval()
        self.room = self.model.config.max_position_embeddings
        self.calls: list[tuple[tuple[int, ...], SimpleNamespace]] = []
        self.steps: list[set[str]] = []
        self.stopped = False
        self._open: dict[str, tuple[list[int], list[int], SimpleNamespace, Any]] = {}

    def add_request(self, name: str, prompt: dict[str, list[int]], params: Any) -> None:
        assert isinstance(name, str)
        ids = prompt["prompt_token_ids"]
        if len(params.logprob_token_ids or ()) > MOST_IDS:
            raise ValueError(f"Requested logprob_token_ids of length over {MOST_IDS}")
        if params.logprob_token_ids and params.logprobs is not None:
            raise ValueError("logprobs must equal len(logprob_token_ids)")
        if not ids or len(ids) + params.max_tokens > self.room:
            raise ValueError("the prompt is too long")
        self.calls.append((tuple(ids), params))
        flat = SimpleNamespace(token_ids=[], logprobs=[], start_indices=[], end_indices=[])
        self._open[name] = ids, [], params, flat

    def step(self) -> list[Any]:
        self.steps.append(set(self._open))
        mixed = any(params.logprob_token_ids for _, _, params, _ in self._open.values())
        done = []
        for name, (prompt, written, params, flat) in [*self._open.items()]:
            self._write(prompt, written, params, flat, mixed)
            ended = written[-1] in params.stop_token_ids
            if ended or len(written) == params.max_tokens:
                del self._open[name]
                scored = params.logprobs is not None or params.logprob_token_ids
                output = SimpleNamespace(
                    token_ids=written,
                    finish_reason="stop" if ended else "length",
                    logprobs=flat if scored else None,
                )
                done.append(
                    SimpleNamespace(
                        request_id=name,
                        finished=True,
                        prompt_token_ids=prompt,
                        num_cached_tokens=0,
                        outputs=[output],
                    )
                )
        return done

    def _write(
        self, prompt: list[int], written: list[int], params: Any, flat: Any, mixed: bool
    ) -> None:
        import torch

        with torch.inference_mode():
            logprobs = self.model(torch.tensor([prompt + written])).logits[0, -1].log_softmax(-1)
        if params.temperature:
            generator = torch.Generator().manual_seed(params.seed + len(written))
            chances = (logprobs / params.temperature).softmax(-1)
            token = int(chances.multinomial(1, generator=generator))
        else:
            token = int(logprobs.argmax())
        written.append(token)
        ids = params.logprob_token_ids or ()
        if params.logprobs:
            ids = [0] if mixed else logprobs.topk(params.logprobs).indices.tolist()
        found = {token: float(logprobs[token])}
        spoilt = mixed and params.logprobs
        found |= {t: float("-inf") if spoilt else float(logprobs[t]) for t in ids if t != token}
        flat.start_indices.append(len(flat.token_ids))
        flat.token_ids += found
        flat.logprobs += found.values()
        flat.end_indices.append(len(flat.token_ids))


def started(folder: Path, stop_ids: Any) -> Started:
    """The engine as `horsesense_extras.models.vllm.engine.start` gives vLLM's."""
    engine = PlainEngine(folder)

    def settings(**given: Any) -> SimpleNamespace:
        return SimpleNamespace(stop_token_ids=set(stop_ids), **given)

    def stop() -> None:
        engine.stopped = True

    return Started(
        SimpleNamespace(llm_engine=engine), settings, engine.room, stop, ("an engine of the tests",)
    )
