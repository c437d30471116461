"""A comparison of models: sentences, a chart, and one HTML file without a script."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from statistics import fmean
from urllib.parse import quote

from horsesense.comparison.align import Side, stop_notice
from horsesense.comparison.compare import Comparison, Difference, OrderInView, Standing
from horsesense.files import write_again, write_page
from horsesense.findings.sentences import statement
from horsesense.findings.uncounted import MOST_LOST, left_out
from horsesense.findings.wording import between, sided, signed
from horsesense.measures.registry import MEASURES
from horsesense.report.differing import differing
from horsesense.report.pieces import AS_FIGURES, AS_TABLES, Table, alone
from horsesense.report.rank_chart import COLOURS, FEW, all_ranked, dot_chart, rank_text
from horsesense.report.rendering import page
from horsesense.report.text import ShownShare, interval_of, value_of
from horsesense.stats.contrasts import Contrast
from horsesense.stats.words import percent, plural
from horsesense.version import __version__


def write_comparison(
    found: Comparison,
    path: Path,
    sides: Sequence[Side] = (),
    cells: Sequence[tuple[str, Contrast]] = (),
) -> Path:
    """Write the page to `path`, or its table or figure by the ending; StoreError where refused.

    With the runs that were compared, it shows items on which the models differ. `cells`: tasks of
    many problems compared over all runs.
    """
    if path.suffix in AS_TABLES:
        write_again(path, AS_TABLES[path.suffix](as_table(found)))
        return path
    if path.suffix in AS_FIGURES:
        write_again(path, alone(dot_chart(found, main=True), path.suffix[1:]))
        return path
    items, split = differing(sides, found.reader) if len(sides) > 1 else ([], 0)
    html = page(
        "comparison.html",
        c=found,
        title=MEASURES.get(found.measure).title,
        headline=headline(found),
        differing=items,
        split=split,
        cells=cells,
        sentences=sentences(found),
        items_text=items_text(found),
        figure=dot_chart(found),
        colours=[(m, COLOURS[n]) for n, m in enumerate(found.models[: FEW + 1])],
        few=len(found.models) <= FEW,
        each=[_of_run(side, path) for side in sides],
        orders={order.view: order for order in found.orders},
        version=__version__,
        listed=_listed,
        score_text=score_text,
        rank_text=rank_text,
        difference_text=difference_text,
        order_text=order_text,
    )
    write_page(path, html)
    return path


def write_sets(sets: Mapping[str, tuple[Comparison, Path]], path: Path) -> Path:
    """Write a page of several sets, each with the page of its own; StoreError if it cannot be."""
    heads, rows = sets_table({name: c for name, (c, _) in sets.items()})
    if path.suffix in AS_TABLES:
        write_again(path, AS_TABLES[path.suffix](Table("All sets", ["set", *heads[1:]], rows)))
        return path
    each = [
        (name, headline(c), quote(os.path.relpath(own, path.parent)))
        for name, (c, own) in sets.items()
    ]
    write_page(path, page("sets.html", heads=heads, rows=rows, each=each, version=__version__))
    return path


def sets_table(sets: Mapping[str, Comparison]) -> tuple[list[str], list[list[str]]]:
    """The table sets x models, the best mean rank first: headings, a row a set, and mean ranks.

    Beside a mean rank stand the means of the ends of its ranks. There is none where a model lacks
    a set: it would be one among other models.
    """
    mains = {name: c.by_view[c.main] for name, c in sets.items()}
    models = list(dict.fromkeys(m for row in mains.values() for m in row))
    rank = {m: [row[m] for row in mains.values() if m in row] for m in models}
    models.sort(key=lambda m: (-len(rank[m]), fmean(s.rank for s in rank[m])))
    rows = [
        [
            name,
            *(f"{score_text(row[m])} {_short_rank(row[m])}" if m in row else "–" for m in models),
        ]
        for name, row in mains.items()
    ]
    if all(row.keys() == set(models) for row in mains.values()):
        rows.append([f"Mean rank in {plural(len(sets), 'set')}", *(_mean(rank[m]) for m in models)])
    return ["", *models], rows


def _mean(ranks: Sequence[Standing]) -> str:
    told = f"{fmean(s.rank for s in ranks):.2f}"
    ends = [(s.rank_low, s.rank_high) for s in ranks if s.rank_low and s.rank_high]
    if len(ends) < len(ranks):
        return told
    low, high = (fmean(side) for side in zip(*ends, strict=True))
    return f"{told} [{low:.2f}, {high:.2f}]"


def _of_run(side: Side, page_path: Path) -> dict[str, object]:
    """What the verdict of a run found, and where its report lies, seen from the page."""
    report = side.results.directory.layout.report
    found = [statement(f, short=True) for f in side.results.verdict if f.conclusion == "found"]
    return {
        "name": side.name,
        "place": side.place,
        "checks": len(side.results.verdict),
        "found": found,
        "report": quote(os.path.relpath(report, page_path.parent)) if report.exists() else "",
    }


def sentences(c: Comparison) -> list[str]:
    """What can be said, the main thing first; model names as they are."""
    return [*_standing(c), *_lost(c), *_reordered(c), *_orders(c), *stop_notice(c.stopped)]


def headline(c: Comparison) -> str:
    """The best two of the main view: whether one is better, and by how much."""
    if len(c.models) < 2:
        return f"{c.models[0]}: {score_text(c.by_view[c.main][c.models[0]])}."
    best, second = c.models[:2]
    d = c.between(best, second)
    if lost := {best, second} & c.lost.keys():
        return f"No winner can be told: too many replies of {' and '.join(sorted(lost))} are lost."
    if d.better == best:
        return f"{best} is better than {second} by {_lead(d)}."
    within = "" if d.low is None else ", within noise"
    who = f"{best} leads" if d.value else f"{best} and {second} differ"
    return f"No clear winner: {who} by {_lead(d, within)}."


def _lead(d: Difference, within: str = "") -> str:
    """By how much the first of two models is ahead: "4.4 points, within noise (-4.6 to 13.3)"."""
    return f"{signed(100 * d.value, 1)} points{within}{_ends(d)}"


def _ends(d: Difference) -> str:
    if d.low is None or d.high is None:
        return f"; {d.note}" if d.note else ""
    return f" ({signed(100 * d.low, 1)} to {signed(100 * d.high, 1)})"


def _standing(c: Comparison) -> Iterator[str]:
    main = c.by_view[c.main]
    told = [f"{m} {score_text(main[m])} ({rank_text(main[m])})" for m in c.models]
    yield f"On {items_text(c)}, {c.main.lower()}: {_listed(told)}."
    yield headline(c)
    if changed := c.items["changed"]:
        same = plural(changed, "more item", "have the same id")
        yield f"{same}, but other texts or another gold: left out."
    yield from (f"{model}: {told}." for model, told in c.lost.items())
    every = [d for d in c.differences if d.view == c.main]
    open_ = [d for d in every if not d.better]
    if len(every) > 1:
        yield from _pairs(c, open_, len(every))
    yield from _elsewhere(c, open_)


def _pairs(c: Comparison, open_: Sequence[Difference], every: int) -> Iterator[str]:
    """Of several pairs, how many are undecided, and the first of them."""
    if not open_:
        yield f"All {plural(every, 'pair')} of models differ."
        return
    found = [_best_first(c, d) for d in open_[:3]]
    named = "; ".join(f"{d.first} and {d.second} ({difference_text(d)})" for d in found)
    more = f"; {len(open_) - 3:,} more" if len(open_) > 3 else ""
    yield f"Undecided: {len(open_):,} of {plural(every, 'pair')} of models: {named}{more}."


def _elsewhere(c: Comparison, open_: Sequence[Difference]) -> Iterator[str]:
    """Where a pair that the main view leaves open is decided: the clearest, and how many others."""
    pairs = [{d.first, d.second} for d in open_]
    decided = [
        d
        for d in c.differences
        if d.better
        and d.view != c.main
        and {d.first, d.second} in pairs
        and all_ranked(c.by_view[d.view])
    ]
    if not decided:
        return
    most = max(decided, key=lambda d: abs(d.value))
    worse = next(m for m in (most.first, most.second) if m != most.better)
    led = c.between(most.better, worse, most.view)
    yield f"Under “{most.view}”, {most.better} is better than {worse} by {_lead(led)}."
    if len(decided) > 1:
        more = plural(len(decided) - 1, "more difference")
        yield f"Other changes decide {more} that the main view leaves undecided."


def items_text(c: Comparison) -> str:
    """The items that the main view rests on: those that are shared and scored for every model.

    People answer some of the items, and a reply may be missing.
    """
    shared, scored = c.items["shared"], c.by_view[c.main][c.models[0]].n
    lack = shared - scored - c.items["goldless"]
    reasons = left_out(c.items["goldless"]), f"{lack:,} lack a score" if lack > 0 else ""
    out = f" ({told})" if (told := "; ".join(filter(None, reasons))) else ""
    if scored == shared:
        return f"{plural(shared, 'item')} that all runs share"
    return (
        f"{plural(scored, 'item')} with a score of every model, of {shared:,} that all runs share"
        f"{out}"
    )


def _lost(c: Comparison) -> Iterator[str]:
    """That replies are missing, where it is more than a detail."""
    missing = c.missing.get(c.main, 0)
    asked = c.by_view[c.main][c.models[0]].n + missing
    if len(c.models) > 1 and not c.stopped and missing > MOST_LOST * asked:
        yield (
            f"{missing:,} of {plural(asked, 'item')} lack a score of some model: shares leave them"
            " out, differences and ranks hold whatever the missing replies are."
        )


def _reordered(c: Comparison) -> Iterator[str]:
    if n := c.items["reordered"]:
        verb = "shows its" if n == 1 else "show their"
        yield (
            f"{plural(n, 'item')} {verb} options in another order in some run: a part of a"
            " difference may be the order."
        )


def _best_first(c: Comparison, d: Difference) -> Difference:
    first, second = sorted((d.first, d.second), key=c.models.index)
    return c.between(first, second)


def _orders(c: Comparison) -> Iterator[str]:
    for order in c.orders:
        if order.verdict == "changes":
            yield _changed(c, order)
    holds = [order.view for order in c.orders if order.verdict == "holds"]
    if holds:
        named = "" if len(holds) == len(c.orders) else f": {'; '.join(holds)}"
        yield f"The ranking holds under {_of(c, holds)}{named}."
    rest = [order for order in c.orders if order.verdict == "undecided"]
    if rest and any(order.decided for order in rest):
        views = [order.view for order in rest]
        yield f"Undecided whether the ranking holds under {_of(c, views)}: {'; '.join(views)}."
    elif rest and len(c.models) > 1:
        yield f"No model leads {c.main.lower()}, so there is no ranking to reverse."


def _of(c: Comparison, views: Sequence[str]) -> str:
    """How many of the changes: "2 of 9 changes", "all 9 changes"."""
    every = plural(len(c.orders), "change")
    if len(views) < len(c.orders):
        return f"{len(views)} of {every}"
    return f"all {every}" if len(views) > 1 else "the one change"


def _changed(c: Comparison, order: OrderInView) -> str:
    if not order.reversed:
        return (
            f"The ranking changes under “{order.view}”: Kendall's tau is"
            f" {signed(order.tau or 0, 2)}; sampling alone leaves"
            f" {signed(order.sampling_low or 0, 2)} or more."
        )
    first, second = max(
        order.reversed, key=lambda pair: abs(c.between(pair[0], pair[1], order.view).value)
    )
    more = len(order.reversed) - 1
    tail = f"; {plural(more, 'more pair')} {'turns' if more == 1 else 'turn'} round" if more else ""
    return (
        f"The ranking changes under “{order.view}”: {second} leads {first} by"
        f" {_lead(c.between(second, first, order.view))}, and {c.main.lower()} {first} leads by"
        f" {_lead(c.between(first, second))}{tail}."
    )


def _listed(texts: Sequence[str]) -> str:
    """
    >>> _listed(["a", "b", "c"])
    'a, b and c'
    """
    return ", ".join(texts[:-1]) + f" and {texts[-1]}" if len(texts) > 1 else "".join(texts)


def score_text(s: Standing) -> str:
    """A score with its interval: "57 % [44, 69]"."""
    share = ShownShare(s.value, s.low, s.high)
    return f"{value_of(share)} {interval_of(share)}".strip()


def difference_text(d: Difference) -> str:
    """A difference in points with its interval and its sign: "+12.0 [3.1, 20.8]"."""
    sign = "+" if d.value > 0 else ""
    if d.low is None or d.high is None:
        return f"{sign}{signed(100 * d.value, 1)}"
    ends = 100 * d.low, 100 * d.high
    return f"{sign}{signed(100 * d.value, sided(*ends, 1))} {between(*ends, 1)}"


def order_text(order: OrderInView) -> str:
    """Kendall's tau."""
    return "no ranking" if order.tau is None else signed(order.tau, 2)


