"""Votes over shuffles: what an item answers once the order of its options is averaged out.

A perturbed question is shown in several versions, each under the same shuffles (Look at the Text,
section 5.3). The most frequent content over the shuffles is the version's answer; where several
are as frequent, the first to become so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Rows, of_items
from horsesense.measures.cells import (
    MISSING,
    NO_OPTION,
    NOT_ASKED,
    STATUS_CODE,
    Cell,
    Parts,
    Scores,
)
from horsesense.measures.joined import OfProbe, families, joined
from horsesense.measures.parts import of_whole
from horsesense.probes.perturbed import Perturbation
from horsesense.probes.registry import PROBES
from horsesense.readers.reading import Status
from horsesense.trials.trial import NONE_OPTION, REFUSED_OPTION, UNKNOWN_OPTION

ADDED = (NONE_OPTION, REFUSED_OPTION, UNKNOWN_OPTION)
_STATUS: Mapping[int, Status] = {
    NONE_OPTION: "none",
    REFUSED_OPTION: "refusal",
    UNKNOWN_OPTION: "unknown",
}
PERTURBED = tuple(probe.name for probe in PROBES if issubclass(probe, Perturbation))
"""Probes that show versions of the question."""


class Votes(NamedTuple):
    """Votes of items, (items, versions).

    Attributes:
        option: the elected content, or NO_OPTION.
        place: the column of the trial that made it the winner.
        tied: whether another content was as frequent.
        known: whether every trial of the version was read.
        asked: whether there is such a version.
    """

    option: npt.NDArray[np.int16]
    place: npt.NDArray[np.intp]
    tied: npt.NDArray[np.bool_]
    known: npt.NDArray[np.bool_]
    asked: npt.NDArray[np.bool_]


def versions_of(cell: Cell) -> int:
    """How many versions of the question a cell holds; 0 where it is not made of versions."""
    return cell.condition.integer("versions")


def votes(cell: Cell, versions: int = 1) -> Votes:
    """The vote of each item and version.

    An item's trials stand side by side, those of a version together, all versions alike.
    """
    shuffles = np.maximum(cell.asked.sum(axis=1), 1) // versions
    version = (np.cumsum(cell.asked, axis=1) - 1) // np.maximum(shuffles, 1)[:, None]
    made = [_vote(cell, cell.asked & (version == v)) for v in range(versions)]
    return Votes(*(np.stack(arrays, axis=1) for arrays in zip(*made, strict=True)))


def _vote(cell: Cell, of: npt.NDArray[np.bool_]) -> tuple[Any, ...]:
    """One vote per item over the trials `of` a version."""
    named = cell.option != NO_OPTION
    same = (cell.option[:, :, None] == cell.option[:, None, :]) & named[:, :, None]
    same |= np.eye(cell.option.shape[1], dtype=bool)
    same &= of[:, :, None] & of[:, None, :]
    # running[i, j]: how often the content of trial j was chosen up to and with trial j.
    running = np.tril(same).sum(axis=2)
    most = running.max(axis=1, initial=0)
    place = (running == np.maximum(most, 1)[:, None]).argmax(axis=1)
    winners = (running == most[:, None]) & of
    rows = np.arange(len(place))
    asked = of.any(axis=1)
    known = asked & (cell.read | ~of).all(axis=1)
    content = np.where(asked, cell.option[rows, place], NO_OPTION)
    return content, place, winners.sum(axis=1) > 1, known, asked


def elected(cell: Cell) -> Cell:
    """A cell of perturbed questions with one column per version: the version's vote.

    Any other cell as it is.
    """
    versions = versions_of(cell)
    if not versions:
        return cell
    made = [votes(part, versions) for _, part in cell.parts()]
    vote = Votes(*(np.concatenate(arrays) for arrays in zip(*made, strict=True)))
    status = np.full(vote.option.shape, STATUS_CODE["answer"], dtype=np.int8)
    status[vote.option == NO_OPTION] = STATUS_CODE["ambiguous"]
    for code, name in _STATUS.items():
        status[vote.option == code] = STATUS_CODE[name]
    status[~vote.known] = MISSING
    status[~vote.asked] = NOT_ASKED

    def at(values: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
        return np.take_along_axis(values, vote.place, axis=1)

    changed = {n: at(getattr(cell, n)) for n in ("position", "gold_at", "correct")}
    return replace(cell.less(Scores), status=status, option=vote.option, **changed)  # type: ignore[arg-type]


@OfProbe.of("Votes that are tied", probe_names=(*PERTURBED, "extra_options"))
def vote_tie_rate(cell: Cell) -> Rows:
    """Share of votes over shuffled options in which several contents are most frequent (Look at the
    Text, section 5.3); the first to become so is taken.
    """
    vote = votes(cell, versions_of(cell) or 1)
    tied = (vote.tied & vote.known).sum(axis=1)
    rows = np.column_stack([tied, vote.known.sum(axis=1)]).astype(np.float64)
    return Rows(rows, int(vote.known.sum()), int((vote.asked & ~vote.known).sum()))


class AnswerFloating(OfProbe):
    """Share of items whose voted content changes when three abstention options are added (Look at
    the Text, section 5.4), and of those that change to an added one; a text that declines before
    has the content of the abstention option after. Items that have no clear vote before nor after
    show no answer that could change.

    `cell` joins the trials without and with the added options.
    """

    title = "Answers that float when options are added"
    counted = "items"
    probe_names = ("extra_options",)
    names = ("all", "to_added")

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        """The trials without and with the added options, side by side."""
        for design, parts in families(super().cells(every), "added"):
            if len(parts) == 2:
                named = {"before": parts["0"], "after": parts["3"]}
                yield joined(named, "extra_options", design)

    def rows(self, cell: Cell) -> Rows:
        before, after, used = outcomes(cell)
        used &= (before != NO_OPTION) | (after != NO_OPTION)
        changed = before != after
        to_added = changed & np.isin(after, ADDED)
        return of_items(np.column_stack([changed, to_added]), used, cell.asked.any(axis=1))


def outcomes(
    cell: Cell,
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16], npt.NDArray[np.bool_]]:
    """Votes before and after, (items,), and where both are known."""
    both = [votes(only(cell, part)) for part in ("before", "after")]
    before, after = (vote.option[:, 0] for vote in both)
    return before, after, both[0].known[:, 0] & both[1].known[:, 0]


def only(cell: Cell, part: str) -> Cell:
    """A joined cell whose other columns count as not asked."""
    return replace(cell, status=np.where(cell[Parts].of(part), cell.status, NOT_ASKED))


class AnswerFlow(AnswerFloating):
    """Share of items by what was voted before and after three abstention options were added: right,
    wrong, another wrong, none, refusal, unknown, or unclear; all shares sum to 1.

    The flow behind `answer_floating`; without gold, right and wrong are both "option".
    """

    title = "Where answers go when options are added"

    def groups(self, cell: Cell) -> Sequence[str]:
        return _different_flows(cell)

    def rows(self, cell: Cell) -> Rows:
        flows = np.array(_flows(cell))
        names = np.array(self.groups(cell), dtype=np.str_)
        return of_items(flows[:, None] == names, flows != "", cell.asked.any(axis=1))


def _flows(cell: Cell) -> list[str]:
    """ "before → after" of each item; "" where one of the votes is not known."""
    before, after, used = outcomes(cell)
    gold = _gold(cell)
    flows = []
    for one, two, right, known in zip(before, after, gold, used, strict=True):
        names = _named(int(one), int(right)), _named(int(two), int(right))
        other = one != two and names[0] == names[1] in ("wrong", "option")
        last = f"another {names[1]}" if other else names[1]
        flows.append(f"{names[0]} → {last}" if known else "")
    return flows


@of_whole
def _different_flows(cell: Cell) -> list[str]:
    """The flows that there are."""
    found = (flow for _, part in cell.parts() for flow in _flows(part))
    return sorted(set(found) - {""})


def _gold(cell: Cell) -> npt.NDArray[np.int64]:
    """The right content of each item, as far as any of its trials shows it; NO_OPTION else."""
    right = np.where(cell.correct == 1, cell.option, NO_OPTION).max(axis=1)
    known = (cell.correct >= 0).any(axis=1)
    # An item that is never right has a gold that no vote can name.
    return np.where(known, np.where(right == NO_OPTION, NO_OPTION + 1, right), NO_OPTION)


def _named(content: int, gold: int) -> str:
    if content == NO_OPTION:
        return "unclear"
    if content in _STATUS:
        return _STATUS[content]
    if gold == NO_OPTION:
        return "option"
    return "right" if content == gold else "wrong"
