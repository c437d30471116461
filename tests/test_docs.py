"""The documentation is true as far as a test can say: links lead somewhere, commands run."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from typer.main import get_command

from command_line import call
from horsesense.cli import app

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    page: page.read_text(encoding="utf-8") for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
}
RUNNABLE = [DOCS / "check.md", *sorted((DOCS / "tutorials").glob("*.md"))]
MEANT = {
    "ITEMS": "sample --limit 4",
    "MODEL": "sim:oracle --probes order",
    "OTHER": "sim:cheat --probes order",
    "RUN": "run",
    "ANSWERS.jsonl": "answers.jsonl",
}
"""What the placeholders of the README stand for."""
METHOD = ("statistics.md", "verdict.md", "reader.md")
"""Pages of the method: 10,000 words together (scripts/weight_limits.toml)."""
CODE = re.compile(r"^(```|~~~).*?^\1", flags=re.DOTALL | re.MULTILINE)


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, flags=re.DOTALL)


def commands(page: str) -> Iterator[str]:
    for block in blocks(page, "console"):
        lines = block.replace("\\\n", " ").splitlines()
        yield from (line[2:] for line in lines if line.startswith("$ horsesense "))


def test_links_lead_somewhere() -> None:
    anchors = {page: headings(text) for page, text in PAGES.items()}
    lost = []
    for page, text in PAGES.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", CODE.sub("", text))):
            if not re.match(r"[a-z]+:", target):
                name, _, anchor = target.partition("#")
                to = (page.parent / name).resolve() if name else page
                if not to.exists() or (anchor and anchor not in anchors.get(to, {anchor})):
                    lost.append(f"{page.relative_to(ROOT)}: {target}")
    assert not lost, "\n".join(lost)


def headings(page: str) -> set[str]:
    """The anchors of a page, as GitHub names its headings."""
    found = set(re.findall(r'<a id="([^"]+)">', page))
    for heading in re.findall(r"^#+ (.*)$", CODE.sub("", page), flags=re.MULTILINE):
        found.add(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"))
    return found


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = [*DOCS.glob("*.md"), *(DOCS / "tutorials").glob("*.md")]
    names = {page.relative_to(DOCS).as_posix() for page in pages} - {"README.md"}
    assert {name for name in names if f"({name})" not in index} == set()


def test_scripts_that_pages_name_are_there() -> None:
    named = {
        name.replace("measured.py ", "")
        for text in PAGES.values()
        for name in re.findall(r"(?:benchmarks|scripts)/(?:measured\.py [a-z]\w*|[\w.]+\w)", text)
    }
    files = {name if "." in name or "scripts/" in name else f"{name}.py" for name in named}
    assert {name for name in files if not (ROOT / name).exists()} == set()


def test_benchmarks_import_what_exists() -> None:
    lost = []
    for path in sorted((ROOT / "benchmarks").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("horsesense"):
                lost += [f"{path.name}: {name}" for name in absent(node)]
    assert not lost, "\n".join(lost)


def absent(node: ast.ImportFrom) -> Iterator[str]:
    """The names of an import that are not there."""
    for alias in node.names:
        try:
            if not hasattr(importlib.import_module(node.module), alias.name):
                importlib.import_module(f"{node.module}.{alias.name}")
        except ImportError as error:
            # A package of an extra may be absent; what is ours may not.
            if (error.name or "horsesense").startswith("horsesense"):
                yield f"{node.module}.{alias.name}"


def test_pages_are_short() -> None:
    long = ("cli.md", "json.md", "catalogue.md", "differences.md", *METHOD)
    limits = {"decisions": 350, "docs": 1200, "tutorials": 400}
    found = {
        page.name: len(text.split())
        for page, text in PAGES.items()
        if DOCS in page.parents and page.name not in long
        if len(text.split()) > limits.get(page.parent.name, 2000)
    }
    assert found == {}


def test_commands_name_options_that_exist() -> None:
    """Every command of every page, also those that need a network or a GPU."""
    wrong = []
    for page, text in PAGES.items():
        told = [*commands(text), *re.findall(r"`(horsesense [a-z][^`\n]*)`", text)]
        if page.name != "CHANGELOG.md":
            wrong += [f"{page.name}: {each}" for each in told if not known(each)]
    assert not wrong, "\n".join(wrong)


def known(command: str) -> bool:
    """Whether a command and its options exist."""
    words = command.split("#")[0].split()[1:]
    found = commands_of_ours()
    while words and words[0] in getattr(found, "commands", ()):
        found = found.commands[words.pop(0)]
    options = {name for param in found.params for name in (*param.opts, *param.secondary_opts)}
    given = {word.split("=")[0].strip("'\"[]") for word in words if word.startswith("-")}
    return given <= {*options, "--help", "--version"}


@cache
def commands_of_ours() -> Any:
    return get_command(app())


@pytest.mark.slow
def test_readme_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    row = {"options": ["Paris", "Rome"], "response": "B"}
    Path("answers.jsonl").write_text(json.dumps(row) + "\n")
    done = 0
    for command in commands(README):
        words = [MEANT.get(word, word) for word in command.split("#")[0].split()[1:]]
        if "http:" in command or words[0] in ("view", "import", "record", "demo", "cues"):
            continue  # a network, a server, logs, too few items; demo and cues have their own test
        call(*shlex.split(" ".join(words)), code=0)
        done += 1
    assert done > 8


def test_readme_snippets_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks(README, "python"):
        exec(block, names)
    assert names["run"].verdict()


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.stem)
def test_every_command_of_a_tutorial_runs(page: Path, tmp_path: Path) -> None:
    told = list(commands(page.read_text(encoding="utf-8")))
    assert told
    for command in told:
        words = shlex.split(command, comments=True)
        if words[1] == "view":
            look_at(words[1:], tmp_path)
            continue
        end = re.search(r"  # exits with (\d+)$", command)
        call(*words[1:], cwd=tmp_path, code=int(end[1]) if end else 0)


def look_at(words: list[str], cwd: Path) -> None:
    """Open the page that a command serves, and end it as a user does."""
    command = [sys.executable, "-m", "horsesense", *words]
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, text=True) as served:
        try:
            address = served.stdout.readline().split()[0]
            browser = build_opener(HTTPCookieProcessor())
            browser.open(address, timeout=30).close()  # its token becomes a cookie
            with browser.open(address.partition("?")[0], timeout=30) as page:
                assert b"knowledge-02" in page.read()
            served.send_signal(signal.SIGINT)
            assert served.wait(timeout=30) in (0, 130)
        finally:
            served.kill()
