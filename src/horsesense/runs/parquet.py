"""Writing tables of any length with bounded memory."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import polars as pl


class ParquetWriter:
    """Writes rows to a Parquet file in chunks of bounded memory.

    Chunks are kept beside the file and joined on leaving the context; a chunk that was written
    by an interrupted run is discarded on entry.
    """

    def __init__(self, path: Path, schema: Mapping[str, Any], chunk: int = 50_000) -> None:
        self.path = path
        self._schema = schema
        self._chunk = chunk
        self._rows: list[tuple[Any, ...]] = []
        self._parts = path.with_name(f"{path.name}.parts")
        self._count = 0

    def __enter__(self) -> Self:
        shutil.rmtree(self._parts, ignore_errors=True)
        self._parts.mkdir(parents=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.flush()
            pl.scan_parquet(self.parts).sink_parquet(self.path, compression="zstd")
        shutil.rmtree(self._parts, ignore_errors=True)

    @property
    def parts(self) -> str:
        """Pattern of the chunk files, readable once `flush` was called."""
        return str(self._parts / "*.parquet")

    def add(self, row: tuple[Any, ...]) -> None:
        self._rows.append(row)
        if len(self._rows) >= self._chunk:
            self.flush()

    def flush(self) -> None:
        """Write what is held; the first flush writes a chunk even if it is empty."""
        if not self._rows and self._count:
            return
        columns = zip(self._schema.items(), _columns(self._rows, self._schema), strict=True)
        frame = pl.DataFrame([_series(name, values, kind) for (name, kind), values in columns])
        frame.write_parquet(self._parts / f"{self._count:06d}.parquet", compression="zstd")
        self._count += 1
        self._rows.clear()


def _columns(rows: Sequence[tuple[Any, ...]], schema: Mapping[str, Any]) -> Sequence[Any]:
    return list(zip(*rows, strict=True)) if rows else [()] * len(schema)


def _series(name: str, values: Sequence[Any], kind: Any) -> pl.Series:
    """A column; lists are built from one flat column, 13 times as fast as one by one."""
    if not isinstance(kind, pl.List):
        return pl.Series(name, values, dtype=kind)
    if isinstance(kind.inner, pl.Struct):
        return _of_few(name, values, kind, [field.name for field in kind.inner.fields])
    owner = np.repeat(np.arange(len(values)), [len(value) for value in values])
    flat = pl.Series("value", list(chain.from_iterable(values)), dtype=kind.inner)
    lists = pl.DataFrame({"owner": owner, "value": flat}).group_by("owner").agg("value")
    every = pl.DataFrame({"owner": np.arange(len(values))})
    joined = every.join(lists, on="owner", how="left", maintain_order="left")
    return joined["value"].fill_null(pl.Series([[]], dtype=kind)).rename(name)


def _of_few(name: str, values: Sequence[Any], kind: Any, fields: Sequence[str]) -> pl.Series:
    """A column of few different lists of records, given as tuples: each is made once."""
    code: dict[Any, int] = {}
    codes = [code.setdefault(value, len(code)) for value in values]
    made = [[dict(zip(fields, record, strict=True)) for record in value] for value in code]
    return pl.Series(name, made, dtype=kind).gather(codes)