def table(c: Comparison) -> tuple[list[str], list[list[str]]]:
    """The table models x views for a terminal: headings, and one row a view; of several views,
    whether each ranks the models as the first does."""
    heads = ["", *c.models, "items", *["ranking"] * (len(c.views) > 1)]
    orders = {order.view: order for order in c.orders}
    rows = []
    for view in c.views:
        cells = [
            f"{score_text(s)} {_short_rank(s)}".strip()
            for s in (c.by_view[view][m] for m in c.models)
        ]
        order = orders.get(view)
        n = f"{c.by_view[view][c.models[0]].n:,}"
        ranking = "" if order is None else order.verdict
        if order is not None and len(c.models) > 2:
            ranking += f" (tau {order_text(order)})"
        rows.append([view, *cells, n, ranking][: len(heads)])
    return heads, rows


def as_table(c: Comparison) -> Table:
    """The same as a table of a paper; for machines, a row for each model in each view."""
    heads, rows = table(c)
    names = [each.name for each in fields(Standing)]
    plain = [[getattr(standing, name) for name in names] for standing in c.standings]
    note = (
        f"{headline(c)} In brackets the {percent(c.level)} interval of one score. Behind # the"
        " ranks that a model may have; all of them hold together."
    )
    return Table(headline(c), ["form", *heads[1:]], rows, Table("", names, plain), note)


def _short_rank(s: Standing) -> str:
    if s.rank_low is None:
        return ""
    return f"#{s.rank_low}" + (f"-{s.rank_high}" if s.rank_high != s.rank_low else "")
