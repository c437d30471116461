"""The stated version of a reader's rules, and the hash that keeps anybody from forgetting it."""

from __future__ import annotations

from typing import NamedTuple


class Rules(NamedTuple):
    """What a reader's module states as `RULES`.

    Attributes:
        version: part of the signature of every number that the reader has read; another one
            whenever any reading could be another. The same version gives the same readings.
        source: hash of all code that decides the reader's readings, comments and docstrings
            left out. A test derives it again: a changed rule without a new version fails there.
    """

    version: str
    source: str
