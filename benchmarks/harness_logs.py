"""Logs as other programs write them, of replies that were made up: Inspect, lm-eval, HELM, batch.

Each writer scores as its program does, and leaves out what its program does not keep: lm-eval has
no reasons why a reply ended and no counts of tokens, HELM has no counts, a batch has no scores.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from horsesense.models.messages import Failure, Response

LETTERS = "ABCDEFGHIJ"
FILTERED = "The response was filtered due to the prompt triggering a content management policy."
"""What a provider says in the place of a reply; programs keep it as a reply or as an error."""


class Asked(NamedTuple):
    """A question that was asked once.

    Attributes:
        question: its text.
        options: their texts, shown as A, B, ...
        right: the place of the right one.
        came: what came back.
    """

    question: str
    options: Sequence[str]
    right: int
    came: Response | Failure

    @property
    def letter(self) -> str:
        return LETTERS[self.right]

    def shown(self, sign: str) -> str:
        """The options under each other, each behind its letter and a sign."""
        pairs = zip(LETTERS, self.options, strict=False)
        return "\n".join(f"{letter}{sign} {text}" for letter, text in pairs)


def refused(came: Response | Failure) -> bool:
    """Whether a call gave no reply because the provider held it back."""
    return isinstance(came, Failure) and "content_filter" in came.message


def put(path: Path, rows: Sequence[Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def inspect(
    folder: Path, every: Sequence[Asked], cap: int = 16, epochs: int = 1, packed: bool = False
) -> Path:
    """As `choice()` scores: the letter behind "ANSWER:", or incorrect; errors have no score."""
    samples = []
    for number, asked in enumerate(every):
        prompt = f"{asked.question}\n\n{asked.shown(')')}"
        sample: dict[str, Any] = {
            "id": number // epochs, "epoch": number % epochs + 1, "input": asked.question,
            "choices": list(asked.options), "target": asked.letter, "output": {}, "scores": {},
            "messages": [{"role": "user", "content": prompt}],
        }  # fmt: skip
        if isinstance(came := asked.came, Failure) and not refused(came):
            sample["error"] = {"message": came.message}
        else:
            sample["output"] = output = _output(came)
            text = came.text if isinstance(came, Response) else ""
            said = re.search(r"(?i)ANSWER\s*:\s*([A-Z])(?!\w)", text)
            took = said[1].upper() if said else ""
            value = "C" if took == asked.letter else "I"
            sample["scores"] = {"choice": {"value": value, "answer": took}}
            sample["messages"].append(output["choices"][0]["message"])
        samples.append(sample)
    graded = [s["scores"]["choice"]["value"] == "C" for s in samples if s["scores"]]
    mean = {"accuracy": {"name": "accuracy", "value": sum(graded) / max(len(graded), 1)}}
    head = {
        "version": 2, "status": "success",
        "eval": {"task": "inspect_evals/mmlu_0_shot", "model": "openai/reasoner"},
        "plan": {"config": {"max_tokens": cap}},
        "results": {"total_samples": len(samples), "completed_samples": len(graded),
                    "scores": [{"name": "choice", "scorer": "choice", "metrics": mean}]},
    }  # fmt: skip
    if not packed:
        return put(folder / "log.json", [head | {"samples": samples}])
    with ZipFile(folder / "log.eval", "w", ZIP_DEFLATED) as log:
        log.writestr("header.json", json.dumps(head))
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            log.writestr(name, json.dumps(sample))
    return folder / "log.eval"


def _output(came: Response | Failure) -> dict[str, Any]:
    if isinstance(came, Failure):
        came = Response(FILTERED, "content_filter")
    thought = [{"type": "reasoning", "reasoning": came.reasoning}] if came.reasoning else []
    content = [*thought, {"type": "text", "text": came.text}] if thought else came.text
    reasons = {"length": "max_tokens", None: "unknown"}
    ended = reasons.get(came.finish_reason, came.finish_reason)
    message = {"role": "assistant", "content": content}
    used = came.usage
    usage = {"input_tokens": used.prompt_tokens, "output_tokens": used.completion_tokens,
             "reasoning_tokens": used.reasoning_tokens}  # fmt: skip
    known = {name: n for name, n in usage.items() if n is not None}
    return {"choices": [{"message": message, "stop_reason": ended}], "usage": known or None}


def lm_eval(folder: Path, every: Sequence[Asked], cap: int = 16) -> Path:
    """As `get_response` of mmlu_*_generative scores: the whole first line is the answer."""
    task, rows = "mmlu_algebra_generative", []
    for number, asked in enumerate(every):
        text = asked.came.text if isinstance(asked.came, Response) else None
        filtered = (text or "").partition("\n")[0].strip()
        context = f"{asked.question}\n{asked.shown('.')}\nAnswer:"
        call = {"arg_0": context, "arg_1": {"until": ["</s>"], "max_gen_toks": cap}}
        doc = {"question": asked.question, "choices": list(asked.options), "answer": asked.right}
        rows.append({
            "doc_id": number, "doc": doc, "target": asked.letter,
            "arguments": {"gen_args_0": call}, "resps": [[text]], "filtered_resps": [filtered],
            "filter": "get_response", "metrics": ["exact_match"],
            "exact_match": float(re.sub(r"[^\w\s]", "", filtered).upper() == asked.letter),
        })  # fmt: skip
    mean = sum(row["exact_match"] for row in rows) / len(rows)
    put(folder / "results_made.json", [{
        "results": {task: {"exact_match,get_response": mean}},
        "configs": {task: {"metric_list": [{"metric": "exact_match", "aggregation": "mean"}]}},
        "n-samples": {task: {"original": len(rows), "effective": len(rows)}},
        "model_name": "chat",
    }])  # fmt: skip
    return put(folder / f"samples_{task}.jsonl", rows)


def helm(folder: Path, every: Sequence[Asked], cap: int = 16) -> Path:
    """A run folder; what is not the letter is wrong, and a request that failed is too."""
    states, stats = [], []
    for number, asked in enumerate(every):
        text = asked.came.text if isinstance(asked.came, Response) else ""
        tags = [["correct"] if n == asked.right else [] for n in range(len(asked.options))]
        references = [{"output": {"text": option}, "tags": tag}
                      for option, tag in zip(asked.options, tags, strict=True)]  # fmt: skip
        prompt = f"{asked.question}\n{asked.shown('.')}\nAnswer:"
        states.append({
            "instance": {"id": f"id{number}", "split": "test", "references": references,
                         "input": {"text": asked.question}},
            "request": {"prompt": prompt, "max_tokens": cap},
            "output_mapping": dict(zip(LETTERS, asked.options, strict=False)),
            "result": _result(asked.came, cap),
        })  # fmt: skip
        value = {"name": {"name": "exact_match"}, "mean": float(text.strip() == asked.letter)}
        stats.append({"instance_id": f"id{number}", "train_trial_index": 0, "stats": [value]})
    adapter = {"method": "multiple_choice_joint", "model": "org/m"}
    documents: Mapping[str, Any] = {
        "run_spec": {"name": "mmlu", "adapter_spec": adapter}, "per_instance_stats": stats,
        "scenario_state": {"adapter_spec": adapter, "request_states": states},
    }  # fmt: skip
    for name, content in documents.items():
        put(folder / f"{name}.json", [content])
    return folder


def _result(came: Response | Failure, cap: int) -> dict[str, Any]:
    if isinstance(came, Failure):
        return {"success": False, "error": FILTERED if refused(came) else came.message}
    full = (came.usage.completion_tokens or 0) >= cap
    ended = came.finish_reason or ("length" if full else "unknown")
    thinking = {"text": came.reasoning} if came.reasoning else None
    done = {"text": came.text, "finish_reason": {"reason": ended}, "thinking": thinking}
    return {"success": True, "completions": [done]}


def batch(folder: Path, every: Sequence[Asked], cap: int = 8192) -> Path:
    """What an OpenAI-style server answers, the thought in a field of its own."""
    requests, answers = [], []
    for number, asked in enumerate(every):
        told = [{"role": "user", "content": f"{asked.question}\n{asked.shown('.')}"}]
        body = {"model": "m", "messages": told, "max_tokens": cap}
        requests.append({"custom_id": f"r{number}", "url": "/v1/chat/completions", "body": body})
        answers.append({"custom_id": f"r{number}", **_answer(asked.came)})
    put(folder / "requests.jsonl", requests)
    return put(folder / "answers.jsonl", answers)


def _answer(came: Response | Failure) -> dict[str, Any]:
    if refused(came):
        error = {"code": "content_filter", "message": FILTERED}
        return {"response": {"status_code": 400, "body": {"error": error}}}
    if isinstance(came, Failure):
        return {"response": None, "error": {"message": came.message}}
    message = {"role": "assistant", "content": came.text or (None if came.reasoning else "")}
    if came.reasoning:
        message["reasoning_content"] = came.reasoning
    used = came.usage
    told: dict[str, Any] = {"choices": [{"message": message, "finish_reason": came.finish_reason}]}
    if used.completion_tokens is not None:
        told["usage"] = {
            "prompt_tokens": used.prompt_tokens,
            "completion_tokens": used.completion_tokens,
            "completion_tokens_details": {"reasoning_tokens": used.reasoning_tokens},
        }
    return {"response": {"status_code": 200, "body": told}}


WRITERS = {"inspect": inspect, "lm-eval": lm_eval, "helm": helm, "batch": batch}
