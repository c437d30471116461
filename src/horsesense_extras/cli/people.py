"""`horsesense build test` and `annotate TEST --take`: booklets out to people, and back as a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli import options
from horsesense.cli.output import print_json
from horsesense.errors import UsageError
from horsesense_extras.cli.groups import Rows

if TYPE_CHECKING:
    from horsesense_extras.build.booklets import Built
    from horsesense_extras.people.runs import Taken

FORMATS = ("html", "csv")


def booklets(
    items: options.Items,
    out: Annotated[Path, typer.Option(help="Directory to write.", show_default=False)],
    rows: Rows,
    people: Annotated[
        int | None,
        typer.Option(help="How many will take it; by default as many as see every form once."),
    ] = None,
    questions: Annotated[
        int | None, typer.Option(help="Questions for each; by default one for every item.")
    ] = None,
    probes: Annotated[
        str | None,
        typer.Option(help="What is asked, as in audit; by default the four prompts of Know-No."),
    ] = None,
    name: Annotated[str, typer.Option(help="What reports call these people.")] = "people",
    formats: Annotated[
        str, typer.Option("--format", help="html, csv, or both with a comma between.")
    ] = "html",
    as_json: options.AsJson = False,
) -> None:
    """Booklets for people: nobody sees an item in two forms; `annotate OUT --take` reads them."""
    from horsesense.plugins import split_outside_brackets
    from horsesense.runs.settings import Settings
    from horsesense_extras.build.booklets import PROBES, build_test, write_test
    from horsesense_extras.people.page import booklet_page

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
    write_test(built, out, booklet_page if "html" in wanted else None, "csv" in wanted)
    if as_json:
        print_json("build-test", _built_json(built, out))
    else:
        print(_built_text(built, out, wanted))


def _built_json(built: Built, out: Path) -> dict[str, Any]:
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


def _built_text(built: Built, out: Path, wanted: Sequence[str]) -> str:
    from horsesense.stats.words import plural

    told = _built_json(built, out)
    sizes, (least, most) = sorted(set(told["questions"])), built.each
    some = f"{sizes[0]} to {sizes[-1]} questions"
    each = plural(sizes[0], "question") if len(sizes) == 1 else some
    seen = f"{least} to {most} people" if most > 1 else "1 person or nobody"
    if least == most:
        seen = "1 person" if most == 1 else f"{most:,} people"
    lines = [
        f"{plural(told['booklets'], 'booklet')} of {each} ({' and '.join(wanted)}) in"
        f" {out / 'booklets'}, one for each person.",
        f"{plural(told['items'], 'item')}, {plural(len(built.forms), 'form')}; every item is seen"
        f" in every form by {seen}, and by nobody in two.",
    ]
    if least != most:
        lines.append(
            f"With {built.balanced:,} people every item is seen in every form equally often."
        )
    lines += [f"  left out, {row['items']:,}: {row['reason']}" for row in told["excluded"]]
    lines += [
        f"Give {out / 'booklets'} away and nothing else: test.json holds the right answers.",
        f"When files come back: horsesense annotate {out} --take FILE [--take FILE ...]",
    ]
    return "\n".join(lines)


def take_booklets(folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """What `annotate TEST --take` did, as JSON; `says` is the same in words."""
    from horsesense.api import open as open_run
    from horsesense_extras.people.runs import take

    taken = take(folder, files)
    run = open_run(taken.run.layout.root)
    run.measure()
    report = run.report()
    return {
        "run": str(run.path),
        "booklets": [one.booklet for one in taken.returned],
        "answers": sum(len(one.answers) for one in taken.returned),
        "missing": {str(one.booklet): list(one.missing) for one in taken.returned if one.missing},
        "notes": list(taken.notes),
        "agreement": run.findings["people"]["agreement"],
        "says": _taken_text(taken, run.findings["people"], report),
    }


def _taken_text(taken: Taken, told: dict[str, Any], report: Path) -> str:
    from horsesense.stats.words import plural

    answers = sum(len(one.answers) for one in taken.returned)
    are = "is" if len(taken.returned) == 1 else "are"
    lines = [
        f"{len(taken.returned):,} of {plural(told['booklets'], 'booklet')} {are} back, with"
        f" {plural(answers, 'answer')}."
    ]
    for one in taken.returned:
        some = ", ".join(map(str, one.missing[:10])) + (", ..." if len(one.missing) > 10 else "")
        without = f"{plural(len(one.missing), 'question')} without an answer: {some}"
        lines += [f"  booklet {one.booklet}: {without}"] if one.missing else []
    lines += [f"  {note}" for note in taken.notes]
    lines += [
        f"The run is {taken.run.layout.root}, its report {report}.",
        f"Beside models: horsesense compare {taken.run.layout.root} RUN",
    ]
    return "\n".join(lines)
