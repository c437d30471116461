"""Reading several letters from a reply that was asked for all correct options."""

from __future__ import annotations

import re

from horsesense.models.messages import Response
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader
from horsesense.trials.trial import Trial

# Replies are hostile: repetitions are taken whole (`*+`, `++`), so that nothing is tried in many
# ways and time grows no faster than the reply.
_LEAD = (
    r"\s*+(?i:(?:the\s+)?(?:correct\s+)?(?:answers?|options?|letters?)\s*+(?:are|is|:)++"
    r"\s*+:?+\s*+)?"
)
_MARK = r"[\(\[\"'*]*[A-Z][\)\]\"'*.:]*"
_SEPARATOR = r"(?:[^\S\n]*+(?:,|;|/|&|\+|(?i:\band\b|\bor\b)|\n))++\s*+"
_LIST = re.compile(rf"{_LEAD}(?P<list>(?:{_MARK}{_SEPARATOR})*{_MARK})\s*+\.?+\s*+")
_RUN = re.compile(r"\s*+(?P<run>[A-Z]{2,26})\s*+\.?+\s*+")
_OPENING_LABEL = re.compile(r"\s*+(?:[-*•]\s*+)?[\(\[*]*+([A-Z])[\)\].:]")


def read_letters(reader: TextReader, trial: Trial, response: Response) -> Reading:
    """All chosen positions, in order of mention and each once.

    A reply that is nothing but a list of labels ("A, C", "A and C", "ACD", one a line with its
    option's text) is read as such; anything else by the text reader, which accepts several.
    """
    variant = trial.variant
    text = response.text
    found = _listed(text, variant.labels) or _lines(text, variant.labels)
    if found is not None:
        return found
    reason = response.finish_reason
    return reader.read(text, variant.options, variant.labels, finish_reason=reason, multiple=True)


def _listed(text: str, labels: tuple[str, ...]) -> Reading | None:
    """A reply that lists labels and says nothing else; a label that is not shown is illegal."""
    run = _RUN.fullmatch(text)
    if run and len(set(run["run"])) == len(run["run"]) and set(run["run"]) <= set(labels):
        return _answer(list(run["run"]), labels, run.span("run"), "run_of_labels")
    match = _LIST.fullmatch(text)
    if match is None:
        return None
    letters = re.findall(r"\b[A-Z]\b", match["list"])
    if not set(letters) <= set(labels):
        return Reading("illegal", (), "other_label", match.span("list"), 0.95)
    return _answer(letters, labels, match.span("list"), "list_of_labels")


def _lines(text: str, labels: tuple[str, ...]) -> Reading | None:
    """A reply whose every line begins with a label ("A. red" and then "C. blue")."""
    lines = [line for line in text.splitlines() if line.strip()]
    starts = [_OPENING_LABEL.match(line) for line in lines]
    letters = [start[1] for start in starts if start is not None and start[1] in labels]
    if len(lines) < 2 or len(letters) != len(lines):
        return None
    return _answer(letters, labels, (0, len(text)), "a_label_a_line")


def _answer(
    letters: list[str], labels: tuple[str, ...], span: tuple[int, int], rule: str
) -> Reading:
    positions = tuple(dict.fromkeys(labels.index(letter) for letter in letters))
    return Reading("answer", positions, rule, span, 0.98)
