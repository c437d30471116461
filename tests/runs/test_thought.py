"""The answer from a part of the recorded thought: how much of it the score needs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import horsesense as hs
from horsesense.errors import UsageError
from horsesense.models.messages import Request, SamplingParams, as_thought
from horsesense.models.openai.dialect import Dialect
from horsesense.models.openai.protocol import body_of
from horsesense.probes.registry import parse_probe
from horsesense.report.sections.budget import enough, limits_of
from horsesense.runs.settings import Settings
from horsesense.testing.faults import FaultServer
from studies import Result, items_file, run_study, study

THOUGHT = "Let me look at every option in turn. " * 4


def cuts(run: Result) -> list[Any]:
    return limits_of(run.results, "thought", "share", "accuracy_of_thought")


@pytest.mark.thorough
def test_the_part_that_the_score_needs_is_that_of_the_model(tmp_path: Path) -> None:
    model = "sim:thinker?settled=0.4"
    run = study(400, model, tmp_path / "run", probes=("thought",), max_tokens=100_000)
    # Settled by a uniform part up to 40 %, and one of four options before.
    settled = [min(share / 40, 1) for share in (12.5, 25, 50)]
    expected = [s + (1 - s) / 4 for s in settled]
    found = cuts(run)
    assert [cut.cap for cut in found] == [12.5, 25, 50]
    assert [cut.graded.value for cut in found] == pytest.approx(expected, abs=0.08)
    assert [cut.change.value for cut in found] == pytest.approx([e - 1 for e in expected], abs=0.08)
    assert enough(found, 0.05) == 50
    assert enough(found[:2], 0.05) is None
    page = run.done.report().read_text(encoding="utf-8")
    assert "From 50&#8239;% of the thought on, nothing is lost" in page
    assert run.done.verify().sound


def test_only_whole_thoughts_are_cut(tmp_path: Path) -> None:
    items = items_file(tmp_path / "items.jsonl", 60)
    run = study(items, "sim:thinker", tmp_path / "run", probes=("thought",), max_tokens=200,
                stop_if="never")  # fmt: skip
    whole = run.results.replies()["causes"]["choice"]
    assert {cut.graded.n for cut in cuts(run)} == {whole}
    assert run.findings["exclusions"][0]["reason"] == "no whole thought was recorded"
    assert cuts(study(items, "sim:oracle", tmp_path / "none", probes=("thought",))) == []


class Thinking(FaultServer):
    """Thinks apart from its answer, and goes on with a reply that is begun, if it takes one."""

    def __init__(self, refuses: Callable[[dict[str, Any]], str], content: str = "A") -> None:
        super().__init__(describe=self._thinks)
        self.refuses = refuses
        self.begun: list[str] = []
        self.content = content

    def _thinks(self, reply: dict[str, Any]) -> dict[str, Any]:
        reply["choices"][0].get("message", {})["reasoning_content"] = THOUGHT
        return reply

    async def _call(self, call: web.Request) -> web.StreamResponse:
        body = await call.json()
        last = body.get("messages", [{"role": "user"}])[-1]
        if last["role"] == "user":
            return await super()._call(call)
        if refusal := self.refuses(body):
            return web.json_response({"error": {"message": refusal}}, status=400)
        self.begun.append(last["content"])
        message = {"role": "assistant", "content": self.content}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})


def run_on(server: Thinking, out: Path, **settings: Any) -> Result:
    model = f"http:m@{server.url}"
    chosen = Settings.of(
        items="sample", model=model, probes=("thought",), limit=12, no_preflight=True, **settings
    )
    return run_study(chosen, out)


@pytest.mark.parametrize("fields", ["taken", "refused"])
def test_a_server_that_takes_a_prefix_goes_on_behind_the_thought(
    tmp_path: Path, fields: str
) -> None:
    def refuses(body: dict[str, Any]) -> str:
        sent = "continue_final_message" in body
        return "Unknown field: continue_final_message" if sent and fields == "refused" else ""

    with Thinking(refuses) as server:
        run = run_on(server, tmp_path / "run", takes_prefix=True)
    assert len(server.begun) == 1 + 3 * 12  # one to find out
    start, end = as_thought("|").split("|")
    assert all(text.startswith(start) and text.endswith(end) for text in server.begun)
    parts = {text.removeprefix(start).removesuffix(end) for text in server.begun[1:]}
    assert len(parts) == 3
    assert all(THOUGHT.startswith(part) for part in parts)
    assert [cut.graded.n for cut in cuts(run)] == [12] * 3


@pytest.mark.parametrize(("refusal", "takes"), [("No.", True), ("", True), ("No.", False)])
def test_a_server_that_refuses_or_thinks_anew_is_spared_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], refusal: str, takes: bool
) -> None:
    with Thinking(lambda body: refusal, "<think>Let me see.") as server:
        run = run_on(server, tmp_path / "run", takes_prefix=takes)
    told = f"at most 48 prompts[^$]*probe thought is left out[.:] {refusal}"
    assert bool(re.search(told, capsys.readouterr().err)) == takes
    assert run.run.failed == 0
    (row,) = run.findings["exclusions"]
    assert (row["items"], row["reason"][:18]) == (12, "the server refuses")
    assert len(hs.open(run.out).trials) == 12


def test_the_request_says_that_a_reply_is_begun() -> None:
    request = Request((("user", "Which?"), ("assistant", as_thought("B"))), None, SamplingParams())
    body = body_of(request, "m", Dialect())
    assert (body["continue_final_message"], body["add_generation_prompt"]) == (True, False)
    plain = Dialect().after("extra inputs are not permitted: add_generation_prompt")
    assert "continue_final_message" not in body_of(request, "m", plain)
    asked = Request((("user", "Which?"),), None, SamplingParams())
    assert "continue_final_message" not in body_of(asked, "m", Dialect())


WRONG = "thought(shares=) thought(shares=50/25) thought(shares=0/50) thought(shares=50/100)"
WRONG += " thought(shares=half) server(together=0/1) server(together=many) server(together=1//2)"


@pytest.mark.parametrize("given", [*WRONG.split(), "server(together=1/10000)"])
def test_parts_of_a_thought_are_percents_and_prompts_at_a_time_counted(given: str) -> None:
    with pytest.raises(UsageError, match=r"(shares|together) cannot be"):
        parse_probe(given)
