"""Whatever a command meets, it ends with one message: a traceback is for --debug alone."""

from __future__ import annotations

import errno
import logging
import os
import random
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

import damaging
from command_line import call
from horsesense.cli import main
from horsesense.errors import ExitCode


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return damaging.made_in(tmp_path_factory.mktemp("guard"))


def test_every_command_over_a_damaged_run(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sample of `python -m chaos --damage`: another command, file and damage each."""
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    dice = random.Random(40)
    everything = list(damaging.every(made))
    for command in dice.sample(sorted(damaging.commands()), 8):
        tried = dice.choice([one for one in everything if one.command == command])
        damaging.check(made, tmp_path, tried)


@pytest.mark.parametrize("command", ["compare", "annotate"])
def test_a_damaged_table_without_a_digest_is_named(
    made: Path, tmp_path: Path, command: str
) -> None:
    [part] = made.glob("trials/*/*.parquet")
    tried = damaging.Damage(command, str(part.relative_to(made)), "truncated", True)
    done = damaging.check(made, tmp_path, tried)
    assert done.returncode == ExitCode.TROUBLE
    assert f"The tables of {tmp_path / 'run'} cannot be read" in done.stderr


def test_what_a_server_logs_is_not_shown(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        logging.getLogger("uvicorn.error").error("Exception", exc_info=ValueError("cancelled"))

    monkeypatch.setattr("uvicorn.Server.run", stopped)
    assert not call("view", made).stderr


class PanicError(BaseException):
    """Like that of a library in Rust."""


RAISED = (
    (PanicError("range end index 9"), "PanicError: range end index 9 (in horsesense/"),
    (OSError(13, "Permission denied", "/there"), "Permission denied (/there)"),
    (MemoryError(), "there is not enough memory"),
    (RecursionError("maximum"), "too deeply nested"),
    (ValueError("one\ntwo"), "ValueError: one (in horsesense/"),
)


def test_a_name_that_cannot_be_used_is_no_defect(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    fail = Mock(side_effect=lambda *_, **__: (tmp_path / "file" / "x").mkdir())
    monkeypatch.setattr("horsesense.items.load.load_items", fail)
    done = call("check", "sample", debug=False, code=ExitCode.USAGE)
    assert f"{tmp_path}/file/x: Not a directory. Name another" in " ".join(done.stderr.split("\n"))


@pytest.mark.parametrize(("error", "said"), RAISED, ids=lambda of: type(of).__name__)
def test_one_message_and_an_exit_code(
    error: BaseException, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("horsesense.items.load.load_items", fail)
    done = call("check", "sample", debug=False, code=ExitCode.UNEXPECTED)
    assert done.stderr.startswith("horsesense: horsesense check ended unexpectedly: ")
    assert said in done.stderr
    assert "again with --debug" in done.stderr
    with pytest.raises(type(error)):
        call("check", "--debug", "sample", debug=False)


def test_who_reads_no_further_is_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object, **__: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("horsesense.items.load.load_items", closed)
    done = call("check", "sample", debug=False)
    assert (done.returncode, done.stderr) == (ExitCode.UNREAD, "")


def test_an_input_or_output_that_is_closed_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, words in (("stdin", ["read", "-"]), ("stdout", ["list", "rules"])):
        monkeypatch.setattr(sys, name, None)
        with pytest.raises(SystemExit, match=r"^0$"):
            main(words)
        assert not getattr(sys, name).isatty()


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    (gone := tmp_path / "gone").mkdir()
    command = f"rmdir {gone}; {sys.executable} -m horsesense audit sample -m sim:oracle --out run"
    done = subprocess.run(command, shell=True, cwd=gone, stderr=subprocess.PIPE, check=False)
    assert done.returncode == ExitCode.USAGE, done.stderr
    assert b"The working directory is gone." in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "horsesense", "list", "rules"]
    held = {**os.environ, "PYTHONUNBUFFERED": ""}  # printed as Python ends, if not before
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=held
        )
        audit = ["audit", "sample", "-m", "sim:oracle", "--limit", "1", "--out", tmp_path / "run"]
        for command in (["verify", "/nowhere"], audit):
            refused = subprocess.run([*words[:3], *command], stderr=full, env=held)
            assert refused.returncode == ExitCode.TROUBLE
    assert done.returncode == ExitCode.TROUBLE
    assert "What is printed cannot be written: No space left" in done.stderr
