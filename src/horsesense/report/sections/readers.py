"""What kind of reply came back, and whether first token and text say the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from horsesense.findings.uncounted import Missing
from horsesense.findings.wording import number
from horsesense.measures.base import Estimate
from horsesense.measures.bounds import whatever_is_missing
from horsesense.readers.reading import STATUSES
from horsesense.report.behind_score import up_to
from horsesense.report.charts import Point, forest
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import rests_on
from horsesense.runs.results import Results
from horsesense.stats.words import plural

SPENT = ("asked", "cached", "answered", "failed", "sent", "prompt_tokens", "completion_tokens")


def context(run: Results) -> Context | None:
    if not run.readers:
        return None
    mismatch = run.everywhere("mismatch_rate", "first_token")
    rows = [Point(run.label(e.probe, e.condition), e) for e in mismatch]
    statuses = {reader: _statuses(run, reader) for reader in run.readers}
    judges, before = (run.findings.get(name, {}) for name in ("judges", "judges_before"))
    return {
        "mismatch": rows
        and forest(
            rows,
            "Trials in which first token and text differ, %",
            caption="First token against text",
        ),
        "mismatch_n": rests_on(mismatch),
        "judges": _spent(judges, "") + _spent(before, " before"),
        "cascades": list(_cascades(run)),
        "by_text": list(_by_text(run)),
        "statuses": {reader: told for reader, told in statuses.items() if told},
        "choosing": [reader for reader, told in statuses.items() if not told],
    }


def _spent(judges: Mapping[str, Any], when: str) -> list[tuple[str, list[int]]]:
    return [(name + when, [told[count] for count in SPENT]) for name, told in judges.items()]


def _cascades(run: Results) -> Iterator[list[tuple[str, Sequence[Any]]]]:
    """The steps of each cascade: the reader that it adds, the replies that came to it, those of
    them that it settled and that it reads otherwise, and the accuracy with all steps so far."""
    for name, told in run.findings.get("cascades", {}).items():
        first, judged = run.one("accuracy", reader="text"), run.one("accuracy", reader=name)
        settled = told["read"] - told["left_open"]
        yield [
            ("text", (told["read"], settled, None, first)),
            (told["judge"], (told["left_open"], told["judged"], told["changed"], judged)),
        ]


def _by_text(run: Results) -> Iterator[tuple[str, list[Estimate | None]]]:
    """Accuracy by each reader of option texts and by letter, their difference item by item, and the
    share of trials in which the two choose different options."""
    letter = run.one("accuracy", reader="first_token")
    for reader in run.readers:
        text = run.one("accuracy", reader=reader)
        differ = run.one("letter_difference", reader=reader)
        if letter is not None and text is not None and differ is not None:
            yield reader, [text, letter, run.one("score_gain", reader=reader), differ]


def _statuses(run: Results, reader: str) -> Context:
    """Kinds of reply under each probe; empty where every reply chose an option."""
    cells: dict[str, dict[str, Estimate]] = {}
    for e in run.everywhere("status_share", reader):
        cells.setdefault(run.label(e.probe, e.condition), {})[e.group] = e
    if all("answer" in shares and shares["answer"].value == 1 for shares in cells.values()):
        return {}
    seen = {status for shares in cells.values() for status, e in shares.items() if e.value}
    kinds = [status for status in STATUSES if status in seen]
    rows = [(label, [shares.get(kind) for kind in kinds]) for label, shares in cells.items()]
    return {"heads": ["Change", *kinds], "rows": rows}


def notices(run: Results) -> Iterator[str]:
    """All prompts without a reading; the number behind it is where their share is largest."""
    if not run.missing:
        return
    main = [e for e in run.estimates if (e.measure, e.reader) == ("valid_rate", run.reader)]
    worst = max(run.missing, key=lambda e: e.n_missing / (e.n + e.n_missing))
    bands = "Bands allow for that. Other numbers" if "until" in run.findings else "Numbers"
    label, of = run.label(worst.probe, worst.condition), worst.n + worst.n_missing
    most = f", missing most of all under “{label}” ({worst.n_missing:,} of {of:,})"
    told = lacking(run, run.missing, sum(e.n + e.n_missing for e in main))
    if not run.readers:
        yield f"{told}."
        return
    yield (
        f"{told}{most * (len(main) > 1)}. {bands} leave these out; scores as graded count"
        f" unclear replies as wrong.{_could_be(run)}"
    )


def lacking(run: Results, missing: Sequence[Estimate], of: int) -> str:
    """What prompts lack: "5 of 313 prompts were not asked and 1 failed"."""
    each = [run.missing_of(e) for e in missing]
    unasked, failed, unclear = (sum(n) for n in zip(*(one[:3] for one in each), strict=True))
    return Missing(unasked, failed, unclear, each[0].never).clause(of, "prompt")


def _could_be(run: Results) -> str:
    """What accuracy as published would be, whatever the missing and unclear replies say.

    Where asking stopped early it says so of the items asked: the others could be anything.
    """
    score = run.one("accuracy")
    if score is None or score.value is None or up_to(run):
        return ""  # the headline says it
    # Of a score that stopped, what was not asked is no part of what it is of.
    missing = score.n_missing - (run.missing_of(score).not_asked if score.finite else 0)
    if not missing:
        return ""
    bounds = whatever_is_missing(score.value, score.n, missing)
    low, high = (number(end, "fraction", 1) for end in bounds)
    whom = f" of the {plural(score.n + missing, 'item')} asked" if score.finite else ""
    return f" Depending on the missing replies, the score{whom} lies between {low} and {high}."


READERS = Section("readers", "What came back, and who read it", context, notices, open=False)
