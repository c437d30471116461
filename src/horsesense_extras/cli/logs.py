"""`horsesense import` and `record`: logs of other programs as runs, and as a page of all models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.options import REPORT_ITEMS, AsJson, ReportItems, pairs
from horsesense.cli.output import print_json, print_json_line
from horsesense.cli.readings import printable
from horsesense.errors import UsageError
from horsesense.stats.words import plural, some_of
from horsesense_extras.cli.groups import tell

if TYPE_CHECKING:
    from horsesense.api import Run
    from horsesense_extras.logs.table_layouts import Unread

Logs = Annotated[
    list[Path],
    typer.Argument(
        help="Files or folders: logs of Inspect (.eval, .json), lm-eval (JSONL), HELM and batch"
        " APIs; tables of answers (CSV, JSONL, JSON, Parquet), also those of MMLU-Pro, OpenCompass,"
        " lighteval, evalscope, promptfoo, DeepEval, VLMEvalKit and simple-evals."
    ),
]
Known = Annotated[
    str | None,
    typer.Option(help="Items that were asked, where the logs do not say which answers are right."),
]
Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="OURS=THEIRS, a field's name in a table: of an item, or response, model, read (the"
        " answer as the program took it), score, error, prompt; response=A,B: a column for each"
        " model.",
    ),
]
UnreadAs = Annotated[
    str | None,
    typer.Option(
        help="What a table's program makes of a reply in which it finds no answer: wrong, or"
        " random (it draws an option)."
    ),
]

HOLDS = {
    "answer_disagreement": "answers to the same question asked several times",
    "position_preference": "how often each position is chosen",
    "recall": "rightness by position",
    "mismatch_rate": "first token against text",
    "status_share": "kinds of reply",
}
"""Measures by which it is told what else a log allows to be seen."""


def import_(
    logs: Logs,
    out: Path | None = None,
    items: Known = None,
    map: Fields = None,
    unread: UnreadAs = None,
    report_items: ReportItems = REPORT_ITEMS,
    as_json: AsJson = False,
) -> None:
    """Make a run from logs or tables of other programs: what was said, beside their own score.

    Nothing is asked. Each log is also taken by every command that takes a run. Logs of several
    models become a study: a folder with a run of each (as JSON, a line each).

    Example: horsesense import logs/*.eval --out audits/imported

    Args:
        out: Run directory to make, of several models the folder of a study; imports/NAME by
            default.
    """
    from horsesense_extras.api import load_logs

    runs = load_logs(logs, out, items, pairs("map", map), unread_as(unread))
    show = print_json if len(runs) == 1 else print_json_line
    for run in runs:
        run.report(items=report_items)
        told = summary(run)
        if as_json:
            show("import", told)
            continue
        for line in lines(run, told):
            print(printable(line))
    if len(runs) > 1 and not as_json:
        print(f"Side by side: horsesense compare {runs[0].path.parent}")


def unread_as(given: str | None) -> Unread | None:
    """What `--unread` says; UsageError for another word."""
    if given not in (None, "wrong", "random"):
        raise UsageError.unknown("--unread", given, ("wrong", "random"))
    return given  # type: ignore[return-value]


def summary(run: Run) -> dict[str, Any]:
    """What an import found, as JSON values."""
    from horsesense_extras.logs.log_score import findings, log_scores
    from horsesense_extras.logs.told import logs_of

    logs = logs_of(run.directory)
    scores = log_scores(run.results)
    return {
        "out": str(run.path),
        "report": str(run.directory.layout.report),
        "items": len(run.items),
        "answers": sum(log["samples"] - log.get("failed", 0) for log in logs) or _answered(run),
        "failed": sum(log.get("failed", 0) for log in logs),
        "left_out": sum(row["samples"] for row in _left_out(run, logs)),
        "model": run.directory.known.model.name,
        "logs": logs,
        "scores": [score.as_json() for score in scores],
        "findings": findings(run.results, scores) if logs else [],
        "holds": _holds(run),
    }


def _left_out(run: Run, logs: list[Any]) -> list[dict[str, Any]]:
    """What was not taken, by reason: of logs, or of the answers of a batch."""
    of_batch = run.taken.left_out.as_json() if run.taken is not None else []
    return [row for log in logs for row in log["left_out"]] + of_batch


def _answered(run: Run) -> int:
    """Answers in a run of our own, which was asked inside another program or as a batch."""
    findings = run.results.findings
    return int(findings["trials"] - findings["unread"] + findings.get("unclear", 0))


def _holds(run: Run) -> list[str]:
    """What else the log allows to be seen, by measures that have a value."""
    there = {e.measure for e in run.results.estimates if e.value is not None}
    found = [said for measure, said in HOLDS.items() if measure in there]
    trials = run.trials
    orders = trials.filter(trials["probe"] == "order")["item_id"].n_unique()
    return ([f"{plural(orders, 'item')} in several orders"] if orders else []) + found


def lines(run: Run, told: dict[str, Any]) -> list[str]:
    """The summary of an import: five lines, and what is behind the log's score."""
    logs = told["logs"]
    if not logs:
        return _of_ours(run, told)
    names = ", ".join(
        dict.fromkeys(f"{log['task'] or log['path']} ({log['format']})" for log in logs)
    )
    states = ", ".join(dict.fromkeys(log["state"] for log in logs))
    reasons = [f"{row['samples']:,} ({row['reason']})" for log in logs for row in log["left_out"]]
    left = f"; left out: {'; '.join(reasons)}" if reasons else ""
    left = f"; {plural(told['failed'], 'more sample')} failed{left}" if told["failed"] else left
    return [
        f"{told['model']}: {plural(told['answers'], 'answer')} to {plural(told['items'], 'item')}"
        f" from {names}, {states}{left}.",
        *_scored(told["scores"]),
        *told["findings"],
        *(note for log in logs for note in log["notes"]),
        f"Also in it: {', '.join(told['holds']) or 'nothing more'}.",
        f"Report: {told['report']}",
    ]


def _of_batch(run: Run) -> list[str]:
    """What was not taken of a batch, and what is to be sent again."""
    from horsesense_extras.integrations.batch import without_answer

    lines = [
        f"Left out: {row['samples']:,} ({row['reason']}; such as {row['examples'][0]})."
        for row in _left_out(run, [])
    ]
    count = without_answer(run.directory)
    if count:
        lines.append(
            f"{plural(count, 'request', 'have')} no answer; horsesense export {run.path} FOLDER"
            " --to batch writes what is to be sent."
        )
    return lines


def _of_ours(run: Run, told: dict[str, Any]) -> list[str]:
    """What an audit says in the end, of one that was asked elsewhere."""
    from horsesense.cli.each import shortfalls
    from horsesense.cli.ending import ending

    return [
        f"{told['model']}: {plural(told['answers'], 'answer')} to {plural(told['items'], 'item')}.",
        *ending(run.results, colours=False),
        *(shortfalls(run) if run.taken is None else _of_batch(run)),
        f"Report: {told['report']}",
    ]


def _scored(scores: list[dict[str, Any]]) -> list[str]:
    """One line on the log's own score, one on what was said."""
    if not scores:
        return ["The log gives no score of its own; the report has what the replies say."]
    first = scores[0]
    own = "; ".join(_own(score) for score in scores[:2])
    own += f"; {len(scores) - 2} more in the report" if len(scores) > 2 else ""
    said, lines = first["said"], [f"Accuracy in the log: {own}."]
    if said is None or said["value"] is None:
        why = "no right answer is known (give --items)" if not first["both"] else "not defined"
        return [*lines, f"Accuracy as the replies say: {why}."]
    differ = "all are graded alike"
    if first["differ"]:
        shown = first["examples"][0]
        reply = " ".join(shown["reply"].split())
        reply = reply if len(reply) <= 60 else f"{reply[:60]}..."
        took = "" if shown["log_answer"] is None else f", the log took {shown['log_answer'][:20]!r}"
        differ = (
            f"{some_of(first['differ'], first['both'], 'answer', 'are')} graded otherwise, such as"
            f" {shown['item_id']}: {reply!r} says {shown['said'][:40]}"
            f" ({'right' if shown['right'] else 'wrong'}){took}"
        )
    whole, missing = first["said_as_graded"] or said, said["n_missing"]
    of = plural(said["n"] + missing, "answer")
    lacking = f"; {missing:,} of {of} missing or unclear, {_percent(said['value'])} without them"
    read = f"{_percent(whole['value'])} (read by {first['reader']}{lacking if missing else ''})"
    return [*lines, f"Accuracy as the replies say: {read}; {differ}."]


def _own(score: dict[str, Any]) -> str:
    """A log's own score: the number as it stands there, and from its samples where that differs."""
    if not score["reported"]:
        return f"{score['name']} {_percent(score['from_samples'])} (from its samples)"
    told = [f"{name} {_percent(n)} ({n})" for name, n in score["reported"].items()]
    if len(told) > 3:
        mean = _percent(score["from_samples"])
        return f"{score['name']} {mean} over the answers of {len(told)} logs or splits"
    same = len(told) > 1 or score["from_samples"] in score["reported"].values()
    return ", ".join(told) + ("" if same else f", from its samples {score['from_samples']}")


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


FolderPath = Annotated[
    Path,
    typer.Argument(help="Folder of a study or a run, or of logs or tables that `import` takes."),
]


def record(
    folder: FolderPath,
    out: Path = Path("record"),
    items: Known = None,
    map: Fields = None,
    unread: UnreadAs = None,
    as_json: AsJson = False,
) -> None:
    """Lay an evaluation open: each model as its program graded it, and as its replies say.

    Logs and tables are imported first, into `OUT/runs`.

    Example: horsesense record eval_results/ --out record

    Args:
        out: Folder of the page, and of a file for each model.
    """
    from horsesense.api import Run
    from horsesense.files import usable
    from horsesense.runs.layout import RunLayout
    from horsesense.runs.studies import run_folders
    from horsesense_extras.api import load_logs
    from horsesense_extras.logs.record_page import write_record
    from horsesense_extras.logs.recorded import record_of

    place = usable(out)
    given = usable(folder)
    there = run_folders(given) or [given] * RunLayout(given).record.is_file()
    imported = place / "runs"
    if not there and imported.exists():
        raise UsageError(
            f"{place} holds a record already.",
            hint=f"horsesense record {imported} --out {place} writes its page again. Other logs, or"
            " another --unread, need another --out.",
        )
    runs = [Run.open(path) for path in there] or load_logs(
        [folder], imported, items, pairs("map", map), unread_as(unread)
    )
    pages = [(run, _page(run.path.name)) for run in runs]
    for run, page in pages:
        run.report(items=ITEMS, to=place / page)
    found = record_of(pages)
    path = write_record(found, place)
    lines = (*found.notes, *(model.told for model in found.models), f"Page: {path}")
    told = {"page": str(path), **found.as_json()}
    tell("record", told, as_json, [printable(line) for line in lines])


def _page(name: str) -> str:
    """The file of a model's report, which is not that of the record."""
    return f"{name}-model.html" if name.casefold() == "index" else f"{name}.html"


ITEMS = 20
"""Items shown on the page of each model."""
