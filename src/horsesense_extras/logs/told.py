"""`imported.json`: what the logs of an imported run say of themselves."""

from __future__ import annotations

import re
from typing import Any, Final

import orjson
from pydantic import BaseModel, ConfigDict

from horsesense.errors import StoreError
from horsesense.kept import read_kept
from horsesense.runs.directory import RunDirectory


class _Row(BaseModel):
    model_config = ConfigDict(strict=True)


class _Reported(_Row):
    name: str
    value: float | None
    score: str | None
    task: str = ""
    split: str = ""
    over: int | None = None
    from_samples: float | None


class _LeftOut(_Row):
    reason: str
    samples: int
    examples: list[str]


class _Log(_Row):
    path: str
    format: str
    task: str
    created: str
    state: str
    samples: int
    left_out: list[_LeftOut]
    reported: list[_Reported]
    scores: dict[str, float | None]
    notes: list[str]


class _Told(_Row):
    logs: list[_Log]


_TO_TYPE: Final = re.compile(r" ?\([^()]*--\w[^()]*\)|(?<=[.;]) [^.;]*--\w[^.;]*\.")
"""What a note says of options of the command line."""


def for_readers(note: str) -> str:
    """A note on a log for a page, whose readers type nothing.

    >>> for_readers("Fields taken as x=y (--map changes it). Two are wrong. --map a=b mends it.")
    'Fields taken as x=y. Two are wrong.'
    """
    return _TO_TYPE.sub("", note)


def logs_of(directory: RunDirectory) -> list[Any]:
    """What `imported.json` says of each log; none of a run of ours. StoreError if it is damaged."""
    path = directory.layout.imported
    if not path.exists():
        return []
    try:
        content = read_kept(path)
        _Told.model_validate_json(content)
        return list(orjson.loads(content)["logs"])
    except (OSError, ValueError) as error:
        raise StoreError.unreadable(path, error) from None
