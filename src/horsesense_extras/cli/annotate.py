"""`horsesense annotate`: replies that no rule could judge, to people and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.options import AsJson
from horsesense.cli.output import print_json
from horsesense.errors import UsageError
from horsesense.files import usable
from horsesense_extras.cli.people import take_booklets

if TYPE_CHECKING:
    from horsesense.api import Run
    from horsesense.models.messages import Key
    from horsesense.readers.reviews import Reviews
    from horsesense_extras.people.review_files import Material

To = Annotated[
    Path | None,
    typer.Option(
        help="CSV file to write; RUN/review.csv by default. One that is there is continued in"
        " another file."
    ),
]
Take = Annotated[
    list[Path] | None,
    typer.Option(
        help="A reviewer's filled file; once per reviewer. A third settles. Of a test, a booklet."
    ),
]
Also = Annotated[int, typer.Option(help="So many replies that the rules did judge, as a check.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(annotate)


def annotate(
    run: Annotated[
        Path,
        typer.Argument(
            help="Run directory, a log of another program, or a file that `build equinfer` wrote.",
            show_default=False,
        ),
    ],
    to: To = None,
    take: Take = None,
    also: Also = 0,
    as_json: AsJson = False,
) -> None:
    """Have people judge replies to questions without a hint, and measure with what they found.

    Without --take it writes the replies that no rule could judge to a CSV file; fill its last
    column. With --take it reads the filled file, or those of several reviewers. Of a file that
    `build equinfer` wrote it is the wrong options that are judged; what stays is a file of its own.
    Of a test that `build test` made, --take reads booklets that came back, and makes a run of them.
    """
    from horsesense_extras.build.equinfer.review import is_built

    if (usable(run) / "test.json").is_file():
        _booklets(run, take, to, as_json)
        return
    if is_built(run):
        done = _options_taken(run, take) if take else _options_written(run, to, also)
    else:
        done = _taken(run, take) if take else _written(run, to or run / "review.csv", also)
    if as_json:
        print_json("annotate", done)
        return
    print(done["says"])


def _booklets(test: Path, files: list[Path] | None, to: Path | None, as_json: bool) -> None:
    if not files or to is not None:
        raise UsageError(
            f"{test} is a test for people: there is nothing to write, only booklets to take.",
            hint=f"horsesense annotate {test} --take FILE [--take FILE ...]; replies of its run are"
            f" reviewed with horsesense annotate {test / 'run'}",
        )
    done = take_booklets(test, files)
    if as_json:
        print_json("annotate-test", done)
    else:
        print(done["says"])


def _written(path: Path, to: Path, also: int) -> dict[str, object]:
    from horsesense.api import open as open_run
    from horsesense_extras.people.review_files import CHOICES, rows_to_review, write_review

    rows = rows_to_review(_material(open_run(path)), also)
    written, carried, new = write_review(rows, to)
    undecided = sum(row.rule == "needs_review" for row in rows)
    says = (
        f"{undecided} replies that no rule could judge, and {len(rows) - undecided} others, "
        f"are in {written}.\n"
        + (f"It begins with the {carried} answers given before.\n" if carried else "")
        + (_kept(to, written) if new and written != to else "")
        + (f"{written} was there already and stays as it is.\n" if not new else "")
        + f"Write one of {', '.join(CHOICES)} into the column answer, "
        f"then: horsesense annotate {path} --take {written}"
    )
    return {
        "file": str(written),
        "carried": carried,
        "undecided": undecided,
        "others": len(rows) - undecided,
        "says": says,
    }


def _kept(to: Path, written: Path) -> str:
    return (
        f"{to} and what continues it stay as they are; columns that were added to them are not in"
        f" {written.name}.\n"
    )


def _taken(path: Path, files: list[Path]) -> dict[str, object]:
    from horsesense.api import open as open_run
    from horsesense.readers.reviews import Reviews
    from horsesense_extras.people.review_files import (
        alpha_of,
        known_keys,
        once_asked,
        read_csv,
        reviewer,
        rows_of,
        take,
        write_review,
    )

    run = open_run(path)
    material = _material(run)
    known = known_keys(material)
    answers: dict[str, dict[Key, str]] = {}
    skipped = set()
    for file in files:
        found = read_csv(file, known | once_asked(material, file))
        skipped |= found.keys() - known
        mine = answers.setdefault(reviewer(file, run.path), {})
        mine.update((key, said) for key, said in found.items() if key in known)
    reviews, open_keys, given = take(Reviews.load(run.path), answers)
    reviews.save(run.path)
    run.measure()
    run.report()
    says = _said(reviews, len(open_keys))
    if skipped:
        says += f"\n{len(skipped)} answers to replies that the run no longer asks were left out."
    if open_keys:
        rows = rows_of(material, open_keys, given)
        to = write_review(rows, run.path / "disagreements.csv").path
        says += f"\nThey are in {to}; fill its last column and give it as a third --take."
    return {
        **reviews.as_json(),
        "alpha": alpha_of(reviews.given),
        "open": [key.hex() for key in open_keys],
        "skipped": len(skipped),
        "says": says,
    }


def _options_written(path: Path, to: Path | None, also: int) -> dict[str, object]:
    from horsesense_extras.build.equinfer.review import CHOICES, BuiltSet, check
    from horsesense_extras.people.review_files import write_review

    check(also)
    built = BuiltSet.load(path)
    to = to or built.folder / "review.csv"
    written, carried, new = write_review(built.to_review(), to)
    says = (
        f"The {len(built.known()):,} wrong options of {len(built.rows):,} items are in {written}.\n"
        + (f"It begins with the {carried} answers given before.\n" if carried else "")
        + (_kept(to, written) if new and written != to else "")
        + (f"{written} was there already and stays as it is.\n" if not new else "")
        + "Read the excerpt (prompt) and the right equation (missing_answer), and write of the"
        f" option (reply) one of {', '.join(CHOICES)} into the column answer, then: horsesense"
        f" annotate {path} --take {written}"
    )
    return {"file": str(written), "carried": carried, "options": len(built.known()), "says": says}


def _options_taken(path: Path, files: list[Path]) -> dict[str, object]:
    from horsesense.files import json_lines
    from horsesense.readers.reviews import Reviews
    from horsesense_extras.build.equinfer.funnel import table
    from horsesense_extras.build.equinfer.review import CHOICES, BuiltSet, reviewed
    from horsesense_extras.build.written import refuse_if_corrected, write_noted
    from horsesense_extras.people.review_files import read_csv, reviewer, take, write_review

    built = BuiltSet.load(path)
    out, note = path.with_name(f"{path.stem}.reviewed.jsonl"), built.folder / "reviewed"
    refuse_if_corrected(out, note)
    answers: dict[str, dict[Key, str]] = {}
    for file in files:
        name = reviewer(file, built.folder)
        answers.setdefault(name, {}).update(read_csv(file, built.known(), CHOICES))
    reviews, open_keys, _ = take(Reviews.load(built.folder), answers)
    reviews.save(built.folder)
    kept, funnel = reviewed(built, reviews.classes, open_keys)
    write_noted(out, json_lines(kept), note)
    lines = [f"{len(kept):,} of {len(built.rows):,} items are in {out}.", _agreed(reviews)]
    if open_keys:
        rows = built.to_review(frozenset(open_keys))
        to = write_review(rows, built.folder / "disagreements.csv").path
        lines.append(f"Options that are still open are in {to}; give it as a third --take.")
    says = "\n".join([line for line in lines if line] + ["", *table(funnel, len(kept))])
    return {
        "file": str(out),
        "items": len(kept),
        **reviews.as_json(),
        "open": [key.hex() for key in open_keys],
        "says": says,
    }


def _agreed(reviews: Reviews) -> str:
    if not reviews.compared:
        return ""
    kappa = "not defined" if reviews.agreement is None else f"{reviews.agreement:.2f}"
    return (
        f"Two reviewers judged {reviews.compared} options, {reviews.disagreements} of them"
        f" differently (Cohen's kappa {kappa})."
    )


def _material(run: Run) -> Material:
    from horsesense_extras.people.review_files import Material

    directory = run.directory
    return Material(run.path, directory.trials(), directory.readings(), directory.layout.store)


def _said(reviews: Reviews, still_open: int) -> str:
    from horsesense_extras.people.review_files import alpha_of

    lines = [f"{len(reviews.classes)} replies are measured as people judged them."]
    if reviews.compared:
        agreement = "not defined" if reviews.agreement is None else f"{reviews.agreement:.2f}"
        lines.append(
            f"Two reviewers judged {reviews.compared} replies, {reviews.disagreements} of them "
            f"differently (Cohen's kappa {agreement}); {still_open} are still open."
        )
    alpha = alpha_of(reviews.given)
    if alpha is not None:
        lines.append(f"Krippendorff's alpha of {len(reviews.given)} reviewers is {alpha:.2f}.")
    return "\n".join(lines)
