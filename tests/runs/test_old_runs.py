"""Runs of earlier versions open, are reported, and are continued without asking anything again."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

import horsesense as hs
from conftest import HERE
from horsesense.runs.settings import Settings


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A run that 0.2.0 made (probes order and labels on 6 items of the sample, a model that locks
    on B), with the setting `draws` that has gone since."""
    with tarfile.open(HERE / "runs" / "data" / "run_0_2_0.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "run_0_2_0"


def test_a_run_of_0_2_0_opens_as_it_was_measured(old: Path) -> None:
    run = hs.open(old)
    assert run.estimate("position_locked", "order", reader="text", group="B").value == 1.0
    assert run.estimate("accuracy", reader="text").value == pytest.approx(1 / 6)
    assert run.results.verdict
    assert run.report().stat().st_size > 10_000
    assert run.verify().sound


def test_what_0_2_0_asked_counts_as_asked_whatever_settings_came_later(old: Path) -> None:
    class Later(Settings):
        yet_to_come: int = 3

    run = hs.open(old).directory
    for value in (3, 4):
        run.settings = Later(**{**run.settings.model_dump(), "yet_to_come": value})
        assert (run.asked() is None) is (value == 4)


def test_a_run_of_0_2_0_is_measured_again_and_continued(old: Path) -> None:
    before = hs.open(old).estimate("position_locked", "order", reader="text", group="B")
    run = hs.audit("sample", "sim:position?k=1", out=old, limit=6, probes="order, labels")
    assert run.findings["run"]["answered"] == 0
    assert run.findings["run"]["cached"] == 47
    again = run.estimate("position_locked", "order", reader="text", group="B")
    assert (again.value, again.n) == (before.value, before.n)
