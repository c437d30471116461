"""The command line called in this process: what it says and how it ends."""

from __future__ import annotations

import gc
import io
import json
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from horsesense.cli import main
from horsesense.version import __version__


@dataclass(frozen=True)
class Done:
    """A finished call, with the names that `subprocess.CompletedProcess` has."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """What it printed with `--json`."""
        return json.loads(self.stdout)


def call(
    *words: object, cwd: Path | None = None, code: int | None = None, debug: bool = True
) -> Done:
    """`horsesense WORDS`, without a process of its own, which ends with `code` where one is given;
    with `debug`, defects are raised."""
    out, err = io.StringIO(), io.StringIO()
    with _as_before(), chdir(cwd or "."), redirect_stdout(out), redirect_stderr(err):
        try:
            main([*map(str, words), *["--debug"] * debug])
        except SystemExit as end:
            ended = end.code
    done = Done(ended if isinstance(ended, int) else 1, out.getvalue(), err.getvalue())
    assert code in (None, done.returncode), done
    return done


def annotate(run: Path, *words: str) -> dict[str, Any]:
    """What `horsesense annotate` tells of a run."""
    found: dict[str, Any] = call("annotate", run, *words, "--json", code=0).json
    return found


@contextmanager
def _as_before() -> Iterator[None]:
    """The settings of this process that a call changes are put back."""
    thresholds = gc.get_threshold()
    try:
        with warnings.catch_warnings():
            yield
    finally:
        gc.set_threshold(*thresholds)


def made_by(script: str) -> dict[str, str]:
    """The words of the script that runs, the version and the day, beside what it found."""
    words = re.sub(r" --(save|found) \S+", "", shlex.join([f"scripts/{script}", *sys.argv[1:]]))
    on = date.today().isoformat()
    return {"command": words, "on": on, "with": f"horsesense {__version__}"}
