"""`horsesense export`: a run, or a piece of it, for other places; and items as tasks of others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.options import AsJson
from horsesense.errors import UsageError
from horsesense_extras.cli.groups import Rows, tell

if TYPE_CHECKING:
    from horsesense_extras.integrations.batch import Written


WRITERS = {
    "inspect": ("inspect_log", "write_inspect_log", ".eval"),
    "lm-eval": ("exports", "write_lm_eval", "-lm-eval"),
    "batch": ("batch", "write_batch", "-batch"),
    "eee": ("exports", "write_every_eval_ever", "-eee"),
    "parquet": ("plain", "write_parquet", "-parquet"),
    "csv": ("plain", "write_csv", "-csv"),
    "items": ("plain", "write_items", "-items.jsonl"),
}
"""Format of a run -> its module, the function that writes it, and how the new file is called."""
FORMATS = (*WRITERS, "lm-eval-task")
FILES = (".csv", ".eval", ".json", ".jsonl", ".parquet", ".zip")
"""Endings of files, which no folder is given."""


def export(
    what: Annotated[
        str,
        typer.Argument(help="A run directory; for lm-eval-task: items, as for `audit`."),
    ],
    out: Annotated[
        Path | None,
        typer.Argument(
            help="The new file or folder; by default beside the run, for figures and tables here."
            " A figure or table replaces an older one of its kind."
        ),
    ] = None,
    *,
    also_out: Annotated[Path | None, typer.Option("--out", help="The same as OUT.")] = None,
    pieces: Pieces,
    task: Task,
    to: Annotated[str | None, typer.Option(help=f"The format: {', '.join(FORMATS)}.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a run for other programs, or a piece of its report; or items as tasks of others.

    One of --to, --redacted, --figure, --table and --paper says what is written.

    Example: horsesense export audits/exam --to csv
    """
    out = out or also_out
    if (to is None) == (pieces.chosen is None):
        raise UsageError(
            "Say what is to be written." if to is None else f"--to and --{pieces.chosen} at once.",
            hint="One of --to FORMAT, --redacted FILE, --figure NAME, --table NAME, --paper NAME.",
        )
    if to != "lm-eval-task":
        task.refuse("a run is written whole; this is for --to lm-eval-task")
    if to is None:
        found = pieces.write(Path(what), out)
        found["says"] = [found["out"]]
        if pieces.redacted and not pieces.salt_file:
            found["says"].append(
                "Its key was not kept: only runs with one --salt-file can be compared."
            )
        if pieces.redacted:
            found["says"].append(
                "Hashes stand for its texts; so its fingerprint differs from that of the run."
            )
    elif to not in FORMATS:
        raise UsageError.unknown("format to export to", to, FORMATS)
    elif to not in WRITERS:
        found = _tasks(what, out, task)
    else:
        found = _run(Path(what), out, to)
    says = found.pop("says")
    tell("export", found, as_json, says)


def _run(path: Path, out: Path | None, to: str) -> dict[str, Any]:
    from horsesense.api import open as open_run

    module, function, ending = WRITERS[to]
    run = open_run(path)
    place = out or path.with_name(f"{path.resolve().name}{ending}")
    _check_name(place, to)
    planned = to in ("batch", "items")
    if not planned and "measure" not in run.directory.known.stages:
        run.measure()
    write = getattr(import_module(f"horsesense_extras.integrations.{module}"), function)
    written = write(run.directory if planned else run.results, place)
    found = {"out": str(place), "format": to, "says": [str(place)]}
    if to == "items":
        why = "not a question with one right option"
        said = [f"left out: {n:,} of {form} ({why})" for form, n in written.items()]
        found |= {"says": [str(place), *said], "left_out": written}
    return found | _of_batch(written, place, run.path) if to == "batch" else found


def _check_name(place: Path, to: str) -> None:
    """UsageError where the name of the new file or folder promises something else.

    >>> _check_name(Path("out.csv"), "csv")
    Traceback (most recent call last):
    horsesense.errors.UsageError: --to csv writes a folder of files; out.csv is named otherwise.
    Name it out, or write one table: --table scores --out FILE.csv.
    """
    suffix, ending = place.suffix.lower(), WRITERS[to][2]
    ending = Path(f"a{ending}").suffix or ending
    single = ending.startswith(".")
    if suffix != ending if single else suffix in FILES:
        what = f"one file, with the ending {ending}" if single else "a folder of files"
        raise UsageError(
            f"--to {to} writes {what}; {place} is named otherwise.",
            hint=f"Name it {place.with_suffix(ending if single else '')}, or write one table:"
            " --table scores --out FILE.csv.",
        )


def _of_batch(written: Written, place: Path, root: Path) -> dict[str, Any]:
    from horsesense.stats.words import plural

    says = [
        f"{plural(written.requests, 'request')} to be sent in {plural(len(written.files), 'file')},"
        f" {written.answered:,} answered: {place}"
    ]
    if written.requests:
        says.append(f"horsesense import ANSWERS.jsonl --out {root} takes what comes back.")
    return {**asdict(written), "files": list(written.files), "says": says}


