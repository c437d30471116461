"""People look at the wrong options: an item stays if all of them are wrong indeed.

As published, items with a suspected false negative are dropped: a wrong option that is right too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from horsesense.errors import StoreError
from horsesense.files import json_lines, read_whole, write_whole
from horsesense.models.messages import Key
from horsesense.rng import digest
from horsesense_extras.build.equinfer.build import EQUATIONS, FUNNEL
from horsesense_extras.build.equinfer.construct import LEAST_WORDS, around_gap
from horsesense_extras.people.review_files import Row

CHOICES: Final = ("wrong", "right", "unclear")
"""What a reviewer may write of an option that is meant to be wrong."""
OPEN: Final = "reviewers disagree"
REASONS: Final[Mapping[str | None, str]] = {
    "right": "a wrong option is right too",
    "unclear": "a wrong option is unclear",
    OPEN: OPEN,
    None: "not reviewed",
}
"""What was said of a wrong option, None for nothing -> why its item is dropped."""


@dataclass(frozen=True)
class BuiltSet:
    """A file that `build equinfer` wrote, with the folder beside it.

    Attributes:
        path: the file.
        rows: its items.
    """

    path: Path
    rows: list[dict[str, Any]]

    @property
    def folder(self) -> Path:
        return folder_of(self.path)

    @classmethod
    def load(cls, path: Path) -> BuiltSet:
        """The items of a file; StoreError where it cannot be read."""
        try:
            rows = [orjson.loads(line) for line in read_whole(path).splitlines() if line.strip()]
            for row in rows:
                _ = row["id"], row["options"][row["answer_index"]], row["context_before"]
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            raise StoreError(
                f"{path} cannot be reviewed: {error}",
                hint="Name the file that `horsesense build equinfer` wrote.",
            ) from None
        return cls(path, rows)

    def to_review(self, keys: frozenset[Key] | None = None) -> list[Row]:
        """Every wrong option, or those of `keys`, with its place and the right equation."""
        return [
            Row(
                key.hex(), row["id"],
                around_gap(row["context_before"], row.get("context_after") or "", LEAST_WORDS),
                row["options"][row["answer_index"]], option,
                row.get("made_by") or "",
            )
            for row in self.rows
            for key, option in wrong_options(row)
            if keys is None or key in keys
        ]  # fmt: skip

    def known(self) -> frozenset[Key]:
        """Keys of all wrong options."""
        return frozenset(key for row in self.rows for key, _ in wrong_options(row))


def folder_of(path: Path) -> Path:
    """Where `build` leaves what belongs to a file of items."""
    return path.with_name(f"{path.name}.answers")


def is_built(path: Path) -> bool:
    """Whether a file is one that `build equinfer` wrote."""
    return path.is_file() and (folder_of(path) / FUNNEL).is_file()


def wrong_options(row: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    """The wrong options of an item, each with a key of its own."""
    for place, option in enumerate(row["options"]):
        if place != row["answer_index"]:
            yield digest([row["id"], row["options"][row["answer_index"]], option]), option


def why_dropped(
    row: Mapping[str, Any], classes: Mapping[Key, str], open_keys: Sequence[Key]
) -> str | None:
    """Why an item is not in the reviewed set; None where all its wrong options were found wrong."""
    said = [OPEN if key in open_keys else classes.get(key) for key, _ in wrong_options(row)]
    reasons = (reason for answer, reason in REASONS.items() if answer in said)
    return next(reasons, None)


def reviewed(
    built: BuiltSet, classes: Mapping[Key, str], open_keys: Sequence[Key]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The items that stay, and the funnel with what people dropped; both files are brought up.

    Raises:
        StoreError: the folder is not as `build equinfer` left it.
    """
    reasons = {row["id"]: why_dropped(row, classes, open_keys) for row in built.rows}
    kept = [row for row in built.rows if reasons[row["id"]] is None]
    try:
        funnel = orjson.loads(read_whole(built.folder / FUNNEL))
        lines = [orjson.loads(line) for line in read_whole(built.folder / EQUATIONS).splitlines()]
        for line in lines:
            if line["id"] in reasons:
                reason = reasons[line["id"]]
                line |= {"kept": reason is None, "stage": reason and "review", "reason": reason}
        dropped = Counter(reason for reason in reasons.values() if reason is not None)
        funnel["dropped"]["review"] = dict(dropped.most_common())
        funnel["counts"]["after_review"] = len(kept)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError.unreadable(built.folder, error) from None
    write_whole(built.folder / FUNNEL, orjson.dumps(funnel, option=orjson.OPT_INDENT_2))
    write_whole(built.folder / EQUATIONS, json_lines(lines))
    return kept, funnel
