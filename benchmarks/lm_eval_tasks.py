"""The same study asked by lm-eval and by our own runner: prompts, log-probabilities, accuracies.

    python benchmarks/lm_eval_tasks.py --python LM_EVAL_ENV/bin/python --items 60

SmolLM2-135M-Instruct in float32 on the CPU, MMLU. LM_EVAL_ENV holds `horsesense[lm-eval]` and
`lm-eval[hf]`. lm-eval asks what `horsesense export --to lm-eval-task` wrote, its samples are
imported, and each answer is held against that of our runner.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from horsesense.api import Run, audit
from horsesense.models.messages import Response
from horsesense.runs.exchanges import Exchange, exchanges
from horsesense.runs.settings import Settings
from horsesense_extras.integrations.lm_eval_task import write_tasks
from horsesense_extras.logs.carried import import_own
from horsesense_extras.logs.registry import open_logs
from horsesense_extras.models.hf.backend import from_spec

SHARED = Path(os.environ.get("HORSESENSE_SHARED", "../shared"))
KINDS = {"first_token": "order", "option_text": "order", "text": "original"}


async def save_model(folder: Path) -> None:
    """The weights of the packaged model as transformers loads them elsewhere."""
    async with from_spec("smollm2") as backend:
        model = backend.model
        model.model.hf_quantizer = None
        vars(model.model.config).pop("quantization_config", None)
        model.model.save_pretrained(folder)
        model.tokens.save(folder)


def by_lm_eval(python: str, tasks: Path, group: str, model: Path, out: Path) -> None:
    """Run lm-eval on a folder of tasks."""
    arguments = {
        "--model": "hf",
        "--model_args": f"pretrained={model},dtype=float32",
        "--include_path": str(tasks),
        "--tasks": group,
        "--device": "cpu",
        "--batch_size": "1",
        "--output_path": str(out),
    }
    words = [word for pair in arguments.items() for word in pair]
    command = [python, "-m", "lm_eval", "run", *words, "--log_samples"]
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=offline)
    if done.returncode:
        sys.exit(f"lm-eval failed: {done.stderr[-2000:]}")


def scores(response: Response) -> dict[str, float]:
    first = dict(response.token_logprobs[0]) if response.token_logprobs else {}
    return first | {text: total for text, (total, _) in response.continuations.items()}


def pairs(one: Run, other: Run) -> Iterator[tuple[Exchange, Exchange]]:
    return zip(exchanges(one.directory), exchanges(other.directory), strict=True)


def compare(reader: str, ours: Run, theirs: Run) -> None:
    """Say how far apart two runs of the same study are."""
    prompts = trials = scored = within = replies = missing = 0
    worst = 0.0
    for one, other in pairs(ours, theirs):
        trials += 1
        assert one.request is not None
        assert other.request is not None
        assert one.response is not None
        assert other.response is not None
        prompts += one.request.text == other.request.text
        replies += one.response.text == other.response.text
        mine, yours = scores(one.response), scores(other.response)
        for text, value in yours.items():
            if text not in mine:
                missing += 1  # not one token: our runner gives no score by name
                continue
            apart = abs(mine[text] - value)
            worst, scored, within = max(worst, apart), scored + 1, within + (apart <= 1e-3)
    accuracy = [
        (a, b)
        for a in ours.results.estimates
        for b in theirs.results.estimates
        if a.measure == b.measure == "accuracy"
        and (a.probe, a.condition, a.reader, a.group) == (b.probe, b.condition, b.reader, b.group)
    ]
    same = sum(a.value == b.value for a, b in accuracy)
    print(f"{reader}: {trials} trials, {prompts} with the same prompt")
    if scored:
        print(f"  log-probabilities within 1e-3: {within} of {scored}, at most {worst:.1e} apart")
        print(f"  labels of several tokens, which lm-eval alone scored: {missing}")
    else:
        print(f"  the same reply to the letter: {replies}")
    shown = ", ".join(f"{a.probe} {a.value:.4f}/{b.value:.4f}" for a, b in accuracy[:3])
    print(f"  the same accuracy: {same} of {len(accuracy)} ({shown}, ...)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True)
    parser.add_argument("--items", type=int, default=60)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    args = parser.parse_args()
    items = str(SHARED / "data" / "mmlu" / "mmlu_test.jsonl.gz")
    with TemporaryDirectory() as place:
        folder = Path(place)
        asyncio.run(save_model(folder / "model"))
        for reader in args.kinds:
            room = 16 if reader == "text" else 0
            settings = Settings.of(
                items=items, model="lm-eval", probes=KINDS[reader].split(","), limit=args.items,
                style="completion", readers=(reader,), max_tokens=room,
            )  # fmt: skip
            made = write_tasks(settings, folder / reader)
            by_lm_eval(
                args.python, folder / reader, made.group, folder / "model", folder / f"{reader}-out"
            )
            found = next((folder / f"{reader}-out").iterdir())
            theirs = Run(import_own(folder / f"{reader}-theirs", open_logs([found])))
            theirs.read()
            theirs.measure()
            ours = audit(
                items, "hf:smollm2", out=folder / f"{reader}-ours", probes=KINDS[reader],
                limit=args.items, style="completion", readers=reader, max_tokens=room,
            )  # fmt: skip
            compare(reader, ours, theirs)


if __name__ == "__main__":
    main()
