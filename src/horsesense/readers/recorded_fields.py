"""Which field of a file of replies holds what: our names, or guessed from what others call it.

A guess is told to whoever reads the file (`Fields.guessed`), and `--map OURS=THEIRS` replaces it.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from typing import Any, Final

from horsesense.errors import UsageError
from horsesense.items.files import Row
from horsesense.readers.formats.bundled import repaired

KNOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "item_id", "question_id", "doc_id", "sample_id", "uid", "index", "idx"),
    "options": ("options", "choices", "answers", "candidates", "option_texts", "endings"),
    "labels": ("labels", "option_letters", "option_labels", "letters", "choice_labels"),
    "response": (
        *("response", "reply", "output", "completion", "generation", "model_output"),
        *("model_response", "generated_text", "raw_output", "resps", "prediction"),
    ),
    "finish_reason": ("finish_reason", "stop_reason"),
    "question": ("question",),
    "model": ("model",),
    "gold": (
        *("gold", "target", "answer", "label", "correct_answer", "correct", "answer_key"),
        *("answerKey", "answer_index", "answer_idx", "gold_index", "gold_label", "truth"),
    ),
}
"""Our field -> the names that it is looked for under; the first that a row has is taken."""
OURS: Final = frozenset(("id", "item_id", "options", "labels", "option_letters", "response",
                         "finish_reason", "question", "model", "gold"))  # fmt: skip
"""Names that are read as such and are no guess."""

_COLUMN = re.compile(r"(?:(?:option|choice|answer)[\s_-]*)?([A-Za-z]|\d{1,2})")


class Fields:
    """Finds our fields in rows, and remembers what it guessed.

    Args:
        renamed: our field -> the file's name for it, given by the user.

    Raises:
        UsageError: a field that is not one of ours.
    """

    def __init__(self, renamed: Mapping[str, str] | None = None) -> None:
        self._renamed = dict(renamed or {})
        for ours in self._renamed:
            if ours not in KNOWN:
                raise UsageError.unknown("field", ours, KNOWN)
        self.guessed: dict[str, str] = {}

    def plain(self, row: Row) -> Row:
        """The row under our names, with lists where a cell holds one as text.

        A field that is not found is left out; what cannot be made sense of stays as it is.
        """
        found: Row = {}
        for ours in KNOWN:
            name = self._name(row, ours)
            if name is not None:
                found[ours] = row[name]
        labelled = found.get("options")
        if isinstance(labelled, dict) and "text" in labelled:  # as ARC has them on the hub
            found["options"] = labelled["text"]
            if "label" in labelled and found.get("labels") is None:
                found["labels"] = labelled["label"]
                self.guessed["labels"] = "label, inside the options"
        for ours in ("options", "labels"):
            if isinstance(found.get(ours), str):
                found[ours] = self._entries(ours, found[ours])
        if "options" not in found:
            found |= self._columns(row)
        if isinstance(found.get("response"), list):
            found["response"] = self._only(found["response"])
        return found

    def said(self) -> str:
        """What was guessed, in a sentence; "" where nothing was."""
        if not self.guessed:
            return ""
        parts = (f"{ours} from {theirs}" for ours, theirs in self.guessed.items())
        return f"Guessed: {'; '.join(parts)}. If that is wrong, say --map OURS=THEIRS."

    def _name(self, row: Row, ours: str) -> str | None:
        if ours in self._renamed:
            given = self._renamed[ours]
            return given if given in row else None
        there = [name for name in KNOWN[ours] if name in row]
        name = next((n for n in there if row[n] is not None), next(iter(there), None))
        if name is not None and name not in OURS:
            self.guessed[ours] = f"`{name}`"
        return name

    def _entries(self, ours: str, cell: str) -> Any:
        """A list that a cell holds as JSON, as Python writes it, or by "|" or line breaks."""
        text = cell.strip()
        if text.startswith("["):
            found = repaired(text)
            return found if isinstance(found, list) else cell
        for sign, name in (("|", '"|"'), ("\n", "line breaks")):
            if sign in text:
                self.guessed.setdefault(ours, f"a text with {name} between the entries")
                return [entry.strip() for entry in text.split(sign)]
        return text.split() if ours == "labels" else cell

    def _columns(self, row: Row) -> Row:
        """Options in columns of their own: A, B, C or option_a, option_b or choice1, choice2."""
        found: dict[str, str] = {}
        for name in row:
            match = _COLUMN.fullmatch(str(name).strip())
            if match:
                found.setdefault(match[1].upper(), name)
        for names in (string.ascii_uppercase, [str(n) for n in range(27)][1:], list("0123456789")):
            columns = []
            for sign in names:
                if sign not in found:
                    break
                columns.append(found[sign])
            texts = [row[column] for column in columns]
            while texts and texts[-1] is None:
                texts.pop()
            if len(columns) > 1 and texts:
                self.guessed["options"] = f"the columns {', '.join(columns)}"
                return {"options": texts}
        return {}

    def _only(self, response: list[Any]) -> Any:
        """The text of a list that holds one, as harnesses write it ([["text"]])."""
        found: Any = response
        while isinstance(found, list) and len(found) == 1:
            (found,) = found
        return found
