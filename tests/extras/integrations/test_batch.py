"""A study that is asked by files: planned, exported, answered elsewhere, imported, gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

import horsesense as hs
from command_line import call
from horsesense.models.registry import make_model
from horsesense.report.item_text import item_json
from horsesense.runs.settings import Settings
from horsesense.testing.faults import letter
from horsesense_extras.integrations import batch
from horsesense_extras.integrations.batch import take_answers, write_batch
from studies import jsonl

TWO_STAGES = "misleading_replaced"


def requests_of(folder: Path) -> list[dict[str, Any]]:
    found = sorted(folder.glob("requests-*.jsonl"))
    return [orjson.loads(line) for path in found for line in path.read_bytes().splitlines()]


def answered(request: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    """A line of a service's output file."""
    body = request["body"]
    prompt = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
    reply = letter(prompt) if text is None else text
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "a", "content": reply}}
    reply_body = {"model": body["model"], "choices": [choice]}
    response = {"status_code": 200, "request_id": "r", "body": reply_body}
    custom_id = request["custom_id"]
    return {"id": "b", "custom_id": custom_id, "response": response, "error": None}


def test_plan_export_import_until_nothing_is_left(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    words = ("sample", "-m", "batch:some-model", "--probes", TWO_STAGES, "--limit", "12")
    call("plan", *words, "--out", out, code=0)
    sent: list[str] = []
    for stage in (1, 2, 3):
        folder = tmp_path / f"stage-{stage}"
        call("export", out, "--out", folder, "--to", "batch", code=0)
        asked = requests_of(folder)
        if not asked:
            break
        sent += [line["custom_id"] for line in asked]
        answers = jsonl(tmp_path / f"answers-{stage}.jsonl", reversed(list(map(answered, asked))))
        call("import", answers, "--out", out, code=0)
    assert stage == 3
    assert len(sent) == len(set(sent))
    run = hs.open(out)
    assert run.findings["failures"] == run.findings["unread"] == 0
    refused = call("plan", "sample", "-m", "batch:m", "--probes", "order", "--out", out)
    assert "holds answers already" in refused.stderr
    assert run.verify().sound
    assert set(run.trials["stage"]) == {1, 2}


def planned(tmp_path: Path, model: str = "batch:m", **settings: Any) -> hs.Run:
    made = Settings.of(items="sample", model=model, probes=("order",), limit=6, **settings)
    run = hs.Run.start(tmp_path / "run", made)
    run.plan(make_model(model))
    return run


def test_failures_are_failures_and_are_sent_again(tmp_path: Path) -> None:
    run = planned(tmp_path)
    write_batch(run.directory, tmp_path / "b")
    prompts = [form["prompt"] for form in item_json(run.measured(), run.items.items[0].id)["forms"]]
    assert all(prompts)  # also of what is only planned
    good, bad, refused, *rest = requests_of(tmp_path / "b")
    error = {"error": {"message": "overloaded sk-abcdefghijk"}}
    lines = [
        answered(good),
        {"custom_id": bad["custom_id"], "response": {"status_code": 500, "body": error}},
        {"custom_id": refused["custom_id"], "response": None, "error": {"message": "expired"}},
    ]
    take_answers(run.directory, [jsonl(tmp_path / "answers.jsonl", lines)])
    with run.directory.store() as store:
        failed = store.failures()
        assert {f.failure.kind for f in failed.values()} == {"server", "rejected"}
        assert not any("sk-abc" in f.failure.message for f in failed.values())
        assert store.totals().responses == 1
    again = write_batch(hs.open(tmp_path / "run").directory, tmp_path / "again")
    assert again.requests == 2 + len(rest)
    assert again.answered == 1


def test_answers_of_another_run_are_refused(tmp_path: Path) -> None:
    run = planned(tmp_path)
    write_batch(run.directory, tmp_path / "b")
    request = requests_of(tmp_path / "b")[0] | {"custom_id": "00" * 16}
    with pytest.raises(hs.ItemsError, match="none of its 1 answer belongs"):
        take_answers(run.directory, [jsonl(tmp_path / "a.jsonl", [answered(request)])])
    with pytest.raises(hs.ItemsError, match="line 1: `custom_id` is not the key"):
        take_answers(
            run.directory, [jsonl(tmp_path / "b.jsonl", [answered(request) | {"custom_id": "7"}])]
        )


def test_what_is_left_out_and_what_is_missing_adds_up(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    words = ("sample", "-m", "batch:m", "--probes", "original", "--limit", "10")
    call("plan", *words, "--out", out, code=0)
    call("export", out, tmp_path / "b", "--to", "batch", code=0)
    asked = requests_of(tmp_path / "b")
    failed, expired, no_body, no_content, _absent, *good = asked
    no_reply = answered(no_content)
    no_reply["response"]["body"]["choices"][0]["message"]["content"] = None
    foreign = answered(good[0]) | {"custom_id": "ff" * 16}
    lines = [
        {"custom_id": failed["custom_id"], "response": {"status_code": 500, "body": {}}},
        {"custom_id": expired["custom_id"], "response": None, "error": {"code": "expired"}},
        {"custom_id": no_body["custom_id"], "response": {"status_code": 200, "body": None}},
        no_reply,
        foreign,
        *map(answered, good),
    ]
    path = jsonl(tmp_path / "answers.jsonl", lines)
    path.write_bytes(path.read_bytes() + b'\n{"custom_id": broken')
    done = call("import", path, "--out", out, code=0)
    assert "5 requests have no answer; horsesense export" in done.stdout
    assert f"Left out: 1 (it answers no request of this run; such as {'ff' * 16})." in done.stdout
    assert "Left out: 1 (a line that cannot be read; such as answers.jsonl, line" in done.stdout
    again = call("export", out, tmp_path / "again", "--to", "batch")
    assert "5 requests to be sent in 1 file, 5 answered" in again.stdout

    expired_again = answered(failed) | {"response": None, "error": {"code": "expired"}}
    others = [*(answered(request, "Z") for request in (good[0], failed)), expired_again, lines[0]]
    taken = take_answers(hs.open(out).directory, [jsonl(tmp_path / "more.jsonl", others)])
    assert taken.left_out.counts == {batch.HAD_ONE: 1, batch.AGAIN: 2}
    assert taken.spent.answered == 1
