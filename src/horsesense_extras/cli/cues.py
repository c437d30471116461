"""What a benchmark gives away (`horsesense cues`), and repair (`horsesense build balanced`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.options import ITEMS, AsJson, Items
from horsesense.cli.readings import printable
from horsesense.errors import UsageError
from horsesense.stats.words import plural, some_of
from horsesense_extras.cli.groups import Rows, tell

if TYPE_CHECKING:
    from horsesense.items.item import ItemSet
    from horsesense_extras.cue_tests.groups import Grouping
    from horsesense_extras.cue_tests.repair import Balance
    from horsesense_extras.cue_tests.result import CueResult, FamilyTest

PUBLISHED_SPLITS = "train,validation,test"

Sources = Annotated[list[str], typer.Argument(help=ITEMS)]


@dataclass(frozen=True)
class Divided:
    """Which items stay on one side of every division.

    Attributes:
        group: Field of items that belong together; by default also found.
    """

    group: str | None = None
    no_groups: Annotated[
        bool, typer.Option("--no-groups", help="Divide items as if all were alone.")
    ] = False

    @property
    def grouping(self) -> Grouping:
        """What `find_groups` is told; UsageError where both are given."""
        if self.group is not None and self.no_groups:
            raise UsageError("--group and --no-groups exclude each other.")
        return "none" if self.no_groups else "given" if self.group is not None else "found"

    def load(self, rows: Rows, source: str, faithful: bool = False) -> ItemSet:
        """The items of a source, with the field as their cluster."""
        if self.group is not None:
            rows = replace(rows, map=[*(rows.map or ()), f"cluster={self.group}"])
        if rows.split is None and faithful:
            # The published method needs all three parts; a file that names none loads as it is.
            with suppress(UsageError):
                return replace(rows, split=PUBLISHED_SPLITS).load(source)
        return rows.load(source)


def cues(
    items: Sources,
    rows: Rows,
    divided: Divided,
    faithful: bool = False,
    presence_bug: bool = False,
    responses: list[Path] | None = None,
    families: Path | None = None,
    folds: int = 5,
    repeats: int | None = None,
    jobs: int | None = None,
    out: Path | None = None,
    as_json: AsJson = False,
) -> None:
    """Find out whether simple features predict the labels, and whether models use them.

    Example: horsesense cues train.jsonl

    Args:
        faithful: The published method, flaws included.
        presence_bug: Presence as the published code computed it: counts.
        responses: Recorded answers (JSONL), a log or a run directory, of any of the sets;
            repeatable.
        families: JSON file: model -> family.
        folds: 1 divides once, 60/20/20.
        repeats: Of the folds; by default 2, more for small sets.
        jobs: Processes; by default one per core.
        out: HTML report to write.
    """
    from horsesense.checks.check import check_items, headlines
    from horsesense_extras.cue_tests.answers import answers_by_set
    from horsesense_extras.cue_tests.api import as_json as result_json
    from horsesense_extras.cue_tests.api import find_cues

    by_model = _families(families)
    sets = [divided.load(rows, source, faithful) for source in items]
    names = [item_set.name for item_set in sets]
    sets = [
        replace(item_set, name=source) if names.count(item_set.name) > 1 else item_set
        for source, item_set in zip(items, sets, strict=True)
    ]
    if not as_json:  # before the search, which needs more packages and may take long
        for item_set in sets:
            print("\n".join([item_set.name, *headlines(check_items(item_set))]), flush=True)
    answers = answers_by_set(responses or (), sets, faithful=faithful)
    results: list[CueResult] = [
        find_cues(
            item_set, faithful=faithful, presence_bug=presence_bug,
            grouping=divided.grouping, folds=folds, repeats=repeats,
            seed=rows.seed, jobs=jobs, answers=given, families=by_model,
        )
        for item_set, given in zip(sets, answers, strict=True)
    ]  # fmt: skip
    if out is not None:
        from horsesense_extras.cue_tests.page import write_cue_report

        write_cue_report(results, out)
    tell("cues", result_json(results), as_json, _text(results, out))


def balanced(
    items: Items,
    out: Path,
    rows: Rows,
    divided: Divided,
    weights: bool = False,
    as_json: AsJson = False,
) -> None:
    """Choose a subset, or weights, in which cues no longer predict the label.

    Example: horsesense build balanced train.jsonl --out balanced.jsonl

    Args:
        out: JSONL to write: the items kept, unchanged.
        weights: Write all ids with weights instead.
    """
    from horsesense_extras.cue_tests.repair import balance

    item_set = divided.load(rows, items)
    found = balance(item_set, grouping=divided.grouping, seed=rows.seed)
    _write_balanced(out, item_set, found, weights)
    tell("build-balanced", _balance_json(found), as_json, _balance_text(found, out))


def _families(path: Path | None) -> dict[str, str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig")) if path else {}
        return {str(model): str(family) for model, family in found.items()}
    except (OSError, ValueError, AttributeError) as error:
        raise UsageError(
            f"--families {path}: {error}.", hint="It needs a JSON object, model -> family."
        ) from error


def _text(results: Sequence[CueResult], out: Path | None) -> list[str]:
    from horsesense_extras.cue_tests.dependence import below_limit, family_summary

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
    families, published = family_summary(results)
    for family in families:
        note = family.note
        told = f"cannot be told ({note}), n = {family.n:,}"
        if family.difference is not None and family.low is not None and family.high is not None:
            d, low, high = (100 * v for v in (family.difference, family.low, family.high))
            told = f"{d:+.1f} points where cues predict the label ({low:.1f} to {high:.1f})"
            told += f", n = {family.n:,}" + (f"; {note}" if note else "")
        lines.append(printable(f"{family.family}: {told}"))
    if families and any(result.faithful for result in results):
        left = below_limit(results)
        lines += [
            "The published test (section 4.2): kappa on predictable minus unpredictable items,"
            " paired t over models and sets, one-sided"
            + (printable(f"; left out, kappa of at most 0.2: {', '.join(left)}") if left else ""),
            *(printable(f"  {_tested(test)}") for test in published),
        ]
    if out is not None:
        lines.append(f"Report: {out}")
    return lines


def _tested(test: FamilyTest) -> str:
    from horsesense_extras.cue_tests.paper import printed_test

    def shown(t: float, p: float, adjusted: float) -> str:
        return f"t = {t:.2f}, p = {p:.3g}, adjusted {adjusted:.3g}"

    printed = printed_test(test.family)
    beside = f"; in the paper {shown(*printed)}" if printed else ""
    if test.t is None or test.p_value is None or test.adjusted is None:
        return f"{test.family}: {plural(test.pairs, 'pair')}, no test{beside}"
    told = shown(test.t, test.p_value, test.adjusted)
    return f"{test.family}: {told} ({plural(test.pairs, 'pair')}){beside}"


def _write_balanced(out: Path, items: ItemSet, found: Balance, weights: bool) -> None:
    from horsesense.files import empty_place, json_lines, write_whole
    from horsesense.items.rows import row_of

    kept = set(found.kept)
    rows = (row_of(item, items.kind) for item in items if item.id in kept)
    weighed = ({"id": i.id, "weight": found.weights[i.id]} for i in items if i.id in found.weights)
    write_whole(empty_place(out), json_lines(weighed if weights else rows))


def _balance_json(found: Balance) -> dict[str, Any]:
    def kappa(part: tuple[float, float, float, int]) -> dict[str, float | None]:
        names = ("kappa", "low", "high", "n")
        return {k: None if v != v else v for k, v in zip(names, part, strict=True)}

    told = {"before": kappa(found.before), "after": kappa(found.after)}
    ids = {"kept": len(found.kept), "ids": list(found.kept), "notes": list(found.notes)}
    return {name: getattr(found, name) for name in ("n", "effective", "rounds")} | told | ids


def _balance_text(found: Balance, out: Path) -> list[str]:
    def shown(part: tuple[float, float, float, int]) -> str:
        value, low, high, n = part
        return f"kappa {value:.2f} ({low:.2f} to {high:.2f}), n = {n:,}"

    return [
        f"{some_of(len(found.kept), found.n, 'item', 'kept')} in {plural(found.rounds, 'round')};"
        f" with weights, all are worth {found.effective:,.0f}.",
        f"On items held back from the choice: before {shown(found.before)}; after"
        f" {shown(found.after)}.",
        f"Written: {out}",
    ]