def _tasks(items: str, out: Path | None, task: Task) -> dict[str, Any]:
    from horsesense.plugins import split_outside_brackets
    from horsesense.runs.settings import Settings
    from horsesense_extras.integrations.lm_eval_task import write_tasks

    if out is None:
        raise UsageError("Name the folder: horsesense export ITEMS FOLDER --to lm-eval-task.")
    values = vars(task) | task.given()
    given = {name: value for name, value in values.items() if value is not None}
    for name in ("probes", "readers"):
        if name in given:
            given[name] = tuple(split_outside_brackets(given[name]))
    made = write_tasks(Settings.of(items=items, model="lm-eval", **given), out)
    says = [f"{n:,} prompts  {name}" for name, n in made.tasks.items()]
    says += [f"left out: {n:,} ({why})" for why, n in made.left_out.items()]
    says.append(f"lm_eval run --include_path {out} --tasks {made.group} --log_samples ...")
    return {
        "out": str(out),
        "format": "lm-eval-task",
        "group": made.group,
        "tasks": made.tasks,
        "left_out": made.left_out,
        "says": says,
    }


@dataclass(frozen=True)
class Task(Rows):
    """A task for lm-eval of items.

    Attributes:
        probes: Of lm-eval-task: probes, separated by commas.
        suite: Of lm-eval-task: a named set of probes.
        readers: Of lm-eval-task: text brings back replies, first_token scores of the labels,
            option_text scores of the options' texts.
        style: Of lm-eval-task: completion, or chat (--apply_chat_template).
        max_tokens: Of lm-eval-task: longest reply.
        shots: Of lm-eval-task: few-shot examples.
        shots_from: Of lm-eval-task: items file with the examples.
    """

    probes: str | None = None
    suite: str | None = None
    readers: str = "text"
    style: str = "completion"
    max_tokens: int = 16
    shots: int = 0
    shots_from: str | None = None


@dataclass(frozen=True)
class Pieces:
    """What is to be written, at most one thing in a call.

    Attributes:
        redacted: Write the run to this one file, with keyed hashes for all texts of the items.
        salt_file: Of --redacted: the secret key, made where there is none. Runs redacted with the
            same key can be compared; keep it to yourself.
        figure: Write a figure of the report, such as score, positions, agreement or readers.
        table: Write a table: scores or estimates.
        paper: Write the published tables on a data set beside the run's own row: mc-test, bank-77,
            equinfer, mmlu, medmcqa.
        format: svg, pdf or png of a figure; csv, latex or markdown of a table; unless given, the
            ending of --out.
    """

    redacted: Path | None = None
    salt_file: Path | None = None
    figure: str | None = None
    table: str | None = None
    paper: str | None = None
    format: str | None = None

    @property
    def chosen(self) -> str | None:
        """Which of them is asked for; UsageError for more than one."""
        named = ("redacted", "figure", "table", "paper")
        found = [name for name in named if getattr(self, name) is not None]
        if len(found) > 1:
            raise UsageError(f"--{found[0]} and --{found[1]} are written one at a time.")
        return found[0] if found else None

    def write(self, path: Path, out: Path | None) -> dict[str, Any]:
        """Write what is asked for of the run at `path`; what was written, and as what."""
        from horsesense.api import open as open_run
        from horsesense.files import write_again

        results = open_run(path).results
        if self.redacted is not None:
            from horsesense_extras.redact import secret, write_redacted

            written = write_redacted(results, self.redacted, secret(self.salt_file))
            return {"out": str(written), "format": "redacted"}
        name, kind, ending, content = self._piece(results, out)
        place = out or Path(f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')}.{ending}")
        write_again(place, content)
        return {"out": str(place), "format": kind}

    def _piece(self, results: Any, out: Path | None) -> tuple[str, str, str, bytes | str]:
        """Name, format, ending and content of a figure or table."""
        from horsesense.report import pieces

        if self.figure is not None:
            kind = self._kind(out, {name: name for name in pieces.FIGURE_FORMATS}, "svg")
            return self.figure, kind, kind, pieces.figure(results, self.figure, kind)
        kind = self._kind(out, pieces.ENDINGS, "markdown")
        if self.table is not None:
            found = [pieces.table(results, self.table)]
        else:
            found = pieces.papers(results, str(self.paper))
        text = "\n".join(map(pieces.TABLE_FORMATS[kind], found))
        return str(self.table or self.paper), kind, pieces.ENDINGS[kind], text

    def _kind(self, out: Path | None, endings: Mapping[str, str], default: str) -> str:
        """The format that --format names, or else the ending of the file; they may not differ."""
        if self.format is not None and self.format not in endings:
            raise UsageError.unknown("format of this piece", self.format, endings)
        ending = "" if out is None else out.suffix.lower().removeprefix(".")
        by_name = next((kind for kind, own in endings.items() if own == ending), None)
        if ending and by_name is None:
            raise UsageError(
                f"{out} ends in .{ending}, which this piece cannot be written as.",
                hint=f"Endings: {', '.join(endings.values())}.",
            )
        if self.format and by_name and by_name != self.format:
            raise UsageError(
                f"{out} ends in .{ending}, and --format is {self.format}.",
                hint="Leave --format out: the ending decides.",
            )
        return self.format or by_name or default
