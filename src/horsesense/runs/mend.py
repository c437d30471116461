"""What is damaged and can be made again is removed, so that the stages make it again."""

from __future__ import annotations

import shutil
from pathlib import Path

from horsesense.errors import StoreError
from horsesense.kept import changed
from horsesense.progress import say
from horsesense.readers.model_based.make import is_model_reader
from horsesense.readers.registry import installed
from horsesense.runs.directory import RunDirectory, told_of


def mend(directory: RunDirectory) -> bool:
    """Remove damaged tables, estimates and records that the answers give again, and name them.

    Readings of a judge stay, since to make them again may cost money. Returns whether readings of
    the run have to be made again. StoreError where the run cannot be written to, or a reader of
    damaged readings is not installed.
    """
    found = _damaged(directory)
    if found and not directory.writable:
        raise StoreError(
            f"{min(found)} is damaged, and the run cannot be written to.",
            hint="Copy the run, and have the copy reported: what can be is made again there.",
        )
    for path, where in found.items():
        say(f"{where}: it is damaged and made again from the answers that are stored.")
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return bool(found.keys() - {directory.layout.estimates})


def _damaged(directory: RunDirectory) -> dict[Path, Path]:
    """What is to be made again -> the damaged file in it."""
    layout, found = directory.layout, dict[Path, Path]()
    again = () if directory.given else (layout.trials, layout.asked)
    ours = {
        layout.readings_of(name, version): name
        for name, version in directory.known.readers.items()
        if not is_model_reader(name)
    }
    for path, _ in changed(layout.root):
        for whole in (*again, *ours, layout.estimates):
            if path.is_relative_to(whole):
                found.setdefault(whole, path)
    try:
        lacking = () if found else directory.lacking()
    except StoreError:  # by what is told of a reader, as below
        lacking = ()
    if layout.trials in lacking and again:
        found[layout.trials] = layout.trials
    for folder in ours:
        try:
            missing = folder in lacking or not told_of(folder)
        except StoreError:
            missing = True
        if missing and layout.asked not in found and directory.asked() is not None:
            found.setdefault(folder, folder if folder in lacking else folder / "reader.json")
    for folder in found.keys() & ours.keys():
        if not installed(ours[folder]):
            raise StoreError(
                f"{found[folder]} is damaged, and its reader {ours[folder]} is not installed here.",
                hint="Nothing was changed. With the reader, horsesense report reads again.",
            )
    return found
