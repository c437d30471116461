"""The formats of logs, by name; and which of them a file is in. A new format is one module here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from horsesense.errors import UsageError
from horsesense.files import usable
from horsesense_extras.logs import batch, helm, inspect_ai, lm_eval
from horsesense_extras.logs.sample import Log
from horsesense_extras.logs.streams import head_of, may_read

Role = Literal["samples", "companion"]
"""A file with answers, or one that says more about those in another file of the same format."""

DEPTH = 3
"""Levels of folders that are looked into: lm-eval writes FOLDER/MODEL/samples_*, for one."""


class Format(NamedTuple):
    """One format of logs.

    Attributes:
        title: for messages: "Inspect log (.eval, .json)".
        role: what a file is to this format, from its path and first bytes; None for no business of
            its. A folder has no bytes.
        open: the log in a file with samples, given all companions of the same format.
    """

    title: str
    role: Callable[[Path, bytes], Role | None]
    open: Callable[[Path, Sequence[Path]], Log]


FORMATS = [
    Format(title, made.role, made.open_log)
    for made, title in (
        (inspect_ai, "Inspect log (.eval or .json)"),
        (lm_eval, "samples of lm-evaluation-harness (--log_samples, JSONL)"),
        (helm, "run folder of HELM"),
        (batch, "answers of a batch API, with the file of its requests (JSONL)"),
    )
]


class Found(NamedTuple):
    """A file, its format, and what it is to that format."""

    path: Path
    format: Format
    role: Role


def recognise(path: Path) -> Found | None:
    """The format of a file or folder; None where none knows it."""
    head = head_of(path) if path.is_file() else b""
    for form in FORMATS:
        role = form.role(path, head)
        if role is not None:
            return Found(path, form, role)
    return None


def is_log(path: Path) -> bool:
    """Whether a path holds logs, itself or in the files of a folder."""
    return path.exists() and any(found.role == "samples" for found in _inside(path))


def open_logs(paths: Sequence[str | Path]) -> list[Log]:
    """The logs in files and folders; nothing but their heads is read yet.

    A companion (results of lm-eval, requests of a batch, an aggregate record) is named along with
    the samples that it belongs to, or lies beside them.

    Raises:
        UsageError: a path is missing, or nothing in it is a log of a known format.
        ItemsError: a file is damaged.
    """
    found: dict[Path, Found] = {}
    for given in map(usable, paths):
        if not given.exists():
            raise UsageError(f"There is no file or folder {given}.")
        inside = list(_inside(given, DEPTH))
        if not inside:
            raise _unknown(given)
        found |= {each.path: each for each in inside}
    with_samples = [each for each in found.values() if each.role == "samples"]
    if not with_samples:
        named = ", ".join(str(path) for path in found)
        [form, *_] = {each.format.title: None for each in found.values()}
        raise UsageError(
            f"{named}: these files ({form}) hold no answers.",
            hint="Name the file with the samples too.",
        )
    return [each.format.open(each.path, list(_companions(each, found))) for each in with_samples]


def _inside(path: Path, depth: int = 1) -> Iterator[Found]:
    """The path itself, or else what lies in a folder, so many levels deep, each with its format."""
    with may_read(path):
        own = recognise(path)
        if own is not None:
            yield own
        elif depth and path.is_dir() and not path.is_symlink():
            for entry in sorted(path.iterdir()):
                yield from _inside(entry, depth - 1)


def _companions(samples: Found, given: dict[Path, Found]) -> Iterator[Path]:
    """Companions of the same format: those that were named, else those beside the samples."""
    named = [f for f in given.values() if f.role == "companion" and f.format == samples.format]
    beside = map(recognise, sorted(samples.path.parent.iterdir())) if not named else ()
    for each in [*named, *filter(None, beside)]:
        if each.role == "companion" and each.format == samples.format:
            yield each.path


def _unknown(path: Path) -> UsageError:
    known = "; ".join(form.title for form in FORMATS)
    return UsageError(
        f"{path} is not a log of a known format, nor a table with replies.",
        hint=f"Known: {known}; tables with a column of replies: --map response=COLUMN names it.",
    )
