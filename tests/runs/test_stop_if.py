"""Replies that are lost stop an audit before its money is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

import horsesense as hs
from command_line import call
from horsesense.errors import ExitCode
from horsesense.models.openai.http import PROBE
from horsesense.testing.faults import FaultServer
from studies import items_file

N, MANY = 200, 1200
"""Of items; a simulated model answers 512 at once."""


def audit(root: Path, model: str, *more: str, n: int = N) -> tuple[int, str]:
    items = str(items_file(root / "items.jsonl", n))
    done = call(
        *("audit", items, "-m", model, "--probes", "original", "--out", str(root / "run")), *more
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("how", "share", "cause", "remedy"),
    [
        ("empty", 0.44, "empty", "chat template"),
        ("cut", 0.44, "cut off", "--max-tokens"),
        ("template", 0.44, "unreadable", "chat template"),
        ("echo", 0.44, "unreadable", "chat template"),
    ],
)
def test_a_spoilt_server_stops_the_audit_with_its_cause(
    tmp_path: Path, how: str, share: float, cause: str, remedy: str
) -> None:
    code, told = audit(tmp_path, f"sim:garbled?how={how}&share={share}", n=MANY)
    assert code == ExitCode.ALARM
    assert f"{cause}). Examples: " in told
    assert remedy in told


@pytest.mark.parametrize("more", [("--stop-if", "never"), ("--stop-if", "60%")])
def test_it_goes_on_where_that_is_wanted(tmp_path: Path, more: tuple[str, ...]) -> None:
    code, _ = audit(tmp_path, "sim:garbled?share=0.44", *more, n=MANY)
    assert code == ExitCode.FINE


def test_what_was_answered_is_kept_and_a_larger_limit_goes_on(tmp_path: Path) -> None:
    with FaultServer(answer=lambda prompt: "" if len(prompt) % 2 else "A") as server:
        code, told = audit(
            tmp_path, f"http:m@{server.url}", "--max-connections", "2", "--no-preflight"
        )
        asked = server.sent.total()
        assert code == ExitCode.ALARM
        assert asked < N / 2
        assert "What was answered is stored." in told
        code, _ = audit(tmp_path, f"http:m@{server.url}", "--stop-if", "never")
    assert code == ExitCode.FINE
    assert server.sent.total() - server.sent[PROBE] == N  # each once
    assert hs.open(tmp_path / "run").trials.height == N
