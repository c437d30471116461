"""Runs as users hold them: asked, measured, reported; opened again; made from logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from horsesense.api.given import ModelLike, model_of
from horsesense.errors import UsageError
from horsesense.files import usable
from horsesense.inference.limits import UNLIMITED, Limits, RunSummary
from horsesense.progress import progress, say
from horsesense.rng import fingerprint
from horsesense.runs import run as runs
from horsesense.runs.garbage import fewer_collections
from horsesense.runs.redacted import refuse_redacted
from horsesense.runs.studies import slug
from horsesense.side import side

REPORT_ITEMS = 200
"""Items that a report shows with every prompt and answer, unless another number is named."""


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

        See `StagedRun.ask`; `model`, `key_env` and `timeout` are those of `audit`.
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
        whom = model_of(spec, **server)
        return super().ask(
            whom, limits=limits, max_connections=max_connections, tell=tell, rate=rate
        )

    @fewer_collections()
    def report(self, *, items: int = REPORT_ITEMS, to: str | Path | None = None) -> Path:
        """Measure what was read, if that is not done yet, and write report.html.

        Args:
            items: how many items it shows with every prompt and answer.
            to: another file to write, such as for a run that cannot be written to.

        Raises StoreError where the run's files cannot be read or written.
        """
        from horsesense.report import write_report

        refuse_redacted(self.directory)
        if "measure" not in self.directory.known.stages:
            self.measure()
        place = None if to is None else usable(to)
        with progress("writing the report"):
            path = write_report(self.results, max_items=items, to=place)
        self.directory.mark("report", "complete")
        return path

    def verdict(self) -> list[str]:
        """The sentences at the top of the report."""
        from horsesense.report import verdict_of

        return verdict_of(self.results)

    def _repr_html_(self) -> str:
        """The verdict and the forest plot, for notebooks; no script, nothing from outside."""
        from html import escape

        from horsesense.report import summary_html

        record = self.directory.record
        if record is None or "measure" not in record.stages:
            return f"<pre>{escape(repr(self))}</pre>"
        return summary_html(self.results)


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
    seen = [(str(log), s.st_size, s.st_mtime_ns) for log in found for s in [log.stat()]]
    name = found[0].name.removesuffix(".jsonl").removesuffix(".json").removesuffix(".eval")
    return Path("imports") / f"{slug(name)}-{fingerprint(seen)}"
