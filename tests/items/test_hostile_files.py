"""Files that stand for gigabytes, never end, or have names that cannot be written down."""

from __future__ import annotations

import gzip
import os
import random
import resource
from pathlib import Path

import polars as pl
import pytest

from command_line import call
from horsesense.errors import ItemsError, UsageError
from horsesense.items import files
from horsesense.items.files import load_rows
from horsesense.items.load import load_items

MANY = 300_000


def repeated(text: str) -> pl.DataFrame:
    return pl.DataFrame({"question": pl.repeat(text, MANY, eager=True)})


def one_long_list() -> pl.DataFrame:
    return pl.DataFrame({"options": [pl.repeat(1, 20_000_000, dtype=pl.Int64, eager=True)]})


BOMBS = {
    "a long text in a dictionary": lambda: repeated("x" * 640),
    "rows without content": lambda: pl.DataFrame({"question": [None] * 2_500_000}),
    "one row with a long list": one_long_list,
    "one long text": lambda: pl.DataFrame({"question": ["x" * 100_000_000]}),
}


@pytest.mark.parametrize(
    "name",
    [*[*BOMBS][::2], *(pytest.param(name, marks=pytest.mark.slow) for name in [*BOMBS][1::2])],
)
def test_a_parquet_bomb_is_given_up(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bomb.parquet"
    BOMBS[name]().write_parquet(path, compression="zstd")
    assert path.stat().st_size < 2_000_000
    with pytest.raises(ItemsError, match=r"row \d+: not a readable Parquet file \("):
        for _ in load_rows(path):
            pass
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 3 * 2**20  # KiB


def test_a_large_parquet_file_is_read_whole(tmp_path: Path) -> None:
    draw = random.Random(0)
    rows = [{"question": str(draw.random()) * 5, "options": ["a", "b"]} for _ in range(5_000)]
    path = tmp_path / "large.parquet"
    pl.DataFrame(rows).write_parquet(path)
    assert [row for _, row in load_rows(path)] == rows


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.csv.gz"])
def test_a_newline_bomb_is_given_up(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "FREE_GROWTH", 2**22)
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"\n" * 2_500_000, mtime=0))
    with pytest.raises(ItemsError, match="not read any further") as caught:
        list(load_rows(path))
    [fault] = caught.value.faults
    assert int(fault.split()[1].rstrip(":")) <= files.FREE_GROWTH / files.LINE


@pytest.mark.parametrize("name", ["pipe.jsonl", "pipe.parquet", "pipe.csv.gz"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises(UsageError, match="is not a file"):
        load_items(path)


@pytest.mark.parametrize("name", ["x" * 300 + ".jsonl", "\udcff.jsonl", "a\0", "a/\x1b[2J.jsonl"])
@pytest.mark.parametrize("words", [["cues"], ["read"], ["report"], ["verify"], ["annotate"]])
def test_names_that_cannot_be(tmp_path: Path, name: str, words: list[str]) -> None:
    done = call(*words, f"{tmp_path}/{name}")
    assert done.returncode in (2, 3)
    assert "\x1b" not in done.stderr
    done.stderr.encode()


@pytest.mark.parametrize("name", ["x" * 300, "\udcff", "a\0"])
def test_run_directories_that_cannot_be(tmp_path: Path, name: str) -> None:
    words = ["audit", "sample", "--model", "sim:prior", "--out", f"{tmp_path}/{name}"]
    done = call(*words)
    assert done.returncode in (2, 3), done.stderr
    done.stderr.encode()


def test_errors_do_not_steer_the_terminal(tmp_path: Path) -> None:
    """Names of columns come from the file and stand in the hint."""
    path = tmp_path / "a.csv"
    path.write_text("\x1b]0;title\x07,\x1b[2Jb,\u202ec\nx,y,z\n")
    done = call("cues", path, code=2)
    assert "\\x1b" in done.stderr
    assert all(c.isprintable() or c == "\n" for c in done.stderr)
