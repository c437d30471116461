"""The version of what reads: a hash of the source, so that no change of a rule can be forgotten."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

DECIDING: Final = ("readers", "stats/pride.py", "items/item.py", "items/none_options.py")
"""Folders and modules of this package that what is read depends on."""


@cache
def rules_version() -> str:
    """Short hash of the source of all readers and of what they decide with.

    The same version gives the same readings. A change of a comment changes it too: better one
    version too many than two kinds of reading under one name.
    """
    root = Path(__file__).parent.parent
    found = blake2b(digest_size=4)
    for place in DECIDING:
        path = root / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            found.update(f"{file.relative_to(root).as_posix()}\0".encode())
            found.update(file.read_bytes())
    return found.hexdigest()
