"""Replies that are lost stop an audit before its money is gone."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path
from time import sleep
from zlib import crc32

import pytest

import horsesense as hs
from command_line import call
from horsesense.api import Run
from horsesense.errors import ExitCode, LostRepliesError, UsageError
from horsesense.models.messages import Response
from horsesense.models.openai.http import PROBE
from horsesense.runs.settings import Settings
from horsesense.testing.faults import FaultServer
from scripted import saying
from studies import items_file

N, MANY = 200, 1200
"""Of items; a simulated model answers 512 at once."""


def audit(root: Path, model: str, *more: str, n: int = N) -> tuple[int, str]:
    words = ("audit", items_file(root / "items.jsonl", n), "-m", model, "--probes", "original")
    done = call(*words, "--out", root / "run", *more)
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
    assert re.search(rf"{cause}\). Examples: .* \(\d\d times\)", " ".join(told.split()))
    assert remedy in told


@pytest.mark.thorough
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


def half_empty(prompt: str) -> str:
    sleep(0.01)  # one reply after the other, while all requests are in flight
    return "A" if crc32(prompt.encode()) % 2 else ""


def test_an_alarm_after_which_nothing_is_left_stops_nothing(tmp_path: Path) -> None:
    with FaultServer(answer=half_empty) as server:
        all_at_once = ("--max-connections", "60", "--no-preflight")
        code, told = audit(tmp_path, f"http:m@{server.url}", *all_at_once, n=60)
    assert code == ExitCode.FINE
    assert "Stopped" not in told
    assert "replies were empty" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("", ExitCode.ALARM),
        ("<think>Are any of these right? The passage says", ExitCode.ALARM),
        ("The closest is B, but there may be more to it, since the passage", ExitCode.FINE),
    ],
)
def test_prompts_without_a_form_of_answer_are_watched_too(
    tmp_path: Path, said: str, code: ExitCode
) -> None:
    """Where nothing says that no option may be right, which is asked three times as often as the
    items are; what such a reply says is read later."""
    model = saying(lambda asked: Response(said, "length"))
    settings = Settings(
        items=str(items_file(tmp_path / "items.jsonl", MANY)), model="sim:oracle",
        probes=("gold_absent(prompt=no_hint)",), stop_if="60%",
    )  # fmt: skip
    with pytest.raises(LostRepliesError) if code else nullcontext():
        Run.start(tmp_path / "run", settings).ask(model)


@pytest.mark.parametrize("share", ["100%", "1", "0.2"])
def test_what_is_no_share_is_refused_in_words(share: str) -> None:
    with pytest.raises(UsageError, match=f"Give a share such as 20%, or never .*, not '{share}'"):
        Settings.of(items="sample", model="sim:oracle", stop_if=share)
