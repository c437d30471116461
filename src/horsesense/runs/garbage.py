"""The garbage collector, while a stage makes many objects that live until its end."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Final

AFTER: Final = (50_000, 10, 10)
"""New objects after which it looks; Python's own is 700."""


@contextlib.contextmanager
def fewer_collections() -> Iterator[None]:
    """Let it look less often: trials and replies form no cycles, and going through all of them
    again and again took half of the time in which they are made. Also a decorator.
    """
    before = gc.get_threshold()
    if 0 < before[0] < AFTER[0]:  # who has switched it off, or set it themselves, knows better
        gc.set_threshold(*AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
