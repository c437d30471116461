"""What kind of reply came back, and whether first token and text say the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from horsesense.measures.base import Estimate
from horsesense.report.charts import Point, describe, forest, stacked
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import number, plural, rests_on, value_of
from horsesense.report.verdict import Sentence, side
from horsesense.runs.results import Results

RELIABLE = 0.95
"""Share of valid answers below which an accuracy is said to be unreliable."""
NEGLIGIBLE = 0.01
"""Disagreement of two readers up to which they are said to agree."""


def context(run: Results) -> Context | None:
    if not run.readers:
        return None
    mismatch = run.everywhere("mismatch_rate", "first_token")
    rows = [Point(run.label(e.probe, e.condition), e) for e in mismatch]
    return {
        "readers": run.readers,
        "main": run.reader,
        "mismatch": rows
        and forest(
            rows,
            "Trials in which first token and text differ, %",
            caption="First token against text. " + describe(rows),
        ),
        "mismatch_n": rests_on(mismatch),
        "judges": [*run.findings.get("judges", {}).items()],
        "valid": run.one("mismatch_valid", reader="first_token"),
        "by_text": [*_by_text(run)],
        "statuses": [(reader, _statuses(run, reader)) for reader in run.readers],
    }


class ByText(NamedTuple):
    """Accuracy as published by one reader of option texts, beside that by letter.

    Attributes:
        reader: its name.
        text, letter: the two accuracies.
        gain: their difference, item by item; None where it is undefined.
        differ: share of trials in which the two choose different options; None likewise.
    """

    reader: str
    text: Estimate
    letter: Estimate
    gain: Estimate | None
    differ: Estimate | None


def _by_text(run: Results) -> Iterator[ByText]:
    letter = run.one("accuracy", reader="first_token")
    for reader in run.readers:
        text = run.one("accuracy", reader=reader)
        differ = run.one("letter_difference", reader=reader)
        if letter is not None and text is not None and differ is not None:
            yield ByText(reader, text, letter, run.one("score_gain", reader=reader), differ)


def _statuses(run: Results, reader: str) -> Markup | None:
    """Kinds of reply under each probe; None where every reply chose an option."""
    cells: dict[str, dict[str, float]] = {}
    for e in run.everywhere("status_share", reader):
        cells.setdefault(run.label(e.probe, e.condition), {})[e.group] = e.value or 0.0
    if all(shares.get("answer") == 1 for shares in cells.values()):
        return None
    return stacked(list(cells.items()), caption=f"Kinds of reply, read by {reader}. {_say(cells)}")


def _say(cells: Mapping[str, Mapping[str, float]]) -> str:
    return "; ".join(
        f"{name}: " + ", ".join(f"{s} {number(v, 'fraction')}" for s, v in shares.items() if v > 0)
        for name, shares in cells.items()
    )


def sentences(run: Results) -> Iterator[Sentence]:
    valid = run.one("valid_rate")
    if valid is not None:
        yield _validity(run, valid)
    yield from _missing(run)
    mismatch = run.one("mismatch_rate", reader="first_token")
    if mismatch is not None:
        yield from _mismatch(run, mismatch)
    yield from map(_text_or_letter, _by_text(run))


def _text_or_letter(found: ByText) -> Sentence:
    """What scoring by text changes; a note where the intervals allow for no more."""
    gain = found.gain or found.text
    how = found.reader.partition("(")[2].rstrip(")")
    text = (
        f"{_right(found.text)} items are right by option text{how and f' ({how})'}, "
        f"{_right(found.letter)} by letter"
    )
    if found.differ is not None:
        text += f"; the two choose different options in {value_of(found.differ)} of trials"
    if found.gain is not None and side(gain, 0.0):
        text += ", so the score depends on how answers are scored"
        return Sentence(f"{text}.", "warning", gain, READERS.id, abs(gain.value or 0))
    return Sentence(f"{text}.", "note", gain, READERS.id)


def _right(e: Estimate) -> str:
    """A count of right answers, "19 of 30"; of several trials an item, the mean of its share."""
    return f"{(e.value or 0) * e.n:,.0f} of {e.n:,}"


def _missing(run: Results) -> Iterator[Sentence]:
    """All trials without a reading; the number behind it is where their share is largest."""
    if not run.missing:
        return
    lost = sum(e.n_missing for e in run.missing)
    of = sum(e.n + e.n_missing for e in run.estimates if _is_validity(run, e))
    worst = max(run.missing, key=lambda e: e.n_missing / (e.n + e.n_missing))
    text = (
        f"{lost:,} of {plural(of, 'trial')} have no answer; the share is largest under "
        f"“{run.label(worst.probe, worst.condition)}” ({worst.n_missing:,} of "
        f"{worst.n + worst.n_missing:,}). All numbers describe the rest."
    )
    yield Sentence(text, "doubt", worst, READERS.id, lost / of)


def _is_validity(run: Results, e: Estimate) -> bool:
    return e.measure == "valid_rate" and e.reader == run.reader


def _validity(run: Results, valid: Estimate) -> Sentence:
    if side(valid, RELIABLE) < 0:
        others: list[Any] = sorted(
            (e for e in run.all("status_share", "original") if e.group != "answer" and e.value),
            key=lambda e: -e.value,
        )
        kinds = ", ".join(f"{e.group} {value_of(e)}" for e in others[:3])
        text = (
            f"Only {value_of(valid)} of replies choose an option ({kinds}). The others count as "
            "wrong, so accuracy says as much about the form of the replies as about what the "
            "model knows."
        )
        return Sentence(text, "doubt", valid, READERS.id, 1 - (valid.value or 0))
    return Sentence(f"{value_of(valid)} of replies choose an option.", "sound", valid, "readers")


def _mismatch(run: Results, e: Estimate) -> Iterator[Sentence]:
    if side(e, NEGLIGIBLE) > 0:
        text = (
            f"First token and text disagree in {value_of(e)} of replies, so a score by first token "
            "does not measure what the model says. The numbers here are read from the "
            f"{_named(run.reader)}."
        )
        yield Sentence(text, "warning", e, READERS.id, e.value or 0)
    else:
        less = "" if not e.value or e.value <= NEGLIGIBLE else ", too few to rule out chance"
        text = f"First token and text disagree in {value_of(e)} of replies{less}."
        yield Sentence(text, "sound", e, READERS.id)


def _named(reader: str) -> str:
    return {"text": "text", "first_token": "first token"}.get(reader, reader)


READERS = Section("readers", "What came back, and who read it", context, sentences)
