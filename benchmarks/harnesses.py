"""The same questions asked by a bare loop, horsesense, lm-evaluation-harness and Inspect.

    python benchmarks/harnesses.py --lm-eval LM_EVAL_ENV/bin/python --inspect INSPECT_ENV/bin/python

Each question is put once, in one fixed form, to the chat endpoint of the mock server, 100 at a
time, by a process of its own: imports, loading the questions, asking, scoring and writing down,
and of horsesense the checks of the items and the report too. Prints processor milliseconds a
request of the whole process, and of what a request more costs (the difference of the two sizes,
without imports), requests a second by the clock, and the ratio to the bare loop of the same run.

lm-eval (`pip install "lm_eval[api]"`) and Inspect (`pip install inspect_ai openai`) are run from
environments of their own; the row of one that is not given is left out. Every program formats the
question its own way, with the same words; all take the reply as text, and horsesense, as it does by
default, the log-probabilities of the first token too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path

from audit_speed import CONNECTIONS, HERE, Measured, measured, mock_server, write_items

WORDS = "Which of the options is right? Reply with its letter alone.\n\nQuestion: "

LM_EVAL_FORM = (
    WORDS + "{{question}}\n{% for option in options %}{{'ABCD'[loop.index0]}}. {{option}}\n"
    "{% endfor %}Answer:"
)

LM_EVAL_TASK = """
task: rivers
dataset_path: json
dataset_kwargs: {data_files: {test: FOLDER/rivers.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: FORM
doc_to_target: "{{'ABCD'[answer_index]}}"
generation_kwargs: {until: ["</s>"], max_gen_toks: 16, do_sample: false, temperature: 0}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
""".replace("FORM", json.dumps(LM_EVAL_FORM))

INSPECT_FORM = WORDS + "{question}\n{choices}\nReply with 'ANSWER: LETTER', one of {letters}."

INSPECT_TASK = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

url, most, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rows = map(json.loads, open(folder + "/rivers.jsonl"))
samples = [Sample(row["question"], row["options"], "ABCD"[row["answer_index"]]) for row in rows]
task = Task(samples, solver=multiple_choice(template=FORM, max_tokens=16), scorer=choice())
[log] = eval(
    task, model="openai-api/mock/mock", model_base_url=url, display="none", log_dir=folder,
    max_connections=most, max_samples=most,
)
sys.exit(log.status != "success")
""".replace("FORM", repr(INSPECT_FORM))


def bare(url: str, n: int, folder: Path) -> list[str]:
    return [sys.executable, str(HERE / "audit_speed.py"), "--bare", url, str(n)]


def horsesense(url: str, n: int, folder: Path) -> list[str]:
    words = ["-m", "horsesense", "audit", f"{folder}/rivers.jsonl", "--model", f"http:mock@{url}"]
    words += ["--probes", "original", "--max-connections", str(CONNECTIONS)]
    return [sys.executable, *words, "--out", f"{folder}/run"]


def lm_eval(python: str, url: str, n: int, folder: Path) -> list[str]:
    (folder / "rivers.yaml").write_text(LM_EVAL_TASK.replace("FOLDER", str(folder)))
    model = f"model=mock,base_url={url}/chat/completions,num_concurrent={CONNECTIONS}"
    words = ["-m", "lm_eval", "run", "--model", "local-chat-completions"]
    words += ["--model_args", f"{model},tokenizer_backend=None", "--apply_chat_template"]
    words += ["--include_path", str(folder), "--tasks", "rivers"]
    return [python, *words, "--log_samples", "--output_path", f"{folder}/out"]


def inspect(python: str, url: str, n: int, folder: Path) -> list[str]:
    return [python, "-c", INSPECT_TASK, url, str(CONNECTIONS), str(folder)]


def asked(url: str) -> int:
    """Requests that the server has had since this was last called."""
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/stats?reset=1") as reply:
        return int(json.load(reply)["requests"])


Program = Callable[[str, int, Path], list[str]]


def once(name: str, program: Program, url: str, n: int) -> Measured:
    """One program, from its start to its end, on `n` questions."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_items(folder / "rivers.jsonl", n)
        os.environ.update(HF_HOME=f"{made}/hf", INSPECT_CACHE_DIR=f"{made}/inspect")
        spent = measured(*program(url, n, folder))
    seen = asked(url)
    if not n <= seen <= n + 10:  # horsesense first finds out what the server offers
        raise SystemExit(f"{name}: the server was asked {seen:,} times, not {n:,}")
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lm-eval", help="python of an environment with lm-eval")
    parser.add_argument("--inspect", help="python of an environment with Inspect")
    parser.add_argument("--sizes", type=int, nargs=2, default=(500, 2000))
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    few, many = given.sizes
    # No key leaves this machine, and nothing is fetched.
    os.environ.update(MOCK_API_KEY="none", OPENAI_API_KEY="none", HF_HUB_OFFLINE="1")
    os.environ.update(TQDM_DISABLE="1", LMEVAL_LOG_LEVEL="ERROR")
    programs: dict[str, Program] = {"bare aiohttp loop": bare, "horsesense audit": horsesense}
    for name, python, program in (
        ("lm-eval", given.lm_eval, lm_eval),
        ("Inspect", given.inspect, inspect),
    ):
        if python is None:
            print(f"{name} is left out: no environment was given")
        else:
            programs[name] = partial(program, python)
    spent: dict[tuple[str, int], list[Measured]] = {}
    with mock_server() as url:
        for name, program in programs.items():
            once(name, program, url, 10)  # compiles what it imports
        for _ in range(given.rounds):
            for n in (few, many):
                for name, program in programs.items():
                    spent.setdefault((name, n), []).append(once(name, program, url, n))
    print(f"median of {given.rounds}")
    print(f"{'':18} {'ms a request':>18}  {'ms more':>10}  {'requests/s':>11} {'MB':>7}")
    reference = None
    for name in programs:
        small, large = (statistics.median(m.cpu for m in spent[name, n]) * 1e3 for n in (few, many))
        wall = statistics.median(m.seconds for m in spent[name, many])
        peak = max(m.peak for m in spent[name, many]) / 1e6
        found = large / many, (large - small) / (many - few)
        reference = reference or found
        ratios = [f"{a:8.2f} ({a / b:5.1f} x)" for a, b in zip(found, reference, strict=True)]
        print(f"{name:18} {ratios[0]}  {ratios[1]}  {many / wall:11.0f} {peak:7.0f}")


if __name__ == "__main__":
    main()
