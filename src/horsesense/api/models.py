"""Several models beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.runs import Run, open
from horsesense.runs.studies import OWN, run_folders

if TYPE_CHECKING:
    from horsesense.comparison.align import Side
    from horsesense.comparison.compare import Comparison


def compare(
    runs: Sequence[Run | str | Path] | Mapping[str, Run | str | Path],
    *,
    measure: str = "accuracy_as_graded",
    reader: str | None = None,
    across: bool = False,
    level: float = 0.95,
) -> Comparison:
    """Compare the models of several runs on the items that all of them hold.

    Args:
        runs: runs or their directories, or folders of studies for all of their runs; a mapping
            gives the models other names than their own.
            Several runs of one model are other prompts for it.
        measure: accuracy_as_graded, accuracy (of those read), or another of `COMPARED`.
        reader: by default the one that all runs have and most rest on.
        across: compare runs whose prompts differ; the difference is said.
        level: of the intervals, and one minus the chance of any wrong "better".

    Raises:
        UsageError: they have no two models, no item, no reader or no prompt in common.
        StoreError: a run cannot be read, or was not measured.
    """
    from horsesense.comparison.compare import compare as compare_sides

    named = list(runs.items()) if isinstance(runs, Mapping) else [(None, run) for run in runs]
    found = sides(named)
    return compare_sides(found, measure=measure, reader=reader, across=across, level=level)


def sides(named: Iterable[tuple[str | None, Run | str | Path]]) -> list[Side]:
    """Runs ready to be compared, each with a name for its model, or None for its own.

    Models of one name that are not the same, or were not asked alike (`runs.studies.OWN`), are told
    apart by their directories.
    """
    from horsesense.comparison.align import Side

    given = [
        (name, str(run.path), run) if isinstance(run, Run) else (name, str(run), open(run))
        for name, run_or_study in named
        for run in _runs_in(run_or_study)
    ]
    models = [run.directory.known.model.name for _, _, run in given]
    known = [
        (run.directory.known.model.identity, run.settings.model_dump(include={*OWN[:4]}))
        for _, _, run in given
    ]
    found = []
    for (name, place, run), model, asked in zip(given, models, known, strict=True):
        alike = any(m == model and k != asked for m, k in zip(models, known, strict=True))
        own = f"{model} ({run.path.name})" if alike else model
        found.append(Side(name or own, place, run.results))
    return found


def _runs_in(place: Run | str | Path) -> Sequence[Run | str | Path]:
    """The runs of a study's folder; a run is one itself."""
    return [place] if isinstance(place, Run) else run_folders(Path(place)) or [place]
