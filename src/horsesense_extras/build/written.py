"""Files that a command writes and people may correct: what they corrected is not overwritten."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from horsesense.errors import UsageError
from horsesense.files import read_whole, write_whole


def refuse_if_corrected(out: Path, note: Path) -> None:
    """UsageError if `out` is there and not as `write_noted` wrote it."""
    if out.exists() and not (note.exists() and read_whole(note).decode() == _hash_of(out)):
        raise UsageError(
            f"{out} is not as this command wrote it.",
            hint="Choose another --out, or move the file away if nothing in it is to be kept.",
        )


def write_noted(out: Path, content: bytes, note: Path) -> None:
    """Write a file, and its hash to `note`."""
    write_whole(out, content)
    write_whole(note, _hash_of(out))


def _hash_of(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()
