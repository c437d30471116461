"""Shared fixtures: the specification's worked examples, and the benchmark data where present."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The same examples every time, and no example fails for being slow on a busy machine.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")

HERE = Path(__file__).parent
ROOT = HERE.parent


@pytest.fixture(scope="session")
def vectors() -> dict[str, Any]:
    """Worked examples of every formula."""
    return json.loads((HERE / "test_vectors.json").read_text())


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared benchmark data; tests that need it skip, saying so, where it is absent."""
    root = Path(os.environ.get("HORSESENSE_SHARED", HERE.parent.parent / "shared"))
    if not (root / "data").is_dir():
        pytest.skip(f"needs the shared benchmark data (HORSESENSE_SHARED, looked in {root})")
    return root
