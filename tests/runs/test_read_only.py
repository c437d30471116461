"""A run that cannot be written to is measured in memory, and reported somewhere else."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from command_line import call
from horsesense.files import remove_leftovers


@pytest.mark.parametrize("why", ["permissions", "no locks"])
def test_report(folder_of_all: Path, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out = folder_of_all / "run"
    words = ["audit", "sample", "--model", "sim:prior", "--probes", "order", "--limit", "4"]
    call(*words, "--out", out, code=0)
    page = (out / "report.html").read_bytes()
    call("verify", out, code=0)
    if why == "no locks":
        monkeypatch.setattr("fcntl.flock", Mock(side_effect=OSError(errno.ENOLCK, "no locks")))
    else:
        for path in (*sorted(out.rglob("*"), reverse=True), out):
            path.chmod(0o555 if path.is_dir() else 0o444)
        if os.geteuid() == 0:  # for whom no permission holds
            os.seteuid(65534)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    refused = call("report", out, code=3)
    assert "--to FILE" in refused.stderr
    call("report", out, "--to", folder_of_all / "elsewhere.html", code=0)
    assert (folder_of_all / "elsewhere.html").read_bytes() == page
    call("verify", out, code=0)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before


def test_what_a_killed_process_left_may_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".run.toml.999999999.part").touch()
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr("os.unlink", Mock(side_effect=full))
    remove_leftovers(tmp_path, [tmp_path])
    os.unlink.assert_called()  # type: ignore[attr-defined]
