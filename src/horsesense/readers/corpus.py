"""The packaged replies with known readings, in parts that share no writer (corpus_data)."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from horsesense.errors import UsageError
from horsesense.items.files import load_rows
from horsesense.readers.reading import Reading, Status

Part = Literal["development", "further", "later", "everyday", "recent", "unread", "mmlu_pro"]

SEEN: Final[tuple[Part, ...]] = ("development", "further", "later", "everyday", "recent")
"""To develop readers on, and four written when the patterns of the text reader were there, each
scored before it was read: odd replies twice, what logs hold most, and the manner of models today.
"""

PARTS: Final[tuple[Part, ...]] = (*SEEN, "unread", "mmlu_pro")
"""And one whose texts nobody reads who works on a reader, and replies of models to MMLU-Pro."""


LISTS: Final = ("options", "labels", "judged")
"""Fields that are lists in the files."""


class Example(NamedTuple):
    """A reply and what it chooses, on which its writer and a second reader agreed.

    Attributes:
        id: writer and number.
        writer: who wrote it.
        kind: what kind of reply it is, as the writer was told.
        sort: the subject of the question.
        style: what its options look like.
        manner: the kind of model whose manner it is written in.
        labels: empty where options are shown without any.
        finish_reason: "stop" or "length"; None where it was not recorded.
        status, position: the truth; a position, from 0, for an answer alone.
        judged: of a recorded reply, what each of two judges labelled, such as "answer C".
    """

    id: str
    writer: str
    kind: str
    sort: str
    style: str
    manner: str
    question: str
    options: tuple[str, ...]
    labels: tuple[str, ...]
    response: str
    finish_reason: str | None
    status: Status
    position: int | None
    judged: tuple[str, ...] = ()

    @property
    def length(self) -> str:
        """The class of its length in words."""
        words = len(self.response.split())
        return "1-10 words" if words <= 10 else "11-40" if words <= 40 else (
            "41-149" if words < 150 else "150 and more"
        )  # fmt: skip

    def agrees(self, reading: Reading) -> bool:
        """Whether a reading says what the reply does; of a recorded one without an answer, whether
        it takes no choice."""
        if self.judged and self.position is None:
            return reading.status != "answer"
        chosen = () if self.position is None else (self.position,)
        return reading.status == self.status and reading.positions == chosen

    def asked(self) -> dict[str, Any]:
        """What a reader may see: all but the truth and how the reply came about."""
        return {
            "id": self.id,
            "question": self.question,
            "options": list(self.options),
            "labels": list(self.labels),
            "response": self.response,
            "finish_reason": self.finish_reason,
        }


def path_of(part: Part) -> Path:
    """The file of a part.

    Raises:
        UsageError: it is not in this installation.
    """
    with as_file(files(__package__) / "corpus_data" / f"{part}.jsonl.zst") as path:
        if not path.is_file():
            raise UsageError(
                f"The corpus of replies is not in this installation (part {part!r}).",
                hint="Install horsesense again, or name another part with --part.",
            )
        return path


def available() -> tuple[Part, ...]:
    """The parts that are in this installation."""
    folder = files(__package__) / "corpus_data"
    return tuple(part for part in PARTS if (folder / f"{part}.jsonl.zst").is_file())


@lru_cache(maxsize=len(PARTS))
def examples(part: Part) -> tuple[Example, ...]:
    """All replies of a part, in the order of their writers; UsageError where it is missing."""
    return tuple(
        Example(**{**row, **{name: tuple(row.get(name, ())) for name in LISTS}})
        for _, row in load_rows(path_of(part))
        if row["status"] is not None  # on which the judges agree
    )
