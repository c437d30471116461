"""Runs as users hold them: asked, measured, reported; opened again; made from logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from horsesense.api.given import ModelLike, model_of
from horsesense.errors import UsageError
from horsesense.files import usable
from horsesense.hosts import makes, to_name, unnamed
from horsesense.inference.limits import UNLIMITED, Limits, RunSummary
from horsesense.progress import progress, say
from horsesense.rng import fingerprint
from horsesense.runs import REPORT_ITEMS
from horsesense.runs import run as runs
from horsesense.runs.parts import readable
from horsesense.runs.redacted import refuse_redacted
from horsesense.runs.studies import slug
from horsesense.side import side

if TYPE_CHECKING:
    import polars as pl

    from horsesense.models.messages import Request
    from horsesense.report.pieces import Figure, Table


class Run(runs.StagedRun):
    """A study in a directory of its own; see `horsesense.runs.run.StagedRun` for its stages.

    Attributes:
        taken: what became of the answers of a batch that `load_log` was given; else None.
    """

    taken: Any = None

    def ask(
        self,
        model: ModelLike | None = None,
        *,
        limits: Limits = UNLIMITED,
        max_connections: int | None = None,
        tell: Callable[[str], None] | None = say,
        rate: float | None = None,
        key_env: str | None = None,
        timeout: float | None = None,
        engine: Any = None,
    ) -> RunSummary:
        """Ask what has no answer yet; by default the model that the settings name.

        See `StagedRun.ask`; `model`, `key_env` and `timeout` are those of `audit`. A run that was
        opened may be somebody else's: unless it is simulated or recorded, name its model here.
        With an `engine` (`horsesense_extras.integrations.ray_engine.RayEngine`) workers ask: each
        makes the model that the settings name for itself.
        """
        server = {"key_env": key_env, "timeout": timeout}
        if engine is not None:
            if model not in (None, self.settings.model):
                raise UsageError(
                    "Workers make their model themselves, from the name in the settings.",
                    hint="Name the model by a text in the settings, or leave out the engine.",
                )
            refuse_redacted(self.directory)
            with self.naming(model):  # in the processes of workers nobody names any
                named = self.settings.model
                if (strange := unnamed(named)) or not makes(named):
                    raise UsageError(f"The run names {strange or named}.", hint=to_name(strange))
            self._results = None
            spent, self.expected = side("workers", "ask_with")(
                engine,
                self.directory,
                limits,
                max_connections=max_connections,
                rate=rate,
                tell=tell or (lambda sentence: None),
                options=server,
            )
            return cast(RunSummary, spent)
        spec = self.settings.model if model is None else model
        with self.naming(model):
            whom = model_of(spec, **server)
            return super().ask(
                whom, limits=limits, max_connections=max_connections, tell=tell, rate=rate
            )

    def report(self, *, items: int = REPORT_ITEMS, to: str | Path | None = None) -> Path:
        """Measure what was read, where it has changed since that was done, and write report.html.

        Args:
            items: how many items it shows with every prompt and answer.
            to: another file to write, such as for a run that cannot be written to.

        Raises StoreError where the run's files cannot be read or written.
        """
        from horsesense.report import write_report

        refuse_redacted(self.directory)
        results, place = self.measured(), None if to is None else usable(to)
        with readable(self.path), progress("writing the report"):
            path = write_report(results, max_items=items, to=place)
        self.directory.mark("report", "complete")
        return path

    def verdict(self) -> list[str]:
        """The sentences at the top of the report."""
        from horsesense.report import verdict_of

        return verdict_of(self.results)

    def prompts(self, probe: str | None = None) -> pl.DataFrame:
        """What was sent and what came back, one row per trial, of one probe or of all.

        Columns: trial, item_id (several with commas between), probe, condition, prompt, reply. The
        messages of a chat follow one another, each after its role. prompt and reply are null where
        nothing was sent or came back.

        >>> run.prompts("order")["prompt"][0]  # doctest: +SKIP
        'user: Which planet is nearest to the sun? ...'
        """
        import polars as pl

        from horsesense.runs.exchanges import exchanges

        rows = [
            {
                "trial": one.number,
                "item_id": ",".join(v.item_id for v in one.trial.variants),
                "probe": one.trial.probe,
                "condition": str(one.trial.condition),
                "prompt": None if one.request is None else _as_text(one.request),
                "reply": None if one.response is None else one.response.text,
            }
            for one in exchanges(self.directory)
            if probe in (None, one.trial.probe)
        ]
        columns = ("item_id", "probe", "condition", "prompt", "reply")
        return pl.DataFrame(rows, {"trial": pl.Int64, **dict.fromkeys(columns, pl.String)})

    def table(self, name: str = "scores") -> Table:
        """A table of the report, which a notebook shows: scores or estimates."""
        from horsesense.report.pieces import table

        return table(self.results, name)

    def figure(self, name: str = "score", *, kind: str = "svg") -> Figure:
        """A figure of the report, which a notebook shows; needs the extra `figures`.

        Args:
            name: the section that it stands in; the second one there is NAME-2.
            kind: svg, pdf or png.

        UsageError for another name lists those that there are.

        >>> Path("score.pdf").write_bytes(run.figure("score", kind="pdf"))  # doctest: +SKIP
        """
        from horsesense.report.pieces import figure

        return figure(self.results, name, kind)

    def _repr_html_(self) -> str:
        """The verdict and the forest plot, for notebooks; no script, nothing from outside."""
        from html import escape

        from horsesense.report import summary_html

        record = self.directory.record
        if record is None or "measure" not in record.stages:
            return f"<pre>{escape(repr(self))}</pre>"
        return summary_html(self.results)


def _as_text(request: Request) -> str:
    """A prompt as one text."""
    if request.messages is None:
        return request.text or ""
    return "\n".join(f"{role}: {text}" for role, text in request.messages)


def open(path: str | Path) -> Run:
    """The run in a directory, finished or not, or in a file that `export --redacted` wrote.

    A run made by 0.1.0 is converted once.

    A log of another program is imported first, into a directory of its own under `imports`; one
    that has been imported there, and is still the same, is not imported again.

    Raises StoreError where there is none, or it cannot be used; for logs as `load_log`.
    """
    place = usable(path)
    if (place / "run.toml").exists() or not side("logs", "is_log")(place):
        return Run.open(place)
    out = import_out([place])
    if (out / "run.toml").exists():
        return Run.open(out)
    return cast(Run, side("api", "load_log")(place, out=out))


def import_out(logs: Sequence[str | Path]) -> Path:
    """The directory of an import that names none; another one once a log has changed."""
    found = [Path(log).absolute() for log in logs]
    stats = [(str(log), log.stat()) for log in found if log.exists()]
    seen = [(log, s.st_size, s.st_mtime_ns) for log, s in stats]
    name = found[0].name.removesuffix(".jsonl").removesuffix(".json").removesuffix(".eval")
    return Path("imports") / f"{slug(name)}-{fingerprint(seen)}"
