"""What kind of reply came back, and whether first token and text say the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from horsesense.findings.uncounted import Missing
from horsesense.measures.base import Estimate
from horsesense.measures.bounds import whatever_is_missing
from horsesense.readers.reading import STATUSES
from horsesense.report.charts import Point, describe, forest, multiples
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import number, rests_on, value_of
from horsesense.runs.results import Results
from horsesense.stats.words import plural


def context(run: Results) -> Context | None:
    if not run.readers:
        return None
    mismatch = run.everywhere("mismatch_rate", "first_token")
    statuses = [(reader, _statuses(run, reader)) for reader in run.readers]
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
        "judged_before": [*run.findings.get("judges_before", {}).items()],
        "cascades": [*_cascades(run)],
        "valid": run.one("mismatch_valid", reader="first_token"),
        "by_text": [*_by_text(run)],
        "statuses": statuses,
        "choosing": [reader for reader, svg in statuses if svg is None],
    }


class Step(NamedTuple):
    """One step of a cascade.

    Attributes:
        name: of the reader that the step adds.
        given: replies that came to it.
        read: of those, what it settled.
        changed: of those, what it reads otherwise than the step before; None of the first.
        score: accuracy as published with all steps up to this one; None where it is undefined.
    """

    name: str
    given: int
    read: int
    changed: int | None
    score: Estimate | None


def _cascades(run: Results) -> Iterator[list[Step]]:
    """The steps of each cascade, the score behind each of them."""
    for name, told in run.findings.get("cascades", {}).items():
        yield [
            Step("text", told["read"], told["read"] - told["left_open"], None,
                 run.one("accuracy", reader="text")),
            Step(told["judge"], told["left_open"], told["judged"], told["changed"],
                 run.one("accuracy", reader=name)),
        ]  # fmt: skip


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
    cells: dict[str, dict[str, Estimate]] = {}
    for e in run.everywhere("status_share", reader):
        cells.setdefault(run.label(e.probe, e.condition), {})[e.group] = e
    if all("answer" in shares and shares["answer"].value == 1 for shares in cells.values()):
        return None
    said = f"Kinds of reply, read by {reader}. {_say(cells)}"
    return multiples(list(cells.items()), {s: s for s in STATUSES}, caption=said)


def _say(cells: Mapping[str, Mapping[str, Estimate]]) -> str:
    return "; ".join(
        f"{name}: " + ", ".join(f"{s} {value_of(e)}" for s, e in shares.items() if e.value)
        for name, shares in cells.items()
    )


def notices(run: Results) -> Iterator[str]:
    """All prompts without a reading; the number behind it is where their share is largest."""
    if not run.missing:
        return
    of = sum(e.n + e.n_missing for e in run.estimates if _is_validity(run, e))
    worst = max(run.missing, key=lambda e: e.n_missing / (e.n + e.n_missing))
    bands = "until" in run.findings
    rest = "Bands allow for that; all other numbers" if bands else "All numbers"
    yield (
        f"{lacking(run, run.missing, of)}; the share is largest under "
        f"“{run.label(worst.probe, worst.condition)}” ({worst.n_missing:,} of "
        f"{worst.n + worst.n_missing:,}). {rest} describe the rest.{_could_be(run)}"
    )


def lacking(run: Results, missing: Sequence[Estimate], of: int) -> str:
    """What prompts lack: "5 of 313 prompts were not asked, 1 failed and 2 have no clear answer"."""
    each = [run.missing_of(e) for e in missing]
    unasked, failed, unclear = (sum(n) for n in zip(*(one[:3] for one in each), strict=True))
    return Missing(unasked, failed, unclear, each[0].never).clause(of, "prompt")


def _could_be(run: Results) -> str:
    """What accuracy as published would be, whatever the missing and unclear replies say.

    Where asking stopped early it says so of the items asked: the others could be anything.
    """
    score = run.one("accuracy")
    if score is None or score.value is None or not score.n_missing:
        return ""
    # Of a score that stopped, what was not asked is no part of what it is of.
    missing = score.n_missing - (run.missing_of(score).not_asked if score.finite else 0)
    if not missing:
        return ""
    low, high = whatever_is_missing(score.value, score.n, missing)
    ends = f"{number(low, 'fraction', 1)} and {number(high, 'fraction', 1)}"
    whom = f" of the {plural(score.n + missing, 'item')} asked" if score.finite else ""
    return f" With them accuracy as published{whom} would be between {ends}, whatever they say."


def _is_validity(run: Results, e: Estimate) -> bool:
    return e.measure == "valid_rate" and e.reader == run.reader


READERS = Section("readers", "What came back, and who read it", context, notices)
