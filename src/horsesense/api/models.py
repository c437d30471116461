"""Several models beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.runs import Run, open
from horsesense.errors import UsageError
from horsesense.runs.studies import OWN, run_folders

if TYPE_CHECKING:
    from horsesense.comparison.align import Side
    from horsesense.comparison.compare import Comparison
    from horsesense.comparison.gates.gate import OnDoubt, Verdict
    from horsesense.runs.results import Results


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
        runs: runs or their directories, or folders for all runs in them; a mapping
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
    """The runs in a folder; a run is one itself."""
    return [place] if isinstance(place, Run) else run_folders(Path(place)) or [place]


def gate(
    run: Run | str | Path,
    *,
    require: str | Sequence[str] = (),
    baseline: Run | str | Path | None = None,
    tolerance: float | str | Sequence[float | str] = (),
    on_doubt: OnDoubt = "",
    measure: str = "accuracy_as_graded",
    level: float = 0.95,
    lost: str = "20%",
) -> Verdict:
    """Check a run against requirements and an earlier run, as `horsesense gate` does.

    Args:
        run: what is checked.
        require: what must hold, such as "found == 0"; one or several.
        baseline: an earlier run; this one must not be worse.
        tolerance: the loss against it that is accepted: 0.02, "2%" or "order=5%"; one or several.
        on_doubt: what an undecided check counts as: "pass", "fail", or a result of its own,
            which with "ask-more" says what to ask.
        measure: what must not be lost.
        level: confidence, from 0.5 to 1.
        lost: the share of lost replies from which it fails, or "never".

    UsageError where nothing is to be checked, or a requirement names what is not there.

    >>> gate("runs/new", baseline="runs/old", tolerance=["2%"]).result  # doctest: +SKIP
    'passed'
    """
    from horsesense.comparison.gates import gate as gates
    from horsesense.comparison.gates import more
    from horsesense.comparison.gates.expression import parse

    require = [require] if isinstance(require, str) else require
    accepted = [tolerance] if isinstance(tolerance, str | float | int) else tolerance
    if not require and baseline is None:
        raise UsageError(
            "This gate checks nothing.", hint="Give --require EXPRESSION or --baseline RUN."
        )
    if accepted and baseline is None:
        raise UsageError("--tolerance belongs to --baseline RUN.")
    wanted = [parse(text) for text in require]
    losses = gates.tolerances([*map(str, accepted)])
    results, before = _results(run), None if baseline is None else _results(baseline)
    checks = [*gates.require(wanted, results, before), *gates.replies_lost(results, lost, before)]
    notes, sees = gates.notes_on(results, before), ""
    if before is not None:
        less = gates.regressions(results, before, losses, measure=measure, level=level)
        checks, notes, sees = [*checks, *less.checks], [*notes, *less.notes], less.sees
    if on_doubt == "ask-more":
        open_ = {check.name: check.values for check in checks if check.state == "undecided"}
        notes += more.to_ask(results, before, open_)
    return gates.Verdict(tuple(checks), on_doubt, tuple(notes), sees)


def _results(run: Run | str | Path) -> Results:
    return (run if isinstance(run, Run) else open(run)).results
