"""Tables of any length in parts: each part is complete when it appears, memory is bounded."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from horsesense.errors import StoreError
from horsesense.files import make_folder, replace_folder
from horsesense.kept import digest_of, keep, root_of, stranger
from horsesense.runs.layout import parts_of

CHUNK = 50_000
"""Rows of a part."""
SPAN = 200_000
"""Rows of a table that are looked at together."""
MOST_OPTIONS = 1000
"""Options of a prompt that is measured: what that takes grows with their square."""
MOST = 1_000_000
"""Rows of a part that is read: some kilobytes can stand for any number of equal ones."""


UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What is raised for damaged tables; some damage makes the library panic."""


class TableRows:
    """Rows that become a frame some thousand at a time.

    As Python objects they take many times the room, and the garbage collector goes through all of
    them again and again.

    Args:
        schema: column name -> polars type.
        take: is given each frame.
        chunk: rows of a frame.
    """

    def __init__(
        self, schema: Mapping[str, Any], take: Callable[[pl.DataFrame], object], chunk: int
    ) -> None:
        self._schema, self._take, self._chunk = schema, take, chunk
        self._rows: list[tuple[Any, ...]] = []

    def add(self, row: tuple[Any, ...]) -> None:
        """Keep one row, in the order of the schema."""
        self._rows.append(row)
        if len(self._rows) >= self._chunk:
            self.flush()

    def flush(self) -> None:
        """Give away what is held."""
        if self._rows:
            self._take(frame_of(self._rows, self._schema))
            self._rows.clear()


class PartWriter(TableRows):
    """Appends rows to a table as numbered Parquet files; nothing is written before a part is full.

    `folder` is where the parts lie; it is made when the first one is written. StoreError where the
    disk refuses.
    """

    def __init__(self, folder: Path, schema: Mapping[str, Any], chunk: int = CHUNK) -> None:
        super().__init__(schema, self._write, chunk)
        self.folder = folder
        self._next = 1 + max((int(path.stem) for path in parts_of(folder)), default=-1)

    def _write(self, frame: pl.DataFrame) -> None:
        write_table(self.folder / f"{self._next:06d}.parquet", frame)
        self._next += 1


class TableInMemory(TableRows):
    """A table that is not written down."""

    def __init__(self, schema: Mapping[str, Any], chunk: int = 10_000) -> None:
        self._frames: list[pl.DataFrame] = []
        super().__init__(schema, self._frames.append, chunk)

    def frame(self) -> pl.DataFrame:
        """All rows so far."""
        self.flush()
        return pl.concat(self._frames) if self._frames else frame_of([], self._schema)


def write_table(path: Path, frame: pl.DataFrame) -> None:
    """Write a Parquet file whole; StoreError where the disk refuses.

    It is made in memory: what the library says when a disk is full does not tell that.
    """
    buffer = BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    keep(path, buffer.getvalue())


