"""README's commands and snippets run, but for those that need a network."""

from __future__ import annotations

import json
import re
import shlex
from itertools import takewhile
from pathlib import Path

import pytest

from horsesense.cli import main

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
MEANT = {
    "ITEMS": "sample --limit 4",
    "MODEL": "sim:oracle",
    "OTHER": "sim:cheat",
    '0.5"': '0.1"',
    "RUN": "run",
    "STUDY": "run",
    "ANSWERS.jsonl": "answers.jsonl",
}
"""What the placeholders of the page stand for."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def commands() -> list[str]:
    lines = [line for block in blocks("console") for line in block.splitlines()]
    return [line[2:].split("#")[0].strip() for line in lines if line.startswith("$ horsesense ")]


def test_the_commands_of_the_papers_have_the_options_that_they_name() -> None:
    table = re.findall(r"^\|[^|]*\| `horsesense ([^`]+)` \|", README, flags=re.MULTILINE)
    assert len(table) >= 9
    reference = (Path(__file__).parent.parent / "docs" / "cli.md").read_text(encoding="utf-8")
    for command in table:
        words = command.split()
        name = " ".join(takewhile(str.islower, words))
        [part] = re.findall(rf"^#+ `?horsesense {name}`?$(.*?)(?=^#|\Z)", reference, re.M | re.S)
        assert [w for w in words if w.startswith("--") and f"{w} " not in part] == [], command


def test_the_page_has_commands_and_snippets() -> None:
    assert len(commands()) > 8
    assert len(blocks("python")) == 2


def test_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    row = {"options": ["Paris", "Rome"], "response": "B"}
    Path("answers.jsonl").write_text(json.dumps(row) + "\n")
    for command in commands():
        if "http:" in command or "horsesense view" in command:  # a network, or a server
            continue
        words = [MEANT.get(word, word) for word in command.split()[1:]]
        if words[0] == "cues":  # they need more items than the studies here
            words[1] = "sample"
        if "--item" in words:
            words[-1] = first_item()
        with pytest.raises(SystemExit) as stopped:
            main(shlex.split(" ".join(words)))
        assert stopped.value.code == 0, command


def first_item() -> str:
    from horsesense import open as open_run

    return next(iter(open_run("run").items)).id


def test_snippets_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(block, names)


def test_no_page_has_a_place_that_was_never_filled() -> None:
    root = Path(__file__).parent.parent
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    assert len(pages) > 30
    assert [page.name for page in pages if "@@" in page.read_text(encoding="utf-8")] == []


def test_links_between_pages_lead_somewhere() -> None:
    root = Path(__file__).parent.parent
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    places = {page: anchors(page.read_text(encoding="utf-8")) for page in pages}
    lost = []
    for page in pages:
        for target in re.findall(r"\]\(([^)\s]+)\)", prose(page.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            to = (page.parent / name).resolve() if name else page
            if not to.exists() or (anchor and to in places and anchor not in places[to]):
                lost.append(f"{page.name}: {target}")
    assert lost == []


def prose(page: str) -> str:
    """A page without its code."""
    return re.sub(r"^(```|~~~).*?^\1|`[^`\n]*`", "", page, flags=re.DOTALL | re.MULTILINE)


def anchors(page: str) -> set[str]:
    """The names by which places of a page can be linked to: headings as GitHub names them."""
    page = re.sub(r"^(```|~~~).*?^\1", "", page, flags=re.DOTALL | re.MULTILINE)
    found = set(re.findall(r'<a id="([^"]+)">', page))
    for heading in re.findall(r"^#+ (.*)$", page, flags=re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        n = 0
        while (name if not n else f"{name}-{n}") in found:
            n += 1
        found.add(name if not n else f"{name}-{n}")
    return found
