"""Templates: compiled once for all processes, where Python keeps compiled modules too."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jinja2 import Environment

from horsesense.report import pages


def test_a_template_that_was_compiled_before_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "cache_from_source", lambda path: tmp_path / "module.pyc")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    pages.environment().get_template("page.html.j2")
    monkeypatch.delattr(Environment, "compile")
    assert pages.environment().get_template("page.html.j2").blocks


def test_nothing_is_kept_where_python_keeps_no_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "cache_from_source", lambda path: tmp_path / "module.pyc")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    pages.environment().get_template("page.html.j2")
    assert not list(tmp_path.iterdir())
