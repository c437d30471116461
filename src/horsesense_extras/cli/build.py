"""`horsesense build`: benchmarks made from benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli import options
from horsesense.cli.grouped import Commands
from horsesense.errors import UsageError
from horsesense.files import empty_place, json_lines, write_whole
from horsesense.stats.words import plural, some_of
from horsesense_extras.cli.cues import balanced
from horsesense_extras.cli.groups import Asking, Rows, tell

if TYPE_CHECKING:
    from horsesense.inference.limits import RunSummary
    from horsesense_extras.build.booklets import Built as BuiltTest
    from horsesense_extras.build.equinfer.build import Built
    from horsesense_extras.build.paraphrases import Paraphrased


File = Annotated[str, typer.Argument(help="Items: texts with labels.")]


build = Commands(name="build", help="Build item sets from others.", no_args_is_help=True)
build.command()(balanced)


@build.command()
def pairs(
    items: File,
    out: Path,
    same: int = 500,
    different: int = 500,
    split: options.Split = None,
    seed: int = 0,
    as_json: options.AsJson = False,
) -> None:
    """Pairs of texts: do they have the same label? A benchmark that no model has seen.

    Example: horsesense build pairs train.jsonl --out pairs.jsonl

    Args:
        out: JSONL file to write.
        same: Pairs with the same label.
        different: Pairs with different labels.
        seed: Starts the draw.
    """
    from horsesense.items.load import load_items
    from horsesense_extras.build.sets import build_pairs

    found = load_items(items, split=split)
    _write(build_pairs(found, same, different, seed), out, as_json)


@build.command()
def mix(
    items: Annotated[list[str], typer.Argument(help="Two or more sets.")],
    out: Path,
    each: int | None = None,
    split: str | None = None,
    seed: int = 0,
    as_json: options.AsJson = False,
) -> None:
    """Several sets in one file, for prompts that mix their problems (probe parameter mix).

    Example: horsesense build mix sst2.jsonl cola.jsonl --out mixed.jsonl

    Args:
        out: JSONL file to write.
        each: Items of each set; all by default.
        split: Rows to take of the sets that have splits.
        seed: Starts the draw.
    """
    from horsesense.items.load import load_items
    from horsesense_extras.build.sets import build_mix

    sets = [load_items(source, split=split) for source in items]
    _write(build_mix(sets, each, seed), out, as_json)


@build.command()
def paraphrases(
    items: options.Items,
    model: options.Model,
    out: Path,
    rows: Rows,
    asking: Asking,
    versions: int = 4,
    as_json: options.AsJson = False,
) -> None:
    """Questions in other words, by a model: look at the file, then audit it with `paraphrase`.

    Example: horsesense build paraphrases exam.csv -m http:NAME --out new.jsonl

    Args:
        out: JSONL file to write.
        versions: Wordings of each question.
    """
    from horsesense.runs.run import complete
    from horsesense_extras.build.asking import refuse_if_corrected
    from horsesense_extras.build.paraphrases import paraphrase

    found = rows.load(items)
    folder = out.with_name(f"{out.name}.answers")
    refuse_if_corrected(out, folder / WRITTEN)
    made = complete(
        paraphrase(
            found, asking.model(model), folder, versions=versions, seed=rows.seed, how=asking.how()
        )
    )
    refused = dict(made.refused.most_common())
    told = {**made.counts(), "versions": versions, "refused": refused}
    lines = _paraphrases_text(made, out)
    _leave(made.rows(), out, folder, "build-paraphrases", told, as_json, lines, made.spent)


@build.command()
def equinfer(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="LaTeX sources: a paper's folder, archive (.tar.gz, .zip) or file, or a folder of"
            " such."
        ),
    ],
    out: Path,
    asking: Asking,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            help=f"Writes the wrong options; without one they are edits of the right equation."
            f" {options.MODEL}",
        ),
    ] = None,
    judge: str | None = None,
    per_paper: int = 3,
    context_words: int = 1000,
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Which equation belongs here? Know-No's EquInfer, made from LaTeX sources of your own.

    Example: horsesense build equinfer papers/ --out equinfer.jsonl

    Args:
        out: JSONL file to write.
        judge: Looks for flaws in them: an item stays if it misses one.
        per_paper: Equations of a paper, at most.
        context_words: Words of context on each side, up to 1,500; 0 for none.
    """
    from horsesense.readers.model_based.judge import judge_model
    from horsesense.runs.run import complete
    from horsesense_extras.build.asking import refuse_if_corrected
    from horsesense_extras.build.equinfer.build import EQUATIONS, build_equinfer
    from horsesense_extras.build.equinfer.review import folder_of

    folder = folder_of(out)
    refuse_if_corrected(out, folder / WRITTEN)
    built = complete(
        build_equinfer(
            sources,
            folder,
            generator=asking.model(model) if model else None,
            judged_by=judge_model(judge) if judge else None,
            per_paper=per_paper,
            words=context_words,
            seed=seed,
            how=asking.how(),
        )
    )
    told = {"funnel": built.funnel.as_json()}
    lines = _equinfer_text(built, out)
    _leave(built.rows, out, folder, "build-equinfer", told, as_json, lines, built.spent)
    if not built.rows:
        raise UsageError(
            f"No item is left: {out} is empty.",
            hint=f"{folder / EQUATIONS} says why each equation was dropped. Give more papers.",
        )


