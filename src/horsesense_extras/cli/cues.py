"""What a benchmark gives away (`horsesense cues`), and repair (`horsesense build balanced`)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.options import AsJson
from horsesense.cli.output import print_json
from horsesense.cli.readings import printable
from horsesense.errors import UsageError
from horsesense_extras.cli.groups import Rows

if TYPE_CHECKING:
    from horsesense.items.item import ItemSet
    from horsesense_extras.cue_tests.groups import Grouping
    from horsesense_extras.cue_tests.repair import Balance
    from horsesense_extras.cue_tests.result import CueResult

ITEMS = (
    "Files (JSONL, CSV, Parquet; plain, .gz or .zst; FILE:SPLIT for one split), 'sample', or"
    " hf:[ORG/]NAME[@CONFIG][:SPLIT]."
)
PUBLISHED_SPLITS = "train,validation,test"

Sources = Annotated[list[str], typer.Argument(help=ITEMS, show_default=False)]
Source = Annotated[str, typer.Argument(help=ITEMS, show_default=False)]
Faithful = Annotated[bool, typer.Option(help="The published method, flaws included.")]
PresenceBug = Annotated[
    bool, typer.Option(help="Presence as the published code computed it: counts.")
]
Group = Annotated[
    str | None, typer.Option(help="Field of items that belong together; by default also found.")
]
NoGroups = Annotated[bool, typer.Option("--no-groups", help="Divide items as if all were alone.")]
Responses = Annotated[
    list[Path] | None, typer.Option(help="Recorded answers (JSONL) or a run directory; repeatable.")
]
Families = Annotated[Path | None, typer.Option(help="JSON file: model -> family.")]
Folds = Annotated[int, typer.Option(help="1 divides once, 60/20/20.")]
Repeats = Annotated[
    int | None, typer.Option(help="Of the folds; by default 2, more for small sets.")
]
Jobs = Annotated[int | None, typer.Option(help="Processes; by default one per core.")]
Out = Annotated[Path | None, typer.Option(help="HTML report to write.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(cues)


def cues(
    items: Sources,
    rows: Rows,
    faithful: Faithful = False,
    presence_bug: PresenceBug = False,
    group: Group = None,
    no_groups: NoGroups = False,
    responses: Responses = None,
    families: Families = None,
    folds: Folds = 5,
    repeats: Repeats = None,
    jobs: Jobs = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Find out whether labels can be predicted from simple features, and do models use them."""
    from horsesense.checks.check import check_items, headlines
    from horsesense_extras.cue_tests.answers import load_answers
    from horsesense_extras.cue_tests.api import as_json as result_json
    from horsesense_extras.cue_tests.api import find_cues

    by_model = _families(families)
    sets = [_load(source, rows, group, faithful) for source in items]
    names = [item_set.name for item_set in sets]
    sets = [
        replace(item_set, name=source) if names.count(item_set.name) > 1 else item_set
        for source, item_set in zip(items, sets, strict=True)
    ]
    if responses and len(sets) > 1:
        raise UsageError(
            "--responses belongs to one set of items.", hint="Call once per set, or use find_cues."
        )
    if not as_json:  # before the search, which needs more packages and may take long
        for item_set in sets:
            print("\n".join([item_set.name, *headlines(check_items(item_set))]), flush=True)
    results: list[CueResult] = []
    for item_set in sets:
        given = [
            answer
            for path in responses or ()
            for answer in load_answers(path, item_set, faithful=faithful)
        ]
        with _progress(f"cues in {item_set.name}") as listener:
            results.append(
                find_cues(
                    item_set, faithful=faithful, presence_bug=presence_bug,
                    grouping=_grouping(group, no_groups), folds=folds, repeats=repeats,
                    seed=rows.seed, jobs=jobs, answers=given, families=by_model, listener=listener,
                )
            )  # fmt: skip
    if out is not None:
        from horsesense_extras.cue_tests.page import write_cue_report

        write_cue_report(results, out)
    if as_json:
        print_json("cues", result_json(results))
        return
    sys.stdout.write(_text(results, out))


