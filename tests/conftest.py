"""Shared fixtures: the specification's worked examples, and the benchmark data where present."""

from __future__ import annotations

import gc
import json
import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import settings

# The workers share few processors: threads that wait for each other inside one would take as long
# again (the tests of the trie four times as long). Read before numpy, torch or polars is loaded.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(_name, "1")

# The same examples every time, and no example fails for being slow on a busy machine.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("long", deadline=None, max_examples=500)  # --hypothesis-profile long
settings.load_profile("steady")

HERE = Path(__file__).parent
ROOT = HERE.parent

LONG = (
    *("extras/models/hf/test_backend.py", "extras/training/test_train_choice.py"),
    *("extras/readers/test_trained.py", "gates/test_gate.py", "runs/test_suites.py"),
    *("runs/test_run.py", "runs/test_shards.py", "report/test_report.py", "cli/test_study.py"),
    *("testing/test_budgets.py", "comparison/test_compare.py", "extras/cues/test_api.py"),
    *("runs/test_study.py", "cli/test_cli.py", "probes/test_multi_problem.py"),
    *("extras/logs/test_imported.py", "runs/test_of_others.py", "test_structure.py"),
    *("extras/logs/test_published_cases.py", "extras/logs/test_tables.py", "test_fuzzing.py"),
)
"""Files of five seconds and more start first: a worker that gets one last is waited for."""


def pytest_configure(config: pytest.Config) -> None:
    """The second worker collects from the end: in a new environment, each finds compiled what the
    other has met, where both would compile everything."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if whole and os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        config.args = [str(path) for path in sorted(HERE.glob("[!_.]*/"), reverse=True)]
        config.args += map(str, sorted(HERE.glob("test_*.py"), reverse=True))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, else by their paths."""
    rank = {HERE / name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: (rank.get(item.path, len(rank)), item.path))


def pytest_collection_finish() -> None:
    """What all tests import and collect is looked at once for garbage, and not again each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def _without_waiting() -> Iterator[None]:
    """A server that fails is asked as often as ever what it offers, without the pauses; files need
    not reach the disk, as no test cuts the power; and no error of the reader becomes a reading."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("os.fsync", lambda descriptor: None)
        changed.setattr("horsesense.models.openai.http.LONGEST_PROBE_PAUSE", 0.0)
        changed.setattr("horsesense.readers.text_answers.TextAnswers.strict", True)
        yield


@pytest.fixture
def charts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal charts are drawn once, in tests that write the same report again and again."""
    import vl_convert

    convert = vl_convert.vegalite_to_svg
    drawn = cache(lambda text: convert(json.loads(text)))
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", lambda spec: drawn(json.dumps(spec)))


@pytest.fixture
def folder_of_all() -> Iterator[Path]:
    """A folder that anybody may write to; the test may give up to be root."""
    made = Path(mkdtemp())
    made.chmod(0o777)
    user = os.geteuid()
    try:
        yield made
    finally:
        os.seteuid(user)
        for name in (*made.rglob("*"), made):
            name.chmod(0o755)
        shutil.rmtree(made)


@pytest.fixture(scope="session")
def vectors() -> dict[str, Any]:
    """Worked examples of every formula."""
    return json.loads((HERE / "test_vectors.json").read_text())


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared benchmark data; tests that need it skip, saying so, where it is absent."""
    root = Path(os.environ.get("HORSESENSE_SHARED", HERE.parent.parent / "shared"))
    if not (root / "data").is_dir():
        pytest.skip(f"needs the shared benchmark data (HORSESENSE_SHARED, looked in {root})")
    return root


@pytest.fixture(scope="session")
def logs(shared: Path) -> Path:
    """Real logs of other programs; tests that need them skip where they are absent."""
    if not (shared / "logs").is_dir():
        pytest.skip(f"needs the shared logs (HORSESENSE_SHARED, looked in {shared / 'logs'})")
    return shared / "logs"
