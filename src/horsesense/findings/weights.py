"""How the error rate of a verdict is shared: half to the main kinds, each kind and member alike."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from horsesense.findings.accusation import Accusation
from horsesense.findings.kinds import Kind

MAIN_SHARE = 0.5
"""Share of the weight that the main questions have, split evenly over them."""


def weighted(made: Sequence[Accusation], whole: float = 1.0) -> list[Accusation]:
    """Weights that sum to `whole`: half on the main kinds, each kind and each member alike."""
    members: dict[str, int] = {}
    for a in made:
        members[a.kind.name] = members.get(a.kind.name, 0) + 1
    kinds = {a.kind.name: a.kind for a in made}.values()
    return [
        replace(a, weight=kind_weight(a.kind, kinds, whole) / members[a.kind.name]) for a in made
    ]


def kind_weight(kind: Kind, among: Collection[Kind], whole: float = 1.0) -> float:
    """What all members of a kind have together, `among` the kinds of a verdict, itself included.

    Where there are only main kinds, or none, they share the whole.
    """
    alike = sum(other.main == kind.main for other in among)
    share = MAIN_SHARE if kind.main else 1 - MAIN_SHARE
    return whole * (share if alike < len(among) else 1.0) / alike
