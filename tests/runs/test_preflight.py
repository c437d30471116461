"""Two prompts whose answer is known tell what is wrong before the first item."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from command_line import call
from horsesense.errors import ExitCode
from horsesense.models.openai.http import PROBE
from horsesense.testing.faults import FaultServer
from studies import items_file

N = 12


def right(prompt: str) -> str:
    """Reads the passage; of everything else it chooses the first option."""
    return "B" if "Anna's dog" in prompt else "A"


def audit(root: Path, server: FaultServer, *more: str) -> tuple[int, str]:
    items = str(items_file(root / "items.jsonl", N))
    words = ("audit", items, "-m", f"http:m@{server.url}", "--probes", "original")
    done = call(*words, "--out", root / "run", *more)
    return done.returncode, done.stderr


def items_asked(server: FaultServer) -> int:
    return sum(n for prompt, n in server.sent.items() if prompt != PROBE and "Anna" not in prompt)


def test_a_right_server_is_asked_twice_and_nothing_is_said(tmp_path: Path) -> None:
    with FaultServer(answer=right) as server:
        code, told = audit(tmp_path, server)
        asked = server.sent.total() - server.sent[PROBE]
        assert (code, asked - items_asked(server), items_asked(server)) == (ExitCode.FINE, 2, N)
        assert "known" not in told
        assert hs.open(tmp_path / "run").trials.height == N
        audit(tmp_path, server)  # a run that is continued does not begin again
        assert server.sent.total() - server.sent[PROBE] == asked


@pytest.mark.parametrize(
    ("answer", "more", "says", "remedy"),
    [
        (lambda prompt: f"{prompt}\nA", (), "unreadable", "chat template"),
        (lambda prompt: prompt[:60], (), "it repeats the prompt", "chat template"),
        (lambda prompt: "<|im_start|>assistant\nA", (), "unreadable", "chat template"),
        (lambda prompt: "", (), "empty", "--style completion"),
        (right, ("--readers", "first_token"), "no log-probabilities", "--readers text"),
    ],
)
def test_what_is_wrong_is_told_and_no_item_asked(
    tmp_path: Path, answer: Callable[[str], str], more: tuple[str, ...], says: str, remedy: str
) -> None:
    with FaultServer(answer=answer) as server:
        code, told = audit(tmp_path, server, *more)
        assert (code, items_asked(server)) == (ExitCode.ALARM, 0)
        for part in (says, remedy, "Anna", "--no-preflight"):
            assert part in " ".join(told.split())
        assert not (tmp_path / "run" / "run.toml").exists()
        for off in (("--no-preflight",), ("--stop-if", "never")):
            audit(tmp_path, server, *more, *off)
        assert not any("Anna" in prompt and n > 1 for prompt, n in server.sent.items())
        assert items_asked(server) == N


@pytest.mark.parametrize(
    ("answer", "code", "says"),
    [
        (right, ExitCode.FINE, "went wrong: asked"),  # some servers count what is not cached
        (lambda prompt: "A", ExitCode.ALARM, "and that is not the right answer"),
        (lambda prompt: "", ExitCode.ALARM, "since both prompts whose answer is known went wrong"),
    ],
)
def test_a_low_count_of_tokens_stops_only_with_another_sign(
    tmp_path: Path, answer: Callable[[str], str], code: int, says: str
) -> None:
    def describe(reply: dict[str, Any]) -> dict[str, Any]:
        return {**reply, "usage": {"prompt_tokens": 4, "completion_tokens": 1}}

    with FaultServer(answer=answer, describe=describe) as server:
        got, told = audit(tmp_path, server)
    told = " ".join(told.split())
    assert got == code
    assert "the server counts 4 tokens for " in told
    assert says in told


def test_a_wrong_answer_is_told_and_the_run_goes_on(tmp_path: Path) -> None:
    with FaultServer(answer=lambda prompt: "A") as server:
        code, told = audit(tmp_path, server, "--budget", f"requests={N + 2 + 4}")
    assert code == ExitCode.FINE
    assert "that is not the right answer" in told
