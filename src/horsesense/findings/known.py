"""The share known and the bounds of the score's parts, from the cells of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from horsesense.findings.sentences import WHY
from horsesense.findings.uncounted import LACK, in_some
from horsesense.measures import composition
from horsesense.measures.base import Estimate
from horsesense.measures.cells import MISSING, Cell
from horsesense.measures.composition import CompositionQuestionless, ScoreComposition, Sorted
from horsesense.stats.known import DRAWS, WITHOUT_CHOICE, Known, share_known
from horsesense.stats.smooth import ROUNDING
from horsesense.stats.words import some_of

NOT_WITHHELD = f"it was not asked; the probe {composition.QUESTIONLESS_PROBE} asks it"
"""Why the share that is right without the question is not known of most suites of a paper."""

NOT_CYCLIC = "not every option stood in every position"
"""Why it is not told of random orders, as of some papers, and of those in a log."""

FIXED_BEFOREHAND = "its interval needs a number of items fixed in advance"
"""Why the share known is not told where what was answered decided how many were asked."""


def known_by_reader(
    cells: Sequence[Cell],
    cluster: npt.NDArray[np.intp],
    level: float,
    seed: int,
    lacking: str = LACK,
) -> dict[str, dict[str, Any]]:
    """`share_known` of each reader's cyclic orders, as JSON; "" as reason where it was fitted.

    Args:
        lacking: what is true of the prompts without an answer (`Run.lacking`).
    """
    refused = asdict(Known(level=level, reason=NOT_CYCLIC))
    return {cell.reader: refused for cell in _orders(cells)} | {
        cell.reader: _as_json(cell, cluster, level, seed, lacking) for cell in _cyclic(cells)
    }


def unasked_known(
    cells: Sequence[Cell], level: float, whole: int, ended: str = ""
) -> dict[str, dict[str, Any]]:
    """The same where asking stopped for what was answered: refused, with the reason.

    Args:
        whole: how many items can be put in other orders.
        ended: what ended asking; "" where all was decided.
    """

    def refused(cell: Cell) -> dict[str, Any]:
        after = f"after {some_of(int(cell.asked.any(axis=1).sum()), whole, 'item')} in the orders"
        reason = f"{WHY[ended or 'stopped']}, {after}, and {FIXED_BEFOREHAND}"
        return asdict(Known(level=level, reason=reason))

    return {cell.reader: refused(cell) for cell in _cyclic(cells)}


def _orders(cells: Sequence[Cell]) -> Iterator[Cell]:
    for cell in cells:
        if cell.answer_format == "letter" and not cell.held_out and cell.probe == "order":
            yield cell


def _cyclic(cells: Sequence[Cell]) -> Iterator[Cell]:
    return (c for c in _orders(cells) if c.condition.get("design", "").startswith("cyclic"))


def _as_json(
    cell: Cell, cluster: npt.NDArray[np.intp], level: float, seed: int, lacking: str
) -> dict[str, Any]:
    choices, clusters, unclear = by_gold(cell, cluster)
    silent = int((cell.status == MISSING).any(axis=1).sum())
    also = ", or choose no option," if unclear > silent else ""
    found = share_known(
        choices,
        unclear=unclear,
        why=WITHOUT_CHOICE if lacking == LACK else in_some(f"{lacking}{also}", "in some order"),
        level=level,
        draws=DRAWS,
        seed=seed,
        clusters=clusters,
    )
    told: dict[str, Any] = _without_dust(asdict(found))
    return told


def _without_dust(value: Any) -> Any:
    """What EM leaves of a share that is 0, such as 1e-119, is 0."""
    if isinstance(value, dict):
        return {name: _without_dust(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_without_dust, value))
    return 0.0 if isinstance(value, float) and abs(value) < ROUNDING else value


def by_gold(
    cell: Cell, cluster: npt.NDArray[np.intp]
) -> tuple[dict[int, npt.NDArray[np.int64]], dict[int, npt.NDArray[np.intp]], int]:
    """Positions chosen where the right option stands at h, by number of options; the clusters of
    these items; and how many items have a form without a choice."""
    tables: dict[int, npt.NDArray[np.int64]] = {}
    clusters: dict[int, npt.NDArray[np.intp]] = {}
    unclear = 0
    for k in map(int, np.unique(cell.k)):
        rows = np.flatnonzero(cell.k == k)
        if k < 2 or cell.gold_at.shape[1] < k:
            continue
        gold, chosen = cell.gold_at[rows, :k].astype(np.int64), cell.position[rows, :k]
        cyclic = (np.sort(gold, axis=1) == np.arange(k)).all(axis=1)
        clear = cyclic & (chosen >= 0).all(axis=1) & (chosen < k).all(axis=1)
        unclear += int((cyclic & ~clear).sum())
        table = np.zeros((int(clear.sum()), k), dtype=np.int64)
        np.put_along_axis(table, gold[clear], chosen[clear].astype(np.int64), axis=1)
        if len(table):
            tables[k], clusters[k] = table, cluster[cell.item[rows[clear]]]
    return tables, clusters, unclear


def composition_by_reader(
    cells: Sequence[Cell], estimates: Sequence[Estimate], about: int | None = None
) -> dict[str, dict[str, Any]]:
    """The parts of the score with their bounds, and what is right without the question.

    Args:
        about: of how many items the intervals are, where not all of them were asked.
    """
    told: dict[str, dict[str, Any]] = {}
    for cell in ScoreComposition().cells(cells):
        found = Sorted.of(cell)
        if found.considered.any():
            without = [*_questionless(cells, cell.reader, estimates)]
            told[cell.reader] = {
                "about": about,
                "items": int(found.considered.sum()),
                "unclassified": int(found.doubtful.sum()),
                "mixed": int((found.doubtful & found.complete).sum()),
                "bounds_only": found.bounds_only,
                "parts": [*_parts(cell.reader, found, estimates)],
                "questionless": without or None,
                "questionless_reason": "" if without else _not_withheld(cells),
                "reason": "",
            }
    return told


def unasked_composition(cells: Sequence[Cell], ended: str = "") -> dict[str, dict[str, Any]]:
    """The same where asking stopped for what was answered: no part, and the reason."""
    blank: dict[str, Any] = {"about": None, "items": 0, "unclassified": 0, "mixed": 0}
    blank |= {"bounds_only": False, "parts": [], "questionless": None}
    blank |= dict.fromkeys(("questionless_reason", "reason"), WHY[ended or "stopped"])
    joined = ScoreComposition().cells(cells)
    return {c.reader: blank for c in joined if composition.considered(c).any()}


def _parts(reader: str, found: Sorted, estimates: Sequence[Estimate]) -> Iterator[dict[str, Any]]:
    """Each part with its interval, and its share if none or all of the doubtful items are in it."""
    n, classified = int(found.considered.sum()), int((found.part >= 0).sum())
    for number, name in enumerate(composition.PARTS):
        shown: dict[str, Any] = {"name": name, "value": None, "low": None, "high": None}
        shown["n"] = classified
        if not found.bounds_only:
            shown = _shown(_one(estimates, "score_composition", reader, name))
        doubtful = int((found.may[:, number] & found.doubtful).sum())
        sure = int((found.part == number).sum())
        yield {**shown, "count": sure, "least": sure / n, "most": (sure + doubtful) / n}


def _questionless(
    cells: Sequence[Cell], reader: str, estimates: Sequence[Estimate]
) -> Iterator[dict[str, Any]]:
    """Each part's items right without the question, as counts, with the share's interval."""
    measure = CompositionQuestionless()
    for cell in measure.cells(cells):
        if cell.reader != reader or measure.undefined_reason(cell):
            continue
        right, n = np.split(measure.rows(cell).rows.sum(axis=0), 2)
        for place, name in enumerate(measure.groups(cell)):
            e = _one(estimates, measure.name, reader, name)
            yield {**_shown(e), "right": int(right[place]), "n": int(n[place])}


def _not_withheld(cells: Sequence[Cell]) -> str:
    """Why nothing is known of the items without their question."""
    asked = any(cell.probe == composition.QUESTIONLESS_PROBE for cell in cells)
    return "no such reply could be read" if asked else NOT_WITHHELD


def _one(estimates: Sequence[Estimate], measure: str, reader: str, group: str) -> Estimate:
    wanted = (measure, reader, group)
    return next(e for e in estimates if (e.measure, e.reader, e.group) == wanted)


def _shown(e: Estimate) -> dict[str, Any]:
    return {"name": e.group, "value": e.value, "low": e.low, "high": e.high, "n": e.n}
