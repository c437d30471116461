"""Templates: compiled once for all processes, where Python keeps compiled modules too."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jinja2 import Environment

from horsesense.report import pages


def test_a_template_is_compiled_once_where_python_keeps_modules_and_kept_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "cache_from_source", lambda path: tmp_path / "module.pyc")
    for kept in (False, True):
        monkeypatch.setattr(sys, "dont_write_bytecode", not kept)
        pages.environment().get_template("page.html.j2")
        assert bool(list(tmp_path.iterdir())) == kept
    monkeypatch.delattr(Environment, "compile")
    assert pages.environment().get_template("page.html.j2").blocks
