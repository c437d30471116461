"""The whole audit against a server that misbehaves, and against being killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import call
from horsesense.inference.limits import Retry
from horsesense.inference.store import Store
from horsesense.runs import ask
from horsesense.testing.faults import FaultServer

FAULTS = {
    "429": 0.01,
    "500": 0.01,
    "drop": 0.01,
    "garbage": 0.01,
    "no_choices": 0.005,
    "null": 0.005,
}


def command(server: FaultServer, out: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "horsesense", *audit(server, out), *words]


def audit(server: FaultServer, out: Path) -> list[str]:
    base = ["audit", "sample", "--model", f"http:test@{server.url}", "--out", str(out)]
    return [*base, "--probes", "order", "--max-connections", "8", "--no-preflight"]


def calls(server: FaultServer) -> list[int]:
    """How often each prompt of the audit was asked; the probing question is not one of them."""
    return [n for prompt, n in server.sent.items() if "Question:" in prompt]


@pytest.mark.slow
def test_prompts_that_always_fail_are_missing_and_end_in_exit_code_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As often as ever, but after short pauses.
    monkeypatch.setattr(ask, "PATIENT", Retry(first_pause=0.005))
    with FaultServer(FAULTS, hopeless=0.05, seed=3) as server:
        done = call(*audit(server, tmp_path), code=3)
        asked = len(calls(server))
    assert "have no answer" in done.stdout
    found = json.loads((tmp_path / "estimates.json").read_bytes())
    assert 0 < found["failures"] < asked / 5
    assert found["run"]["answered"] + found["failures"] == asked
    rows = [
        e for e in found["estimates"] if e["measure"] == "status_share" and e["probe"] == "order"
    ]
    # Every trial is either read or missing; none became an answer or vanished.
    trials = found["trials"] - 60
    assert {e["n"] + e["n_missing"] for e in rows if e["value"] is not None} == {trials}
    assert "failed" in (tmp_path / "report.html").read_text() or "no answer" in done.stdout


def test_a_second_audit_is_told_who_holds_the_directory(tmp_path: Path) -> None:
    with FaultServer() as server, Store.open(tmp_path / "store.sqlite"):
        second = call(*audit(server, tmp_path), code=3)
    assert str(os.getpid()) in second.stderr


@pytest.mark.slow
def test_ctrl_c_again_and_again_ends_quietly(tmp_path: Path) -> None:
    """The second may come while the first is still being obeyed, or while the process ends."""
    with FaultServer(latency=2.0) as server:
        words = command(server, tmp_path / "run")
        process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        while server.sent.total() < 8:
            time.sleep(0.01)
        for pause in (0.2, 0.1, 0.05, 0.02, 0.01, 0.0):
            process.send_signal(signal.SIGINT)
            time.sleep(pause)
        _, said = process.communicate()
    assert process.returncode == 130
    assert "Stopped" in said
    assert "Traceback" not in said
