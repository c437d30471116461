"""The command line as a new user meets it; where the process matters, in one of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import horsesense as hs
from command_line import call as call_here
from damaging import spoilt
from horsesense.cli import app
from horsesense.cli.output import harmless_output

COMMAND = [sys.executable, "-m", "horsesense"]


call = partial(call_here, code=0)


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    words = ("audit", "sample", "--model", "sim:position?k=1", "--probes", "order", "--out", "run")
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, cwd=folder)
    assert "position B" in done.stdout, done.stderr
    assert done.stdout.rstrip().endswith("report.html")
    assert (folder / "run" / "report.html").stat().st_size > 10_000
    return folder


def test_an_audit_ends_in_a_verdict_and_a_report_which_is_written_again(audited: Path) -> None:
    (audited / "run" / "report.html").unlink()
    call("report", "run", cwd=audited)
    assert (audited / "run" / "report.html").exists()
    first = json.loads(call("list", "probes", "--json", cwd=audited).stdout)
    assert "order" in first["probes"]


def test_verify_finds_a_changed_answer(audited: Path, tmp_path: Path) -> None:
    done = json.loads(call("verify", "run", "--json", cwd=audited).stdout)
    assert done["checked"] > 200
    assert done["faults"] == []
    run = Path(shutil.copytree(audited / "run", tmp_path / "run"))
    spoilt(run, "UPDATE responses SET response = replace(response, 'B', 'C') WHERE rowid = 3")
    call("verify", "run", cwd=tmp_path, code=3)


def test_the_help_lists_commands_as_if_it_had_made_their_options() -> None:
    brief, whole = (CliRunner().invoke(app(named_only=n), ["--help"]).stdout for n in (True, False))
    assert brief == whole


def test_each_command_has_an_example_with_options_that_it_knows() -> None:
    def commands(group: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                yield from commands(command, (*words, name))
            else:
                yield " ".join((*words, name)), command

    for name, command in commands(get_command(app())):
        context = command.context_class(command, info_name=name)
        shown = command.get_help(context)
        example = re.search(rf"\n  Example: horsesense {name} ?(.*)\n\n", shown)
        assert example, f"{name} has no example, or it is longer than a line"
        command.parse_args(context, example[1].split())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("merge", "run", "--out", ""), "The argument after --out is empty."),
        (("merge", "", "--out", "x"), "The argument after merge is empty."),
        (("audit", "sample", "-m", "sim:prior", "--out="), "--out is empty."),
        (("audit", "sample", "-m", "sim:prior", "--readers="), "--readers is empty."),
        (("report", ""), "The argument after report is empty."),
    ],
)
def test_an_empty_path_is_not_the_current_folder(
    tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    done = call(*words, cwd=tmp_path, code=2)
    assert says in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_demo_finds_the_fault_and_says_the_truth(tmp_path: Path) -> None:
    done = call("demo", "--out", "run", cwd=tmp_path)
    assert "[found] Prefers position A" in done.stdout
    assert done.stdout.rstrip().endswith("says A in 8 of 11 cases.")


def test_plan_spends_nothing(tmp_path: Path) -> None:
    done = json.loads(call("plan", "sample", "-m", "sim:prior", "--json", cwd=tmp_path).stdout)
    assert done["items"] == 60
    assert done["requests"] + done["saved"] == done["trials"]
    assert list(tmp_path.iterdir()) == []
    assert "different requests" in call("plan", "sample", "-m", "sim:prior", cwd=tmp_path).stdout


def test_what_is_printed_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with harmless_output():
        print("\x1b]0;x\x07\x9b\u202e\r \x1b[31mred\x1b[0m\r\n\tend")
    shown = capsys.readouterr().out.partition(" ")
    assert shown[0] == r"\x1b]0;x\x07\u009b\u202e\x0d"
    assert shown[2].splitlines() == ["\x1b[31mred\x1b[0m", "\tend"]


def test_a_plan_needs_no_model(tmp_path: Path) -> None:
    told = call("plan", "sample", cwd=tmp_path).stdout
    row = {"question": "\x1b]0;x\x07?", "options": ["\x1b[2J", "no"], "answer_index": 1}
    (tmp_path / "steers.jsonl").write_text(json.dumps(row))
    assert "\x1b" not in call("plan", "steers.jsonl", cwd=tmp_path).stdout
    call("import", "nowhere.csv", cwd=tmp_path, code=2)
    assert "horsesense report RUN --item knowledge-01" in told
    told += call("plan", "sample", "--price", "1,2", cwd=tmp_path).stdout
    assert "; about 0.12 at these prices" in told
    assert told.count("The cost is unknown without --price.") == 1
    found = json.loads(call("plan", "sample", "--json", cwd=tmp_path).stdout)
    assert found["model"] is None
    planned = hs.plan("sample")
    assert found["requests"] == planned.requests
    assert str(planned).endswith(found["seen"])
    assert repr(planned).startswith("Plan(60 items of sample, 782 prompts, ")
    call("plan", "sample", "--out", "run", cwd=tmp_path, code=2)


def test_one_thing_is_told_as_one(tmp_path: Path) -> None:
    one = {"id": "a", "question": "2 + 2?", "options": ["3", "4", "5"], "answer_index": 1}
    (tmp_path / "one.jsonl").write_text(json.dumps(one))
    said = [
        call(*words.split(), cwd=tmp_path)
        for words in (
            "plan one.jsonl --shards 1",
            "check one.jsonl",
            "audit one.jsonl -m sim:oracle --out run",
            "verify run",
            "annotate run --sample 1",
            "cite run",
        )
    ]
    told = " ".join(done.stdout + done.stderr for done in said)
    assert "With 1 item, no change" in told
    assert re.findall(r"(?<![\d.,%])\b1 (?!is )(?:[a-z]+ )?[a-z]+s\b(?! too)", told) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("audit", "sample", "-m", "sim:prio"), "Did you mean 'prior'"),
        (("audit", "sample", "-m", "sim:prior?know=2"), "0 to 1"),
        (("audit", "sample", "-m", "sim:prior", "--probes", "order(random)"), "random(N)"),
        (("audit", "sample", "-m", "sim:prior", "--budget", "euros=5"), "requests"),
        (("audit", "sample", "-m", "sim:prior", "--shots", "3"), "--shots-from"),
        (("audit", "sample", "-m", "sim:prior", "--limit", "0"), "limit"),
        (("audit", "sample", "-m", "sim:prior", "--report-items", "9" * 20), "equal to 1000000"),
        (("audit", "sample", "-m", "sim:prior", "--style", "verse"), "style"),
        (("list", "horses"), "schemas"),
        (("report", "nowhere"), "is not a run directory"),
    ],
)
def test_wrong_use_is_explained(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    assert says in call(*words, cwd=tmp_path, code=2 if words[0] != "report" else 3).stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
@pytest.mark.parametrize("also", [[], ["-m", "sim:oracle"]])
def test_ctrl_c_keeps_what_was_answered_and_says_how_to_go_on(
    tmp_path: Path, also: list[str]
) -> None:
    rows = (
        json.dumps({"id": str(i), "question": f"q {i}", "options": list("abcd"), "answer_index": 0})
        for i in range(20_000)
    )
    (tmp_path / "many.jsonl").write_text("\n".join(rows))
    words = ["audit", "many.jsonl", "-m", "sim:prior", "--probes", "order", *also, "--out", "run"]
    process = subprocess.Popen([*COMMAND, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not any(tmp_path.glob("run/**/store.sqlite")) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert ("The same command continues" if also else "with --out run continues") in said
    if also:
        words[-1] += "/sim-prior-many"
        assert "Give --out run, " in call(*words, cwd=tmp_path, code=2).stderr


def test_stopped_while_it_is_imported(tmp_path: Path) -> None:
    """Ctrl-C before there is anything to stop: the documented exit code, and no traceback."""
    interrupt = "import os, signal, time\nfor _ in range(2):\n"
    interrupt += "    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(0.02)\n"
    (tmp_path / "typer.py").write_text(interrupt)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "horsesense", "--version"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (130, "horsesense: Stopped.\n")


@pytest.mark.parametrize("stop", ["KeyboardInterrupt", "typer.Abort"])
def test_stopped_again_while_it_ends(stop: str) -> None:
    code = f"""
import atexit, os, signal, typer
from horsesense import cli
def app(*_, **__):
    raise {stop}
cli.app = lambda *_, **__: app
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "horsesense: Stopped.\n")


def test_stopped_where_the_option_parser_catches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("horsesense.items.load.load_items", stopped)
    assert call("check", "sample", debug=False, code=130).stderr == "horsesense: Stopped.\n"


def test_a_name_is_given_once(tmp_path: Path) -> None:
    for words in (["--budget", "requests=5,requests=9"], ["--where", "id=a", "--where", "id=b"]):
        done = call("audit", "sample", "-m", "sim:prior", *words, cwd=tmp_path, code=2)
        assert f"names {words[1].partition('=')[0]} twice" in done.stderr
