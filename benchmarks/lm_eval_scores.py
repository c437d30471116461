"""Runs inside lm-eval's own environment: scores of one-token labels, timed.

Reads `{model, prompts, labels}` (a directory, lists of token ids, token ids) from standard input
and prints one line of JSON. lm-eval scores all labels of a prompt from one forward pass. Its
default batch size of 1 is taken: it computes logits over the whole vocabulary at every padded
position, and batches of 16 long prompts fill the memory with them.
"""

import json
import sys
import time
from importlib.metadata import version

from lm_eval.models.huggingface import HFLM

job = json.load(sys.stdin)
model = HFLM(pretrained=job["model"], device="cpu", dtype="float32")
requests = [
    ((str(n), str(label)), prompt, [label])
    for n, prompt in enumerate(job["prompts"])
    for label in job["labels"]
]
wall, cpu = time.perf_counter(), time.process_time()
scores = [score for score, _ in model._loglikelihood_tokens(requests, disable_tqdm=True)]
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
k = len(job["labels"])
rows = [scores[i : i + k] for i in range(0, len(scores), k)]
print(json.dumps({"version": version("lm-eval"), "wall": wall, "cpu": cpu, "scores": rows}))
