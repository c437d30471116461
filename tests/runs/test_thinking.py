"""Models that think before they answer: what is asked of them, kept apart, counted and foreseen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from command_line import call
from horsesense.errors import UsageError
from horsesense.models.messages import Request, SamplingParams
from horsesense.models.registry import make_model
from horsesense.runs.settings import Settings
from horsesense.testing.faults import FaultServer

THOUGHT, GENERATED = 90, 95


def thinks(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply of a server that counts 90 of 95 tokens as thought, and tells it apart."""
    reply["choices"][0].get("message", {})["reasoning_content"] = "Which could it be?"
    details = {"reasoning_tokens": THOUGHT}
    usage = {"completion_tokens": GENERATED, "completion_tokens_details": details}
    return {**reply, "usage": {**reply["usage"], **usage}}


def test_requests_that_say_nothing_of_thought_keep_their_keys() -> None:
    request = Request((("user", "Which?"),), None, SamplingParams(top_logprobs=2))
    assert request.key("sim:oracle").hex() == "8588fd46eacbe8130fb3029c8d7b050a"
    more = SamplingParams(top_logprobs=2, effort="high", thinking_tokens=300)
    thinking = Request(request.messages, None, more)
    assert thinking.key("sim:oracle") != request.key("sim:oracle")
    assert Request.from_json(thinking.as_json()) == thinking


def test_thought_is_asked_for_counted_priced_and_foreseen(tmp_path: Path) -> None:
    asks = "--max-connections 1 --effort high --thinking-tokens 200 --limit 60 --price 0,1000"
    with FaultServer(describe=thinks) as server:
        done = call(
            *("audit", "sample", "-m", f"http:m@{server.url}", "--probes", "original,repeat"),
            *(*asks.split(), "--out", str(tmp_path / "run")),
        )
        run = hs.open(tmp_path / "run")
        requests = run.trials["key"].n_unique()
        assert server.sent.total() >= requests
    assert "Thought may take 200 tokens of each reply, its answer 16, effort high." in done.stderr
    assert f"at most {requests * 216:,} completion tokens" in done.stderr
    assert f"took {GENERATED} tokens each, 95% of them thought." in done.stderr
    left = requests - 50
    assert f"the other {left:,} take about {left * GENERATED:,} completion tokens" in done.stderr
    assert f", {left * GENERATED / 1000:.2f} at these prices." in done.stderr
    settings = run.settings
    assert (settings.effort, settings.thinking_tokens) == ("high", 200)


def test_little_room_for_thought_is_said_before_asking() -> None:
    words = ("plan", "sample", "-m", "http:m@http://127.0.0.1:9/v1", "--effort", "low")
    few = call(*words)
    assert "share the 16 of --max-tokens. Give more, or --thinking-tokens N." in few.stdout
    enough = call(*words, "--max-tokens", "4000")
    assert "Give more" not in enough.stdout


def test_a_model_that_cannot_be_told_how_much_to_think_is_not_asked(tmp_path: Path) -> None:
    settings = Settings.of(items="sample", model="sim:oracle", limit=3, effort="high")
    with pytest.raises(UsageError, match="takes neither --effort"):
        hs.Run.start(tmp_path / "run", settings).ask(make_model("sim:oracle"), tell=None)
