"""Values that are made by the thousand: frozen where types are checked, and quick at run time."""

from dataclasses import dataclass as quick
from typing import TYPE_CHECKING

__all__ = ["quick"]

if not TYPE_CHECKING:
    frozen = quick

    def quick(**how):
        """A dataclass that nobody changes; to enforce it would take a call for each field."""
        return frozen(slots=how["slots"], unsafe_hash=how["frozen"])