WRITTEN = "written"
"""Holds the hash of the file as it was written, so that no correction is overwritten."""


SPENT = ["answered", "cached", "failed", "prompt_tokens", "completion_tokens", "cost", "stopped"]


def _leave(
    rows: Iterable[Mapping[str, Any]], out: Path, folder: Path, schema: str,
    found: Mapping[str, Any], as_json: bool, lines: Iterable[str], spent: RunSummary,
) -> None:  # fmt: skip
    """Write the items that a model helped to make, and say what came of it."""
    from horsesense_extras.build.asking import write_noted

    write_noted(out, json_lines(rows), folder / WRITTEN)
    counted = {name: getattr(spent, name) for name in SPENT}
    tell(schema, {"out": str(out), **found, **counted}, as_json, lines)
    if spent.exit_code:
        raise typer.Exit(spent.exit_code)


def _paraphrases_text(made: Paraphrased, out: Path) -> Iterator[str]:
    counts = made.counts()
    yield (
        f"{plural(counts['paraphrases'], 'paraphrase')} of {plural(counts['items'], 'item')} in"
        f" {out}: {plural(counts['items_with_all'], 'item', 'have')} all {made.versions},"
        f" {counts['items_with_none']:,} have none."
    )
    yield from (f"  refused {n:,}: {reason}" for reason, n in made.refused.most_common())
    yield from _spent_text(made.spent)
    yield "Look at them before they are used: only their form was checked."


def _spent_text(spent: RunSummary) -> Iterator[str]:
    yield f"{spent.costs()}."
    if spent.stopped == "budget":
        yield "The budget is spent; the same command with a larger one continues."
    if spent.last_failure is not None:
        seen = spent.last_failure.message
        yield f"Requests without an answer are asked again by the same command: {seen}"


def _equinfer_text(built: Built, out: Path) -> Iterator[str]:
    from horsesense_extras.build.equinfer.build import EQUATIONS
    from horsesense_extras.build.equinfer.funnel import table

    papers = plural(len({row["cluster"] for row in built.rows}), "paper")
    yield from (f"{plural(len(built.rows), 'item')} from {papers} in {out}.", "")
    yield from (*table(built.funnel.as_json()), "")
    if built.spent.answered or built.spent.cached or built.spent.failed:
        yield from _spent_text(built.spent)
    yield f"Every equation and its reason: {out.name}.answers/{EQUATIONS}"
    if built.rows:
        yield f"Have people look at the wrong options: horsesense annotate {out}"


def _write(rows: list[dict[str, Any]], out: Path, as_json: bool) -> None:
    write_whole(empty_place(out), json_lines(rows))
    told = {"out": str(out), "items": len(rows)}
    tell("build", told, as_json, [f"{plural(len(rows), 'item')} in {out}"])


FORMATS = ("html", "csv")


