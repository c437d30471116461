"""Rows of a Parquet file, read by a process of its own whose memory is bounded.

A few kilobytes can stand for gigabytes, in ways that only decoding shows, and the decoder ends the
process that it fails in. So a child decodes, slice by slice, and hands on what fits into `limit`.
The child runs this file alone: it must import nothing of the package.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final

ROW: Final = 32
"""Bytes that a row counts at least: rows without content cost time all the same."""
SLICE: Final = 16 * 2**20
"""Bytes of a slice, about."""
FIRST_ROWS: Final = 1_000
MOST_ROWS: Final = 500_000
ROOM: Final = 2 * 2**30
"""Address space of the child besides eight times the limit: what Python and the decoder take."""
_LENGTH: Final = 8
"""Bytes of the length before each slice; 0 announces a message instead."""


class UnreadableError(Exception):
    """The file cannot be read; the message says why."""


def parquet_rows(path: Path, limit: int) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file.

    Raises:
        UnreadableError: after the rows that could be read: the file is damaged, or its content is
            more than `limit` bytes.
    """
    import polars as pl

    # -P: no module of the working directory, or beside this file, stands in for a library's.
    words = [sys.executable, "-P", __file__, str(path), str(limit)]
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as child:
        try:
            yield from _received(pl, child.stdout)
        finally:
            child.kill()


def _received(pl: Any, stream: IO[bytes] | None) -> Iterator[dict[str, Any]]:
    if stream is None:
        raise UnreadableError("nothing was read")
    while head := stream.read(_LENGTH):
        length = int.from_bytes(head)
        if length == 0:
            if message := stream.read().decode(errors="replace"):
                raise UnreadableError(message)
            return
        yield from pl.read_ipc_stream(BytesIO(stream.read(length))).iter_rows(named=True)
    # No last word: the decoder broke down, or asked for more memory than it may have.
    raise UnreadableError("it is damaged, or holds far more than its size lets expect")


def _send(path: str, limit: int, out: IO[bytes]) -> None:
    """The child: slices of the file, each with its length before it, then a message or none."""
    import polars as pl

    try:
        for frame in _slices(pl, path, limit):
            buffer = BytesIO()
            frame.write_ipc_stream(buffer)
            out.write(buffer.tell().to_bytes(_LENGTH) + buffer.getvalue())
        message = ""
    except (pl.exceptions.PolarsError, OSError, UnreadableError) as error:
        message = (str(error).splitlines() or [type(error).__name__])[0]
    out.write(bytes(_LENGTH) + message.encode())
    out.flush()


def _slices(pl: Any, path: str, limit: int) -> Iterator[Any]:
    file = pl.scan_parquet(path, glob=False)
    height = file.select(pl.len()).collect().item()
    start = taken = 0
    rows = FIRST_ROWS
    while start < height:
        frame = file.slice(start, rows).collect()
        if frame.height == 0:
            raise UnreadableError("it holds fewer rows than it says")
        size = max(frame.estimated_size(), ROW * frame.height)
        taken += size
        if taken > limit:
            raise UnreadableError(f"its content is more than {limit:,} bytes; not read any further")
        yield frame
        start += frame.height
        rows = max(1, min(MOST_ROWS, SLICE * frame.height // size))


def _bounded(limit: int) -> None:
    """Bound the memory of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    most = ROOM + 8 * limit
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    _bounded(int(sys.argv[2]))
    _send(sys.argv[1], int(sys.argv[2]), sys.stdout.buffer)
