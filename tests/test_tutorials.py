"""The commands of docs/check.md and docs/tutorials run as they are written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from command_line import call

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [DOCS / "check.md", *sorted((DOCS / "tutorials").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_runs(page: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    commands = [line[2:] for block in blocks for line in block.splitlines()]
    assert commands
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "horsesense"
        done = call(*words[1:], cwd=tmp_path)
        assert done.returncode == 0, f"{command}: {done.stderr}"
