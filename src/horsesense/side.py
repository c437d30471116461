"""Side programs of this distribution: what no audit needs, found by our own entry points.

The core imports none of them. It knows them by the groups `horsesense.commands`, `.api`,
`.schemas`, `.papers`, `.runs`, `.logs`, `.workers`, `.engines`, `.checks` and `.sections` in
`pyproject.toml`. Models and readers by scheme are plug-ins like those of other packages
(`plugins.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from horsesense.errors import UsageError
from horsesense.version import __version__


@cache
def offered(group: str) -> Mapping[str, str]:
    """What this distribution offers in a group: name -> `module:attribute`; none if not installed.

    Only our own entry points are read: those of all packages take many times as long.
    """
    return _entry_points().get(f"horsesense.{group}", {})


def side(group: str, name: str) -> Any:
    """What an entry point of ours names, such as `side("logs", "is_log")`.

    UsageError where the installation is older than the code or lacks the side programs.
    """
    module, _, attribute = offered(group).get(name, "").partition(":")
    found = getattr(import_module(module), attribute, None) if module else None
    if found is None:
        raise UsageError(
            f"This installation of horsesense lacks {name} ({group}).",
            hint="Install it again: pip install horsesense, or pip install -e . in a clone.",
        )
    return found


@cache
def _entry_points() -> Mapping[str, Mapping[str, str]]:
    """Our entry points by group."""
    found: dict[str, dict[str, str]] = {}
    group: dict[str, str] = {}
    for line in _stated().splitlines():
        name, equals, place = line.partition("=")
        if equals:
            group[name.strip()] = place.strip()
        elif line:
            group = found.setdefault(line.strip("[]"), {})
    return found


def _stated() -> str:
    """What `entry_points.txt` holds, read where it lies as a rule.

    `importlib.metadata` finds it everywhere, but importing that slows down every start.
    """
    inside = f"horsesense-{__version__}.dist-info/entry_points.txt"
    for folder in sys.path:
        file = Path(folder, inside)
        if file.is_file():
            return file.read_text(encoding="utf-8")
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution("horsesense").read_text("entry_points.txt") or ""
    except PackageNotFoundError:
        return ""