class NewTable(PartWriter):
    """A table that takes the place of an older one once it is complete."""

    def __init__(self, place: Path, schema: Mapping[str, Any]) -> None:
        self.place, new = place, place.with_name(f".{place.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        super().__init__(new, schema)

    def finish(self) -> None:
        """Write what is held and put the table in its place."""
        self.flush()
        make_folder(self.folder)
        replace_folder(self.folder, self.place)

    def discard(self) -> None:
        """Forget the new table; the older one stays."""
        shutil.rmtree(self.folder, ignore_errors=True)


def scan_parts(folders: Iterable[Path], schema: Mapping[str, Any]) -> pl.LazyFrame:
    """The tables of several folders, one after the other; an empty table where there is none."""
    paths = [sound(path) for folder in folders for path in parts_of(folder)]
    if not paths:
        return pl.LazyFrame(schema=dict(schema))
    # A directory may be named "g[1]": its name is not a pattern.
    # A run of an earlier version lacks columns that came later.
    schema = dict(schema)
    return pl.scan_parquet(paths, glob=False, schema=schema, missing_columns="insert")


def sound(path: Path) -> Path:
    """A part of a table that is as it was written; StoreError for another."""
    try:
        if digest_of(path) is None and stranger(path):
            raise OSError("it was not written with the parts beside it; move it away")
        if pl.scan_parquet(path, glob=False).select(pl.len()).collect().item() > MOST:
            raise OSError(f"it has more than {MOST:,} rows")
    except UNREADABLE as error:
        seen = f"{path}: {getattr(error, 'strerror', None) or str(error).splitlines()[0]}"
        raise _unusable(root_of(path) or path.parent, seen) from None
    return path


def spans(table: pl.LazyFrame, rows: int = SPAN) -> Iterator[pl.LazyFrame]:
    """A table in spans of so many rows, so that none of it need be held."""
    for start in range(0, table.select(pl.len()).collect().item(), rows):
        yield table.slice(start, rows)


@contextlib.contextmanager
def readable(root: Path) -> Iterator[None]:
    """Turn what is said of damaged tables into a StoreError that says how to make them again.

    They may also be made to take more memory than there is.
    """
    try:
        yield
    except MemoryError as error:
        raise _unusable(root, f"they take more memory than there is ({error})") from error
    except UNREADABLE as error:
        seen = (str(error).splitlines() or [type(error).__name__])[0]
        raise _unusable(root, seen) from error


def _unusable(root: Path, seen: str) -> StoreError:
    return StoreError(
        f"The tables of {root} cannot be read: {seen}",
        hint=f"The answers are in store.sqlite. Of an audit, delete {root / 'trials'} and"
        f" {root / 'readings'}; horsesense report {root} then makes them again. A log is imported"
        " again.",
    )


def check_trials(root: Path, trials: pl.LazyFrame, most: int, items: int) -> None:
    """Check that a table of trials holds no row twice, no more than `most` trials about items
    below number `items`, and few enough options.

    StoreError otherwise: what measures take grows with the square of the answers to one question.
    """
    seen = trials.select(pl.col("item").max(), pl.col("options").list.len().max())
    last_item, options = seen.collect().row(0)
    if (options or 0) > MOST_OPTIONS:
        raise _unusable(root, f"a prompt shows {options:,} options, and {MOST_OPTIONS:,} may be")
    if last_item is not None and last_item >= items:
        raise _unusable(root, f"trials speaks of item {last_item:,}, and there are {items:,}")
    number = pl.col("trial").cast(pl.Int64) * 2**16 + pl.col("variant")
    n, last = 0, -1
    for part in spans(trials.select(number)):
        rows = part.collect().to_series().to_numpy()
        steps = np.diff(rows, prepend=last)
        if (steps < 0).any():  # not as whoever writes the table leaves it
            check_trials(root, trials.sort("trial", "variant").collect().lazy(), most, items)
            return
        if (steps == 0).any():
            raise _unusable(root, "trials holds a row twice")
        n += int(np.count_nonzero(np.diff(rows // 2**16, prepend=last // 2**16)))
        last = int(rows[-1])
    if n > most:
        raise _unusable(root, f"trials holds {n:,} trials where asked.json says {most:,}")


def frame_of(rows: Sequence[tuple[Any, ...]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """Rows in the order of a schema as a frame."""
    # `zip(*rows)` would make an object a row, and wake the garbage collector.
    columns = [list(map(itemgetter(place), rows)) for place in range(len(schema))]
    named = zip(schema.items(), columns, strict=True)
    return pl.DataFrame([_series(name, values, kind) for (name, kind), values in named])


def _series(name: str, values: Sequence[Any], kind: Any) -> pl.Series:
    """A column; of lists, each different one is made once."""
    if not isinstance(kind, pl.List):
        return pl.Series(name, values, dtype=kind)
    code: dict[Any, int] = {}
    codes = [code.setdefault(value, len(code)) for value in values]
    different: list[Any] = [*code]
    if isinstance(kind.inner, pl.Struct):
        fields = [field.name for field in kind.inner.fields]
        different = [[dict(zip(fields, one, strict=True)) for one in value] for value in different]
    elif different and all(different):  # from one flat column, in a tenth of the time
        owner = np.repeat(np.arange(len(different)), [*map(len, different)])
        flat = pl.Series("value", [*chain.from_iterable(different)], dtype=kind.inner)
        each = pl.DataFrame({"owner": owner, "value": flat}).group_by("owner", maintain_order=True)
        return each.agg("value")["value"].rename(name).gather(codes)
    return pl.Series(name, different, dtype=kind).gather(codes)
