"""Redacted runs (`export --redacted`): how one file becomes a directory, and what one refuses."""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Final

from horsesense.errors import HorsesenseError, StoreError, UsageError
from horsesense.files import whole
from horsesense.inference.store import Store
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import PART, RunLayout
from horsesense.runs.results import Results

MARK: Final = "redacted.json"
"""The file that says that a run is redacted, and how."""
_PLACE: Final = re.compile(
    r"run\.toml|items\.json|asked\.json|estimates\.json|redacted\.json"
    rf"|trials/stage-\d{{1,3}}/{PART}"
    rf"|readings/[A-Za-z0-9_.-]{{1,80}}/(?:reader\.json|stage-\d{{1,3}}/{PART})"
)
"""Every file that a redacted run may hold; nothing else is unpacked."""
LARGEST: Final = 2 * 2**30
"""Bytes that a redacted run may take when it is unpacked."""
GROWTH: Final = 100
"""So many times its own bytes may it take, or `SMALL`; runs take 2 to 20 times."""
SMALL: Final = 64 * 2**20
_PIECE: Final = 2**20
_NOT_PACKED: Final = (
    *(OSError, ValueError, NotImplementedError, RuntimeError, EOFError),
    *(zipfile.BadZipFile, zlib.error, StoreError),
)
"""What is raised for files that are no zip files, or damaged ones."""
_UNPACKED: dict[Path, tempfile.TemporaryDirectory[str]] = {}
"""Redacted files that are open, until this process ends."""


def unpacked(path: Path) -> Path:
    """The directory of a run; of a redacted file, one that lasts as long as this process.

    StoreError for a file that is none, that holds what no redacted run does, or whose numbers
    cannot be read.
    """
    if not path.is_file():
        return path
    folder = tempfile.TemporaryDirectory(prefix="horsesense-")
    root = Path(folder.name) / (re.sub(r"[^\w.-]+", "-", path.stem) or "run")
    try:
        with zipfile.ZipFile(path) as packed:
            _unpack(packed, root, min(LARGEST, max(SMALL, GROWTH * path.stat().st_size)))
        if not (root / MARK).exists():
            raise ValueError(f"it has no {MARK}")
    except _NOT_PACKED as error:
        folder.cleanup()
        raise StoreError(
            f"{path} is neither a run directory nor a redacted run"
            + f": {error}" * zipfile.is_zipfile(path)
            + ".",
            hint="Name the directory that `horsesense audit --out` wrote, or the file that"
            " `horsesense export RUN --redacted FILE` wrote.",
        ) from None
    Store.open(RunLayout(root).store).close()
    try:
        Results.load(RunDirectory.open(root))
    except HorsesenseError as error:
        folder.cleanup()
        raise StoreError(f"{path}: {error.message.replace(f'{root}{os.sep}', '')}") from None
    _UNPACKED[root] = folder
    return root


def _unpack(packed: zipfile.ZipFile, root: Path, most: int) -> None:
    """Write the files below `root`, piece by piece.

    Raises ValueError for a name that does not belong, for a file that is longer than it says or is
    there twice, and for more than `most` bytes.
    """
    found = packed.infolist()
    names = [entry.filename for entry in found]
    strange = [name for name in names if not _PLACE.fullmatch(name)]
    if strange:
        raise ValueError(f"it holds {strange[0]!r}")
    if len(set(names)) < len(names):
        raise ValueError("it holds a file twice")
    if sum(entry.file_size for entry in found) > most:
        raise ValueError(f"its files take more than {most:,} bytes")
    for entry in found:
        place = root / PurePosixPath(entry.filename)
        with packed.open(entry) as file, whole(place) as part, part.open("wb") as out:
            left = entry.file_size
            while piece := file.read(min(_PIECE, left + 1)):
                left -= len(piece)
                if left < 0:
                    raise ValueError(f"{entry.filename} is larger than it says")
                out.write(piece)


def is_redacted(directory: RunDirectory) -> bool:
    """Whether a run holds hashes in the place of its texts."""
    return (directory.layout.root / MARK).exists()


def refuse_redacted(directory: RunDirectory) -> None:
    """UsageError for what needs the texts that a redacted run has no more."""
    if is_redacted(directory):
        raise UsageError(
            "A redacted run has neither prompts nor replies.",
            hint="Its numbers and readings are whole, for horsesense compare, gate, verify, cite"
            " and export --to csv, and hs.open(FILE). Prompts and replies need the run itself.",
        )
