"""Why an item is evidence: what happened to it, and which findings that speaks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import polars as pl

from horsesense.findings.finding import Finding
from horsesense.measures.composition import PARTS
from horsesense.measures.contrast import REPEAT
from horsesense.measures.joined import ORIGINAL
from horsesense.runs.results import Results
from horsesense.trials.trial import NONE_OPTION

MOST_TRIALS = 1_000_000
"""About so many trials are looked at together."""


class Reason(NamedTuple):
    """One thing that may have happened to an item.

    Attributes:
        name: in words, as a filter is called.
        holds: an aggregation over the item's trials, as the main reader read them.
        kinds: the kinds of finding that such items are evidence for, under any probe.
        probe: the probe whose other findings they are evidence for; "" for none.
    """

    name: str
    holds: pl.Expr
    kinds: tuple[str, ...] = ()
    probe: str = ""


def _under(probe: str) -> pl.Expr:
    return pl.col("probe") == probe


def _changed(probe: str) -> pl.Expr:
    """An option was chosen as published, and another one under the probe."""
    return (_under(probe) & pl.col("option").ne(pl.col("original"))).any()


def _turned(probe: str) -> pl.Expr:
    """Right as published and wrong under the probe, or the other way round."""
    return (_under(probe) & pl.col("correct").ne(pl.col("original_correct"))).any()


_ORDER = _under("order")
_LEAVES_OUT = _under("select_one") & (pl.col("status") == "none")
"""The reply about one label does not name the item, which may have another."""
FIXED: tuple[Reason, ...] = (
    Reason(
        "wrong in the original order",
        (_under(ORIGINAL) & ~pl.col("correct")).any(),
        kinds=("no_better_than_guessing",),
    ),
    Reason(
        "same place in every order",
        (_ORDER & pl.col("position").is_not_null()).sum().gt(1)
        & (pl.col("position").filter(_ORDER).n_unique() == 1)
        & (pl.col("option").filter(_ORDER).n_unique() > 1),
        kinds=("position_preference", "position_locked"),
    ),
    Reason("changed with the order", _changed("order"), kinds=("no_agreement",), probe="order"),
    Reason("changed with the labels", _changed("labels"), probe="labels"),
    Reason("changed when asked again", _changed(REPEAT), probe=REPEAT),
    Reason(
        "none-option missed",
        (
            _under("none_of_the_above")
            & (pl.col("gold_content") == NONE_OPTION)
            & ~pl.col("correct")
        ).any(),
        kinds=("none_option",),
    ),
    Reason(
        "right without the question",
        (_under("options_only") & pl.col("correct")).any(),
        kinds=("without_question",),
        probe="options_only",
    ),
    Reason(
        "first token and text differ",
        pl.col("option").ne(pl.col("other")).any(),
        kinds=("first_token", "other_reader"),
    ),
    Reason(
        "a wrong option accepted alone",
        (_under("true_false") & ~pl.col("correct")).any(),
        kinds=("wrong_accepted",),
    ),
    Reason(
        "no option chosen",
        (~pl.col("status").is_in(["answer", "unclear"]) & ~_LEAVES_OUT).any(),
        kinds=("no_choice", "fewer_choices"),
    ),
    Reason("reply unclear", (pl.col("status") == "unclear").any()),
    Reason("no answer received", pl.col("status").is_null().any()),
)
"""What is looked for in every run; the order in which filters are listed."""


def reasons_of(run: Results) -> list[Reason]:
    """What is looked for in a run: the fixed reasons, and one for each other probe it asked."""
    taken = {reason.probe for reason in FIXED} | {ORIGINAL, "true_false"}
    others = [probe for probe in run.asked if probe["name"] not in taken]
    first, *more = FIXED
    return [
        first._replace(name="wrong at least once") if run.imported else first,
        *more,
        *(
            Reason(
                f"right in only one of: original, {str(probe['title']).lower()}",
                _turned(probe["name"]),
                probe=probe["name"],
            )
            for probe in {probe["name"]: probe for probe in others}.values()
        ),
    ]


def reason_for(finding: Finding, reasons: Iterable[Reason]) -> Reason | None:
    """The reason whose items are evidence for a finding; None where items show nothing of it."""
    reasons = list(reasons)
    by_kind = (reason for reason in reasons if finding.kind in reason.kinds)
    by_probe = (reason for reason in reasons if reason.probe == finding.probe)
    return next(by_kind, next(by_probe, None))


class ItemEvidence(NamedTuple):
    """What happened to every item of a run.

    Attributes:
        ids: item ids in the order of the data.
        holds: reason -> ids of the items it holds for; reasons that hold for none are left out.
        part: item id -> the part of the score that it belongs to, as in `measures.composition`;
            items that belong to none are left out.
    """

    ids: tuple[str, ...]
    holds: Mapping[str, frozenset[str]]
    part: Mapping[str, str]


def evidence_of(run: Results) -> ItemEvidence:
    """Go through the tables of a run, some items at a time, and find what happened to each."""
    reasons = reasons_of(run)
    rows = run.directory.trials().select(pl.len()).collect().item()
    step = max(1, len(run.items) * MOST_TRIALS // max(1, rows))
    frame = pl.concat(
        _read_trials(run, first, first + step)
        .group_by("item")
        .agg(*(reason.holds.alias(reason.name) for reason in reasons), part=_part())
        .sort("item")
        .collect()
        for first in range(0, max(1, len(run.items)), step)
    )
    names = [item.id for item in run.items]  # not those of the table: each would be a copy

    def named(rows: pl.DataFrame) -> list[str]:
        return [names[at] for at in rows["item"]]

    holds = {
        reason.name: frozenset(named(frame.filter(pl.col(reason.name).fill_null(False))))
        for reason in reasons
    }
    placed = frame.filter(pl.col("part").is_not_null())
    return ItemEvidence(
        tuple(named(frame)),
        {name: ids for name, ids in holds.items() if ids},
        dict(zip(named(placed), placed["part"], strict=True)),
    )


def _part() -> pl.Expr:
    """The part of the score that an item belongs to; null where a form has no reading."""
    published, order = _under(ORIGINAL), _ORDER
    right = pl.col("correct").fill_null(False)
    unread = pl.col("status").is_null() | (pl.col("status") == "unclear")
    lost = ((published | order) & unread).any()
    both = published.any() & order.any() & pl.col("gold_content").is_not_null().any()
    as_published = (right | ~published).all()
    not_published = (~right | ~published).all()
    every, none = (right | ~order).all(), (~right | ~order).all()
    holds = (
        as_published & every,
        as_published & ~every,
        not_published & ~none,
        not_published & none,
    )
    named = (pl.when(part).then(pl.lit(name)) for part, name in zip(holds, PARTS, strict=True))
    whole = pl.coalesce(*named)
    return pl.when(both & ~lost).then(whole).otherwise(None)


def _read_trials(run: Results, first: int, end: int) -> pl.LazyFrame:
    """Trials of items, by number, with their reading by the main reader, that of the first token,
    and as published."""
    shown = (
        run.directory.trials()
        .filter(pl.col("item").is_between(first, end, closed="left"))
        .select(
            pl.col("trial", "variant", "item", "probe"),
            gold_content=pl.col("origin").list.get(pl.col("gold_at"), null_on_oob=True),
        )
    )
    number = pl.col("trial")
    least, most = shown.select(least=number.min(), most=number.max()).collect().row(0)
    read = (run.directory.readings().filter(number.is_between(least, most))).select(
        pl.col("trial", "variant", "reader", "status", "option"),
        correct=pl.when(pl.col("status") != "unclear").then(pl.col("correct")),
        position=pl.when(pl.col("positions").list.len() == 1).then(
            pl.col("positions").list.first()
        ),
    )
    other = "first_token" if run.reader == "text" and "first_token" in run.readers else run.reader
    second = read.filter(pl.col("reader") == other).select("trial", "variant", other="option")
    mine = read.filter(pl.col("reader") == run.reader).drop("reader")
    key = ["trial", "variant"]
    frame = shown.join(mine, on=key, how="left").join(second, on=key, how="left")
    published = (
        frame.filter(pl.col("probe") == ORIGINAL)
        .group_by("item")
        .agg(original=pl.col("option").first(), original_correct=pl.col("correct").first())
    )
    return frame.join(published, on="item", how="left")
