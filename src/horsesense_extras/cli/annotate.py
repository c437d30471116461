"""`horsesense annotate`: replies that no rule could judge, to people and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.options import AsJson
from horsesense.errors import UsageError
from horsesense.files import usable
from horsesense.stats.words import plural, some_of
from horsesense_extras.cli.build import take_booklets
from horsesense_extras.cli.groups import tell

if TYPE_CHECKING:
    from horsesense.api import Run
    from horsesense.models.messages import Key
    from horsesense.readers.reviews import Reviews
    from horsesense_extras.people.review_files import Row

Sample = Annotated[
    int | None,
    typer.Option(
        help="Write so many replies, drawn at random, for a person to label; they tell how often"
        " readers are right and correct the score.",
        min=1,
    ),
]


def annotate(
    run: Annotated[
        Path,
        typer.Argument(
            help="Run directory, a log of another program, or a file that `build equinfer` wrote."
        ),
    ],
    to: Path | None = None,
    take: list[Path] | None = None,
    also: int = 0,
    sample: Sample = None,
    as_json: AsJson = False,
) -> None:
    """Have people judge replies, and measure with what they found.

    With --sample it writes replies drawn at random to a CSV file; fill its last column. --take
    then says how often readers are right. Without --sample it writes those replies of the suite
    know-no that no rule could judge. --take reads the filled file, or those of several reviewers.
    Of a file that `build equinfer` wrote, people judge the wrong options. Of a test that
    `build test` made, --take makes a run of the booklets that came back.

    Example: horsesense annotate audits/exam --sample 50

    Args:
        to: CSV file to write; RUN/review.csv by default, RUN/sample.csv with --sample. No file is
            written over: a review that is there is continued in another file.
        take: A filled file. Of --sample one, and a second to compare two people; of a review one
            per reviewer, and a third settles; of a test a booklet.
        also: So many replies that the rules did judge, as a check.
    """
    from horsesense_extras.build.equinfer.review import is_built

    if (usable(run) / "test.json").is_file():
        _booklets(run, take, to, as_json)
        return
    if sample is not None and (take or also or is_built(run)):
        raise UsageError("--sample needs a run, and stands without --take and --also.")
    if is_built(run):
        done = _options_taken(run, take) if take else _options_written(run, to, also)
    elif sample is not None:
        done = _sample_written(run, to or run / "sample.csv", sample)
    else:
        done = _taken(run, take) if take else _written(run, to or run / "review.csv", also)
    tell("annotate", done, as_json, [str(done["says"])])


def _booklets(test: Path, files: list[Path] | None, to: Path | None, as_json: bool) -> None:
    if not files or to is not None:
        raise UsageError(
            f"{test} is a test for people: there is nothing to write, only booklets to take.",
            hint=f"horsesense annotate {test} --take FILE [--take FILE ...]; replies of its run are"
            f" reviewed with horsesense annotate {test / 'run'}",
        )
    done = take_booklets(test, files)
    tell("annotate-test", done, as_json, [done["says"]])


def _written(path: Path, to: Path, also: int) -> dict[str, object]:
    from horsesense.api import open as open_run
    from horsesense_extras.people.review_files import CHOICES, rows_to_review

    rows = rows_to_review(open_run(path).directory, also)
    undecided = sum(row.rule == "needs_review" for row in rows)
    others = len(rows) - undecided
    rows = [replace(row, rule="") for row in rows]  # what the rules say must not sway a reviewer
    head = f"{plural(undecided, 'reply')} that no rule could judge, and {others} others,"
    done = _offered(
        path,
        rows,
        to,
        head,
        f"Write one of {', '.join(CHOICES)} (docs/suites.md has their meaning)",
    )
    return {**done, "undecided": undecided, "others": others}


def _options_written(path: Path, to: Path | None, also: int) -> dict[str, object]:
    from horsesense_extras.build.equinfer.review import CHOICES, BuiltSet

    if also:
        raise UsageError(
            "--also is about the replies of a run; of items all wrong options are shown."
        )
    built = BuiltSet.load(path)
    options = len(built.known())
    head = f"The {plural(options, 'wrong option')} of {plural(len(built.rows), 'item')}"
    tell = (
        "Read the excerpt (prompt) and the right equation (missing_answer), and write of the"
        f" option (reply) one of {', '.join(CHOICES)}"
    )
    to = to or built.folder / "review.csv"
    return {**_offered(path, built.to_review(), to, head, tell), "options": options}


def _offered(path: Path, rows: Sequence[Row], to: Path, head: str, tell: str) -> dict[str, object]:
    """Write rows to a file that people fill, and say what they are to do."""
    from horsesense_extras.people.review_files import write_review

    written, carried, new = write_review(rows, to)
    lines = [f"{head} are in {written}."]
    if carried:
        lines.append(f"It begins with the {plural(carried, 'answer')} given before.")
    if not new:
        lines.append(f"{written} was there already and stays as it is.")
    elif written != to:
        lines.append(
            f"{to} and what continues it stay as they are; columns that were added to them are not"
            f" in {written.name}."
        )
    lines.append(
        f"{tell} into the column answer, then: horsesense annotate {path} --take {written}"
    )
    return {"file": str(written), "carried": carried, "says": "\n".join(lines)}


def _taken(path: Path, files: list[Path]) -> dict[str, object]:
    from horsesense.api import open as open_run
    from horsesense.readers.reviews import Reviews
    from horsesense_extras.people import review_files
    from horsesense_extras.people.sample import is_sample

    run = open_run(path)
    if all(map(is_sample, files)):
        return _sample_taken(run, files)
    known = review_files.known_keys(run.directory)
    answers: dict[str, dict[Key, str]] = {}
    skipped = set()
    for file in files:
        found = review_files.read_csv(file, known | review_files.once_asked(run.directory, file))
        skipped |= found.keys() - known
        mine = answers.setdefault(review_files.reviewer(file, run.path), {})
        mine.update((key, said) for key, said in found.items() if key in known)
    reviews, open_keys, given = review_files.take(Reviews.load(run.path), answers)
    reviews.save(run.path)
    run.measure()
    run.report()
    alpha = review_files.alpha_of(reviews.given)
    judged = plural(len(reviews.classes), "reply")
    lines = [f"People judged {judged}; the run was measured anew.", *_still_empty(files, "answer")]
    if same := review_files.checked(run.directory, reviews.classes):
        said = f"Rules and people judge {sum(same)} of {plural(len(same), 'reply')} alike"
        lines.append(f"{said}; those that no rule could judge do not count here.")
    if reviews.compared:
        lines.append(f"{_agreed(reviews, 'replies')}; {len(open_keys)} are still open.")
    if alpha is not None:
        lines.append(
            f"Krippendorff's alpha of {plural(len(reviews.given), 'reviewer')} is {alpha:.2f}."
        )
    if skipped:
        lines.append(
            f"Left out: {plural(len(skipped), 'answer')} to replies that the run no longer asks."
        )
    if open_keys:
        rows = review_files.rows_of(run.directory, open_keys, given)
        to = review_files.write_review(rows, run.path / "disagreements.csv").path
        lines.append(f"They are in {to}; fill its last column and give it as a third --take.")
    told = {"alpha": alpha, "skipped": len(skipped)}
    return {**_told(reviews, open_keys, lines), **told}


def _sample_written(path: Path, to: Path, n: int) -> dict[str, object]:
    from horsesense.api import open as open_run
    from horsesense_extras.people.sample import WORDS, Sampled

    found = Sampled.of(open_run(path).directory)
    written = found.write(to, n)
    tell = (
        f"In {to}: {some_of(written, len(found.rows), 'reply')} in the original order, drawn at"
        " random.\nWrite into the column label what each reply chooses in the end: the letter, or"
        f" {', '.join(WORDS)} (also if cut off); right or wrong does not matter. Then: horsesense"
        f" annotate {path} --take {to}"
    )
    return {"file": str(to), "replies": written, "says": tell}


def _sample_taken(run: Run, files: Sequence[Path]) -> dict[str, object]:
    from horsesense_extras.people.sample import Sampled

    if len(files) > 2:
        raise UsageError("Of --sample, --take reads one file, or two to compare two people.")
    found = Sampled.of(run.directory)
    both = found.compared(files[0], files[1], run.settings.level) if len(files) > 1 else {}
    changed = found.take(files[0])
    run.report()
    told = found.told(run.settings.level)
    news = [f"{plural(changed, 'label', 'replace')} what was taken before."] if changed else []
    said = [*news, *_still_empty(files, "label"), *both.get("says", []), *found.sentences(told)]
    return {**both, "sample": told, "says": "\n".join(said)}


def _still_empty(files: Sequence[Path], column: str) -> list[str]:
    from horsesense_extras.people.spreadsheet import read_table

    rows = [row[column] for file in files for _, row in read_table(file, [column], "")]
    empty = sum(not (cell or "").strip() for cell in rows)
    return [f"{plural(empty, 'row', 'are')} still empty."] if empty else []


def _options_taken(path: Path, files: list[Path]) -> dict[str, object]:
    from horsesense.files import json_lines
    from horsesense.readers.reviews import Reviews
    from horsesense_extras.build.asking import refuse_if_corrected, write_noted
    from horsesense_extras.build.equinfer.funnel import table
    from horsesense_extras.build.equinfer.review import CHOICES, BuiltSet, reviewed
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
    lines = [f"{some_of(len(kept), len(built.rows), 'item', 'are')} in {out}."]
    if reviews.compared:
        lines.append(f"{_agreed(reviews, 'options')}.")
    if open_keys:
        rows = built.to_review(frozenset(open_keys))
        to = write_review(rows, built.folder / "disagreements.csv").path
        lines.append(f"Options that are still open are in {to}; give it as a third --take.")
    lines += ["", *table(funnel, len(kept))]
    return {"file": str(out), "items": len(kept), **_told(reviews, open_keys, lines)}


def _told(reviews: Reviews, open_keys: Sequence[Key], lines: Sequence[str]) -> dict[str, object]:
    still_open = [key.hex() for key in open_keys]
    return {**reviews.as_json(), "open": still_open, "says": "\n".join(lines)}


def _agreed(reviews: Reviews, what: str) -> str:
    """How far the first two reviewers agree."""
    from horsesense.stats.rater_agreement import kappa_in_words

    first, second = [*reviews.given.values(), {}, {}][:2]
    kappa = kappa_in_words([(first[key], second[key]) for key in first if key in second])
    return (
        f"Two reviewers judged {reviews.compared} {what}, {reviews.disagreements} of them"
        f" differently ({kappa})"
    )
