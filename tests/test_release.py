"""What cannot be run here is well formed, and says the same as pyproject.toml."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from runpy import run_path
from typing import Any

import yaml

from horsesense.cli import OWN
from horsesense.side import offered
from horsesense.version import __version__

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INSTRUCTIONS = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD"}


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_every_file_names_this_version() -> None:
    assert str(loaded("CITATION.cff")["version"]) == __version__
    assert loaded("packaging/recipe.yaml")["context"]["version"] == __version__


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    needed = loaded("packaging/recipe.yaml")["requirements"]
    wanted = [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    assert [one.replace(" ", "") for one in needed["run"]] == [
        one.partition(";")[0].strip() for one in wanted
    ]
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert needed["host"][-1].replace(" ", "") == built["requires"][0]


def test_the_container_starts_a_command_that_there_is() -> None:
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    steps = [line.partition(" ")[::2] for line in lines if not line.startswith("#")]
    assert {name for name, _ in steps} <= INSTRUCTIONS
    copied = [word for name, rest in steps if name == "COPY" for word in rest.split()[:-1]]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    words = [*json.loads(dict(steps)["ENTRYPOINT"]), *json.loads(dict(steps)["CMD"])]
    demo = (ROOT / "scripts" / "demo").read_text(encoding="utf-8")
    assert words[:4] == ["horsesense", "audit", "sample", "--model"]
    assert all(word in demo for word in words[1:-1])


def test_the_gallery_shows_five_reports_by_commands_that_there_are() -> None:
    shown = run_path(str(ROOT / "scripts" / "gallery.py"))["SHOWN"]
    assert len(shown) == 5
    commands = {words.split()[0] for one in shown for words in one.commands}
    assert commands <= {*OWN, *offered("commands")}


def test_no_name_of_a_file_is_an_option_of_the_hook() -> None:
    assert loaded(".pre-commit-hooks.yaml")[0]["args"][-1] == "--"
