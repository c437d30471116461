"""The commands of docs/check.md and docs/tutorials run as they are written."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from command_line import call

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [DOCS / "check.md", *sorted((DOCS / "tutorials").glob("*.md"))]


ENDS = re.compile(r"  # exits with (\d+)$")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_runs(page: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    commands = [line[2:] for block in blocks for line in block.splitlines()]
    assert commands
    for command in commands:
        words = shlex.split(command, comments=True)
        assert words[0] == "horsesense"
        if words[1] == "view":
            look_at(words[1:], tmp_path)
            continue
        end = ENDS.search(command)
        done = call(*words[1:], cwd=tmp_path)
        assert done.returncode == (int(end[1]) if end else 0), f"{command}: {done.stderr}"


def look_at(words: list[str], cwd: Path) -> None:
    """Open the page that a command serves, and end it as a user does."""
    command = [sys.executable, "-m", "horsesense", *words]
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, text=True) as served:
        try:
            assert served.stdout is not None
            address = served.stdout.readline().split()[0]
            with urlopen(address, timeout=30) as page:
                assert b"knowledge-02" in page.read()
            served.send_signal(signal.SIGINT)
            assert served.wait(timeout=30) in (0, 130)
        finally:
            served.kill()