def balanced(
    items: Source,
    out: Annotated[Path, typer.Option(help="JSONL to write: the items kept, unchanged.")],
    rows: Rows,
    weights: Annotated[bool, typer.Option(help="Write all ids with weights instead.")] = False,
    group: Group = None,
    no_groups: NoGroups = False,
    as_json: AsJson = False,
) -> None:
    """Choose a subset, or weights, in which cues no longer predict the label."""
    from horsesense_extras.cue_tests.repair import balance

    item_set = _load(items, rows, group, faithful=False)
    with _progress(f"balancing {item_set.name}") as listener:
        found = balance(
            item_set, grouping=_grouping(group, no_groups), seed=rows.seed, listener=listener
        )
    _write_balanced(out, item_set, found, weights)
    if as_json:
        print_json("build-balanced", _balance_json(found))
    else:
        sys.stdout.write(_balance_text(found, out))


@contextmanager
def _progress(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Progress that is told how much of how much is done."""
    from horsesense.progress import progress

    with progress(doing, forks=True) as show:

        def listener(done: int, total: int) -> None:
            show.total = total
            show(done - show.done)

        yield listener


def _load(source: str, rows: Rows, group: str | None, faithful: bool) -> ItemSet:
    if group is not None:
        rows = replace(rows, map=[*(rows.map or ()), f"cluster={group}"])
    if rows.split is None and faithful:
        # The published method needs all three parts; a file that names none loads as it is.
        with suppress(UsageError):
            return replace(rows, split=PUBLISHED_SPLITS).load(source)
    return rows.load(source)


def _grouping(group: str | None, no_groups: bool) -> Grouping:
    if group is not None and no_groups:
        raise UsageError("--group and --no-groups exclude each other.")
    return "none" if no_groups else "given" if group is not None else "found"


def _families(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"--families {path}: {error}.") from error
    if not isinstance(found, dict):
        raise UsageError(f"--families {path}: needs an object, model -> family.")
    return {str(model): str(family) for model, family in found.items()}


def _text(results: Sequence[CueResult], out: Path | None) -> str:
    from horsesense_extras.cue_tests.dependence import family_summary

    lines: list[str] = []
    for result in results:
        lines += [result.verdict.sentence, *(f"  {r}" for r in result.verdict.reasons)]
        if result.verdict.predictable:
            for cue in result.cues[:8]:
                name, label = printable(cue.name), printable(cue.label)
                hits = f"{cue.counts[cue.label]:,} of {cue.support:,}"
                lines.append(f"    {name!r} ({cue.kind}) speaks for {label!r}: {hits}")
        lines += [f"  {note}" for note in result.notes]
        lines += [f"  {advice}" for advice in result.verdict.advice]
    for family in family_summary(results)[0]:
        name, note = printable(family.family), printable(family.note)
        if family.difference is not None and family.low is not None and family.high is not None:
            d, low, high = (100 * v for v in (family.difference, family.low, family.high))
            lines.append(
                f"{name}: {d:+.1f} points where cues predict the label "
                f"({low:.1f} to {high:.1f}), n = {family.n:,}" + (f"; {note}" if note else "")
            )
        else:
            lines.append(f"{name}: cannot be told ({note}), n = {family.n:,}")
    if out is not None:
        lines.append(f"Report: {out}")
    return "\n".join(lines) + "\n"


def _write_balanced(out: Path, items: ItemSet, found: Balance, weights: bool) -> None:
    import orjson

    from horsesense.files import whole
    from horsesense.items.rows import row_of

    kept = set(found.kept)
    with whole(out) as part, part.open("wb") as file:
        for item in items:
            if weights and item.id in found.weights:
                row: dict[str, Any] = {"id": item.id, "weight": found.weights[item.id]}
            elif not weights and item.id in kept:
                row = row_of(item, items.kind)
            else:
                continue
            file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))


def _balance_json(found: Balance) -> dict[str, Any]:
    def kappa(part: tuple[float, float, float, int]) -> dict[str, float | None]:
        names = ("kappa", "low", "high", "n")
        return {k: None if v != v else v for k, v in zip(names, part, strict=True)}

    return {
        "n": found.n, "kept": len(found.kept), "effective": found.effective,
        "rounds": found.rounds, "before": kappa(found.before), "after": kappa(found.after),
        "ids": list(found.kept), "notes": list(found.notes),
    }  # fmt: skip


def _balance_text(found: Balance, out: Path) -> str:
    def shown(part: tuple[float, float, float, int]) -> str:
        value, low, high, n = part
        return f"kappa {value:.2f} ({low:.2f} to {high:.2f}), n = {n:,}"

    return (
        f"{len(found.kept):,} of {found.n:,} items kept in {found.rounds} rounds; "
        f"with weights, all are worth {found.effective:,.0f}.\n"
        f"On items held back from the choice: before {shown(found.before)}; "
        f"after {shown(found.after)}.\nWritten: {out}\n"
    )