@build.command("test")
def booklets(
    items: options.Items,
    out: Path,
    rows: Rows,
    people: int | None = None,
    questions: int | None = None,
    probes: str | None = None,
    name: str = "people",
    formats: Annotated[
        str, typer.Option("--format", help="html, csv, or both with a comma between.")
    ] = "html",
    as_json: options.AsJson = False,
) -> None:
    """Booklets for people: nobody sees an item in two forms; `annotate OUT --take` reads them.

    Example: horsesense build test exam.csv --out booklets

    Args:
        out: Directory to write.
        people: How many will take it; by default as many as see every form once.
        questions: Questions for each; by default one for every item.
        probes: What is asked, as in audit; by default the four prompts of Know-No.
        name: What reports call these people.
    """
    from horsesense.plugins import split_outside_brackets
    from horsesense.runs.settings import Settings
    from horsesense_extras.build.booklets import PROBES, build_test, write_test

    wanted = [each.strip() for each in formats.split(",")]
    for each in wanted:
        if each not in FORMATS:
            raise UsageError.unknown("format of booklets", each, FORMATS)
    built = build_test(
        Settings.of(
            items=items,
            model=f"people:{name}",
            probes=tuple(split_outside_brackets(probes)) if probes else PROBES,
            readers=("text",),
            **rows.given(),
        ),
        people,
        questions,
    )
    write_test(built, out, wanted)
    told = _built_json(built, out)
    tell("build-test", told, as_json, _built_text(built, told, out, wanted))


def _built_json(built: BuiltTest, out: Path) -> dict[str, Any]:
    test, (least, most) = built.test, built.each
    return {
        "out": str(out),
        "id": test.id,
        "booklets": len(test.booklets),
        "questions": [len(booklet) for booklet in test.booklets],
        "items": len({q.trial.variant.item_id for b in test.booklets for q in b}),
        "forms": [{"probe": probe, "condition": str(c)} for probe, c in built.forms],
        "people_by_item_and_form": {"least": least, "most": most},
        "balanced": built.balanced,
        "excluded": list(test.excluded),
    }


def _built_text(
    built: BuiltTest, told: dict[str, Any], out: Path, wanted: Sequence[str]
) -> Iterator[str]:
    sizes, (least, most) = sorted(set(told["questions"])), built.each
    some = f"{sizes[0]} to {plural(sizes[-1], 'question')}"
    each = plural(sizes[0], "question") if len(sizes) == 1 else some
    seen = f"{least} to {most} people" if most > 1 else "at most 1 person"
    if least == most:
        seen = "1 person" if most == 1 else f"{most:,} people"
    yield (
        f"{plural(told['booklets'], 'booklet')} of {each} ({' and '.join(wanted)}) in"
        f" {out / 'booklets'}, one for each person."
    )
    yield (
        f"{plural(told['items'], 'item')}, {plural(len(built.forms), 'form')}; every item is seen"
        f" in every form by {seen}. Nobody sees it in two forms."
    )
    if least != most:
        people = plural(built.balanced, "person")
        yield f"With {people} every item is seen in every form equally often."
    yield from (f"  left out, {row['items']:,}: {row['reason']}" for row in told["excluded"])
    yield f"Give {out / 'booklets'} away and nothing else: test.json holds the right answers."
    yield f"When files come back: horsesense annotate {out} --take FILE [--take FILE ...]"


def take_booklets(folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """What `annotate TEST --take` did, as JSON; `says` is the same in words."""
    from horsesense.api import open as open_run
    from horsesense_extras.people.runs import take

    taken = take(folder, files)
    run = open_run(taken.run.layout.root)
    run.measure()
    report = run.report()
    back, people = taken.returned, run.findings["people"]
    answers = sum(len(one.answers) for one in back)
    missing = {str(one.booklet): list(one.missing) for one in back if one.missing}
    lines = [
        f"{some_of(len(back), people['booklets'], 'booklet', 'are')} back, with"
        f" {plural(answers, 'answer')}.",
        *(f"  booklet {booklet}: {_without(places)}" for booklet, places in missing.items()),
        *(f"  {note}" for note in taken.notes),
        f"The run is {run.path}, its report {report}.",
        f"Beside models: horsesense compare {run.path} RUN",
    ]
    return {
        "run": str(run.path),
        "booklets": [one.booklet for one in back],
        "answers": answers,
        "missing": missing,
        "notes": list(taken.notes),
        "agreement": people["agreement"],
        "says": "\n".join(lines),
    }


def _without(places: Sequence[int]) -> str:
    some = ", ".join(map(str, places[:10])) + (", ..." if len(places) > 10 else "")
    return f"{plural(len(places), 'question')} without an answer: {some}"
