"""The tree weighs no more than scripts/weight_limits.toml allows."""

from __future__ import annotations

import ast
import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

SCRIPT = Path(__file__).parent.parent / "scripts" / "weight"


def load() -> ModuleType:
    loader = SourceFileLoader("weight", str(SCRIPT))
    spec = importlib.util.spec_from_loader("weight", loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # for its dataclass
    loader.exec_module(module)
    return module


def test_no_limit_is_passed() -> None:
    weight = load()
    found = weight.weigh()
    assert found["lines: core"]["value"] > 1000
    assert weight.over(found) == []


def test_a_line_of_code_is_no_blank_no_comment_and_no_docstring() -> None:
    lines = ['"""What it is."""', "", "A = 1  # one", "# Why.", "def f():", '    """Do."""']
    text = "\n".join([*lines, "    return 1", ""])
    assert load().lines_of_code(text, ast.walk(ast.parse(text))) == {3, 5, 7}
