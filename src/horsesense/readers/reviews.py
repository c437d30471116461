"""What people found replies to say, where the rules could not decide or were checked.

Reviews belong to replies: they are kept by the key of the request, in `reviews.json` of the run
directory, so that they hold whatever else is asked or measured later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import StoreError
from horsesense.files import write_whole
from horsesense.kept import keep, read_kept
from horsesense.models.messages import Key

FILE = "reviews.json"
OTHER = "other"
"""Neither of the classes of `readers.no_hint`: a refusal, "I do not know", nonsense; wrong."""


@dataclass(frozen=True)
class Reviews:
    """The reviewed replies of a run.

    Attributes:
        classes: request key -> class that is used (all reviewers agree on it, or it was settled).
        reviewers: names of the files that were taken, in order.
        agreement: Cohen's kappa of the first two over the replies that both reviewed; None
            without a second, or where it is not defined.
        compared: number of those replies.
        disagreements: of them, how many were judged differently.
        given: what each reviewer wrote, over all files taken (see `review_files.reviewer`).
    """

    classes: Mapping[Key, str] = field(default_factory=dict)
    reviewers: tuple[str, ...] = ()
    agreement: float | None = None
    compared: int = 0
    disagreements: int = 0
    given: Mapping[str, Mapping[Key, str]] = field(default_factory=dict)

    @classmethod
    def load(cls, out: Path) -> Reviews:
        """The reviews of a run directory; none if there is no file.

        Raises:
            StoreError: the file is broken.
        """
        path = out / FILE
        if not path.exists():
            return cls()
        try:
            content = orjson.loads(read_kept(path))
            given = content.get("given", {})
            _check(content)
            return cls(
                _by_key(content["classes"]),
                tuple(content["reviewers"]),
                content["agreement"],
                content["compared"],
                content["disagreements"],
                {str(name): _by_key(classes) for name, classes in given.items()},
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(
                f"{path}: {error}", hint="Delete it and take the reviewed files again."
            ) from None

    def save(self, out: Path) -> None:
        given = {name: _by_hex(classes) for name, classes in self.given.items()}
        content = {**self.as_json(), "classes": _by_hex(self.classes), "given": given}
        write = keep if (out / "run.toml").exists() else write_whole
        write(out / FILE, orjson.dumps(content, option=orjson.OPT_INDENT_2))

    def as_json(self) -> dict[str, Any]:
        """What a report says of them."""
        return {
            "replies": len(self.classes),
            "reviewers": list(self.reviewers),
            "agreement": self.agreement,
            "compared": self.compared,
            "disagreements": self.disagreements,
        }

    def count_for(self, reader: str) -> int:
        """The number of replies that people read in the place of a reader."""
        return len(self.classes) if reader == "text" else 0


def _check(content: Mapping[str, Any]) -> None:
    """KeyError or TypeError for a value that is not as `Reviews.save` wrote it."""
    kinds: dict[str, Any] = {
        "agreement": int | float | None,
        **dict.fromkeys(("compared", "disagreements"), int),
        "reviewers": list,
    }
    for name, kind in kinds.items():
        if not isinstance(content[name], kind):
            raise TypeError(f"{name} is {content[name]!r:.80}")
    if not all(isinstance(name, str) for name in content["reviewers"]):
        raise TypeError("a reviewer's name is no text")


def _by_key(classes: Mapping[str, Any]) -> dict[Key, str]:
    return {bytes.fromhex(key): str(name) for key, name in classes.items()}


def _by_hex(classes: Mapping[Key, str]) -> dict[str, str]:
    return {key.hex(): name for key, name in classes.items()}
