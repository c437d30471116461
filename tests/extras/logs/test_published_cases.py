"""Scores that were silently wrong, as logs of the harnesses concerned, each named after its report.

olmo-eval and omlx have no format of their own here: what their servers answered is a batch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import horsesense as hs
from horsesense.report.score_bar import headline
from horsesense_extras.cli.logs import lines, summary

OPTIONS = ("iron", "water", "granite", "helium")
THOUGHT = "We need to weigh the four options. Helium is a gas, and granite is a rock, so"


class Reply(NamedTuple):
    """What came back for one question, whose right option is B.

    Attributes:
        text: of the answer; None where the program wrote none.
        thought: kept apart from it.
        ended: why it ended, in OpenAI's words.
        tokens, thinking: tokens of the reply, and those of them that were thought.
        error: what went wrong.
    """

    text: str | None
    thought: str = ""
    ended: str = "stop"
    tokens: int = 5
    thinking: int = 0
    error: str = ""


RIGHT, WRONG = Reply("ANSWER: B"), Reply("ANSWER: C")


def question(number: int) -> str:
    return f"Which of these is a liquid at {15 + number} degrees?"


def shown(sign: str) -> str:
    return "\n".join(f"{letter}{sign} {text}" for letter, text in zip("ABCD", OPTIONS, strict=True))


def inspect(folder: Path, replies: Sequence[Reply]) -> Path:
    """As `choice()` of Inspect scores: what is not "ANSWER: LETTER" is incorrect, errors apart."""
    reasons = {"length": "max_tokens"}
    rows: list[dict[str, Any]] = []
    for number, reply in enumerate(replies):
        parts = [{"type": "reasoning", "reasoning": reply.thought}] if reply.thought else []
        content = [*parts, {"type": "text", "text": reply.text}] if parts else reply.text
        message = {"id": f"m{number}", "role": "assistant", "content": content}
        usage = {
            "input_tokens": 90,
            "output_tokens": reply.tokens,
            "reasoning_tokens": reply.thinking,
        }
        ended = reasons.get(reply.ended, reply.ended)
        output = {"choices": [{"message": message, "stop_reason": ended}], "usage": usage}
        took = reply.text[-1] if reply.text in ("ANSWER: B", "ANSWER: C") else ""
        score = {"choice": {"value": "C" if took == "B" else "I", "answer": took}}
        asked = f"{question(number)}\n\n{shown(')')}"
        rows.append({
            "id": number, "epoch": 1, "input": question(number), "choices": OPTIONS, "target": "B",
            "messages": [{"role": "user", "content": asked}],
            "output": {} if reply.error else output,
            "scores": {} if reply.error else score,
            **({"error": {"message": reply.error}} if reply.error else {}),
        })  # fmt: skip
    values = [score["choice"]["value"] == "C" for row in rows if (score := row["scores"])]
    metrics = {"accuracy": {"name": "accuracy", "value": sum(values) / len(values)}}
    scores = [{"name": "choice", "scorer": "choice", "metrics": metrics}]
    log = {
        "version": 2, "status": "success", "samples": rows,
        "eval": {"task": "inspect_evals/mmlu_0_shot", "model": "openai/reasoner"},
        "plan": {"config": {"max_tokens": 16}},
        "results": {"total_samples": len(rows), "completed_samples": len(values), "scores": scores},
    }  # fmt: skip
    path = folder / "log.json"
    path.write_text(json.dumps(log))
    return path


def lm_eval(folder: Path, replies: Sequence[Reply]) -> Path:
    """As `get_response` of mmlu_*_generative scores: the whole first line is the answer."""
    rows = []
    for number, reply in enumerate(replies):
        filtered = (reply.text or "").partition("\n")[0].strip()
        value = float(filtered.strip(".").casefold() == "b")
        call = {"arg_0": f"{question(number)}\n{shown('.')}\nAnswer:", "arg_1": {"until": ["</s>"]}}
        doc = {"question": question(number), "choices": OPTIONS, "answer": 1}
        rows.append({
            "doc_id": number, "doc": doc, "target": "B", "arguments": {"gen_args_0": call},
            "resps": [[reply.text]], "filtered_resps": [filtered], "filter": "get_response",
            "metrics": ["exact_match"], "exact_match": value,
        })  # fmt: skip
    task, name = "mmlu_algebra_generative", "exact_match,get_response"
    mean = sum(row["exact_match"] for row in rows) / len(rows)
    results = {
        "results": {task: {name: mean}},
        "configs": {task: {"metric_list": [{"metric": "exact_match", "aggregation": "mean"}]}},
        "n-samples": {task: {"original": len(rows), "effective": len(rows)}},
        "model_name": "chat",
    }  # fmt: skip
    (folder / "results_made.json").write_text(json.dumps(results))
    path = folder / f"samples_{task}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def batch(folder: Path, replies: Sequence[Reply]) -> Path:
    """What an OpenAI-style server answers, thought in a field of its own."""
    requests, answers = [], []
    for number, reply in enumerate(replies):
        asked = [{"role": "user", "content": f"{question(number)}\n{shown('.')}"}]
        body = {"model": "m", "messages": asked, "max_tokens": 8192}
        requests.append({"custom_id": f"r{number}", "url": "/v1/chat/completions", "body": body})
        message = {"role": "assistant", "content": reply.text, "reasoning_content": reply.thought}
        told = {
            "choices": [{"message": message, "finish_reason": reply.ended}],
            "usage": {"prompt_tokens": 90, "completion_tokens": reply.tokens,
                      "completion_tokens_details": {"reasoning_tokens": reply.thinking}},
        }  # fmt: skip
        row = {"response": {"status_code": 200, "body": told}}
        row = {"response": None, "error": {"message": reply.error}} if reply.error else row
        answers.append({"custom_id": f"r{number}", **row})
    for name, rows in (("requests", requests), ("answers", answers)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder / "answers.jsonl"


def spent(tokens: int, text: str | None = "", thought: str = "") -> Reply:
    """A reply whose tokens all went into the thought."""
    return Reply(text, thought, "length", tokens, tokens)


CUT = Reply(f"<think>{THOUGHT}", "", "length", 8192)
CASES: dict[str, tuple[Callable[..., Path], list[Reply], str]] = {
    # The hidden thought takes all of the budget: an empty completion, no error, status success.
    "inspect_ai#5467": (
        inspect, [*[spent(16)] * 6, *[RIGHT] * 4],
        "Of 10 answers that the log grades, 6 stopped in mid-thought: it counts them as"
        " wrong (40.0\u202f% in the log, 100.0\u202f% without).",
    ),
    # The third shape of the same report: the thought stands in the completion, cut off.
    "inspect_ai#5467-inline": (
        inspect, [*[CUT] * 3, *[RIGHT] * 6, WRONG],
        "Of 10 answers that the log grades, 3 stopped in mid-thought: it counts them as"
        " wrong (60.0\u202f% in the log, 85.7\u202f% without).",
    ),
    # The scorer does not take a letter between dollar signs.
    "inspect_ai#5145": (
        inspect, [*[Reply("ANSWER: $B$")] * 4, *[RIGHT] * 4, *[WRONG] * 2],
        "4 of 10 answers state the right choice, and the log grades them as wrong"
        " (40.0\u202f% in the log, 66.7\u202f% without).",
    ),
    # mmlu_0_shot gives 16 tokens, and every completion is empty.
    "inspect_evals#2473": (
        inspect, [spent(16, thought=THOUGHT)] * 10,
        "Of 10 answers that the log grades, 10 stopped in mid-thought: it counts them as"
        " wrong.",
    ),
    # Rebuilt from a summary, not from the report: what the limit cuts off is graded as wrong.
    "inspect_evals#2091": (
        inspect, [*[Reply(THOUGHT, ended="length", tokens=16)] * 5, *[RIGHT] * 4, WRONG],
        "Of 10 answers that the log grades, 5 were cut off: it counts them as wrong"
        " (40.0\u202f% in the log, 80.0\u202f% without).",
    ),
    # A thought of a limited length in the text itself, which does not end.
    "olmo-eval#399": (
        batch, [*[CUT] * 7, *[RIGHT] * 12, WRONG],
        "7 of 20 replies stopped in mid-thought.",
    ),
    # 13 of 25 empty, as 52 of 100 were: 44 % is published, 92 % of those answered are right.
    "omlx#3772": (
        batch, [*[spent(8192, None, THOUGHT)] * 13, *[RIGHT] * 11, WRONG],
        "13 of 25 replies stopped in mid-thought.",
    ),
    # The whole first line is compared with the letter.
    "lm-evaluation-harness#4187": (
        lm_eval, [*[Reply("B. water")] * 5, *[RIGHT] * 2, Reply("B"), *[WRONG] * 2],
        "7 of 10 answers state the right choice, and the log grades them as wrong"
        " (10.0\u202f% in the log, 33.3\u202f% without).",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_published_case(name: str, tmp_path: Path) -> None:
    made, replies, sentence = CASES[name]
    items = [{"id": f"i{n}", "question": question(n), "options": OPTIONS, "answer": "B"}
             for n in range(len(replies))]  # fmt: skip
    given = {"items": items} if made is batch else {}
    run = hs.load_log(made(tmp_path, replies), out=tmp_path / "run", **given)
    told = summary(run)
    assert told["findings"] == [sentence]
    assert sentence in lines(run, told)
    assert sentence.replace("\u202f", " ") in run.report().read_text().replace("\u202f", " ")
    if name == "inspect_evals#2473":
        [first, *_] = headline(run.results)
        assert first.endswith("this says nothing of what the model knows.")
    if name == "omlx#3772":
        assert run.estimate("accuracy_as_graded", reader="text").value == 11 / 25


def helm(folder: Path, replies: Sequence[Reply]) -> Path:
    """A run folder of HELM, whose requests may fail; scores are of all of them."""
    states, stats = [], []
    for number, reply in enumerate(replies):
        tags = [["correct"] if text == "water" else [] for text in OPTIONS]
        references = [{"output": {"text": text}, "tags": tag}
                      for text, tag in zip(OPTIONS, tags, strict=True)]  # fmt: skip
        done = {"text": reply.text, "finish_reason": {"reason": reply.ended},
                "thinking": {"text": reply.thought} if reply.thought else None}  # fmt: skip
        result = {"success": True, "completions": [done]}
        states.append({
            "instance": {"id": f"id{number}", "split": "test", "references": references,
                         "input": {"text": question(number)}},
            "request": {"prompt": f"{question(number)}\n{shown('.')}\nAnswer:", "max_tokens": 16},
            "output_mapping": dict(zip("ABCD", OPTIONS, strict=True)),
            "result": {"success": False, "error": reply.error} if reply.error else result,
        })  # fmt: skip
        value = {"name": {"name": "exact_match"}, "mean": float(reply is RIGHT)}
        stats.append({"instance_id": f"id{number}", "train_trial_index": 0, "stats": [value]})
    adapter = {"method": "multiple_choice_joint", "model": "org/m"}
    documents = {
        "run_spec": {"name": "mmlu", "adapter_spec": adapter}, "per_instance_stats": stats,
        "scenario_state": {"adapter_spec": adapter, "request_states": states},
    }  # fmt: skip
    for name, content in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


CAUSES = {
    "choice": RIGHT,
    "empty": Reply(""),
    "cut_off": Reply("Let me look at the options one by one, and", ended="length"),
    "thought_open": Reply("", THOUGHT, "length", 16, 16),
    "filtered": Reply("I'm sorry, but I can't help with that.", ended="content_filter"),
    "failed": Reply(None, error="503 overloaded"),
}


@pytest.mark.parametrize("made", [inspect, helm, batch])
def test_fields_of_a_log_give_the_cause(made: Callable[..., Path], tmp_path: Path) -> None:
    run = hs.load_log(made(tmp_path, list(CAUSES.values())), out=tmp_path / "run")
    assert run.results.replies(reader="text")["causes"] == dict.fromkeys(CAUSES, 1)
    left_out = "The log grades 5 of 6 answers: its score leaves out the other."
    assert (left_out in summary(run)["findings"]) == (made is inspect)


def test_without_any_reply_all_failed(tmp_path: Path) -> None:
    replies = [Reply(None), Reply(None)]
    run = hs.load_log(lm_eval(tmp_path, replies), out=tmp_path / "run")
    assert run.results.replies()["causes"] == {"failed": 2}
    assert summary(run)["findings"] == [
        "Of 2 answers that the log grades, 2 failed: it counts them as wrong."
    ]
